#!/usr/bin/env bash
# The sedan, which consists of corner templates: changing one word replaces its front double wishbones by five-link suspensions. Both cars satisfy
# Newton's laws, which sedan_reference.py evaluates from the list of masses and points; the motions of the corners are those that the lengths of
# their rods determine; runs with steps of fixed cost agree with accurate ones in the lane changes.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

quiet() { # ARGUMENT... : runs camber with its output in a file
  "$CAMBER" "$@" >printed
}

reference() { # ARGUMENT... : the checks of the script beside this one
  python3 "$SOURCE_DIR/tests/cli/sedan_reference.py" "$@"
}

words() { # FILE FILE : how many words differ
  diff <(tr -s ' ' '\n' <"$1") <(tr -s ' ' '\n' <"$2") | grep -c '^>'
}

# ---- one word
sedan=$SOURCE_DIR/models/sedan.yaml
reference outputs >wanted.yaml
for kind in double-wishbone five-link; do
  sed "s|corners/double-wishbone|corners/$kind|" "$sedan" >car.yaml
  check "$kind: what is exchanged" [ "$(words "$sedan" car.yaml)" -eq "$([ $kind = five-link ] && echo 1 || echo 0)" ]
  sed '/^outputs:/r wanted.yaml' car.yaml >"$kind.yaml"
  check "$kind: 14 degrees of freedom" grep -q '14 degrees of freedom' <("$CAMBER" check "./$kind.yaml")
  check "$kind: runs" quiet run "./$kind.yaml" --method radau5 --rtol 1e-8 --t-end 2 --every 0.005 --out "$kind.csv" \
    --record residuals
done
check "both cars obey the laws of mechanics" reference laws double-wishbone.csv five-link.csv

# ---- the corners, moved up and down, with the rack at the right and at the left
for front in double-wishbone five-link; do
  rear=$([ $front = five-link ] && echo double-wishbone || echo five-link)
  sed "s|front: {include: \[corners/[a-z-]*|front: {include: [corners/$front|; s|rear: {include: \[corners/[a-z-]*|rear: {include: [corners/$rear|" \
    "$SOURCE_DIR/models/sedan/rig.yaml" >rig.yaml
  for rack in -0.02 0.02; do
    check "$front in front, $rear behind" quiet kinematics ./rig.yaml --drive front_left.hub.z=0.27:0.39:5 \
      --drive rear_left.hub.z=0.27:0.39:5 --drive rack_travel=$rack --wheel front_left.hub --wheel rear_left.hub --radius 0.33 \
      --out sweep.csv
    check "$front in front, $rear behind, rack at $rack: lengths of rods" reference lengths sweep.csv "$front" "$rear"
  done
done

# ---- steps of 1 ms: 1.3 mm apart; 1.6 mm in 20 s, which take too long here
quiet run "$sedan" --method lie --step 0.001 --option bound=none --t-end 3.5 --every 0.1 --out lie.csv
quiet run "$sedan" --method mdop853 --rtol 1e-8 --atol 1e-8 --t-end 3.5 --every 0.1 --out exact.csv 2>warning
check "lie follows the lane changes within 5 mm" reference apart lie.csv exact.csv 0.005

finish

#!/usr/bin/env bash
# A rod without a radius has no moment of inertia about its own axis. If its joint allows this rotation, the angular acceleration is
# undefined: every formulation refuses the model, for every direction of the axis, with a message that names the body and the axis. If the
# rotation is not free, the rod swings correctly. The same holds for rotors, which have inertia about their axis only.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# model FILE JOINT [BODY [JOINT [LOOPS]]]: writes a model of a rod from A to B on a joint with these keys, with further bodies, joints and loops
model() {
  cat >"$1" <<END
parameters: {cx: 1, cy: 0, cz: 0}
gravity: [0, 0, -9.81]
points: {A: [0.2, -0.1, 0.4], B: [0.2 + cx, cy - 0.1, 0.4 + cz], C: [0.7 + cx, cy, cz]}
bodies:
  bar: {mass: 1, rod: [A, B]}
  ${3:-}
joints:
  hinge: {child: bar, at: A, $2}
  ${4:-}
${5:-}
markers: {tip: {on: bar, at: B}}
outputs: {x: tip.x, y: tip.y, z: tip.z}
END
}

# run FILE FORMULATION [OPTION...]
run() {
  local file=$1 formulation=$2
  shift 2
  timeout 30 "$CAMBER" run "$file" --formulation "$formulation" --method mdop853 --rtol 1e-9 --t-end 0.5 --max-steps 5000 \
    "$@" >text 2>words
}

# refused NAME FILE AXIS [OPTION...]
refused() {
  local name=$1 file=$2 axis=$3
  shift 3
  for formulation in explicit residual cartesian; do
    run "$file" "$formulation" "$@"
    check "$name, $formulation: exit code 2" test $? -eq 2
    check "$name, $formulation: place, body and axis" \
      grep -Eq "$file:5:3: body 'bar' has no moment of inertia about the axis \\[$axis\\]" words
  done
}

# Prints the position of the tip at the end.
tip() {
  awk '$1 == "outputs" {inside = 1} inside && $1 ~ /^[xyz]$/ {printf "%.6f ", $2 + 0}' text
}

# accepted NAME FILE [OPTION...]: all formulations agree
accepted() {
  local name=$1 file=$2 first=
  shift 2
  for formulation in explicit residual cartesian; do
    run "$file" "$formulation" "$@"
    check "$name, $formulation: runs" test $? -eq 0
    first=${first:-$(tip)}
    check "$name, $formulation: agrees with explicit" test "$(tip | wc -w) $(tip)" = "3 $first"
  done
}

model ball.yaml "type: spherical, start: [0.1, 0.2, 0.05]"
model euler.yaml "type: spherical, orientation: euler"
model free.yaml "type: free"
for kind in ball euler free; do
  refused "$kind along x" $kind.yaml "1, 0, 0"
  refused "$kind along y" $kind.yaml "0, 1, 0" --set cx=0 --set cy=1
  refused "$kind along z" $kind.yaml "0, 0, 1" --set cx=0 --set cz=1
  refused "$kind askew" $kind.yaml "-0.3094, 0.9283, -0.2063" --set cx=-0.3 --set cy=0.9 --set cz=-0.2
done

model along.yaml "type: revolute, axis: [cx, cy, cz]"
refused "hinge along a skew rod" along.yaml "0.4243, 0.5657, 0.7071" --set cx=0.3 --set cy=0.4 --set cz=0.5
model second.yaml "type: universal, axes: [y, x]"
refused "second axis of a universal joint" second.yaml "1, 0, 0"
model ends.yaml "type: spherical" "" "" "loops: {end: {type: spherical, between: [bar@B, ground@B]}}"
refused "ball joints at both ends" ends.yaml "1, 0, 0"
model carries.yaml "type: spherical" "load: {mass: 50, sphere: B, radius: 0.1}" \
  "knee: {type: spherical, parent: bar, child: load, at: B}"
refused "a load on a ball joint at the end" carries.yaml "0.4243, 0.5657, 0.7071" --set cx=0.3 --set cy=0.4 --set cz=0.5

model across.yaml "type: revolute, axis: y"
accepted "hinge across the rod" across.yaml
model universal.yaml "type: universal, axes: [y, z], rate: [0.5, 2]"
accepted "universal joint" universal.yaml
model first.yaml "type: universal, axes: [x, y], start: [0.2, 0.3]"
accepted "first axis of a universal joint, away from the stretched position" first.yaml
model hinged.yaml "type: spherical, orientation: euler, rate: [1, 0.2, 0.3]" \
  "load: {mass: 1, rod: [B, C], radius: 0.01}" "knee: {type: revolute, parent: bar, child: load, at: B, axis: y}"
accepted "a hinged load that turns with the rod" hinged.yaml
model thin.yaml "type: spherical, orientation: euler, rate: [0, 0.2, 0.3]"
sed -i 's/rod: \[A, B\]/rod: [A, B], radius: 0.001/' thin.yaml
accepted "a rod with a radius of a thousandth of its length" thin.yaml

# A rotor has inertia about its axis only. It is accepted with a warning, and refused if it can rotate about another axis.
# rotor FILE JOINT
rotor() {
  model "$1" "$2"
  sed -i "s/rod: .*}/com: A, inertia: [2, 0, 0]}/" "$1"
}
about_one='rotor.yaml:5:35: body .bar.: the inertia is about one axis only'
for joint in spherical free; do
  rotor rotor.yaml "type: $joint"
  for formulation in explicit residual cartesian; do
    run rotor.yaml "$formulation"
    check "rotor, $joint, $formulation: exit code 2" test $? -eq 2
    check "rotor, $joint, $formulation: place and body" \
      grep -q "rotor.yaml:5:3: body 'bar' has no moment of inertia about more than one axis, and joint 'hinge' lets it turn" words
  done
done
rotor rotor.yaml "type: revolute, axis: y"
refused "rotor, hinge across" rotor.yaml "0, 1, 0"
rotor rotor.yaml "type: revolute, axis: x, rate: 3"
accepted "rotor, hinge along" rotor.yaml
check "rotor: body and place in the warning" grep -q "warning: $about_one" words
check "rotor: one warning" test "$(grep -c "$about_one" words)" -eq 1

# A bead, a point mass, slides on a massless arm, from the arm's hinge on. Its displacement gives it inertia about the hinge, unless it slides along
# the hinge's axis.
cat >bead.yaml <<'END'
bodies: {arm: {massless: true, com: [0, 0, 0]}, bead: {mass: 1, com: [0, 0, 0], inertia: [0, 0, 0]}}
joints:
  turn: {type: revolute, child: arm, at: [0, 0, 0], axis: z}
  slide: {type: prismatic, parent: arm, child: bead, at: [0, 0, 0], axis: x, start: 0.5}
END
check "a bead that slides across the axis" "$CAMBER" check bead.yaml >text
sed -i 's/axis: x/axis: z/' bead.yaml
"$CAMBER" check bead.yaml >text 2>words
check "a bead that slides along the axis: exit code 2" test $? -eq 2
check "a bead that slides along the axis: message" grep -q "body 'arm' has no moment of inertia about the axis \[0, 0, 1\]" words

finish

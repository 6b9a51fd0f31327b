#!/usr/bin/env bash
# Gimbal lock of a spherical joint with angles: a start in gimbal lock is refused in joint coordinates with every method, with a message
# that names the joint, its line and a remedy; the Cartesian formulation and Euler parameters have no gimbal lock. Near it a run is right
# or ends with an error.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >lock.yaml <<'END'
parameters: {b: 90 deg, ra: 0.3, rb: 0.5, rc: 0.2}
bodies:
  top: {mass: 1, com: [0.1, 0.05, -0.3], inertia: [0.02, 0.03, 0.04]}
joints:
  ball: {type: spherical, child: top, at: [0, 0, 0], start: [0.2, b, 0.1], rate: [ra, rb, rc]}
outputs: {energy: energy}
simulate: {t-end: 0.5}
END
sed 's/ball: {.*/ball: {type: spherical, child: top, at: [0, 0, 0], axes: [z, x, z], rate: [1, 1, 1]}/' lock.yaml >zxz.yaml
sed 's/start: .*/orientation: euler, rate: [1, 1, 1]}/' lock.yaml >euler.yaml
sed -e 's/com: \[0.1, 0.05/com: [0, 0/' -e 's/\[0.2, b, 0.1\]/[0, b, 0]/' lock.yaml >plane.yaml

refused() { # MODEL [OPTION...]
  timeout 20 "$CAMBER" run "$@" >text 2>words
  test $? -eq 1 && grep -q "$1:5:3: joint 'ball' is in gimbal lock at t = 0 .*: its axes lie in one plane.*'orientation: euler'" words
}
for formulation in explicit residual; do
  for method in mdop5 radau5 bdf lie; do
    check "$formulation, $method: in the lock" refused lock.yaml --formulation $formulation --method $method
    check "$formulation, $method: beside it" \
      refused lock.yaml --formulation $formulation --method $method --set "b=90*deg-1e-12"
  done
done
# three hinges through one point, with massless bodies between them, are equivalent
cat >rings.yaml <<'END'
parameters: {b: 90 deg}
bodies: {ring: {massless: true, com: [0, 0, 0]}, cross: {massless: true, com: [0, 0, 0]}, top: {mass: 1, com: [0.1, 0.05, -0.3], inertia: [0.02, 0.03, 0.04]}}
joints:
  j1: {type: revolute, child: ring, at: [0, 0, 0], axis: x, start: 0.2, rate: 0.3}
  j2: {type: revolute, parent: ring, child: cross, at: [0, 0, 0], axis: [0, 1, 1], start: b, rate: 0.5}
  j3: {type: revolute, parent: cross, child: top, at: [0, 0, 0], axis: y, start: 0.1, rate: 0.2}
outputs: {energy: energy}
simulate: {t-end: 0.5}
END
# x, (y + z)/sqrt(2) and y turned about that lie in one plane where the middle angle is 90 deg
timeout 20 "$CAMBER" run rings.yaml >text 2>words
check "hinges: exit code" test $? -eq 1
check "hinges: message" grep -q "rings.yaml:5:3: joint 'j2' is in gimbal lock at t = 0 .*the axes of 'j1', 'j2' and 'j3' lie in one plane" words
check "a design position in the lock" refused zxz.yaml
check "below, as above" refused lock.yaml --set "b=-90*deg"
"$CAMBER" check lock.yaml >text 2>words
check "camber check reports gimbal lock" grep -q "joint 'ball' is in gimbal lock" words
check "Euler parameters: no lock" "$CAMBER" run euler.yaml --quiet >text

energy() { # MODEL FORMULATION METHOD B [OPTION...]: of the end, to standard output
  timeout 20 "$CAMBER" run "$1" --formulation "$2" --method "$3" --set "b=$4" --json "${@:5}" 2>words |
    sed -n 's/.*"energy": \([-0-9.e]*\).*/\1/p'
}
near() { # A B TOLERANCE
  awk -v a="$1" -v b="$2" -v tol="$3" 'BEGIN {exit !(a != "" && b != "" && (a - b)^2 <= tol^2)}'
}
check "Cartesian: no lock" near "$(energy lock.yaml cartesian mdop5 90*deg --rtol 1e-8)" \
  "$(energy lock.yaml cartesian mdop853 90*deg-1e-12 --rtol 1e-11)" 1e-6
for distance in 1e-3 1e-4; do
  exact=$(energy lock.yaml cartesian mdop853 90*deg-$distance --rtol 1e-11)
  for formulation in explicit residual; do
    for method in mdop5 radau5 bdf; do
      check "$formulation, $method: right $distance rad beside the lock" \
        near "$(energy lock.yaml $formulation $method 90*deg-$distance --rtol 1e-5)" "$exact" 1e-5
    done
  done
done
check "hinges: right 30 degrees from it" \
  near "$(energy rings.yaml explicit mdop5 1 --rtol 1e-9)" "$(energy rings.yaml cartesian mdop853 1 --rtol 1e-11)" 1e-7
# a motion that comes too near to gimbal lock
energy lock.yaml residual radau5 90*deg-1e-4 --rtol 1e-8 >text
check "the end of a run near the lock names it" grep -q "lock.yaml:5:3: joint 'ball' is .*gimbal lock" words

# a planar oscillation passes gimbal lock with the right result
swing=(--set ra=0 --set rb=6 --set rc=0 --rtol 1e-9)
exact=$(energy plane.yaml cartesian mdop853 1 "${swing[@]}")
for formulation in explicit residual; do
  for method in mdop5 radau5; do
    check "$formulation, $method: through the lock in a plane" \
      near "$(energy plane.yaml $formulation $method 1 "${swing[@]}")" "$exact" 1e-7
  done
done

finish

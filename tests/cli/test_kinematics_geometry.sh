#!/usr/bin/env bash
# camber kinematics against geometry in closed form: a double wishbone with a rack, whose points are computed from its lengths; the roll centre of
# a planar one from the lines of its arms; wheel rates by energy and by equilibria of 'camber run'; a steering trapezoid; bushings; a soft spring.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >spatial.yaml <<'END'
gravity: [0, 0, 0]
points: {LF: [0.16, 0.36, 0.19], LR: [-0.20, 0.37, 0.20], L: [0.015, 0.70, 0.18], UF: [0.13, 0.42, 0.47], UR: [-0.14, 0.43, 0.455],
         U: [-0.025, 0.66, 0.49], I: [-0.13, 0.37, 0.265], T: [-0.14, 0.69, 0.26], C: [0, 0.76, 0.30]}
bodies:
  lower: {mass: 4, com: [0, 0.5, 0.19], inertia: [0.05, 0.03, 0.08]}
  upper: {mass: 2, com: [0, 0.52, 0.47], inertia: [0.013, 0.011, 0.022]}
  carrier: {mass: 9, com: [0, 0.71, 0.31], inertia: [0.11, 0.09, 0.035]}
  rack: {mass: 3, com: I}
markers: {hub: {on: carrier, at: C}}
joints:
  lower_arm: {type: revolute, child: lower, at: LF, axis: [LR, LF], coordinates: [alpha]}
  upper_arm: {type: revolute, child: upper, at: UF, axis: [UR, UF]}
  ball: {type: spherical, parent: lower, child: carrier, at: L, axes: [z, x, y]}
  gear: {type: prismatic, child: rack, axis: y, coordinates: [steer]}
loops:
  upper_joint: {type: spherical, between: [upper@U, carrier@U]}
  tie_rod: {type: distance, between: [rack@I, carrier@T]}
END
cat >planar.yaml <<'END'
gravity: [0, 0, 0]
parameters: {push: 0}
points: {A: [0, 0.35, 0.20], L: [0, 0.70, 0.17], B: [0, 0.42, 0.44], U: [0, 0.66, 0.48], S: [0, 0.46, 0.60], Q: [0, 0.58, 0.18], C: [0, 0.76, 0.30]}
bodies:
  lower: {mass: 4, com: [0, 0.5, 0.19], inertia: [0.05, 0.03, 0.08]}
  upper: {mass: 2, com: [0, 0.52, 0.47], inertia: [0.013, 0.011, 0.022]}
  carrier: {mass: 9, com: [0, 0.71, 0.31], inertia: [0.11, 0.09, 0.035]}
markers: {hub: {on: carrier, at: C}}
joints:
  lower_arm: {type: revolute, child: lower, at: A, axis: x}
  upper_arm: {type: revolute, child: upper, at: B, axis: x}
  knuckle: {type: revolute, parent: lower, child: carrier, at: L, axis: x}
loops: {close: {type: revolute, between: [upper@U, carrier@U], axis: x}}
forces:
  strut: {type: spring, between: [ground@S, lower@Q], stiffness: 48000, preload: -900}
  road: {type: load, on: carrier@C, force: [0, 0, push]}
outputs: {height: {value: hub.z, unit: m}}
END
cat >trapezoid.yaml <<'END'
points: {KL: [0, 0.6, 0.3], KR: [0, -0.6, 0.3], EL: [-0.15, 0.54, 0.3], ER: [-0.15, -0.54, 0.3], CL: [0, 0.72, 0.3], CR: [0, -0.72, 0.3]}
bodies:
  left: {mass: 9, com: CL, inertia: [0.1, 0.1, 0.1]}
  right: {mass: 9, com: CR, inertia: [0.1, 0.1, 0.1]}
markers: {left_hub: {on: left, at: CL}, right_hub: {on: right, at: CR}}
joints:
  left_pin: {type: revolute, child: left, at: KL, axis: z, coordinates: [turn]}
  right_pin: {type: revolute, child: right, at: KR, axis: z}
loops: {rod: {type: distance, between: [left@EL, right@ER]}}
END
cat >bushing.yaml <<'END'
gravity: [0, 0, 0]
points: {B: [-0.1, 0.5, 0.25], C: [0.02, 0.76, 0.30]}
bodies: {carrier: {mass: 9, com: C, inertia: [0.1, 0.1, 0.1]}}
markers: {hub: {on: carrier, at: C}}
joints: {free: {type: free, child: carrier, at: B}}
forces: {mount: {type: bushing, between: [ground@B, carrier@B], stiffness: [2e6, 3e6, 4e5], rotational-stiffness: [5e4, 6e4, 7e4]}}
END
cat >soft.yaml <<'END'
gravity: [0, 0, 0]
bodies:
  carrier: {mass: 30, com: [0, 0.7, 0.3], inertia: [1, 1, 1]}
  wheel: {mass: 10, com: [0, 0.7, 0.3], inertia: [1, 1, 1]}
  mount: {mass: 0.01, com: [0, 0.2, 0.3], inertia: [1, 1, 1]}
markers: {hub: {on: carrier, at: [0, 0.7, 0.3]}}
joints:
  slide: {type: prismatic, child: carrier, axis: z, coordinates: [z], stiffness: 1}
  bearing: {type: revolute, parent: carrier, child: wheel, at: [0, 0.7, 0.3], axis: y, coordinates: [spin]}
  stiff: {type: prismatic, child: mount, axis: x, coordinates: [x], stiffness: 1e9}
END

sweep() { "$CAMBER" kinematics "$@" --radius 0.32 >text 2>words || { cat words; return 1; }; }
check "spatial, steered" sweep spatial.yaml --wheel hub --drive steer=-0.03:0.04:2 --out spatial.csv
check "a drive that steers: no wheel rate, but a caster angle" sh -c '! head -n 1 spatial.csv | grep -q "hub.rate" && head -n 1 spatial.csv | grep -q "hub.caster"'
check "spatial, steered and raised" sweep spatial.yaml --wheel hub --drive alpha=-0.25:0.25:5 --drive steer=-0.03:0.04:5 --out spatial.csv
check "planar" sweep planar.yaml --wheel hub --drive hub.z=0.22:0.38:5 --out planar.csv
check "trapezoid" sweep trapezoid.yaml --wheel left_hub --wheel right_hub --drive turn=-0.5:0.5:7 --out trapezoid.csv
check "bushing" sweep bushing.yaml --wheel hub --load hub.fx=0:300:2 --load hub.fy=0:-500:2 --load hub.fz=0:700:2 --load hub.mz=0:40:2 --out bushing.csv
check "soft spring" sweep soft.yaml --wheel hub --load hub.fz=0:0.02:3 --out soft.csv
for push in -20 20; do
  check "equilibrium with $push N" "$CAMBER" run planar.yaml --quiet --equilibrium --t-end 0.001 --every 0.001 --set push=$push --out "at$push.csv" >/dev/null
done
check "reference" python3 "$SOURCE_DIR/tests/cli/kinematics_reference.py"
finish

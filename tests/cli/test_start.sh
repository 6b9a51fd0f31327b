#!/usr/bin/env bash
# Start values on the command line: values that a model or --start gives are kept, for models of any size and with formulas that have
# branches; loops are closed in the branch that belongs to the given position; changes of other coordinates are reported, measured from
# the given values.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

holds() { # FILE EXPRESSION of r, near(list, list)
  python3 - "$1" "$2" <<'PYTHON'
import json, math, sys

r = json.load(open(sys.argv[1]))

def near(a, b):
    return len(a) == len(b) and all(abs(x - y) < 1e-9 * max(1, abs(y)) for x, y in zip(a, b))

sys.exit(not eval(sys.argv[2]))
PYTHON
}

# An upright crank at 20 rad/s, and seventy bodies that are not connected with it: more than 64 unknowns. r = 0.1.
{
  printf 'points: {A: [0, 0, 0], B: [0, 0, 0.1], C: [0.28284271247461903, 0, 0]}\nbodies:\n'
  printf '  crank: {mass: 0.5, rod: [A, B]}\n  rod: {mass: 1, rod: [B, C]}\n  piston: {mass: 0.3, com: C}\n'
  for i in $(seq 70); do printf '  x%d: {mass: 1, com: [%d, 5, 0]}\n' "$i" "$i"; done
  printf 'joints:\n  main: {type: revolute, child: crank, at: A, axis: y, rate: 20}\n'
  printf '  pin: {type: revolute, parent: crank, child: rod, at: B, axis: y}\n'
  printf '  bore: {type: prismatic, child: piston, at: C, axis: x}\n'
  for i in $(seq 70); do
    printf '  s%d: {type: prismatic, child: x%d, at: [%d, 5, 0], axis: x}\n' "$i" "$i" "$i"
  done
  printf 'loops:\n  wrist: {type: revolute, between: [rod@C, piston@C], axis: y}\n'
} >many.yaml
"$CAMBER" check many.yaml --json >many.json 2>/dev/null
check "a given rate is held in a large model" holds many.json 'near(r["v"][:3], [20, -20, 2])'
"$CAMBER" check many.yaml --start main=0.3 --start "s7'=-2" --json >many.json 2>/dev/null
check "values of --start are kept" holds many.json 'near([r["q"][0], r["v"][0], r["v"][9]], [0.3, 20, -2])'

# A row of two parallelograms with cranks of 1 m at distances of 1 m. The angle of the first crank is given: the others have the same angle, and the bars stay horizontal.
cat >row.yaml <<'YAML'
parameters: {angle: 0}
points: {O0: [0, 0, 0], P0: [0, 0, 1], O1: [1, 0, 0], P1: [1, 0, 1], O2: [2, 0, 0], P2: [2, 0, 1]}
bodies:
  crank0: {mass: 1, rod: [O0, P0]}
  crank1: {mass: 1, rod: [O1, P1]}
  crank2: {mass: 1, rod: [O2, P2]}
  bar1: {mass: 1, rod: [P0, P1]}
  bar2: {mass: 1, rod: [P1, P2]}
joints:
  j0: {type: revolute, child: crank0, at: O0, axis: y, start: angle}
  j1: {type: revolute, child: crank1, at: O1, axis: y}
  j2: {type: revolute, child: crank2, at: O2, axis: y}
  b1: {type: revolute, parent: crank0, child: bar1, at: P0, axis: y}
  b2: {type: revolute, parent: crank1, child: bar2, at: P1, axis: y}
loops:
  l1: {type: revolute, between: [bar1@P1, crank1@P1], axis: y}
  l2: {type: revolute, between: [bar2@P2, crank2@P2], axis: y}
YAML
for angle in 0.8 1.2 -1.2 2.5; do
  "$CAMBER" check row.yaml --set angle=$angle --json >row.json 2>/dev/null
  check "row of parallelograms, $angle" holds row.json "near(r['q'], [$angle] * 3 + [-($angle)] * 2)"
  check "one degree of freedom, $angle" holds row.json 'r["degrees_of_freedom"] == 1 and not r["singular"]'
  check "moved from what was given, $angle" holds row.json "abs(r['moved']['q'] - 2 * abs($angle)) < 1e-9"
done
"$CAMBER" check row.yaml --start j0=1.2 --json >row.json 2>/dev/null
check "--start is held" holds row.json 'near(r["q"], [1.2] * 3 + [-1.2] * 2)'
"$CAMBER" run row.yaml --start j1=0.8 --formulation cartesian --t-end 0.01 --json >row.json 2>/dev/null
check "in Cartesian coordinates too" holds row.json 'r["status"] == "ok"'
"$CAMBER" check row.yaml --start j0=0.8 >words.txt 2>/dev/null
check "camber check reports which coordinate has moved most" grep -q 'positions    moved by 1.6 rad to be consistent, [jb][12] most' words.txt
check "velocities that are 0 fit" grep -q 'velocities   consistent as given' words.txt
"$CAMBER" check row.yaml --start "j0'=2" >words.txt 2>/dev/null
check "the velocities of two cranks and two bars move by 2 each" grep -q 'velocities   moved by 4 rad/s to be consistent, [jb][12]. most' words.txt
"$CAMBER" run row.yaml --start j0=0.8 --t-end 0 >words.txt 2>/dev/null
check "and so does run" grep -q 'positions moved by 1.6 rad to be consistent' words.txt

# Two values that contradict each other: the first one is kept, the message names the second one.
"$CAMBER" check row.yaml --start j0=0.8 --start j2=0.3 --json >row.json 2>words.txt
check "a value that cannot be held is named" grep -q "coordinate 'j2' cannot start at 0.3: the constraints make it 0.8" words.txt
check "the other is held" holds row.json 'near(r["q"], [0.8] * 3 + [-0.8] * 2)'
"$CAMBER" check row.yaml --start "j0'=2" --start "j2'=3" --json >row.json 2>words.txt
check "and a rate" grep -q "rate 'j2'' cannot start at 3: the constraints make it 2" words.txt

# A cart and a bob that hangs from it. For every start value of the cart, the bob starts as given.
cat >cart.yaml <<'YAML'
points: {O: [0, 0, 0], B: [0, 0, -1]}
bodies: {cart: {mass: 2, com: O}, bob: {mass: 1, rod: [O, B]}}
joints:
  rail: {type: prismatic, child: cart, at: O, axis: x}
  pivot: {type: revolute, parent: cart, child: bob, at: O, axis: y, start: 0.3, rate: 0.7}
motions:
  drive: {coordinate: rail, value: "DRIVE"}
YAML
cart() { # DRIVE POSITION VELOCITY
  sed "s/DRIVE/$1/" cart.yaml >driven.yaml
  for form in explicit residual; do
    "$CAMBER" check driven.yaml --formulation $form --json >cart.json
    check "cart with $1" holds cart.json "near(r['q'] + r['v'], [$2, 0.3, $3, 0.7])"
  done
}
cart 'if(t > 1, t - 1, 0)' 0 0
cart 'floor(t)' 0 0
cart 'abs(t - 1)' 1 -1
cart '0.5 + t' 0.5 1
check "what the drive moves is reported" holds cart.json 'near([r["moved"]["q"], r["moved"]["v"]], [0.5, 1])'

# A wheel that follows a road given by points, at a height of -19 cm at the start, and a car above it.
cat >road.yaml <<'YAML'
points: {W: [0, 0, 0], C: [0, 0, 1]}
bodies: {wheel: {mass: 20, com: W}, car: {mass: 400, com: C}}
joints:
  hub: {type: prismatic, child: wheel, at: W, axis: z}
  body: {type: prismatic, parent: wheel, child: car, at: C, axis: z, start: 0.05}
tables: {road: [[0, 0.5], [1, 0.02], [2, 0.02], [3, -0.4], [4, 0]]}
motions: {follow: {coordinate: hub, value: "road(2.5 + t)"}}
forces: {spring: {type: spring, between: [wheel@W, car@C], stiffness: 20000}}
YAML
"$CAMBER" check road.yaml --json >road.json
check "wheel on a road by points" holds road.json 'near(r["q"] + r["v"], [-0.19, 0.05, -0.42, 0])'

# If not all values can be kept, those of the command line have priority over those of the model.
"$CAMBER" check four-bar --start "psi'=5" --json >bar.json 2>/dev/null
rate="abs(r[\"v\"][2] - 5) < 1e-9"
check "--start comes before the model's rates" holds bar.json "$rate"
# A slider-crank whose design position is a dead centre: the start value of the slider is reached, with the crank turned forward; a value out of
# reach gives a warning with the right number. With r = 0.05, l = 0.2 and the slider at a distance s from the dead centre, by the law of cosines
# cos main = ((r + l - s)^2 + r^2 - l^2)/(2 r (r + l - s)): 1.44546849562683 for s = 0.05.
cat >dead.yaml <<'END'
parameters: {r: 0.05, l: 0.2, s: -0.05}
points: {O: [0, 0, 0], A: [r, 0, 0], B: [r + l, 0, 0]}
bodies:
  crank: {mass: 0.5, rod: [O, A], radius: 0.01}
  rod: {mass: 0.4, rod: [A, B], radius: 0.01}
  piston: {mass: 0.6, sphere: B, radius: 0.04}
joints:
  main: {type: revolute, child: crank, at: O, axis: y}
  big_end: {type: revolute, parent: crank, child: rod, at: A, axis: y}
  bore: {type: prismatic, child: piston, at: B, axis: x, start: s}
loops: {small_end: {type: point-line, point: rod@B, on: piston@B, axis: y}}
outputs: {angle: main, x: bore}
END
for formulation in explicit cartesian; do
  "$CAMBER" run dead.yaml --t-end 0 --formulation $formulation --json >dead.json 2>words.txt
  check "$formulation: a start from a dead centre" \
    awk '/"angle": [0-9-]/ {a = $2 + 0} /"x": [0-9-]/ {x = $2 + 0} END {exit !((a - 1.44546849562683)^2 < 1e-18 && (x + 0.05)^2 < 1e-20)}' dead.json
  check "$formulation: the message has the direction" grep -q "dead centre of coordinate 'bore'.*main' is positive" words.txt
done
"$CAMBER" check dead.yaml --set s=-0.1 >text.txt 2>words.txt
check "the other dead centre is reached" test "$(grep -c "cannot start" words.txt)" -eq 0
"$CAMBER" check dead.yaml --set s=-0.11 >text.txt 2>words.txt
check "beyond it, where the reach ends" grep -q "'bore' cannot start at -0.11: the constraints make it -0.09999999" words.txt
"$CAMBER" check dead.yaml --set s=0.01 >text.txt 2>words.txt
check "on the other side there is nothing" grep -q "'bore' cannot start at 0.01: the constraints make it 0$" words.txt

# Euler parameters are divided by their length; if that is not 1, a warning says so.
cat >ball.yaml <<'END'
parameters: {p: 1}
bodies: {b: {mass: 1, box: [0.1, 0.2, 0.3], at: [0, 0, -1]}}
joints: {ball: {type: spherical, orientation: euler, child: b, at: [0, 0, 0], start: [p, 0, 0, 1]}}
END
for form in explicit cartesian; do
  "$CAMBER" check ball.yaml --formulation $form >text.txt 2>words.txt
  check "$form: a warning has the length of 1.41" grep -q "warning: ball.yaml:3:86: joint 'ball': the Euler parameters have the length 1.41421356, " words.txt
  "$CAMBER" check ball.yaml --formulation $form --set p=1e-7 >text.txt 2>words.txt
  check "$form: rounding is not" test ! -s words.txt
  "$CAMBER" check ball.yaml --formulation $form --set p=0 --start ball.p1=0.5 >text.txt 2>words.txt
  check "$form: nor what --start makes of it, silently" grep -q "Euler parameters from 'ball.p0' on start with the length 1.11803399" words.txt
done

# In Cartesian coordinates joints are added in the order of their first use in outputs, forces and motions, not in the order of the file. The
# position of the point b follows from the angles p and p + q.
chain() { # LINES: after the joints
  cat <<END
gravity: [0, 0, 0]
bodies: {a: {mass: 1, sphere: [1, 0, 0], radius: 0.1}, b: {mass: 1, sphere: [2, 0, 0], radius: 0.1}}
joints:
  p: {type: revolute, child: a, at: [0, 0, 0], axis: z, start: {q: 2, v: 0.5}}
  q: {type: revolute, parent: a, child: b, at: [1, 0, 0], axis: z, start: {q: 0.3, v: -0.2}}
$1
END
}
final() { # FORMULATION T-END NAME...: outputs at the end
  "$CAMBER" run chain.yaml --formulation "$1" --t-end "$2" --rtol 1e-10 --json 2>words.txt | python3 -c 'import json, sys
o = json.load(sys.stdin)["outputs"]
print(*(round(float(o[n]), 6) for n in sys.argv[1:]))' "${@:3}"
}
chain "outputs: {oq: q, op: p, rq: q', rp: p'}" >chain.yaml
check "angles in outputs, the second joint first" test "$(final cartesian 0 op oq rp rq)" = "2.0 0.3 0.5 -0.2"
chain 'forces: {fq: {type: torsion, coordinate: q, stiffness: 1}, fp: {type: torsion, coordinate: p, stiffness: 1}}
outputs: {x: b.x, y: b.y}' >chain.yaml
check "torsion springs, the second joint first" test "$(final cartesian 2 x y)" = "$(final explicit 2 x y)"
chain 'motions: {dq: {coordinate: q, value: 0.3 + t}, dp: {coordinate: p, value: 2 + t}}
outputs: {x: b.x, y: b.y}' >chain.yaml
right=$(python3 -c 'from math import *
print(round(cos(3) + cos(4.3), 6), round(sin(3) + sin(4.3), 6))')
check "motions, the second joint first" test "$(final cartesian 1 x y)" = "$right"

finish

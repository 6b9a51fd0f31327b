#!/usr/bin/env bash
# Redundant constraints on the command line: consistent ones are left out; a contradiction is an error with names and positions; the
# constraints that were left out are checked during the run; a constraint in a branch of a formula holds when this branch becomes
# active; and a constraint without a gradient is refused.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# A parallelogram: cranks of 1 m at O and C, the bar AB between them. Lines: 11 the loop, 12 what LOOP says, then the motions.
cat >parallelogram.yaml <<'YAML'
points: {O: [0, 0, 0], A: [0, 0, 1], C: [2, 0, 0], B: [2, 0, 1], M: [1, 0, 0], N: [1, 0, 1]}
bodies:
  crank: {mass: 1, rod: [O, A]}
  rocker: {mass: 1, rod: [C, B]}
  bar: {mass: 1, rod: [A, B]}
joints:
  j0: {type: revolute, child: crank, at: O, axis: y}
  j1: {type: revolute, child: rocker, at: C, axis: y}
  b: {type: revolute, parent: crank, child: bar, at: A, axis: y}
loops:
  close: {type: point-line, point: bar@B, on: rocker@B, axis: y}
  LOOP
MOTIONS
outputs: {phi: j0, psi: j1}
simulate: {t-end: 1}
YAML

model() { # LOOP [VALUE of j0 [VALUE of j1]]
  local motions=""
  if (($# > 1)); then motions="motions:\n  first: {coordinate: j0, value: \"$2\"}"; fi
  if (($# > 2)); then motions="$motions\n  second: {coordinate: j1, value: \"$3\"}"; fi
  sed -e "s/^  LOOP/  $1/" -e "s/^MOTIONS/$motions/" parallelogram.yaml >model.yaml
}

# Checks the exit code and the message of a run, with every formulation.
ends() { # DESCRIPTION CODE WORDS [OPTION...]
  local description=$1 code=$2 words=$3 form
  shift 3
  for form in explicit residual cartesian; do
    "$CAMBER" run model.yaml --formulation $form "$@" >out.txt 2>err.txt
    check "$description, $form: exit code $code" test $? -eq "$code"
    check "$description, $form: message" grep -q -e "$words" err.txt
  done
}

# Checks that the angles of both cranks are ANGLE at the end.
reaches() { # DESCRIPTION ANGLE [OPTION...]
  local description=$1 angle=$2 form
  shift 2
  for form in explicit residual cartesian; do
    "$CAMBER" run model.yaml --formulation $form --json "$@" >out.json 2>/dev/null
    check "$description, $form" python3 -c 'import json, sys
r = json.load(open("out.json")); a = float(sys.argv[1])
sys.exit(not (r["status"] == "ok" and all(abs(x - a) < 1e-6 for x in r["outputs"].values())))' "$angle"
  done
}

# Contradictions at the start, on all levels.
model '' 't^2' '3*t^2'
ends "drives with other accelerations" 2 "model.yaml:1[56]:3: motion 'second' depends on others and contradicts them: no accelerations satisfy it together with .*motion 'first' (line 14)"
"$CAMBER" check model.yaml >out.txt 2>err.txt
check "check refuses it too" test $? -eq 2
model '' 't' '3*t'
ends "drives with other rates" 2 "motion 'second' depends on others and contradicts them: no velocities"
model '' '0.1' '0.3'
ends "drives to other places" 2 "cannot be met"
model 'third: {type: distance, between: [ground@M, bar@N], length: 1 + 0.1*t}'
ends "a third bar whose length is driven" 2 "model.yaml:12:3: loop 'third' depends on others and contradicts them: no velocities"
model 'third: {type: distance, between: [ground@M, bar@N], length: 1 + 0.1*t^2}'
ends "and accelerated" 2 "loop 'third' depends on others and contradicts them: no accelerations"

# The same drive twice, and a third bar of the right length: no contradiction.
model 'third: {type: distance, between: [ground@M, bar@N]}' 't^2' 't^2'
reaches "drives that agree" 1

# A contradiction that arises later ends the run at that time and keeps the results until then.
model '' 't^3' '3*t^3'
for method in mdop5 abm radau5; do
  ends "drives that part later, $method" 1 "was redundant until t = 0.* and now contradicts other constraints.*; driven by 'first', 'second'" --method $method
done
model 'third: {type: distance, between: [ground@M, bar@N], length: "1 + if(t > 0.5, (t - 0.5)^2, 0)"}'
ends "a bar that grows later" 1 "'third'"
"$CAMBER" run model.yaml --json >out.json 2>/dev/null
check "its status" python3 -c 'import json, sys
r = json.load(open("out.json")); sys.exit(not (r["status"] == "contradiction" and 0.5 <= r["t"] < 0.6))'

# x² = 0 has no gradient on its own zero set.
model 'flat: {type: formula, formula: j0^2}'
ends "a constraint without a gradient" 2 "model.yaml:12:3: the gradient of loop 'flat' is 0 where the constraint is satisfied"

# A clamp that is open at first. When it closes, the prescribed motion becomes redundant.
model 'clamp: {type: formula, formula: "if(t > 0.5, j0 - 0.3, 0)"}' 't'
ends "a clamp that closes elsewhere" 1 "constraint 'clamp' changes suddenly at t = 0.5 and is not satisfied then (g = 0.2)"
model 'clamp: {type: formula, formula: "if(t > 0.3, j0 - 0.3, 0)"}' 't'
ends "a clamp that stops a drive" 1 "at t = 0.3\|until t = 0.3"
model 'clamp: {type: formula, formula: "if(t > 0.5, j0 - 0.3, 0)"}' 'if(t > 0.3, 0.3, t)'
reaches "a clamp that agrees with the drive" 0.3
for method in auto radau5 radau bdf; do reaches "the clamp, $method" 0.3 --method $method; done
model 'clamp: {type: formula, formula: "if(t > 0.3 and t < 0.6, j0 - j1, 0)"}' 't'
for method in auto radau5 radau bdf sdirk4 abm; do reaches "a clamp that is dependent for some time, $method" 1 --method $method; done
# Without a drive the clamp alone holds the cranks from 0.3 s on, where it catches them: j0 = 0.2 is given.
model 'clamp: {type: formula, formula: "if(t > 0.3, j1 - j0 + j0 - 0.2 - 0*t, 0)"}'
"$CAMBER" run model.yaml --start j0=0.2 --every 0.05 >out.txt 2>err.txt
check "a clamp where the crank is not" grep -q "constraint 'clamp' changes suddenly at t = 0.3 and is not satisfied then" err.txt
model 'clamp: {type: formula, formula: "if(t > 0.3, j0, 0)"}'
reaches "a clamp comes into force" 0

# A drive with a jump of its rate causes an impulsive change of velocities. A drive with a jump of its position is refused.
model '' 'if(t > 0.3, 0.3, t)'
for method in mdop5 hem5 radau5 bdf abm; do reaches "a drive with a kink, $method" 0.3 --method $method; done
model '' 'if(t < 0.5, 0, 5*(t - 0.5)^2)'
reaches "a drive that rests and then moves off" 1.25 --rtol 1e-8
model '' 'floor(2*t)'
ends "a drive that jumps" 1 "constraint 'first' changes suddenly at t = 0.5 and is not satisfied then (g = -1)"

# Cartesian coordinates with redundant joints start, also off the design position.
model 'third: {type: revolute, between: [bar@B, rocker@B], axis: y}'
for angle in 0 0.1 0.3 0.7; do
  "$CAMBER" run model.yaml --formulation cartesian --start j0=$angle --t-end 0.1 >out.txt 2>err.txt
  check "redundant joints in Cartesian coordinates at $angle" test $? -eq 0
done

# A rod along x: b.x has no gradient there, so no velocity makes it change. Then a loop that no velocity can meet.
cat >model.yaml <<'YAML'
points: {A: [0, 0, 0], B: [0.2, 0, 0]}
bodies: {b: {mass: 1, rod: [A, B]}}
joints: {h: {type: revolute, child: b, at: A, axis: y}}
motions: {d1: {formula: b.x, value: 0.1 + 0.1*t}}
simulate: {t-end: 1}
YAML
ends "a drive out of reach from the start" 2 "motion 'd1' cannot be met at the start"
cat >model.yaml <<'YAML'
points: {A: [0, 0, 0], B: [0.2, 0, 0]}
bodies: {b: {mass: 1, rod: [A, B]}}
joints: {h: {type: revolute, child: b, at: A, axis: y}}
loops: {l: {type: formula, formula: h*0 - t}}
YAML
ends "a loop that no motion can meet" 2 ":4:9: loop 'l' cannot be met: no velocities satisfy it"
# Forces of redundant hinges are indeterminate. Outputs that depend on their distribution are named, in text and in JSON, with every
# formulation. The sum of the forces is determined by the motion: it is not named and does not depend on the order of the hinges.
hinges() { # FIRST SECOND: the order of the loops
  cat <<YAML
points: {O: [0, 0, 0], P: [0, 1, 0], Q: [0, 0.5, 0]}
bodies: {door: {mass: 3, box: [1, 1, 0.1], at: [0.5, 0.5, 0]}}
joints: {h1: {type: revolute, child: door, at: O, axis: y}}
loops:
  $1: {type: revolute, between: [ground@P, door@P], axis: y}
  $2: {type: spherical, between: [ground@Q, door@Q]}
outputs: {F1: h1.fz, F2: h2.fz, F: sqrt(h2.fx^2 + h2.fz^2), sum: h1.fz + h2.fz + h3.fz, a: door.az}
simulate: {t-end: 0.1}
YAML
}
for form in explicit residual cartesian; do
  hinges h2 h3 >hinges.yaml
  "$CAMBER" run hinges.yaml --formulation $form --json >out.json 2>err.txt
  check "hinges, $form: the outputs are named" grep -q "warning: outputs 'F1', 'F2', 'F' are not unique" err.txt
  hinges h3 h2 >hinges.yaml
  "$CAMBER" run hinges.yaml --formulation $form --json >other.json 2>/dev/null
  check "hinges, $form: in JSON, and the others are unique" python3 -c 'import json
one, two = json.load(open("out.json")), json.load(open("other.json"))
assert one["not_unique_outputs"] == two["not_unique_outputs"] == ["F1", "F2", "F"]
assert all(abs(one["outputs"][n] - two["outputs"][n]) < 1e-6 for n in ("sum", "a"))'
done
check "hinges: in the report" grep -q "^  not unique .*F1, F2, F$" <("$CAMBER" run hinges.yaml 2>/dev/null)
"$CAMBER" run four-bar --t-end 0.1 --json >out.json 2>err.txt
check "four-bar: what the motion determines is unique" python3 -c 'import json
assert json.load(open("out.json"))["not_unique_outputs"] == []'

# A violation that begins and ends inside one step.
model '' '0.3*t' '0.3*t + 0.01*exp(-(250*(t - 0.531))^2)'
for form in explicit residual; do
  "$CAMBER" run model.yaml --formulation $form --rtol 1e-5 >out.txt 2>err.txt
  check "a drive that goes its own way for a moment, $form: exit code" test $? -eq 1
  check "a drive that contradicts the other one for a moment, $form: message" \
    grep -q "constraint 'second' was redundant until t = 0.5[123]" err.txt
done
# The same with a duration of a thousandth of the step size, in either of the drives.
for drives in '0.3*t|0.3*t + 0.01*exp(-(1e4*(t - 0.531))^2)' '0.3*t + 0.01*exp(-(1e4*(t - 0.531))^2)|0.3*t'; do
  model '' "${drives%|*}" "${drives#*|}"
  for method in mdop5 sdirk4 bdf; do
    ends "a drive that goes its own way for an instant, $method" 1 "was redundant until t = 0.53[01]" --method $method
  done
done
model '' '0.3*t' '0.3*t*(2 - 1)'
reaches "a drive that repeats another" 0.3 --rtol 1e-3

finish

#!/usr/bin/env bash
# What a run writes down does not change its motion: the accepted steps of a run with --json, for which states inside of steps are looked at, and
# the state at the end of a run with records at an interval are bit for bit those of a run without. Tested near losses of rank and with dependent
# constraints, where evaluations leave the most behind that later ones could read.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# A row of N parallelograms that swings through its flat position. The clamp repeats the loops for some time.
cat >row.yaml <<'YAML'
parameters: {N: 2, a: 0.2, b: 0.5, angle: 0.6}
gravity: [9.81, 0, 0]
points: {O: [0, 0, 0], A: [a, 0, 0]}
bodies:
  first: {mass: 1, rod: [O, A], radius: 0.01}
joints:
  main: {type: revolute, child: first, at: O, axis: -y, coordinates: [theta], start: angle}
templates:
  cell:
    points: {A: [a, 0, 0], C: [b, 0, 0], B: [b + a, 0, 0]}
    bodies:
      coupler: {mass: 2, rod: [A, B], radius: 0.01}
      rocker: {mass: 1, rod: [C, B], radius: 0.01}
    joints:
      pin: {type: revolute, parent: previous.rocker, child: coupler, at: A, axis: -y, coordinates: [beta], start: -angle}
      rock: {type: revolute, child: rocker, at: C, axis: -y, coordinates: [psi], start: angle}
    loops:
      close: {type: point-line, point: coupler@B, on: rocker@B, axis: y}
instances:
  cell: {template: cell, repeat: N, step: [b, 0, 0], before: first}
outputs: {crank: theta}
YAML
{
  cat row.yaml
  echo "loops: {clamp: {type: formula, formula: 'if(t > 0.1 and t < 0.3, theta - cell1.psi, 0)'}}"
} >clamped.yaml

same() { # MODEL METHOD TOLERANCE [OPTION...]
  local run=("$CAMBER" run "$1.yaml" --method "$2" --rtol "$3" --t-end 0.8 --quiet "${@:4}")
  "${run[@]}" --out plain.csv >plain.txt 2>&1 || return 1
  "${run[@]}" --out json.csv --json >run.json 2>/dev/null
  cmp plain.csv json.csv || return 1
  "${run[@]}" --every 0.03 --out every.csv >every.txt 2>&1
  cmp <(tail -n 1 plain.csv) <(tail -n 1 every.csv)
}

# Records where the constraints lose rank do not end a run, whichever method makes the steps.
for method in radau5 radau bdf lie rosw2; do
  "$CAMBER" run row.yaml --method "$method" --rtol 1e-7 --set N=12 --t-end 0.8 --every 0.001 --out every.csv --quiet >every.txt 2>&1
  check "$method: records where the constraints lose rank" test $? -eq 0
done

for method in auto mdop5 hem5 phem56 abm bdf sdirk4 trap forsdirk; do
  check "$method: a row of parallelograms" same row "$method" 1e-5
  check "$method: the same in Cartesian coordinates" same row "$method" 1e-5 --formulation cartesian
  check "$method: with a clamp" same clamped "$method" 1e-5
done
for method in auto mdop5 hem5 phem56 abm bdf sdirk4 forsdirk; do
  check "$method: a long row" same row "$method" 1e-5 --set N=12
done
for method in mdop853 abm radau sdirk4; do
  check "$method: a small tolerance" same row "$method" 1e-7
  check "$method: a small tolerance in Cartesian coordinates" same row "$method" 1e-7 --formulation cartesian
done
finish

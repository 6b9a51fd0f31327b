#!/usr/bin/env bash
# Texts of the program: help that fits a terminal, lists, switches of a model that the command line can undo, formulas as values, names
# of neutral directions, and --json with warnings and after a failed start.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

look() { # FILE EXPRESSION: of x, the JSON object in the file
  check "$1: $2" python3 -c 'import json, sys
x = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}
says() { check "prints '$1'" grep -qF -- "$1" "$2"; }

# ---- help is at most 80 columns wide, and so is the list of methods but for the words of an option
"$CAMBER" --help >help
for command in $(awk '/^  camber / { print $2 }' help); do "$CAMBER" "$command" --help >>help; done
check "help: 80 columns" [ "$(awk 'length > 80' help | wc -l)" -eq 0 ]
"$CAMBER" list methods | grep -v -- '--option ' >methods
check "list methods: 80 columns" [ "$(awk 'length > 80' methods | wc -l)" -eq 0 ]

# ---- the command list without arguments, and models of the same mechanism
"$CAMBER" list >lists 2>stderr
check "list: exit code" [ $? -eq 0 ]
for what in methods models parts benches; do says "camber list $what" lists; done
"$CAMBER" list models >models
after() { awk -v name="$1" '$1 == name { getline; print }' models; }
check "car-axis is caraxis" grep -q "the mechanism of 'caraxis'" <(after car-axis)
check "caraxis is car-axis" grep -q "the mechanism of 'car-axis'" <(after caraxis)
check "chain is pendulum-chain" grep -q "the mechanism of 'pendulum-chain'" <(after chain)

# ---- a switch that the model sets can be undone, in either order; units of outputs
cat >drop.yaml <<'END'
points: {O: [0, 0, 0]}
bodies: {b: {mass: 2, com: O}}
joints: {z: {type: prismatic, child: b, axis: z, stiffness: 100}}
outputs: {height: {value: b.z, unit: m}, twice: 2*b.z}
simulate: {t-end: 0.1, equilibrium: true, quiet: true}
END
"$CAMBER" check drop.yaml --json >rest.json
look rest.json "abs(x['q'][0] + 2*9.81/100) < 1e-12"
"$CAMBER" check drop.yaml --no-equilibrium --json >start.json
look start.json "x['q'][0] == 0"
"$CAMBER" run drop.yaml --json --out drop.csv >units.json
look units.json "x['units'] == {'height': 'm', 'twice': ''} and list(x['outputs']) == ['height', 'twice']"
check "names alone in the table" [ "$(head -n 1 drop.csv)" = "t,z,z',height,twice" ]
check "units in the summary" grep -qE '^  height .* m$' <("$CAMBER" run drop.yaml)
"$CAMBER" check pendulum --equilibrium --no-equilibrium --json >last.json
look last.json "abs(x['q'][0]) > 0.05"
for option in realtime quiet equilibrium; do
  check "--no-$option" "$CAMBER" run drop.yaml "--no-$option" --t-end 0.01 >/dev/null
done
check "a switch that no model can set" grep -q "unknown option '--no-json'" <("$CAMBER" run pendulum --no-json 2>&1)
check "--no-equilibrium takes no value" grep -q "takes no value" <("$CAMBER" run pendulum --no-equilibrium=1 2>&1)

# ---- values that are formulas of numbers
"$CAMBER" run simple-pendulum --set length=3/4 --set 'amplitude=30 deg' --start phi=-pi/6 --t-end '1/8' --json >formula.json
"$CAMBER" run simple-pendulum --set length=0.75 --set amplitude=0.52359877559829882 --start phi=-0.52359877559829882 \
  --t-end 0.125 --json >number.json
look formula.json "x['t'] == 0.125"
look formula.json "x['q'] == json.load(open('number.json'))['q']"
for value in 2*length 1/0 'max(1' '1,5' '' '1 2'; do
  "$CAMBER" run simple-pendulum --set "length=$value" >stdout 2>stderr
  check "length=$value: exit code" [ $? -eq 2 ]
  says "expected NAME=VALUE with a number, or a formula of numbers" stderr
done

# ---- the names of neutral directions
cat >wheels.yaml <<'END'
bodies:
  a: {mass: 1, cylinder: [[0, 0, 0], [0, 0.1, 0]], radius: 0.1}
  b: {mass: 1, cylinder: [[1, 0, 0], [1, 0.1, 0]], radius: 0.1}
  c: {mass: 1, sphere: [2, 0, 0], radius: 0.1}
joints:
  left: {type: revolute, child: a, at: [0, 0, 0], axis: y}
  right: {type: revolute, child: b, at: [1, 0, 0], axis: y}
  suspension: {type: prismatic, child: c, at: [2, 0, 0], axis: z, stiffness: 1000}
simulate: {t-end: 0.1, equilibrium: true}
END
"$CAMBER" run wheels.yaml >wheels
says "no stiffness in 2 of 3 directions: left, right;" wheels

# ---- the same with a state: three directions in which s moves most are named after s, and after two others
cat >tied.yaml <<'END'
gravity: [0, 0, 0]
bodies:
  A: {mass: 1, sphere: [0, 0, 0], radius: 0.1}
  B: {mass: 1, sphere: [1, 0, 0], radius: 0.1}
  C: {mass: 1, sphere: [2, 0, 0], radius: 0.1}
  S: {mass: 1, sphere: [3, 0, 0], radius: 0.1}
joints:
  a: {type: prismatic, child: A, axis: x}
  b: {type: prismatic, child: B, axis: x}
  c: {type: prismatic, child: C, axis: x}
  s: {type: prismatic, child: S, axis: x}
loops: {tie: {type: formula, formula: 's - 5*(0.5*a + 3*b + 3*c)'}}
states: {z: {rate: -z}}
simulate: {t-end: 0.1}
END
"$CAMBER" run ./tied.yaml --equilibrium >tied
says "3 of 4 directions not determined by it: " tied
check "no name comes twice: $(head -n 1 tied)" awk 'NR == 1 {
  sub(/.*by it: /, ""); sub(/;.*/, ""); n = split($0, name, ", ")
  for (i = 1; i <= n; i++) if (seen[name[i]]++) exit 1
  exit n != 3
}' tied

# ---- --json: warnings, and starts that fail
"$CAMBER" check four-bar --json >warned.json 2>stderr
look warned.json "len(x['warnings']) == $(grep -c '^camber: warning: ' stderr) > 0"
look warned.json "'camber: warning: ' + x['warnings'][0] == open('stderr').readline().strip()"
"$CAMBER" run pendulum --t-end 0.1 --json >quiet.json
look quiet.json "x['warnings'] == []"

"$CAMBER" export c four-bar -o exported --json >exported.json 2>stderr
look exported.json "x['camber'] and x['model'] == 'four-bar' and x['status'] == 'ok' and len(x['warnings']) == 1"

fails() { # CODE STATUS ARGUMENT...: an object with the sentence that stands on standard error
  local code=$1 status=$2
  shift 2
  "$CAMBER" "$@" --json >failed.json 2>stderr
  check "[$*]: exit code" [ $? -eq "$code" ]
  look failed.json "x['status'] == '$status' and 'camber: ' + x['message'] == open('stderr').read().splitlines()[-1]"
  look failed.json "x['camber'] and x['model'] and x['warnings'] == []"
}
cat >slide.yaml <<'END'
bodies: {b: {mass: 2, com: [0, 0, 0]}}
joints: {z: {type: prismatic, child: b, axis: z, start: 0.5}}
END
fails 1 equations run slide.yaml --equilibrium
look failed.json "x['model'] == 'slide' and x['names']['q'] == ['z'] and x['q'] == [0.5] and x['t'] == 0"
fails 1 equations linearize slide.yaml --equilibrium
fails 1 inconsistent run pendulum --start x=0 --start y=0 --equilibrium
fails 1 inconsistent linearize pendulum --start x=0 --start y=0
cp "$SOURCE_DIR/tests/cli/bad/loop-cannot-close.yaml" .
fails 2 inconsistent run loop-cannot-close.yaml
fails 2 inconsistent check loop-cannot-close.yaml
look failed.json "x['message'].startswith('loop-cannot-close.yaml:')"
fails 2 bad-input check "$SOURCE_DIR/tests/cli/bad/empty.yaml"
fails 2 bad-input run no-such-model
fails 2 bad-input run pendulum --method no-such-method

# ---- messages name the cause: an output by its name, a switching function with its time, a remedy for sticking
cat >mass.yaml <<'END'
bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {j: {type: prismatic, child: b, axis: x, coordinates: [x], start: 1, rate: 1}}
END
{ cat mass.yaml && echo 'outputs: {good: x + 5, bad: log(-x), other: 2*x}'; } >output.yaml
fails 1 non-finite run output.yaml
look failed.json "x['message'] == \"output 'bad' is not finite at t = 0\" and set(x['outputs'].values()) == {None}"
"$CAMBER" run output.yaml >text 2>stderr
check "an output that was not computed is no number" grep -q "good  *not computed$" text
{ cat mass.yaml && echo 'motions: {d: {coordinate: x, value: "if(t > 0.5, 2, 1)"}}'; } >jump.yaml
"$CAMBER" run jump.yaml --json >failed.json 2>stderr
look failed.json "x['status'] == 'contradiction' and abs(x['t'] - 0.5) < 1e-9 and x['q'] == [1]"
load() { # FORMULA
  cat mass.yaml && echo "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"$1\", 0, 0]}}"
}
load 'if(1/(t - 5) > 0, 1, -1)' >pole.yaml
for method in mdop853 radau5 bdf; do
  "$CAMBER" run pole.yaml --t-end 10 --method $method --json >failed.json 2>stderr
  look failed.json "x['status'] == 'ok' or \"switching function 'force f, line 3'\" in x['message'] and float(x['message'].split(' to ')[-1]) >= 5"
done
load "-3*sign(x')" >stick.yaml
"$CAMBER" run stick.yaml --json >stick.json 2>stderr
look stick.json "x['status'] == 'ok' and abs(x['v'][0]) < 1e-6 and abs(x['q'][0] - 7/6) < 1e-6 or 'F*tanh(v/v0)' in x['message']"

# ---- --json prints an object also for a wrong command line
"$CAMBER" run mass.yaml --json --start x=nan >failed.json 2>stderr
check "a start that is no number: exit code" [ $? -eq 2 ]
look failed.json "x['status'] == 'bad-input' and x['message'].startswith(\"option --start is 'x=nan'\")"
"$CAMBER" run --rtol none mass.yaml --json >failed.json 2>stderr
look failed.json "x['status'] == 'bad-input' and 'camber: ' + x['message'] == open('stderr').read().strip()"

finish

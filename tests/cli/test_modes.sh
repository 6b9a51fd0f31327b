#!/usr/bin/env bash
# Modes of switching functions on the command line: the static equilibrium of a mass on nested tables, with start values at, near and far
# from their kinks; a condition that is exactly 0 after an event, in a run and with every real-time method; modes that are refused with a
# message.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# ---- equilibrium: 20 stiff(soft(w)) = 9.81 with w = -2 z, all in the second pieces

cat >nested.yaml <<'END'
parameters: {high: 0.5}
tables:
  soft: [[0, 0], [0.5, 0.2], [1, 1]]
  stiff: [[0, 0], [0.3, 0.1], [1, 1]]
bodies: {a: {mass: 1, com: [0, 0, 0]}}
joints:
  z: {type: prismatic, child: a, axis: z, start: high, damping: 2}
forces:
  up: {type: load, on: {body: a, at: [0, 0, 0]}, force: [0, 0, '20*stiff(if(z < 0, soft(-2*z), 0))']}
simulate: {t-end: 0.1}
END

for high in 0.5 0 -0.1 -0.25 -0.5 -2; do
  "$CAMBER" run nested.yaml --equilibrium --set high=$high --json --quiet >nested.json || fail "no equilibrium from z = $high"
  check "the equilibrium from z = $high" python3 - <<'END'
import json
d = json.load(open("nested.json"))
y = 0.3 + (9.81/20 - 0.1)*0.7/0.9
w = 0.5 + (y - 0.2)/1.6
assert abs(d["q"][0] + w/2) < 1e-12 and abs(d["v"][0]) < 1e-9, d
assert d["events"] == [], d
END
done

# ---- a function that is exactly 0 from 1 s on satisfies >= 0 but not > 0: 1 N for one second and 1 N for two

cat >done.yaml <<'END'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, com: [0, 0, 0]}}
joints:
  x: {type: prismatic, child: a, axis: x}
inputs:
  left: max(0, 1 - t)
forces:
  push: {type: load, on: {body: a, at: [0, 0, 0]}, force: ['if(left > 0, 1, 0) + if(left >= 0, 1, 0)', 0, 0]}
END

for method in auto mdop5 bdf radau5 lie rosw2; do
  "$CAMBER" run done.yaml --method $method --t-end 2 --json --quiet >done.json || fail "$method fails"
  check "a condition that becomes exactly 0, by $method" python3 - "$method" <<'END'
import json, sys
d = json.load(open("done.json"))
late = 2e-3 if sys.argv[1] in ("lie", "rosw2") else 1e-9
assert abs(d["v"][0] - 3) < late and len(d["events"]) == 2, d
END
done

# ---- a level that is too large for an int

sed "s/force: .*/force: ['floor(1e10*t)', 0, 0]}/" done.yaml >beyond.yaml
"$CAMBER" run beyond.yaml --method lie --t-end 1 --quiet >/dev/null 2>words && fail "a level beyond the range of int is refused"
check "a level beyond the range of int is named" grep -q "at t = 0.215 has left the level 2147483647" words
finish

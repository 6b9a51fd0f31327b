#!/usr/bin/env bash
# A parallelogram through its flat position: camber run says when the constraints lose rank and which, in words and in JSON;
# camber check knows a start in that position.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# Cranks OA and CB of equal length, AB as long as OC; gravity along OC, so that it swings about the flat position.
cat >parallelogram.yaml <<'END'
title: Parallelogram
parameters: {crank_length: 0.2, ground_length: 0.5, angle: 0.6, speed: 0}
gravity: [9.81, 0, 0]
points:
  O: [0, 0, 0]
  A: [crank_length, 0, 0]
  C: [ground_length, 0, 0]
  B: [ground_length + crank_length, 0, 0]
bodies:
  crank: {mass: 1, rod: [O, A], radius: 0.01}
  coupler: {mass: 2, rod: [A, B], radius: 0.01}
  rocker: {mass: 0.5, rod: [C, B], radius: 0.01}
joints:
  main: {type: revolute, child: crank, at: O, axis: -y, coordinates: [theta], start: angle, rate: speed}
  pin: {type: revolute, parent: crank, child: coupler, at: A, axis: -y, coordinates: [beta], start: -angle, rate: -speed}
  rock: {type: revolute, child: rocker, at: C, axis: -y, coordinates: [psi], start: angle, rate: speed}
loops:
  close: {type: point-line, point: coupler@B, on: rocker@B, axis: y}
outputs: {crank: theta, rocker: psi}
simulate: {t-end: 4, rtol: 1e-8}
END

# The swing's period from the complete elliptic integral by the arithmetic-geometric mean; passages each half period.
expect_passages() { # JSON
  python3 - "$1" <<'END'
import json, math, sys

run = json.load(open(sys.argv[1]))
crank, coupler, rocker, a, g, angle = 1, 2, 0.5, 0.2, 9.81, 0.6
J = (crank + rocker) * a * a / 3 + coupler * a * a
S = (crank + rocker) * a / 2 + coupler * a
x, y = 1.0, math.cos(angle / 2)
while abs(x - y) > 1e-15:
    x, y = (x + y) / 2, math.sqrt(x * y)
period = 2 * math.pi * math.sqrt(J / (S * g)) / x
expected = [period * (0.25 + 0.5 * k) for k in range(100) if period * (0.25 + 0.5 * k) < 4]
found = run["singularities"]
assert len(found) == len(expected) >= 8, (len(found), len(expected))
# thin rods have a little inertia about their radius: times agree to a part in a thousand, and with each other much better
for one, t in zip(found, expected):
    assert abs(one["t"] - t) < 2e-3 * t, (one["t"], t)
    assert one["constraints"] and all(isinstance(name, str) for name in one["constraints"])
gaps = [b["t"] - a["t"] for a, b in zip(found, found[1:])]
assert max(gaps) - min(gaps) < 1e-6, gaps
assert abs(run["outputs"]["crank"] - run["outputs"]["rocker"]) < 1e-9
assert run["not_unique"] == []
END
}

for method in mdop5 mdop853 hem5; do
  "$CAMBER" run parallelogram.yaml --method "$method" --json >run.json
  check "$method: passages" expect_passages run.json
done

"$CAMBER" run parallelogram.yaml >words.txt
check "passages in words" grep -q "the constraints lose rank here: '" words.txt

holds() { # FILE EXPRESSION of r
  python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}

"$CAMBER" run parallelogram.yaml --set angle=0 --set speed=3 --json >flat.json
check "a start in the flat position is reported" holds flat.json 'r["status"] == "ok" and r["singularities"][0]["t"] == 0'
"$CAMBER" check parallelogram.yaml --set angle=0 --set speed=3 --json >check.json
check "and check knows it" holds check.json 'r["singular"] and r["degrees_of_freedom"] == 1'

"$CAMBER" run caraxis --json >axis.json
check "nothing where there is nothing" holds axis.json 'r["singularities"] == [] and r["not_unique"] == []'
finish

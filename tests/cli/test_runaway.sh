#!/usr/bin/env bash
# A run that diverges ends with an error that names the coordinate and the time, and keeps its results. The memory of a run with very
# many events does not grow with its length.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >wrong.yaml <<'END'
bodies:
  upper: {mass: 2, rod: [[0, 0, 0], [0, 0, -1]], radius: 0.02}
  lower: {mass: 1, rod: [[0, 0, -1], [0, 0, -1.5]], radius: 0.02}
joints:
  a: {type: revolute, child: upper, at: [0, 0, 0], axis: y, coordinates: [alpha], rate: 5}
  b: {type: revolute, parent: upper, child: lower, at: [0, 0, -1], axis: y, coordinates: [beta]}
forces:
  belt: {type: load, on: {body: upper, at: [0, 0, -1]}, torque: [0, "2*alpha'", 0]}
END
timeout 60 "$CAMBER" run wrong.yaml --t-end 60 --every 1 --out out.csv >text 2>words
check "exit code 1" test $? -eq 1
check "the velocity and the time" grep -q "run away at t = 8.*: the largest velocity, now beta' = " words
check "what was computed is kept" test "$(wc -l <out.csv)" -ge 9
timeout 60 "$CAMBER" run wrong.yaml --t-end 60 --json >json 2>words
check "the status" grep -q '"status": "diverged"' json

# steps of fixed cost that are too long for the stabilisation: errors of the constraints grow, and the run ends before numbers overflow
"$CAMBER" run caraxis --method lie --option jacobian=exact --option index=2 --option stabilization=baumgarte --option alpha=700 \
  >text 2>words
check "steps of fixed cost: exit code 1" test $? -eq 1
check "the message names the time" grep -q "run away at t = .*is the step too large for the method?" words

# a spring of 100 rad/s whose force has a kink: 6,400 events in 100 s
cat >kink.yaml <<'END'
bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {j: {type: prismatic, child: b, at: [0, 0, 0], axis: x, coordinates: [x], start: 1}}
forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: ["-if(x > 0, 40000, 10000)*x", 0, 0]}}
END
"$CAMBER" run kink.yaml --t-end 500 --every 500 --rtol 1e-4 --json >json
check "10,000 events are listed" test "$(grep -c '"name": "force f, line 3"' json)" -eq 10000
check "all are counted" grep -Eq '"event_count": 2[01][0-9]{3},' json
"$CAMBER" run kink.yaml --t-end 500 --every 500 --rtol 1e-4 >text
check "the report states how many events are listed" grep -q "only the first 10000 of 2[01][0-9]* events were kept" text

finish

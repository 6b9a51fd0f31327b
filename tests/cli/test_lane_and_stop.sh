#!/usr/bin/env bash
# Manoeuvres of docs/manoeuvres.md: a driver passes the gates of ISO 3888-1; a car that brakes in a turn locks its wheels once and stands.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

complete_examples "$SOURCE_DIR/docs/manoeuvres.md"

# ---- the gates of ISO 3888-1

check "double lane change" "$CAMBER" run work/4.yaml --rtol 1e-5 --t-end 7.6 --every 0.01 --out lanes.csv >/dev/null
check "passes between the cones" python3 - <<'END'
import csv
rows = list(csv.DictReader(open("lanes.csv")))
room = [float(r["room"]) for r in rows]
x = [float(r["body.x"]) for r in rows]
y = [float(r["body.y"]) for r in rows]
assert min(room) > 0.05, min(room)          # no corner of the car beyond the cones
assert max(room) == 2 and max(x) > 160      # through the whole track
assert sum(r < 2 for r in room) > 300       # 15 + 25 + 30 m and three lengths of the car at 80 km/h
assert 3.3 < max(y) < 3.7 and abs(y[-1]) < 0.1
END

# ---- braking in a turn

check "braking in a turn" "$CAMBER" run work/5.yaml --rtol 1e-5 --t-end 7.9 --every 0.1 --out stop.csv >stop
for wheel in front_left front_right rear_left rear_right; do
  check "$wheel locks once" [ "$(grep -c "measure ${wheel}_brake.torque" stop)" -eq 1 ]
done
check "stands" python3 - <<'END'
import csv
rows = list(csv.DictReader(open("stop.csv")))
last = [r for r in rows if float(r["t"]) > 7.3]
assert len(last) > 5
for wheel in ("front_left", "front_right", "rear_left", "rear_right"):
    turn = [float(r[wheel + ".spin"]) for r in last]
    assert max(turn) - min(turn) < 1e-8, wheel
    assert all(abs(float(r[wheel + ".spin'"])) < 1e-8 for r in last), wheel
assert abs(float(last[-1]["forward"])) < 0.05
assert abs(float(rows[29]["forward"]) - 80) < 3 and abs(float(rows[29]["lateral_acceleration"])) > 3
END

finish

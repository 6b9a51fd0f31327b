#!/usr/bin/env bash
# The manoeuvres of docs/manoeuvres.md, whole: a driver holds a circle with the steering angle of the steady motion on the same circle, and the
# understeer gradient that the page tells; passes the gates of ISO 3888-1; a car that brakes in a turn locks its wheels once and stands.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

mkdir -p work
awk '/^```yaml complete$/ { inside = 1; next }
     /^```/ { inside = 0 }
     inside && /^title: / { n++ }
     inside { print > ("work/" n ".yaml") }' "$SOURCE_DIR/docs/manoeuvres.md"

# steady MODEL-FILE OPTION..: the steering angle that the steady motion needs
steady() { "$CAMBER" linearize work/2.yaml "$@" | sed -n 's/.*; steer \([-0-9.e]*\)$/\1/p'; }

# value FILE NAME: an output or a state at the end
value() { awk -v name="$2" '{ for (i = 1; i < NF; i++) if ($i == name) { print $(i + 1); exit } }' "$1"; }

# near A B TOLERANCE
near() { python3 -c 'import sys; a, b, t = map(float, sys.argv[1:]); sys.exit(not abs(a - b) <= t)' "$@"; }

check "a step of the steering wheel" "$CAMBER" run work/1.yaml --t-end 0.1 >/dev/null

# ---- constant radius

check "driver on a circle" "$CAMBER" run work/3.yaml --set speed=20 --rtol 1e-5 >circle
speed=$(python3 -c "print($(value circle forward)/3.6)")
radius=$(python3 -c "print($speed/$(value circle turn_rate))")
check "the radius, $radius" near "$radius" 100 0.1
check "beside the path by $(value circle off)" near "$(value circle off)" 0 0.05
fast=$(steady --set speed="$speed" --set radius="$radius")
check "the angle of the steady motion" near "$(value circle driver.steer)" "$fast" 2e-5
slow=$(steady --set speed=2)
check "the steering ratio" near "$(python3 -c "print($slow*100/2.824)")" 2.18 0.005
check "the understeer gradient" near "$(python3 -c "print(($fast*$radius/100 - $slow)/2.18/3.96)")" 0.0053 5e-5

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

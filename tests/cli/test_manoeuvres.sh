#!/usr/bin/env bash
# Manoeuvres of docs/manoeuvres.md: on a circle the driver model needs the steering angle of the steady motion on this circle, and the car has the
# understeer gradient that the page states.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

complete_examples "$SOURCE_DIR/docs/manoeuvres.md"

# steady OPTION...: prints the steering angle of the steady motion
steady() { "$CAMBER" linearize work/2.yaml "$@" | sed -n 's/.*; steer \([-0-9.e]*\)$/\1/p'; }

# value FILE NAME: an output or a state at the end
value() { awk -v name="$2" '{ for (i = 1; i < NF; i++) if ($i == name) { print $(i + 1); exit } }' "$1"; }

# near A B TOLERANCE
near() { python3 -c 'import sys; a, b, t = map(float, sys.argv[1:]); sys.exit(not abs(a - b) <= t)' "$@"; }

check "a step of the steering wheel" "$CAMBER" run work/1.yaml --t-end 0.1 >/dev/null

# ---- constant radius

check "driver on a circle" "$CAMBER" run work/3.yaml --set speed=20 --rtol 1e-5 --states >circle
speed=$(python3 -c "print($(value circle forward)/3.6)")
radius=$(python3 -c "print($speed/$(value circle turn_rate))")
check "the radius, $radius" near "$radius" 100 0.1
check "beside the path by $(value circle off)" near "$(value circle off)" 0 0.05
fast=$(steady --set speed="$speed" --set radius="$radius")
check "the angle of the steady motion" near "$(value circle driver.steer)" "$fast" 2e-5
slow=$(steady --set speed=2)
check "the steering ratio" near "$(python3 -c "print($slow*100/2.824)")" 2.18 0.005
check "the understeer gradient" near "$(python3 -c "print(($fast*$radius/100 - $slow)/2.18/3.96)")" 0.0053 5e-5

finish

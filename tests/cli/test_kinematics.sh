#!/usr/bin/env bash
# camber kinematics: the five-link's heave table, computed elsewhere from the lengths of the links alone; wheel rate against differences.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

sweep() { "$CAMBER" kinematics "$SOURCE_DIR/models/fivelink.yaml" --wheel hub --radius 0.35 "$@"; }
check "heave of the five-link" sweep --drive heave=-0.1:0.1:5 --out heave.csv
table() {
  python3 - <<'END'
import csv
rows = list(csv.DictReader(open("heave.csv")))
# dx, dy (m), elevation of the spin axis seen from ahead, its tilt forward (deg)
known = [(-0.000514, -0.009508, -0.87872, -1.18733), (-0.000188, -0.000556, -0.76446, -0.45787), (0, 0, 0, 0),
         (0.000059, -0.007402, 1.42225, 0.13210), (-0.000072, -0.023053, 3.63533, -0.14822)]
for r, k in zip(rows, known):
    assert abs(float(r["hub.forward [m]"]) - k[0]) < 6e-7 and abs(float(r["hub.outward [m]"]) - k[1]) < 6e-7
    assert abs(float(r["camber [deg]"]) + k[2]) < 6e-6 and abs(float(r["toe [deg]"]) - k[3]) < 6e-6
assert len(rows) == 5
END
}
check "its table" table
check "close points" sweep --drive heave=-1e-4:1e-4:3 --out near.csv
rate() {
  python3 - <<'END'
import csv
r = list(csv.DictReader(open("near.csv")))
slope = (float(r[2]["heave.hold_force"]) - float(r[0]["heave.hold_force"])) / 2e-4
assert abs(slope / float(r[1]["hub.rate [N/m]"]) - 1) < 1e-6
END
}
check "wheel rate" rate
beyond() {
  sweep --drive heave=0:0.9:10 >text 2>words
  test $? -eq 1 && grep -q "'heave' cannot get to .* the last value reached is" words && grep -q "hub.camber" text
}
check "a value that cannot be reached" beyond
unknown() { sweep --drive heave=0:0.1:3 --wheel hubb >text 2>words; test $? -eq 2 && grep -q "did you mean 'hub'" words; }
check "unknown marker" unknown
finish

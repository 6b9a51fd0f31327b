#!/usr/bin/env bash
# camber rail: S1002 on UIC60 as text, JSON, CSV and picture, which agree with each other; profiles from files, also different ones on both sides; wrong
# files, options and wheelsets that do not fit are refused in one sentence.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

standard=(rail S1002 UIC60 --range 6 --step 1 --amplitude 3 --yaw-per-mm 0.0024)
check 'all forms of output' "$CAMBER" "${standard[@]}" --plot p.svg --out t.csv --json >j.json
check 'the same as text' "$CAMBER" "${standard[@]}" >text
check 'the forms agree' python3 - <<'PYTHON'
import csv, json, math
j = json.load(open("j.json"))
rows = list(csv.DictReader(open("t.csv")))
lines = [l.split() for l in open("text") if l.startswith("  ") and "." in l.split()[0] and len(l.split()) >= 13]
assert j["model"] == "S1002 on UIC60" and j["status"] == "ok" and abs(j["play"] - 0.01) < 1e-6
assert j["gauge"] == 1.435 and j["radius"] == 0.46 and j["cant"] == 0.025
assert len(rows) == len(j["displacements"]) == len(lines) == 13 + 2 * 4, (len(rows), len(lines))
for row, d, line in zip(rows, j["displacements"], lines):
    for side in "left", "right":
        for key, value in d[side].items():
            unit = "rad" if key == "angle" else "m"
            assert float(row[f"{side}.{key} [{unit}]"]) == value
    assert float(row["y [m]"]) == d["y"] and abs(d["yaw"] - 2.4 * d["y"]) < 1e-15
    assert (row["jump"] or None) == d["jump"] and (d["jump"] is None) == (line[-1] != "jumps")
    left = d["left"]
    shown = [d["y"] * 1e3, d["roll"] * 1e3, left["wheel_y"] * 1e3, left["rail_y"] * 1e3, math.degrees(left["angle"]), left["radius"] * 1e3, left["x"] * 1e3]
    assert all(abs(float(a) - b) < 6e-5 for a, b in zip(line, shown)), (line, shown)
    assert abs(left["radius"] - d["right"]["radius"] - d["radius_difference"]) < 1e-15
    assert abs(left["angle"] - d["right"]["angle"] - d["angle_difference"]) < 1e-15
pairs = [(a, b) for a, b in zip(j["displacements"], j["displacements"][1:]) if a["jump"] and b["jump"] and abs(a["y"] - b["y"]) < 1e-9]
assert [a["jump"] for a, _ in pairs] == ["right", "right", "left", "left"]
assert all(abs(a[a["jump"]]["wheel_y"] - b[a["jump"]]["wheel_y"]) > 1e-3 for a, b in pairs)
c = j["conicities"]
assert [round(1e4 * x["amplitude"]) for x in c] == [5, 10, 15, 20, 25, 30] and abs(c[-1]["conicity"] - 0.18515) < 1e-5
PYTHON
check 'the picture' python3 - <<'PYTHON'
import xml.dom.minidom as m
d = m.parse("p.svg")
lines = d.getElementsByTagName("polyline")
kinds = [l.getAttribute("class") for l in lines]
assert kinds.count("profile") == 4 and kinds.count("touching") == 2, kinds
joins = [p.getAttribute("class") for p in d.getElementsByTagName("path")]
assert joins.count("join") == 2 * 13 and joins.count("jump") == 8, joins
# contact points of both sides with two jumps each, their angles, Δr with four jumps, conicity
assert kinds.count("") == 2 * 3 + 2 * 3 + 5 + 1, kinds.count("")
numbers = [float(x) for l in lines for p in l.getAttribute("points").split() for x in p.split(",")]
assert all(-500 < x < 1500 for x in numbers)
PYTHON

check 'jumps beyond the last displacement, which is 4 mm' bash -c '"$0" rail S1002 UIC60 --range 6 --step 4 --amplitude 1 >far && [ "$(grep -c jumps far)" = 8 ]' "$CAMBER"

check 'elastic contact in all forms' bash -c '"$0" rail S1002 UIC60 --range 3 --step 3 --amplitude 1 --wheel-load 10000 --out l.csv --json >l.json && "$0" rail S1002 UIC60 --range 3 --step 3 --amplitude 1 --wheel-load 1e4 >l.text' "$CAMBER"
check 'the forms agree, by the theory of Hertz' python3 - <<'PYTHON'
import csv, json, math
j = json.load(open("l.json"))
rows = list(csv.DictReader(open("l.csv")))
text = open("l.text").read().split("by Hertz's theory")[1].splitlines()
lines = [l.split() for l in text if l.startswith("  ") and len(l.split()) == 9 and "." in l]
assert j["wheel_load"] == 1e4 and len(rows) == len(lines) == len(j["displacements"])
for row, d, line in zip(rows, j["displacements"], lines):
    for i, side in enumerate(("left", "right")):
        c = d[side]
        for key, unit in ("a", "m"), ("b", "m"), ("pressure", "Pa"), ("approach", "m"):
            assert float(row[f"{side}.{key} [{unit}]"]) == c[key]
        shown = [c["a"] * 1e3, c["b"] * 1e3, c["pressure"] / 1e6, c["approach"] * 1e6]
        assert all(abs(float(x) - y) < 6e-3 for x, y in zip(line[1 + 4 * i :], shown)), (line, shown)
        assert abs(c["pressure"] / (1.5e4 / (math.pi * c["a"] * c["b"])) - 1) < 1e-12
middle = [d for d in j["displacements"] if d["y"] == 0][0]
assert abs(middle["left"]["pressure"] - middle["right"]["pressure"]) < 1 and 3e8 < middle["left"]["pressure"] < 4e8
PYTHON

# ---- files: the built-in wheel as points of the table below, and a rail from a file
python3 - <<'PYTHON'
import math
# a cone without a flange on a head of 300 and 20 mm
with open("cone.csv", "w") as f:
    f.write("y;z\n" + "".join(f"{s};{0.05 * s}\n" for s in range(-60, 61, 2)))
with open("steep.csv", "w") as f:
    f.write("".join(f"{s};{0.1 * s}\n" for s in range(-60, 61, 2)))
with open("head.csv", "w") as f:
    f.write("".join(f"{20 * math.sin(math.radians(a / 2)):.9f};{20 * math.cos(math.radians(a / 2)):.9f}\n" for a in range(-160, 161)))
PYTHON
check 'cones from files' "$CAMBER" rail cone.csv head.csv --cant 0 --range 2 --step 1 --amplitude 1 --json >cone.json
check 'a steeper cone on the right' "$CAMBER" rail cone.csv head.csv --right-wheel steep.csv --cant 0 --range 2 --step 1 --amplitude 1 --json >both.json
check 'cones' python3 - <<'PYTHON'
import json
a, b = json.load(open("cone.json")), json.load(open("both.json"))
assert a["play"] is None and all(d["jump"] is None for d in a["displacements"])
e = a["displacements"][2]["left"]["y"]
wickens = 0.05 * (e + 0.02 * 0.05) / (e - 0.46 * 0.05)
for c in a["conicities"]:
    assert abs(c["conicity"] - wickens) < 3e-4 and c["centre"] == 0, (c, wickens)
# the steeper wheel has the same radius where its contact point is: cones with a mean slope
for c in b["conicities"]:
    assert 0.07 < c["conicity"] < 0.09 and -0.006 < c["centre"] < 0.006, c
assert b["wheels"] == ["cone.csv", "steep.csv"] and b["model"] == "cone.csv on head.csv, right steep.csv on head.csv"
PYTHON
check 'quasi-elastic contact has no jumps' bash -c '"$0" rail S1002 UIC60 --penetration 0.02 --range 4 --amplitude 1 >soft && ! grep -q jumps soft && grep -q "penetration of 0.02 mm" soft' "$CAMBER"
python3 - <<'PYTHON'
import random
random.seed(3)
open("rough.csv", "w").write("".join(f"{s / 2};{0.025 * s + random.gauss(0, 0.003)}\n" for s in range(-120, 121)))
PYTHON
check 'a smoothed profile' "$CAMBER" rail rough.csv head.csv --smooth 3 --range 1 --amplitude 0.5 >text
check "its deviation in '$(grep rough.csv text | tail -n 1)'" grep -q 'rough.csv: 241 points, distances from the curve 3 um' text

# ---- what is refused
refuse() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" rail "$@" >out 2>err
  check "$* ends with 2" test $? -eq 2
  check "$*: '$words' in '$(cat err)'" grep -qF -- "$words" err
  check "$*: one sentence" test "$(wc -l <err)" -eq 1
}
refuse 'needs WHEEL RAIL' S1002
refuse "does not expect 'more'" S1002 UIC60 more
refuse 'none.whl: cannot be read' none.whl UIC60
refuse 'UIC60 is the profile of a rail; expected that of a wheel' UIC60 S1002
refuse 'the wheelset does not fit between the rails: its flanges are 1425.00 mm apart' S1002 UIC60 --gauge 1420
refuse 'at a lateral displacement of -8 mm the left wheel is not over its rail' S1002 UIC60 --back-to-back 1000
refuse 'the right wheel is not over its rail' cone.csv head.csv --cant 0 --range 90 --step 10
refuse "touches its rail where the profile 'S1002' ends" S1002 UIC60 --gauge 1600 --range 1
refuse 'the radius of 0.46 mm is too small' S1002 UIC60 --radius 0.46
refuse 'expected a slope such as 1/40, 1:40 or 0.025' S1002 UIC60 --cant 1:0
refuse 'expected a positive number of newtons up to 1e7' S1002 UIC60 --wheel-load 0
refuse 'gives no table up to' S1002 UIC60 --step 9
refuse 'ends in .svg' S1002 UIC60 --plot p.png
refuse 'ends in .csv' S1002 UIC60 --out t.svg
cp cone.csv same.csv
refuse "the profile 'same.csv' would be overwritten" same.csv head.csv --out same.csv
check 'the file is as it was' cmp -s cone.csv same.csv
"$CAMBER" rail S1002 UIC60 --gauge 1420 --json >out 2>err
check 'a failure as JSON' python3 -c "
import json
j = json.load(open('out'))
assert j['status'] == 'bad-input' and 'does not fit' in j['message'], j"
for cant in 1/40 1:40 0.025; do
  check "--cant $cant" "$CAMBER" rail S1002 UIC60 --cant $cant --range 1 --amplitude 0.5 >text-"${cant//[\/:]/-}"
done
check 'the same cant in three forms' bash -c 'cmp text-1-40 text-0.025'
finish

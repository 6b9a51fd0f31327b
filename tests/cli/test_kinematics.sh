#!/usr/bin/env bash
# camber kinematics: the heave table of the five-link suspension against values that were computed independently from the lengths of the links; wheel rates against
# difference quotients.
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
# What needs a drive that lifts the wheel, or one that steers it, is in the table only with such a drive.
columns() { # NAMES ARGUMENT...: the columns after those that every wheel has
  sweep "${@:2}" --out columns.csv 2>words >text
  test "$(head -n 1 columns.csv | tr ',' '\n' | sed -n '/hub.wheelbase/,$p' | sed 1d | grep '^hub' | sed 's/hub\.//; s/ .*//' | tr '\n' ' ')" = "$1"
}
check "columns of a drive that lifts" columns "rate roll_centre brake_slope drive_slope " --drive heave=0:0.01:2
check "columns of a drive that neither lifts nor steers" columns "" --drive delta=0:0.01:2
beyond() {
  sweep --drive heave=0:0.9:10 >text 2>words
  test $? -eq 1 && grep -q "'heave' cannot reach .* the last value reached is" words && grep -q "hub.camber" text
}
check "a value that cannot be reached" beyond
# Wrong arguments: the exit code, and a message with the user's names, without names of the model that the program generates.
refuses() { # CODE WORDS ARGUMENT...
  local code=$1 expected=$2
  shift 2
  "$CAMBER" kinematics "$@" >text 2>words
  test $? -eq "$code" && grep -qF -- "$expected" words && ! grep -qE 'kinematics_|addition' words text
}
five=("$SOURCE_DIR/models/fivelink.yaml" --radius 0.35)
wishbone=("$SOURCE_DIR/models/double-wishbone.yaml" --radius 0.47 --wheel hub)
check "unknown marker" refuses 2 "did you mean 'hub'" "${five[@]}" --drive heave=0:0.1:3 --wheel hubb
check "misspelt drive" refuses 2 "drive 'heav' is no coordinate, output or formula of positions: did you mean 'heave'?" "${five[@]}" --drive heav=0
check "velocity as a drive" refuses 2 "drive 'hub.vz' is no quantity of positions" "${five[@]}" --drive hub.vz=0
check "constant as a drive" refuses 2 "drive 't' is no quantity of positions" "${five[@]}" --drive t=0
check "no value" refuses 2 "a drive has no finite value in the design position" "${five[@]}" --drive "sqrt(-hub.z)=0"
check "redundant drive" refuses 2 "drive 'hub.z' is redundant" "${five[@]}" --drive heave=0:0.1:3 --drive hub.z=0.33:0.43:3
check "more drives than freedoms" refuses 2 "3 drives given, but the mechanism has 2 degrees of freedom; expected no more drives than degrees of freedom" "${five[@]}" --drive heave=0 \
  --drive delta=0 --drive hub.x=0
check "first value out of reach" refuses 1 "'heave' cannot reach 5: the last value reached is 0.303" "${five[@]}" --drive heave=5:6:2
check "unknown load" refuses 2 "unknown load 'hub.fq'" "${five[@]}" --wheel hub --drive heave=0 --load hub.fq=1
check "free chassis" refuses 2 "body 'chassis' carries a wheel and is free to move along 'z'" "${wishbone[@]}" --drive hub.z=0
check "wheel without radius" refuses 2 "--wheel needs --radius" "$SOURCE_DIR/models/fivelink.yaml" --wheel hub --drive heave=0
# A slider without stiffness is an error only if the sweep loads it; the message names it, and no body that a spring holds or a drive moves.
cat >pushed.yaml <<'END'
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  c: {mass: 1, com: [0, 1, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [0, 2, 0], inertia: [1, 1, 1]}
joints:
  lift: {type: prismatic, child: a, axis: z}
  held: {type: prismatic, child: c, axis: x, stiffness: 1000}
  loose: {type: prismatic, child: b, axis: x}
forces:
  push: {type: load, on: {body: b, at: [0, 2, 0]}, force: ["100*lift", 0, 0]}
outputs: {place: held}
END
check "a motion that is pushed and not held" refuses 1 "exerts a force on a motion without stiffness, in which 'loose'" pushed.yaml \
  --drive lift=0:0.1:3
sed 's/^  push: .*//; s/^forces://' pushed.yaml >free.yaml
check "one that is not pushed" "$CAMBER" kinematics free.yaml --drive lift=0:0.1:3

# A model without wheels: all numbers in all forms of output, and a panel for each column.
cat >plain.yaml <<'END'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: a, axis: x, stiffness: 50}}
outputs: {twice: {value: 2*x, unit: m}, square: {value: x*x, unit: m^2}}
END
check "all forms of output" "$CAMBER" kinematics plain.yaml --drive x=-0.5:1:4 --out plain.csv --plot plain.svg --json >plain.json
plain() {
  python3 - <<'END'
import csv, json, re
names, rows = ["x", "x.hold_force", "x.hold_stiffness", "twice", "square"], [[x, 50 * x, 50, 2 * x, x * x] for x in (-0.5, 0, 0.5, 1)]
def same(table):
    assert len(table) == len(rows) and all(len(a) == len(b) and all(abs(x - y) < 1e-9 for x, y in zip(a, b)) for a, b in zip(table, rows)), table
d = json.load(open("plain.json"))
assert [c["name"] for c in d["columns"]] == names and d["status"] == "ok", d["columns"]
same(d["rows"])
same([[float(x) for x in row] for row in list(csv.reader(open("plain.csv")))[1:]])
svg = open("plain.svg").read()
titles = re.findall(r"rotate\(-90\)' class='middle'>([^<]*)<", svg)
assert titles == names[1:3] + ["twice, mm", "square, m^2"], titles
assert re.findall(r"<polyline [^>]*/><text [^>]*>([^<]*)<", svg) == names[1:], svg
END
}
check "the same numbers in each, and the panels" plain
failed() {
  "$CAMBER" kinematics plain.yaml --drive z=0:1:3 --json >failed.json 2>words
  [ $? -eq 2 ] && python3 -c '
import json
d = json.load(open("failed.json"))
assert d["status"] == "bad-input" and d["error"]["name"] == "z" and "rows" not in d and "columns" not in d, d'
}
check "a failure as JSON" failed

# Two equal loops with branches: none is left out, since they may differ in another branch, but only one takes a degree of freedom.
cat >equal.yaml <<'END'
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [0, 1, 0], inertia: [1, 1, 1]}
joints:
  lift: {type: prismatic, child: a, axis: z, stiffness: 1000}
  follower: {type: prismatic, child: b, axis: z}
loops:
  one: {type: formula, formula: 'max(lift, -1) - follower'}
  two: {type: formula, formula: 'max(lift, -1) - follower'}
END
"$CAMBER" kinematics equal.yaml --drive lift=0.1:0.2:2 --out equal.csv
check "dependent constraints that were kept" test $? -eq 0
check "more drives than freedoms beside them" refuses 2 "2 drives given, but the mechanism has 1 degree of freedom; expected no more drives" equal.yaml \
  --drive lift=0 --drive follower=0

# The tyre of the double wishbone is a load with a stiffness of 296325 N/m: it is left out, and the wheel rate is that of the spring.
tyre() {
  "$CAMBER" kinematics "${wishbone[@]}" --drive z=0 --drive hub.z=0:0.02:2 --out with.csv >text &&
    grep -q "force 'tyre' is the road's push on a wheel and is left out" text &&
    "$CAMBER" kinematics "${wishbone[@]}" --drive z=0 --drive hub.z=0:0.02:2 --set tyre_stiffness=1 --out without.csv >/dev/null &&
    cmp with.csv without.csv
}
check "tyre as a load" tyre
cat >sprung.yaml <<'END'
points: {P: [0, 0.7, 0], Q: [0, 0.7, 0.3]}
bodies: {wheel: {mass: 20, com: [0, 0.7, 0.3], inertia: [1, 1, 1]}}
markers: {hub: {on: wheel, at: [0, 0.7, 0.3]}}
joints: {slide: {type: prismatic, child: wheel, axis: z, coordinates: [z]}}
forces: {tyre: {type: spring, between: [ground@P, wheel@Q], stiffness: 2e5}}
END
ground_spring() { "$CAMBER" kinematics sprung.yaml --radius 0.3 --wheel hub --drive z=0 2>&1 | grep -q "warning: force 'tyre' acts between the ground"; }
check "spring to the ground" ground_spring

# The points of a table do not depend on where the sweep begins, since the first point is reached from the design position.
sweep --drive heave=0.1:-0.1:5 --out back.csv >/dev/null
backwards() {
  python3 - <<'END'
import csv
there, back = (list(csv.DictReader(open(f))) for f in ("heave.csv", "back.csv"))
for a, b in zip(there, reversed(back)):
    assert all(abs(float(a[k]) - float(b[k])) < 1e-10 for k in ("hub.camber [rad]", "hub.toe [rad]", "hub.track [m]"))
END
}
check "backwards" backwards
upright() { sweep --drive heave=-0.1:0.1:11 --plot heave.svg >/dev/null && grep -q "rotate(-90)' class='middle'>hub.travel, mm<" heave.svg && grep -q "half-track change, mm" heave.svg; }
check "plot with the travel upwards" upright
check "it is complete" python3 -c 'import xml.etree.ElementTree as tree; tree.parse("heave.svg")'
check "it has the model's title" grep -q ">Five-link rear wheel suspension, car body fixed<" heave.svg
check "a dot for each point" test "$(grep -o '<circle' heave.svg | wc -l)" -eq $((11 * $(grep -c "class='box'" heave.svg)))

# The roll centre in the design position does not depend on which coordinate is driven; a drive that is held is not a travel. Outputs of
# templates follow those of the model.
roll_centre() {
  "$CAMBER" kinematics quarter-car --radius 0.32 --wheel left.hub --drive z=0 --drive left.hub.z=0.25:0.35:3 --out height.csv >/dev/null &&
    "$CAMBER" kinematics quarter-car --radius 0.32 --wheel left.hub --drive z=0 --drive left.lower_arm=-0.1:0.1:3 --out arm.csv >/dev/null &&
    python3 - <<'END'
import csv
height, arm = (list(csv.DictReader(open(f))) for f in ("height.csv", "arm.csv"))
one, two = (float(rows[1]["left.hub.roll_centre [m]"]) for rows in (height, arm))
assert abs(one - two) < 1e-9 and 0.05 < one < 0.2, (one, two)
assert abs(float(height[1]["left.hub.camber [rad]"])) < 1e-12
END
}
check "a held drive is no travel" roll_centre
check "a load twice" refuses 2 "load 'hub.fy' is given twice" "${five[@]}" --wheel hub --drive heave=0 --load hub.fy=1000 --load hub.fy=500

# Tyres are left out, with their laws and their states: the table is that of the suspension without them.
suspension() { # FORCES: a wheel on a spring and a damper
    cat <<END
bodies: {carrier: {mass: 20, com: [0, 0.7, 0.3], inertia: [1, 1, 1]}, wheel: {mass: 20, com: [0, 0.7, 0.3], inertia: [1, 1, 1]}}
markers: {hub: {on: carrier, at: [0, 0.7, 0.3]}}
joints: {slide: {type: prismatic, child: carrier, axis: [0, 0.1, 1], coordinates: [z]},
  spin: {type: revolute, parent: carrier, child: wheel, at: [0, 0.7, 0.3], axis: y}}
forces:
  spring: {type: spring, between: [{body: ground, at: [0, 0.5, 1]}, {body: carrier, at: [0, 0.6, 0.3]}], stiffness: 30000, length: 0.8}
END
    echo "  $1"
}
wheel='on: {body: wheel, at: [0, 0.7, 0.3]}, axis: y'
suspension "" >bare.yaml
suspension "tyre: {type: tyre, $wheel, radius: 0.3, stiffness: 2e5}" >tyred.yaml
suspension "tyre: {type: tyre, $wheel, file: tyres/passenger.yaml}" >tmeasy.yaml
suspension "tyre: {type: tyre, $wheel, file: tyres/car-205-60r15.tir}" >magic.yaml
mkdir -p tyres && cp "$SOURCE_DIR/models/tyres/car-205-60r15.tir" tyres
sweep=(--radius 0.3 --wheel hub --drive hub.z=0.25:0.35:5)
without_tyres() {
    "$CAMBER" kinematics bare.yaml "${sweep[@]}" --out bare.csv >/dev/null || return 1
    for name in tyred tmeasy magic; do
        "$CAMBER" kinematics $name.yaml "${sweep[@]}" --out $name.csv >text || return 1
        grep -q "force 'tyre' is the road's push on a wheel and is left out" text || return 1
        cmp bare.csv $name.csv || return 1
    done
}
check "tyres" without_tyres

# A quantity that does not exist is empty on the terminal and in a file, and null in JSON: if the wheel turns about its axis, it does not rise.
nothing() {
    local turned=(bare.yaml --radius 0.3 --wheel hub --drive z=0 --drive spin=0:0.2:3)
    "$CAMBER" kinematics "${turned[@]}" --out empty.csv >text && "$CAMBER" kinematics "${turned[@]}" --json >json || return 1
    ! grep -q nan text && ! grep -q nan empty.csv && ! grep -q nan json && grep -q ',,' empty.csv
}
check "a rate that does not exist is empty" nothing
{ cat tmeasy.yaml; echo "states: {memory: {rate: 1}}"; } >remembers.yaml
check "a state beside a tyre" refuses 2 "the model has the state 'memory'" remembers.yaml "${sweep[@]}"
finish

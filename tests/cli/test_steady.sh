#!/usr/bin/env bash
# camber linearize --vary: plots and tables of eigenvalues over speed, with all crossings, and messages for unsuitable arguments; a car on double
# wishbones, whose loops are closed by spherical joints, stays in the steady motion that was found.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"
has() { check "$1 in $2" grep -qF -- "$1" "$2"; }

# ---- a table with known eigenvalues: λ of y' is −sin(u), a pair of yaw is −0.5 ± i sqrt(3.75) where a spring holds it
cat >waves.yaml <<'END'
gravity: [0, 0, 0]
points: {G: [0, 0, 0]}
bodies: {car: {mass: 1, com: G, inertia: [1, 1, 1]}}
joints: {road: {type: planar, child: car, at: G, axes: [x, y], coordinates: [x, y, yaw], rate: [2, 0, 0]}}
inputs: {drive: '0'}
forces: {all: {type: load, on: car@G, force: [drive, '-sin(x'')*y''', 0], torque: ['0', '0', '-yaw'' - 4*yaw']}}
outputs: {speed: {value: "x'", unit: m/s}}
simulate: {trim: drive, rtol: 1e-5, method: bdf, plot: run.svg, out: run.csv}
END
check 'many crossings' "$CAMBER" linearize waves.yaml --vary speed=1:250:499 --json --plot waves.svg --out waves.csv >waves.json
check 'all crossings' python3 - <<'END'
import csv, json, math
x = json.load(open("waves.json"))
assert len(x["critical"]) == 79, len(x["critical"])
for k, at in enumerate(x["critical"]):
    assert abs(at - (k + 1) * math.pi) < 1e-6, (k, at)
rows = list(csv.DictReader(open("waves.csv")))
assert sorted({float(r["speed"]) for r in rows}) == [t["value"] for t in x["table"]]
for r in rows:
    u, re, im = float(r["speed"]), float(r["re"]), float(r["im"])
    wanted = (-0.5, math.sqrt(3.75)) if im > 0 else (-math.sin(u), 0)
    assert math.hypot(re - wanted[0], im - wanted[1]) < 1e-7, r
    assert abs(float(r["damping"]) + re / math.hypot(re, im)) < 1e-12 and r["moves"] == ("yaw" if im > 0 else "y"), r
assert len(rows) == sum(len(t["eigenvalues"]) for t in x["table"])
END
has '53 more are marked without a letter' waves.svg
check 'what the model says of its run is for the run' test ! -e run.svg -a ! -e run.csv

# ---- the picture: a curve for each eigenvalue, at its place, and the crossing
check 'a picture' "$CAMBER" linearize waves.yaml --vary speed=2:4.5:26 --plot few.svg >few.txt
check 'curves' python3 - <<'END'
import math, re
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse("few.svg").getroot()
boxes = [{k: float(e.get(k)) for k in ("x", "y", "width", "height")} for e in root.iter(SVG + "rect") if e.get("class") == "box"]
texts = [e.text for e in root.iter(SVG + "text")]
assert len(boxes) == 3 and "speed in m/s" in texts and "real part in 1/s" in texts, texts
assert any(t.startswith("Critical speed: a: 3.14159, unstable above") for t in texts), texts
x = lambda at: boxes[0]["x"] + (at - 2) / 2.5 * boxes[0]["width"]
marks = {round(float(e.get("x1")), 1) for e in root.iter(SVG + "line") if e.get("class") == "mark"}
assert len(marks) == 1 and abs(marks.pop() - x(math.pi)) < 0.1, marks
lines = []
for e in root.iter(SVG + "polyline"):
    points = [tuple(map(float, p.split(","))) for p in e.get("points").split()]
    if points[0][0] < boxes[0]["x"] + boxes[0]["width"]:
        lines.append((sum(points[0][1] > b["y"] + b["height"] for b in boxes), points))
assert sorted(panel for panel, _ in lines) == [0, 0, 1, 2], [panel for panel, _ in lines]
flat = [p for panel, p in lines if panel == 0 and max(y for _, y in p) - min(y for _, y in p) < 0.2]
wave = [p for panel, p in lines if panel == 0 and p not in flat]
assert len(flat) == len(wave) == 1
places = [y for _, y in wave[0]]  # −sin(u) on an axis on which −0.5 lies at the other curve
scale = (places[-1] - places[0]) / (-math.sin(4.5) + math.sin(2))
for px, py in wave[0]:
    u = 2 + (px - boxes[0]["x"]) / boxes[0]["width"] * 2.5
    assert abs(py - places[0] - scale * (-math.sin(u) + math.sin(2))) < 0.5, (u, py)
assert abs(flat[0][0][1] - places[0] - scale * (-0.5 + math.sin(2))) < 0.5
END

# ---- a table with a value on a crossing; one that ends early
check 'a value on a crossing' "$CAMBER" linearize waves.yaml --vary 'speed=pi - 1:pi + 1:3' >on.txt
has 'critical speed  3.14159265' on.txt
for range in pi:4:3 4:pi:2; do
  check "a crossing at an end, $range" "$CAMBER" linearize waves.yaml --vary "speed=$range" >on.txt
  has 'critical speed  3.14159265' on.txt
done
sed 's/, unit: m.s}/}/; s/value: "x.*"/value: "if(x'"'"' < 4, x'"'"', x'"'"' + 1e9)"/' waves.yaml >ends.yaml
"$CAMBER" linearize ends.yaml --vary speed=2:6:5 --plot ends.svg --out ends.csv >ends.txt 2>stderr
check 'exit 1' test $? -eq 1
has 'The table ends early: no steady motion' ends.svg
check 'what there is' test "$(grep -c '^3,' ends.csv)" -eq 2

# ---- next to a fast eigenvalue a slow one may not be distinguishable from 0: that is not a crossing, wherever the rows of the table are
cat >critical.yaml <<'END'
bodies: {car: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: car, axis: x, rate: 3}}
states:
  slow: {rate: "0.1*(x' - 6)*slow"}
  calm: {rate: -2*calm}
  fast: {rate: -1e5*fast}
outputs: {speed: x.rate}
simulate: {steady: {speed: 3}}
END
sed "s/0.1.(x' - 6)/0.02*x'/" critical.yaml >nocritical.yaml
sed "s/0.1.(x' - 6)/-0.02*(x' - 6)^2/" critical.yaml >touching.yaml
for range in 3:9:3 3:9:7 3:9:13 9:3:13 3:9:25 3.3:9:12 3:9:61 4.99:9:5 3:6.5:12; do
  check "one critical speed, $range" "$CAMBER" linearize critical.yaml --vary "speed=$range" --json >critical.json
  check "it is 6, $range" python3 -c 'import json
critical = json.load(open("critical.json"))["critical"]
assert len(critical) == 1 and abs(critical[0] - 6) < 1e-6, critical'
done
for model in nocritical touching; do
  for range in 3:9:7 9:3:7 3:9:25 3:6.5:12; do
    check "$model: $range" "$CAMBER" linearize $model.yaml --vary "speed=$range" --json >critical.json 2>stderr
    check "no critical speed: $model $range" grep -q '"critical": *\[\]' critical.json
  done
done
check 'a row on 0' "$CAMBER" linearize touching.yaml --vary speed=3:9:7 --json >critical.json 2>stderr
has 'at speed = 6 an eigenvalue is too small to be distinguished from 0 (below 0.1 1/s)' stderr
has 'at speed = 6 an eigenvalue is too small to be distinguished from 0' critical.json
check 'unstable at all speeds' "$CAMBER" linearize nocritical.yaml --vary speed=3:9:7 --out slow.csv >critical.txt
check 'slow eigenvalues' python3 -c 'import csv
slow = {float(r["speed"]): float(r["re"]) for r in csv.DictReader(open("slow.csv")) if r["moves"] == "slow"}
assert len(slow) == 7 and all(abs(re - 0.02 * u) < 1e-9 for u, re in slow.items()), slow'
# A weak spring next to one of 1e10 N/m is within the rounding errors of the other: between 5 and 7 m/s, where λ² + 0.02 λ + 0.01 (6 − speed) = 0, the stability of no row is reported.
cat >sway.yaml <<'END'
gravity: [0, 0, 0]
points: {G: [0, 0, 0]}
bodies:
  car: {mass: 1, com: G, inertia: [1, 1, 1]}
  load: {mass: 1, com: G, inertia: [1, 1, 1]}
  stiff: {mass: 1, com: G, inertia: [1, 1, 1]}
joints:
  x: {type: prismatic, child: car, axis: x, rate: 3}
  y: {type: prismatic, parent: car, child: load, axis: y}
  z: {type: prismatic, parent: car, child: stiff, axis: z, stiffness: 1e10, damping: 1e3}
forces: {weak: {type: load, on: load@G, force: [0, "0.01*(x' - 6)*y - 0.02*y'", 0]}}
outputs: {speed: x.rate}
simulate: {steady: {speed: 3}}
END
check 'rows in the band' "$CAMBER" linearize sway.yaml --vary speed=3:9:25 >sway.txt 2>stderr
check 'no edge of the band is critical' test "$(grep -c '^  critical' sway.txt)" -eq 0
check "which rows: $(cat stderr)" grep -qE 'between speed = (4.75|5|5.25) and (6.75|7|7.25|7.5) an eigenvalue is too small' stderr

# The pair p, r passes 0 at 5.18 m/s. The motion is then already unstable because of `b`, below 5.28 m/s; there `b` cannot be distinguished from 0 because of its coupling with `a`.
cat >hidden.yaml <<'END'
bodies: {car: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: car, axis: x, rate: 9}}
states:
  a: {rate: "-0.11*(x' - 4.7)*a + 1000*b"}
  b: {rate: "-0.07*(x' - 3.71)*(x' - 5.28)*b"}
  p: {rate: "-0.002*(x' - 5.18)*(x' - 4.24)*(x' - 3.51)*p - 0.145*r"}
  r: {rate: "-0.002*(x' - 5.18)*(x' - 4.24)*(x' - 3.51)*r + 0.145*p"}
  fast: {rate: -5e4*fast}
outputs: {speed: x.rate}
simulate: {steady: {speed: 9}}
END
check 'one hides' "$CAMBER" linearize hidden.yaml --vary speed=9:3:5 --json >critical.json 2>stderr
check 'what may be unstable already has no critical speed' grep -q '"critical": *\[\]' critical.json
has 'between speed = 6 and 4.5 an eigenvalue is too small to be distinguished from 0' stderr

# Between 6 and 9 m/s `slow` passes 0 while `other` makes the motion unstable, and `other` passes 0 twice: the crossings that are found must explain why
# the motion is stable at 9 m/s, also if the table has no rows between.
cat >crowded.yaml <<'END'
bodies: {car: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: car, axis: x, rate: 3}}
states:
  slow: {rate: "-0.0014*(x' - 7.226)*slow"}
  other: {rate: "-0.0039*(x' - 4.202)*(x' - 6.617)*(x' - 8.184)*other"}
  fast: {rate: -3.6e5*fast}
outputs: {speed: x.rate}
simulate: {steady: {speed: 3}}
END
for range in 3:9:3 3:9:13; do
  check "crowded, $range" "$CAMBER" linearize crowded.yaml --vary "speed=$range" >critical.txt
  has 'critical speed  8.184' critical.txt
done

# ---- the benchmark bicycle (Meijaard, Papadopoulos, Ruina and Schwab 2007, table 1), whose wheels roll with viscous slip: all tables give the same
# weave and capsize speeds, which converge to those of ideal rolling as the slip becomes small
cat >bicycle.yaml <<'END'
parameters: {w: 1.02, c: 0.08, tilt: pi/10, rR: 0.3, rF: 0.35, k: 1e8, b: 1e5, v0: 4}
points: {R: [0, 0, rR], F: [w, 0, rF], B: [0.3, 0, 0.9], H: [0.9, 0, 0.7], S: [w + c, 0, 0]}
bodies:
  rear: {mass: 2, com: R, inertia: [0.0603, 0.12, 0.0603]}
  frame: {mass: 85, com: B, inertia: [9.2, 11, 2.8, 0, -2.4, 0]}
  fork: {mass: 4, com: H, inertia: [0.05892, 0.06, 0.00708, 0, 0.00756, 0]}
  front: {mass: 3, com: F, inertia: [0.1405, 0.28, 0.1405]}
joints:
  ride: {type: free, child: frame, at: R, start: [0, 0, -461/k], rate: [v0, 0, 0, 0, 0, 0]}
  rear_spin: {type: revolute, parent: frame, child: rear, at: R, axis: y, rate: v0/rR}
  steer: {type: revolute, parent: frame, child: fork, at: S, axis: [-sin(tilt), 0, cos(tilt)]}
  front_spin: {type: revolute, parent: fork, child: front, at: F, axis: y, rate: v0/rF}
forces:
  tr: {type: tyre, on: rear@R, axis: y, radius: rR, stiffness: k, damping: 2000}
  tf: {type: tyre, on: front@F, axis: y, radius: rF, stiffness: k, damping: 2000}
  sr: {type: load, on: rear@R, force: [rX, rY, 0], torque: [-(tr.pz - rear.z)*rY, (tr.pz - rear.z)*rX, (tr.px - rear.x)*rY - (tr.py - rear.y)*rX]}
  sf: {type: load, on: front@F, force: [fX, fY, 0], torque: [-(tf.pz - front.z)*fY, (tf.pz - front.z)*fX, (tf.px - front.x)*fY - (tf.py - front.y)*fX]}
measures:
  rX: -b*(rear.vx + rear.wy*(tr.pz - rear.z) - rear.wz*(tr.py - rear.y))
  rY: -b*(rear.vy + rear.wz*(tr.px - rear.x) - rear.wx*(tr.pz - rear.z))
  fX: -b*(front.vx + front.wy*(tf.pz - front.z) - front.wz*(tf.py - front.y))
  fY: -b*(front.vy + front.wz*(tf.px - front.x) - front.wx*(tf.pz - front.z))
outputs: {speed: frame.vx}
simulate: {steady: {speed: 4}, free: 'rear_spin,front_spin'}
END
for range in 3:8:6 3:8:11 3:8:101 8:3:26; do
  check "the bicycle, $range" "$CAMBER" linearize bicycle.yaml --vary "speed=$range" --json >"bicycle-$range.json"
done
# at 6 m/s the eigenvalue -0.004 1/s is within rounding errors of eigenvalues of about 10^7 1/s; the table has no row near this speed
check 'with less slip' "$CAMBER" linearize bicycle.yaml --vary speed=3:8:12 --set b=1e7 --set k=1e9 --json >rolling.json
check 'weave and capsize' python3 - <<'END'
import glob, json
ideal = (4.292382536341, 6.024262015388)
tables = [sorted(json.load(open(f))["critical"]) for f in glob.glob("bicycle-*.json")]
for speeds in tables:
    assert len(tables) == 4 and len(speeds) == 2, tables
    assert all(abs(a - b) < 1e-6 for a, b in zip(speeds, tables[0])), tables
    assert all(abs(a - b) < 6e-3 for a, b in zip(speeds, ideal)), speeds
speeds = json.load(open("rolling.json"))["critical"]
assert len(speeds) == 2 and all(abs(a - b) < 7e-5 for a, b in zip(speeds, ideal)), speeds
END

# ---- wrong arguments
refused() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" linearize waves.yaml "$@" >report 2>stderr
  check "$*: exit 2" test $? -eq 2
  has "$words" stderr
}
refused "--plot of 'camber linearize' draws eigenvalues over a value: it needs --vary" --plot x.svg
for option in '--bode x.svg' '--step-response x.svg'; do
  # shellcheck disable=SC2086
  refused "cannot be used with ${option% *}" --vary speed=2:3:2 $option
done
refused 'cannot be used with --inputs and --outputs' --vary speed=2:3:2 --inputs drive
for option in '--method mdop5' '--rtol 1e-3' '--atol 1e-3' '--option projection=every'; do
  # shellcheck disable=SC2086
  refused "${option% *} is for a simulation, and cannot be used with --vary" --vary speed=2:3:2 $option
done
refused "option --out is 'x.mat'; expected a file name that ends in .csv" --vary speed=2:3:2 --out x.mat
refused "cannot write 'nowhere/x.svg'" --vary speed=2:3:2 --plot nowhere/x.svg
sed "s/^joints: {/joints: {spin: {type: revolute, parent: car, child: wheel, at: G, axis: y}, /; s/^bodies: {/bodies: {wheel: {mass: 1, com: G, inertia: [1, 1, 1]}, /" \
  waves.yaml >wheel.yaml
"$CAMBER" linearize wheel.yaml --steady speed=2 --steady "spin'=5" >report 2>stderr
check 'a velocity that is not free: exit 2' test $? -eq 2
has "--free spin is missing" stderr
check 'with it' "$CAMBER" linearize wheel.yaml --steady speed=2 --steady "spin'=5" --free spin >report
# of a ball joint, which is neither the first nor the last joint, the joint is named
cat >balls.yaml <<'END'
bodies:
  first: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  second: {mass: 1, com: [0, 0, 1], inertia: [1, 2, 3]}
  third: {mass: 1, com: [0, 0, 2], inertia: [1, 1, 1]}
  fourth: {mass: 1, com: [0, 0, 4], inertia: [1, 1, 1]}
joints:
  way: {type: prismatic, child: first, axis: x}
  ball: {type: spherical, orientation: euler, parent: first, child: second, at: [0, 0, 0]}
  tip: {type: spherical, orientation: euler, parent: second, child: third, at: [0, 0, 2]}
  end: {type: revolute, parent: third, child: fourth, at: [0, 0, 3], axis: x}
END
for velocity in tip.wx tip.wy tip.wz end; do
  "$CAMBER" linearize balls.yaml --steady "$velocity'=2" >report 2>stderr
  check "$velocity: exit 2" test $? -eq 2
  has "unless '${velocity%.*}' is among the free coordinates; --free ${velocity%.*} is missing" stderr
done
# start rates of joints that are neither carried nor free become 0, wherever they are in the list; others stay where nothing determines them
cat >rates.yaml <<'END'
gravity: [0, 0, 0]
bodies:
  first: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  second: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  third: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  fourth: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
joints:
  way: {type: prismatic, child: first, axis: x, rate: 2}
  still: {type: revolute, parent: first, child: second, at: [0, 0, 0], axis: x, rate: 3}
  spin: {type: revolute, parent: first, child: third, at: [0, 0, 0], axis: x, rate: 4}
  last: {type: revolute, parent: first, child: fourth, at: [0, 0, 0], axis: x, rate: 5}
END
"$CAMBER" linearize rates.yaml --steady "spin'=4" --free spin --json >report
check 'rates that are not free are 0' python3 -c "import json; assert json.load(open('report'))['v'] == [2, 0, 4, 0]"

# ---- exported code does not start in the steady motion; a message states this
sed 's/^simulate: .*/simulate: {trim: drive, steady: {speed: 3}}/' waves.yaml >export.yaml
check 'export' "$CAMBER" export c export.yaml -o exported >report 2>stderr
has "exported code starts from the model's start values" stderr
check 'said once' test "$(grep -c 'steady motion' stderr)" -eq 1

# ---- a car with the bundled double wishbone stays in its steady motion
check 'the car' python3 - "$SOURCE_DIR/models/double-wishbone.yaml" <<'END'
import sys
text = open(sys.argv[1]).read()
def put(old, new):
    global text
    assert text.count(old) == 1, old
    text = text.replace(old, new)
put("heave: {type: prismatic, child: chassis, axis: z, coordinates: [z]}", "road: {type: free, child: chassis, at: G, rate: [15, 0, 0, 0, 0, 0]}")
put("\npoints:\n", "\npoints:\n  G: [0, 0, 0.213]\n  F: [1.2, 0, -0.2]\n  R: [-1.5, 0, -0.2]\n")
put("{mass: chassis_mass, com: [0, 0, 0.213]}", "{mass: 1500, com: [0, 0, 0.213], inertia: [500, 2000, 2500]}")
inputs = text[text.index("# Height of the wheel's"):text.index("forces:\n")]
put(inputs, """inputs: {steer: '0', drive: '0'}
measures:
  n: sqrt(chassis.x_x^2 + chassis.x_y^2)
  hx: chassis.x_x/n
  hy: chassis.x_y/n
  u: chassis.vx*hx + chassis.vy*hy
  w: chassis.vy*hx - chassis.vx*hy
  st: -8e4*(hub.vy*hx - hub.vx*hy)/u
  sf: 80000*(steer - (w + 1.2*chassis.wz)/u)
  sr: 90000*(1.5*chassis.wz - w)/u
""")
put("[0, 0, tyre_stiffness*(road + tyre_deflection - hub.z - 0.026289) + tyre_damping*(climb - hub.vz)]",
    "[-hy*st, hx*st, 'tyre_stiffness*(tyre_deflection - hub.z - 0.026289) - tyre_damping*hub.vz']")
put("  tyre: {", """  front: {type: load, on: chassis@F, force: [-hy*sf, hx*sf, 0]}
  rear: {type: load, on: chassis@R, force: ['hx*(drive - 2*u^2) - hy*sr', 'hy*(drive - 2*u^2) + hx*sr', 0]}
  ride: {type: load, on: chassis@G, force: ['0', '0', '9e3 - 9e4*(chassis.z - 0.213) - 8e3*chassis.vz'],
         torque: ['5e4*chassis.z_y - 4e3*chassis.wx', '-5e4*chassis.z_x - 4e3*chassis.wy', '0']}
  tyre: {""")
put("outputs:\n", "outputs:\n  speed: u\n  r: chassis.wz\n  lean: chassis.z_y*hx - chassis.z_x*hy\n")
text = text[:text.index("shapes:")] + "simulate: {method: sdirk4, t-end: 1, rtol: 1e-8, trim: 'drive,steer', steady: {speed: 15, r: 0}}\n"
open("wishbone.yaml", "w").write(text)
END
for r in 0 0.2; do
  check "steady at r = $r" "$CAMBER" run wishbone.yaml --steady speed=15 --steady r=$r --out wishbone.csv --quiet >report
  check "it stays at r = $r" python3 - $r <<'END'
import csv, sys
rows = list(csv.DictReader(open("wishbone.csv")))
turn = float(sys.argv[1])
assert len(rows) > 2 and float(rows[-1]["t"]) == 1
for name, size in (("speed", 15), ("r", 0.2), ("lean", 0.1), ("wheel", 0.01), ("spring_force", 7500), ("side_force", 1500), ("tyre_force", 4500)):
    x = [float(row[name]) for row in rows]
    assert max(x) - min(x) < 1e-7 * size, (name, min(x), max(x))
assert abs(float(rows[0]["r"]) - turn) < 1e-9 and abs(float(rows[0]["speed"]) - 15) < 1e-9
END
done

# Straight ahead, deviations of the speed u decay because of the drag with the rate d(2 u²)/du divided by the mass of all bodies; the eigenvalues of the bushings are 2·10⁷ times faster.
check 'eigenvalues of the car' "$CAMBER" linearize wishbone.yaml --json >wishbone.json
check 'the drag is seen' python3 - <<'END'
import json
mass = 1500 + 23.965 + 5.813 + 90.555
slow = [e["re"] for e in json.load(open("wishbone.json"))["eigenvalues"] if not e["neutral"] and abs(e["re"]) < 0.1]
assert len(slow) == 1 and abs(slow[0] * mass / (4 * 15) + 1) < 1e-4, slow
END

# Outputs that depend on the root of an equation and on a table: their derivatives are computed in a copy of the expression graph.
cat >root.yaml <<'END'
bodies: {c: {mass: 2, box: [1, 1, 1], at: [0, 0, 0]}}
joints: {x: {type: prismatic, child: c, axis: x, rate: 3}}
inputs: {u: 0}
tables: {curve: {kind: spline, points: [[0, 0], [2, 1], [4, 5]]}}
implicit: {w: {equation: w + 0.1*w^3 - c.vx, start: c.vx}}
forces: {l: {type: load, on: {body: c, at: [0, 0, 0]}, force: [u - 0.5*w, 0, 0]}}
outputs: {sp: c.vx, F: w, T: curve(w)}
END
check "roots and tables" "$CAMBER" linearize root.yaml --steady sp=3 --trim u >report
check "what is trimmed" python3 - <<'END'
import re
w = 2.0
for _ in range(50):
    w -= (w + 0.1 * w**3 - 3) / (1 + 0.3 * w * w)
u = float(re.search(r"; u ([-+.e0-9]+)", open("report").read()).group(1))
assert abs(u - w / 2) < 1e-7, (u, w / 2)
END

for command in run linearize; do
  "$CAMBER" "$command" root.yaml --steady sp=3 --trim u --json >"$command.json"
done
check "what is trimmed is in the objects of run and linearize" python3 - <<'END'
import json, re
u = float(re.search(r"; u ([-+.e0-9]+)", open("report").read()).group(1))
for command in "run", "linearize":
    found = json.load(open(command + ".json"))["trim"]
    assert list(found) == ["u"] and abs(found["u"] - u) < 1e-8, found
END
"$CAMBER" run root.yaml --json >plain.json
check "without the option there is none" python3 -c 'import json, sys; sys.exit("trim" in json.load(open("plain.json")))'

# ---- a value that is found must be valid for the parameter; messages print numbers with enough digits to show their difference
cat >range.yaml <<'END'
parameters: {F: {value: 1, least: 0, most: 3}}
bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {j: {type: prismatic, child: b, axis: x, rate: 1, damping: 10}}
forces: {l: {type: load, on: {body: b, at: [0, 0, 0]}, force: [F, 0, 0]}}
outputs: {vel: b.vx}
simulate: {t-end: 0.1}
END
check 'within its range' "$CAMBER" run range.yaml --live F --steady vel=0.2 --trim F
"$CAMBER" run range.yaml --live F --steady vel=2 --trim F >stdout 2>stderr
check "out of its range, exit code" [ $? -eq 2 ]
check "out of its range: $(cat stderr)" grep -qE "parameter 'F': .* is (20|19\.9{6,}[0-9]*|20\.0{6,}[0-9]*); expected at most 3$" stderr
"$CAMBER" check range.yaml --set F=3.0000000001 >stdout 2>stderr
check "barely out of its range: $(cat stderr)" grep -qF 'is 3.0000000001; expected at most 3' stderr

finish

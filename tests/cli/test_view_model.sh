#!/usr/bin/env bash
# Pages of models (camber view MODEL), without a browser: positions of the sliders against closure equations, loops are closed in all positions, modes against
# closed forms, mechanisms that cannot be assembled, texts of the user, wrong arguments. A script of one line takes the place of the viewer.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"
# shellcheck source=../support/pages.sh
. "$SOURCE_DIR/tests/support/pages.sh"

cat >look.py <<'END'
"""look.py FILE.html EXPRESSION: of a page of a model with `whole` (its object), `model`, `slider(name)`, `modes`, `point(frames, k, body, at)`."""
import json, math, re, sys
from math import acos, atan2, cos, dist, pi, sin, sqrt

from page import load, near, numbers, point_of

page, scripts = load(sys.argv[1])
whole = json.loads(scripts[0])
r, model = whole["reports"][0], whole["model"]
scene = r["scene"]
bodies = [b["name"] for b in scene["bodies"]]
MEET = ("fixed", "revolute", "universal", "spherical", "constant-velocity")


def read(frames):
    made = {"t": numbers(frames["t"], "d"), "poses": numbers(frames["poses"], "f"), "count": frames["count"]}
    assert len(made["t"]) == frames["count"] and len(made["poses"]) == 7 * frames["count"] * len(bodies)
    return made


start = read(r["frames"])
sliders = {s["name"]: s | {"frames": read(s["frames"])} for s in whole.get("sliders", {}).get("list", [])}
slider = sliders.__getitem__
modes = [m | {"frames": read(m["frames"])} if "frames" in m else m for m in whole.get("modes", {}).get("list", [])]
outputs = [o["name"] for o in whole.get("sliders", {}).get("outputs", [])]


def output(s, name):
    return numbers(s["outputs"], "f")[outputs.index(name)::len(outputs)]


def pose(frames, k, b):
    i = 7 * (k * len(bodies) + b)
    return frames["poses"][i:i + 3], frames["poses"][i + 3:i + 7]


def point(frames, k, body, at):
    """Where a point of the design position is: place + R (at - com)."""
    b = bodies.index(body) if isinstance(body, str) else body
    if b < 0:
        return at
    return point_of(pose(frames, k, b), scene["bodies"][b]["com"], at)


def turn(frames, k, body):
    """The angle about -y, of a body that turns in the plane."""
    _, (x, y, z, w) = pose(frames, k, bodies.index(body))
    return -2 * atan2(y, w)


def turned(frames, k, b):
    """By how much a body has turned from the start, about whatever axis."""
    (_, p), (_, q) = pose(start, 0, b), pose(frames, k, b)
    return 2 * acos(min(1, abs(sum(x * y for x, y in zip(p, q)))))


def families():
    return [start] + [s["frames"] for s in sliders.values()] + [m["frames"] for m in modes if "frames" in m]


def gap(frames, k, loop):
    """Of two points that are to meet, or to stay apart by what they are in the design position."""
    now = dist(*(point(frames, k, p["body"], p["at"]) for p in loop["points"]))
    return now if loop["type"] in MEET else abs(now - dist(*(p["at"] for p in loop["points"])))


def joint_gap(frames, k, j):
    return dist(point(frames, k, j["parent"], j["at"]), point(frames, k, j["child"], j["at"]))


def widest():
    """Of all loops and joints that hold points together, in all positions of the page."""
    loops = [l for l in scene["loops"] if l["type"] in MEET + ("distance",) and len(l["points"]) == 2]
    joints = [j for j in scene["joints"] if j["type"] in MEET]
    return max([gap(f, k, l) for f in families() for k in range(f["count"]) for l in loops]
               + [joint_gap(f, k, j) for f in families() for k in range(f["count"]) for j in joints])


def circle(x, z, r, u, w, s, before):
    """Where circles about (x, z) and (u, w) meet: of two places that nearer to the one before."""
    d = math.hypot(u - x, w - z)
    a = (r * r - s * s + d * d) / (2 * d)
    h = sqrt(max(r * r - a * a, 0))
    mx, mz = x + a * (u - x) / d, z + a * (w - z) / d
    two = [(mx + e * h * (w - z) / d, mz - e * h * (u - x) / d) for e in (1, -1)]
    return min(two, key=lambda p: dist(p, before))


def four_bar(s, crank, coupler, rocker, ground, phase):
    """Where the end of the rocker is at all positions, from the start on in both directions: the branch is that of the start."""
    t, found = s["frames"]["t"], {}
    first = min(range(len(t)), key=lambda k: abs(t[k] - s["start"]))
    at_first = point(s["frames"], first, "rocker", next(l for l in scene["loops"])["points"][1]["at"])
    for step in (1, -1):
        before = (at_first[0], at_first[2])
        for k in range(first, len(t) if step > 0 else -1, step):
            a = t[k] + phase
            found[k] = before = circle(crank * cos(a), crank * sin(a), coupler, ground, 0, rocker, before)
    return found


def is_four_bar(s, *lengths):
    at = next(l for l in scene["loops"])["points"][1]["at"]
    places = [point(s["frames"], k, "rocker", at) for k in range(s["frames"]["count"])]
    wanted = four_bar(s, *lengths)
    return all(dist((p[0], p[2]), wanted[k]) < 2e-6 for k, p in enumerate(places)) and len(places) > 40


if not eval(sys.argv[2]):
    sys.exit(f"{sys.argv[1]}: not true: {sys.argv[2]}")
END
look() { check "$1: $2" python3 look.py "$@"; }
view() {
  "$CAMBER" view "$@" >stdout 2>stderr
  check "view $*: $(cat stderr)" [ $? -eq 0 ]
}
fails() { # CODE WORDS ARGUMENT...
  local wanted=$1 words=$2 code
  shift 2
  "$CAMBER" "$@" >stdout 2>stderr
  code=$?
  check "[$*]: exit code $code" [ $code -eq "$wanted" ]
  check "[$*]: $(cat stderr)" grep -qF -- "$words" stderr
}

# ---- a pendulum: a full turn, positions of the bob, outputs that are functions of the position
view simple-pendulum
check "the summary: $(cat stdout)" grep -qx 'simple-pendulum: 1 degree of freedom, 1 slider, 1 mode' stdout
check "the summary names the page" grep -qx '  page         simple-pendulum.html: open it in a browser' stdout
look simple-pendulum.html 'whole["schema"] == 2 and whole["kind"] == "model" and len(whole["reports"]) == 1 and model["state"] == "start" and model["failure"] is None'
look simple-pendulum.html 'not re.search(r"(src|href)\s*=|https?:", page) and scripts[1].strip() == "viewer();"'
look simple-pendulum.html '(lambda s: s["unit"] == "rad" and abs(s["start"] - pi / 3) < 1e-12 and near((s["frames"]["t"][0], s["frames"]["t"][-1]), (pi / 3 - pi, pi / 3 + pi), 1e-9) and s["low"]["why"] == s["high"]["why"] == "chosen")(slider("phi"))'
look simple-pendulum.html '(lambda f: f["count"] == 81 and all(dist(point(f, k, "bob", [0, 0, -1]), (sin(a), 0, -cos(a))) < 1e-6 for k, a in enumerate(f["t"])))(slider("phi")["frames"])'
look simple-pendulum.html 'near(output(slider("phi"), "x"), [sin(a) for a in slider("phi")["frames"]["t"]], 1e-7) and "hinge_x" not in outputs and "kinetic" not in outputs'

# ---- which forces are drawn as springs, which as dampers
cat >forces.yaml <<'END'
points: {O: [0, 0, 0], E: [0, 0, 2]}
bodies: {b: {mass: 1, com: [0, 0, 1]}}
joints: {s: {type: prismatic, child: b, at: O, axis: z}}
forces:
  spring: {type: spring, between: [ground@O, b@E], stiffness: 5}
  damper: {type: spring, between: [ground@O, b@E], damping: 2}
  strut: {type: spring, between: [ground@O, b@E], stiffness: 5, damping: 2}
END
view forces.yaml
look forces.yaml.html '[(f["name"], f["elastic"], f["damped"]) for f in scene["forces"]] == [("spring", True, False), ("damper", False, True), ("strut", True, True)]'

# ---- a translation has a range of a quarter of the diagonal of the bounding box of all points, to both sides, for any orientation of the box
for ends in '[30, 0, 40]' '[0, 30, 40]' '[30, 40, 0]' '[50, 0, 0]' '[0, 50, 0]' '[0, 0, 50]'; do
  cat >box.yaml <<END
points: {O: [0, 0, 0], E: $ends}
bodies: {b: {mass: 1, rod: [O, E], radius: 0.01}}
joints: {s: {type: prismatic, child: b, at: O, axis: x, start: 2}}
END
  view box.yaml
  look box.yaml.html 'near([f(slider("s")["frames"]["t"]) for f in (min, max)], [2 - 12.5, 2 + 12.5], 1e-6)'
done

# ---- a four-bar: all positions against intersections of circles, in the branch of the start; its crank makes a full turn
view four-bar
look four-bar.html 'is_four_bar(slider("theta"), 0.10, 0.35, 0.25, 0.30, pi / 2) and near((slider("theta")["frames"]["t"][0], slider("theta")["frames"]["t"][-1]), (-pi, pi), 1e-9)'
look four-bar.html 'widest() < 1e-6 and len(model["redundant"]) == 3 and model["degrees_of_freedom"] == 1'
look four-bar.html 'near(output(slider("theta"), "rocker_angle"), [math.degrees(atan2(z, x - 0.30)) for x, z in (four_bar(slider("theta"), 0.10, 0.35, 0.25, 0.30, pi / 2)[k] for k in range(81))], 1e-3)'

# ---- a four-bar whose crank cannot make a full turn: the range ends where coupler and rocker are on one line, (b + c)² = a² + d² - 2 a d cos
cat >rocker.yaml <<'END'
points: {O: [0, 0, 0], A: [0, 0, 0.2], B: [0.2, 0, 0.2], C: [0.3, 0, 0]}
bodies: {crank: {mass: 1, com: [0, 0, 0.1]}, coupler: {mass: 1, com: [0.1, 0, 0.2]}, rocker: {mass: 1, com: [0.25, 0, 0.1]}}
joints:
  main: {type: revolute, child: crank, at: O, axis: -y, coordinates: [theta]}
  joint_a: {type: revolute, parent: crank, child: coupler, at: A, axis: -y, coordinates: [beta]}
  joint_c: {type: revolute, child: rocker, at: C, axis: -y, coordinates: [psi]}
loops: {close: {type: revolute, between: [coupler@B, rocker@B], axis: y}}
END
view ./rocker.yaml
look rocker.yaml.html '(lambda s: s["high"]["why"] == "loops" and s["low"]["why"] == "chosen" and abs(s["frames"]["t"][-1] + pi / 2 - acos((0.2 ** 2 + 0.3 ** 2 - (0.2 + sqrt(0.05)) ** 2) / (2 * 0.2 * 0.3))) < 1e-6)(slider("theta"))'
look rocker.yaml.html 'widest() < 1e-6 and 80 <= slider("theta")["frames"]["count"] <= 82 and is_four_bar(slider("theta"), 0.2, 0.2, sqrt(0.05), 0.3, pi / 2)'

# ---- a slider-crank without degrees of freedom: the slider is the time, x = r cos a + sqrt(l² - r² sin² a)
view slider-crank
look slider-crank.html 'whole["sliders"]["freedoms"] == 0 and list(sliders) == ["t"] and slider("t")["unit"] == "s" and slider("t")["frames"]["t"][-1] == 0.04 and not modes'
look slider-crank.html '(lambda f: all(abs(point(f, k, "piston", [0.18, 0, 0])[0] - (0.04 * cos(a) + sqrt(0.14 ** 2 - (0.04 * sin(a)) ** 2))) < 1e-7 for k, a in ((k, 100 * pi * t) for k, t in enumerate(f["t"]))))(slider("t")["frames"])'

# ---- mechanisms that cannot move: because of a prescribed motion, or without movable joints
cat >held.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: -y, coordinates: [a]}}
motions: {hold: {coordinate: a, value: 0.3}}
END
view ./held.yaml
check "the summary: $(cat stdout)" grep -qx 'held: 0 degrees of freedom, 0 sliders, 0 modes' stdout
look held.yaml.html 'not sliders and not modes and whole["modes"]["refused"] is None and dist(pose(start, 0, 0)[0], (sin(0.3), 0, -cos(0.3))) < 1e-6'
cat >still.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, 1]}}
joints: {weld: {type: fixed, child: b}}
END
fails 2 "nothing in the model can move" view ./still.yaml
look still.yaml.html 'model["state"] == "design" and model["failure"] and near(pose(start, 0, 0)[0], (0, 0, 1), 1e-9)'

# ---- suspensions and vehicles: closed in all positions, as many sliders as degrees of freedom, joints with one coordinate first
for model in fivelink spatial-four-bar; do
  view $model
  look $model.html 'widest() < 3e-6 and len([s for s in sliders if s != "t"]) == model["degrees_of_freedom"] == whole["sliders"]["freedoms"]'
done
look fivelink.html 'model["state"] == "equilibrium" and {"camber", "toe", "heave"} <= set(outputs) and slider("phi2")["low"]["why"] == "loops"'
look fivelink.html 'near([output(slider("phi2"), "heave")[k] for k in range(0, 60, 7)], [point(slider("phi2")["frames"], k, "carrier", [0, 0.7875, 0.33])[2] - 0.33 for k in range(0, 60, 7)], 1e-6)'
view hmmwv14
look hmmwv14.html 'len(sliders) == 18 and {"body.x", "body about x", "rear_left.lower_arm"} <= set(sliders)'
look hmmwv14.html '(lambda f: near([abs(turned(f, k, 0)) for k in range(f["count"])], [abs(t) for t in f["t"]], 1e-3) and abs(f["t"][-1] - pi / 6) < 1e-9)(slider("body about x")["frames"])'
look hmmwv14.html 'max(joint_gap(f, k, j) for f in families()[:8] for k in range(0, f["count"], 8) for j in scene["joints"] if j["type"] in MEET) < 3e-6'

# ---- a stop ends the range
cat >stop.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}
loops: {buffer: {type: stop, formula: 0.5 - a, restitution: 0.5}}
END
view ./stop.yaml
look stop.yaml.html '(lambda s: s["high"] == {"why": "stop", "stop": "buffer"} and 0 <= 0.5 - s["frames"]["t"][-1] < 1e-3 and s["low"] == {"why": "chosen"})(slider("a"))'
view newtons-cradle # gaps between balls that just touch are closed from the start by rounding; that of the lifted ball is not, and ends its range
look newtons-cradle.html '(lambda s: s["low"] == {"why": "stop", "stop": "c12"} and 0 <= s["frames"]["t"][0] < 1e-3 and s["frames"]["t"][-1] > 3)(slider("ball1.a"))'
look newtons-cradle.html 'slider("ball2.a")["high"]["why"] == "stop" and slider("ball2.a")["high"]["stop"] == "c12"'
# balls that touch do not pass through each other: centres, 0.1 m apart at the start, come no nearer along x in any position
look newtons-cradle.html 'all(point(f, k, f"ball{i + 1}.bob", [0.1 * i, 0, 0])[0] - point(f, k, f"ball{i}.bob", [0.1 * (i - 1), 0, 0])[0] > 0.1 - 1e-6 for f in families() for k in range(f["count"]) for i in range(1, 5))'
look newtons-cradle.html '[(slider(f"ball{i}.a")["low"].get("stop"), slider(f"ball{i}.a")["high"].get("stop")) for i in range(2, 6)] == [("c23", "c12"), ("c34", "c23"), ("c45", "c34"), (None, "c45")]'
look newtons-cradle.html 'slider("ball3.a")["frames"]["count"] == 1 and slider("ball5.a")["frames"]["t"][0] < -3'

# ---- modes of a double pendulum by hand: omega² = (g/l)(2 -+ sqrt 2), turns of the lower rod +- sqrt 2 times those of the upper one
cat >double.yaml <<'END'
gravity: [0, 0, -9.81]
bodies: {upper: {mass: 1, com: [0, 0, -0.5]}, lower: {mass: 1, com: [0, 0, -1]}}
joints:
  p: {type: revolute, child: upper, at: [0, 0, 0], axis: -y, coordinates: [a]}
  q: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y, coordinates: [b]}
END
view ./double.yaml
look double.yaml.html 'near([m["im"] ** 2 for m in modes], [9.81 / 0.5 * (2 - sqrt(2)), 9.81 / 0.5 * (2 + sqrt(2))], 1e-9) and not any(m["neutral"] for m in modes)'
look double.yaml.html 'near([turn(m["frames"], 0, "lower") / turn(m["frames"], 0, "upper") for m in modes], [sqrt(2), -sqrt(2)], 1e-5)'
look double.yaml.html 'all(near([turn(m["frames"], k, "upper") for k in range(25)], [turn(m["frames"], 0, "upper") * cos(2 * pi * k / 24) for k in range(25)], 1e-6) for m in modes)'
look double.yaml.html 'abs(model["size"] - 1) < 1e-9'
look double.yaml.html '0.09 < max(dist(point(modes[0]["frames"], 0, b, at), at) for b, at in (("upper", [0, 0, -0.5]), ("lower", [0, 0, -1]))) / model["size"] < 0.11'
look double.yaml.html 'abs(whole["modes"]["acceleration"]) < 1e-9 and model["state"] == "start"'

# ---- a mode that decays, a neutral one; a state that is not an equilibrium; models without modes
cat >real.yaml <<'END'
gravity: [0, 0, 0]
points: {O: [0, 0, 0], P: [1, 0, 0]}
bodies: {b: {mass: 2, com: P}, c: {mass: 1, com: [0, 0, 1]}}
joints: {x: {type: prismatic, child: b, axis: x, coordinates: [s]}, y: {type: prismatic, child: c, axis: x, coordinates: [u]}}
forces: {pot: {type: spring, between: [ground@O, b@P], damping: 8}}
END
view ./real.yaml
look real.yaml.html '[m["neutral"] for m in modes].count(True) == 3 and abs([m for m in modes if not m["neutral"]][0]["re"] + 4) < 1e-9'
look real.yaml.html '(lambda f: near([(pose(f, k, 0)[0][0] - 1) / (pose(f, 0, 0)[0][0] - 1) for k in range(25)], [math.exp(-4 * k / 24) for k in range(25)], 1e-5))([m for m in modes if not m["neutral"]][0]["frames"])'
look four-bar.html 'abs(whole["modes"]["acceleration"]) > 1 and whole["modes"]["acceleration_of"]'
view stick-slip
check "why there are no modes: $(cat stderr)" grep -q "^camber: warning: there are no modes: .*sticks" stderr
look stick-slip.html 'not modes and "sticks" in whole["modes"]["refused"] and sliders'

# ---- a wrong hardpoint: the page is written, with the open loop, and the exit code is 2
cp "$SOURCE_DIR/tests/support/open-four-bar.yaml" bad.yaml
fails 2 "./bad.yaml:8:9: loop 'close' cannot close at the start" view ./bad.yaml
check "what is shown: $(cat stdout)" grep -qx 'bad: not assembled; shown as it was given' stdout
look bad.yaml.html 'model["state"] == "given" and "cannot close" in model["failure"] and [o["name"] for o in model["open"]] == ["close"] and abs(abs(model["open"][0]["off"]) - 0.5) < 1e-12'
look bad.yaml.html '"sliders" not in whole and "modes" not in whole and abs(gap(start, 0, scene["loops"][0]) - 0.5) < 1e-6'
cat >contradiction.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, 2]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}
motions: {one: {coordinate: a, value: t}, two: {coordinate: a, value: 2*t}}
END
fails 2 "contradicts" view ./contradiction.yaml
look contradiction.yaml.html 'model["state"] == "design" and "contradicts" in model["failure"] and near(pose(start, 0, 0)[0], (0, 0, 2), 1e-9) and pose(start, 0, 0)[1] == (0, 0, 0, 1)'

# ---- an equilibrium that does not exist: the page shows the start values, and the exit code is that of a failure
cat >falls.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, 2]}}
joints: {j: {type: prismatic, child: b, axis: z, coordinates: [z]}}
END
fails 1 "equilibrium" view ./falls.yaml --equilibrium
look falls.yaml.html 'model["state"] == "start" and "equilibrium" in model["failure"] and list(sliders) == ["z"]'

# ---- all formulations give the same page; start values are those of the command line
view double-pendulum -o joints.html
view double-pendulum --formulation cartesian -o bodies.html
check "the same page" cmp -s joints.html bodies.html
view ./double.yaml --start b=0.2 -o set.html
look set.html 'abs(slider("b")["start"] - 0.2) < 1e-12 and abs(turn(start, 0, "lower") - 0.2) < 1e-6'

# ---- texts of the user are shown as texts
cat >hostile.yaml <<'END'
title: '</script><script>alert("1")</script><!-- & '' <b>bold</b>'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}
outputs: {y: {value: a, unit: '</script><img src=x onerror=alert(2)>'}}
END
view ./hostile.yaml
look hostile.yaml.html 'len(scripts) == 2 and page.count("<script") == 2 and "<img" not in page and "<!--" not in page and "<b>" not in page'
look hostile.yaml.html 'r["title"].startswith("</script><script>alert") and whole["sliders"]["outputs"][0]["unit"].startswith("</script><img")'

# ---- wrong arguments
fails 2 "expected a file name that ends in" view fivelink -o page.txt
cp still.yaml model.html
fails 2 "would be overwritten" view ./model.html -o model.html
check "the model stays" cmp -s model.html still.yaml
printf 'include: [part.html]\n' >whole.yaml
cp still.yaml part.html
fails 2 "a file of the model" view ./whole.yaml -o part.html
check "the part stays" cmp -s part.html still.yaml
CAMBER_VIEWER=$PWD/none.js fails 2 "none.js' cannot be read: No such file" view fivelink -o none.html
check "nothing was written" [ ! -e none.html ]
fails 2 "is a problem written in C" view caraxis
fails 2 "missing.yaml" view ./missing.yaml
mkdir folder.html
fails 2 "folder.html" view ./still.yaml -o folder.html

# ---- a disk that is full: the older page stays
printf 'old\n' >full.html
(
  trap '' XFSZ
  ulimit -f 20
  exec "$CAMBER" view fivelink -o full.html >stdout 2>stderr
)
check "disk full: exit code 2" [ $? -eq 2 ]
check "disk full: the older file" [ "$(cat full.html)" = old ]
check "disk full: nothing else: $(ls)" [ -z "$(ls ./*.partial 2>/dev/null)" ]

finish

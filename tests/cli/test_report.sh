#!/usr/bin/env bash
# Reports of runs (--html), without a browser: the page, its data against the trajectory of --out, texts of the user, sizes, wrong arguments. A
# script of one line takes the place of the viewer; tests/cli/test_viewer.sh tests the viewer itself.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"
# shellcheck source=../support/pages.sh
. "$SOURCE_DIR/tests/support/pages.sh"

cat >look.py <<'END'
"""look.py FILE.html EXPRESSION: of a page with `page` (the text), `whole` (its object), `r` (its report), `t`, `column(name)` (of the curves), `frames` (times),
`pose(k, body)` (place and quaternion), `csv(name, column)` (of a file)."""
import json, math, re, sys

from page import csv, load, near, numbers, point_of

page, scripts = load(sys.argv[1])
whole = json.loads(scripts[0])
r = whole["reports"][0]


def columns(table):
    assert all(len(numbers(c["data"], "f")) == table["points"] for c in table["columns"])
    assert len(numbers(table["t"], "d")) == table["points"]
    return {c["name"]: [c["base"] + x for x in numbers(c["data"], "f")] for c in table["columns"]}


t, curves, steps = numbers(r["series"]["t"], "d"), columns(r["series"]), columns(r["steps"])
column = curves.__getitem__
frames = numbers(r["frames"]["t"], "d") if "frames" in r else ()
poses = numbers(r["frames"]["poses"], "f") if "frames" in r else ()
bodies = [b["name"] for b in r["scene"]["bodies"]] if "scene" in r else []


def pose(k, body):
    i = 7 * (k * len(bodies) + bodies.index(body))
    return poses[i:i + 3], poses[i + 3:i + 7]


def point(k, body, at):
    return point_of(pose(k, body), r["scene"]["bodies"][bodies.index(body)]["com"], at)


def at_frames(name):
    """The curve at the times of the frames: both have all samples as long as nothing is thinned."""
    known = dict(zip(t, column(name)))
    return [known[x] for x in frames]


def spring_length(name):
    force = next(f for f in r["scene"]["forces"] if f["name"] == name)
    ends = [[p["at"] if p["body"] < 0 else point(k, bodies[p["body"]], p["at"]) for p in force["points"]] for k in range(len(frames))]
    return [math.dist(a, b) for a, b in ends]


def arrow(name, part=0):
    """A component of a force at the frames; None where it is not known."""
    f = next(f for f in r["forces"] if f["name"] == name)
    x = numbers(f["data"], "h")
    parts = len(x) // len(frames)
    assert len(x) == parts * len(frames) and parts in (1, 3)
    return [None if k == -32768 else k * f["most"] / 32767 for k in x[part::parts]]


if not eval(sys.argv[2]):
    sys.exit(f"{sys.argv[1]}: not true: {sys.argv[2]}")
END
look() { check "$1: $2" python3 look.py "$@"; }

# ---- the five-link suspension on the stair: bodies where the outputs say, lengths of the spring, both sides of events, the road
check "run" "$CAMBER" run fivelink --set stair=1 --html stair.html --out stair.csv >stdout
check "the summary names the report" grep -qx '  report       stair.html' stdout
look stair.html 'page.startswith("<!doctype html>") and page.endswith("</html>\n") and scripts[1].strip() == "viewer();"'
look stair.html 'not re.search(r"(src|href)\s*=|https?:", page)'
look stair.html 'whole["schema"] == 2 and whole["kind"] == "runs" and len(whole["reports"]) == 1 and r["settings"] == {"stair": 1} and r["run"]["status"] == "ok" and r["run"]["method"] == "mdop5"'
look stair.html 'r["run"]["worst"]["position"] < 1e-6 and len(r["run"]["events"]) > 2 and len(bodies) == 7'
look stair.html '[e["text"] for e in r["run"]["events"] if e["kind"] == "contact"][:2] == ["tyre lifts off", "tyre touches"]'
look stair.html 'all(abs(sum(x * x for x in pose(k, b)[1]) - 1) < 1e-6 for k in range(0, len(frames), 50) for b in bodies)'
look stair.html 'near(spring_length("shock"), at_frames("shock_length"), 1e-6)'
look stair.html 'near([point(k, "carrier", [0, 0.7875, 0.33])[2] - 0.33 for k in range(len(frames))], at_frames("heave"), 1e-6)'
look stair.html 'max(spring_length("shock")) - min(spring_length("shock")) > 0.01'
look stair.html 'set(csv("stair.csv", "t")) <= set(t) and frames[-1] == 1'
look stair.html 'all(sum(x == e["t"] for x in t) >= 2 for e in r["run"]["events"])'
look stair.html 'abs(sum(steps["step size"]) - 1) < 1e-6 and set(steps["order"]) == {5}'
look stair.html 'r["surfaces"][0]["moves"] and all(abs(z - (0 if x <= 0.2 else -0.05)) < 1e-6 for x, z in zip(frames, numbers(r["surfaces"][0]["z"], "f")))'
look stair.html 'next(f for f in r["scene"]["forces"] if f["name"] == "tyre")["radius"] == 0.35'
look stair.html 'next(f for f in r["scene"]["forces"] if f["name"] == "shock")["damped"]'

# ---- forces that are shown as arrows equal the outputs, with a resolution of 16 bits
look stair.html '{f["type"] for f in r["forces"]} == {"joint", "loop", "spring", "contact"}'
look stair.html 'near(arrow("shock"), at_frames("shock_force"), 1e-4 * 20000)'
# both sides of each event at which the force of the tyre jumps
look stair.html '(lambda at: all(near(at(frames, arrow("tyre", 2), e["t"]), at(t, column("tyre_force"), e["t"]), 1) for e in r["run"]["events"]) and abs(at(frames, arrow("tyre", 2), r["run"]["events"][0]["t"])[1]) < 1)(
  lambda times, x, e: (lambda sides: [sides[0], sides[-1]])([y for s, y in zip(times, x) if s == e]))'
look stair.html 'len(next(f for f in r["forces"] if f["name"] == "shock")["points"]) == 2 and len(next(f for f in r["forces"] if f["name"] == "mount1")["points"]) == 1'
look stair.html '"arrow_of" not in page'
check "run" "$CAMBER" run simple-pendulum --html hinge.html >stdout
look hinge.html 'near(arrow("hinge", 0), at_frames("hinge_x"), 1e-3) and near(arrow("hinge", 2), at_frames("hinge_z"), 1e-3) and max(arrow("hinge", 2)) > 11'
# not unique: redundant constraints. Friction, which the joint transmits to its block: while it holds and while it slips. A body that rests on a rigid surface
check "run" "$CAMBER" run four-bar --html redundant.html >stdout 2>&1
look redundant.html 'r["forces"] == []'
check "run" "$CAMBER" run stick-slip --html stick.html >stdout
look stick.html 'near(arrow("spring"), at_frames("pull"), 1e-3) and None not in arrow("slide", 0) and len({round(f, 1) for f in arrow("slide", 0)}) > 50'
look stick.html '(lambda jumps: all(abs(f - p) < 2e-3 for f, p, x in zip(arrow("slide", 0), at_frames("friction"), frames) if x not in jumps))({e["t"] for e in r["run"]["events"]})'
look stick.html 'all(abs(f - p) < 2e-3 for f, p, x in zip(arrow("slide", 0), at_frames("pull"), frames) if x < 0.7) # carried along at a constant speed, as much as the spring pulls'
cat >rest.yaml <<'END'
bodies: {ball: {mass: 2, com: [0, 0, 0.3], inertia: [0.01, 0.01, 0.01]}}
joints: {fall: {type: prismatic, child: ball, at: [0, 0, 0.3], axis: z, coordinates: [h]}}
points: {P: [0, 0, 0.3]}
forces: {base: {type: contact, on: ball@P, radius: 0.1, surface: z, restitution: 0.3}}
simulate: {t-end: 1}
END
check "run" "$CAMBER" run rest.yaml --html rest.html >stdout
look rest.html 'abs(arrow("base", 2)[-1] - 2 * 9.81) < 0.01 and arrow("base", 2)[0] == 0'

# an input that is trimmed: u = 4*3 N holds the speed, and lifts as much off the guide
cat >pull.yaml <<'END'
bodies: {c: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {guide: {type: prismatic, child: c, at: [0, 0, 0], axis: x, coordinates: [x], rate: 3}}
inputs: {u: 0}
forces: {drag: {type: load, on: {body: c, at: [0, 0, 0]}, force: ["u - 4*x'", 0, u]}}
outputs: {speed: x', pull: u}
END
check "run" "$CAMBER" run pull.yaml --t-end 1 --steady speed=3 --trim u --html pull.html >stdout
look pull.html 'near(arrow("guide", 2), [2 * 9.81 - 12] * len(frames), 1e-3)'

# ---- a rod has its two end points
cat >rod.yaml <<'END'
points: {A: [0, 0, 0], B: [0.1, 0, 0]}
bodies: {crank: {mass: 0.5, rod: [A, B]}, wheel: {mass: 1, cylinder: [A, B], radius: 0.2}}
joints: {main: {type: revolute, child: crank, at: A, axis: y}, turn: {type: revolute, child: wheel, at: A, axis: x}}
END
"$CAMBER" run rod.yaml --t-end 0.1 --html rod.html >/dev/null
look rod.html '[b["points"] for b in r["scene"]["bodies"]] == [[{"body": 0, "at": [0, 0, 0]}, {"body": 0, "at": [0.1, 0, 0]}], []]'

# ---- a method of variable order; the Cartesian formulation has the same bodies
check "run" "$CAMBER" run double-pendulum --method bdf --html joints.html >stdout
check "run" "$CAMBER" run double-pendulum --method bdf --formulation cartesian --html cartesian.html >stdout
look joints.html 'len(set(steps["order"])) > 2 and max(steps["order"]) <= 5'
look joints.html 'open("places", "w").write(repr([pose(0, b)[0] for b in bodies]))'
look cartesian.html 'all(near(pose(0, b)[0], p, 1e-6) for b, p in zip(bodies, eval(open("places").read())))'

# ---- the road of a vehicle: flat but for the bump, whose top is a line of the grid or lies beside one
check "run" "$CAMBER" run hmmwv14 --t-end 1 --html road.html >stdout 2>&1
look road.html 'len(r["surfaces"]) == 1 and not r["surfaces"][0]["moves"]'
look road.html '(lambda s: max(abs(z - math.sqrt(max(0, 0.05 ** 2 - (x - 4.05) ** 2))) for x, row in zip(s["x"], [numbers(s["z"], "f")[i * len(s["y"]):][:len(s["y"])] for i in range(len(s["x"]))]) for z in row) < 1e-6)(r["surfaces"][0])'
look road.html '(lambda s: max(numbers(s["z"], "f")) > 0.045)(r["surfaces"][0])'

# ---- a long run: memory and file have a limit, the extremes and the end are there
check "run" "$CAMBER" run simple-pendulum --method lie --step 1e-4 --t-end 4 --html long.html --out long.csv >stdout 2>&1
look long.html 'r["series"]["thinned"] and 2000 < r["series"]["points"] <= 8192 and 1000 <= len(frames) <= 2048 and frames[-1] == 4'
look long.html 'all(abs(f(column(n)) - f(csv("long.csv", n))) < 1e-7 * max(map(abs, column(n))) for n in list(curves)[:3] for f in (min, max))'
look long.html 'list(t) == sorted(t) and all(b > a for a, b in zip(frames, frames[1:]))'

# ---- writing a report does not change the run
for model in fivelink newtons-cradle stick-slip wheel-on-slope; do
  "$CAMBER" run $model --json 2>/dev/null | grep -v '"setup"\|"run":' >without.json
  "$CAMBER" run $model --json --html with.html 2>/dev/null | grep -v '"setup"\|"run":' >with.json
  check "$model: the same with a report" cmp -s without.json with.json
done

# ---- a problem written in C has curves and no bodies; a run that fails keeps its results
check "run" "$CAMBER" run caraxis --html caraxis.html >stdout
look caraxis.html '"scene" not in r and "frames" not in r and len(t) > 100 and "xl" in curves'
"$CAMBER" run simple-pendulum --max-steps 5 --html short.html >stdout 2>stderr
check "a run that fails: exit code 1" [ $? -eq 1 ]
look short.html 'r["run"]["status"] != "ok" and r["run"]["message"] and 0 < len(frames) and frames[-1] < 1'

# ---- texts of the user are shown as texts
cat >hostile.yaml <<'END'
title: '</script><script>alert("1")</script><!-- & '' <b>bold</b>'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}
outputs: {y: {value: a, unit: '</script><img src=x onerror=alert(2)>'}}
shapes: [{body: b, sphere: [0, 0, -1], radius: 0.1, colour: '</script>'}]
END
check "run" "$CAMBER" run hostile.yaml --html hostile.html >stdout
look hostile.html 'len(scripts) == 2 and page.count("<script") == 2 and "<img" not in page and "<!--" not in page and "<b>" not in page'
look hostile.html 'r["title"] == "</script><script>alert(\"1\")</script><!-- & '"'"' <b>bold</b>" and "</title>" in page'
look hostile.html 'r["series"]["columns"][0]["unit"].startswith("</script><img") and r["scene"]["shapes"][0]["colour"] == "</script>"'

# ---- wrong arguments
refuse "expected a file name that ends in .html" run fivelink --html report.txt
cp "$SOURCE_DIR/models/simple-pendulum.yaml" model.html
refuse "option --html would overwrite './model.html', a file of the model" run ./model.html --html ./model.html
check "the model stays" cmp -s model.html "$SOURCE_DIR/models/simple-pendulum.yaml"
CAMBER_VIEWER=$PWD/none.js refuse "none.js' cannot be read: No such file" run fivelink --html none.html --out none.csv
check "nothing was written" [ ! -e none.html ] && check "nothing was printed" [ ! -s stdout ]
check "no trajectory" [ ! -e none.csv ]
mkdir folder.html
refuse "folder.html" run fivelink --html folder.html
refuse "takes no option --html" check fivelink --html report.html
refuse "--html and --save" run fivelink --html same.html --save same.html
refuse "--html and --save" run fivelink --html same.html --save ./same.html

# ---- a disk that is full: the older report stays
printf 'old\n' >full.html
(
  trap '' XFSZ
  ulimit -f 20
  exec "$CAMBER" run fivelink --html full.html >stdout 2>stderr
)
check "disk full: exit code 2" [ $? -eq 2 ]
check "disk full: message: $(cat stderr)" grep -q "^camber: cannot write 'full.html'" stderr
check "disk full: the older file" [ "$(cat full.html)" = old ]
check "disk full: nothing else: $(ls)" [ -z "$(ls ./*.partial 2>/dev/null)" ]
check "disk full: the summary names no report" [ "$(grep -c full.html stdout)" -eq 0 ]

# ---- the same where the run cannot go on either: each file that is missing is warned of, and in the words of --json
limited() { # KIB ARGUMENT...: a run that fails, with files of at most that size
  (
    trap '' XFSZ
    ulimit -f "$1"
    exec "$CAMBER" run fivelink "${@:2}" >stdout 2>stderr
  )
}
limited 20 --max-steps 5 --html gone.html
check "failed run, disk full: exit code 1" [ $? -eq 1 ]
check "failed run, disk full: the report: $(cat stderr)" grep -q "^camber: warning: cannot write 'gone.html'" stderr
check "failed run, disk full: what it ended with: $(cat stderr)" grep -q "^camber: .*5 attempted steps" stderr
check "failed run, disk full: the summary names no report" [ "$(grep -c gone.html stdout)" -eq 0 ]
check "failed run, disk full: no report" [ ! -e gone.html ]
limited 20 --max-steps 5 --html gone.html --json
check "failed run, disk full: --json" python3 -c '
import json
x = json.load(open("stdout"))
assert x["status"] != "ok" and "5 attempted steps" in x["message"], x["message"]
assert len(x["warnings"]) == 1 and x["warnings"][0].startswith("cannot write '"'gone.html'"'"), x["warnings"]'
"$CAMBER" run fivelink --max-steps 1 --out small.mat >stdout 2>stderr
limited $(($(stat -c %s small.mat) / 1024 + 10)) --max-steps 100 --out gone.mat
check "failed run, disk full: exit code 1 without a trajectory" [ $? -eq 1 ]
check "failed run, disk full: the trajectory: $(cat stderr)" grep -q "^camber: warning: cannot write 'gone.mat'" stderr
check "failed run, disk full: the summary names no trajectory" [ "$(grep -c gone.mat stdout)" -eq 0 ]

finish

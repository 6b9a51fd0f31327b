#!/usr/bin/env bash
# Plots of runs have exactly the outputs that the model requests, its title, units, a panel for each unit, events with their names, and
# jumps at their times; a note states what is left out, and no text is outside of the picture.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py FILE.svg EXPRESSION: of a picture with `texts`, `labels` (beside the ordinates), `names` (of the legend), `dashed` (names of dashed ones), `letters`,
`panels` (frames), `marks`, `curves` (lists of points)."""
import re, sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
elements = list(root)


def number(e, key):
    return float(e.get(key))


WIDTHS = {"m": 0.97, "w": 0.82, "M": 0.86, "W": 0.99, "=": 0.84, "c": 0.55, "s": 0.52, "z": 0.53, "_": 0.5, "k": 0.58}  # of DejaVu Sans
WIDTHS.update(dict.fromkeys("ijl'", 0.28) | dict.fromkeys(" .,:;|/", 0.33) | dict.fromkeys("frt()[]-", 0.39))
texts, labels, names, letters = [], [], [], []
for e in root.iter(SVG + "text"):
    size = float(e.get("font-size", 11 if "small" in e.get("class", "") else 12))
    length = size * sum(WIDTHS.get(c, 0.62) for c in e.text or "")
    texts.append(e.text or "")
    if e.get("transform"):
        labels.append(e.text)
        continue
    x, y, kind = number(e, "x"), number(e, "y"), e.get("class", "")
    left = x - length if "end" in kind else x - length / 2 if "middle" in kind else x
    if not (0 <= left and left + length <= width + 1 and 0 < y < height):
        sys.exit(f"'{e.text}' from {left} to {left + length}, y = {y}, is outside")
    if kind == "small middle" and len(e.text) <= 4:
        letters.append((x, e.text))
panels = [e for e in root.iter(SVG + "rect") if e.get("class") == "box"]
marks = [e for e in root.iter(SVG + "line") if e.get("class") == "mark"]
curves, dashed = [], []
right = number(panels[0], "x") + number(panels[0], "width")
for i, e in enumerate(elements):
    if e.tag != SVG + "polyline":
        continue
    points = [tuple(map(float, p.split(","))) for p in e.get("points").split()]
    if points[0][0] > right:  # a piece of the curve, then its name
        names.append(elements[i + 1].text)
        if e.get("stroke-dasharray"):
            dashed.append(elements[i + 1].text)
    else:
        curves.append((e.get("stroke"), points))
text = " ".join(texts)
if not eval(sys.argv[2]):
    sys.exit(f"{sys.argv[1]}: {sys.argv[2]}: {labels} {names} {letters} {texts}")
END
look() { check "$1: $2" python3 look.py "$@"; }
has() { check "$1 in $2" grep -qF -- "$1" "$2"; }

# ---- outputs, title, units, events: the five-link suspension on the stair
check "run" "$CAMBER" run fivelink --set stair=1 --plot stair.svg >report
look stair.svg "texts[0] == 'Five-link rear wheel suspension, car body fixed' and 'stair = 1' in texts[1]"
look stair.svg "labels == ['m', 'deg', 'N'] and len(panels) == 3"
look stair.svg "names == 'heave forward track shock_length camber toe shock_force tyre_force'.split()"
look stair.svg "'t in s' in texts"
look stair.svg "[l for x, l in letters[:2]] == ['a', 'b'] and len(marks) == 3 * 6"
look stair.svg "'Events: a: tyre lifts off; b: tyre touches' in texts"
# Events of the user and resting contacts are kinds of their own.
cat >ball.yaml <<'YAML'
bodies: {ball: {mass: 1, com: [0, 0, 0.5]}}
joints: {z: {type: prismatic, child: ball, axis: z}}
forces: {ground1: {type: contact, on: {body: ball, at: [0, 0, 0.5]}, surface: z, restitution: 0.3}}
events: {late: {when: t > 0.2}}
simulate: {t-end: 1}
YAML
"$CAMBER" run ball.yaml --plot ball.svg >/dev/null
look ball.svg "'Events: a: late, rising; b: ground1 hits; c: ground1 comes to rest' in texts"

# The tyre force has its static value until the road drops at 0.2 s, and is 0 after that: the curve has a vertical line, not a slope from the last step.
look stair.svg "(lambda p, box: len([1 for (x, y), (X, Y) in zip(p, p[1:]) if abs(Y - y) > 50 and X - x < 0.2]) == 1 and max(
  abs(y - p[0][1]) for x, y in p if x < number(box, 'x') + 0.199 * number(box, 'width')) < 0.2)(curves[7][1], panels[2])"

# A sampled value jumps at every sampling instant: if steps end there, with fixed steps, in the middle of steps if the motion does not depend on
# it, and in a curve with more points than pixels.
sampled() { # PERIOD FORCE OPTIONS...: a picture of the value over 1 s, sampled.svg
  cat >sampled.yaml <<YAML
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x}}
controllers: {c: {period: $1, update: {u: 'cos(2*pi*t)'}}}
forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [$2, 0, 0]}}
outputs: {u: u}
YAML
  check "run" "$CAMBER" run sampled.yaml --t-end 1 --plot sampled.svg "${@:3}" >report
}
for options in "0.05 u" "0.05 0" "0.05 u --every 0.03 --out sampled.csv" "0.05 u --out sampled.csv" "0.05 u --method lie --step 0.01" \
  "0.05 u --method radau5" "0.002 u"; do
  # shellcheck disable=SC2086 # words
  sampled $options
  look sampled.svg "not [1 for (x, y), (X, Y) in zip(curves[0][1], curves[0][1][1:]) if X - x > 0.15 and abs(Y - y) > 0.15]"
done

# ---- the subtitle: the model, values that were set, the method and its tolerances, or its step
"$CAMBER" run fivelink --t-end 0.01 --set stair=1 --set speed=12.5 --rtol 1e-5 --plot set.svg >/dev/null
look set.svg "'fivelink with stair = 1, speed = 12.5; mdop5, rtol 1e-05, atol 1e-07' in texts"
"$CAMBER" run pendulum --t-end 0.01 --method lie --step 0.001 --plot fixed.svg >/dev/null
look fixed.svg "'pendulum; lie, step 0.001' in texts"

# ---- curves are smooth also with long steps: half a period of a pendulum has more points than steps
check "run" "$CAMBER" run simple-pendulum --method mdop853 --rtol 1e-4 --t-end 1 --plot smooth.svg --plot-outputs angle >report
look smooth.svg "len(curves) == 1 and len(curves[0][1]) > 500"
numbers() { "$CAMBER" run "$@" | sed '1d; /^  trajectory /d; /^  outputs /,$d'; }
for model in simple-pendulum sampled.yaml; do
  check "the picture is no work of the run" diff <(numbers $model --plot a.svg) <(numbers $model)
  check "the trajectory is no work of the run" diff <(numbers $model --out a.csv) <(numbers $model)
done

# ---- coordinates only where there are no outputs
check "run" "$CAMBER" run caraxis --plot caraxis.svg >report
look caraxis.svg "labels == ['m', 'm/s'] and names == ['xl', 'yl', 'xr', 'yr', \"xl'\", \"yl'\", \"xr'\", \"yr'\"]"
look caraxis.svg "marks == [] and not 'Events' in text"

# ---- more than eight curves of one unit: further panels; more curves than fit: a note in the picture and on standard error
check "run" "$CAMBER" run chain --t-end 1 --plot chain.svg >report 2>stderr
look chain.svg "len(names) == 4 + 2 * 12 and labels == ['N', 'J', 'W', 'm (1 of 3)', 'm (2 of 3)', 'm (3 of 3)']"
check "no message on standard error" [ ! -s stderr ]
"$CAMBER" run chain --set N=60 --t-end 0.1 --plot many.svg --json >many.json 2>stderr
look many.svg "len(panels) == 12 and 'The plot has room for 76 of the 124 quantities' in text and len(names) == 76"
has "camber: warning: the plot has room for 76 of the 124 quantities" stderr
has "the plot has room for 76 of the 124 quantities" many.json

# ---- outputs that the user chooses
check "run" "$CAMBER" run fivelink --t-end 0.1 --plot chosen.svg --plot-outputs "toe,phi1,camber,phi1',ball2.x,toe" >report
look chosen.svg "names == ['toe', 'camber', 'phi1', \"phi1'\", 'ball2.x'] and labels == ['deg', 'rad', 'rad/s', 'no unit']"
"$CAMBER" run fivelink --plot none.svg --plot-outputs toe,cambr >report 2>stderr
check "exit code" [ $? -eq 2 ]
has "no output, coordinate, velocity or multiplier 'cambr'; did you mean 'camber'?" stderr
"$CAMBER" run fivelink --plot-outputs toe >report 2>stderr
check "exit code" [ $? -eq 2 ]
has "--plot-outputs needs --plot" stderr
check "no picture" [ ! -e none.svg ]

# ---- texts: long names, special characters of XML, many events, constants, and a run that ends early
"$CAMBER" run balanced-cart --t-end 0.01 --plot broad.svg >/dev/null # a legend with wide letters
look broad.svg "names == ['command', 'tip']"
"$CAMBER" run hmmwv14 --t-end 1.5 --plot car.svg --plot-outputs height >/dev/null
look car.svg "all(t.endswith((';', 'touches')) for t in texts if 'lifts off' in t)" # lines end with entries
cat >texts.yaml <<'END'
points: {O: [0, 0, 0], A: [0, 0, -1]}
bodies: {rod: {mass: 2, rod: [O, A], radius: 0.01}}
joints: {pivot: {type: revolute, child: rod, at: O, axis: y, start: 1}}
forces: {clock: {type: torsion, coordinate: pivot, torque: 'if(sin(40*t) > 0, 1e-3, 0)'}}
outputs:
  a_rather_long_name_that_somebody_chose_for_this_output: {value: pivot, unit: '<rad> & "more"'}
  constant: {value: 1234.5678, unit: µm}
  nearly: {value: 1000 + 1e-8*pivot, unit: N}
  energy: {value: energy + 1e6, unit: J}
simulate: {t-end: 10}
END
check "run" "$CAMBER" run texts.yaml --verbose --plot texts.svg >report
look texts.svg "'a_rather_long_name_that_somebody_chose_for_this_output' in names and labels[0] == '<rad> & \"more\"'"
look texts.svg "len(marks) > 4 * 60 and number(marks[0], 'y2') - number(marks[0], 'y1') < 10"
# each kind of event has its letter where it comes first
look texts.svg "sorted(l for x, l in letters) == ['a', 'b']"
# ---- ten kinds of events have letters; events of other kinds are counted
{
  printf 'bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\njoints: {j: {type: prismatic, child: b, axis: x, rate: 1}}\nevents:\n'
  for k in {1..13}; do echo "  e$k: {when: t > 0.05*$k}"; done
  printf 'simulate: {t-end: 1}\n'
} >kinds.yaml
check "run" "$CAMBER" run kinds.yaml --plot kinds.svg >/dev/null
look kinds.svg "sorted(l for x, l in letters) == list('abcdefghij') and len(marks) == 13 * len(panels)"
look kinds.svg "'j: e10, rising; 3 more are marked without a letter' in ' '.join(texts)"
# ---- letters that would overlap are in further rows, none is missing; a long title has several lines
cat >crowd.yaml <<'END'
title: A mass between two springs that are soft, then stiff, and a title that is far too long for a single line above a picture of 800 pixels
bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {j: {type: prismatic, child: b, axis: x, coordinates: [x], start: 1}}
forces:
  f: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['-100*x - if(x > 0.1, 3, 0) + if(x < -0.1, 3, 0) - 2*sign(x)', 0, 0]}
outputs: {way: {value: x, unit: m}}
simulate: {t-end: 2}
END
check "run" "$CAMBER" run crowd.yaml --verbose --plot crowd.svg --json >crowd.json
look crowd.svg "sum(len(l) for x, l in letters) == len(marks) == $(grep -c '"direction"' crowd.json) and len(letters) > 12"
look crowd.svg "sum(1 for x, l in letters if 'a' in l) == sum(1 for x, l in letters if 'b' in l) > 2"
look crowd.svg "texts[0].startswith('A mass between') and texts[1].endswith('of 800 pixels') and len(texts[0]) > 60"
"$CAMBER" run caraxis --set h=2 --plot early.svg >report 2>stderr
look early.svg "'The run ended early: ' in text and 'at t = 0.0523' in text"

# ---- a small oscillation about a large value is visible, with an offset; a curve that is constant within rounding errors is a straight line
cat >offsets.yaml <<'END'
points: {A: [0, 0, 0], B: [0.1, 0, 0]}
bodies: {crank: {mass: 0.5, rod: [A, B]}}
joints: {main: {type: revolute, child: crank, at: A, axis: y, rate: 20}}
outputs:
  a: {value: 1e9 + 100*sin(main), unit: m}
  b: {value: 1e9 + 0.01*sin(main), unit: N}
  c: {value: 101325 + 1e-3*sin(main), unit: Pa}
  d: {value: 3 + 1e-15*sin(main), unit: V}
simulate: {t-end: 1}
END
check "run" "$CAMBER" run offsets.yaml --plot offsets.svg >report
look offsets.svg "all(max(y for x, y in p) - min(y for x, y in p) > 180 for colour, p in curves[:3]) and max(y for x, y in curves[3][1]) - min(y for x, y in curves[3][1]) < 0.1"
look offsets.svg "[t for t in texts if t.startswith('+')] == ['+1e9', '+1e9', '+101325'] and '0.0005' in texts and '100' in texts and '0.010' in texts"

# ---- a curve that coincides with another one is dashed, so that both are visible
cat >twice.yaml <<'END'
points: {O: [0, 0, 0], A: [0, 0, -1]}
bodies: {rod: {mass: 2, rod: [O, A], radius: 0.01}}
joints: {pivot: {type: revolute, child: rod, at: O, axis: y, start: 1}}
outputs: {first: pivot, other: 0.5*pivot, again: pivot + 0*t}
simulate: {t-end: 1}
END
check "run" "$CAMBER" run twice.yaml --plot twice.svg >report
look twice.svg "len(curves) == 3 and dashed == ['again']"

finish

#!/usr/bin/env bash
# camber linearize --vary --plot: each curve follows one mode, also where modes overtake each other, split, veer and cross.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# Pairs −v ± i sqrt(k − v²) and −1.5 v ± i sqrt(k − 2.25 v²), as long as these are complex
cat >curves.py <<'END'
"""The curves of a plot: for each panel {colour: [(x, y), ..]}, x from 0 to 1, y upwards in pixels; and the names of the colours."""
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"

def curves(path):
    root = tree.parse(path).getroot()
    boxes = [{k: float(e.get(k)) for k in ("x", "y", "width", "height")} for e in root.iter(SVG + "rect") if e.get("class") == "box"]
    panels, legend = [{} for _ in boxes], []
    for e in root.iter(SVG + "polyline"):
        points = [tuple(map(float, p.split(","))) for p in e.get("points").split()]
        panel = sum(points[0][1] > b["y"] + b["height"] + 1 for b in boxes)
        box = boxes[panel]
        if points[0][0] > box["x"] + box["width"] + 1:
            legend.append(e.get("stroke"))
            continue
        panels[panel].setdefault(e.get("stroke"), []).extend(((x - box["x"]) / box["width"], box["y"] + box["height"] - y) for x, y in points)
    texts = [e.text for e in root.iter(SVG + "text") if e.text and e.text[:1].isdigit() and ": " in e.text]
    return panels, dict(zip(legend, texts))
END
cat >swap.yaml <<'END'
title: Two masses on a cart
bodies: {cart: {mass: 1000, box: [1, 1, 1], at: [0, 0, 0]}, a: {mass: 1, com: [0, 1, 0]}, b: {mass: 1, com: [0, -1, 0]}}
parameters: {k: 40000, between: 0, more: 0}
joints:
  drive: {type: prismatic, child: cart, axis: x, coordinates: [x], rate: 10}
  ja: {type: prismatic, parent: cart, child: a, axis: z, coordinates: [za], stiffness: k}
  jb: {type: prismatic, parent: cart, child: b, axis: z, coordinates: [zb], stiffness: k}
forces:
  da: {type: torsion, coordinate: za, torque: "2*x'*za' + between*(za - zb)"}
  db: {type: torsion, coordinate: zb, torque: "3*x'*zb' + between*(zb - za) + more*(x' - 20)*zb"}
outputs: {speed: {value: x', unit: m/s}}
gravity: [0, 0, 0]
simulate: {steady: {speed: 10}}
END
check 'modes that overtake each other' "$CAMBER" linearize swap.yaml --vary speed=10:30:5 --plot swap.svg >report
check 'modes that become real' "$CAMBER" linearize swap.yaml --set k=400 --vary speed=10:30:41 --plot split.svg >report
# The stiffnesses k and k + more (v − 20) are equal at v = 20, where a stiff spring between the masses keeps the frequencies apart.
check 'modes that veer' "$CAMBER" linearize swap.yaml --set more=1600 --set between=8000 --vary speed=10:30:61 --plot veer.svg >report
check 'few rows' "$CAMBER" linearize swap.yaml --set more=400 --set between=200 --vary speed=10:30:6 --plot cross.svg >report
check 'rows too many for dots' "$CAMBER" linearize swap.yaml --vary speed=10:30:201 --plot many.svg >report
check 'the sedan' "$CAMBER" linearize sedan --vary speed_error=-10:20:7 --plot sedan.svg >report
check 'modes in the order of their shapes' python3 - <<'END'
from curves import curves
near = lambda a, b: abs(a - b) < 0.3
panels, names = curves("swap.svg")
a, b = (next(c for c in names if names[c].endswith(z)) for z in ("za", "zb"))
top = panels[0][a][0][1]
scale = (top - panels[0][b][0][1]) / 5  # real parts −10 and −15 at first
for (t, ya), (_, yb) in zip(panels[0][a], panels[0][b]):
    v = 10 + 20 * t
    assert near(ya - top, -scale * (v - 10)) and near(yb - top, -scale * (1.5 * v - 10)), (v, ya, yb)
# the undamped frequency is the same for all
assert all(near(y, panels[1][a][0][1]) for c in panels[1] for _, y in panels[1][c]), panels[1]
text = open("swap.svg").read()
assert ">Two masses on a cart<" in text and text.count("<circle") == 3 * 2 * 5 and "<circle" not in open("many.svg").read()
# The front wheels' modes have damping ratios from 0.0988 to 0.3404, the rear ones' end at 0.475; that of the body's y ends at 0.439.
panels, names = curves("sedan.svg")
spin = [c for c in panels[2] if names[c].endswith("front_left.spin")]
y = next(c for c in names if names[c].endswith("body.y"))
assert len(spin) == 2 and all(panels[2][c][-1][1] < panels[2][y][-1][1] - 20 for c in spin), panels[2]
END
check 'a pair goes on with one of two real eigenvalues' python3 - <<'END'
from curves import curves
panels, names = curves("split.svg")
assert sorted(n[3:] for n in names.values()) == ["za", "za", "zb", "zb"], names
ends = {c: (p[0][0], p[-1][0]) for c, p in panels[0].items()}
assert sorted(first == 0 for first, _ in ends.values()) == [False, False, True, True] and all(last > 0.99 for _, last in ends.values()), ends
assert sorted(round(40 * p[-1][0]) for p in panels[1].values()) == [6, 19], panels[1]  # they end before 13.3 and 20 m/s
END
check 'many rows follow the eigenvalues, few the shapes' python3 - <<'END'
from curves import curves
first, second = curves("veer.svg")[0][1].values()
assert len({y > z for (_, y), (_, z) in zip(first, second)}) == 1, (first[0], second[0], first[-1], second[-1])
first, second = curves("cross.svg")[0][1].values()
assert (first[0][1] > second[0][1]) != (first[-1][1] > second[-1][1]), (first, second)
END

finish

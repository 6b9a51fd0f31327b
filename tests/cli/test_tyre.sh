#!/usr/bin/env bash
# camber tyre: every bundled file is read, plotted and written; the printed numbers agree with the curves; wrong files and options are refused;
# docs/tyres.md has every key of the table.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

for file in "$SOURCE_DIR"/models/tyres/*.tir; do
  check "$file" "$CAMBER" tyre "$file" --plot p.svg --csv c.csv >text
  check "$file: picture" python3 -c "
import xml.dom.minidom as m
d = m.parse('p.svg')
lines = d.getElementsByTagName('polyline')
assert len(lines) == 20 and all(len(l.getAttribute('points').split()) >= 4 for l in lines), len(lines)"
  "$CAMBER" tyre "$file" --json >j.json
  check "$file: the slope and the peak of the curves" python3 - <<'PYTHON'
import csv, json
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open("c.csv"))]
for load in json.load(open("j.json"))["loads"]:
    mine = [r for r in rows if r["load"] == load["load"]]
    x = sorted((r["kappa"], r["Fx"]) for r in mine if r["alpha"] == 0)
    y = sorted((r["alpha"], r["Fy"]) for r in mine if r["kappa"] == 0)
    assert abs(max(abs(f) for _, f in x) / load["load"] - load["mu_x"]) < 1e-12
    assert abs(max(abs(f) for _, f in y) / load["load"] - load["mu_y"]) < 1e-12
    for curve, key in ((x, "slip_stiffness"), (y, "cornering_stiffness")):
        # chords over -h..h miss the slope by c h^2, up to 4 %; two of them give it up to h^4 and, where the curvature has a jump at 0 (E with
        # the sign of the slip), up to a part of the chord's own error: 0.2 % at most
        force = dict(curve)
        h1, h2 = sorted(h for h in force if h > 0 and -h in force)[:2]
        s1, s2 = ((force[h] - force[-h]) / (2 * h) for h in (h1, h2))
        slope = (s1 * h2**2 - s2 * h1**2) / (h2**2 - h1**2)
        assert abs(slope / load[key] - 1) < 2e-3, (key, slope, load[key])
PYTHON
done

refuse() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" tyre "$@" >out 2>err
  check "$* ends with 2" test $? -eq 2
  check "$*: '$words' in '$(cat err)'" grep -qF -- "$words" err
}

car=$SOURCE_DIR/models/tyres/car-205-60r15.tir
sed 's/^FNOMIN.*/FNOMIN = heavy/' "$car" >bad.tir
refuse "bad.tir:$(grep -n FNOMIN bad.tir | cut -d: -f1):10: FNOMIN is 'heavy'; expected a number" bad.tir
# With a model that uses the file, the message also names the force.
cat >uses-bad.yaml <<'YAML'
points: {W: [0, 0, 0.3]}
bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}
joints: {fall: {type: prismatic, child: wheel, at: W, axis: z}}
forces: {front: {type: tyre, on: wheel@W, axis: y, file: bad.tir}}
YAML
"$CAMBER" check uses-bad.yaml >out 2>err
check 'a model with a bad file ends with 2' test $? -eq 2
check "file and force in '$(cat err)'" \
  grep -q "bad.tir:$(grep -n FNOMIN bad.tir | cut -d: -f1):10: force 'front': FNOMIN is 'heavy'; expected a number" err
refuse 'cannot be read' none.tir
refuse 'needs FILE.tir'
refuse 'ends in .svg' "$car" --plot p.png
refuse 'ends in .csv' "$car" --csv p.svg
cp "$car" same.csv
refuse 'would be overwritten' same.csv --csv same.csv
check 'the file is as it was' cmp -s "$car" same.csv
"$CAMBER" tyre bad.tir --json >out 2>err
check 'a failure as JSON' python3 -c "
import json
j = json.load(open('out'))
assert j['status'] == 'bad-input' and j['error']['line'] > 0, j"

# Fx and Fy are left out of the load of an element, which says so; without them camber does not shift it either.
sed 's/^FITTYP.*/FITTYP = 62/; s/^\(VERTICAL_STIFFNESS.*\)/\1\nQ_FCY = 0.3\nQ_FYS1 = 4000/' "$SOURCE_DIR/models/tyres/car-255-55r20.tir" >side.tir
cat >side.yaml <<'YAML'
parameters: {lean: 0}
points: {hub: [0, 0, 0.37]}
bodies: {wheel: {mass: 10, sphere: hub, radius: 0.3}}
joints: {spin: {type: revolute, child: wheel, at: hub, axis: [0, cos(lean), sin(lean)]}}
forces: {tyre: {type: tyre, on: wheel@hub, axis: [0, cos(lean), sin(lean)], file: side.tir}}
outputs: {load: tyre.Fz}
simulate: {t-end: 0.01, method: radau5}
YAML
"$CAMBER" run side.yaml --set lean=0.05 --json >out 2>err
check "the message has what is left out: '$(cat err)'" grep -qF "side.yaml:5:83: force 'tyre': the load is computed without the forces along the road: Q_FCX = 0 and Q_FCY = 0.3 of 'side.tir' are left out" err
sed 's/^Q_FCY.*//' side.tir >plain.tir
sed 's/side.tir/plain.tir/' side.yaml >plain.yaml
"$CAMBER" run plain.yaml --set lean=0.05 --json >out2 2>err
check "no message: '$(cat err)'" test ! -s err
check 'camber alone does not change the load' python3 -c "
import json
a, b = (json.load(open(f))['outputs']['load'] for f in ('out', 'out2'))
assert a == b > 0, (a, b)"

check 'docs/tyres.md has the keys' python3 - <<'PYTHON'
import os, re
root = os.environ["SOURCE_DIR"]
keys = re.findall(r"^  X\((\w+), (\w+), \w+, \w+, \w+, [-\w.]+, \"(.*)\"\)", open(root + "/src/model/tir_keys.h").read(), re.M)
rows = re.findall(r"^\| (\w+) \| (\w+) \| .* \| (.*) \|$", open(root + "/docs/tyres.md").read(), re.M)
assert len(keys) > 200 and keys == [r for r in rows if r[0] != "section"], set(keys) ^ set(rows)
PYTHON
finish

#!/usr/bin/env bash
# camber check --pattern: entries and column groups of the difference Jacobian, as text, as JSON and as a picture; their numbers in the
# statistics of runs; a pattern that grows; wrong arguments.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py JSON SVG TEXT: the pattern in all three; exit code 0 if it is one."""
import json, sys
import xml.etree.ElementTree as tree

x = json.load(open(sys.argv[1]))
p = x["pattern"]
rows, group = p["columns_of_rows"], p["group"]
assert len(rows) == p["rows"] and len(group) == p["columns"] == 2 * x["velocities"], "sizes"
assert sum(map(len, rows)) == p["entries"], "entries"
assert sorted(set(group)) == list(range(1, p["groups"] + 1)), "numbers of groups"
for row in rows:  # consistent: eq. (19) of Arnold, Fuchs and Fuehrer
    assert len({group[j - 1] for j in row}) == len(row), "two columns of a group share a row"
assert p["groups"] >= max(map(len, rows)), "fewer groups than a row has entries"
if "exact_entries" in p:
    assert p["entries"] <= p["exact_entries"], "more than there can be"
picture = tree.parse(sys.argv[2])
circles = sum(1 for e in picture.iter() if e.tag.endswith("circle"))
assert circles == 2 * p["entries"], "%d dots" % circles
frames = [e for e in picture.iter() if e.tag.endswith("rect") and e.get("fill") == "none"]
assert len(frames) == 2, "a frame for each order of the columns"
for e, own in zip(frames, range(2)):  # square cells; a dot in each that is not 0, of the row and the column of an entry
    left, top, width, height = (float(e.get(name)) for name in ("x", "y", "width", "height"))
    cell = width / p["columns"]
    assert abs(height - p["rows"] * cell) < 0.1, "cells that are no squares"
    dots = [(float(c.get("cx")), float(c.get("cy"))) for c in picture.iter() if c.tag.endswith("circle")]
    places = {(int((y - top) / cell) + 1, int((x - left) / cell) + 1) for x, y in dots if left < x < left + width}
    assert len(places) == p["entries"], "dots that cover each other"
    assert own or places == {(i + 1, j) for i, row in enumerate(rows) for j in row}, "dots beside the entries"
text = open(sys.argv[3]).read()
assert "%d entries at t = 0, %d groups: %d evaluations" % (p["entries"], p["groups"], p["groups"] + 1) in text, "words"
assert text.count("\n  group ") == p["groups"], "a line for each group"
END

try() { # MODEL OPTION...
  "$CAMBER" check "$@" --pattern --json >a.json && "$CAMBER" check "$@" --pattern --plot a.svg >a.txt &&
    python3 look.py a.json a.svg a.txt
}
for model in axle-stamp chain fivelink quarter-car caraxis pendulum-chain; do
  check "$model" try "$model"
done
check 'Cartesian' try fivelink --formulation cartesian
check 'no constraints' try double-pendulum
check 'fewer evaluations than columns' grep -q '98 columns: 99' <("$CAMBER" check fivelink --formulation cartesian --pattern)
check 'without --pattern nothing of it' [ "$("$CAMBER" check chain --json | grep -c pattern)" -eq 0 ]

# ---- runs
number() { # FILE NAME : a statistic
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["stats"][sys.argv[2]])' "$@"
}
check 'check' "$CAMBER" check axle-stamp --pattern --json >check.json
check 'run' "$CAMBER" run axle-stamp --option jacobian=sparse --t-end 0.001 --json >run.json
entry() { python3 -c 'import json, sys; print(json.load(open("check.json"))["pattern"][sys.argv[1]])' "$1"; }
# The first Jacobian of a run is computed in its first step, where velocities are no longer 0.
check 'a run begins with what is there' [ "$(number run.json pattern)" -ge "$(entry entries)" ]
check 'and no more than can be' [ "$(number run.json pattern)" -le "$(entry exact_entries)" ]
check 'and with as many groups' [ "$(number run.json groups)" -eq "$(entry groups)" ]
check 'nothing has grown yet' [ "$(number run.json pattern_growth)" -eq 0 ]
check 'run' "$CAMBER" run axle-stamp --option jacobian=sparse-extended --json >run.json
check 'the pattern grows' [ "$(number run.json pattern_growth)" -ge 1 ]
check 'words' grep -qE "jacobians +$(number run.json jacobian), $(number run.json jacobian_update) partitioned updates; pattern of \
$(number run.json pattern) entries in $(number run.json groups) groups, grown $(number run.json pattern_growth) times" \
  <("$CAMBER" run axle-stamp --option jacobian=sparse-extended)
check 'run' "$CAMBER" run axle-stamp --option jacobian=exact --json >run.json
check 'no estimated pattern' [ "$(number run.json groups)" -eq 0 ]

# Constraints between several coordinates without functions of time: the time derivatives of the constraints are 0 and are not computed.
for model in pendulum four-bar; do
  for jacobian in partitioned extended; do
    "$CAMBER" run $model --t-end 0.1 --method bdf --option jacobian=$jacobian --json >$jacobian.json
  done
  check "$model: extended is partitioned" python3 -c 'import json
one, other = (json.load(open(name + ".json")) for name in ("partitioned", "extended"))
assert one["stats"] == other["stats"] and one["q"] == other["q"], (one["stats"], other["stats"])'
done

# ---- what is refused
refused() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" "$@" >refused.txt 2>&1
  [ $? -eq 2 ] && grep -q -e "$words" refused.txt
}
check '--plot alone' refused 'needs --pattern' check chain --plot b.svg
check 'nothing was drawn' [ ! -e b.svg ]
check 'only .svg' refused 'ends in .svg' check chain --pattern --plot b.png
check 'no such folder' refused 'none/b.svg' check chain --pattern --plot none/b.svg
check 'not of a run' refused 'no option --pattern' run chain --pattern
cp "$SOURCE_DIR/models/simple-pendulum.yaml" model.yaml
sed -i '/^simulate:/d' model.yaml
echo 'simulate: {plot: mine.svg}' >>model.yaml
check 'the plot of a model is that of its run' "$CAMBER" check ./model.yaml --pattern >check.txt
check 'and was not made' [ ! -e mine.svg ]
finish

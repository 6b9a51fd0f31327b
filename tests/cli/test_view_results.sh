#!/usr/bin/env bash
# Pages of results (camber view RESULT...), without a browser: their data against the files and against the report of the same run, in all three formats; the
# model that a file names, also if it has changed; files of other programs; sizes; wrong arguments. A script of one line takes the place of the viewer;
# tests/cli/test_viewer_compare.sh tests the viewer itself.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"
# shellcheck source=../support/pages.sh
. "$SOURCE_DIR/tests/support/pages.sh"

"$CAMBER" run simple-pendulum --out probe.h5 >/dev/null 2>&1 && hdf5=yes || hdf5=no

cat >look.py <<'END'
"""look.py FILE.html EXPRESSION...: of a page with `page` (the text), `whole` (its object), `r` (its first report), `all` (all of them), `t`, `column(name)`,
`csv(name, column)` (of a file), `other(FILE)` (the first report of another page), `poses(report)`: (time, numbers)."""
import csv as reader, json, math, sys

from page import csv, load, numbers

page, scripts = load(sys.argv[1])
whole = json.loads(scripts[0])
all_ = whole["reports"]
r = all_[0]


def column(name, report=None, kind=None):
    s = (report or r)["series"]
    c = next(c for c in s["columns"] if c["name"] == name and kind in (None, c["kind"]))
    return numbers(c["data"], "d") if s.get("exact") else [c["base"] + x for x in numbers(c["data"], "f")]


def times(report=None):
    return numbers((report or r)["series"]["t"], "d")


def other(name):
    return json.loads(load(name)[1][0])["reports"][0]


def poses(report):
    size = 7 * len(report["scene"]["bodies"])
    p = numbers(report["frames"]["poses"], "f")
    return {x: p[size * k:size * (k + 1)] for k, x in enumerate(numbers(report["frames"]["t"], "d"))}


def same_poses(a, b, tolerance=1e-6):
    """At the times that both have; a quaternion and its negative are one turn."""
    common = a.keys() & b.keys()
    near = lambda x, y: all(abs(p - q) <= tolerance for p, q in zip(x, y))
    return len(common) > 50 and all(near(a[x][i:i + 3], b[x][i:i + 3]) and (near(a[x][i + 3:i + 7], b[x][i + 3:i + 7]) or near(a[x][i + 3:i + 7], [-q for q in b[x][i + 3:i + 7]]))
                                    for x in common for i in range(0, len(a[x]), 7))


def close(a, b, part=1e-7):
    """To single precision of the largest difference to the first value."""
    size = max(abs(x - b[0]) for x in b) or 1
    return len(a) == len(b) > 0 and all(abs(x - y) <= part * size + 1e-15 * abs(y) for x, y in zip(a, b))


def titles(name):
    return next(reader.reader(open(name)))


wrong = [text for text in sys.argv[2:] if not eval(text)]
if wrong:
    sys.exit("\n".join(f"{sys.argv[1]}: not true: {text}" for text in wrong))
END
look() { check "$1" python3 look.py "$@"; }
view() { check "view $*" "$CAMBER" view "$@" >stdout 2>stderr; }
run() { check "run $*" "$CAMBER" run "$@" >stdout 2>stderr; }
# ---- one result: its numbers, the poses of the report of the same run, all formats
run fivelink --set stair=1 --html report.html --out stair.mat --record residuals
run fivelink --set stair=1 --out stair.csv --record residuals
endings="mat csv"
[ $hdf5 = yes ] && run fivelink --set stair=1 --out stair.h5 --record residuals && endings="mat h5 csv"
for ending in $endings; do
  more=
  [ $ending = csv ] && more="--model fivelink --set stair=1"
  # shellcheck disable=SC2086 # words
  view stair.$ending $more -o "$ending.html"
  page=$ending.html
  look "$page" 'page.startswith("<!doctype html>") and scripts[1].strip() == "viewer();" and whole["schema"] == 2 and whole["kind"] == "runs" and len(all_) == 1' \
    'list(times()) == csv("stair.csv", "t") and len(r["series"]["columns"]) == len(titles("stair.csv")) - 1' \
    'all(close(column(n), csv("stair.csv", n)) for n in titles("stair.csv")[1:])' \
    'same_poses(poses(r), poses(other("report.html"))) and len(poses(r)) > 250' \
    'all(r[k] == other("mat.html")[k] for k in ("scene", "frames", "surfaces", "series", "steps", "settings", "last", "title", "file"))' \
    'r["scene"] == other("report.html")["scene"] and r["settings"] == {"stair": 1} and r["last"][0] == csv("stair.csv", r["series"]["columns"][0]["name"])[-1]' \
    '[(c["name"], c["kind"], c["unit"]) for c in r["series"]["columns"]] == [(c["name"], c["kind"], c["unit"]) for c in other("report.html")["series"]["columns"]]'
done
for ending in $endings; do
  [ $ending = csv ] && continue
  look $ending.html '[k for k in r["run"] if k != "seconds" and r["run"][k] != other("report.html")["run"].get(k)] == [] and set(other("report.html")["run"]) - set(r["run"]) <= set("q v z lambda outputs units not_unique not_unique_outputs impulses singularities bound realtime samples evaluator".split())' \
    'r["run"]["seconds"]["run"] > 0 and r["t_end"] == other("report.html")["t_end"] and len(r["run"]["events"]) > 2'
done
look csv.html 'r["run"]["method"] is None and r["run"]["stats"]["accepted"] is None and r["run"]["events"] == []'
view stair.csv
check "the page is called as the result is" [ -s stair.csv.html ]
view stair.csv stair.mat
check "a comparison does not replace the page of its first file" [ -s stair.csv+stair.mat.html ]
view stair.csv
check "plots only: $(cat stdout)" grep -q "stair.csv .*plots only: the file does not say which model it is of; --model MODEL" stdout
look stair.csv.html '"scene" not in r and "--model" in r["no_motion"] and {c["kind"] for c in r["series"]["columns"]} == {"column", "residual"}'
view stair.mat --no-motion -o plots.html
look plots.html '"frames" not in r and r["series"] == other("mat.html")["series"]'
view stair.mat --quiet -o quiet.html
check "quiet" [ ! -s stdout ]

# ---- states, the Cartesian formulation, other start values, a problem written in C, a model in a folder
run double-pendulum --formulation cartesian --out cartesian.mat --html cartesian-run.html
view cartesian.mat -o cartesian.html
look cartesian.html 'same_poses(poses(r), poses(other("cartesian-run.html")))'
refuse "has no column" view cartesian.mat --formulation explicit -o x.html
look cartesian-run.html 'r["formulation"] == "cartesian"'
run simple-pendulum --start "phi'=7" --out turns.mat
view turns.mat -o turns.html
look turns.html 'len(poses(r)) > 20'
run caraxis --out axis.mat
view axis.mat -o axis.html
look axis.html '"written in C" in r["no_motion"] and r["run"]["stats"]["accepted"] > 100'
refuse "is a problem written in C" view axis.mat --model caraxis -o x.html

# ---- a long result is thinned by the rule of reports
run simple-pendulum --method lie --step 1e-4 --t-end 4 --out long.csv
view long.csv --model simple-pendulum -o long.html
look long.html 'r["series"]["thinned"] and 2000 < r["series"]["points"] <= 8192 and 1000 <= len(poses(r)) <= 2048 and max(poses(r)) == 4' \
  'abs(max(column("phi")) - max(csv("long.csv", "phi"))) < 1e-7'

# ---- the model is found from another folder; a model that was changed or deleted is refused
mkdir there elsewhere
cat >there/swing.yaml <<'END'
title: A swing
parameters: {l: 1}
bodies: {b: {mass: 1, com: [0, 0, -l]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 1}}
outputs: {y: {value: a, unit: rad}}
END
(cd there && "$CAMBER" run ./swing.yaml --set l=0.5 --out swing.mat >/dev/null)
(cd elsewhere && "$CAMBER" view ../there/swing.mat >/dev/null)
check "seen from elsewhere" [ -s elsewhere/swing.mat.html ]
look elsewhere/swing.mat.html 'r["settings"] == {"l": 0.5} and abs(r["scene"]["bodies"][0]["com"][2] + 0.5) < 1e-15'
sed -i 's/mass: 1/mass: 2/' there/swing.yaml
view there/swing.mat -o mass.html
sed -i 's/axis: y/axis: x/' there/swing.yaml
refuse "was changed since the run in 'there/swing.mat'" view there/swing.mat -o changed.html
refuse "--no-motion shows plots only" view there/swing.mat -o changed.html
check "nothing was written" [ ! -e changed.html ]
refuse "was changed since" view stair.mat there/swing.mat -o changed.html
view there/swing.mat --model there/swing.yaml -o changed.html
check "a model that looks different is reported: $(cat stderr)" grep -q "warning: the model 'there/swing.yaml' differs from that of the run in its bodies, joints, shapes or their names" stderr
mv there/swing.yaml there/moved.yaml
refuse "which does not exist; --model names its file" view there/swing.mat -o gone.html
sed -i 's/axis: x/axis: y/' there/moved.yaml
view there/swing.mat --model there/moved.yaml -o moved.html
look moved.html 'r["notes"] == []'
check "the same model in another place: $(cat stderr)" [ ! -s stderr ]
refuse "a coordinate of the model 'four-bar'" view stair.csv --model four-bar -o x.html
refuse "was changed since" view stair.mat --set stair=0 -o x.html

# ---- a table of another mechanism with the same coordinates: the loops do not close
cat >loop.yaml <<'END'
parameters: {l: 1}
bodies: {b: {mass: 1, com: [0.5, 0, 0]}, c: {mass: 1, com: [1, 0.5, 0]}}
joints:
  j: {type: revolute, child: b, at: [0, 0, 0], axis: z, coordinates: [u]}
  k: {type: revolute, parent: b, child: c, at: [1, 0, 0], axis: z, coordinates: [w]}
points: {tip: [1, 1, 0], wall: [2, 0, 0]}
loops: {d: {type: distance, between: [c@tip, ground@wall], length: 'sqrt(2) * l'}}
END
run ./loop.yaml --out loop.csv --t-end 0.1
view loop.csv --model ./loop.yaml -o loop.html
refuse "the first row violates its constraints by" view loop.csv --model ./loop.yaml --set l=0.8 -o x.html

# ---- parameters that a CSV file does not contain, such as the stair of the road, cannot be checked; a warning on standard error and in the page states this
words="the model 'fivelink' and its parameters are those of the command line, which cannot be checked"
view stair.csv --model fivelink --set stair=0 -o unchecked.html
check "a model that cannot be checked: $(cat stderr)" grep -q "^camber: warning: $words" stderr
look unchecked.html "len(r['notes']) == 1 and r['notes'][0].startswith(\"$words\")" 'r["formulation"] == "explicit"'
cp stair.csv again.csv
view stair.csv again.csv stair.mat --model fivelink --set stair=1 -o unchecked.html
check "the warning is given once, with the files: $(cat stderr)" grep -qx "camber: warning: stair.csv, again.csv: $words.*" stderr
check "there is no other message" [ "$(wc -l <stderr)" -eq 1 ]
look unchecked.html '[len(x["notes"]) for x in all_] == [1, 1, 0]'

# ---- several results
run fivelink --set stair=1 --method radau5 --rtol 1e-4 --t-end 0.5 --out implicit.mat
view stair.mat implicit.mat stair.csv -o three.html
look three.html 'len(all_) == 3 and [x["run"]["method"] for x in all_] == ["mdop5", "radau5", None] and ["frames" in x for x in all_] == [True, True, False]' \
  'all(list(column(n, x)) == csv("stair.csv", n) for n in ("camber", "toe") for x in (all_[0], all_[2])) and all_[1]["run"]["t"] == 0.5'
view stair.mat turns.mat -o models.html
look models.html '"<title>Comparison" in page and len(all_[1]["scene"]["bodies"]) == 2'
# shellcheck disable=SC2086 # words
refuse "takes 8 files at most" view $(printf 'stair.mat %.0s' 1 2 3 4 5 6 7 8 9)

# ---- the files of a killed run and of a failed one
"$CAMBER" run fivelink --method lie --step 1e-6 --t-end 1e5 --out killed.mat >/dev/null 2>&1 &
victim=$!
for _ in $(seq 300); do
  [ -s killed.mat.partial ] && python3 -c 'import os,sys; sys.exit(os.path.getsize("killed.mat.partial") < 100000)' && break
  sleep 0.1
done
kill -9 $victim
wait $victim 2>/dev/null
view killed.mat.partial -o killed.html
look killed.html 'r["run"]["status"] == "running" and "killed" in r["run"]["message"] and r["run"]["stats"]["accepted"] is None and r["t_end"] == 1e5 and len(poses(r)) > 5'
"$CAMBER" run simple-pendulum --max-steps 5 --out failed.mat >/dev/null 2>&1
view failed.mat -o failed.html
look failed.html 'r["run"]["status"] not in ("ok", "running") and r["run"]["message"]'

# ---- files of other programs: texts are shown as texts, for all sizes of numbers
cat >forge.py <<'END'
"""forge.py FROM TO NAME=VALUE...: a MAT file with other texts, and numbers."""
import struct, sys

source, target, *changes = sys.argv[1:]
new = dict(c.split("=", 1) for c in changes)
data, out, at = open(source, "rb").read(), b"", 0
while at < len(data):
    kind, rows, columns, imaginary, length = struct.unpack_from("<5i", data, at)
    name = data[at + 20:at + 20 + length - 1].decode()
    end = at + 20 + length + 8 * rows * columns
    text = new.get(name)
    if text is not None and text != "*":
        raw = text.encode().decode("unicode_escape").encode("latin-1")
        out += struct.pack("<5i", 1, 1, len(raw), 0, length) + data[at + 20:at + 20 + length] + struct.pack(f"<{len(raw)}d", *raw)
    elif text is None:
        out += data[at:end]
    at = end
open(target, "wb").write(out)
END
run simple-pendulum --out plain.mat
evil='</script><script>alert(1)</script><!--'
python3 forge.py plain.mat evil.mat "title=$evil" "model=$evil" "method=$evil" "method_title=$evil" "status=$evil" "message=$evil" "warnings=$evil\\n$evil" "stopped_by=$evil" "camber=$evil" "outputs_names=*" "outputs=*" "outputs_units=*"
view evil.mat -o evil.html
look evil.html 'page.count("<script") == 2 and len(scripts) == 2 and "<!--" not in page and r["title"] == "</script><script>alert(1)</script><!--" == r["run"]["warnings"][1]'
python3 forge.py plain.mat bytes.mat 'title=\xff\xc3\xa4\x00\x01\x1bname' 'message=\xc3' 'warnings=\xe2\x28 first\nsecond\x1b \xed\xa0\x80\n' 'status=\x7f'
view bytes.mat -o bytes.html
look bytes.html '(r["title"], r["run"]["status"], r["run"]["message"], r["run"]["warnings"]) == ("?ä???name", "?", "?", ["?( first", "second? ???"])'
python3 forge.py plain.mat summary.mat summary_names=x 'picture='
view summary.mat -o summary.html
look summary.html 'r["run"]["stats"]["accepted"] is None and len(poses(r)) > 10'
for line in --out=stolen.html --json '--set=a=1\n-o' 'x' '--include-anywhere=1' '--no-motion'; do
  python3 forge.py plain.mat words.mat "arguments=$line"
  refuse "is not one that camber run writes" view words.mat -o words.html
done
check "no other file was written" [ ! -e stolen.html ]
python3 forge.py plain.mat words.mat 'arguments=--set=nobody=1'
refuse "nobody" view words.mat -o words.html
python3 forge.py plain.mat words.mat 'model_file=-o'
refuse "is not one that camber run writes" view words.mat -o words.html
mkfifo pipe.yaml
python3 forge.py plain.mat words.mat "model_file=$PWD/pipe.yaml"
refuse "which does not exist" view words.mat -o words.html
printf 't,phi,%s\n0,1,2\n0.5,2,3\n' "\"$evil\"" >evil.csv
view evil.csv -o evil-csv.html
look evil-csv.html 'page.count("<script") == 2 and len(scripts) == 2 and column("</script><script>alert(1)</script><!--")[1] == 3'
printf "phi',extra,phi,t\n0,5,0.5,0\n0.1,6,0.6,0.1\n" >order.csv
view order.csv --model simple-pendulum -o order.html
look order.html '{c["name"]: c["kind"] for c in r["series"]["columns"]}["phi"] == "coordinate" and len(poses(r)) == 2'
cat >named.yaml <<'END'
bodies: {rod: {mass: 2, rod: [[0, 0, 0], [0, 0, -1]], radius: 0.01}}
joints: {pivot: {type: revolute, child: rod, at: [0, 0, 0], axis: y, start: 30 deg}}
outputs: {pivot: {value: pivot/deg, unit: deg}}
simulate: {t-end: 1}
END
run ./named.yaml --out named.csv
view named.csv --model ./named.yaml -o named.html
awk -F, 'BEGIN { OFS = "," } { print $4, $3, $2, $1 }' named.csv >turned.csv # by their names, not in their order
view turned.csv --model ./named.yaml -o turned.html
look named.html 'poses(r) == poses(other("turned.html"))' 'column("q/pivot")[0] > 0.52 and column("q/pivot")[0] < 0.53'
printf 't,phi\n0,1\n0.5,nan\n' >gap.csv
view gap.csv -o gap.html
refuse "row 2 of 'gap.csv': the coordinate 'phi'" view gap.csv --model simple-pendulum -o x.html
printf 't,phi\n0,1\n0.5,2\n0.4,3\n' >back.csv
refuse "row 3 of 'back.csv' goes back in time" view back.csv -o x.html
printf 'x,phi\n0,1\n' >timeless.csv
refuse "has no column 't'" view timeless.csv -o x.html
printf 't,phi\n' >empty.csv
refuse "it has no rows" view empty.csv -o x.html

# ---- wrong arguments
cp stair.csv input.csv
ln -s input.csv input.html
refuse "would be overwritten" view input.csv -o input.html
check "the result stays" cmp -s input.csv stair.csv
refuse "cannot read 'missing.csv'" view missing.csv -o x.html
refuse "expected a file name" view stair.mat -o page.txt
refuse "takes one model, or files of results" view stair.mat fivelink -o x.html
refuse "--model is for files of results" view fivelink --model four-bar -o x.html
CAMBER_VIEWER=$PWD/none.js refuse "'camber view': the viewer '$PWD/none.js' cannot be read: No such file" view stair.mat -o none.html
check "nothing was written" [ ! -e none.html ] && check "no x.html" [ ! -e x.html ]

# ---- a disk that is full: the older page stays
printf 'old\n' >full.html
(
  trap '' XFSZ
  ulimit -f 20
  exec "$CAMBER" view stair.mat -o full.html >stdout 2>stderr
)
check "disk full: exit code 2" [ $? -eq 2 ]
check "disk full: message: $(cat stderr)" grep -q "^camber: cannot write 'full.html'" stderr
check "disk full: the older file" [ "$(cat full.html)" = old ]
check "disk full: nothing else: $(ls)" [ -z "$(ls ./full.html.* 2>/dev/null)" ]

finish

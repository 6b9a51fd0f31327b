#!/usr/bin/env bash
# camber plot: the same curves from CSV, HDF5 and MAT files; several files in one plot; a quantity over another one; logarithmic axes;
# PNG; names that look like markup stay text; if nothing can be drawn there is a message and no file.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

points_of() { grep -o "points='[^']*'" "$1"; }
refused() { # DESCRIPTION WORDS ARGUMENT...
  local what=$1 words=$2
  shift 2
  "$CAMBER" plot "$@" >stdout 2>stderr
  check "$what: exit code 2" [ $? -eq 2 ]
  check "$what: message: $(cat stderr)" grep -q -- "$words" stderr
  check "$what: no picture" [ ! -e no.svg ]
}

for ending in csv h5 mat; do
  "$CAMBER" run fivelink --set stair=1 --out "stair.$ending" >/dev/null
  check "plot of $ending" "$CAMBER" plot "stair.$ending" --y camber -o "$ending.svg"
  points_of "$ending.svg" >"$ending.points"
  check "$ending is drawn" [ "$(wc -l <"$ending.points")" -ge 2 ]
  check "$ending is drawn as the CSV file is" cmp -s csv.points "$ending.points"
done
check "units" grep -q '>deg</text>' h5.svg
check "title" grep -q 'Five-link rear wheel suspension' mat.svg
"$CAMBER" plot stair.h5 -o all.svg
check "the outputs of the model, if nobody chooses" grep -q '>shock_length</text>' all.svg

# ---- a name that an output shares with a coordinate or a state means the output; these are drawn by the names of their columns
cat >named.yaml <<'END'
bodies: {rod: {mass: 2, rod: [[0, 0, 0], [0, 0, -1]], radius: 0.01}}
joints: {pivot: {type: revolute, child: rod, at: [0, 0, 0], axis: y, start: 30 deg}}
states: {s: {rate: pivot'}}
outputs: {pivot: {value: pivot/deg, unit: deg}, s: {value: s/deg + 30, unit: deg}}
simulate: {t-end: 1, rtol: 1e-10, atol: 1e-10}
END
for ending in csv h5 mat; do
  "$CAMBER" run ./named.yaml --out "named.$ending" --plot "run-$ending.svg" --plot-outputs pivot,s >/dev/null
  check "outputs with the names of coordinates: $ending" "$CAMBER" plot "named.$ending" --y pivot -o "named-$ending.svg"
  check "$ending: the outputs are drawn" [ "$(points_of named-csv.svg)" = "$(points_of "named-$ending.svg")" ]
  check "a coordinate and a state by name: $ending" "$CAMBER" plot "named.$ending" --y q/pivot,v/s -o "hidden-$ending.svg"
  check "$ending: the coordinate is drawn" [ "$(points_of hidden-csv.svg)" = "$(points_of "hidden-$ending.svg")" ]
done
check "the run draws the outputs" grep -q '>deg</text>' run-csv.svg
"$CAMBER" run ./named.yaml --plot run-hidden.svg --plot-outputs q/pivot,v/s >/dev/null
check "the run draws the coordinate by its column's name" grep -q '>q/pivot</text>' run-hidden.svg
check "and the state by its" grep -q '>v/s</text>' run-hidden.svg
check "the coordinate is in rad" grep -q '>rad</text>' run-hidden.svg
check "columns: $(head -n 1 named.csv)" grep -qx "t,q/pivot,pivot',v/s,pivot,s" named.csv
check "angles in rad, in deg, and summed up from their rate" awk -F, 'NR > 1 {
  deg = 3.14159265358979/180
  if (($2 - $5*deg)^2 > 1e-24 || ($5 - $6)^2 > 1e-14) exit 1
}' named.csv

# ---- a picture of which each point is known: y = x^2 on 0..4
printf 'x,y\n0,0\n1,1\n2,4\n3,9\n4,16\n' >square.csv
"$CAMBER" plot square.csv --x x --y y -o square.svg
check "a parabola" awk -v text="$(points_of square.svg | sed "s/points='//; s/'//" | head -n 1)" 'BEGIN {
  n = split(text, point, " ")
  if (n != 5) exit 1
  for (i = 1; i <= n; i++) { split(point[i], p, ","); x[i] = p[1]; y[i] = p[2] }
  for (i = 1; i <= n; i++) {
    u = 4*(x[i] - x[1])/(x[5] - x[1]); v = 16*(y[i] - y[1])/(y[5] - y[1])
    if ((v - u*u)^2 > 0.01) exit 1
  }
}'
# ---- a closed path: a circle comes back to where it began, and is as wide as it is high in its units
awk 'BEGIN { print "t,x,y"; for (i = 0; i <= 20000; i++) { a = 6.283185307179586*i/20000; printf "%.17g,%.17g,%.17g\n", i, cos(a), sin(a) } }' >circle.csv
"$CAMBER" plot circle.csv --x x --y y -o circle.svg
check "a circle" awk -v text="$(points_of circle.svg | sed "s/points='//; s/'//" | head -n 1)" 'BEGIN {
  n = split(text, point, " ")
  split(point[1], first, ","); split(point[n], last, ",")
  if (n < 100 || n > 8000 || (first[1] - last[1])^2 + (first[2] - last[2])^2 > 0.1) exit 1
  for (i = 1; i <= n; i++) {
    split(point[i], p, ",")
    if (i == 1 || p[1] < left) left = p[1]; if (i == 1 || p[1] > right) right = p[1]
    if (i == 1 || p[2] < up) up = p[2]; if (i == 1 || p[2] > down) down = p[2]
  }
  for (i = 1; i <= n; i++) {
    split(point[i], p, ",")
    r = ((p[1] - (left + right)/2)/((right - left)/2))^2 + ((p[2] - (up + down)/2)/((down - up)/2))^2
    if ((r - 1)^2 > 0.001) exit 1
  }
}'

# ---- times far from 0: the tick labels are differences to an offset, which is written once
printf 't,a\n1700000000,1\n1700000050,5\n1700000100,2\n' >epoch.csv
"$CAMBER" plot epoch.csv --y a -o epoch.svg
check "the time axis is as long as the times" awk -v text="$(points_of epoch.svg | sed "s/points='//; s/'//" | head -n 1)" 'BEGIN {
  split(text, point, " "); split(point[1], first, ","); split(point[2], middle, ","); split(point[3], last, ",")
  exit !(last[1] - first[1] > 600 && (middle[1] - (first[1] + last[1])/2)^2 < 0.1)
}'
check "an offset, once" [ "$(grep -c '>+1.7e9</text>' epoch.svg)" -eq 1 ]
for tick in 0 10 100; do check "tick $tick" grep -q "class='middle'>$tick</text>" epoch.svg; done
printf 't,a,b\n-1e6,1,3\n-999999,1,3.0000000000000004\n-999998,1,3\n' >constant.csv
"$CAMBER" plot constant.csv --y a,b -o constant.svg
check "a negative offset" grep -q '>-1e6</text>' constant.svg
check "what is constant but for rounding is a straight line" [ "$(points_of constant.svg | head -n 2 | tr -d "'" | tail -n 1 | tr ' ' '\n' | grep -o ',.*' | sort -u | wc -l)" -eq 1 ]
check "no offset of constants" [ "$(grep -c '>+' constant.svg)" -eq 0 ]

# ---- several files
"$CAMBER" run fivelink --set stair=1 --method radau5 --out radau5.h5 >/dev/null
"$CAMBER" plot stair.h5 radau5.h5 --y camber -o both.svg
check "two methods: names" grep -q '>camber, radau5</text>' both.svg
check "two methods: curves that coincide are dashed" [ "$(grep -c "stroke-dasharray='5 5' points" both.svg)" -ge 1 ]
"$CAMBER" plot stair.h5 stair.mat --y camber -o both.svg
check "the same run twice: the names of the files" grep -q '>camber, stair.mat</text>' both.svg
"$CAMBER" plot stair.h5 stair.h5 --y camber -o both.svg
for number in 1 2; do
  check "the same file twice: number $number" grep -q ">camber, stair.h5 ($number)</text>" both.svg
done

# ---- two paths that coincide on the way to the right and differ on the way back: only the second file is dashed
cat >paths.yaml <<'END'
parameters: {side: 1}
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {s: {type: prismatic, child: b, axis: x}}
outputs:
  x: min(t, 2 - t)
  p: {value: "min(t, 1) + side*max(t - 1, 0)", unit: m}
  q: {value: "min(t, 1) - 2*side*max(t - 1, 0)", unit: m}
END
for side in 1 -1; do "$CAMBER" run paths.yaml --t-end 2 --every 0.1 --set side=$side --out side$side.mat >/dev/null; done
"$CAMBER" plot side1.mat side-1.mat --x x --y p,q -o paths.svg
check "paths: four in one picture" [ "$(points_of paths.svg | awk 'NF > 20' | wc -l)" -eq 4 ]
check "paths: two with dashes" [ "$(grep "stroke-dasharray='5 5' points" paths.svg | awk 'NF > 20' | wc -l)" -eq 2 ]

# ---- labels of runs: the settings in which they differ, without those that all have; the file's name if nothing is known
cat >damped.yaml <<'END'
parameters: {damping: 1, stiffness: 9, mass: 1}
bodies: {b: {mass: mass, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x, start: 1, stiffness: stiffness, damping: damping}}
outputs: {d: {value: x, unit: m}}
simulate: {t-end: 1}
END
damped() { check "run $*" "$CAMBER" run damped.yaml "$@" >/dev/null; }
labels() { # WANTED FILE...: as SVG, and as a page where there is a viewer
  local wanted=$1
  shift
  "$CAMBER" plot "$@" --y d -o labels.svg
  check "labels of $*" [ "$(grep -o '>d, [^<]*<' labels.svg | sed 's/>d, //; s/<//' | paste -sd '|')" = "$wanted" ]
  "$CAMBER" view "$@" -o labels.html --model damped.yaml >/dev/null 2>stderr || return
  check "labels of a page of $*" [ "$(grep -o '"label": *"[^"]*"' labels.html | sed 's/.*: *"//; s/"//' | head -n $# | paste -sd '|')" = "$wanted" ]
}
damped --set damping=1500 --set mass=2 --out a.h5
damped --set mass=2 --set damping=1.5e-6 --out b.mat
damped --set mass=2 --set damping=2.5 --set stiffness=4 --rtol 1e-3 --out c.h5
damped --set mass=2 --out d.h5
damped --set damping=2.5 --set mass=2 --out e.csv
labels 'damping = 1500|damping = 1.5e-6' a.h5 b.mat
labels 'rtol 1e-6, damping = 1500|rtol 0.001, damping = 2.5, stiffness = 4' a.h5 c.h5
labels 'damping = 1500|d.h5' a.h5 d.h5
labels 'a.h5|e.csv' a.h5 e.csv
labels 'damping = 1500|damping = 1.5e-6|d.h5|e.csv' a.h5 b.mat d.h5 e.csv

# ---- logarithmic axes have small ticks between the powers of ten
printf 'h,error\n1,1\n0.1,1e-4\n0.01,1e-8\n0.001,0\n' >order.csv
"$CAMBER" plot order.csv --x h --y error --log xy -o order.svg
check "small ticks" [ "$(grep -c "class='minor'" order.svg)" -gt 20 ]
check "small ticks are apart" python3 -c '
import re
ticks = [tuple(map(float, m)) for m in re.findall(r"x1=.([\d.]+). x2=.[\d.]+. y1=.([\d.]+). y2=.[\d.]+. class=.minor", open("order.svg").read())]
assert all(abs(x - X) + abs(y - Y) > 1.8 for (x, y), (X, Y) in zip(ticks, ticks[1:]))'
check "what is not positive leaves a gap" [ "$(points_of order.svg | head -n 1 | tr -d "'" | wc -w)" -eq 3 ]


# ---- points that cannot be shown on the axes: a message with their number, the curve and the reason; no plot if none is left
left_out() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" plot "$@" -o left.svg 2>stderr
  check "left out: exit code 0" [ $? -eq 0 ]
  check "left out: '$words': $(cat stderr)" grep -qF "camber: warning: $words" stderr
}
left_out "1 of 4 points of 'error' in 'order.csv' is left out of the picture: 1 is not positive on a logarithmic axis" order.csv --x h --y error --log xy
printf 't,a,b\n0,1,-1\n1,1e400,-2\n2,nan,0\n3,-4,-3\n4,5,-1\n' >gaps.csv
left_out "2 of 5 points of 'a' in 'gaps.csv' are left out of the picture: 2 are not finite" gaps.csv --y a
left_out "3 of 5 points of 'a' in 'gaps.csv' are left out of the picture: 2 are not finite, 1 is not positive on" gaps.csv --y a --log y
left_out "1 of 5 points of 'b' in 'gaps.csv' is left out of the picture: 1 is not positive on" gaps.csv --y a,b --log x
"$CAMBER" plot gaps.csv --y b -o left.svg 2>stderr
check "nothing left out: no message" [ ! -s stderr ]
refused "nothing positive" "nothing of 'b' over 't' in 'gaps.csv' can be drawn: of 5 points 5 are not positive" gaps.csv --y b --log y -o no.svg

# ---- names that look like markup, also inside quotes
printf 't,"<script>alert(1)</script>","a ""b"", c"\n0,1,2\n1,2,3\n' >hostile.csv
"$CAMBER" plot hostile.csv --y '<script>alert(1)</script>' -o hostile.svg
check "markup in a name" grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' hostile.svg
check "no script" [ "$(grep -c '<script' hostile.svg)" -eq 0 ]
"$CAMBER" plot hostile.csv --x 'a "b", cc' --y t -o x.svg 2>stderr
check "quotes and a comma in a name" grep -q "did you mean 'a \"b\", c'" stderr
check "a comma in a name of --y" "$CAMBER" plot hostile.csv --y '"a ""b"", c",t' -o comma.svg
check "its name in the legend and beside the axis" [ "$(grep -c '>a "b", c</text>' comma.svg)" -eq 2 ]
check "the other one" grep -q '>t</text>' comma.svg
for x in '"a ""b"", c"' 'a "b", c'; do check "a comma in a name of --x" "$CAMBER" plot hostile.csv --x "$x" --y t -o comma.svg; done
refused "quotes without an end" "the quotes of a name do not end before a comma" hostile.csv --y '"a ""b' -o no.svg
refused "something behind quotes" "the quotes of a name do not end before a comma" hostile.csv --y '"t"c' -o no.svg
refused "two names of --x" "option --x: the quotes of a name" hostile.csv --x '"t","t"' --y t -o no.svg
# ---- the picture is valid XML for any file name
odd=$'a\a\xff\xef\xbf\xbfb.csv'
cp square.csv "$odd"
check "an odd name of a file" "$CAMBER" plot "$odd" square.csv --x x --y y -o odd.svg
check "its picture is XML" python3 -c 'import sys, xml.etree.ElementTree as t; sys.exit("y, a??\ufffdb.csv" not in [e.text for e in t.parse("odd.svg").iter()])'

# ---- PNG
if command -v rsvg-convert >/dev/null; then
  "$CAMBER" plot stair.h5 --y camber -o camber.png
  check "a PNG file" [ "$(head -c 8 camber.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
fi
PATH=/nowhere "$CAMBER" plot stair.h5 --y camber -o none.png 2>stderr
check "without the converter: exit code 2" [ $? -eq 2 ]
check "without the converter: message" grep -q 'rsvg-convert, which cannot be started; is it installed' stderr
check "without the converter: no file" [ ! -e none.png ]

# ---- the file of a killed run
cp stair.csv killed.csv.partial && printf '0.5,1' >>killed.csv.partial
check "an unfinished last line" "$CAMBER" plot killed.csv.partial --y camber -o killed.svg

# ---- CSV files of other programs: without the last line end, with a byte order mark, blanks or line ends of Windows; a single row is visible
printf '\xef\xbb\xbft, a ,b\r\n0, 1,2\r\n1, 2,3 \r\n2, 9,4' >other.csv
check "CSV of another program" "$CAMBER" plot other.csv --x t --y a,b -o other.svg
check "its last row is drawn" [ "$(points_of other.svg | head -n 1 | tr -d "'" | wc -w)" -eq 3 ]
printf 't,a\n1,2\n' >single.csv
"$CAMBER" plot single.csv --y a -o single.svg
check "a point alone is a short line" [ "$(points_of single.svg | head -n 1 | tr -d "'" | wc -w)" -eq 2 ]
printf 'bodies: {b: {mass: 1, com: [0, 0, 0]}}\njoints: {x: {type: prismatic, child: b, axis: x, rate: 1}}\noutputs: {d: {value: x, unit: m}}\n' >metres.yaml
sed 's/value: x, unit: m/value: 1000*x, unit: mm/' metres.yaml >millimetres.yaml
for unit in metres millimetres; do "$CAMBER" run $unit.yaml --t-end 1 --out $unit.h5 >/dev/null; done
refused "two units" "'d' is in m in 'metres.h5' and in mm in 'millimetres.h5'" metres.h5 millimetres.h5 --y d -o no.svg
printf 't,a,a\n0,1,2\n1,2,3\n' >twice.csv
refused "a name twice" "has several columns 'a'" twice.csv --y a -o no.svg
printf 't,a\n0,nan\n1,inf\n' >nothing.csv
refused "nothing that is finite" "has no numbers that are finite" nothing.csv --y a -o no.svg
printf 't,a\n0,1e308\n1,-1e308\n' >huge.csv
refused "numbers too large" "numbers beyond 1e+300" huge.csv --y a -o no.svg
printf 't,H\xf6he\n0,1\n1,2\n' >latin.csv
refused "another encoding" "no text in UTF-8" latin.csv --y t -o no.svg

refused "no file" "cannot read 'none.csv'" none.csv --y a -o no.svg
refused "another name" "did you mean 'camber'" stair.h5 --y cambr -o no.svg
refused "another abscissa" "--x: 'stair.h5' has no column 's'" stair.h5 --x s --y camber -o no.svg
refused "CSV without --y" "has no columns that are marked as outputs" stair.csv -o no.svg
refused "no output" "needs -o FILE" stair.h5 --y camber
refused "another ending" "in .svg or .png" stair.h5 --y camber -o no.pdf
refused "no result" "ends in .csv, .h5 or .mat" "$SOURCE_DIR/README.md" --y camber -o no.svg
printf 't,x\n0,1\n1,2,3\n' >broken.csv
refused "a line that is too long" "broken.csv:3:3: expected as many numbers" broken.csv --y x -o no.svg
printf 't,x\n0,one\n' >broken.csv
refused "a word for a number" "broken.csv:2:3: " broken.csv --y x -o no.svg
for blanks in '' ' ' '  ' '\t'; do
  printf "t,x,y\n0,1,2\n1,${blanks},2\n" >broken.csv
  refused "nothing but '$blanks' in a field" "broken.csv:3:3: expected as many numbers" broken.csv --y y -o no.svg
done
printf 't,x\n' >broken.csv
refused "no rows" "cannot read 'broken.csv': it has no rows$" broken.csv --y x -o no.svg
cp broken.csv broken.csv.partial
refused "no rows yet" "it has no rows yet" broken.csv.partial --y x -o no.svg
refused "a letter is no hint" "'single.csv' has no column 'b'; expected one of t, a$" single.csv --y b -o no.svg
head -c 5000 stair.mat >cut.mat
refused "a MAT file that was cut off" "cut off" cut.mat --y camber -o no.svg
head -c 5000 stair.h5 >cut.h5
refused "an HDF5 file that was cut off" "cannot read 'cut.h5'" cut.h5 --y camber -o no.svg

finish

#!/usr/bin/env bash
# Roads of the format OpenCRG. Heights of a file in its four forms are compared with sums and natural splines computed here; its position, borders, missing numbers
# and a mirrored copy; the same road on a curved reference line. Files with errors end with exit code 2 and one line "camber: FILE:LINE:COL: words": each file in crg/ has
# one error; its first line states what is expected: $CT ! expect: LINE:COL: WORDS
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cp -r "$SOURCE_DIR/tests/cli/crg" broken
cd broken || exit 1

slider='bodies: {cart: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: cart, at: [0, 0, 0], axis: x}}'

# ---- files with errors

refuse() { # FILE PLACE WORDS
  printf '%s\nroads: {track: {type: crg, file: %s}}\n' "$slider" "$1" >model.yaml
  timeout 60 "$CAMBER" check model.yaml >stdout 2>stderr </dev/null
  local code=$?
  checks=$((checks + 1))
  [ "$code" -eq 2 ] || fail "$1: exit code $code: $(cat stderr)"
  [ "$(wc -l <stderr)" -eq 1 ] || fail "$1: not one line: $(cat stderr)"
  [[ $(cat stderr) == "camber: $1:$2: road 'track': "* ]] || fail "$1: not at $2: $(cat stderr)"
  grep -qF -- "$3" stderr || fail "$1: '$3' is not in: $(cat stderr)"
}

for file in *.crg; do
  read -r line <"$file"
  [[ $line =~ ^"\$CT ! expect: "([0-9]+:[0-9]+)': '(.+)$ ]] || fail "$file: no expectation"
  refuse "$file" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
done
[ "$checks" -ge 38 ] || fail "only $checks files in crg/"

# Binary files are made here.
cat >make_bad.py <<'END'
import struct

HEAD = b"$CT\n$\n$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_INCREMENT = 1\n$\n$KD_Definition\n" \
       b"#:KRBI\nD:long section 1,m\nD:long section 2,m\nD:long section 3,m\n$\n$$$$\n"


def write(name, numbers, head=HEAD, rest=b""):
    with open(name, "wb") as file:
        file.write(head + struct.pack(f">{len(numbers)}f", *numbers) + rest)


NAN = float("nan")
write("cut.crg", [0.0] * 20, rest=b"\0" * 79)
write("byte.crg", [0.0] * 20, rest=b"\0")
write("inside.crg", [0.0] * 20)
write("padded.crg", [0.0] * 18 + [NAN] * 22)  # a record more than there need be
write("infinite.crg", [0.0] * 10 + [float("inf")] + [0.0] * 7 + [NAN] * 2)
write("large.crg", [0.0] * 600000)
write("no-text.crg", [], head=HEAD.replace(b"$CT\n", b"\xff\xfe\0\1\n"))
write("nothing.crg", [], head=b"")
write("latin.crg", [0.0] * 20, head=HEAD.replace(b"long section 2,m", b"l\xe4ng section 2,m"))
END
python3 make_bad.py
refuse cut.crg 13:1 "the data have 159 bytes; expected a multiple of 80"
refuse byte.crg 13:1 "the data have 81 bytes; expected a multiple of 80"
refuse inside.crg 13:1 "the file ends inside of row 7; expected 3 numbers in each row"
refuse padded.crg 13:1 "row 7 has no heights"
refuse infinite.crg 13:1 "number 2 of row 4 is infinite; expected a finite one"
refuse large.crg 13:1 "the road has 200000 rows of 3 numbers; expected at most 500000 numbers"
refuse no-text.crg 1:1 "is in no section"
refuse nothing.crg 1:1 "the file has no section \$CT before its data"
refuse latin.crg 10:1 "the channel 'l?ng section 2,m' is not supported"

# ---- heights

cat >heights.py <<'END'
"""heights.py: writes one road in four forms and models that ask for its heights; heights.py look: compares what was written."""
import csv, math, random, struct, sys

NU, DU, PHI, START = 6, 0.5, 0.75, (10.0, -4.0, 2.0)
TURN = [0.0, 0.0, 0.0625, 0.125, 0.15625, 0.125]  # of the intervals before the rows, where the line turns
V = [-1.5, -1.25, -1.0, -0.25, 0.0, 0.5, 1.0, 1.25, 1.75]  # twelve channels: two or three lines a row
rnd = random.Random(7)
# Multiples of 1/128 are the same in all four forms.
slope, bank = ([rnd.randint(-30, 30) / 128 for _ in range(NU)] for _ in range(2))
grid = [[rnd.randint(-60, 60) / 128 for _ in V] for _ in range(NU)]
missing = {(1, 0), (1, 1), (3, 8), (4, 7), (4, 8), (5, 8)}
FORMS = {"LRFI": (10, 7, 8), "LDFI": (20, 15, 4), "KRBI": "f", "KDBI": "d"}


def rows(gap, turn):
    for i in range(NU):
        line = [PHI + turn[i], bank[i], slope[i]] if i else [gap, bank[i], gap]
        yield line + [gap if (i, j) in missing else grid[i][j] for j in range(len(V))]


def data(form, turn):
    how = FORMS[form]
    if isinstance(how, str):
        numbers = [x for row in rows(math.nan, turn) for x in row]
        numbers += [math.nan] * (-len(numbers) % (80 // struct.calcsize(how)))
        return struct.pack(f">{len(numbers)}{how}", *numbers) + (b"\r\n" if how == "d" else b"\n")
    width, digits, per = how
    text = ""
    for row in rows(None, turn):
        cells = ["*" * width if x is None else f"{x:{width}.{digits}f}" for x in row]
        text += "".join("".join(cells[k:k + per]) + "\n" for k in range(0, len(cells), per))
    return text.encode()


def write(form, name, turn):
    head = ("\n\n" if form == "LRFI" else "") + "$CT      ! words\n$ROAD is not the name of a section here, but its end\n* a comment\n$ROAD_CRG ! more\n"
    keys = {"start_u": 100, "END_U": 100 + DU * (NU - 1), "INCREMENT": DU, "START_X": START[0], "START_Y": START[1],
            "START_Z": START[2], "start_phi": PHI, "END_PHI": PHI + turn[-1] + 2 * math.pi, "START_LON": 9.5,
            "END_X": START[0] + DU * sum(math.cos(PHI + t) for t in turn[1:]), "END_Z": START[2] + DU * sum(slope[1:])}
    head += "".join(f"reference_line_{key} = {x!r} ! number\n" for key, x in keys.items())
    head += "LONG_SECTION_V_RIGHT =-1.5\n$\n\n$ROAD_CRG_OPTS\nBORDER_MODE_V = 2.0\nCHECK_EPS=1e-5\nLOG_MSGS = 50\n$!***\n"
    head += f"$kd_definition\n#:{form} ! form\nU:reference line u,m,100,0.5\nD:reference line phi,rad ! heading\n"
    head += "D:Reference line banking,m/m\nD: reference line slope,m/m\n"
    head += "".join(f"D:long section at v = {v:6.3f},m\n" for v in V) + "$ \xe9nd\n$$$$$$$$10$$\n"
    with open(name + ".crg", "wb") as file:
        file.write(head.encode("latin-1").replace(b"\n", b"\r\n" if form == "LDFI" else b"\n") + data(form, turn))


def filled(i):
    """A row without holes."""
    row = list(grid[i])
    there = [j for j in range(len(V)) if (i, j) not in missing]
    return [row[min(max(j, there[0]), there[-1])] for j in range(len(V))]


def spline(x, y, at):
    """Natural cubic spline by its second derivatives m: full elimination; kept at the ends."""
    n, at = len(x), min(max(at, x[0]), x[-1])
    a = [[0.0] * (n + 1) for _ in range(n)]
    a[0][0] = a[-1][n - 1] = 1.0
    for i in range(1, n - 1):
        h, k = x[i] - x[i - 1], x[i + 1] - x[i]
        a[i][i - 1:i + 2] = [h / 6, (h + k) / 3, k / 6]
        a[i][n] = (y[i + 1] - y[i]) / k - (y[i] - y[i - 1]) / h
    for i in range(n):
        for k in range(n):
            if k != i and a[k][i]:
                f = a[k][i] / a[i][i]
                a[k] = [p - f * q for p, q in zip(a[k], a[i])]
    m = [a[i][n] / a[i][i] for i in range(n)]
    i = max(k for k in range(n - 1) if x[k] <= at)
    h, p, q = x[i + 1] - x[i], x[i + 1] - at, at - x[i]
    return (m[i] * p**3 + m[i + 1] * q**3) / (6 * h) + (y[i] / h - m[i] * h / 6) * p + (y[i + 1] / h - m[i + 1] * h / 6) * q


def height(u, v):
    """Above the start of the reference line."""
    line, lines = 0.0, []
    for i in range(NU):
        line += DU * slope[i] if i else 0.0
        lines.append(spline(V, [line + bank[i] * V[j] + g for j, g in enumerate(filled(i))], v))
    return spline([DU * i for i in range(NU)], lines, u)


places = [(DU * i, v) for i in range(NU) for v in V]
places += [(rnd.uniform(0, 2.5), rnd.uniform(-1.5, 1.75)) for _ in range(20)]
places += [(-3, 0), (-1, -9), (9, 1.1), (1.3, 8), (1.3, -8), (9, 9)]


def turned(u, v, phi, at):
    return at[0] + u * math.cos(phi) - v * math.sin(phi), at[1] + u * math.sin(phi) + v * math.cos(phi)


U = [DU * i for i in range(NU)]
LINE = [[DU * sum(f(t) for t in TURN[1:i + 1]) for i in range(NU)] for f in (math.cos, math.sin)]


def slope_of(y, u):
    """Of the spline through the points y: of the cubic between two of them, by four of its values."""
    i = max(k for k in range(NU - 1) if U[k] <= max(u, 0))
    f = [spline(U, y, U[i] + DU * k / 3) for k in range(4)]
    t = min(max((u - U[i]) / DU * 3, 0), 3)
    d = [f[1] - f[0], f[2] - 2 * f[1] + f[0], f[3] - 3 * f[2] + 3 * f[1] - f[0]]  # Newton's differences
    return (d[0] + d[1] * (2 * t - 1) / 2 + d[2] * (3 * t * t - 6 * t + 2) / 6) * 3 / DU


def on_line(u, v):
    """Where u and v are from the start of the line that turns, in the direction of its first interval; beyond its ends it is straight."""
    d = [slope_of(y, u) for y in LINE]
    p = [spline(U, y, u) + d[k] * (u - min(max(u, 0), U[-1])) for k, y in enumerate(LINE)]
    size = math.hypot(*d)
    return p[0] - v * d[1] / size, p[1] + v * d[0] / size


turning = [(u, v) for u, v in places if -2 < u < 3 and abs(v) < 2] + [(-1.7, 0.4), (4.1, -0.3), (1.1, 2.1), (0.7, -2.1)]
ROADS = {"": (PHI, START, 1.0), ", at: [1, 2, 3], direction: [3, 4, 0], scale: 0.5": (math.atan2(4, 3), (1, 2, 3), 0.5),
         ", direction: y": (math.pi / 2, START, 1.0)}
SLIDER = "bodies: {cart: {mass: 1, com: [0, 0, 0]}}\njoints: {x: {type: prismatic, child: cart, at: [0, 0, 0], axis: x}}\n"
models = {}  # name: text, expected heights
for form in FORMS:
    for k, (keys, (phi, at, scale)) in enumerate(ROADS.items()):
        xy = [turned(u, v, phi, at) for u, v in places]
        text = SLIDER + f"roads: {{track: {{type: crg, file: {form}.crg{keys}}}}}\noutputs:\n"
        text += "".join(f"  h{i}: track({x!r}, {y!r})\n" for i, (x, y) in enumerate(xy))
        models[f"{form}{k}"] = text, [at[2] + scale * height(u, v) for u, v in places]
        if k > 0 and form != "KDBI":
            continue
        text = SLIDER + f"roads: {{track: {{type: crg, file: turn-{form}.crg{keys}}}}}\noutputs:\n"
        for i, (u, v) in enumerate(turning):
            x, y = turned(*on_line(u, v), phi, at)
            text += f"  h{i}: track({x!r}, {y!r})\n"
        models[f"turn-{form}{k}"] = text, [at[2] + scale * height(u, v) for u, v in turning]
xy = [turned(u, v, PHI, START) for u, v in places]
models["mirror"] = SLIDER + ("templates: {side: {roads: {track: {type: crg, file: KDBI.crg}}}}\n"
                          "instances: {r: {template: side, mirror: y}}\noutputs:\n") + "".join(
    f"  h{i}: r.track({x!r}, {-y!r})\n" for i, (x, y) in enumerate(xy)), models["KDBI0"][1]
xy = [turned(*on_line(u, v), PHI, START) for u, v in turning]
models["turn-mirror"] = models["mirror"][0].split("outputs:")[0].replace("KDBI", "turn-KDBI") + "outputs:\n" + "".join(
    f"  h{i}: r.track({x!r}, {-y!r})\n" for i, (x, y) in enumerate(xy)), models["turn-KDBI0"][1]

if sys.argv[1:] != ["look"]:
    for form in FORMS:
        write(form, form, [0.0] * NU)
        write(form, "turn-" + form, TURN)
    for name, (text, _) in models.items():
        with open(name + ".yaml", "w") as file:
            file.write(text)
    sys.exit()
seen = {}
for name, (_, expected) in models.items():
    with open(name + ".csv") as file:
        row = next(csv.DictReader(file))
    seen[name] = [row[f"h{i}"] for i in range(len(expected))]
    for place, h, text in zip(turning if "turn" in name else places, expected, seen[name]):
        assert abs(float(text) - h) < (1e-12 if "turn" in name else 1e-13), (name, place, h, text)
assert max(map(float, seen["KDBI0"])) > 2.3 > 1.9 > min(map(float, seen["KDBI0"]))
for k in range(len(ROADS)):
    assert all(seen[f"{form}{k}"] == seen[f"KDBI{k}"] for form in FORMS), k
assert all(seen[f"turn-{form}0"] == seen["turn-KDBI0"] for form in FORMS)
END
mkdir ../good && cd ../good || exit 1
check "files" python3 ../broken/heights.py
for model in *.yaml; do
  check "$model" "$CAMBER" run "$model" --t-end 0.01 --out "${model%.yaml}.csv" >/dev/null
done
check "heights" python3 ../broken/heights.py look

finish

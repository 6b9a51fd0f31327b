#!/usr/bin/env bash
# camber linearize: the numbers of --json against formulas, the text, --at, --equilibrium here and for run and check, and
# what is said when it cannot be done.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py CHECK FILE ARGUMENT...: exit code 0 if the check holds, else says why not."""
import json, math, sys


def expect(holds, *words):
    if not holds:
        sys.exit(" ".join(map(str, ("look.py:",) + words)))


def load(path):
    def number(digits):
        expect("%.17g" % float(digits) == digits, digits, "does not read back")
        return float(digits)

    with open(path) as file:
        return json.load(file, parse_float=number)


def keys(path, model, freedom):
    x = load(path)
    expect(x["model"] == model and x["status"] == "ok", x["model"], x["status"])
    expect(x["degrees_of_freedom"] == int(freedom), "freedom", x["degrees_of_freedom"])
    count = 0
    for e in x["eigenvalues"]:
        expect(e["im"] >= 0, "both of a pair:", e)
        count += 2 if e["im"] > 0 else 1
        size = math.hypot(e["re"], e["im"])
        expect(e["neutral"] is (e["frequency"] == 0), e)
        expect(e["neutral"] or abs(e["frequency"] - size / (2 * math.pi)) < 1e-12 * size, e)
        expect(e["neutral"] or abs(e["damping"] + e["re"] / size) < 1e-12, e)
        expect(e["shape"][e["most"]] == [1, 0], e)
        expect(all(math.hypot(*c) < 1 + 1e-8 for c in e["shape"].values()), e)
        expect(len(e["shape"]) == len(x["q"]), e)
    expect(count == 2 * int(freedom), count, "eigenvalues")


def frequencies(path, *expected):
    found = [e["frequency"] * 2 * math.pi for e in load(path)["eigenvalues"]]
    expect(len(found) == len(expected), found)
    expect(all(abs(a - float(b)) < 1e-6 * a for a, b in zip(found, expected)), found, expected)


def at(path, t):
    x = load(path)
    expect(x["t"] == float(t), "t", x["t"])


def state(path, run):
    x, y = load(path), load(run)
    expect((x["t"], x["q"], x["v"]) == (y["t"], y["q"], y["v"]), x["q"], y["q"])


def resting(path, *q):
    x = load(path)
    expect(all(abs(a - float(b)) < 1e-12 for a, b in zip(x["q"], q)), x["q"])
    expect(len(x["q"]) == len(q), x["q"])


def failed(path, status):
    x = load(path)
    expect(x["status"] == status and x["message"] and "eigenvalues" not in x, x)


globals()[sys.argv[1]](*sys.argv[2:])
END

look() { check "[$what]: $*" python3 look.py "$@"; }
not() { ! "$@"; }

camber() { # CODE FILE ARGUMENT... : standard output to FILE
  local code=$1 file=$2
  shift 2
  what=$*
  "$CAMBER" "$@" >"$file" 2>stderr
  check "[$what]: exit code" [ $? -eq "$code" ]
  if [ "$code" -eq 0 ]; then
    check "[$what]: nothing on standard error" [ ! -s stderr ]
  else
    check "[$what]: one line on standard error" [ "$(wc -l <stderr)" -eq 1 ]
  fi
}
says() { check "[$what]: says '$1'" grep -q -- "$1" "${2:-stderr}"; }

# ---- numbers: sqrt(g/l); sqrt(x g/l) with the zeros x of Laguerre polynomials; 1/epsilon sqrt(2/M)
camber 0 a.json linearize pendulum --set l=2 --equilibrium --json
look keys a.json pendulum 1
look frequencies a.json "$(python3 -c 'print((9.81 / 2) ** 0.5)')"
camber 0 a.json linearize pendulum-chain --set N=2 --json
look keys a.json pendulum-chain 2
look frequencies a.json "$(python3 -c 'print((9.81 * (2 - 2 ** 0.5)) ** 0.5)')" \
  "$(python3 -c 'print((9.81 * (2 + 2 ** 0.5)) ** 0.5)')"
camber 0 a.json linearize caraxis --equilibrium --json
look keys a.json caraxis 2
look frequencies a.json "$(python3 -c 'print(2000 ** 0.5)')" "$(python3 -c 'print(2000 ** 0.5)')"

# ---- at a later time: the state of the run
camber 0 a.json linearize caraxis --at 0.75 --rtol 1e-8 --json
look keys a.json caraxis 2
look at a.json 0.75
camber 0 b.json run caraxis --t-end 0.75 --rtol 1e-8 --json
look state a.json b.json
camber 0 a.json linearize pendulum --at 0 --json
look at a.json 0

# ---- text
camber 0 a.txt linearize pendulum --equilibrium
says '^pendulum: stable equilibrium' a.txt
says '3.13209 i' a.txt
check "[$what]: at rest" not grep -q 'no equilibrium' a.txt
camber 0 a.txt linearize pendulum
says 'no equilibrium: acceleration' a.txt
camber 0 a.txt linearize pendulum-chain --set N=1 --set g=0
says 'neutral' a.txt

# ---- run and check from the equilibrium
camber 0 a.json check pendulum --equilibrium --start x=0.9 --start y=0.5 --json
look resting a.json 0 -1
camber 0 a.json run pendulum --equilibrium --t-end 5 --json
look resting a.json 0 -1
camber 0 a.txt check pendulum --equilibrium --start x=0 --start y=1
says 'unstable in 1 of 1 directions' a.txt
camber 0 a.txt check pendulum-chain --set g=0 --equilibrium
says 'no stiffness in 12 of 12 directions' a.txt

# ---- A, B, C, D: a block on a spring, pushed by an actuator with a lag
cat >block.yaml <<'END'
gravity: [0, 0, 0]
points: {O: [0, 0, 0]}
bodies: {block: {mass: 2, com: O}}
joints: {slide: {type: prismatic, child: block, axis: x, coordinates: [x], stiffness: 50, damping: 3}}
parameters: {gain: 1}
inputs: {command: '0', place: '0'}
states: {force: {rate: (gain*command - force)/0.2}}
forces: {push: {type: torsion, coordinate: x, torque: -force}}
outputs: {position: x, acceleration: block.ax}
END
cat >matrices.py <<'END'
"""matrices.py FILE: the matrices of a report, a table or a MAT file of version 4 are those of the block."""
import csv, json, struct, sys

A = [[0, 1, 0], [-25, -1.5, 0.5], [0, 0, -5]]
C = [[1, 0, 0], [-25, -1.5, 0.5]]
exact = {"A": A, "B": [[0], [0], [5]], "C": C, "D": [[0], [0]]}


def from_mat(data):
    found, at = {}, 0
    while at < len(data):
        kind, rows, columns, imaginary, length = struct.unpack_from("<5i", data, at)
        name = data[at + 20:at + 20 + length - 1].decode()
        at += 20 + length
        numbers = struct.unpack_from("<%dd" % (rows * columns), data, at)
        at += 8 * rows * columns
        found[name] = [[numbers[j * rows + i] for j in range(columns)] for i in range(rows)]
        if kind == 1:
            found[name] = ["".join(chr(int(x)) for x in row).rstrip() for row in found[name]]
    return found


if sys.argv[1].endswith(".json"):
    seen = json.load(open(sys.argv[1]))["state_space"]
    assert seen["x"] == ["x", "x'", "force"] and seen["u"] == ["command"], seen
elif sys.argv[1].endswith(".mat"):
    seen = from_mat(open(sys.argv[1], "rb").read())
    assert seen["x_names"] == ["x", "x'", "force"] and seen["y_names"] == ["position", "acceleration"], seen
else:
    rows = list(csv.reader(open(sys.argv[1])))
    assert rows[0] == ["of", "x", "x'", "force", "command"], rows[0]
    assert [row[0] for row in rows[1:]] == ["rate of x", "rate of x'", "rate of force", "position", "acceleration"]
    table = [[float(x) for x in row[1:]] for row in rows[1:]]
    seen = {"A": [row[:3] for row in table[:3]], "B": [row[3:] for row in table[:3]],
            "C": [row[:3] for row in table[3:]], "D": [row[3:] for row in table[3:]]}
for name, matrix in exact.items():
    for row, exact_row in zip(seen[name], matrix, strict=True):
        for x, y in zip(row, exact_row, strict=True):
            assert abs(x - y) < 1e-9, (name, seen[name])
END
camber 0 a.json linearize block.yaml --inputs command --outputs position,acceleration --out a.mat \
  --bode bode.svg --step-response step.svg --json
camber 0 a.txt linearize block.yaml --inputs command --outputs position,acceleration --out a.csv
says "force" a.txt
for file in a.json a.mat a.csv; do check "matrices in $file" python3 matrices.py $file; done
for file in bode.svg step.svg; do check "$file has a curve" grep -q '<polyline' $file; done
camber 0 a.txt linearize block.yaml --live gain --inputs gain --outputs position
# a resonance that is narrower than the distance of even points, and one without damping
sed 's/damping: 3/damping: 0.002/' block.yaml >sharp.yaml
camber 0 a.txt linearize sharp.yaml --inputs command --outputs position --bode bode.svg
check "the peak is drawn" python3 -c "
import re
ticks = [float(x) for x in re.findall(r'>(1e[-+0-9]+|[0-9.]+)</text>', open('bode.svg').read())]
assert max(ticks) >= 10, ticks" # |1/(d w i (lag w i + 1))| at the resonance w = 5: 70
sed 's/damping: 3/damping: 0/' block.yaml >undamped.yaml
camber 0 a.txt linearize undamped.yaml --inputs command --outputs position --bode bode.svg --step-response step.svg
camber 2 a.txt linearize block.yaml --inputs comand
says "no input or live parameter 'comand'; did you mean 'command'?"
camber 2 a.txt linearize block.yaml --inputs command --outputs position, --out a.csv
says "no output ''"
camber 2 a.txt linearize block.yaml --bode bode.svg
says "--bode needs --inputs or --outputs"
camber 2 a.txt linearize block.yaml --inputs command --out a.txt
camber 2 a.txt run block.yaml --out a.mat
sed 's/forces:.*/motions: {drive: {coordinate: x, value: place}}/' block.yaml >driven.yaml
camber 2 a.txt linearize driven.yaml --inputs place --outputs position
says "'place' moves the constraint 'drive'"
camber 2 a.txt linearize caraxis --outputs no_such
camber 2 a.txt linearize caraxis --inputs command
says "no input or live parameter 'command'"

# ---- what cannot be
camber 2 a.txt linearize
camber 2 a.txt linearize nothing
camber 2 a.txt linearize pendulum --at -1
says "option --at is '-1'"
camber 2 a.txt linearize pendulum --at soon
camber 2 a.txt run pendulum --at 1
says "takes no option --at"
camber 2 a.txt linearize pendulum --equilibrium=yes
camber 2 a.txt linearize pendulum --method none
camber 1 a.json linearize caraxis --set h=2 --at 1 --json
look failed a.json diverged

finish

#!/usr/bin/env bash
# camber linearize: the numbers of --json against formulas, the printed text, --at, --equilibrium (also for run and check), and
# the messages if a model cannot be linearised.
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


def shapes(path, words):
    """The lines of the text that say how a mode moves: sizes and phases of the shapes, the largest first."""
    with open(words) as file:
        lines = [line.strip() for line in file if line.startswith(" " * 34)]
    shapes = [e["shape"] for e in load(path)["eigenvalues"]]
    expect(len(lines) == len(shapes), lines)
    for line, shape in zip(lines, shapes):
        before = math.inf
        for part in line.split(", "):
            name, size, *at = part.split(" ")
            wanted, phase = math.hypot(*shape[name]), math.degrees(math.atan2(*shape[name][::-1]))
            said = 0 if not at else 180 if at == ["against"] else float(at[1].rstrip("°"))
            expect(abs(float(size) - wanted) <= 0.006 * wanted and wanted <= before * (1 + 1e-9), part, shape)
            expect(abs((phase - said + 180) % 360 - 180) <= 0.51, part, shape)
            before = wanted


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
says() { check "[$what]: prints '$1'" grep -q -- "$1" "${2:-stderr}"; }

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

# ---- at a later time: the linearisation is about the state of the run
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

# real eigenvalues ±√3, a neutral pair 0 and a pair ± 2 i: a line each, without an imaginary part where there is none
cat >kinds.yaml <<'END'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}, c: {mass: 1, com: [0, 0, 0]}}
joints:
  x: {type: prismatic, child: a, axis: x}
  y: {type: prismatic, child: b, axis: x, stiffness: 4}
  z: {type: prismatic, child: c, axis: x}
forces: {away: {type: torsion, coordinate: x, torque: -3*x}}
END
camber 0 a.txt linearize kinds.yaml
says '^  -1.73205  *0.275664  *1  *x$' a.txt
says '^  1.73205  *0.275664  *-1  *x$' a.txt
says '^  0 ± 2 i  *0.31831  *0  *y$' a.txt
says '^  0  *neutral  *z$' a.txt

for model in 'quarter-car --equilibrium' double-pendulum 'pendulum-chain --set N=3' 'fivelink --equilibrium'; do
  # shellcheck disable=SC2086 # several words
  camber 0 a.json linearize $model --json
  # shellcheck disable=SC2086
  camber 0 a.txt linearize $model
  look shapes a.json a.txt
done

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

# ---- plots have the model's title; each unit has a panel, and phases have ticks at fractions of a turn
sed 's/^gravity/title: A block on a spring\n&/; s/gain: 1/gain: {value: 1, unit: V}/; s/position: x, acc[^,}]*/position: {value: x, unit: m}, speed: {value: "x'"'"'", unit: m\/s}, load: {value: 50*x, unit: N}, again: {value: 2*x, unit: m}/' \
  block.yaml >units.yaml
camber 0 a.txt linearize units.yaml --inputs command --outputs position,speed,load,again --bode bode.svg --step-response step.svg
camber 0 a.txt linearize units.yaml --live gain --inputs gain --outputs position,speed --bode by-parameter.svg
check 'panels of units' python3 - <<'END'
import re
def texts(path):
    return re.findall(r">([^<>\n]+)</text>", open(path).read())
bode, step, by = (texts(f) for f in ("bode.svg", "step.svg", "by-parameter.svg"))
assert all(t[0] == "A block on a spring" for t in (bode, step, by)), (bode, step, by)
titles = [f"amplitude in {unit} per unit of command" for unit in ("m", "m/s", "N")] + ["phase in deg"]
assert [t for t in bode if t.startswith(("amplitude", "phase"))] == titles, bode
assert [t for t in step if t.startswith("change")] == ["change in m", "change in m/s", "change in N"], step
assert [t for t in by if t.startswith("amplitude")] == ["amplitude in m/V", "amplitude in (m/s)/V"], by
assert bode.count("position / command") == 2 and bode.count("again / command") == 2 and "load, step of command" in step, bode
phases = re.findall(r"class='end'>([^<]+)<", open("bode.svg").read().split("load / command")[1])
assert len(phases) > 2 and all(float(p) % 45 == 0 for p in phases), phases
colours = dict()  # the same one in all panels
for colour, name in re.findall(r"<polyline stroke='(#\w+)'[^>]*/><text[^>]*>([^<]+)<", open("bode.svg").read()):
    assert colours.setdefault(name, colour) == colour, name
assert len(colours) == len(set(colours.values())) == 4, colours
END
camber 0 a.txt linearize block.yaml --live gain --inputs gain --outputs position
# a resonance that is narrower than the distance of equally spaced points, and one without damping
sed 's/damping: 3/damping: 0.002/' block.yaml >sharp.yaml
camber 0 a.txt linearize sharp.yaml --inputs command --outputs position --bode bode.svg
check "the peak is drawn" python3 -c "
import re
ticks = [float(x) for x in re.findall(r'>(1e[-+0-9]+|[0-9.]+)</text>', open('bode.svg').read())]
assert max(ticks) >= 10, ticks" # |1/(d w i (lag w i + 1))| at the resonance w = 5: 70
check "the peak is at 5 rad/s, in Hz" python3 - <<'END'
import math, re
svg = open("bode.svg").read()
(x0, f0), (x1, f1) = [tuple(map(float, tick)) for tick in re.findall(r"<text x='([0-9.]+)' y='[0-9.]+' class='middle'>([0-9.]+)</text>", svg)][-2:]
curve = [tuple(map(float, point.split(","))) for point in re.search(r"<polyline [^>]*points='([^']*)'", svg)[1].split()]
peak = min(curve, key=lambda point: point[1])[0]
frequency = f0 * (f1 / f0) ** ((peak - x0) / (x1 - x0))  # the axis is logarithmic
assert abs(frequency * 2 * math.pi / 5 - 1) < 5e-3, frequency
END
sed 's/damping: 3/damping: 0/' block.yaml >undamped.yaml
camber 0 a.txt linearize undamped.yaml --inputs command --outputs position --bode bode.svg --step-response step.svg
# at an undamped resonance the response is infinite: two outputs, of which one is twice the other, have the same gap there
sed 's/damping: 3/damping: 0/' units.yaml >two.yaml
camber 0 a.txt linearize two.yaml --inputs command --outputs position,again --bode two.svg
check "the curves of both outputs have a gap" python3 -c "
import re
parts = {}
for colour, points in re.findall(r\"<polyline stroke='(#\\w+)' points='([^']*)'\", open('two.svg').read()):
    ends = [p.split(',')[0] for p in points.split()]
    if len(ends) > 2: parts.setdefault(colour, []).append((ends[0], ends[-1])) # two points: a sample in the legend
one, twice = parts.values() # amplitude and phase of the one; the phase of the other would lie on it
assert len(one) == 4 and one[:2] == one[2:] == twice and one[0] != one[1], parts"
camber 2 a.txt linearize block.yaml --inputs comand
says "no input or live parameter 'comand'; did you mean 'command'?"
camber 2 a.txt linearize block.yaml --inputs command --outputs position, --out a.csv
says "no output ''"
camber 2 a.txt linearize block.yaml --bode bode.svg
says "--bode needs --inputs or --outputs"
camber 2 a.txt linearize block.yaml --inputs command --out a.txt
camber 2 a.txt kinematics block.yaml --out a.mat
sed 's/forces:.*/motions: {drive: {coordinate: x, value: place}}/' block.yaml >driven.yaml
camber 2 a.txt linearize driven.yaml --inputs place --outputs position
says "'place' moves the constraint 'drive'"
camber 2 a.txt linearize driven.yaml --inputs "place'" --outputs position
says "'place'' moves the constraint 'drive'"
camber 2 a.txt linearize caraxis --outputs no_such
camber 2 a.txt linearize caraxis --inputs command
says "no input or live parameter 'command'"

# ---- transfer functions: 1/(m lag) / ((s² + d/m s + k/m)(s + 1/lag)), and one on which the lag has no effect
cat >transfer.py <<'END'
import json, sys
x = json.load(open("a.json"))["transfer"]
assert [(t["input"], t["output"]) for t in x] == [("command", "position"), ("wind", "position"),
                                                  ("command", "acceleration"), ("wind", "acceleration")], x
assert x[0]["minimal"] and not x[0]["cancelled"] and not x[0]["zeros"] and abs(x[0]["gain"] - 2.5) < 1e-12
assert all(abs(a - b) < 1e-9 for a, b in zip(x[0]["denominator"], [1, 6.5, 32.5, 125], strict=True)), x[0]
assert all(abs(a - b) < 1e-9 for a, b in zip(x[1]["denominator"], [1, 1.5, 25], strict=True)), x[1]
assert not x[1]["minimal"] and abs(x[1]["cancelled"][0][0] + 5) < 1e-9 and len(x[1]["cancelled"]) == 1, x[1]
assert len(x[3]["zeros"]) == 2 and abs(x[3]["gain"] - 0.5) < 1e-12 and all(t["off"] < 1e-9 for t in x), x[3]
END
sed 's/^inputs: {/inputs: {wind: 0, /; s/torque: -force/torque: -force - wind/' block.yaml >windy.yaml
camber 0 a.json linearize windy.yaml --inputs command,wind --outputs position,acceleration --json
check "transfer functions" python3 transfer.py
camber 0 a.txt linearize windy.yaml --inputs command,wind --outputs position
says "denominator s^2 + 1.5 s + 25" a.txt
says "cancelled   -5" a.txt

# ---- an input whose rate has an effect: a road under a tyre with damping
cat >damped.yaml <<'END'
bodies: {wheel: {mass: 40, com: [0, 0, 0.3]}}
joints: {hub: {type: prismatic, child: wheel, axis: z, coordinates: [z]}}
inputs: {road: 0}
forces: {tyre: {type: contact, on: {body: wheel, at: [0, 0, 0.3]}, radius: 0.3, surface: z - road, stiffness: 180000, damping: 2000}}
outputs: {height: z, load: tyre.fz}
simulate: {equilibrium: true}
END
cat >damped.py <<'END'
import csv, json
a = json.load(open("a.json"))
s, (height, load) = a["state_space"], a["transfer"]
assert s["u"] == ["road", "road'"], s
for name, exact in {"B": [[0, 0], [4500, 50]], "D": [[0, 0], [180000, 2000]]}.items():
    for row, exact_row in zip(s[name], exact, strict=True):
        assert all(abs(x - y) < 1e-9 * max(1, abs(y)) for x, y in zip(row, exact_row, strict=True)), (name, s[name])
for t, exact in ((height, [50, 4500]), (load, [2000, 180000, 0, 0])):
    assert t["input"] == "road" and len(t["numerator"]) == len(exact), t
    assert all(abs(x - y) < 1e-9 * y + 1e-3 * (y == 0) for x, y in zip(t["numerator"], exact)), t
    assert all(abs(x - y) < 1e-9 * y for x, y in zip(t["denominator"], [1, 50, 4500], strict=True)), t
assert next(csv.reader(open("damped.csv"))) == ["of", "z", "z'", "road", "road'"]
assert len(a["warnings"]) == 1 and "an impulse of 2000" in a["warnings"][0], a["warnings"]
END
"$CAMBER" linearize damped.yaml --inputs road --outputs height,load --out damped.csv --step-response damped.svg --json >a.json 2>stderr
check "a step of the road is an impulse: $(cat stderr)" grep -q 'warning: .*which the plot leaves out' stderr
check "the rate of the road" python3 damped.py
camber 0 a.txt linearize damped.yaml --inputs road --outputs height
says "the rates of inputs count, too" a.txt
says "numerator   50 s + 4500" a.txt
sed '/^simulate/d' damped.yaml >trimmed.yaml
"$CAMBER" linearize trimmed.yaml --steady z=0 --trim "road'" 2>stderr
check "a rate cannot be trimmed" [ $? -eq 2 ]
check "the message has the reason: $(cat stderr)" grep -q 'the rate of an input, and this rate is 0 in a steady motion' stderr

# ---- at a time during the run, after an event that resets a state, with inputs that are functions of time
cat >way.yaml <<'END'
gravity: [0, 0, 0]
points: {O: [0, 0, 0]}
bodies: {block: {mass: 2, com: O}}
joints: {slide: {type: prismatic, child: block, axis: x, coordinates: [x], stiffness: 50, damping: 3}}
inputs: {command: 3*sin(4*t), load: 1 + t}
states: {force: {rate: (command - force)/0.2}}
forces: {push: {type: torsion, coordinate: x, torque: "-force*load + 10*x^3"}}
events: {kick: {when: t > 0.35, action: {reset: {force: 7}}}}
outputs: {square: force^2, sum: x + command*load}
END
cat >way.py <<'END'
import json, math
run, at = json.load(open("run.json")), json.load(open("a.json"))
s, x, z = at["state_space"], at["q"][0], at["z"][0] if "z" in at else None
assert at["t"] == 0.8 and at["q"] == run["q"] and at["v"] == run["v"] and at.get("z") == run.get("z"), (at, run)
exact = {"A": [[0, 1, 0], [-25 - 15*x*x, -1.5, 0.9], [0, 0, -5]], "B": [[0, 0], [0, z/2], [5, 0]],
         "C": [[0, 0, 2*z], [1, 0, 0]], "D": [[0, 0], [1.8, 3*math.sin(3.2)]]}
for name, matrix in exact.items():
    for row, exact_row in zip(s[name], matrix, strict=True):
        assert all(abs(a - b) < 1e-9 for a, b in zip(row, exact_row, strict=True)), (name, s[name], matrix)
assert len(run["events"]) == 1 and abs(z) > 1
END
camber 0 run.json run way.yaml --t-end 0.8 --json
camber 0 a.json linearize way.yaml --at 0.8 --inputs command,load --outputs square,sum --json
check "state and matrices on the way" python3 way.py
# sampled values are those at this time
cat >sampled.yaml <<'END'
gravity: [0, 0, 0]
points: {O: [0, 0, 0]}
bodies: {block: {mass: 2, com: O}}
joints: {slide: {type: prismatic, child: block, axis: x, coordinates: [x], stiffness: 50, start: 0.5}}
inputs: {w: 0.3*t}
controllers: {c: {period: 0.1, update: {u: 2*x + 1}}}
forces: {push: {type: torsion, coordinate: x, torque: u*x^2 - w*u}}
outputs: {a: u*u*x, b: w*u, held: u}
END
camber 0 run.json run sampled.yaml --t-end 0.55 --json
camber 0 a.json linearize sampled.yaml --at 0.55 --inputs w --outputs a,b --json
check "sampled values on the way" python3 -c "
import json
run, s = json.load(open('run.json')), json.load(open('a.json'))['state_space']
x, u = run['q'][0], run['outputs']['held']
exact = [s['A'][1][0], -25 - u*x, s['B'][1][0], u/2, s['C'][0][0], u*u, s['D'][1][0], u]
assert abs(u) > 0.1 and all(abs(a - b) < 1e-12 for a, b in zip(exact[::2], exact[1::2], strict=True)), exact"
sed 's/{reset: {force: 7}}/stop/' way.yaml >stopped.yaml
camber 0 a.txt linearize stopped.yaml --at 0.3 --inputs command --outputs sum
camber 1 a.txt linearize stopped.yaml --at 0.8 --inputs command --outputs sum
says "event 'kick' stops the run at t = 0.35"
sed "s/torque: .*/torque: \"9*sign(x')\"}}/; /^events/d" way.yaml >sticks.yaml
camber 0 a.txt linearize sticks.yaml --start "x'=0.2" --at 0.01
camber 1 a.txt linearize sticks.yaml --start "x'=0.2" --at 1
says "is held at its switch at t = 1"

# ---- models that cannot be linearised
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

# ---- an input without effect on the output: the transfer function has no poles, also in a model with many other states

cat >unreached.yaml <<'END'
include: [parts/filter, parts/pid]
inputs: {u: 0}
bodies: {b: {mass: 2, sphere: [0, 0, 0], radius: 0.1}}
joints: {j: {type: prismatic, child: b, axis: x, coordinates: [x]}}
states: {own: {rate: -3*own}, sum: {rate: u}}
instances:
  so: {template: second_order, parameters: {frequency: 30, damping: 0.3}, measures: {input: u}}
  c: {template: pid, parameters: {kp: 4, ki: 6, kd: 0.5, derivative_time: 0.01}, measures: {error: u}}
forces: {f: {type: torsion, coordinate: x, stiffness: 100, damping: 3, torque: -u}}
outputs: {own_now: own}
END
check 'unreached' "$CAMBER" linearize unreached.yaml --inputs u --outputs own_now --json >unreached.json
check 'nothing arrives' python3 - <<'END'
import json
t = json.load(open("unreached.json"))["transfer"][0]
assert t["gain"] == 0 and t["poles"] == [] and t["zeros"] == [], t
assert any(abs(re + 3) < 1e-9 for re, im in t["cancelled"]), t["cancelled"]
END

# Steady motion: an oversteering car, straight ahead at several speeds and on a circle.
cat >oversteer.yaml <<'END'
gravity: [0, 0, 0]
points: {F: [1.2, 0, 0], R: [-1.5, 0, 0], G: [0, 0, 0]}
bodies: {car: {mass: 1500, com: G, inertia: [500, 2000, 2500]}}
joints: {road: {type: planar, child: car, at: G, axes: [x, y], coordinates: [x, y, yaw], rate: [20, 0, 0]}}
inputs: {steer: '0', drive: '0'}
measures:
  u: x'*cos(yaw) + y'*sin(yaw)
  w: y'*cos(yaw) - x'*sin(yaw)
  sf: 80000*(steer - (w + 1.2*yaw')/u)
  sr: 50000*(1.5*yaw' - w)/u
forces:
  front: {type: load, on: car@F, force: [-sin(yaw)*sf, cos(yaw)*sf, 0]}
  rear: {type: load, on: car@R, force: [cos(yaw)*drive - sin(yaw)*sr, sin(yaw)*drive + cos(yaw)*sr, 0]}
outputs: {r: yaw', speed: u}
simulate: {trim: 'drive,steer', steady: {r: 0}}
END
check 'over speed' "$CAMBER" linearize oversteer.yaml --vary speed=5:50:10 --json >vary.json
check 'critical speed' python3 - <<'END'
import json, math
x = json.load(open("vary.json"))
wanted = math.sqrt(80000 * 50000 * 2.7**2 / (1500 * (1.2 * 80000 - 1.5 * 50000)))
assert len(x["table"]) == 10 and len(x["critical"]) == 1, x["critical"]
assert abs(x["critical"][0] / wanted - 1) < 1e-6, (x["critical"], wanted)
END
"$CAMBER" run oversteer.yaml --steady speed=20 --steady r=0.2 --quiet >circle.txt
check 'on a circle' grep -q 'on a circle with 0.2 rad/s' circle.txt
check 'the steering angle' grep -q 'steer 0.0153333333' circle.txt
if "$CAMBER" linearize oversteer.yaml --steady speed=20 --formulation cartesian 2>cartesian.txt; then fail 'cartesian'; fi
check 'joint coordinates' grep -q 'expected the formulation explicit or residual' cartesian.txt

# A car with a trailer: the speed above which it snakes, found by bisection with numpy from the eigenvalues of the equations for y, yaw and hitch angle.
cat >trailer.yaml <<'END'
gravity: [0, 0, 0]
points: {G: [0,0,0], F: [1.2,0,0], R: [-1.5,0,0], H: [-2.2,0,0], T: [-5.2,0,0], A: [-5.4,0,0]}
bodies:
  car: {mass: 1500, com: G, inertia: [500, 2000, 2500]}
  trailer: {mass: 1200, com: T, inertia: [500, 2600, 3000]}
joints:
  road: {type: planar, child: car, at: G, axes: [x, y], coordinates: [x, y, yaw], rate: [20, 0, 0]}
  hitch: {type: revolute, parent: car, child: trailer, at: H, axis: z}
markers: {MA: {on: trailer, at: A}}
inputs: {steer: '0', drive: '0'}
measures:
  u: x'*cos(yaw) + y'*sin(yaw)
  w: y'*cos(yaw) - x'*sin(yaw)
  ua: MA.vx*MA.x_x + MA.vy*MA.x_y
  wa: MA.vx*MA.y_x + MA.vy*MA.y_y
  sf: 80000*(steer - (w + 1.2*yaw')/u)
  sr: 90000*(1.5*yaw' - w)/u
  sa: -50000*wa/ua
forces:
  front: {type: load, on: car@F, force: [-sin(yaw)*sf, cos(yaw)*sf, 0]}
  rear: {type: load, on: car@R, force: [cos(yaw)*drive - sin(yaw)*sr, sin(yaw)*drive + cos(yaw)*sr, 0]}
  axle: {type: load, on: trailer@A, force: [sa*MA.y_x, sa*MA.y_y, 0]}
outputs: {r: yaw', speed: u}
simulate: {trim: drive}
END
"$CAMBER" linearize trailer.yaml --vary speed=10:60:11 >trailer.txt
check 'snaking' grep -q 'critical speed  21.3613551$' trailer.txt

finish

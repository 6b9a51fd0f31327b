#!/usr/bin/env bash
# The trajectory file: a record exactly where --every says, the start and the end included; without it one for
# each accepted step and two at each event; records inside a step satisfy the constraints at the levels of position, velocity and
# acceleration; names and numbers can be read back; a run that fails keeps its file, an older one is replaced.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py FILE.csv RUN.json CHECK [NUMBER...]: exit code 0 if the check holds, else says why not."""
import csv, json, math, sys

with open(sys.argv[1], newline="") as file:
    text = file.read()
with open(sys.argv[2]) as file:
    run = json.load(file)
header, *lines = list(csv.reader(text.splitlines()))
rows = [dict(zip(header, map(float, line))) for line in lines]
numbers = [float(x) for x in sys.argv[4:]]
EPS = sys.float_info.epsilon


def expect(holds, *words):
    if not holds:
        sys.exit(" ".join(map(str, ("look.py:",) + words)))


def well_formed():
    names = run["names"]
    expect(header == ["t"] + names["q"] + names["v"] + names["lambda"] + list(run["outputs"]), header)
    expect(text.endswith("\n") and "\r" not in text and '"' not in text, "line ends or quotes")
    for i, line in enumerate(lines):
        expect(len(line) == len(header), "row", i, "has", len(line), "fields")
        expect(all(map(math.isfinite, map(float, line))), "row", i, "is not finite")
        # 17 digits: shorter only if nothing is lost
        expect(all(repr(float(x)) == repr(float("%.17g" % float(x))) for x in line), "digits in row", i)
        expect(all("%.17g" % float(x) == x for x in line), "row", i, "does not read back")
    times = [row["t"] for row in rows]
    events = {event["t"] for event in run["events"]}
    expect(all(a < b or (a == b and a in events) for a, b in zip(times, times[1:])), "t does not ascend")
    expect(times[0] == 0 and times[-1] == run["t"], "from", times[0], "to", times[-1])


def last_row():
    last = rows[-1]
    state = dict(zip(header[1:], run["q"] + run["v"] + run["lambda"] + list(run["outputs"].values())))
    expect(all(last[name] == state[name] for name in state), last, "is not", state)


def grid(t_end, every):
    """t is i * every, then the end; nothing else."""
    due = [i * every for i in range(int(t_end / every) + 3)]
    due = [t for t in due if t < t_end - 4 * EPS * max(t_end, every)] + [t_end]
    expect(len(rows) == len(due), len(rows), "rows instead of", len(due))
    for row, t in zip(rows, due):
        expect(abs(row["t"] - t) <= 4 * EPS * max(t, every), "t =", row["t"], "instead of", t)
    exact = sum(row["t"] == t for row, t in zip(rows, due))
    expect(exact >= 0.9 * len(rows), "only", exact, "of", len(rows), "times are exact")


def steps():
    """Each accepted step, the start, and each event twice at the end of the step it cut short."""
    events = {event["t"] for event in run["events"]}
    accepted = run["stats"]["accepted"]
    expect(len(rows) == accepted + 1 + len(events), len(rows), "rows,", accepted, "steps,", len(events), "events")
    times = [row["t"] for row in rows]
    expect(all(times.count(t) == 2 for t in events), "an event has not two rows")


def sides(jump):
    """Both sides of each event, in the file and in the report; the tyre's force jumps by this at the first one."""
    steps()
    for event in run["events"]:
        pair = [row for row in rows if row["t"] == event["t"]]
        for row, side in zip(pair, (event["before"], event["behind"])):
            state = dict(zip(header[1:], side["q"] + side["v"] + side["lambda"] + list(side["outputs"].values())))
            expect(all(row[name] == state[name] for name in state), row, "is not", state)
    first = run["events"][0]
    before, behind = (first[key]["outputs"]["tyre_force"] for key in ("before", "behind"))
    expect(before > jump and behind == 0, "the tyre's force goes from", before, "to", behind)
    ahead = [row["tyre_force"] for row in rows if row["t"] < first["t"]]
    expect(all(abs(f - before) < 1 for f in ahead), "it fades before")


def pendulum(limit, length, gravity):
    """The constraint and its derivatives, and the outputs from their definition."""
    for row in rows:
        x, y, vx, vy = row["x"], row["y"], row["x'"], row["y'"]
        expect(abs(x * x + y * y - length**2) <= limit * length**2, "position at", row["t"])
        expect(abs(x * vx + y * vy) <= limit * length**2, "velocity at", row["t"])
        tension = (vx * vx + vy * vy - gravity * y) / (x * x + y * y)
        # at the end of a step the multiplier is the method's own, inside it is that of the equations
        expect(abs(row["lambda"] - tension) <= (1e-4 if row is rows[-1] else 100 * limit), "lambda at", row["t"])
        expect(abs(row["angle"] - math.atan2(x, -y)) <= 1e-14, "angle at", row["t"])
        energy = (vx * vx + vy * vy) / 2 + gravity * (y + length)
        expect(abs(row["energy"] - energy) <= 1e-12, "energy at", row["t"])


def caraxis(limit):
    for row in rows:
        t, xl, yl, xr, yr = (row[name] for name in ("t", "xl", "yl", "xr", "yr"))
        yb, vyb = 0.1 * math.sin(10 * t), math.cos(10 * t)
        xb = math.sqrt(1 - yb * yb)
        vxb = -yb * vyb / xb
        vxl, vyl, vxr, vyr = (row[name + "'"] for name in ("xl", "yl", "xr", "yr"))
        square = xl * xb + yl * yb
        bar = (xl - xr) ** 2 + (yl - yr) ** 2 - 1
        expect(math.hypot(square, bar) <= limit, "position at", t, square, bar)
        square = vxl * xb + xl * vxb + vyl * yb + yl * vyb
        bar = 2 * ((xl - xr) * (vxl - vxr) + (yl - yr) * (vyl - vyr))
        expect(math.hypot(square, bar) <= limit, "velocity at", t, square, bar)


well_formed()
last_row()
{"grid": grid, "steps": steps, "sides": sides, "pendulum": pendulum, "caraxis": caraxis, "state": lambda: None}[sys.argv[3]](*numbers)
END

run() { # ARGUMENT... : a run with a trajectory in run.csv and its report in run.json
  rm -f run.csv
  check "[$*]: exit code" "$CAMBER" run "$@" --out run.csv --json >run.json
  check "[$*]: no partial file" [ ! -e run.csv.partial ]
}

look() { # CHECK [NUMBER...]
  check "[$what]: $*" python3 look.py run.csv run.json "$@"
}

methods=$("$CAMBER" list methods | awk '/^[a-z]/ { print $1 }')
[ "$(wc -w <<<"$methods")" -ge 4 ] || fail "methods: $methods"

# ---- records at an interval
for model in pendulum caraxis circular-track 'pendulum-chain --set N=3'; do
  for times in '1 0.01' '1 0.3' '0.7 0.1' '2 0.7' '0.5 1e-3' '1 5' '1 1' '0.1 0.1'; do
    what="$model, end and interval $times"
    read -r t_end every <<<"$times"
    # shellcheck disable=SC2086
    run $model --t-end "$t_end" --every "$every"
    look grid "$t_end" "$every"
  done
done
what='both sides of events'
run fivelink --set stair=1
look sides 3900
run fivelink --set stair=1 --method lie
look sides 3900
what='a fixed interval has no sides'
run fivelink --set stair=1 --every 0.01
look grid 1 0.01

what='no time at all'
run pendulum --t-end 0 --every 0.1
look state
check "$what: one row" [ "$(wc -l <run.csv)" -eq 2 ]

# ---- records inside steps satisfy the constraints; those at the ends of steps as well if each step is projected
projecting=$("$CAMBER" list methods | awk '/^[a-z]/ { method = $1 } /projection=.*control/ { print method }')
for method in $projecting; do
  what=$method
  run pendulum --set angle=1 --set l=2 --method "$method" --t-end 5 --every 0.01 --option projection=every
  look grid 5 0.01
  look pendulum 1e-13 2 9.81
  run caraxis --method "$method" --t-end 3 --every 0.01 --option projection=every
  look grid 3 0.01
  look caraxis 1e-12
  run pendulum --set angle=1 --method "$method" --rtol 1e-8 --t-end 5 --every 0.01
  look pendulum 1e-7 1 9.81
  run pendulum --set angle=1 --method "$method"
  look steps
  look pendulum 1e-5 1 9.81
  run caraxis --method "$method" --rtol 1e-9
  look steps
  run circular-track --method "$method" --rtol 1e-4
  look steps
  run pendulum --set angle=1 --method "$method" --option steps=fixed --step 0.01
  look steps
done

# ---- a run that fails keeps its records
keeps() { # ARGUMENT...
  what="$* fails"
  rm -f run.csv
  "$CAMBER" run "$@" --out run.csv --json >run.json 2>stderr
  check "$what: exit code 1" [ $? -eq 1 ]
  check "$what: no partial file" [ ! -e run.csv.partial ]
}
keeps pendulum --max-steps 10
look steps
keeps pendulum --max-steps 10 --repeat 3
look steps
keeps caraxis --set h=2
look steps
keeps pendulum --max-steps 10 --every 1e-3 # the last record is inside the last step
check "$what: rows" [ "$(wc -l <run.csv)" -gt 100 ]

# ---- an older file is replaced, by a run that fails too; a file left by a run that was killed is kept
printf 'old\n' >run.csv
"$CAMBER" run pendulum --max-steps 10 --out run.csv --json >run.json 2>stderr
what='replaced'
look steps
printf 'old\n%.0s' {1..100000} >run.csv.partial
rm -f run.csv
"$CAMBER" run pendulum --out run.csv --json >run.json
look steps
check "a partial file stays" [ "$(wc -l <run.csv.partial)" -eq 100000 ]
check "no second partial file" [ ! -e run.csv.2.partial ]
rm run.csv.partial

# ---- a disk that becomes full during the run: the message names the file with the lines, the older file stays
printf 'old\n' >run.csv
(
  trap '' XFSZ
  ulimit -f 20
  exec "$CAMBER" run pendulum --every 1e-3 --out run.csv --json >run.json 2>stderr
)
check "file too large: exit code 2" [ $? -eq 2 ]
check "file too large: message" grep -q "^camber: cannot write 'run.csv': .*is in 'run.csv.partial'" stderr
check "file too large: status" grep -q '"status": "input-output"' run.json
check "file too large: older file" [ "$(cat run.csv)" = old ]
check "file too large: partial file" [ "$(wc -l <run.csv.partial)" -gt 10 ]

# ---- an event that is at a multiple of the interval within rounding errors: the line has the multiple
cat >beside.yaml <<'EOF'
gravity: [0, 0, 0]
bodies: {b: {mass: 2, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x, rate: 1}}
events: {back: {when: t > 1, action: {reset: {"x'": "-x'"}}}}
simulate: {t-end: 2}
EOF
for method in mdop5 bdf radau5 abm; do
  "$CAMBER" run beside.yaml --method $method --every 0.5 --out beside.csv >/dev/null
  times=$(tail -n +2 beside.csv | cut -d, -f1 | tr '\n' ' ')
  check "times with $method: $times" [ "$times" = "0 0.5 1 1.5 2 " ]
done

# ---- columns with residuals agree with the summary, at the end and at the worst step

check 'residuals are recorded' "$CAMBER" run caraxis --method lie --option stabilization=none --step 0.01 --record residuals \
  --out residuals.csv --plot residuals.svg --json >residuals.json
check 'residuals are those of the run' python3 - <<'END'
import csv, json
rows = list(csv.DictReader(open("residuals.csv")))
run = json.load(open("residuals.json"))
assert list(rows[0])[-2:] == ["|g|", "|Gv|"], list(rows[0])
for column, level in (("|g|", "position"), ("|Gv|", "velocity")):
    values = [float(row[column]) for row in rows]
    assert values[-1] == run["residual"][level] and max(values) == run["worst"][level] > 1e-6, (column, values[-1], max(values))
picture = open("residuals.svg").read()
assert "|Gv|" in picture and "m/s, rad/s" in picture
END
"$CAMBER" run caraxis --record everything 2>stderr && fail 'an unknown word is taken'
check 'the words for it' grep -q "option --record is 'everything'; expected residuals" stderr

# Between the ends of steps the residuals are those of the dense output, not of the projected records, so that drift is continuous.
check 'a run without projection' "$CAMBER" run fivelink --option projection=none --t-end 0.5 --every 0.01 --record residuals \
  --out drift.csv --quiet >/dev/null
check 'drift inside of steps' python3 - <<'END'
import csv
g = [float(row["|g|"]) for row in csv.DictReader(open("drift.csv"))]
assert all(x > 1e-9 for x in g[len(g) // 2:]), min(g[len(g) // 2:])
END

finish

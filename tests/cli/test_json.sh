#!/usr/bin/env bash
# --json: one valid object on standard output and nothing else, with every documented key, with values of the right
# kind and size, and numbers that are read back to the last bit; the same object again from the same run; the last
# line of the trajectory is the state; a run that fails reports its status, its message and its results so far.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py CHECK FILE...: exit code 0 if the check holds, else says why not."""
import json, re, sys

STATISTICS = """steps accepted rejected f jacobian jacobian_update factor solve newton projections repartitions pattern groups
    pattern_growth""".split()
RUN = "camber model method status t names q v lambda not_unique outputs residual worst projected events singularities stats seconds".split()
CHECK = "camber model status coordinates velocities constraints rank degrees_of_freedom redundant".split()
CHECK_STATE = "moved q v lambda residual".split()


def expect(holds, *words):
    if not holds:
        sys.exit(" ".join(map(str, ("look.py:",) + words)))


def unique(pairs):
    keys = [key for key, _ in pairs]
    expect(len(keys) == len(set(keys)), "a key twice:", keys)
    return dict(pairs)


def load(path):
    """The object; every number in it is written with the digits that %.17g gives."""
    with open(path) as file:
        text = file.read()
    expect(text.startswith("{") and text.endswith("}\n"), "something around the object")

    def number(digits):
        expect("%.17g" % float(digits) == digits, digits, "does not read back")
        return float(digits)

    return json.loads(text, parse_float=number, object_pairs_hook=unique)


def expect_numbers(x, *words):
    values = list(x.values()) if isinstance(x, dict) else x
    expect(all(type(value) in (int, float) for value in values), "not numbers:", x, *words)


def expect_nothing(run):
    """What was not computed is null, never a number."""
    for key in ("lambda", "residual", "worst", "projected", "outputs"):
        values = list(run[key].values()) if isinstance(run[key], dict) else run[key]
        expect(all(value is None for value in values), key, "is known, but the start failed:", values)


def expect_keys(x, keys):
    """More may be added."""
    expect(all(key in x for key in keys), "keys", list(x), "without one of", keys)


def expect_run(run):
    expect_keys(run, RUN)
    expect(re.fullmatch(r"\d+\.\d+\.\d+", run["camber"]), "version", run["camber"])
    expect_keys(run["names"], ["q", "v", "lambda"])
    for key in ("q", "v", "lambda"):
        expect(len(run[key]) == len(run["names"][key]), "size of", key)
    for key in ("residual", "worst"):
        expect_keys(run[key], ["position", "velocity"])
    expect_keys(run["projected"], ["tau", "eta"])
    for key in ("q", "v"):
        expect_numbers(run[key], key)
    if run["status"] != "ok" and run["stats"]["steps"] == 0 and run["residual"]["position"] is None:
        expect_nothing(run)  # the start has failed
        return
    for key in ("lambda", "residual", "worst", "projected", "outputs"):
        expect_numbers(run[key], key)
    expect(all(run["worst"][key] >= run["residual"][key] >= 0 for key in run["worst"]), "worst is not")
    expect_keys(run["stats"], STATISTICS)
    expect(all(type(n) is int and n >= 0 for n in run["stats"].values()), "stats", run["stats"])
    expect_keys(run["seconds"], ["setup", "run"])
    expect(all(x > 0 for x in run["seconds"].values()), "seconds", run["seconds"])
    expect_numbers([run["t"]], "t")
    for event in run["events"]:
        expect_keys(event, ["name", "t", "direction"])
        expect(event["direction"] in (-1, 1) and 0 <= event["t"] <= run["t"], "event", event)


def arrived(path, model, method, t):
    run = load(path)
    expect_run(run)
    stats = run["stats"]
    expect("message" not in run and run["status"] == "ok", "status", run["status"])
    expect((run["model"], run["method"], run["t"]) == (model, method, float(t)), run["t"])
    expect(stats["steps"] == stats["accepted"] + stats["rejected"] and stats["accepted"] > 0, stats)
    stages = 1 if method in ("auto", "abm", "radau5", "radau", "bdf", "sdirk4", "trap", "forsdirk", "lie", "rosw2") else 5
    expect(stats["f"] > stages * stats["accepted"] and stats["solve"] >= 0 < stats["factor"], stats)


def failed(path, status, words):
    run = load(path)
    expect_run(run)
    expect(run["status"] == status, "status", run["status"])
    expect(re.search(words, run["message"]), "message", run["message"])
    expect("\n" not in run["message"], "more than one line")


def half_way(path, *_):
    """A run that failed has come somewhere: not the start, not zeros."""
    run = load(path)
    expect(run["t"] > 0 and run["stats"]["accepted"] > 0 and any(run["q"]) and any(run["v"]), run)


def alternating(path, count):
    """The pendulum passes its lowest point to and fro, half a period apart."""
    events = load(path)["events"]
    expect(len(events) == int(count), len(events), "events")
    expect([e["direction"] for e in events] == [(-1) ** (i + 1) for i in range(len(events))], events)
    gaps = [b["t"] - a["t"] for a, b in zip(events, events[1:])]
    expect(max(gaps) - min(gaps) < 1e-5, "gaps", gaps)
    expect(all(e["name"] == "lowest point" for e in events), events)


def equal(first, second):
    a, b = load(first), load(second)
    expect(a.pop("seconds") and b.pop("seconds"), "seconds")
    expect(json.dumps(a) == json.dumps(b), a, "is not", b)


def last_line(path, trajectory):
    run = load(path)
    with open(trajectory) as file:
        last = [float(x) for x in file.read().splitlines()[-1].split(",")]
    state = [run["t"]] + run["q"] + run["v"] + run["lambda"] + list(run["outputs"].values())
    expect(last == state, last, "is not", state)


def checked(path, freedom):
    result = load(path)
    expect_keys(result, CHECK + CHECK_STATE)
    expect(result["status"] == "ok", "status", result["status"])
    sizes = [result[key] for key in ("coordinates", "velocities", "constraints", "rank")]
    expect(all(type(n) is int for n in sizes), sizes)
    expect(result["degrees_of_freedom"] == int(freedom) == sizes[1] - sizes[3], "freedom", result)
    expect([len(result[key]) for key in ("q", "v", "lambda")] == sizes[:3], "sizes", sizes)
    expect(all(0 <= x < 1e-10 for x in result["residual"].values()), result["residual"])


def contents(path):
    """Of the quarter car: its own items and those of the instance `left`."""
    result = load(path)["contents"]
    names = {section: [item["name"] for item in items] for section, items in result.items()}
    expect(list(result)[:2] == ["parameters", "bodies"] and len(result) == 20, list(result))
    expect("chassis" in names["bodies"] and "speed" in names["parameters"], names)
    expect(names["templates"] == ["corner"], names["templates"])
    expect(any(name.startswith("left.") for name in names["joints"]), names["joints"])
    numbers = {"value": {"parameters"}, "period": {"controllers"}, "start": {"states", "sampled"}, "mass": {"bodies"}, "child": {"joints"}}
    for key, sections in numbers.items():  # what only these kinds have, and all of them
        expect(all((key in item) == (section in sections) for section in result for item in result[section]), key, result)
    known = set(names["bodies"]) | {"ground"}
    expect(all(b["parent"] in known and b["mass"] > 0 and len(b["inertia"]) == 9 for b in result["bodies"]), result)
    expect(all({j["parent"], j["child"]} <= known and j["type"] for j in result["joints"]), result["joints"])
    chassis = [b for b in result["bodies"] if b["name"] == "chassis"][0]
    mass = [p for p in result["parameters"] if p["name"] == "chassis_mass"][0]
    expect(chassis["mass"] == mass["value"] == float(mass["text"]), chassis, mass)
    units = {o["name"]: (o["text"], o["unit"]) for o in result["outputs"]}
    expect(units["heave"] == ("chassis.z - 0.55", "m"), units)


def sections_and_texts(path):
    """Motions are no loops, a gear has no text, contacts have their surface."""
    result = load(path)["contents"]
    texts = {s: {i["name"]: i.get("text") for i in result[s]} for s in ("loops", "motions", "forces", "stops")}
    expect(texts["loops"] == {"mesh": None} and texts["motions"] == {"drive": "2*t"}, texts)
    expect(texts["forces"] == {"soft": "z + 5"} and texts["stops"] == {"hard": "z + 6"}, texts)


def moved(path, least):
    result = load(path)
    expect(result["moved"]["q"] > float(least), "moved", result["moved"])


def check_failed(path):
    result = load(path)
    expect_keys(result, CHECK + ["message"])
    expect(result["status"] == "inconsistent" and "length of the rod" in result["message"], result)


def each(path):
    """A check in every line of the file: words with tabs between, what it is about first."""
    count = 0
    with open(path) as file:
        for line in file:
            about, name, *words = line.rstrip("\n").split("\t")
            count += 1
            try:
                globals()[name](*words)
            except (SystemExit, AssertionError, KeyError, ValueError, OSError) as problem:
                sys.exit(f"[{about}]: {name} {words}: {problem!r}")
    expect(count > 0, "no checks in", path)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
END

look() { check "[$what]: $*" python3 look.py "$@"; }
look_later() { # as look, by one process for all
  (IFS=$'\t' && printf '%s\n' "$what"$'\t'"$*" >>later)
}

camber() { # CODE FILE ARGUMENT... : standard output to FILE
  local code=$1 file=$2
  shift 2
  what=$*
  "$CAMBER" "$@" --json >"$file" 2>stderr
  check "[$what]: exit code" [ $? -eq "$code" ]
  if [ "$code" -eq 0 ]; then
    check "[$what]: nothing on standard error" [ ! -s stderr ]
  else
    check "[$what]: one line on standard error" [ "$(wc -l <stderr)" -eq 1 ]
  fi
}

# ---- runs that reach their end time; each twice, with the same result
for method in $("$CAMBER" list methods | awk '/^[a-z]/ { print $1 }'); do
  for model in pendulum caraxis circular-track pendulum-chain; do
    run=$method.$model
    camber 0 "$run.a.json" run $model --method "$method" --t-end 1.5 --out "$run.a.csv"
    look_later arrived "$run.a.json" $model "$method" 1.5
    look_later last_line "$run.a.json" "$run.a.csv"
    [ -z "${CAMBER_SANITIZED-}" ] || continue # the same again reads and writes nothing else
    camber 0 "$run.b.json" run $model --method "$method" --t-end 1.5 --out "$run.b.csv"
    look_later equal "$run.a.json" "$run.b.json"
    check "[$what]: the same trajectory" cmp -s "$run.a.csv" "$run.b.csv"
  done
done
check "runs that come to their end" python3 look.py each later
cp "$run.a.json" a.json
check "[$what]: json.tool" python3 -m json.tool a.json /dev/null
camber 0 a.json run caraxis --every 0.1 --out a.csv
look last_line a.json a.csv
camber 0 b.json run caraxis --quiet
camber 0 a.json run caraxis
look equal a.json b.json
camber 0 c.json run caraxis --repeat 5 --out c.csv
look equal a.json c.json
look last_line c.json c.csv

# ---- events
camber 0 a.json run pendulum --set angle=1 --set l=1 --t-end 10 --rtol 1e-9
look alternating a.json 9

# ---- runs that fail
camber 1 a.json run caraxis --max-steps 10 --out a.csv
look failed a.json step-count '^10 attempted steps, all that the option max-steps permits, reached t = '
look half_way a.json
look last_line a.json a.csv
check "[$what]: the same sentence on standard error" \
  grep -qxF "camber: $(python3 -c 'import json; print(json.load(open("a.json"))["message"])')" stderr
check "[$what]: json.tool" python3 -m json.tool a.json /dev/null
camber 1 b.json run caraxis --max-steps 10 --repeat 4 --out b.csv
look equal a.json b.json
check "[$what]: the same trajectory" cmp -s a.csv b.csv
camber 1 a.json run caraxis --set h=2
look failed a.json diverged '^the motion has run away at t = 0.0523'
look half_way a.json
camber 1 a.json run pendulum --start x=0 --start y=0
look failed a.json inconsistent "^no consistent initial values at t = 0: constraint 'length of the rod'"
camber 1 a.json run caraxis --set h=2 --option steps=fixed --step 1e-3
look failed a.json step-size '^no step possible at t = 0.052 .*: the equations gave a value that is not finite'
look half_way a.json

# ---- check
camber 0 a.json check quarter-car
look contents a.json
cat >sections.yaml <<'END'
points: {O: [0, 0, 0], A: [0, 0, -1], B: [1, 0, 0]}
bodies: {one: {mass: 1, sphere: A, radius: 0.1}, two: {mass: 1, sphere: B, radius: 0.1}}
joints:
  a: {type: revolute, child: one, at: O, axis: y}
  b: {type: revolute, child: two, at: O, axis: y}
loops: {mesh: {type: gear, coordinates: [a, b], ratio: 2}}
motions: {drive: {coordinate: a, value: 2*t}}
forces:
  soft: {type: contact, on: one@A, surface: z + 5, stiffness: 1}
  hard: {type: contact, on: one@A, surface: z + 6, restitution: 0}
END
camber 0 a.json check sections.yaml
look sections_and_texts a.json
camber 0 a.json check pendulum
look checked a.json 1
camber 0 a.json check caraxis
look checked a.json 2
camber 0 a.json check circular-track
look checked a.json 1
camber 0 a.json check pendulum-chain --set N=7
look checked a.json 7
camber 0 a.json check pendulum --start x=3
look checked a.json 1
look moved a.json 0.1
camber 1 a.json check pendulum --start x=0 --start y=0
look check_failed a.json

# A crank that makes full turns needs changes of the independent coordinates, which are counted and reported. Small oscillations do not.
changes() { # METHOD : of the partition, in JSON and in words
  "$CAMBER" run motor-crank --method "$1" --rtol 1e-4 --t-end 0.3 --json >a.json 2>stderr &&
    "$CAMBER" run motor-crank --method "$1" --rtol 1e-4 --t-end 0.3 >text 2>stderr &&
    python3 - <<'END'
import json, re
count = json.load(open("a.json"))["stats"]["repartitions"]
assert count >= 4 and re.search(rf"^  partition +changed {count} times$", open("text").read(), re.M), count
END
}
for method in sdirk4 trap forsdirk abm; do check "changes of the partition: $method" changes $method; done
none() { "$CAMBER" run pendulum --method sdirk4 --start x=0.1 2>/dev/null | grep -c '^  partition'; }
check "no changes of the partition: not a word" [ "$(none)" -eq 0 ]

finish

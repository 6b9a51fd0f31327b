#!/usr/bin/env bash
# --save, --save-at and --resume: saving a state does not change the output of a run, byte for byte, with every method. A run of another process
# that is resumed from the state writes the same lines as the first one after that time with explicit methods and those of fixed cost; with the
# other methods it ends in the same state within the tolerances. A file that is not a state of this run is refused with exit code 2 and a message.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# checks that saving does not change the run; the caller compares whole.csv and rest.csv
saved() { # METHOD T OPTION...
  local method=$1 at=$2
  shift 2
  "$CAMBER" run "$@" --method "$method" --out plain.csv >words 2>&1 || return 1
  "$CAMBER" run "$@" --method "$method" --save run.state --save-at "$at" --out whole.csv --json >whole.json 2>words || return 1
  "$CAMBER" run "$@" --method "$method" --resume run.state --out rest.csv --json >rest.json 2>words || return 1
  cmp plain.csv whole.csv
}
# checks that rest.csv has the lines of whole.csv after the state, and that both runs have the same end
resumed() { # METHOD T OPTION...
  saved "$@" || return 1
  local lines
  lines=$(($(wc -l <rest.csv) - 1))
  ((lines > 3 && lines < $(wc -l <whole.csv) - 3)) || return 1
  cmp <(tail -n "$lines" whole.csv) <(tail -n "$lines" rest.csv) &&
    python3 - <<'END'
import json
whole, rest = json.load(open("whole.json")), json.load(open("rest.json"))
for key in "seconds", "events", "impulses":  # a resumed run does not report events before the state
    whole.pop(key, None), rest.pop(key, None)
raise SystemExit(whole != rest)
END
}
# checks that both runs have the same end within the tolerances
resumed_nearly() { # METHOD T OPTION...
  saved "$@" || return 1
  python3 - <<'END'
import json
whole, rest = json.load(open("whole.json")), json.load(open("rest.json"))
for key in "q", "v":
    for name, x, y in zip(whole["names"][key], whole[key], rest[key], strict=True):
        if abs(x - y) > 1e-3 * max(1, abs(x)):
            raise SystemExit(f"{name}: {x}, {y}")
END
}
for method in mdop5 mdop853 hem5 phem56 lie rosw2; do
  check "$method" resumed $method 0.11 fivelink --t-end 0.3 --rtol 1e-4
done
for method in abm radau5 radau bdf auto sdirk4 forsdirk; do
  check "$method" resumed_nearly $method 0.11 fivelink --t-end 0.3 --rtol 1e-4
done
check "trap" resumed_nearly trap 0.05 four-bar --t-end 0.1 --rtol 1e-3
check "impacts" resumed mdop5 0.9 newtons-cradle --t-end 1.5 --rtol 1e-6
check "native code" resumed mdop5 0.11 fivelink --t-end 0.3 --evaluator native
check "Cartesian coordinates" resumed mdop5 0.11 slider-crank --t-end 0.2 --formulation cartesian --rtol 1e-4
check "a problem written in C" resumed mdop5 1 caraxis
check "an interval" resumed mdop5 0.5 four-bar --every 0.01

# resumed from the end of a run
check "saved at the end" "$CAMBER" run four-bar --t-end 0.5 --save end.state --quiet >/dev/null 2>&1
"$CAMBER" run four-bar --t-end 1 --resume end.state --out end.csv >text 2>&1
check "goes on from there" grep -q "t = 1 reached" text
check "begins behind it" test "$(sed -n 2p end.csv | cut -c 1-3)" = 0.5

refuse() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" run "$@" >text 2>found
  local code=$?
  checks=$((checks + 1))
  if [[ $code -ne 2 ]] || ! grep -qF -- "$words" found; then fail "run $* ($code): $(cat found)"; fi
}
refuse "cannot read none.state" four-bar --resume none.state
refuse 'but this run has model "fivelink"' fivelink --resume end.state
refuse 'but this run has method "hem5"' four-bar --t-end 1 --resume end.state --method hem5
refuse 'but this run has rtol' four-bar --t-end 1 --resume end.state --rtol 1e-3
refuse 'was saved at t = 0.5, but this run ends at t = 0.2; expected a later end' four-bar --t-end 0.2 --resume end.state
check "nothing is reported of a run that did not begin" test ! -s text
refuse "--save-at needs --save FILE" four-bar --save-at 1
refuse "--save-at is 2, but the run ends at t = 1" four-bar --t-end 1 --save end2.state --save-at 2
refuse "--realtime cannot be used with --resume" four-bar --resume end.state --realtime
head -c 700 end.state >cut.state
refuse "cut.state is damaged" four-bar --t-end 1 --resume cut.state
sed 's/^q 3: 4/q 3: 5/' end.state >changed.state
refuse "changed.state is damaged" four-bar --t-end 1 --resume changed.state
refuse "text is not a saved state" four-bar --t-end 1 --resume text
sed 's/mass: /mass: 2*/' "$SOURCE_DIR/models/four-bar.yaml" >four-bar.yaml
cp -r "$SOURCE_DIR/models/parts" . 2>/dev/null
cmp -s four-bar.yaml "$SOURCE_DIR/models/four-bar.yaml" ||
  refuse "its equations differ from those of this run" four-bar.yaml --t-end 1 --resume end.state
mkdir -p edited
# laws of impact, rules, outputs and functions of time belong to the equations, too
cat >ball.yaml <<'YAML'
bodies: {b: {mass: 1, sphere: [0, 0, 1], radius: 0.1}}
joints: {z: {type: prismatic, child: b, axis: z}}
inputs: {u: '100*exp(-((t - 2.03)*50)^2)'}
forces: {push: {type: load, on: {body: b, at: [0, 0, 1]}, force: [0, 0, u]}}
loops: {table: {type: stop, formula: b.z, restitution: 0.5}}
events: {high: {when: b.z > 5, direction: rising, action: record}}
outputs: {height: b.z}
simulate: {t-end: 3}
YAML
check "a ball is saved" "$CAMBER" run ball.yaml --t-end 0.1 --save ball.state --quiet
for edit in 's/restitution: 0.5/restitution: 0.9/' 's/restitution: 0.5/restitution: {law: poisson, value: 0.5}/' 's/rising/falling/' \
  's/record/stop/' 's/height: b.z/height: 2*b.z/' 's/100[*]exp/900*exp/' 's/b.z > 5/b.z > 6/'; do
  sed "$edit" ball.yaml >edited/ball.yaml
  refuse "its equations differ from those of this run" edited/ball.yaml --resume ball.state
done

printf 'bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\njoints: {x: {type: prismatic, child: b, axis: x, rate: 1}}\nevents: {far: {when: x > 0.5, action: stop}}\n' >stop.yaml
refuse "event 'far' has ended the run" stop.yaml --save stopped.state
check "no file of a run that was stopped" test ! -e stopped.state
refuse "cannot" four-bar --save no/such/folder/x.state

# ---- the file of the state from which a run is resumed is not overwritten
"$CAMBER" run pendulum --t-end 1 --save state.csv >/dev/null
cp state.csv kept.csv
"$CAMBER" run pendulum --t-end 2 --resume state.csv --out ./state.csv >/dev/null 2>words
check "over its own state: exit code 2" [ $? -eq 2 ]
check "--out would overwrite the state: message" grep -q -- '--out and --resume are the same file' words
check "over its own state: it is still there" cmp -s state.csv kept.csv

finish

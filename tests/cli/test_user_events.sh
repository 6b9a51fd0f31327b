#!/usr/bin/env bash
# Events of the user, stops and restitution on the command line: errors in a model are reported with their positions; methods and exports that do
# not support them are refused; a run that an event stops is successful and reports the event; resting contacts are reported with the time at
# which impacts accumulate.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# ---- what is refused

model() { # EVENTS [LOOPS [FORCES]]: the events of a ball, in line 3, column 1
  {
    echo "bodies: {ball: {mass: 1, sphere: [0, 0, 1], radius: 0.1}}"
    echo "joints: {z: {type: prismatic, child: ball, axis: z}}"
    echo "events: $1"
    [[ -n ${2-} ]] && echo "loops: $2"
    [[ -n ${3-} ]] && echo "forces: $3"
    echo "simulate: {t-end: 1}"
  } >bad.yaml
}

refused() { # PLACE WORDS
  checks=$((checks + 1))
  "$CAMBER" run bad.yaml >out 2>err
  local code=$?
  if ((code != 2)) || [[ -s out ]] || ! grep -qF "camber: bad.yaml:$1: " err || ! grep -qF "$2" err || (($(wc -l <err) != 1)); then
    fail "exit code $code, expected 2 and '$1: ... $2': $(cat bad.yaml err)"
  fi
}

event() { # BODY PLACE WORDS: an event called touch, whose map begins in column 17
  model "{touch: $1}"
  refused "$2" "$3"
}

event "{when: z < 0, direction: up}" 3:42 "expected one of rising, falling, both"
event "{when: z < 0, action: halt}" 3:39 "expected one of record, stop"
event "{when: z < 0, action: {set: {z': 0}}}" 3:40 "unknown key 'set'"
event "{when: z < 0, action: {reset: {}}}" 3:47 "'reset' is empty"
event "{when: z < 0, action: {reset: {z: 0}}}" 3:48 "'z' cannot be reset"
event "{when: z < 0, action: {reset: {\"z'^2\": 0}}}" 3:49 "'z'^2' cannot be reset"
event "{when: z < 0, action: {reset: {t: 0}}}" 3:48 "'t' cannot be reset"
model "{touch: {when: z < 0, action: {reset: {\"z' + s\": 0}}}}"
echo "states: {s: {rate: 1, start: 0}}" >>bad.yaml
refused 3:49 "'z' + s' cannot be reset: it depends on both states and velocities"
event "{when: z < 0, action: {reset: {w': 0}}}" 3:48 "unknown name 'w''"
event "{when: 1 > 0}" 3:24 "'when' is always the same"
event "{when: z == 0}" 3:24 "'when' compares by '==' or '!=', which events cannot use; expected < or >, or a formula whose sign changes"
event "{action: stop}" 3:17 "'when'"
event "{when: z < 0, until: 3}" 3:31 "unknown key 'until'"

stop() { # BODY PLACE WORDS
  model "{}" "{bench: $1}"
  refused "$2" "$3"
}

stop "{type: stop, formula: z, restitution: 1.5}" 4:54 "'restitution' is 1.5; expected a number from 0 to 1"
stop "{type: stop, formula: z, restitution: -0.1}" 4:54 "'restitution' is -0.1; expected a number from 0 to 1"
stop "{type: stop, formula: z, restitution: {law: hooke, value: 1}}" 4:60 "expected one of newton, poisson"
stop "{type: stop, formula: z, restitution: {law: poisson, value: 1.5}}" 4:76 "'restitution' is 1.5; expected a number from 0 to 1"
stop "{type: stop, formula: z, restitution: {law: newton, value: -1}}" 4:75 "'restitution' is -1; expected a number from 0 to 1"
stop "{type: stop, formula: z, restitution: {law: poisson}}" 4:54 "'value'"
stop "{type: stop, formula: z, restitution: {value: 0.5}}" 4:54 "'law'"
stop "{type: stop, formula: z, restitution: {law: poisson, e: 0.5}}" 4:69 "unknown key 'e'"
stop "{type: stop, formula: z}" 4:16 "'restitution'"
stop "{type: stop, restitution: 1}" 4:16 "'formula'"
stop "{type: stop, formula: sin(t), restitution: 1}" 4:38 "depends on no coordinate"
stop "{type: stop, formula: \"z'\", restitution: 1}" 4:39 "'z'' is a velocity or a force; this formula can use only positions, the time, inputs, sampled values and parameters"

contact() { # KEYS PLACE WORDS
  model "{}" "" "{bench: {type: contact, on: {body: ball, at: [0, 0, 1]}, radius: 0.1, surface: z, $1}}"
  refused "$2" "$3"
}

contact "restitution: 2" 4:104 "expected a number from 0 to 1"
contact "restitution: {law: poisson, value: 2}" 4:126 "expected a number from 0 to 1"
contact "restitution: 1, stiffness: 1e5" 4:107 "expected no 'stiffness' beside it"
contact "restitution: 1, friction: 0.3" 4:107 "expected no 'friction' beside it"

contact "restitution: 1}, push: {type: load, on: {body: ball, at: [0, 0, 1]}, force: [0, 0, bench.fz]" 4:174 \
  "'bench.fz' is a quantity computed from the motion, such as an acceleration or a constraint force; this formula can use only positions, velocities,"

# ---- methods and exports that do not support events

model "{touch: {when: z < 0, action: {reset: {z': -z'}}}}"
for method in lie rosw2; do
  "$CAMBER" run bad.yaml --method $method >out 2>err
  check "$method refuses resets" test $? -eq 2
  check "$method: the message has the reason" grep -q "cannot reset velocities" err
done
"$CAMBER" export c bad.yaml -o exported >out 2>err
check "an export with resets is refused" test $? -eq 2
check "the message names the event that resets velocities" grep -q "event 'touch' changes velocities or states, which exported code cannot do" err
echo 'states: {s: {rate: 1}}' >>bad.yaml
sed -i "s/{z': -z'}/{s: 0}/" bad.yaml
"$CAMBER" export c bad.yaml -o exported >out 2>err
check "so is one of an event that resets a state only" grep -q "event 'touch' changes velocities or states" err
model "{high: {when: z > 0, action: stop}}"
"$CAMBER" export c bad.yaml -o exported >out 2>err
check "an export with an event that stops is refused" test $? -eq 2
check "the message names the event that ends the run" grep -q "event 'high' ends the run" err
for law in 0.5 "{law: poisson, value: 0.5}"; do
  model "{}" "{bench: {type: stop, formula: z + 1, restitution: $law}}"
  echo "outputs: {f: bench.force, g: z.fx}" >>bad.yaml
  "$CAMBER" export c bad.yaml -o exported >out 2>err
  check "an export with a stop is refused ($law)" test $? -eq 2
  check "and names it ($law)" grep -q "stop 'bench' changes velocities or states" err
done
check "nothing is written" test ! -e exported

# ---- the end of a run by an event

cat >stops.yaml <<'END'
templates:
  side:
    points: {P: [0, 0, 1]}
    bodies: {b: {mass: 1, sphere: P, radius: 0.1}}
    joints: {z: {type: prismatic, child: b, axis: z, start: 1}}
    events: {touch: {when: z < 0, action: stop}, half: {when: z < 0.5}}
instances: {left: {template: side}}
outputs: {h: left.z}
simulate: {t-end: 10}
END
"$CAMBER" run stops.yaml --rtol 1e-10 --json --out stops.csv >stops.json
check "a run that an event stops is done" test $? -eq 0
"$CAMBER" run stops.yaml >out
check "exit code 0" test $? -eq 0
check "the report names the event that stopped the run" grep -q "stopped  *by event 'left.touch' at t = 0.4515236" out
cat >look.py <<'END'
import csv, json, math

run = json.load(open("stops.json"))
fall = math.sqrt(2 / 9.81)
assert run["status"] == "ok" and run["stopped_by"] == "left.touch", run
assert [e["name"] for e in run["events"]] == ["left.half", "left.touch"], run["events"]
assert abs(run["events"][1]["t"] - fall) < 1e-9 and abs(run["t"] - fall) < 1e-9, run
assert all("limit" not in e and e["kind"] == "condition" for e in run["events"]), run["events"]
rows = list(csv.DictReader(open("stops.csv")))
assert float(rows[-1]["t"]) == run["t"] and abs(float(rows[-1]["h"])) < 1e-9, rows[-1]
END
check "the last row is where the event is" python3 look.py

# ---- resting contacts

cat >ball.yaml <<'END'
parameters: {e: 0.8}
bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {z: {type: prismatic, child: ball, axis: z, start: 1}}
loops: {bench: {type: stop, formula: z, restitution: e}}
forces: {lift: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, "max(t - 6, 0)*5"]}}
simulate: {t-end: 9}
END
"$CAMBER" run ball.yaml --set e=0.1 >out
check "a resting contact is reported with the time at which impacts accumulate" \
  grep -q "bench comes to rest (impacts accumulate at t = 0.55186222" out
check "and so is its end" grep -Eq "t = 7.96[0-9]* +bench leaves" out
"$CAMBER" run ball.yaml --rtol 1e-10 --json >ball.json
cat >look.py <<'END'
import json, math

run = json.load(open("ball.json"))
limits = [e["limit"] for e in run["events"] if "limit" in e]
assert len(limits) == 1 and abs(limits[0] - 9 * math.sqrt(2 / 9.81)) < 1e-8, limits
last = run["events"][-1]
assert last["name"] == "bench.rest" and last["direction"] == -1 and last["kind"] == "rest", last
assert run["events"][0]["kind"] == "impact" and run["impulses"][0]["unit"] == "N s", run["impulses"][0]
assert abs(last["t"] - (6 + 9.81 / 5)) < 1e-8 and "stopped_by" not in run, last
END
check "the limit is in the JSON" python3 look.py

# ---- an impact law written as a reset ends in a resting contact in all coordinates: joint rate and velocity of the carried body agree

cat >own.yaml <<'END'
bodies: {b: {mass: 2, com: [0, 0, 1]}}
joints: {z: {type: prismatic, child: b, axis: z}}
events: {hit: {when: b.z < 0, action: {reset: {"z'": "-0.8*z'"}}}}
simulate: {t-end: 5}
END
cat >look.py <<'END'
import json, math

run = json.load(open("own.json"))
rests = [e for e in run["events"] if e["kind"] == "rest"]
assert run["status"] == "ok" and [e["name"] for e in rests] == ["hit.rest"], (run["message"], rests)
assert abs(rests[0]["limit"] - 9 * math.sqrt(2 / 9.81)) < 1e-7, rests
END
for form in explicit residual cartesian; do
  "$CAMBER" run own.yaml --formulation $form --rtol 1e-9 --json >own.json 2>err
  check "a reset of a joint's rate ends in rest ($form)" python3 look.py
done
cat >skew.yaml <<'END'
bodies: {b: {mass: 2, box: [1, 1, 1], at: [0, 0, 1]}}
joints: {j: {type: planar, child: b, axes: [x, z], at: [0, 0, 1], coordinates: [x, z, turn]}}
events: {hit: {when: b.z < 0, action: {reset: {"z' + 0.01*x'": "-0.8*z' + 0.01*x'"}}}}
simulate: {t-end: 5}
END
for form in explicit residual cartesian; do
  "$CAMBER" run skew.yaml --formulation $form >out 2>err
  check "but not where it has a part along the surface: exit code 1 ($form)" test $? -eq 1
  check "but not where it has a part along the surface: words ($form)" grep -q "event 'hit' occurs at ever shorter intervals" err
done

# ---- formulas that have no value

for event in "{when: sqrt(z) < 0.5}" "{when: z < 0, action: {reset: {z': sqrt(z' - 100)}}}"; do
  sed "s/^loops:.*/events: {e1: $event}/; s/^forces:.*//" ball.yaml >nan.yaml
  timeout 60 "$CAMBER" run nan.yaml --t-end 2 >out 2>err
  check "no value: exit code 1 ($event)" test $? -eq 1
  check "no value: words ($event)" grep -q "^camber: " err
done

nan() { # LINES: runs a model of a falling ball with these lines, in which a formula has no value from t = 0.4 or 1 on
  local method
  sed -e '/^loops:/d' -e '/^forces:/d' ball.yaml >nan.yaml
  printf '%s\n' "$@" >>nan.yaml
  for method in auto abm bdf; do
    timeout 60 "$CAMBER" run nan.yaml --t-end 2 --method $method >out 2>err
    check "no value, $method: exit code 1 ($1)" test $? -eq 1
    check "no value, $method: words ($1)" grep -q "^camber: " err
  done
}
push="{f: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0,"
nan "loops: {low: {type: stop, formula: z - sqrt(0.4 - t), restitution: 0.5}}"
nan "loops: {low: {type: stop, formula: z*sqrt(1 - t), restitution: 0}}"
nan "loops: {low: {type: stop, formula: z, restitution: 0}}" "forces: $push sqrt(1 - t)]}}"
nan "forces: $push \"-20*(1 + sqrt(1 - t))*sign(z')\"]}}"

# ---- runs that must end, and runs that can continue

cat >fall.yaml <<'YAML'
bodies: {ball: {mass: 1, sphere: [0, 0, 1], radius: 0.1}}
joints: {z: {type: prismatic, child: ball, axis: z, start: HEIGHT}}
inputs: {u: 0.01*sin(t)}
REST
outputs: {h: z}
simulate: {t-end: 3}
YAML
fall() { # HEIGHT REST
  sed "s/HEIGHT/$1/; s|^REST|$2|" fall.yaml >run.yaml
  timeout 60 "$CAMBER" run run.yaml --json >out 2>err
}
fall -0.3 "loops: {floor1: {type: stop, formula: z, restitution: 0.5}}"
check "a start inside a stop: exit code 1" test $? -eq 1
check "a start inside a stop: message" grep -q "stop 'floor1': its gap is -0.3 at t = 0, where the run begins" err
fall 1 "events: {e1: {when: z < 0 and t > 0.1, action: {reset: {z': -0.5*z'}}}}"
check "impacts without a surface to rest on: exit code 1" test $? -eq 1
check "accumulating impacts without a surface for a resting contact: message" grep -q "event 'e1' occurs at ever shorter intervals" err
fall 1 "loops: {floor1: {type: stop, formula: z - u, restitution: 0.5}}"
check "a rest on a surface that moves with an input: exit code 0" test $? -eq 0
check "a rest on a surface that moves with an input: where" awk '$1 == "\"h\":" { found = ($2 - 0.01*sin(3))^2 < 1e-16; exit } END { exit !found }' out

# a rising stair that hits a ball which moves upwards
cat >rise.yaml <<'YAML'
bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {f: {type: free, child: ball, start: [0.45, 0, 0.2], rate: [1, 0, 3, 0, 0, 0]}}
loops: {step: {type: stop, formula: "f.z - 0.5*floor(2*f.x)", restitution: 0.5}}
simulate: {t-end: 0.4}
YAML
for method in auto bdf; do
  "$CAMBER" run rise.yaml --method $method >out 2>err
  check "$method: a gap that jumps below 0 while it opens ends the run" test $? -eq 1
  check "$method: and it is named" grep -q "stop 'step': its gap is -0.1622[0-9]* at t = 0.05" err
done

# friction that sticks in two places, and a force with the product of both friction forces
cat >holds.yaml <<'YAML'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, box: [1, 1, 1], at: [0, 0, 0]}, b: {mass: 1, box: [1, 1, 1], at: [9, 0, 0]}}
joints: {x: {type: prismatic, child: a, axis: x, rate: 1}, y: {type: prismatic, child: b, axis: x, rate: 1.5}}
forces:
  fa: {type: load, on: {body: a, at: [0, 0, 0]}, force: ["-3*sign(x') + SHARE*sign(x')*sign(y')", 0, 0]}
  fb: {type: load, on: {body: b, at: [9, 0, 0]}, force: ["-3*sign(y')", 0, 0]}
simulate: {t-end: 2}
YAML
sed 's/SHARE/0.5/' holds.yaml >run.yaml
"$CAMBER" run run.yaml >out 2>err
check "a product of signs that both hold ends the run" test $? -eq 1
check "and names them" grep -q "'force fa, line 5 (1)' and 'force fa, line 5 (2)' are both held at their switches at t = 0.5," err
sed 's/SHARE/0/' holds.yaml >run.yaml
"$CAMBER" run run.yaml >out 2>err
check "a sum of them does not" test $? -eq 0

# ---- simultaneous impacts of three carts in a model in which more bodies are held at rest by events than there are stops: these stay at rest

python3 - >beside.yaml <<'END'
n, carts = range(12), range(3)
bodies = [f"b{i}: {{mass: 1, com: [{3 + i}, 0, 0.01]}}" for i in n] + [f"c{i}: {{mass: 1, com: [{i}, 0, 0]}}" for i in carts]
joints = [f"z{i}: {{type: prismatic, child: b{i}, axis: z}}" for i in n]
joints += [f"x{i}: {{type: prismatic, child: c{i}, axis: x{', rate: 1, start: -1' if i == 0 else ''}}}" for i in carts]
print("bodies: {", ", ".join(bodies), "}")
print("joints: {", ", ".join(joints), "}")
print("events: {", ", ".join(f"""h{i}: {{when: b{i}.z < 0, action: {{reset: {{"z{i}'": "-0.2*z{i}'"}}}}}}""" for i in n), "}")
print("loops: {s1: {type: stop, formula: x1 - x0, restitution: 0}, s2: {type: stop, formula: x2 - x1, restitution: 0}}")
END
"$CAMBER" run beside.yaml --t-end 2 --json >out.json 2>err
check "carts that act together beside bodies at rest: these stay" python3 -c 'import json
r = json.load(open("out.json"))
assert r["status"] == "ok" and [e["name"] for e in r["events"] if e["t"] > 0.5] == ["s1", "s2", "s1.rest", "s2.rest"]'

# ---- ten bodies that come to rest and are released at different times: the number of different sets of resting contacts in a run is limited

python3 - >ways.yaml <<'END'
print("gravity: [0, 0, 0]")
n = range(10)
print("bodies: {", ", ".join(f"b{i}: {{mass: 1, sphere: [0, 0, 0], radius: 0.1}}" for i in n), "}")
print("joints: {", ", ".join(f"x{i}: {{type: prismatic, child: b{i}, axis: x}}" for i in n), "}")
print("loops: {", ", ".join(f"s{i}: {{type: stop, formula: x{i}, restitution: 0}}" for i in n), "}")
print("forces: {", ", ".join(f'f{i}: {{type: torsion, coordinate: x{i}, torque: "0.6 + sin({40 + 7.3*i}*t)"}}' for i in n), "}")
END
timeout 60 "$CAMBER" run ways.yaml --t-end 0.2 >out 2>err
check "few sets of resting contacts: exit code 0" test $? -eq 0
timeout 60 "$CAMBER" run ways.yaml --t-end 5 >out 2>err
check "more sets of resting contacts than a run may have: exit code 1" test $? -eq 1
check "more sets of resting contacts than a run may have: message" grep -q "dry friction has stuck in 200 different combinations" err

# ---- jumps of velocities: sticking and modes from before the jump are not kept

cat >cart.yaml <<'YAML'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: a, axis: x, rate: 2}}
forces: {fr: {type: torsion, coordinate: x, torque: sign(x')}}
loops: {s: {type: stop, formula: 1 - x, restitution: 0.5}}
outputs: {X: x}
simulate: {t-end: 3}
YAML
cat >floor.yaml <<'YAML'
bodies: {a: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {z: {type: prismatic, child: a, axis: z, start: 0.1}}
inputs: {fl: 'if(t < 0.5, 0, -5*(t - 0.5))'}
loops: {s: {type: stop, formula: z - fl, restitution: 0}}
outputs: {X: z}
simulate: {t-end: 0.6}
YAML
cat >kick.yaml <<'YAML'
gravity: [0, 0, 0]
bodies: {a: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: a, axis: x}}
forces: {fr: {type: load, on: {body: a, at: [0, 0, 0]}, force: ["0.5 - sign(x')", 0, 0]}}
events: {kick: {when: t > 0.5, action: {reset: {x': 2}}}}
outputs: {X: x}
simulate: {t-end: 3}
YAML
ends_at() { # MODEL X WHAT
  for method in mdop5 radau5 bdf abm; do
    for form in explicit cartesian; do
      "$CAMBER" run "$1.yaml" --method $method --formulation $form --rtol 1e-8 --json >out 2>err
      check "$3 ($method, $form)" awk -v x="$2" '$1 == "\"outputs\":" { getline; found = ($2 - x)^2 < 1e-11; exit } END { exit !found }' out
    done
  done
}
ends_at cart 0.75 "friction after a rebound"
ends_at floor -0.04905 "a floor that drops away leaves the body behind"
ends_at kick 3.4375 "friction that held, after a kick"

sed 's/rate: 2/start: 0.5, stiffness: 100, reference: 2/; s/^forces.*//' cart.yaml >pressed.yaml
"$CAMBER" run pressed.yaml --equilibrium >out 2>err
check "an equilibrium beyond a stop is refused" grep -q "the gap of 's' is closed" err
sed 's/rate: 2/start: 1/; s/^forces.*//' cart.yaml >touching.yaml
"$CAMBER" linearize touching.yaml >out 2>err
check "a linearisation at a closed stop is refused" grep -q "the gap of 's' is closed" err
sed "s/formula: 1 - x/formula: 'if(t < 0.2, 1 - x, -x)'/" cart.yaml >jump.yaml
"$CAMBER" run jump.yaml >out 2>err
check "a gap that jumps is refused" grep -q "stop 's': its gap is -0.38 at t = 0.2" err

# ---- functions of velocities that a resting contact holds at 0: rounding errors do not switch them

cat >corners.yaml <<'YAML'
bodies: {box: {mass: 3, box: [0.4, 0.1, 0.2], at: [0, 0, 0.1]}}
joints: {fly: {type: planar, child: box, at: [0, 0, 0.1], normal: y}}
forces:
  c1: {type: contact, on: {body: box, at: [-0.2, 0, 0]}, surface: z, restitution: 0.5}
  c2: {type: contact, on: {body: box, at: [0.2, 0, 0]}, surface: z, restitution: 0.5}
  c3: {type: contact, on: {body: box, at: [0.2, 0, 0.2]}, surface: z, restitution: 0.5}
simulate: {t-end: 1}
YAML
cat >top.yaml <<'YAML'
bodies: {b: {mass: 2, com: [0, 0, 1]}, d: {mass: 1, com: [1, 0, 1]}}
joints: {z: {type: prismatic, child: b, axis: z}, w: {type: prismatic, child: d, parent: b, axis: z}}
events:
  hit: {when: b.z < 0, action: {reset: {"z'": "-0.8*z'"}}}
  top: {when: "z' < 0"}
simulate: {t-end: 5}
YAML
sed "s/^  hit.*//; s/^events:/loops: {hit: {type: stop, formula: b.z, restitution: 0.8}}\nevents:/" top.yaml >top-stop.yaml
calm_after_rest() { # MODEL MOST-STEPS WHAT, further arguments
  timeout 20 "$CAMBER" run "$1.yaml" --json "${@:4}" >out.json 2>err
  check "$3 (${*:4})" python3 - "$2" <<'END'
import json, sys
run = json.load(open("out.json"))
assert run["status"] == "ok", run["message"]
assert run["stats"]["steps"] <= int(sys.argv[1]), run["stats"]["steps"]
rest = max(i for i, e in enumerate(run["events"]) if e["kind"] == "rest")
assert run["events"][rest]["direction"] == 1, run["events"][rest]
assert run["events"][rest + 1:] == [], run["events"][rest + 1:]
names = [e["name"] for e in run["events"]]
assert ("top", "top") not in zip(names, names[1:]), "a top without a bounce before it"
END
}
for method in mdop5 radau5 bdf; do
  for form in explicit cartesian; do
    calm_after_rest corners 50 "a corner in the air above a box at rest" --method $method --formulation $form
    calm_after_rest top-stop 2000 "an event of a rate that a stop holds" --method $method --formulation $form
  done
  calm_after_rest top 2000 "an event of a rate that a rest holds" --method $method
done

cat >raised.yaml <<'YAML'
bodies: {b: {mass: 2, com: [0, 0, 0]}}
joints: {z: {type: prismatic, child: b, axis: z}}
forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [0, 0, "20*t"]}}
loops: {hit: {type: stop, formula: z, restitution: 0.5}}
events: {up: {when: "z' > 0"}}
simulate: {t-end: 2}
YAML
for method in mdop5 radau5 bdf; do
  "$CAMBER" run raised.yaml --method $method --json >out.json 2>err
  check "a rate that a rest has held is seen when it grows ($method)" python3 - <<'END'
import json
end, up = json.load(open("out.json"))["events"][-2:]
assert (end["name"], end["direction"], up["name"]) == ("hit.rest", -1, "up") and abs(up["t"] - 0.981) < 1e-8, (end, up)
END
done

# ---- a block on a belt: it sticks from the start on, is released by one event, slides, and sticks again

cat >belt.yaml <<'YAML'
parameters: {m: 1, k: 40, vb: 0.2, mus: 0.6, mud: 0.4, c: 2, g: 9.81}
bodies: {block: {mass: m, box: [0.2, 0.2, 0.2], at: [0, 0, 0]}}
joints: {x: {type: prismatic, child: block, axis: x, rate: 0.2, stiffness: k}}
measures: {rel: "x' - vb"}
forces:
  fric: {type: load, on: {body: block, at: [0, 0, 0]}, force: ["-m*g*(mud + (mus - mud)*exp(-c*abs(rel)))*sign(rel)", 0, 0]}
outputs: {F: {value: fric.fx, unit: N}}
simulate: {t-end: 10, rtol: 1e-8, atol: 1e-10}
YAML
for method in mdop5 radau5 bdf abm; do
  for form in explicit cartesian; do
    "$CAMBER" run belt.yaml --method $method --formulation $form --json --out belt.csv >out.json 2>err
    check "a block on a belt ($method, $form)" python3 - <<'END'
import csv, json
events = json.load(open("out.json"))["events"]
assert [e["direction"] for e in events] == [-1, 1] * (len(events) // 2) and len(events) == 16, [(e["t"], e["direction"]) for e in events]
rows = list(csv.DictReader(open("belt.csv")))
force = [float(row["F"]) for row in rows]
assert abs(force[0]) < 1e-12 and min(force) > -1e-12, (force[0], min(force))  # the belt pulls in its own direction only
assert abs(events[0]["t"] - 0.6 * 9.81 / 40 / 0.2) < 1e-9, events[0]["t"]    # where k x has become mus m g
END
  done
done

# ---- an event that reverses its own effect
cat >undone.yaml <<'YAML'
gravity: [0, 0, 0]
bodies: {b: {mass: 2, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x, rate: 1}}
events: {turn: {when: x > 1, direction: both, action: {reset: {"x'": "-x'"}}}}
simulate: {t-end: 2}
YAML
"$CAMBER" run undone.yaml >out 2>err
check "a reset that undoes itself: exit code 1" [ $? -eq 1 ]
check "a reset that reverses its own effect: message" grep -q "the reset of event 'turn' leads back through its condition" err

finish

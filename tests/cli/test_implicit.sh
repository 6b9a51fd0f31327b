#!/usr/bin/env bash
# Implicit functions in models. The cam of models/cam-follower.yaml is compared with the same cam with its height in closed form, with
# methods of all kinds, in three formulations, with live parameters, interpreted and as native code; templates and copies are compared
# with single functions; events; trial steps beyond the last root; and the messages if there is no root.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >close.py <<'END'
import json, sys

a, b = (json.load(open(name)) for name in sys.argv[1:3])
limit = float(sys.argv[3])
for part in ("positions", "velocities", "outputs"):
    for name, x in a.get(part, {}).items():
        y = b[part].get(name)
        if y is not None and not abs(x - y) <= limit * max(1, abs(x)):
            sys.exit("%s: %r and %r" % (name, x, y))
END
same() { check "$1" python3 close.py a.json b.json "$2"; }
run() { # FILE ARGUMENT...
  local file=$1
  shift
  "$CAMBER" run "$@" --json --quiet >"$file" 2>stderr || fail "run $*: $(cat stderr)"
}

# ---- the cam

sed -e '/^implicit:/,/^$/d' -e 's/b\*sin(w)\*cos(q) - a\*cos(w)\*sin(q)/sqrt((a*sin(q))^2 + (b*cos(q))^2)/' \
  -e '/^  touch:/d' "$SOURCE_DIR/models/cam-follower.yaml" >closed.yaml
check "the closed form has no implicit function" bash -c '! grep -q "cos(w)" closed.yaml'
for method in mdop5 mdop853 bdf radau5; do
  run a.json cam-follower --method $method --t-end 0.3
  run b.json closed.yaml --method $method --t-end 0.3
  same "$method: root and closed form" 1e-7
done
for options in '--formulation residual' '--formulation cartesian' '--live all' '--method lie --step 0.0005'; do
  # shellcheck disable=SC2086
  {
    run a.json cam-follower $options --t-end 0.3
    run b.json closed.yaml $options --t-end 0.3
  }
  same "$options: root and closed form" 1e-6
done
run a.json cam-follower --t-end 0.3
check "the height is right to rounding" python3 -c '
import json
assert abs(json.load(open("a.json"))["outputs"]["off"]) < 2e-17'

for code in mdop5 radau5; do
  run a.json cam-follower --method $code --t-end 0.1 --evaluator native
  run b.json cam-follower --method $code --t-end 0.1 --evaluator interpreter
  same "$code: native code and interpreter have the same bits" 0
done
check "JSON names the evaluator" grep -q '"evaluator": "interpreter"' b.json
if [ "$(uname -m)" = x86_64 ]; then
  run a.json cam-follower --t-end 0.1
  check "auto runs native code" grep -q '"evaluator": "native"' a.json
fi

# ---- templates and copies; groups; an event of a root has the time of the same event of the coordinate

cat >single.yaml <<'END'
points: {O: [0, 0, 0], P: [1, 0, 0]}
bodies: {rod: {mass: 1, rod: [O, P], radius: 0.01}}
joints: {pin: {type: revolute, child: rod, at: O, axis: y}}
measures: {half: pin/2}
implicit:
  E: {equation: E - 0.4*sin(E) - 2*half, start: pin}
  two: {unknowns: {u: 1, v: {start: pin, size: 0.1}}, equations: [v^3 + v - pin', u + v - E]}
forces: {m: {type: torsion, coordinate: pin, torque: 3*E + 0.1*two.v}}
outputs: {x: two.u, y: E}
events: {low: {when: E > 1}, lower: {when: pin > 1 - 0.4*sin(1)}}
simulate: {t-end: 2, rtol: 1e-9}
END
cat >copies.yaml <<'END'
templates:
  arm:
    points: {O: [0, 0, 0], P: [1, 0, 0]}
    bodies: {rod: {mass: 1, rod: [O, P], radius: 0.01}}
    joints: {pin: {type: revolute, child: rod, at: O, axis: y}}
    implicit:
      E: {equation: E - 0.4*sin(E) - pin, start: pin}
      two: {unknowns: {u: 1, v: {start: pin, size: 0.1}}, equations: [v^3 + v - pin', u + v - E]}
    forces: {m: {type: torsion, coordinate: pin, torque: 3*E + 0.1*two.v}}
instances: {a: {template: arm}, b: {template: arm, mirror: y}}
outputs: {x: a.two.u, y: a.E, difference: a.two.u - b.two.u}
simulate: {t-end: 2, rtol: 1e-9}
END
run a.json single.yaml
run b.json copies.yaml
check "copies" python3 -c '
import json
a, b = json.load(open("a.json"))["outputs"], json.load(open("b.json"))["outputs"]
assert abs(a["x"] - b["x"]) < 1e-7 and abs(a["y"] - b["y"]) < 1e-7
assert abs(b["difference"]) < 1e-12'
"$CAMBER" run single.yaml >events.txt 2>stderr || fail "run single.yaml: $(cat stderr)"
check "both events at one time" awk '{ for (i = 2; i < NF; i++) {
    if ($i == "low,") low[n++] = $(i - 1)
    if ($i == "lower,") lower[m++] = $(i - 1)
  } } END {
    if (n < 2 || n != m) exit 1
    for (i = 0; i < n; i++) if ((low[i] - lower[i])^2 > 1e-20) exit 1
  }' events.txt

# ---- trial steps beyond the last root are made smaller; the motion reverses before the root ends

cat >wall.yaml <<'END'
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, rate: 3}}
gravity: [0, 0, 0]
implicit: {w: {equation: w^2 - 1 + x, start: 2}}
forces: {f: {type: load, on: {body: m, at: [0, 0, 0]}, force: [-0.01/w^3, 0, 0]}}
simulate: {t-end: 1, rtol: 1e-8}
END
sed -e 's/^implicit: .*/measures: {w: sqrt(1 - x)}/' wall.yaml >closed.yaml
for method in mdop5 radau5 bdf; do
  run a.json wall.yaml --method $method
  run b.json closed.yaml --method $method
  same "$method: failures of the root are recovered from" 1e-5
done

# ---- no root

cat >none.yaml <<'END'
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, rate: 3}}
gravity: [0, 0, 0]

implicit: {w: {equation: w^2 - 1 + x, start: 2}}
outputs: {y: w}
END
refused() { # WORDS ARGUMENT...: the run fails with a message that contains WORDS
  local words=$1
  shift
  "$CAMBER" "$@" >stdout 2>stderr
  code=$?
  check "$*: exit code $code" [ "$code" -eq 1 ]
  check "$*: the message contains '$words': $(cat stderr)" grep -qF -- "$words" stderr
}
refused 'implicit function w, line 5' run none.yaml
sed -e 's/w^2 - 1/w^2 + 1/; s/^outputs.*//' none.yaml >start.yaml
refused 'start: no root is found from the start value of the implicit function w, line 5' check start.yaml
refused 'start: no root is found from the start value of the implicit function w, line 5' run start.yaml

finish

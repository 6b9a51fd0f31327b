#!/usr/bin/env bash
# An inverted double pendulum on a cart, kept upright by a digital controller at 1 kHz with an actuator lag and a delay of 2 ms
# (docs/control.md). The gains of the model stabilise the plant of `camber linearize`; the eigenvalues of the sampled system with
# delay are computed here. The pendulum stays upright for 100 s with error-controlled steps, with steps of fixed cost and in exported
# C, which has the bits of the run.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

SECONDS_UPRIGHT=100
[ -n "${CAMBER_SANITIZED:-}" ] && SECONDS_UPRIGHT=10
readonly SECONDS_UPRIGHT

check 'linearize' "$CAMBER" linearize balanced-cart --inputs command --outputs tip --start upper_angle=0 --json >plant.json
cat >radius.py <<'END'
import json, re, sys

plant = json.load(open("plant.json"))["state_space"]
A, B, names = plant["A"], plant["B"], plant["x"]
n, T = len(A), 0.001
text = re.search(r"u: \{value: (.*?), unit", open(sys.argv[1]).read(), re.S).group(1)
gain = {name: float(number) for number, name in re.findall(r"([0-9.]+)\*\(?([a-z_]+'?)", text)}
K = [gain[name] for name in names] + [gain["before"], gain["u"]]


def product(X, Y):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*Y)] for row in X]


# exp(T (A B; 0 0)) by its series
m = n + 1
H = [[T * x for x in A[i] + B[i]] for i in range(n)] + [[0.0] * m]
step = [[float(i == j) for j in range(m)] for i in range(m)]
term = step
for k in range(1, 30):
    term = [[x / k for x in row] for row in product(term, H)]
    step = [[x + y for x, y in zip(a, b)] for a, b in zip(step, term)]

# the state, the present command (sampled two periods ago) and the next command
loop = [step[i] + [0.0] for i in range(n)] + [[0.0] * n + [0.0, 1.0]] + [[-k for k in K]]
power, squarings = loop, 14
for _ in range(squarings):
    power = product(power, power)
size = max(sum(abs(x) for x in row) for row in power)
radius = size ** (1 / 2**squarings)
print(f"spectral radius {radius:.6f}")
assert 0.9 < radius < 0.998, radius
END
check 'the gains stabilise the plant' python3 radius.py "$SOURCE_DIR/models/balanced-cart.yaml"

stands() { # DESCRIPTION ARGUMENT...
  local description=$1
  shift
  check "$description: runs" "$CAMBER" run balanced-cart --t-end "$SECONDS_UPRIGHT" --json "$@" >run.json
  check "$description: stands" python3 - "$SECONDS_UPRIGHT" <<'END'
import json, sys
run = json.load(open("run.json"))
x, lower, upper = run["q"]
assert run["status"] == "ok" and abs(x - 0.2) < 1e-4 and abs(lower) < 1e-5 and abs(upper) < 1e-5, run["q"]
assert run["samples"] == 1000 * int(sys.argv[1]) + 1, run["samples"]
END
}
stands 'mdop5'
stands 'lie' --method lie --step 0.001
stands 'rosw2' --method rosw2 --step 0.0005

# From a larger initial deviation, with steps of 0.25 ms: the run and the code have the same bits at every tenth of a second.
check 'run' "$CAMBER" run balanced-cart --method lie --step 0.00025 --t-end 5 --every 0.1 --out run.csv --quiet >/dev/null
check 'export' "$CAMBER" export c balanced-cart --step 0.00025 -o code --quiet >/dev/null
cat >drive.c <<'END'
#include "code/balanced_cart.h"
#include <stdio.h>
int main(void)
{
  static balanced_cart m;
  balanced_cart_outputs out;
  balanced_cart_state s;
  balanced_cart_init(&m);
  for (int i = 1; i <= 4000 * 100; i++) {
    if (balanced_cart_step(&m, 0, &out) != 0) return 1;
    balanced_cart_get_state(&m, &s);
    if (i <= 20000 && i % 400 == 0) printf("%.17g,%.17g,%.17g,%.17g,%.17g\n", s.q[0], s.q[1], s.q[2], s.v[3], out.command);
  }
  return !(s.q[1] < 1e-5 && s.q[1] > -1e-5 && s.q[0] > 0.19999 && s.q[0] < 0.20001);
}
END
check 'the code compiles' cc -std=c99 -O2 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror drive.c code/balanced_cart.c -o drive -lm
check 'the code stands for 100 s' ./drive >code.csv
check 'the same bits' python3 - <<'END'
import csv
run = list(csv.DictReader(open("run.csv")))[1:]
code = [[float(x) for x in line.split(",")] for line in open("code.csv")]
assert len(run) == len(code) == 50, (len(run), len(code))
for a, b in zip(run, code):
    assert [float(a[k]) for k in ("x", "lower_angle", "upper_angle", "force", "command")] == b, (a, b)
END

finish

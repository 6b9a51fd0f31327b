#!/usr/bin/env bash
# Inputs of exported code and their rates. For a road under a contact with damping, and for a motion prescribed by an input, the code has members for
# exactly those rates of inputs on which forces and constraints depend. With these inputs and rates the code converges to the run in which the inputs
# are formulas.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

readonly FLAGS='-std=c99 -O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'

quarter() { # INPUT DAMPING
  cat <<END
bodies: {car: {mass: 400, com: [0, 0, 0.8]}, wheel: {mass: 40, com: [0, 0, 0.3]}}
joints:
  lift: {type: prismatic, child: car, axis: z, coordinates: [zs]}
  hub: {type: prismatic, child: wheel, axis: z, coordinates: [zu]}
inputs: {road: $1}
points: {P: [0, 0, 0.7], W: [0, 0, 0.3]}
forces:
  strut: {type: spring, between: [car@P, wheel@W], stiffness: 20000, damping: 1500, preload: -400*9.81}
  tyre: {type: contact, on: wheel@W, radius: 0.3, surface: z - road, stiffness: 180000, damping: $2}
outputs: {load: tyre.fz}
simulate: {t-end: 4, equilibrium: true}
END
}

# ---- a sinusoidal road under the wheel, against the transfer function

quarter 0 2000 >quarter.yaml
cat >sine.c <<'END'
#include "code/quarter.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The load of a metre of road: (kt + ct s)(w - zu), where w - zu is that of the two masses. */
static double complex load_per_road(double complex s)
{
  const double complex strut = 20000 + 1500 * s, tyre = 180000 + 2000 * s;
  const double complex body = strut * 400 * s * s / (400 * s * s + strut);
  return tyre * (40 * s * s + body) / (40 * s * s + body + tyre);
}

/* How far the code's answer to a sine of 11 Hz is off; the rate is exact, or from samples, or left out. */
int main(int count, char **words)
{
  static quarter m;
  quarter_inputs in = {0};
  quarter_outputs out;
  const double h = atof(words[1]), omega = 2 * acos(-1) * 11, size = 1e-3;
  const char how = count > 2 ? words[2][0] : 'n';
  const int steps = (int)lround(4 / h);
  double complex sum = 0, exact = load_per_road(I * omega);
  double before = 0;
  int used = 0;
  quarter_init(&m);
  for (int i = 1; i <= steps; i++) {
    const double t = i * h;
    in.road = size * sin(omega * t);
    if (how == 'e') in.road_rate = size * omega * cos(omega * t);
    if (how == 's') in.road_rate = (in.road - before) / h;
    before = in.road;
    if (quarter_step(&m, &in, &out) != 0) return 1;
    if (2 * i <= steps) continue; /* 22 periods */
    sum += out.load * (sin(omega * t) + I * cos(omega * t));
    used++;
  }
  printf("%.6f\n", cabs(2 * sum / used / size - exact) / cabs(exact));
  return 0;
}
END
for h in 0.001 0.0005 0.00025; do
  check "export with step $h" "$CAMBER" export c quarter.yaml -o code --quiet --step $h
  # shellcheck disable=SC2086
  check 'compiles' cc $FLAGS sine.c code/quarter.c -o sine -lm
  ./sine $h exact >>exact || fail "fed with exact rates, step $h"
  ./sine $h samples >>samples || fail "fed with rates from samples, step $h"
  ./sine $h none >>none || fail "fed without rates, step $h"
done
cat >orders.py <<'END'
import sys

off = [[float(line) for line in open(name)] for name in ("exact", "samples", "none")]
assert all(len(x) == 3 for x in off), off
for x in off[:2]:  # lie is of first order, and so is the difference of two samples
    assert all(1.8 < a / b < 2.2 for a, b in zip(x, x[1:])), off
assert off[0][2] < 0.01 and off[1][2] < 0.02, off
assert off[2][2] > 0.3, off  # without its rate it is another road
END
check "the code converges to the transfer function, not $(tr '\n' ' ' <exact) $(tr '\n' ' ' <samples)" python3 orders.py

# ---- a motion prescribed by an input: with the rates of the formula and with rates as inputs the motion is the same

slider() { # INPUT
  cat <<END
gravity: [0, 0, 0]
bodies: {slide: {mass: 2, sphere: [0, 0, 0], radius: 0.1}, load: {mass: 1, sphere: [1, 0, 0], radius: 0.1}}
joints:
  a: {type: prismatic, child: slide, axis: x, coordinates: [x]}
  b: {type: prismatic, parent: slide, child: load, axis: x, coordinates: [y]}
inputs: {way: $1}
motions: {drive: {coordinate: x, value: way*(1 + way)}}
forces: {coil: {type: spring, between: [slide@S, load@L], stiffness: 50, damping: 3, preload: 0}}
points: {S: [0, 0, 0], L: [1, 0, 0]}
outputs: {place: x, speed: "x'", other: y, push: drive.force}
END
}
slider 0 >slider.yaml
slider '0.1*(1 - cos(3*t))' >formula.yaml
cat >drive.c <<'END'
#include "code/slider.h"
#include <math.h>
#include <stdio.h>
int main(void)
{
  static slider m;
  slider_inputs in = {0};
  slider_outputs out;
  slider_init(&m);
  for (int i = 1; i <= 1000; i++) {
    const double t = i * 1e-3;
    in.way = 0.1 * (1 - cos(3 * t));
    in.way_rate = 0.3 * sin(3 * t);
    in.way_rate_rate = 0.9 * cos(3 * t);
    if (slider_step(&m, &in, &out) != 0) return 1;
  }
  printf("%.17g %.17g %.17g %.17g\n", out.place, out.speed, out.other, out.push);
  return 0;
}
END
check 'export of a driven slide' "$CAMBER" export c slider.yaml -o code --quiet
# shellcheck disable=SC2086
check 'the driven slide compiles' cc $FLAGS drive.c code/slider.c -o drive -lm
./drive >fed || fail 'the driven slide runs'
"$CAMBER" run formula.yaml --method mdop5 --rtol 1e-9 --t-end 1 --quiet --json >run.json || fail 'the run with a formula'
cat >compare.py <<'END'
import json

fed = [float(x) for x in open("fed").read().split()]
run = json.load(open("run.json"))["outputs"]
for got, name, tolerance in zip(fed, ("place", "speed", "other", "push"), (1e-9, 1e-9, 2e-3, 2e-2)):
    assert abs(got - run[name]) <= tolerance * max(1, abs(run[name])), (name, got, run[name])
END
check "fed and run agree: $(cat fed)" python3 compare.py

# ---- which rates the code has, and which messages name them

members() { # FILE
  sed -n '/^typedef struct .*_inputs {/,/^}/s/^  double \([a-z_]*\);.*/\1/p' "$1" | tr '\n' ' '
}
check 'rates of the slide' [ "$(members code/slider.h)" = 'way way_rate way_rate_rate ' ]
check 'rate of the road' [ "$(members code/quarter.h)" = 'road road_rate ' ]
"$CAMBER" export c quarter.yaml -o code >said
check "the report names the rate: $(cat said)" grep -q 'feed road_rate as well' said
"$CAMBER" export c quarter.yaml -o code --json >said
check 'and so does JSON' python3 -c 'import json; assert json.load(open("said"))["rates"] == ["road_rate"]'
quarter 0 0 >undamped.yaml
"$CAMBER" export c undamped.yaml -o code >said
check 'without damping there is none' [ "$(members code/undamped.h)" = 'road ' ]
check 'and the report has none' [ "$(grep -c rate said)" -eq 0 ]
finish

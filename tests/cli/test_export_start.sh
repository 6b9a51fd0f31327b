#!/usr/bin/env bash
# Initial states of exported code with live parameters. Without constraints the initial state depends on the parameters and equals that of
# `camber run` with the same values. If it was found by iterations it does not follow the parameters; the header and a return value state this.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

readonly FLAGS='-std=c99 -O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'

# ---- by formulas

cat >follow.c <<'END'
#include "code/gyroscope.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
  static gyroscope m;
  gyroscope_state s, before;
  int i;
  gyroscope_init(&m);
  for (i = 0; i < 10; i++) gyroscope_step(&m, 0, 0);
  m.parameters.spin = 250;
  m.parameters.tilt = 0.7;
  m.parameters.distance = 0.07;
  if (gyroscope_start(&m) != 0) return 1;
  for (i = 0; i < 200; i++) gyroscope_step(&m, 0, 0);
  gyroscope_get_state(&m, &s);
  printf("%.17g\n", s.t);
  for (i = 0; i < gyroscope_nq; i++) printf("%.17g\n", s.q[i]);
  for (i = 0; i < gyroscope_nv; i++) printf("%.17g\n", s.v[i]);
  before = s;
  m.parameters.spin = 1; /* too slow to be steady: the root of a negative number */
  if (gyroscope_start(&m) != 1) return 2;
  gyroscope_get_state(&m, &s);
  if (memcmp(&s, &before, sizeof s) != 0) return 3;
  m.parameters.spin = 250;
  if (gyroscope_start(&m) != 0) return 4;
  gyroscope_get_state(&m, &s);
  return s.t != 0;
}
END
check 'export' "$CAMBER" export c gyroscope --live all -o code --quiet --step 0.001 >/dev/null
# shellcheck disable=SC2086
check 'compiles' cc $FLAGS follow.c code/gyroscope.c -o follow -lm
check 'the start follows, or is refused' ./follow >exported
"$CAMBER" run gyroscope --method lie --step 0.001 --t-end 0.2 --option bound=none --set spin=250 --set tilt=0.7 \
  --set distance=0.07 --json --quiet >run.json
check 'as with the values folded in' python3 -c '
import json
d, a = json.load(open("run.json")), [float(x) for x in open("exported")]
b = [d["t"]] + d["q"] + d["v"]
assert len(a) == len(b) and max(abs(x - y) / max(1, abs(y)) for x, y in zip(a, b)) < 1e-9, (a, b)'

# ---- the modes are those of the initial state

cat >kink.yaml <<'END'
parameters: {x0: 0.2, k: 10}
bodies: {block: {mass: 1, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}}
joints: {x: {type: prismatic, child: block, axis: x, start: 'if(x0 > 0.5, 2*x0, -x0)', rate: k/10}}
forces: {spring: {type: load, on: {body: block, at: [0, 0, 0]}, force: ['if(x > 0, -k*x, 0)', 0, 0]}}
END
cat >modes.c <<'END'
#include "code/kink.h"
#include <stdio.h>
int main(void)
{
  static kink m;
  kink_state s;
  int i;
  kink_init(&m);
  m.parameters.x0 = 0.6;
  if (kink_start(&m) != 0) return 1;
  kink_get_state(&m, &s);
  if (s.q[0] != 1.2 || s.v[0] != 1) return 2;
  for (i = 0; i < 100; i++) kink_step(&m, 0, 0);
  kink_get_state(&m, &s);
  printf("%.17g\n%.17g\n", s.q[0], s.v[0]);
  return 0;
}
END
check 'export of a switch' "$CAMBER" export c ./kink.yaml --live all -o code --quiet --step 0.001 >/dev/null
# shellcheck disable=SC2086
check 'compiles' cc $FLAGS modes.c code/kink.c -o modes -lm
check 'starts in its modes' ./modes >exported
"$CAMBER" run ./kink.yaml --method lie --step 0.001 --t-end 0.1 --option bound=none --set x0=0.6 --json --quiet >run.json
check 'as with the value folded in' python3 -c '
import json
d, a = json.load(open("run.json")), [float(x) for x in open("exported")]
b = d["q"] + d["v"]
assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 1e-12, (a, b)'

# A state that is set gets the modes of the parameters that hold then, here of a switch at another place.
cat >place.yaml <<'END'
parameters: {place: 0.2}
bodies: {block: {mass: 1, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}}
joints: {x: {type: prismatic, child: block, axis: x, start: 1.2, rate: 1}}
states: {z: {rate: 'x - z'}, y: {rate: 'z - y'}}
forces: {spring: {type: load, on: {body: block, at: [0, 0, 0]}, force: ['if(x > place, -40*x, 3)', 0, 0]}}
END
cat >set.c <<'END'
#include "code/place.h"
#include <stdio.h>
int main(void)
{
  static place m;
  place_state s;
  int i;
  place_init(&m);
  place_get_state(&m, &s);
  m.parameters.place = 5;
  place_set_state(&m, &s);
  for (i = 0; i < 100; i++) place_step(&m, 0, 0);
  place_get_state(&m, &s);
  printf("%.17g\n%.17g\n", s.q[0], s.v[0]);
  return 0;
}
END
check 'export of a switch at a parameter' "$CAMBER" export c ./place.yaml --live all -o code --quiet --step 0.001 >/dev/null
# shellcheck disable=SC2086
check 'compiles' cc $FLAGS set.c code/place.c -o set -lm
check 'goes on in the modes of the state' ./set >exported
"$CAMBER" run ./place.yaml --method lie --step 0.001 --t-end 0.1 --option bound=none --set place=5 --json --quiet >run.json
check 'as with the place folded in' python3 -c '
import json
d, a = json.load(open("run.json")), [float(x) for x in open("exported")]
b = d["q"] + d["v"]
assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 1e-12, (a, b)'
tr -d '\n' <code/place.h | grep -qF "/* Where the model stands. q: x; v: their rates, or as Camber lists them, then the states z, y. */" ||
  fail 'the header lists the states'

# ---- found by iterations

cat >closed.c <<'END'
#include "code/slider_crank.h"
#include <string.h>
int main(void)
{
  static slider_crank m;
  slider_crank_state first, s;
  int i;
  slider_crank_init(&m);
  slider_crank_get_state(&m, &first);
  for (i = 0; i < 10; i++) slider_crank_step(&m, 0, 0);
  m.parameters.piston_mass *= 2;
  if (slider_crank_start(&m) != 0 || m.parameters.piston_mass == 0) return 1;
  slider_crank_get_state(&m, &s);
  if (memcmp(&s, &first, sizeof s) != 0) return 2;
  slider_crank_step(&m, 0, 0);
  slider_crank_get_state(&m, &first);
  m.parameters.rod_length *= 1.01;
  if (slider_crank_start(&m) != 1) return 3;
  slider_crank_get_state(&m, &s);
  return memcmp(&s, &first, sizeof s) != 0;
}
END
check 'export of a linkage' "$CAMBER" export c slider-crank --live all -o code --quiet 2>/dev/null >/dev/null
# shellcheck disable=SC2086
check 'compiles' cc $FLAGS closed.c code/slider_crank.c -o closed -lm
check 'a start that was found is kept, or refused' ./closed
tr -d '\n' <code/slider_crank.h | grep -q 'does not \* follow parameters that it depends on.*rod_length' || fail 'words'
tr -d '\n' <code/slider_crank.h | sed 's/.*does not \* follow//' | grep -q 'piston_mass' && fail 'a mass is in the list'

# ---- no live parameters

check 'export as ever' "$CAMBER" export c gyroscope -o plain --quiet >/dev/null
grep -q '_start(' plain/gyroscope.h && fail 'a start without parameters'
finish

#!/usr/bin/env bash
# Exported code in other programs: it does not compile with options that make its results wrong, and gives the same bits with options
# that only contract a * b + c; a step whose outputs are not finite returns 1; names of the model that are reserved in C, C++, their
# headers or the code itself do not prevent compilation; formulas with whole numbers and tables switch as in a run; the report lists
# what was written.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

readonly WARNINGS='-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
COMPILERS=
for cc in gcc clang; do command -v $cc >/dev/null && COMPILERS="$COMPILERS $cc"; done

# ---- arithmetic

check 'export' "$CAMBER" export c quarter-car -o code --quiet --step 0.001 >/dev/null
cat >drive.c <<'END'
#include "code/quarter_car.h"
#include <stdio.h>
int main(void)
{
  static quarter_car m;
  quarter_car_state s;
  int bad = 0;
  quarter_car_init(&m);
  for (int i = 0; i < 500; i++) bad += quarter_car_step(&m, 0, 0);
  quarter_car_get_state(&m, &s);
  for (int i = 0; i < quarter_car_nq; i++) printf("%a %a\n", s.q[i], s.v[i]);
  return bad != 0;
}
END
cc -std=c99 -O1 -ffp-contract=off drive.c code/quarter_car.c -o drive -lm && ./drive >reference || fail 'reference'

# The iteration matrix of rosw2 has sums and differences of products next to each other. gcc 12 vectorises them with fused multiply-add
# instructions even if contraction is off, so the code switches vectorisation off. The compiled code must contain no such instruction.
check 'export of rosw2' "$CAMBER" export c spatial-four-bar -o code --quiet --step 0.001 --method rosw2 \
  --option jacobian=exact >/dev/null 2>&1
for cc in $COMPILERS; do
  for level in -O2 -O3; do
    echo 'int x;' | $cc -mfma -x c -c - -o flags.o 2>/dev/null || continue # not for this processor
    check "$cc $level: compiles rosw2" $cc -std=gnu11 $level -mfma -S code/spatial_four_bar.c -o rosw2.s
    check "$cc $level: no contraction" [ "$(grep -c 'vfm\|vfnm' rosw2.s)" -eq 0 ]
  done
done

refused() { # WORDS COMPILER FLAG...
  local words=$1
  shift
  # a compiler that does not know the flag is no use here
  echo 'int x;' | "$@" -Werror -x c -c - -o flags.o 2>/dev/null || return 0
  if "$@" -c code/quarter_car.c -o refused.o 2>stderr; then
    fail "$* compiles"
  else
    check "$*: the message contains '$words': $(head -3 stderr)" grep -q -- "$words" stderr
  fi
}

same_bits() { # COMPILER FLAG...
  echo 'int main(void) { return 0; }' | "$@" -Werror -x c - -o flags 2>/dev/null || return 0
  check "$*: compiles" "$@" drive.c code/quarter_car.c -o drive -lm
  ./flags && ./drive >bits # the processor may lack what was asked for
  check "$*: the same bits" cmp -s bits reference
}

for cc in $COMPILERS; do
  refused 'no -ffast-math' "$cc" -ffast-math
  refused 'no -ffast-math' "$cc" -Ofast
  refused 'no -ffinite-math-only' "$cc" -ffinite-math-only
  refused 'not those of the x87' "$cc" -mfpmath=387
  refused 'not those of the x87' "$cc" -mfpmath=both
  refused 'constants_are_double' "$cc" -fsingle-precision-constant
  [ -n "${CAMBER_SANITIZED:-}" ] || same_bits "$cc" -std=gnu11 -O2 -march=native
done
if command -v gcc >/dev/null; then
  refused 'no -ffast-math' gcc -funsafe-math-optimizations
  refused 'no -ffast-math' gcc -freciprocal-math
fi
command -v clang >/dev/null && same_bits clang -O1 -funsafe-math-optimizations -fno-approx-func

# ---- names: of outputs, inputs, parameters and the model itself

cat >main.yaml <<'END'
parameters: {NULL: 1, I: 2, errno: 3, asm: 4, class: 5, NAN: 6, linux: 7, stderr: 8, M_PI: 9, template: 10}
points: {P: [0, 0, 0], C: [1, 0, 0]}
bodies: {rod: {mass: 1, com: C, inertia: [1, 1, 1]}}
joints: {a: {type: revolute, child: rod, at: P, axis: [0, 1, 0]}}
inputs: {register: 0, EOF: 0}
forces:
  push: {type: load, on: rod@C, force: [NULL + I + errno + asm + class, EOF, NAN + linux + stderr + M_PI + template + register]}
outputs: {health: a, NIL: a, J: a, complex: a, goto: a, event_a: "if(a > 0, 1, 2)", int: a, stdin: a, EINVAL: a, xor: a, health_2: a}
END
check 'names: export' "$CAMBER" export c ./main.yaml -o names --quiet --live all >/dev/null
check 'names: of the files' [ -f names/main_.c -a -f names/main_.h ]
cat >headers.h <<'END'
#include <complex.h>
#include <errno.h>
#include <iso646.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
END
cat >names.c <<'END'
#include "headers.h"
#include "names/main_.h"
int main(void)
{
  static main_ m;
  main__outputs out;
  main__init(&m);
  return main__step(&m, NULL, &out) || !(out.health > 0) || out.health_2 != out.J || m.parameters.NULL_ != 1;
}
END
for cc in $COMPILERS; do
  # shellcheck disable=SC2086
  for std in c99 gnu99 gnu11; do
    check "names: $cc -std=$std" $cc $WARNINGS -std=$std -include headers.h names.c names/main_.c -o names_program -lm
    check "names: $cc: runs" ./names_program
  done
done
for cxx in g++ clang++; do
  command -v $cxx >/dev/null || continue
  printf '#include "names/main_.h"\nint main() { static main_ m; main__init(&m); return 0; }\n' >names.cc
  echo 'int main() {}' >empty.cc
  $cxx empty.cc -o flags 2>/dev/null || continue # no library of C++
  check "names: $cxx" $cxx -Wall -Werror -fsyntax-only names.cc
done
for name in math string m number time; do
  cp "$SOURCE_DIR/models/simple-pendulum.yaml" "$name.yaml"
  check "model $name: export" "$CAMBER" export c "./$name.yaml" -o names --quiet >/dev/null
  # shellcheck disable=SC2086
  check "model $name: compiles" cc $WARNINGS -include headers.h -Inames -c "names/${name}_.c" -o model.o
done

# ---- an output that is not finite

cat >pole.yaml <<'END'
points: {P: [0, 0, 0], C: [0, 0, -1]}
bodies: {bob: {mass: 1, com: C, inertia: [0.1, 0.1, 0.1]}}
joints: {a: {type: revolute, child: bob, at: P, axis: [0, 1, 0], start: 0.1}}
parameters: {limit: 1}
inputs: {zero: 0}
outputs: {root: "sqrt(limit + zero - t)", angle: a}
END
check 'pole: export' "$CAMBER" export c ./pole.yaml -o code --quiet --step 0.01 >/dev/null
cat >pole.c <<'END'
#include "code/pole.h"
#include <math.h>
#include <stdio.h>
int main(void)
{
  static pole m, n;
  pole_outputs out;
  pole_init(&m);
  pole_init(&n);
  for (int i = 1; i <= 150; i++) {
    const int status = pole_step(&m, 0, &out), plain = pole_step(&n, 0, 0);
    /* the root is not real after t = 1; the motion is not touched by it */
    if (i <= 99 && (status != 0 || !(out.root >= 0) || !(out.health > 0))) return printf("%d\n", i), 1;
    if (i >= 102 && (status != 1 || out.root == out.root || out.health > 0)) return printf("%d\n", i), 1;
    if (plain != 0 || !isfinite(out.angle)) return printf("%d\n", i), 1;
  }
  return 0;
}
END
# shellcheck disable=SC2086
check 'pole: compiles' cc $WARNINGS -O1 pole.c code/pole.c -o pole -lm
check 'pole: returns 1 from there on' ./pole

# ---- levels: those of floor and the intervals of a table; kinks of a table become events of the code

cat >levels.yaml <<'END'
tables: {road: [[0, 0], [0.1, 0.02], [0.25, -0.01], [0.4, 0.03], [2, 0]]}
points: {P: [0, 0, 0], C: [0, 0, -1]}
bodies: {bob: {mass: 1, com: C, inertia: [0.1, 0.1, 0.1]}}
joints: {a: {type: revolute, child: bob, at: P, axis: [0, 1, 0], start: 0.5}}
inputs: {height: road(t)}
forces: {push: {type: load, on: bob@C, force: ["floor(8*t) + 100*height + floor(3*a)", 0, 0]}}
outputs: {stair: floor(8*t), angle: a, force: road(t) + floor(3*a)}
simulate: {method: rosw2, step: 0.001, t-end: 0.6}
END
check 'levels: export' "$CAMBER" export c ./levels.yaml -o code --quiet >/dev/null
cat >levels.c <<'END'
#include "code/levels.h"
#include <stdio.h>
int main(void)
{
  static levels m;
  levels_outputs out;
  int bad = 0;
  levels_init(&m);
  for (int i = 0; i < 600; i++) bad += levels_step(&m, 0, &out);
  printf("%.17g\n%.17g\n%.17g\n", out.stair, out.angle, out.force);
  return bad != 0;
}
END
# shellcheck disable=SC2086
check 'levels: compiles' cc $WARNINGS -O1 -ffp-contract=off levels.c code/levels.c -o levels -lm
./levels >exported || fail 'levels: a step failed'
"$CAMBER" run ./levels.yaml --option bound=none --json --quiet |
  python3 -c 'import json, sys
for x in json.load(sys.stdin)["outputs"].values(): print("%.17g" % x)' >computed
check "levels: the outputs of camber run: $(paste exported computed | tr '\n' ' ')" cmp -s exported computed
check 'levels: the stair is at 4' [ "$(head -n 1 exported)" = 4 ]

# ---- the report, in words and as JSON; the method is the model's if it is one for real time, else lie; -o is here if not given

check 'report' "$CAMBER" export c ./levels.yaml -o code >report
check "report: $(cat report)" grep -q '^levels with rosw2: code/levels.c and levels.h$' report
check 'report: sizes' grep -q 'a step is [0-9]* operations; 1 inputs, 3 outputs, [0-9]* event flags, [0-9]* parameters' report
check 'report: how to compile' grep -q 'cc -std=c99 -O2 -ffp-contract=off -Icode code/levels.c YOURS.c -lm' report
mkdir -p here
(cd here && exec "$CAMBER" export c quarter-car --live all --json) >report.json
check 'report.json' python3 -c "import json
r = json.load(open('report.json'))
assert r['name'] == 'quarter_car' and r['folder'] == '.' and r['method'] == 'lie', r
assert r['instructions'] > 100 and r['inputs'] == 1 and r['parameters'] > 0 and r['flags'] > 0, r
header = open('here/quarter_car.h').read()
assert header.split('_outputs {')[1].split('}')[0].count('double') == r['outputs'] + 1, r"
check 'report: nothing with --quiet' [ -z "$("$CAMBER" export c ./levels.yaml -o code --quiet)" ]
"$CAMBER" export c no/model.yaml -o code >/dev/null 2>stderr
check 'export of no model: exit code 2' [ $? -eq 2 ]
"$CAMBER" export c ./levels.yaml -o code --start nothing=1 >/dev/null 2>stderr
check 'export with a wrong start: exit code 2' [ $? -eq 2 ]
"$CAMBER" export c ./levels.yaml -o code --method nothing >/dev/null 2>stderr
check 'export with an unknown method: exit code 2' [ $? -eq 2 ]

finish

#!/usr/bin/env bash
# camber export c: the code of every bundled model compiles without a warning under gcc and clang, freestanding too; it needs
# no external functions except those of libm that it lists; its states equal those of `camber run` to the last bit, over 100,000
# steps of one model and 2,000 of the others; parameters, inputs, event flags and states work as documented; after an error there
# is no file.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

readonly WARNINGS='-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
STRICT='-O1 -ffp-contract=off'

cat >drive.c <<'END'
/* drive STEPS: the state after so many steps, every number with 17 digits. */
#include HEADER
#include <stdio.h>
#include <stdlib.h>
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
static NAME m;
int main(int argc, char **argv)
{
  JOIN(NAME, _state) s;
  JOIN(NAME, _outputs) out;
  const long n = argc > 1 ? atol(argv[1]) : 1;
  int bad = 0;
  JOIN(NAME, _init)(&m);
  for (long i = 0; i < n; i++) bad += JOIN(NAME, _step)(&m, 0, &out);
  JOIN(NAME, _get_state)(&m, &s);
  for (int i = 0; i < JOIN(NAME, _nq); i++) printf("%.17g\n", s.q[i]);
  for (int i = 0; i < JOIN(NAME, _nv); i++) printf("%.17g\n", s.v[i]);
  return bad != 0;
}
END

# Checks that ./drive and camber run computed the same bits: N.exported and N.json for each line "N WORDS" of the file.
cat >same.py <<'END'
import json, sys
for line in open(sys.argv[1]):
    number, _, words = line.rstrip("\n").partition(" ")
    d = json.load(open(number + ".json"))
    assert d["status"] == "ok", (words, d["message"])
    computed = ["%.17g" % x for x in d["q"] + d["v"] + d.get("z", [])]
    assert open(number + ".exported").read().split() == computed, words
END

# Prints the state in a JSON report, one number in each line.
state() { python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["status"] == "ok", d["message"]
for x in d["q"] + d["v"] + d.get("z", []): print("%.17g" % x)'; }

# compare MODEL STEPS OPTION...: compiles and runs the code; at the end same.py compares the bits of all models
compared=0
compare() {
  local model=$1 steps=$2 name t_end
  shift 2
  name=${model//-/_}
  rm -rf code
  check "export $model" "$CAMBER" export c "$model" -o code --quiet --step "${STEP:-0.001}" "$@" >/dev/null
  # shellcheck disable=SC2086
  for cc in $COMPILERS; do # gcc compiles it as hosted code below, too
    [ "$cc" = gcc ] || $cc $WARNINGS -fsyntax-only "code/$name.c" || fail "$cc does not compile $model"
    $cc $WARNINGS -ffreestanding -fno-builtin -c "code/$name.c" -o bare.o ||
      fail "$cc does not compile $model freestanding"
    for symbol in $(nm -u bare.o | awk '{print $2}'); do
      case $symbol in
      mem* | _GLOBAL_OFFSET_TABLE_) ;;
      *) grep -q "libm .*\<$symbol\>" "code/$name.c" || fail "$model needs $symbol, which its header comment does not list" ;;
      esac
    done
  done
  # shellcheck disable=SC2086
  $HOSTED $WARNINGS $STRICT -DNAME="$name" -DHEADER="\"code/$name.h\"" -I. drive.c "code/$name.c" -o drive -lm ||
    fail "$model does not link"
  t_end=$(awk -v steps="$steps" -v h="${STEP:-0.001}" 'BEGIN { printf "%.15g", steps * h }')
  compared=$((compared + 1))
  ./drive "$steps" >$compared.exported || fail "$model: a step failed"
  "$CAMBER" run "$model" --method lie --step "${STEP:-0.001}" --t-end "$t_end" --option bound=none \
    "$@" --json --quiet >$compared.json 2>/dev/null
  printf '%s %s\n' $compared "$model $*" >>compared
}

COMPILERS=
for cc in gcc clang; do command -v $cc >/dev/null && COMPILERS="$COMPILERS $cc"; done
HOSTED=$(command -v gcc || echo cc)

if [ -n "${CAMBER_SANITIZED:-}" ]; then
  COMPILERS=
  compare fivelink 200
else
  for model in car-axis double-pendulum double-wishbone fivelink four-bar gyroscope quarter-car simple-pendulum \
    slider-crank spatial-four-bar motor-crank controlled-track cam-follower balanced-cart; do
    compare $model 2000
  done
  compare car-axis 100000
  COMPILERS=
fi
STRICT='-O0 -ffp-contract=off' # without optimisation from here on: the tests do not depend on it, and large files compile three times as fast
for options in 'jacobian=none' 'jacobian=J1' 'jacobian=J3' 'jacobian=exact' 'index=2' 'stabilization=none' \
  'stabilization=baumgarte' 'stabilization=projection-q'; do
  compare quarter-car 500 --option $options
done
compare quarter-car 500 --option index=2 --option stabilization=ggl
for model in quarter-car motor-crank balanced-cart; do # loops; states; controllers
  compare $model 500 --option positions=new
done
compare quarter-car 500 --option positions=new --option jacobian=exact --option stabilization=baumgarte
for evaluator in native interpreter; do
  "$CAMBER" run quarter-car --method lie --step 0.001 --t-end 0.5 --option positions=new \
    --option jacobian=exact --option stabilization=baumgarte --evaluator $evaluator --json --quiet 2>/dev/null | state >computed
  check "positions=new: exported code and $evaluator have the same bits" cmp -s "$compared.exported" computed
done
compare quarter-car 500 --method rosw2
compare motor-crank 500 --method rosw2
STEP=0.0002 compare motor-crank 300 --formulation cartesian
compare fivelink 300 --formulation cartesian
compare spatial-four-bar 300 --formulation cartesian --option positions=new
compare quarter-car 500 --live all
compare spatial-four-bar 100 --live all --formulation cartesian
STEP=0.0005 compare quarter-car 500 --set left.stiffness=60000
STEP=
check "exported code and camber run have the same bits" python3 same.py compared

# ---- parameters, inputs, flags, states

check "export" "$CAMBER" export c quarter-car -o code --quiet --live left.tyre_stiffness,chassis_mass >/dev/null
cat >use.c <<'END'
#include "code/quarter_car.h"
#include <stdio.h>
#include <string.h>
#define CHECK(x) do { if (!(x)) { printf("%s\n", #x); return 1; } } while (0)
int main(void)
{
  static quarter_car a, b;
  quarter_car_state s, s2;
  quarter_car_inputs in;
  quarter_car_outputs out;
  int i, rising = 0, flags = 0;
  memset(&in, 0, sizeof in);
  quarter_car_init(&a);
  for (i = 1; i <= 300; i++) {
    CHECK(quarter_car_step(&a, &in, &out) == 0);
    if (out.event_input_road_line_28_1 == 1) rising = i;
    flags += out.event_input_road_line_28_1 != 0;
    CHECK(out.health > 1e-3 && out.health <= 1);
  }
  CHECK(flags == 1 && (rising == 100 || rising == 101)); /* the bump begins at 0.1 s */
  /* a state taken out and put into another instance goes on in the same way */
  quarter_car_get_state(&a, &s);
  quarter_car_init(&b);
  quarter_car_set_state(&b, &s);
  for (i = 0; i < 100; i++) quarter_car_step(&a, &in, &out), quarter_car_step(&b, &in, &out);
  quarter_car_get_state(&a, &s);
  quarter_car_get_state(&b, &s2);
  CHECK(memcmp(&s, &s2, sizeof s) == 0);
  /* a road 20 mm higher lifts the car by that in the end */
  in.road = 0.02;
  for (i = 0; i < 8000; i++) quarter_car_step(&a, &in, NULL);
  in.road = 0;
  for (i = 0; i < 8000; i++) quarter_car_step(&b, &in, NULL);
  quarter_car_get_state(&a, &s);
  quarter_car_get_state(&b, &s2);
  CHECK(s.q[0] - s2.q[0] > 0.0199 && s.q[0] - s2.q[0] < 0.0201);
  /* a softer tyre lets it down again by the load over the difference */
  a.parameters.left_tyre_stiffness /= 2;
  for (i = 0; i < 8000; i++) quarter_car_step(&a, &in, NULL);
  quarter_car_get_state(&a, &s);
  CHECK(s.q[0] < s2.q[0] - 0.01);
  return 0;
}
END
# shellcheck disable=SC2086
check "use.c compiles" cc $STRICT -std=c99 -I. use.c code/quarter_car.c -o use -lm
check "parameters, inputs, flags and states" ./use

# refuses WHAT CODE WORDS COMMAND...
refuses() {
  local what=$1 code=$2 words=$3
  shift 3
  "$@" >/dev/null 2>err
  [ $? = "$code" ] && grep -qF -- "$words" err || fail "$what: $(cat err)"
}

# Setting a live mass and a live radius gives the same motion as exporting with these values as constants.
cat >set.c <<'END'
#include "code/quarter_car.h"
#include <stdio.h>
int main(void)
{
  static quarter_car a;
  quarter_car_state s;
  int i;
  quarter_car_init(&a);
  a.parameters.chassis_mass = 500;
  a.parameters.left_stiffness = 60000;
  a.parameters.left_tyre_radius = 0.325;
  for (i = 0; i < 400; i++) {
    if (quarter_car_step(&a, NULL, NULL) != 0) return 1;
  }
  quarter_car_get_state(&a, &s);
  for (i = 0; i < quarter_car_nq; i++) printf("%.17g\n", s.q[i]);
  for (i = 0; i < quarter_car_nv; i++) printf("%.17g\n", s.v[i]);
  return 0;
}
END
check "export all" "$CAMBER" export c quarter-car -o code --quiet --live all --no-equilibrium >/dev/null
# shellcheck disable=SC2086
check "set.c compiles" cc $STRICT -std=c99 -I. set.c code/quarter_car.c -o set -lm
./set >exported
"$CAMBER" run quarter-car --method lie --step 0.001 --t-end 0.4 --no-equilibrium --option bound=none --set chassis_mass=500 \
  --set left.stiffness=60000 --set left.tyre_radius=0.325 --json --quiet | state >computed
check "parameters that are set do what folded ones do" python3 -c '
a, b = ([float(x) for x in open(f)] for f in ("exported", "computed"))
assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 1e-9, (a, b)'
refuses "a parameter that chooses something" 2 "the number of copies depends on the live parameter 'N'" \
  "$CAMBER" export c chain --live N
refuses "the same beside all others" 2 "the number of copies depends on the live parameter 'N'" \
  "$CAMBER" export c chain --live all --live N
refuses "no such parameter" 2 "no parameter 'chasis_mass' to stay live: did you mean 'chassis_mass'" \
  "$CAMBER" run quarter-car --live chasis_mass
refuses "a problem in C" 2 "--live is for the parameters of model files" "$CAMBER" run caraxis --live all

# ---- the example: a real-time loop

# shellcheck disable=SC2086
check "the example compiles" cc $WARNINGS $STRICT -Icode "$SOURCE_DIR/examples/realtime/loop.c" code/quarter_car.c -o loop -lm
check "the example runs" ./loop 0.3 >loop.out
check "its report" grep -q '^300 periods of 1 ms: [0-9]* overruns, 0 failed steps' loop.out

# ---- errors

refuse() { # WORDS ARGUMENT...
  local words=$1
  shift
  "$CAMBER" "$@" >out 2>err
  check "camber $*: exit code 2" test $? -eq 2
  check "camber $*: the message contains '$words': '$(cat err)'" grep -q -e "$words" err
}

rm -rf code
refuse 'written in C' export c caraxis -o code
refuse 'lie or rosw2' export c fivelink --method mdop5 -o code
refuse "expected 'c'" export fortran fivelink -o code
refuse 'needs c MODEL' export c
refuse 'index=2' export c fivelink --option stabilization=ggl -o code
refuse "unknown option '-x'" export c fivelink -x code
check 'errors leave no files' test ! -e code
: >file
refuse 'cannot make the folder' export c fivelink -o file/code

finish

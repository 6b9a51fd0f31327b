#!/usr/bin/env bash
# Counts the instructions of one step of lie with each matrix: exported C code of bundled models, steps of 1 ms.
#
#   bench/jacobian_instructions.sh [MODEL...]
#
# A step's instructions are those of 1,100 steps less those of 100, over 1,000, callgrind's. The code is exported by
# build/release/camber, or by the program that CAMBER names, and compiled with cc -O2 -std=c99 -ffp-contract=off. Prints the table
# of docs/benchmarks.md. LD_BIND_NOW keeps the loader's first look for a function out of the steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly CAMBER=${CAMBER:-$PWD/build/release/camber}
readonly STEP=0.001 FEW=100 MANY=1100
readonly VARIANTS='none:auto none:new J3:auto J1:auto J1:new J2:auto J2:new exact:auto exact:new'

if [[ $# -eq 0 ]]; then set -- car-axis quarter-car double-wishbone fivelink; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LD_BIND_NOW=1

cat >"$scratch/steps.c" <<'END'
#include HEADER
#include <stdlib.h>
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
static NAME m;
int main(int argc, char **argv)
{
  int bad = 0;
  JOIN(NAME, _init)(&m);
  for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--) bad += JOIN(NAME, _step)(&m, 0, 0);
  return bad != 0;
}
END

make_steps() { # MODEL JACOBIAN POSITIONS
  local name=${1//-/_}
  "$CAMBER" export c "$1" -o "$scratch/code" --quiet --step $STEP --method lie --option jacobian="$2" --option positions="$3" \
    >/dev/null 2>&1 || return 1
  cc -O2 -std=c99 -ffp-contract=off -DNAME="$name" -DHEADER="\"code/$name.h\"" -I"$scratch" "$scratch/steps.c" \
    "$scratch/code/$name.c" -o "$scratch/steps" -lm
}

collected() { # STEPS
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/steps" "$1" 2>&1 | awk '/Collected/ { print $4 }'
}

# A run that fails, as an explicit one of a stiff model does, has no number.
count() { # MODEL JACOBIAN POSITIONS
  if ! make_steps "$@" || ! "$scratch/steps" $MANY; then
    echo –
  else
    echo $((($(collected $MANY) - $(collected $FEW)) / (MANY - FEW))) | sed -E 's/([0-9])([0-9]{3})$/\1,\2/'
  fi
}

printf '| jacobian, positions |'
printf ' %s |' "$@"
printf '\n|---|'
printf '%.0s---|' "$@"
printf '\n'
for variant in $VARIANTS; do
  printf '| %s, %s |' "${variant%:*}" "${variant#*:}"
  for model in "$@"; do
    rm -rf "$scratch/code"
    printf ' %s |' "$(count "$model" "${variant%:*}" "${variant#*:}")"
  done
  printf '\n'
done

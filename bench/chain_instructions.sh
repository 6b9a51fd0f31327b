#!/usr/bin/env bash
# Counts the instructions of one evaluation of a chain of bodies, which do not wander like times.
#
#   bench/chain_instructions.sh [BODIES]     default: 41
#
# callgrind counts while the function bench_timed_evaluation is active. Everything has been evaluated once before.
# MuJoCo's row is empty where it is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BODIES=${1:-41}
readonly BUILD=build/profile
readonly PROGRAM=$BUILD/bench/bin/chain_once

# Instructions that one evaluation may take, for 41 bodies.
declare -rA TARGETS=([explicit]=45000 [residual]=16000 [jacobian]=200000)

export LD_BIND_NOW=1

cmake -S . -B $BUILD -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_FLAGS_RELEASE='-O3 -g' -DCAMBER_BENCH=ON -DCAMBER_TESTS=OFF -DCAMBER_CHECKS=OFF >/dev/null
cmake --build $BUILD --target bench_chain_once >/dev/null

count() { # CODE QUANTITY
  "$PROGRAM" "$1" "$2" "$BODIES" >/dev/null || { echo -; return; }
  valgrind --tool=callgrind --toggle-collect=bench_timed_evaluation \
    --callgrind-out-file=/dev/null "$PROGRAM" "$1" "$2" "$BODIES" 2>&1 | awk '/Collected/ { print $4 }'
}

printf 'instructions of one evaluation, chain of %d bodies\n%-10s' "$BODIES" ''
for quantity in explicit residual jacobian; do printf ' %10s' $quantity; done
printf '\n'
for code in camber mujoco; do
  printf '%-10s' $code
  for quantity in explicit residual jacobian; do printf ' %10s' "$(count $code $quantity)"; done
  printf '\n'
done
((BODIES == 41)) || exit 0
printf '%-10s' 'goal <='
for quantity in explicit residual jacobian; do printf ' %10s' "${TARGETS[$quantity]}"; done
printf '\n'

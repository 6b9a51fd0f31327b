#!/usr/bin/env bash
# Runs each program of bench/ once, on a small problem, under the address and undefined-behaviour sanitizers. Fails if a sanitizer reports an
# error or a program ends with an exit code above 1. The results of the programs, and whether they reach their speed, are not checked.
#
#   scripts/benches_once.sh              in the build folder of the preset asan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset asan -DCAMBER_BENCH=ON
cmake --build build/asan --target bench/all

declare -A arguments=(
  [caraxis_once]='radau5 1e-7' [caraxis_race]='--repetitions 1' [chain_once]='camber explicit 41' [expr_speed]=300
  [long_chain]='cartesian 50' [realtime_once]='quarter-car 100' [track_long]=10000
)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()
for program in build/asan/bench/bin/*; do
  name=$(basename "$program")
  status=0
  # shellcheck disable=SC2086 # several words
  timeout 600 "$program" ${arguments[$name]-} >"$log" 2>&1 || status=$?
  if ((status > 1)) || grep -qE 'ERROR: (Address|Leak)Sanitizer|runtime error:' "$log"; then # exit code 1: the required speed is not reached
    tail -n 40 "$log"
    failed+=("$name")
  fi
  echo "benches: $name, exit code $status"
done
if ((${#failed[@]})); then
  echo "benches: failed: ${failed[*]}" >&2
  exit 1
fi

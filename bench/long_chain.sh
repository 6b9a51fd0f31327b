#!/usr/bin/env bash
# Chains of bodies set up, started and stepped 100 times in all formulations: what time and memory a body costs.
#
#   bench/long_chain.sh [BODIES...]     default: 100 1000 5000
#
# Each row is a process of its own (bench/long_chain.c), so that its peak of memory is that of the row.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=${BUILD:-build/release}
cmake --build "$BUILD" --target bench_long_chain >/dev/null
(($# > 0)) || set -- 100 1000 5000

printf 'bodies  formulation set-up s   start s 100 steps    peak MB ms a body kB a body\n'
for formulation in explicit residual cartesian; do
  for bodies in "$@"; do "$BUILD"/bench/bin/long_chain $formulation "$bodies"; done
done

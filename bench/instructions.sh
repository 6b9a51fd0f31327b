#!/usr/bin/env bash
# Counts the instructions of one whole integration of the car axis, which do not wander like times.
#
#   bench/instructions.sh                    table of all codes, then the stages of mdop5 and mdop853
#   bench/instructions.sh CODE TOLERANCE     the stages of one of Camber's methods
#
# callgrind counts while the function bench_timed_run is active (--toggle-collect): exactly what the
# race times. The other way, the difference between a process that integrates twice and one that
# integrates once, gives the same plus the set-up of the second integration, about 1 % at 1e-7.
# LD_BIND_NOW keeps the loader's first look for sin and pow out of the count. The program is built
# with -O3 -g in build/profile: -g adds no instructions, but says which line each one comes from.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=build/profile
readonly PROGRAM=$BUILD/bench/bin/caraxis_once
readonly CODES='mdop5 mdop853 hem5 phem56 arkode5 arkode5-dp arkode8 arkode5-hand arkode8-hand ida'
readonly TOLERANCES='1e-4 1e-7 1e-10'

# Million instructions at 1e-7 that a method may take, with a mescd of at least 5.
declare -rA TARGETS=([mdop5]=5.0 [mdop853]=2.8)

build() {
  cmake -S . -B $BUILD -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O3 -g' \
    -DCAMBER_BENCH=ON -DCAMBER_TESTS=OFF -DCAMBER_CHECKS=OFF >/dev/null
  cmake --build $BUILD --target bench_caraxis_once >/dev/null
}

count() { # CODE TOLERANCE OUTPUT; prints callgrind's words and the program's
  LD_BIND_NOW=1 valgrind --tool=callgrind --toggle-collect=bench_timed_run \
    --compress-strings=no --compress-pos=no --callgrind-out-file="$3" "$PROGRAM" "$1" "$2" 2>&1
}

table() {
  printf '%-14s' code
  for tolerance in $TOLERANCES; do printf '  | %-13s' "$tolerance"; done
  printf '\n%-14s' ''
  for tolerance in $TOLERANCES; do printf '  | %5s %7s' mescd Minstr; done
  printf '\n'
  for code in $CODES; do
    printf '%-14s' "$code"
    for tolerance in $TOLERANCES; do
      count "$code" "$tolerance" /dev/null |
        awk '/mescd/ { mescd = $4 + 0 } /Collected/ { n = $4 }
             END { printf "  | %5.2f %7.2f", mescd, n / 1e6 }'
    done
    printf '%s\n' "${TARGETS[$code]:+   (at 1e-7: <= ${TARGETS[$code]}, mescd >= 5)}"
  done
}

stages() { # CODE TOLERANCE
  printf '\n== %s at %s\n' "$1" "$2"
  count "$1" "$2" "$scratch/profile" >/dev/null
  python3 bench/callgrind_stages.py "$scratch/profile" .
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build
case $# in
  0)
    table
    stages mdop5 1e-7
    stages mdop853 1e-7
    ;;
  2) stages "$1" "$2" ;;
  *)
    echo "usage: bench/instructions.sh [CODE TOLERANCE]" >&2
    exit 2
    ;;
esac

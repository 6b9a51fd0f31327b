#!/usr/bin/env bash
# Counts the instructions of one step of 1 ms: exported C code against MuJoCo's mj_step.
#
#   bench/realtime_instructions.sh
#
# A step's instructions are those of 1,100 steps less those of 100, over 1,000; the bump lies in between. Then every one of the
# first 1,000 steps alone, for the largest over the smallest within a mode. At the end the race in time, which also measures the
# gaps of the loops. MuJoCo's rows are empty where it is not installed. LD_BIND_NOW keeps the loader's first look for sin out of the
# first step.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=build/profile
readonly ONCE=$BUILD/bench/bin/realtime_once
readonly STEP=0.001 FEW=100 MANY=1100 EACH=1000

readonly FIVELINK_MOST=40000 # instructions of a step
readonly RATIO_MOST=0.25     # quarter-car over mj_step

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LD_BIND_NOW=1

cmake -S . -B $BUILD -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O3 -g' \
  -DCAMBER_BENCH=ON -DCAMBER_TESTS=OFF -DCAMBER_CHECKS=OFF >/dev/null
cmake --build $BUILD --target bench_realtime_once bench_realtime_race camber-cli >/dev/null

collected() { # CODE STEPS
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ONCE" "$1" "$2" 2>&1 | awk '/Collected/ { print $4 }'
}

count() { # CODE
  "$ONCE" "$1" 1 >/dev/null || { echo -; return; }
  echo $((($(collected "$1" $MANY) - $(collected "$1" $FEW)) / (MANY - FEW)))
}

verdict() { # CONDITION of awk
  awk "BEGIN { print ($1) ? \"met\" : \"MISSED\" }"
}

rival() { # INTEGRATOR INSTRUCTIONS; of our own: $car
  printf '%-32s %8s' "quarter-car, mj_step, $1" "$2"
  [[ $2 == - ]] || awk "BEGIN { printf \"   exported over this: %.3f\", $car / $2 }"
}

table() {
  local fivelink car euler
  fivelink=$(count fivelink) car=$(count quarter-car) euler=$(count Euler)
  printf 'instructions of one step of 1 ms\n'
  printf '%-32s %8s   goal <= %s: %s\n' 'fivelink, exported' "$fivelink" $FIVELINK_MOST \
    "$(verdict "$fivelink <= $FIVELINK_MOST")"
  printf '%-32s %8s\n' 'quarter-car, exported' "$car"
  rival Euler "$euler"
  [[ $euler == - ]] || printf '; goal <= %s: %s' $RATIO_MOST "$(verdict "$car <= $RATIO_MOST * $euler")"
  printf '\n%s\n%s\n' "$(rival implicit "$(count implicit)")" "$(rival RK4 "$(count RK4)")"
}

each_step() { # MODEL
  local name=${1//-/_} folder=$scratch/$1
  mkdir "$folder"
  valgrind --tool=callgrind --toggle-collect="${name}_step" --dump-after="${name}_step" --compress-strings=no \
    --compress-pos=no --callgrind-out-file="$folder/step" "$ONCE" "$1" $EACH >/dev/null 2>&1
  $BUILD/camber run "models/$1.yaml" --method lie --step $STEP --t-end "$(awk "BEGIN { print $EACH * $STEP }")" --json \
    >"$folder/run.json"
  python3 bench/callgrind_steps.py "$folder" $EACH $STEP
}

table
printf '\neach of %s steps: smallest and largest within a mode\n' $EACH
each_step fivelink
each_step quarter-car
printf '\n'
$BUILD/bench/bin/realtime_race

#!/usr/bin/env bash
# Runs the tests with random cases on many more cases than `make test`, long fuzzing, and mutants of the code: `make campaign`.
#
#   scripts/campaign.sh [FACTOR [MINUTES]]
#
# Every test that gets its number of cases from cmbt_count (tests/support/random.h) runs FACTOR times as many (default 50), in the preset
# release. Then clang-tidy's analyzer follows more paths than in `make lint`, and each fuzzer of the preset asan runs for MINUTES (default 60);
# its corpus and the failing inputs stay in build/campaign. Finally scripts/mutants.py makes 60 mutants with the seed CAMBER_SEED (default: the
# day of the year), of which the tests have to detect 80 %. All parts run; the exit code is 1 if one of them failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

factor=${1:-50}
minutes=${2:-60}
SOURCE_DIR=$PWD
export SOURCE_DIR CAMBER_CAMPAIGN=$factor
export CAMBER=$SOURCE_DIR/build/release/camber
failed=()

run() { # NAME COMMAND...: runs the command in the folder build/campaign/NAME, and notes NAME if it fails
  local name=$1
  shift
  mkdir -p "$SOURCE_DIR/build/campaign/$name"
  cd "$SOURCE_DIR/build/campaign/$name"
  echo "campaign: $name"
  "$@" >log 2>&1 || failed+=("$name")
  tail -n 3 log
  cd "$SOURCE_DIR"
}

while read -r source; do
  name=${source#tests/}
  name=${name%.c}
  name=${name//\//.}
  name=${name/test_/}
  run "$name" "$SOURCE_DIR/build/release/tests/bin/$name"
done < <(grep -rl cmbt_count tests/unit tests/verify)

run tidy env CAMBER_TIDY_STATES=225000 python3 "$SOURCE_DIR/scripts/check.py" tidy

for fuzzer in build/asan/tests/fuzz_*; do
  [[ -x $fuzzer && -f $fuzzer ]] || continue
  stem=${fuzzer##*/fuzz_}
  mkdir -p "build/campaign/corpus.$stem"
  run "fuzz.$stem" "$SOURCE_DIR/$fuzzer" -max_total_time=$((60 * minutes)) -dict="$SOURCE_DIR/tests/fuzz/$stem.dict" \
    "$SOURCE_DIR/build/campaign/corpus.$stem" "$SOURCE_DIR/tests/fuzz/$stem"
done

run mutants "$SOURCE_DIR/scripts/mutants.py" --seed "${CAMBER_SEED:-$(date +%-j)}" --number 60 --least 80

if ((${#failed[@]})); then
  echo "campaign: failed: ${failed[*]}; each has a log in build/campaign"
  exit 1
fi
echo "campaign: all passed"

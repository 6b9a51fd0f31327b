#!/usr/bin/env bash
# Pages of all bundled models (camber view MODEL): computing time and size. tests/cli/test_view_model.sh checks their contents.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

printf 'viewer();\n' >viewer.js
export CAMBER_VIEWER=$PWD/viewer.js

count=0
for file in "$SOURCE_DIR"/models/*.yaml; do
  model=$(basename "$file" .yaml)
  began=$(date +%s)
  "$CAMBER" view "$model" -o all.html >stdout 2>stderr
  check "view $model: $(cat stderr)" [ $? -eq 0 ]
  check "$model takes $(($(date +%s) - began)) s" [ $(($(date +%s) - began)) -lt 30 ]
  check "$model.html has $(stat -c %s all.html) bytes" [ "$(stat -c %s all.html)" -lt 5200000 ]
  check "$model has no slider: $(cat stdout)" grep -qE ', [1-9][0-9]* sliders?, ' stdout
  count=$((count + 1))
done
for links in 60 150; do # with many bodies and outputs the page has fewer positions and only the slowest modes
  "$CAMBER" view chain --set N=$links -o all.html >stdout 2>stderr
  check "view chain of $links: $(cat stderr)" [ $? -eq 0 ]
  check "a chain of $links has $(stat -c %s all.html) bytes" [ "$(stat -c %s all.html)" -lt 5200000 ]
done
check "there are $count models" [ "$count" -gt 20 ]
finish

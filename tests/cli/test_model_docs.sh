#!/usr/bin/env bash
# The documents on model files, parts and vehicles: every example that is marked as complete, ```yaml complete, is a model that can be assembled.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

complete_examples "$SOURCE_DIR/docs/model-format.md" "$SOURCE_DIR/docs/parts.md" "$SOURCE_DIR/docs/vehicles.md"

for file in work/*.yaml; do
  check "check $file: $(head -n 1 "$file")" "$CAMBER" check "$file"
  check "run $file: $(head -n 1 "$file")" "$CAMBER" run "$file" --t-end 0.1
done
check "twelve models or more" [ "$checks" -ge 24 ]

finish

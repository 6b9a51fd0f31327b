#!/usr/bin/env bash
# The schema of model files for editors: the bundled models satisfy it, and it has every key of the reader (tests/support/check_schema.py).
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

check "docs/model.schema.json" python3 "$SOURCE_DIR/tests/support/check_schema.py" "$SOURCE_DIR"

finish

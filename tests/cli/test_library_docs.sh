#!/usr/bin/env bash
# Functions that docs/library.md prints whole are those of examples/mechanism.c, line by line.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# Each block that stands in by four blanks and begins with "static" or a comment before one.
awk '/^    (static |\/\* )/ { on = 1 } on && /^(    |$)/ { sub(/^    /, ""); print; if ($0 == "}") on = 0; next } { on = 0 }' \
  "$SOURCE_DIR/docs/library.md" | grep -v '^$' >printed
grep -v '^$' "$SOURCE_DIR/examples/mechanism.c" >example
checks=$((checks + 1))
[ "$(grep -c '^}$' printed)" -eq 2 ] || fail "docs/library.md does not print two functions: $(cat printed)"
while IFS= read -r line; do
  checks=$((checks + 1))
  grep -qxF -- "$line" example || fail "docs/library.md has a line that the example lacks: $line"
done <printed

finish

#!/usr/bin/env bash
# The complete functions in docs/library.md equal those of examples/mechanism.c, line by line.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# Each block that is indented by four blanks and begins with "static", or with a comment before it.
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

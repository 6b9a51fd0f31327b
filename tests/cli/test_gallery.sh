#!/usr/bin/env bash
# The gallery has every bundled model with its title and an existing picture, and nothing else; scripts/gallery.sh stops if a picture fails.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

page=$SOURCE_DIR/docs/gallery.md
for model in "$SOURCE_DIR"/models/*.yaml; do
  name=$(basename "$model" .yaml)
  check "$name has a heading" grep -qx "## $name" "$page"
  check "$name has a picture" [ -s "$SOURCE_DIR/docs/img/gallery/$name.png" ]
  check "$name is called by its title" grep -qF "![$(sed -n 's/^title: *//p' "$model" | head -n 1)](img/gallery/$name.png)" "$page"
done
check "no other headings" [ "$(grep -c '^## ' "$page")" -eq "$(find "$SOURCE_DIR/models" -maxdepth 1 -name '*.yaml' | wc -l)" ]
check "no other pictures" [ "$(find "$SOURCE_DIR/docs/img/gallery" -name '*.png' | wc -l)" -eq "$(grep -c '^## ' "$page")" ]

printf '#!/bin/sh\nexit 1\n' >broken
chmod +x broken
CAMBER=$PWD/broken "$SOURCE_DIR/scripts/gallery.sh" "$PWD/docs" 2>/dev/null
check "a picture that fails: exit code 1" [ $? -eq 1 ]
check "a picture that fails: no page" [ ! -e docs/gallery.md ]
finish

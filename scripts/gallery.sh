#!/usr/bin/env bash
# Makes the gallery: a picture of every bundled model, drawn by the viewer, and the page that shows them: `make gallery`.
#
#   scripts/gallery.sh [FOLDER]        (default: docs; writes FOLDER/gallery.md and FOLDER/img/gallery/NAME.png)
#
# Needs the viewer and Chromium (scripts/setup.sh viewer). Makes all pictures anew, and then writes the page.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
camber=${CAMBER:-$root/build/release/camber}
folder=${1:-$root/docs}
mkdir -p "$folder/img/gallery"
page=$(mktemp)
trap 'rm -f "$page"' EXIT

cat >"$page" <<'TEXT'
# Gallery

This page shows every bundled model at its start, as `camber view` draws it. `camber view NAME` makes a page in which you can turn and move the model.
`camber run NAME --html NAME.html` makes the [report](report.md) of its motion. The files are in [models/](../models). `make gallery` generates this
page.

TEXT

models=("$root"/models/*.yaml)
for i in "${!models[@]}"; do
  name=$(basename "${models[i]}" .yaml)
  title=$(sed -n 's/^title: *//p' "${models[i]}" | head -n 1)
  printf 'gallery: %d/%d %s\n' $((i + 1)) ${#models[@]} "$name" >&2
  "$camber" view "$name" -o "$folder/img/gallery/$name.png" --size 640x400 --quiet
  printf '## %s\n\n%s\n\n![%s](img/gallery/%s.png)\n\n    camber run %s --html %s.html\n\n' \
    "$name" "$title" "$title" "$name" "$name" "$name" >>"$page"
done
cp "$page" "$folder/gallery.md"

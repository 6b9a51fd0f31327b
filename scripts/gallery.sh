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

Every bundled model, as `camber view` shows it at its start. `camber view NAME` makes a page in which it can be turned and moved; `camber run NAME --html NAME.html` makes the
[report](report.md) of its motion. [models/](../models) has the files. `make gallery` draws this page anew.

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

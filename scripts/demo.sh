#!/usr/bin/env bash
# The main job in short: the car axis of the IVP Test Set with constraints that do not drift, its trajectory and
# a plot of it, and what projection is good for.
set -eu
camber=${CAMBER:-build/release/camber}
out=${1:-build/demo}
mkdir -p "$out"
"$camber" check caraxis
"$camber" run caraxis --method mdop853 --rtol 1e-10 --every 0.005 --out "$out/caraxis.csv" --plot "$out/caraxis.svg"
echo "  plot         $out/caraxis.svg"
echo
"$camber" bench simeon-table1 --repeat 5

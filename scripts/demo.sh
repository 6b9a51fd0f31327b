#!/usr/bin/env bash
# The main job in short: a five-link wheel suspension drives over a stair. Its trajectory, a plot of it, the times at which the
# wheel leaves and meets the road, and what projection is good for.
set -eu
camber=${CAMBER:-build/release/camber}
out=${1:-build/demo}
mkdir -p "$out"
"$camber" check fivelink
"$camber" run fivelink --set stair=1 --every 0.001 --out "$out/fivelink-stair.csv" --plot "$out/fivelink-stair.svg"
echo "  trajectory   $out/fivelink-stair.csv"
echo "  plot         $out/fivelink-stair.svg"
echo
"$camber" bench simeon-stair
echo
"$camber" bench simeon-table1 --repeat 5

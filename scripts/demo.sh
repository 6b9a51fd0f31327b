#!/usr/bin/env bash
# The main job in short: the car axis of the IVP Test Set with hard constraints, and where it arrives.
set -eu
camber=${CAMBER:-build/release/camber}
out=${1:-build/demo}
mkdir -p "$out"
"$camber" check caraxis
"$camber" run caraxis --method mdop853 --rtol 1e-10 --every 0.005 --out "$out/caraxis.csv"
"$camber" bench simeon-table1

#!/usr/bin/env bash
# Demonstrates the main uses of Camber. A five-link wheel suspension drives over a stair: its trajectory, a plot, the times at which
# the wheel leaves and meets the road, and the drift of the constraints with and without projection. Then a whole vehicle drives over
# a bump in real time.
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

# A vehicle drives over a bump for 3 s in real time, with steps of 1 ms: the times of its steps, and when its wheels are highest.
echo
"$camber" run hmmwv14 --realtime --method lie --step 0.001 --t-end 3 --every 0.005 --out "$out/hmmwv14.csv" --plot "$out/hmmwv14.svg" \
  --plot-outputs height,pitch,front_left.tyre_force,rear_left.tyre_force >"$out/hmmwv14.txt"
grep -E ' reached in |^  (steps|constraints|real time|step time|worst) ' "$out/hmmwv14.txt"
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  { see("front_left.wheel_z", "front wheels"); see("rear_left.wheel_z", "rear wheels"); see("height", "chassis") }
  function see(name, title, z) { z = $column[name]; if (z > most[title]) { most[title] = z; at[title] = $1 } }
  END { for (title in most) printf "  %-12s highest at t = %.2f s, %.3f m\n", title, at[title], most[title] }' "$out/hmmwv14.csv" | sort -k 6
echo "  trajectory   $out/hmmwv14.csv"
echo "  plot         $out/hmmwv14.svg"

# The same motions as animations in 3D.
echo
if [ -e "$(dirname "$camber")/viewer/viewer.js" ]; then
  "$camber" run fivelink --set stair=1 --quiet --html "$out/fivelink-stair.html" >/dev/null
  "$camber" run hmmwv14 --quiet --html "$out/hmmwv14.html" >/dev/null 2>&1
  echo "  report       $out/fivelink-stair.html, $out/hmmwv14.html: open them in a browser, 'xdg-open $out/hmmwv14.html'"
else
  echo "  report       After 'scripts/setup.sh report' and 'make', 'camber run --html' shows the motion in a browser."
fi

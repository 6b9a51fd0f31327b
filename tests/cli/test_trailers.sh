#!/usr/bin/env bash
# Vehicles with trailers: steady motions of vehicle parts on separate joints, the speed above which a trailer snakes, and the constraint errors of hitches.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# ---- A car and a trailer in the plane, each on a joint of its own. Numbers by numpy: eigenvalues of the equations for y and both yaw angles,
# bisected, and the equations of steady turning in the axes of both bodies, solved.
planar() { # MASS OF LOAD BEHIND THE HITCH, CORNERING STIFFNESS : planar.yaml
  cat >planar.yaml <<END
gravity: [0, 0, 0]
parameters: {e: $1, Ct: $2}
points: {G: [0,0,0], F: [1.2,0,0], R: [-1.624,0,0], H: [-2.854,0,0], T: [-2.854 - e,0,0], A: [-4.354,0,0]}
bodies:
  car: {mass: 1500, com: G, inertia: [432, 1922.7, 2066]}
  trailer: {mass: 350, com: T, inertia: [100, 400, 500]}
joints:
  road: {type: planar, child: car, at: G, axes: [x, y], coordinates: [x, y, yaw], rate: [12, 0, 0]}
  own: {type: planar, child: trailer, at: T, axes: [x, y], coordinates: [x2, y2, yaw2], rate: [12, 0, 0]}
loops: {hitch: {type: spherical, between: [car@H, trailer@H]}}
markers: {MA: {on: trailer, at: A}}
inputs: {steer: '0', drive: '0'}
measures:
  u: x'*cos(yaw) + y'*sin(yaw)
  w: y'*cos(yaw) - x'*sin(yaw)
  ua: MA.vx*MA.x_x + MA.vy*MA.x_y
  wa: MA.vx*MA.y_x + MA.vy*MA.y_y
  sf: 110000*(steer - (w + 1.2*yaw')/u)
  sr: 100000*(1.624*yaw' - w)/u
  sa: -Ct*wa/ua
forces:
  front: {type: load, on: car@F, force: [-sin(yaw)*sf, cos(yaw)*sf, 0]}
  rear: {type: load, on: car@R, force: [cos(yaw)*drive - sin(yaw)*sr, sin(yaw)*drive + cos(yaw)*sr, 0]}
  axle: {type: load, on: trailer@A, force: [sa*MA.y_x, sa*MA.y_y, 0]}
outputs: {r: yaw', speed: u, side: w, angle: yaw2 - yaw}
simulate: {trim: drive}
END
}
planar 2.6 90000
"$CAMBER" linearize planar.yaml --vary speed=5:40:8 >planar.txt
check 'a load behind the axle snakes in the plane' grep -q 'critical speed  12.7797191$' planar.txt
planar 1.2 60000
"$CAMBER" linearize planar.yaml --vary speed=5:80:6 >planar.txt
check 'a load ahead of the axle does not' [ "$(grep -c critical planar.txt)" -eq 0 ]
check 'its largest real part at 80 m/s' grep -qE '^  80 +-0.584' planar.txt
"$CAMBER" run planar.yaml --steady speed=12 --steady r=0.2 --trim drive,steer --t-end 1 --rtol 1e-9 >circle.txt
check 'the steering angle on a circle' grep -q 'drive -19.7632036; steer 0.047519949' circle.txt
"$CAMBER" run planar.yaml --steady speed=12 --steady r=0.2 --trim drive,steer --t-end 1 --rtol 1e-9 --json >circle.json
check 'the trailer stays at its angle' python3 - circle.json <<'END'
import json, sys
outputs = json.load(open(sys.argv[1]))["outputs"]
assert abs(outputs["angle"] + 0.05196115827) < 1e-7 and abs(outputs["side"] - 0.1123572835) < 1e-7
END

# ---- The car with its suspensions: eigenvalues predict the speed at which oscillations begin to grow in a run.
cat >growth.py <<'END'
"""growth.py FILE.csv: the rate at which swings of the hitch angle grow behind t = 3 s, by a straight line through the logarithms."""
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
name = next(key for key in rows[0] if key.startswith("hitch_angle"))
t, y = [float(r["t"]) for r in rows], [float(r[name]) for r in rows]
turns = [i for i in range(1, len(t) - 1) if t[i] > 3 and (y[i] - y[i - 1]) * (y[i + 1] - y[i]) <= 0]
swings = [((t[i] + t[j]) / 2, math.log(abs(y[i] - y[j]))) for i, j in zip(turns, turns[1:])]
assert len(swings) >= 5, swings
mean = [sum(s[k] for s in swings) / len(swings) for k in (0, 1)]
print(sum((a - mean[0]) * (b - mean[1]) for a, b in swings) / sum((a - mean[0]) ** 2 for a, b in swings))
END
swing() { # SPEED [OPTION...] : the rate of growth in a run
  "$CAMBER" run trailers/sedan-trailer-snaking --set speed="$1" "${@:2}" --t-end 9 --rtol 1e-5 --every 0.01 --out swing.csv >swing.txt
  python3 growth.py swing.csv
}
"$CAMBER" linearize trailers/sedan-trailer-snaking --set speed=9 --steady car_speed=9 --vary car_speed=8.2:9.6:2 >snaking.txt
critical=$(awk '/critical car_speed/ { print $3 }' snaking.txt)
check 'the run begins to snake where eigenvalues say, within 1 %' python3 - "$critical" "$(swing 8.4)" "$(swing 9.4)" <<'END'
import sys
critical, slow, fast = map(float, sys.argv[1:])
assert slow < 0 < fast
seen = 8.4 - slow / (fast - slow)
assert abs(seen / critical - 1) < 0.01, (seen, critical)
END
stable=(--set trailer_com_x=0.3 --set trailer_com_z=0.8)
"$CAMBER" linearize trailers/sedan-trailer-snaking "${stable[@]}" --set speed=20 --steady car_speed=20 --vary car_speed=15:60:4 >stable.txt
check 'the other load does not snake' [ "$(awk '$1 + 0 >= 15 && $2 < 0' stable.txt | wc -l) $(grep -c critical stable.txt)" = '4 0' ]
check 'nor in a run at 40 m/s' python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < -0.1)' "$(swing 40 "${stable[@]}")"

# ---- Hitches of a truck with lie and steps of 1 ms: constraints stay closed; a spring is deflected by force divided by stiffness.
for hitch in semitrailer trailers/semitrailer-spring; do
  "$CAMBER" run $hitch --method lie --step 0.001 --t-end 5 --option bound=none --every 0.01 --out "$(basename $hitch).csv" >/dev/null
done
check 'defects of hitches' python3 - <<'END'
import csv
def column(path, name):
    rows = list(csv.DictReader(open(path)))
    key = next(k for k in rows[0] if k.startswith(name))
    return [float(r["t"]) for r in rows], [float(r[key]) for r in rows]
t, closed = column("semitrailer.csv", "hitch_defect")
assert t[-1] == 5 and max(closed) <= 1e-5
t, apart = column("semitrailer-spring.csv", "hitch_defect")
assert t[-1] == 5 and 1e-2 < max(apart[100:]) < 1e-1
load = 27361 * 9.81 * 4.79 / 11.11   # static load of the fifth wheel
straight = [d for x, d in zip(t, apart) if 2 < x < 4]   # while the vertical oscillation decays
assert abs(sum(straight) / len(straight) * 2e6 / load - 1) < 0.01, straight[0]
t, angle = column("semitrailer.csv", "hitch_angle")
assert 0.5 < max(map(abs, angle)) < 4   # the slalom has begun
END

finish

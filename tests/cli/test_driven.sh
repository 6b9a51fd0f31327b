#!/usr/bin/env bash
# Mechanisms without degrees of freedom because of a prescribed motion: the driven slider-crank of docs/model-format.md over 16 turns, with all
# error-controlled methods. Position and drive torque agree with the closed form, at the ends of steps and between them. Methods with
# coordinate partitioning have no independent coordinate here whose error estimate could limit the step size.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

awk '/^title: Driven slider-crank$/ { inside = 1 }
     /^```/ { inside = 0 }
     inside' "$SOURCE_DIR/docs/model-format.md" >crank.yaml

# The same with a separate pendulum that swings slowly: its error estimate allows steps of more than one turn of the crank.
sed -e '/^joints:/a\  hinge: {type: revolute, child: bob, at: [0, 1, 0], axis: y, start: 0.001}' \
  -e '/^bodies:/a\  bob: {mass: 1, com: [0, 1, -400], inertia: [1, 1, 1]}' crank.yaml >beside.yaml

cat >driven.py <<'PYTHON'
import csv, math, os, subprocess, sys

R, L, SPEED, G, RADIUS = 0.05, 0.2, 20.0, 9.81, 0.01  # parameters of the model; masses: crank 0.5, rod 0.4, piston 0.6
RTOL, T_END, EVERY = 1e-6, 5, 0.02


def position(phi):
    return R * math.cos(phi) + math.sqrt(L * L - (R * math.sin(phi)) ** 2) - R - L


def energy(phi):
    """Kinetic and potential, at constant speed."""
    def inertia(mass, length):
        return mass * (3 * RADIUS**2 + length**2) / 12
    sine = R / L * math.sin(phi)  # sine of the rod's angle
    turning = R * math.cos(phi) * SPEED / (L * math.sqrt(1 - sine * sine))
    x_A, z_A = -R * math.sin(phi) * SPEED, -R * math.cos(phi) * SPEED
    x_B = x_A - L * sine * turning
    kinetic = (inertia(0.5, R) + 0.5 * R * R / 4) * SPEED**2 + 0.6 * x_B**2
    kinetic += 0.4 * (((x_A + x_B) / 2) ** 2 + (z_A / 2) ** 2) + inertia(0.4, L) * turning**2
    return kinetic / 2 - (0.5 + 0.4) / 2 * G * R * math.sin(phi)


def torque(phi, d=1e-4):
    """The drive does all the work: dE/dphi, by differences of order 4."""
    near, far = energy(phi + d) - energy(phi - d), energy(phi + 2 * d) - energy(phi - 2 * d)
    return (8 * near - far) / (12 * d)


def judge(model, method, *options):
    """The largest errors in tolerances, of the largest value; or None and words."""
    command = [os.environ["CAMBER"], "run", model, "--method", method, "--rtol", str(RTOL), "--t-end", str(T_END),
               "--every", str(EVERY), "--out", "run.csv", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    with open("run.csv", newline="") as file:
        rows = [(float(r["t"]), float(r["x"]), float(r["torque"])) for r in csv.DictReader(file)]
    exact = [(position(SPEED * t), torque(SPEED * t)) for t, _, _ in rows]
    if len(rows) != round(T_END / EVERY) + 1:
        return None, f"{len(rows)} rows"
    errors = [max(abs(row[k + 1] - e[k]) for row, e in zip(rows, exact)) / max(abs(e[k]) for e in exact) / RTOL for k in (0, 1)]
    return max(errors), f"{errors[0]:.3g} and {errors[1]:.3g} tolerances"


worst, words = judge(*sys.argv[1:])
print(*sys.argv[1:], words)
sys.exit(not (worst is not None and worst <= 100))
PYTHON

# All methods except those for real time, which have no tolerance.
methods=$("$CAMBER" list methods | sed -n 's/^\([a-z][a-z0-9]*\) .*/\1/p' | grep -v -x -e lie -e rosw2)
for method in $methods; do
  check "the driven slider-crank with $method" python3 driven.py crank.yaml "$method"
  check "beside a slow pendulum with $method" python3 driven.py beside.yaml "$method"
done
check "in Cartesian coordinates with sdirk4" python3 driven.py crank.yaml sdirk4 --formulation cartesian
check "eleven methods or more" [ "$checks" -ge 23 ]

# Fixed steps of 4 rad are too long and cannot be shortened; the message names the step.
"$CAMBER" run crank.yaml --method sdirk4 --option steps=fixed --step 0.2 >out.txt 2>err.txt
check "fixed steps that are too long: exit code 1" test $? -eq 1
check "fixed steps that are too long: message" grep -q "inside the step from t = 0 to 0.2, at t = 0.[0-9]*: an iteration did not converge" err.txt

finish

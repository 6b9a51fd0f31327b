#!/usr/bin/env bash
# A row of N parallelograms swings through its flat position, where each loop loses one rank. Every run agrees with the equation of the single
# degree of freedom within 100 tolerances and reports every passage of this position, whether its method takes the steps near this position itself
# or an explicit method does.
#
# CAMBER_ROWS=all runs all sizes, formulations, methods and tolerances, and prints a table; CAMBER_ROWS="40 cartesian bdf 1e-10" runs
# the cases with all of these words.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# Every second body is a coupler that only translates; gravity acts along the ground line, so that the row swings about the flat position.
cat >row.yaml <<'YAML'
title: Row of N parallelograms
parameters: {N: 2, crank_length: 0.2, ground_length: 0.5, angle: 0.6, speed: 0}
gravity: [9.81, 0, 0]
points:
  O: [0, 0, 0]
  A: [crank_length, 0, 0]
bodies:
  first: {mass: 1, rod: [O, A], radius: 0.01}
joints:
  main: {type: revolute, child: first, at: O, axis: -y, coordinates: [theta], start: angle, rate: speed}
templates:
  cell:
    points:
      A: [crank_length, 0, 0]
      C: [ground_length, 0, 0]
      B: [ground_length + crank_length, 0, 0]
    bodies:
      coupler: {mass: 2, rod: [A, B], radius: 0.01}
      rocker: {mass: 1, rod: [C, B], radius: 0.01}
    joints:
      pin: {type: revolute, parent: previous.rocker, child: coupler, at: A, axis: -y, coordinates: [beta], start: -angle, rate: -speed}
      rock: {type: revolute, child: rocker, at: C, axis: -y, coordinates: [psi], start: angle, rate: speed}
    loops:
      close: {type: point-line, point: coupler@B, on: rocker@B, axis: y}
instances:
  cell: {template: cell, repeat: N, step: [ground_length, 0, 0], before: first}
outputs: {crank: theta, energy: energy}
simulate: {t-end: 10, rtol: 1e-8}
YAML

cat >row.py <<'PYTHON'
import json, math, os, subprocess, sys

T_END, ANGLE = 1.0, 0.6
MOST_SECONDS = 300  # a few seconds are enough, except under sanitizers or on a busy machine


def exact(N, steps=20000):
    """Angle at T_END and passages through 0: all cranks turn alike. Runge and Kutta's method of order 4 for J phi'' = -S g sin phi."""
    a, crank, coupler, g, radius = 0.2, 1.0, 2.0, 9.81, 0.01
    J = (N + 1) * crank * ((3 * radius**2 + a * a) / 12 + a * a / 4) + N * coupler * a * a
    w = ((N + 1) * crank * a / 2 + N * coupler * a) * g / J
    h, p, v, passages = T_END / steps, ANGLE, 0.0, 0
    for _ in range(steps):
        before = p
        k1 = -w * math.sin(p)
        k2 = -w * math.sin(p + h / 2 * v)
        k3 = -w * math.sin(p + h / 2 * v + h * h / 4 * k1)
        k4 = -w * math.sin(p + h * v + h * h / 2 * k2)
        p, v = p + h * v + h * h / 6 * (k1 + k2 + k3), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        passages += before * p <= 0
    return p, passages


def judge(N, formulation, method, tolerance):
    """Whether the run is right, and what it did."""
    command = [os.environ["CAMBER"], "run", "row.yaml", "--set", f"N={N}", "--formulation", formulation, "--method", method,
               "--rtol", str(tolerance), "--t-end", str(T_END), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return False, f"no end within {MOST_SECONDS} s"
    if done.returncode != 0:
        return False, done.stderr.strip()
    run, (angle, passages) = json.loads(done.stdout), exact(N)
    error = abs(run["outputs"]["crank"] - angle) / tolerance
    seen = len(run["singularities"])
    return error <= 100 and seen == passages, f"{error:.2g} tolerances, {seen} of {passages} passages"


chosen = os.environ.get("CAMBER_ROWS", "").split()
if chosen:
    methods = "mdop5 mdop853 hem5 phem56 abm bdf radau5 sdirk4 auto".split()
    cases = [(N, f, m, t) for N in (1, 2, 10, 40) for f in ("explicit", "residual", "cartesian") for m in methods
             for t in ("1e-4", "1e-6", "1e-8", "1e-10")]
    cases = [(N, f, m, float(t)) for N, f, m, t in cases if chosen == ["all"] or {str(N), f, m, t} >= set(chosen)]
else:
    cases = [(40, "explicit", "mdop853", 1e-8), (40, "explicit", "auto", 1e-10), (40, "residual", "mdop5", 1e-6),
             (10, "residual", "mdop853", 1e-8), (10, "explicit", "auto", 1e-10), (10, "cartesian", "mdop853", 1e-6),
             (40, "explicit", "phem56", 1e-6), (40, "explicit", "abm", 1e-6), (40, "explicit", "abm", 1e-7), (40, "residual", "sdirk4", 1e-4),
             (2, "cartesian", "hem5", 1e-6), (2, "cartesian", "auto", 1e-6), (40, "explicit", "radau5", 1e-7),
             *((N, f, m, t) for m in ("radau5", "sdirk4", "bdf", "abm") for N, f, t in
               ((1, "explicit", 1e-6), (1, "residual", 1e-10), (2, "cartesian", 1e-4), (10, "explicit", 1e-8), (10, "residual", 1e-4))),
             (1, "cartesian", "radau5", 1e-4), (2, "explicit", "radau", 1e-6), (2, "residual", "forsdirk", 1e-6),
             (40, "cartesian", "mdop853", 1e-10), (10, "cartesian", "bdf", 1e-10), (10, "cartesian", "radau5", 1e-10),
             (25, "explicit", "sdirk4", 1e-6)]
wrong = 0
if "CAMBER_SANITIZED" in os.environ and not chosen:
    cases = [case for case in cases if case[:2] != (40, "cartesian")]  # a minute each there

for case in cases:
    good, words = judge(*case)
    print(*case, "" if good else "WRONG:", words, flush=True)
    wrong += not good
sys.exit(wrong > 0)
PYTHON

check "a row of parallelograms through its flat position" python3 row.py
finish

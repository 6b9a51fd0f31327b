#!/usr/bin/env bash
# Andrews' squeezing mechanism (IVP Test Set for Initial Value Problem Solvers, release 2.4): seven bodies, a crank of 1,500 rad/s and links
# whose velocities become 0 at times. In joint coordinates each method agrees with the reference solution published there. With the classic
# control of radau5, whose error test does not include velocities, there is a warning.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >squeezer.yaml <<'YAML'
title: Andrews' squeezing mechanism (IVP Test Set)
parameters: {rr: 7e-3, ra: 92e-5, d: 28e-3, da: 115e-4, e: 2e-2, ea: 1421e-5, ss: 35e-3, sa: 1874e-5, sb: 1043e-5, sc: 18e-3, sd: 2e-2,
  ta: 2308e-5, tb: 916e-5, u: 4e-2, ua: 1228e-5, ub: 449e-5, zf: 2e-2, zt: 4e-2, fa: 1421e-5, xa: -0.06934, ya: -0.00227,
  xb: -0.03635, yb: 0.03273, xc: 0.014, yc: 0.072}
gravity: [0, 0, 0]
points:
  O: [0, 0, 0]
  F: [rr, 0, 0]
  E2: [rr - d, 0, 0]
  A: [xa, 0, ya]
  B: [xb, 0, yb]
  C: [xc, 0, yc]
  D: [xb + sd, 0, yb - sc]
  E3: [xb, 0, yb - ss]
  G: [xa + zt, 0, ya]
  E4: [xa + zt, 0, ya - e]
  H: [xa, 0, ya - u]
  E6: [xa + zf, 0, ya - u]
bodies:
  k1: {mass: 0.04325, com: [ra, 0, 0], inertia: [2.194e-6, 2.194e-6, 2.194e-6]}
  k2: {mass: 0.00365, com: [rr - da, 0, 0], inertia: [4.410e-7, 4.410e-7, 4.410e-7]}
  k3: {mass: 0.02373, com: [xb + sa, 0, yb + sb], inertia: [5.255e-6, 5.255e-6, 5.255e-6]}
  k5: {mass: 0.07050, com: [xa + ta, 0, ya + tb], inertia: [1.169e-5, 1.169e-5, 1.169e-5]}
  k4: {mass: 0.00706, com: [xa + zt, 0, ya - (e - ea)], inertia: [5.667e-7, 5.667e-7, 5.667e-7]}
  k7: {mass: 0.05498, com: [xa + ua, 0, ya + ub], inertia: [1.912e-5, 1.912e-5, 1.912e-5]}
  k6: {mass: 0.00706, com: [xa + zf - fa, 0, ya - u], inertia: [5.667e-7, 5.667e-7, 5.667e-7]}
joints:
  j1: {type: revolute, child: k1, at: O, axis: -y, coordinates: [beta], start: -0.0617138900142764496}
  j2: {type: revolute, parent: k1, child: k2, at: F, axis: -y, coordinates: [theta], start: 0}
  j3: {type: revolute, child: k3, at: B, axis: -y, coordinates: [gamma], start: 0.455279819163070380}
  j5: {type: revolute, child: k5, at: A, axis: -y, coordinates: [delta], start: 0.487364979543842550}
  j4: {type: revolute, parent: k5, child: k4, at: G, axis: -y, coordinates: [phi], start: 0.222668390165885885}
  j7: {type: revolute, child: k7, at: A, axis: -y, coordinates: [epsilon], start: 1.23054744454982119}
  j6: {type: revolute, parent: k7, child: k6, at: H, axis: -y, coordinates: [omega], start: -0.222668390165885885}
loops:
  e3: {type: point-line, point: k2@E2, on: k3@E3, axis: y}
  e4: {type: point-line, point: k2@E2, on: k4@E4, axis: y}
  e6: {type: point-line, point: k2@E2, on: k6@E6, axis: y}
forces:
  spring: {type: spring, between: [ground@C, k3@D], stiffness: 4530, length: 0.07785}
  motor: {type: load, on: k1@O, torque: [0, -0.033, 0]}
outputs: {out_beta: beta, out_theta: theta, out_gamma: gamma, out_phi: phi, out_delta: delta, out_omega: omega, out_epsilon: epsilon}
simulate: {t-end: 0.03, rtol: 1e-8}
YAML

cat >squeezer.py <<'PYTHON'
import json, os, subprocess, sys

REFERENCE = {"beta": 0.1581077119629904e2, "theta": -0.1575637105984298e2, "gamma": 0.4082224013073101e-1, "phi": -0.5347301163226948,
             "delta": 0.5244099658805304, "omega": 0.5347301163226948, "epsilon": 0.1048080741042263e1}


def worst(method, tolerance, *options):
    """The largest error of an angle, in tolerances; None: no result."""
    command = [os.environ["CAMBER"], "run", "squeezer.yaml", "--method", method, "--rtol", tolerance, "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr.strip())
        return None
    result = json.loads(done.stdout)
    outputs, warned = result["outputs"], any("multiplies errors of velocities by the step size" in w for w in result["warnings"])
    if warned != ("control=classic" in options):
        print("warned of errors of velocities:", warned)
        return None
    return max(abs(outputs["out_" + name] - value) for name, value in REFERENCE.items()) / float(tolerance)


wrong = 0
for case in [("mdop5", "1e-8"), ("mdop853", "1e-8"), ("radau5", "1e-8")] + [("bdf", t) for t in ("1e-7", "1e-8", "1e-9", "1e-10")] + [
        ("bdf", "1e-10", "--option", f"form={form}") for form in ("index1", "index2")] + [
        (method, t, "--option", "form=index3") for method in ("bdf", "radau5") for t in ("1e-4", "1e-6", "1e-7", "1e-8", "1e-9")] + [
        ("bdf", "1e-8", "--option", "form=index3", "--option", f"projection={p}") for p in ("none", "every")] + [
        ("radau5", t, "--option", "control=classic") for t in ("1e-4", "1e-5", "1e-6", "1e-7")] + [
        ("auto", "1e-4"), ("auto", "1e-8"), ("auto", "1e-6", "--option", "control=classic")]:
    error = worst(*case)
    good = error is not None and error <= 100
    print(*case, "" if good else "WRONG:", "no result" if error is None else f"{error:.2g} tolerances")
    wrong += not good
sys.exit(wrong > 0)
PYTHON

check "Andrews' squeezing mechanism" python3 squeezer.py
finish

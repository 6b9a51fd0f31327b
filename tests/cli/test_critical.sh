#!/usr/bin/env bash
# Critical parameter values of camber linearize --vary, for which each eigenvalue is followed separately: in the presence of undamped oscillations, whose real parts
# are rounding errors; in models with two equal halves; several critical values between the same two rows.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"
has() { check "$1 in $2" grep -qF -- "$1" "$2"; }

# ---- a wheelset with a box on an undamped spring: hunting begins at Klingel's speed sqrt(k/m) sqrt(r l/gamma) if the radius of gyration is l and the
# yaw stiffness k l², since the characteristic equation is then s² + 2 f s/(m V) + k/m ± i 2 f/m sqrt(gamma/(r l)) = 0
cat >wheelset.yaml <<'END'
parameters: {m: 1200, l: 0.9, f: 8e6, gamma: 0.05, r: 0.45, k: 4e5}
gravity: [0, 0, 0]
points: {G: [0, 0, 0]}
bodies:
  set: {mass: m - 500, com: G, inertia: [500, 500, m*l^2 - 300]}
  box: {mass: 500, com: G, inertia: [300, 300, 300]}
joints:
  track: {type: planar, child: set, at: G, axes: [x, y], coordinates: [x, y, yaw], rate: [20, 0, 0]}
  z: {type: prismatic, parent: set, child: box, at: G, axis: z, stiffness: 3e5}
forces:
  creep: {type: load, on: set@G, force: [0, "-2*f/x'*y' + 2*f*yaw - k*y", 0], torque: [0, 0, "-2*f*l^2/x'*yaw' - 2*f*l*gamma/r*y - k*l^2*yaw"]}
outputs: {speed: {value: "x'", unit: m/s}}
simulate: {steady: {speed: 20}}
END
for range in 20:80:13 80:20:13 21:81:7 50:53:2; do
  check "a wheelset, $range" "$CAMBER" linearize wheelset.yaml --vary "speed=$range" --json >wheelset.json 2>stderr
  check "hunting at Klingel's speed, $range" python3 -c 'import json, math
critical = json.load(open("wheelset.json"))["critical"]
assert len(critical) == 1 and abs(critical[0] - math.sqrt(4e5 / 1200 * 0.45 * 0.9 / 0.05)) < 1e-6, critical'
  check "nothing to warn of, $range" test ! -s stderr
done

# ---- states y' = S A S⁻¹ y with a random S and blocks in A with the eigenvalues g (speed − z) ± i w, one or two of them undamped: the stable range lies between
# the last mode that becomes stable and the first one that becomes unstable
check 'random modes' python3 - "$CAMBER" <<'END'
import json, math, random, subprocess, sys

def inverse(S):
    n = len(S)
    M = [row[:] + [float(i == j) for j in range(n)] for i, row in enumerate(S)]
    for c in range(n):
        p = max(range(c, n), key=lambda i: abs(M[i][c]))
        M[c], M[p] = M[p], M[c]
        M[c] = [x / M[c][c] for x in M[c]]
        for i in range(n):
            if i != c:
                M[i] = [x - M[i][c] * y for x, y in zip(M[i], M[c])]
    return [row[n:] for row in M]

def write(r, modes):
    n = 2 * len(modes)
    S = [[(i == j) + r.uniform(-0.4, 0.4) for j in range(n)] for i in range(n)]
    T = inverse(S)
    rates = []
    for i in range(n):
        terms = []
        for j in range(n):
            by_speed = constant = 0.0
            for k, (g, z, w) in enumerate(modes):
                part = S[i][2 * k] * T[2 * k][j] + S[i][2 * k + 1] * T[2 * k + 1][j]
                by_speed += g * part
                constant += w * (S[i][2 * k + 1] * T[2 * k][j] - S[i][2 * k] * T[2 * k + 1][j]) - g * z * part
            terms.append(f"({constant!r} + {by_speed!r}*x')*s{j}")
        joined = " + ".join(terms)
        rates.append(f'  s{i}: {{rate: "{joined}"}}\n')
    with open("modes.yaml", "w") as f:
        f.write("bodies: {car: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                "joints: {x: {type: prismatic, child: car, axis: x, rate: 3}}\n"
                "states:\n" + "".join(rates) + "outputs: {speed: x.rate}\nsimulate: {steady: {speed: 3}}\n")

found = 0
for seed in range(12):
    r = random.Random(seed)
    modes = [(r.choice([-1, 1]) * r.uniform(0.05, 0.5), r.uniform(3.3, 8.7), r.uniform(2, 12)) for _ in range(r.randint(1, 3))]
    modes += modes[:seed % 2]  # equal halves
    modes += [(0, 0, r.uniform(2, 12)) for _ in range(r.randint(1, 2))]
    write(r, modes)
    first = min((z for g, z, w in modes if g > 0), default=math.inf)
    last = max((z for g, z, w in modes if g < 0), default=-math.inf)
    wanted = [x for x in (last, first) if math.isfinite(x)] if last < first else []
    found += len(wanted)
    for rows in (2, 4, 13):
        run = subprocess.run([sys.argv[1], "linearize", "modes.yaml", "--vary", f"speed=3:9:{rows}", "--json"], capture_output=True, text=True)
        critical = json.loads(run.stdout)["critical"]
        assert len(critical) == len(wanted), (seed, rows, critical, wanted)
        assert all(abs(a - b) < 2e-6 for a, b in zip(critical, wanted)), (seed, rows, critical, wanted)
assert found > 8, found
END

# ---- an oscillation with a row of the table exactly at the crossing, inside and at an end; one that is undamped first and grows later has no crossing
cat >flutter.yaml <<'END'
bodies: {car: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: car, axis: x, rate: 3}}
states:
  p: {rate: 7*r}
  r: {rate: -7*p}
  a: {rate: "(x' - 6)*a - 3*b"}
  b: {rate: "(x' - 6)*b + 3*a"}
outputs: {speed: x.rate}
simulate: {steady: {speed: 3}}
END
sed "s/(x' - 6)/max(x' - 6.3, 0)/" flutter.yaml >later.yaml
for range in 3:9:3 9:3:3 3:9:7 6:9:4 9:6:2 3:6.0001:2; do
  check "flutter, $range" "$CAMBER" linearize flutter.yaml --vary "speed=$range" --json >flutter.json 2>stderr
  check "flutter at 6, $range" python3 -c 'import json
critical = json.load(open("flutter.json"))["critical"]
assert len(critical) == 1 and abs(critical[0] - 6) < 1e-6, critical'
done
# a real eigenvalue that passes 0 at 6, with a row there: where the table begins or ends in it the motion that grows beside it tells, and one that decays does not
sed "/^  b:/d; s/ - 3\*b//" flutter.yaml >divergence.yaml
for range in 3:9:7 9:3:3 6:9:2 9:6:2 6:9:4 9:6:4 3:6:4 6:3:4; do
  check "divergence, $range" "$CAMBER" linearize divergence.yaml --vary "speed=$range" --json >divergence.json 2>stderr
  check "divergence at 6, $range" python3 -c 'import json, sys
found, one_side = json.load(open("divergence.json")), "9" not in sys.argv[1]
assert len(found["warnings"]) == one_side and all("too small to be distinguished from 0" in w for w in found["warnings"]), found["warnings"]
assert len(found["critical"]) == 1 - one_side and all(abs(x - 6) < 1e-6 for x in found["critical"]), found["critical"]' "$range"
done
for range in 3:9:7 9:3:7; do
  check "grows later, $range" "$CAMBER" linearize later.yaml --vary speed=$range >later.txt 2>stderr
  check "no place where it passes 0, $range" test "$(grep -c '^  critical' later.txt)" -eq 0
  has 'the motion changes between stable and unstable, but no eigenvalue was found to pass 0' stderr
done

# ---- a free motion has the double eigenvalue 0, also in a model with further states
cat >free.yaml <<'END'
bodies: {car: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}
joints: {x: {type: prismatic, child: car, axis: x, rate: 3}}
states: {s: {rate: -s}}
outputs: {speed: x.rate}
simulate: {steady: {speed: 3}}
END
check 'a free motion' "$CAMBER" linearize free.yaml --vary speed=3:9:25 --json >free.json 2>stderr
check 'two neutral eigenvalues at any speed' python3 -c 'import json
rows = json.load(open("free.json"))["table"]
assert len(rows) == 25 and all(row["neutral"] == 2 for row in rows), rows'
check 'nothing to warn of in a free motion' test ! -s stderr

finish

"""Checks the tables that test_kinematics_geometry.sh has made against geometry in closed form. Derivatives are differences of this geometry."""
import csv
from math import acos, asin, atan2, cos, hypot, pi, sin, sqrt

R = 0.32
worst = {}


def rows(name):
    return [{k.split(" ")[0]: float(v) for k, v in r.items() if v} for r in csv.DictReader(open(name))]


def near(what, got, known, tolerance):
    assert abs(got - known) <= tolerance, f"{what}: {got} is not {known}"
    worst[what] = max(worst.get(what, 0), abs(got - known))


def add(a, b, s=1.0): return [x + s * y for x, y in zip(a, b)]
def sub(a, b): return add(a, b, -1)
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def unit(a): return [x / sqrt(dot(a, a)) for x in a]
def distance(a, b): return sqrt(dot(sub(a, b), sub(a, b)))


def turned(p, at, axis, angle):
    """Returns p rotated about the unit axis through `at` (Rodrigues)."""
    r = sub(p, at)
    along = [dot(r, axis) * x for x in axis]
    across = sub(r, along)
    return add(at, add(along, add([cos(angle) * x for x in across], cross(axis, across), sin(angle))))


def frame(a, b, c):
    x = unit(sub(b, a))
    z = unit(cross(x, sub(c, a)))
    return x, cross(z, x), z


def wheel_of(C, n):
    """Returns camber, toe and contact point of a left wheel with the outward axis n."""
    level = hypot(n[0], n[1])
    d = [-n[2] * n[0] / level, -n[2] * n[1] / level, level]
    return -asin(n[2]), atan2(n[0], n[1]), add(C, d, -R)


# A double wishbone with rack: the lower arm turned, the upper one by the length of the upright, the tie rod's end by three lengths.
LF, LR, L0 = [0.16, 0.36, 0.19], [-0.20, 0.37, 0.20], [0.015, 0.70, 0.18]
UF, UR, U0 = [0.13, 0.42, 0.47], [-0.14, 0.43, 0.455], [-0.025, 0.66, 0.49]
I0, T0, C0 = [-0.13, 0.37, 0.265], [-0.14, 0.69, 0.26], [0, 0.76, 0.30]


def spatial(alpha, steer):
    L = turned(L0, LF, unit(sub(LF, LR)), alpha)
    axis = unit(sub(UF, UR))
    r = sub(U0, UF)
    middle = add(UF, [dot(r, axis) * x for x in axis])
    a, b = sub(U0, middle), cross(axis, sub(U0, middle))
    m = sub(middle, L)  # |m + a cos + b sin|² = |U0 - L0|²
    known = (distance(U0, L0) ** 2 - dot(m, m) - dot(a, a)) / 2
    p, q = dot(m, a), dot(m, b)
    turns = [atan2(q, p) + s * acos(known / hypot(p, q)) for s in (-1, 1)]
    beta = min(turns, key=lambda x: abs((x + pi) % (2 * pi) - pi))
    U = turned(U0, UF, axis, beta)
    inner = add(I0, [0, 1, 0], steer)
    x, y, z = frame(L, U, inner)  # trilateration
    d, u = distance(L, U), sub(inner, L)
    i, j = dot(x, u), dot(y, u)
    r1, r2, r3 = distance(L0, T0), distance(U0, T0), distance(I0, T0)
    tx = (r1 * r1 - r2 * r2 + d * d) / (2 * d)
    ty = (r1 * r1 - r3 * r3 + i * i + j * j - 2 * i * tx) / (2 * j)
    tz = sqrt(r1 * r1 - tx * tx - ty * ty)
    ends = [add(add(add(L, x, tx), y, ty), z, s * tz) for s in (-1, 1)]
    T = min(ends, key=lambda e: distance(e, T0))
    old, new = frame(L0, U0, T0), frame(L, U, T)

    def carry(v):
        parts = [dot(v, e) for e in old]
        return [sum(parts[k] * new[k][c] for k in range(3)) for c in range(3)]
    return L, U, add(L, carry(sub(C0, L0))), carry([0, 1, 0]), carry


for r in rows("spatial.csv"):
    alpha, steer = r["alpha"], r["steer"]
    L, U, C, n, carry = spatial(alpha, steer)
    camber, toe, P = wheel_of(C, n)
    near("camber", r["hub.camber"], camber, 1e-12)
    near("toe", r["hub.toe"], toe, 1e-12)
    near("half track", r["hub.track"], P[1] - C0[1], 1e-12)
    near("wheelbase", r["hub.wheelbase"], P[0] - C0[0], 1e-12)
    k = unit(sub(U, L))
    near("caster", r["hub.caster"], atan2(-k[0], k[2]), 1e-12)
    near("kingpin inclination", r["hub.kingpin"], atan2(-k[1], k[2]), 1e-12)
    ground = add(L, k, (P[2] - L[2]) / k[2])
    out = unit([n[0], n[1], 0])
    near("scrub radius", r["hub.scrub"], dot(sub(P, ground), out), 1e-12)
    near("trail", r["hub.trail"], dot(sub(ground, P), [out[1], -out[0], 0]), 1e-12)
    h, there = 1e-4, {}
    for s in (-2, -1, 1, 2):
        moved = spatial(alpha + s * h, steer)
        there[s] = moved[2], moved[3], carry
        local = sub(P, C)  # the material point of the carrier that is now at P
        back = [dot(local, e) for e in (carry([1, 0, 0]), carry([0, 1, 0]), carry([0, 0, 1]))]
        there[s] = add(moved[2], moved[4](back))
    V = [(8 * (there[1][c] - there[-1][c]) - there[2][c] + there[-2][c]) / (12 * h) for c in range(3)]
    near("roll centre", r["hub.roll_centre"], P[1] * V[1] / V[2], 1e-10)
    near("brake slope", r["hub.brake_slope"], V[0] / V[2], 1e-10)

# A planar double wishbone: the roll centre lies on the line from the contact point to where the arms' lines meet.
A, l0, B, u0, S, Q0, c0 = (0.35, 0.20), (0.70, 0.17), (0.42, 0.44), (0.66, 0.48), (0.46, 0.60), (0.58, 0.18), (0.76, 0.30)


def flat(p, at, angle):
    y, z = p[0] - at[0], p[1] - at[1]
    return at[0] + y * cos(angle) - z * sin(angle), at[1] + y * sin(angle) + z * cos(angle)


def planar(alpha):
    l = flat(l0, A, alpha)
    rods, d = (hypot(u0[0] - B[0], u0[1] - B[1]), hypot(u0[0] - l0[0], u0[1] - l0[1])), hypot(l[0] - B[0], l[1] - B[1])
    along = (rods[0] ** 2 - rods[1] ** 2 + d * d) / (2 * d)
    e = ((l[0] - B[0]) / d, (l[1] - B[1]) / d)
    across = sqrt(rods[0] ** 2 - along ** 2)
    u = B[0] + along * e[0] - across * e[1], B[1] + along * e[1] + across * e[0]
    tilt = atan2(u[1] - l[1], u[0] - l[0]) - atan2(u0[1] - l0[1], u0[0] - l0[0])
    c = flat(c0, l0, tilt)
    q = flat(Q0, A, alpha)
    length, start = hypot(q[0] - S[0], q[1] - S[1]), hypot(Q0[0] - S[0], Q0[1] - S[1])
    return l, u, (c[0] + l[0] - l0[0], c[1] + l[1] - l0[1]), tilt, 24000 * (length - start) ** 2 - 900 * (length - start)


def at_height(z):
    low, high = -0.6, 0.6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if planar(middle)[2][1] < z else (low, middle)
    return planar(low)


table = rows("planar.csv")
for r in table:
    l, u, c, tilt, _ = at_height(r["hub.z"])
    P = c[0] + R * sin(tilt) * 1.0, c[1] - R * cos(tilt)
    near("planar camber", r["hub.camber"], -tilt, 1e-12)
    near("planar half track", r["hub.track"], P[0] - c0[0], 1e-12)
    m1, m2 = (l[1] - A[1]) / (l[0] - A[0]), (u[1] - B[1]) / (u[0] - B[0])
    y = (B[1] - A[1] + m1 * A[0] - m2 * B[0]) / (m1 - m2)
    z = A[1] + m1 * (y - A[0])
    near("roll centre by lines", r["hub.roll_centre"], (z - P[1]) / (y - P[0]) * -P[0], 1e-12)
    h = 1e-3
    e = {s: at_height(r["hub.z"] + s * h)[4] for s in (-2, -1, 0, 1, 2)}
    near("holding force", r["hub.z.hold_force"], (8 * (e[1] - e[-1]) - e[2] + e[-2]) / (12 * h), 1e-6)
    near("wheel rate by energy", r["hub.rate"], (16 * (e[1] + e[-1]) - e[2] - e[-2] - 30 * e[0]) / (12 * h * h), 1e-4)

# A steering trapezoid: kingpins at y = ±0.6, arms that end at (-0.15, ±0.54), the rod between these of length 1.08.
for r in rows("trapezoid.csv"):
    left = flat((-0.15, 0.54), (0, 0.6), r["turn"])
    m = (0 - left[0], -0.6 - left[1])  # |m + Rot(t) (-0.15, 0.06)| = 1.08
    a, b = (-0.15, 0.06), (-0.06, -0.15)
    p, q = m[0] * a[0] + m[1] * a[1], m[0] * b[0] + m[1] * b[1]
    known = (1.08 ** 2 - m[0] ** 2 - m[1] ** 2 - a[0] ** 2 - a[1] ** 2) / 2
    right = min((atan2(q, p) + s * acos(known / hypot(p, q)) for s in (-1, 1)), key=lambda t: abs((t - r["turn"] + pi) % (2 * pi) - pi))
    right = (right + pi) % (2 * pi) - pi
    near("inner and outer angle", r["left_hub.toe"], -r["turn"], 1e-12)
    near("inner and outer angle", r["right_hub.toe"], right, 1e-12)
    near("upright kingpin", r["right_hub.scrub"], 0.12, 1e-12)

# A wheel on one bushing at B: the force F at P = C - R z bends it by F/k and (r x F + M)/kt, r = P - B.
r = rows("bushing.csv")[0]
F, arm, to_centre = (300, -500, 700), (0.12, 0.26, 0.05 - R), (0.12, 0.26, 1e-4)
M = add(cross(arm, F), [0, 0, 40])
turn = [M[0] / 5e4, M[1] / 6e4, M[2] / 7e4]
near("camber by compliance", r["hub.camber_change"], -turn[0], 1e-12)
near("toe by compliance", r["hub.toe_change"], -turn[2], 1e-12)

for r, z in zip(rows("soft.csv"), (0, 0.01, 0.02)):
    near("soft spring", r["hub.travel"], z, 1e-12)

# The wheel rate by a second method: equilibria under loads.
heights = [rows(f"at{push}.csv")[0]["height"] for push in (-20, 20)]
middle = [at_height(z)[4] for z in (sum(heights) / 2 - 1e-3, sum(heights) / 2, sum(heights) / 2 + 1e-3)]
near("rate by equilibria", 40 / (heights[1] - heights[0]), (middle[0] - 2 * middle[1] + middle[2]) / 1e-6, 0.1)
print(worst)

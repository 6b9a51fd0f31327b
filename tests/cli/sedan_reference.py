"""Checks runs of models/sedan.yaml against Newton's laws and the lengths of its rods, for test_sedan.sh. Masses and points are those of the
car's data; only the names of bodies and outputs are taken from the model."""
import csv
import sys
from math import asin, atan2, cos, hypot, sin, sqrt

GRAVITY = 9.81
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
MASSES = {"chassis": 1500, "rack": 19.792}
for corner in CORNERS:
    MASSES[corner + ".carrier"] = 5.27788 if corner.startswith("front") else 7.03717
    for body, mass in (("wheel", 21.76), ("lower", 2.90283), ("lower_fore", 2.90283), ("upper", 2.63894), ("upper_fore", 2.63894),
                       ("track_rod", 5.27788), ("bar", 10)):
        MASSES[corner + "." + body] = mass
WEIGHT = GRAVITY * sum(MASSES.values())

# Inner and outer ends of the five rods of a left corner: lower front and rear, upper front and rear, track rod.
RODS = {
    "front": [((0.225, 0.306, 0.15), (0.04, 0.766, 0.15)), ((-0.125, 0.306, 0.15), (-0.01, 0.766, 0.15)),
              ((0.1, 0.451, 0.43), (-0.02, 0.6872, 0.45)), ((-0.105, 0.451, 0.41), (-0.06, 0.6872, 0.45)),
              ((0.137083, 0.439, 0.205), (0.142083, 0.789, 0.185))],
    "rear": [((0.225, 0.306, 0.15), (0.02, 0.706, 0.15)), ((-0.125, 0.306, 0.15), (-0.02, 0.706, 0.15)),
             ((0.1, 0.451, 0.42), (0.02, 0.706, 0.45)), ((-0.105, 0.451, 0.42), (-0.02, 0.706, 0.45)),
             ((-0.13, 0.409, 0.185), (-0.13, 0.759, 0.185))]}
CENTRE = (0, 0.7875, 0.33)
RADIUS = 0.33


def rows(name):
    with open(name) as file:
        return [{k.split(' ')[0]: float(v) for k, v in r.items() if v} for r in csv.DictReader(file)]


def near(what, got, known, tolerance):
    assert abs(got - known) <= tolerance, f"{what}: {got} is not {known} within {tolerance}"


# ---- outputs that are added to the model

def outputs():
    """Returns lines for the section `outputs`: momentum, and the moment of all weights about the y axis; force and moment of the road."""
    def total(part):
        return " + ".join(f"{mass}*{body}.{part}" for body, mass in MASSES.items())

    def road(part):
        return " + ".join(part.replace("TYRE", corner + ".tyre") for corner in CORNERS)
    for axis in "xyz":
        print(f"  momentum_{axis}: '{total('v' + axis)}'\n  road_{axis}: '{road('TYRE.f' + axis)}'")
    print(f"  moment: '{GRAVITY}*({total('x')})'\n  road_moment: '{road('TYRE.px*TYRE.Fz')} - ({road('TYRE.My')})'")


# ---- Newton's laws

def integral(table, name):
    """Integrates by Simpson's rule."""
    step = table[1]["t"] - table[0]["t"]
    assert len(table) % 2 == 1
    inner = sum((4 if i % 2 else 2) * table[i][name] for i in range(1, len(table) - 1))
    return step / 3 * (table[0][name] + inner + table[-1][name])


def check_laws(table):
    first, last = table[0], table[-1]
    seconds = last["t"]
    near("weight", sum(first[c + ".load"] for c in CORNERS) / WEIGHT, 1, 1e-8)
    near("moment of the weights", first["road_moment"] / WEIGHT, first["moment"] / WEIGHT, 1e-4)  # m; the arm of Fx is left out
    for left, right in (CORNERS[:2], CORNERS[2:]):
        near("left and right", first[left + ".load"] / first[right + ".load"], 1, 1e-8)
    near("speed", first["forward"], 80, 1e-6)
    swing = max(abs(r["momentum_y"]) for r in table)
    assert swing > 1000, "the car does not change lanes"
    for axis, weight in (("x", 0), ("y", 0), ("z", WEIGHT)):
        gained = last["momentum_" + axis] - first["momentum_" + axis]
        near("momentum " + axis, integral(table, "road_" + axis) - seconds * weight, gained, 1e-5 * swing)
    gained = last["energy"] - first["energy"]
    assert abs(gained) > 100, "no work is done"
    near("energy", integral(table, "power"), gained, 1e-4 * abs(gained))
    near("drift", max(r["|g|"] for r in table), 0, 1e-10)


def laws(names):
    tables = [rows(name) for name in names]
    for table in tables:
        check_laws(table)
    peaks = [max(abs(r["lateral_acceleration"]) for r in table) for table in tables]
    near("lateral acceleration of both", peaks[1] / peaks[0], 1, 0.1)
    assert abs(peaks[1] / peaks[0] - 1) > 1e-4, "both cars are the same"


# ---- lengths of rods

def turned(r, w):
    """Returns r rotated by the rotation vector w (Rodrigues)."""
    angle = sqrt(sum(x * x for x in w))
    if angle == 0:
        return r
    e = [x / angle for x in w]
    along = sum(x * y for x, y in zip(e, r)) * (1 - cos(angle))
    cross = (e[1] * r[2] - e[2] * r[1], e[2] * r[0] - e[0] * r[2], e[0] * r[1] - e[1] * r[0])
    return tuple(cos(angle) * r[i] + sin(angle) * cross[i] + along * e[i] for i in range(3))


def defects(pose, rods, height, rack):
    """Returns the errors of the squared lengths of the rods and of the height of the wheel's centre, after the carrier has moved by `pose`: a
    translation and a rotation vector about the centre."""
    found = []
    for i, (inner, outer) in enumerate(rods):
        shifted = (inner[0], inner[1] + (rack if i == 4 else 0), inner[2])
        arm = turned(tuple(outer[k] - CENTRE[k] for k in range(3)), pose[3:])
        end = [CENTRE[k] + pose[k] + arm[k] for k in range(3)]
        found.append(sum((end[k] - shifted[k]) ** 2 - (outer[k] - inner[k]) ** 2 for k in range(3)))
    return found + [CENTRE[2] + pose[2] - height]


def solved(a, b):
    """Solves a x = b by elimination with row exchanges."""
    n = len(b)
    m = [row + [y] for row, y in zip(a, b)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(m[i][k]))
        m[k], m[best] = m[best], m[k]
        for i in range(k + 1, n):
            f = m[i][k] / m[k][k]
            m[i] = [x - f * y for x, y in zip(m[i], m[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (m[k][n] - sum(m[k][j] * x[j] for j in range(k + 1, n))) / m[k][k]
    return x


def closed(rods, height, rack):
    """Returns the pose of the carrier at a height of the wheel's centre and a displacement of the rack, by Newton's method in two steps from the
    design position, so that the solution stays in its branch."""
    pose, h = [0.0] * 6, 1e-6
    for part in (1, 2):
        to = CENTRE[2] + (height - CENTRE[2]) * part / 2, rack * part / 2
        for _ in range(7):
            now = defects(pose, rods, *to)
            columns = []
            for k in range(6):
                plus, minus = list(pose), list(pose)
                plus[k] += h
                minus[k] -= h
                columns.append([(p - m) / (2 * h) for p, m in zip(defects(plus, rods, *to), defects(minus, rods, *to))])
            change = solved([list(row) for row in zip(*columns)], [-x for x in now])
            pose = [x + y for x, y in zip(pose, change)]
    assert max(abs(x) for x in defects(pose, rods, height, rack)) < 1e-14
    return pose


def rods_of(axle, kind):
    rods = RODS[axle]
    if kind == "five-link":
        return rods
    balls = [tuple((rods[i][1][k] + rods[i + 1][1][k]) / 2 for k in range(3)) for i in (0, 2)]  # of an arm: its two rods meet there
    return [(inner, balls[i // 2] if i < 4 else outer) for i, (inner, outer) in enumerate(rods)]


def lengths(name, front, rear):
    table = rows(name)
    assert len(table) == 5
    for axle, kind in (("front", front), ("rear", rear)):
        hub = axle + "_left.hub"
        for r in table:
            pose = closed(rods_of(axle, kind), r[hub + ".z"], r["rack_travel"] if axle == "front" else 0)
            n = turned((0, 1, 0), pose[3:])
            level = hypot(n[0], n[1])
            foot = [CENTRE[k] + pose[k] - RADIUS * d for k, d in enumerate((-n[2] * n[0] / level, -n[2] * n[1] / level, level))]
            near(hub + " camber", r[hub + ".camber"], -asin(n[2]), 1e-9)
            near(hub + " toe", r[hub + ".toe"], atan2(n[0], n[1]), 1e-9)
            near(hub + " half track", r[hub + ".track"], foot[1] - CENTRE[1], 1e-9)
            near(hub + " wheelbase", r[hub + ".wheelbase"], foot[0] - CENTRE[0], 1e-9)


# ---- comparison of two runs

def apart(name, other, most):
    one, two = rows(name), rows(other)
    assert len(one) == len(two) == 36
    worst = max(hypot(a["body.x"] - b["body.x"], a["body.y"] - b["body.y"]) for a, b in zip(one, two))
    print(f"largest distance: {1000 * worst:.2f} mm")
    assert worst <= float(most), f"the largest distance is {worst} m"


if __name__ == "__main__":
    if sys.argv[1] == "outputs":
        outputs()
    elif sys.argv[1] == "laws":
        laws(sys.argv[2:])
    elif sys.argv[1] == "lengths":
        lengths(*sys.argv[2:])
    else:
        apart(*sys.argv[2:])

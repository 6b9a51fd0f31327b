"""The data of pages that the viewer shows, for tests (docs/report.md, "The data")."""
import base64, csv as reader, json, re, struct


def load(name):
    """The text of a page, and its scripts: the data, then the viewer."""
    text = open(name, encoding="utf-8").read()
    return text, re.findall(r"<script[^>]*>(.*?)</script>", text, re.S)


def numbers(text, code):
    """The array in a text of base64; code: d double, f single, h 16-bit integers."""
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // struct.calcsize(code)}{code}", raw)


def csv(name, column):
    return [float(row[column]) for row in reader.DictReader(open(name))]


def point_of(pose, com, at):
    """Where a point of the design position is: place + R (at - com), by q x q*; a pose is place and quaternion."""
    p, (x, y, z, w) = pose
    a = [at[i] - com[i] for i in range(3)]
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [p[i] + sum(rows[i][j] * a[j] for j in range(3)) for i in range(3)]


def near(a, b, tolerance):
    return len(a) == len(b) > 0 and all(abs(x - y) <= tolerance for x, y in zip(a, b))

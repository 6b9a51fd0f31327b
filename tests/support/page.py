"""Reads the data in the HTML pages that `camber run --html` and `camber view` write, for tests (docs/report.md, "The data")."""
import base64, csv as reader, json, re, struct


def load(name):
    """Returns the text of a page and the list of its scripts: first the data, then the viewer."""
    text = open(name, encoding="utf-8").read()
    return text, re.findall(r"<script[^>]*>(.*?)</script>", text, re.S)


def numbers(text, code):
    """Returns the numbers in a base64 text; code: d double precision, f single precision, h 16-bit integers."""
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // struct.calcsize(code)}{code}", raw)


def csv(name, column):
    """Returns a column of a CSV file as a list of numbers."""
    return [float(row[column]) for row in reader.DictReader(open(name))]


def point_of(pose, com, at):
    """Returns p + R(q) (at - com), the position of a point of a body whose centre of mass `com` and point `at` are given in the design
    position. pose: position p of the centre of mass and quaternion q = (x, y, z, w) of the rotation R."""
    p, (x, y, z, w) = pose
    a = [at[i] - com[i] for i in range(3)]
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [p[i] + sum(rows[i][j] * a[j] for j in range(3)) for i in range(3)]


def near(a, b, tolerance):
    """Returns whether two lists have the same length, are not empty, and differ by at most `tolerance` in each number."""
    return len(a) == len(b) > 0 and all(abs(x - y) <= tolerance for x, y in zip(a, b))

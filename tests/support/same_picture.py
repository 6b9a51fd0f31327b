"""same_picture.py ONE.svg OTHER.svg: checks whether two plots show the same curves.

The texts must be equal, and each point of a curve must be within one pixel of the other plot's curve. This shows that a picture in the
documents is the output of the command above it, although the last digits of numbers depend on the compiler.
"""
import bisect
import math
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 1.0  # pixels


def parts(path):
    root = tree.parse(path).getroot()
    texts = [e.text for e in root.iter(SVG + "text")]
    curves = [[tuple(map(float, p.split(","))) for p in e.get("points").split()] for e in root.iter(SVG + "polyline")]
    return texts, curves


def distance(p, a, b):
    """Returns the distance of the point p from the segment a b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    s = max(0, min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length)) if length > 0 else 0
    return math.hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy)


def farthest(curve, other):
    """Returns the largest distance of a point of `curve` from the polyline `other`."""
    x = [p[0] for p in other]
    worst = 0
    for p in curve:
        first = max(0, bisect.bisect_left(x, p[0] - NEAR) - 1)
        last = min(len(other) - 1, bisect.bisect_right(x, p[0] + NEAR) + 1)
        near = [distance(p, other[i], other[i + 1]) for i in range(first, last)]
        worst = max(worst, min(near, default=math.inf))
    return worst


def main():
    (texts, curves), (other_texts, others) = parts(sys.argv[1]), parts(sys.argv[2])
    if texts != other_texts:
        return f"the texts differ: {sorted(set(texts) ^ set(other_texts))}"
    if len(curves) != len(others) or not curves:
        return f"the numbers of curves are {len(curves)} and {len(others)}"
    for i, (curve, other) in enumerate(zip(curves, others)):
        worst = max(farthest(curve, other), farthest(other, curve))
        if worst > NEAR:
            return f"curve {i} differs by {worst:.1f} pixels"
    return 0


sys.exit(main())

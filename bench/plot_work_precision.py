#!/usr/bin/env python3
"""The work-precision diagram of the race: plot_work_precision.py RACE.csv FIGURE.svg

RACE.csv is written by `caraxis_race --csv`. Dots are single runs, lines join those that no other run
of the same code beats in both accuracy and time.
"""
import csv
import math
import sys
from pathlib import Path

WIDTH, HEIGHT = 760, 500
LEFT, RIGHT, TOP, BOTTOM = 70, 110, 40, 56
ACCURACY = (1.75, 10.25)  # mescd
SECONDS = (7e-5, 3.5e-2)

# code, label, colour, dashes, the point of the line that has the label, and how far the label is off
CURVES = [
    ("mdop853", "mdop853", "#0b4f9e", "", (-1, 8, 4)),
    ("mdop5", "mdop5", "#1f83d6", "", (-1, 8, 6)),
    ("phem56", "phem56", "#12897b", "", (-1, 8, 2)),
    ("hem5", "hem5", "#3fa34d", "", (-1, 8, 4)),
    ("arkode5", "ARKODE 5", "#c8551b", "6 3", (0, -26, -24)),
    ("arkode8", "ARKODE 8", "#a02c5a", "6 3", (-1, 8, 4)),
    ("ida", "IDA", "#6b6b6b", "6 3", (-1, 8, 4)),
]


def x_of(mescd):
    low, high = ACCURACY
    return LEFT + (WIDTH - LEFT - RIGHT) * (mescd - low) / (high - low)


def y_of(seconds):
    low, high = map(math.log, SECONDS)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log(seconds) - low) / (high - low)


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{words}</text>'


def line(x1, y1, x2, y2, colour):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" fill="none"/>'


def axes():
    parts = []
    bottom, right = y_of(SECONDS[0]), x_of(ACCURACY[1])
    for mescd in range(math.ceil(ACCURACY[0]), math.floor(ACCURACY[1]) + 1):
        parts.append(line(x_of(mescd), bottom, x_of(mescd), TOP, "#e3e3e3"))
        parts.append(text(x_of(mescd), bottom + 18, str(mescd)))
    for seconds, label in [(1e-4, "0.1 ms"), (3e-4, "0.3 ms"), (1e-3, "1 ms"), (3e-3, "3 ms"),
                           (1e-2, "10 ms"), (3e-2, "30 ms")]:
        parts.append(line(LEFT, y_of(seconds), right, y_of(seconds), "#e3e3e3"))
        parts.append(text(LEFT - 8, y_of(seconds) + 4, label, "end"))
    parts.append(line(LEFT, bottom, right, bottom, "#444"))
    parts.append(line(LEFT, bottom, LEFT, TOP, "#444"))
    middle = (LEFT + right) / 2
    parts.append(text(middle, HEIGHT - 14, "correct digits at t = 3 (mescd, multipliers included)"))
    parts.append(text(LEFT, TOP - 16, "Car axis: time of one integration", "start",
                      ' font-weight="bold"'))
    return parts


def curve(runs, label, colour, dashes, place):
    parts = []
    front = sorted((x_of(m), y_of(s)) for m, s, unbeaten in runs if unbeaten)
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in front)
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="2" fill="none"{dash}/>')
    for mescd, seconds, _ in runs:
        parts.append(f'<circle cx="{x_of(mescd):.1f}" cy="{y_of(seconds):.1f}" r="2.2" '
                     f'fill="{colour}"/>')
    point, right, down = place
    x, y = front[point]
    style = f' fill="{colour}" font-weight="bold"'
    parts.append(text(x + right, y + down, label, "start", style))
    return parts


def main():
    runs = {}
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            point = (float(row["mescd"]), float(row["seconds"]), row["unbeaten"] == "1")
            if math.isfinite(point[0]):
                runs.setdefault(row["code"], []).append(point)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="12" fill="#222">',
        "<title>Work-precision diagram of the car axis</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    parts += axes()
    for code, *style in CURVES:
        parts += curve(runs[code], *style)
    Path(sys.argv[2]).write_text("\n".join(parts + ["</svg>", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How constant the instructions of a step are within a mode: callgrind_steps.py FOLDER STEPS PERIOD

FOLDER has callgrind's output of each step, step.1 to step.STEPS, written with --compress-strings=no and --compress-pos=no, and
run.json, what `camber run --json` says of the same run: its events end the modes. The step at whose end an event is found works in both
modes and belongs to none.
"""
import json
import sys
from collections import Counter
from pathlib import Path


def read(path):
    """Instructions of each (object, function), without what it calls."""
    cost, place, called = Counter(), {"ob": "?", "fn": "?"}, False
    for line in path.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and key in place:
            place[key] = value
        elif key == "calls":
            called = True
        elif line[:1].isdigit():
            if not called:
                cost[Path(place["ob"]).name, place["fn"]] += int(line.split()[1])
            called = False
    return cost


def modes(events, steps, period):
    """First and last step of each mode."""
    ends = sorted({round(event["t"] / period) for event in events})
    first = 1
    for end in [*ends, steps + 1]:
        if end > first:
            yield first, end - 1
        first = end + 1


def in_libm(place):
    return place[0].startswith("libm")


def spread(counts):
    return f"{min(counts):8d} {max(counts):8d} {max(counts) / min(counts):8.4f}"


def main():
    folder, steps, period = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    events = json.loads((folder / "run.json").read_text(encoding="utf-8"))["events"]
    costs = [read(folder / f"step.{i}") for i in range(1, steps + 1)]
    print(f"{folder.name:24}  all of it: ratio            without libm: ratio         varies")
    for first, last in modes(events, steps, period):
        here = costs[first - 1:last]
        own = [sum(n for place, n in cost.items() if not in_libm(place)) for cost in here]
        places = sorted(set().union(*here))
        vary = [place[1] for place in places if len({cost[place] for cost in here}) > 1]
        print(f"  steps {first:5d} to {last:5d}     {spread([sum(c.values()) for c in here])}"
              f"  {spread(own)}   {', '.join(vary) or 'nothing'}")


if __name__ == "__main__":
    main()

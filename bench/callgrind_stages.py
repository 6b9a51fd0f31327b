#!/usr/bin/env python3
"""Where the instructions of a run go, by stage of the method: callgrind_stages.py FILE SOURCE_DIR

FILE is callgrind's output for a program with debug information, written with --compress-strings=no
and --compress-pos=no. Every instruction is charged to a line of Camber's source: its own line, or,
inside libm and libc, the line that called. So inlined functions count as what they were written as,
and sin and cos count for the problem that wants them. Lines belong to functions, and functions to
stages by the table below; a header's inline functions belong to the function they were built into.
"""
import re
import sys
from collections import Counter
from pathlib import Path

# file, function, stage; the first that fits
STAGES = [
    (r"src/dae/problems/", r"", "problem: M, f, g, G, gamma"),
    (r"src/math/finite", r"", "evaluator: calls, checks for NaN"),
    (r"src/math/kkt", r"solve|expand", "KKT solve"),
    (r"src/math/kkt_small", r"^reduce", "KKT solve"),
    (r"src/dae/evaluator", r"^cmb_solve", "KKT solve"),
    (r"src/math/kkt", r"", "KKT factor"),
    (r"src/dae/evaluator", r"^cmb_factor$", "KKT factor"),
    (r"src/dae/evaluator", r"constraint_residuals", "run loop: constraints, records"),
    (r"src/dae/evaluator", r"", "evaluator: calls, checks for NaN"),
    (r"src/dae/project", r"", "projection, apart from its solves"),
    (r"src/method/projection", r"", "projection, apart from its solves"),
    (r"src/method/integrator", r"combine|terms", "Runge-Kutta sums"),
    (r"src/method/integrator", r"slope", "evaluator: calls, checks for NaN"),
    (r"src/method/", r"error|norm", "error norm"),
    (r"src/method/integrator", r"", "step control"),
    (r"src/method/", r"", "Runge-Kutta stages, apart from sums"),
    (r"src/math/", r"", "other vector operations"),
    (r"src/sim/", r"", "run loop: constraints, records"),
    (r"", r"", "other"),
]


class Source:
    """Which function a line of a file belongs to."""

    DEFINITION = re.compile(r"^[A-Za-z_].*?(\w+)\(")

    def __init__(self, root):
        self.root = root.resolve()
        self.functions = {}

    def relative(self, path):
        """The path below the source tree; None for others' files."""
        below = str(self.root) + "/"
        return path[len(below):] if path.startswith(below) else None

    def function(self, path, line):
        if path not in self.functions:
            self.functions[path] = self.read(path)
        names = self.functions[path]
        return names[line] if line < len(names) else "?"

    def read(self, path):
        names, current = ["?"], "?"
        for text in (self.root / path).read_text(encoding="utf-8").split("\n"):
            match = self.DEFINITION.match(text)
            if match and not text.rstrip().endswith(";"):
                current = match.group(1)
            names.append(current)
        return names


def stage_of(path, function):
    for file_pattern, function_pattern, stage in STAGES:
        if re.search(file_pattern, path) and re.search(function_pattern, function):
            return stage
    return "other"


class Profile:
    """Sums over callgrind's file: by stage, by function as compiled, and inclusive."""

    def __init__(self, source):
        self.source = source
        self.stages, self.alone, self.inclusive = Counter(), Counter(), Counter()
        self.calls = Counter()
        self.total = 0

    def charge(self, file, symbol, line, cost):
        path = self.source.relative(file)
        if path is None:
            return False
        header = path.endswith(".h") and not path.endswith("finite.h")
        function = symbol if header else self.source.function(path, line)
        home = self.home.get(symbol, path) if header else path
        self.stages[stage_of(home, function)] += cost
        return True

    def read(self, name):
        lines = Path(name).read_text(encoding="utf-8").split("\n")
        self.home = homes(lines, self.source)
        file = symbol = callee = callee_file = None
        call_follows = False
        for text in lines:
            if match := re.match(r"(fl|fi|fe|fn|cfl|cfi|cfn|calls)=(.*)", text):
                key, value = match.groups()
                if key in ("fl", "fi", "fe"):
                    file = value
                elif key == "fn":
                    symbol = value
                    callee_file = None
                elif key in ("cfl", "cfi"):
                    callee_file = value
                elif key == "cfn":
                    callee = value
                else:
                    call_follows = True
                    self.calls[callee] += int(value.split()[0])
            elif match := re.match(r"(\d+) (\d+)$", text):
                line, cost = map(int, match.groups())
                if call_follows:
                    self.take_call(file, symbol, line, cost, callee_file or file)
                    callee_file = None
                else:
                    self.take_own(file, symbol, line, cost)
                call_follows = False

    def take_own(self, file, symbol, line, cost):
        self.total += cost
        self.alone[symbol] += cost
        self.inclusive[symbol] += cost
        self.charge(file, symbol, line, cost)

    def take_call(self, file, symbol, line, cost, callee_file):
        self.inclusive[symbol] += cost
        if self.source.relative(callee_file) is None:
            self.charge(file, symbol, line, cost)


def homes(lines, source):
    """The file in which each compiled function begins."""
    home, file = {}, None
    for text in lines:
        if text.startswith("fl="):
            file = source.relative(text[3:])
        elif text.startswith("fn=") and file:
            home[text[3:]] = file
    return home


def table(title, rows, total):
    print(f"\n{title}")
    for name, cost, note in rows:
        print(f"  {100 * cost / total:5.1f} %  {cost / 1e3:9.1f}k  {name}{note}")


def main():
    source = Source(Path(sys.argv[2]))
    profile = Profile(source)
    profile.read(sys.argv[1])
    total = profile.total
    charged = sum(profile.stages.values())
    rows = [(name, cost, "") for name, cost in profile.stages.most_common()]
    table(f"by stage ({total / 1e6:.2f} million, {charged / 1e6:.2f} charged)", rows, total)
    note = "  ({} calls)".format
    rows = [(name, cost, note(profile.calls[name])) for name, cost in profile.alone.most_common(12)]
    table("by function as compiled, itself", rows, total)
    own = [
        (name, cost, note(profile.calls[name]))
        for name, cost in profile.inclusive.most_common()
        if name in profile.home and cost > 0.02 * total
    ]
    table("by function as compiled, with all it calls", own, total)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the numbers in docs/benchmarks.md and docs/papers.md with the output of the program, or writes them into these pages.

    scripts/quotes.py check FOLDER      prints a line for each number or row that differs; exit code 1 if there is one
    scripts/quotes.py write FOLDER      writes the numbers of the program into the pages

FOLDER contains the output of `camber bench NAME` in NAME.txt, or the pages of `make book`. Numbers of benches whose output is missing are not
compared; commands other than benches are run ($CAMBER).

A table in a page stands between two comments. The first one names the bench and the paragraphs of its output that the table consists of. It also
states which fields of the rows, counted from the end, are computing times; these are written, but not compared ("times all": only the first word
of each row is compared):

    <!-- camber bench arnold-table2: paragraphs 3-5; times -3 -2 -->
    ...
    <!-- end -->

The list SENTENCES has the sentences that quote single numbers. A number is written in its present format: with as many decimals, with commas, or as
a power of ten."""
import os
import re
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"<!-- camber bench (?P<name>\S+): paragraphs (?P<which>[\d, -]+?)(?:; times(?P<times>(?: -\d+)+| all))? -->\n(?P<body>.*?)<!-- end -->", re.S)
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
QUOTED = r"(-?\d[\d,]*(?:\.\d+)?(?:·10[⁻⁰¹²³⁴-⁹]+|e-?\d+)?)"
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
RAISE = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ROUNDING = 1e-12  # smaller numbers are rounding errors, and are not compared


class NotRun(Exception):
    """The output of a bench is missing."""


class Printed:
    """The output of commands, read or computed once."""

    def __init__(self, folder):
        self.folder, self.texts = folder, {}

    def text(self, command):
        if command not in self.texts:
            self.texts[command] = self.read(command)
        return self.texts[command]

    def read(self, command):
        """Returns the output of a bench from the folder, or runs another command."""
        if not command.startswith("bench "):
            camber = os.environ.get("CAMBER", os.path.join(root, "build/release/camber"))
            return subprocess.run([camber, *command.split()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        path = os.path.join(self.folder, command.split()[1])
        if os.path.exists(path + ".txt"):
            return open(path + ".txt", encoding="utf-8").read()
        if os.path.exists(path + ".md"):
            return open(path + ".md", encoding="utf-8").read().split("```\n")[1]
        raise NotRun(command)

    def __call__(self, command, row, field, nth=1):
        """Returns a number in the nth row that begins with the words `row`: field 1 is the first number after these words, -1 the last one."""
        found = 0
        for line in self.text(command).splitlines():
            if not " ".join(line.split()).startswith(row):
                continue
            found += 1
            if found == nth:
                rest = re.sub(r"\s*".join(map(re.escape, row.split())), "", line, count=1)
                numbers = re.findall(rf"(?<![\w.]){NUMBER}", rest)
                return float(numbers[field - 1 if field > 0 else field])
        raise SystemExit(f"quotes: 'camber {command}' prints no row {nth} '{row}'")


# ---- tables


def paragraphs(text, which):
    """Returns the paragraphs with the numbers `which`, such as "2-4, 6", counted from 1."""
    parts = re.split(r"\n\n+", text.strip("\n"))
    chosen = []
    for part in which.split(","):
        first, _, last = part.strip().partition("-")
        chosen += parts[int(first) - 1 : int(last or first)]
    return chosen


def table(printed, block):
    """Returns the text of a block with the numbers of the program."""
    chosen = paragraphs(printed.text("bench " + block["name"]), block["which"])
    lines = "\n\n".join(chosen).split("\n")
    body = "\n".join(("    " + line).rstrip() for line in lines)
    start = block.string[block.start() : block.start("body")]
    return f"{start}\n{body}\n\n<!-- end -->"


def last_digit(text):
    """Returns the value of one unit in the last digit of a number."""
    mantissa, _, exponent = text.partition("e")
    return 10 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def same_number(a, b):
    x, y = float(a), float(b)
    return abs(x - y) <= 1.01 * max(last_digit(a), last_digit(b)) * ("." in a or "e" in a) or max(abs(x), abs(y)) < ROUNDING


def same_row(a, b, times):
    """Returns whether two rows have equal words and equal numbers. The last digit of a number with decimals may differ by 1; times are not compared."""
    a, b = a.split(), b.split()
    if times == "all":
        return a[0] == b[0]
    for field in times:
        for row in (a, b):
            if len(row) >= -field:
                row[field] = "time"
    a, b = " ".join(a), " ".join(b)
    numbers = zip(re.findall(NUMBER, a), re.findall(NUMBER, b))
    return re.sub(NUMBER, "#", a) == re.sub(NUMBER, "#", b) and all(same_number(x, y) for x, y in numbers)


def differences(page, block, wanted):
    """Yields a message for each row of a block that differs from the wanted text."""
    times = (block["times"] or "").strip()
    times = times if times == "all" else [int(field) for field in times.split()]
    has = [line for line in block[0].split("\n") if line.strip()]
    new = [line for line in wanted.split("\n") if line.strip()]
    if len(has) != len(new):
        yield f"{page}: {block['name']}: the page has {len(has)} lines, the program prints {len(new)}"
        return
    for a, b in zip(has, new):
        if not same_row(a, b, times):
            yield f"{page}: {block['name']}: the page has '{a.strip()}', the program prints '{b.strip()}'"


# ---- sentences


def value_of(text):
    """Returns the value of a number as pages write it, such as 1,234 or 2·10⁻⁵."""
    text = text.replace(",", "")
    mantissa, power, exponent = text.partition("·10")
    return float(mantissa) * 10 ** int(exponent.translate(RAISED)) if power else float(text)


def written(x, like):
    """Returns x in the format of the number `like`."""
    plain = like.replace(",", "")
    if "·10" in plain or "e" in plain:
        decimals = len(re.split("·|e", plain)[0].partition(".")[2])
        mantissa, exponent = f"{x:.{decimals}e}".split("e")
        if "e" in plain:
            return f"{mantissa}e{int(exponent)}"
        return f"{mantissa}·10{str(int(exponent)).translate(RAISE)}"
    decimals = len(plain.partition(".")[2])
    text = f"{x:,.{decimals}f}"
    return text if "," in like or x >= 1000 else text.replace(",", "")


def pattern(sentence):
    """Returns a regular expression for the sentence with any line breaks and with a number for each {}."""
    parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in sentence.split("{}")]
    return re.compile(QUOTED.join(parts))


def quote(page, text, sentence, numbers, wrong):
    """Returns the text with these numbers in the sentence; appends to `wrong` the ones that differ."""
    matches = list(pattern(sentence).finditer(text))
    if len(matches) != 1:
        wrong.append(f"{page}: '{sentence}' occurs {len(matches)} times, expected once")
        return text
    [match] = matches
    if match.re.groups != len(numbers):
        raise SystemExit(f"quotes: '{sentence}' has {match.re.groups} numbers, and {len(numbers)} are given")
    for group in range(match.re.groups, 0, -1):
        has, new = match[group], written(numbers[group - 1], match[group])
        if has != new and not near(has, new):
            wrong.append(f"{page}: '{sentence}': the page has {has}, the program prints {new}")
        text = text[: match.start(group)] + new + text[match.end(group) :]
    return text


def near(has, new):
    """Returns whether two numbers with decimals differ by at most 1 in the last digit, which may be due to rounding."""
    digit = last_digit(has.replace(",", "")) if "·" not in has else 10 ** int(has.split("·10")[1].translate(RAISED)) * last_digit(has.split("·")[0])
    return "." in has and abs(value_of(has) - value_of(new)) <= 1.01 * digit


def vedyna(p):
    """Returns for each model the ratio of the errors with old and new positions in the step, and the operations of a step with old and with new ones."""
    rows = [line.split() for line in p.text(VEDYNA).splitlines() if re.match(r"\S+ +[\d.]+ ms ", line)]
    return [(float(row[5]), int(row[7]), int(row[8])) for row in rows]


def stamp(p):
    """Returns the ratios of the numbers of difference Jacobians with partitioned and with extended updates, from 0.04 to 0.08 m."""
    return [p("bench arnold-stamp", "Jacobians", field, row) for row in (1, 2, 3, 4) for field in (7, 10, 13)]


# Page, sentence, and a function that returns its numbers.
TABLE1, TABLE2, TABLE3 = "bench simeon-table1", "bench arnold-table2", "bench arnold-table3"
FIG6, FIG8, VEDYNA = "bench burgermeister-fig6", "bench burgermeister-fig8", "bench burgermeister-vedyna"
TRAILER = "bench burgermeister-trailer"
EQ14 = "run caraxis --method mdop5 --rtol 1e-4 --atol 1e-4"
SENTENCES = [
    ("papers.md", "{} factorisations in {} attempts on the car axis", lambda p: [p(EQ14, "work", 2), p(EQ14, "steps", 1) + p(EQ14, "steps", 2)]),
    ("papers.md", "the error is {} times that with it (paper: {}), control projects in {} of {} attempts",
     lambda p: [p(TABLE1, "Error of index 1", -2), p(TABLE1, "Error of index 1", -1), p(TABLE1, "projection control", 3), p(TABLE1, "mdop5, control", 3)]),
    ("papers.md", "and {} attempts in place of {}, at an error {} times smaller",
     lambda p: [p(TABLE1, "hem5", 3), p(TABLE1, "mdop5, control", 3), p(TABLE1, "mdop5, control", 7) / p(TABLE1, "hem5", 7)]),
    ("papers.md", "agree with a finer computation to {} s", lambda p: [abs(p("bench simeon-stair", "meets the road 0.4096", -1))]),
    ("papers.md", "With dense differences and DASSL's rules {}, {} and {} evaluations",
     lambda p: [p(TABLE2, "dense 5.69", -6), p(TABLE2, "dense 9.03", -6), p(TABLE2, "dense - - 43", -6)]),
    ("papers.md", "with the default {}, {} and {}, since", lambda p: [p(TABLE2, "dense, strict", -6, n) for n in (1, 2, 3)]),
    ("papers.md", "{} difference Jacobian with the extended update (paper: 6), {} without (43), since {} steps do",
     lambda p: [p(TABLE2, "extended - - 6", 1), p(TABLE2, "dense - - 43", 2), p(TABLE2, "dense - - 43", -4)]),
    ("papers.md", "the extended update takes {} difference Jacobian where", lambda p: [p(TABLE2, "extended 4.68", 4)]),
    ("papers.md", "dense differences {} and {} (59 and 96); sparse differences take {} and {} evaluations",
     lambda p: [p(TABLE2, "dense 5.69", 4), p(TABLE2, "dense 9.03", 4), p(TABLE2, "sparse 5.24", -5), p(TABLE2, "sparse 6.76", -5)]),
    ("papers.md", "and sparse differences take {} and {} evaluations |", lambda p: [p(TABLE2, "sparse 5.24", -5, 2), p(TABLE2, "sparse 6.76", -5, 2)]),
    ("papers.md", "extended updates take {} difference Jacobian in 5 s, where dense differences take {} (", lambda p: [p(TABLE3, "extended 145.75", 3), p(TABLE3, "dense 296.86", 3)]),
    ("papers.md", "steered up to {} m/s² it takes {} where the partitioned one takes {} and dense differences {}.",
     lambda p: [p(TABLE3, "0.250", 2), p(TABLE3, "0.250", 5), p(TABLE3, "0.250", 4), p(TABLE3, "0.250", 3)]),
    ("papers.md", "Sparse differences take {} where dense ones take {} (103 % in the paper), in the residual formalism {} where dense ones take {}.",
     lambda p: [p(TABLE3, "sparse 309.44", 3), p(TABLE3, "dense 296.86", 3), p(TABLE3, "sparse 309.44", 3, 2), p(TABLE3, "dense 296.86", 3, 2)]),
    ("papers.md", "in the residual formalism sparse differences leave {} % of the evaluations", lambda p: [100 * p(TABLE3, "sparse 309.44", -5 - 1, 2) / p(TABLE3, "dense 296.86", -5, 2)]),
    ("papers.md", "radau has RADAU's steps at 10⁻⁴ ({}, mescd {}; RADAU {}, {})",
     lambda p: [p("bench caraxis", f"{code} 1e-04", k) for code in ("radau", "RADAU") for k in (3, 1)]),
    ("papers.md", "where RADAU's does not ({} steps, {}; {}, {})", lambda p: [p("bench caraxis", f"{code} 1e-07", k) for code in ("radau", "RADAU") for k in (3, 1)]),
    ("papers.md", "it is more accurate ({} steps, {}; {}, {})", lambda p: [p("bench caraxis", f"{code} 1e-10", k) for code in ("radau", "RADAU") for k in (3, 1)]),
    ("papers.md", "sdirk4 takes {} evaluations at 10⁻⁴ and {} at 10⁻⁵, trap {} and {},", lambda p: [p("bench haug-table9", "4 s", k, n) for n in (1, 2) for k in (9, 12)]),
    ("papers.md", "evaluations of sdirk4 differ by {},", lambda p: [p("bench haug-table9", "4 s", 12) / p("bench haug-table9", "4 s", 3)]),
    ("papers.md", "abm takes {} times the evaluations of sdirk4 at 10⁻⁵ and {} times at 10⁻²",
     lambda p: [100 * p("bench haug-explicit", "0.04 s", k) / p("bench haug-explicit", "4 s", k) for k in (12, 3)]),
    ("papers.md", "index 1 drifts faster than index 2 ({} and {} cm in 100 s), projected {} m",
     lambda p: [100 * p("bench burgermeister-fig3", "100 s", 1), 100 * p("bench burgermeister-fig3", "100 s", 2), p("bench burgermeister-fig3", "100 s", 3)]),
    ("papers.md", "index 1 without stabilisation, {} from 4 to 0.25 ms, which is {} from 0.125 ms down", lambda p: [p(FIG6, "index 1", -1), p(FIG6, "index 1, h/32", -1)]),
    ("papers.md", "slopes {} and {} with index 1 and 2", lambda p: [p(FIG6, "1, Baumgarte", -1, 2), p(FIG6, "2, Baumgarte", -1, 2)]),
    ("papers.md", "ours is {} with J2 and {} with J1 and J3, all with index 1", lambda p: [p(FIG8, "J2, index 1", 3), p(FIG8, "J1, index 1", 3)]),
    ("papers.md", "with index 2 it is {} to {}, large",
     lambda p: [min(p(FIG8, f"{j}, index 2", 3 * k) for j in ("J1", "J2", "J3", "exact") for k in range(1, 7)), p(FIG8, "J1, index 1", 6)]),
    ("papers.md", "from {} after 3 s to {} after 30 s with index 1, where xr is {} unstabilised, {} projected", lambda p: [p(FIG8, "J1, index 1", k, 2) for k in (3, -3, -2, -1)]),
    ("papers.md", "from {} to {} with index 2. It does not", lambda p: [p(FIG8, "J1, index 2", k, 2) for k in (3, -3)]),
    ("papers.md", "off by at most {} m with α = 100, β = 10⁴ and by {} m projected (paper: below 10⁻⁵), a spring of 2·10⁶ N/m by {} m",
     lambda p: [p("bench burgermeister-trailer", "truck, Baumgarte 100", 1), p("bench burgermeister-trailer", "truck, projected", 1), p("bench burgermeister-trailer", "truck, spring", 2)]),
    ("benchmarks.md", "the error of index 1 is {} times that of projection control, and the paper's is {}.", lambda p: [p(TABLE1, "Error of index 1", k) for k in (-2, -1)]),
    ("benchmarks.md", "the second derivatives by the rack's way, {} evaluations once", lambda p: [p(TABLE3, "extended 145.75", -5) - p(TABLE3, "partitioned 141.28", -5)]),
    ("benchmarks.md", "the pattern has {} groups of columns in place of {},", lambda p: [p(TABLE3, "sparse 309.44", -5, 2), p(TABLE3, "sparse 309.44", -5)]),
    ("benchmarks.md", "is {} with J1 and J3 and {} with J2 at its own 10 ms, {} and {} at 4 ms, and {} to {} below.",
     lambda p: [p(FIG8, f"{j}, index 1", k) for k in (3, 6) for j in ("J1", "J2")]
     + [least([p(FIG8, f"{j}, index 1", k) for j in ("J1", "J2", "J3") for k in (9, 12, 15, 18)]) for least in (min, max)]),
    ("benchmarks.md", "it takes {} attempts where mdop5 takes {}, for an error {} times smaller.",
     lambda p: [p(TABLE1, "hem5", 3), p(TABLE1, "mdop5, control", 3), p(TABLE1, "mdop5, control", 7) / p(TABLE1, "hem5", 7)]),
    ("benchmarks.md", "the largest |g| is {}, the bound {}, with h = 10 ms {} and {}.",
     lambda p: [p(f"run circular-track --method lie --step {h} --t-end 100", row, k) for h in ("0.001", "0.01") for row, k in (("constraints", 2), ("drift bound", 1))]),
    ("benchmarks.md", "There |g| is {} h; at 1 ms that would be {}, and it is {}:",
     lambda p: [p(FIG6, "index 1, h/32", 5) / 0.25e-3 * 32, p(FIG6, "index 1, h/32", 5) / 0.25 * 32, p(FIG6, "index 1", 3)]),
    ("benchmarks.md", "projected, its error at 4 ms is {} times that of J1", lambda p: [p(FIG8, "J2, index 1", 5) / p(FIG8, "J1, index 1", 5)]),
    ("benchmarks.md", "the more accurate step in {} of {} models, by {} to {} times.",
     lambda p: [sum(r > 1 for r, _, _ in vedyna(p)), len(vedyna(p)), min(r for r, _, _ in vedyna(p) if r > 1), max(r for r, _, _ in vedyna(p))]),
    ("benchmarks.md", "Its operations are {} % fewer to {} % more,",
     lambda p: [100 - 100 * min(new / old for _, old, new in vedyna(p)), 100 * sorted(new / old for _, old, new in vedyna(p))[-2] - 100]),
    ("benchmarks.md", "yields by {} m under the", lambda p: [p(TRAILER, "truck, spring", 2)]),
    ("benchmarks.md", "by {} kN within 0.05 s, in place of {} kN", lambda p: [p(TRAILER, "truck, spring", 4), p(TRAILER, "truck, projected", 4)]),
    ("papers.md", "eq. 26 is: {} to {} times fewer difference Jacobians from 0.04 to 0.08 m", lambda p: [min(stamp(p)), max(stamp(p))]),
]


def main(task, folder):
    printed, wrong, not_run = Printed(folder), [], set()
    for page in ("benchmarks.md", "papers.md"):
        path = os.path.join(root, "docs", page)
        old = text = open(path, encoding="utf-8").read()
        for block in list(BLOCK.finditer(old)):
            try:
                wanted = table(printed, block)
            except NotRun as bench:
                not_run.add(str(bench))
                continue
            wrong += differences(page, block, wanted)
            text = text.replace(block[0], wanted)
        for where, sentence, numbers in SENTENCES:
            if where != page:
                continue
            try:
                text = quote(page, text, sentence, numbers(printed), wrong)
            except NotRun as bench:
                not_run.add(str(bench))
        if task == "write" and text != old:
            open(path, "w", encoding="utf-8").write(text)
    if not_run:
        print("quotes: not compared, no output of: " + ", ".join(sorted(not_run)), file=sys.stderr)
    if task == "check":
        print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if task == "check" and wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

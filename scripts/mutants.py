#!/usr/bin/env python3
"""Measures which part of small artificial errors in the source (mutants) the test suite detects, and prints the mutants that no test detected.

    scripts/mutants.py [--seed S,S,...] [--number N] [--jobs J] [--build DIR] [FILE...]

Chooses N random mutants (default 60) of src, or of the FILEs, for each seed S (default 1); scripts/mutation.py defines them. A copy of the
tree below DIR (default build/mutants/S,S,...-N) is built once, in the preset dev, with all mutants; an environment variable turns them on.
First each test runs without mutants, which gives its time and the mutants whose code it executes. Then the tests that execute a mutant run
with this mutant, shortest first, until one fails or takes ten times its time, or until their times reach ALONE seconds. The longer tests run
for all remaining mutants at once: with all that the test executes turned on, and if it fails, with each half of them, and so on.

All results are written to DIR at once, and the same command continues an interrupted search. journal.jsonl has a line for each mutant that
was tried alone, and another one if a longer test detects it; shared.jsonl has a line for each longer test.
Exit code: 0 if at least --least percent were detected (default 0), else 1. An undetected mutant does not always mean that a test is missing:
many mutants change no result (for example a tolerance that only affects step sizes). src/bench is left out, because no test runs whole
benchmarks.
"""
import argparse
import json
import os
import queue
import random
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import mutation  # noqa: E402
from suite import run_test, tests_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
ONLY_LEAKS = re.compile(r"(free|release|destroy|close)\w*\s*\(")  # without these calls memory leaks, which only the sanitizers detect
ALONE = 10  # seconds of tests with each mutant alone; most mutants that any test detects are detected within this time
STRICT = ["-fsyntax-only", "-Wno-error", "-Werror=vla", "-Werror=int-conversion", "-Werror=incompatible-pointer-types"]


class Campaign:
    """The copy of the tree with the mutants, its build, and the files of results in a folder."""

    def __init__(self, folder, jobs):
        self.folder = folder.resolve()
        self.jobs = jobs
        self.tree = self.folder / "tree"
        self.build = self.tree / "build" / "dev"
        self.folder.mkdir(parents=True, exist_ok=True)

    def once(self, name, make):
        """Returns make(), called only if the file NAME.json does not yet have its result."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            result = make()
            path.with_suffix(".new").write_text(json.dumps(result, indent=1), encoding="utf-8")
            path.with_suffix(".new").rename(path)
        return json.loads(path.read_text(encoding="utf-8"))

    # ---- the copy of the tree, and its mutants

    def draw(self, seeds, number, files):
        """Copies the tree, chooses `number` mutants for each seed that compile and do not overlap, and writes them into the copy."""
        copy_tree(self.tree)
        run(["cmake", "--preset", "dev", *launcher()], self.tree)
        commands = {entry["file"]: entry for entry in json.loads((self.build / "compile_commands.json").read_text())}
        codes = {path: mutation.Code((self.tree / path).read_text(encoding="utf-8")) for path in files or self.sources()}
        by_kind = {kind: [] for kind in mutation.KINDS}
        for path, code in codes.items():
            for site in code.sites():
                if not (site.kind == "statement" and ONLY_LEAKS.search(site.before)):
                    by_kind[site.kind].append((path, site))
        drawn, chosen = [], {path: {} for path in codes}
        for seed in seeds:
            random_numbers = random.Random(seed)
            least = len(drawn) + number
            while len(drawn) < least:
                path, site = random_numbers.choice(by_kind[random_numbers.choice([kind for kind in by_kind if by_kind[kind]])])
                others = chosen[path]
                if any(mutation.overlap(site, other) for other in others.values()):
                    continue
                others[len(drawn)] = site
                if self.compiles(path, codes[path].text, others, commands):
                    drawn.append({"seed": seed, "file": path, **site._asdict()})
                else:
                    del others[len(drawn)]
        for path, sites in chosen.items():
            if sites:
                (self.tree / path).write_text(mutation.apply(codes[path].text, sites), encoding="utf-8")
        self.add_switch(len(drawn), [path for path in chosen if chosen[path]])
        return drawn

    def sources(self):
        paths = sorted((self.tree / "src").rglob("*.c"))
        return [str(path.relative_to(self.tree)) for path in paths if "bench" not in path.relative_to(self.tree).parts]

    def compiles(self, path, text, sites, commands):
        """Returns whether the file compiles with these mutants."""
        entry = commands[str(self.tree / path)]
        trial = (self.tree / path).with_name("mutant_trial.c")
        trial.write_text(mutation.apply(text, sites), encoding="utf-8")
        (self.tree / "src/base/mutant.h").write_text(mutation.SWITCH_HEADER, encoding="utf-8")
        words = shlex.split(entry["command"])
        words = [str(trial) if word == entry["file"] else word for word in words]
        del words[words.index("-o") : words.index("-o") + 2]
        result = subprocess.run([*words, *STRICT], cwd=entry["directory"], capture_output=True)
        trial.unlink()
        return result.returncode == 0

    def add_switch(self, number, files):
        (self.tree / "src/base/mutant.c").write_text(mutation.switch_source(number), encoding="utf-8")
        for name in ("CMakeLists.txt", "tests/CMakeLists.txt"):  # the program's files are compiled in both
            paths = " ".join(f"${{PROJECT_SOURCE_DIR}}/{path}" for path in files)
            with open(self.tree / name, "a", encoding="utf-8") as file:
                file.write(f"set_source_files_properties({paths} PROPERTIES COMPILE_OPTIONS -w)\n")

    # ---- running the tests

    def compile(self):
        run(["cmake", "--build", "--preset", "dev", "-j", str(self.jobs)], self.tree)
        return tests_of(self.tree, "dev")

    def try_tests(self, tests, number):
        """Runs each test without mutants. Returns the times of those that pass and the mutants that they execute, shortest first."""
        path = self.folder / "baseline.jsonl"
        done = {entry["name"]: entry for entry in lines_of(path)}

        def measure(test):
            if test["name"] in done:
                return done[test["name"]]
            reached = self.folder / f"reached.{test['name']}"
            reached.write_bytes(bytes(number))
            result = run_test(test, {"CAMBER_MUTANTS_REACHED": str(reached)}, 900)
            entry = {"name": test["name"], "passed": result.passed, "seconds": result.seconds}
            entry["reached"] = [k for k, byte in enumerate(reached.read_bytes()) if byte]
            reached.unlink()
            append(path, entry)
            print(f"{test['name']:40} {entry['seconds']:6.1f} s, {len(entry['reached'])} mutants" + ("" if result.passed else ", FAILS WITHOUT MUTANTS"), flush=True)
            return entry

        with ThreadPoolExecutor(self.jobs) as pool:
            entries = list(pool.map(measure, tests))
        return sorted((entry for entry in entries if entry["passed"]), key=lambda entry: entry["seconds"])

    def try_mutants(self, mutants, tests, baseline):
        """Returns for each mutant the name of the first test that detects it, or None."""
        search = Search(self.folder, self.jobs, mutants, {test["name"]: test for test in tests}, baseline)
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(search.alone, range(len(mutants))))
            list(pool.map(search.shared, baseline))
        return [search.noticed_by.get(number) for number in range(len(mutants))]


class Search:
    """Searches the tests that detect the mutants. Journal files keep the results, so that an interrupted search can be continued."""

    def __init__(self, folder, jobs, mutants, tests, baseline):
        self.folder, self.mutants, self.tests, self.baseline = folder, mutants, tests, baseline
        self.done = {entry["number"] for entry in lines_of(folder / "journal.jsonl")}
        self.noticed_by = {entry["number"]: entry["noticed_by"] for entry in lines_of(folder / "journal.jsonl")}
        self.done_shared = {entry["name"] for entry in lines_of(folder / "shared.jsonl")}
        self.workers = queue.SimpleQueue()  # scratch folders
        for k in range(jobs):
            self.workers.put(folder / f"worker{k}")

    def split(self, number):
        """Returns two lists of the tests that execute this mutant: those that run with it alone, and the longer ones."""
        reaching = [entry for entry in self.baseline if number in entry["reached"]]
        seconds = 0
        for k, entry in enumerate(reaching):
            seconds += entry["seconds"]
            if seconds > ALONE:
                return reaching[:k], reaching[k:]
        return reaching, []

    def alone(self, number):
        """Runs the shorter tests with one mutant until one of them fails."""
        if number in self.done:
            return
        for entry in self.split(number)[0]:
            if self.fails(entry, [number]):
                self.record(number, entry["name"])
                return
        self.record(number, None)

    def shared(self, entry):
        """Runs a test with all undetected mutants for which it is one of the longer tests."""
        if entry["name"] in self.done_shared:
            return
        left = [number for number in entry["reached"] if not self.noticed_by.get(number) and entry in self.split(number)[1]]
        for number in self.noticed(entry, left):
            if not self.noticed_by.get(number):  # another test may have detected it in the meantime
                self.record(number, entry["name"])
        append(self.folder / "shared.jsonl", {"name": entry["name"], "mutants": left})

    def noticed(self, entry, numbers):
        """Returns those of the mutants that this test detects, by bisection. A pair that it detects only together is not returned."""
        if not numbers or not self.fails(entry, numbers):
            return []
        half = len(numbers) // 2
        return self.noticed(entry, numbers[:half]) + self.noticed(entry, numbers[half:]) if half else numbers

    def fails(self, entry, numbers):
        """Returns whether a test fails, or takes more than 20 s plus ten times its time, with these mutants turned on."""
        worker = self.workers.get()
        folder = worker / "scratch" / entry["name"]
        folder.mkdir(parents=True, exist_ok=True)
        test = {**self.tests[entry["name"]], "folder": str(folder)}
        on = ",".join(str(number) for number in numbers)
        result = run_test(test, {"CAMBER_MUTANT": on}, 20 + 10 * entry["seconds"])
        self.workers.put(worker)
        return not result.passed

    def record(self, number, name):
        """Writes to the journal which test detected a mutant (None: no test)."""
        self.noticed_by[number] = name
        mutant = {key: self.mutants[number][key] for key in ("seed", "file", "line", "kind", "before", "after")}
        append(self.folder / "journal.jsonl", {"number": number, "noticed_by": name, **mutant})
        print(describe(number, self.mutants[number], name), flush=True)


def copy_tree(target):
    shutil.rmtree(target, ignore_errors=True)
    names = run(["git", "ls-files", "-z"], ROOT).split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def launcher():
    return ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []


def run(words, folder):
    result = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"mutants: {' '.join(words)} failed:\n{result.stdout[-3000:]}")
    return result.stdout


def lines_of(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]


def append(path, entry):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def describe(number, mutant, noticed_by):
    fate = f"detected by {noticed_by}" if noticed_by else "not detected"
    before, after = (re.sub(r"\s+", " ", mutant[key])[:200] for key in ("before", "after"))
    return f"{number:3} {mutant['file']}:{mutant['line']} ({mutant['kind']}) {fate}\n      {before}\n      {after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="1", help="one number, or several separated by commas")
    parser.add_argument("--number", type=int, default=60, help="number of mutants for each seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--build", type=Path, help="default: build/mutants/SEEDS-NUMBER")
    parser.add_argument("--least", type=float, default=0, help="percentage of mutants that must be detected")
    parser.add_argument("files", nargs="*", metavar="FILE", help="below src; default: all")
    arguments = parser.parse_args()

    campaign = Campaign(arguments.build or ROOT / f"build/mutants/{arguments.seed}-{arguments.number}", arguments.jobs)
    seeds = [int(seed) for seed in arguments.seed.split(",")]
    mutants = campaign.once("mutants", lambda: campaign.draw(seeds, arguments.number, arguments.files))
    tests = campaign.once("tests", campaign.compile)
    baseline = campaign.try_tests(tests, len(mutants))
    noticed_by = campaign.try_mutants(mutants, tests, baseline)

    print()
    for seed in seeds:
        own = [number for number in range(len(mutants)) if mutants[number]["seed"] == seed]
        print(f"mutants of the seed {seed}: {sum(bool(noticed_by[number]) for number in own)} of {len(own)} were detected")
    survivors = [number for number in range(len(mutants)) if not noticed_by[number]]
    for number in survivors:
        print(describe(number, mutants[number], None))
    return 0 if 100 * (len(mutants) - len(survivors)) >= arguments.least * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Does the test suite notice mistakes? Puts small ones into a copy of the source, one at a time, and prints those that no test noticed.

    scripts/mutants.py [--seed S] [--number N] [--jobs J] [--build DIR] [FILE...]

Draws N mutants (default 60) of src, or of the FILEs, with the seed S (default 1): scripts/mutation.py says what they are. All are in one
build of a copy of the tree, in the preset dev, below DIR (default build/mutants/S-N); an environment variable turns one on. Each test runs
once with none, which gives its time and the mutants that it reaches. Then for each mutant the tests that reach it run, shortest first,
until one fails or takes ten times its time.

Everything is written to DIR as it is found (journal.jsonl has a line a mutant), and the same command goes on where it was stopped.
Exit code: 0 if at least --least percent were noticed (default 0), else 1. Not every survivor is a missing test: many mutants change
nothing that matters (a tolerance that only steers), and src/bench is left out, since no test runs benchmarks as a whole.
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
ONLY_LEAKS = re.compile(r"(free|release|destroy|close)\w*\s*\(")  # the suite under ASan is there for these
STRICT = ["-fsyntax-only", "-Wno-error", "-Werror=vla", "-Werror=int-conversion", "-Werror=incompatible-pointer-types"]


class Campaign:
    def __init__(self, folder, jobs):
        self.folder = folder.resolve()
        self.jobs = jobs
        self.tree = self.folder / "tree"
        self.build = self.tree / "build" / "dev"
        self.folder.mkdir(parents=True, exist_ok=True)

    def once(self, name, make):
        """What make() returned when it was called first; a file keeps it."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            result = make()
            path.with_suffix(".new").write_text(json.dumps(result, indent=1), encoding="utf-8")
            path.with_suffix(".new").rename(path)
        return json.loads(path.read_text(encoding="utf-8"))

    # ---- the copy, and the mutants in it

    def draw(self, seed, number, files):
        copy_tree(self.tree)
        run(["cmake", "--preset", "dev", *launcher()], self.tree)
        commands = {entry["file"]: entry for entry in json.loads((self.build / "compile_commands.json").read_text())}
        codes = {path: mutation.Code((self.tree / path).read_text(encoding="utf-8")) for path in files or self.sources()}
        by_kind = {kind: [] for kind in mutation.KINDS}
        for path, code in codes.items():
            for site in code.sites():
                if not (site.kind == "statement" and ONLY_LEAKS.search(site.before)):
                    by_kind[site.kind].append((path, site))
        random_numbers = random.Random(seed)
        drawn, chosen = [], {path: {} for path in codes}
        while len(drawn) < number:
            path, site = random_numbers.choice(by_kind[random_numbers.choice([kind for kind in by_kind if by_kind[kind]])])
            others = chosen[path]
            if any(mutation.overlap(site, other) for other in others.values()):
                continue
            others[len(drawn)] = site
            if self.compiles(path, codes[path].text, others, commands):
                drawn.append({"file": path, **site._asdict()})
            else:
                del others[len(drawn)]
        for path, sites in chosen.items():
            if sites:
                (self.tree / path).write_text(mutation.apply(codes[path].text, sites), encoding="utf-8")
        self.add_switch(number, [path for path in chosen if chosen[path]])
        return drawn

    def sources(self):
        paths = sorted((self.tree / "src").rglob("*.c"))
        return [str(path.relative_to(self.tree)) for path in paths if "bench" not in path.relative_to(self.tree).parts]

    def compiles(self, path, text, sites, commands):
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

    # ---- the tests

    def compile(self):
        run(["cmake", "--build", "--preset", "dev", "-j", str(self.jobs)], self.tree)
        return tests_of(self.tree, "dev")

    def try_tests(self, tests, number):
        """Seconds and reached mutants of each test that passes without mutants."""
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
        by_name = {test["name"]: test for test in tests}
        path = self.folder / "journal.jsonl"
        done = {entry["number"]: entry for entry in lines_of(path)}
        workers = queue.SimpleQueue()
        for k in range(self.jobs):
            workers.put(self.folder / f"worker{k}")

        def judge(number):
            if number in done:
                return done[number]
            reaching = [entry for entry in baseline if number in entry["reached"]]
            worker = workers.get()
            entry = {"number": number, "reached_by": len(reaching), "noticed_by": first_to_notice(number, reaching, by_name, worker)}
            workers.put(worker)
            append(path, {**entry, **{key: mutants[number][key] for key in ("file", "line", "kind", "before", "after")}})
            print(describe(mutants[number], entry), flush=True)
            return entry

        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(judge, range(len(mutants))))


def first_to_notice(number, reaching, by_name, worker):
    """The name of the first test that fails with this mutant, or None; scratch folders are below the folder `worker`."""
    for entry in reaching:
        folder = worker / "scratch" / entry["name"]
        folder.mkdir(parents=True, exist_ok=True)
        test = {**by_name[entry["name"]], "folder": str(folder)}
        if not run_test(test, {"CAMBER_MUTANT": str(number)}, 20 + 10 * entry["seconds"]).passed:
            return entry["name"]
    return None


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


def describe(mutant, entry):
    fate = f"noticed by {entry['noticed_by']}" if entry["noticed_by"] else f"SURVIVED {entry['reached_by']} tests"
    before, after = (re.sub(r"\s+", " ", mutant[key])[:200] for key in ("before", "after"))
    return f"{entry['number']:3} {mutant['file']}:{mutant['line']} ({mutant['kind']}) {fate}\n      {before}\n      {after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--build", type=Path, help="default: build/mutants/SEED-NUMBER")
    parser.add_argument("--least", type=float, default=0, help="percent to be noticed")
    parser.add_argument("files", nargs="*", metavar="FILE", help="below src; default: all")
    arguments = parser.parse_args()

    campaign = Campaign(arguments.build or ROOT / f"build/mutants/{arguments.seed}-{arguments.number}", arguments.jobs)
    mutants = campaign.once("mutants", lambda: campaign.draw(arguments.seed, arguments.number, arguments.files))
    tests = campaign.once("tests", campaign.compile)
    baseline = campaign.try_tests(tests, len(mutants))
    verdicts = campaign.try_mutants(mutants, tests, baseline)

    survivors = [entry for entry in verdicts if not entry["noticed_by"]]
    print(f"\nmutants: {len(verdicts) - len(survivors)} of {len(verdicts)} were noticed" + (", these were not:" if survivors else ""))
    for entry in survivors:
        print(describe(mutants[entry["number"]], entry))
    return 0 if 100 * (len(verdicts) - len(survivors)) >= arguments.least * len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the tests that a change of the source can affect, shortest first, and stops at the first failure: `make check`.

    scripts/affected.py [BASE] [--list] [--jobs J]

The change consists of all files that differ from the commit BASE (default HEAD) and of files that git does not track. RULES below state which
tests a file can affect: a file of the library affects its own layer and later ones only (scripts/check.py layers). The build folder of the
preset dev must be up to date; it also keeps the times that tests take (seconds.json).
"""
import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from checks.tree import LAYERS, PROGRAMS  # noqa: E402
from suite import run_test, tests_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 900  # seconds, as in tests/CMakeLists.txt
NOTHING = r"(?!)"
EVERYTHING = r""

# The tests of the preset dev that a file can affect, as a regular expression for their names. The first rule that matches the file's path applies.
RULES = [
    (r"tests/unit/(\w+)/test_(\w+)\.c", lambda m: rf"unit\.{m[1]}\.{m[2]}$"),
    (r"tests/unit/(\w+)/", lambda m: rf"unit\.{m[1]}\."),
    (r"tests/verify/test_(\w+)\.c", lambda m: rf"verify\.{m[1]}$"),
    (r"tests/cli/test_(\w+)\.sh", lambda m: rf"cli\.{m[1]}$"),
    (r"tests/cli/bad/", lambda m: r"cli\.bad_models$"),
    (r"tests/cli/crg/", lambda m: r"cli\.crg$"),
    (r"tests/support/\w+\.[ch]$", lambda m: r"(unit|verify)\."),
    (r"tests/(cli|support)/", lambda m: r"cli\."),
    (r"(tests/install|examples)/", lambda m: r"install\.|cli\.(library_docs|export)"),
    (r"(tests/(fuzz|viewer)|viewer|bench|\.ci)/|CONTRIBUTING|\.clang|\.git", lambda m: NOTHING),
    (r"models/", lambda m: r"(verify|cli)\."),
    (r"src/(\w+)/", lambda m: from_layer(m[1])),
    (r"include/camber/(\w+)\.h", lambda m: from_layer(m[1])),
    (r"scripts/(\w+)\.", lambda m: rf"cli\.{m[1]}$"),
    (r"scripts/", lambda m: NOTHING),
    (r"(docs/|[A-Z]+(\.md)?$)", lambda m: "DOCUMENTS"),
]


def from_layer(layer):
    """Returns a pattern for the tests of this layer and of all later layers, which may include its headers."""
    if layer not in LAYERS:
        return EVERYTHING
    if layer == "bench":
        return r"cli\.(benches|trailers|papers)"
    later = "|".join(LAYERS[LAYERS.index(layer) :])
    return r"unit\.cli\.|cli\." if layer in PROGRAMS else rf"unit\.({later})\.|(verify|cli|install)\."


def pattern_of(path):
    """Returns the pattern of RULES for a file; all tests if no rule matches."""
    for pattern, names in RULES:
        match = re.match(pattern, path)
        if match:
            return names(match)
    return EVERYTHING


def affected(paths, names, reads_documents):
    """Returns those of the test names that changes of the files `paths` can affect. reads_documents(name) returns whether a test reads documents."""
    patterns = {pattern_of(path) for path in paths}
    documents = "DOCUMENTS" in patterns
    return [
        name for name in names if any(re.match(pattern, name) for pattern in patterns) or (documents and reads_documents(name))
    ]  # fmt: skip


def reads_documents(name):
    """Returns whether the source of a test mentions a document."""
    kind, *rest = name.split(".")
    source = ROOT / "tests" / kind / ("/".join(rest[:-1])) / f"test_{rest[-1]}.{'sh' if kind == 'cli' else 'c'}"
    return source.exists() and re.search(r"docs/|README|CHANGELOG", source.read_text(encoding="utf-8")) is not None


def changed_files(base):
    def git(*words):
        listed = subprocess.run(["git", *words, "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        return {name for name in listed.split("\0") if name}

    return git("diff", "--name-only", "--no-renames", base) | git("ls-files", "--others", "--exclude-standard")


def run_in_order(tests, seconds, jobs):
    """Runs the tests, shortest first. Returns the output of the first that fails, or None."""
    failed = []

    def run_unless_failed(test):
        if failed:
            return
        result = run_test(test, {}, LIMIT)
        if result.passed:
            seconds[test["name"]] = result.seconds
        elif not failed:
            failed.append(f"{result.output[-5000:]}\nFAILED: {test['name']}")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run_unless_failed, sorted(tests, key=lambda test: seconds.get(test["name"], 1))))
    return failed[0] if failed else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", default="HEAD")
    parser.add_argument("--list", action="store_true", help="print the names of the tests only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    tests = {test["name"]: test for test in tests_of(ROOT, "dev")}
    names = affected(changed_files(arguments.base), tests, reads_documents)
    if arguments.list:
        print("\n".join(names))
        return 0
    times = ROOT / "build/dev/seconds.json"
    seconds = json.loads(times.read_text(encoding="utf-8")) if times.exists() else {}
    print(f"check: the change since {arguments.base} can affect {len(names)} of {len(tests)} tests", flush=True)
    failure = run_in_order([tests[name] for name in names], seconds, arguments.jobs)
    times.write_text(json.dumps(seconds), encoding="utf-8")
    print(failure or "check: all tests passed")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())

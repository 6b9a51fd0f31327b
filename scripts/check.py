#!/usr/bin/env python3
"""Checks rules of the source code that no compiler enforces.

    scripts/check.py CHECK [--root DIR] [--build DIR] [--part K/N]

    layers    a file includes headers, and calls functions, of its own layer and of earlier layers only
    globals   the library has no variables that outlive a call
    calls     the library does not print or exit, and allocates memory only by the allocator of its context
    names     all names that the library and its headers export begin with cmb_ or CMB_
    errors    no code searches or splits error messages; errors are records with fields
    hygiene   no file contains paths of one person's machine or notes about unfinished work
    format    clang-format changes nothing
    tidy      clang-tidy reports nothing
    selftest  every check above finds the errors that are planted in an example, and none in an example without errors
    scripts   scripts/mutation.py and scripts/affected.py give the right results for examples

Prints each finding as FILE:LINE: TEXT. Exit code: 0 nothing found, 1 findings, 2 the check cannot run.
Checks of object files and clang-tidy read a build folder configured with CAMBER_CHECKS=ON (the
preset release), which must be up to date. With --part, tidy checks only the K-th of N parts of the files.
"""
import argparse
import importlib
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from checks.tree import CannotCheck, Tree  # noqa: E402

CHECKS = ["layers", "globals", "calls", "names", "errors", "hygiene", "format", "tidy"]


def part(text):
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise argparse.ArgumentTypeError(f"{text} is not K/N with 1 <= K <= N")
    return k, n


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("check", choices=CHECKS + ["selftest", "scripts"], metavar="CHECK")
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=Path, default=root, help="the source tree")
    parser.add_argument("--build", type=Path, help="default: build/release below the root")
    parser.add_argument("--part", type=part, metavar="K/N", help="of the files, for tidy")
    arguments = parser.parse_args()

    tree = Tree(arguments.root, arguments.build or arguments.root / "build" / "release", arguments.part)
    check = importlib.import_module(f"checks.{arguments.check}_check")
    try:
        findings = sorted(set(check.run(tree)))
    except CannotCheck as problem:
        print(f"check {arguments.check}: {problem}", file=sys.stderr)
        return 2
    for finding in findings:
        print(finding)
    print(f"check {arguments.check}: {len(findings) or 'no'} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

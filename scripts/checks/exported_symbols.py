#!/usr/bin/env python3
"""Checks that the shared library exports exactly the functions and variables that its headers declare.

    exported_symbols.py LIBRARY.so INCLUDE_DIR

Preprocesses the headers (with CC, default cc) and takes the functions and variables that are declared outside of any braces. Exit code: 0
if the two sets are equal and not empty, else 1.
"""
import os
import re
import subprocess
import sys

MARKER = re.compile(r'^# \d+ "([^"]*)".*$')
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
FUNCTION = re.compile(r"\b(\w+)\s*\(")
VARIABLE = re.compile(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)*$")


def output_of(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def own_lines(include):
    """Yields the preprocessed lines of Camber's headers, without those of the C library's headers."""
    compiler = os.environ.get("CC", "cc")
    text = "#include <camber/camber.h>\n"
    file = ""
    for line in output_of(compiler, "-std=c11", "-E", f"-I{include}", "-xc", "-", text=text).splitlines():
        marker = MARKER.match(line)
        if marker:
            file = marker.group(1)
        elif os.path.realpath(file).startswith(os.path.realpath(include) + os.sep):
            yield line


def declared(include):
    text = ATTRIBUTE.sub(" ", "\n".join(own_lines(include)))
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", " ", text)
    names = set()
    for statement in text.split(";"):
        words = statement.split()
        if not words or words[0] in ("typedef", "static"):
            continue
        function = FUNCTION.search(statement)
        if function:
            names.add(function.group(1))
        elif words[0] == "extern":
            names.add(VARIABLE.search(statement.strip()).group(1))
    return names


def exported(library):
    listing = output_of("nm", "-D", "--defined-only", library)
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def main():
    library, include = sys.argv[1:3]
    in_headers, in_library = declared(include), exported(library)
    for name in sorted(in_headers - in_library):
        print(f"{name} is declared, but the library does not export it: does CMB_API stand before it?")
    for name in sorted(in_library - in_headers):
        print(f"{name} is exported, but no public header declares it")
    print(f"exported_symbols: {len(in_headers)} declared, {len(in_library)} exported")
    return 0 if in_headers == in_library and in_headers else 1


if __name__ == "__main__":
    sys.exit(main())

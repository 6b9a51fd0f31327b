"""Checks that the library has no variables that outlive a call, so that simulations in two threads cannot affect each other.

Reads the object files: symbols in .data, .bss and their thread-local counterparts, and tentative definitions, are
findings; symbols in .rodata and .data.rel.ro (constant tables that hold addresses) are not. The program may
have such variables (a signal handler needs one).
"""
import re

from .tree import Finding, symbols

VARIABLE_SECTION = re.compile(r"^(\.t?data|\.t?bss)(\.(?!rel\.ro\b)|$)|^\*COM\*$")


def run(tree):
    findings = []
    for path, compiled in tree.probe_objects().items():
        for symbol in symbols(compiled):
            if VARIABLE_SECTION.match(symbol.section):
                name = symbol.name.split(".")[0]  # a function's static variable is called name.1
                text = f"{name} can change and outlives the call: make it const, or pass it"
                findings.append(Finding(path, definition_line(tree, path, name), text))
    return findings


def definition_line(tree, path, name):
    """Returns the first line that contains the variable and `static`, or else the first one that contains the variable."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    lines = tree.code(path).split("\n")
    for number, line in enumerate(lines, 1):
        if word.search(line) and re.search(r"\b(static|_Thread_local)\b", line):
            return number
    return tree.line_of(path, name)

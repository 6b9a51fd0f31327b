"""Checks that the library calls no function that prints, ends the process or changes state of the whole process, and that it
allocates memory outside of base only by the allocator of its context. Checks also that it calls no BLAS or LAPACK function, since
the last bits of results would then depend on which of these libraries a machine has.

Searches the source text, which includes code that is not compiled on this machine, and the undefined symbols of the object files,
which include calls by macros and function pointers.
"""
import re

from .tree import Finding, layer_of, line_at, symbols

PRINT = """printf fprintf vprintf vfprintf dprintf vdprintf puts fputs putchar perror psignal
stdin stdout stderr"""
EXIT = "exit abort _Exit _exit quick_exit atexit at_quick_exit assert __assert_fail raise"
SHARED = "rand srand strtok setlocale"
MEMORY = """malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign valloc
strdup strndup asprintf vasprintf"""

REASONS = {
    **dict.fromkeys(PRINT.split(), "only the program prints"),
    **dict.fromkeys(EXIT.split(), "only the program ends the process; return a status"),
    **dict.fromkeys(SHARED.split(), "changes state of the whole process"),
    **dict.fromkeys(MEMORY.split(), "outside base, memory comes from the allocator hook"),
}
FORTRAN = re.compile(r"[sdcz][a-z0-9]{2,6}_")  # dgemm_, dgeev_: the names of BLAS and LAPACK
FORTRAN_REASON = "results must not depend on which BLAS is installed; see src/math"
IN_BASE = {name: reason for name, reason in REASONS.items() if name not in MEMORY.split()}


def forbidden(path):
    return IN_BASE if layer_of(path) == "base" else REASONS


def run(tree):
    findings = []
    for path in tree.library_files() + tree.public_headers():
        findings += calls_in_text(tree, path)
    seen = {(finding.path, finding.text) for finding in findings}
    for path, compiled in tree.probe_objects().items():
        for symbol in symbols(compiled):
            if symbol.section == "*UND*" and symbol.name in forbidden(path):
                word = "assert" if symbol.name == "__assert_fail" else symbol.name
                finding = describe(path, tree.line_of(path, word), word)
                if (path, finding.text) not in seen:
                    findings.append(finding)
            elif symbol.section == "*UND*" and FORTRAN.fullmatch(symbol.name):
                line = tree.line_of(path, symbol.name)
                findings.append(Finding(path, line, f"{symbol.name}: {FORTRAN_REASON}"))
    return findings


def calls_in_text(tree, path):
    """Returns findings for calls by name. A call of a member, as in hook->free(p), is not a call of the function."""
    names = "|".join(forbidden(path))
    call = re.compile(rf"(?<![\w.>])({names})\s*\(|(?<!\w)(stdin|stdout|stderr)\b")
    return [
        describe(path, line_at(match), match.group(1) or match.group(2))
        for match in call.finditer(tree.code(path))
    ]


def describe(path, line, name):
    return Finding(path, line, f"{name}: {REASONS[name]}")

"""Checks the order of the layers: no layer uses a later one.

A file in src/<layer>/ includes headers of its own layer and of earlier layers only, private ones as "<layer>/file.h", public ones as
<camber/layer.h>. The program camber (cli) uses the library by its public headers, as other programs do. Of the private headers it may
include only those of base that depend on no type of the library (SHARED), which write numbers and files and find names. The program
camber-bench may include private headers, as tests may. Public headers follow the same order and include only headers of the C library
besides. The umbrella header <camber/camber.h> is for the programs and for users. Calls of functions that a file declares itself are
found in the undefined symbols of the object files.
"""
import re
from pathlib import PurePath

from .tree import PROGRAMS, RANK, Finding, layer_of, line_at, symbols

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>)', re.MULTILINE)

SHARED = ["base/text.h", "base/file.h", "base/output.h"]

C_LIBRARY = {
    f"{name}.h"
    for name in """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
    signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
    threads time uchar wchar wctype""".split()
}


def run(tree):
    findings = []
    for path in tree.files(["src"]) + tree.public_headers():
        findings += includes_of_file(tree, path)
    return findings + calls_upwards(tree)


def includes_of_file(tree, path):
    is_public = path.startswith("include/")
    is_umbrella = path == "include/camber/camber.h"
    layer = layer_of(path)
    if layer is None and not is_umbrella:
        return [Finding(path, 1, f"belongs to no layer; there are: {', '.join(RANK)}")]
    findings = []
    for match in INCLUDE.finditer(tree.code(path, keep_strings=True)):
        quoted, angled = match.groups()
        problem = problem_of_include(quoted, angled, is_public)
        target = target_layer(quoted or angled)
        if not problem and target == "camber" and layer not in PROGRAMS:
            problem = "the umbrella header is for the programs and for users"
        elif not problem and target in RANK and layer and RANK[target] > RANK[layer]:
            problem = f"layer {layer} must not know the later layer {target}"
        elif not problem and layer == "cli" and quoted and target != "cli" and quoted not in SHARED:
            problem = f"the program uses public headers, and of the private ones only {', '.join(SHARED)}"
        if problem:
            findings.append(Finding(path, line_at(match), f"{quoted or angled}: {problem}"))
    return findings


def problem_of_include(quoted, angled, is_public):
    """Returns what is wrong with the form of an include directive, apart from the order of layers, or None."""
    first = PurePath(quoted or angled).parts[0]
    if quoted is not None and (first not in RANK or ".." in PurePath(quoted).parts):
        return 'write "layer/file.h" for a private header, <camber/layer.h> for a public one'
    if quoted is not None and is_public:
        return "a public header must not need a private one"
    if angled is not None and first in RANK and "/" in angled:
        return 'write "layer/file.h" for a private header'
    if first == "camber" and target_layer(angled) is None:
        return "there is one public header a layer, named after it"
    if is_public and first != "camber" and angled not in C_LIBRARY:
        return "a public header needs nothing but the C library"
    return None


def target_layer(name):
    """Returns the layer of a header of Camber, "camber" for the umbrella header, None for any other header."""
    path = PurePath(name)
    if path.parts[0] == "camber" and len(path.parts) == 2:
        return path.stem if path.stem in RANK or path.stem == "camber" else None
    return path.parts[0] if path.parts[0] in RANK and len(path.parts) > 1 else None


def calls_upwards(tree):
    """Returns a finding for each symbol that an object file uses and a later layer defines."""
    used, home = [], {}
    for path, compiled in tree.probe_objects().items():
        for symbol in symbols(compiled):
            if symbol.section == "*UND*":
                used.append((path, symbol.name))
            elif symbol.is_global:
                home[symbol.name] = layer_of(path)
    return [
        Finding(path, tree.line_of(path, name), f"{name} belongs to the later layer {home[name]}")
        for path, name in used
        if name in home and RANK[home[name]] > RANK[layer_of(path)]
    ]

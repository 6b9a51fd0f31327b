"""The tree under check: its layers, its files, the objects compiled from them, and findings."""
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

LAYERS = ["base", "math", "expr", "model", "dyn", "dae", "system", "form", "method", "sim", "export", "cli", "bench"]
PROGRAMS = ["cli", "bench"]
RANK = {layer: rank for rank, layer in enumerate(LAYERS)}

COMMENT_OR_STRING = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


class CannotCheck(Exception):
    """Something the check needs is not there, so it can say neither yes nor no."""


class Finding(NamedTuple):
    path: str  # relative to the root
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


class Symbol(NamedTuple):
    name: str
    section: str  # *UND* if it is only used here, *COM* for a tentative definition
    is_global: bool


class Tree:
    def __init__(self, root, build, part=None):
        self.root = Path(root).resolve()
        self.build = Path(build).resolve()
        self.part = part  # (k, n): a check that takes long looks at the k-th of n parts of the files

    def files(self, folders, suffixes=(".c", ".h")):
        """Files below the folders, as paths relative to the root. At least one must exist."""
        found = sorted(
            str(path.relative_to(self.root))
            for folder in folders
            for path in (self.root / folder).rglob("*")
            if path.is_file() and path.suffix in suffixes
        )
        if not found:
            raise CannotCheck(f"no {'/'.join(suffixes)} files in {', '.join(folders)}")
        return found

    def public_headers(self):
        return self.files(["include/camber"], (".h",))

    def library_files(self, suffixes=(".c", ".h")):
        """Files of all layers but the programs'."""
        outside = [None, *PROGRAMS]
        return [path for path in self.files(["src"], suffixes) if layer_of(path) not in outside]

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def code(self, path, keep_strings=False):
        """The text with comments (and strings) blanked out, line numbers unchanged."""

        def blank(match):
            if keep_strings and match.group("comment") is None:
                return match.group()
            return re.sub(r"[^\n]", " ", match.group())

        return COMMENT_OR_STRING.sub(blank, self.text(path))

    def line_of(self, path, word):
        """The first line that has the word as code; 1 if a macro put the word together."""
        match = re.search(rf"\b{re.escape(word)}\b", self.code(path))
        return line_at(match) if match else 1

    def compile_commands(self):
        """The build's compile database; each entry gets its words and the object it makes."""
        database = self.build / "compile_commands.json"
        if not database.is_file():
            raise CannotCheck(f"no compile database in {self.build}: configure and build first")
        entries = json.loads(database.read_text(encoding="utf-8"))
        for entry in entries:
            entry["arguments"] = shlex.split(entry.pop("command"))
            entry["output"] = entry["arguments"][entry["arguments"].index("-o") + 1]
        return entries

    def probe_objects(self):
        """{source: object} of the target camber-probe; every source of the library must have one."""
        objects = {
            Path(entry["file"]).resolve(): Path(entry["directory"]) / entry["output"]
            for entry in self.compile_commands()
            if is_probe(entry)
        }
        result = {}
        for path in self.library_files((".c",)):
            compiled = objects.get(self.root / path)
            if compiled is None or not compiled.is_file():
                raise CannotCheck(f"{path} has no probe object: build the preset release first")
            result[path] = compiled
        return result


def is_probe(entry):
    """Does this entry of the compile database belong to the target camber-probe?"""
    return "/camber-probe.dir/" in entry["output"]


def layer_of(path):
    """The layer of src/<layer>/... or include/camber/<layer>.h; None if there is no such layer."""
    parts = Path(path).parts
    if parts[0] == "src":
        name = parts[1] if len(parts) > 2 else ""
    else:
        name = Path(path).stem
    return name if name in RANK else None


def line_at(match):
    return match.string.count("\n", 0, match.start()) + 1


def run_tool(command, **options):
    """The finished process, with its output as text."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)
    except FileNotFoundError:
        raise CannotCheck(f"{command[0]} is not installed: run scripts/setup.sh test") from None


def symbols(compiled):
    """The symbols of an object file, without those that only name sections or files."""
    listing = run_tool(["objdump", "-t", str(compiled)])
    if listing.returncode != 0:
        raise CannotCheck(listing.stderr.strip())
    pattern = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ (?:\.hidden )?\s*(\S+)$", re.MULTILINE)
    return [
        Symbol(name, section, is_global=flags[0] != "l")
        for flags, section, name in pattern.findall(listing.stdout)
        if "d" not in flags
    ]

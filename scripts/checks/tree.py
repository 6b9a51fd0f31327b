"""What the checks share: the layers, files and object files of a source tree, and findings."""
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

LAYERS = ["base", "math", "rail", "expr", "model", "dyn", "dae", "system", "form", "method", "sim", "export", "cli", "bench"]
PROGRAMS = ["cli", "bench"]
RANK = {layer: rank for rank, layer in enumerate(LAYERS)}

COMMENT_OR_STRING = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


class CannotCheck(Exception):
    """Something that the check needs is missing, so that it has no result."""


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
        self.part = part  # (k, n): a check that takes long examines only the k-th of n parts of the files

    def files(self, folders, suffixes=(".c", ".h")):
        """Returns the files below the folders, as paths relative to the root. Raises CannotCheck if there is none."""
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
        """Returns the files of all layers except those of the programs."""
        outside = [None, *PROGRAMS]
        return [path for path in self.files(["src"], suffixes) if layer_of(path) not in outside]

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def code(self, path, keep_strings=False):
        """Returns the text of a file in which comments (and strings) are replaced by spaces, with unchanged line numbers."""

        def blank(match):
            if keep_strings and match.group("comment") is None:
                return match.group()
            return re.sub(r"[^\n]", " ", match.group())

        return COMMENT_OR_STRING.sub(blank, self.text(path))

    def line_of(self, path, word):
        """Returns the first line that contains the word as code, or 1 if there is none (a macro has composed the word)."""
        match = re.search(rf"\b{re.escape(word)}\b", self.code(path))
        return line_at(match) if match else 1

    def compile_commands(self):
        """Returns the entries of the compile database, each with the words of its command and with its object file."""
        database = self.build / "compile_commands.json"
        if not database.is_file():
            raise CannotCheck(f"no compile database in {self.build}: configure and build first")
        entries = json.loads(database.read_text(encoding="utf-8"))
        for entry in entries:
            entry["arguments"] = shlex.split(entry.pop("command"))
            entry["output"] = entry["arguments"][entry["arguments"].index("-o") + 1]
        return entries

    def probe_objects(self):
        """Returns {source: object file} of the target camber-probe. Raises CannotCheck if a source of the library has no object file."""
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
    """Returns whether this entry of the compile database belongs to the target camber-probe."""
    return "/camber-probe.dir/" in entry["output"]


def layer_of(path):
    """Returns the layer of src/<layer>/... or include/camber/<layer>.h, or None if there is no such layer."""
    parts = Path(path).parts
    if parts[0] == "src":
        name = parts[1] if len(parts) > 2 else ""
    else:
        name = Path(path).stem
    return name if name in RANK else None


def line_at(match):
    return match.string.count("\n", 0, match.start()) + 1


def run_tool(command, **options):
    """Runs a command and returns the finished process with its output as text. Raises CannotCheck if the command is not installed."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)
    except FileNotFoundError:
        raise CannotCheck(f"{command[0]} is not installed: run scripts/setup.sh test") from None


def symbols(compiled):
    """Returns the symbols of an object file, except those of sections and files."""
    listing = run_tool(["objdump", "-t", str(compiled)])
    if listing.returncode != 0:
        raise CannotCheck(listing.stderr.strip())
    pattern = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ (?:\.hidden )?\s*(\S+)$", re.MULTILINE)
    return [
        Symbol(name, section, is_global=flags[0] != "l")
        for flags, section, name in pattern.findall(listing.stdout)
        if "d" not in flags
    ]

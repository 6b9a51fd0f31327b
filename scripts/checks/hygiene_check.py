"""Checks that no file contains paths of one person's machine or notes about unfinished work."""
import re

from .tree import CannotCheck, Finding

FOLDERS = "src include tests examples bench scripts cmake docs models web .ci .".split()
SKIPPED_SUFFIXES = {".png", ".gif", ".jpg", ".webp", ".pdf", ".gz", ".h5", ".mat", ".woff2", ".pyc"}

# The words are put together here so that this file does not contain them.
OWN_FOLDERS = "|".join(["ho" + "me", "ro" + "ot", "wo" + "rk", "Us" + "ers"])
NOTES = "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3])
PATTERNS = [
    (re.compile(rf"(?<![\w.~}}-])/({OWN_FOLDERS})/"), "a path of one person's machine"),
    (re.compile(rf"\b({NOTES})\b"), "a note about unfinished work"),
]


def run(tree):
    findings = []
    count = 0
    for folder in FOLDERS:
        for path in sorted((tree.root / folder).glob("*" if folder == "." else "**/*")):
            if path.is_symlink() and path.readlink().is_absolute():
                findings.append(Finding(str(path.relative_to(tree.root)), 1, "a link to a path of one person's machine"))
            elif path.is_file() and path.suffix not in SKIPPED_SUFFIXES:
                count += 1
                findings += notes_in_file(tree, str(path.relative_to(tree.root)))
    if count == 0:
        raise CannotCheck("no files to search")
    return findings


def notes_in_file(tree, path):
    try:
        lines = tree.text(path).split("\n")
    except UnicodeDecodeError:
        return [Finding(path, 1, "is not UTF-8 text; if it is meant to be binary, list its suffix")]
    return [
        Finding(path, number, f"{match.group()}: {reason}")
        for number, line in enumerate(lines, 1)
        for pattern, reason in PATTERNS
        for match in pattern.finditer(line)
    ]

"""Runs clang-tidy on the library and the programs with the flags with which they are compiled.

.clang-tidy lists the checks that clang-tidy makes, and the reasons why others are off.

Nearly all of the time is spent in the static analyzer, which follows the paths through each function up to a number of states.
CAMBER_TIDY_STATES sets this number; `make campaign` uses the analyzer's default, 225000.
"""
import json
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .tree import CannotCheck, Finding, is_probe, run_tool

STATES = os.environ.get("CAMBER_TIDY_STATES", "75000")
MESSAGE = re.compile(r"^(.+?):(\d+):\d+: (?:error|warning): (.*)$", re.MULTILINE)


def run(tree):
    first, step = tree.part or (1, 1)
    sources = tree.files(["src"], (".c",))[first - 1 :: step]
    entries = {
        Path(entry["file"]).resolve(): entry
        for entry in tree.compile_commands()
        if not is_probe(entry)
    }
    for path in sources:
        if tree.root / path not in entries:
            raise CannotCheck(f"{path} is not in the compile database: configure first")

    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "compile_commands.json"
        database.write_text(json.dumps(list(entries.values())), encoding="utf-8")
        limit = ["-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={STATES}"]
        extra = [f"--extra-arg={word}" for word in limit]  # nice: tests in a browser, which check times, may run at the same time
        commands = [["nice", "clang-tidy", "--quiet", *extra, "-p", folder, path] for path in sources]
        with ThreadPoolExecutor(1 if tree.part else os.cpu_count()) as pool:
            results = pool.map(lambda command: tidy_findings(tree, command), commands)
            return [finding for findings in results for finding in findings]


def tidy_findings(tree, command):
    """Returns the findings of one run of clang-tidy. Raises CannotCheck if it fails without a finding."""
    result = run_tool(command, cwd=tree.root)
    findings = [
        Finding(os.path.relpath(tree.root / path, tree.root), int(line), text)
        for path, line, text in MESSAGE.findall(result.stdout)
    ]
    if result.returncode != 0 and not findings:
        raise CannotCheck(result.stdout.strip() + result.stderr.strip())
    return findings

"""Checks the layout of the C code: each line that clang-format would change is a finding. `make format` corrects them."""
import re

from .tree import CannotCheck, Finding, run_tool

FOLDERS = ["src", "include", "tests", "examples", "bench"]
MESSAGE = re.compile(r"^(.+?):(\d+):\d+: (?:error|warning): (.*)$", re.MULTILINE)


def run(tree):
    command = ["clang-format", "--style=file", "--dry-run", "--Werror"] + tree.files(FOLDERS)
    result = run_tool(command, cwd=tree.root)
    findings = [
        Finding(path, int(line), f"{text}; run make format")
        for path, line, text in MESSAGE.findall(result.stderr)
    ]
    if result.returncode != 0 and not findings:
        raise CannotCheck(result.stderr.strip())
    return findings

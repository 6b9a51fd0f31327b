"""Lists the tests of a build folder, as ctest knows them, and runs single tests; for scripts that choose tests and their order."""
import json
import os
import signal
import subprocess
import time
from typing import NamedTuple

SKIPPED = 77  # exit code of a test that cannot run because something is not installed


class Result(NamedTuple):
    passed: bool
    seconds: float
    output: str


def tests_of(tree, preset):
    """Returns the tests as a list of dictionaries with the keys name, command, folder and environment."""
    listed = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=tree, check=True, capture_output=True, text=True)
    return [test_of(entry) for entry in json.loads(listed.stdout)["tests"] if "command" in entry]


def test_of(entry):
    properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
    environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
    folder = properties.get("WORKING_DIRECTORY", ".")
    return {"name": entry["name"], "command": entry["command"], "folder": folder, "environment": environment}


def run_test(test, environment, limit):
    """Runs a test of tests_of with additional environment variables, for at most `limit` seconds; then ends all processes that it started."""
    start = time.monotonic()
    process = subprocess.Popen(
        test["command"], cwd=test["folder"], env={**os.environ, **test["environment"], **environment}, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        output, code = process.communicate(timeout=limit)[0], process.returncode
    except subprocess.TimeoutExpired:
        output, code = b"the test reached its time limit\n", None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return Result(code in (0, SKIPPED), time.monotonic() - start, output.decode(errors="replace"))

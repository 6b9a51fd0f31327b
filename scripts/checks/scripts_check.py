"""Tests scripts/mutation.py and scripts/affected.py on examples.

mutation.py: the example PROGRAM with mutants that are all off prints the same as without them; each mutant compiles and changes the output,
since the output depends on every operator, constant, index, condition and statement of the program. affected.py: the tests that changes of
given files can affect, CHANGES, are as expected.
"""
import shutil
import subprocess
import tempfile
from pathlib import Path

import affected
import mutation

from .tree import LAYERS, CannotCheck, Finding

MUTATION, AFFECTED = "scripts/mutation.py", "scripts/affected.py"

PROGRAM = """\
#include <stdio.h>
static const double SCALE = 0.5; /* a file constant; "a string" */
enum { COUNT = 3 };

static int mean(const int *x, int n, double *out)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * 2.5;
  if (n == 2 || !x[1]) return -1;
  *out = sum / (n - 1) + SCALE;
  return 7;
}

int main(void)
{
  const int x[] = {5, 1, 4, 8, 9}, y[] = {6, 0, 3};
  double all = 100;
  printf("%.1f %d %d %d %d ", all, x[0], x[4], y[0], y[2]);
  for (int k = COUNT - 2; k < COUNT + 2; k++) {
    const int status = mean(x + 1, k, &all);
    printf("%d %.3f ", status, all);
  }
  printf("%d %.3f\\n", mean(y, COUNT, &all), all);
  return 0;
}
"""
MUTANTS = 40  # the least number of mutants of PROGRAM

NAMES = ["unit.base.text", "unit.expr.graph", "unit.form.form", "unit.method.newton", "unit.cli.assignment", "verify.orders", "verify.errors",
         "cli.run", "cli.guide", "cli.benches", "install.example"]  # fmt: skip
LIBRARY = ["verify.orders", "verify.errors", "cli.run", "cli.guide", "cli.benches", "install.example"]
PROGRAM_TESTS = ["unit.cli.assignment", "cli.run", "cli.guide", "cli.benches"]
CHANGES = [
    (["src/form/scale.c"], ["unit.form.form", "unit.method.newton", "unit.cli.assignment", *LIBRARY]),
    (["src/base/text.c"], NAMES),
    (["include/camber/method.h"], ["unit.method.newton", "unit.cli.assignment", *LIBRARY]),
    (["include/camber/camber.h"], NAMES),
    (["src/cli/run.c"], PROGRAM_TESTS),
    (["src/bench/haug.c"], ["cli.benches"]),
    (["tests/unit/expr/test_graph.c"], ["unit.expr.graph"]),
    (["tests/verify/test_orders.c", "tests/cli/test_run.sh"], ["verify.orders", "cli.run"]),
    (["tests/support/check.h"], [name for name in NAMES if name.startswith(("unit.", "verify."))]),
    (["tests/support/cli.sh"], ["cli.run", "cli.guide", "cli.benches"]),
    (["docs/theory.md"], ["cli.guide"]),
    (["README.md", "bench/caraxis_race.c", "CONTRIBUTING.md"], ["cli.guide"]),
    (["models/sedan.yaml"], ["verify.orders", "verify.errors", "cli.run", "cli.guide", "cli.benches"]),
    (["CMakeLists.txt"], NAMES),
    (["tests/CMakeLists.txt"], NAMES),
    (["cmake/FindKLU.cmake"], NAMES),
    (["viewer/src/layout.js"], []),
    ([], []),
]  # fmt: skip


def run(tree):
    findings = []
    for paths, expected in CHANGES:
        found = affected.affected(paths, NAMES, lambda name: name == "cli.guide")
        if found != [name for name in NAMES if name in expected]:
            findings.append(Finding(AFFECTED, 1, f"for a change of {paths} it returns {found}"))
    for layer in LAYERS:
        if not affected.pattern_of(f"src/{layer}/x.c"):
            findings.append(Finding(AFFECTED, 1, f"it does not know the layer {layer}"))
    return findings + mutation_findings()


def mutation_findings():
    compiler = shutil.which("cc")
    if not compiler:
        raise CannotCheck("the compiler cc is not installed")
    sites = mutation.Code(PROGRAM).sites()
    findings = [Finding(MUTATION, 1, f"finds no mutant of the kind '{kind}'") for kind in mutation.KINDS if kind not in {site.kind for site in sites}]
    if len(sites) < MUTANTS:
        findings.append(Finding(MUTATION, 1, f"finds only {len(sites)} mutants"))
    with tempfile.TemporaryDirectory() as folder:
        build(compiler, Path(folder), PROGRAM)
        plain = printed(Path(folder))
        for number, site in enumerate(sites):
            what = f"line {site.line}: {site.before} -> {site.after}"
            if not build(compiler, Path(folder), mutation.apply(PROGRAM, {number: site})):
                findings.append(Finding(MUTATION, 1, f"a mutant does not compile: {what}"))
            elif printed(Path(folder)) != plain:
                findings.append(Finding(MUTATION, 1, f"a mutant that is off changes the output: {what}"))
            elif printed(Path(folder), CAMBER_MUTANT=str(number)) == plain:
                findings.append(Finding(MUTATION, 1, f"a mutant does not change the output: {what}"))
    return findings


def build(compiler, folder, text):
    (folder / "base").mkdir(exist_ok=True)
    (folder / "base/mutant.h").write_text(mutation.SWITCH_HEADER, encoding="utf-8")
    (folder / "switch.c").write_text(mutation.switch_source(1000), encoding="utf-8")
    (folder / "program.c").write_text(text, encoding="utf-8")
    command = [compiler, "-D_POSIX_C_SOURCE=200809L", "-w", "-I", folder, folder / "program.c", folder / "switch.c", "-o", folder / "program"]
    return subprocess.run(command, capture_output=True).returncode == 0


def printed(folder, **environment):
    """Returns the exit code and the output of the program."""
    try:
        result = subprocess.run([folder / "program"], env=environment, capture_output=True, timeout=2)
    except subprocess.TimeoutExpired:
        return "does not end"
    return f"{result.returncode} {result.stdout}"

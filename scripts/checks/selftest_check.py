"""Tests the checks: each must report every planted error in its line, and nothing else.

A small tree without errors, CLEAN, is written to a scratch folder and compiled like the probe objects of the real tree; all
checks must pass on it. Then each check runs on the same tree with files of BAD added. A planted error is a line that ends with
a comment /* BAD: words */; the check must report that line with these words. Thus a check that finds nothing, or that reports
correct code, fails here.
"""
import json
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from .tree import CannotCheck, Finding, is_probe, layer_of, run_tool

THIS = "scripts/checks/selftest_check.py"
PLANTED = re.compile(r"BAD: (.*?)(?: \*/| -->|$)")
REPORTED = re.compile(r"^([^:\n]+):(\d+): (.*)$", re.MULTILINE)

# Files without errors. Some of their code resembles what the checks forbid.
CLEAN = {
    "include/camber/base.h": """\
#ifndef CAMBER_BASE_H
#define CAMBER_BASE_H

#include <stddef.h>

#define CMB_LIMIT 3

typedef enum cmb_status { CMB_OK = 0 } cmb_status;

typedef struct cmb_hook {
  void *(*allocate)(size_t size);
  void (*free)(void *block);
} cmb_hook;

typedef struct cmb_error {
  int line;
  const char *kind, *text, *subject;
} cmb_error;

const char *cmb_status_name(int i);
cmb_hook cmb_default_hook(void);
const char *cmb_last_error(void);
const cmb_error *cmb_error_of(void);

#endif
""",
    "include/camber/math.h": """\
#ifndef CAMBER_MATH_H
#define CAMBER_MATH_H

#include <camber/base.h>

double cmb_sum(int n, const double *x);

#endif
""",
    "include/camber/camber.h": """\
#ifndef CAMBER_CAMBER_H
#define CAMBER_CAMBER_H

#include <camber/base.h>
#include <camber/math.h>

#endif
""",
    "src/base/names.c": """\
#include <camber/base.h>

#include <stdlib.h>

static const char *const NAMES[] = {"ok", "try again", "give up"};

const char *cmb_status_name(int i)
{
  return NAMES[i % CMB_LIMIT];
}

cmb_hook cmb_default_hook(void)
{
  return (cmb_hook){malloc, free};
}
""",
    "src/base/context.c": """\
#include <camber/base.h>

static const cmb_error none = {0, "", "", ""};

const char *cmb_last_error(void)
{
  return none.text;
}

const cmb_error *cmb_error_of(void)
{
  return &none;
}
""",
    "src/math/sum.h": """\
#ifndef MATH_SUM_H
#define MATH_SUM_H

double cmb_weight(int i);

#endif
""",
    "src/math/sum.c": """\
#include "math/sum.h"

#include <camber/base.h>
#include <camber/math.h>

#include <stdio.h>

_Static_assert(sizeof(double) == 8, "printf(double)");

static const double WEIGHTS[] = {0.5, 1.0, 0.5};

double cmb_weight(int i)
{
  static const int last = 2;
  return i < last ? WEIGHTS[i] : WEIGHTS[last]; /* neither printf() nor exit() */
}

double cmb_sum(int n, const double *x)
{
  cmb_hook hook = cmb_default_hook();
  char *text = hook.allocate(CMB_LIMIT);
  if (text != NULL) (void)snprintf(text, CMB_LIMIT, "%d", n);
  hook.free(text);
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
""",
    "src/base/text.h": "/* numbers as text */\n",
    "src/bench/bench.h": "/* what benches share */\n",
    "src/bench/main.c": """\
#include "base/text.h"
#include "math/sum.h"

#include <camber/camber.h>
""",
    "src/cli/main.c": """\
#include "base/text.h"

#include <camber/camber.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static int is_about_a_joint(const char *text) /* not strstr(cmb_last_error(), "joint") */
{
  const cmb_error *e = cmb_error_of();
  return text[0] != 'x' && e->line > 0 && strcmp(e->kind, "joint") == 0;
}

int main(void)
{
  interrupted = 0;
  printf("%g %s %s\\n", cmb_sum(0, NULL), cmb_last_error(), cmb_error_of()->text);
  if (is_about_a_joint("text")) printf("%s\\n", strstr("a joint", "joint"));
  exit(interrupted);
}
""",
    "docs/guide.md": "See https://example.org/" + "wo" + "rk/ and mktemp /tmp/a.XXXXXX.\n",
}

# {check: [{path: text}, ...]}: for each check, one or more sets of files that are added to CLEAN.
BAD = {
    "layers": [
        {
            "src/base/up.h": "\n",
            "src/base/up.c": """\
#include "math/sum.h" /* BAD: later layer math */
#include <camber/math.h> /* BAD: later layer math */
#include <camber/camber.h> /* BAD: umbrella */
#include "up.h" /* BAD: write "layer/file.h" */
#include "../math/sum.h" /* BAD: write "layer/file.h" */
#include "base/../math/sum.h" /* BAD: write "layer/file.h" */
#include <math/sum.h> /* BAD: write "layer/file.h" */
 #  include "math/sum.h" /* BAD: later layer math */
/*
#include "sim/comment.h"
*/
#include <camber/extra.h> /* BAD: one public header a layer */
""",
            "include/camber/extra.h": "/* BAD: belongs to no layer */\n",
            "src/base/declares.c": """\
double cmb_weight(int i); /* BAD: cmb_weight belongs to the later layer math */
double cmb_around(void);

double cmb_around(void)
{
  return cmb_weight(1);
}
""",
            "src/cli/inside.c": """\
#include "base/text.h"
#include "base/up.h" /* BAD: the program uses public headers */
#include "math/sum.h" /* BAD: the program uses public headers */
#include "bench/bench.h" /* BAD: later layer bench */
#include <camber/math.h>
""",
            "src/gadgets/wheel.c": "/* BAD: belongs to no layer */\n",
            "include/camber/dae.h": """\
#include "math/sum.h" /* BAD: must not need a private one */
#include <camber/sim.h> /* BAD: later layer sim */
#include <camber/math.h>
#include <klu.h> /* BAD: nothing but the C library */
#include <math.h>
""",
        }
    ],
    "globals": [
        {
            "src/math/state.c": """\
static int counter; /* BAD: counter */
double cmb_initialised = 1.0; /* BAD: cmb_initialised */
int cmb_zero; /* BAD: cmb_zero */
static _Thread_local int per_thread = 3; /* BAD: per_thread */
static _Thread_local int per_thread_zero; /* BAD: per_thread_zero */
__attribute__((common)) int cmb_common; /* BAD: cmb_common */
static double never_written[3] = {1.0, 2.0, 3.0}; /* BAD: never_written */
static const char *words[] = {"a", "b"}; /* BAD: words */
static const char *const fixed[] = {"a", "b"};
static void (*const handlers[])(void) = {0};

const char *cmb_use(int i);

const char *cmb_use(int i)
{
  static int calls; /* BAD: calls */
  static const int limits[] = {1, 2};
  counter += limits[i] + ++calls + per_thread + per_thread_zero + (handlers[0] == 0);
  return never_written[i] > 1.0 ? words[i] : fixed[i];
}
"""
        }
    ],
    "calls": [
        {
            "include/camber/dae.h": "static inline void cmb_stop(void) { abort(); } /* BAD: abort */\n",
            "src/base/memory.c": """\
#include <stdlib.h>

void *cmb_get(void);

void *cmb_get(void)
{
  void *block = malloc(1);
  if (!block) exit(1); /* BAD: exit */
  return block;
}
""",
            "src/math/lapack.c": """\
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info); /* BAD: dgetrf_ */
void cmb_factor(int n, double *a, int *pivot);

void cmb_factor(int n, double *a, int *pivot)
{
  int info;
  dgetrf_(&n, &n, a, &n, pivot, &info);
}
""",
            "src/math/macro.c": """\
/* BAD: puts */
#include <stdio.h>
#define JOIN(a, b) a##b

void cmb_hidden(void);

void cmb_hidden(void)
{
  JOIN(pu, ts)("x");
}
""",
            "src/math/pointer.c": """\
#include <stdlib.h>

void cmb_release(void *block);

void cmb_release(void *block)
{
  void (*release)(void *) = free; /* BAD: free */
  release(block);
}
""",
            "src/math/talk.c": """\
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cmb_talk(FILE *file, const char *text, va_list rest);

void cmb_talk(FILE *file, const char *text, va_list rest)
{
  printf("x"); /* BAD: printf */
  printf ("x\\n"); /* BAD: printf */
  fprintf(file, "x"); /* BAD: fprintf */
  vprintf(text, rest); /* BAD: vprintf */
  vfprintf(file, text, rest); /* BAD: vfprintf */
  puts(text); /* BAD: puts */
  fputs(text, file); /* BAD: fputs */
  putchar('x'); /* BAD: putchar */
  perror(text); /* BAD: perror */
  fwrite(text, 1, 1, stderr); /* BAD: stderr */
  fwrite(text, 1, 1, file);
  assert(text != NULL); /* BAD: assert */
  free(realloc(calloc(1, 1), 2)); /* BAD: free|realloc|calloc */
  file = (FILE *)strdup(text); /* BAD: strdup */
  if (rand()) abort(); /* BAD: rand|abort */
  _Exit(1); /* BAD: _Exit */
#ifdef NEVER
  malloc(1); /* BAD: malloc */
#endif
}
""",
        }
    ],
    "names": [
        {
            "src/math/helper.c": """\
int helper(void); /* BAD: helper is exported */

int helper(void)
{
  return 1;
}
""",
            "include/camber/dae.h": """\
#ifndef CAMBER_DAE_H
#define CAMBER_DAE_H
#define LIMIT 3 /* BAD: macro LIMIT */
#define CAMBER_SIM_H /* BAD: macro CAMBER_SIM_H */
struct cmb_plan;
typedef struct body { /* BAD: struct body */
  int number;
} cmb_body;
typedef double real; /* BAD: typedef 'real' */
typedef enum cmb_color { CMB_BLUE, RED } cmb_color; /* BAD: enum constant 'RED' */
union any { /* BAD: union any */
  int i;
};
int count_bodies(const cmb_body *body); /* BAD: function 'count_bodies' */
static inline int cmb_twice(int i)
{
  const int two = 2;
  return two * i;
}
extern const int answer; /* BAD: 'answer' */
#endif
""",
        }
    ],
    "errors": [
        {
            "src/math/words.c": """\
#include <camber/base.h>

#include <stdio.h>

void cmb_copy(char *to);

void cmb_copy(char *to)
{
  snprintf(to, 80, "%s", cmb_last_error()); /* BAD: cmb_last_error */
}
""",
            "src/cli/words.c": """\
#include <camber/base.h>

#include <stdio.h>
#include <string.h>

int name_of(char *name);
int place_of(void);
int copies(void);
int parts(void);

int name_of(char *name)
{
  const char *found = strstr(cmb_last_error(), "constraint '"); /* BAD: strstr */
  return found && sscanf(found, "%s", name) == 1;
}

int place_of(void)
{
  int line;
  const char *words = cmb_last_error();
  return sscanf(words, "%d:", &line) == 1 ? line : 0; /* BAD: sscanf */
}

int copies(void)
{
  char sentence[80], text[80];
  snprintf(sentence, sizeof sentence, "%s",
           cmb_last_error());
  memcpy(text, sentence, sizeof text);
  if (cmb_last_error()[0] == '\\0') return 1; /* BAD: takes a message apart */
  if (*(cmb_last_error() + 3) == ':') return 2; /* BAD: takes a message apart */
  return strchr( /* BAD: strchr */
             text, ':') != NULL;
}

int parts(void)
{
  const cmb_error *e = cmb_error_of();
  const char *text = e->text;
  if (strcmp(e->kind, "joint") == 0) return 1;
  if (strncmp(text, "no ", 3) == 0) return 2; /* BAD: strncmp */
  if (strcmp(e->subject, "joint 'a'") == 0) return 3; /* BAD: strcmp */
  if (e->text[0] == 'x') return 4; /* BAD: takes a message apart */
  return strstr(cmb_error_of()->text, "rank") != NULL; /* BAD: strstr */
}
""",
        }
    ],
    "hygiene": [
        {
            "docs/notes.md": "Start it in /" + "ho" + "me/ada/camber. <!-- BAD: machine -->\n",
            "src/math/paths.c": "\n".join([
                '#define A "/' + "wo" + 'rk/camber" /* BAD: machine */',
                "/* see /" + "ro" + "ot/.profile; BAD: machine */",
                "// TO" + "DO: BAD: unfinished",
                "/* FIX" + "ME later; BAD: unfinished */",
                "int x; /* X" + "XX BAD: unfinished */",
                "",
            ]),
            "run.sh": "cd /" + "Us" + "ers/ada # BAD: machine\n",
        }
    ],
    "format": [
        {
            "src/math/layout.c": """\
int cmb_layout(int *p);

int cmb_layout(int* p) /* BAD: clang-format */
{
  if (p != 0)   return *p; /* BAD: clang-format */
  return 0;
}
""",
            "tests/unit/math/test_sum.c": "int  main(void); /* BAD: clang-format */\n",
        }
    ],
    "tidy": [
        {
            "src/math/bug.h": """\
#define CMB_TWICE(x) 2 * x /* BAD: bugprone-macro-parentheses */
""",
            "src/math/bug.c": """\
#include "math/bug.h"

int cmb_bug(int n);

int cmb_bug(int n)
{
  int *nothing = 0;
  if (n > 3) return *nothing; /* BAD: clang-analyzer-core.NullDereference */
  if (n < n) return 1; /* BAD: misc-redundant-expression */
  return CMB_TWICE(n);
}
""",
            "src/cli/bug.c": """\
#include <string.h>

int cmb_is_help(const char *text);

int cmb_is_help(const char *text)
{
  if (strcmp(text, "help")) return 0; /* BAD: bugprone-suspicious-string-compare */
  return 1;
}
""",
        }
    ],
}


def run(tree):
    build_probe = probe_compiler(tree)
    findings = []
    with tempfile.TemporaryDirectory(prefix="camber-selftest-") as folder:
        for check, bad_trees in BAD.items():
            scratch = Scratch(tree, Path(folder) / check, build_probe)
            findings += scratch.expect(check)
            for files in bad_trees:
                scratch.add(files)
                findings += scratch.expect(check)
            findings += scratch.expect_refusal(check)
    return findings


def probe_compiler(tree):
    """Returns the command that compiles the probe objects of the real tree, without files and include folders."""
    for entry in filter(is_probe, tree.compile_commands()):
        words = entry["arguments"]
        for option in ("-o", "-c", "-isystem"):
            if option in words:
                at = words.index(option)
                del words[at : at + 2]
        return [word for word in words if not word.startswith("-I")]
    raise CannotCheck("the build has no target camber-probe: configure the preset release first")


class Scratch:
    """A small compiled tree on which checks run."""

    def __init__(self, tree, root, compiler):
        self.checker = tree.root / "scripts" / "check.py"
        self.root = root
        self.build = root / "build"
        self.compiler = compiler
        self.files = {}
        self.build.mkdir(parents=True)
        for name in (".clang-format", ".clang-tidy"):
            shutil.copy(tree.root / name, root / name)
        self.add(CLEAN)

    def add(self, files):
        self.files.update(files)
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        entries = []
        for path in self.files:
            if path.startswith("src/") and path.endswith(".c") and layer_of(path):
                entries += self.compile(path)
        (self.build / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")

    def compile(self, path):
        """Compiles one source as a probe object. Returns its entries in the compile database."""
        output = f"CMakeFiles/camber-probe.dir/{path}.o"
        (self.build / output).parent.mkdir(parents=True, exist_ok=True)
        source = str(self.root / path)
        folders = [f"-I{self.root}/include", f"-I{self.root}/src"]
        command = self.compiler + folders + ["-o", output, "-c", source]
        result = run_tool(command, cwd=self.build)
        if result.returncode != 0:
            raise CannotCheck(f"the self-test's {path} does not compile:\n{result.stderr}")
        plain = ["cc", "-std=c11", *folders, "-o", f"CMakeFiles/camber.dir/{path}.o", "-c", source]
        return [
            {"directory": str(self.build), "file": source, "command": shlex.join(words)}
            for words in (command, plain)
        ]

    def check(self, name):
        return run_tool([sys.executable, str(self.checker), name,
                         "--root", str(self.root), "--build", str(self.build)])

    def expect(self, name):
        """Returns findings unless the check reports exactly the planted lines and its exit code is right."""
        planted = {
            (path, number): match.group(1)
            for path, text in self.files.items()
            for number, line in enumerate(text.split("\n"), 1)
            for match in PLANTED.finditer(line)
        }
        result = self.check(name)
        reported = {}
        for path, line, text in REPORTED.findall(result.stdout):
            reported.setdefault((path, int(line)), []).append(text)

        problems = []
        if result.returncode != (1 if planted else 0):
            problems.append(f"exit code {result.returncode}: {result.stderr.strip()}")
        for place, words in planted.items():
            for word in words.split("|"):
                if not any(word in text for text in reported.get(place, [])):
                    problems.append(f"does not find {place[0]}:{place[1]}: {word}")
        for place in reported.keys() - planted.keys():
            problems.append(f"wrongly reports {place[0]}:{place[1]}: {reported[place]}")
        return [Finding(THIS, 1, f"{name}: {problem}") for problem in problems]

    def expect_refusal(self, name):
        """Returns a finding unless the check of an empty tree ends with exit code 2 (cannot check)."""
        for path in self.root.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        code = self.check(name).returncode
        return [] if code == 2 else [Finding(THIS, 1, f"{name}: exit code {code} for an empty tree")]

"""Makes mutants of C code: finds the places where a small error can be made, and writes the erroneous code behind a switch.

A mutant is one error: a wrong operator, constant, index or condition, or a missing statement. The expression E that contains it becomes

    (CMB_MUTANT(17) ? (E with the error) : (E))

and a statement S becomes `if (!CMB_MUTANT(17)) { S }`. A condition C becomes `(C) && !CMB_MUTANT(17)` or `(C) || CMB_MUTANT(17)`, so that
CMB_MUTANT is evaluated only where the mutant changes the value. A constant at file scope is followed by a macro of the same name. One
build therefore contains all mutants; CMB_MUTANT(k) (SWITCH_HEADER below) is true if mutant k is on. The code is split into tokens but not
parsed, so that some mutants do not compile (for example one in the size of an array); the caller then chooses another one.
"""
import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*|(?m:^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*))
      | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^~!<>=?:;,.(){}\[\]])""",
    re.DOTALL | re.VERBOSE,
)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
EDGES = {",", ";", "?", ":", "{", "}", "return", "case", "else", "do"} | ASSIGNMENTS  # around an expression
TYPES = {"const", "static", "struct", "enum", "union", "int", "double", "char", "bool", "void", "unsigned", "long", "size_t", "float", "typedef"}
KEYWORDS = {"return", "if", "else", "for", "while", "do", "switch", "case", "default", "goto", "sizeof"}
BINARY = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"], "%": ["/"], "&": ["|"], "|": ["&"],
}  # fmt: skip
UPDATES = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
KINDS = ["operator", "constant", "file constant", "index", "condition", "statement"]

SWITCH_HEADER = """\
#ifndef CMB_BASE_MUTANT_H
#define CMB_BASE_MUTANT_H
extern volatile unsigned char *cmb_mutant_reached;
extern unsigned char cmb_mutant_on[];
#define CMB_MUTANT(k) (cmb_mutant_reached[k] = 1, cmb_mutant_on[k])
#endif
"""

# The environment variable CAMBER_MUTANT lists the numbers of the mutants that are on, separated by commas. CAMBER_MUTANTS_REACHED names a
# file with a byte for each mutant, which becomes 1 when a process with this environment evaluates its switch.
SWITCH_SOURCE = """\
#include "base/mutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char nowhere[%(most)d];
volatile unsigned char *cmb_mutant_reached = nowhere;
unsigned char cmb_mutant_on[%(most)d];
__attribute__((constructor)) static void look_for_mutant(void)
{
  const char *numbers = getenv("CAMBER_MUTANT"), *path = getenv("CAMBER_MUTANTS_REACHED");
  for (char *end; numbers && *numbers; numbers = *end ? end + 1 : end) cmb_mutant_on[strtol(numbers, &end, 10)] = 1;
  const int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *bytes = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes != MAP_FAILED) cmb_mutant_reached = bytes;
}
"""


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Site(NamedTuple):
    kind: str  # one of KINDS
    start: int  # the text from start to end is replaced, so that two sites of a file must not overlap
    end: int
    form: str  # the new text, where @ stands for the call of the switch
    line: int
    before: str  # the original code and the erroneous code, as messages show them
    after: str


class Code:
    """The tokens of a file, the matching bracket of each bracket, and for each token whether it is inside a function."""

    def __init__(self, text):
        self.text = text
        self.tokens = []
        place = 0
        while place < len(text):
            match = TOKEN.match(text, place)
            if not match:
                raise ValueError(f"not C: {text[place:place + 20]!r}")
            if match.lastgroup != "space":
                self.tokens.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
            place = match.end()
        self.partner, open_ones, self.inside = {}, [], []
        for i, token in enumerate(self.tokens):
            if token.text in OPENING:
                open_ones.append(i)
            elif token.text in CLOSING:
                self.partner[i] = open_ones.pop()
                self.partner[self.partner[i]] = i
            outermost = open_ones[0] if open_ones else None
            self.inside.append(outermost is not None and self.tokens[outermost].text == "{" and self.word(outermost - 1) == ")")

    def word(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def line(self, i):
        return self.text.count("\n", 0, self.tokens[i].start) + 1

    def expression(self, i, logical):
        """Returns the first and last token of the expression around token i, or None. `logical`: && and || belong to the expression."""
        edges = EDGES if logical else EDGES | {"&&", "||"}
        first = last = i
        while True:
            before = self.word(first - 1)
            if before in CLOSING and before != "}":
                if before == ")" and self.word(self.partner[first - 1] - 1) in {"if", "for", "while", "switch"}:
                    break
                first = self.partner[first - 1]
            elif before in OPENING or before in edges or not before:
                break
            else:
                first -= 1
        while True:
            after = self.word(last + 1)
            if after in ("(", "["):
                last = self.partner[last + 1]
            elif after in ASSIGNMENTS or after == "{" or not after:
                return None  # the left side of an assignment, or a declaration
            elif after in CLOSING or after in edges:
                return first, last
            else:
                last += 1

    def span(self, first, last):
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def with_token(self, first, last, i, new):
        """Returns the text from token first to token last, with the text of token i replaced."""
        start, end = self.tokens[first].start, self.tokens[last].end
        return self.text[start : self.tokens[i].start] + new + self.text[self.tokens[i].end : end]

    # ---- the sites of each kind at token i

    def in_expression(self, kind, i, new, logical=False):
        around = self.expression(i, logical)
        if not around:
            return []
        before, after = self.span(*around), self.with_token(*around, i, new)
        start, end = self.tokens[around[0]].start, self.tokens[around[1]].end
        return [Site(kind, start, end, f"(@ ? ({after}) : ({before}))", self.line(i), before, after)]

    def operators(self, i):
        word, before = self.word(i), self.word(i - 1)
        operand = before in (")", "]") or (self.tokens[i - 1].kind in ("name", "number") and before not in KEYWORDS)
        sites = []
        if word in BINARY and operand:
            for new in BINARY[word]:
                sites += self.in_expression("operator", i, new, word in ("&&", "||"))
        elif word in ("-", "!") and not operand:
            sites += self.in_expression("operator", i, " ")
        elif word in UPDATES:
            first, last = self.statement_around(i)
            if first is not None:
                before, after = self.span(first, last), self.with_token(first, last, i, UPDATES[word])
                form = f"if (@) {{ {after} }} else {{ {before} }}"
                sites.append(Site("operator", self.tokens[first].start, self.tokens[last].end, form, self.line(i), before, after))
        return sites

    def constants(self, i):
        if self.tokens[i].kind != "number":
            return []
        return [site for new in other_numbers(self.word(i)) for site in self.in_expression("constant", i, new)]

    def indices(self, i):
        if self.word(i) != "[" or self.word(i + 1) == "]":
            return []
        first, last = i + 1, self.partner[i] - 1
        before = self.span(first, last)
        start, end, line = self.tokens[first].start, self.tokens[last].end, self.line(i)
        base = self.word(i - 1) if self.tokens[i - 1].kind == "name" else ".."
        return [
            Site("index", start, end, f"(@ ? ({before}) {step} 1 : ({before}))", line, f"{base}[{before}]", f"{base}[{before} {step} 1]")
            for step in "+-"
        ]

    def conditions(self, i):
        if self.word(i) not in ("if", "while") or self.word(i + 1) != "(":
            return []
        first, last = i + 2, self.partner[i + 1] - 1
        before = self.span(first, last)
        start, end, line = self.tokens[first].start, self.tokens[last].end, self.line(i)
        return [
            Site("condition", start, end, f"(({before}) {always})", line, f"{self.word(i)} ({before})", f"{self.word(i)} ({value})")
            for value, always in (("0", "&& !@"), ("1", "|| @"))[: 2 if self.word(i) == "if" else 1]
        ]

    def statement_around(self, i):
        """Returns the first and last token of the expression statement that contains token i, or (None, None)."""
        first = i
        while self.word(first - 1) not in (";", "{", "}", "else", "do", ":", ""):
            if self.word(first - 1) in (")", "]"):
                opening = self.partner[first - 1]
                if self.word(opening - 1) in ("if", "for", "while", "switch"):
                    break
                first = opening
            elif self.word(first - 1) in ("(", "["):
                return None, None  # inside brackets: the third part of a for statement, or an argument
            else:
                first -= 1
        last = i
        while self.word(last) != ";":
            last = self.partner[last] if self.word(last) in OPENING else last
            last += 1
            if last >= len(self.tokens) or self.word(last) in ("}", ")"):
                return None, None
        return first, last

    def statements(self, i):
        before = self.word(i - 1)
        starts = before in (";", "{", "}", "else") or (before == ")" and self.word(self.partner[i - 1] - 1) in ("if", "for", "while"))
        word = self.word(i)
        if not starts or word in TYPES or (word in KEYWORDS) or (self.tokens[i].kind != "name" and word not in ("*", "(", "++", "--")):
            return []
        if before == ";" and self.is_in_parentheses(i):
            return []  # a part of a for statement
        first, last = self.statement_around(i)
        if first != i:
            return []
        text = self.span(first, last)
        form = f"if (!@) {{ {text} }}"
        return [Site("statement", self.tokens[first].start, self.tokens[last].end, form, self.line(i), text, "(nothing)")]

    def is_in_parentheses(self, i):
        depth = 0
        while i > 0:
            i -= 1
            if self.word(i) in CLOSING:
                i = self.partner[i]
            elif self.word(i) in OPENING:
                return self.word(i) == "("
        return depth > 0

    def file_constants(self, i):
        """Returns the sites of `static const double NAME = VALUE;` and `enum { NAME = VALUE }`: a macro NAME with either value."""
        if self.word(i + 1) != "=" or self.tokens[i].kind != "name" or self.tokens[i + 2].kind != "number" or self.word(i + 3) not in (";", ",", "}"):
            return []
        if not (self.word(i - 1) in ("double", "int", "{", ",")):
            return []
        name, value = self.word(i), self.word(i + 2)
        last = i + 3
        while self.word(last) != ";":
            last += 1
        end = self.tokens[last].end
        return [
            Site("file constant", end, end, f"\n#define {name} (@ ? {new} : {value})\n", self.line(i), f"{name} = {value}", f"{name} = {new}")
            for new in other_numbers(value)
        ]

    def sites(self):
        found = []
        for i, token in enumerate(self.tokens):
            if self.inside[i]:
                found += self.operators(i) + self.constants(i) + self.indices(i) + self.conditions(i) + self.statements(i)
            elif token.kind == "name":
                found += self.file_constants(i)
        return found


def other_numbers(text):
    """Returns the numbers that replace a constant: n + 1 and n - 1 for an integer, 10 times and a tenth for another number."""
    if re.fullmatch(r"\d+", text):
        value = int(text)
        return ["1"] if value == 0 else [str(value + 1), str(value - 1)]
    if re.fullmatch(r"[\d.]+(?:[eE][-+]?\d+)?", text):
        return ["1.0"] if float(text) == 0 else [f"{text} * 10", f"{text} / 10"]
    return []


def overlap(one, other):
    return one.start < other.end and other.start < one.end or one.start == other.start


def apply(text, sites):
    """Returns the text of the file with these sites, a dictionary {number: site}, behind their switches. Sites must not overlap."""
    for number, site in sorted(sites.items(), key=lambda item: -item[1].start):
        text = text[: site.start] + site.form.replace("@", f"CMB_MUTANT({number})") + text[site.end :]
    return '#include "base/mutant.h"\n' + text


def switch_source(most):
    return SWITCH_SOURCE % {"most": most}

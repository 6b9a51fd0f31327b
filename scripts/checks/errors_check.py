"""Checks that no code searches or splits error messages.

The record of cmb_error_of has status, file, line, column, kind, name and time as fields. The library does not
use the message of cmb_last_error; it keeps and repeats errors as records. In all of src, including the program,
the message, the texts of a cmb_error and copies of them must not be arguments of functions that search, compare
or scan text, and must not be indexed or shortened.
"""
import re

from .tree import Finding, layer_of

SENTENCE = r"\bcmb_last_error\s*\([^()]*\)"
MEMBER = r"(?:->|\.)\s*(?:text|subject)\b"
OWNER = "src/base/context.c"
SEARCHES = r"""\b(?:strstr|strcasestr|strchr|strrchr|strchrnul|strpbrk|strspn|strcspn|strtok|strtok_r|strsep|strcmp
    |strncmp|strcasecmp|strncasecmp|memchr|memcmp|memmem|sscanf|vsscanf|strtol|strtoul|strtod|atoi|atof|regexec
    |fnmatch|cmb_parse_number)""".replace("\n", "").replace(" ", "")
CALL = re.compile(SEARCHES + r"\s*\(")
ERROR = re.compile(r"\bcmb_error\s*\*?\s*(?:const\s+)?(\w+)\s*[=,;)]")
COPY = re.compile(r"\b(?:v?snprintf|strn?cpy|memcpy|memmove|strn?cat|strlcpy|stpcpy)\s*\(\s*&?(\w+)")
FUNCTION_END = re.compile(r"^}.*$", re.MULTILINE)


def run(tree):
    findings = []
    for path in tree.files(["src"]):
        code = tree.code(path)
        if layer_of(path) != "cli" and path != OWNER:
            findings += uses_of_the_sentence(path, code)
        start = 0
        for end in [match.end() for match in FUNCTION_END.finditer(code)] + [len(code)]:
            findings += taken_apart(path, code[start:end], code.count("\n", 0, start))
            start = end
    return findings


def uses_of_the_sentence(path, code):
    return [
        Finding(path, line, "cmb_last_error: the library keeps and repeats failures as records")
        for line in (code.count("\n", 0, match.start()) + 1 for match in re.finditer(SENTENCE, code))
    ]


def taken_apart(path, function, lines_before):
    """Returns the findings in the code of one function."""
    originals = texts_of_errors(function)
    return [
        Finding(path, lines_before + function.count("\n", 0, offset) + 1, reason)
        for offset, reason in looks(function, originals, with_copies(function, originals))
    ]


def texts_of_errors(function):
    """Returns a pattern for the texts of errors in a function: the message of cmb_last_error, and members of each cmb_error."""
    records = [r"cmb_error_of\s*\([^()]*\)"] + sorted(set(ERROR.findall(function)))
    return rf"{SENTENCE}|\b(?:{'|'.join(records)})\s*{MEMBER}"


def with_copies(function, originals):
    """Returns the pattern `originals` extended by all variables that hold such a text or, directly or indirectly, a copy of it."""
    known, copies = None, set()
    while copies != known:
        known = set(copies)
        texts = "|".join([originals] + [rf"\b{name}\b" for name in sorted(known)])
        for name in re.findall(rf"\b(\w+)(?:\[[^\]]*\])?\s*=\s*(?:{texts})(?!\s*[=!])", function):
            copies.add(name)
        for match in COPY.finditer(function):
            if re.search(texts, arguments(function, match.end())):
                copies.add(match.group(1))
    return texts


def looks(function, originals, texts):
    """Yields (offset, reason) of each place where one of the texts is searched, compared, scanned, indexed or shortened."""
    for match in CALL.finditer(function):
        if re.search(texts, arguments(function, match.end())):
            name = match.group().rstrip("( \t\n")
            yield match.start(), f"{name}: takes a message apart; cmb_error_of has its parts"
    for match in re.finditer(rf"(?:{originals})\s*[\[+]", function):
        yield match.start(), "takes a message apart; cmb_error_of has its parts"


def arguments(function, start):
    """Returns the text of the arguments of a call, from `start` inside its parentheses to the closing one."""
    depth = 1
    for at in range(start, len(function)):
        depth += {"(": 1, ")": -1}.get(function[at], 0)
        if depth == 0:
            return function[start:at]
    return function[start:]

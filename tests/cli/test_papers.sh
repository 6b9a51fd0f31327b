#!/usr/bin/env bash
# The table of the papers, docs/papers.md: no section, equation, table or figure is missing, every row has a verdict, and the counts are
# those of the rows. The files and headings that it names exist, and the program accepts its commands: runs are shortened, and benches get
# a file name for their plot that makes them end before they begin.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

page=$SOURCE_DIR/docs/papers.md
export CAMBER_MODELS=${CAMBER_MODELS:-$SOURCE_DIR/models}
printf 'viewer();\n' >viewer.js # so that reports can be written in a build without a viewer
export CAMBER_VIEWER=$PWD/viewer.js

# ---- rows and links
cat >rows.py <<'END_OF_ROWS'
"""rows.py SOURCE: what is wrong with the rows and the links of docs/papers.md, a line each."""
import os, re, sys

source = sys.argv[1]
page = open(os.path.join(source, "docs/papers.md"), encoding="utf-8").read()
VERDICTS = ["same", "differs", "not done", "open", "text"]

# What the papers have. "1-3" are 1, 2 and 3; of Burgermeister, Arnold and Esterl 2006 the equations 4 and 8 are not there.
PAPERS = {
    "Simeon 1996": {"§": "1 2 2.1 2.2 3 4 4.1 4.2 4.3 5", "eq": "1-16", "Fig": "1-4", "Table": "1", "Theorem": "3.1"},
    "Arnold, Fuchs and Führer 2006": {
        "§": "1 2 2.1 2.2 2.3 3 3.1 3.2 3.3 4 4.1 4.2 4.2.1 4.2.2 5", "eq": "1-26", "Fig": "1-8", "Table": "1-3"},
    "IVP Test Set": {"§": "17.1-17.4", "eq": "17.1-17.10", "Fig": "17.1-17.6", "Table": "17.1-17.2"},
    "Haug, Negrut and Engstler 1999": {
        "§": "1 2 3 4 5 6 6.1 6.2 6.3 6.4 7", "eq": "1-63", "Fig": "1-10", "Table": "1-9"},
    "Burgermeister, Arnold and Esterl 2006": {
        "§": "1 2 3 3.1 3.2 3.3 3.4 4 4.1 4.2 4.3 5", "eq": "1-3 5-7 9-14", "Fig": "1-11"},
}
ITEM = re.compile(r"(§|eq|Fig|Table|Theorem)s?\.? ?((?:\d[\d.]*(?:–\d[\d.]*)?(?:, (?=\d))?)+)")


def numbers(text):
    """The numbers of "1-3 5" or "1–3, 5"."""
    found = set()
    for part in re.split(r"[ ,]+", text.strip(" ,")):
        first, _, last = part.replace("–", "-").partition("-")
        head, _, tail = first.rpartition(".")
        until = int((last or first).rpartition(".")[2])
        found |= {f"{head}.{n}".lstrip(".") for n in range(int(tail), until + 1)}
    return found


def tables(title):
    """The rows of the section with this title, without the heads of its tables."""
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    lines = section.group(1).split("\n") if section else []
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("|")]
    return rows[2:]


def slugs(path):
    text = open(path, encoding="utf-8").read()
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


for title, has in PAPERS.items():
    rows = tables(title)
    seen = {kind: set() for kind in has}
    count = dict.fromkeys(VERDICTS, 0)
    for row in rows:
        verdict = re.match(r"\*\*([a-z ]+)\*\*", row[-1])
        if len(row) != 4 or not verdict or verdict.group(1) not in VERDICTS:
            print(f"{title}: {row[0]}: no verdict in the fourth column")
            continue
        count[verdict.group(1)] += 1
        if verdict.group(1) in ("differs", "not done", "open") and not row[3][verdict.end():].startswith(": "):
            print(f"{title}: {row[0]}: a verdict without a reason")
        for kind, text in ITEM.findall(row[0]):
            seen.setdefault(kind, set()).update(numbers(text))
    for kind, text in has.items():
        for number in sorted(numbers(text) - seen[kind]):
            print(f"{title}: {kind} {number} has no row")
        for number in sorted(seen[kind] - numbers(text)):
            print(f"{title}: {kind} {number} is not in the paper")
    line = f"]({'#' + re.sub(r'[^a-zà-ÿ0-9 ]', '', title.lower()).replace(' ', '-')}) | "
    line += " | ".join(str(count[v]) for v in VERDICTS) + " |"
    if line not in page:
        print(f"{title}: the first table should have '{line}'")

for link in re.findall(r"\]\(([^)]+)\)", page):
    path, _, heading = link.partition("#")
    path = os.path.join(source, "docs", path or "papers.md")
    if not os.path.exists(path):
        print(f"{link} is not there")
    elif heading and heading not in slugs(path):
        print(f"{link}: no such heading")
END_OF_ROWS
check "rows and links can be read" python3 rows.py "$SOURCE_DIR" >wrong
check "rows and links: $(cat wrong)" [ ! -s wrong ]
check "the README names the page" grep -q '(docs/papers.md)' "$SOURCE_DIR/README.md"
check "the list of papers names the page" grep -q '(papers.md)' "$SOURCE_DIR/docs/literature.md"

# ---- files
# shellcheck disable=SC2016  # the backquotes are Markdown's
grep -oE '`[^`]+`' "$page" | tr -d '`' | sort -u >named
grep -E '^(bench|docs|examples|include|models|src|tests)/' named >files
check "the page names files" [ "$(wc -l <files)" -ge 60 ]
while read -r file; do
  check "$file exists" [ -f "$SOURCE_DIR/$file" ]
done <files

# ---- commands
takes_bench() { # NAME [OPTION...] : the bench is known and takes its options; nothing is computed
  local name=$1 plots=0 options=()
  echo "'camber list benches' does not have it" >stderr
  "$CAMBER" list benches | grep -q "^$name " || return 1
  shift
  while [ $# -gt 0 ]; do
    if [ "$1" = --plot ]; then plots=1 && shift; else options+=("$1"); fi
    shift
  done
  "$CAMBER" bench "$name" "${options[@]}" --plot nowhere/figure.svg >stdout 2>stderr
  if ((plots)); then grep -q 'nowhere/figure.svg' stderr; else grep -qE 'nowhere/figure.svg|has no plot' stderr; fi
}

takes() { # COMMAND [ARGUMENT...]
  case $1 in
  bench) takes_bench "${@:2}" ;;
  run) "$CAMBER" "$@" --t-end 1e-3 >stdout 2>stderr ;;
  *) "$CAMBER" "$@" >stdout 2>stderr ;;
  esac
}

grep '^camber ' named >commands
check "the page has commands" [ "$(wc -l <commands)" -ge 35 ]
while read -r _ command; do
  read -ra words <<<"$command"
  checks=$((checks + 1))
  takes "${words[@]}" </dev/null || fail "camber $command: $(cat stderr)"
done <commands

finish

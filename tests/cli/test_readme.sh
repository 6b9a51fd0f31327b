#!/usr/bin/env bash
# The README: every command in it runs, with the output and the effect that the README states; the pictures are those of the commands
# above them; the files that it names exist.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

readme=$SOURCE_DIR/README.md
mkdir -p bin work
ln -s "$CAMBER" bin/camber
PATH=$PWD/bin:$PATH
export CAMBER_MODELS=${CAMBER_MODELS:-$SOURCE_DIR/models}
cd work || exit 1
printf 'viewer();\n' >../viewer.js # builds for tests have none
export CAMBER_VIEWER=$PWD/../viewer.js

awk '/^This is `crank.yaml`/ { on = 1; next } on && /^[A-Z]/ { exit } on { sub(/^    /, ""); print }' "$readme" >crank.yaml
sed -n 's/^    \(\$ \)\{0,1\}\(camber [a-z].*\)$/\2/p' "$readme" | sed 's/ *# .*//' >commands
check "the README has commands" [ "$(wc -l <commands)" -ge 15 ]

# ---- all commands; of the long benches only the names are checked
camber list benches >../benches
while read -r command; do
  case $command in
  'camber bench simeon-table1') ;;
  'camber bench '*)
    read -r _ _ bench _ <<<"$command"
    check "[$command]: is a bench" grep -q "^$bench " ../benches
    continue
    ;;
  esac
  eval "$command" >../stdout 2>../stderr </dev/null
  check "[$command]: exit code" [ $? -eq 0 ]
  check "[$command]: prints" [ -s ../stdout ]
  check "[$command]: nothing but warnings on standard error" [ "$(grep -vc '^camber: warning: ' ../stderr)" -eq 0 ]
  cp ../stdout "../$(tr -c 'a-z0-9\n' '-' <<<"$command").txt"
done <commands
output() { echo "../camber-$1.txt"; }

# ---- the printed outputs: words are equal, counts agree within a tenth, outputs and times of events closely
awk '/^    \$ camber run fivelink/ { on = 1; next } on && !/^    / { exit } on { sub(/^    /, ""); print }' "$readme" >../printed
cat >../compare.py <<'END'
import re, sys
NUMBER = r"-?\d+\.?\d*(?:e[-+]\d+)?"
def pattern(line):
    """The words; columns may shift with the digits of numbers."""
    return " ".join(re.sub(NUMBER, "#", line).split())
printed = [line for line in open(sys.argv[1]).read().splitlines() if line.strip() != "..."]
actual = open(sys.argv[2]).read().splitlines()
for line in printed:
    words = pattern(line.split("...")[0])
    for i, other in enumerate(actual):
        if not pattern(other).startswith(words):
            continue
        pairs = list(zip(re.findall(NUMBER, line), re.findall(NUMBER, other)))
        if " reached in " in line:
            pairs.pop()  # the time that it took
        if "|g|" in line:
            pairs = [(x, max(x, y, key=float)) for x, y in pairs]  # rounding: not larger
        output = line.startswith("  heave")  # a row of outputs
        part = 1e-5 if "t = 0." in line else 1e-4 if output else 9 if "|g|" in line else 0.1
        if all(abs(float(x) - float(y)) <= part * abs(float(x)) for x, y in pairs):
            del actual[: i + 1]
            break
    else:
        sys.exit(f"'{line}' is not in the output")
END
check "the output that is printed" \
  python3 ../compare.py ../printed "$(output run-fivelink---set-stair-1---out-stair-csv---plot-stair-svg)"
check "62 steps" grep -qE 'steps +(5[6-9]|6[0-8]) accepted' "$(output run-double-wishbone---method-radau5)"
check "the passages of the lowest point" grep -q 'lowest point, rising' "$(output run-pendulum---set-angle-3---plot-p-svg)"
check "over the top" awk '$1 == "angle" { over = $2 > 360 } END { exit !over }' \
  "$(output run-simple-pendulum---start--phi--7-)"
check "how far start values move" grep -qE 'positions +moved by' "$(output check-caraxis---start-xl-0-01)"
check "redundant hinges" grep -qE '^  redundant ' "$(output check-four-bar)"

# ---- the README begins with the uses of Camber, a picture and five commands; the comparison with other programs follows; the changelog stays short
sed '/^## /q' "$readme" >../first
check "the first lines have a list of tasks" [ "$(grep -c '^- \*\*' ../first)" -eq 4 ]
check "the first lines have one picture" [ "$(grep -c '^!\[' ../first)" -eq 1 ]
check "the first lines have five commands" [ "$(grep -c '^    camber ' ../first)" -eq 5 ]
check "then comes the comparison" grep -q '^## Beside other programs$' ../first
check "the changelog has at most 60 lines" [ "$(wc -l <"$SOURCE_DIR/CHANGELOG.md")" -le 60 ]

# ---- pictures: of the command above each
for picture in stair.svg:fivelink-stair.svg crank.svg:crank.svg; do
  check "docs/img/${picture#*:}" \
    python3 "$SOURCE_DIR/tests/support/same_picture.py" "$SOURCE_DIR/docs/img/${picture#*:}" "${picture%:*}"
  check "the README shows ${picture#*:}" grep -q "(docs/img/${picture#*:})" "$readme"
done

# ---- exported code goes into a folder of its own
check "exported code" [ -s fivelink-c/fivelink.c ]
while read -r folder; do
  check "-o $folder is no folder of the sources" [ ! -e "$SOURCE_DIR/$folder" ]
done < <(sed -n 's/^camber export .* -o \([^ ]*\).*/\1/p' commands)

# ---- "a small part of the tolerance": the constraints of all bundled models along their usual runs
camber list models >../models
for model in $(awk '/^[a-z]/ { print $1 }' ../models); do
  camber run "$model" --json >../run.json 2>../stderr
  check "$model: |g| is a small part of the tolerance" python3 -c 'import json, os, re, sys
x, path = json.load(open("../run.json")), sys.argv[1]
found = re.search("rtol: ([0-9.e-]+)", open(path).read()) if os.path.exists(path) else None
rtol = float(found.group(1)) if found else 1e-6
sys.exit(not x["worst"]["position"] <= 0.1 * rtol)' "$CAMBER_MODELS/$model.yaml"
done

# ---- links
while read -r link; do
  check "the target of the link $link exists" [ -e "$SOURCE_DIR/$link" ]
done < <(grep -oE '\]\([^)#]+\)' "$readme" | sed 's/^](//; s/)$//' | grep -v '^http')

finish

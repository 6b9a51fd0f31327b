#!/usr/bin/env bash
# The guide: writes the files that each page shows and runs every command of the page, in its order. Commands that the page presents as failing fail with the messages
# on the page. Links lead to existing files.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

scratch=$PWD
mkdir -p bin
ln -sf "$CAMBER" bin/camber
PATH=$PWD/bin:$PATH
export CAMBER_MODELS=${CAMBER_MODELS:-$SOURCE_DIR/models}

cat >walk.py <<'END'
"""walk.py PAGE: do what the page says, in this folder."""
import os, re, subprocess, sys

page, ran, printed = sys.argv[1], 0, ""
with open(page) as file:
    text = file.read()
for block in re.finditer(r"^```(\S*)([^\n]*)\n(.*?)^```$", text, re.M | re.S):
    kind, mark, body = block.group(1), block.group(2).strip(), block.group(3)
    if kind == "yaml" and mark.startswith("file="):
        with open(mark[len("file="):], "w") as file:
            file.write(body)
    elif kind == "sh":
        printed = ""
        for command in body.splitlines():
            done = subprocess.run(command, shell=True, text=True, capture_output=True, stdin=subprocess.DEVNULL)
            ran, printed = ran + 1, printed + done.stdout + done.stderr
            if (done.returncode != 0) != (mark == "fails"):
                sys.exit(f"{page}: [{command}] ended with {done.returncode}: {done.stderr}")
    elif kind == "text" and printed:
        for line in body.splitlines():
            if line.strip() not in printed:
                sys.exit(f"{page}: not printed: {line}\nbut: {printed}")
for link in re.findall(r"\]\(([^)#]+)", text):
    if not os.path.exists(os.path.join(os.path.dirname(page), link)):
        sys.exit(f"{page}: no such file: {link}")
print(f"{os.path.basename(page)}: {ran} commands")
END

# A build without a viewer gets one that is a script of one line.
if ! [ -e "$(dirname "$CAMBER")/viewer/viewer.js" ]; then
  printf 'viewer();\n' >viewer.js
  export CAMBER_VIEWER=$PWD/viewer.js
fi

for page in "$SOURCE_DIR"/docs/guide/*.md "$SOURCE_DIR"/docs/{README,realtime,report,methods/README}.md; do
  name=${page#"$SOURCE_DIR/docs/"}
  name=${name#guide/}
  name=${name%.md}
  mkdir -p "$name"
  (cd "$name" && python3 "$scratch/walk.py" "$page")
  check "the page $name" [ $? -eq 0 ]
done
check "first suspension: pictures" [ -s first-suspension/travel.svg ]
check "first suspension: three dampers" [ "$(grep -o "tyre_force, damping = [0-9]*" first-suspension/dampers.svg | paste -sd "|")" = "tyre_force, damping = 1500|tyre_force, damping = 2500|tyre_force, damping = 4000" ]
check "first suspension: code" [ -s first-suspension/corner-c/corner.h ]

finish

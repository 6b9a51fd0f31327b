#!/usr/bin/env bash
# Models with errors: exit code 2, one line on standard error, "camber: FILE:LINE:COL: words" with the right position, nothing on
# standard output, and no file written. Each file in bad/ has one error; its first line states what is expected:
#
#   # expect: LINE:COL: WORDS                the position in the file, and words of the message
#   # expect: parts/x.csv:LINE:COL: WORDS    the same for a position in a file that the model refers to
#
# Very large and binary files are made here.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cp -r "$SOURCE_DIR/tests/cli/bad" work
cd work || exit 1

listing() { find . -type f -printf '%p %s\n' | sort; }

refuse() { # FILE PLACE WORDS
  local file=$1 place=$2 words=$3 code
  timeout 60 "$CAMBER" run "$file" --out x.csv >../stdout 2>../stderr </dev/null
  code=$?
  checks=$((checks + 1))
  [ "$code" -eq 2 ] || fail "$file: exit code $code: $(cat ../stderr)"
  [ ! -s ../stdout ] || fail "$file: standard output is not empty: $(head -n 3 ../stdout)"
  [ "$(wc -l <../stderr)" -eq 1 ] || fail "$file: not one line: $(cat ../stderr)"
  [[ $(cat ../stderr) == "camber: $place: "* ]] || fail "$file: not at $place: $(cat ../stderr)"
  grep -qF -- "$words" ../stderr || fail "$file: '$words' is not in: $(cat ../stderr)"
  [ "$(listing)" = "$before" ] || {
    fail "$file: files have changed: $(diff <(echo "$before") <(listing))"
    rm -f x.csv x.csv.partial
  }
}

before=$(listing)
for file in *.yaml; do
  read -r line <"$file"
  [[ $line =~ ^'# expect: '(([a-z/.]+):)?([0-9]+:[0-9]+)': '(.+)$ ]] || fail "$file: no '# expect: LINE:COL: WORDS'"
  refuse "$file" "${BASH_REMATCH[2]:-$file}:${BASH_REMATCH[3]}" "${BASH_REMATCH[4]}"
done
[ "$checks" -ge 60 ] || fail "only $checks models in bad/"

# ---- large and binary files

truncate -s 100M large.yaml
printf 'title: a\n\x01\x02\xff\n' >binary.yaml
head -c 100000 "$CAMBER" >program.yaml
printf 'title: \xc3\x28\n' >no-utf8.yaml
printf 'title: a\0b\n' >zero.yaml
{
  printf 'points:\n'
  seq -f '  p%.0f: [0, 0, 0]' 250001
} >many-points.yaml # five nodes of YAML for each point, after three others
before=$(listing)
refuse large.yaml large.yaml:1:1 "larger than 16 MB"
refuse binary.yaml binary.yaml:2:1 "byte 0x01 is no part of a text; expected UTF-8 without control characters"
refuse program.yaml program.yaml:1:1 "byte 0x7F is no part of a text; expected UTF-8 without control characters"
refuse no-utf8.yaml no-utf8.yaml:1:8 "byte 0xC3 is no part of a text; expected UTF-8 without control characters"
refuse zero.yaml zero.yaml:1:9 "byte 0x00 is no part of a text; expected UTF-8 without control characters"
refuse many-points.yaml many-points.yaml:200001:13 "too many keys, values, lists and maps; expected at most 1000000"

finish

# Prepares tests of HTML pages that need no browser; sourced after cli.sh. A script of one line takes the place of the viewer. Python scripts of the
# tests can import page.py, which reads the data of pages.
# shellcheck shell=bash

printf 'viewer();\n' >viewer.js
export CAMBER_VIEWER=$PWD/viewer.js
export PYTHONPATH=$SOURCE_DIR/tests/support
export PYTHONDONTWRITEBYTECODE=1 # write no __pycache__ into the source tree

# Checks that the program with these arguments ends with exit code 2 and an error message that contains WORDS.
refuse() { # WORDS ARGUMENT...
  local words=$1 code
  shift
  "$CAMBER" "$@" >stdout 2>stderr
  code=$?
  check "[$*]: exit code $code" [ $code -eq 2 ]
  check "[$*]: '$words' in: $(cat stderr)" grep -qF -- "$words" stderr
}

# For the tests of pages and pictures without a browser: source it behind cli.sh. The viewer is a script of one line; page.py, for the tests' own scripts, reads the data of pages.
# shellcheck shell=bash

printf 'viewer();\n' >viewer.js
export CAMBER_VIEWER=$PWD/viewer.js
export PYTHONPATH=$SOURCE_DIR/tests/support
export PYTHONDONTWRITEBYTECODE=1 # the sources stay as they are

refuse() { # WORDS ARGUMENT...
  local words=$1 code
  shift
  "$CAMBER" "$@" >stdout 2>stderr
  code=$?
  check "[$*]: exit code $code" [ $code -eq 2 ]
  check "[$*]: '$words' in: $(cat stderr)" grep -qF -- "$words" stderr
}

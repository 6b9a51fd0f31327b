#!/usr/bin/env bash
# Empties the current folder and runs a command in it, so that files of an earlier run do not affect a test.
# ctest calls it in the test's scratch folder, below build/<preset>/tests/scratch/.
#
#   run_in_scratch.sh COMMAND [ARGUMENT...]
set -euo pipefail

case $PWD in
  */scratch/*) ;;
  *)
    echo "run_in_scratch: refusing to empty $PWD" >&2
    exit 2
    ;;
esac
find . -mindepth 1 -delete
exec "$@"

#!/usr/bin/env bash
# Runs a command in an emptied working folder, so that no test sees what an earlier run left behind.
# ctest starts it inside the test's scratch folder, below build/<preset>/tests/scratch/.
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

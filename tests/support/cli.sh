# Sourced by the tests of the program. `check` counts failed checks, and `finish` prints their number and ends the test.
# shellcheck shell=bash

: "${CAMBER:?the path of the program}"

failures=0
checks=0

fail() { # TEXT
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$1"
}

check() { # DESCRIPTION COMMAND [ARGUMENT...]
  local description=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$description"
}

# Writes the models that pages of the documentation mark as complete, ```yaml complete, to work/1.yaml, work/2.yaml and so on.
complete_examples() { # PAGE...
  mkdir -p work
  awk '/^```yaml complete$/ { n++; inside = 1; next }
       /^```/ { inside = 0 }
       inside { print > ("work/" n ".yaml") }' "$@"
}

finish() {
  printf '%d checks, %d failures\n' "$checks" "$failures"
  ((failures == 0))
  exit
}

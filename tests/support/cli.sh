# For the tests of the program: source it. Checks count their failures, and `finish` ends the test with them.
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

# The models in pages of the documentation that are marked as complete, ```yaml complete, as work/1.yaml and so on.
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

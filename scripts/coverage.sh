#!/usr/bin/env bash
# Prints how many lines of src/ the tests of a coverage build executed: for each file, then in total.
# Uses gcovr if it is installed, gcov otherwise.
#
#   scripts/coverage.sh BUILD_DIR
set -euo pipefail

build=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if command -v gcovr >/dev/null; then
  exec gcovr --root . --filter src/ "$build"
fi

# gcov prints pairs of lines: File '.../src/math/kkt.c' and Lines executed:93.10% of 58. The functions of
# a header are compiled into many objects; its largest count is kept. Given the .gcno files, gcov also
# counts the sources of which no test executed a line.
find "$build" -path '*/src/*' -name '*.gcno' -exec gcov --no-output {} + 2>/dev/null |
  awk -v root="$PWD/" '
    /^File / {
      file = substr($0, 7, length($0) - 7)
      if (index(file, root) == 1) file = substr(file, length(root) + 1)
    }
    /^Lines executed:/ && file ~ /^src\// {
      split($0, part, /[:% ]+/)
      hit = part[3] * part[5] / 100
      if (!(file in lines) || hit > reached[file]) { reached[file] = hit; lines[file] = part[5] }
      file = ""
    }
    END {
      for (file in lines) {
        printf "%6.1f %%  of %5d lines  %s\n", 100 * reached[file] / lines[file], lines[file], file | "sort -k5"
        all += lines[file]
        sum += reached[file]
      }
      close("sort -k5")
      if (all == 0) { print "coverage: no counts found"; exit 1 }
      printf "%6.1f %%  of %5d lines  in total\n", 100 * sum / all, all
    }'

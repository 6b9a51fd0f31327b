#!/usr/bin/env bash
# Makes the book of benchmarks: runs every bench of `camber list benches` and writes a page with its output and its figure: `make book`.
#
#   scripts/book.sh [FOLDER]        (default: docs/benchmarks)
#
# A page contains a checksum of the programs that made it. Pages that these programs have made already are kept, so that an interrupted run can
# be continued; a page is renamed into place when it is complete. To make all pages anew, remove the folder. Exit code 1 if a bench failed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
camber=${CAMBER:-$root/build/release/camber}
folder=${1:-$root/docs/benchmarks}
mkdir -p "$folder"
trap 'rm -f "$folder"/*.partial "$folder"/.figure.svg' EXIT

# A checksum of the two programs that compute the numbers.
made_by=$(cat "$camber" "$(dirname "$camber")/camber-bench" | sha256sum | cut -c1-16)

benches=()
titles=()
while read -r name title; do
  benches+=("$name")
  titles+=("$title")
done < <("$camber" list benches)
((${#benches[@]})) || { echo "book: there are no benches" >&2 && exit 1; }

show() { # DONE NAME: shows the progress, in one line on a terminal, otherwise in a line for each bench
  local all=${#benches[@]} width=30 filled
  filled=$(($1 * width / all))
  if [[ -t 2 ]]; then
    printf '\r[%-*s] %d/%d %-20s' "$width" "$(printf '%*s' "$filled" '' | tr ' ' '#')" "$1" "$all" "$2" >&2
  else
    printf 'book: %d/%d %s\n' "$1" "$all" "$2" >&2
  fi
}

is_made() { [[ -f $folder/$1.md ]] && grep -qF "<!-- made by $made_by -->" "$folder/$1.md"; }

write_page() { # NAME TITLE COMMAND: writes the page; reads the output of the bench from standard input
  printf '# %s\n\n<!-- made by %s -->\n\n%s.\n\n    %s\n\n```\n' "$1" "$made_by" "${2^}" "$3"
  cat
  printf '```\n'
  [[ -f $folder/$1.svg ]] && printf '\n![%s](%s.svg)\n' "$2" "$1"
  printf '\nWhat the numbers mean, and why some differ from the paper, is said in [benchmarks](../benchmarks.md) and, row by row, in [papers](../papers.md).\n'
}

make_page() { # NAME TITLE: runs the bench and writes its page; fails if the bench fails
  local printed command="camber bench $1" code=0
  rm -f "$folder/.figure.svg" "$folder/$1.svg" "$folder/$1.md" # remove the results of another program
  if printed=$("$camber" bench "$1" --plot "$folder/.figure.svg" 2>"$folder/errors.partial"); then
    command+=" --plot $1.svg"
  elif grep -q 'has no plot' "$folder/errors.partial"; then
    printed=$("$camber" bench "$1" 2>"$folder/errors.partial") || code=$?
  else
    code=1
  fi
  ((code == 0)) || { cat "$folder/errors.partial" >&2 && return 1; }
  [[ -f $folder/.figure.svg ]] && mv "$folder/.figure.svg" "$folder/$1.svg"
  write_page "$1" "$2" "$command" <<<"$printed" >"$folder/$1.md.partial"
  mv "$folder/$1.md.partial" "$folder/$1.md"
}

failed=()
for i in "${!benches[@]}"; do
  show "$i" "${benches[i]}"
  is_made "${benches[i]}" && continue
  make_page "${benches[i]}" "${titles[i]}" || failed+=("${benches[i]}")
done
show "${#benches[@]}" "all done"
[[ -t 2 ]] && echo >&2

{
  # shellcheck disable=SC2016
  printf '# The book of benchmarks\n\nOne page for each table and figure that `camber bench` makes again, with the published numbers beside ours. `make book` writes these pages.\n\n'
  printf '| bench | what it is | rows that say no |\n|---|---|---|\n'
  for i in "${!benches[@]}"; do
    page=$folder/${benches[i]}.md
    [[ -f $page ]] || continue
    no=$(grep -cE '[[:space:]]no(: .*|, .*)?$' "$page" || true) # "no" as the last word of a row, or followed by a reason
    printf '| [%s](%s.md) | %s | %s |\n' "${benches[i]}" "${benches[i]}" "${titles[i]}" "$no"
  done
} >"$folder/README.md.partial"
mv "$folder/README.md.partial" "$folder/README.md"

((${#failed[@]} == 0)) && exit 0
echo "book: these benches failed: ${failed[*]}" >&2
exit 1

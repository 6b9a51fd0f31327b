#!/usr/bin/env bash
# scripts/book.sh: a page for each bench with its output and its figure; existing pages are kept, an interrupted run can be continued, a bench that fails is named and
# has no page. A small program with benches of its own replaces camber, since the real benches take minutes.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

mkdir -p bin
cat >bin/camber <<'END'
#!/usr/bin/env bash
case "$1 $2" in
  'list benches') printf 'first-table  a table (Author 1990, Table 1)\nsecond-figure  a figure (the same, Fig. 2)\nthird  another\n' ;;
  'bench '*)
    echo "$2" >>runs
    [[ $2 == third && -e broken ]] && echo 'camber: it broke' >&2 && exit 1
    if [[ $3 == --plot ]]; then
      [[ $2 == second-figure ]] || { echo "camber: bench $2 has no plot, --plot is not for it" >&2 && exit 2; }
      echo '<svg/>' >"$4"
    fi
    printf 'row   paper  ours\na     1.0    1.1  yes\nb     2.0    9.9  no: other data\n'
    ;;
esac
END
chmod +x bin/camber
cp bin/camber bin/camber-bench
book() { CAMBER=$PWD/bin/camber "$SOURCE_DIR/scripts/book.sh" "$PWD/book" 2>stderr; }

touch broken
book
check "a bench that fails: exit code 1" [ $? -eq 1 ]
check "a bench that fails is named" grep -q 'these benches failed: third' stderr
check "a bench that fails leaves no page" [ ! -e book/third.md ]
check "the others have pages" [ -s book/first-table.md -a -s book/second-figure.md ]
rm broken runs
book
check "goes on: exit code 0" [ $? -eq 0 ]
check "only what was missing is run" [ "$(sort -u runs | tr '\n' ' ')" = 'third ' ]
check "the progress is printed" grep -q '3/3' stderr
check "what the bench prints" grep -q '^a     1.0    1.1  yes$' book/first-table.md
check "the command" grep -q '^    camber bench second-figure --plot second-figure.svg$' book/second-figure.md
check "the figure" grep -q '](second-figure.svg)$' book/second-figure.md
check "no figure where there is none" [ "$(grep -c svg book/first-table.md)" -eq 0 ]
check "rows that end in no are counted" grep -q '^| \[first-table\](first-table.md) | a table (Author 1990, Table 1) | 1 |$' book/README.md
check "nothing else is left" [ "$(find book -name '*.partial' -o -name '.figure*' | wc -l)" -eq 0 ]
rm runs
echo '# another version' >>bin/camber-bench
book
check "another program: all is made anew" [ "$(sort -u runs | wc -l)" -eq 3 ]
touch broken
echo '# a third version' >>bin/camber-bench
book
check "a bench that fails with another program: its old page is gone" [ ! -e book/third.md ]
check "and is not listed" [ "$(grep -c third book/README.md)" -eq 0 ]

finish

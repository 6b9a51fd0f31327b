#!/usr/bin/env bash
# camber bench: every bench in the list runs, and Camber's methods have the properties that the papers state for theirs. Times are not checked.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

bench() { # NAME [OPTION...] : prints into NAME.txt
  "$CAMBER" bench "$@" >"$1.txt" 2>stderr && ! [ -s stderr ]
}

row() { # FILE NAME FIELD : that field of the first line which begins with NAME
  awk -v name="$2" -v field="$3" '$1 == name { print $field; exit }' "$1"
}

at_least() { # NUMBER NUMBER
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 >= b + 0) }'
}

same_list() { # PROGRAM : prints the list that camber prints
  [ "$("$CAMBER" list benches)" = "$("$1" list benches)" ]
}

not_needed() { # PROGRAM
  ! readelf -d "$1" | grep -q 'NEEDED.*sundials'
}

exits() { # CODE ARGUMENT...
  local code=$1
  shift
  "$CAMBER" "$@" >exits.txt 2>&1
  [ $? -eq "$code" ]
}

for name in $("$CAMBER" list benches | awk '{ print $1 }'); do
  case $name in
    burgermeister-trailer) ;; # takes two minutes; cli.trailers tests a short version
    haug-table8) ;; # contained in haug-table9
    haug-table[679] | haug-explicit) # a whole vehicle, too slow with sanitizers; haug-wishbone tests one corner of it
      [ -n "${CAMBER_SANITIZED-}" ] || check "bench $name" bench "$name" --plot "${name#*-}.svg"
      ;;
    caraxis) check "bench $name" bench "$name" --repeat 1 --plot "$name.svg" ;;
    arnold-table3) check "bench $name" bench "$name" --repeat 1 ;;
    burgermeister-fig* | haug-wishbone | simeon-table1 | arnold-stamp) check "bench $name" bench "$name" --plot "${name#*-}.svg" ;;
    *) check "bench $name" bench "$name" ;;
  esac
done

# ---- arnold-table3: the results of the paper for its car
check "arnold-table3: at most 20 % of the difference Jacobians" \
  grep -qE '^sparse-extended: at most 20 % .* yes$' arnold-table3.txt
check "arnold-table3: the share of Jacobians is the paper's or less, but for sparse" \
  [ "$(grep -cE '^(dense|partitioned|extended|sparse-partitioned|sparse-extended): (no more|the same).* yes$' arnold-table3.txt)" -eq 10 ]
check "arnold-table3: sparse differences save evaluations in the residual formalism" \
  awk '$1 == "residual" { on = 1 } on && $1 == "dense" { dense = $(NF - 5) } on && $1 == "sparse" { fewer = $(NF - 5) < 0.75 * dense } END { exit !fewer }' arnold-table3.txt

# ---- caraxis: the correct digits of each method at a tolerance of 1e-7; limits are a little below those of the code that it is modelled on
for method in mdop5:5.4 mdop853:5.4 hem5:7.2 phem56:5.5 radau5:3.73 radau5-str:5.8 radau:3.73 radau-str:5.8 bdf:4.7 bdf-str:5.5 sdirk4:5; do
  check "caraxis: precision of ${method%:*}" \
    at_least "$(row <(grep ' 1e-07 ' caraxis.txt) "${method%:*}" 3)" "${method#*:}"
done
for method in $("$CAMBER" list methods | awk '/^[a-z]/ { print $1 }'); do
  rows=4 # three tolerances, and one in the table of the cheapest runs
  case $method in lie | rosw2) rows=0 ;; esac # real-time methods have no tolerance
  check "caraxis: $method has $rows rows" [ "$(grep -c "^$method " caraxis.txt)" -eq $rows ]
done
check "caraxis: IDA ran, or the bench reports that it is not available" \
  grep -qE '^IDA( .*\|.*[0-9]|: not built in)' caraxis.txt
check "caraxis: as good as the codes of the Test Set" [ "$(grep -cE '^(hem5|phem56|radau5|radau|bdf) .* yes$' caraxis.txt)" -eq 15 ]
check "caraxis: nothing fails" [ "$(grep -cE ' no$' caraxis.txt)" -eq 0 ]
check "caraxis: radau at eight digits" grep -qE "^mescd 8: radau .* yes$" caraxis.txt
for picture in caraxis caraxis-scd caraxis-motion; do
  check "caraxis: $picture.svg" grep -q '</svg>' $picture.svg
done
for code in auto-str mdop5 hem5 radau5 radau-str bdf IDA forsdirk trap PSIDE; do
  case $code in IDA) grep -q '^IDA:' caraxis.txt && continue ;; esac # not built in
  check "caraxis: $code is in the pictures" [ "$(cat caraxis.svg caraxis-scd.svg | grep -c ">$code<")" -eq 2 ]
done
check "caraxis: no tolerance of one's own" grep -q 'tolerances of its own' <("$CAMBER" bench caraxis --rtol 1e-3 2>&1)

# ---- simeon-table1: the results of the paper hold
for claim in 'oscillations behind' 'index 1: positions' 'index 1: .* until the top' 'index 1: .* in the whole run' 'velocity stabilization: the error' \
  'velocity stabilization: a tenth' 'projection control: the error' 'projection control: projects' 'projection each step: positions' 'hem5: smaller'; do
  check "simeon-table1: $claim" grep -qE "^$claim.* yes\$" simeon-table1.txt
done

# ---- simeon-stair: rows and head have the same length
check "simeon-stair: columns below each other" \
  [ "$(grep -E '^(wheel|leaves|meets) ' simeon-stair.txt | awk '{ print length($0) }' | sort -u | wc -l)" -eq 1 ]

# ---- arnold-table2
for claim in dense 'dense, strict' sparse partitioned sparse-partitioned extended sparse-extended exact; do
  check "arnold-table2: $claim" [ "$(grep -cE "^$claim: .* yes$" arnold-table2.txt)" -eq 2 ]
done
check "arnold-table2: column by column, 2 N + 1 evaluations" [ "$(grep -cE '^dense .* 33\.0 ' arnold-table2.txt)" -eq 2 ]

# ---- haug-wishbone: errors are below each tolerance; the results of the paper on work and steps hold
check "haug-wishbone: errors are below the tolerance" [ "$(grep -cE '^ +1e-0[2-5] .* yes$' haug-wishbone.txt)" -eq 8 ]
check "haug-wishbone: the five results of the paper hold" [ "$(grep -cE '^[a-z].* yes$' haug-wishbone.txt)" -eq 5 ]
check "haug-wishbone: nothing fails" [ "$(grep -cE ' no$' haug-wishbone.txt)" -eq 0 ]
check "haug-wishbone: the plot has the height and both step sizes" [ "$(grep -c '<polyline' wishbone.svg)" -ge 3 ]

# ---- haug-table7: the same for the whole vehicle
[ -n "${CAMBER_SANITIZED-}" ] ||
  check "haug-table7: errors are below the tolerance" [ "$(grep -cE '^ +1e-0[2-5] .* yes$' haug-table7.txt)" -eq 4 ]

# ---- arnold-stamp
for claim in 'at least 3 times fewer difference Jacobians' 'fewer evaluations there'; do
  check "arnold-stamp: $claim" grep -qE "^extended: $claim.* yes$" arnold-stamp.txt
done
check "arnold-stamp: all ways in both formalisms" [ "$(grep -cE '^(explicit|residual) ' arnold-stamp.txt)" -eq 14 ]

# ---- burgermeister: each result of the paper is confirmed, in rows that end in yes; where it is not, the bench states the difference
agrees() { # FIGURE TEXT... : each text begins a line that ends in yes
  local figure=$1 text
  shift
  for text in "$@"; do check "$figure: $text" grep -qE "^$text .* yes\$" "burgermeister-$figure.txt"; done
}
agrees fig1 none: J1: J3: J2: exact:
check "fig1: nothing fails" [ "$(grep -cE ' no$' burgermeister-fig1.txt)" -eq 0 ]
agrees fig3 'index 1 drifts faster'
agrees fig5 'index 1' 'index 2' '1, Baumgarte' '2, Baumgarte' '1, projected' '2, projected' '2, GGL'
agrees fig6 'index 2' '1, Baumgarte' '2, Baumgarte' '1, projected' '2, GGL' 'index 1, h/32'
check "fig6: velocities" [ "$(grep -cE '^(index 2|[12], (Baumgarte|projected|GGL)) .* yes$' burgermeister-fig6.txt)" -eq 10 ]
agrees fig7 none J1 J2 J3
agrees fig8 'projection never makes the error larger' 'J1, index 1' 'J1, index 2' 'J2, index 1'
check "fig8: the factors are there, and after longer times" [ "$(grep -cE '^(J[123]|exact), index [12] ' burgermeister-fig8.txt)" -eq 16 ]
check "fig8: longer times make a difference" [ "$(grep -cE '^(J[13], index [12]|J2, index 1) .* [01]\.[0-9]+  yes$' burgermeister-fig8.txt)" -eq 5 ]

# ---- the numbers in the documents are those that the program prints, and the documents explain every row that ends in no
grep -q '^ *IDA:' caraxis.txt && mv caraxis.txt without-ida.txt # not built in: other rows than in the documents
check "the documents quote what is printed: 'make book' writes it" python3 "$SOURCE_DIR/scripts/quotes.py" check . 2>not-run
for figure in fig1 fig3 fig5 fig6 fig7 fig8 vedyna; do
  grep -qE ' no$' "burgermeister-$figure.txt" || continue
  check "$figure has a row that ends in no: docs/benchmarks.md explains it" grep -q "^- $figure: " "$SOURCE_DIR/docs/benchmarks.md"
done

# The statements on veDYNA's step
check "vedyna: a smaller error in most models" [ "$(grep -cE ' new  +[0-9]+ +[0-9]+$' burgermeister-vedyna.txt)" -ge 11 ]

curves() { # FILE COUNT POINTS : XML with at least so many curves of so many points
  python3 - "$@" <<'END'
import sys, xml.etree.ElementTree as tree
curves = tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}polyline")
sys.exit(sum(len(c.get("points").split()) >= int(sys.argv[3]) for c in curves) < int(sys.argv[2]))
END
}
for figure in fig1 fig3 fig5 fig6 fig7 fig8 table1 stamp; do check "$figure: the plot" curves $figure.svg 3 5; done
if [ -z "${CAMBER_SANITIZED-}" ]; then # four tolerances, each with curves of Camber and of the paper
  for figure in table6 table7 table9; do check "haug-$figure: the plot" curves $figure.svg 4 4; done
  check "haug-table7: the numbers of an axis are in one notation" python3 - table7.svg <<'END'
import re, sys
ticks = re.findall(r"<text x='([\d.]+)' y='[\d.]+'[^>]*>([\d.]+(?:e-?\d+)?)</text>", open(sys.argv[1]).read())
ordinates = [text for x, text in ticks if x == ticks[0][0]]
sys.exit(len(ordinates) < 2 or len({"e" in text for text in ordinates}) != 1)
END
  for figure in explicit explicit-length; do check "haug-$figure: the plot" curves $figure.svg 2 4; done
fi

# ---- camber-bench is found in the folder of camber or in PATH; camber itself is not linked with the libraries of the comparison
lone() { # FOLDER : camber alone, with PATH
  PATH=$1 CAMBER_MODELS=$SOURCE_DIR/models lone/camber bench simeon-stair >lone.txt 2>stderr
}
mkdir lone elsewhere empty
cp "$CAMBER" lone/
lone "$PWD/empty"
check "without camber-bench: exit code 2" [ $? -eq 2 ]
check "without camber-bench: one sentence" [ "$(grep -c '^camber: .*camber-bench, which is neither' stderr)" -eq 1 ]
check "without camber-bench: the list of benches is printed" same_list lone/camber
ln -s "$(dirname "$CAMBER")/camber-bench" elsewhere/
check "camber-bench in PATH" lone "$PWD/elsewhere"
check "the same from PATH" cmp lone.txt simeon-stair.txt
check "camber is not linked with SUNDIALS" not_needed "$CAMBER"
check "exit code of the bench" exits 2 bench no-such-bench
check "options are read once more" exits 2 bench simeon-stair --rtol -1
check "camber-bench alone" cmp simeon-stair.txt <("$(dirname "$CAMBER")/camber-bench" simeon-stair)

refused() { ! "$CAMBER" bench "$@" >plot.txt 2>&1; }
check "no plot of a bench without one" refused arnold-table2 --plot a.svg
check "a plot that cannot be written" refused burgermeister-fig1 --plot nowhere/a.svg

# ---- the program of the benchmarks cannot be started
mkdir alone
cp "$CAMBER" alone/camber
alone=$PWD/alone/camber
PATH='' "$alone" bench simeon-stair >/dev/null 2>words
check "no program of the benchmarks" grep -q "camber-bench, which is neither beside camber nor in PATH" words
: >alone/camber-bench
PATH='' "$alone" bench simeon-stair >/dev/null 2>words
check "one that is not executable" grep -q "cannot start 'camber-bench', the program of the benchmarks: Permission denied" words

finish

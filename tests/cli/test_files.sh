#!/usr/bin/env bash
# Output files: two runs with the same --out, links and pipes with the names that a run uses, outputs that are files of the model, two
# outputs with the same name, and a model file that exported code would replace. All rows are complete, no other file is changed, no run
# hangs, and each refusal is one line before the run begins.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

readonly LONG=(run pendulum --t-end 1e6 --every 0.01 --quiet)

refuse() { # WORDS ARGUMENT...: exit code 2 and one line with these words, at once
  local words=$1
  shift
  timeout 20 "$CAMBER" "$@" >stdout 2>stderr </dev/null
  check "[$*]: exit code 2" [ $? -eq 2 ]
  check "[$*]: one line, not: $(cat stderr)" [ "$(wc -l <stderr)" -eq 1 ]
  check "[$*]: '$words' is in: $(cat stderr)" grep -qF -- "$words" stderr
  check "[$*]: nothing on standard output" [ ! -s stdout ]
}

whole() { # FILE: all rows have as many fields as there are names, at ascending times, two at an event
  python3 - "$1" <<'END'
import csv, sys
header, *rows = list(csv.reader(open(sys.argv[1])))
times = [float(row[0]) for row in rows]
sys.exit(not (rows and all(len(row) == len(header) for row in rows) and sorted(times) == times and all(a < c for a, c in zip(times, times[2:]))))
END
}

wait_for() { # FILE: until it is there and has lines
  for _ in $(seq 400); do
    [ -s "$1" ] && return 0
    sleep 0.02
  done
  return 1
}

# ---- two runs with one --out: the second is refused, under every name of the file
"$CAMBER" "${LONG[@]}" --out two.csv >/dev/null 2>&1 &
first=$!
check 'two runs: the first writes' wait_for two.csv.partial
ln -s two.csv link.csv
refuse "cannot write 'two.csv': another output or run is writing it" run pendulum --out two.csv
refuse "cannot write './two.csv'" run pendulum --out ./two.csv
refuse "another output or run is writing it" run pendulum --out "$PWD/two.csv"
kill -INT $first
wait $first
check 'two runs: the first ends with its file' whole two.csv
check 'two runs: no partial file' [ ! -e two.csv.partial ]
check 'two runs: the next one is not refused' "$CAMBER" run pendulum --t-end 1 --out two.csv >/dev/null

# ---- the file of a killed run is kept; a link or a pipe with that name is neither changed nor followed
"$CAMBER" "${LONG[@]}" --out killed.csv >/dev/null 2>&1 &
first=$!
check 'killed: it writes' wait_for killed.csv.partial
kill -KILL $first
wait $first 2>/dev/null
cp killed.csv.partial left
check 'killed: the next run' "$CAMBER" run pendulum --t-end 1 --out killed.csv >/dev/null
check 'killed: what it left stays' cmp -s killed.csv.partial left
check 'killed: the next run has its file' whole killed.csv
check 'killed: no second partial file' [ ! -e killed.csv.2.partial ]
printf 'a letter\n' >stranger
for name in link pipe folder; do
  case $name in
  link) ln -s "$PWD/stranger" link-of.csv.partial && path=link-of ;;
  pipe) mkfifo pipe.csv.partial && path=pipe ;;
  folder) mkdir folder.csv.partial && path=folder ;;
  esac
  check "$name under the partial name: the run" timeout 20 "$CAMBER" run pendulum --t-end 1 --out $path.csv >/dev/null
  check "$name under the partial name: rows" whole $path.csv
  check "$name under the partial name: it stays" [ -L $path.csv.partial -o -p $path.csv.partial -o -d $path.csv.partial ]
done
check 'the stranger has not changed' [ "$(cat stranger)" = 'a letter' ]
mkfifo drawn.svg.partial
check 'a pipe beside the plot: the run' timeout 20 "$CAMBER" run pendulum --t-end 1 --plot drawn.svg >/dev/null
check 'a pipe beside the plot: the plot' grep -q '</svg>' drawn.svg
check 'a pipe beside the plot: it stays' [ -p drawn.svg.partial ]

# ---- targets that are not regular files
mkfifo fifo.csv
ln -s /dev/null null.csv
ln -s nowhere.csv dangling.csv
refuse "cannot write 'fifo.csv': it is a pipe" run pendulum --out fifo.csv
refuse "cannot write 'null.csv': it is no plain file" run pendulum --out null.csv
refuse "cannot write 'dangling.csv': it is a link that leads nowhere" run pendulum --out dangling.csv
check 'they stay' [ -p fifo.csv -a -L null.csv -a -L dangling.csv ]

# ---- a link to a regular file: the file is replaced, the link stays
mkdir -p results
printf 'old\n' >results/old.csv
ln -s results/old.csv linked.csv
check 'link: the run' "$CAMBER" run pendulum --t-end 1 --out linked.csv >/dev/null
check 'link: stays' [ -L linked.csv ]
check 'link: its file is the new one' whole results/old.csv

# ---- permissions are those of the umask
(umask 027 && exec "$CAMBER" run pendulum --t-end 1 --out masked.csv >/dev/null)
check 'umask' [ "$(stat -c %a masked.csv)" = 640 ]

# ---- files of the model
cat >car.yaml <<'END'
include: [part.yaml]
tables: {road: {file: road.csv}}
inputs: {height: road(t)}
END
cat >part.yaml <<'END'
points: {hub: [0, 0, 0]}
bodies: {wheel: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0]}}
joints: {z: {type: prismatic, child: wheel, axis: [0, 0, 1], at: [0, 0, 0]}}
forces: {tyre: {type: load, on: wheel@hub, force: [0, 0, "100*(height - z)"]}}
simulate: {t-end: 1}
END
printf 't,z\n0,0\n1,0.1\n' >road.csv
cp road.csv kept.csv
check 'the model' "$CAMBER" check ./car.yaml >/dev/null
ln -s road.csv alias.csv
ln road.csv twin.csv
# A name is that of a file if it contains a slash or has the ending of a model file.
cp car.yaml car.yml
for name in car.yaml car.yml ./car.yml; do check "a file: $name" "$CAMBER" check "$name" >/dev/null; done
cp car.yaml car
check 'a file without an end of its own' "$CAMBER" check ./car >/dev/null
"$CAMBER" check car >/dev/null 2>err
check 'without a slash it is the name of a model' [ $? -eq 2 ]
ln -s car.yaml model.csv
ln part.yaml part.svg
for name in road.csv ./road.csv "$PWD/road.csv" alias.csv twin.csv model.csv; do
  refuse "option --out would overwrite '$name', a file of the model" run ./car.yaml --out "$name"
done
refuse "option --plot would overwrite 'part.svg', a file of the model" run ./car.yaml --plot part.svg
check 'the road stays' cmp -s road.csv kept.csv
check 'another file is written' "$CAMBER" run ./car.yaml --out other.csv --quiet >/dev/null

# ---- trajectory and plot in one file
printf 'old\n' >one.csv
ln -s one.csv one.svg
refuse "cannot write 'one.svg': another output or run is writing it" run pendulum --out one.csv --plot one.svg
check 'one file: stays' [ "$(cat one.csv)" = old ]
check 'one file: no partial file' [ ! -e one.csv.partial ]

# ---- exported code: the model has the name of an output file; if the disk has no room for both files, neither is written
# (the limit is that of a file's size, in blocks of 1024 bytes, between those of the header and of the source)
cp "$SOURCE_DIR/models/simple-pendulum.yaml" code.h
refuse "a file of the model" export c ./code.h --quiet
check 'export: the model stays' cmp -s code.h "$SOURCE_DIR/models/simple-pendulum.yaml"
mkdir -p small
"$CAMBER" export c simple-pendulum -o small --quiet
size=$(stat -c %s small/simple_pendulum.h)
check 'export: the header is the smaller one' [ "$size" -lt "$(stat -c %s small/simple_pendulum.c)" ]
rm small/*
(
  trap '' XFSZ
  ulimit -f $((size / 1024 + 1))
  exec "$CAMBER" export c simple-pendulum -o small --quiet >stdout 2>stderr
)
check 'export, disk full: exit code 2' [ $? -eq 2 ]
check "export, disk full: message: $(cat stderr)" grep -q "^camber: cannot write 'small/simple_pendulum.c'" stderr
check "export, disk full: nothing is left: $(ls small)" [ -z "$(ls -A small)" ]
printf 'old\n' | tee small/simple_pendulum.h >small/simple_pendulum.c
(
  trap '' XFSZ
  ulimit -f $((size / 1024 + 1))
  exec "$CAMBER" export c simple-pendulum -o small --quiet >stdout 2>stderr
)
check 'export, disk full: the old pair stays' [ "$(cat small/*)" = $'old\nold' ]

finish

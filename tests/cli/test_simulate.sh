#!/usr/bin/env bash
# The section `simulate` of a model: which command uses which key, which options of the command line replace a key, and where files that it names are written.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

printf 'viewer();\n' >viewer.js # builds for tests have none
export CAMBER_VIEWER=$PWD/viewer.js
mkdir -p here there
cd here || exit 1

model() { # KEYS: model.yaml, a mass on a spring with them
  cat >model.yaml <<END
parameters: {k: 100}
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, start: 0.1, stiffness: k, damping: 1}}
markers: {hub: {on: m, at: [0, 0, 0]}}
inputs: {push: 0}
forces:
  load: {type: load, on: {body: m, at: [0, 0, 0]}, force: [push, 0, 0]}
outputs: {place: x}
simulate: $1
END
}
works() { # ARGUMENT...
  local code
  "$CAMBER" "$@" >stdout 2>stderr
  code=$?
  check "$* with $(tail -n 1 model.yaml): $(cat stderr)" [ $code -eq 0 ]
}
refuse() { # WORDS ARGUMENT...
  "$CAMBER" "${@:2}" >stdout 2>stderr
  check "${*:2}: exit code 2" [ $? -eq 2 ]
  check "${*:2}: '$1' in: $(cat stderr)" grep -qF -- "$1" stderr
}
none() { check "no file $*" [ -z "$(find . ../there -type f ! -name model.yaml ! -name std\* "$@")" ]; }

# ---- a section with a single key
model '{t-end: 0.1}'
works check model.yaml
check "one degree of freedom: $(head -n 1 stdout)" grep -q '^model: 1 degree of freedom$' stdout

# ---- the files are those of a run: no other command writes to them
model '{out: run.csv, plot: run.svg, t-end: 0.1}'
works check model.yaml
works linearize model.yaml
works kinematics model.yaml --drive x=0:0.1:3
none
works view model.yaml --quiet
check "the page" [ -e model.yaml.html ]
rm model.yaml.html
works run model.yaml
check "the files of the run: $(ls)" [ -e run.csv -a -e run.svg ]
rm run.csv run.svg
model '{plot-outputs: place, t-end: 0.1}'
works run model.yaml

# ---- the files are written in the current folder, also if it contains links
printf 'keep me\n' >../there/keep.csv
ln -s ../there away
ln -s ../there/keep.csv link.csv
for place in ../there/keep.csv "$PWD/../there/keep.csv" "$PWD/new.csv" away/keep.csv away/new.csv link.csv ./a/../../there/keep.csv; do
  model "{out: $place, t-end: 0.1}"
  refuse "model.yaml:9:17: simulate: out is '$place'; expected a relative name in the folder" run model.yaml
done
check "the other file stays" [ "$(cat ../there/keep.csv)" = 'keep me' ]
model '{out: away/new.csv, t-end: 0.1}'
works run model.yaml --include-anywhere
check "with --include-anywhere" [ -e ../there/new.csv ]
rm away link.csv
mkdir below
model '{out: below/..run.csv, t-end: 0.1}'
works run model.yaml
check "a folder below" [ -e below/..run.csv ]

# ---- keys for other commands: a run checks them and their values, and ignores them
model "{inputs: push, outputs: place, wheel: hub, radius: 0.3, t-end: 0.1}"
works run model.yaml
works linearize model.yaml
check "linearize has inputs and outputs: $(cat stdout)" grep -q 'place' stdout
works kinematics model.yaml --drive x=0:0.1:3
check "kinematics has the wheel: $(cat stdout)" grep -q 'hub' stdout
model '{wheel: hub}'
refuse "model.yaml:9:12: simulate: 'wheel' needs --radius" kinematics model.yaml --drive x=0:0.1:3
works kinematics model.yaml --drive x=0:0.1:3 --radius 0.3
for key in at bode step-response folder vary drive load save csv video; do
  model "{$key: a.svg}"
  refuse "model.yaml:9:12: simulate: '$key' belongs on the command line" check model.yaml
done

# ---- the command line chooses the start; options of the model's method apply to this method only, with every command
model '{equilibrium: true, t-end: 0.1}'
works run model.yaml --start x=0 --steady "x'=0"
check "no equilibrium: $(cat stdout)" [ "$(grep -c equilibrium stdout)" -eq 0 ]
model '{steady: {x: 0}, t-end: 0.1}'
works run model.yaml --equilibrium
refuse "model.yaml:9:12: simulate: --at is a state that a run reaches, and cannot be used with 'steady'" linearize model.yaml --at 0.1
model '{realtime: true, repeat: 2}'
refuse "model.yaml:9:12: simulate: 'realtime' runs once; it cannot be used with 'repeat'" run model.yaml
model '{realtime: true, method: bdf}'
refuse "model.yaml:9:12: simulate: 'realtime' needs a real-time method such as lie; 'bdf' is none" run model.yaml
model '{method: bdf, option: {jacobian: sparse}, t-end: 0.1}'
works check model.yaml
works run model.yaml
model '{method: mdop5, option: {projection: every}, t-end: 0.1}'
projections() { "$CAMBER" run model.yaml --formulation cartesian --json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["stats"]["projections"])'; }
check "the model's option" [ "$(projections)" -gt 0 ]
check "an option of the command line stands beside it" [ "$(projections --option form=index1)" -eq "$(projections)" ]
check "or in its place" [ "$(projections --option projection=none)" -eq 0 ]
model '{method: lie, step: 0.01, option: {index: 1}, t-end: 0.1}'
works run model.yaml --formulation cartesian --option stabilization=ggl --option index=2 # ggl is refused with index 1
refuse "index=2" run model.yaml --formulation cartesian --option stabilization=ggl
model '{start: x=0.2, t-end: 0.1}'
works check model.yaml --start "x'=1" --json
check "likewise starts" python3 -c 'import json; x = json.load(open("stdout")); assert x["q"] == [0.2] and x["v"] == [1], x'

finish

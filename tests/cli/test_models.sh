#!/usr/bin/env bash
# The bundled models: each is listed, passes camber check with the right number of degrees of freedom, and runs with the options
# of its section `simulate` and with every explicit method; some are tested with linearize, --set and --formulation.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py FILE EXPRESSION: exit code 0 if the expression of x, the JSON object in FILE, is true; else shows x."""
import json, math, sys

with open(sys.argv[1]) as file:
    x = json.load(file)
if not eval(sys.argv[2], {"x": x, "math": math, "json": json}):
    sys.exit("look.py: not so: %s\n%s" % (sys.argv[2], json.dumps(x)[:2000]))
END

camber() { # FILE ARGUMENT... : standard output to FILE
  local file=$1
  shift
  what=$*
  if ! "$CAMBER" "$@" >"$file" 2>stderr; then
    fail "[$what]: $(cat stderr)"
  fi
}
look() { check "[$what]: $2" python3 look.py "$@"; }

declare -A freedom=([simple-pendulum]=1 [double-pendulum]=2 [slider-crank]=0 [four-bar]=1 [four-bar-pin]=1
  [spatial-four-bar]=2 [peaucellier]=1 [gyroscope]=3 [chain]=12 [quarter-car]=3 [car-axis]=2 [fivelink]=2
  [double-wishbone]=4 [newtons-cradle]=5 [motor-crank]=1 [balanced-cart]=3
  [controlled-track]=1 [cam-follower]=1 [stick-slip]=1 [axle-stamp]=12 [hmmwv14]=18 [wheel-on-slope]=3 [iltis]=10
  [engine-v6]=1 [sedan]=14 [sedan-trailer]=21 [semitrailer]=31)
methods=(mdop5 mdop853 hem5 phem56)
round=0

camber list.txt list models
for model in "${!freedom[@]}"; do
  check "$model is listed" grep -q "^ *$model\b" list.txt
  check "$model has a file" [ -f "$SOURCE_DIR/models/$model.yaml" ]
done
for file in "$SOURCE_DIR"/models/*.yaml; do
  model=$(basename "$file" .yaml)
  check "$model is in this test" [ -n "${freedom[$model]:-}" ]

  camber a.json check "$model" --json
  look a.json "x['status'] == 'ok' and x['degrees_of_freedom'] == ${freedom[$model]:--1} and x['residual']['position'] < 1e-12 and x['residual']['velocity'] < 1e-10"
  camber a.json check "$file" --formulation cartesian --json
  look a.json "x['status'] == 'ok' and x['degrees_of_freedom'] == ${freedom[$model]:--1}"

  camber a.json run "$model" --json
  look a.json "x['status'] == 'ok' and len(x['outputs']) > 0"
  end=0.03
  [ "$model" = hmmwv14 ] && end=0.003 # an explicit method takes a thousand steps for that
  round=$((round + 1))
  chosen=("${methods[@]}")
  [ -z "${CAMBER_SANITIZED-}" ] || chosen=("${methods[round % 4]}") # the sanitizers take ten times as long
  for method in "${chosen[@]}"; do
    camber a.txt run "$model" --method "$method" --rtol 1e-6 --t-end $end
    check "[$what]: reached the end" grep -q "t = $end reached" a.txt
  done
done

# ---- a physical pendulum: ω² = m g s / I, with the rod's radius 4 mm and the bob's 30 mm
camber a.json linearize simple-pendulum --set amplitude=0 --json
look a.json "abs(x['eigenvalues'][0]['im']**2 * (0.2*(1/3 + 0.004**2/4) + 1 + 0.4*0.03**2) / (9.81*1.1) - 1) < 1e-9"

# ---- parameters on the command line, also those of an instance
camber a.json run quarter-car --set chassis_mass=500 --set left.stiffness=60000 --json
look a.json "abs(x['outputs']['left.tyre_force'] / ((500 + 4.2 + 2.1 + 9 + 17) * 9.81) - 1) < 0.1"
camber a.json check peaucellier --set side=0.24 --json
look a.json "x['degrees_of_freedom'] == 1"

# ---- a bundled model with other values of its parameters; a folder with the name of a model is not taken for the model
printf 'include: {file: sedan, set: {chassis_mass: 1650}}\n' >heavy.yaml
mkdir -p sedan
camber a.json run ./heavy.yaml --t-end 0.1 --json
camber b.json run sedan --set chassis_mass=1650 --t-end 0.1 --json
look a.json "x['outputs'] == json.load(open('b.json'))['outputs'] and x['outputs']['front_left.load'] > 5000"

# ---- options of a method that are numbers, in the model file and on the command line
cp "$SOURCE_DIR/models/linkages/four-bar.yaml" part.yaml
grep -v '^simulate' "$SOURCE_DIR/models/four-bar.yaml" | sed 's|linkages/four-bar.yaml|part.yaml|' >plain.yaml
{
  cat plain.yaml
  echo 'simulate: {method: lie, t-end: 0.5, option: {stabilization: baumgarte, alpha: 5, beta: 12}}'
} >option.yaml
camber a.json run ./option.yaml --json
camber b.json run ./plain.yaml --method lie --t-end 0.5 --option stabilization=baumgarte --option alpha=5 --option beta=12 --json
look a.json "x['q'] == $(python3 -c "import json; print(json.load(open('b.json'))['q'])" | tr -d '\n')"

# ---- the equilibrium by both kinds of coordinates
for form in explicit cartesian; do
  camber "$form.json" linearize quarter-car --equilibrium --formulation "$form" --json
done
for form in explicit cartesian; do
  look "$form.json" "[round(e['frequency'], 5) for e in x['eigenvalues'] if not e['neutral']] == $(
    python3 -c "import json; print([round(e['frequency'], 5) for e in json.load(open('explicit.json'))['eigenvalues']
      if not e['neutral']])" | tr -d '\n'
  )"
done

finish

#!/usr/bin/env bash
# Bundled parts: each is listed in one line and described in the documentation; models in any folder can include them if the program is
# installed with its models, and not otherwise.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

check "list parts" "$CAMBER" list parts >parts
check "titles begin in one column, also where they continue" python3 -c '
lines = open("parts").read().splitlines()[2:]
begins = {len(line) - len(line.lstrip(" ")) for line in lines if line.startswith(" " * 21)}
assert begins == {34} and any(line[33] == " " and line[34] != " " for line in lines if not line.startswith(" ")), begins'
for file in "$SOURCE_DIR"/models/parts/*.yaml; do
  name=$(basename "$file" .yaml)
  check "parts/$name is listed" grep -q "^parts/$name  *[a-z_]*  *[A-Za-z]" parts
  check "parts/$name is documented" grep -q "^| .parts/$name. |" "$SOURCE_DIR/docs/parts.md"
  for parameter in $(python3 -c "
import sys, yaml
for t in yaml.safe_load(open(sys.argv[1]))['templates'].values():
    for p, x in t['parameters'].items():
        assert x['title'], p
        print(p)" "$file"); do
    check "$name: $parameter is documented" grep -q "$parameter" "$SOURCE_DIR/docs/parts.md"
  done
done

mkdir -p prefix/bin prefix/share/camber elsewhere/deep
cp "$CAMBER" prefix/bin/camber
cp -r "$SOURCE_DIR/models" prefix/share/camber/models
cat >elsewhere/deep/model.yaml <<'END'
include: [parts/filter, parts/maxwell.yaml]
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x, start: 1}}
instances: {f: {template: first_order, measures: {input: x}}}
END
unset CAMBER_MODELS
check "installed" prefix/bin/camber check elsewhere/deep/model.yaml >/dev/null
cd elsewhere || exit 1
check "from another folder" ../prefix/bin/camber check deep/model.yaml >/dev/null
cd ..
rm -r prefix/share
if prefix/bin/camber check elsewhere/deep/model.yaml 2>stderr; then fail "without parts"; fi
check "the message names the file that is missing" grep -q "model.yaml:1:11: the file 'parts/filter' cannot be read: No such file" stderr

# ---- a program without its files reports that

for what in models parts; do
  CAMBER_MODELS=/nowhere "$CAMBER" list $what >/dev/null 2>stderr || fail "list $what without files"
  check "list $what without files" grep -q 'CAMBER_MODELS can name the folder' stderr
  "$CAMBER" list $what >/dev/null 2>stderr
  check "list $what with files" [ ! -s stderr ]
done

# ---- a rotor that turns fast, in Cartesian coordinates: its Euler parameters have rates of 1000/s, and bdf at 1e-9 comes near to rounding

cat >motors.yaml <<'END'
include: parts/dc-motor
gravity: [0, 0, 0]
points: {O: [0, 0, 0], P: [1, 0, 0]}
bodies: {arm: {mass: 1, com: O, inertia: [0.02, 0.02, 0.02]}, block: {mass: 2, com: P}}
joints:
  hinge: {type: revolute, child: arm, at: O, axis: z, coordinates: [phi]}
  slide: {type: prismatic, child: block, axis: x, coordinates: [x]}
measures: {gap: {distance: [ground@O, block@P]}}
instances:
  first: {template: dc_motor, parameters: {resistance: 0.5, inductance: 0.02, constant: 0.08, inertia: 3e-4, damping: 1e-4, ratio: 5}, measures: {voltage: 12, angle: phi}}
  second: {template: dc_motor, parameters: {resistance: 0.5, inductance: 0.02, constant: 0.08, inertia: 3e-4, damping: 1e-4, ratio: 60}, measures: {voltage: -3, angle: gap - 1}}
outputs: {a: phi, b: "phi'", c: first.current, d: x, e: "x'", f: second.current}
END
for tolerance in 1e-7 1e-9; do
  "$CAMBER" run motors.yaml --t-end 1.1 --method bdf --rtol $tolerance --atol $tolerance --formulation cartesian --quiet \
    >/dev/null 2>warnings.$tolerance || fail "bdf at $tolerance"
done
check 'a tolerance that is met has no warning' [ "$(grep -c 'rounding permits' warnings.1e-7)" -eq 0 ]
check 'one that is not says so, once' [ "$(grep -c 'below what rounding permits bdf' warnings.1e-9)" -eq 1 ]

# ---- sections that a part must not have
cat >brake.yaml <<'END'
include: parts/brake
bodies: {w: {mass: 1, sphere: [0, 0, 0], radius: 1}}
joints: {spin: {type: revolute, child: w, at: [0, 0, 0], axis: y}}
instances:
  b: {template: brake, parameters: {most: 10}, measures: {pedal: 1, speed: "spin'"}}
forces: {stop: {type: torsion, coordinate: spin, torque: b.torque}}
END
check "a brake" "$CAMBER" run brake.yaml --t-end 0.1 >/dev/null
for wrong in b.most=-3 b.grip=0.5; do
  "$CAMBER" run brake.yaml --set $wrong >stdout 2>stderr
  check "$wrong: exit code" [ $? -eq 2 ]
  check "$wrong: message: $(cat stderr)" grep -q "parameter '${wrong%=*}'.*expected" stderr
done

finish

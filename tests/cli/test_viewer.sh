#!/usr/bin/env bash
# Tests the reports of all bundled models in Debian's Chromium with a software renderer. tests/viewer/drive.mjs uses mouse and keyboard as a reader does, and leaves
# screenshots in viewer-pictures, beside the scratch folders. If node, Chromium or the viewer is missing (scripts/setup.sh viewer installs them), the test is skipped; with
# CAMBER_NEEDS_BROWSER=1, as in `make viewer`, it fails.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# shellcheck source=../support/browser.sh
. "$SOURCE_DIR/tests/support/browser.sh"

models=$("$CAMBER" list models | awk '/^Problems/ { exit } /^[a-z]/ { print $1 }')
[ "$(wc -w <<<"$models")" -ge 25 ] || fail "models: $models"

# Adds the lengths of the model's springs as outputs, with which the drawn lengths are compared.
for model in $models; do
  check "run $model" "$CAMBER" run "$model" --quiet --html "$model.html" >/dev/null 2>&1
  node springs.mjs "$model.html" >"$model.springs"
  [ -s "$model.springs" ] || continue
  awk -v model="$model" 'BEGIN { printf "include: [%s.yaml]\noutputs:\n", model } { printf "  probe_%d: %s.length\n", NR - 1, $0 }' "$model.springs" >"with-$model.yaml"
  check "run with-$model" "$CAMBER" run "./with-$model.yaml" --quiet --html "$model.html" >"$model.txt" 2>&1
done
cat >hostile.yaml <<'END'
title: '</script><script>alert("1")</script> <b>bold</b>'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 1}}
outputs: {y: {value: a, unit: '</script><img src=x onerror=alert(2)>'}}
shapes: [{body: b, sphere: [0, 0, -1], radius: 0.1, colour: '</script>'}]
END
cat >offsets.yaml <<'END'
points: {A: [0, 0, 0], B: [0.1, 0, 0]}
bodies: {crank: {mass: 0.5, rod: [A, B]}}
joints: {main: {type: revolute, child: crank, at: A, axis: y, rate: 20}}
outputs:
  wave: {value: 1e9 + 0.01*sin(main), unit: W}
  constant: {value: 3 + 1e-15*sin(main), unit: V}
  huge: {value: 4e38*main, unit: A}
  vast: {value: 1e300*main, unit: N}
  minute: {value: 1e-42*main, unit: J}
simulate: {t-end: 1}
END
cat >hanging.yaml <<'END'
bodies: {low: {mass: 1, rod: [[0, 0, 0], [1, 0, 0]]}, high: {mass: 1, com: [0.5, 0, 2]}}
joints:
  a: {type: revolute, child: low, at: [0, 0, 0], axis: y}
  b: {type: prismatic, child: high, axis: z}
forces: {touch: {type: contact, on: {body: high, at: [0.5, 0, 2]}, radius: 0.2, surface: 4 - z, stiffness: 1000}}
simulate: {t-end: 0.1}
END
for model in caraxis ./hostile.yaml ./offsets.yaml ./hanging.yaml; do
  check "run $model" "$CAMBER" run "$model" --html "$(basename "$model" .yaml).html" >/dev/null 2>&1
done
check "run hmmwv14 for 10 s" "$CAMBER" run hmmwv14 --method lie --step 0.001 --t-end 10 --every 0.001 --html long.html >/dev/null 2>&1
for report in *.html; do
  check "$report is too large" [ "$(stat -c %s "$report")" -lt 6000000 ]
done
# shellcheck disable=SC2086 # names of models, one a word
browse drive.mjs $models
finish

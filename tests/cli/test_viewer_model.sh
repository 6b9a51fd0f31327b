#!/usr/bin/env bash
# Tests pages of several models in Debian's Chromium with a software renderer. tests/viewer/drive_model.mjs uses mouse and keyboard as a reader does. If node, Chromium or
# the viewer is missing (scripts/setup.sh viewer installs them), the test is skipped.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# shellcheck source=../support/browser.sh
. "$SOURCE_DIR/tests/support/browser.sh"

cat >hostile.yaml <<'END'
title: '</script><script>alert("1")</script> <b>bold</b>'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 1}}
outputs: {y: {value: a, unit: '</script><img src=x onerror=alert(2)>'}}
END
cat >held.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: -y, coordinates: [a]}}
motions: {hold: {coordinate: a, value: 0.3}}
END
cat >point.yaml <<'END'
bodies: {b: {mass: 2, sphere: [0, 0, 0], radius: 0.1}}
joints: {j: {type: prismatic, child: b, axis: z}}
END
cp "$SOURCE_DIR/tests/support/open-four-bar.yaml" bad.yaml
sed 's/C2: .0.8, 0, 0.2./C2: [0.33, 0, 0.2]/; s/D: .0.9/D: [0.4/' bad.yaml >wide.yaml # this one can be closed
cat >contradiction.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, 2]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}
motions: {one: {coordinate: a, value: t}, two: {coordinate: a, value: 2*t}}
END
for model in fivelink sedan four-bar slider-crank stick-slip ./held.yaml ./point.yaml ./hostile.yaml ./wide.yaml; do
  check "view $model" "$CAMBER" view "$model" -o "$(basename "$model" .yaml).html" >/dev/null 2>&1
done
for model in bad contradiction; do
  "$CAMBER" view ./$model.yaml -o $model.html >/dev/null 2>&1
  check "view $model: exit code" [ $? -eq 2 ]
done
for page in *.html; do check "$page is too large" [ "$(stat -c %s "$page")" -lt 6000000 ]; done
browse drive_model.mjs
finish

#!/usr/bin/env bash
# Reports in a browser: Debian's Chromium opens those of several models, drawing by software. tests/viewer/drive.mjs does what a reader does. Where node,
# Chromium or the viewer are not there it says so, and tests nothing: scripts/setup.sh viewer installs them.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

skip() {
  echo "skipped: $1"
  exit 77
}
for command in node npm chromium; do
  command -v $command >/dev/null || skip "$command is not there (scripts/setup.sh viewer)"
done
[ -e "$(dirname "$CAMBER")/viewer/viewer.js" ] || skip "this build has no viewer"
cp "$SOURCE_DIR"/tests/viewer/{package.json,package-lock.json,browser.mjs,drive.mjs} .
npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=0 --loglevel=error >npm.txt 2>&1 ||
  skip "npm could not fetch playwright-core"

cat >hostile.yaml <<'END'
title: '</script><script>alert("1")</script> <b>bold</b>'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 1}}
outputs: {y: {value: a, unit: '</script><img src=x onerror=alert(2)>'}}
shapes: [{body: b, sphere: [0, 0, -1], radius: 0.1, colour: '</script>'}]
END
for model in fivelink hmmwv14 four-bar newtons-cradle simple-pendulum caraxis ./hostile.yaml; do
  name=$(basename "$model" .yaml)
  check "run $model" "$CAMBER" run "$model" --html "$name.html" >/dev/null 2>&1
  check "$name.html is too large" [ "$(stat -c %s "$name.html")" -lt 3500000 ]
done
CHROMIUM=$(command -v chromium) timeout 300 node drive.mjs . || fail "the browser"
finish

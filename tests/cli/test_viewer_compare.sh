#!/usr/bin/env bash
# Pages that compare results in a browser (tests/viewer/compare.mjs). Where node, Chromium or the viewer are not there it says so, and tests nothing:
# scripts/setup.sh viewer installs them.
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
"$CAMBER" run simple-pendulum --out probe.h5 >/dev/null 2>&1 || skip "this build has no HDF5"
cp "$SOURCE_DIR"/tests/viewer/{package.json,package-lock.json,browser.mjs,compare.mjs} .
npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=0 --loglevel=error >npm.txt 2>&1 ||
  skip "npm could not fetch playwright-core"

run() { check "run $*" "$CAMBER" run "$@" >/dev/null 2>&1; }
run fivelink --set stair=1 --out a.h5 --record residuals
run fivelink --set stair=1 --out b.mat --method radau5 --rtol 1e-3 --record residuals
run fivelink --set stair=1 --out c.h5 --method lie --step 0.002 --t-end 0.5 --record residuals
run double-pendulum --out d.h5
run simple-pendulum --out e.h5
run simple-pendulum --out e.csv
check "methods" "$CAMBER" view a.h5 b.mat c.h5 -o methods.html >/dev/null
check "models" "$CAMBER" view d.h5 e.h5 e.csv -o models.html >/dev/null
check "single" "$CAMBER" view a.h5 -o single.html >/dev/null
check "table" "$CAMBER" view e.csv -o table.html >/dev/null
CHROMIUM=$(command -v chromium) timeout 200 node compare.mjs . || fail "the browser"
finish

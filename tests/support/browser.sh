# Prepares tests that open pages in a browser; sourced after cli.sh. If node, Chromium or the viewer is missing, it prints which one and ends the test as
# skipped, or as failed if CAMBER_NEEDS_BROWSER=1 (as in `make viewer`). It copies the scripts of tests/viewer and installs their packages in the current
# folder; `browse SCRIPT ARGUMENT..` then runs one of them. The screenshots that they take stay in viewer-pictures, beside the scratch folders.
# shellcheck shell=bash

skip() { # REASON
  echo "skipped: $1"
  [ -z "${CAMBER_NEEDS_BROWSER-}" ] || exit 1
  exit 77
}
for command in node npm chromium; do
  command -v $command >/dev/null || skip "$command is not installed (scripts/setup.sh viewer)"
done
[ -e "$(dirname "$CAMBER")/viewer/viewer.js" ] || skip "this build has no viewer"
cp "$SOURCE_DIR"/tests/viewer/{package.json,package-lock.json,*.mjs} .
npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --loglevel=error >npm.txt 2>&1 ||
  skip "npm could not fetch playwright-core: $(tail -n 1 npm.txt)"

browse() { # SCRIPT ARGUMENT..
  CHROMIUM=$(command -v chromium) PICTURES=${PWD%/scratch/*}/viewer-pictures timeout 600 node "$@" || fail "checks in the browser: $1"
}

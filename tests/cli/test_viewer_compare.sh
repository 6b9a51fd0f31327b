#!/usr/bin/env bash
# Tests pages that compare results in a browser (tests/viewer/compare.mjs). If node, Chromium or the viewer is missing (scripts/setup.sh viewer installs
# them), the test is skipped.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# shellcheck source=../support/browser.sh
. "$SOURCE_DIR/tests/support/browser.sh"
"$CAMBER" run simple-pendulum --out probe.h5 >/dev/null 2>&1 || skip "this build has no HDF5"

run() { check "run $*" "$CAMBER" run "$@" >/dev/null 2>&1; }
run fivelink --set stair=1 --out a.h5 --record residuals
run fivelink --set stair=1 --out b.mat --method radau5 --rtol 1e-3 --record residuals
run fivelink --set stair=1 --out c.h5 --method lie --step 0.002 --t-end 0.5 --record residuals
run double-pendulum --out d.h5
run simple-pendulum --out e.h5
run simple-pendulum --out e.csv
for form in explicit residual cartesian; do run four-bar --t-end 0.2 --formulation $form --out $form.h5; done
run four-bar --t-end 0.2 --out plain.csv
run four-bar --t-end 0.1 --out short.csv
check "forms" "$CAMBER" view explicit.h5 residual.h5 cartesian.h5 plain.csv short.csv --model four-bar -o forms.html >/dev/null 2>stderr
check "the warning is given once: $(cat stderr)" [ "$(grep -c "redundant constraints are left out: 'joint_b.y'" stderr)" -eq 1 ]
check "a warning of all files" grep -q "^camber: warning: explicit.h5, residual.h5, cartesian.h5, plain.csv, short.csv: 3 redundant" stderr
check "the files that a warning is of" grep -q "^camber: warning: plain.csv, short.csv: the model 'four-bar'" stderr
check "eight" "$CAMBER" view a.h5 b.mat c.h5 a.h5 b.mat c.h5 a.h5 b.mat -o eight.html >/dev/null
check "methods" "$CAMBER" view a.h5 b.mat c.h5 -o methods.html >/dev/null
check "models" "$CAMBER" view d.h5 e.h5 e.csv -o models.html >/dev/null
check "single" "$CAMBER" view a.h5 -o single.html >/dev/null
check "table" "$CAMBER" view e.csv -o table.html >/dev/null
browse compare.mjs
finish

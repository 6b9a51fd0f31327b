#!/usr/bin/env bash
# The release archive contains the viewer, and a build from it that is configured without node uses this viewer for reports. The build itself is not tested, as it is
# the same as that of any other tree.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

git -C "$SOURCE_DIR" rev-parse --verify -q HEAD >/dev/null 2>&1 || {
  echo "skipped: the sources are not in a git repository"
  exit 77
}
printf 'viewer();\n' >viewer.js
check "dist" "$SOURCE_DIR/scripts/dist.sh" 9.9.9 viewer.js . >stdout 2>stderr
check "the name of the archive is printed: $(cat stdout)" grep -q 'camber-9.9.9.tar.gz$' stdout
check "unpack" tar -xzf camber-9.9.9.tar.gz
check "the viewer is in it" cmp -s viewer.js camber-9.9.9/viewer/viewer.js
check "the sources are in it" [ -e camber-9.9.9/src/cli/report.c ]
check "nothing else lies there: $(ls)" [ -z "$(ls ./*.partial 2>/dev/null)" ]

# Configures as on a machine without node and npm.
check "configure: $(cat configure.txt 2>/dev/null)" cmake -S camber-9.9.9 -B build -G Ninja -DCAMBER_NODE= -DCAMBER_NPM= >configure.txt 2>&1
check "cmake reports that it uses this viewer" grep -q 'using the viewer of reports in the release archive' configure.txt
check "the viewer is beside the program" cmp -s viewer.js build/viewer/viewer.js
CAMBER_VIEWER=$PWD/build/viewer/viewer.js check "a report with it" "$CAMBER" run simple-pendulum --html report.html >/dev/null
check "it is in the page" grep -qx 'viewer();' report.html
rm camber-9.9.9/viewer/viewer.js
cmake -S camber-9.9.9 -B without -G Ninja -DCAMBER_NODE= -DCAMBER_NPM= >configure.txt 2>&1
check "without a viewer: $(cat configure.txt)" grep -q 'building without reports (camber run --html)' configure.txt
finish

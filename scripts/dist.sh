#!/usr/bin/env bash
# Makes the release archive: the sources of the commit that is checked out, and the viewer of reports, which node makes from viewer/. With the viewer in the
# archive, a machine without node can build a program that writes reports. `make dist` calls this script.
#
#   scripts/dist.sh VERSION VIEWER FOLDER          writes FOLDER/camber-VERSION.tar.gz
set -euo pipefail
version=$1
viewer=$(realpath "$2")
name=camber-$version
archive=$(realpath "$3")/$name.tar.gz

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! [ -s "$viewer" ]; then
  echo "dist: there is no viewer at $viewer; without it, a program built from the archive could not write reports" >&2
  exit 1
fi
if ! git diff --quiet HEAD --; then
  echo "dist: the archive does not contain the uncommitted changes" >&2
fi
git archive --format=tar.gz --prefix="$name/viewer/" --add-file="$viewer" --prefix="$name/" -o "$archive.partial" HEAD
mv "$archive.partial" "$archive"
echo "dist: $archive"

#!/usr/bin/env bash
# The release archive: the sources of the commit that is checked out and the viewer of reports, which is made from viewer/ by node, so that a machine without
# node builds a program that writes reports. `make dist` calls it.
#
#   scripts/dist.sh VERSION VIEWER FOLDER          writes FOLDER/camber-VERSION.tar.gz
set -euo pipefail
version=$1
viewer=$(realpath "$2")
name=camber-$version
archive=$(realpath "$3")/$name.tar.gz

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! [ -s "$viewer" ]; then
  echo "dist: there is no viewer at $viewer, and an archive without it would make no reports" >&2
  exit 1
fi
if ! git diff --quiet HEAD --; then
  echo "dist: there are changes that are not committed, and not in the archive" >&2
fi
git archive --format=tar.gz --prefix="$name/viewer/" --add-file="$viewer" --prefix="$name/" -o "$archive.partial" HEAD
mv "$archive.partial" "$archive"
echo "dist: $archive"

#!/usr/bin/env bash
# Installs the Debian packages that Camber needs and that are missing on this machine.
#
#   scripts/setup.sh [build|report|viewer|test|bench]
#
# The argument selects a group of packages:
#
#   build    compile and run Camber (the default)
#   report   build, and make the viewer of reports (camber run --html)
#   viewer   report, and make pictures and films of reports
#   test     build, and run `make test`
#   bench    test, and run `make bench`
#
# Checks for commands, headers, Python modules and the sanitizer's runtime, not for package names, so that a cmake or python3 from
# another source is accepted. Prints and installs nothing if nothing is missing. Otherwise installs the missing packages if it runs as
# root, or else prints the command that does, and fails.
set -euo pipefail

# Group, what to check for, the Debian package that contains it. A package with a ? is optional: skipped if apt does not offer it.
readonly NEEDS='
build  command:cc                   gcc
build  header:stdio.h               libc6-dev
build  command:make                 make
build  command:cmake                cmake
build  command:ninja                ninja-build
build  command:pkg-config           pkg-config
build  header:suitesparse/klu.h     libsuitesparse-dev
build  header:libfyaml.h            libfyaml-dev
build  header:hdf5/serial/hdf5.h    libhdf5-dev
test   command:gcc                  gcc
test   command:g++                  g++
test   header:cmocka.h              libcmocka-dev
test   header:ida/ida.h             libsundials-dev
test   command:clang                clang
test   clang-runtime:asan           libclang-rt-dev
test   command:clang-format         clang-format
test   command:clang-tidy           clang-tidy
test   command:python3              python3
test   command:objdump              binutils
test   python:jsonschema            python3-jsonschema
test   python:yaml                  python3-yaml
test   command:h5dump               hdf5-tools
bench  command:valgrind             valgrind
bench  header:mujoco/mujoco.h       libmujoco-dev?
report command:node                 nodejs
report command:npm                  npm
viewer command:chromium             chromium
viewer command:ffmpeg               ffmpeg
'

have() { # KIND NAME: whether this command, header, module or runtime is installed
  case $1 in
    command) command -v "$2" ;;
    header) printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$2" | cc -E -xc - ;;
    python) python3 -c "import $2" ;;
    clang-runtime) compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.$2*" ;;
    *) echo "setup: unknown kind of need: $1" >&2 && exit 2 ;;
  esac >/dev/null 2>&1
}

case ${1:-build} in
  build) groups='build' ;;
  test) groups='build test' ;;
  bench) groups='build test bench' ;;
  report) groups='build report' ;;
  viewer) groups='build report viewer' ;;
  *)
    echo "usage: scripts/setup.sh [build|report|viewer|test|bench]" >&2
    exit 2
    ;;
esac

missing=()
while read -r group need package; do
  [[ " $groups " == *" $group "* && -n $need ]] || continue
  have "${need%%:*}" "${need#*:}" && continue
  if [[ $package == *\? ]]; then
    package=${package%\?}
    apt-cache show "$package" >/dev/null 2>&1 || continue
  fi
  [[ " ${missing[*]-} " == *" $package "* ]] && continue
  echo "setup: missing ${need/:/ }, from the Debian package $package"
  missing+=("$package")
done <<<"$NEEDS"
((${#missing[@]})) || exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if ! command -v apt-get >/dev/null; then
  echo "setup: this is not a Debian system; please install by hand: ${missing[*]}" >&2
  exit 1
elif ((EUID != 0)); then
  echo "setup: not root, so please run: sudo apt-get update && sudo ${install[*]}" >&2
  exit 1
fi

echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update && "${install[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "setup: this command failed: ${install[*]}" >&2
  exit 1
fi
echo "setup: $(grep -m1 'newly installed' "$log" || echo "done")"

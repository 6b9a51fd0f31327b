#!/usr/bin/env bash
# Does what a user of the installed library does: installs a finished build below the current
# folder, then compiles every given example with nothing but what pkg-config says, and runs it.
# Each installed header must also compile on its own.
#
#   install_example.sh BUILD_DIR [EXAMPLE.c...]        CC and CFLAGS from the environment
set -euo pipefail

build=$1
shift
prefix=$PWD/prefix
export CAMBER_CACHE=$PWD/cache # not the user's
read -ra flags <<<"${CFLAGS-}"
cc=("${CC:-cc}" "${flags[@]}")

fail() {
  echo "install_example: $*" >&2
  exit 1
}

env -u DESTDIR cmake --install "$build" --prefix "$prefix" >install.log || fail "no installation"

for file in bin/camber share/man/man1/camber.1 share/bash-completion/completions/camber \
  share/zsh/site-functions/_camber share/fish/vendor_completions.d/camber.fish; do
  [[ -s $prefix/$file ]] || fail "not installed, or empty: $file"
done

pc=$(find "$prefix" -name camber.pc)
[[ -n $pc ]] || fail "camber.pc is not installed"
export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=${pc%/pkgconfig/*}
cflags=$(pkg-config --cflags camber) || fail "pkg-config does not know camber"
both=$(pkg-config --cflags --libs --static camber)

for header in "$prefix"/include/camber/*.h; do
  name=camber/${header##*/}
  # shellcheck disable=SC2086 # pkg-config's answer is a list of words
  echo "#include <$name>" | "${cc[@]}" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    $cflags -xc - || fail "<$name> does not compile on its own"
done

for example in "$@"; do
  name=$(basename "$example" .c)
  # shellcheck disable=SC2086
  "${cc[@]}" "$example" -o "$name" $both || fail "$name does not compile"
  "./$name" >"$name.out" || fail "$name: exit code $?"
done
echo "install_example: installed; $# examples compiled and ran"

#!/usr/bin/env bash
# Tests the installed library as its users use it: installs a finished build below the current folder, then
#
#   - compiles each header on its own, as C11 and as C++11;
#   - compiles and runs every given example with the flags of pkg-config only, with the shared and with the static library;
#   - builds and runs a project that uses find_package, tests/install;
#   - compares the symbols that the shared library exports with those that the headers declare.
#
#   install_example.sh BUILD_DIR [EXAMPLE.c...]        SOURCE_DIR, CC, CXX, CFLAGS from the environment
set -euo pipefail

build=$1
shift
prefix=$PWD/prefix
read -ra flags <<<"${CFLAGS-}"
cc=("${CC:-cc}" "${flags[@]}")
cxx=("${CXX:-c++}" "${flags[@]}")
strict=(-Wall -Wextra -Wpedantic -Werror)

fail() {
  echo "install_example: $*" >&2
  exit 1
}

env -u DESTDIR cmake --install "$build" --prefix "$prefix" >install.log || fail "cmake --install fails"

for file in bin/camber bin/camber-bench share/man/man1/camber.1 share/bash-completion/completions/camber \
  share/zsh/site-functions/_camber share/fish/vendor_completions.d/camber.fish share/camber/model.schema.json \
  share/camber/models/fivelink.yaml share/doc/camber/README.md share/doc/camber/docs/library.md \
  share/doc/camber/docs/methods/bdf.md share/doc/camber/examples/pendulum.c; do
  [[ -s $prefix/$file ]] || fail "not installed, or empty: $file"
done
[[ -z $(find "$prefix" -type l ! -name 'libcamber.so*') ]] || fail "symbolic links other than those of the library are installed"
"$prefix/bin/camber" check fivelink >check.txt || fail "the installed program does not find its models"
"$prefix/bin/camber" bench simeon-stair >stair.txt || fail "the installed program does not find camber-bench"

pc=$(find "$prefix" -name camber.pc)
[[ -n $pc ]] || fail "camber.pc is not installed"
libraries=${pc%/pkgconfig/*}
export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=$libraries
cflags=$(pkg-config --cflags camber) || fail "pkg-config does not know camber"
version=$(pkg-config --modversion camber)
[[ $("$prefix/bin/camber" --version) == "camber $version" ]] || fail "the versions of the program and of camber.pc differ"

for header in "$prefix"/include/camber/*.h; do
  name=camber/${header##*/}
  # shellcheck disable=SC2086 # pkg-config prints a list of words
  echo "#include <$name>" | "${cc[@]}" -std=c11 "${strict[@]}" -fsyntax-only $cflags -xc - ||
    fail "<$name> does not compile on its own"
  # shellcheck disable=SC2086
  echo "#include <$name>" | "${cxx[@]}" -std=c++11 "${strict[@]}" -fsyntax-only $cflags -xc++ - ||
    fail "<$name> does not compile on its own as C++"
done

python3 "${BASH_SOURCE[0]%/*}/exported_symbols.py" "$libraries/libcamber.so" "$prefix/include" ||
  fail "the symbols of the library differ from the declarations in its headers"

for package in camber camber-static; do
  both=$(pkg-config --cflags --libs $package) || fail "pkg-config does not know $package"
  for example in "$@"; do
    name=$(basename "$example" .c)-$package
    # shellcheck disable=SC2086
    "${cc[@]}" "$example" -o "$name" $both || fail "$name does not compile"
    "./$name" >"$name.out" || fail "$name: exit code $?"
    needs=$(readelf -d "$name" | grep -c 'NEEDED.*libcamber' || true)
    [[ $package$needs == camber1 || $package$needs == camber-static0 ]] || fail "$name is linked with the wrong library (shared or static)"
  done
done
for example in "$@"; do
  name=$(basename "$example" .c)
  cmp "$name-camber.out" "$name-camber-static.out" || fail "$name: the outputs with the shared and the static library differ"
done

cmake -S "$SOURCE_DIR/tests/install" -B use -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_COMPILER="${cc[0]}" -DCMAKE_CXX_COMPILER="${cxx[0]}" -DCMAKE_C_FLAGS="${flags[*]}" \
  -DCMAKE_CXX_FLAGS="${flags[*]}" -DEXPECTED_VERSION="$version" \
  -DMODEL="$prefix/share/camber/models/fivelink.yaml" >use.log || fail "find_package does not find the library"
cmake --build use >>use.log || fail "the project that uses find_package does not compile: $(tail -n 5 use.log)"
for program in use/use_{c,cpp}_{camber,static}; do
  "./$program" "$prefix/share/camber/models/fivelink.yaml" >>use.out || fail "$program: exit code $?"
done
[[ $(sort -u use.out | wc -l) -eq 1 && $(wc -l <use.out) -eq 4 ]] || fail "the outputs of the four programs differ: $(cat use.out)"
echo "install_example: installed; $# examples and the project compiled and ran"

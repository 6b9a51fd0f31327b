#!/usr/bin/env bash
# Checks that nothing depends on which BLAS is installed, with OpenBLAS, the BLAS of most machines with numerical software: it has other
# rounding errors than the reference BLAS, and threads. Checks that the program and the tests are not linked with a BLAS. SUNDIALS, the
# reference in some tests, may use one; these tests run again, also under the sanitizers.
#
#   scripts/openblas.sh                  after `make test` and `make sanitize`
#
# In the bare Debian of scripts/bare.sh the script first installs OpenBLAS. On other machines it installs nothing; if another BLAS is in
# use, it prints its name and ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -n ${CAMBER_BARE-} ]]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends libopenblas0 >/dev/null
fi
blas=$(ldconfig -p | awk '$1 == "libblas.so.3" { print $NF; exit }')
echo "openblas: the BLAS of this machine is $(readlink -f "${blas:-none}")"
if [[ $(readlink -f "$blas") != *openblas* ]]; then
  echo "openblas: this is not OpenBLAS, so nothing is tested"
  [[ -z ${CAMBER_BARE-} ]]
  exit
fi
for program in build/release/camber build/release/tests/bin/*; do
  if [[ $program != *sundials* ]] && ldd "$program" | grep -E 'blas|lapack'; then
    echo "openblas: $program is linked with a BLAS or LAPACK" >&2
    exit 1
  fi
done
for preset in release asan; do
  ctest --preset $preset -j 2 -R '^verify\.sundials_'
done

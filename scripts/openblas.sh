#!/usr/bin/env bash
# The quick part of the suite with OpenBLAS installed: results must not depend on which BLAS a machine has, and OpenBLAS, which rounds
# otherwise and has threads, is what most machines with numerical software have. Camber itself uses none, as is checked here;
# SUNDIALS, the judge in some tests, does.
#
#   scripts/openblas.sh                  after `make test`
#
# In the bare Debian of scripts/bare.sh OpenBLAS is installed first. Other machines are left as they are: where another BLAS is in
# use, the script says so and that is all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -n ${CAMBER_BARE-} ]]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends libopenblas0 >/dev/null
fi
blas=$(ldconfig -p | awk '$1 == "libblas.so.3" { print $NF; exit }')
echo "openblas: the BLAS of this machine is $(readlink -f "${blas:-none}")"
if [[ $(readlink -f "$blas") != *openblas* ]]; then
  echo "openblas: it is not OpenBLAS, so this part is left out"
  [[ -z ${CAMBER_BARE-} ]]
  exit
fi
if ldd build/release/camber | grep -E 'blas|lapack'; then
  echo "openblas: the program is linked with it" >&2
  exit 1
fi
make quick
ctest --preset asan -R '^verify\.(allocation|implicit_agreement)$'

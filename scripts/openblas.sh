#!/usr/bin/env bash
# The quick part of the suite with OpenBLAS: results must not depend on which BLAS and LAPACK are there, and OpenBLAS, which rounds
# otherwise and has threads, is the one that most machines with numerical software have.
#
#   scripts/openblas.sh                  after `make test`
#
# In the bare Debian of scripts/bare.sh OpenBLAS is installed first. Other machines are left as they are: where OpenBLAS is not
# what the program runs with, the script says so and that is all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -n ${CAMBER_BARE-} ]]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends libopenblas0 >/dev/null
fi
if ! ldd build/release/camber | grep libopenblas; then
  echo "openblas: the program does not run with OpenBLAS here; this part is left out"
  [[ -z ${CAMBER_BARE-} ]]
  exit
fi
make quick
ctest --preset asan -R '^verify\.(allocation|implicit_agreement)$'

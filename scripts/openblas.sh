#!/usr/bin/env bash
# What could depend on a BLAS, with OpenBLAS installed: it rounds otherwise and has threads, and is what most machines with numerical
# software have. Camber itself uses none, as is checked here of the program and of the tests; SUNDIALS, the judge in some tests, may, and
# these are run again, also under the sanitizers.
#
#   scripts/openblas.sh                  after `make test` and `make sanitize`
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
for program in build/release/camber build/release/tests/bin/*; do
  if [[ $program != *sundials* ]] && ldd "$program" | grep -E 'blas|lapack'; then
    echo "openblas: $program is linked with it" >&2
    exit 1
  fi
done
for preset in release asan; do
  ctest --preset $preset -j 2 -R '^verify\.sundials_'
done

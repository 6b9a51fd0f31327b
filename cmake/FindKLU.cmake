# Finds KLU, the sparse LU factorisation of SuiteSparse, with the libraries that it needs.
# Debian's libsuitesparse-dev has no pkg-config file, so the header and the libraries are searched for.
#
#   KLU::KLU        the target to link with
#   KLU_LIBRARIES   the files of the libraries, KLU first

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)

set(KLU_LIBRARIES "")
set(needed KLU_INCLUDE_DIR)
foreach(name klu amd btf colamd suitesparseconfig)
  find_library(KLU_${name}_LIBRARY ${name})
  mark_as_advanced(KLU_${name}_LIBRARY)
  list(APPEND needed KLU_${name}_LIBRARY)
  list(APPEND KLU_LIBRARIES ${KLU_${name}_LIBRARY})
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU
  REQUIRED_VARS ${needed}
  REASON_FAILURE_MESSAGE "run scripts/setup.sh (Debian: libsuitesparse-dev)")

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  target_include_directories(KLU::KLU SYSTEM INTERFACE ${KLU_INCLUDE_DIR})
  target_link_libraries(KLU::KLU INTERFACE ${KLU_LIBRARIES})
endif()

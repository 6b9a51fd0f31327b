# Finds the serial part of SUNDIALS, the reference in tests and benchmarks; the library is never linked
# with it. (The configuration file of SUNDIALS itself would also require MPI, PETSc and hypre.)
#
#   SUNDIALS::SUNDIALS   the target to link with

find_path(SUNDIALS_INCLUDE_DIR ida/ida.h)

set(libraries "")
set(needed SUNDIALS_INCLUDE_DIR)
foreach(name cvode arkode ida nvecserial sunmatrixdense sunmatrixsparse sunlinsoldense sunlinsolklu
             generic)
  find_library(SUNDIALS_${name}_LIBRARY sundials_${name})
  mark_as_advanced(SUNDIALS_${name}_LIBRARY)
  list(APPEND needed SUNDIALS_${name}_LIBRARY)
  list(APPEND libraries ${SUNDIALS_${name}_LIBRARY})
endforeach()
mark_as_advanced(SUNDIALS_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SUNDIALS
  REQUIRED_VARS ${needed}
  REASON_FAILURE_MESSAGE "run scripts/setup.sh test (Debian: libsundials-dev)")

if(SUNDIALS_FOUND AND NOT TARGET SUNDIALS::SUNDIALS)
  add_library(SUNDIALS::SUNDIALS INTERFACE IMPORTED)
  target_include_directories(SUNDIALS::SUNDIALS SYSTEM INTERFACE ${SUNDIALS_INCLUDE_DIR})
  target_link_libraries(SUNDIALS::SUNDIALS INTERFACE ${libraries})
endif()

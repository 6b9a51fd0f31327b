# Adds the checks of scripts/check.py as tests with the label `repo`.

# The object files of the library for the checks that read them: compiled without optimisation and
# built-in functions, so that they contain every variable and every call of the source.
add_library(camber-probe OBJECT ${library_sources})
target_include_directories(camber-probe PRIVATE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(camber-probe PRIVATE camber_flags KLU::KLU)
target_compile_options(camber-probe PRIVATE -O0 -fno-builtin -U_FORTIFY_SOURCE -w)

find_program(CAMBER_PYTHON python3)
mark_as_advanced(CAMBER_PYTHON)
if(NOT CAMBER_PYTHON)
  message(STATUS "python3 is not installed: no repository checks")
  return()
endif()

function(add_check name label) # ARGN: arguments of scripts/check.py
  add_test(NAME repo.${name}
    COMMAND ${CAMBER_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/check.py ${ARGN}
      --root ${PROJECT_SOURCE_DIR} --build ${PROJECT_BINARY_DIR})
  set_tests_properties(repo.${name} PROPERTIES LABELS ${label} TIMEOUT 1800)
endfunction()

foreach(check layers globals calls names errors hygiene format selftest scripts)
  add_check(${check} repo ${check})
endforeach()
set(parts 16) # so that ctest can run other tests at the same time
foreach(part RANGE 1 ${parts})
  add_check(tidy.${part} lint tidy --part ${part}/${parts})
endforeach()

# Finds libfyaml, a YAML parser that reports lines and columns.
#
#   FYAML::FYAML      the target to link with
#   FYAML_LIBRARIES   the file of the library

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_FYAML QUIET libfyaml)
endif()
find_path(FYAML_INCLUDE_DIR libfyaml.h HINTS ${PC_FYAML_INCLUDE_DIRS})
find_library(FYAML_LIBRARIES fyaml HINTS ${PC_FYAML_LIBRARY_DIRS})
mark_as_advanced(FYAML_INCLUDE_DIR FYAML_LIBRARIES)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FYAML
  REQUIRED_VARS FYAML_LIBRARIES FYAML_INCLUDE_DIR
  VERSION_VAR PC_FYAML_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh (Debian: libfyaml-dev)")

if(FYAML_FOUND AND NOT TARGET FYAML::FYAML)
  add_library(FYAML::FYAML INTERFACE IMPORTED)
  target_include_directories(FYAML::FYAML SYSTEM INTERFACE ${FYAML_INCLUDE_DIR})
  target_link_libraries(FYAML::FYAML INTERFACE ${FYAML_LIBRARIES})
endif()

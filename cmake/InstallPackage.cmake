# Installs both libraries and the CMake package that finds them: find_package(camber).
#
#   camber::camber   the shared library
#   camber::static   the static library, if KLU and libfyaml are installed; find_package fails without them only with COMPONENTS static

include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/camber)
set_target_properties(camber-shared PROPERTIES EXPORT_NAME camber)
set_target_properties(camber PROPERTIES EXPORT_NAME static)
install(TARGETS camber-shared EXPORT camberShared)
install(TARGETS camber EXPORT camberStatic)
foreach(export camberShared camberStatic)
  install(EXPORT ${export} NAMESPACE camber:: DESTINATION ${package_folder})
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/camberConfig.cmake.in
  ${PROJECT_BINARY_DIR}/camberConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/camberConfigVersion.cmake
  COMPATIBILITY SameMinorVersion) # as in the name of the shared library
install(FILES ${PROJECT_BINARY_DIR}/camberConfig.cmake ${PROJECT_BINARY_DIR}/camberConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindKLU.cmake ${CMAKE_CURRENT_LIST_DIR}/FindFYAML.cmake
  DESTINATION ${package_folder})

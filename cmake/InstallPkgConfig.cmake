# Installs camber.pc, for the shared library, and camber-static.pc. They are written at installation, because `cmake --install --prefix` may set
# another prefix than the configuration did.

# The linker options of the libraries that the static library needs: -lklu ..., and -L for folders that the compiler does not search.
set(pc_libs_private "")
foreach(file IN LISTS KLU_LIBRARIES FYAML_LIBRARIES)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND pc_libs_private -L${folder})
  endif()
  list(APPEND pc_libs_private -l${name})
endforeach()
list(APPEND pc_libs_private -lm)
list(REMOVE_DUPLICATES pc_libs_private)
list(JOIN pc_libs_private " " pc_libs_private)

function(pc_folder result folder) # sets `result` to the folder below ${prefix}, or to an absolute path as it is
  if(IS_ABSOLUTE ${folder})
    set(${result} ${folder} PARENT_SCOPE)
  else()
    set(${result} "\${prefix}/${folder}" PARENT_SCOPE)
  endif()
endfunction()
pc_folder(pc_libdir ${CMAKE_INSTALL_LIBDIR})
pc_folder(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})

install(CODE "
  set(PROJECT_DESCRIPTION [[${PROJECT_DESCRIPTION}]])
  set(PROJECT_VERSION [[${PROJECT_VERSION}]])
  set(PC_LIBDIR [[${pc_libdir}]])
  set(PC_INCLUDEDIR [[${pc_includedir}]])
  set(PC_LIBS_PRIVATE [[${pc_libs_private}]])
  foreach(name camber camber-static)
    configure_file(
      \"${CMAKE_CURRENT_LIST_DIR}/\${name}.pc.in\" \"${PROJECT_BINARY_DIR}/\${name}.pc\" @ONLY)
  endforeach()
")
install(FILES ${PROJECT_BINARY_DIR}/camber.pc ${PROJECT_BINARY_DIR}/camber-static.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Makes the viewer of reports: cmake -DSOURCE=viewer -DWORK=folder -DOUTPUT=viewer.js -DNODE=node -DNPM=npm -DREQUIRED=OFF -P BuildViewer.cmake
#
# Works in a folder of the build tree: copies the sources there, downloads the packages in package-lock.json by npm (again only if that file
# has changed), and bundles them. If that fails, for example without a network, it uses the viewer in the release archive. If there is none,
# the build continues without a viewer and the next build tries again, or the build fails if REQUIRED is ON.
file(MAKE_DIRECTORY ${WORK})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/build.mjs ${SOURCE}/src DESTINATION ${WORK})

function(give_up why)
  if(EXISTS ${SOURCE}/viewer.js)
    message(STATUS "using the viewer of reports in the release archive: ${why}")
    configure_file(${SOURCE}/viewer.js ${OUTPUT} COPYONLY)
    return()
  endif()
  file(REMOVE ${OUTPUT})
  if(REQUIRED)
    message(FATAL_ERROR "the viewer of reports was not made: ${why}")
  endif()
  message(WARNING "the viewer of reports was not made, so camber run --html will not work: ${why}")
endfunction()

file(SHA256 ${SOURCE}/package-lock.json lock)
set(fetched ${WORK}/node_modules/.fetched-${lock})
if(NOT EXISTS ${fetched})
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=0 --loglevel=error
    WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed OUTPUT_QUIET)
  if(failed)
    give_up("npm could not fetch three, uplot and esbuild")
    return()
  endif()
  file(TOUCH ${fetched})
endif()

execute_process(COMMAND ${NODE} build.mjs ${OUTPUT} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed)
if(failed)
  give_up("esbuild could not bundle its files")
endif()

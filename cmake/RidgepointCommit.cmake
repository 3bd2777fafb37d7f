# Run at every build (cmake -P): writes HEADER with the commit the sources are at, only when that
# changed, so that nothing is compiled again for nothing.
#   SOURCE  the source tree    HEADER  the file to write    GIT  git, or empty
set(commit "unknown")
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" --no-optional-locks describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE described RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0 AND described)
    set(commit "${described}")
  endif()
endif()
set(text "#define RP_GIT_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()

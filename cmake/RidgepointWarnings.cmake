# Warnings every target of this project is built with; a warning is an error with -DRP_WERROR=ON.
option(RP_WERROR "Treat compiler warnings as errors" ON)

add_library(rp_warnings INTERFACE)
target_compile_options(rp_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes
  $<$<BOOL:${RP_WERROR}>:-Werror>)
target_compile_definitions(rp_warnings INTERFACE _GNU_SOURCE)
target_include_directories(rp_warnings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})

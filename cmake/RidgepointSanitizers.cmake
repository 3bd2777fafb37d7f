# RP_SANITIZE: a comma-separated list for -fsanitize, for instance address,undefined or thread.
set(RP_SANITIZE "" CACHE STRING "Sanitizers to build with (address,undefined or thread)")
if(RP_SANITIZE)
  add_compile_options(-fsanitize=${RP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  add_compile_definitions(RP_SANITIZED)
  add_link_options(-fsanitize=${RP_SANITIZE})
endif()

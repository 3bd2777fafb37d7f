file(GLOB cpu_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cpu/*.c)
target_sources(rp_kernels PRIVATE ${cpu_sources})

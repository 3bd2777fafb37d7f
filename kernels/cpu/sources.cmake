# Included by kernels/CMakeLists.txt. The files below are compiled once per instruction set, each copy with RP_ISA in its
# symbols; kernels/cpu/isa.c picks one at run time. Every other file of the folder is compiled once.
set(cpu_isa_names attn_naive attn_reference attn_fused attn_fused_decode row_stream row_blocks storage panels softmax
    probe_vector)
list(TRANSFORM cpu_isa_names PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/cpu/ OUTPUT_VARIABLE cpu_isa_sources)
list(TRANSFORM cpu_isa_sources APPEND .c)

file(GLOB cpu_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cpu/*.c)
list(REMOVE_ITEM cpu_sources ${cpu_isa_sources})
target_sources(rp_kernels PRIVATE ${cpu_sources})

# A fused multiply-add where the source says a * b + c; nothing else of -ffast-math, which breaks masks and NaN checks.
function(rp_add_cpu_isa isa)
  add_library(rp_kernels_cpu_${isa} OBJECT ${cpu_isa_sources})
  target_compile_definitions(rp_kernels_cpu_${isa} PRIVATE RP_ISA=${isa} RP_ISA_${isa})
  target_compile_options(rp_kernels_cpu_${isa} PRIVATE -ffp-contract=fast ${ARGN})
  target_include_directories(rp_kernels_cpu_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(rp_kernels_cpu_${isa} PRIVATE rp_cblas OpenMP::OpenMP_C rp_warnings)
  target_sources(rp_kernels PRIVATE $<TARGET_OBJECTS:rp_kernels_cpu_${isa}>)
endfunction()

rp_add_cpu_isa(portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  rp_add_cpu_isa(avx2 -mavx2 -mfma -mf16c)
  rp_add_cpu_isa(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mprefer-vector-width=512)
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/cpu/isa.c PROPERTIES COMPILE_DEFINITIONS RP_CPU_X86)
endif()

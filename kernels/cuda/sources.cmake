# Included by kernels/CMakeLists.txt where CUDA is built. The .cu files are compiled by nvcc as a step of its own, so that
# everything else stays a C project and is linked by the C compiler. One binary for sm_75, sm_80 and sm_90, and PTX
# for what comes after. The runtime is linked statically, cuBLAS is loaded when it is used: the programs start on
# machines without a driver or a toolkit.
file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cu)
file(GLOB cuda_tables CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.c)
set(RP_CUDA_ARCHITECTURES "75;80;90" CACHE STRING "Compute capabilities to build for; the last one as PTX, too")

set(cuda_flags -std=c++17 -O3 -lineinfo -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src -Xcompiler -fPIC)
# sm_90a has instructions that no other GPU has, nor will have: a file of its own, never as PTX.
set(hopper_source ${CMAKE_CURRENT_SOURCE_DIR}/cuda/attn_fused_hopper.cu)
set(hopper_flags ${cuda_flags} -gencode arch=compute_90a,code=sm_90a)
if(RP_CUDA_HOPPER)
  list(APPEND cuda_flags -DRP_CUDA_HOPPER)
else()
  list(REMOVE_ITEM cuda_sources ${hopper_source})
endif()
foreach(architecture ${RP_CUDA_ARCHITECTURES})
  list(APPEND cuda_flags -gencode arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(GET RP_CUDA_ARCHITECTURES -1 last)
list(APPEND cuda_flags -gencode arch=compute_${last},code=compute_${last})

foreach(source ${cuda_sources})
  get_filename_component(name ${source} NAME)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(flags ${cuda_flags})
  if(source STREQUAL hopper_source)
    set(flags ${hopper_flags})
  endif()
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
    COMMAND ${RP_NVCC} ${flags} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
    COMMENT "Compiling ${name} for CUDA")
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(rp_kernels PRIVATE ${object})
endforeach()
target_sources(rp_kernels PRIVATE ${cuda_tables})
target_include_directories(rp_kernels SYSTEM PRIVATE ${RP_CUDA_INCLUDE_DIR})
target_link_libraries(rp_kernels PUBLIC CUDA::cudart_static stdc++)

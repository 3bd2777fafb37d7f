# The CUDA backend is built where a toolkit is found; no GPU and no driver are needed for that. RP_CUDA=ON asks for it
# (its absence is then an error), OFF leaves it out. Sets RP_WITH_CUDA and RP_NVCC.
#
# NVIDIA's headers alone are enough for the tests that run CUDA sources on the CPU; they are wherever the toolkit is
# (CUDAToolkit_ROOT, CUDA_PATH, nvcc on PATH; or say -DRP_CUDA_INCLUDE_DIR=...). RP_CUDA_VERSION is theirs, for
# instance 13000, or 0 where there are none.
set(RP_CUDA AUTO CACHE STRING "CUDA backend: AUTO (where a toolkit is found), ON or OFF")
set_property(CACHE RP_CUDA PROPERTY STRINGS AUTO ON OFF)
find_package(CUDAToolkit QUIET)
find_path(RP_CUDA_INCLUDE_DIR cuda_fp16.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
  DOC "Folder of cuda_runtime_api.h, cuda_fp16.h and cublas_v2.h")
set(RP_CUDA_VERSION 0)
if(RP_CUDA_INCLUDE_DIR AND EXISTS ${RP_CUDA_INCLUDE_DIR}/cublas_v2.h)
  file(STRINGS ${RP_CUDA_INCLUDE_DIR}/cuda_runtime_api.h line REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" RP_CUDA_VERSION "${line}")
endif()
find_program(RP_NVCC nvcc HINTS ${CUDAToolkit_BIN_DIR} DOC "NVIDIA's compiler")

option(RP_CUDA_HOPPER "A prefill for compute capability 9.0 of its own (wgmma, TMA); it has never run on a GPU" OFF)

set(RP_WITH_CUDA OFF)
if(RP_NVCC AND TARGET CUDA::cudart_static AND RP_CUDA_VERSION GREATER_EQUAL 12000 AND NOT RP_SANITIZE)
  set(RP_WITH_CUDA ON)
endif()
if(RP_CUDA STREQUAL "ON" AND NOT RP_WITH_CUDA)
  message(FATAL_ERROR "RP_CUDA=ON: nvcc, cudart and cublas_v2.h of CUDA 12 or 13 are needed, and RP_SANITIZE empty; "
    "say where with -DCUDAToolkit_ROOT=... or set RP_CUDA=OFF")
elseif(NOT RP_CUDA)
  set(RP_WITH_CUDA OFF)
endif()
message(STATUS "CUDA backend: ${RP_WITH_CUDA} (RP_CUDA=${RP_CUDA}, headers ${RP_CUDA_VERSION}, nvcc ${RP_NVCC})")

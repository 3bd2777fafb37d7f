# NVIDIA's headers, wherever the toolkit is (CUDAToolkit_ROOT, CUDA_PATH, nvcc on PATH; or say
# -DRP_CUDA_INCLUDE_DIR=...). Sets RP_CUDA_VERSION, for instance 13000, or 0 where there are none.
find_package(CUDAToolkit QUIET)
find_path(RP_CUDA_INCLUDE_DIR cuda_fp16.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
  DOC "Folder of cuda_runtime_api.h, cuda_fp16.h and cublas_v2.h")
set(RP_CUDA_VERSION 0)
if(RP_CUDA_INCLUDE_DIR AND EXISTS ${RP_CUDA_INCLUDE_DIR}/cublas_v2.h)
  file(STRINGS ${RP_CUDA_INCLUDE_DIR}/cuda_runtime_api.h line REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" RP_CUDA_VERSION "${line}")
endif()

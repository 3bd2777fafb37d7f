/* backend_cuda.h - the queue of a CUDA device, as its kernels see it. */
#ifndef RP_DEVICE_BACKEND_CUDA_H
#define RP_DEVICE_BACKEND_CUDA_H

struct rp_cuda_queue {
    void *stream;  /* cudaStream_t; null is the default one */
    void *library; /* the kernels' cuBLAS handle: made by the first kernel that needs it, or null */
    void (*library_close)(void *library); /* set with it; called before the device is closed */
    void *cudnn;                          /* likewise of cuDNN: handle and plan, or null */
    void (*cudnn_close)(void *cudnn);     /* set with it; called before the device is closed */
    void *graph; /* cudaGraphExec_t of empty launches: made by the first probe that needs it */
};

#endif

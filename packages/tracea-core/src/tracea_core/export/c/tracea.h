/* SPDX-License-Identifier: MIT */
/* tracea's interface for C: products and convolutions on buffers that the caller owns.
 *
 * One interface, two libraries that offer it. One that `tracea export` wrote serves the calls it was written for, with their kernels inside,
 * and needs no Python; `tracea_calls` tells which they are. The one of the CMake package `tracea` starts Python and serves every call.
 *
 * Every function may be called from several threads at once. None of them throws, exits or aborts: they return a status, and a thread whose
 * call failed finds the reason in `tracea_get_last_error`. A call that fails before it launches has written nothing. An output shares no
 * memory with what is read; nobody looks whether it does.
 */
#ifndef TRACEA_H
#define TRACEA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TRACEA_API __declspec(dllexport)
#else
#define TRACEA_API __attribute__((visibility("default")))
#endif

typedef enum {
    TRACEA_SUCCESS = 0,
    TRACEA_INVALID_PARAMS = 1,      /* the arguments contradict each other, or a pointer is null or not aligned */
    TRACEA_UNSUPPORTED_CONFIG = 2,  /* nothing here serves such a call, or not on this machine */
    TRACEA_CUDA_ERROR = 3,          /* NVIDIA's driver refused */
    TRACEA_CPU_ERROR = 4            /* no memory, or a failure within the library */
} TraceaStatus;

typedef enum {
    TRACEA_FLOAT64 = 0,
    TRACEA_FLOAT32 = 1,
    TRACEA_BFLOAT16 = 2,
    TRACEA_FLOAT16 = 3,
    TRACEA_FLOAT8_E4M3 = 4,
    TRACEA_FLOAT8_E5M2 = 5,
    TRACEA_INT8 = 6,
    TRACEA_UINT8 = 7,
    TRACEA_INT32 = 8,
    TRACEA_TFLOAT32 = 9  /* memory holds fp32; products round it to tf32 */
} TraceaDType;

/* A tensor: its memory, extents, and strides in elements (NULL: row by row without gaps). */
typedef struct {
    void *ptr;
    uint32_t rank;
    const uint64_t *shape;
    const int64_t *stride;
    TraceaDType dtype;
    int32_t device_id; /* -1: the processor; N: CUDA's device N */
} TraceaTensorView;

/* One stage of what happens to a result before it is stored: a name as on tracea's command line ("bias", "relu", "gelu", "residual",
 * "batch_norm", "scale:0.5", ...) and the tensors that it takes, in their order. */
typedef struct {
    const char *name;
    const TraceaTensorView *operands;
    uint32_t operand_count;
} TraceaEpilogue;

typedef struct {
    const TraceaEpilogue *epilogues;
    uint32_t epilogue_count;
    void *stream; /* CUstream; NULL is the default stream. The processor has none: a call returns when it is done. */
} TraceaGemmParams;

/* What is 0 among strides, dilations and groups counts as 1, so {0} is a plain convolution. */
typedef struct {
    uint32_t stride_h, stride_w;
    uint32_t padding_h, padding_w;
    uint32_t dilation_h, dilation_w;
    uint32_t groups;
    const TraceaEpilogue *epilogues; /* they follow the bias, if there is one */
    uint32_t epilogue_count;
    void *stream;
} TraceaConv2dParams;

/* out (m, n) = epilogues(a (m, k) * b (k, n)). A weight that is stored by row is a view with strides (1, k). */
TRACEA_API TraceaStatus tracea_gemm(
    TraceaTensorView a, TraceaTensorView b, TraceaTensorView *out, TraceaGemmParams params);

/* out (n, k, p, q) = epilogues(x (n, c, h, w) convolved with w (k, c / groups, r, s) + b (k)). Strides say whether images are channels-last. */
TRACEA_API TraceaStatus tracea_conv2d(
    TraceaTensorView x, TraceaTensorView w, const TraceaTensorView *b, /* NULL for no bias */
    TraceaTensorView *out, TraceaConv2dParams params);

/* What this library serves, a line for each call; empty for one that serves every call. */
TRACEA_API const char *tracea_calls(void);

/* Copy the message of this thread's last failure with a final 0, cut to `len` bytes, and return its length without the 0.
 * 0: there is none. `buf` may be NULL to ask for the length. */
TRACEA_API int32_t tracea_get_last_error(uint8_t *buf, size_t len);
TRACEA_API void tracea_clear_error(void);

/* Such as "0.1.0". */
TRACEA_API const char *tracea_version(void);

#ifdef __cplusplus
}
#endif
#endif

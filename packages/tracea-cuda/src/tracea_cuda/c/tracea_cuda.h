/* SPDX-License-Identifier: MIT */
/* Launches through NVIDIA's driver, for exported libraries. The driver is opened when the first call comes, so that a program starts without
 * one; neither its header nor the toolkit is needed. Kernels run in a device's primary context, the one that CUDA's runtime and PyTorch use.
 * Names, numbers and layouts are those of cuda.h (CUDA 12.0 and later). */
#ifndef TRACEA_CUDA_H
#define TRACEA_CUDA_H

#include <dlfcn.h>
#include <pthread.h>

#include "tracea_library.h"

#ifndef TRACEA_CUDA_LIBRARY
#define TRACEA_CUDA_LIBRARY "libcuda.so.1" /* the driver */
#endif

enum { TRACEA_MOST_MAPS = 6, TRACEA_MOST_DEVICES = 16, TRACEA_MOST_ARGUMENTS = 96, TRACEA_MAP_BYTES = 128 };

/* What cuTensorMapEncodeTiled, or with a walk over windows cuTensorMapEncodeIm2col, takes besides an address. */
typedef struct {
    uint32_t operand; /* of the kernel's pointers */
    int type;
    uint32_t rank;
    uint64_t extents[5], strides[5];
    uint32_t box[5];
    int swizzle, promotion;
    bool walks;
    int lower[2], upper[2];
    uint32_t steps[2];
    bool is_small; /* see `tracea_encode` */
    bool is_empty;
} TraceaCudaMap;

typedef struct {
    void *context, *function;
    bool fixed_cluster;
} TraceaCudaLoaded;

/* A kernel with every symbol bound. */
typedef struct {
    const unsigned char *binary;
    const char *entry;
    uint32_t pointer_count, symbol_count, map_count;
    const int64_t *symbols; /* each in 8 bytes: the lower ones are what a kernel with 32-bit symbols reads */
    const TraceaCudaMap *maps;
    uint32_t blocks, threads, shared_bytes, cluster;
    bool begins_early;
    TraceaCudaLoaded *loaded; /* TRACEA_MOST_DEVICES of them */
} TraceaCudaKernel;

typedef struct {
    unsigned id, padding, value[16];
} TraceaLaunchAttribute;

typedef struct {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    TraceaLaunchAttribute *attributes;
    unsigned attribute_count;
} TraceaLaunchConfig;

static struct {
    int (*cuInit)(unsigned);
    int (*cuDriverGetVersion)(int *);
    int (*cuGetErrorName)(int, const char **);
    int (*cuGetErrorString)(int, const char **);
    int (*cuDeviceGet)(int *, int);
    int (*cuDevicePrimaryCtxRetain)(void **, int);
    int (*cuCtxGetCurrent)(void **);
    int (*cuCtxSetCurrent)(void *);
    int (*cuModuleLoadData)(void **, const void *);
    int (*cuModuleGetFunction)(void **, void *, const char *);
    int (*cuFuncGetAttribute)(int *, int, void *);
    int (*cuFuncSetAttribute)(void *, int, int);
    int (*cuLaunchKernelEx)(const TraceaLaunchConfig *, void *, void **, void **);
    int (*cuTensorMapEncodeTiled)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *, int, int, int, int);
    int (*cuTensorMapEncodeIm2col)(
        void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *, const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int);
    int (*cuMemAllocAsync)(void **, size_t, void *);
    int (*cuMemFreeAsync)(void *, void *);
} tracea_cuda;

static pthread_once_t tracea_cuda_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t tracea_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
static char tracea_cuda_missing[256]; /* why there is no driver; empty if there is */
static int tracea_cuda_version;
static void *tracea_contexts[TRACEA_MOST_DEVICES];

static void tracea_find(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    if (found == NULL && !*tracea_cuda_missing)
        snprintf(tracea_cuda_missing, sizeof tracea_cuda_missing, "NVIDIA's driver has no function %s; CUDA 12.0 or later is needed", name);
    memcpy(place, &found, sizeof found);
}

static void tracea_open_driver(void) {
    void *library = dlopen(TRACEA_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(tracea_cuda_missing, sizeof tracea_cuda_missing, "NVIDIA's driver cannot be loaded: %s", dlerror());
        return;
    }
    tracea_find(library, "cuInit", &tracea_cuda.cuInit);
    tracea_find(library, "cuDriverGetVersion", &tracea_cuda.cuDriverGetVersion);
    tracea_find(library, "cuGetErrorName", &tracea_cuda.cuGetErrorName);
    tracea_find(library, "cuGetErrorString", &tracea_cuda.cuGetErrorString);
    tracea_find(library, "cuDeviceGet", &tracea_cuda.cuDeviceGet);
    tracea_find(library, "cuDevicePrimaryCtxRetain", &tracea_cuda.cuDevicePrimaryCtxRetain);
    tracea_find(library, "cuCtxGetCurrent", &tracea_cuda.cuCtxGetCurrent);
    tracea_find(library, "cuCtxSetCurrent", &tracea_cuda.cuCtxSetCurrent);
    tracea_find(library, "cuModuleLoadData", &tracea_cuda.cuModuleLoadData);
    tracea_find(library, "cuModuleGetFunction", &tracea_cuda.cuModuleGetFunction);
    tracea_find(library, "cuFuncGetAttribute", &tracea_cuda.cuFuncGetAttribute);
    tracea_find(library, "cuFuncSetAttribute", &tracea_cuda.cuFuncSetAttribute);
    tracea_find(library, "cuLaunchKernelEx", &tracea_cuda.cuLaunchKernelEx);
    tracea_find(library, "cuTensorMapEncodeTiled", &tracea_cuda.cuTensorMapEncodeTiled);
    tracea_find(library, "cuTensorMapEncodeIm2col", &tracea_cuda.cuTensorMapEncodeIm2col);
    tracea_find(library, "cuMemAllocAsync", &tracea_cuda.cuMemAllocAsync);
    tracea_find(library, "cuMemFreeAsync", &tracea_cuda.cuMemFreeAsync);
    if (*tracea_cuda_missing) return;
    if (tracea_cuda.cuInit(0) != 0 || tracea_cuda.cuDriverGetVersion(&tracea_cuda_version) != 0)
        snprintf(tracea_cuda_missing, sizeof tracea_cuda_missing, "NVIDIA's driver does not start; is a GPU visible (nvidia-smi, CUDA_VISIBLE_DEVICES)?");
}

static TraceaStatus tracea_cuda_check(int code, const char *what, const char *kernel) {
    const char *name = NULL, *text = NULL;
    if (code == 0) return TRACEA_SUCCESS;
    (void)tracea_cuda.cuGetErrorName(code, &name);
    (void)tracea_cuda.cuGetErrorString(code, &text);
    return tracea_fail(TRACEA_CUDA_ERROR, "%s%s%s failed: %s (%d), %s", kernel, *kernel ? ": " : "", what, name != NULL ? name : "error", code,
                       text != NULL ? text : "unknown");
}

#define TRACEA_TRY(call, what, kernel) \
    do { \
        const TraceaStatus tried = tracea_cuda_check(call, what, kernel); \
        if (tried != TRACEA_SUCCESS) return tried; \
    } while (0)

/* Open the driver, and make the device's primary context the thread's own; device -1 keeps what the thread has, or opens device 0. */
static TraceaStatus tracea_cuda_ready(int32_t device) {
    void *current = NULL;
    int handle;
    pthread_once(&tracea_cuda_once, tracea_open_driver);
    if (*tracea_cuda_missing) return tracea_fail(TRACEA_CUDA_ERROR, "%s", tracea_cuda_missing);
    TRACEA_TRY(tracea_cuda.cuCtxGetCurrent(&current), "asking for the current context", "");
    if (device == -1 && current != NULL) return TRACEA_SUCCESS;
    if (device < -1 || device >= TRACEA_MOST_DEVICES) return tracea_fail(TRACEA_INVALID_PARAMS, "there is no device cuda:%d", device);
    if (device == -1) device = 0;
    pthread_mutex_lock(&tracea_cuda_lock);
    if (tracea_contexts[device] == NULL) {
        int code = tracea_cuda.cuDeviceGet(&handle, device);
        if (code == 0) code = tracea_cuda.cuDevicePrimaryCtxRetain(&tracea_contexts[device], handle);
        if (code != 0) {
            tracea_contexts[device] = NULL;
            pthread_mutex_unlock(&tracea_cuda_lock);
            return tracea_cuda_check(code, "opening the device", "");
        }
    }
    pthread_mutex_unlock(&tracea_cuda_lock);
    if (current != tracea_contexts[device]) TRACEA_TRY(tracea_cuda.cuCtxSetCurrent(tracea_contexts[device]), "changing to the device", "");
    return TRACEA_SUCCESS;
}

static TraceaStatus tracea_cuda_lend(uint64_t bytes, void *stream, void **address) {
    return tracea_cuda_check(tracea_cuda.cuMemAllocAsync(address, bytes, stream), "allocating a workspace", "");
}

static void tracea_cuda_take_back(void *address, void *stream) { (void)tracea_cuda.cuMemFreeAsync(address, stream); }

/* Return the kernel in the thread's context, loaded when it is first called there. */
static TraceaStatus tracea_load(const TraceaCudaKernel *kernel, TraceaCudaLoaded *found) {
    enum { MAX_DYNAMIC_SHARED = 8, REQUIRED_CLUSTER_WIDTH = 11, NON_PORTABLE_CLUSTER = 14, PORTABLE_CLUSTER = 8 };
    void *context = NULL, *module = NULL;
    int place, code, width = 0;
    TRACEA_TRY(tracea_cuda.cuCtxGetCurrent(&context), "asking for the current context", kernel->entry);
    pthread_mutex_lock(&tracea_cuda_lock);
    for (place = 0; place < TRACEA_MOST_DEVICES && kernel->loaded[place].context != NULL && kernel->loaded[place].context != context; ++place) {}
    if (place == TRACEA_MOST_DEVICES) {
        pthread_mutex_unlock(&tracea_cuda_lock);
        return tracea_fail(TRACEA_UNSUPPORTED_CONFIG, "%s: it is loaded in %d contexts already", kernel->entry, TRACEA_MOST_DEVICES);
    }
    if (kernel->loaded[place].context == NULL) {
        TraceaCudaLoaded *loaded = &kernel->loaded[place];
        code = tracea_cuda.cuModuleLoadData(&module, kernel->binary);
        if (code == 0) code = tracea_cuda.cuModuleGetFunction(&loaded->function, module, kernel->entry);
        if (code == 0) code = tracea_cuda.cuFuncSetAttribute(loaded->function, MAX_DYNAMIC_SHARED, (int)kernel->shared_bytes);
        if (code == 0 && kernel->cluster > PORTABLE_CLUSTER) code = tracea_cuda.cuFuncSetAttribute(loaded->function, NON_PORTABLE_CLUSTER, 1);
        if (code == 0 && kernel->cluster > 1) code = tracea_cuda.cuFuncGetAttribute(&width, REQUIRED_CLUSTER_WIDTH, loaded->function);
        if (code != 0) {
            pthread_mutex_unlock(&tracea_cuda_lock);
            return tracea_cuda_check(code, "loading the kernel", kernel->entry);
        }
        loaded->fixed_cluster = width > 0;
        loaded->context = context;
    }
    *found = kernel->loaded[place];
    pthread_mutex_unlock(&tracea_cuda_lock);
    return TRACEA_SUCCESS;
}

static TraceaStatus tracea_encode(const TraceaCudaMap *map, void *address, void *target, const char *kernel) {
    static const uint32_t ones[5] = {1, 1, 1, 1, 1};
    const uint32_t apart[5] = {1, map->steps[0], map->steps[1], 1, 1};
    int code;
    if (map->is_empty) return TRACEA_SUCCESS;
    if ((uintptr_t)address % 16 || address == NULL)
        return tracea_fail(TRACEA_INVALID_PARAMS, "%s: the copy engine reads from multiples of 16 bytes, not %p", kernel, address);
    if (map->walks)
        code = tracea_cuda.cuTensorMapEncodeIm2col(target, map->type, map->rank, address, map->extents, map->strides, map->lower, map->upper, map->box[0],
                                                   map->box[1], apart, 0, map->swizzle, map->promotion, 0);
    else
        code = tracea_cuda.cuTensorMapEncodeTiled(target, map->type, map->rank, address, map->extents, map->strides, map->box, ones, 0, map->swizzle,
                                                  map->promotion, 0);
    /* CUTLASS clears this bit too (include/cute/atom/copy_traits_sm90_tma.hpp): drivers up to 13.1 set it wrongly for small tensors. */
    if (code == 0 && map->is_small && tracea_cuda_version / 1000 * 100 + tracea_cuda_version % 1000 / 10 <= 1301) {
        uint64_t word;
        memcpy(&word, (char *)target + 8, sizeof word);
        word &= ~((uint64_t)1 << 21);
        memcpy((char *)target + 8, &word, sizeof word);
    }
    return tracea_cuda_check(code, "describing a tensor to the copy engine", kernel);
}

static TraceaStatus tracea_cuda_launch(const TraceaStep *step, void *const *addresses, void *stream) {
    enum { CLUSTER_DIMENSION = 4, PROGRAMMATIC_SERIALIZATION = 6 };
    const TraceaCudaKernel *kernel = (const TraceaCudaKernel *)step->kernel;
    _Alignas(128) char maps[TRACEA_MOST_MAPS * TRACEA_MAP_BYTES];
    void *arguments[TRACEA_MOST_ARGUMENTS];
    TraceaLaunchAttribute attributes[2];
    TraceaLaunchConfig config;
    TraceaCudaLoaded loaded = {NULL, NULL, false};
    uint32_t count = 0, i;
    TraceaStatus status = tracea_load(kernel, &loaded);
    if (status != TRACEA_SUCCESS) return status;
    for (i = 0; i < kernel->map_count; ++i) {
        status = tracea_encode(&kernel->maps[i], addresses[kernel->maps[i].operand], maps + i * TRACEA_MAP_BYTES, kernel->entry);
        if (status != TRACEA_SUCCESS) return status;
        arguments[count++] = maps + i * TRACEA_MAP_BYTES;
    }
    for (i = 0; i < kernel->pointer_count; ++i) arguments[count++] = (void *)&addresses[i];
    for (i = 0; i < kernel->symbol_count; ++i) arguments[count++] = (void *)&kernel->symbols[i];
    memset(&config, 0, sizeof config);
    memset(attributes, 0, sizeof attributes);
    config.grid[0] = kernel->blocks;
    config.block[0] = kernel->threads;
    config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
    config.shared_bytes = kernel->shared_bytes;
    config.stream = stream;
    config.attributes = attributes;
    if (kernel->cluster > 1 && !loaded.fixed_cluster) {
        TraceaLaunchAttribute *one = &attributes[config.attribute_count++];
        one->id = CLUSTER_DIMENSION;
        one->value[0] = kernel->cluster;
        one->value[1] = one->value[2] = 1;
    }
    if (kernel->begins_early) {
        TraceaLaunchAttribute *one = &attributes[config.attribute_count++];
        one->id = PROGRAMMATIC_SERIALIZATION;
        one->value[0] = 1;
    }
    return tracea_cuda_check(tracea_cuda.cuLaunchKernelEx(&config, loaded.function, arguments, NULL), "launching the kernel", kernel->entry);
}

static const TraceaBackend tracea_backend = {
    TRACEA_CUDA_ERROR, tracea_cuda_ready, tracea_cuda_lend, tracea_cuda_take_back, tracea_cuda_launch};
#endif

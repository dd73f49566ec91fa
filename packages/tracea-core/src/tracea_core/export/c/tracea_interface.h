/* SPDX-License-Identifier: MIT */
/* tracea.h over the table of a library's calls. A program may hold several such libraries; these functions are weak, so that they then
 * belong to one of them, while the library's own functions always run its own kernels. */
#ifndef TRACEA_INTERFACE_H
#define TRACEA_INTERFACE_H

#include "tracea_library.h"
#include "tracea_message.h"

#if defined(__GNUC__)
#define TRACEA_SHARED __attribute__((weak))
#else
#define TRACEA_SHARED
#endif

static const char *const tracea_dtype_names[] = {"float64", "float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2", "int8", "uint8", "int32", "tfloat32"};

/* Whether a view is such a tensor. Strides count where there is a next element; memory of fp32 serves products that round it to tf32. */
static bool tracea_is(const TraceaTensorView *view, const TraceaSpec *spec) {
    const bool rounded = view->dtype == TRACEA_FLOAT32 && spec->dtype == TRACEA_TFLOAT32;
    int64_t next = 1;
    uint32_t axis;
    if (view->rank != spec->rank || (view->dtype != spec->dtype && !rounded)) return false;
    for (axis = view->rank; axis-- > 0;) {
        const int64_t stride = view->stride != NULL ? view->stride[axis] : next;
        if (view->shape[axis] != spec->shape[axis]) return false;
        if (view->shape[axis] > 1 && stride != spec->stride[axis] && !spec->is_empty) return false;
        next *= view->shape[axis] ? (int64_t)view->shape[axis] : 1;
    }
    return true;
}

static TraceaStatus tracea_check_view(const char *function, const char *name, const TraceaTensorView *view, uint32_t rank, int32_t device) {
    if (view->rank != rank) return tracea_fail(TRACEA_INVALID_PARAMS, "%s: %s has %u axes, not %u", function, name, view->rank, rank);
    if (view->shape == NULL) return tracea_fail(TRACEA_INVALID_PARAMS, "%s: %s has no shape", function, name);
    if ((unsigned)view->dtype > TRACEA_TFLOAT32)
        return tracea_fail(TRACEA_INVALID_PARAMS, "%s: %s has the unknown type %d", function, name, (int)view->dtype);
    if (view->device_id != device)
        return tracea_fail(TRACEA_INVALID_PARAMS, "%s: %s is on device %d, the first tensor on %d", function, name, view->device_id, device);
    return TRACEA_SUCCESS;
}

static size_t tracea_describe_view(char *text, size_t room, const char *name, const TraceaTensorView *view) {
    size_t used = (size_t)snprintf(text, room, "%s %s (", name, tracea_dtype_names[view->dtype]);
    uint32_t axis;
    for (axis = 0; axis < view->rank && used < room; ++axis)
        used += (size_t)snprintf(text + used, room - used, "%s%llu", axis ? ", " : "", (unsigned long long)view->shape[axis]);
    if (view->stride != NULL && used < room) used += (size_t)snprintf(text + used, room - used, ") by (");
    for (axis = 0; view->stride != NULL && axis < view->rank && used < room; ++axis)
        used += (size_t)snprintf(text + used, room - used, "%s%lld", axis ? ", " : "", (long long)view->stride[axis]);
    if (used < room) used += (size_t)snprintf(text + used, room - used, "), ");
    return used < room ? used : room;
}

/* Find the call of these tensors and run it. `views` holds the inputs; operands of stages are appended here, and the output behind them. */
static TraceaStatus tracea_dispatch(
    const char *function, TraceaOp op, const uint32_t window[7], const TraceaTensorView *views, uint32_t view_count, const TraceaTensorView *bias,
    const TraceaEpilogue *epilogues, uint32_t epilogue_count, const TraceaTensorView *out, void *stream) {
    const TraceaTensorView *all[TRACEA_MOST_TENSORS];
    void *pointers[TRACEA_MOST_TENSORS];
    char label[256] = "", text[640];
    size_t length = 0, used = 0;
    uint32_t count = 0, i, j;
    const int32_t device = views[0].device_id;
    for (i = 0; i < view_count; ++i) all[count++] = &views[i];
    if (bias != NULL) {
        all[count++] = bias;
        length = (size_t)snprintf(label, sizeof label, "bias");
    }
    if (epilogue_count && epilogues == NULL) return tracea_fail(TRACEA_INVALID_PARAMS, "%s: there are %u epilogues, and no pointer to them", function, epilogue_count);
    for (i = 0; i < epilogue_count; ++i) {
        const TraceaEpilogue *stage = &epilogues[i];
        if (stage->name == NULL) return tracea_fail(TRACEA_INVALID_PARAMS, "%s: epilogue %u has no name", function, i);
        if (stage->operand_count && stage->operands == NULL)
            return tracea_fail(TRACEA_INVALID_PARAMS, "%s: the epilogue %s has %u operands, and no pointer to them", function, stage->name, stage->operand_count);
        length += (size_t)snprintf(label + length, sizeof label - length, "%s%s", length ? ", " : "", stage->name);
        if (length >= sizeof label || count + stage->operand_count >= TRACEA_MOST_TENSORS)
            return tracea_fail(TRACEA_UNSUPPORTED_CONFIG, "%s: there are more epilogues than any call has", function);
        for (j = 0; j < stage->operand_count; ++j) {
            const TraceaTensorView *operand = &stage->operands[j];
            if (operand->rank > TRACEA_MOST_RANK)
                return tracea_fail(TRACEA_INVALID_PARAMS, "%s: an operand of %s has %u axes", function, stage->name, operand->rank);
            if (tracea_check_view(function, stage->name, operand, operand->rank, device) != TRACEA_SUCCESS) return TRACEA_INVALID_PARAMS;
            all[count++] = operand;
        }
    }
    all[count++] = out;
    for (i = 0; i < sizeof tracea_table / sizeof *tracea_table; ++i) {
        const TraceaCall *call = &tracea_table[i];
        bool same = call->op == op && call->tensor_count == count && strcmp(call->epilogue, label) == 0;
        if (same && window != NULL) same = memcmp(call->window, window, sizeof call->window) == 0;
        for (j = 0; same && j < count; ++j) same = tracea_is(all[j], &call->tensors[j]);
        if (!same) continue;
        if ((device < 0) != (tracea_backend.failure == TRACEA_CPU_ERROR))
            return tracea_fail(TRACEA_UNSUPPORTED_CONFIG, "%s: the tensors are on device %d, and this library's kernels run on %s", function, device,
                               tracea_backend.failure == TRACEA_CPU_ERROR ? "the processor (-1)" : "CUDA's devices (0 and more)");
        for (j = 0; j < count; ++j) pointers[j] = all[j]->ptr;
        return tracea_run(&tracea_backend, call, pointers, device, stream);
    }
    for (i = 0; i < count; ++i)
        used += tracea_describe_view(text + used, sizeof text - used, i < view_count ? (i ? "input1" : "input0") : i + 1 < count ? "operand" : "out", all[i]);
    return tracea_fail(TRACEA_UNSUPPORTED_CONFIG, "%s: no call of this library takes %sepilogue \"%s\"; tracea_calls() lists those that it has",
                       function, text, label);
}

TRACEA_SHARED TRACEA_API TraceaStatus tracea_gemm(TraceaTensorView a, TraceaTensorView b, TraceaTensorView *out, TraceaGemmParams params) {
    const TraceaTensorView views[2] = {a, b};
    if (out == NULL) return tracea_fail(TRACEA_INVALID_PARAMS, "tracea_gemm: out is a null pointer");
    if (tracea_check_view("tracea_gemm", "a", &a, 2, a.device_id) != TRACEA_SUCCESS || tracea_check_view("tracea_gemm", "b", &b, 2, a.device_id) != TRACEA_SUCCESS ||
        tracea_check_view("tracea_gemm", "out", out, 2, a.device_id) != TRACEA_SUCCESS)
        return TRACEA_INVALID_PARAMS;
    if (a.shape[1] != b.shape[0] || out->shape[0] != a.shape[0])
        return tracea_fail(TRACEA_INVALID_PARAMS, "tracea_gemm: (%llu, %llu) times (%llu, %llu) is no (%llu, %llu)", (unsigned long long)a.shape[0],
                           (unsigned long long)a.shape[1], (unsigned long long)b.shape[0], (unsigned long long)b.shape[1],
                           (unsigned long long)out->shape[0], (unsigned long long)out->shape[1]);
    return tracea_dispatch("tracea_gemm", TRACEA_OP_GEMM, NULL, views, 2, NULL, params.epilogues, params.epilogue_count, out, params.stream);
}

TRACEA_SHARED TRACEA_API TraceaStatus tracea_conv2d(
    TraceaTensorView x, TraceaTensorView w, const TraceaTensorView *b, TraceaTensorView *out, TraceaConv2dParams params) {
    const TraceaTensorView views[2] = {x, w};
    const uint32_t window[7] = {
        params.stride_h ? params.stride_h : 1, params.stride_w ? params.stride_w : 1, params.padding_h, params.padding_w,
        params.dilation_h ? params.dilation_h : 1, params.dilation_w ? params.dilation_w : 1, params.groups ? params.groups : 1};
    if (out == NULL) return tracea_fail(TRACEA_INVALID_PARAMS, "tracea_conv2d: out is a null pointer");
    if (tracea_check_view("tracea_conv2d", "x", &x, 4, x.device_id) != TRACEA_SUCCESS || tracea_check_view("tracea_conv2d", "w", &w, 4, x.device_id) != TRACEA_SUCCESS ||
        (b != NULL && tracea_check_view("tracea_conv2d", "b", b, 1, x.device_id) != TRACEA_SUCCESS) ||
        tracea_check_view("tracea_conv2d", "out", out, 4, x.device_id) != TRACEA_SUCCESS)
        return TRACEA_INVALID_PARAMS;
    return tracea_dispatch("tracea_conv2d", TRACEA_OP_CONV2D, window, views, 2, b, params.epilogues, params.epilogue_count, out, params.stream);
}

TRACEA_SHARED TRACEA_API const char *tracea_calls(void) { return tracea_lines; }

TRACEA_SHARED TRACEA_API int32_t tracea_get_last_error(uint8_t *buf, size_t len) {
    return tracea_copy_message(tracea_message, buf, len);
}

TRACEA_SHARED TRACEA_API void tracea_clear_error(void) { tracea_message[0] = 0; }

TRACEA_SHARED TRACEA_API const char *tracea_version(void) { return TRACEA_VERSION; }
#endif

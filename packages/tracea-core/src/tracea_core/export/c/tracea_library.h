/* SPDX-License-Identifier: MIT */
/* What an exported library is made of: calls, the kernels that they launch, and the backend that launches them.
 *
 * A library is one file of C that includes this, its backend and the tables that tracea printed; everything but the interface of tracea.h
 * and the library's own header is static, so libraries do not meet in one program.
 */
#ifndef TRACEA_LIBRARY_H
#define TRACEA_LIBRARY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracea.h"

enum { TRACEA_MOST_RANK = 8, TRACEA_MOST_TENSORS = 24, TRACEA_WORKSPACE_ALIGNMENT = 256 };

typedef enum { TRACEA_OP_OTHER = 0, TRACEA_OP_GEMM = 1, TRACEA_OP_CONV2D = 2 } TraceaOp;

/* A tensor of a call as it was planned. Strides are in elements; an axis of one element may have any. */
typedef struct {
    const char *name;
    TraceaDType dtype;
    uint32_t rank;
    uint64_t shape[TRACEA_MOST_RANK];
    int64_t stride[TRACEA_MOST_RANK];
    bool is_empty;
} TraceaSpec;

/* One kernel of a call: which of the call's tensors (and behind them its workspaces) its pointers are, moved by so many bytes. */
typedef struct {
    const void *kernel; /* the backend's description of it */
    const char *name;
    uint32_t operand_count;
    const uint8_t *operands;
    const int64_t *shifts;
    const uint32_t *alignments;
} TraceaStep;

typedef struct {
    const char *name;
    TraceaOp op;
    uint32_t window[7];   /* of a convolution: stride, padding, dilation (each rows, columns), groups */
    const char *epilogue; /* names of stages, separated by ", " */
    uint32_t tensor_count;
    const TraceaSpec *tensors; /* inputs, operands of the epilogue, output */
    uint32_t step_count;
    const TraceaStep *steps;
    uint32_t space_count;
    const uint64_t *spaces; /* bytes of workspaces between kernels */
} TraceaCall;

/* What launches kernels. */
typedef struct {
    TraceaStatus failure; /* its status of failures that are not the caller's */
    TraceaStatus (*ready)(int32_t device);
    TraceaStatus (*lend)(uint64_t bytes, void *stream, void **address);
    void (*take_back)(void *address, void *stream);
    TraceaStatus (*launch)(const TraceaStep *step, void *const *addresses, void *stream);
} TraceaBackend;

#if defined(_MSC_VER)
static __declspec(thread) char tracea_message[1024];
#else
static __thread char tracea_message[1024];
#endif

/* Keep a message for `tracea_get_last_error`, and return the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static TraceaStatus tracea_fail(TraceaStatus status, const char *format, ...) {
    va_list given;
    va_start(given, format);
    vsnprintf(tracea_message, sizeof tracea_message, format, given);
    va_end(given);
    return status;
}

/* Run a call on pointers to its tensors: look at everything first, so that a call that cannot be served changes nothing. */
static TraceaStatus tracea_run(const TraceaBackend *backend, const TraceaCall *call, void *const *pointers, int32_t device, void *stream) {
    void *addresses[TRACEA_MOST_TENSORS];
    uint32_t i, j;
    uint64_t bytes = 0;
    char *space = NULL;
    TraceaStatus status;
    for (i = 0; i < call->tensor_count; ++i) {
        addresses[i] = pointers[i];
        if (pointers[i] == NULL && !call->tensors[i].is_empty)
            return tracea_fail(TRACEA_INVALID_PARAMS, "%s: %s is a null pointer", call->name, call->tensors[i].name);
    }
    for (i = 0; i < call->step_count; ++i) {
        const TraceaStep *step = &call->steps[i];
        for (j = 0; j < step->operand_count; ++j) {
            const uint32_t operand = step->operands[j];
            if (operand < call->tensor_count && ((uintptr_t)addresses[operand] + (uintptr_t)step->shifts[j]) % step->alignments[j])
                return tracea_fail(TRACEA_INVALID_PARAMS, "%s: %s starts at %p and has to be a multiple of %u bytes", call->name,
                                   call->tensors[operand].name, addresses[operand], step->alignments[j]);
        }
    }
    status = backend->ready(device);
    if (status != TRACEA_SUCCESS) return status;
    for (i = 0; i < call->space_count; ++i)
        bytes += (call->spaces[i] + TRACEA_WORKSPACE_ALIGNMENT - 1) / TRACEA_WORKSPACE_ALIGNMENT * TRACEA_WORKSPACE_ALIGNMENT;
    if (bytes) {
        void *lent = NULL;
        status = backend->lend(bytes, stream, &lent);
        if (status != TRACEA_SUCCESS) return status;
        space = (char *)lent;
    }
    for (i = 0, bytes = 0; i < call->space_count; ++i) {
        addresses[call->tensor_count + i] = space + bytes;
        bytes += (call->spaces[i] + TRACEA_WORKSPACE_ALIGNMENT - 1) / TRACEA_WORKSPACE_ALIGNMENT * TRACEA_WORKSPACE_ALIGNMENT;
    }
    for (i = 0; i < call->step_count && status == TRACEA_SUCCESS; ++i) {
        const TraceaStep *step = &call->steps[i];
        void *given[TRACEA_MOST_TENSORS];
        for (j = 0; j < step->operand_count; ++j) given[j] = (char *)addresses[step->operands[j]] + step->shifts[j];
        status = backend->launch(step, given, stream);
    }
    if (space != NULL) backend->take_back(space, stream);
    return status;
}
#endif

// SPDX-License-Identifier: MIT
// Calls a kernel with arguments that lie in memory, one pointer each, and describes its parameters. The kernel's type says all.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace simt {

struct Parameter {
    uint32_t bytes;
    uint32_t kind;  // 'p' pointer, 'i' integer, 'f' floating point, 's' anything else
};

}  // namespace simt

// Defined by SIMT_ENTRY in the translation unit of the kernel (simt/export.h).
extern "C" unsigned simt_entry_parameters();
extern "C" const simt::Parameter* simt_entry_table();
extern "C" void simt_entry_call(void** arguments);

// SPDX-License-Identifier: MIT
// The translation unit of a kernel: the language's words, the unmodified text, and the export of its entry.
#include SIMT_SHIM

#include SIMT_SOURCE

#include <simt/export.h>

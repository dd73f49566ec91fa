// SPDX-License-Identifier: MIT
#include <simt/sycl.h>

# SPDX-License-Identifier: MIT
"""HIP C++ from semantic kernels: a dialect of core's C-family walk."""

# SPDX-License-Identifier: MIT
"""OpenCL C from semantic kernels: a dialect of core's C-family walk."""

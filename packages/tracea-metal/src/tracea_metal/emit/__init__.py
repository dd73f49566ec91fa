# SPDX-License-Identifier: MIT
"""Metal Shading Language from semantic kernels: a dialect of core's C-family walk."""

# SPDX-License-Identifier: MIT
"""What the C-like languages (CUDA, HIP, OpenCL C, Metal) share when a semantic kernel is printed: all but their idioms.

`tracea_core.emit.c.walk` walks the steps; a `Dialect` (`tracea_core.emit.c.dialect`) says how its language spells types,
barriers and matrix instructions. Whoever adds a language writes a dialect and nothing else.
"""

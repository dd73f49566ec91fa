# SPDX-License-Identifier: MIT
"""The SIMT emulator: runs the text of HIP, CUDA and Metal kernels on the CPU and finds what a GPU would hide.

>>> from tracea_core.testing.simt import SimtProgram  # doctest: +SKIP
>>> program = SimtProgram(text, language="hip", target="gfx942")  # doctest: +SKIP
>>> program.run(grid=(1,), block=(256,), args=(a, b, c, 512), seed=7).require_clean()  # doctest: +SKIP
"""

from __future__ import annotations

from tracea_core.testing.simt.program import SimtProgram
from tracea_core.testing.simt.report import BankAccesses, Finding, SimtReport, Site
from tracea_core.testing.simt.tensor_map import TensorMap
from tracea_core.testing.simt.toolchain import find_compiler

__all__ = ["BankAccesses", "Finding", "SimtProgram", "SimtReport", "Site", "TensorMap", "find_compiler"]

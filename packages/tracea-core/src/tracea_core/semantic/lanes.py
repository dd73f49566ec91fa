# SPDX-License-Identifier: MIT
"""Matrix instructions by name: one function that knows every family's lane maps.

Variants, profiles and semantic kernels hold only the name; whoever needs to know where an element sits asks here, so
there is one definition of it. Names say family, shape and operand type: ``mma_m16n8k16_bf16``,
``wgmma_m64n256k16_bf16`` (A from shared memory; ``wgmma_ra_…`` with A in registers), ``mfma_32x32x8_fp16``,
``fma_outer_6x4x16_fp32``; ``…_turned`` is one of them as it multiplies the transposed matrices.

>>> outer = instruction("fma_outer_6x4x16_fp32")
>>> outer.m, outer.n, outer.lanes, outer.c.registers
(6, 64, 16, 24)
>>> [int(x) for x in outer.c.element(lane=3, register=4 * 2 + 1)]
[2, 19]
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from tracea_core.errors import ConfigurationError
from tracea_core.semantic import lanes_amd, lanes_cpu, lanes_joint, lanes_nvidia, lanes_other, lanes_simt
from tracea_core.semantic.lanes_amd import mfma, wmma
from tracea_core.semantic.lanes_base import TURNED, InstructionLanes
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.lanes_nvidia import MatrixMove, matrix_move, mma, wgmma
from tracea_core.semantic.lanes_other import dpas, simdgroup
from tracea_core.semantic.lanes_simt import simt

__all__ = [
    "InstructionLanes",
    "MatrixMove",
    "dpas",
    "fma_outer",
    "instruction",
    "matrix_move",
    "mfma",
    "mma",
    "simdgroup",
    "simt",
    "wgmma",
    "wmma",
]

_PARSERS: tuple[Callable[[str], InstructionLanes | None], ...] = (
    lanes_cpu.parse,
    lanes_nvidia.parse,
    lanes_amd.parse,
    lanes_other.parse,
    lanes_joint.parse,
    lanes_simt.parse,
)
_PATTERNS = (
    *lanes_cpu.PATTERNS, *lanes_nvidia.PATTERNS, *lanes_amd.PATTERNS, *lanes_other.PATTERNS, *lanes_joint.PATTERNS,
    *lanes_simt.PATTERNS,
)  # fmt: skip


@functools.lru_cache(maxsize=1024)
def instruction(name: str) -> InstructionLanes:
    """Return the lane maps of the instruction called `name`.

    Raises
    ------
    ConfigurationError
        If no family knows the name, or its family has no instruction of that shape and type.
    """
    if name.endswith(TURNED):
        return instruction(name.removesuffix(TURNED)).turned()
    for parse in _PARSERS:
        built = parse(name)
        if built is not None:
            return built
    raise ConfigurationError(f"no matrix instruction is called {name!r}", hint="Known names: " + "; ".join(_PATTERNS))

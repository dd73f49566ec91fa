# SPDX-License-Identifier: MIT
"""CPU register tiles: an outer product of broadcast rows and vectors, where a lane is a SIMD lane.

A tile of 6x4 vectors of 16 lanes keeps 24 accumulator registers; each step over k loads 4 vectors of B and broadcasts 6
elements of A. Types narrower than their accumulator are multiplied in groups: a bf16 pair or four int8 values of
consecutive k share one accumulator lane, so one step covers 2 or 4 values of k.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, VFMADD231PS/PD, VDPBF16PS, VPDPBUSD; Arm
Architecture Reference Manual for A-profile, FMLA (by element), BFDOT, SDOT. All work lane by lane.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, InstructionLanes, bits, log2

PATTERNS = ("fma_outer_{rows}x{vectors}x{lanes}_{fp32|fp64|bf16|int8|uint8|int32}",)

_NAME = re.compile(rf"fma_outer_(\d+)x(\d+)x(\d+)_({DTYPE_PATTERN})")
_SOURCE = "Intel SDM vol. 2 (VFMADD231PS, VDPBF16PS, VPDPBUSD); Arm ARM for A-profile (FMLA, BFDOT, SDOT)"
_TYPES = (DType.FP32, DType.FP64, DType.BF16, DType.INT8, DType.UINT8, DType.INT32)


def fma_outer(rows: int, vectors: int, lanes: int, dtype: DType = DType.FP32) -> InstructionLanes:
    """Return the register tile of `rows` by `vectors` vectors of `lanes` accumulator lanes.

    In C a register is [row i, vector v] (row-major) and a lane is a SIMD lane; A holds row i in every lane; B holds
    vector v. Where several k share a lane, the register number of A and B counts them innermost.

    Parameters
    ----------
    rows, vectors : int
        Tile size: ``rows`` by ``vectors * lanes`` elements.
    lanes : int
        Accumulator elements of one vector register, a power of two: 16 (AVX-512 fp32), 8 (AVX2 fp32), 4 (NEON fp32).
    dtype : DType
        Operand type: fp32, fp64, bf16 (2 values of k a step), int8 or uint8 (4).

    Raises
    ------
    ConfigurationError
        If the extents or the type do not make a register tile.
    """
    if rows < 1 or vectors < 1 or lanes < 1 or lanes & (lanes - 1):
        raise ConfigurationError(
            f"no register tile has {rows} rows of {vectors} vectors of {lanes} lanes", hint="Lanes are a power of two"
        )
    if dtype not in _TYPES:
        raise ConfigurationError(f"no register tile multiplies {dtype.value}", known=[t.value for t in _TYPES])
    accumulator = dtype.accumulator
    k = accumulator.bits // dtype.bits
    k_bits, lane_bits = log2(k), log2(lanes)
    down = Repeat(Holder.REGISTER, FragmentAxis.ROW, rows, 1)
    along = Repeat(Holder.REGISTER, FragmentAxis.COLUMN, vectors, lanes)
    broadcast = FragmentLayout.from_bits((1, k), lane=((0, 0),) * lane_bits, register=bits("column", 1, k_bits))
    vector = FragmentLayout.from_bits((k, lanes), lane=bits("column", 1, lane_bits), register=bits("row", 1, k_bits))
    sums = FragmentLayout.from_bits((1, lanes), lane=bits("column", 1, lane_bits), register=())
    return InstructionLanes(
        name=f"fma_outer_{rows}x{vectors}x{lanes}_{dtype.value}",
        m=rows, n=vectors * lanes, k=k, operand=dtype, accumulator=accumulator, lanes=lanes,
        a=broadcast.replace(shape=(rows, k), repeats=(down,)),
        b=vector.replace(shape=(k, vectors * lanes), repeats=(along,)),
        c=sums.replace(shape=(rows, vectors * lanes), repeats=(down, along)),
        source=_SOURCE,
    )  # fmt: skip


def parse(name: str) -> InstructionLanes | None:
    """Return the register tile called `name`, or None if the name is of another family."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    rows, vectors, lanes = (int(match.group(i)) for i in (1, 2, 3))
    return fma_outer(rows, vectors, lanes, DType(match.group(4)))

# SPDX-License-Identifier: MIT
"""CPU register tiles: an outer product of broadcast rows and vectors, where a lane is a SIMD lane.

A tile of 6x4 vectors of 16 lanes keeps 24 accumulator registers; each step over k loads 4 vectors of B and broadcasts 6
elements of A. Types narrower than their accumulator are multiplied in groups: a bf16 pair or four int8 values of
consecutive k share one accumulator lane, so one step covers 2 or 4 values of k.

AMX multiplies tiles: 16 rows of 64 bytes each. A row of A holds 16 groups of consecutive k, a row of B one group of k for each of
16 columns, a row of C 16 sums. To the lanes of vectors, through which elements reach tiles and leave them, these are 16-lane
fragments like any other.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, VFMADD231PS/PD, VDPBF16PS, VPDPBUSD, TDPBF16PS,
TDPBSSD/TDPBSUD/TDPBUSD/TDPBUUD; Arm Architecture Reference Manual for A-profile, FMLA (by element), BFDOT, SDOT. All vector
instructions work lane by lane.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, InstructionLanes, bits, log2

PATTERNS = (
    "fma_outer_{rows}x{vectors}x{lanes}_{fp32|fp64|bf16|int8|uint8|int32|int8xuint8|uint8xint8}",
    "amx_{rows}x{columns}_{bf16|int8|uint8|int8xuint8|uint8xint8}",
)

_NAME = re.compile(rf"fma_outer_(\d+)x(\d+)x(\d+)_({DTYPE_PATTERN})(?:x({DTYPE_PATTERN}))?")
_AMX_NAME = re.compile(rf"amx_(\d+)x(\d+)_({DTYPE_PATTERN})(?:x({DTYPE_PATTERN}))?")
_AMX_LANES, _AMX_TILES = 16, 8
_BYTES = (DType.INT8, DType.UINT8)
_SOURCE = (
    "Intel SDM vol. 2 (VFMADD231PS, VDPBF16PS, VPDPBUSD, TDPBF16PS, TDPBSSD); Arm ARM for A-profile (FMLA, BFDOT, SDOT)"
)
_TYPES = (DType.FP32, DType.FP64, DType.BF16, DType.INT8, DType.UINT8, DType.INT32)


def fma_outer(
    rows: int, vectors: int, lanes: int, dtype: DType = DType.FP32, operand_b: DType | None = None
) -> InstructionLanes:
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
    operand_b : DType, optional
        Type of B where it is not A's: the other type of a byte.

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
    other = _other_type(dtype, operand_b)
    accumulator = dtype.accumulator
    k = accumulator.bits // dtype.bits
    k_bits, lane_bits = log2(k), log2(lanes)
    down = Repeat(Holder.REGISTER, FragmentAxis.ROW, rows, 1)
    along = Repeat(Holder.REGISTER, FragmentAxis.COLUMN, vectors, lanes)
    broadcast = FragmentLayout.from_bits((1, k), lane=((0, 0),) * lane_bits, register=bits("column", 1, k_bits))
    vector = FragmentLayout.from_bits((k, lanes), lane=bits("column", 1, lane_bits), register=bits("row", 1, k_bits))
    sums = FragmentLayout.from_bits((1, lanes), lane=bits("column", 1, lane_bits), register=())
    return InstructionLanes(
        name=f"fma_outer_{rows}x{vectors}x{lanes}_{dtype.value}" + (f"x{other.value}" if other else ""),
        m=rows, n=vectors * lanes, k=k, operand=dtype, accumulator=accumulator, lanes=lanes,
        a=broadcast.replace(shape=(rows, k), repeats=(down,)),
        b=vector.replace(shape=(k, vectors * lanes), repeats=(along,)),
        c=sums.replace(shape=(rows, vectors * lanes), repeats=(down, along)),
        source=_SOURCE, operand_b=other,
    )  # fmt: skip


def _other_type(dtype: DType, operand_b: DType | None) -> DType | None:
    if operand_b is None or operand_b is dtype:
        return None
    if dtype not in _BYTES or operand_b not in _BYTES:
        raise ConfigurationError(f"no register tile multiplies {dtype.value} by {operand_b.value}")
    return operand_b


def amx(rows: int, columns: int, dtype: DType, operand_b: DType | None = None) -> InstructionLanes:
    """Return the product of `rows` by `columns` tiles of AMX: 16·rows by 16·columns sums, 64 bytes of k a step.

    Parameters
    ----------
    rows, columns : int
        Tiles of C below and beside each other; with those of A and B there are at most 8.
    dtype, operand_b : DType
        bf16, int8 or uint8; bytes of B may be of the other type.

    Raises
    ------
    ConfigurationError
        If the tiles are too many or the type is none of them.
    """
    tiles = rows * columns + rows + columns
    if min(rows, columns) < 1 or tiles > _AMX_TILES:
        raise ConfigurationError(f"AMX has {_AMX_TILES} tiles, {rows} by {columns} need {tiles}")
    if dtype not in (DType.BF16, *_BYTES):
        raise ConfigurationError(f"AMX does not multiply {dtype.value}", known=["bf16", "int8", "uint8"])
    other, group = _other_type(dtype, operand_b), 4 // dtype.bytes
    group_bits, lane_bits = log2(group), log2(_AMX_LANES)
    deep = _AMX_LANES * group
    m, n = rows * _AMX_LANES, columns * _AMX_LANES
    down = Repeat(Holder.REGISTER, FragmentAxis.ROW, m, 1)
    along = Repeat(Holder.REGISTER, FragmentAxis.COLUMN, columns, _AMX_LANES)
    groups_of_row = FragmentLayout.from_bits(
        (1, deep), lane=bits("column", group, lane_bits), register=bits("column", 1, group_bits)
    )
    groups_of_columns = FragmentLayout.from_bits(
        (deep, _AMX_LANES), lane=bits("column", 1, lane_bits), register=bits("row", 1, group_bits + lane_bits)
    )
    sums = FragmentLayout.from_bits((1, _AMX_LANES), lane=bits("column", 1, lane_bits), register=())
    return InstructionLanes(
        name=f"amx_{rows}x{columns}_{dtype.value}" + (f"x{other.value}" if other else ""),
        m=m, n=n, k=deep, operand=dtype, accumulator=dtype.accumulator, lanes=_AMX_LANES,
        a=groups_of_row.replace(shape=(m, deep), repeats=(down,)),
        b=groups_of_columns.replace(shape=(deep, n), repeats=(along,)),
        c=sums.replace(shape=(m, n), repeats=(down, along)),
        source=_SOURCE, operand_b=other, tiles=tiles,
    )  # fmt: skip


def parse(name: str) -> InstructionLanes | None:
    """Return the register tile called `name`, or None if the name is of another family."""
    match = _NAME.fullmatch(name)
    if match is not None:
        rows, vectors, lanes = (int(match.group(i)) for i in (1, 2, 3))
        return fma_outer(rows, vectors, lanes, DType(match.group(4)), _type(match.group(5)))
    match = _AMX_NAME.fullmatch(name)
    if match is None:
        return None
    return amx(int(match.group(1)), int(match.group(2)), DType(match.group(3)), _type(match.group(4)))


def _type(name: str | None) -> DType | None:
    return DType(name) if name else None

# SPDX-License-Identifier: MIT
"""Multiplication by the lanes of a warp themselves, where there is no matrix unit for the type: an outer product a step of k.

The lanes of a warp form a grid; each keeps a block of the result and multiplies every element of its piece of a column of A by every
element of its piece of a row of B. Pieces are dealt in runs of four elements, 16 bytes of fp32, so that neighbouring lanes read
neighbouring runs: the second run of a lane lies behind the first runs of all lanes.

Lanes are numbered along the grid's columns, or, *paired*, down two rows first. Then every two neighbouring lanes read one run of B and
every second one the same run of A, so NVIDIA's shared memory serves half a warp of 16-byte reads at a time instead of a quarter.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, Bits, InstructionLanes, bits, log2

PATTERNS = ("simt_{lane rows}x{lane columns}_{rows}x{columns of a lane}_{fp32|fp64}[_paired]",)
_NAME = re.compile(rf"simt_(\d+)x(\d+)_(\d+)x(\d+)_({DTYPE_PATTERN})(_paired)?")
_TYPES = (DType.FP32, DType.FP64)
_RUN = 4


def simt(
    lane_rows: int, lane_columns: int, rows: int, columns: int, dtype: DType, paired: bool = False
) -> InstructionLanes:
    """Return the product of a warp of ``lane_rows · lane_columns`` lanes that hold ``rows x columns`` results each; k is 1.

    `paired` lanes are numbered down two rows of their grid before they go on to the next column.

    Raises
    ------
    ConfigurationError
        If an extent is no power of two, or lanes do not compute in the type.
    """
    extents = (lane_rows, lane_columns, rows, columns)
    if any(extent < 1 or extent & (extent - 1) for extent in extents) or dtype not in _TYPES:
        raise ConfigurationError(
            "lanes multiply in fp32 or fp64, in blocks of powers of two", extents=extents, dtype=dtype.value
        )
    m, n = lane_rows * rows, lane_columns * columns
    lane_row, row = _dealt("row", lane_rows, rows)
    lane_column, column = _dealt("column", lane_columns, columns)
    first = lane_row[: int(paired)]
    lane = first + lane_column + lane_row[len(first) :]
    a = FragmentLayout.from_bits((m, 1), tuple((step[0], 0) for step in lane), row)
    b = FragmentLayout.from_bits((1, n), tuple((0, step[1]) for step in lane), column)
    c = FragmentLayout.from_bits((m, n), lane, column + row)
    return InstructionLanes(
        name=f"simt_{lane_rows}x{lane_columns}_{rows}x{columns}_{dtype.value}{'_paired' if paired else ''}",
        m=m, n=n, k=1, operand=dtype, accumulator=dtype, lanes=lane_rows * lane_columns, a=a, b=b, c=c,
        source="none: lanes and registers are ours to deal",
    )  # fmt: skip


def _dealt(axis: str, lanes: int, count: int) -> tuple[Bits, Bits]:
    """Steps of the lanes along an axis, and of the `count` elements that each of them holds there."""
    run = min(_RUN, count)
    registers = bits(axis, 1, log2(run)) + bits(axis, run * lanes, log2(count // run))
    return bits(axis, run, log2(lanes)), registers


def parse(name: str) -> InstructionLanes | None:
    """Return the instruction called `name`, or None if the name is of another family."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    lane_rows, lane_columns, rows, columns = (int(match.group(i)) for i in (1, 2, 3, 4))
    return simt(lane_rows, lane_columns, rows, columns, DType(match.group(5)), match.group(6) is not None)


def smaller_blocks(name: str) -> tuple[str, ...]:
    """Return instructions of the same lanes with fewer results each, down to four by four; none for other families.

    >>> smaller_blocks("simt_4x8_8x8_fp32")
    ('simt_4x8_4x8_fp32', 'simt_4x8_4x4_fp32')
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return ()
    lane_rows, lane_columns, rows, columns = (int(match.group(i)) for i in range(1, 5))
    found = []
    while max(rows, columns) > _RUN:
        rows, columns = (rows // 2, columns) if rows >= columns else (rows, columns // 2)
        found.append(f"simt_{lane_rows}x{lane_columns}_{rows}x{columns}_{match.group(5)}{match.group(6) or ''}")
    return tuple(found)

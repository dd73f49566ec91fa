# SPDX-License-Identifier: MIT
"""Which lane of a warpgroup holds which element at the end of a tile: sums, the operands of an expression beside them, and rows."""

from __future__ import annotations

from tracea_core.semantic.index import ROW, Index
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout


def accumulator(width: int) -> FragmentLayout:
    """Return the registers of `width` neighbouring columns of a warpgroup accumulator."""
    return instruction(f"wgmma_m64n{width}k16_bf16").c


def row_vector(width: int) -> FragmentLayout:
    """Return one element per column, held by the lanes that hold the column: lane bits 0 and 1 pick pairs of 8 columns."""
    lane = ((0, 2), (0, 4), *(((0, 0),) * 5))
    return FragmentLayout.from_bits((1, 8), lane, ((0, 1),)).repeat(columns=width // 8)


def column_vector() -> FragmentLayout:
    """Return one element per row, held by the lanes that hold the row."""
    lane = ((0, 0), (0, 0), (1, 0), (2, 0), (4, 0), (16, 0), (32, 0))
    return FragmentLayout.from_bits((64, 1), lane, ((8, 0),))


def scalar() -> FragmentLayout:
    """Return one element that every lane holds."""
    return FragmentLayout.from_bits((1, 1), ((0, 0),) * 7, ())


AT_ONCE = 4
"""Rows of each warp that leave at once: more would take registers that sums leave to nobody."""


def rows(width: int) -> FragmentLayout:
    """Return `AT_ONCE` rows of each warp, of `width` columns, a power of two: lanes side by side along them."""
    along = [(0, 1 << bit) for bit in range(width.bit_length() - 1)]
    down = [(1 << bit, 0) for bit in range(AT_ONCE.bit_length() - 1)]
    lanes = [*along[:5], *down[: 5 - len(along[:5])]]
    rest = [*along[5:], *down[5 - len(along[:5]) :]]
    return FragmentLayout.from_bits((4 * AT_ONCE, width), (*lanes, (AT_ONCE, 0), (2 * AT_ONCE, 0)), tuple(rest))


def row_of(number: Index) -> Index:
    """Return which of 64 rows an element of `rows` is in its round `number`: each warp stores the 16 rows that it computed."""
    return ROW // AT_ONCE * 16 + number * AT_ONCE + ROW % AT_ONCE

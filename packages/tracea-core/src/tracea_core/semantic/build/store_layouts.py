# SPDX-License-Identifier: MIT
"""Which lane of a warpgroup holds which element at the end of a tile: sums, the operands of an expression beside them, and rows."""

from __future__ import annotations

from tracea_core.semantic.build.multistage_lanes import projection, with_runs
from tracea_core.semantic.contraction import Contraction, I, J, Term
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import ROW, Const, Index, coefficient, symbols
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout


def accumulator(width: int) -> FragmentLayout:
    """Return the registers of `width` neighbouring columns of a warpgroup accumulator."""
    return instruction(f"wgmma_m64n{width}k16_bf16").c


def in_runs(width: int, run: int) -> FragmentLayout | None:
    """Return the layout of an accumulator whose lanes exchanged what they hold until each has runs of columns, None if there is none."""
    lane = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0), (16, 0), (32, 0))
    more = tuple((0, 1 << bit) for bit in range(3, width.bit_length() - 1))
    return with_runs(FragmentLayout.from_bits((64, width), lane, ((0, 1), (8, 0), *more)), 1, run)


def lane_run(c: Contraction, vector: int, sizes: tuple[int, ...]) -> int:
    """Return how many columns a lane stores at once by itself where no copy engine does: 16 bytes of a convolution's result, else 0.

    Results of a byte each are stored so whatever they are of. Lanes of four hold pairs of columns, so in words of 4 bytes whole sectors
    leave either way: products stay as they were measured.
    """
    run = CHUNK // c.out.dtype.bytes
    wanted = (c.windows is not None and c.out.dtype.bytes == 4) or c.out.dtype.bytes == 1
    return run if wanted and vector >= run and all(in_runs(width, run) for width in sizes) else 0


def operand_layout(term: Term, width: int, run: int) -> FragmentLayout:
    """Return which lanes hold an operand of `width` columns, beside results that lie in runs (or as accumulators do, `run` 0)."""
    used, whole = symbols(term.offset), in_runs(width, run) if run else None
    if I.name in used and J.name in used:
        return whole or accumulator(width)
    if I.name in used:
        return projection(whole, 0) if whole else column_vector()
    if J.name in used:
        return projection(whole, 1) if whole else row_vector(width)
    return scalar()


def at_a_time(term: Term, pairs: int, run: int) -> int:
    """Return how many neighbouring columns of an operand one access moves: 4 bytes at the least, or one by one."""
    if coefficient(term.offset, J.name) != Const(1):
        return 1
    if run:
        return min(run, CHUNK // term.dtype.bytes)
    return pairs if term.dtype.bytes > 1 else 1


SPREAD_FROM = 16
"""Columns of 32 bits from which rows meet in the same banks."""


def spread(width: int) -> FragmentLayout:
    """Return `width` columns of 32-bit results, 8 to 32, as lanes write them, two at a time, into rows that a copy engine swizzles.

    The lanes of four rows write at once. Of two rows that would meet in the same banks the second begins with the other half of its
    columns: rows 1 apart where they take 128 bytes, 2 apart where they take 64. Shorter ones lie side by side.
    """
    second = {32: 1, 16: 2}.get(width, 0)
    down = [(row, width // 2 if row == second else 0) for row in (1, 2, 4)]
    along = [(0, 1 << bit) for bit in range(3, width.bit_length() - 1)]
    return FragmentLayout.from_bits((64, width), ((0, 2), (0, 4), *down, (16, 0), (32, 0)), ((0, 1), (8, 0), *along))


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


def rows(width: int, run: int = 1) -> FragmentLayout:
    """Return `at_once` rows of each warp, of `width` columns, a power of two: lanes side by side, each with a `run` of columns."""
    count, held = at_once(width, run), run.bit_length() - 1
    along = [(0, 1 << bit) for bit in range(width.bit_length() - 1)]
    down = [(1 << bit, 0) for bit in range(count.bit_length() - 1)]
    wide = along[held:][:5]
    lanes = [*wide, *down[: 5 - len(wide)]]
    rest = [*along[:held], *along[held + len(wide) :], *down[5 - len(wide) :]]
    return FragmentLayout.from_bits((4 * count, width), (*lanes, (count, 0), (2 * count, 0)), tuple(rest))


def at_once(width: int, run: int = 1) -> int:
    """Return how many rows of a warp leave at once: `AT_ONCE`, or as many as its lanes hold runs of."""
    return AT_ONCE if run == 1 else min(32 * run // width, 16)


def row_of(number: Index, count: int) -> Index:
    """Return which of 64 rows an element of `rows` is in its round `number`: each warp stores the 16 rows that it computed."""
    return ROW // count * 16 + number * count + ROW % count

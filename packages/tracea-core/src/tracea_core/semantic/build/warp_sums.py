# SPDX-License-Identifier: MIT
"""Sums of columns of a warpgroup's results: of each staged chunk of 64 rows, while the copy engine stores it.

The chunk lies in shared memory as it is stored, rounded. Each warp adds up 16 of its rows, two columns a lane: differences from the chunk's
first row, which all warps read, and their squares; rows beyond the last one count as zeros. What the warps have meets in shared memory, and
each lane adds up the four parts of one sum and stores it. So a block of 64 rows is that of one chunk: nothing waits for another tile,
and the order of all sums is fixed.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.semantic.build.chunks import Chunk
from tracea_core.semantic.contraction import ColumnSums, Contraction, I, J
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, less, substitute
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.row_steps import AddRows, Mask
from tracea_core.semantic.steps import Access, Barrier, BufferRef, Compute, Load, Node, Scope, Store, Transfer

ROWS, WIDTH = 64, 64
"""Rows of a block, and columns of the chunks whose sums lanes share evenly."""
_WARPS, _OF_A_WARP = 4, 16
_PARTS = "warp_sums"
_TOP, _STAGED, _APART, _SQUARED = "sums_top", "sums_rows", "sums_apart", "sums_squared"
_HELD = ("sums_first", "sums_total", "sums_squares")
_OTHERS, _ADDED = "sums_of_warps", "sums_added"
_WARP, _PLACE = COLUMN // WIDTH, COLUMN % WIDTH
"""Fragments have the columns of all warps side by side, or, in the end, those of both sums."""
_DIFFERENCE = Binary(BinaryFn.SUB, Accumulator(0), Operand(0))
_SQUARE = Binary(BinaryFn.MUL, Accumulator(0), Accumulator(0))


def bytes_of(c: Contraction, consumers: int) -> int:
    """Return the shared memory in which the warps of so many warpgroups meet, of sums in fp32."""
    return 0 if c.sums is None else consumers * _WARPS * 2 * WIDTH * 4


class WarpSums:
    """Fragments, memory and nodes that sum the columns of staged chunks.

    Raises
    ------
    ConfigurationError
        If results do not leave through shared memory in chunks of 64 columns and blocks of 64 rows.
    """

    def __init__(self, c: Contraction, sums: ColumnSums, consumers: int, staged: bool, widths: set[int]) -> None:
        if not staged or widths != {WIDTH} or c.items != Const(1) or c.groups is not None:
            raise ConfigurationError(
                f"columns are summed of one matrix that the copy engine stores by {WIDTH} columns of 16 bits",
                widths=sorted(widths),
            )
        if sums.rows != ROWS:
            raise ConfigurationError(f"columns are summed by warpgroups in blocks of {ROWS} rows, not of {sums.rows}")
        self.c, self.sums, self.consumers = c, sums, consumers

    def fragments(self) -> list[Fragment]:
        """Return what lanes hold besides results."""
        pairs, warps = [(0, 1 << bit) for bit in range(1, 6)], [(0, WIDTH), (0, 2 * WIDTH)]
        row = FragmentLayout.from_bits((1, _WARPS * WIDTH), (*pairs, *warps), ((0, 1),))
        down = [(1 << bit, 0) for bit in range(4)]
        rows = FragmentLayout.from_bits((_OF_A_WARP, _WARPS * WIDTH), (*pairs, *warps), ((0, 1), *down))
        lanes = tuple((0, 1 << bit) for bit in range(7))
        others = FragmentLayout.from_bits((_WARPS, 2 * WIDTH), lanes, ((1, 0), (2, 0)))
        added = FragmentLayout.from_bits((1, 2 * WIDTH), lanes, ())
        out, wide = self.c.out.dtype, self.sums.term.dtype
        return [
            Fragment(_TOP, out, row), Fragment(_STAGED, out, rows),
            *(Fragment(name, wide, rows) for name in (_APART, _SQUARED)),
            *(Fragment(name, wide, row) for name in _HELD),
            Fragment(_OTHERS, wide, others), Fragment(_ADDED, wide, added),
        ]  # fmt: skip

    def buffers(self) -> list[Buffer]:
        """Return the memory in which warps meet."""
        layout = Layout.row_major(("consumer", self.consumers), ("warp", _WARPS), ("sum", 2), ("column", WIDTH))
        return [Buffer(_PARTS, Space.SHARED, DType.FP32, layout, Lifetime.TILE, alignment=16)]

    def nodes(self, chunk: Chunk, staging: str, first_row: Index, column: Index) -> tuple[Node, ...]:
        """Return the nodes that sum a chunk that is staged, and that nobody overwrites before they are through."""
        operand, wide, corner = self.sums.term.operand, self.sums.term.dtype, (Const(chunk.buffer), Sym("consumer"))
        row = _WARP * _OF_A_WARP + ROW
        there = less(first_row + row, self.c.m)
        placed, edge = BufferRef(_PARTS, (Sym("consumer"), ROW, _WARP, _PLACE)), less(column + _PLACE, self.c.n)
        any_row, one_warp = less(first_row, self.c.m), less(COLUMN, WIDTH)
        offset = substitute(self.sums.term.offset, {I.name: first_row, J.name: column + _PLACE})
        return (
            Load(_TOP, BufferRef(staging, (*corner, Const(0), _PLACE)), Transfer.GATHER, width=2),
            Load(_STAGED, BufferRef(staging, (*corner, row, _PLACE)), Transfer.GATHER, width=2),
            Compute(_HELD[0], Accumulator(0), wide, (_TOP,)),
            Compute(_APART, _DIFFERENCE, wide, (_STAGED,), (_HELD[0],)),
            Mask(_APART, (there,), 0.0),
            AddRows(_HELD[1], _APART, Const(_OF_A_WARP)),
            Compute(_SQUARED, _SQUARE, wide, (_APART,)),
            AddRows(_HELD[2], _SQUARED, Const(_OF_A_WARP)),
            *(
                Store(BufferRef(_PARTS, (Sym("consumer"), _WARP, Const(number), _PLACE)), name, Transfer.GATHER, width=2)
                for number, name in enumerate(_HELD[1:])
            ),
            Store(Access(operand, offset), _HELD[0], Transfer.GATHER, (one_warp, edge, any_row)),
            Barrier(Scope.ROLE, "sums_written"),
            Load(_OTHERS, placed, Transfer.GATHER),
            AddRows(_ADDED, _OTHERS, Const(_WARPS)),
            Store(Access(operand, offset + self.sums.plane * (_WARP + 1)), _ADDED, Transfer.GATHER, (edge, any_row)),
        )  # fmt: skip

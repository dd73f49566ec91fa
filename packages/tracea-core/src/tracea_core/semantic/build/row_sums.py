# SPDX-License-Identifier: MIT
"""Sums of columns in a CPU's register tile: each row that is stored is added to the sums of its block while it is in registers.

A block has so many rows that tiles divide it, and one worker computes all tiles of a block one after the other, in order, for one panel.
The first of them takes the block's first row as what differences are from; sums wait for the next tile in a few vectors of the worker's own
memory, and the last tile of a block stores them. So each is the sum of the same numbers in the same order whatever is divided at launch.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.epilogue import PLANES
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.contraction import ColumnSums, Contraction, I, J
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.index import (
    COLUMN,
    Const,
    Guard,
    Index,
    Sym,
    at_least,
    ceil_div,
    equal,
    less,
    minimum,
    substitute,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Axis, Digit, Layout
from tracea_core.semantic.steps import Access, BufferRef, Compute, Extract, Fill, If, Let, Load, Node, Store, Transfer

_CARRIED = "sums_carried"
_ROW, _FIRST, _APART, _TOTAL, _SQUARES = "sums_row", "sums_first", "sums_apart", "sums_total", "sums_squares"
_END = Sym("sums_end")
_DIFFERENCE = Binary(BinaryFn.SUB, Accumulator(0), Operand(0))
_ADDED = Binary(BinaryFn.ADD, Accumulator(0), Accumulator(1))
_SQUARED = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.MUL, Accumulator(1), Accumulator(1)))


def tiles_of_block(sums: ColumnSums | None, rows: int) -> int:
    """Return how many tiles of so many rows a worker computes one after the other: those of a block, or 1 where nothing is summed.

    Raises
    ------
    ConfigurationError
        If tiles do not divide a block.
    """
    if sums is None:
        return 1
    if sums.along != I.name or sums.rows % rows:
        raise ConfigurationError(
            f"tiles of {rows} rows do not add up columns in blocks of {sums.rows}",
            hint="Choose rows that divide a block", along=sums.along,
        )  # fmt: skip
    return sums.rows // rows


_DIVIDING = (6, 4, 3, 2)
"""Rows of register tiles that are tried where none of the policy's divide blocks of sums."""


def dividing_blocks(form: object, candidates: Sequence[PipelineConfig]) -> Iterator[PipelineConfig]:
    """Yield configurations whose tiles divide blocks of sums, for windows and for plain panels; none where nothing is summed."""
    if not isinstance(form, Contraction) or form.sums is None:
        return
    for candidate, windows, rows in itertools.product(candidates, (True, False), _DIVIDING):
        if rows <= candidate.tile_m:
            yield candidate.replace(
                tile_m=rows, halo=windows, split_k=1, block_k=0, pack_a=False, pack_b=True, row_block=0, stages=1, in_flight=0
            )  # fmt: skip


class RowSums:
    """Nodes, fragments and memory that add the rows of a tile at (``row0``, ``column0``) to their block's sums."""

    def __init__(self, contraction: Contraction, sums: ColumnSums, tile: InstructionLanes, result: Fragment) -> None:
        tiles_of_block(sums, tile.m)
        if tile.n % tile.lanes:
            raise ConfigurationError("columns are summed by whole vectors")
        self.c, self.sums, self.tile, self.result = contraction, sums, tile, result
        self.dtype = sums.term.dtype
        self.layout = fma_outer(1, tile.n // tile.lanes, tile.lanes, DType.FP32).c

    def fragments(self) -> list[Fragment]:
        """Return the fragments that the nodes use besides the result."""
        held = [Fragment(name, self.dtype, self.layout) for name in (_FIRST, _APART, _TOTAL, _SQUARES)]
        return [Fragment(_ROW, self.result.dtype, self.layout), *held]

    def buffers(self) -> list[Buffer]:
        """Return the memory of a worker in which sums wait for the next tile of their block; a block of one tile needs none."""
        if tiles_of_block(self.sums, self.tile.m) == 1:
            return []
        bits = self.tile.lanes.bit_length() - 1
        row = Layout(
            (Axis("column", (Digit(self.tile.n // self.tile.lanes, self.tile.lanes),), bits),), Matrix.identity(bits)
        )
        return [Buffer(_CARRIED, Space.PANEL, self.dtype, row, Lifetime.TILE_COLUMN, extent=Const(PLANES))]

    def nodes(self, edge: bool) -> tuple[Node, ...]:
        """Return the nodes behind which the rows of the result are in the sums; at an edge, those of its rows that exist."""
        row0, rows = Sym("row0"), self.tile.m
        held = (_FIRST, _TOTAL, _SQUARES)
        begin = (*self._row(0), Compute(_FIRST, Accumulator(0), self.dtype, (_ROW,)), Fill(_TOTAL), Fill(_SQUARES))
        go_on = tuple(Load(name, self._carried(number), Transfer.VECTOR) for number, name in enumerate(held))
        added: list[Node] = []
        for row in range(rows):
            add = (
                *self._row(row),
                Compute(_APART, _DIFFERENCE, self.dtype, (_ROW,), (_FIRST,)),
                Compute(_TOTAL, _ADDED, self.dtype, (_TOTAL, _APART)),
                Compute(_SQUARES, _SQUARED, self.dtype, (_SQUARES, _APART)),
            )
            added += (If((less(row0 + row, self.c.m),), add),) if edge and row else add
        end = minimum((row0 // self.sums.rows + 1) * self.sums.rows, self.c.m)
        beyond: Guard = (less(Sym("column0") + COLUMN, self.c.n),) if edge else ()
        stored = tuple(
            Store(Access(self.sums.term.operand, self._place(plane)), name, Transfer.VECTOR, beyond)
            for plane, name in enumerate(held)
        )
        if not self.buffers():
            return (*begin, *added, *stored)
        kept = tuple(Store(self._carried(number), name, Transfer.VECTOR) for number, name in enumerate(held))
        return (
            If((equal(row0 % self.sums.rows, 0),), begin, go_on),
            *added,
            Let(_END.name, end),
            If((at_least(row0 + rows, _END),), stored, kept),
        )

    def _row(self, row: int) -> tuple[Node, ...]:
        if self.tile.m == 1:
            return (Compute(_ROW, Accumulator(0), self.dtype, (self.result.name,)),)
        return (Extract(_ROW, self.result.name, Const(row), Const(0)),)

    def _carried(self, number: int) -> BufferRef:
        return BufferRef(_CARRIED, (Const(number), COLUMN))

    def _place(self, plane: int) -> Index:
        places = {I.name: Sym("row0"), J.name: Sym("column0") + COLUMN}
        return substitute(self.sums.term.offset, places) + self.sums.plane * plane


def first_of_share(number: Index, shares: Index, tiles: Index, together: int) -> Index:
    """Return the first of so many tiles that a share of them has, where `together` neighbours stay in one share."""
    if together == 1:
        return number * tiles // shares
    return minimum(number * ceil_div(tiles, together) // shares * together, tiles)


def rows_of_pixels(sums: ColumnSums | None, pixels: Index, channels: Index) -> ColumnSums | None:
    """Return sums over the pixels of all images where those are rows of one product instead of columns of one for each image."""
    if sums is None:
        return None
    term = sums.term.replace(offset=I // sums.rows * channels + J)
    return sums.replace(term=term, plane=ceil_div(pixels, sums.rows) * channels, along=I.name)

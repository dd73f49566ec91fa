# SPDX-License-Identifier: MIT
"""Scales of one step of a reduction: loaded while its matrix instructions run, and multiplied into what they gave.

A scale is a register of each lane that holds results of its row or column, one for all of them where a whole piece of the tile shares it.
"""

from __future__ import annotations

from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Expr, Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.raster import COLUMN0
from tracea_core.semantic.build.store_layouts import column_vector, row_vector, scalar
from tracea_core.semantic.contraction import SCALED_RUN, Contraction, I, J, Scales
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Test, less, substitute
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, Load, Node, Transfer

_PIECE = 64
_FACTOR = Binary(BinaryFn.MUL, Operand(0), Operand(1))
SCALED_SUM: Expr = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.MUL, Accumulator(1), _FACTOR))
"""What becomes of a sum that is put aside: the total, and what a step gave times both scales."""


def scale_layouts(scales: Scales, tile_n: int) -> tuple[FragmentLayout, FragmentLayout]:
    """Return which lanes hold the scales of 64 rows, and of the columns of a tile."""
    rows = scalar() if scales.rows % _PIECE == 0 else column_vector()
    columns = scalar() if scales.columns % tile_n == 0 else row_vector(tile_n)
    return rows, columns


def scale_registers(scales: Scales | None, tile_n: int, pieces: int) -> int:
    """Return the registers of a thread that the scales of one step take."""
    if scales is None:
        return 0
    rows, columns = scale_layouts(scales, tile_n)
    return rows.registers * pieces + columns.registers


class StepScales:
    """Fragments and loads of a consumer's scales; it multiplies `pieces` pieces of 64 rows from `first_row` on."""

    def __init__(self, contraction: Contraction, config: PipelineConfig, pieces: int) -> None:
        assert contraction.scales is not None
        self.c, self.scales, self.pieces = contraction, contraction.scales, pieces
        rows, columns = scale_layouts(self.scales, config.tile_n)
        names = ["a_scales"] if pieces == 1 else [f"a_scales{piece}" for piece in range(pieces)]
        self.rows = [Fragment(name, self.scales.a.dtype, rows) for name in names]
        self.columns = Fragment("b_scales", self.scales.b.dtype, columns)

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """What is loaded."""
        return (*self.rows, self.columns)

    def loads(self, step: Index, first_row: Index) -> list[Node]:
        """Return the loads of the scales that step number `step` of the reduction needs; its length is that of their run."""
        found: list[Node] = []
        for piece, fragment in enumerate(self.rows):
            row = first_row + piece * _PIECE + (ROW if fragment.layout.shape[0] > 1 else Const(0))
            found.append(self._load(fragment, self.scales.a.offset, step, {I.name: row}, less(row, self.c.row_stop)))
        column = COLUMN0 + (COLUMN if self.columns.layout.shape[1] > 1 else Const(0))
        found.append(self._load(self.columns, self.scales.b.offset, step, {J.name: column}, less(column, self.c.n)))
        return found

    def _load(self, fragment: Fragment, offset: Index, step: Index, place: dict[str, Index], test: Test) -> Load:
        term = self.scales.a if fragment is not self.columns else self.scales.b
        where = substitute(offset, {**place, SCALED_RUN.name: step})
        alone = fragment.layout.shape == (1, 1)
        transfer = Transfer.BROADCAST if alone else Transfer.GATHER
        return Load(fragment.name, Access(term.operand, where), transfer, (test,))

    def operands(self, piece: int) -> tuple[str, str]:
        """Return the names of the scales of a piece, as `SCALED_SUM` takes them."""
        return self.rows[piece].name, self.columns.name

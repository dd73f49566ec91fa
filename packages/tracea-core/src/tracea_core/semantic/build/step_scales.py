# SPDX-License-Identifier: MIT
"""Scales of one step of a reduction, multiplied into what its matrix instructions gave: loaded while the step before it runs, or as boxes.

A scale is a register of each lane that holds results of its row or column, one for all of them where a whole piece of the tile shares it;
where they are few, a second one receives the scale of the next step meanwhile. Of boxes (`tracea_core.semantic.build.scale_boxes`), lanes
read what has arrived with the tiles while the step's instructions run.
"""

from __future__ import annotations

from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Expr, Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.raster import COLUMN0
from tracea_core.semantic.build.scale_boxes import ScaleBox
from tracea_core.semantic.build.store_layouts import column_vector, row_vector, scalar
from tracea_core.semantic.contraction import SCALED_RUN, Contraction, I, J, Scales
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, less, substitute
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, Compute, Load, Node, Transfer

_PIECE = 64
_AHEAD = 16
"""Registers of scales up to which those of the next step are held too."""
_FACTOR = Binary(BinaryFn.MUL, Operand(0), Operand(1))
SCALED_SUM: Expr = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.MUL, Accumulator(1), _FACTOR))
"""What becomes of a sum that is put aside: the total, and what a step gave times both scales."""


def scale_layouts(scales: Scales, tile_n: int) -> tuple[FragmentLayout, FragmentLayout]:
    """Return which lanes hold the scales of 64 rows, and of the columns of a tile."""
    rows = scalar() if scales.rows % _PIECE == 0 else column_vector()
    columns = scalar() if scales.columns % tile_n == 0 else row_vector(tile_n)
    return rows, columns


def scale_registers(scales: Scales | None, tile_n: int, pieces: int, *, boxed: bool = False) -> int:
    """Return the registers of a thread that scales take: those of a step, and where they are few and no boxes of the next one."""
    if scales is None:
        return 0
    rows, columns = scale_layouts(scales, tile_n)
    needed = rows.registers * pieces + columns.registers
    return 2 * needed if needed <= _AHEAD and not boxed else needed


class StepScales:
    """Fragments and loads of a consumer's scales; it multiplies `pieces` pieces of 64 rows from `first_row` on.

    With `boxes`, those of rows and of columns lie in the slots of a ring.
    """

    def __init__(
        self,
        contraction: Contraction,
        config: PipelineConfig,
        pieces: int,
        boxes: tuple[ScaleBox, ScaleBox] | None = None,
    ) -> None:
        assert contraction.scales is not None
        self.c, self.scales, self.pieces, self.boxes = contraction, contraction.scales, pieces, boxes
        rows, columns = scale_layouts(self.scales, config.tile_n)
        numbers = [""] if pieces == 1 else [str(piece) for piece in range(pieces)]
        self.rows = [Fragment(f"a_scales{number}", self.scales.a.dtype, rows) for number in numbers]
        self.columns = Fragment("b_scales", self.scales.b.dtype, columns)
        self.row_factors, self.column_factors = self.rows, self.columns
        self.ahead = boxes is None and rows.registers * pieces + columns.registers <= _AHEAD
        if self.ahead:
            self.row_factors = [Fragment(f"a_factors{number}", self.scales.a.dtype, rows) for number in numbers]
            self.column_factors = Fragment("b_factors", self.scales.b.dtype, columns)

    @property
    def in_pairs(self) -> bool:
        """Whether two steps are printed in a row.

        Then nothing waits for scales that were loaded ahead to move to other registers; and of boxes, which an H200 multiplies by 20 %
        slower step by step (4096³: 135 µs, 111 in pairs), for a reason not known.
        """
        return self.ahead or self.boxes is not None

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """What is loaded, and what a step multiplies by."""
        factors = (*self.row_factors, self.column_factors) if self.ahead else ()
        return (*self.rows, self.columns, *factors)

    def before(self, first: Index, last: Index, first_row: Index) -> list[Node]:
        """Return what runs before the steps `first` to `last` of a reduction."""
        return self._loads(first, first_row, (less(first, last),)) if self.ahead else []

    def during(self, step: Index, last: Index, first_row: Index) -> list[Node]:
        """Return what a step begins with: taking over what was loaded, which waits for it, and loading what the next one needs."""
        if not self.ahead:
            return [] if self.boxes else self._loads(step, first_row, ())
        pairs = zip((*self.row_factors, self.column_factors), (*self.rows, self.columns), strict=True)
        taken = [Compute(factor.name, Accumulator(0), factor.dtype, (loaded.name,)) for factor, loaded in pairs]
        return [*taken, *self._loads(step + 1, first_row, (less(step + 1, last),))]

    def arrived(self, slot: Index, step: Index, own_row: Index) -> list[Node]:
        """Return what reads the boxes in `slot` while the instructions of a step run, for the rows of the tile from `own_row` on."""
        if self.boxes is None:
            return []
        rows, columns = self.boxes
        found: list[Node] = []
        for piece, fragment in enumerate(self.rows):
            row = own_row + piece * _PIECE + (ROW if rows.each else Const(0))
            found.append(Load(fragment.name, rows.place(slot, row, step), _transfer(fragment)))
        found.append(Load(self.columns.name, columns.place(slot, COLUMN, step), _transfer(self.columns)))
        return found

    def _loads(self, step: Index, first_row: Index, exists: Guard) -> list[Node]:
        """The loads of the scales of a step, whose length is that of their run."""
        found: list[Node] = []
        for piece, fragment in enumerate(self.rows):
            row = first_row + piece * _PIECE + (ROW if fragment.layout.shape[0] > 1 else Const(0))
            guard = (*exists, less(row, self.c.row_stop))
            found.append(self._load(fragment, self.scales.a.offset, step, {I.name: row}, guard))
        column = COLUMN0 + (COLUMN if self.columns.layout.shape[1] > 1 else Const(0))
        guard = (*exists, less(column, self.c.n))
        found.append(self._load(self.columns, self.scales.b.offset, step, {J.name: column}, guard))
        return found

    def _load(self, fragment: Fragment, offset: Index, step: Index, place: dict[str, Index], guard: Guard) -> Load:
        term = self.scales.a if fragment is not self.columns else self.scales.b
        where = substitute(offset, {**place, SCALED_RUN.name: step})
        return Load(fragment.name, Access(term.operand, where), _transfer(fragment), guard)

    def operands(self, piece: int) -> tuple[str, str]:
        """Return the names of the scales of a piece, as `SCALED_SUM` takes them."""
        return self.row_factors[piece].name, self.column_factors.name


def _transfer(fragment: Fragment) -> Transfer:
    return Transfer.BROADCAST if fragment.layout.shape == (1, 1) else Transfer.GATHER

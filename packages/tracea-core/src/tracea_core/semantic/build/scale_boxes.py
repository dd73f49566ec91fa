# SPDX-License-Identifier: MIT
"""Scales along k as boxes: a copy engine brings those of a step into the slot of its tiles, and lanes read them there.

The scale of a row is wanted as late as the products of its step are done, but a lane that loads it waits for the cache longer than a
step takes. In the slot it has arrived when the tiles have. A box is 16 bytes wide at the least, so where scales lie along k those of
three later steps come along; each of the following boxes brings them again.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_BOX
from tracea_core.semantic.build.raster import COLUMN0, ROW0
from tracea_core.semantic.contraction import ITEM, SCALED_RUN, Contraction, I, J, Term
from tracea_core.semantic.hardware import BOX_PLACE, CHUNK
from tracea_core.semantic.index import Const, Index, Sym, ceil_div, substitute, symbols
from tracea_core.semantic.kernel import Buffer, Lifetime, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import AsyncLoad, Box, BufferRef
from tracea_core.target import AsyncCopyKind


class ScaleBox:
    """The scales that a tile needs of one factor in one step.

    Parameters
    ----------
    name, slots : str, int
        The ring's buffer, and its slots.
    term : Term
        The scales: addresses over `coordinate` (`I` or `J`) and `SCALED_RUN`.
    coordinate, first, extent : Index
        Their coordinate besides the step, where the tile begins along it, and its extent in the product.
    shared, outer : int
        How many neighbours share a scale, and how many the tile has.
    runs, items : Index
        How many steps there are, and how many matrices.
    anywhere : bool
        Whether tiles begin at any row, as those of ragged groups do.
    """

    def __init__(
        self, name: str, slots: int, term: Term, coordinate: Sym, first: Index, extent: Index, shared: int, outer: int,
        runs: Index, items: Index, *, anywhere: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.slots, self.term = name, slots, term
        self.each = shared == 1
        along, step, by_item = _distances(term, coordinate, shared)
        self.along_k = along != Const(1)
        chunk, line = CHUNK // term.dtype.bytes, BOX_PLACE // term.dtype.bytes
        place, places = first // shared, ceil_div(extent, shared)
        if self.along_k:
            self.wide = chunk if self.each else line
            self.past: Index = Const(0)
            self.shape: tuple[int, ...] = (self.wide, outer if self.each else 1)
            self.extents: tuple[Index, ...] = (runs, places)
            self.strides: tuple[Index, ...] = (Const(1), along)
            self.origin: tuple[Index, ...] = (SCALED_RUN // self.wide * self.wide, place)
            self.layout = Layout.row_major(("outer", self.shape[1]), ("k", self.wide))
        else:
            self.wide = 1
            self.past = place % chunk if anywhere or not self.each else Const(0)
            needed = (outer if self.each else 1) + (0 if self.past == Const(0) else chunk - 1)
            self.shape = (-(-needed // line) * line, 1)
            self.extents, self.strides = (places, runs), (Const(1), step)
            self.origin = (place - self.past, SCALED_RUN)
            self.layout = Layout.row_major(("k", 1), ("outer", self.shape[0]))
        if max(self.shape) > MAX_BOX:
            raise ConfigurationError(
                f"a box of {max(self.shape)} scales is more than the {MAX_BOX} a copy engine takes"
            )
        if by_item != Const(0):
            self.extents, self.strides = (*self.extents, items), (*self.strides, by_item)
            self.origin, self.shape = (*self.origin, ITEM), (*self.shape, 1)

    def buffer(self) -> Buffer:
        """Return the ring's buffer."""
        return Buffer(
            self.name, Space.SHARED, self.term.dtype, self.layout, Lifetime.TILE, slots=self.slots, alignment=BOX_PLACE
        )

    @property
    def bytes(self) -> int:
        """Bytes that arrive in one slot."""
        return self.shape[0] * self.shape[1] * self.term.dtype.bytes

    @property
    def stride_symbols(self) -> frozenset[str]:
        """Symbols that must be multiples of 16 bytes for the copy engine."""
        return frozenset(name for stride in self.strides for name in symbols(stride))

    def load(self, ring: str, slot: Index, step: Index) -> AsyncLoad:
        """Return the load of the scales of a step."""
        origin = tuple(substitute(part, {SCALED_RUN.name: step}) for part in self.origin)
        box = Box(self.term.operand, self.extents, self.strides, origin, self.shape)
        return AsyncLoad(AsyncCopyKind.TMA, BufferRef(self.name, (Const(0), Const(0)), slot), box, ring)

    def place(self, slot: Index, outer: Index, step: Index) -> BufferRef:
        """Return where the scale of a step and of the tile's row or column `outer` lies; all share one where a tile has one."""
        outer = (outer if self.each else Const(0)) + self.past
        return BufferRef(self.name, (outer, step % self.wide) if self.along_k else (Const(0), outer), slot)


def _distances(term: Term, coordinate: Sym, shared: int) -> tuple[Index, Index, Index]:
    """The distances between neighbouring scales along the coordinate, along k and from matrix to matrix."""

    def at(outer: int, run: int, item: int) -> Index:
        places = {coordinate.name: Const(outer * shared), SCALED_RUN.name: Const(run), ITEM.name: Const(item)}
        return substitute(term.offset, places)

    along, step, by_item = at(1, 0, 0) - at(0, 0, 0), at(0, 1, 0) - at(0, 0, 0), at(0, 0, 1) - at(0, 0, 0)
    if term.dtype is not DType.FP32 or term.guard or term.hoisted:
        raise ConfigurationError(f"a copy engine cannot follow the addresses of {term.operand!r}: they are no box")
    if [along, step].count(Const(1)) != 1 or by_item == Const(1):
        raise ConfigurationError(
            f"scales in {term.operand!r} do not lie next to each other along one axis alone, so a copy engine cannot move them",
            hint="Leave scale_boxes unset",
        )
    return along, step, by_item


def scale_boxes(c: Contraction, config: PipelineConfig) -> tuple[ScaleBox, ScaleBox] | None:
    """Return the scales of A and of B as boxes, None where lanes load them.

    Raises
    ------
    ConfigurationError
        If they are no boxes.
    """
    if c.scales is None or not config.value("scale_boxes"):
        return None
    s, runs, items = c.scales, ceil_div(c.k_axes[0].extent, c.scales.run), c.items if c.groups is None else c.groups
    return (
        ScaleBox(
            "a_scale_tile",
            config.stages,
            s.a,
            I,
            ROW0,
            c.m,
            s.rows,
            config.tile_m,
            runs,
            items,
            anywhere=c.groups is not None,
        ),
        ScaleBox("b_scale_tile", config.stages, s.b, J, COLUMN0, c.n, s.columns, config.tile_n, runs, items),
    )


def scale_box_fault(c: Contraction, config: PipelineConfig) -> str | None:
    """Return why scales cannot come as boxes that a configuration asks for, or None."""
    if not config.value("scale_boxes"):
        return None
    if c.scales is None:
        return "there are no scales along k that boxes could bring"
    for shared, side, word in ((c.scales.rows, config.tile_m, "rows"), (c.scales.columns, config.tile_n, "columns")):
        if shared > 1 and shared % side:
            return f"a tile of {side} {word} lies in several blocks of {shared} that share a scale"
    return None

# SPDX-License-Identifier: MIT
"""How operands reach instructions that multiply groups of k: B in panels of words, A in place or in copied rows."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.semantic.build.register_tile import at, lets, slope
from tracea_core.semantic.contraction import Contraction, I, J, Named
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    ceil_div,
    coefficient,
    equal,
    less,
    minimum,
    substitute,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.lanes_base import InstructionLanes
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import Access, BufferRef, Compute, If, Let, Load, Loop, Node, Store, Transfer

GROUPS = 16
"""Groups of k that one step of AMX multiplies; panels hold whole steps, whatever the instruction."""
_RAISED = 128
_GROUP, _STEP, _ROW_AT = Sym("k_group"), Sym("k_step"), Sym("row_at")


class DotOperands:
    """Fragments, buffers and nodes of A and B."""

    def __init__(self, contraction: Contraction, tile: InstructionLanes, unroll: int) -> None:
        assert tile.a is not None and tile.b is not None
        self.c, self.tile, self.unroll = contraction, tile, unroll
        self.k = contraction.k_axes[0]
        self.group = 4 // tile.operand.bytes
        self.deep = GROUPS * self.group
        self.raised = (contraction.b.dtype, tile.b_type) == (DType.INT8, DType.UINT8)
        types = (contraction.a.dtype, DType.INT8 if self.raised else contraction.b.dtype)
        if types != (tile.operand, DType.INT8 if self.raised else tile.b_type):
            raise ConfigurationError(f"{tile.name} does not multiply {types[0].value} by {types[1].value}")
        self.a, self.b = Fragment("a", tile.operand, tile.a), Fragment("b", tile.b_type, tile.b)
        vectors = tile.n // tile.lanes
        row = fma_outer(1, vectors, tile.lanes, tile.operand, tile.operand_b).b
        step = fma_outer(1, self.deep // tile.lanes, tile.lanes).b
        assert row is not None and step is not None
        self.packed = Fragment("packed", tile.b_type, row)
        self.raw = Fragment("raw", contraction.b.dtype, row)
        self.words = Fragment("words", tile.b_type, row)
        self.row_part = Fragment("row_part", tile.operand, step)
        by_words, by_rows = (coefficient(contraction.a.offset, name) for name in (self.k.name, I.name))
        self.a_in_place = by_words == Const(1) and by_rows is not None
        self.b_by_rows = coefficient(contraction.b.offset, J.name) == Const(1)
        self.b_by_words = coefficient(contraction.b.offset, self.k.name) == Const(1) and not self.raised

    @property
    def _copies_rows(self) -> bool:
        return not self.a_in_place or bool(self.tile.tiles)

    def fragments(self) -> list[Fragment]:
        """Return the fragments that the nodes use."""
        found = [self.a, self.b, self.packed]
        found += [self.raw] if self.raised else []
        found += [self.words] if self.b_by_words and not self.b_by_rows else []
        return [*found, *([self.row_part] if self._copies_rows else [])]

    def buffers(self, panels: Index) -> list[Buffer]:
        """Return the memory for `panels` panels, and for a tile's rows where they may be copied."""
        steps = ceil_div(self.k.extent, self.deep)
        words = Layout.row_major(("column", self.tile.n), ("part", self.group))
        found = [
            Buffer(
                "panels_of_b",
                Space.PANEL,
                self.tile.b_type,
                words,
                Lifetime.TILE_COLUMN,
                extent=panels * steps * GROUPS,
            )
        ]
        if self._copies_rows:
            rows = Layout.row_major(("row", self.tile.m), ("part", self.deep))
            found.append(Buffer("rows_of_a", Space.PANEL, self.tile.operand, rows, Lifetime.TILE, extent=steps))
        return found

    # ---- B

    def _panel_at(self, group: Index) -> Index:
        return (Sym("panel") - Sym("first_panel")) * (Sym("k_steps") * GROUPS) + group

    def pack_b(self) -> tuple[Node, ...]:
        """Copy the columns of the part's panels; the last panel and the last group are padded with zeros."""
        column0 = Sym("panel") * self.tile.n
        full = (less(column0 + (self.tile.n - 1), self.c.n),)
        inside, edge = (self._pack_panel(column0 + COLUMN, masked) for masked in (False, True))
        return (Loop("panel", Sym("first_panel"), Sym("last_panel"), (If(full, inside, edge),)),)

    def _pack_panel(self, column: Index, masked: bool) -> tuple[Node, ...]:
        whole, k = self.k.extent // self.group, self.k.extent
        beyond: Guard = (less(column, self.c.n),) if masked else ()
        place = BufferRef("panels_of_b", (self._panel_at(_GROUP), COLUMN, ROW))
        rest = self._pack_group(column, (*beyond, less(_GROUP * self.group + ROW, k)), place)
        main = self._pack_group(column, beyond, place)
        if not self.b_by_rows and self.b_by_words:
            near = minimum(column, self.c.n - 1) if masked else column  # what is never stored may be read twice
            load = Load(self.words.name, self._b_at(near), Transfer.GATHER, width=self.group)
            main = (load, Store(place, self.words.name, Transfer.VECTOR, width=self.group))
        return (
            Loop(_GROUP.name, Const(0), whole, main),
            Loop(_GROUP.name, whole, Sym("k_steps") * GROUPS, rest),
        )

    def _b_at(self, column: Index) -> Access:
        source = at(self.c.b, {J.name: column, self.k.name: _GROUP * self.group + ROW})
        return Access(source.operand, source.offset)

    def _pack_group(self, column: Index, guard: Guard, place: BufferRef) -> tuple[Node, ...]:
        target = self.raw if self.raised else self.packed
        load = Load(target.name, self._b_at(column), Transfer.VECTOR if self.b_by_rows else Transfer.GATHER, guard)
        raise_ = Binary(BinaryFn.ADD, Accumulator(0), Constant(float(_RAISED)))
        convert = (Compute(self.packed.name, raise_, DType.INT32, (self.raw.name,)),) if self.raised else ()
        return (load, *convert, Store(place, self.packed.name, Transfer.VECTOR, width=self.group))

    # ---- A

    def _in_place(self) -> Guard:
        """Where AMX reads nothing beyond A: tiles of rows that all exist, whole steps."""
        return (less(Sym("tile_row") + (self.tile.m - 1), self.c.m), equal(self.k.extent % self.deep, 0))

    def prepare_rows(self) -> tuple[Node, ...]:
        """Copy the rows of a tile where they cannot be read in place; the last row is repeated, the last step padded."""
        if not self._copies_rows:
            return ()
        position = _STEP * self.deep + COLUMN
        row = minimum(Sym("tile_row") + _ROW_AT, self.c.m - 1)
        source = at(self.c.a, {I.name: row, self.k.name: position})
        load = Load(
            self.row_part.name,
            Access(source.operand, source.offset),
            Transfer.VECTOR if self.a_in_place else Transfer.GATHER,
            (less(position, self.k.extent),),
        )
        store = Store(BufferRef("rows_of_a", (_STEP, _ROW_AT, COLUMN)), self.row_part.name, Transfer.VECTOR)
        copy = Loop(_STEP.name, Const(0), Sym("k_steps"), (load, store))
        rows = Loop(_ROW_AT.name, Const(0), Const(self.tile.m), (copy,))
        return (If(self._in_place(), (), (rows,)),) if self.a_in_place else (rows,)

    # ---- the sweep

    def row_steps(self, fragment: str) -> tuple[tuple[Node, ...], list[Load], Index]:
        """Return what goes ahead of a loop over ``summed_step``, its load of each row into a fragment of words, and its length."""
        step = Sym("summed_step")
        if not self.a_in_place:
            inside = COLUMN * self.group + ROW
            copied = [BufferRef("rows_of_a", (step, Const(row), inside)) for row in range(self.tile.m)]
            return (), [Load(fragment, at_, Transfer.VECTOR, width=self.group) for at_ in copied], Sym("k_steps")
        position = step * self.deep + COLUMN * self.group + ROW
        bases: list[Node] = []
        loads: list[Load] = []
        for row in range(self.tile.m):
            source = at(self.c.a, {I.name: minimum(Sym("tile_row") + row, self.c.m - 1)})
            base = Sym(f"summed_row{row}")
            bases.append(Let(base.name, substitute(source.offset, {self.k.name: Const(0)})))
            along = substitute(slope(source.offset, [self.k.name]), {self.k.name: position})
            loads.append(Load(fragment, Access(source.operand, base + along), Transfer.VECTOR, width=self.group))
        return tuple(bases), loads, self.k.extent // self.deep

    def sweep(self, multiply: tuple[Node, ...]) -> tuple[Node, ...]:
        """Pass over the reduction: load A and B and `multiply`."""
        if self.tile.tiles:
            return self._sweep_tiles(multiply)
        if not self.a_in_place:
            place = BufferRef("rows_of_a", (_STEP, ROW, _GROUP * self.group + COLUMN))
            load = Load(self.a.name, place, Transfer.BROADCAST, width=self.group)
            load_b = self._load_b(_STEP * GROUPS + _GROUP)
            groups = Loop(_GROUP.name, Const(0), Const(GROUPS), (*load_b, load, *multiply), unroll=self.unroll)
            return (Loop(_STEP.name, Const(0), Sym("k_steps"), (groups,)),)
        return self._sweep_in_place(multiply, "a_base", Const(0), self._load_b(_GROUP))

    def sweep_rest(self, multiply: tuple[Node, ...]) -> tuple[Node, ...]:
        """Pass over what rows in place have beyond whole steps: load A and `multiply`."""
        return self._sweep_in_place(multiply, "a_first", self.k.extent // self.deep * GROUPS, ())

    def _sweep_in_place(
        self, multiply: tuple[Node, ...], name: str, first: Index, load_b: tuple[Node, ...]
    ) -> tuple[Node, ...]:
        row = minimum(Sym("tile_row") + ROW, self.c.m - 1)
        source = at(self.c.a, {I.name: row})
        base = Named(name, substitute(source.offset, {self.k.name: Const(0)}))
        position = _GROUP * self.group + COLUMN
        place_a = Access(
            source.operand, Sym(name) + substitute(slope(source.offset, [self.k.name]), {self.k.name: position})
        )
        main = Load(self.a.name, place_a, Transfer.BROADCAST, width=self.group)
        rest = Load(self.a.name, place_a, Transfer.BROADCAST, (less(position, self.k.extent),))
        whole = self.k.extent // self.group
        return (
            *lets((base,), self.a.name),
            Loop(_GROUP.name, first, whole, (*load_b, main, *multiply), unroll=self.unroll),
            Loop(_GROUP.name, whole, ceil_div(self.k.extent, self.group), (*load_b, rest, *multiply)),
        )

    def _load_b(self, group: Index) -> tuple[Node, ...]:
        place = BufferRef("panels_of_b", (self._panel_at(group), COLUMN, ROW))
        return (Load(self.b.name, place, Transfer.VECTOR, width=self.group),)

    def _sweep_tiles(self, multiply: tuple[Node, ...]) -> tuple[Node, ...]:
        panel = BufferRef("panels_of_b", (self._panel_at(_STEP * GROUPS + ROW // self.group), COLUMN, ROW % self.group))
        load_b = Load(self.b.name, panel, Transfer.VECTOR, width=self.group)
        copied = BufferRef("rows_of_a", (_STEP, ROW, COLUMN))
        load_copied = Load(self.a.name, copied, Transfer.VECTOR, width=self.group)
        steps = (Const(0), Sym("k_steps"))
        from_copy = Loop(_STEP.name, *steps, (load_copied, load_b, *multiply), unroll=self.unroll)
        if not self.a_in_place:
            return (from_copy,)
        source, apart = self.c.a, coefficient(self.c.a.offset, I.name)
        assert apart is not None
        first = Named("a_first", substitute(source.offset, {I.name: Sym("tile_row"), self.k.name: Const(0)}))
        place = Access(source.operand, Sym(first.name) + ROW * apart + _STEP * self.deep + COLUMN)
        load_a = Load(self.a.name, place, Transfer.VECTOR, width=self.group)
        in_place = Loop(_STEP.name, *steps, (load_a, load_b, *multiply), unroll=self.unroll)
        return (If(self._in_place(), (*lets((first,)), in_place), (from_copy,)),)

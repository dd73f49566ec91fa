# SPDX-License-Identifier: MIT
"""The CPU schedule for operands that do not stay where they are needed: blocks sized for the caches.

A worker owns parts of the output (item × row split × column split). For each block of the reduction it packs the columns of B that
its part needs, then, for each block of rows, the rows of A, and passes every panel over every register tile. Between two blocks of
the reduction the sums wait in the worker's own memory, so the output is still written once.

Three uses share the nest. Large products keep a panel in the first cache and a block of A in the second. An A whose columns are
contiguous is packed, as reading it in place would touch a line for four elements. And with few rows B is used hardly more often than
it is read: it stays in place, a few of its rows stream past at a time, and nothing is copied.
"""

from __future__ import annotations

import math

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.asking_sweep import result_asks
from tracea_core.semantic.build.register_tile import ROW_SPLITS, WORKER, WORKERS, RegisterTile, at, lets, vectors
from tracea_core.semantic.build.worker_groups import items_of, row_of, row_tiles, unless_empty
from tracea_core.semantic.contraction import ITEM, I, J
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
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space, Symbol
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.panels import within_panel
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Extract,
    If,
    Let,
    Load,
    Loop,
    Node,
    Store,
    Transfer,
)

COLUMN_SPLITS, K_BLOCKS, ROW_BLOCKS = "column_splits", "k_blocks", "row_blocks"
_AHEAD = 64
"""Rows of a panel that pass between asking for one and reading it: 6 KiB of a panel of 24, more than a page."""
_LINE_BYTES = 64
_ASKING_TILES = 4
"""Row tiles that ask for a block together: 16 rows of an AVX2 tile. More ask again, fewer leave the rest to the processor."""
_LINES_AHEAD = 16
"""Lines between asking for one and reading it, of rows of B that are turned."""
_NOW_LEVEL, _SOON_LEVEL = 1, 2
_MANY_REGISTERS = 32
"""Vector registers with which fewer masked steps are held. Of 16 the masks take some, too, and a single step spills."""


def is_blocked(configuration: PipelineConfig) -> bool:
    """Whether a configuration asks for this schedule."""
    return configuration.block_k > 0 or configuration.pack_a or not configuration.pack_b


def group_of(configuration: PipelineConfig, lanes: int, *, turned: bool) -> int:
    """Return how many steps of the reduction stay in one block: as many as are turned or packed together, else no more than asked for."""
    whole = turned or configuration.pack_a or configuration.pack_b or not configuration.block_k
    return lanes if whole else min(configuration.block_k, lanes)


class _Blocked:
    """The nodes of one kernel."""

    def __init__(self, tile: RegisterTile) -> None:
        self.t, self.c, self.config = tile, tile.c, tile.config
        if len(self.c.k_axes) != 1 or self.c.b.guard or self.c.b.hoisted or self.config.split_k > 1:
            raise ConfigurationError("blocks need dense operands, a single reduction axis and split_k = 1")
        self.k = self.c.k_axes[0]
        self.group = group_of(self.config, tile.lanes, turned=tile.turns)
        self.groups = ceil_div(self.k.extent, self.group)
        self.blocks: Index = Sym(K_BLOCKS) if self.config.block_k else Const(1)
        self.most_rows = ceil_div(self.groups, self.blocks) * self.group
        self.together = math.lcm(tile.rows, tile.lanes) // tile.rows if self.config.pack_a else 1
        self.row_groups = ceil_div(tile.row_tiles(), self.together)

    # ---- what the kernel declares

    def symbols(self) -> tuple[Symbol, ...]:
        kept = Symbol(K_BLOCKS, minimum=1, meaning="blocks that the reduction is cut into")
        return (
            Symbol(ROW_SPLITS, minimum=1, meaning="parts that each item's rows are cut into"),
            Symbol(COLUMN_SPLITS, minimum=1, meaning="parts that each item's columns are cut into"),
            Symbol(ROW_BLOCKS, minimum=1, meaning="blocks that the rows of a part are cut into"),
            *([kept] if self.config.block_k else []),
        )

    def buffers(self) -> list[Buffer]:
        row = vectors(self.config.tile_n, self.t.lanes)
        panels = ceil_div(self.t.panels(), Sym(COLUMN_SPLITS))
        groups = ceil_div(self.row_groups, Sym(ROW_SPLITS))
        found = []
        if self.config.pack_b:
            found += [
                Buffer(self.t.panel_name(gate), Space.PANEL, self.c.compute, row, Lifetime.TILE_COLUMN,
                       extent=panels * self.most_rows)
                for gate in range(self.c.gates)
            ]  # fmt: skip
        if self.config.pack_a:
            extent = ceil_div(groups, Sym(ROW_BLOCKS)) * self.most_rows
            line = Layout.row_major(("column", self.together * self.t.rows))
            found.append(Buffer("rows", Space.PANEL, self.c.compute, line, Lifetime.TILE, extent=extent))
        if self.config.block_k:
            tile = Layout.row_major(("row", self.t.rows), ("column", self.config.tile_n))
            extent = groups * self.together * panels
            found += [
                Buffer(self._sums(gate), Space.PANEL, self.c.compute, tile, Lifetime.TILE_COLUMN, extent=extent)
                for gate in range(self.c.gates)
            ]
        return found

    def fragments(self) -> list[Fragment]:
        if not self.config.pack_a:
            return []
        layout = self.packed_rows.layout
        raw = [Fragment("rows_raw", self.c.a.dtype, layout)] if self.c.a.dtype is not self.c.compute else []
        return [self.packed_rows, *raw]

    @property
    def packed_rows(self) -> Fragment:
        """One K position of the rows that are packed together."""
        wide = fma_outer(1, self.together * self.t.rows // self.t.lanes, self.t.lanes, self.c.compute).b
        assert wide is not None
        return self.t.fragment("packed_rows", wide)

    def _sums(self, gate: int) -> str:
        return f"sums{gate}" if self.c.gates > 1 else "sums"

    # ---- the nest

    def body(self) -> list[Node]:
        unit, splits, parts = Sym("unit"), Sym(ROW_SPLITS), Sym(COLUMN_SPLITS)
        ahead, own = row_tiles(self.c, self.t.rows)
        if own:
            own = (*own, Let("row_groups", ceil_div(Sym("row_tiles"), self.together)))
        else:
            ahead = (*ahead, Let("row_groups", self.row_groups))
        decode = (
            Let("part", unit % parts),
            Let("split", unit // parts % splits),
            Let(ITEM.name, unit // (parts * splits)),
            *lets(self.c.item_names),
            *own,
            *_share("panel", Sym("panels"), Sym("part"), parts),
            *_share("group", Sym("row_groups"), Sym("split"), splits),
        )
        return [
            Let("panels", self.t.panels()),
            *ahead,
            Let("k_groups", self.groups),
            Let("k_rows", self.most_rows),
            Let("units", items_of(self.c) * splits * parts),
            Loop("unit", WORKER * Sym("units") // WORKERS, (WORKER + 1) * Sym("units") // WORKERS, (
                *decode, *unless_empty(self.c, Sym("first_group"), Sym("last_group"), self._blocks()),
            )),
        ]  # fmt: skip

    def _blocks(self) -> tuple[Node, ...]:
        """Pass over the blocks of the reduction; whole groups, so that only the last block has a rest."""
        blocks, block, group = self.blocks, Sym("k_block"), self.group
        until = minimum((block + 1) * Sym("k_groups") // blocks * group, self.k.extent)
        pack = self.t.pack_block(Sym("k0"), Sym("k_count"), self._panel_row()) if self.config.pack_b else ()
        inside = (
            Let("k0", block * Sym("k_groups") // blocks * group),
            Let("k_count", until - Sym("k0")),
            *pack,
            self._row_blocks(),
        )
        return (Loop("k_block", Const(0), blocks, inside),)

    def _row_blocks(self) -> Node:
        held = Sym("last_group") - Sym("first_group")
        first = Sym("first_group") + Sym("row_part") * held // Sym(ROW_BLOCKS)
        last = Sym("first_group") + (Sym("row_part") + 1) * held // Sym(ROW_BLOCKS)
        pack = (Loop("group", Sym("block_first"), Sym("block_last"), self._pack_a()),) if self.config.pack_a else ()
        tiles = Loop(
            "tile",
            Sym("block_first") * self.together,
            minimum(Sym("block_last") * self.together, Sym("row_tiles")),
            (Let("row0", row_of(self.c, Sym("tile") * self.t.rows)), *self._tile()),
        )
        sweep = Loop("panel", Sym("first_panel"), Sym("last_panel"), (
            Let("column0", Sym("panel") * self.config.tile_n), tiles,
        ))  # fmt: skip
        return Loop("row_part", Const(0), Sym(ROW_BLOCKS), (
            Let("block_first", first), Let("block_last", last), *pack, sweep,
        ))  # fmt: skip

    def _panel_row(self) -> Index:
        """Where the current panel's rows begin in its buffer."""
        return (Sym("panel") - Sym("first_panel")) * Sym("k_rows")

    # ---- A

    def _pack_a(self) -> tuple[Node, ...]:
        """Copy a group of rows of A into consecutive places: without masks where all of them exist."""
        width, name, k = self.together * self.t.rows, self.packed_rows.name, Sym(self.k.name)
        first = row_of(self.c, Sym("group") * width)
        row = first + COLUMN
        source = at(self.c.a, {I.name: row, k.name: Sym("k0") + k})
        transfer = Transfer.VECTOR if coefficient(source.offset, COLUMN.name) == Const(1) else Transfer.GATHER
        raw = "rows_raw" if self.c.a.dtype is not self.c.compute else name
        place = BufferRef("rows", ((Sym("group") - Sym("block_first")) * Sym("k_rows") + k, COLUMN))

        def copy(guard: Guard) -> tuple[Node, ...]:
            load = Load(raw, Access(source.operand, source.offset), transfer, guard)
            convert = () if raw == name else (Compute(name, Accumulator(0), self.c.compute, (raw,)),)
            return (Loop(k.name, Const(0), Sym("k_count"), (load, *convert, Store(place, name, Transfer.VECTOR))),)

        full = (less(first + (width - 1), self.c.m),)
        return (If(full, copy(()), copy((less(row, self.c.m),))),)

    def _rows_at(self, k: Index) -> tuple[tuple[Let, ...], tuple[Node, ...]]:
        """Return what is hoisted out of the sweep, and the broadcast of A's column at `k` of this block."""
        if not self.config.pack_a:
            hoisted, _ = self.t.a_in_place(Sym(self.k.name), Sym("k0"))
            source = at(self.c.a, {I.name: minimum(Sym("row0") + ROW, self.c.m - 1)})
            along = coefficient(source.offset, self.k.name)
            if along is None:
                raise ConfigurationError("an operand read in place must be affine in its reduction axis")
            return hoisted, self.t.load_a(Sym("a_base") + (Sym("k0") + k) * along)
        hoisted = (
            Let("rows_first", (Sym("tile") // self.together - Sym("block_first")) * Sym("k_rows")),
            Let("rows_column", Sym("tile") % self.together * self.t.rows),
        )
        place = BufferRef("rows", (Sym("rows_first") + k, Sym("rows_column") + ROW))
        return hoisted, (Load(self.t.a_fragment.name, place, Transfer.BROADCAST),)

    # ---- one register tile

    def _tile(self) -> tuple[Node, ...]:
        """Begin or go on with a tile's sums, sweep this block, and finish or keep them."""
        hoisted, sweep = self._sweep()
        if not self.config.block_k:
            asks = (result_asks(self.t),) if self.config.in_flight else ()
            return (*hoisted, *self.t.clear(), *asks, *sweep, *self.t.epilogue.nodes())
        tiles = (Sym("last_group") - Sym("first_group")) * self.together
        tile = Sym("tile") - Sym("first_group") * self.together
        slot = (Sym("panel") - Sym("first_panel")) * tiles + tile
        names = [(self._sums(gate), acc.name) for gate, acc in enumerate(self.t.accumulators)]
        places = [(BufferRef(buffer, (slot, ROW, COLUMN)), acc) for buffer, acc in names]
        begin = If(
            (equal(Sym("k_block"), 0),),
            self.t.clear(),
            tuple(Load(acc, place, Transfer.VECTOR) for place, acc in places),
        )
        end = If(
            (equal(Sym("k_block") + 1, self.blocks),),
            self.t.epilogue.nodes(),
            tuple(Store(place, acc, Transfer.VECTOR) for place, acc in places),
        )
        return (*hoisted, begin, *sweep, end)

    def _sweep(self) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        k = Sym(self.k.name)
        hoisted, load_a = self._rows_at(k)
        if self.config.pack_b:
            body = (*self.t.load_panels(self._panel_row() + k), *load_a, *self.t.multiply())
            return hoisted, (self._along_k(body),)
        if (
            self.t.turns and self.t.vectors == self.c.gates == 1
        ):  # wider tiles would not hold the block beside their sums
            return hoisted, self._sweep_turned(load_a)
        full = (less(Sym("column0") + (self.config.tile_n - 1), self.c.n),)
        edge = (less(Sym("column0") + COLUMN, self.c.n),)
        inside, outside = (
            self._along_k((*self._b_in_place(Transfer.VECTOR, guard), *load_a, *self.t.multiply()), masked=bool(guard))
            for guard in ((), edge)
        )
        return (*hoisted, *self._ahead()), (If(full, (inside,), (outside,)),)

    def _along_k(self, body: tuple[Node, ...], *, masked: bool = False) -> Node:
        """Sweep the block, where B is masked by fewer steps in a row: LLVM 22 loads the masked rows of all ahead, and spills sums."""
        steps, registers = self.config.tile_k, self.t.profile.vector_registers
        held = self.t.rows * self.t.vectors * self.c.gates + self.t.rows
        while masked and registers >= _MANY_REGISTERS and steps > 2 and held + self.t.vectors * steps > registers:
            steps //= 2
        return Loop(self.k.name, Const(0), Sym("k_count"), body, unroll=steps)

    def _b_in_place(self, transfer: Transfer, guard: Guard) -> tuple[Node, ...]:
        """Load a row of B from where it lies."""
        if self.t.panel_columns:
            return self._b_in_panels(guard)
        nodes: list[Node] = []
        for gate, fragment in enumerate(self.t.b_fragments):
            column = Sym("column0") + COLUMN
            if not guard and transfer is Transfer.GATHER:
                column = minimum(column, self.c.n - 1)
            source = at(self.c.b, {J.name: column + self.c.n * gate, self.k.name: Sym("k0") + Sym(self.k.name)})
            if coefficient(source.offset, COLUMN.name) != Const(1):
                transfer = Transfer.GATHER
            raw = self.t.raw.name if self.c.b.dtype is not self.c.compute else fragment.name
            nodes.append(Load(raw, Access(source.operand, source.offset), transfer, guard))
            nodes += self._ask_rows(gate) if transfer is Transfer.VECTOR else ()
            if raw != fragment.name:
                nodes.append(Compute(fragment.name, Accumulator(0), self.c.compute, (raw,)))
        return tuple(nodes)

    def _ask_rows(self, gate: int) -> tuple[Node, ...]:
        """Ask, where B streams past, for the lines that lie as many rows below as are passed together: a worker's part of them later."""
        if self.config.stages == 1 or not self.config.block_k:
            return ()
        row, line = Sym("k0") + Sym("k_count") + Sym(self.k.name), _LINE_BYTES // self.c.b.dtype.bytes
        firsts = (Sym("column0") + (self.c.n * gate + place) for place in range(0, self.config.tile_n, line))
        places = (at(self.c.b, {J.name: first, self.k.name: row}) for first in firsts)
        return tuple(Prefetch(place.operand, place.offset, _SOON_LEVEL) for place in places)

    def _b_in_panels(self, guard: Guard) -> tuple[Node, ...]:
        """Load a row of B from its panel, and ask for what comes next."""
        source = at(self.c.b, {self.k.name: Sym("k0") + Sym(self.k.name)})
        place = Access(source.operand, within_panel(source.offset, Sym("panel"), self.t.panels_together))
        fragment = self.t.b_fragments[0].name
        raw = self.t.raw.name if self.c.b.dtype is not self.c.compute else fragment
        convert = () if raw == fragment else (Compute(fragment, Accumulator(0), self.c.compute, (raw,)),)
        # Asked after the load: before it, LLVM 22 keeps a sum of the fullest tile on the stack.
        return (Load(raw, place, Transfer.VECTOR, guard), *self._ask(), *convert)

    def _ask(self) -> tuple[Node, ...]:
        """Ask for what lies as far ahead as the schedule says; memory then works while tiles are multiplied.

        A panel that is swept whole is a stream, asked for `_AHEAD` rows before it is read. Of one that is cut into blocks, each row
        tile asks for its part of the next panel's block.
        """
        if self.config.stages == 1 or self.config.in_flight:
            return ()
        operand, width, line = self.c.b.operand, self.t.panel_columns, _LINE_BYTES // self.c.b.dtype.bytes
        if self.config.block_k:
            return (Prefetch(operand, Sym("soon") + Sym(self.k.name) * -(-width // _ASKING_TILES), _SOON_LEVEL),)
        source = at(self.c.b, {self.k.name: Sym("k0") + Sym(self.k.name)})
        begins = within_panel(source.offset, Sym("panel"), self.t.panels_together)
        firsts = (
            substitute(begins, {COLUMN.name: Const(i * width)}) + _AHEAD * width for i in range(self.t.panels_together)
        )
        return tuple(
            Prefetch(operand, first + i * line, _NOW_LEVEL) for first in firsts for i in range(-(-width // line))
        )

    def _ahead(self) -> tuple[Let, ...]:
        """Name where a tile asks from."""
        width = self.t.panel_columns
        if not width or self.config.stages == 1 or not self.config.block_k:
            return ()
        turn = (Sym("tile") - Sym("block_first") * self.together) % _ASKING_TILES
        next_block = ((Sym("panel") + 1) * self.k.extent + Sym("k0")) * width
        return (Let("soon", next_block + turn * (Sym("k_count") * width // _ASKING_TILES)),)

    def _sweep_turned(self, load_a: tuple[Node, ...]) -> tuple[Node, ...]:
        """Sweep a B whose neighbours follow the reduction: one turned block at a time, then the rest element by element."""
        k, whole, b = Sym(self.k.name), Sym("k_count") // self.t.lanes * self.t.lanes, self.t.b_fragments[0].name
        turned: list[Node] = [*self._ask_along_k(), *self.t.load_turned(Sym("column0"), Sym("k0") + k, 0)]
        for step in range(self.t.lanes):
            _, a = self._rows_at(k + step)
            turned += [Extract(b, self.t.square.name, Const(step), Const(0)), *a, *self.t.multiply()]
        rest = (*self._b_in_place(Transfer.GATHER, ()), *load_a, *self.t.multiply())
        return (
            Loop(k.name, Const(0), whole, tuple(turned), step=self.t.lanes),
            Loop(k.name, whole, Sym("k_count"), rest),
        )

    def _ask_along_k(self) -> tuple[Node, ...]:
        """Ask, of each row of B that is turned, for what lies some lines further along the reduction."""
        if self.config.stages == 1:
            return ()
        further = Sym("k0") + Sym(self.k.name) + _LINES_AHEAD * _LINE_BYTES // self.c.b.dtype.bytes
        rows = (minimum(Sym("column0") + row, self.c.n - 1) for row in range(self.config.tile_n))
        places = (at(self.c.b, {J.name: row, self.k.name: further}) for row in rows)
        return tuple(Prefetch(place.operand, place.offset, _SOON_LEVEL) for place in places)


def _share(name: str, count: Index, part: Index, parts: Index) -> tuple[Let, Let]:
    """Name the first of a part and the first after it."""
    return Let(f"first_{name}", part * count // parts), Let(f"last_{name}", (part + 1) * count // parts)


def blocked_parts(tile: RegisterTile) -> tuple[list[Node], list[Buffer], tuple[Symbol, ...], list[Fragment]]:
    """Return body, buffers, launch symbols and further fragments of the blocked schedule.

    Raises
    ------
    ConfigurationError
        If the contraction has several reduction axes or padding, or the configuration asks for what they exclude.
    """
    blocked = _Blocked(tile)
    return blocked.body(), blocked.buffers(), blocked.symbols(), blocked.fragments()

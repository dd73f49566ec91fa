# SPDX-License-Identifier: MIT
"""The CPU's register tile: its fragments, how B becomes panels, how A becomes packed rows, and the sweep over the reduction.

B is packed by vectors along its columns where those lie next to each other. Where instead the reduction does (weights stored
output by output), square blocks are loaded along it and turned in registers, so no element is fetched on its own.
"""

from __future__ import annotations

import math

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.asked_lines import is_line
from tracea_core.semantic.build.epilogue import TileEpilogue
from tracea_core.semantic.contraction import Contraction, I, J, Named, Term
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    ceil_div,
    coefficient,
    less,
    maximum,
    minimum,
    substitute,
    substitute_test,
)
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Axis, Digit, FragmentLayout, Layout
from tracea_core.semantic.panels import panel_width
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Store,
    Transfer,
    Turn,
)
from tracea_core.target import CapabilityProfile

ROW_SPLITS = "row_splits"
WORKER, WORKERS = Sym("worker"), Sym("workers")
_TOP = Const(0)


def vector_lanes(profile: CapabilityProfile, dtype: DType) -> int:
    """Return how many elements of `dtype` one vector register of the CPU holds (`profile.lanes` counts fp32)."""
    return max(1, profile.lanes * 4 // dtype.bytes)


def by_windows(contraction: Contraction, configuration: PipelineConfig) -> bool:
    """Whether the rows of a convolution are output pixels: read from a copy of its images, or tested where these lie."""
    return configuration.halo or (configuration.in_flight > 0 and len(contraction.k_axes) > 1)


class RegisterTile:
    """The fragments of one register tile, and the nodes that fill and use them.

    Raises
    ------
    ConfigurationError
        If the register tile does not fit the vector registers.
    """

    def __init__(self, contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.c, self.config, self.profile = contraction, configuration, profile
        self.lanes = vector_lanes(profile, contraction.compute)
        if not configuration.pack_b and not panel_width(contraction.b) and configuration.tile_n == self.lanes // 2 > 1:
            self.lanes = configuration.tile_n  # a block of half as many streams is turned in vectors of half the length
        if configuration.tile_n % self.lanes:
            raise ConfigurationError(
                f"tile_n must be a multiple of the {self.lanes} lanes of a vector", tile_n=configuration.tile_n
            )
        self.rows, self.vectors = configuration.tile_m, configuration.tile_n // self.lanes
        self.panel_columns = panel_width(contraction.b)
        if self.panel_columns and (configuration.pack_b or configuration.tile_n % self.panel_columns):
            raise ConfigurationError(
                f"B lies in panels of {self.panel_columns} columns already: tiles span whole ones and read them in place"
            )
        self.panels_together = configuration.tile_n // self.panel_columns if self.panel_columns else 1
        if self.panels_together > 1 and configuration.block_k:
            raise ConfigurationError(
                "several panels at a time are swept whole, not in blocks", block_k=configuration.block_k
            )
        registers = contraction.gates * (self.rows * self.vectors + self.vectors) + 1
        if profile.vector_registers and registers > profile.vector_registers:
            raise ConfigurationError(
                f"a {self.rows}x{configuration.tile_n} register tile needs {registers} vector registers, "
                f"{profile.name} has {profile.vector_registers}",
                hint="Choose fewer rows or columns",
            )
        tile = instruction(f"fma_outer_{self.rows}x{self.vectors}x{self.lanes}_{contraction.compute.value}")
        assert tile.a is not None and tile.b is not None
        self.instruction = tile
        gates = range(contraction.gates)
        self.accumulators = [self.fragment(f"acc{g}" if contraction.gates > 1 else "acc", tile.c) for g in gates]
        self.b_fragments = [self.fragment(f"b{g}" if contraction.gates > 1 else "b", tile.b) for g in gates]
        self.a_fragment = self.fragment("a", tile.a)
        self.a_raw = Fragment("a_raw", contraction.a.dtype, tile.a)
        self.packed = self.fragment("packed", tile.b)
        self.raw = Fragment("raw", contraction.b.dtype, tile.b)
        square = fma_outer(self.lanes, 1, self.lanes, contraction.compute).c
        self.square = self.fragment("square", square)
        self.turned = self.fragment("turned", square.transposed())
        self.turned_raw = Fragment("turned_raw", contraction.b.dtype, square.transposed())
        self.epilogue = TileEpilogue(contraction, tile, self.accumulators)

    def fragment(self, name: str, layout: FragmentLayout) -> Fragment:
        """Return a fragment of the arithmetic's type."""
        return Fragment(name, self.c.compute, layout)

    @property
    def turns(self) -> bool:
        """Whether B's neighbours in memory follow the reduction, so that blocks of it are turned in registers."""
        if len(self.c.k_axes) != 1 or self.c.b.guard or self.c.b.hoisted or self.lanes == 1:
            return False
        along_k = coefficient(self.c.b.offset, self.c.k_axes[0].name)
        return along_k == Const(1) and coefficient(self.c.b.offset, J.name) != Const(1)

    def fragments(self) -> list[Fragment]:
        """Return the fragments that the nodes use, those for packing B included."""
        found = [*self.accumulators, *self.b_fragments, self.a_fragment, *self.epilogue.fragments, self.packed]
        if self.c.a.dtype is not self.c.compute:
            found.append(self.a_raw)
        if self.c.b.dtype is not self.c.compute:
            found.append(self.raw)
        if self.turns:
            found += [self.square, self.turned]
            found += [self.turned_raw] if self.c.b.dtype is not self.c.compute else []
        return found

    # ---- extents

    def k_total(self) -> Index:
        """Length of the reduction, all axes together."""
        total: Index = Const(1)
        for axis in self.c.k_axes:
            total = total * axis.extent
        return total

    def panels(self) -> Index:
        """How many register tiles lie side by side."""
        return ceil_div(self.c.n, self.config.tile_n)

    def row_tiles(self) -> Index:
        """How many register tiles lie one below the other."""
        return ceil_div(self.c.m, self.rows)

    def panel_name(self, gate: int) -> str:
        """Name of the buffer that holds the panels of one gate."""
        return f"panel{gate}" if self.c.gates > 1 else "panel"

    # ---- packing B

    def pack_b(self, k0: Index, k_count: Index, first_row: Index = _TOP) -> tuple[Node, ...]:
        """Copy the columns of B at ``column0`` into the panel buffers, from their row `first_row` on.

        Full panels are copied without masks, the one at the right edge with them.
        """
        full = (less(Sym("column0") + (self.config.tile_n - 1), self.c.n),)
        nodes: list[Node] = []
        for gate in range(self.c.gates):
            buffer = self.panel_name(gate)
            if self.turns:
                nodes += self._turn_loops(buffer, k0, k_count, first_row, gate)
                continue
            column = Sym("column0") + COLUMN
            source = at(self.c.b, {J.name: column + self.c.n * gate})
            inside = self._pack_loops(buffer, source, k0, k_count, first_row, ())
            edge = self._pack_loops(buffer, source, k0, k_count, first_row, (less(column, self.c.n),))
            nodes.append(If(full, inside, edge))
        return tuple(nodes)

    def pack_block(self, k0: Index, k_count: Index, row_of: Index) -> tuple[Node, ...]:
        """Copy the columns of several panels, ``first_panel`` to ``last_panel``; `row_of` is where ``panel`` begins.

        B is read row by row across all panels, as it lies in memory, so that the processor foresees what comes next.
        """
        first, last, panel = Sym("first_panel"), Sym("last_panel"), Sym("panel")
        column0 = Let("column0", panel * self.config.tile_n)
        if self.turns:
            return (Loop("panel", first, last, (column0, *self.pack_b(k0, k_count, row_of))),)
        whole = maximum(first, minimum(last, self.c.n // self.config.tile_n))
        nodes: list[Node] = [Let("last_whole", whole)]
        for gate in range(self.c.gates):
            column, buffer = Sym("column0") + COLUMN, self.panel_name(gate)
            source = at(self.c.b, {J.name: column + self.c.n * gate})
            (rows,) = self._pack_loops(buffer, source, k0, k_count, row_of, ())
            assert isinstance(rows, Loop)
            across = Loop("panel", first, Sym("last_whole"), (column0, *rows.body))
            edge = self._pack_loops(buffer, source, k0, k_count, row_of, (less(column, self.c.n),))
            nodes += [rows.replace(body=(across,)), Loop("panel", Sym("last_whole"), last, (column0, *edge))]
        return tuple(nodes)

    def _pack_loops(
        self, buffer: str, source: Term, k0: Index, k_count: Index, first_row: Index, mask: Guard
    ) -> tuple[Node, ...]:
        single = len(self.c.k_axes) == 1
        position: Index = Const(0)
        for axis in self.c.k_axes:
            position = position * axis.extent + Sym(axis.name)
        axes = {self.c.k_axes[0].name: Sym(self.c.k_axes[0].name) + k0} if single else {}
        source = at(source, axes)
        unit_stride = coefficient(source.offset, COLUMN.name) == Const(1) and not source.guard and not source.hoisted
        raw = self.raw.name if self.c.b.dtype is not self.c.compute else self.packed.name
        load = Load(
            raw,
            Access(source.operand, source.offset),
            Transfer.VECTOR if unit_stride else Transfer.GATHER,
            (*mask, *source.guard),
        )
        convert = (
            () if raw == self.packed.name else (Compute(self.packed.name, Accumulator(0), self.c.compute, (raw,)),)
        )
        store = Store(BufferRef(buffer, (first_row + position, COLUMN)), self.packed.name, Transfer.VECTOR)
        body: tuple[Node, ...] = (load, *convert, store)
        for axis in reversed(self.c.k_axes):
            body = (Loop(axis.name, Const(0), k_count if single else axis.extent, body),)
        return (*lets(source.hoisted, self.packed.name), *body)

    def _turn_loops(self, buffer: str, k0: Index, k_count: Index, first_row: Index, gate: int) -> tuple[Node, ...]:
        """Pack blocks of lanes × lanes elements, and what is left of the reduction element by element.

        Columns beyond the edge repeat the last one; they are never stored.
        """
        k, whole = Sym(self.c.k_axes[0].name), k_count // self.lanes * self.lanes
        first = Sym("column0") + Sym("vector") * self.lanes
        load = self.load_turned(first, k0 + k, gate)
        place = BufferRef(buffer, (first_row + self.row_in_panel(k + ROW), Sym("vector") * self.lanes + COLUMN))
        block = (*load, Store(place, self.square.name, Transfer.VECTOR))
        column = minimum(Sym("column0") + COLUMN, self.c.n - 1) + self.c.n * gate
        source = at(self.c.b, {J.name: column, k.name: k0 + k})
        raw = self.raw.name if self.c.b.dtype is not self.c.compute else self.packed.name
        rest: tuple[Node, ...] = (
            Load(raw, Access(source.operand, source.offset), Transfer.GATHER),
            *(() if raw == self.packed.name else (Compute(self.packed.name, Accumulator(0), self.c.compute, (raw,)),)),
            Store(BufferRef(buffer, (first_row + self.row_in_panel(k), COLUMN)), self.packed.name, Transfer.VECTOR),
        )
        count = Const(self.vectors)
        across = Loop("vector", Const(0), count, (Loop(k.name, Const(0), whole, block, step=self.lanes),))
        if self.row_in_panel(k) != k and not is_line(self.lanes, self.c.compute):
            # Rows that lie apart are completed while their lines are at hand; whole lines go along few filters at a time.
            across = Loop(k.name, Const(0), whole, (Loop("vector", Const(0), count, block),), step=self.lanes)
        return (across, Loop(k.name, whole, k_count, rest))

    def row_in_panel(self, k: Index) -> Index:
        """Return the row of the panel that holds the element at `k`: the same, unless a schedule sweeps the reduction in another order."""
        return k

    def load_turned(self, first_column: Index, k: Index, gate: int) -> tuple[Node, ...]:
        """Load the block of B at (k, first_column) along the reduction and turn it: ``square`` then holds it by rows."""
        column = minimum(first_column + COLUMN, self.c.n - 1) + self.c.n * gate
        source = at(self.c.b, {J.name: column, self.c.k_axes[0].name: k + ROW})
        raw = self.turned_raw.name if self.c.b.dtype is not self.c.compute else self.turned.name
        load = Load(raw, Access(source.operand, source.offset), Transfer.VECTOR)
        convert = () if raw == self.turned.name else (
            Compute(self.turned.name, Accumulator(0), self.c.compute, (raw,)),
        )  # fmt: skip
        return (load, *convert, Turn(self.square.name, self.turned.name))

    # ---- the micro-kernel

    def clear(self) -> tuple[Node, ...]:
        """Set the accumulators to zero."""
        return tuple(Fill(accumulator.name) for accumulator in self.accumulators)

    def multiply(self) -> tuple[Node, ...]:
        """Add the product of the row of B and the column of A that the fragments hold."""
        pairs = zip(self.accumulators, self.b_fragments, strict=True)
        mmas = (Mma(self.instruction.name, acc.name, self.a_fragment.name, b.name) for acc, b in pairs)
        return (*mmas, SchedulingFence())

    def load_a(self, offset: Index) -> tuple[Node, ...]:
        """Broadcast a column of A that is read in place."""
        raw = self.a_raw.name if self.c.a.dtype is not self.c.compute else self.a_fragment.name
        load = Load(raw, Access(self.c.a.operand, offset), Transfer.BROADCAST)
        if raw == self.a_fragment.name:
            return (load,)
        return (load, Compute(self.a_fragment.name, Accumulator(0), self.c.compute, (raw,)))

    def a_in_place(self, position: Index, k0: Index) -> tuple[tuple[Let, ...], Index]:
        """Return the hoisted row addresses of A and the offset of its column at `position`.

        Rows beyond the edge repeat the last one and are never stored.
        """
        row = minimum(Sym("row0") + ROW, self.c.m - 1)
        source = at(self.c.a, {I.name: row})
        names = [axis.name for axis in self.c.k_axes]
        base = Named("a_base", substitute(source.offset, dict.fromkeys(names, Const(0))))
        along_k = slope(source.offset, names) if self.c.a_step is None else position * self.c.a_step
        if k0 != Const(0):
            along_k = substitute(along_k, {names[0]: Sym(names[0]) + k0})
        return lets((base,), self.a_fragment.name), Sym(base.name) + along_k

    def load_panels(self, position: Index) -> tuple[Node, ...]:
        """Load the row of each panel at `position`."""
        return tuple(
            Load(fragment.name, BufferRef(self.panel_name(gate), (position, COLUMN)), Transfer.VECTOR)
            for gate, fragment in enumerate(self.b_fragments)
        )

    def accumulate(self, k_count: Index, k0: Index) -> tuple[Node, ...]:
        """Clear the accumulators and sweep the reduction: B from its panel, A in place."""
        position, loops = self._reduction(k_count)
        hoisted, offset = self.a_in_place(position, k0)
        nodes: tuple[Node, ...] = (*self.load_panels(position), *self.load_a(offset), *self.multiply())
        for depth, (name, extent) in enumerate(reversed(loops)):
            nodes = (Loop(name, Const(0), extent, nodes, unroll=self.config.tile_k if depth == 0 else 1),)
        return (*hoisted, *self.clear(), *nodes)

    def _reduction(self, k_count: Index) -> tuple[Index, list[tuple[str, Index]]]:
        """The K position within the panel and the loops that visit it: one loop wherever A allows it."""
        if len(self.c.k_axes) == 1:
            return Sym(self.c.k_axes[0].name), [(self.c.k_axes[0].name, k_count)]
        if self.c.a_step is not None:
            return Sym("kk"), [("kk", self.k_total())]
        position: Index = Const(0)
        for axis in self.c.k_axes:
            position = position * axis.extent + Sym(axis.name)
        return position, [(axis.name, axis.extent) for axis in self.c.k_axes]


def vectors(columns: int, lanes: int) -> Layout:
    """The layout of one K row of a panel: vectors of `lanes` consecutive elements (lanes is a power of two)."""
    bits = int(math.log2(lanes))
    return Layout((Axis("column", (Digit(columns // lanes, lanes),), bits),), Matrix.identity(bits))


def lets(named: tuple[Named, ...], fragment: str | None = None) -> tuple[Let, ...]:
    """Return the names as nodes."""
    return tuple(Let(item.name, item.value, fragment) for item in named)


def at(term: Term, places: dict[str, Index]) -> Term:
    """Return `term` with coordinates put in place."""
    return term.replace(
        offset=substitute(term.offset, places),
        guard=tuple(substitute_test(test, places) for test in term.guard),
        hoisted=tuple(Named(named.name, substitute(named.value, places)) for named in term.hoisted),
    )


def slope(offset: Index, names: list[str]) -> Index:
    """The part of an operand's offset that moves along K: Σ coefficient·name (offsets are affine in the K axes)."""
    total: Index = Const(0)
    for name in names:
        found = coefficient(offset, name)
        if found is None:
            raise ConfigurationError(f"an operand read in place must be affine in {name}")
        total = total + Sym(name) * found
    return total

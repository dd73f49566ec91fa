# SPDX-License-Identifier: MIT
"""The CPU schedule of a copy into panels: what a product would do at each call, done once for a weight that does not change.

Workers share out the panels. Where the source's rows are contiguous a panel's columns are moved as vectors; where its columns are
(weights stored output by output), square blocks are loaded along them and turned in registers, and what is left of the rows is
gathered. Only the last panel needs masks.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.register_tile import WORKER, WORKERS, vector_lanes
from tracea_core.semantic.contraction import I, J
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
    minimum,
    substitute,
)
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Role, SemanticKernel
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.panels import panel_width, within_panel
from tracea_core.semantic.steps import Access, If, Let, Load, Loop, Node, Store, Transfer, Turn
from tracea_core.semantic.sweep import Sweep
from tracea_core.target import CapabilityProfile

_PANEL, _COLUMN0, _K, _VECTOR = Sym("panel"), Sym("column0"), Sym("row_at"), Sym("vector")


def copy_configuration(sweep: Sweep, profile: CapabilityProfile) -> PipelineConfig:
    """Return how a copy runs: blocks of as many rows as a vector has lanes, as wide as a panel."""
    lanes = vector_lanes(profile, sweep.out.dtype)
    return PipelineConfig(tile_m=lanes, tile_n=panel_width(sweep.out), tile_k=1, stages=1, warps=1)


def panel_copy_kernel(
    sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile, name: str
) -> SemanticKernel:
    """Return the schedule of a copy into panels.

    Raises
    ------
    ConfigurationError
        If the output does not lie in panels of `tile_n` columns, or these are no whole vectors.
    """
    lanes, width = vector_lanes(profile, sweep.out.dtype), panel_width(sweep.out)
    if not width or configuration.tile_n != width or width % lanes or configuration.tile_m != lanes:
        raise ConfigurationError(
            f"a copy into panels of {width} columns moves blocks of {lanes} rows, and columns that {lanes} lanes divide",
            configuration=configuration.describe(),
        )
    builder = _Copy(sweep, lanes, width)
    role = Role("worker", Actor.WORKER, 0, lanes, builder.fragments(), builder.body())
    return SemanticKernel(
        name=name, title=sweep.title, family="contraction", variant="panel_copy", arch=profile.arch,
        configuration=configuration, parameters=sweep.parameters, symbols=sweep.symbols, buffers=(), rings=(), roles=(role,),
        launch=Launch(blocks=WORKERS, threads=1),
    )  # fmt: skip


class _Copy:
    def __init__(self, sweep: Sweep, lanes: int, width: int) -> None:
        self.s, self.lanes, self.width = sweep, lanes, width
        dtype = sweep.out.dtype
        row = fma_outer(1, width // lanes, lanes, dtype).b
        assert row is not None
        square = fma_outer(lanes, 1, lanes, dtype).c
        self.held = Fragment("held", dtype, row)
        self.square, self.turned = Fragment("square", dtype, square), Fragment("turned", dtype, square.transposed())
        along_rows = coefficient(sweep.source.offset, J.name) == Const(1)
        self.transfer = Transfer.VECTOR if along_rows else Transfer.GATHER
        self.turns = not along_rows and coefficient(sweep.source.offset, I.name) == Const(1) and lanes > 1

    def fragments(self) -> tuple[Fragment, ...]:
        return (self.held, self.square, self.turned) if self.turns else (self.held,)

    def body(self) -> tuple[Node, ...]:
        panels = ceil_div(self.s.n, self.width)
        full = (less(_COLUMN0 + (self.width - 1), self.s.n),)
        copies = If(full, self._copies(edge=False), self._copies(edge=True))
        share = (WORKER * Sym("panels") // WORKERS, (WORKER + 1) * Sym("panels") // WORKERS)
        let = Let(_COLUMN0.name, _PANEL * self.width)
        return (Let("panels", panels), Loop(_PANEL.name, *share, (let, copies)))

    def _copies(self, edge: bool) -> tuple[Node, ...]:
        rows, whole = self.s.m, self.s.m // self.lanes * self.lanes
        if not self.turns:
            return (Loop(_K.name, Const(0), rows, self._row(edge)),)
        blocks = Loop(_K.name, Const(0), whole, self._block(edge), step=self.lanes)
        across = Loop(_VECTOR.name, Const(0), Const(self.width // self.lanes), (blocks,))
        return (across, Loop(_K.name, whole, rows, self._row(edge)))

    def _row(self, edge: bool) -> tuple[Node, ...]:
        """Move one row of the panel."""
        guard: Guard = (less(_COLUMN0 + COLUMN, self.s.n),) if edge else ()
        column = _COLUMN0 + COLUMN
        masked = guard
        if edge and self.transfer is Transfer.GATHER:  # what is never stored may be read twice
            column, masked = minimum(column, self.s.n - 1), ()
        load = Load(self.held.name, self._source(_K, column), self.transfer, masked)
        return (load, Store(self._target(_K, COLUMN), self.held.name, Transfer.VECTOR, guard))

    def _block(self, edge: bool) -> tuple[Node, ...]:
        """Move a square block whose columns lie next to each other in the source."""
        within = _VECTOR * self.lanes + COLUMN
        column: Index = _COLUMN0 + within
        guard: Guard = ()
        if edge:
            column, guard = minimum(column, self.s.n - 1), (less(_COLUMN0 + within, self.s.n),)
        return (
            Load(self.turned.name, self._source(_K + ROW, column), Transfer.VECTOR),
            Turn(self.square.name, self.turned.name),
            Store(self._target(_K + ROW, within), self.square.name, Transfer.VECTOR, guard),
        )

    def _source(self, row: Index, column: Index) -> Access:
        return Access(self.s.source.operand, substitute(self.s.source.offset, {I.name: row, J.name: column}))

    def _target(self, row: Index, within: Index) -> Access:
        """The place of a row's columns in the current panel; `within` counts them."""
        offset = substitute(within_panel(self.s.out.offset, _PANEL), {COLUMN.name: within})
        return Access(self.s.out.operand, substitute(offset, {I.name: row}))

# SPDX-License-Identifier: MIT
"""The CPU schedule of instructions that add products of several k in one lane: VDPBF16PS, VPDPBUSD, and the tiles of AMX.

They want the k of a group (two bf16, four bytes) next to each other in a 32-bit word. B is copied into panels of such words, rounded
up with zeros to whole steps of 16 groups. A holds its groups next to each other as it lies, if its rows are contiguous, and is read
in place; otherwise, and where AMX would read beyond its last row or column, a tile's rows are copied first.

A worker owns parts of the output (item × row split × column split), each with as many panels as its second cache holds, and passes
all of them under one tile of rows after the other. AMX has no arithmetic but the product: its sums pass through the worker's own
memory to the vectors that finish them.

VPDPBUSD multiplies an unsigned byte by a signed one. For two signed operands B is raised by 128 as it is packed, and 128 times
the sum of A's row is taken off the sums. The same instruction adds rows up once for each tile of them: whole steps of a row at a time,
times ones, lane by lane, and what is left of all rows group by group; then the lanes of each row.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.dot_operands import GROUPS, DotOperands
from tracea_core.semantic.build.epilogue import TileEpilogue
from tracea_core.semantic.build.register_tile import ROW_SPLITS, WORKER, WORKERS, lets
from tracea_core.semantic.build.worker_groups import items_of, row_of, row_tiles, unless_empty
from tracea_core.semantic.contraction import ITEM, Contraction
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, ceil_div
from tracea_core.semantic.kernel import (
    Actor,
    Buffer,
    Fragment,
    Launch,
    Lifetime,
    Role,
    SemanticKernel,
    Space,
    Symbol,
)
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lanes_base import InstructionLanes
from tracea_core.semantic.lanes_cpu import amx, fma_outer
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import (
    BufferRef,
    Compute,
    Fill,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Store,
    Transfer,
)
from tracea_core.target import CapabilityProfile

COLUMN_SPLITS = "column_splits"
_FINISHED_ROWS = 4
_RAISED = 128


def dots_kernel(
    contraction: Contraction,
    configuration: PipelineConfig,
    profile: CapabilityProfile,
    variant: str,
    name: str,
    instruction_name: str,
) -> SemanticKernel:
    """Return the schedule of `contraction` by groups of k.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows by ``tile_n`` columns of sums; groups are unrolled by ``tile_k``.
    instruction_name : str
        The variant's instruction: types, and whether tiles of AMX or vectors multiply.

    Raises
    ------
    ConfigurationError
        If the tile is none of the instruction's, or the contraction has several reduction axes, gates or other types.
    """
    builder = _Dots(contraction, configuration, instruction(instruction_name))
    prepared = builder.epilogue.prepared
    role = Role("worker", Actor.WORKER, 0, builder.lanes, builder.fragments(), (*prepared.nodes(), *builder.body()))
    return SemanticKernel(
        name=name,
        title=contraction.title,
        family="contraction",
        variant=variant,
        arch=profile.arch,
        configuration=configuration,
        parameters=contraction.parameters,
        symbols=(
            *contraction.symbols,
            Symbol(ROW_SPLITS, minimum=1, meaning="parts that each item's rows are cut into"),
            Symbol(COLUMN_SPLITS, minimum=1, meaning="parts that each item's columns are cut into"),
        ),
        buffers=(*builder.buffers(), *prepared.buffers()),
        rings=(),
        roles=(role,),
        launch=Launch(blocks=WORKERS, threads=1),
    )


def tile_of(base: InstructionLanes, configuration: PipelineConfig, contraction: Contraction) -> InstructionLanes:
    """Return the instruction of the same types with as many rows and columns as the configuration's tile.

    Where the contraction is a transpose, so that A has the type that the instruction wants of B, it is the one with the types swapped.
    """
    m, n, lanes = configuration.tile_m, configuration.tile_n, base.lanes
    types = base.operand, base.b_type
    if (contraction.b.dtype, contraction.a.dtype) == types:
        types = types[::-1]
    if n % lanes or (base.tiles and m % lanes):
        raise ConfigurationError(f"tiles of {base.name} are multiples of {lanes}", tile_m=m, tile_n=n)
    if base.tiles:
        return amx(m // lanes, n // lanes, *types)
    return fma_outer(m, n // lanes, lanes, *types)


class _Dots:
    """The nodes of one kernel."""

    def __init__(self, contraction: Contraction, configuration: PipelineConfig, base: InstructionLanes) -> None:
        c, self.config = contraction, configuration
        self.c, self.tile, self.lanes = c, tile_of(base, configuration, c), base.lanes
        if len(c.k_axes) != 1 or c.gates != 1 or c.b.guard or c.b.hoisted or c.a.guard or c.a.hoisted:
            raise ConfigurationError("products by groups of k need dense operands, one reduction axis and no gates")
        if c.sums is not None:
            raise ConfigurationError("products by groups of k sum no columns")
        if configuration.split_k > 1 or configuration.block_k or configuration.pack_a or not configuration.pack_b:
            raise ConfigurationError("products by groups of k pack B and keep the whole reduction in registers")
        self.operands = DotOperands(c, self.tile, configuration.tile_k)
        self.raised = self.operands.raised
        rows = _FINISHED_ROWS if self.tile.tiles else self.tile.m
        finished = fma_outer(rows, self.tile.n // self.lanes, self.lanes, c.compute)
        self.sums = Fragment("sums", c.compute, self.tile.c)
        self.acc = Fragment("acc", c.compute, finished.c) if self.tile.tiles else self.sums
        self.epilogue = TileEpilogue(c, finished, [self.acc], self.tile.m)
        self.ones_tile = fma_outer(self.tile.m, 1, self.lanes, self.tile.operand, self.tile.operand_b)
        self.row_sums = Fragment("row_sums", c.compute, self.ones_tile.c)
        one = fma_outer(self.tile.m, 1, self.lanes, c.compute).a
        assert one is not None and self.ones_tile.b is not None
        self.row_sum = Fragment("row_sum", c.compute, one)
        self.ones = Fragment("ones", self.tile.b_type, self.ones_tile.b)
        self.steps_tile = fma_outer(1, 1, self.lanes, self.tile.b_type, self.tile.operand)
        assert self.steps_tile.a is not None and self.steps_tile.b is not None
        self.row_ones = Fragment("row_ones", self.tile.b_type, self.steps_tile.a)
        self.row_step = Fragment("row_step", self.tile.operand, self.steps_tile.b)
        numbers = range(self.tile.m if self.raised else 0)
        self.row_lanes = [Fragment(f"row_lanes{row}", c.compute, self.steps_tile.c) for row in numbers]

    # ---- what the kernel declares

    def fragments(self) -> tuple[Fragment, ...]:
        own = [self.sums, *([self.acc] if self.tile.tiles else []), *self.operands.fragments()]
        if self.raised:
            own += [self.row_sums, self.row_sum, self.row_ones, self.row_step, *self.row_lanes]
            own += [self.ones] if self.operands.a_in_place else []
        return (*own, *self.epilogue.fragments)

    def buffers(self) -> list[Buffer]:
        panels = ceil_div(self._panels(), Sym(COLUMN_SPLITS))
        found = self.operands.buffers(panels)
        if self.tile.tiles:
            tile = Layout.row_major(("row", self.tile.m), ("column", self.tile.n))
            found.append(Buffer("finished", Space.PANEL, self.c.compute, tile, Lifetime.TILE))
        if self.raised:
            line = Layout.row_major(("row", self.tile.m), ("lane", self.lanes))
            found.append(Buffer("sums_of_rows", Space.PANEL, self.c.compute, line, Lifetime.TILE))
        return found

    # ---- the nest

    def _panels(self) -> Index:
        return ceil_div(self.c.n, self.tile.n)

    def body(self) -> tuple[Node, ...]:
        unit, splits, parts = Sym("unit"), Sym(ROW_SPLITS), Sym(COLUMN_SPLITS)
        ahead, own = row_tiles(self.c, self.tile.m)
        decode = (
            Let("part", unit % parts),
            Let("split", unit // parts % splits),
            Let(ITEM.name, unit // (parts * splits)),
            *lets(self.c.item_names),
            *own,
            Let("first_panel", Sym("part") * Sym("panels") // parts),
            Let("last_panel", (Sym("part") + 1) * Sym("panels") // parts),
        )
        first, last = Sym("split") * Sym("row_tiles") // splits, (Sym("split") + 1) * Sym("row_tiles") // splits
        tiles = Loop("tile", first, last, (Let("tile_row", row_of(self.c, Sym("tile") * self.tile.m)), *self._tile()))
        return (
            Let("panels", self._panels()),
            *ahead,
            Let("k_steps", ceil_div(self.operands.k.extent, GROUPS * self.operands.group)),
            Let("units", items_of(self.c) * splits * parts),
            Loop("unit", WORKER * Sym("units") // WORKERS, (WORKER + 1) * Sym("units") // WORKERS, (
                *decode, *unless_empty(self.c, first, last, (*self.operands.pack_b(), tiles)),
            )),
        )  # fmt: skip

    def _tile(self) -> tuple[Node, ...]:
        across = Loop("panel", Sym("first_panel"), Sym("last_panel"), (
            Let("column0", Sym("panel") * self.tile.n), *self._product(), *self._finish(),
        ))  # fmt: skip
        return (*self.operands.prepare_rows(), *(self._add_rows_up() if self.raised else ()), across)

    def _product(self) -> tuple[Node, ...]:
        tail = () if self.tile.tiles else (SchedulingFence(),)
        multiply = (Mma(self.tile.name, self.sums.name, self.operands.a.name, self.operands.b.name), *tail)
        return (Fill(self.sums.name), *self.operands.sweep(multiply))

    def _add_rows_up(self) -> tuple[Node, ...]:
        """Multiply the rows by ones and keep the sums."""
        lane, kept = Sym("summed_lane"), "sums_of_rows"
        bases, loads, steps = self.operands.row_steps(self.row_step.name)
        adds = [
            (load, Mma(self.steps_tile.name, lanes.name, self.row_ones.name, self.row_step.name))
            for load, lanes in zip(loads, self.row_lanes, strict=True)
        ]
        stores = [
            Store(BufferRef(kept, (Const(row) + ROW, COLUMN)), lanes.name, Transfer.VECTOR)
            for row, lanes in enumerate(self.row_lanes)
        ]
        add = Binary(BinaryFn.ADD, Accumulator(0), Operand(0))
        fold = Loop(lane.name, Const(0), Const(self.lanes), (
            Load(self.row_sum.name, BufferRef(kept, (ROW, lane)), Transfer.BROADCAST),
            Compute(self.row_sums.name, add, DType.INT32, (self.row_sums.name,), (self.row_sum.name,)),
        ))  # fmt: skip
        rest = Mma(self.ones_tile.name, self.row_sums.name, self.operands.a.name, self.ones.name)
        return (
            *bases,
            *(Fill(lanes.name) for lanes in self.row_lanes),
            Fill(self.row_ones.name, 1.0),
            Loop("summed_step", Const(0), steps, tuple(node for pair in adds for node in pair)),
            *stores,
            Fill(self.row_sums.name),
            *((Fill(self.ones.name, 1.0), *self.operands.sweep_rest((rest,))) if self.operands.a_in_place else ()),
            fold,
            Store(BufferRef(kept, (ROW, COLUMN)), self.row_sums.name, Transfer.VECTOR),
        )

    def _finish(self) -> tuple[Node, ...]:
        if self.tile.tiles:
            keep = Store(BufferRef("finished", (ROW, COLUMN)), self.sums.name, Transfer.VECTOR)
            row = Sym("finished_row")
            take = Load(self.acc.name, BufferRef("finished", (row + ROW, COLUMN)), Transfer.VECTOR)
            inside = (Let("row0", Sym("tile_row") + row), take, *self.epilogue.nodes())
            return (keep, Loop(row.name, Const(0), Const(self.tile.m), inside, step=_FINISHED_ROWS))
        lowered: tuple[Node, ...] = ()
        if self.raised:
            off = Binary(BinaryFn.MUL, Operand(0), Constant(float(-_RAISED)))
            take = Load(self.row_sum.name, BufferRef("sums_of_rows", (ROW, Const(0))), Transfer.BROADCAST)
            expr = Binary(BinaryFn.ADD, Accumulator(0), off)
            lowered = (take, Compute(self.sums.name, expr, DType.INT32, (self.sums.name,), (self.row_sum.name,)))
        return (*lowered, Let("row0", Sym("tile_row")), *self.epilogue.nodes())

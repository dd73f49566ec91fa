# SPDX-License-Identifier: MIT
"""The schedule of products of a few rows on a GPU: lanes go along the reduction, so that weights are read once, in whole runs.

A block takes some columns of the result and all of the reduction, which its warps share step by step. In a warp some lanes lie side by
side along k, a run of 16 bytes of each row apiece, and groups of them take columns of their own; every lane multiplies what it loads of a
column by the same places of each row, and keeps a sum for each row and column. Weights move in runs along k, or along columns where they
lie so. At the end lanes add up theirs, warps leave what they have in shared
memory, and after a barrier each warp adds up and stores whole rows.

Memory is what such a product waits for, so there is no ring: enough warps, and some steps in a row, keep enough loads on the way. What
lies beyond the last column, or the last row, is read again from there and never stored.
"""

from __future__ import annotations

import math

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import BinaryFn, Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.few_row_rules import needed_registers, registers_of_thread
from tracea_core.semantic.build.computed import MULTIPLY_ADD, computed
from tracea_core.semantic.build.multistage_lanes import projection
from tracea_core.semantic.build.raster import COLUMN0, ROW0, Raster
from tracea_core.semantic.contraction import Contraction, I, J, Term
from tracea_core.semantic.fragment import FragmentLayout
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
    symbols,
)
from tracea_core.semantic.kernel import (
    Actor,
    Buffer,
    Fragment,
    Launch,
    Lifetime,
    Parameter,
    Role,
    SemanticKernel,
    Space,
    Symbol,
)
from tracea_core.semantic.lanes_base import Bits, bits, log2
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.row_steps import Fold
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    Access,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Scope,
    Store,
    Transfer,
)
from tracea_core.target import CapabilityProfile

WARP = Sym("warp")
_STEP, _TURN = Sym("step"), Sym("turn")
_WHOLE = Sym("whole_steps")
_RUN_BYTES = 16
_LARGEST = (1 << 31) - 1
_FOUND = "found"
"""What each warp has found, in shared memory."""


def few_rows_kernel(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `contraction` by lanes that go along its reduction.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows and ``tile_n`` columns for each block, steps of ``tile_k`` for each of ``warps`` warps, of which a lane takes
        ``vector_a`` neighbours, ``unroll_k`` steps in a row. Of weights ``vector_b`` move together, along k no more than of rows.

    Raises
    ------
    ConfigurationError
        If operands do not run along a single reduction, lanes do not divide the tile, or registers do not suffice.
    """
    return FewRows(contraction, configuration, profile).kernel(variant, name)


class FewRows:
    """Builds one kernel; see `few_rows_kernel`."""

    def __init__(self, contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.c, self.config, self.profile = contraction, configuration, profile
        self.rows, self.run = configuration.tile_m, configuration.vector_a
        fault = self._fault()
        if fault:
            raise ConfigurationError(f"products of a few rows: {fault}", configuration=configuration.describe())
        self.raster = Raster(contraction, configuration)
        self.k = contraction.k_axes[0]
        lanes, columns, dtype = profile.lanes, configuration.tile_n, contraction.compute
        self.deep = configuration.tile_k // self.run
        across = lanes // self.deep
        along, beside = _doubling(self.deep, self.run, axis=1), _doubling(across, self.together, axis=0)
        each = _doubling(self.deep, 1, axis=1)  # lanes of one place of their runs
        places, near = _doubling(self.run, 1, axis=1), _doubling(self.together, 1, axis=0)
        far = _doubling(columns // (across * self.together), across * self.together, axis=0)
        tile = FragmentLayout.from_bits((columns, configuration.tile_k), along + beside, near + places + far)
        part = FragmentLayout.from_bits((columns, self.deep), each + beside, near + far)
        idle = tuple((0, 0) for _ in beside)
        self.weights, self.factors = Fragment("weights", dtype, tile), Fragment("factors", dtype, part)
        self.column_table = Fragment("column_table", DType.INT32, projection(part, 0))
        self.row = Fragment("row", dtype, FragmentLayout.from_bits((1, configuration.tile_k), along + idle, places))
        self.places = [
            Fragment(f"row{number}_{place}", dtype, FragmentLayout.from_bits((1, self.deep), each + idle, ()))
            for number in range(self.rows)
            for place in range(self.run)
        ]
        self.sums = [Fragment(f"sums{number}", dtype, part) for number in range(self.rows)]
        self.total, self.own = Fragment("total", dtype, projection(part, 0)), Fragment("own", dtype, part)
        # At the end lanes are columns; those that are left share what the warps have found of each.
        spare = lanes // columns
        shared = min(spare, configuration.warps)
        lane = _doubling(columns, 1, axis=0) + _doubling(shared, 1, axis=1) + ((0, 0),) * log2(spare // shared)
        held = _doubling(configuration.warps // shared, shared, axis=1)
        self.across = Fragment("across", dtype, FragmentLayout.from_bits((columns, configuration.warps), lane, held))
        self.sum = Fragment("sum", dtype, projection(self.across.layout, 0))
        self.once = FragmentLayout.from_bits(
            (columns, spare), _doubling(columns, 1, axis=0) + _doubling(spare, 1, axis=1), ()
        )

    def _fault(self) -> str | None:
        """Return why the schedule does not fit, or None."""
        c, config, lanes = self.c, self.config, self.profile.lanes
        if len(c.k_axes) != 1 or c.gates != 1 or c.groups is not None or c.lists is not None or c.scales is not None:
            return "there is one reduction, without gates, groups, lists or scales"
        terms = (c.a, c.b, c.out, *c.epilogue_terms)
        if (
            any(term.guard or term.hoisted for term in terms)
            or c.a.dtype is not c.compute
            or c.b.dtype is not c.compute
        ):
            return "operands are matrices of the type of the sums"
        name = c.k_axes[0].name
        if coefficient(c.a.offset, name) != Const(1) or Const(1) not in (
            coefficient(c.b.offset, name), coefficient(c.b.offset, J.name)
        ):  # fmt: skip
            return "rows run along the reduction, weights along it or along the columns"
        extents = (self.rows, config.tile_n, config.tile_k, self.run, config.warps)
        if any(extent & (extent - 1) for extent in extents):
            return "tiles, runs and warps are powers of two"
        if max(self.run, config.vector_b) * c.compute.bytes > _RUN_BYTES:
            return f"operands move in runs of up to {_RUN_BYTES} bytes"
        if self.along_k and config.vector_b > self.run:
            return "weights along the reduction move in no longer runs than rows"
        deep = config.tile_k // self.run
        if not 1 <= deep <= lanes or not lanes // deep * self.together <= config.tile_n <= lanes:
            return f"{lanes} lanes do not share {config.tile_n} columns in steps of {config.tile_k}"
        if config.warps * lanes > self.profile.max_threads_per_block or config.cluster > 1 or config.split_k > 1:
            return "a block alone adds up its columns"
        return None

    @property
    def along_k(self) -> bool:
        """Whether weights lie along the reduction, else along the columns."""
        return coefficient(self.c.b.offset, self.c.k_axes[0].name) == Const(1)

    @property
    def together(self) -> int:
        """Neighbouring columns that one access of a lane moves."""
        return 1 if self.along_k else self.config.vector_b

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel."""
        fragments = self._fragments()
        threads = self.config.warps * self.profile.lanes
        budget, needed = (count(self.config, self.profile) for count in (registers_of_thread, needed_registers))
        if needed > budget:
            raise ConfigurationError(
                f"sums, operands and addresses need {needed} registers of a thread's {budget}",
                hint="Take fewer columns, or fewer steps in a row", configuration=self.config.describe(),
            )  # fmt: skip
        plan = shared_plan(self._buffers(), ())
        role = Role(WARP.name, Actor.WARP, self.config.warps, self.profile.lanes, fragments, self._body(), budget)
        rows, columns = self.raster.counts
        return SemanticKernel(
            name=name, title=self.c.title, family="contraction", variant=variant, arch=self.profile.arch,
            configuration=self.config, parameters=self._parameters(), symbols=self._symbols(), buffers=self._buffers(),
            rings=(), roles=(role,), launch=Launch(rows * columns * self.c.items, threads, 1, plan.bytes),
        )  # fmt: skip

    def _fragments(self) -> tuple[Fragment, ...]:
        epilogue = [Fragment(_held(term), term.dtype, self.once) for term in self.c.epilogue_terms]
        return (
            self.weights, self.factors, self.column_table, self.row, *self.places, *self.sums, self.total, self.own, self.across,
            self.sum, *epilogue, Fragment("result", self.c.out.dtype, self.once),
        )  # fmt: skip

    def _buffers(self) -> tuple[Buffer, ...]:
        layout = Layout.row_major(
            ("row", self.turns * self.config.warps), ("warp", self.config.warps), ("column", self.config.tile_n)
        )
        return (Buffer(_FOUND, Space.SHARED, self.c.compute, layout, Lifetime.TILE, alignment=_RUN_BYTES),)

    def _parameters(self) -> tuple[Parameter, ...]:
        size = self.c.compute.bytes
        runs = {self.c.a.operand: self.run * size, self.c.b.operand: self.config.vector_b * size}
        return tuple(p.replace(alignment=max(p.alignment, runs.get(p.name, 1))) for p in self.c.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The contraction's symbols: distances and the depth are multiples of runs, sizes lie within 32 bits."""
        run, wide = self.run, self.config.vector_b
        moved = dict.fromkeys(symbols(self.k.extent) | symbols(self.c.a.offset), run)
        for name in symbols(self.c.b.offset) | (frozenset() if self.along_k else symbols(self.c.n)):
            moved[name] = max(moved.get(name, 1), wide)
        return tuple(
            s.replace(
                maximum=min(s.maximum, _LARGEST) if s.minimum >= 0 else s.maximum,
                multiple=math.lcm(s.multiple, moved.get(s.name, 1)),
            )
            for s in self.c.symbols
        )

    # ---- the body

    def _body(self) -> tuple[Node, ...]:
        tile = (
            *(Let(named.name, named.value) for named in self.c.item_names),
            Let("at_column", self._column(), self.column_table.name),
            *(Let(f"at_row{number}", minimum(ROW0 + number, self.c.m - 1)) for number in range(self.rows)),
            *(Fill(part.name) for part in self.sums),
            *(self._operands() if self.turns == 1 else ()),  # on their way while the reduction runs
            *self._reduce(),
            *self._left(),
            Barrier(Scope.BLOCK, "found"),
            *self._store(),
            Barrier(Scope.BLOCK, "stored"),
        )
        return self.raster.over_tiles(tile)

    def _reduce(self) -> tuple[Node, ...]:
        """Every warp its steps of the reduction; the last one of all may end within a step, and is masked."""
        warps, step = self.config.warps, self.config.tile_k
        own = (WARP - _WHOLE % warps + warps) % warps
        edge = (less(self._place(), self.k.extent),)
        return (
            Let(_WHOLE.name, self.k.extent // step),
            Loop(_STEP.name, WARP, _WHOLE, self._step(()), step=warps, unroll=self.config.unroll_k),
            Loop(_STEP.name, _WHOLE + own, ceil_div(self.k.extent, step), self._step(edge), step=warps),
        )

    def _column(self) -> Index:
        """The column of a row of weights: the last one for those beyond it, run by run."""
        if self.together == 1:
            return minimum(COLUMN0 + ROW, self.c.n - 1)
        run = minimum((COLUMN0 + ROW) // self.together, self.c.n // self.together - 1)
        return run * self.together + ROW % self.together

    def _place(self) -> Index:
        """Where in the reduction an element of a step lies."""
        return _STEP * self.config.tile_k + COLUMN

    def _step(self, guard: Guard) -> tuple[Node, ...]:
        """Load a step of all columns and rows, and multiply."""
        wide = self.config.vector_b
        nodes: list[Node] = [self._load(self.weights, self.c.b, J, Sym("at_column"), guard, wide)]
        for number in range(self.rows):
            nodes.append(self._load(self.row, self.c.a, I, Sym(f"at_row{number}"), guard, self.run))
            for place in range(self.run):
                nodes.append(Extract(f"row{number}_{place}", self.row.name, Const(0), Const(place), self.run))
        for place in range(self.run):
            nodes.append(Extract(self.factors.name, self.weights.name, Const(0), Const(place), self.run))
            for number, part in enumerate(self.sums):
                operands = (f"row{number}_{place}",)
                nodes.append(Compute(part.name, MULTIPLY_ADD, self.c.compute, (part.name, self.factors.name), operands))
        return tuple(nodes)

    def _load(self, into: Fragment, term: Term, axis: Sym, at: Index, guard: Guard, width: int) -> Load:
        source = Access(term.operand, substitute(term.offset, {axis.name: at, self.k.name: self._place()}))
        return Load(into.name, source, Transfer.GATHER, guard, width=width)

    def _left(self) -> tuple[Node, ...]:
        """Leave what a warp has found of every row and column in shared memory."""
        nodes: list[Node] = []
        for number, part in enumerate(self.sums):
            nodes += [
                Fold(self.total.name, part.name, BinaryFn.ADD),
                computed(self.own.name, Operand(0), self.c.compute, (), (self.total.name,)),
                Store(
                    BufferRef(_FOUND, (Const(number), WARP, ROW)), self.own.name, Transfer.GATHER, (less(COLUMN, 1),)
                ),
            ]
        return tuple(nodes)

    @property
    def turns(self) -> int:
        """How many rows each warp stores."""
        return -(-self.rows // self.config.warps)

    def _store(self) -> tuple[Node, ...]:
        """Every warp its rows of the block."""
        one = If((less(self._row_of_warp, self._rows_left),), self._finish())
        return (one,) if self.turns == 1 else (Loop(_TURN.name, Const(0), Const(self.turns), (one,)),)

    @property
    def _row_of_warp(self) -> Index:
        return WARP if self.turns == 1 else _TURN * self.config.warps + WARP

    @property
    def _rows_left(self) -> Index:
        """How many rows the block has."""
        return minimum(self.c.m - ROW0, self.rows)

    def _places(self) -> dict[str, Index]:
        """Where what a lane stores of a row lies."""
        return {I.name: ROW0 + self._row_of_warp, J.name: COLUMN0 + ROW}

    def _operands(self) -> tuple[Node, ...]:
        """What the epilogue reads for a row."""
        places = self._places()
        guard: Guard = (less(self._row_of_warp, self._rows_left), less(places[J.name], self.c.n), less(COLUMN, 1))
        return tuple(
            Load(_held(term), Access(term.operand, substitute(term.offset, places)), Transfer.GATHER, guard)
            for term in self.c.epilogue_terms
        )

    def _finish(self) -> tuple[Node, ...]:
        """Add up what warps have found of a row, and store what the epilogue makes of it."""
        places, held = self._places(), tuple(_held(term) for term in self.c.epilogue_terms)
        target = Access(self.c.out.operand, substitute(self.c.out.offset, places))
        inside: Guard = (less(places[J.name], self.c.n), less(COLUMN, 1))
        return (
            Load(self.across.name, BufferRef(_FOUND, (self._row_of_warp, COLUMN, ROW)), Transfer.GATHER),
            Fold(self.sum.name, self.across.name, BinaryFn.ADD),
            *(() if self.turns == 1 else self._operands()),
            computed("result", self.c.epilogue.expr, self.c.compute, (self.sum.name,), held),
            Store(target, "result", Transfer.GATHER, inside),
        )


def _held(term: Term) -> str:
    """The registers that hold an operand; languages know its pointer by the operand's own name."""
    return f"{term.operand}_held"


def _doubling(count: int, step: int, axis: int) -> Bits:
    """The (row, column) steps of the bits that count `count` places, `step` apart, along an axis."""
    return bits("column" if axis else "row", step, log2(count))

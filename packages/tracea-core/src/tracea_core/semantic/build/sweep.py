# SPDX-License-Identifier: MIT
"""The schedule of a pass over a matrix: each warp takes whole rows of a tile, its lanes runs of neighbouring columns.

A run is as long as the wider of what is read and what is written, so that a source of any alignment is read element by element (the
lanes together still cover whole lines) and written in vectors. All rows of a warp are loaded before the first is stored, which keeps
enough loads under way to fill memory. A source whose columns are contiguous is transposed (`transpose`). Parts are added in their order,
so the sums are the same in every run. The last rows come first: what the kernel before has written last, and what the next one reads
first, are then in the L2 cache.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.approximation import approximation
from tracea_core.semantic.build.auxiliary import store_auxiliaries
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.epilogue import is_integral
from tracea_core.semantic.build.multistage_lanes import WARP, projection, scalar
from tracea_core.semantic.build.narrow_transpose import is_narrow, narrow_configuration, narrow_kernel
from tracea_core.semantic.build.raster import COLUMN0, ROW0, Raster
from tracea_core.semantic.build.transpose import is_transposed, transpose_configuration, transpose_kernel
from tracea_core.semantic.contraction import I, J, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, coefficient, less, substitute, symbols
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Access, Compute, Fill, If, Let, Load, Loop, Node, Store, Transfer
from tracea_core.semantic.sweep import PART, LoweredSweep, Sweep
from tracea_core.target import CapabilityProfile

CHUNK = 16
"""Bytes of the widest access of one lane."""
_WORD = 4
_HELD, _SUM, _RESULT = "held", "total", "result"
_WARP_ROW = Sym("warp_row")
_REGISTERS = 64
"""Registers of a thread: eight blocks of 128 threads or more run at once on every GPU that has 65,536 of them."""
_UNROLLED_PARTS = 4
_ADD = Binary(BinaryFn.ADD, Accumulator(0), Accumulator(1))


def sweep_configuration(
    lowered: LoweredSweep, profile: CapabilityProfile, read_alignment: int = CHUNK, write_alignment: int = CHUNK
) -> PipelineConfig:
    """Return how a pass of these sizes runs: the widest accesses that its strides, extents and addresses allow.

    Copies keep eight rows of a warp under way, sums one: the loads of several parts are under way there. Where each element's place is
    computed, four: places take registers, and eight rows leave a processor 8 to 16 warps (H200, 64×3×224² into windows of 16×16:
    36.5 µs with eight rows of eight warps, 21.4 with four of four; into lines of pixels 28.8 and 23.7).

    Parameters
    ----------
    read_alignment, write_alignment : int
        Bytes that the addresses of the source and of the output are multiples of.
    """
    sweep, values = lowered.form, lowered.symbols
    if is_transposed(sweep, profile):
        if is_narrow(sweep):
            return narrow_configuration(sweep, values, read_alignment, write_alignment)
        return transpose_configuration(sweep, values, read_alignment, write_alignment, profile.lanes)
    read = _widest(sweep.source, sweep.n, sweep, values, read_alignment)
    write = _widest(sweep.out, sweep.n, sweep, values, write_alignment)
    if sweep.parts.extent == Const(1):
        write = max(
            min(write, 2 * _WORD // sweep.out.dtype.bytes), 1
        )  # eight bytes: wider runs read with more conflicts
        if write == 1:
            read = 1  # lanes side by side write whole lines together, which runs apart from each other would not
        decoded = coefficient(sweep.source.offset, J.name) != Const(1)
        rows, warps = (4, 4) if decoded else (8, 8)
    else:
        rows, warps = 1, 4
    return PipelineConfig(
        tile_m=rows * warps, tile_n=profile.lanes * max(read, write), tile_k=1, stages=1, warps=warps, vector_a=read,
        vector_c=write,
    )  # fmt: skip


def _widest(term: Term, extent: Index, sweep: Sweep, values: dict[str, int], alignment: int) -> int:
    """Return the longest aligned run of a term's elements, up to 16 bytes: a power of two that divides all it depends on."""
    if coefficient(term.offset, J.name) != Const(1):
        return 1
    width = max(min(CHUNK, alignment) // term.dtype.bytes, 1)
    declared = {symbol.name for symbol in sweep.symbols}
    for name in _measured(term, extent) & declared:
        while width > 1 and values[name] % width:
            width //= 2
    return width if width * term.dtype.bytes >= _WORD else 1


def _measured(term: Term, extent: Index) -> frozenset[str]:
    """What must be a multiple of a run's length: strides, and the extents at which runs are masked as a whole."""
    return symbols(term.offset) | symbols(extent) | frozenset(name for test in term.guard for name in symbols(test))


def sweep_kernel(sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile, name: str) -> SemanticKernel:
    """Return the schedule of a pass.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows by ``tile_n`` columns per block, ``warps`` warps. ``vector_a`` and ``vector_c`` are promises: so many
        elements lie together, aligned, in rows of the source and of the output.

    Raises
    ------
    ConfigurationError
        If the tile does not divide among warps and lanes, or a run is no access.
    """
    if is_transposed(sweep, profile):
        if is_narrow(sweep):
            return narrow_kernel(sweep, configuration, profile, name)
        return transpose_kernel(sweep, configuration, profile, name)
    return store_auxiliaries(_Builder(sweep, configuration, profile).kernel(name))


class _Builder:
    def __init__(self, sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.s, self.config, self.profile = sweep, configuration, profile
        config = configuration
        self.run = max(config.vector_a, config.vector_c)
        self.rows = config.tile_m // config.warps
        rules = (
            (config.tile_n == profile.lanes * self.run, f"{config.tile_n} columns are not {profile.lanes} lanes with runs of {self.run}"),
            (config.tile_m == self.rows * config.warps and not self.rows & (self.rows - 1),
             f"{config.tile_m} rows do not give {config.warps} warps a power of two each"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == config.stages == 1,
             "roles, clusters, divisions and stages are not part of this schedule"),
            (config.warps * profile.lanes <= profile.max_threads_per_block, f"{config.warps} warps are too many for a block"),
            (all(self._is_access(*run) for run in ((sweep.source, config.vector_a), (sweep.out, config.vector_c))),
             f"runs of {config.vector_a} and {config.vector_c} are no accesses"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the pass does not fit: {fault}", configuration=config.describe())
        self.raster = Raster(sweep, config)
        self.layout = _rows_of_runs(self.rows, profile.lanes, self.run)
        self.copies = (
            sweep.parts.extent == Const(1) and sweep.epilogue == IDENTITY and sweep.out.dtype is sweep.source.dtype
        )

    def _is_access(self, term: Term, width: int) -> bool:
        contiguous = coefficient(term.offset, J.name) == Const(1)
        return width == 1 or (contiguous and _WORD <= width * term.dtype.bytes <= CHUNK)

    # ---- the kernel

    def kernel(self, name: str) -> SemanticKernel:
        s, config = self.s, self.config
        rows, columns = self.raster.counts
        threads = config.warps * self.profile.lanes
        role = Role(
            WARP.name, Actor.WARP, config.warps, self.profile.lanes, self._fragments(), self._body(), _REGISTERS
        )
        return SemanticKernel(
            name=name, title=s.title, family="contraction", variant="sweep", arch=self.profile.arch, configuration=config,
            parameters=self._parameters(), symbols=self._symbols(), buffers=(), rings=(), roles=(role,),
            launch=Launch(rows * columns * s.items, threads),
        )  # fmt: skip

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = {self.s.source.operand: self.config.vector_a, self.s.out.operand: self.config.vector_c}
        return tuple(p.replace(alignment=p.dtype.bytes * needed.get(p.name, 1)) for p in self.s.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The pass's symbols: multiples of the runs that follow them, sizes within 32 bits."""
        multiples: dict[str, int] = {}
        for term, width in ((self.s.source, self.config.vector_a), (self.s.out, self.config.vector_c)):
            for name in _measured(term, self.s.n):
                multiples[name] = max(multiples.get(name, 1), width)
        return tuple(
            s.replace(
                maximum=min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 else s.maximum,
                multiple=max(s.multiple, multiples.get(s.name, 1)),
            )
            for s in self.s.symbols
        )

    def _fragments(self) -> tuple[Fragment, ...]:
        found = [Fragment(_HELD, self.s.source.dtype, self.layout)]
        if not self.copies:
            found += [Fragment(_SUM, self.s.compute, self.layout), Fragment(_RESULT, self.s.out.dtype, self.layout)]
        found += [Fragment(_operand(term), term.dtype, self._operand_layout(term)) for term in self.s.epilogue_terms]
        return tuple(found)

    # ---- the body

    def _body(self) -> tuple[Node, ...]:
        ends = (self.s.n, *(self.s.ends or ()))
        inside = (
            less(_WARP_ROW + (self.rows - 1), self.s.m),
            *(less(COLUMN0 + (self.config.tile_n - 1), end) for end in ends),
        )
        finish = If(inside, self._rows(edge=False), self._rows(edge=True))
        first = (Sym("tile_rows") - 1) * self.config.tile_m - ROW0
        return self.raster.over_tiles((Let(_WARP_ROW.name, first + WARP * self.rows), finish))

    def _rows(self, edge: bool) -> tuple[Node, ...]:
        """The warp's rows; at an edge, what lies beyond the source reads as zero and what lies beyond the output is left."""
        guard: Guard = (less(self._places[I.name], self.s.m), less(self._places[J.name], self.s.n)) if edge else ()
        gaps = edge or self.s.ends is None
        ends: Guard = replace_symbols(self.s.source.guard, self._places) if gaps else ()
        source = Access(self.s.source.operand, substitute(self.s.source.offset, self._places))
        load = Load(_HELD, source, Transfer.GATHER, (*guard, *ends), width=self.config.vector_a)
        target = Access(self.s.out.operand, substitute(self.s.out.offset, self._places))
        if self.copies:
            return load, Store(target, _HELD, Transfer.GATHER, guard, self.config.vector_c)
        add = Compute(_SUM, _ADD, self.s.compute, (_SUM, _HELD))
        parts = Loop(PART, Const(0), self.s.parts.extent, (load, add), unroll=_UNROLLED_PARTS)
        store = Store(target, _RESULT, Transfer.GATHER, guard, self.config.vector_c)
        return (Fill(_SUM), parts, *self._loads(guard), self._evaluate(), store)

    @property
    def _places(self) -> dict[str, Index]:
        return {I.name: _WARP_ROW + ROW, J.name: COLUMN0 + COLUMN}

    def _loads(self, guard: Guard) -> list[Node]:
        nodes: list[Node] = []
        for term in self.s.epilogue_terms:
            tall, wide = self._operand_layout(term).shape
            used = tuple(
                test for test, kept in zip(guard, (I.name in symbols(term.offset), wide > 1), strict=False) if kept
            )
            kind = Transfer.GATHER if tall > 1 or wide > 1 else Transfer.BROADCAST
            nodes.append(Load(_operand(term), Access(term.operand, substitute(term.offset, self._places)), kind, used))
        return nodes

    def _evaluate(self) -> Compute:
        s = self.s
        exact = s.out.dtype is s.compute and not s.epilogue_terms and is_integral(s.epilogue.expr)
        dtype = s.compute if s.compute.is_float or exact else DType.FP32
        approximate = approximation(s.epilogue.expr, s.out.dtype)
        operands = tuple(_operand(term) for term in s.epilogue_terms)
        return computed(_RESULT, s.epilogue.expr, dtype, (_SUM,), operands, approximate)

    def _operand_layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if J.name in used:
            return self.layout if I.name in used else projection(self.layout, 1)
        return projection(self.layout, 0) if I.name in used else scalar(self.profile.lanes)


def _operand(term: Term) -> str:
    return f"{term.operand}_held"


def _rows_of_runs(rows: int, lanes: int, run: int) -> FragmentLayout:
    """Rows of a warp: a lane's low registers are a run of columns, lanes follow each other along the row."""
    lane = tuple((0, run << bit) for bit in range(lanes.bit_length() - 1))
    within = tuple((0, 1 << bit) for bit in range(run.bit_length() - 1))
    below = tuple((1 << bit, 0) for bit in range(rows.bit_length() - 1))
    return FragmentLayout.from_bits((rows, lanes * run), lane, within + below)

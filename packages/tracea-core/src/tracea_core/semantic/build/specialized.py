# SPDX-License-Identifier: MIT
"""The Hopper schedule: persistent blocks in which one warpgroup loads and the others multiply.

A single thread of the producer warpgroup brings boxes of A and B into a ring of shared-memory slots; each consumer
warpgroup multiplies 64-row pieces of the tile straight from those slots and keeps its accumulators through the whole
reduction. The ring carries over from one tile to the next, so loads for the next tile run during the epilogue of this
one. Blocks of a cluster load each other's shares of what they both need. Consumers share the rows of a tile, or take turns with
tiles of their own (`tracea_core.semantic.build.turns`).

Who waits for what is derived in `tracea_core.semantic.phases`; prologue and drain are peeled from staged steps.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE, MAX_STRIDE_BYTES, BoxTile
from tracea_core.semantic.build.chunks import widths
from tracea_core.semantic.build.fetched_boxes import fetched_boxes, stride_bytes
from tracea_core.semantic.build.gradient_tile import ElementTile
from tracea_core.semantic.build.lane_rows import reads_rows_by_lanes
from tracea_core.semantic.build.pixel_tile import load_places, operand_tiles, steps_of, used_reciprocals
from tracea_core.semantic.build.raster import COLUMN0, ROW0, SPLIT_RANK, Raster
from tracea_core.semantic.build.returning import way_along_k
from tracea_core.semantic.build.scale_boxes import ScaleBox, scale_boxes
from tracea_core.semantic.build.specialized_limits import (
    INSTRUCTION_BYTES,
    WARPGROUP,
    register_split,
    specialized_fault,
)
from tracea_core.semantic.build.step_scales import SCALED_SUM, StepScales
from tracea_core.semantic.build.store_tile import ROWS, SUM, StoreTile
from tracea_core.semantic.build.turns import INSTANCES, first_skip, with_turns
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import (
    Const,
    Guard,
    Index,
    Sym,
    at_least,
    ceil_div,
    coefficient,
    equal,
    less,
    minimum,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Parameter, Ring, Role, SemanticKernel, Symbol
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.phases import PhaseTransition, arrivals, retirement, sharers
from tracea_core.semantic.quotient import reciprocal_symbols
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    Advance,
    AsyncKind,
    AsyncMma,
    Commit,
    Compute,
    Expect,
    Fetch,
    Fill,
    If,
    Let,
    Loop,
    Multicast,
    Node,
    Release,
    Side,
    Staged,
    Wait,
)
from tracea_core.target import CapabilityProfile

RING, SLOT = "stage", Sym("stage_slot")
PRODUCER, CONSUMER = "producer", "consumer"
_NEVER = less(Const(0), Const(0))
_TAKING_TURNS = 32
"""Registers of a consumer for what the next of its tiles needs."""
_BESIDE_TILES = 1280
"""Bytes of shared memory that barriers, and tiles that start at multiples of 1024, take at most beside the tiles."""
_TOGETHER = 4
"""Tiles across that read an operand at the same time. On an H200 whose L2 cache was full of written lines, products of few rows took 7 to
11 % less, 512×512×65536 3 %, and 8191×127×4099 3 %, since lines that nobody reads again made room before those did."""
_LITTLE = 16
"""What share of an operand results may be for that. There 200704×128×256 took 49.5 µs with such lines, 46.5 without, 50176×512×128 25.1 and
24.5, for a reason not known."""
_WORKING = 48
"""Registers of a consumer that addresses, phases and one chunk of the epilogue take together."""


def specialized_kernel(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the warp-specialized schedule of `contraction`.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` by ``tile_n`` per block (per consumer where they take turns), ``tile_k`` per ring slot, ``warps // 4 − 1``
        consumer warpgroups.
        ``vector_c`` says whether rows of the output are aligned to 16 bytes: then 16-bit outputs leave through the copy
        engine, else by guarded stores.

    Raises
    ------
    ConfigurationError
        With the reason of `specialized_fault`, or if shared memory does not suffice.
    """
    fault = specialized_fault(contraction, configuration, profile)
    if fault:
        raise ConfigurationError(
            f"the warp-specialized schedule does not fit: {fault}", configuration=configuration.describe()
        )
    return _Builder(contraction, configuration, profile).kernel(variant, name)


class _Builder:
    def __init__(self, contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.c, self.config, self.profile = contraction, configuration, profile
        c, config = contraction, configuration
        self.consumers = config.warps // 4 - 1
        self.turns = config.barrier_mode is BarrierMode.PING_PONG
        self.sharing = 1 if self.turns else self.consumers
        self.atoms = config.tile_m // (ROWS * self.sharing)
        self.held = self.atoms * c.gates * config.tile_n // 2 * (2 if config.block_k else 1)
        self.registers = register_split(self.consumers, profile, self.held if self.turns else 0)
        self.k_step = INSTRUCTION_BYTES // c.a.dtype.bytes
        family = "wgmma_ra" if reads_rows_by_lanes(c) else "wgmma"
        self.instruction = instruction(f"{family}_m64n{config.tile_n}k{self.k_step}_{c.a.dtype.value}")
        self.raster = Raster(c, config)
        rows = Multicast(config.cluster_n, 1)
        columns = Multicast(config.cluster_m, config.cluster_n)
        self.groups = tuple(group for group in (rows, columns) if group.count > 1)
        self.a, self.b = operand_tiles(c, config, rows, columns)
        if c.windows is None and c.groups is None and c.gates == 1:
            self.a.once = self._once(c.a, config.tile_n * config.cluster_n, c.n)
            self.b[0].once = self._once(c.b, config.tile_m * config.cluster_m, c.m)
        self.fetched = fetched_boxes(c, config)
        boxes = scale_boxes(c, config)
        self.scale_boxes = boxes or ()
        self.arriving: tuple[BoxTile | ScaleBox, ...] = (self.a, *self.b, *self.scale_boxes)
        self.accumulators = self._sums("acc")
        self.sums = self._sums("sum") if config.block_k else self.accumulators
        self.scales = StepScales(c, config, self.atoms, boxes) if c.scales is not None else None
        along, across = (coefficient(c.out.offset, name) for name in (I.name, J.name))
        contiguous = along is not None and Const(1) in (along, across)
        engine = contiguous and config.vector_c * c.out.dtype.bytes >= CHUNK
        engine = engine and (c.out.dtype.bytes == 2 or self._finds_room(across))
        self.store = StoreTile(
            c, config.tile_n, self.atoms, self.consumers, self.sums, engine, config.split_k, config.cluster,
            config.vector_c, self._spare(), self._room(),
        )  # fmt: skip

    def _once(self, term: Term, across: int, extent: Index) -> Guard:
        """Where few tiles across read an operand at the same time, so that it comes from memory once, and results are little beside it."""
        own = coefficient(term.offset, ITEM.name)
        found: Guard = (at_least(_TOGETHER * across, extent), at_least(self.c.k_axes[-1].extent // _LITTLE, extent))
        return found if self.c.items == Const(1) or own is None else (*found, at_least(own, 1))

    def _finds_room(self, across: Index | None) -> bool:
        """Whether rows of 32-bit results may leave through shared memory: they end with whole chunks, and the ring leaves the room."""
        c, bytes_ = self.c, self.c.out.dtype.bytes
        whole = bytes_ == 4 and across == Const(1) and not c.ragged
        staging = self.consumers * ROWS * sum(set(widths(self.config.tile_n, bytes_))) * bytes_
        return whole and self.config.split_k == 1 and c.groups is None and staging <= self._room()

    def _spare(self) -> int:
        """Registers of a consumer that neither accumulators nor a chunk of the epilogue take."""
        return self.registers[1] - self.held - (_WORKING + _TAKING_TURNS if self.turns else _WORKING)

    def _room(self) -> int:
        """Bytes of shared memory that the ring of tiles leaves."""
        ring = self.config.stages * sum(tile.bytes for tile in self.arriving)
        return self.profile.shared_bytes - ring - _BESIDE_TILES

    def _sums(self, word: str) -> list[list[Fragment]]:
        """A fragment for each piece of rows and each gate."""
        return [
            [
                Fragment(self._named(word, atom, gate), self.c.compute, self.instruction.c)
                for gate in range(self.c.gates)
            ]
            for atom in range(self.atoms)
        ]

    def _named(self, word: str, atom: int, gate: int) -> str:
        name = word if self.atoms == 1 else f"{word}{atom}"
        return name if self.c.gates == 1 else f"{name}_{gate}"

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        blocks = len(sharers(0, self.groups))
        counts = arrivals(self.sharing * self._release(0).arrivals(WARPGROUP), blocks)
        ring = Ring(
            RING, self.config.stages, tuple(tile.name for tile in self.arriving), PRODUCER, (CONSUMER,),
            sum(tile.bytes for tile in self.arriving), counts.full, counts.empty, self.groups,
        )  # fmt: skip
        buffers = (*(tile.buffer() for tile in self.arriving), *self.store.buffers())
        producer = Role(PRODUCER, Actor.WARPGROUP, 1, WARPGROUP, (), self._produce(), self.registers[0], elected=True)
        held = [*self.accumulators, *(self.sums if self.config.block_k else ())]
        fragments = [fragment for row in held for fragment in row] + self.store.fragments()
        fragments += self.scales.fragments if self.scales else ()
        fragments += self.a.fragments(self.instruction, self.atoms)
        consumer = Role(
            CONSUMER, Actor.WARPGROUP, self.consumers, WARPGROUP, tuple(fragments), self._consume(), self.registers[1]
        )
        plan = shared_plan(buffers, (ring,), self.store.meetings)
        if plan.bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"the tiles need {plan.bytes} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer stages or smaller tiles", configuration=self.config.describe(),
            )  # fmt: skip
        return SemanticKernel(
            name=name, title=self.c.title, family="contraction", variant=variant, arch=self.profile.arch,
            configuration=self.config, parameters=self._parameters(), symbols=self._symbols(), buffers=buffers,
            rings=(ring,), roles=(producer, consumer),
            launch=Launch(
                self.raster.blocks(self.profile.processors), WARPGROUP * (self.consumers + 1), self.raster.cluster, plan.bytes
            ),
        )  # fmt: skip

    def _parameters(self) -> tuple[Parameter, ...]:
        by_engine = {self.c.a.operand, self.c.b.operand, *(box.operand for box in self.fetched)}
        by_engine |= {box.term.operand for box in self.scale_boxes}
        by_engine |= {self.c.out.operand, *(t.operand for t in self.store.sent)} if self.store.engine else set()
        return tuple(
            p.replace(alignment=max(p.alignment, CHUNK if p.name in by_engine else self.store.alignment(p.name)))
            for p in self.c.parameters
        )

    def _symbols(self) -> tuple[Symbol, ...]:
        """The contraction's symbols: strides that a copy engine follows are multiples of 16 bytes, and coordinates fit 32 bits."""
        loaded = self.a.stride_symbols | self.b[0].stride_symbols
        sizes_of = stride_bytes(self.c, self.fetched) | dict.fromkeys(self.store.stride_symbols, self.c.out.dtype.bytes)
        sizes_of |= dict.fromkeys(loaded, self.c.a.dtype.bytes)
        sizes_of |= {name: box.term.dtype.bytes for box in self.scale_boxes for name in box.stride_symbols}
        sizes = {
            name
            for size in (self.c.m, self.c.n, self.c.groups or self.c.items, *(axis.extent for axis in self.c.k_axes))
            for name in symbols(size)
        }
        multiples = self.store.multiples | (self.b[0].multiples if isinstance(self.b[0], ElementTile) else {})
        gates = self._gate_multiples()
        found = []
        for symbol in self.c.symbols:
            multiple = max(symbol.multiple, multiples.get(symbol.name, 1), gates.get(symbol.name, 1))
            if symbol.name in sizes_of:
                size = sizes_of[symbol.name]
                step = CHUNK // size
                most = MAX_COORDINATE // step * step if symbol.name in sizes else MAX_STRIDE_BYTES // size - step
                symbol = symbol.replace(minimum=0, maximum=most)
                multiple = max(multiple, step)
            elif symbol.name in sizes or (self.c.windows is not None and symbol.minimum >= 0):
                symbol = symbol.replace(maximum=min(symbol.maximum, MAX_COORDINATE // multiple * multiple))
            if symbol.name == self._whole_k:
                symbol = symbol.replace(minimum=max(symbol.minimum, multiple))
            if symbol.name in self.c.divisors:
                symbol = symbol.replace(
                    minimum=max(symbol.minimum, multiple), maximum=MAX_COORDINATE // multiple * multiple
                )
            found.append(symbol.replace(multiple=multiple))
        return (*reciprocal_symbols(used_reciprocals(self.a, self.b[0])), *found)

    def _gate_multiples(self) -> dict[str, int]:
        """What symbols must be multiples of, so that boxes of a second gate, n columns further in rows of B, begin with a chunk."""
        b = self.b[0]
        if self.c.gates == 1 or not (isinstance(b, BoxTile) and b.transposed):
            return {}
        return dict.fromkeys(symbols(self.c.n), CHUNK // b.term.dtype.bytes)

    # ---- roles

    @property
    def _whole_k(self) -> str:
        """The symbol of a reduction that every block takes whole, and that has a step therefore.

        So no accumulator is ever cleared, for which the compiler would select between 0 and the sum in each register of each tile.
        Products of 16-bit types that have no step are left to other kernels.
        """
        extent = self.c.k_axes[0].extent
        plain = (
            self.config.split_k == 1
            and len(self.c.k_axes) == 1
            and self.c.windows is None
            and self.c.a.dtype.bytes == 2
        )
        return extent.name if plain and isinstance(extent, Sym) else ""

    @property
    def _range(self) -> tuple[Index, Index]:
        """The steps of the reduction that this block takes: all, or its part of them."""
        if self.config.split_k == 1:
            return Const(0), steps_of(self.c, self.config.tile_k)
        return Sym("first_step"), Sym("last_step")

    @property
    def _divided(self) -> tuple[Let, ...]:
        """The bounds of a block's part of the reduction."""
        if self.config.split_k == 1:
            return ()
        steps = steps_of(self.c, self.config.tile_k)
        each = Let("steps_each", ceil_div(steps, self.config.split_k))
        first = Let("first_step", minimum(SPLIT_RANK * Sym("steps_each"), steps))
        return each, first, Let("last_step", minimum(Sym("first_step") + Sym("steps_each"), steps))

    def _produce(self) -> tuple[Node, ...]:
        way = way_along_k(self.config, *self._range)
        before, placed, k0 = load_places(self.a, self.b[0], (ROW0, COLUMN0), way.taken, self.config.tile_k)
        loads = [*self.a.loads(RING, SLOT, ROW0, k0)]
        for gate, tile in enumerate(self.b):
            loads += tile.loads(RING, SLOT, COLUMN0 + self.c.n * gate, k0)
        loads += [box.load(RING, SLOT, way.taken) for box in self.scale_boxes]
        expected = sum(tile.bytes for tile in self.arriving)
        fill: tuple[Node, ...] = (*placed, Acquire(RING, Side.EMPTY), Expect(RING, expected), *loads, Advance(RING))
        if self.fetched:  # once all slots are full
            fetches = tuple(Fetch(box) for box in self.fetched)
            fill = (*fill, If((equal(Sym("k_step"), self.config.stages),), fetches))
        body = self.raster.over_tiles((*before, *self._divided, *way.over(fill)))
        if self.raster.cluster == 1:
            return body
        # Other blocks still arrive here after this one's last load: leave only when every slot has come back.
        drain = Loop("drained", Const(0), Const(self.config.stages), (Acquire(RING, Side.EMPTY), Advance(RING)))
        return (*body, drain)

    def _consume(self) -> tuple[Node, ...]:
        names, sums = self._names(self.accumulators), self._names(self.sums)
        retired = retirement(PhaseTransition(self.config.stages), self.config.in_flight)
        first, last = self._range
        row = Sym("first_row")
        scaled = self.scales.before(first, last, row) if self.scales else []
        start: list[Node] = self.scales.during(Sym("k_step"), last, row) if self.scales else []
        start.append(Acquire(RING, Side.FULL))
        start += [AccumulatorFence(name) for name in names]
        for inner in range(0, self.config.tile_k, self.k_step):
            start += self._multiply(inner)
        arrived = self.scales.arrived(SLOT, Sym("k_step"), self._own_row) if self.scales else []
        free = (Wait(AsyncKind.MMA, retired.pending), self._release(retired.lag), *self._put_aside())
        sweep = Loop(
            "k_step", first, last,
            (*start, Commit(AsyncKind.MMA), *arrived, *((Staged(-retired.lag, free),) if retired.lag else free), Advance(RING)),
            unroll=2 if self.scales and self.scales.in_pairs else 1,
        )  # fmt: skip
        first_row = Let("first_row", ROW0 + self._own_row)
        fills = tuple(Fill(name) for name in sums)
        empty = fills if self.config.block_k else () if self._whole_k else (If((at_least(first, last),), fills),)
        # Every path to the epilogue waits, so that the accumulators are plain registers there whatever k is.
        settled: tuple[Node, ...] = (
            (Wait(AsyncKind.MMA, 0), *(AccumulatorFence(name) for name in names)) if retired.lag else ()
        )
        before = (first_row, *self._divided, *scaled, *self.store.prefetch(), *empty)
        after = (*settled, *self.store.nodes())
        if not self.turns:
            return (*self.raster.over_tiles((*before, sweep, *after)), *self.store.finish())
        around = with_turns(CONSUMER, WARPGROUP, RING, last, before, sweep, after)
        body = self.raster.over_tiles(around, (Sym(CONSUMER), INSTANCES))
        return (first_skip(CONSUMER, RING, last), *body, *self.store.finish())

    @property
    def _own_row(self) -> Index:
        """The consumer's first row in the tile."""
        return Const(0) if self.turns else Sym(CONSUMER) * (self.atoms * ROWS)

    def _release(self, lag: int) -> Release:
        """Give a slot back: for all warps, or by each of them, if their lanes have read scales or rows in it."""
        return Release(RING, lag, by_warps=True) if self.scale_boxes or self.a.by_lanes else Release(RING, lag)

    def _names(self, rows: list[list[Fragment]]) -> list[str]:
        return [fragment.name for row in rows for fragment in row]

    def _put_aside(self) -> tuple[Node, ...]:
        """Add what a step of the reduction gave to sums that keep all bits of fp32, where its own instructions do not."""
        if not self.config.block_k:
            return ()
        nodes: list[Node] = []
        for number, (name, total) in enumerate(
            zip(self._names(self.accumulators), self._names(self.sums), strict=True)
        ):
            nodes.append(AccumulatorFence(name))  # the compiler reads the registers no earlier than here
            operands = self.scales.operands(number // self.c.gates) if self.scales else ()
            nodes.append(Compute(total, SCALED_SUM if operands else SUM, self.c.compute, (total, name), operands))
        return tuple(nodes)

    def _multiply(self, inner: int) -> list[Node]:
        """One instruction for each piece of rows and each gate; the first one of a tile, or of sums put aside, overwrites."""
        fresh: Guard = (_NEVER,) if self.config.block_k else (less(self._range[0], Sym("k_step")),)
        accumulate: Guard = () if inner else fresh
        nodes: list[Node] = []
        for atom in range(self.atoms):
            steps, a = self.a.left(SLOT, self._own_row + atom * ROWS, atom, inner)
            nodes += steps
            for gate, tile in enumerate(self.b):
                b = tile.operand(SLOT, Const(0), inner)
                accumulator = self.accumulators[atom][gate].name
                nodes.append(AsyncMma(self.instruction.name, accumulator, a, b, accumulate))
        return nodes

# SPDX-License-Identifier: MIT
"""Attention on Hopper: one warpgroup brings queries, keys and values into rings, the others multiply and hold softmax and sums.

Each consumer has 64 rows of a tile. Scores of a block of keys are started from shared memory before the weights of the block before
are multiplied by its values, straight from registers: accumulators of the first product, rounded, are the left operand of the second in
the lanes that hold them, which the layouts prove. While the matrix unit works, the softmax of the newer scores goes on (Shah et al.,
arXiv 2407.08608, section 3.2). Keys and values have rings of their own, so each is given back as soon as it was read. Blocks are
persistent; queries of the next tile come while the last values of this one are multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.policy.waves import clusters_at_once
from tracea_core.semantic.build.box_tile import MAX_COORDINATE, MAX_STRIDE_BYTES, BoxTile
from tracea_core.semantic.build.chain_parts import ChainParts
from tracea_core.semantic.build.chain_window import FIRST, ROW0, STOP, visited
from tracea_core.semantic.build.specialized_limits import INSTRUCTION_BYTES, WARPGROUP, register_split
from tracea_core.semantic.build.warp_chain_end import ChainEnd
from tracea_core.semantic.build.warpgroup_softmax import PIECE, ROWS, WARP_ROW, Weights
from tracea_core.semantic.chained import DEPTH, KEY, Chained
from tracea_core.semantic.contraction import ITEM, I, J
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import Const, Sym, ceil_div, coefficient, less, minimum
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Parameter, Ring, Role, SemanticKernel, Symbol
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.order_steps import Await, Signal
from tracea_core.semantic.phases import arrivals
from tracea_core.semantic.shared_plan import shared_plan, slot_bytes
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    Advance,
    AsyncKind,
    AsyncMma,
    Commit,
    Compute,
    Expect,
    Extract,
    Fill,
    HeldOperand,
    If,
    Let,
    Loop,
    Multicast,
    Node,
    Release,
    Side,
    Wait,
)
from tracea_core.target import CapabilityProfile

PRODUCER, CONSUMER = "producer", "consumer"
_TURN = "turn"
QUERIES, KEYS, VALUES = "query_stage", "key_stage", "value_stage"
_BESIDE_TILES = 2048
"""Bytes of shared memory that barriers, tiles that start at multiples of 1024, and a block itself take beside the tiles, at most."""
_STORED = 32
"""Columns of the result that are stored together."""
_RUN_LANES = ((0, 8), (0, 16), (1, 0), (2, 0), (4, 0), (16, 0), (32, 0))
_RUN_REGISTERS = ((0, 1), (0, 2), (0, 4), (8, 0))
"""Bits of how lanes hold such columns in runs of 16 bytes: the four lanes that share a row exchange among themselves."""
_BLOCK, _BLOCKS, _KEY_BLOCK = Sym("block"), Sym("blocks"), Sym("key_block")
_NEVER = less(Const(0), Const(0))
_ALONE = Multicast(1, 1)
_OUTSIDE = 32
"""Registers of a consumer for addresses, phases, and what is held once for each row."""


def specialized_chain_fault(form: Chained, config: PipelineConfig, instruction_name: str) -> str | None:
    """Return why this schedule cannot run `form`, or None if it can."""
    operand = instruction(instruction_name).operand
    types = {form.left.dtype, form.middle.dtype, form.right.dtype}
    consumers = config.warps // 4 - 1
    rules = (
        (form.softmax, "there is no softmax between the products"),
        (types == {operand} and operand.bytes == 2, f"the types are not all {operand.value}, of 16 bits"),
        (form.compute is operand.accumulator, f"sums are {form.compute.value}, not {operand.accumulator.value}"),
        (config.barrier_mode is not BarrierMode.NONE, "producers and consumers are roles of their own"),
        (config.barrier_mode is not BarrierMode.PING_PONG or consumers > 1, "a single consumer takes no turns"),
        (config.cluster == 1, "blocks share no loads"),
        (config.split_k == 1 or config.barrier_mode is not BarrierMode.PING_PONG, "consumers that wait for their turn do not divide keys"),
        (config.stages > 1, "values are awaited while those of the block before are still read: one slot does not suffice"),
        (config.order in (Order.ROW, Order.SERPENTINE), f"tiles run row by row, or back and forth, not {config.order.value}"),
        (config.warps % 4 == 0 and consumers in (1, 2, 3), f"{config.warps} warps are no producer and 1 to 3 consumers"),
        (config.tile_m == ROWS * consumers, f"{consumers} consumers have {ROWS * consumers} rows, not {config.tile_m}"),
        (config.tile_n % 16 == 0 and 16 <= config.tile_n <= 256, f"{config.tile_n} keys are no multiple of 16 up to 256"),
        (config.tile_k % 64 == 0 and config.tile_k <= 256, f"{config.tile_k} columns are no multiple of 64 up to 256"),
    )  # fmt: skip
    return next((reason for holds, reason in rules if not holds), None)


def specialized_chain_kernel(
    form: Chained, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str, instruction_name: str
) -> SemanticKernel:  # fmt: skip
    """Return the schedule of `form` on a device with copy engines and warpgroup instructions.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows of a block, 64 for each consumer; ``tile_n`` keys at a time; ``tile_k`` columns that q, k and v have at most;
        ``stages`` slots of keys, and of values; ``order`` by rows or back and forth. With ping-pong consumers start their products
        in turn, so that one's softmax goes on while another's are multiplied. ``split_k`` blocks of a cluster divide the keys.
        ``vector_c``: so many elements of the output lie together, aligned.

    Raises
    ------
    ConfigurationError
        With the reason of `specialized_chain_fault`, or if registers or shared memory do not suffice.
    """
    fault = specialized_chain_fault(form, configuration, instruction_name)
    if fault:
        raise ConfigurationError(f"the schedule does not fit: {fault}", configuration=configuration.describe())
    return _Builder(form, configuration, profile, instruction_name).kernel(variant, name)


class _Builder:
    def __init__(
        self, form: Chained, config: PipelineConfig, profile: CapabilityProfile, instruction_name: str
    ) -> None:
        self.f, self.config, self.profile = form, config, profile
        self.consumers = config.warps // 4 - 1
        self.rows, self.keys, self.depth = config.tile_m, config.tile_n, config.tile_k
        operand = instruction(instruction_name).operand
        self.k = INSTRUCTION_BYTES // operand.bytes
        shape = f"k{self.k}_{operand.value}"
        self.first = instruction(f"wgmma_m64n{self.keys}{shape}")
        self.second = instruction(f"wgmma_ra_m64n{self.depth}{shape}")
        self.weights = Weights(form, self.keys, self.first.operand)
        self.parts = ChainParts(form, config, self.weights, self.depth, self.consumers)
        chunks = (
            self.parts.count == 1
            and form.out.dtype.bytes == 2
            and config.vector_c * form.out.dtype.bytes >= CHUNK
            and coefficient(form.out.offset, J.name) == Const(1)
        )
        runs = FragmentLayout.from_bits((ROWS, _STORED), _RUN_LANES, _RUN_REGISTERS) if chunks else None
        stored = instruction(f"wgmma_m64n{_STORED if chunks else PIECE}{shape}")
        self.gathered = instruction(f"wgmma_m64n{PIECE * self.parts.count}{shape}")
        columns = range(self.depth // stored.n if self.parts.count == 1 else self.parts.own)
        self.end = ChainEnd(
            form, stored, range(1), columns, config.vector_c, runs, self.parts.column, self.parts.count > 1
        )
        self.together = 2 if self.consumers == 1 else 1
        self.q, self.k_tile, self.v = self._tiles(1)
        room = profile.shared_bytes // self.together - _BESIDE_TILES - sum(map(slot_bytes, self.parts.buffers()))
        if self.q.bytes * 2 + (self.k_tile.bytes + self.v.bytes) * config.stages <= room:
            self.q, self.k_tile, self.v = self._tiles(2)
        elif self.q.bytes + (self.k_tile.bytes + self.v.bytes) * config.stages > room:
            self.together = 1
        self.registers = register_split(self.consumers, profile.replace(
            registers_per_processor=profile.registers_per_processor // self.together
        ))  # fmt: skip

    def _tiles(self, slots: int) -> tuple[BoxTile, BoxTile, BoxTile]:
        """Queries, in so many slots, and keys along their columns; values, whose columns are the result's, along those."""
        f, stages, heads = self.f, self.config.stages, Sym("heads")
        sequence = (Sym("sequence"), f.items // heads)
        own, shared = ((Sym("head"), heads), sequence), ((Sym("kv_head"), heads // Sym("group")), sequence)
        rest = (_ALONE, Const(0))
        return (
            BoxTile("q_tile", slots, f.left, I, f.m, DEPTH.name, f.k, f.items, self.rows, self.depth, *rest, own),
            BoxTile(
                "k_tile", stages, f.middle, KEY, f.keys, DEPTH.name, f.k, f.items, self.keys, self.depth, *rest, shared
            ),
            BoxTile("v_tile", stages, f.right, J, f.n, KEY.name, f.keys, f.items, self.depth, self.keys, *rest, shared),
        )

    # ---- declarations

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the whole kernel, if memory and registers suffice."""
        tiles = ((QUERIES, self.q), (KEYS, self.k_tile), (VALUES, self.v))
        counts = arrivals(self.consumers, 1)
        rings = tuple(
            Ring(ring, tile.slots, (tile.name,), PRODUCER, (CONSUMER,), tile.bytes, counts.full, counts.empty)
            for ring, tile in tiles
        )
        buffers = (*(tile.buffer() for _, tile in tiles), *self.parts.buffers())
        plan = shared_plan(buffers, rings, self.parts.meetings)
        if plan.bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"the tiles need {plan.bytes} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer stages or smaller tiles", configuration=self.config.describe(),
            )  # fmt: skip
        held = (self.keys + self.depth) // 2 + self.keys // 4 + self.weights.bias.registers + self._window_registers
        if held + _OUTSIDE > self.registers[1]:
            raise ConfigurationError(
                f"scores, weights and sums take {held} of a thread's {self.registers[1]} registers",
                hint="Choose fewer keys at a time, or fewer consumers", configuration=self.config.describe(),
            )  # fmt: skip
        producer = Role(PRODUCER, Actor.WARPGROUP, 1, WARPGROUP, (), self._produce(), self.registers[0], elected=True)
        consumer = Role(
            CONSUMER, Actor.WARPGROUP, self.consumers, WARPGROUP, self._fragments(), self._consume(), self.registers[1]
        )
        split = self.config.split_k
        at_once = clusters_at_once(self.profile.processors * self.together, split)
        blocks = minimum(ceil_div(self.f.m, self.rows) * self.f.items, at_once) * split
        together = self.together if self.together > 1 else msgspec.UNSET
        return SemanticKernel(
            name=name, title=self.f.title, family="chained", variant=variant, arch=self.profile.arch, configuration=self.config,
            parameters=self._parameters(), symbols=self._symbols(), buffers=buffers, rings=rings, roles=(producer, consumer),
            launch=Launch(blocks, WARPGROUP * (self.consumers + 1), split, plan.bytes, together=together),
        )  # fmt: skip

    @property
    def _window_registers(self) -> int:
        """What the ends of windows take beside a mask in memory; `_OUTSIDE` has room for them without one."""
        window = self.f.window
        return (8 * (window.right is not None) + 16 * (window.left is not None)) if self.f.added else 0

    def _fragments(self) -> tuple[Fragment, ...]:
        wide = self.f.compute
        found = [
            Fragment("score", wide, self.first.c),
            Fragment("sum", wide, self.second.c),
            *self.weights.fragments(self.first.c),
            *(Fragment(f"sum0_{j}", wide, self.end.lanes.c) for j in self.end.columns),
            *self.parts.fragments(self.end.lanes.c, self.gathered.c),
        ]
        return (*found, *self.end.fragments())

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = dict.fromkeys((tile.term.operand for tile in (self.q, self.k_tile, self.v)), CHUNK)
        needed[self.f.out.operand] = self.end.alignment
        return tuple(p.replace(alignment=max(p.alignment, needed.get(p.name, 1))) for p in self.f.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols: strides as a copy engine follows them, columns no more than the tile's, sizes within 32 bits."""
        strides = frozenset[str]().union(*(tile.stride_symbols for tile in (self.q, self.k_tile, self.v)))
        columns = {extent.name for extent in (self.f.k, self.f.n) if isinstance(extent, Sym)}
        size = self.first.operand.bytes
        found = []
        for s in self.f.symbols:
            multiple = max(s.multiple, self.end.multiples().get(s.name, 1))
            if s.name in strides:
                step = CHUNK // size
                multiple = max(multiple, step)
                s = s.replace(minimum=0, maximum=MAX_STRIDE_BYTES // size - step)
            else:
                most = self.depth if s.name in columns else MAX_COORDINATE if s.minimum >= 0 else s.maximum
                s = s.replace(maximum=min(s.maximum, most) // multiple * multiple)
            found.append(s.replace(multiple=multiple))
        return tuple(found)

    # ---- roles

    def _over_tiles(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        """Run `body` for each tile of this block; tiles of one matrix follow each other, those that see most keys first.

        Back and forth, a block that had a tile of many keys in one round has one of few in the next.
        """
        rows, tile, round_ = Sym("row_tiles"), Sym("tile"), Sym("round")
        tiles, last = rows * self.f.items, self.f.window.right is not None
        place = tile % rows
        inside = (
            Let("row0", (rows - 1 - place if last else place) * self.rows),
            Let(ITEM.name, tile // rows),
            *(Let(named.name, named.value) for named in self.f.item_names),
            Let("diagonal", self.f.keys - self.f.m),
            *self.parts.visited(visited(self.f, self.rows, self.keys)),
            *body,
        )
        split = self.config.split_k
        own, all_ = (_BLOCK, _BLOCKS) if split == 1 else (_BLOCK // split, _BLOCKS // split)
        if self.config.order is Order.SERPENTINE:
            turn = own + round_ % 2 * (all_ - 1 - own * 2)
            rounds, inside = ceil_div(tiles, all_), (If((less(tile, tiles),), inside),)
        else:
            turn, rounds = own, (tiles - own + (all_ - 1)) // all_
        taken = Let("tile", round_ * all_ + turn)
        return (Let("row_tiles", ceil_div(self.f.m, self.rows)), Loop("round", Const(0), rounds, (taken, *inside)))

    def _produce(self) -> tuple[Node, ...]:
        key0 = _KEY_BLOCK * self.keys
        blocks = (
            *_fill(KEYS, self.k_tile.bytes, self.k_tile.loads(KEYS, Sym(f"{KEYS}_slot"), key0, Const(0))),
            *_fill(VALUES, self.v.bytes, self.v.loads(VALUES, Sym(f"{VALUES}_slot"), Const(0), key0)),
        )
        queries = _fill(QUERIES, self.q.bytes, self.q.loads(QUERIES, Sym(f"{QUERIES}_slot"), ROW0, Const(0)))
        return self._over_tiles((*queries, Loop(_KEY_BLOCK.name, FIRST, STOP, blocks)))

    def _consume(self) -> tuple[Node, ...]:
        some = (less(FIRST, STOP),)
        await_turn, pass_on, first_turn, last_turn = self._turns()
        steady = (
            *await_turn, *self._start_scores(), Commit(AsyncKind.MMA), *self._start_sums(), Commit(AsyncKind.MMA), *pass_on,
            Advance(VALUES), *self.weights.asked(_KEY_BLOCK, first=False),
            Wait(AsyncKind.MMA, 1), *self._scores_arrived(), *self.weights.steps(_KEY_BLOCK, first=False), *self._values_here(),
            Wait(AsyncKind.MMA, 0), *self._sums_arrived(), self.weights.rounded(),
            Compute("sum", Binary(BinaryFn.MUL, Accumulator(0), Operand(0)), self.f.compute, ("sum",), ("correction",)),
        )  # fmt: skip
        begin = (
            *self._start_scores(), Commit(AsyncKind.MMA), *self.weights.asked(FIRST, first=True), Wait(AsyncKind.MMA, 0),
            *self._scores_arrived(), *self.weights.steps(FIRST, first=True), *self._values_here(), self.weights.rounded(),
        )  # fmt: skip
        last = (
            *self._start_sums(), Commit(AsyncKind.MMA), Advance(VALUES), Wait(AsyncKind.MMA, 0), *self._sums_arrived(),
        )  # fmt: skip
        all_columns = tuple(
            Extract(f"sum0_{j}", "sum", Const(0), Const(j * self.end.lanes.n)) for j in self.end.columns
        )
        tiles = self._over_tiles((
            Let(WARP_ROW.name, ROW0 + Sym(CONSUMER) * ROWS),
            Fill("sum"), Fill("total0"), *self.parts.start(), *self.weights.bias.begin((WARP_ROW,), "found"),
            Acquire(QUERIES, Side.FULL),
            If(some, begin),
            Loop(_KEY_BLOCK.name, FIRST + 1, STOP, steady),
            Release(QUERIES), Advance(QUERIES),
            If(some, last),
            *(self.parts.nodes() if self.parts.count > 1 else all_columns), *self.end.nodes(),
        ))  # fmt: skip
        return (*first_turn, *tiles, *last_turn)

    def _turns(self) -> tuple[tuple[Node, ...], tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]]:
        """How consumers wait for their turn at the matrix unit and pass it on; who gives the first turn, and who takes the last."""
        if self.config.barrier_mode is not BarrierMode.PING_PONG:
            return (), (), (), ()
        own, count, threads = Sym(CONSUMER), self.consumers, 2 * WARPGROUP
        first = If((less(count - 2, own),), (Signal(_TURN, (own + 1) % count, threads),))
        last = If((less(own, 1),), (Await(_TURN, threads),))
        return (Await(_TURN, threads),), (Signal(_TURN, (own + 1) % count, threads),), (first,), (last,)

    # ---- one block of keys

    def _start_scores(self) -> tuple[Node, ...]:
        """Start the product of the consumer's queries and the block of keys."""
        q, k = Sym(f"{QUERIES}_slot"), Sym(f"{KEYS}_slot")
        products = (
            AsyncMma(
                self.first.name, "score", self.q.operand(q, Sym(CONSUMER) * ROWS, inner), self.k_tile.operand(k, Const(0), inner),
                () if inner else (_NEVER,),
            )
            for inner in range(0, self.depth, self.k)
        )  # fmt: skip
        return (Acquire(KEYS, Side.FULL), AccumulatorFence("score"), *products)

    def _scores_arrived(self) -> tuple[Node, ...]:
        """The compiler reads the scores no earlier than here; the keys go back."""
        return (AccumulatorFence("score"), Release(KEYS), Advance(KEYS))

    def _start_sums(self) -> tuple[Node, ...]:
        """Start the product of the last weights and their values."""
        slot = Sym(f"{VALUES}_slot")
        products = (
            AsyncMma(self.second.name, "sum", HeldOperand("weights", inner), self.v.operand(slot, Const(0), inner))
            for inner in range(0, self.keys, self.k)
        )
        return (AccumulatorFence("weights"), AccumulatorFence("sum"), *products)

    def _values_here(self) -> tuple[Node, ...]:
        """Wait for the values of the block whose weights are known now.

        Their place is behind the softmax: the assembler moves no arithmetic across a wait in a loop of its own, but all of it behind the
        wait for a matrix instruction, which then would have nothing beside it.
        """
        return (AccumulatorFence("score"), Acquire(VALUES, Side.FULL))

    def _sums_arrived(self) -> tuple[Node, ...]:
        return (AccumulatorFence("sum"), Release(VALUES, 1))


def _fill(ring: str, bytes_: int, loads: Sequence[Node]) -> tuple[Node, ...]:
    return (Acquire(ring, Side.EMPTY), Expect(ring, bytes_), *loads, Advance(ring))

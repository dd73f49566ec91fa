# SPDX-License-Identifier: MIT
"""The schedule of attention on a GPU: a block takes rows of one item, and its warps share blocks of keys that stream past them.

Each warp keeps the scores of its rows with one block of keys, the running maximum and total of the softmax, and the sums in registers
(online softmax: Milakov and Gimelshein, arXiv 1805.02867; Dao, arXiv 2307.08691). Keys and values come by copies that pass no registers,
as many blocks ahead as the ring has further slots. Weights, rounded to the operands' type, become the left operand of the second
product in the lanes that hold them as accumulators of the first: the layouts prove it. Blocks that no row of the tile sees are not
visited, and a warp masks only those on the edge of what its rows see.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
)
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.chain_window import FIRST, KEY0, ROW0, STOP, hidden, kept, visited
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.copied_tile import CopiedTile
from tracea_core.semantic.build.multistage_lanes import WARP, projection
from tracea_core.semantic.build.score_bias import ScoreBias
from tracea_core.semantic.build.warp_chain_end import ChainEnd, replaced
from tracea_core.semantic.chained import DEPTH, KEY, Chained
from tracea_core.semantic.contraction import ITEM, I, J
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Index,
    Sym,
    ceil_div,
    less,
)
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Fold, Join
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    AsyncKind,
    Barrier,
    Commit,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Loop,
    Mma,
    Node,
    Scope,
    Transfer,
    Wait,
)
from tracea_core.target import CapabilityProfile

BLOCK, WARP_ROW = Sym("block"), Sym("warp_row")
_KEYS, _INNER = Sym("key_block"), Sym("k_inner")
_EXP = UnaryFn.EXP
_UNROLL = 4


def warp_chain_fault(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, lanes: InstructionLanes
) -> str | None:
    """Return why this schedule cannot run `form`, or None if it can."""
    if lanes.a is None or lanes.b is None or lanes.operand.bytes != 2 or not profile.has("ldmatrix"):
        return f"{lanes.name} does not take 16-bit operands that a warp moves as 8x8 matrices"
    halves = FragmentLayout.from_bits(*_halves(lanes)) if (lanes.m, lanes.n, lanes.k) == (16, 8, 16) else None
    types = {form.left.dtype, form.middle.dtype, form.right.dtype}
    rules = (
        (form.softmax, "there is no softmax between the products"),
        (types == {lanes.operand} and form.compute is lanes.accumulator, f"the types are not those of {lanes.name}"),
        (halves == lanes.a, f"accumulators of {lanes.name} are not its left operand side by side"),
        (config.barrier_mode is BarrierMode.NONE and config.split_k == config.cluster == 1, "one role, no clusters, no split_k"),
        (config.tile_m % (config.warps * lanes.m) == 0, f"{config.warps} warps do not divide {config.tile_m} rows by {lanes.m}"),
        (config.tile_n % lanes.k == 0, f"{config.tile_n} keys are no multiple of {lanes.k}"),
        (config.tile_k % lanes.k == 0, f"{config.tile_k} columns are no multiple of {lanes.k}"),
        (config.stages > 1, "there is no slot to copy ahead into"),
    )  # fmt: skip
    return next((reason for holds, reason in rules if not holds), None)


def _halves(
    lanes: InstructionLanes,
) -> tuple[tuple[int, int], tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Shape and bits of two accumulators side by side."""
    lane = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
    return (lanes.m, 2 * lanes.n), lane, ((0, 1), (8, 0), (0, lanes.n))


def warp_chain_kernel(
    form: Chained, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str, instruction_name: str
) -> SemanticKernel:  # fmt: skip
    """Return the schedule of `form` on a GPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows of a block, ``tile_n`` keys at a time, ``tile_k`` columns that q, k and v have at most, ``stages`` blocks of
        keys in shared memory. ``vector_a`` (q and k), ``vector_b`` (v) and ``vector_c`` (out) are promises: so many elements lie
        together, aligned.

    Raises
    ------
    ConfigurationError
        With the reason of `warp_chain_fault`, or if registers or shared memory do not suffice.
    """
    lanes = instruction(instruction_name)
    fault = warp_chain_fault(form, configuration, profile, lanes)
    if fault:
        raise ConfigurationError(f"the schedule does not fit: {fault}", configuration=configuration.describe())
    return WarpChain(form, configuration, profile, lanes).kernel(variant, name)


class WarpChain:
    """Builds the schedule; `tracea_core.semantic.build.staged_chain` brings tiles and operands in another way."""

    def __init__(
        self, form: Chained, config: PipelineConfig, profile: CapabilityProfile, lanes: InstructionLanes
    ) -> None:
        self.f, self.config, self.profile, self.lanes = form, config, profile, lanes
        self.rows, self.keys, self.depth = config.tile_m, config.tile_n, config.tile_k
        self.own_rows = self.rows // config.warps
        self.parts = range(self.own_rows // lanes.m)
        self.score_columns, self.sum_columns = range(self.keys // lanes.n), range(self.depth // lanes.n)
        self.end = ChainEnd(form, lanes, self.parts, self.sum_columns, config.vector_c)
        self.before, self.behind = kept(form.between)
        self.bias = ScoreBias(form, lanes.c, lanes.lanes)
        self._bring()

    def _bring(self) -> None:
        """Make the tiles: here by copies that pass no registers."""
        form, config, profile = self.f, self.config, self.profile
        tiles = ((form.left, (I, form.m), (DEPTH, form.k), self.rows, config.vector_a, 1),
                 (form.middle, (KEY, form.keys), (DEPTH, form.k), self.keys, config.vector_a, config.stages),
                 (form.right, (KEY, form.keys), (J, form.n), self.keys, config.vector_b, config.stages))  # fmt: skip
        self.q, self.k, self.v = (
            CopiedTile(f"{t.operand}_tile", t, down, along, (extent, self.depth), vector, slots, config.warps, profile)
            for t, down, along, extent, vector, slots in tiles
        )

    # ---- declarations

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the whole kernel, if memory and registers suffice."""
        buffers = self.shared_buffers()
        plan = shared_plan(buffers, ())
        if plan.bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"the tiles need {plan.bytes} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer stages or smaller tiles", configuration=self.config.describe(),
            )  # fmt: skip
        fragments, threads = self._fragments(), self.config.warps * self.profile.lanes
        budget = min(self.profile.registers_per_processor // threads, self.profile.max_registers_per_thread)
        held = [f for f in fragments if not f.name.endswith("_map")]
        needed = sum(-(-f.layout.registers * f.dtype.bytes // 4) for f in held)
        if needed > budget:
            raise ConfigurationError(
                f"fragments need {needed} registers of a thread's {budget}",
                hint="Choose fewer rows for each warp, or fewer keys at a time", configuration=self.config.describe(),
            )  # fmt: skip
        role = Role(WARP.name, Actor.WARP, self.config.warps, self.profile.lanes, fragments, self._body(), budget)
        blocks = ceil_div(self.f.m, self.rows) * self.f.items
        return SemanticKernel(
            name=name, title=self.f.title, family="chained", variant=variant, arch=self.profile.arch, configuration=self.config,
            parameters=self._parameters(), symbols=self._symbols(), buffers=buffers, rings=(), roles=(role,),
            launch=Launch(blocks, threads, 1, plan.bytes),
        )  # fmt: skip

    def shared_buffers(self) -> tuple[Buffer, ...]:
        """Return the tiles in shared memory."""
        return tuple(tile.buffer() for tile in (self.q, self.k, self.v))

    def hoists(self) -> tuple[Node, ...]:
        """Return what is worked out once for each tile of rows."""
        return tuple(tile.hoisted() for tile in (self.q, self.k, self.v))

    def _fragments(self) -> tuple[Fragment, ...]:
        lanes, wide, narrow = self.lanes, self.f.compute, self.lanes.operand
        assert lanes.a is not None and lanes.b is not None
        row = projection(lanes.c, 0)
        found = [tile.map() for tile in (self.q, self.k, self.v)]
        found += [Fragment(f"sum{i}_{j}", wide, lanes.c) for i in self.parts for j in self.sum_columns]
        found += [Fragment(f"score{i}_{j}", wide, lanes.c) for i in self.parts for j in self.score_columns]
        for i in self.parts:
            found += [Fragment(f"q{i}", narrow, lanes.a), Fragment(f"weights{i}", narrow, lanes.a)]
            found += [
                Fragment(f"total{i}", wide, lanes.c),
                Fragment(f"top{i}", wide, row),
                Fragment(f"shift{i}", wide, row),
            ]
        found += [Fragment("part", wide, lanes.c), Fragment("found", wide, row), Fragment("correction", wide, row)]
        found += [Fragment("pair", narrow, lanes.b.repeat(columns=2))]
        found += [Fragment(f"{side}_half", narrow, lanes.b) for side in ("left", "right")]
        found += [Fragment(f"{side}_weights", narrow, lanes.c) for side in ("left", "right")]
        return (*found, *self.bias.fragments(), *self.end.fragments())

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = {tile.term.operand: tile.alignment for tile in (self.q, self.k, self.v)}
        needed[self.f.out.operand] = self.end.alignment
        return tuple(p.replace(alignment=max(p.alignment, needed.get(p.name, 1))) for p in self.f.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols: multiples of the runs that follow them, columns no more than the tile's, sizes within 32 bits."""
        needed: dict[str, int] = {}
        for multiples in (self.end.multiples(), *(tile.multiples() for tile in (self.q, self.k, self.v))):
            for name, value in multiples.items():
                needed[name] = max(needed.get(name, 1), value)
        columns = {extent.name for extent in (self.f.k, self.f.n) if isinstance(extent, Sym)}
        found = []
        for s in self.f.symbols:
            most = self.depth if s.name in columns else MAX_COORDINATE if s.minimum >= 0 else s.maximum
            found.append(s.replace(maximum=min(s.maximum, most), multiple=max(s.multiple, needed.get(s.name, 1))))
        return tuple(found)

    # ---- the program

    def _body(self) -> tuple[Node, ...]:
        rows, last = Sym("row_tiles"), self.f.window.right is not None
        tile = BLOCK % rows
        return (
            Let("row_tiles", ceil_div(self.f.m, self.rows)),
            Let("row0", (rows - 1 - tile if last else tile) * self.rows),  # rows that see most keys begin first
            Let(ITEM.name, BLOCK // rows),
            *(Let(named.name, named.value) for named in self.f.item_names),
            Let("warp_row", ROW0 + WARP * self.own_rows),
            Let("diagonal", self.f.keys - self.f.m),
            *visited(self.f, self.rows, self.keys),
            *self.hoists(),
            *self.bias.begin([WARP_ROW + i * self.lanes.m for i in self.parts], "found"),
            *(Fill(f"sum{i}_{j}") for i in self.parts for j in self.sum_columns),
            *(node for i in self.parts for node in (Fill(f"top{i}", self.f.compute.lowest), Fill(f"total{i}"))),
            *self._stream(),
            *self.end.nodes(),
        )

    def _stream(self) -> tuple[Node, ...]:
        """Copies run ahead by as many blocks as there are further slots; q comes with the first."""
        ahead = self.config.stages - 1
        start = self.q.copy(ROW0, None)
        for step in range(ahead):
            start = (*start, *self._copy(FIRST + step))
        body = (
            Wait(AsyncKind.COPY, ahead - 1), Barrier(Scope.BLOCK, "slot_written"), *self._copy(_KEYS + ahead),
            Let("key0", _KEYS * self.keys), *self._scores(), *self._masks(),
            *(node for i in self.parts for node in self._maximum(i)), *self._sums(),
        )  # fmt: skip
        return (*start, Loop(_KEYS.name, FIRST, STOP, body), Wait(AsyncKind.COPY, 0))

    def _copy(self, block: Index) -> tuple[Node, ...]:
        """The copies of one block of keys and values, where it is visited, closed as a group."""
        slot = block % self.config.stages
        copies = (*self.k.copy(block * self.keys, slot), *self.v.copy(block * self.keys, slot))
        return (If((less(block, STOP),), copies), Commit(AsyncKind.COPY))

    @property
    def _slot(self) -> Index:
        return _KEYS % self.config.stages

    def _scores(self) -> tuple[Node, ...]:
        """The first product, two instructions' keys at a time."""
        lanes = self.lanes
        nodes: list[Node] = [
            self.q.read(f"q{i}", WARP * self.own_rows + i * lanes.m + ROW, _INNER + COLUMN, None, Transfer.MATRIX)
            for i in self.parts
        ]
        for j in self.score_columns[::2]:
            nodes += [
                self.k.read("pair", j * lanes.n + COLUMN, _INNER + ROW, self._slot, Transfer.MATRIX), *self._halved(),
                *(Mma(lanes.name, f"score{i}_{j + s}", f"q{i}", half) for i in self.parts
                  for s, half in enumerate(("left_half", "right_half"))),
            ]  # fmt: skip
        loop = Loop(
            _INNER.name,
            Const(0),
            Const(self.depth),
            tuple(nodes),
            step=lanes.k,
            unroll=min(self.depth // lanes.k, _UNROLL),
        )
        return (*(Fill(name) for i in self.parts for name in self._row_scores(i)), loop, *self._stand_between())

    def _stand_between(self) -> tuple[Node, ...]:
        """What happens to scores before their maximum is taken, if that does not do as well: an instruction's tile at a time."""
        nodes: list[Node] = []
        for i in self.parts if self.before != Accumulator() else ():
            for j, name in zip(self.score_columns, self._row_scores(i), strict=True):
                nodes += self.bias.load(i, KEY0 + j * self.lanes.n)
                nodes.append(computed(name, self.before, self.f.compute, (name,), self.bias.names))
        return tuple(nodes)

    def _halved(self) -> tuple[Node, ...]:
        return tuple(Extract(f"{side}_half", "pair", Const(0), Const(s * self.lanes.n))
                     for s, side in enumerate(("left", "right")))  # fmt: skip

    def _row_scores(self, i: int) -> tuple[str, ...]:
        return tuple(f"score{i}_{j}" for j in self.score_columns)

    def _masks(self) -> tuple[Node, ...]:
        parts = [
            (
                WARP_ROW + i * self.lanes.m,
                [(name, j * self.lanes.n) for j, name in zip(self.score_columns, self._row_scores(i), strict=True)],
            )
            for i in self.parts
        ]
        return (hidden(self.f, WARP_ROW, self.own_rows, self.keys, parts, "found"),)

    def _between(self, score: Expr) -> Expr:
        """What stands between, of a score as it is kept."""
        return replaced(self.behind, score)

    def _maximum(self, i: int) -> tuple[Node, ...]:
        """The maximum so far, what is taken from scores, and sums and total in its terms.

        Where a row has seen nothing, 0 is taken: the lowest number less 0 has the weight 0.
        """
        compute, lowest = self.f.compute, Constant(self.f.compute.lowest)
        names, top = self._row_scores(i), Accumulator(0)
        highest: Expr = Accumulator(0)
        for place in range(1, len(names)):
            highest = Binary(BinaryFn.MAXIMUM, highest, Accumulator(place))
        shift = Select(Compare(CompareFn.EQ, top, lowest), Constant(0.0), self._between(top))
        power = Unary(_EXP, Binary(BinaryFn.SUB, self._between(Accumulator(0)), Operand(0)))
        scale = Binary(BinaryFn.MUL, Accumulator(0), Operand(0))
        return (
            Compute("part", highest, compute, names), Fold("found", "part", BinaryFn.MAXIMUM),
            Compute("found", Binary(BinaryFn.MAXIMUM, Accumulator(0), Accumulator(1)), compute, ("found", f"top{i}")),
            Compute(f"shift{i}", shift, compute, ("found",)),
            Compute("correction", power, compute, (f"top{i}",), (f"shift{i}",)),
            Compute(f"top{i}", Accumulator(0), compute, ("found",)),
            *(Compute(name, scale, compute, (name,), ("correction",))
              for name in (f"total{i}", *(f"sum{i}_{j}" for j in self.sum_columns))),
        )  # fmt: skip

    def _sums(self) -> tuple[Node, ...]:
        """The second product: weights of as many keys as an instruction takes, added to the totals as they are multiplied."""
        compute, lanes = self.f.compute, self.lanes
        weight = Unary(_EXP, Binary(BinaryFn.SUB, self._between(Accumulator(0)), Operand(0)))
        added = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.ADD, Accumulator(1), Accumulator(2)))
        halves, nodes = ("left_weights", "right_weights"), list[Node]()
        for step in range(self.keys // lanes.k):
            for i in self.parts:
                nodes += [
                    Compute(half, weight, compute, (f"score{i}_{2 * step + s}",), (f"shift{i}",), approximate=True)
                    for s, half in enumerate(halves)
                ]
                nodes += [Compute(f"total{i}", added, compute, (f"total{i}", *halves)), Join(f"weights{i}", halves)]
            for j in self.sum_columns[::2]:
                place = (step * lanes.k + ROW, j * lanes.n + COLUMN)
                nodes += [self.v.read("pair", *place, self._slot, Transfer.MATRIX_TRANSPOSED), *self._halved()]
                nodes += [
                    Mma(lanes.name, f"sum{i}_{j + s}", f"weights{i}", half)
                    for i in self.parts for s, half in enumerate(("left_half", "right_half"))
                ]  # fmt: skip
        return tuple(nodes)

# SPDX-License-Identifier: MIT
"""The schedule of a low-rank product on a GPU: out = value(middle(x·A)·B) in one kernel whose middle stays in shared memory.

A block takes rows of x. It multiplies them by A, all of whose columns fit its tile, by the main loop of the uniform schedule
(`tracea_core.semantic.build.multistage`). What stands between is applied in registers, and the middle, rounded to the operands' type, goes
to a tile in shared memory without bank conflicts. Tiles of B's columns then stream past: while one is multiplied the next is on its way,
and each ends with the epilogue of the uniform schedule. Where rows alone are too few for all processors, the columns of B are divided
among several blocks, each of which computes the middle for itself (`tracea_core.semantic.build.chain_shares`).
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.ops.epilogue import IDENTITY, Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage import STEPS, WHOLE, MultistageBuilder, fitting_instruction, warp_grid, words
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.multistage_store import WARP_COLUMN, WARP_ROW, WarpEpilogue
from tracea_core.semantic.build.multistage_tile import DEPTH as LENGTH
from tracea_core.semantic.build.multistage_tile import OperandTile
from tracea_core.semantic.build.passing_weights import PassingWeights
from tracea_core.semantic.build.raster import BLOCK, ROW0
from tracea_core.semantic.chained import DEPTH, KEY, Chained
from tracea_core.semantic.contraction import ITEM, Contraction, J, KAxis, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, ceil_div, less, minimum, substitute
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.row_steps import Mask
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import AsyncKind, Barrier, Commit, Compute, Fill, If, Let, Loop, Mma, Node, Scope, Wait
from tracea_core.target import CapabilityProfile

COLUMN_SPLITS = "column_splits"
_TILE, _FIRST, _STOP = Sym("column_tile"), Sym("first_column_tile"), Sym("stop_column_tile")
_INNER = Sym("k_inner")
_SLOTS = 2
"""Slots of B's tiles: one is multiplied while the next is on its way."""
_OUTSIDE_REGISTERS = 64
"""Registers of a thread besides fragments and the addresses of loads: counters, masks, addresses within the block."""
_MOST_SPLITS = 1 << 16
"""So that tiles are counted in 32 bits."""
_UNROLL = 8


def low_rank_fault(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, lanes: InstructionLanes
) -> str | None:
    """Return why this schedule cannot run `form`, or None if it can."""
    if lanes.a is None or lanes.b is None or lanes.opaque:
        return f"{lanes.name} does not take its operands from registers that are known"
    types, threads = {form.left.dtype, form.middle.dtype, form.right.dtype}, config.warps * profile.lanes
    grids = [warp_grid(config.replace(tile_n=wide), lanes) for wide in (config.block_k, config.tile_n) if wide]
    rules = (
        (not form.softmax, "a softmax stands between the products"),
        (types == {lanes.operand} and form.compute is lanes.accumulator, f"the types are not those of {lanes.name}"),
        (lanes.lanes == profile.lanes, f"{lanes.name} runs on {lanes.lanes} lanes, a warp of {profile.name} has {profile.lanes}"),
        (config.barrier_mode is BarrierMode.NONE and config.split_k == config.cluster == 1, "one role, no clusters, no split_k"),
        (config.block_k and not config.block_k & (config.block_k - 1) and config.block_k % lanes.k == 0,
         f"block_k {config.block_k} is no power of two and multiple of {lanes.k}"),
        (config.tile_k % lanes.k == 0 and not config.tile_k & (config.tile_k - 1),
         f"tile_k {config.tile_k} is no power of two and multiple of {lanes.k}"),
        (None not in grids, f"{config.warps} warps do not divide {config.tile_m} rows by {config.block_k} and {config.tile_n} "
         f"columns into whole {lanes.m}x{lanes.n} pieces"),
        (threads <= profile.max_threads_per_block, f"{threads} threads exceed {profile.max_threads_per_block} per block"),
    )  # fmt: skip
    return next((reason for holds, reason in rules if not holds), None)


def low_rank_kernel(
    form: Chained, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str, instruction_name: str
) -> SemanticKernel:  # fmt: skip
    """Return the schedule of `form` on a GPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows of a block; ``block_k`` columns of the middle, at least the rank; ``tile_k`` of x's columns at a time, ``stages``
        slots ahead; ``tile_n`` of B's columns at a time. ``vector_a`` (x), ``vector_b`` (A and B) and ``vector_c`` (out) are promises: so
        many elements lie together, aligned.

    Raises
    ------
    ConfigurationError
        With the reason of `low_rank_fault`, or if registers or shared memory do not suffice.
    """
    inner = configuration.replace(tile_n=min(configuration.block_k or configuration.tile_n, configuration.tile_n))
    lanes = fitting_instruction(inner, profile, instruction_name)
    fault = low_rank_fault(form, configuration, profile, lanes)
    if fault:
        raise ConfigurationError(f"the schedule does not fit: {fault}", configuration=configuration.describe())
    return _LowRank(form, configuration, profile, lanes).kernel(variant, name)


class _First(MultistageBuilder):
    """The main loop of x·A: the uniform schedule's, of one tile that holds all columns of A, and without an end of its own."""

    def __init__(
        self, form: Chained, config: PipelineConfig, profile: CapabilityProfile, lanes: InstructionLanes
    ) -> None:
        b = form.middle.replace(offset=substitute(form.middle.offset, {KEY.name: J}))
        product = _contraction(form, form.left, b, form.keys, KAxis(DEPTH.name, form.k))
        super().__init__(product, config.replace(tile_n=config.block_k, block_k=0), profile, lanes)

    def _tile(
        self, name: str, term: Term, coordinate: Sym, extent: Index, shift: Index, outer: int, vector: int, fragment: FragmentLayout
    ) -> OperandTile:  # fmt: skip
        return super()._tile(f"{term.operand}_tile", term, coordinate, extent, shift, outer, vector, fragment)

    @property
    def _placed(self) -> list[tuple[OperandTile, Index]]:
        return [(self.a, ROW0), (self.b[0], Const(0))]

    def reduce(self) -> tuple[Node, ...]:
        """Return the sums of x·A, from nothing."""
        lengths = (
            Let(LENGTH.name, self.c.k_axes[0].extent),
            Let(STEPS.name, ceil_div(LENGTH, self.config.tile_k)),
            Let(WHOLE.name, LENGTH // self.config.tile_k),
        )
        return (*lengths, *(Fill(part.name) for part in self.products.all_sums()), *self._reduce())

    def held(self) -> list[Fragment]:
        """Return the fragments of the loop."""
        tiles = [fragment for tile in self.tiles for fragment in tile.fragments()]
        return [*self.products.all_sums(), *self.products.parts(), *tiles]

    def registers(self) -> int:
        """Return the 32-bit registers of a thread that the loop takes, addresses included."""
        through = [f for tile in self.tiles if not tile.direct for f in tile.fragments()]
        parts = [*self.products.all_sums(), *self.products.parts(), *through]
        return words(parts) + sum(tile.address_registers for tile in self.tiles)


class _LowRank:
    def __init__(
        self, form: Chained, config: PipelineConfig, profile: CapabilityProfile, lanes: InstructionLanes
    ) -> None:
        self.f, self.config, self.profile, self.lanes = form, config, profile, lanes
        assert lanes.a is not None and lanes.b is not None
        self.first = _First(form, config, profile, lanes)
        self.middle = PassingWeights(lanes, config.tile_m, config.block_k, profile, "middle_tile")
        grid = warp_grid(config, lanes)
        assert grid is not None
        self.grid = grid
        self.own_rows, self.own_columns = config.tile_m // grid[0], config.tile_n // grid[1]
        rows, columns = range(self.own_rows // lanes.m), range(self.own_columns // lanes.n)
        self.product = _contraction(form, form.left, form.right, form.n, KAxis(KEY.name, form.keys)).replace(
            out=form.out, epilogue=_epilogue(form), epilogue_terms=form.operands
        )
        self.right = OperandTile(
            f"{form.right.operand}_tile", self.product, form.right, J, form.n, Const(0), config.tile_n, config.block_k, config.warps,
            min(config.stages, _SLOTS), config.vector_b, lanes.b.transposed(), profile,
        )  # fmt: skip
        self.a_parts = [Fragment(f"a{i}", lanes.operand, lanes.a) for i in rows]
        self.b_parts = [Fragment(f"b{j}", lanes.operand, lanes.b) for j in columns]
        self.sums = [[[Fragment(f"acc{i}_{j}", lanes.accumulator, lanes.c)] for j in columns] for i in rows]
        self.end = WarpEpilogue(self.product, lanes, self.sums, config.vector_c)
        self.piece = Fragment("piece", lanes.operand, lanes.c)

    # ---- declarations

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the whole kernel, if memory and registers suffice."""
        buffers: tuple[Buffer, ...] = (
            *(tile.buffer() for tile in (*self.first.tiles, self.right)), self.middle.buffer(),
        )  # fmt: skip
        plan = shared_plan(buffers, ())
        if plan.bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"the tiles need {plan.bytes} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer stages or smaller tiles", configuration=self.config.describe(),
            )  # fmt: skip
        fragments, threads = self._fragments(), self.config.warps * self.profile.lanes
        budget = min(self.profile.registers_per_processor // threads, self.profile.max_registers_per_thread)
        needed = max(max(self.first.registers(), self._registers()) + _OUTSIDE_REGISTERS, words(fragments))
        if needed > budget:
            raise ConfigurationError(
                f"fragments and addresses need {needed} registers of a thread's {budget}",
                hint="Choose smaller tiles or more warps", configuration=self.config.describe(),
            )  # fmt: skip
        role = Role(WARP.name, Actor.WARP, self.config.warps, self.profile.lanes, fragments, self._body(), budget)
        splits = Symbol(
            COLUMN_SPLITS, minimum=1, maximum=_MOST_SPLITS, meaning="blocks that share the columns of the output"
        )
        blocks = ceil_div(self.f.m, self.config.tile_m) * self.f.items * Sym(COLUMN_SPLITS)
        return SemanticKernel(
            name=name, title=self.f.title, family="chained", variant=variant, arch=self.profile.arch, configuration=self.config,
            parameters=self._parameters(), symbols=(*self._symbols(), splits), buffers=buffers, rings=(), roles=(role,),
            launch=Launch(blocks, threads, 1, plan.bytes),
        )  # fmt: skip

    def _fragments(self) -> tuple[Fragment, ...]:
        """Those of both products, which share what has one name, and of the end."""
        second = [*self.a_parts, *self.b_parts, *(part for row in self.sums for (part,) in row)]
        every = [*self.first.held(), *second, *self.right.fragments(), self.piece, *self.end.fragments()]
        return tuple({fragment.name: fragment for fragment in every}.values())

    def _registers(self) -> int:
        """32-bit registers of a thread in the second product: sums, and what either the product or the end takes besides."""
        staged = [] if self.right.direct else self.right.fragments()
        product = words([*self.a_parts, *self.b_parts]) + self.right.address_registers
        end = words(self.end.fragments()) + self.end.address_registers
        return words([part for row in self.sums for (part,) in row]) + words(staged) + max(product, end)

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = {tile.term.operand: tile.alignment for tile in (*self.first.tiles, self.right)} | self.end.alignments()
        return tuple(p.replace(alignment=max(p.alignment, needed.get(p.name, 1))) for p in self.f.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols: multiples of the runs that follow them, no more columns of A than the tile's, sizes within 32 bits."""
        needed: dict[str, int] = {}
        for multiples in (self.end.multiples(), *(tile.multiples() for tile in (*self.first.tiles, self.right))):
            for name, value in multiples.items():
                needed[name] = max(needed.get(name, 1), value)
        rank = {self.f.keys.name} if isinstance(self.f.keys, Sym) else set()
        found = []
        for s in self.f.symbols:
            most = self.config.block_k if s.name in rank else MAX_COORDINATE if s.minimum >= 0 else s.maximum
            found.append(s.replace(
                minimum=max(s.minimum, 1) if s.name in rank else s.minimum, maximum=min(s.maximum, most),
                multiple=max(s.multiple, needed.get(s.name, 1)),
            ))  # fmt: skip
        return tuple(found)

    # ---- the program

    def _body(self) -> tuple[Node, ...]:
        splits, rows, columns = Sym(COLUMN_SPLITS), Sym("row_tiles"), Sym("column_tiles")
        share = BLOCK % splits
        return (
            Let(rows.name, ceil_div(self.f.m, self.config.tile_m)),
            Let(columns.name, ceil_div(self.f.n, self.config.tile_n)),
            Let(
                "tile", BLOCK // splits
            ),  # blocks that compute one middle are neighbours, so x comes from the cache but once
            Let(ROW0.name, Sym("tile") % rows * self.config.tile_m),
            Let(ITEM.name, Sym("tile") // rows),
            *(Let(named.name, named.value) for named in self.f.item_names),
            Let("own_column_tiles", ceil_div(columns, splits)),
            Let(_FIRST.name, minimum(share * Sym("own_column_tiles"), columns)),
            Let(_STOP.name, minimum(_FIRST + Sym("own_column_tiles"), columns)),
            Let(WARP_ROW.name, ROW0 + WARP // self.grid[1] * self.own_rows),
            *(self._copied(_FIRST) if self.right.direct else ()),
            *self.first.reduce(),
            *self._between(),
            *self._columns(),
        )

    def _between(self) -> tuple[Node, ...]:
        """What stands between, zero beyond the rank, rounded, and to where all warps find it.

        Columns beyond the rank are those of its last one again; B has zeros there, which an infinity would survive.
        """
        compute, lanes, nodes = self.f.compute, self.lanes, list[Node]()
        grid, products = self.first.grid, self.first.products
        row0 = WARP // grid[1] * self.first.warp_m
        column0 = WARP % grid[1] * self.first.warp_n
        whole = (less(Const(self.config.block_k - 1), self.f.keys),)
        masks = list[Node]()
        for parts in products.sums:
            for j, (part,) in enumerate(parts):
                if self.f.between != Accumulator():
                    nodes.append(computed(part.name, self.f.between, compute, (part.name,)))
                beyond = (less(column0 + j * lanes.n + COLUMN, self.f.keys),)
                masks.append(Mask(part.name, beyond, 0.0))
        nodes.append(If(whole, (), tuple(masks)))
        for i, parts in enumerate(products.sums):
            for j, (part,) in enumerate(parts):
                nodes.append(Compute(self.piece.name, Accumulator(0), compute, (part.name,)))
                nodes.append(
                    self.middle.store(self.piece.name, row0 + i * lanes.m + ROW, column0 + j * lanes.n + COLUMN)
                )
        return tuple(nodes)

    def _columns(self) -> tuple[Node, ...]:
        """The second product, a tile of columns after the other: the next one is copied or fetched while one is multiplied."""
        following = _TILE + 1
        ahead = (less(following, _STOP),)
        if self.right.direct:
            body = (
                Wait(AsyncKind.COPY, 0), Barrier(Scope.BLOCK, "slot_written"), *self._copied(following), *self._work(),
            )  # fmt: skip
            return (Loop(_TILE.name, _FIRST, _STOP, body), Wait(AsyncKind.COPY, 0))
        if self.right.slots == 1:
            body = (
                Barrier(Scope.BLOCK, "slot_read"), *self._fetched(_TILE, "_a"), *self._deposited(_TILE),
                Barrier(Scope.BLOCK, "slot_written"), *self._work(),
            )  # fmt: skip
            return (Loop(_TILE.name, _FIRST, _STOP, body),)
        begin = (*self._fetched(_FIRST, "_a"), *self._deposited(_FIRST))
        body = (
            If(ahead, self._fetched(following, "_b")), *self._work(), If(ahead, self._deposited(following)),
            Barrier(Scope.BLOCK, "slot_written"),
        )  # fmt: skip
        return (
            If((less(_FIRST, _STOP),), begin), Barrier(Scope.BLOCK, "middle_written"), Loop(_TILE.name, _FIRST, _STOP, body),
        )  # fmt: skip

    def _copied(self, tile: Index) -> tuple[Node, ...]:
        """The copies of a tile of columns, where there is one, closed as a group."""
        copies = self.right.copy(tile * self.config.tile_n, Const(0), tile % self.right.slots, True)
        return (If((less(tile, _STOP),), self._of_rank(copies)), Commit(AsyncKind.COPY))

    def _fetched(self, tile: Index, tag: str) -> tuple[Node, ...]:
        return self._of_rank(self.right.fetch(tile * self.config.tile_n, Const(0), True, tag))

    def _of_rank(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """The moves of a tile of B, whose reduction ends with the rank."""
        return replace_symbols(nodes, {LENGTH.name: self.f.keys})

    def _deposited(self, tile: Index) -> tuple[Node, ...]:
        return self.right.deposit(tile % self.right.slots)

    def _work(self) -> tuple[Node, ...]:
        """The products of a tile of columns, and their end."""
        lanes, slot = self.lanes, _TILE % self.right.slots
        row0, column0 = WARP // self.grid[1] * self.own_rows, WARP % self.grid[1] * self.own_columns
        step: Index = Const(0) if self.config.block_k == lanes.k else _INNER
        nodes: list[Node] = [
            self.middle.load(part.name, row0 + i * lanes.m + ROW, step + COLUMN) for i, part in enumerate(self.a_parts)
        ]
        nodes += [
            self.right.read(part.name, column0 + j * lanes.n, step, slot, transposed=True)
            for j, part in enumerate(self.b_parts)
        ]
        for i, row in enumerate(self.sums):
            nodes += [Mma(lanes.name, part.name, f"a{i}", f"b{j}") for j, (part,) in enumerate(row)]
        products = tuple(nodes)
        if isinstance(step, Sym):
            count = self.config.block_k // lanes.k
            products = (
                Loop(
                    step.name, Const(0), Const(self.config.block_k), products, step=lanes.k, unroll=min(count, _UNROLL)
                ),
            )
        return (
            *(Fill(part.name) for row in self.sums for (part,) in row),
            *products,
            Let(WARP_COLUMN.name, _TILE * self.config.tile_n + column0),
            *self.end.nodes(),
        )  # fmt: skip


def _contraction(form: Chained, a: Term, b: Term, n: Index, along: KAxis) -> Contraction:
    """One product of the chain, as the uniform schedule takes it."""
    return Contraction(
        title=form.title, m=form.m, n=n, items=form.items, k_axes=(along,), a_step=None, item_names=form.item_names, a=a, b=b,
        out=form.out, gates=1, compute=form.compute, epilogue=IDENTITY, epilogue_terms=(), parameters=form.parameters,
        symbols=form.symbols,
    )  # fmt: skip


def _epilogue(form: Chained) -> Epilogue:
    """The stored value as an epilogue; where its operands lie is in their terms."""
    return Epilogue(form.value, tuple(EpilogueOperand(term.operand, OperandAxes.FULL) for term in form.operands))

# SPDX-License-Identifier: MIT
"""The schedule of attention on any GPU: as `tracea_core.semantic.build.warp_chain`, with tiles that pass through registers.

Rows of an item belong to the warps of a block; blocks of keys and values go through registers into a ring of shared memory, and every
operand is read as the instruction at hand holds it. How weights get from the lanes that hold them as accumulators of the first product
to those that hold the left operand of the second follows from the two layouts (`Passage`): several accumulators side by side are the
operand, or the operand is part of one, and no data moves; else they go through shared memory, each warp's own part of it.

AMD's and Intel's instructions are read as those of the transposed matrices: a lane then holds whole rows of scores, or half of one, and
weights stay with their lane there, too.
"""

from __future__ import annotations

import functools
import re

from tracea_core.errors import ConfigurationError
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand, Unary, UnaryFn
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.multistage_lanes import WARP, projection
from tracea_core.semantic.build.multistage_tile import DEPTH as POSITIONS
from tracea_core.semantic.build.multistage_tile import OperandTile
from tracea_core.semantic.build.passing_weights import Passage, PassingWeights, passage
from tracea_core.semantic.build.warp_chain import WarpChain
from tracea_core.semantic.chained import DEPTH, KEY, Chained
from tracea_core.semantic.contraction import I, J, KAxis, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, less
from tracea_core.semantic.kernel import Buffer, Fragment, Parameter, SemanticKernel, Symbol
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.row_steps import Join
from tracea_core.semantic.steps import (
    Barrier,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    Scope,
    Store,
)
from tracea_core.semantic.sweep import Sweep
from tracea_core.target import CapabilityProfile

_KEYS, _INNER, _STEP = Sym("key_block"), Sym("k_inner"), Sym("key_inner")
_FIRST, _STOP = Sym("first_block"), Sym("stop_block")
_UNROLL = 4


def staged_chain_fault(form: Chained, config: PipelineConfig, lanes: InstructionLanes) -> str | None:
    """Return why this schedule cannot run `form`, or None if it can."""
    if lanes.a is None or lanes.b is None or lanes.opaque:
        return f"{lanes.name} does not take its operands from registers that are known"
    types = {form.left.dtype, form.middle.dtype, form.right.dtype}
    rules = (
        (form.softmax, "there is no softmax between the products"),
        (types == {lanes.operand} and form.compute is lanes.accumulator, f"the types are not those of {lanes.name}"),
        (config.barrier_mode is BarrierMode.NONE and config.split_k == config.cluster == 1, "one role, no clusters, no split_k"),
        (config.tile_m % (config.warps * lanes.m) == 0, f"{config.warps} warps do not divide {config.tile_m} rows by {lanes.m}"),
        (config.tile_n % lanes.k == config.tile_n % lanes.n == 0, f"{config.tile_n} keys are no multiple of {lanes.k} and {lanes.n}"),
        (config.tile_k % lanes.k == config.tile_k % lanes.n == 0, f"{config.tile_k} columns are no multiple of {lanes.k} and {lanes.n}"),
        (config.stages in (1, 2), "a block of keys is worked on while at most one is fetched"),
    )  # fmt: skip
    return next((reason for holds, reason in rules if not holds), None)


def staged_chain_kernel(
    form: Chained, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str, instruction_name: str
) -> SemanticKernel:  # fmt: skip
    """Return the schedule of `form` on a GPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows of a block, ``tile_n`` keys at a time, ``tile_k`` columns that q, k and v have at most; with two ``stages``
        a block of keys is fetched while the one before is worked on. ``vector_a`` (q and k), ``vector_b`` (v) and ``vector_c`` (out)
        are promises: so many elements lie together, aligned.

    Raises
    ------
    ConfigurationError
        With the reason of `staged_chain_fault`, or if registers or shared memory do not suffice.
    """
    lanes = instruction(instruction_name)
    fault = staged_chain_fault(form, configuration, lanes)
    if fault:
        raise ConfigurationError(f"the schedule does not fit: {fault}", configuration=configuration.describe())
    return _StagedChain(form, configuration, profile, lanes).kernel(variant, name)


class _StagedChain(WarpChain):
    def _bring(self) -> None:
        """Make the tiles, which pass through registers, and what weights pass through."""
        form, config, profile, lanes = self.f, self.config, self.profile, self.lanes
        self.passage = passage(lanes)
        assert lanes.a is not None and lanes.b is not None
        left, right = lanes.a, lanes.b.transposed()
        tile = functools.partial(_operand, form, config, profile)
        self.query = tile(
            "q", form.left, (I, form.m), (DEPTH, form.k), (self.rows, self.depth), left, config.vector_a, 1
        )
        self.key = tile(
            "k", form.middle, (KEY, form.keys), (DEPTH, form.k), (self.keys, self.depth), right, config.vector_a
        )
        self.value = tile(
            "v", form.right, (J, form.n), (KEY, form.keys), (self.depth, self.keys), right, config.vector_b
        )
        self.tiles = (self.query, self.key, self.value)
        self.weights = PassingWeights(lanes, self.rows, self.keys, profile) if self.passage is Passage.MEMORY else None

    # ---- declarations

    def shared_buffers(self) -> tuple[Buffer, ...]:
        """Return the tiles, and the weights where they pass through memory."""
        passing = () if self.weights is None else (self.weights.buffer(),)
        return (*(tile.buffer() for tile in self.tiles), *passing)

    def _fragments(self) -> tuple[Fragment, ...]:
        lanes, wide, narrow = self.lanes, self.f.compute, self.lanes.operand
        assert lanes.a is not None and lanes.b is not None
        row = projection(lanes.c, 0)
        first = {_first(fragment.name) for fragment in self.query.fragments()}
        found = [fragment for fragment in self.query.fragments() if fragment.name in first]
        found += [fragment for tile in self.tiles[1:] for fragment in tile.fragments()]
        found += [Fragment(f"sum{i}_{j}", wide, lanes.c) for i in self.parts for j in self.sum_columns]
        found += [Fragment(name, wide, lanes.c) for i in self.parts for name in self._row_scores(i)]
        for i in self.parts:
            found += [Fragment(f"q{i}", narrow, lanes.a), Fragment(f"weights{i}", narrow, lanes.a)]
            found += [
                Fragment(f"total{i}", wide, lanes.c),
                Fragment(f"top{i}", wide, row),
                Fragment(f"shift{i}", wide, row),
            ]
        found += [Fragment("part", wide, lanes.c), Fragment("found", wide, row), Fragment("correction", wide, row)]
        found += [Fragment("right_operand", narrow, lanes.b)]
        pieces = tuple(f"part{i}" for i in self.parts) if self.passage is Passage.PART else self._pieces
        found += [Fragment(name, narrow, lanes.c) for name in pieces]
        return (*found, *self.bias.fragments(), *self.end.fragments())

    @property
    def _pieces(self) -> tuple[str, ...]:
        """Weights as accumulators hold them, as many as become an operand at a time."""
        return tuple(f"piece{number}" for number in range(max(self.lanes.k // self.lanes.n, 1)))

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = {tile.term.operand: tile.alignment for tile in self.tiles}
        needed[self.f.out.operand] = self.end.alignment
        return tuple(p.replace(alignment=max(p.alignment, needed.get(p.name, 1))) for p in self.f.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols: multiples of the runs that follow them, columns no more than the tile's, sizes within 32 bits."""
        needed: dict[str, int] = {}
        for multiples in (self.end.multiples(), *(tile.multiples() for tile in self.tiles)):
            for name, value in multiples.items():
                needed[name] = max(needed.get(name, 1), value)
        columns = {extent.name for extent in (self.f.k, self.f.n) if isinstance(extent, Sym)}
        least = {self.f.n.name: needed.get(self.f.n.name, 1)} if isinstance(self.f.n, Sym) else {}
        found = []
        for s in self.f.symbols:
            most = self.depth if s.name in columns else MAX_COORDINATE if s.minimum >= 0 else s.maximum
            found.append(s.replace(
                minimum=max(s.minimum, least.get(s.name, s.minimum)), maximum=min(s.maximum, most),
                multiple=max(s.multiple, needed.get(s.name, 1)),
            ))  # fmt: skip
        return tuple(found)

    # ---- the program

    def hoists(self) -> tuple[Node, ...]:
        """Return what is worked out once for each tile of rows: nothing that a copy names."""
        return ()

    def _stream(self) -> tuple[Node, ...]:
        """A block of keys is fetched, put into its slot, and worked on; with two slots the next one is fetched meanwhile."""
        query = _in_turn(self._fetch(self.query, Sym("row0"), Const(0), "_q"), self.query.deposit(Const(0)))
        following = _KEYS + 1
        if self.config.stages == 1:
            body = (
                Barrier(Scope.BLOCK, "slot_read"), *self._fetched(_KEYS, "_a"), *self._deposited(_KEYS),
                Barrier(Scope.BLOCK, "slot_written"), *self._work(),
            )  # fmt: skip
            return (*query, Loop(_KEYS.name, _FIRST, _STOP, body))
        ahead = (less(following, _STOP),)
        begin = (*self._fetched(_FIRST, "_a"), *self._deposited(_FIRST))
        body = (
            If(ahead, self._fetched(following, "_b")), *self._work(), If(ahead, self._deposited(following)),
            Barrier(Scope.BLOCK, "slot_written"),
        )  # fmt: skip
        return (
            *query, If((less(_FIRST, _STOP),), begin), Barrier(Scope.BLOCK, "first_written"),
            Loop(_KEYS.name, _FIRST, _STOP, body),
        )  # fmt: skip

    def _fetch(self, tile: OperandTile, outer0: Index, k0: Index, tag: str) -> tuple[Node, ...]:
        extent = self.f.keys if tile is self.value else self.f.k
        return replace_symbols(tile.fetch(outer0, k0, True, tag), {POSITIONS.name: extent})

    def _fetched(self, block: Index, tag: str) -> tuple[Node, ...]:
        first = block * self.keys
        return (
            *self._fetch(self.key, first, Const(0), f"_k{tag}"),
            *self._fetch(self.value, Const(0), first, f"_v{tag}"),
        )

    def _deposited(self, block: Index) -> tuple[Node, ...]:
        slot = block % self.config.stages
        return (*self.key.deposit(slot), *self.value.deposit(slot))

    def _work(self) -> tuple[Node, ...]:
        return (Let("key0", _KEYS * self.keys), *self._scores(), *self._masks(),
                *(node for i in self.parts for node in self._maximum(i)), *self._sums())  # fmt: skip

    def _scores(self) -> tuple[Node, ...]:
        """The first product: what is read of keys serves all rows of the warp."""
        lanes = self.lanes
        nodes: list[Node] = [
            self.query.read(f"q{i}", WARP * self.own_rows + i * lanes.m, _INNER, Const(0), transposed=False)
            for i in self.parts
        ]
        for j in self.score_columns:
            nodes.append(self.key.read("right_operand", Const(j * lanes.n), _INNER, self._slot, transposed=True))
            nodes += [Mma(lanes.name, f"score{i}_{j}", f"q{i}", "right_operand") for i in self.parts]
        unroll = min(self.depth // lanes.k, _UNROLL)
        loop = Loop(_INNER.name, Const(0), Const(self.depth), tuple(nodes), step=lanes.k, unroll=unroll)
        names = [name for i in self.parts for name in self._row_scores(i)]
        return (*(Fill(name) for name in names), loop, *self._stand_between())

    def _piece(self, piece: str, i: int, j: int) -> tuple[Node, ...]:
        """Weights of a tile of scores, rounded to the operands' type, and added to the totals as they are multiplied."""
        compute = self.f.compute
        weight = Unary(UnaryFn.EXP, Binary(BinaryFn.SUB, self._between(Accumulator(0)), Operand(0)))
        added = Binary(BinaryFn.ADD, Accumulator(0), Accumulator(1))
        fast = self.lanes.operand.bytes == 2
        return (
            Compute(piece, weight, compute, (f"score{i}_{j}",), (f"shift{i}",), approximate=fast),
            Compute(f"total{i}", added, compute, (f"total{i}", piece)),
        )

    def _products(self, step: Index) -> tuple[Node, ...]:
        """What the weights of one step of the instruction, in ``weights…``, add to the sums."""
        lanes, nodes = self.lanes, list[Node]()
        for j in self.sum_columns:
            nodes.append(self.value.read("right_operand", Const(j * lanes.n), step, self._slot, transposed=True))
            nodes += [Mma(lanes.name, f"sum{i}_{j}", f"weights{i}", "right_operand") for i in self.parts]
        return tuple(nodes)

    def _sums(self) -> tuple[Node, ...]:
        """The second product, by the passage that the instruction's layouts leave."""
        return {Passage.JOIN: self._joined, Passage.PART: self._taken, Passage.MEMORY: self._through_memory}[
            self.passage
        ]()

    def _joined(self) -> tuple[Node, ...]:
        lanes, pieces, nodes = self.lanes, self._pieces, list[Node]()
        for step in range(self.keys // lanes.k):
            for i in self.parts:
                for number, piece in enumerate(pieces):
                    nodes += self._piece(piece, i, step * len(pieces) + number)
                nodes.append(Join(f"weights{i}", pieces))
            nodes += self._products(Const(step * lanes.k))
        return tuple(nodes)

    def _taken(self) -> tuple[Node, ...]:
        """Every step takes its part of an accumulator; rows of a warp take turns, since one piece is held at a time."""
        lanes, nodes = self.lanes, list[Node]()
        for j in self.score_columns:
            for i in self.parts:
                nodes += self._piece(f"part{i}", i, j)
            for step in range(lanes.n // lanes.k):
                nodes += [Extract(f"weights{i}", f"part{i}", Const(0), Const(step * lanes.k)) for i in self.parts]
                nodes += self._products(Const(j * lanes.n + step * lanes.k))
        return tuple(nodes)

    def _through_memory(self) -> tuple[Node, ...]:
        assert self.weights is not None
        lanes, nodes = self.lanes, list[Node]()
        for i in self.parts:
            first = WARP * self.own_rows + i * lanes.m
            for j in self.score_columns:
                nodes += [*self._piece("piece0", i, j), self.weights.store("piece0", first + ROW, j * lanes.n + COLUMN)]
        reads = tuple(
            self.weights.load(f"weights{i}", WARP * self.own_rows + i * lanes.m + ROW, _STEP + COLUMN)
            for i in self.parts
        )
        unroll = min(self.keys // lanes.k, _UNROLL)
        loop = Loop(
            _STEP.name, Const(0), Const(self.keys), (*reads, *self._products(_STEP)), step=lanes.k, unroll=unroll
        )
        return (*nodes, Barrier(Scope.BLOCK, "weights_written"), loop)


_PASS = re.compile(r"(?<=_fetched)[1-9][0-9]*")


def _first(name: str) -> str:
    """The registers of a tile's first pass, for those of any."""
    return _PASS.sub("0", name)


def _in_turn(fetched: tuple[Node, ...], deposited: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the passes of a tile one after the other through the registers of the first."""
    nodes, rest = list[Node](), list(deposited)
    for node in fetched:
        if not isinstance(node, Load):
            nodes.append(node)
            continue
        nodes.append(node.replace(fragment=_first(node.fragment)))
        while rest:
            step = rest.pop(0)
            if isinstance(step, Store):
                nodes.append(step.replace(fragment=_first(step.fragment)))
                break
            assert isinstance(step, Compute)
            nodes.append(step.replace(target=_first(step.target), accumulators=tuple(map(_first, step.accumulators))))
    return tuple(nodes)


def _operand(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, name: str, term: Term, outer: tuple[Sym, Index],
    along: tuple[Sym, Index], shape: tuple[int, int], fragment: FragmentLayout, vector: int, slots: int = 0,
) -> OperandTile:  # fmt: skip
    """Return the tile of one operand: `shape` elements along its outer coordinate and along what is added up."""
    reduction = Sweep(
        title=form.title, m=form.m, n=form.n, items=form.items, parts=KAxis(along[0].name, along[1]), source=term, out=form.out,
        compute=form.compute, epilogue=IDENTITY, epilogue_terms=(), parameters=form.parameters, symbols=form.symbols,
    )  # fmt: skip
    return OperandTile(
        f"{name}_tile", reduction, term, outer[0], outer[1], Const(0), *shape, config.warps, slots or config.stages, vector,
        fragment, profile.replace(async_copies=()),  # tiles pass through registers, whatever else a device can
    )  # fmt: skip

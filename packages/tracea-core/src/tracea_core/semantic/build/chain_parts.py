# SPDX-License-Identifier: MIT
"""Keys divided among the blocks of a cluster, as where one token is decoded: how parts of a softmax become one result.

Each block has the sums, totals and maxima of its part of the keys. It leaves them in its own shared memory, meets the rest of the cluster,
and adds up some columns of all parts, each in terms of the greatest maximum: a part whose rows saw nothing counts nothing. Parts are added
in the order of their ranks, so the result is the same each time. Maximum and total lie beside the sums, as pieces of eight columns like
theirs: so lanes move pairs alone, and hold what belongs to a row where they hold its sums.

What a block fetches from memory it fetches at 63 GB/s at most on an H200, whoever of it computes; so there is nothing to be had from
warpgroups that divide the keys of a block (two took as long as one, of 1,024 to 131,072 keys).
"""

from __future__ import annotations

from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Compare, CompareFn, Constant, Expr, Operand, Select
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import ATOM_BYTES
from tracea_core.semantic.build.engine_store import RUN
from tracea_core.semantic.build.partial_sums import partial_swizzle
from tracea_core.semantic.build.raster import RANK
from tracea_core.semantic.build.warpgroup_softmax import PIECE, ROWS, WARP_ROW, Weights, power_of_two
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, ceil_div, less, maximum, minimum
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.steps import (
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fill,
    Let,
    Load,
    Node,
    Scope,
    Store,
    Transfer,
)

_PARTS, _PIECE, _OTHER, _WEIGHT = "parts", "piece", "other", "part_weight"
_WRITTEN, _READ = "parts_written", "parts_read"
_MAXIMA, _TOTALS, _SUMS = 0, 1, 2
"""Pieces of a part: those of maxima and totals, and the first one of sums."""


class ChainParts:
    """What divides the keys of a tile, and joins what blocks have of it.

    Parameters
    ----------
    depth : int
        Columns of the result, padded.
    consumers : int
        Warpgroups of a block that have rows of the tile.
    """

    def __init__(self, form: Chained, config: PipelineConfig, weights: Weights, depth: int, consumers: int) -> None:
        self.f, self.weights, self.consumers = form, weights, consumers
        self.count, self.pieces = config.split_k, depth // PIECE
        self.own = -(-self.pieces // self.count)
        """Pieces of the result that a block finishes."""

    @property
    def column(self) -> Index:
        """The first column that a block finishes."""
        return RANK * (self.own * PIECE) if self.count > 1 else Const(0)

    @property
    def meetings(self) -> tuple[str, ...]:
        """The barriers at which the blocks of a cluster meet."""
        return (_WRITTEN, _READ) if self.count > 1 else ()

    def buffers(self) -> tuple[Buffer, ...]:
        """Return where a block leaves its part."""
        if self.count == 1:
            return ()
        layout = Layout.xored(
            ("piece", _SUMS + self.pieces), ("consumer", self.consumers), ("row", ROWS), ("column", PIECE),
            xor=partial_swizzle(PIECE),
        )  # fmt: skip
        return (Buffer(_PARTS, Space.SHARED, self.f.compute, layout, Lifetime.TILE, alignment=ATOM_BYTES),)

    def fragments(self, piece: FragmentLayout) -> list[Fragment]:
        """Return the fragments besides those of the loop and of the end, laid out so."""
        if self.count == 1:
            return []
        return [Fragment(name, self.f.compute, piece) for name in (_PIECE, _OTHER, _WEIGHT)]

    def visited(self, lets: tuple[Let, Let]) -> tuple[Let, ...]:
        """Return which blocks of keys a block visits of those from the first to the one behind the last that `lets` name."""
        if self.count == 1:
            return lets
        first, stop = lets
        seen, end, each = Sym("seen_first"), Sym("seen_stop"), Sym("blocks_each")
        return (
            Let(seen.name, first.value), Let(end.name, stop.value),
            Let(each.name, ceil_div(maximum(end - seen, 0), self.count)),
            Let(first.name, minimum(seen + RANK * each, end)), Let(stop.name, minimum(Sym(first.name) + each, end)),
        )  # fmt: skip

    def start(self) -> tuple[Node, ...]:
        """Return what holds of a part without keys."""
        return (Fill("top", self.f.compute.lowest),) if self.count > 1 else ()

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes that leave a part, meet, and make ``total0`` and the own columns, from ``sum0_0`` on, those of all keys."""
        written, read = (Barrier(Scope.CLUSTER, name) for name in self.meetings)
        return (*self._leave(), written, *self._join(), read)

    def _leave(self) -> tuple[Node, ...]:
        spread = Binary(BinaryFn.ADD, Accumulator(0), Operand(0))
        nodes: list[Node] = [
            Fill(_PIECE), Compute(_PIECE, spread, self.f.compute, (_PIECE,), ("top",)), self._store(_PIECE, _MAXIMA),
            self._store("total0", _TOTALS),
        ]  # fmt: skip
        for j in range(self.pieces):
            nodes += [Extract(_PIECE, "sum", Const(0), Const(j * PIECE)), self._store(_PIECE, _SUMS + j)]
        return tuple(nodes)

    def _join(self) -> tuple[Node, ...]:
        compute, lowest = self.f.compute, Constant(self.f.compute.lowest)
        first, second = Accumulator(0), Accumulator(1)
        shift = Select(Compare(CompareFn.EQ, first, lowest), Constant(0.0), self.weights.exponent(first))
        weight = power_of_two(Binary(BinaryFn.SUB, self.weights.exponent(first), second))
        product: Expr = Binary(BinaryFn.MUL, first, second)
        targets: dict[str, Index] = {"total0": Const(_TOTALS)}
        last = Const(_SUMS + self.pieces - 1)
        for j in range(self.own):
            piece = RANK * self.own + (_SUMS + j)
            beyond = self.own * self.count > self.pieces  # columns of nobody, which are not stored
            targets[f"sum0_{j}"] = minimum(piece, last) if beyond else piece
        nodes: list[Node] = [self._load(_PIECE, Const(_MAXIMA), 0)]
        for part in range(1, self.count):
            highest = Compute(_PIECE, Binary(BinaryFn.MAXIMUM, first, second), compute, (_PIECE, _OTHER))
            nodes += [self._load(_OTHER, Const(_MAXIMA), part), highest]
        nodes.append(Compute(_PIECE, shift, compute, (_PIECE,)))
        for part in range(self.count):
            nodes.append(self._load(_WEIGHT, Const(_MAXIMA), part))
            nodes.append(Compute(_WEIGHT, weight, compute, (_WEIGHT, _PIECE), approximate=True))
            for target, piece in targets.items():
                added = Binary(BinaryFn.ADD, product, Accumulator(2)) if part else product
                given = (_OTHER, _WEIGHT, target) if part else (_OTHER, _WEIGHT)
                nodes += [self._load(_OTHER, piece, part), Compute(target, added, compute, given)]
        return tuple(nodes)

    def _store(self, fragment: str, piece: int) -> Store:
        return Store(self._place(Const(piece)), fragment, Transfer.GATHER, self._rows, RUN)

    def _load(self, fragment: str, piece: Index, rank: int) -> Load:
        return Load(fragment, self._place(piece, Const(rank)), Transfer.GATHER, self._rows, width=RUN)

    def _place(self, piece: Index, rank: Index | None = None) -> BufferRef:
        return BufferRef(_PARTS, (piece, Sym("consumer"), ROW, COLUMN), rank=rank)

    @property
    def _rows(self) -> Guard:
        """Rows that there are: few where a token is decoded."""
        return (less(WARP_ROW + ROW, self.f.m),)

# SPDX-License-Identifier: MIT
"""Keys divided among the blocks of a cluster, as where one token is decoded: how parts of a softmax become one result.

Each block has the sums, totals and maxima of its part of the keys. It leaves maxima and totals in its own shared memory and sums in that of
the blocks which finish them, some columns each, and meets the rest of the cluster. Then it adds up its columns of all parts, each in terms
of the greatest maximum: a part whose rows saw nothing counts nothing. Parts are added in one order, so the result is the same each time.

What a block fetches from memory it fetches at 63 GB/s at most on an H200, whoever of it computes; so there is nothing to be had from
warpgroups that divide the keys of a block (two took as long as one, of 1,024 to 131,072 keys).
"""

from __future__ import annotations

from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Compare, CompareFn, Constant, Operand, Select
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import ATOM_BYTES
from tracea_core.semantic.build.engine_store import RUN
from tracea_core.semantic.build.multistage_lanes import projection
from tracea_core.semantic.build.partial_sums import partial_swizzle
from tracea_core.semantic.build.raster import RANK
from tracea_core.semantic.build.warpgroup_softmax import PIECE, ROWS, WARP_ROW, Weights, power_of_two, tree
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, ceil_div, less, maximum, minimum
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.row_steps import Fold
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

_SUMS, _MAXIMA, _TOTALS = "part_sums", "part_maxima", "part_totals"
_PIECE, _GATHERED, _HIGHEST, _COPY = "piece", "gathered", "highest", "copies"
_COPIES = 4
"""Lanes of a warp that hold the same row, each of which leaves what belongs to it for itself."""
_LANES, _REGISTERS = ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0), (16, 0), (32, 0)), ((8, 0),)
"""Bits of how lanes hold those copies: in the rows that they have of a piece."""
_WRITTEN, _READ = "parts_written", "parts_read"


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
        """Return where parts are left: of each row, and of each piece that the block finishes."""
        if self.count == 1:
            return ()
        sums = Layout.xored(
            ("piece", self.own), ("consumer", self.consumers), ("part", self.count), ("row", ROWS), ("column", PIECE),
            xor=partial_swizzle(PIECE),
        )  # fmt: skip
        rows = Layout.row_major(("consumer", self.consumers), ("row", ROWS), ("copy", _COPIES))
        wide = self.f.compute
        return (
            Buffer(_SUMS, Space.SHARED, wide, sums, Lifetime.TILE, alignment=ATOM_BYTES),
            *(Buffer(name, Space.SHARED, wide, rows, Lifetime.TILE) for name in (_MAXIMA, _TOTALS)),
        )

    def fragments(self, piece: FragmentLayout, gathered: FragmentLayout) -> list[Fragment]:
        """Return the fragments besides those of the loop and of the end: of a piece's layout, and of one from each part."""
        if self.count == 1:
            return []
        wide, row = self.f.compute, projection(piece, 0)
        copies = FragmentLayout.from_bits((ROWS, _COPIES), _LANES, _REGISTERS)
        found = [Fragment(_PIECE, wide, piece), Fragment(_GATHERED, wide, gathered), Fragment(_HIGHEST, wide, row)]
        found.append(Fragment(_COPY, wide, copies))
        for part in range(self.count):
            found += [Fragment(self._sums[part], wide, piece), Fragment(self._weights[part], wide, row)]
            found.append(Fragment(self._totals[part], wide, row))
        return found

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
        """Return the nodes that leave a part, meet, and make ``found`` and the own columns, from ``sum0_0`` on, those of all keys."""
        written, read = (Barrier(Scope.CLUSTER, name) for name in self.meetings)
        return (*self._leave(), written, *self._join(), read)

    def _leave(self) -> tuple[Node, ...]:
        nodes: list[Node] = [Fold("found", "total0", BinaryFn.ADD)]
        spread = Binary(BinaryFn.ADD, Accumulator(0), Operand(0))
        for name, fragment in ((_MAXIMA, "top"), (_TOTALS, "found")):
            nodes += [Fill(_COPY), Compute(_COPY, spread, self.f.compute, (_COPY,), (fragment,))]
            nodes.append(Store(BufferRef(name, (Sym("consumer"), ROW, COLUMN)), _COPY, Transfer.GATHER, self._rows))
        for j in range(self.pieces):
            owner, place = divmod(j, self.own)
            left = BufferRef(_SUMS, (Const(place), Sym("consumer"), RANK, ROW, COLUMN), rank=Const(owner))
            nodes.append(Extract(_PIECE, "sum", Const(0), Const(j * PIECE)))
            nodes.append(Store(left, _PIECE, Transfer.GATHER, self._rows, RUN))
        return tuple(nodes)

    def _join(self) -> tuple[Node, ...]:
        compute, lowest, one = self.f.compute, Constant(self.f.compute.lowest), Accumulator(0)
        highest = tree(BinaryFn.MAXIMUM, [Accumulator(part) for part in range(self.count)])
        shift = Select(Compare(CompareFn.EQ, one, lowest), Constant(0.0), self.weights.exponent(one))
        weight = power_of_two(Binary(BinaryFn.SUB, self.weights.exponent(one), Accumulator(1)))
        weighted = [Binary(BinaryFn.MUL, Accumulator(part), Operand(part)) for part in range(self.count)]
        added = tree(BinaryFn.ADD, weighted)
        nodes: list[Node] = []
        for part in range(self.count):
            for name, fragment in ((_MAXIMA, self._weights[part]), (_TOTALS, self._totals[part])):
                left = BufferRef(name, (Sym("consumer"), ROW, Const(0)), rank=Const(part))
                nodes.append(Load(fragment, left, Transfer.GATHER, self._rows))
        nodes += [Compute(_HIGHEST, highest, compute, self._weights), Compute(_HIGHEST, shift, compute, (_HIGHEST,))]
        nodes += [Compute(name, weight, compute, (name, _HIGHEST), approximate=True) for name in self._weights]
        nodes.append(Compute("found", added, compute, self._totals, self._weights))
        for j in range(self.own):
            there: Guard = ()
            if self.own * self.count > self.pieces:
                there = (less(RANK * self.own + j, self.pieces),)
            place = BufferRef(_SUMS, (Const(j), Sym("consumer"), COLUMN // PIECE, ROW, COLUMN % PIECE))
            nodes.append(Load(_GATHERED, place, Transfer.GATHER, (*self._rows, *there), width=RUN))
            for part, name in enumerate(self._sums):
                nodes.append(Extract(name, _GATHERED, Const(0), Const(part * PIECE)))
            nodes.append(Compute(f"sum0_{j}", added, compute, self._sums, self._weights))
        return tuple(nodes)

    @property
    def _weights(self) -> tuple[str, ...]:
        """The fragments of the parts' maxima, and of their weights then."""
        return tuple(f"part_weight{part}" for part in range(self.count))

    @property
    def _totals(self) -> tuple[str, ...]:
        return tuple(f"part_total{part}" for part in range(self.count))

    @property
    def _sums(self) -> tuple[str, ...]:
        """The parts of a piece."""
        return tuple(f"part_sum{part}" for part in range(self.count))

    @property
    def _rows(self) -> Guard:
        """Rows that there are: few where a token is decoded."""
        return (less(WARP_ROW + ROW, self.f.m),)

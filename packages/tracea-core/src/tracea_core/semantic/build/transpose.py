# SPDX-License-Identifier: MIT
"""The schedule of a copy whose source runs along rows and whose target runs along columns: a transposition through shared memory.

A block takes a rectangle. Its lanes read runs along the source's contiguous direction, turn small squares within their own registers,
leave them in shared memory under an XOR that is solved for, and read them back along the target's direction, so that whole lines of
memory are read and written. It is the way of an operand that lies across k in the uniform schedule (`multistage_tile`), with a store at
its end instead of a product.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.multistage_tile import DEPTH, OperandTile
from tracea_core.semantic.build.raster import COLUMN0, ROW0, Raster
from tracea_core.semantic.contraction import I, J, KAxis
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    coefficient,
    evaluate,
    less,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Role, SemanticKernel, Symbol
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import Access, Barrier, If, Let, Node, Scope, Store, Transfer
from tracea_core.semantic.sweep import Sweep
from tracea_core.target import CapabilityProfile

_WARPS = 8
_PAIR = 2
"""Bytes of an element of which a word has two."""
_NARROW = 64
"""Columns of a target up to which its rows do not fill the widest rectangle."""
_LINE = 128
"""Bytes of a line of memory, which a row of the rectangle fills on either side."""
_STORED = 8
"""Bytes of one lane's store: wider ones need squares of more registers."""
_HELD, _TILE = "held", "corner"
_REGISTERS = 96


def is_transposed(sweep: Sweep, profile: CapabilityProfile) -> bool:
    """Whether a pass copies from rows to columns in a way that this schedule has."""
    size = sweep.source.dtype.bytes
    across = coefficient(sweep.source.offset, I.name) == Const(1) and coefficient(sweep.out.offset, J.name) == Const(1)
    plain = sweep.parts.extent == Const(1) and sweep.epilogue.is_identity and sweep.out.dtype is sweep.source.dtype
    return across and plain and size <= 4


def transpose_configuration(
    sweep: Sweep, values: dict[str, int], read_alignment: int, write_alignment: int, lanes: int
) -> PipelineConfig:
    """Return how such a copy runs: runs of a word are read and of two are stored, if strides, extents and addresses allow.

    Elements of 16 bits that allow it go by four warps, 32 rows by 128 columns, or 64 by 32 where there are no more than 64. On an H200
    22 images of 32 channels and 112² pixels took 14.6 µs so (64 by 64 by eight warps 25.8, a plain copy 13.4), 32 of 768 and 14² 12.1
    (14.5), 8 of 512 and 28² 8.9 (10.3), 32 of 64 and 56² 11.8 (14.3), back 12.8 (13.9).

    Parameters
    ----------
    read_alignment, write_alignment : int
        Bytes that the addresses of the source and of the target are multiples of.
    lanes : int
        Of a warp.
    """
    size = sweep.source.dtype.bytes
    run = 4 // size
    declared = {symbol.name for symbol in sweep.symbols}
    names = (symbols(sweep.source.offset) | symbols(sweep.m)) & declared
    aligned = read_alignment % 4 == 0 and not any(values[name] % run for name in names)
    stored = min(_STORED, write_alignment) // size
    target = (symbols(sweep.out.offset) | symbols(sweep.n)) & declared
    while stored > 1 and any(values[name] % stored for name in target):
        stored //= 2
    stored = stored if stored * size >= 4 else 1
    tall, wide, warps = _LINE if size == 1 and aligned else _LINE // 2, min(_LINE // size, lanes * stored), _WARPS
    if size == _PAIR and aligned and stored * size == _STORED:
        tall, wide = (32, 128) if evaluate(sweep.n, values) > _NARROW else (64, 32)
        warps = _WARPS // 2
    return PipelineConfig(
        tile_m=tall, tile_n=wide, tile_k=1, stages=1, warps=warps, vector_a=run if aligned else 1, vector_c=stored
    )


def transpose_kernel(
    sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile, name: str
) -> SemanticKernel:
    """Return the schedule of such a copy.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` by ``tile_n`` elements per block, ``warps`` warps. ``vector_a`` and ``vector_c`` are promises: so many elements lie
        together, aligned, in columns of the source and in rows of the target.

    Raises
    ------
    ConfigurationError
        If the rectangle does not divide among warps and lanes.
    """
    return _Builder(sweep, configuration, profile).kernel(name)


class _Builder:
    def __init__(self, sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.s, self.config, self.profile = sweep, configuration, profile
        config, lanes = configuration, profile.lanes
        self.rows = config.tile_m // config.warps
        self.along = config.tile_n // config.vector_c
        whole = self.rows * config.warps == config.tile_m and self.along * config.vector_c == config.tile_n
        rules = (
            (whole and lanes % max(self.along, 1) == 0 and self.rows % max(lanes // max(self.along, 1), 1) == 0,
             f"{config.tile_m}x{config.tile_n} elements do not divide among {config.warps} warps of {lanes} lanes"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == config.stages == 1,
             "roles, clusters, divisions and stages are not part of this schedule"),
            (config.warps * lanes <= profile.max_threads_per_block, f"{config.warps} warps are too many for a block"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the copy does not fit: {fault}", configuration=config.describe())
        self.raster = Raster(sweep, config)
        self.layout = _rows_of_runs(self.rows, self.along, lanes, config.vector_c)
        source = sweep.replace(parts=KAxis(J.name, self.ends))
        self.tile = OperandTile(
            _TILE, source, sweep.source.replace(guard=()), I, sweep.m, Const(0), config.tile_m, config.tile_n, config.warps, 1,
            config.vector_a, self.layout, _without_matrices(profile),
        )  # fmt: skip

    @property
    def ends(self) -> Index:
        """Where a row of the source ends, of as many columns as there are; beyond that the target gets zeros."""
        end: Index = self.s.n
        for test in self.s.source.guard:
            end = minimum(end, test.right)
        return end

    def kernel(self, name: str) -> SemanticKernel:
        config = self.config
        rows, columns = self.raster.counts
        fragments = (*self.tile.fragments(), Fragment(_HELD, self.s.source.dtype, self.layout))
        role = Role(WARP.name, Actor.WARP, config.warps, self.profile.lanes, fragments, self._body(), _REGISTERS)
        buffer = self.tile.buffer()
        needed = {
            self.s.source.operand: self.tile.alignment,
            self.s.out.operand: config.vector_c * self.s.out.dtype.bytes,
        }
        return SemanticKernel(
            name=name, title=self.s.title, family="contraction", variant="sweep", arch=self.profile.arch, configuration=config,
            parameters=tuple(p.replace(alignment=needed[p.name]) for p in self.s.parameters), symbols=self._symbols(),
            buffers=(buffer,), rings=(), roles=(role,),
            launch=Launch(rows * columns * self.s.items, config.warps * self.profile.lanes, 1, shared_plan((buffer,), ()).bytes),
        )  # fmt: skip

    def _symbols(self) -> tuple[Symbol, ...]:
        declared = {symbol.name for symbol in self.s.symbols}
        stored = dict.fromkeys((symbols(self.s.out.offset) | symbols(self.s.n)) & declared, self.config.vector_c)
        multiples = self.tile.multiples()
        return tuple(
            s.replace(
                maximum=min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 else s.maximum,
                multiple=max(s.multiple, multiples.get(s.name, 1), stored.get(s.name, 1)),
            )
            for s in self.s.symbols
        )

    def _body(self) -> tuple[Node, ...]:
        ends = (self.s.n, *(test.right for test in self.s.source.guard))
        inside = (
            less(ROW0 + (self.config.tile_m - 1), self.s.m),
            *(less(COLUMN0 + (self.config.tile_n - 1), end) for end in ends),
        )
        whole, cut = self._rectangle(edge=False), self._rectangle(edge=True)
        return self.raster.over_tiles((Let(DEPTH.name, self.ends), If(inside, whole, cut)))

    def _rectangle(self, edge: bool) -> tuple[Node, ...]:
        first = WARP * self.rows
        places: dict[str, Index] = {I.name: ROW0 + first + ROW, J.name: COLUMN0 + COLUMN}
        guard: Guard = (less(places[I.name], self.s.m), less(places[J.name], self.s.n)) if edge else ()
        target = Access(self.s.out.operand, substitute(self.s.out.offset, places))
        return (
            *self.tile.fetch(ROW0, COLUMN0, edge),
            *self.tile.deposit(Const(0)),
            Barrier(Scope.BLOCK, "deposited"),
            self.tile.read(_HELD, first, Const(0), Const(0), transposed=False),
            Store(target, _HELD, Transfer.GATHER, guard, self.config.vector_c),
            Barrier(Scope.BLOCK, "taken"),
        )


def _without_matrices(profile: CapabilityProfile) -> CapabilityProfile:
    """The same device without loads of matrices, which give a tile's bytes another order than lanes store them in."""
    return profile.replace(features=tuple(word for word in profile.features if word != "ldmatrix"))


def _rows_of_runs(rows: int, along: int, lanes: int, run: int) -> FragmentLayout:
    """Rows of a warp: a lane's low registers are a run, `along` lanes follow each other in a row, the others begin further rows."""
    bits = [value.bit_length() - 1 for value in (along, lanes // along, run, rows // (lanes // along))]
    lane = tuple((0, run << i) for i in range(bits[0])) + tuple((1 << i, 0) for i in range(bits[1]))
    register = tuple((0, 1 << i) for i in range(bits[2])) + tuple((1 << (bits[1] + i), 0) for i in range(bits[3]))
    return FragmentLayout.from_bits((rows, along * run), lane, register)

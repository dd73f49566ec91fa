# SPDX-License-Identifier: MIT
"""The schedule of a transposition of matrices so narrow that they are runs of memory: 3×3 taps of filters, 7×7 pixels of planes.

Where the columns of a matrix have nine elements and follow one another, lanes that go along a column stand idle or read parts of lines.
Here each warp takes some columns as the run of memory that they are, 16 bytes at a time, leaves it in shared memory as it is, and reads
it back across: neighbouring lanes take neighbouring columns, a word each, which lie an odd number of words apart and so in other banks.
Each row is then stored as a line. So the length of a column is known when the kernel is built, and odd.
"""

from __future__ import annotations

import math

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.raster import COLUMN0, Raster
from tracea_core.semantic.contraction import ITEM, I, J
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import (
    COLUMN,
    Const,
    Guard,
    Sym,
    coefficient,
    evaluate,
    less,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Launch, Lifetime, Role, SemanticKernel, Space, Symbol
from tracea_core.semantic.lanes_base import bits, log2
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import Access, Barrier, BufferRef, Let, Load, Loop, Node, Scope, Store, Transfer
from tracea_core.semantic.sweep import LANES, SHORT_COLUMN, WORD, Sweep
from tracea_core.target import CapabilityProfile

_WARPS, _TALL = 8, 16
"""Warps of a block, half as many where columns are longer."""
_CHUNK = 16
_REGISTERS = 96
_UNROLLED = 3
_FIRST, _ROW = Sym("first_column"), Sym("row_of_matrix")
_ALONG = "column"
_RUN, _WORDS, _KEPT = "elements", "words", "kept"


def is_narrow(sweep: Sweep) -> bool:
    """Whether a transposition's form knows how long columns are: they are short then, and follow one another."""
    return isinstance(sweep.m, Const)


def narrow_configuration(
    sweep: Sweep, values: dict[str, int], read_alignment: int, write_alignment: int
) -> PipelineConfig:
    """Return how such a transposition runs: in runs as long as strides, extents and addresses allow, and stores of a word.

    Parameters
    ----------
    read_alignment, write_alignment : int
        Bytes that the addresses of the source and of the target are multiples of.
    """
    size = sweep.source.dtype.bytes
    read, stored = max(min(_CHUNK, read_alignment) // size, 1), max(min(WORD, write_alignment) // size, 1)
    while read > 1 and any(values[name] % read for name in _read_by_runs(sweep)):
        read //= 2
    while stored > 1 and any(values[name] % stored for name in _stored_by_runs(sweep)):
        stored //= 2
    assert isinstance(sweep.m, Const)
    tall, wide = sweep.m.value, LANES * WORD // size
    chunks = -(-int(evaluate(sweep.n, values)) // wide)
    warps = -(-chunks // -(-chunks // (_WARPS if tall <= _TALL else _WARPS // 2)))
    return PipelineConfig(
        tile_m=tall, tile_n=wide * warps, tile_k=1, stages=1, warps=warps,
        vector_a=read if read * size >= WORD else 1, vector_c=stored if stored * size >= WORD else 1,
    )  # fmt: skip


def narrow_kernel(sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile, name: str) -> SemanticKernel:
    """Return the schedule of such a transposition.

    Parameters
    ----------
    configuration : PipelineConfig
        Columns of ``tile_m`` elements, ``tile_n`` of them for a block, which its ``warps`` warps share. ``vector_a`` and ``vector_c`` are
        promises: so many elements lie together, aligned, in the source and in rows of the target.

    Raises
    ------
    ConfigurationError
        If columns are even, lanes have not a word each, or the device's warps have not 32 lanes.
    """
    return _Narrow(sweep, configuration, profile).kernel(name)


class _Narrow:
    def __init__(self, sweep: Sweep, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.s, self.config, self.profile = sweep, configuration, profile
        size, self.tall, self.wide = (
            sweep.source.dtype.bytes,
            configuration.tile_m,
            configuration.tile_n // configuration.warps,
        )
        rules = (
            (profile.lanes == LANES, f"warps of {profile.lanes} lanes do not read as many banks"),
            (sweep.m == Const(self.tall) and self.tall % 2 == 1 and self.tall <= SHORT_COLUMN, f"columns of {self.tall} elements"),
            (self.wide * size == LANES * WORD and self.wide * configuration.warps == configuration.tile_n,
             f"{configuration.tile_n} columns are not a word for each lane of {configuration.warps} warps"),
            (configuration.warps * LANES <= profile.max_threads_per_block, f"{configuration.warps} warps are too many for a block"),
            (max(configuration.vector_a * size // _CHUNK, configuration.vector_c * size // WORD) <= 1, "runs are no accesses"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the transposition does not fit: {fault}", configuration=configuration.describe())
        run, self.elements = configuration.vector_a, self.tall * self.wide
        reach = run * LANES
        linear = FragmentLayout.from_bits((1, reach), bits(_ALONG, run, log2(LANES)), bits(_ALONG, 1, log2(run)))
        each = self.wide // LANES
        across = FragmentLayout.from_bits((1, self.wide), bits(_ALONG, each, log2(LANES)), bits(_ALONG, 1, log2(each)))
        self.run = Fragment(_RUN, sweep.source.dtype, linear.repeat(columns=-(-self.elements // reach)))
        self.words = Fragment(_WORDS, sweep.source.dtype, across)

    def kernel(self, name: str) -> SemanticKernel:
        """Return the kernel."""
        config, size = self.config, self.s.source.dtype.bytes
        role = Role(WARP.name, Actor.WARP, config.warps, LANES, (self.run, self.words), self._body(), _REGISTERS)
        rows, columns = Raster(self.s, config).counts
        layout = Layout.row_major(("warp", config.warps), ("element", self.run.layout.shape[1]))
        buffers = (Buffer(_KEPT, Space.SHARED, self.s.source.dtype, layout, Lifetime.TILE, alignment=_CHUNK),)
        needed = {self.s.source.operand: config.vector_a * size, self.s.out.operand: config.vector_c * size}
        return SemanticKernel(
            name=name, title=self.s.title, family="contraction", variant="sweep", arch=self.profile.arch, configuration=config,
            parameters=tuple(p.replace(alignment=needed[p.name]) for p in self.s.parameters), symbols=self._symbols(),
            buffers=buffers, rings=(), roles=(role,),
            launch=Launch(rows * columns * self.s.items, config.warps * LANES, 1, shared_plan(buffers, ()).bytes),
        )  # fmt: skip

    def _symbols(self) -> tuple[Symbol, ...]:
        """The pass's symbols: sizes within 32 bits, and multiples of the runs that follow them."""
        runs = dict.fromkeys(_read_by_runs(self.s), self.config.vector_a)
        words = dict.fromkeys(_stored_by_runs(self.s), self.config.vector_c)
        return tuple(
            s.replace(
                maximum=min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 else s.maximum,
                multiple=math.lcm(s.multiple, runs.get(s.name, 1), words.get(s.name, 1)),
            )
            for s in self.s.symbols
        )

    def _body(self) -> tuple[Node, ...]:
        s = self.s
        columns = s.n
        for test in s.source.guard:  # of what lies beyond the source's own columns, zeros are stored
            columns = minimum(columns, test.right)
        of_run = substitute(s.source.offset, {I.name: Const(0), J.name: _FIRST}) + COLUMN
        inside: Guard = (
            less(COLUMN, self.elements), less(_FIRST * self.tall + COLUMN, columns * self.tall),
        )  # fmt: skip
        target = Access(s.out.operand, substitute(s.out.offset, {I.name: _ROW, J.name: _FIRST + COLUMN}))
        across = BufferRef(_KEPT, (WARP, COLUMN * self.tall + _ROW))
        row = (
            Load(_WORDS, across, Transfer.GATHER),
            Store(target, _WORDS, Transfer.GATHER, (less(_FIRST + COLUMN, s.n),), self.config.vector_c),
        )
        tile = (
            Let(_FIRST.name, COLUMN0 + WARP * self.wide),
            Load(_RUN, Access(s.source.operand, of_run), Transfer.GATHER, inside, width=self.config.vector_a),
            Store(
                BufferRef(_KEPT, (WARP, COLUMN)), _RUN, Transfer.GATHER, (), self.config.vector_a,
            ),
            Barrier(Scope.BLOCK, "kept"),
            Loop(_ROW.name, Const(0), Const(self.tall), row, unroll=_UNROLLED),
            Barrier(Scope.BLOCK, "taken"),
        )  # fmt: skip
        return Raster(s, self.config).over_tiles(tile)


def _declared(sweep: Sweep) -> set[str]:
    return {symbol.name for symbol in sweep.symbols}


def _read_by_runs(sweep: Sweep) -> frozenset[str]:
    """What must be a multiple of a run that is read: how many columns there are, and how far matrices lie apart."""
    apart = coefficient(sweep.source.offset, ITEM.name)
    found = symbols(sweep.n).union(*(symbols(test.right) for test in sweep.source.guard))
    return frozenset((found | (symbols(apart) if apart is not None else frozenset())) & _declared(sweep))


def _stored_by_runs(sweep: Sweep) -> frozenset[str]:
    """What must be a multiple of what is stored together."""
    return frozenset((symbols(sweep.out.offset) | symbols(sweep.n)) & _declared(sweep))

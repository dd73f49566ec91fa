# SPDX-License-Identifier: MIT
"""The schedule of channels filtered each on its own: a warp takes a strip of pixels of a few lines, its lanes runs of channels.

The block's warps take neighbouring lines, whose windows overlap, so that most of what they read is in the first cache. A filter row at
a time, a lane loads the columns that its pixels' windows reach, once, and every element of the filter takes its part of them: for 7
columns and 14 pixels 20 loads serve 98 products, and as many for each further line whose windows share the row. The filters of the
block's channels wait in shared memory, one row for each element, widened once. Columns that a stride leaves apart (or a dilation) are
loaded as pieces of their own, so that each part is a run of registers.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.computed import MULTIPLY_ADD
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.pieces import pieces
from tracea_core.semantic.build.staged_filters import FILTERS, StagedFilters
from tracea_core.semantic.build.strip_arguments import parameters, sizes
from tracea_core.semantic.build.strip_blocks import blocks, dealt
from tracea_core.semantic.build.strip_columns import StripColumns
from tracea_core.semantic.build.strip_ends import StripEnds
from tracea_core.semantic.build.strip_spans import is_known, spans, unseen
from tracea_core.semantic.contraction import I, J
from tracea_core.semantic.depthwise import IMAGE, LINE, C, Depthwise
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    addends,
    at_least,
    ceil_div,
    coefficient,
    less,
    substitute,
)
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Launch, Role, SemanticKernel
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    Access,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Scope,
    Transfer,
)
from tracea_core.target import CapabilityProfile

_CHUNK = 16
"""Bytes of the widest access of one lane."""
_WORD = 4
_SPARE_REGISTERS = 20
"""Of a thread, for addresses, counters and tests besides its fragments."""
_SUM, _PART, _WEIGHT = "total", "part", "weight"
_PIXEL0, FIRST_COLUMN = Sym("pixel0"), Sym("first_column")
_TAP_ROW, _CHANNEL = Sym("tap_row"), Sym("group_channel")


def depthwise_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of a convolution whose channels are filtered on their own.

    Parameters
    ----------
    configuration : PipelineConfig
        Each of `warps` warps takes ``tile_m`` pixels of ``tile_k`` lines by ``tile_n`` channels. ``vector_a`` and ``vector_c`` are
        promises: so many channels lie together, aligned, in images and in the output.

    Raises
    ------
    ConfigurationError
        If the channels do not divide among the lanes, a run is no access, or registers or shared memory do not suffice.
    """
    return Strips(form, configuration, profile).kernel(variant, name)


class Strips:
    """The schedule for one form and configuration; `tracea_core.semantic.build.rolling_strips` replaces what is done along a strip."""

    line, walks = LINE.name, False
    """What the first of a strip's lines is called, and whether a strip goes down lines one by one."""

    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.config, self.profile = form, configuration, profile
        self.run, self.pixels = configuration.tile_n // profile.lanes, configuration.tile_m
        self.lines, self.columns = configuration.tile_k, self._columns()
        self.filters = self._filters()(form, configuration.replace(tile_k=self._counts[0]), profile, self.columns)
        self.single = form.deep > 1 or J not in addends(form.image.origin)
        self.pieces = pieces(form.taps[1], form.stride[1], form.dilation[1], self.pixels)
        self.registers = 0
        self._require()
        row_bits = tuple((0, self.run << bit) for bit in range(profile.lanes.bit_length() - 1))
        run_bits = tuple((0, 1 << bit) for bit in range(self.run.bit_length() - 1))
        self.one = FragmentLayout.from_bits((1, configuration.tile_n), row_bits, run_bits)
        self.strip = self.one.repeat(rows=self.pixels)
        self.ends = StripEnds(form, self.filters.config, profile, self.columns, row_bits, run_bits, self.walks)
        self.alone = is_known(form, self.pixels)
        self.spans = spans(form, self.pixels, self.ends.pixels) if self.ends.exchanged else ((0, self.pixels),)
        self.sums = tuple(
            tuple(
                f"{_SUM}{line}_{first}" if max(self.lines, self._counts[1], len(self.spans)) > 1 else _SUM
                for first, _ in self.spans
            )
            for line in range(self._counts[1])
        )
        self.buffers = self._buffers()
        self.fragments = self._fragments()
        words = sum(-(-f.layout.registers * f.dtype.bytes // _WORD) for f in self.fragments)
        self.registers = min(words + _SPARE_REGISTERS, profile.max_registers_per_thread)
        held = self.registers * configuration.warps * profile.lanes
        if words > self.registers or held > profile.registers_per_processor:
            raise ConfigurationError(
                f"{words} registers of fragments are too many for a thread", configuration=configuration.describe()
            )

    @property
    def _counts(self) -> tuple[int, int]:
        """How many lines' sums end together, and how many a lane holds at a time."""
        return self.config.tile_k, self.config.tile_k

    @property
    def _most_stages(self) -> int:
        """A row ahead, which waits in registers; rows of several channels are not loaded ahead."""
        return 2 if self.f.deep == 1 else 1

    def _columns(self) -> StripColumns:
        return StripColumns(self.f, self.config)

    def _filters(self) -> type[StagedFilters]:
        return StagedFilters

    def _buffers(self) -> tuple[Buffer, ...]:
        return (self.filters.buffer(),)

    @property
    def spare(self) -> int:
        """Registers besides those that are held throughout a row."""
        return _SPARE_REGISTERS

    def _part(self, count: int) -> str:
        return _PART if count == self.pixels else f"{_PART}{count}"

    def _require(self) -> None:
        config, lanes = self.config, self.profile.lanes
        rules = (
            (self.run >= 1 and not self.run & (self.run - 1) and config.tile_n == lanes * self.run,
             f"{config.tile_n} channels do not give {lanes} lanes a power of two each"),
            (config.row_block > 0 or (not config.warps & (config.warps - 1) and self.filters.groups % config.warps == 0),
             f"{config.warps} warps do not share {config.tile_n} filters out"),
            (not config.row_block or self._side_by_side(), f"{config.row_block} strips do not lie side by side"),
            (min(self.run, _CHUNK // self.f.compute.bytes) <= self.filters.padding,
             f"{self.run} filters of a lane are read in pieces, which meet in banks"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == 1,
             "roles, clusters and divisions are not part of this schedule"),
            (self.lines == config.unroll_k == 1 or (self.f.deep == self.f.dilation[0] == 1),
             f"windows of {self.lines} lines do not share the image's rows"),
            (config.stages <= self._most_stages, f"rows are not loaded {config.stages - 1} ahead"),
            (config.warps * lanes <= self.profile.max_threads_per_block, f"{config.warps} warps are too many for a block"),
            (self._fits(config.vector_a)
             and (self._is_access(self.f.out.dtype, config.vector_c) or StripEnds.takes(self.f, self.filters.config, self.run))
             and (config.vector_a == 1 or not self.single),
             f"runs of {config.vector_a} and {config.vector_c} are no accesses"),
            (self._apart(self.f.image.by_column) % config.vector_a == 0
             and self._apart(coefficient(self.f.out.offset, I.name)) % config.vector_c == 0,
             f"pixels are no multiple of {config.vector_a} and {config.vector_c} channels apart"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the convolution does not fit: {fault}", configuration=config.describe())

    def _side_by_side(self) -> bool:
        """Whether lanes can go on with the next strip where channels end."""
        return False

    def _fits(self, width: int) -> bool:
        """Whether rows of the image are loaded by accesses of so many channels."""
        return self._is_access(self.f.image.dtype, width)

    def _is_access(self, dtype: DType, width: int) -> bool:
        return width == 1 or (width <= self.run and _WORD <= width * dtype.bytes <= _CHUNK)

    def _apart(self, distance: Index | None) -> int:
        """A fixed distance of neighbouring pixels; 0 for one that is an argument, whose domain says what it is a multiple of."""
        return distance.value if isinstance(distance, Const) else 0

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel."""
        f, config, lanes = self.f, self.config, self.profile.lanes
        role = Role(WARP.name, Actor.WARP, config.warps, lanes, self.fragments, self._body(), self.registers)
        return SemanticKernel(
            name=name, title=f.title, family="contraction", variant=variant, arch=self.profile.arch, configuration=config,
            parameters=parameters(f, config), symbols=sizes(f, config), buffers=self.buffers, rings=(), roles=(role,),
            launch=Launch(self._blocks, config.warps * lanes, shared_bytes=shared_plan(self.buffers, ()).bytes),
        )  # fmt: skip

    def _fragments(self) -> tuple[Fragment, ...]:
        f, compute = self.f, self.f.compute
        found = [
            Fragment(name, compute, self.one.repeat(rows=count))
            for names in self.sums
            for name, (_, count) in zip(names, self.spans, strict=True)
        ]
        counts = dict.fromkeys(count for _, count in self.spans)
        found += [Fragment(self._part(count), compute, self.one.repeat(rows=count)) for count in counts]
        found += [Fragment(_WEIGHT, compute, self.one), *self.ends.fragments()]
        found += self.filters.fragments()
        for number, piece in enumerate(self.pieces):
            layout = self.one.repeat(rows=piece.count)
            found.append(Fragment(_piece(number), compute, layout))
            if self._fetched(number) != _piece(number):
                found.append(Fragment(self._fetched(number), f.image.dtype, layout))
        return tuple(found)

    # ---- the body

    def _body(self) -> tuple[Node, ...]:
        """Stage the filters of a column of tiles once, and filter every strip of it whose turn it is."""
        f, place, rest = self.f, Sym("place"), Sym("rest")
        strip = (
            Let(self.line, place % self._groups[0] * self.lines if self.lines > 1 else place % f.lines),
            Let("rest", place // self._groups[0]),
            Let(_PIXEL0.name, rest % Sym("strips") * self.columns.reach),
            *(() if self.columns.apart else (Let(IMAGE.name, rest // Sym("strips")),)),
            Let(FIRST_COLUMN.name, _PIXEL0 * f.stride[1] - f.padding[1]),
            *self._taken(),
        )
        staged = (self.filters.stage(), Barrier(Scope.BLOCK, "staged"), *self._hold())
        return dealt(self.columns, (self._strips, self._groups[1] * Sym("strips")), staged, strip)

    def _taken(self) -> tuple[Node, ...]:
        """What a warp does with its strip, where there is one."""
        strip = If(self._whole(), self._strip(edge=False), self._strip(edge=True))
        return (If((less(Sym("place"), Sym("places")),), (strip,)),)

    def _whole(self) -> Guard:
        """Whether all pixels and channels of a strip, and all that their windows reach across, are there: nothing is tested then."""
        f = self.f
        lines = (less(LINE + (self.lines - 1), f.lines),) if self._counts[0] > 1 else ()
        channels = self.columns.all_there()
        if self.alone:  # the other tests are decided when printing
            return (*channels, *lines)
        last = max(piece.first + (piece.count - 1) * f.stride[1] for piece in self.pieces)
        return (
            *(less(_PIXEL0 + (self.pixels - 1), f.m), *channels),
            *f.image.pixel(Const(0), FIRST_COLUMN)[1][2:3],
            *f.image.pixel(Const(0), FIRST_COLUMN + last)[1][3:],
            *lines,
        )

    def _strip(self, edge: bool) -> tuple[Node, ...]:
        firsts = [first for first, _ in self.spans]
        held = tuple(tuple(zip(names, firsts, strict=True)) for names in self.sums)
        return (*self._sums(edge), *self.ends.nodes(held, edge, self.alone))

    @property
    def _groups(self) -> tuple[Index, Index]:
        """How many times a strip's lines fit into those of an image, and of all images."""
        f = self.f
        each = ceil_div(f.lines, self.lines)
        if self.columns.apart:
            return each, each
        return (f.lines, f.items) if self.lines == 1 else (each, f.items // f.lines * each)

    @property
    def _blocks(self) -> Index:
        rows = ceil_div(self._groups[1] * self._strips, self.columns.takers)
        columns = ceil_div(self.columns.count, self.columns.tile)
        return blocks(self.config, self.profile, rows, columns, self._needed)

    @property
    def _strips(self) -> Index:
        return ceil_div(self.f.m, self.columns.reach)

    @property
    def _needed(self) -> int:
        """Registers of a thread that are held throughout a row, and what is spared for all else."""
        held = sum(one.layout.registers * one.dtype.bytes for one in self.fragments if one.name in self._live)
        return -(-held // _WORD) + self.spare

    @property
    def _live(self) -> frozenset[str]:
        """Fragments that hold registers of their own throughout a row; parts are names of others."""
        held = [name for number in range(len(self.pieces)) for name in (_piece(number), _raw(_piece(number)))]
        return frozenset((*(name for names in self.sums for name in names), *held))

    def _sums(self, edge: bool) -> tuple[Node, ...]:
        """Add up the products of one filter row after the other; rows outside the image are left out.

        With two stages, a row is loaded while the one before it is multiplied.
        """
        f = self.f
        begin = tuple(Fill(name) for names in self.sums for name in names)
        rows = Const((self.lines - 1) * f.stride[0] + f.taps[0])
        if self.config.stages == 1:
            nodes: tuple[Node, ...] = (
                If(self._exists(_TAP_ROW), (*self._fetch(_TAP_ROW, edge), *self._widen(), *self._multiply())),
            )
            if f.deep > 1:
                nodes = (Loop(_CHANNEL.name, Const(0), Const(f.deep), nodes),)
            return (*begin, Loop(_TAP_ROW.name, Const(0), rows, nodes))
        ahead = (less(_TAP_ROW, rows.value - 1), *self._exists(_TAP_ROW + 1))
        row = (
            *self._widen(),
            If(ahead, self._fetch(_TAP_ROW + 1, edge)),
            If(self._exists(_TAP_ROW), self._multiply()),
        )
        return (
            *begin,
            *(Fill(self._fetched(number)) for number in range(len(self.pieces))),
            If(self._exists(Const(0)), self._fetch(Const(0), edge)),
            Loop(_TAP_ROW.name, Const(0), rows, row),
        )

    def _exists(self, tap_row: Index) -> Guard:
        return self.f.image.pixel(self.f.image_row(tap_row), Const(0))[1][:2]

    def _fetched(self, number: int) -> str:
        """What a piece is loaded into: its own registers, or those of its stored type or of the next row."""
        plain = self.f.image.dtype is self.f.compute and self.config.stages == 1
        return _piece(number) if plain else _raw(_piece(number))

    def _fetch(self, tap_row: Index, edge: bool) -> tuple[Node, ...]:
        """Load the columns that the strip's windows reach in one row."""
        f, nodes = self.f, []
        for number, piece in enumerate(self.pieces):
            place = FIRST_COLUMN + (ROW * f.stride[1] + piece.first)
            offset, tests = f.image.pixel(f.image_row(tap_row), place)
            source = Access("x", substitute(offset, {**self.columns.places(COLUMN), C.name: _CHANNEL}))
            inside = self.columns.there(COLUMN) if edge else ()
            guard = (*tests[2:], *inside) if edge or self.alone else ()
            nodes.append(Load(self._fetched(number), source, Transfer.GATHER, guard, width=self.config.vector_a))
        return tuple(nodes)

    def _widen(self) -> tuple[Node, ...]:
        names = ((_piece(number), self._fetched(number)) for number in range(len(self.pieces)))
        return tuple(Compute(name, Accumulator(0), self.f.compute, (raw,)) for name, raw in names if raw != name)

    def _multiply(self) -> tuple[Node, ...]:
        """Give every line whose windows reach the row its products."""
        nodes: list[Node] = []
        for line, totals in enumerate(self.sums):
            row = _TAP_ROW - line * self.f.stride[0] if line else _TAP_ROW
            products, tests = self._products(row, totals), (at_least(row, 0), less(row, self.f.taps[0]))
            # what the loop's end does not say already
            reached = tests[0 if line else 1 : 1 if line == self.lines - 1 else 2]
            nodes += [If(reached, products)] if reached else products
        return tuple(nodes)

    def _products(self, row: Index, totals: tuple[str, ...]) -> tuple[Node, ...]:
        f = self.f
        nodes: list[Node] = []
        for number, piece in enumerate(self.pieces):
            for tap, place in piece.taps:
                element = (row * f.taps[1] + tap) * f.deep + (_CHANNEL if f.deep > 1 else self.filters.before)
                weight = self._weight(nodes, element)
                for total, (first, count) in zip(totals, self.spans, strict=True):
                    if len(totals) == 1 or not unseen(f, first, count, tap):
                        part = self._part(count)
                        nodes.append(Extract(part, _piece(number), Const(place + first), Const(0)))
                        nodes.append(Compute(total, MULTIPLY_ADD, f.compute, (total, part), (weight,)))
        return tuple(nodes)

    def _hold(self) -> tuple[Node, ...]:
        """Load what stays in registers for all strips of a column of tiles: nothing."""
        return ()

    def _weight(self, nodes: list[Node], element: Index, name: str = _WEIGHT) -> str:
        """Return the fragment that holds an element of the filters, loaded by the nodes."""
        width = min(self.run, self.filters.padding, _CHUNK // self.f.compute.bytes)
        nodes.append(
            Load(name, BufferRef(FILTERS, (element, self.columns.of_filters(COLUMN))), Transfer.GATHER, width=width)
        )
        return name


def _piece(number: int) -> str:
    return f"window{number}"


def _raw(name: str) -> str:
    return f"{name}_raw"

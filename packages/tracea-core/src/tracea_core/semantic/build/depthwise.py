# SPDX-License-Identifier: MIT
"""The schedule of channels filtered each on its own: a warp takes a strip of pixels of one line, its lanes runs of channels.

The block's warps take neighbouring lines, whose windows overlap, so that most of what they read is in the first cache. A filter row at
a time, a lane loads the columns that its pixels' windows reach, once, and every element of the filter takes its part of them: for 7
columns and 14 pixels 20 loads serve 98 products. The filters of the block's channels wait in shared memory, one row for each element,
widened once. Columns that a stride leaves apart (or a dilation) are loaded as pieces of their own, so that each part is a run of registers.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.approximation import stands_approximation
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.multistage_lanes import WARP, scalar
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.depthwise import IMAGE, LINE, C, Depthwise, R, S
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    addends,
    ceil_div,
    coefficient,
    less,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import (
    Actor,
    Buffer,
    Fragment,
    Launch,
    Lifetime,
    Parameter,
    Role,
    SemanticKernel,
    Space,
    Symbol,
)
from tracea_core.semantic.layout import FragmentLayout, Layout
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
    Store,
    Transfer,
)
from tracea_core.target import CapabilityProfile

_CHUNK = 16
"""Bytes of the widest access of one lane."""
_WORD = 4
_TAPS = 8
"""Neighbouring elements of a filter that the lanes of a warp stage together; the other lanes take further channels."""
_SPARE_REGISTERS = 32
"""Of a thread, for addresses, counters and tests besides its fragments."""
_SUM, _PART, _WEIGHT, _RESULT, _FILTERS = "total", "part", "weight", "result", "filters"
_STAGED, _STAGED_RAW = "staged", "staged_raw"
_MULTIPLY_ADD = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.MUL, Accumulator(1), Operand(0)))
_COLUMN0, _PIXEL0, _FIRST = Sym("column0"), Sym("pixel0"), Sym("first_column")
_TAP_ROW, _CHANNEL = Sym("tap_row"), Sym("group_channel")


class Piece(Data, frozen=True):
    """Columns of a window that lie a stride apart: `first` of them, counted in columns, `count` in all, and the taps that take a part.

    `taps` are (column of the filter, where its part begins).
    """

    first: int
    count: int
    taps: tuple[tuple[int, int], ...]


def pieces(columns: int, stride: int, dilation: int, pixels: int) -> tuple[Piece, ...]:
    """Return how the columns that `pixels` neighbouring windows reach are loaded.

    >>> [(piece.first, piece.count) for piece in pieces(columns=3, stride=2, dilation=1, pixels=4)]
    [(0, 5), (1, 4)]
    """
    found: list[Piece] = []
    for phase in dict.fromkeys(tap * dilation % stride for tap in range(columns)):
        taps = [(tap, tap * dilation // stride) for tap in range(columns) if tap * dilation % stride == phase]
        runs: list[list[tuple[int, int]]] = []
        for tap, place in taps:
            if runs and place - runs[-1][-1][1] <= pixels:
                runs[-1].append((tap, place))
            else:
                runs.append([(tap, place)])
        for run in runs:
            start, last = run[0][1], run[-1][1]
            parts = tuple((tap, place - start) for tap, place in run)
            found.append(Piece(phase + start * stride, pixels + last - start, parts))
    return tuple(found)


def depthwise_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of a convolution whose channels are filtered on their own.

    Parameters
    ----------
    configuration : PipelineConfig
        Each of `warps` warps takes ``tile_m`` pixels of a line by ``tile_n`` channels. ``vector_a`` and ``vector_c`` are promises: so
        many channels lie together, aligned, in images and in the output.

    Raises
    ------
    ConfigurationError
        If the channels do not divide among the lanes, a run is no access, or registers or shared memory do not suffice.
    """
    return _Builder(form, configuration, profile).kernel(variant, name)


class _Builder:
    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.config, self.profile = form, configuration, profile
        self.run, self.pixels = configuration.tile_n // profile.lanes, configuration.tile_m
        self.across = profile.lanes // _TAPS
        self.padding = max(profile.shared_banks // _TAPS, 1)
        self.single = form.deep > 1 or J not in addends(form.image.origin)
        self.pieces = pieces(form.taps[1], form.stride[1], form.dilation[1], self.pixels)
        self.registers = 0
        self._require()
        row_bits = tuple((0, self.run << bit) for bit in range(profile.lanes.bit_length() - 1))
        run_bits = tuple((0, 1 << bit) for bit in range(self.run.bit_length() - 1))
        self.one = FragmentLayout.from_bits((1, configuration.tile_n), row_bits, run_bits)
        self.strip = self.one.repeat(rows=self.pixels)
        self.buffer = self._buffer()
        self.fragments = self._fragments()
        words = sum(-(-f.layout.registers * f.dtype.bytes // _WORD) for f in self.fragments)
        self.registers = min(words + _SPARE_REGISTERS, profile.max_registers_per_thread)
        held = self.registers * configuration.warps * profile.lanes
        if words > self.registers or held > profile.registers_per_processor:
            raise ConfigurationError(
                f"{words} registers of fragments are too many for a thread", configuration=configuration.describe()
            )

    def _require(self) -> None:
        config, lanes = self.config, self.profile.lanes
        rules = (
            (self.run >= 1 and not self.run & (self.run - 1) and config.tile_n == lanes * self.run,
             f"{config.tile_n} channels do not give {lanes} lanes a power of two each"),
            (not config.warps & (config.warps - 1) and config.tile_n // self.across % config.warps == 0,
             f"{config.warps} warps do not share {config.tile_n} filters out"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == config.stages == 1,
             "roles, clusters, divisions and stages are not part of this schedule"),
            (config.warps * lanes <= self.profile.max_threads_per_block, f"{config.warps} warps are too many for a block"),
            (self._is_access(self.f.image.dtype, config.vector_a) and self._is_access(self.f.out.dtype, config.vector_c)
             and (config.vector_a == 1 or not self.single),
             f"runs of {config.vector_a} and {config.vector_c} are no accesses"),
            (self._apart(self.f.image.by_column) % config.vector_a == 0
             and self._apart(coefficient(self.f.out.offset, I.name)) % config.vector_c == 0,
             f"pixels are no multiple of {config.vector_a} and {config.vector_c} channels apart"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the convolution does not fit: {fault}", configuration=config.describe())

    def _is_access(self, dtype: DType, width: int) -> bool:
        return width == 1 or (width <= self.run and _WORD <= width * dtype.bytes <= _CHUNK)

    def _apart(self, distance: Index | None) -> int:
        """A fixed distance of neighbouring pixels; 0 for one that is an argument, whose domain says what it is a multiple of."""
        return distance.value if isinstance(distance, Const) else 0

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        f, config = self.f, self.config
        role = Role(
            WARP.name, Actor.WARP, config.warps, self.profile.lanes, self.fragments, self._body(), self.registers
        )
        blocks = ceil_div(f.items * ceil_div(f.m, self.pixels), config.warps) * ceil_div(f.n, config.tile_n)
        return SemanticKernel(
            name=name, title=f.title, family="contraction", variant=variant, arch=self.profile.arch, configuration=config,
            parameters=self._parameters(), symbols=self._symbols(), buffers=(self.buffer,), rings=(), roles=(role,),
            launch=Launch(blocks, config.warps * self.profile.lanes, shared_bytes=shared_plan((self.buffer,), ()).bytes),
        )  # fmt: skip

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = {"x": self.config.vector_a, self.f.out.operand: self.config.vector_c}
        return tuple(p.replace(alignment=p.dtype.bytes * needed.get(p.name, 1)) for p in self.f.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols: multiples of the runs that follow them, sizes within 32 bits."""
        image = self.f.image
        read = symbols(image.origin) | symbols(image.by_row) | symbols(image.by_column) | symbols(self.f.n)
        multiples = dict.fromkeys(read, self.config.vector_a)
        for symbol in symbols(self.f.out.offset) | symbols(self.f.n):
            multiples[symbol] = max(multiples.get(symbol, 1), self.config.vector_c)
        return tuple(
            s.replace(
                maximum=min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 else s.maximum,
                multiple=max(s.multiple, multiples.get(s.name, 1)),
            )
            for s in self.f.symbols
        )

    @property
    def _elements(self) -> int:
        """Elements of a filter."""
        return self.f.taps[0] * self.f.taps[1] * self.f.deep

    def _buffer(self) -> Buffer:
        """A row of channels for each element; rows lie apart so that neighbouring elements begin in other banks."""
        rows = -(-self._elements // _TAPS) * _TAPS
        layout = Layout.row_major(("tap", rows), ("channel", self.config.tile_n), pad=self.padding)
        return Buffer(_FILTERS, Space.SHARED, self.f.compute, layout, Lifetime.TILE, alignment=_CHUNK)

    def _fragments(self) -> tuple[Fragment, ...]:
        f, compute = self.f, self.f.compute
        lane_bits = self.profile.lanes.bit_length() - 1
        tap_bits = _TAPS.bit_length() - 1
        lanes = tuple((1 << b, 0) for b in range(tap_bits)) + tuple((0, 1 << b) for b in range(lane_bits - tap_bits))
        staged = FragmentLayout.from_bits((_TAPS, self.across), lanes, ())
        found = [Fragment(_SUM, compute, self.strip), Fragment(_PART, compute, self.strip)]
        found += [Fragment(_WEIGHT, compute, self.one), Fragment(_RESULT, f.out.dtype, self.strip)]
        found += [Fragment(_STAGED, compute, staged)]
        if f.b.dtype is not compute:
            found.append(Fragment(_STAGED_RAW, f.b.dtype, staged))
        for number, piece in enumerate(self.pieces):
            layout = self.one.repeat(rows=piece.count)
            found.append(Fragment(_piece(number), compute, layout))
            if f.image.dtype is not compute:
                found.append(Fragment(_raw(_piece(number)), f.image.dtype, layout))
        return (
            *found,
            *(Fragment(_held(term), term.dtype, self._operand_layout(term)) for term in f.epilogue_terms),
        )

    # ---- the body

    def _body(self) -> tuple[Node, ...]:
        f, place, rest = self.f, Sym("place"), Sym("rest")
        block, blocks, tile = Sym("block"), Sym("blocks"), Sym("tile")
        tiles = ceil_div(f.items * Sym("strips"), self.config.warps) * Sym("tile_columns")
        decode = (
            Let("tile", block + Sym("round") * blocks),
            Let(_COLUMN0.name, tile % Sym("tile_columns") * self.config.tile_n),
            Let("place", tile // Sym("tile_columns") * self.config.warps + WARP),
            Let(LINE.name, place % f.lines),
            Let("rest", place // f.lines),
            Let(_PIXEL0.name, rest % Sym("strips") * self.pixels),
            Let(IMAGE.name, rest // Sym("strips")),
        )
        inside = (less(place, f.items * Sym("strips")),)
        body = (
            *decode,
            self._stage(),
            Barrier(Scope.BLOCK, "staged"),
            If(inside, (*self._sums(), *self._finish())),
            Barrier(Scope.BLOCK, "used"),
        )
        return (
            Let("strips", ceil_div(f.m, self.pixels)),
            Let("tile_columns", ceil_div(f.n, self.config.tile_n)),
            Loop("round", Const(0), (tiles - block + (blocks - 1)) // blocks, body),
        )

    def _stage(self) -> Node:
        """Copy the filters of the block's channels into shared memory, an element's channels side by side."""
        f, unit = self.f, Sym("stage") * self.config.warps + WARP
        groups = self.config.tile_n // self.across
        tap, channel = unit // groups * _TAPS + ROW, unit % groups * self.across + COLUMN
        element = tap // f.deep
        places = {
            R.name: element // f.taps[1], S.name: element % f.taps[1], C.name: tap % f.deep, "tap": tap,
            J.name: _COLUMN0 + channel,
        }  # fmt: skip
        offset = substitute(_flat(f) or f.b.offset, places)
        raw = _STAGED if f.b.dtype is f.compute else _STAGED_RAW
        guard = (less(tap, self._elements), less(_COLUMN0 + channel, f.n))
        nodes: tuple[Node, ...] = (Load(raw, Access(f.b.operand, offset), Transfer.GATHER, guard),)
        if raw is not _STAGED:
            nodes += (Compute(_STAGED, Accumulator(0), f.compute, (raw,)),)
        nodes += (Store(BufferRef(_FILTERS, (tap, channel)), _STAGED, Transfer.GATHER),)
        count = -(-self._elements // _TAPS) * groups // self.config.warps
        return Loop("stage", Const(0), Const(count), nodes, unroll=min(count, 16))

    def _sums(self) -> tuple[Node, ...]:
        """Add up the products of one filter row after the other; rows outside the image are left out."""
        f = self.f
        row = f.first_row + _TAP_ROW * f.dilation[0]
        inside = f.image.pixel(row, Const(0))[1][:2]
        nodes: tuple[Node, ...] = (If(inside, self._row(row)),)
        if f.deep > 1:
            nodes = (Loop(_CHANNEL.name, Const(0), Const(f.deep), nodes),)
        first = Let(_FIRST.name, _PIXEL0 * f.stride[1] - f.padding[1])
        return (first, Fill(_SUM), Loop(_TAP_ROW.name, Const(0), Const(f.taps[0]), nodes))

    def _row(self, row: Index) -> tuple[Node, ...]:
        f = self.f
        nodes: list[Node] = []
        for number, piece in enumerate(self.pieces):
            name = _piece(number)
            raw = name if f.image.dtype is f.compute else _raw(name)
            offset, tests = f.image.pixel(row, _FIRST + (ROW * f.stride[1] + piece.first))
            channel = {J.name: _COLUMN0 + COLUMN, C.name: _CHANNEL}
            guard = (*tests[2:], less(_COLUMN0 + COLUMN, f.n))
            source = Access("x", substitute(offset, channel))
            nodes.append(Load(raw, source, Transfer.GATHER, guard, width=self.config.vector_a))
            if raw != name:
                nodes.append(Compute(name, Accumulator(0), f.compute, (raw,)))
        for number, piece in enumerate(self.pieces):
            for tap, place in piece.taps:
                element = (_TAP_ROW * f.taps[1] + tap) * f.deep + (_CHANNEL if f.deep > 1 else 0)
                read = Load(_WEIGHT, BufferRef(_FILTERS, (element, COLUMN)), Transfer.GATHER, width=self._shared_width)
                part = Extract(_PART, _piece(number), Const(place), Const(0))
                nodes += [read, part, Compute(_SUM, _MULTIPLY_ADD, f.compute, (_SUM, _PART), (_WEIGHT,))]
        return tuple(nodes)

    @property
    def _shared_width(self) -> int:
        return min(self.run, self.padding, _CHUNK // self.f.compute.bytes)

    def _finish(self) -> tuple[Node, ...]:
        f = self.f
        places: dict[str, Index] = {I.name: _PIXEL0 + ROW, J.name: _COLUMN0 + COLUMN, ITEM.name: Const(0)}
        guard: Guard = (less(_PIXEL0 + ROW, f.m), less(_COLUMN0 + COLUMN, f.n))
        loads = []
        for term in f.epilogue_terms:
            tall, wide = self._operand_layout(term).shape
            used = tuple(
                test
                for test, kept in zip(guard, (tall > 1 or I.name in symbols(term.offset), wide > 1), strict=True)
                if kept
            )
            kind = Transfer.GATHER if tall > 1 or wide > 1 else Transfer.BROADCAST
            loads.append(Load(_held(term), Access(term.operand, substitute(term.offset, places)), kind, used))
        approximate = f.out.dtype.is_float and f.out.dtype.bytes <= 2 and stands_approximation(f.epilogue.expr)
        operands = tuple(_held(term) for term in f.epilogue_terms)
        compute = Compute(_RESULT, f.epilogue.expr, f.compute, (_SUM,), operands, approximate)
        target = Access(f.out.operand, substitute(f.out.offset, places))
        return (*loads, compute, Store(target, _RESULT, Transfer.GATHER, guard, self.config.vector_c))

    def _operand_layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if J.name in used:
            return self.strip if I.name in used else self.one
        return scalar(self.profile.lanes)


def _flat(form: Depthwise) -> Index | None:
    """Return the offset of a filter's element by its number ``tap``, where all elements lie at one distance; else None."""
    flat = substitute(form.b.offset, {R.name: Const(0), S.name: Sym("tap")})
    down = substitute(form.b.offset, {R.name: Const(1), S.name: Const(0)})
    return flat if form.deep == 1 and down == substitute(flat, {"tap": Const(form.taps[1])}) else None


def _piece(number: int) -> str:
    return f"window{number}"


def _raw(name: str) -> str:
    return f"{name}_raw"


def _held(term: Term) -> str:
    return f"{term.operand}_held"

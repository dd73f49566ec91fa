# SPDX-License-Identifier: MIT
"""The schedule of channels filtered each on its own on a CPU: a strip of pixels of one line, a vector of channels in the lanes.

Sums of a strip and the columns that its windows reach in one row stay in registers: a row of 7 taps and 8 pixels is 14 loads of pixels,
7 of weights and 56 multiply-adds. Filters lie element by element in memory and channel by channel in the worker's own copy, which it
makes once for the channels that it filters. A worker takes some lines and some channels; a few lines at a time, so that what the next
line's windows share with this one's is in the first cache, it passes over its channels.
"""

from __future__ import annotations

import itertools

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import MULTIPLY_ADD, computed
from tracea_core.semantic.build.pieces import Piece, pieces
from tracea_core.semantic.build.register_tile import ROW_SPLITS, WORKER, WORKERS, vector_lanes
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
    holds,
    less,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import (
    Actor,
    Buffer,
    Fragment,
    Launch,
    Lifetime,
    Role,
    SemanticKernel,
    Space,
    Symbol,
)
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Store,
    Transfer,
)
from tracea_core.target import CapabilityProfile

CHANNEL_SPLITS, LINES_EACH = "channel_splits", "lines_each"
"""Launch symbols: parts that the channels are cut into, and lines that a worker passes over for one block of channels."""
_FILTERS, _SUM, _PART, _WEIGHT, _RESULT = "filters", "total", "part", "weight", "result"
_LINE_BYTES, _PREFETCH_LEVEL = 64, 2
_COLUMN0, _TAP_ROW = Sym("column0"), Sym("tap_row")


def strips_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of a convolution whose channels are filtered on their own, on a CPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` pixels of a line by ``tile_n`` channels, a multiple of the vector's lanes. With two stages a line asks for what the
        corresponding one of the next block of lines is the first to read, and for where it will be stored.

    Raises
    ------
    ConfigurationError
        If a group has several channels, or the tile is no number of vectors, or more than the registers hold.
    """
    builder = _Builder(form, configuration, profile)
    role = Role("worker", Actor.WORKER, 0, builder.lanes, builder.fragments(), builder.body())
    return SemanticKernel(
        name=name, title=form.title, family="contraction", variant=variant, arch=profile.arch, configuration=configuration,
        parameters=form.parameters, symbols=(*form.symbols, *_divisions()), buffers=(builder.filters,), rings=(), roles=(role,),
        launch=Launch(blocks=WORKERS, threads=1),
    )  # fmt: skip


def _divisions() -> tuple[Symbol, ...]:
    return (
        Symbol(ROW_SPLITS, minimum=1, meaning="parts that the lines of all images are cut into"),
        Symbol(CHANNEL_SPLITS, minimum=1, meaning="parts that the channels are cut into"),
        Symbol(LINES_EACH, minimum=1, meaning="lines that a block of channels is filtered in at a time"),
    )


class _Builder:
    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.pixels, self.channels = form, configuration.tile_m, configuration.tile_n
        self.lanes, self.stages = vector_lanes(profile, form.compute), configuration.stages
        vectors = self.channels // self.lanes
        self.pieces = pieces(form.taps[1], form.stride[1], form.dilation[1], self.pixels)
        self._require(configuration, vectors, profile)
        self.strip = self._rows_of_channels(self.pixels)
        self.one = self._rows_of_channels(1)
        self.scalar = fma_outer(1, 1, self.lanes, form.compute).a
        row = Layout.row_major(("tap", form.taps[0] * form.taps[1]), ("channel", self.channels))
        self.filters = Buffer(
            _FILTERS, Space.PANEL, form.compute, row, Lifetime.TILE_COLUMN, extent=ceil_div(form.n, self.channels)
        )

    def _require(self, configuration: PipelineConfig, vectors: int, profile: CapabilityProfile) -> None:
        widest = max(piece.count for piece in self.pieces)
        held = vectors * (self.pixels + widest + 1)
        plain = PipelineConfig(tile_m=self.pixels, tile_n=self.channels, tile_k=1, stages=self.stages, warps=1)
        rules = (
            (vectors >= 1 and self.channels == vectors * self.lanes,
             f"{self.channels} channels are no vectors of {self.lanes} lanes"),
            (self.f.deep == 1 and J in addends(self.f.image.origin), "a channel of the result is a channel of the image"),
            (not profile.vector_registers or held <= profile.vector_registers or self.pixels == vectors == 1,
             f"{self.pixels} pixels of {vectors} vectors need {held} registers, {profile.name} has {profile.vector_registers}"),
            (configuration == plain and self.stages <= 2, "only the pixels and channels of a strip are chosen, and one or two stages"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the convolution does not fit: {fault}", configuration=configuration.describe())

    def _rows_of_channels(self, rows: int) -> FragmentLayout:
        return fma_outer(rows, self.channels // self.lanes, self.lanes, self.f.compute).c

    # ---- declarations

    def fragments(self) -> tuple[Fragment, ...]:
        """All registers of a worker."""
        f = self.f
        found = [Fragment(_SUM, f.compute, self.strip), Fragment(_PART, f.compute, self.strip)]
        found += [Fragment(_WEIGHT, f.compute, self.one), Fragment(_RESULT, f.out.dtype, self.strip)]
        found += [Fragment(_stored(_WEIGHT), f.b.dtype, self.one)] if self._widens(f.b) else []
        for number, piece in enumerate(self.pieces):
            layout = self._rows_of_channels(piece.count)
            found.append(Fragment(_piece(number), f.compute, layout))
            found += [Fragment(_stored(_piece(number)), f.image.dtype, layout)] if self._widens(f.a) else []
        held = (Fragment(_held(term), term.dtype, self._operand_layout(term)) for term in f.epilogue_terms)
        return (*found, *held)

    def _widens(self, term: Term) -> bool:
        return term.dtype is not self.f.compute

    def _operand_layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if J.name in used:
            return self.strip if I.name in used else self.one
        assert self.scalar is not None  # a register tile has an operand A
        return self.scalar

    # ---- the program

    def body(self) -> tuple[Node, ...]:
        """Deal parts of the lines, and of the channels, to the workers."""
        rows, parts, columns = Sym(ROW_SPLITS), Sym(CHANNEL_SPLITS), Sym("columns")
        units = rows * parts
        block = (
            Let("line0", Sym("first_line") + Sym("line_block") * Sym(LINES_EACH)),
            Let("line_end", minimum(Sym("line0") + Sym(LINES_EACH), Sym("last_line"))),
            Loop("channel_block", Sym("first_column"), Sym("last_column"), (
                Let(_COLUMN0.name, Sym("channel_block") * self.channels),
                Loop("item", Sym("line0"), Sym("line_end"), self._line()),
            )),
        )  # fmt: skip
        unit = (
            Let("part", Sym("unit") // rows),
            Let("row_part", Sym("unit") % rows),
            Let("first_column", Sym("part") * columns // parts),
            Let("last_column", (Sym("part") + 1) * columns // parts),
            Let("first_line", Sym("row_part") * self.f.items // rows),
            Let("last_line", (Sym("row_part") + 1) * self.f.items // rows),
            Loop("channel_block", Sym("first_column"), Sym("last_column"), self._copy()),
            Loop("line_block", Const(0), ceil_div(Sym("last_line") - Sym("first_line"), Sym(LINES_EACH)), block),
        )
        return (
            Let("columns", ceil_div(self.f.n, self.channels)),
            Let("strips", ceil_div(self.f.m, self.pixels)),
            Loop("unit", WORKER * units // WORKERS, (WORKER + 1) * units // WORKERS, unit),
        )

    def _copy(self) -> tuple[Node, ...]:
        """Copy the filters of a block of channels, an element's channels side by side; beyond the last channel they are zero."""
        f, tap = self.f, Sym("tap")
        places = {
            R.name: tap // f.taps[1],
            S.name: tap % f.taps[1],
            J.name: Sym("channel_block") * self.channels + COLUMN,
        }
        raw = _stored(_WEIGHT) if self._widens(f.b) else _WEIGHT
        guard = (less(places[J.name], f.n),)
        nodes: list[Node] = [Load(raw, Access(f.b.operand, substitute(f.b.offset, places)), Transfer.GATHER, guard)]
        if raw is not _WEIGHT:
            nodes.append(Compute(_WEIGHT, Accumulator(0), f.compute, (raw,)))
        nodes.append(Store(BufferRef(_FILTERS, (Sym("channel_block"), tap, COLUMN)), _WEIGHT, Transfer.VECTOR))
        return (Loop("tap", Const(0), Const(f.taps[0] * f.taps[1]), tuple(nodes)),)

    def _line(self) -> tuple[Node, ...]:
        f = self.f
        whole = (less(_COLUMN0 + (self.channels - 1), f.n),)
        strips: tuple[Node, ...]
        if isinstance(f.m, Const):
            strips = (If(whole, self._fixed(all_channels=True), self._fixed(all_channels=False)),)
        else:
            pixel = Sym("pixel0")
            inner = If(whole, self._strip(pixel, True, True), self._strip(pixel, True, False))
            one = If((*whole, *self._inside(pixel)), self._strip(pixel, False, True), (inner,))
            strips = (Loop("strip", Const(0), Sym("strips"), (Let("pixel0", Sym("strip") * self.pixels), one)),)
        return (Let(IMAGE.name, Sym("item") // f.lines), Let(LINE.name, Sym("item") % f.lines), *strips)

    def _fixed(self, all_channels: bool) -> tuple[Node, ...]:
        """All strips of a line whose length is known, so that what is padding is known when printing."""
        assert isinstance(self.f.m, Const)
        count = -(-self.f.m.value // self.pixels)
        inside = [strip for strip in range(count) if self._is_inside(strip)]
        first, stop = (inside[0], inside[-1] + 1) if len(inside) > 1 else (count, count)
        alike = Loop("strip", Const(first), Const(stop), (
            Let("pixel0", Sym("strip") * self.pixels),
            *self._strip(Sym("pixel0"), False, all_channels),
        ))  # fmt: skip
        before, behind = (
            [node for strip in strips for node in self._strip(Const(strip * self.pixels), True, all_channels)]
            for strips in (range(first), range(stop, count))
        )
        return (*before, *((alike,) if first < stop else ()), *behind)

    def _is_inside(self, strip: int) -> bool:
        """Whether nothing of a strip of a line of known length is tested."""
        return bool(holds(self._inside(Const(strip * self.pixels)), {}))

    def _inside(self, pixel: Index) -> Guard:
        """Whether all pixels of a strip, and all that their windows reach across, are there."""
        f = self.f
        last = max(piece.first + (piece.count - 1) * f.stride[1] for piece in self.pieces)
        first = pixel * f.stride[1] - f.padding[1]
        return (
            less(pixel + (self.pixels - 1), f.m),
            *f.image.pixel(Const(0), first)[1][2:3],
            *f.image.pixel(Const(0), first + last)[1][3:],
        )

    def _strip(self, pixel: Index, edge: bool, all_channels: bool) -> tuple[Node, ...]:
        """Filter a strip: at an `edge` pixels and columns are tested, and without `all_channels` channels."""
        f = self.f
        row = f.first_row + _TAP_ROW * f.dilation[0]
        exists = f.image.pixel(row, Const(0))[1][:2]
        lanes: Guard = () if all_channels else (less(_COLUMN0 + COLUMN, f.n),)
        fetched: list[Node] = []
        for number, piece in enumerate(self.pieces):
            fetched += self._fetch(number, piece, row, pixel, edge, lanes)
        taps = Loop(_TAP_ROW.name, Const(0), Const(f.taps[0]), (If(exists, (*fetched, *self._multiply())),))
        beyond = (less(pixel + ROW, f.m),) if edge else ()
        return (*self._ask(pixel), Fill(_SUM), taps, *self._finish(pixel, beyond, lanes))

    def _ask(self, pixel: Index) -> list[Node]:
        """Ask for what the line of the next block that corresponds to this one reads for the first time, and for where it is stored."""
        f, nodes = self.f, []
        if self.stages == 1:
            return []
        ahead = {LINE.name: LINE + Sym(LINES_EACH)}
        for row, column in itertools.product(range(f.stride[0]), range(self.pixels * f.stride[1])):
            down = (f.taps[0] - 1) * f.dilation[0] - row
            offset, _ = f.image.pixel(substitute(f.first_row, ahead) + down, pixel * f.stride[1] + column)
            nodes += self._lines("x", f.image.dtype, offset, write=False)
        for column in range(self.pixels):
            offset = substitute(f.out.offset, {I.name: pixel + column, ITEM.name: Const(0), **ahead})
            nodes += self._lines(f.out.operand, f.out.dtype, offset, write=True)
        return nodes

    def _lines(self, operand: str, dtype: DType, offset: Index, write: bool) -> list[Node]:
        """Ask for the lines of memory that hold a pixel's channels."""
        first = substitute(offset, {J.name: _COLUMN0, C.name: Const(0)})
        places = range(0, self.channels, _LINE_BYTES // dtype.bytes)
        return [Prefetch(operand, first + place, _PREFETCH_LEVEL, write) for place in places]

    def _fetch(self, number: int, piece: Piece, row: Index, pixel: Index, edge: bool, lanes: Guard) -> list[Node]:
        """Load the columns of a piece that the strip's windows reach in one row."""
        f = self.f
        place = pixel * f.stride[1] - f.padding[1] + (ROW * f.stride[1] + piece.first)
        offset, tests = f.image.pixel(row, place)
        source = Access("x", substitute(offset, {J.name: _COLUMN0 + COLUMN, C.name: Const(0)}))
        name = _piece(number)
        raw = _stored(name) if self._widens(f.a) else name
        nodes: list[Node] = [Load(raw, source, Transfer.VECTOR, (*(tests[2:] if edge else ()), *lanes))]
        return nodes if raw == name else [*nodes, Compute(name, Accumulator(0), f.compute, (raw,))]

    def _multiply(self) -> list[Node]:
        f, column = self.f, Sym("channel_block")
        nodes: list[Node] = []
        for number, piece in enumerate(self.pieces):
            for tap, place in piece.taps:
                weight = BufferRef(_FILTERS, (column, _TAP_ROW * f.taps[1] + tap, COLUMN))
                nodes += [
                    Load(_WEIGHT, weight, Transfer.VECTOR),
                    Extract(_PART, _piece(number), Const(place), Const(0)),
                    Compute(_SUM, MULTIPLY_ADD, f.compute, (_SUM, _PART), (_WEIGHT,)),
                ]
        return nodes

    def _finish(self, pixel: Index, beyond: Guard, lanes: Guard) -> list[Node]:
        f = self.f
        places: dict[str, Index] = {I.name: pixel + ROW, J.name: _COLUMN0 + COLUMN, ITEM.name: Const(0)}
        nodes: list[Node] = []
        for term in f.epilogue_terms:
            layout = self._operand_layout(term)
            guard = (*(beyond if layout is self.strip else ()), *(lanes if layout is not self.scalar else ()))
            nodes.append(
                Load(_held(term), Access(term.operand, substitute(term.offset, places)), self._transfer(term), guard)
            )
        operands = tuple(_held(term) for term in f.epilogue_terms)
        target = Access(f.out.operand, substitute(f.out.offset, places))
        return [
            *nodes,
            computed(_RESULT, f.epilogue.expr, f.compute, (_SUM,), operands),
            Store(target, _RESULT, Transfer.VECTOR, (*beyond, *lanes)),
        ]

    def _transfer(self, term: Term) -> Transfer:
        if self._operand_layout(term) is self.scalar:
            return Transfer.BROADCAST
        return Transfer.VECTOR if coefficient(term.offset, J.name) == Const(1) else Transfer.GATHER


def _piece(number: int) -> str:
    return f"window{number}"


def _stored(name: str) -> str:
    return f"{name}_stored"


def _held(term: Term) -> str:
    return f"{term.operand}_held"

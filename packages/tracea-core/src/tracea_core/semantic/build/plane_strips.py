# SPDX-License-Identifier: MIT
"""Planes filtered each on its own, pieces of lines straight from memory: what schedules by matrix instructions and by lanes share.

A warp takes the strips of one channel in turns: a few lines of pieces that lie side by side, of the next lines and images where a line has
fewer. All lines of the image that a strip sees are on their way before the first is multiplied; nothing passes shared memory, and nobody
waits for anyone. Each line that is loaded is multiplied into the sums of all lines whose windows reach it, and a line is stored once its
last row has been. What of the filter a warp multiplies stays in registers for all strips of a channel
(`tracea_core.semantic.build.plane_bands`, `tracea_core.semantic.build.plane_lanes`).
"""

from __future__ import annotations

import abc

from tracea_core.doctor.plane_windows import PIECE
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.approximation import approximation
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import WARP, scalar
from tracea_core.semantic.build.strip_arguments import parameters, sizes
from tracea_core.semantic.build.strip_blocks import blocks, dealt, together
from tracea_core.semantic.build.strip_columns import COLUMN0, StripColumns
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.depthwise import IMAGE, LINE, Depthwise
from tracea_core.semantic.index import (
    COLUMN,
    Const,
    Guard,
    Index,
    Sym,
    Test,
    TestFn,
    at_least,
    ceil_div,
    coefficient,
    less,
    maximum,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Role, SemanticKernel
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, Fill, If, Let, Load, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

PIECES = "rows"
"""The fragment whose elements are a lane's pieces."""
PIXEL0, FIRST_ROW = Sym("pixel0"), Sym("first_row")
"""The first pixel of a piece, and the first row of the image that its first line sees."""
_FIRST_LINE, _PIECE = Sym("first_line"), Sym("piece")
_ALLOCATED = 8
"""Registers of a thread are dealt in so many."""
_OF_PLACES = 16
"""Registers for an operand with an element for each result: where a lane's pixels of it lie, and what is computed of them."""
_LINES = Sym("lines_there")


class PlaneStrips(abc.ABC):
    """The schedule for one form and configuration; what multiplies pieces says how they are held.

    Attributes
    ----------
    first : int
        Columns from a piece's first window's, or the image's, to the first one that is multiplied; a run begins there.
    across, halves : int
        Pieces of a warp side by side, and runs of lines of a strip, one below the other.
    lines, rows : int
        Output lines of each half of a strip, and lines of the image that they see.
    """

    across: int
    halves: int

    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.config, self.profile = form, configuration, profile
        self._require()
        run = configuration.vector_a
        # columns before the first pixel's, from which on runs are read; a short line is multiplied from its first column on
        self.first = 0 if self.short else -(-(-form.padding[1] // run) * run)
        self.lines = configuration.tile_k // self.halves
        self.rows = (self.lines - 1) * form.stride[0] + self.reach(0)
        self.columns = StripColumns(form, configuration)
        self._divide()
        self.fragments = self._fragments()
        most = min(profile.max_registers_per_thread, profile.registers_per_processor // self._threads)
        if self._needed > most:
            raise ConfigurationError(
                f"{self._needed} registers are too many for a thread, which has {most}",
                configuration=configuration.describe(),
            )

    # ---- what a kind of piece says

    @abc.abstractmethod
    def _fits(self) -> tuple[tuple[bool, str], ...]:
        """What a form and a configuration must be, besides what all strips of planes want, and what is wrong where they are not."""

    @abc.abstractmethod
    def _divide(self) -> None:
        """Divide the columns that a piece's windows see."""

    @property
    @abc.abstractmethod
    def sums(self) -> FragmentLayout:
        """Which lane holds which pixels of which pieces."""

    @property
    @abc.abstractmethod
    def of_pieces(self) -> FragmentLayout:
        """The same of one column."""

    @abc.abstractmethod
    def _operands(self) -> tuple[Fragment, ...]:
        """What lines of the image and the filter are held in."""

    @property
    @abc.abstractmethod
    def _multiplied(self) -> int:
        """Registers of a thread for lines of the image, sums and what they are multiplied by."""

    @abc.abstractmethod
    def _filter(self) -> tuple[Node, ...]:
        """Load what the pieces of a channel are multiplied by."""

    @abc.abstractmethod
    def _piece(self) -> tuple[Index, Index]:
        """Return a lane's piece, and so many lines below a strip's first its own begin."""

    @abc.abstractmethod
    def _places_of_columns(self) -> tuple[Let, ...]:
        """Name where a piece's first row of the image lies, and how many of its rows are there."""

    @abc.abstractmethod
    def _load(self, row: int, above: Guard) -> tuple[Node, ...]:
        """Load a row of the image, where `above` holds too."""

    @abc.abstractmethod
    def _multiply(self, total: str, row: int, tap: int) -> tuple[Node, ...]:
        """Add the products of a row of the image and one of the filter to a line's sums."""

    # ---- what all have in common

    def reach(self, axis: int) -> int:
        """Return the rows or columns from the first that a window sees to the last."""
        return (self.f.taps[axis] - 1) * self.f.dilation[axis] + 1

    @property
    def short(self) -> bool:
        """Whether a line is known to be one piece of eight columns at most."""
        extents = (self.f.m, self.f.image.width)
        return all(isinstance(extent, Const) and extent.value <= PIECE for extent in extents)

    @property
    def _threads(self) -> int:
        return self.config.warps * self.profile.lanes

    def _require(self) -> None:
        f, config, profile = self.f, self.config, self.profile
        rules = (
            *self._fits(),
            (f.planes and f.deep == 1 and config.tile_n == 1, "a warp takes planes, each with a filter of its own"),
            (config.stages == config.unroll_k == 1 and not config.row_block and not config.halo, "nothing is copied ahead"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == 1,
             "roles, clusters and divisions are not part of this schedule"),
            (self._threads <= profile.max_threads_per_block, f"{config.warps} warps are too many for a block"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the convolution does not fit: {fault}", configuration=config.describe())

    def _fragments(self) -> tuple[Fragment, ...]:
        f = self.f
        found = [Fragment(PIECES, DType.INT32, self.of_pieces), *self._operands()]
        found += [Fragment(self.total(line), f.compute, self.sums) for line in range(self.at_once)]
        found += [Fragment(_held(term), term.dtype, self._layout(term)) for term in f.epilogue_terms]
        return (*found, Fragment("result", f.out.dtype, self.sums))

    def _layout(self, term: Term) -> FragmentLayout:
        return self.sums if term in self._whole else scalar(self.profile.lanes)

    @property
    def _whole(self) -> tuple[Term, ...]:
        """Operands of the epilogue with an element for each result."""
        return tuple(term for term in self.f.epilogue_terms if I.name in symbols(term.offset))

    @property
    def at_once(self) -> int:
        """Lines that a row of the image is multiplied into: the sums of one end before those of a line so far below begin."""
        return min(-(-self.reach(0) // self.f.stride[0]), self.lines)

    def total(self, line: int) -> str:
        """Name the sums of a line."""
        return f"total{line % self.at_once}"

    @property
    def _needed(self) -> int:
        """Registers of a thread, with operands of the epilogue."""
        held = sum(-(-self._layout(term).registers * term.dtype.bytes // 4) for term in self.f.epilogue_terms)
        held += _OF_PLACES * len(self._whole)
        found = self._multiplied + held
        return -(-found // _ALLOCATED) * _ALLOCATED

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel."""
        f, config = self.f, self.config
        several = together(config, self.profile, self._needed)
        role = Role(WARP.name, Actor.WARP, config.warps, self.profile.lanes, self.fragments, self._body(), self._needed)
        rows = ceil_div(self._places, config.warps)
        launched = blocks(config, self.profile, rows, f.n, self._needed)
        return SemanticKernel(
            name=name, title=f.title, family="contraction", variant=variant, arch=self.profile.arch, configuration=config,
            parameters=parameters(f, config), symbols=sizes(f, config), buffers=(), rings=(), roles=(role,),
            launch=Launch(launched, self._threads, shared_bytes=0, together=several),
        )  # fmt: skip

    @property
    def _bands(self) -> Index:
        """How many times a strip's lines fit into those of an image."""
        return ceil_div(self.f.lines, self.config.tile_k)

    @property
    def _pieces(self) -> Index:
        return self.f.items // self.f.lines * self._bands * ceil_div(self.f.m, self.config.tile_m)

    @property
    def _places(self) -> Index:
        return ceil_div(self._pieces, self.across)

    def _body(self) -> tuple[Node, ...]:
        counts = (ceil_div(self.f.m, self.config.tile_m), self._places)
        strip = If((less(Sym("place"), Sym("places")),), self._strip())
        return dealt(self.columns, counts, self._staged(), (strip,), meet=False)

    def _staged(self) -> tuple[Node, ...]:
        """Load what stays in registers for all strips of a channel: its filter, and operands of the epilogue that are the channel's."""
        f = self.f
        nodes: list[Node] = [*self._filter()]
        for term in f.epilogue_terms:
            if term not in self._whole:
                source = Access(term.operand, substitute(term.offset, {J.name: COLUMN0}))
                nodes.append(Load(_held(term), source, Transfer.BROADCAST))
        return tuple(nodes)

    def _strip(self) -> tuple[Node, ...]:
        """Load all lines of the image that a strip sees; multiply one after the other, and end lines that have seen all of theirs."""
        nodes: list[Node] = [*self._places_of_pieces()]
        for row in range(self.rows):
            # the first lines begin so far above the image
            above = (at_least(FIRST_ROW + row, 0),) if row < self.f.padding[0] else ()
            nodes += self._load(row, above)
        for row in range(self.rows):
            for line in range(self.lines):
                tap, between = divmod(row - line * self.f.stride[0], self.f.dilation[0])
                if between or not 0 <= tap < self.f.taps[0]:
                    continue
                if tap == 0:
                    nodes.append(Fill(self.total(line)))
                nodes += self._multiply(self.total(line), row, tap)
                if tap == self.f.taps[0] - 1:
                    nodes += self._end(line)
        return tuple(nodes)

    def _places_of_pieces(self) -> tuple[Node, ...]:
        """Name what the pieces of a lane are, where their first columns and pixels lie, and where their rows and lines end.

        A column or pixel that is not there has no rows and no lines: so each access asks for no more than its row.
        """
        f, rest = self.f, _PIECE // Sym("strips")
        own, below = self._piece()
        terms = (f.out, *self._whole)
        found = [Let(down(f.a.operand, row).name, f.image.by_row * row) for row in range(1, self.rows)]
        found += [
            Let(down(term.operand, line).name, _by_line(term) * line) for term in terms for line in range(1, self.lines)
        ]
        found += [
            Let(_PIECE.name, Sym("place") * self.across + own, PIECES),
            Let(PIXEL0.name, _PIECE % Sym("strips") * self.config.tile_m, PIECES),
            Let(_FIRST_LINE.name, rest % self._bands * self.config.tile_k + below, PIECES),
            Let(IMAGE.name, rest // self._bands, PIECES),
            Let(FIRST_ROW.name, _FIRST_LINE * f.stride[0] - f.padding[0], PIECES),
        ]
        found += self._places_of_columns()
        places = {I.name: PIXEL0 + COLUMN, LINE.name: _FIRST_LINE, J.name: COLUMN0, ITEM.name: Const(0)}
        total = self.total(0)
        for term in terms:
            found.append(Let(corner(term.operand), substitute(term.offset, places), total, wide=True))
        found.append(Let(_LINES.name, where(self.inside(less(places[I.name], f.m)), f.lines) - _FIRST_LINE, total))
        return tuple(found)

    def inside(self, *tests: Test) -> Index:
        """Return what is negative where the piece or something else is not there."""
        found: Index = self._pieces - 1 - _PIECE
        for test in tests:
            room = test.right - test.left - (1 if test.fn is TestFn.LT else 0)
            found = minimum(found, room)
        return found

    def _end(self, line: int) -> list[Node]:
        """Store a line."""
        f = self.f
        nodes: list[Node] = []
        guard = (less(line, _LINES),)
        for term in self._whole:
            nodes.append(Load(_held(term), Access(term.operand, _below(term, line)), Transfer.GATHER, guard))
        approximate = approximation(f.epilogue.expr, f.out.dtype)
        operands = tuple(_held(term) for term in f.epilogue_terms)
        nodes.append(computed("result", f.epilogue.expr, f.compute, (self.total(line),), operands, approximate))
        target = Access(f.out.operand, _below(f.out, line))
        return [*nodes, Store(target, "result", Transfer.GATHER, guard, self.config.vector_c)]


def where(inside: Index, extent: Index) -> Index:
    """Return an extent, or none of it where something is negative."""
    return extent * (maximum(minimum(inside, 0), -1) + 1)


def corner(of: str) -> str:
    """Name where the first elements of something lie."""
    return f"{of}_corner"


def down(operand: str, lines: int) -> Sym:
    """Name so many lines of an operand, in elements: within 32 bits, where places are not."""
    return Sym(f"{operand}_down{lines}")


def _below(term: Term, line: int) -> Index:
    """Where the pixels of a line lie, so far below the first one of a lane's pieces."""
    first = Sym(corner(term.operand))
    return first + down(term.operand, line) if line else first


def _by_line(term: Term) -> Index:
    found = coefficient(term.offset, LINE.name)
    assert found is not None
    return found


def _held(term: Term) -> str:
    return f"{term.operand}_held"

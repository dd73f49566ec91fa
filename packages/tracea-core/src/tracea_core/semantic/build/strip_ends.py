# SPDX-License-Identifier: MIT
"""The end of a strip of pixels, straight from its sums: operands in, expression, and out with a mask at the edges.

A lane has few channels of many pixels. Where the promised alignment lets it store more channels at once than it has, lanes exchange: so
many pixels, and lines, are taken together that every lane gets a run of channels of one of them. What is left over at a strip's end is
taken together with pixels before it, which are not stored again.
"""

from __future__ import annotations

from typing import TypeAlias

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.approximation import approximation
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import projection, scalar, with_runs
from tracea_core.semantic.build.strip_arguments import operand_run
from tracea_core.semantic.build.strip_columns import StripColumns
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.depthwise import LINE, Depthwise
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, at_least, less, substitute, symbols
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Join
from tracea_core.semantic.steps import Access, Extract, Load, Node, Store, Transfer, Turn
from tracea_core.target import CapabilityProfile

_CHUNK, _WORD = 16, 4
"""Bytes of the widest access of one lane, and of what lanes exchange."""
_RESULT, _TOGETHER, _TURNED = "result", "together", "turned"
_PIXEL0 = Sym("pixel0")
Sums: TypeAlias = tuple[tuple[tuple[str, int], ...], ...]


class StripEnds:
    """Nodes and fragments that finish the sums of a strip, a fragment for each of its lines.

    Parameters
    ----------
    lane_steps, run_steps : tuple of (int, int)
        Which (pixel, channel) a bit of the lane and of a lane's channels stands for.
    walks : bool
        Whether strips have many lines, so that what is the same for all pixels is loaded ahead of them (`constants`).
    """

    def __init__(
        self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, columns: StripColumns,
        lane_steps: tuple[tuple[int, int], ...], run_steps: tuple[tuple[int, int], ...], walks: bool = False,
    ) -> None:  # fmt: skip
        self.walks = walks
        self.f, self.config, self.lanes, self.columns = form, configuration, profile.lanes, columns
        self.channels, self.width = configuration.tile_n, configuration.vector_c
        held = 1 << len(run_steps)
        self.exchanged = self.width > held
        self.words = held * form.out.dtype.bytes >= _WORD
        self.run = held if self.words else self.width  # channels of a lane that lie together before it stores them
        if not self.exchanged:
            self.pixels, self.lines = configuration.tile_m, 1
            self.held = FragmentLayout.from_bits((1, self.channels), lane_steps, run_steps).repeat(rows=self.pixels)
            self.one = FragmentLayout.from_bits((1, self.channels), lane_steps, run_steps)
            return
        self.pixels, self.lines = _together(configuration, held)
        pixel_steps = tuple((1 << bit, 0) for bit in range(self.pixels.bit_length() - 1))
        line_steps = tuple((0, self.channels << bit) for bit in range(self.lines.bit_length() - 1))
        self.part = FragmentLayout.from_bits((self.pixels, self.channels), lane_steps, (*run_steps, *pixel_steps))
        whole = FragmentLayout.from_bits(
            (self.pixels, self.channels * self.lines), lane_steps, (*run_steps, *pixel_steps, *line_steps)
        )
        runs = with_runs(whole, 1, self.width)
        assert runs is not None
        self.whole, self.runs = whole, runs
        self.held = whole if self.words else runs
        self.one = projection(self.held, 1)

    @staticmethod
    def takes(form: Depthwise, configuration: PipelineConfig, run: int) -> bool:
        """Whether lanes of `run` channels can exchange until each stores ``vector_c`` of them."""
        width = configuration.vector_c
        return (
            run < width <= min(configuration.tile_n, _CHUNK // form.out.dtype.bytes)
            and not width & (width - 1)
            and width * form.out.dtype.bytes >= _WORD
            and not run & (run - 1)
            and run > 0
            and configuration.tile_m >= _together(configuration, run)[0]
        )

    def fragments(self) -> list[Fragment]:
        """Return the fragments besides the sums."""
        f = self.f
        found = [Fragment(_held(term), term.dtype, self._layout(term)) for term in f.epilogue_terms]
        found.append(Fragment(_RESULT, f.out.dtype, self.held))
        if not self.exchanged:
            return found
        if self.lines > 1:
            found += [Fragment(f"{_TOGETHER}{line}", f.compute, self.part) for line in range(self.lines)]
        found.append(Fragment(_TOGETHER, f.compute, self.whole))
        return [*found, Fragment(_TURNED, f.out.dtype if self.words else f.compute, self.runs)]

    @property
    def ahead(self) -> tuple[Term, ...]:
        """What the epilogue reads that stays in registers for all lines: the same for all pixels."""
        return tuple(term for term in self.f.epilogue_terms if self.walks and not _differs(term))

    @property
    def of_pixels(self) -> tuple[Term, ...]:
        """What it reads for each pixel."""
        return tuple(filter(_differs, self.f.epilogue_terms))

    def moved(self, term: Term) -> int:
        """Return how many channels of what the epilogue reads a lane loads at a time."""
        return min(operand_run(self.f, self.config, term), self.run)

    def constants(self) -> tuple[Node, ...]:
        """Return the loads of what stays in registers for all strips of a column of tiles."""
        nodes = []
        for term in self.ahead:
            wide = self._layout(term).shape[1] > 1
            source = Access(term.operand, substitute(term.offset, self.columns.places(COLUMN)))
            guard, kind = (self.columns.there(COLUMN), Transfer.GATHER) if wide else ((), Transfer.BROADCAST)
            nodes.append(Load(_held(term), source, kind, guard))
        return tuple(nodes)

    @property
    def held_ahead(self) -> frozenset[str]:
        """Return the names of what holds it."""
        return frozenset(map(_held, self.ahead))

    def nodes(self, sums: Sums, edge: bool, known: bool) -> tuple[Node, ...]:
        """Return the nodes that finish a strip.

        Parameters
        ----------
        sums : tuple of tuple of (str, int)
            For each line the fragments that hold its sums, and the pixel that each begins with.
        edge, known : bool
            Whether what lies beyond pixels, channels and lines is masked; whether pixels are even so, being known when printing.
        """
        nodes: list[Node] = []
        for line in range(0, len(sums), self.lines):
            for number in range(0, self.config.tile_m, self.pixels):
                pixel = min(number, self.config.tile_m - self.pixels)
                parts = [[one for one in held if one[1] <= pixel][-1] for held in sums[line : line + self.lines]]
                again = (at_least(ROW, number - pixel),) if number > pixel else ()
                guard = self._guard(line, pixel, edge, known)
                nodes += self._group(line, pixel, [(name, pixel - first) for name, first in parts], guard, again)
        return tuple(nodes)

    def _group(self, line: int, pixel: int, sums: list[tuple[str, int]], guard: Guard, again: Guard) -> list[Node]:
        f, places = self.f, self._places(line, pixel)
        nodes = self._sums(sums)
        for term in f.epilogue_terms:
            tall, wide = self._layout(term).shape
            own = _differs(term)
            if (line or pixel or self.walks) and not own:
                continue  # the same for all pixels
            kept = (own, *(wide > 1 for _ in self.columns.there(self._column)), own)
            used = tuple(test for test, needed in zip(guard, kept, strict=False) if needed)
            kind = Transfer.GATHER if tall > 1 or wide > 1 else Transfer.BROADCAST
            access = Access(term.operand, substitute(term.offset, places))
            nodes.append(Load(_held(term), access, kind, used, width=self.moved(term)))
        approximate = approximation(f.epilogue.expr, f.out.dtype)
        source = sums[0][0] if not self.exchanged else _TOGETHER if self.words else _TURNED
        operands = tuple(_held(term) for term in f.epilogue_terms)
        nodes.append(computed(_RESULT, f.epilogue.expr, f.compute, (source,), operands, approximate))
        result = _RESULT
        if self.exchanged and self.words:
            nodes.append(Turn(_TURNED, _RESULT))
            result = _TURNED
        target = Access(f.out.operand, substitute(f.out.offset, places))
        return [*nodes, Store(target, result, Transfer.GATHER, (*guard, *again), self.width)]

    def _sums(self, sums: list[tuple[str, int]]) -> list[Node]:
        """Bring the sums of a group of pixels together, and into runs where words are not what results are."""
        if not self.exchanged:
            return []
        parts = tuple(f"{_TOGETHER}{number}" for number in range(self.lines)) if self.lines > 1 else (_TOGETHER,)
        nodes: list[Node] = []
        for part, (name, row) in zip(parts, sums, strict=True):
            nodes.append(Extract(part, name, Const(row), Const(0)))
        if self.lines > 1:
            nodes.append(Join(_TOGETHER, parts))
        return nodes if self.words else [*nodes, Turn(_TURNED, _TOGETHER)]

    def _places(self, line: int, pixel: int) -> dict[str, Index]:
        further = self.columns.further(self._column)
        places: dict[str, Index] = {I.name: _PIXEL0 + further + (ROW + pixel if pixel else ROW), ITEM.name: Const(0)}
        places |= self.columns.places(self._column)
        if self.config.tile_k > 1:
            places[LINE.name] = self._line(line)
        return places

    @property
    def _column(self) -> Index:
        return COLUMN % self.channels if self.lines > 1 else COLUMN

    def _line(self, line: int) -> Index:
        place = LINE + line if line else LINE
        return place + COLUMN // self.channels if self.lines > 1 else place

    def _guard(self, line: int, pixel: int, edge: bool, known: bool) -> Guard:
        places = self._places(line, pixel)
        inside, there = less(places[I.name], self.f.m), self.columns.there(self._column)
        if not edge:
            return (inside,) if known else ()
        return (inside, *there) if self.config.tile_k == 1 else (inside, *there, less(self._line(line), self.f.lines))

    def _layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if J.name in used:
            return self.held if I.name in used else self.one
        return scalar(self.lanes)


def _together(configuration: PipelineConfig, run: int) -> tuple[int, int]:
    """Pixels and lines that lanes of `run` channels take together."""
    needed = configuration.vector_c // run
    lines = min(configuration.tile_k, needed)
    return needed // lines, lines


def _differs(term: Term) -> bool:
    """Whether pixels have values of their own."""
    return I.name in symbols(term.offset)


def _held(term: Term) -> str:
    return f"{term.operand}_held"

# SPDX-License-Identifier: MIT
"""Planes filtered each on its own by matrix instructions: rows of a filter as bands, pieces of lines straight from memory.

For one channel, a row of the filter gives eight neighbouring pixels the product of the columns that their windows reach and of a band
(column by pixel: an element of the filter where the window holds the column, else zero). The rows of the instruction are such pieces of
eight pixels, side by side, and the same pieces of the lines below the first half of a warp's: 16 pieces of a line each are multiplied at
once, and their operand is what lies in memory, two columns a lane. So lanes load what they multiply, and store what they hold; nothing
passes shared memory, nobody waits for anyone, and all loads of a strip are on their way before its first product.

A warp takes the strips of one channel in turns, whose bands stay in registers. Each line of the image that it loads is multiplied into
the sums of all lines whose windows reach it, and a line is stored once its last row has been.

A zero of a band times what is no number is none: what is not finite reaches all pixels of its line that are multiplied with it.
"""

from __future__ import annotations

from tracea_core.doctor.plane_windows import PIECE, plane_registers
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.approximation import stands_approximation
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import WARP, projection, scalar
from tracea_core.semantic.build.strip_arguments import parameters, sizes
from tracea_core.semantic.build.strip_blocks import blocks, dealt, together
from tracea_core.semantic.build.strip_columns import COLUMN0, StripColumns
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.depthwise import IMAGE, LINE, Depthwise, R, S
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    Test,
    TestFn,
    at_least,
    ceil_div,
    coefficient,
    equal,
    less,
    maximum,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Role, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, Fill, If, Let, Load, Mma, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

_HALVES = 2
"""Runs of lines of a strip, one below the other: the upper and the lower rows of the instruction."""
_ROWS = "rows"
_PIXEL0, _FIRST_LINE, _FIRST_ROW, _PIECE = Sym("pixel0"), Sym("first_line"), Sym("first_row"), Sym("piece")
_ALLOCATED = 8
"""Registers of a thread are dealt in so many."""
_OF_PLACES = 16
"""Registers for an operand with an element for each result: where a lane's pixels of it lie, and what is computed of them."""
_LINES = Sym("lines_there")


def plane_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of planes that are filtered on their own.

    Parameters
    ----------
    configuration : PipelineConfig
        Each of `warps` warps takes ``tile_k`` lines of eight pieces of ``tile_m`` pixels of one channel. ``vector_a`` and ``vector_c``
        are promises: rows of images and of the output begin at, and are, multiples of so many elements.

    Raises
    ------
    ConfigurationError
        If the device has no such instruction, the convolution is none of planes, or registers do not suffice.
    """
    return PlaneStrips(form, configuration, profile).kernel(variant, name)


class PlaneStrips:
    """The schedule for one form and configuration.

    Attributes
    ----------
    first : int
        Columns from a piece's first window's, or the image's, to the first one that is multiplied; a run begins there.
    parts : tuple of (int, InstructionLanes)
        The instructions that multiply a row, each with the first of its columns.
    lines, rows : int
        Output lines of each half of a strip, and lines of the image that they see.
    """

    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.config, self.profile = form, configuration, profile
        self._require()
        whole, half = (instruction(f"mma_m16n8k{k}_{form.image.dtype.value}") for k in (16, 8))
        self.lanes, run = whole, configuration.vector_a
        # columns before the first pixel's, from which on runs are read; a short line is multiplied from its first column on
        before = 0 if self.short else -(-form.padding[1] // run) * run
        self.first = -before
        reach = PIECE if self.short else (PIECE - 1) * form.stride[1] + self._reach(1) - form.padding[1] + before
        depth = -(-reach // half.k) * half.k
        self.parts = [(k, whole) for k in range(0, depth // whole.k * whole.k, whole.k)]
        if depth % whole.k:
            self.parts.append((depth - half.k, half))
        self.lines = configuration.tile_k // _HALVES
        self.rows = (self.lines - 1) * form.stride[0] + self._reach(0)
        self.columns = StripColumns(form, configuration)
        self.fragments = self._fragments()
        most = min(profile.max_registers_per_thread, profile.registers_per_processor // self._threads)
        if self._needed > most:
            raise ConfigurationError(
                f"{self._needed} registers are too many for a thread, which has {most}",
                configuration=configuration.describe(),
            )

    def _reach(self, axis: int) -> int:
        """Rows or columns from the first that a window sees to the last."""
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
        runs = (config.vector_a * f.image.dtype.bytes, config.vector_c * f.out.dtype.bytes)
        rules = (
            (f.image.dtype in (DType.FP16, DType.BF16) and f.b.dtype is f.image.dtype and f.compute is DType.FP32
             and profile.lanes == 32 and profile.vendor == "nvidia",
             "bands are multiplied by instructions for 16-bit elements"),
            (f.planes and f.deep == 1, "bands are those of one plane's filter"),
            (config.tile_m == PIECE and config.tile_n == 1 and config.tile_k % _HALVES == 0,
             f"a warp takes pieces of {PIECE} pixels of one channel, of lines in two halves"),
            (config.vector_a in (1, 2) and config.vector_c in (1, 2) and max(runs) <= 8, "a lane holds two columns of a line"),
            (config.stages == config.unroll_k == 1 and not config.row_block and not config.halo, "nothing is copied ahead"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == 1,
             "roles, clusters and divisions are not part of this schedule"),
            (self._threads <= profile.max_threads_per_block, f"{config.warps} warps are too many for a block"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the convolution does not fit: {fault}", configuration=config.describe())

    def _fragments(self) -> tuple[Fragment, ...]:
        f, found = self.f, [Fragment(_ROWS, DType.INT32, projection(self.lanes.c, 0))]
        for part, (_, lanes) in enumerate(self.parts):
            assert lanes.a is not None and lanes.b is not None
            found += [Fragment(_seen(row, part), f.image.dtype, lanes.a) for row in range(self.rows)]
            found += [Fragment(_band(tap, part), f.b.dtype, lanes.b) for tap in range(f.taps[0])]
        found += [Fragment(self._total(line), f.compute, self.lanes.c) for line in range(self._at_once)]
        found += [Fragment(_held(term), term.dtype, self._layout(term)) for term in f.epilogue_terms]
        return (*found, Fragment("result", f.out.dtype, self.lanes.c))

    def _layout(self, term: Term) -> FragmentLayout:
        return self.lanes.c if term in self._whole else scalar(self.profile.lanes)

    @property
    def _whole(self) -> tuple[Term, ...]:
        """Operands of the epilogue with an element for each result."""
        return tuple(term for term in self.f.epilogue_terms if I.name in symbols(term.offset))

    @property
    def _at_once(self) -> int:
        """Lines that a row of the image is multiplied into: the sums of one end before those of a line so far below begin."""
        return min(-(-self._reach(0) // self.f.stride[0]), self.lines)

    def _total(self, line: int) -> str:
        return f"total{line % self._at_once}"

    @property
    def _needed(self) -> int:
        """Registers of a thread: a strip's lines of the image, the sums that some of them add to, and bands."""
        deep = sum(lanes.k for _, lanes in self.parts) // PIECE
        held = sum(-(-self._layout(term).registers * term.dtype.bytes // 4) for term in self.f.epilogue_terms)
        held += _OF_PLACES * len(self._whole)
        found = plane_registers(self.rows, self._at_once, self.f.taps[0], deep) + held
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
        return self.f.items // self.f.lines * self._bands * ceil_div(self.f.m, PIECE)

    @property
    def _places(self) -> Index:
        return ceil_div(self._pieces, PIECE)

    def _body(self) -> tuple[Node, ...]:
        counts = (ceil_div(self.f.m, PIECE), self._places)
        strip = If((less(Sym("place"), Sym("places")),), self._strip())
        return dealt(self.columns, counts, self._staged(), (strip,), meet=False)

    def _staged(self) -> tuple[Node, ...]:
        """Load what stays in registers for all strips of a channel: its bands, and operands of the epilogue that are the channel's."""
        f = self.f
        nodes: list[Node] = []
        for part, (k, _) in enumerate(self.parts):
            place = ROW - COLUMN * f.stride[1] + (k + self.first + f.padding[1])
            guard: Guard = (at_least(place, 0), less(place, self._reach(1)))
            element: Index = place
            if f.dilation[1] > 1:
                guard, element = (*guard, equal(place % f.dilation[1], 0)), place // f.dilation[1]
            for tap in range(f.taps[0]):
                offset = substitute(f.b.offset, {R.name: Const(tap), S.name: element, J.name: COLUMN0})
                nodes.append(Load(_band(tap, part), Access(f.b.operand, offset), Transfer.GATHER, guard))
        for term in f.epilogue_terms:
            if term not in self._whole:
                source = Access(term.operand, substitute(term.offset, {J.name: COLUMN0}))
                nodes.append(Load(_held(term), source, Transfer.BROADCAST))
        return tuple(nodes)

    def _strip(self) -> tuple[Node, ...]:
        """Load all lines of the image that a strip sees; multiply one after the other, and end lines that have seen all of theirs."""
        nodes: list[Node] = [*self._places_of_pieces()]
        for row in range(self.rows):
            above = (
                (at_least(_FIRST_ROW + row, 0),) if row < self.f.padding[0] else ()
            )  # the first lines begin so far above the image
            for part in range(len(self.parts)):
                corner = Sym(_corner(_seen(0, part)))
                place = corner + _down(self.f.a.operand, row) if row else corner
                guard = (*above, less(row, Sym(_rows(part))))
                source = Access(self.f.a.operand, place)
                nodes.append(Load(_seen(row, part), source, Transfer.GATHER, guard, width=self.config.vector_a))
        for row in range(self.rows):
            for line in range(self.lines):
                tap, between = divmod(row - line * self.f.stride[0], self.f.dilation[0])
                if between or not 0 <= tap < self.f.taps[0]:
                    continue
                if tap == 0:
                    nodes.append(Fill(self._total(line)))
                for part, (_, lanes) in enumerate(self.parts):
                    nodes.append(Mma(lanes.name, self._total(line), _seen(row, part), _band(tap, part)))
                if tap == self.f.taps[0] - 1:
                    nodes += self._end(line)
        return tuple(nodes)

    def _places_of_pieces(self) -> tuple[Node, ...]:
        """Name what the pieces of a lane are, where their first columns and pixels lie, and where their rows and lines end.

        A column or pixel that is not there has no rows and no lines: so each access asks for no more than its row.
        """
        f, rest = self.f, _PIECE // Sym("strips")
        terms = (f.out, *self._whole)
        found = [Let(_down(f.a.operand, row).name, f.image.by_row * row) for row in range(1, self.rows)]
        found += [
            Let(_down(term.operand, line).name, _by_line(term) * line)
            for term in terms
            for line in range(1, self.lines)
        ]
        found += [
            Let(_PIECE.name, Sym("place") * PIECE + ROW % PIECE, _ROWS),
            Let(_PIXEL0.name, _PIECE % Sym("strips") * PIECE, _ROWS),
            Let(_FIRST_LINE.name, rest % self._bands * self.config.tile_k + ROW // PIECE * self.lines, _ROWS),
            Let(IMAGE.name, rest // self._bands, _ROWS),
            Let(_FIRST_ROW.name, _FIRST_LINE * f.stride[0] - f.padding[0], _ROWS),
        ]
        for part, (k, _) in enumerate(self.parts):
            column = _PIXEL0 * f.stride[1] + COLUMN + (k + self.first)
            offset, tests = f.image.pixel(_FIRST_ROW, column)
            seen = _seen(0, part)
            found.append(Let(_corner(seen), substitute(offset, {J.name: COLUMN0}), seen, wide=True))
            found.append(Let(_rows(part), _where(self._inside(*tests[2:]), f.image.height) - _FIRST_ROW, seen))
        places = {I.name: _PIXEL0 + COLUMN, LINE.name: _FIRST_LINE, J.name: COLUMN0, ITEM.name: Const(0)}
        total = self._total(0)
        for term in terms:
            found.append(Let(_corner(term.operand), substitute(term.offset, places), total, wide=True))
        found.append(Let(_LINES.name, _where(self._inside(less(places[I.name], f.m)), f.lines) - _FIRST_LINE, total))
        return tuple(found)

    def _inside(self, *tests: Test) -> Index:
        """What is negative where the piece or something else is not there."""
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
        approximate = f.out.dtype.is_float and stands_approximation(f.epilogue.expr)
        operands = tuple(_held(term) for term in f.epilogue_terms)
        nodes.append(computed("result", f.epilogue.expr, f.compute, (self._total(line),), operands, approximate))
        target = Access(f.out.operand, _below(f.out, line))
        return [*nodes, Store(target, "result", Transfer.GATHER, guard, self.config.vector_c)]


def _where(inside: Index, extent: Index) -> Index:
    """An extent, or none of it where something is negative."""
    return extent * (maximum(minimum(inside, 0), -1) + 1)


def _corner(of: str) -> str:
    return f"{of}_corner"


def _rows(part: int) -> str:
    return f"rows{part}"


def _down(operand: str, lines: int) -> Sym:
    """So many lines of an operand, in elements: within 32 bits, where places are not."""
    return Sym(f"{operand}_down{lines}")


def _below(term: Term, line: int) -> Index:
    """Where the pixels of a line lie, so far below the first one of a lane's pieces."""
    corner = Sym(_corner(term.operand))
    return corner + _down(term.operand, line) if line else corner


def _by_line(term: Term) -> Index:
    found = coefficient(term.offset, LINE.name)
    assert found is not None
    return found


def _seen(row: int, part: int) -> str:
    return f"seen{row}_{part}"


def _band(tap: int, part: int) -> str:
    return f"band{tap}_{part}"


def _held(term: Term) -> str:
    return f"{term.operand}_held"

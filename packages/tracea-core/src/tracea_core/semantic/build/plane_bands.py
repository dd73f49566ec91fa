# SPDX-License-Identifier: MIT
"""Planes filtered by matrix instructions: rows of a filter as bands, pieces of lines as they lie.

For one channel, a row of the filter gives eight neighbouring pixels the product of the columns that their windows reach and of a band
(column by pixel: an element of the filter where the window holds the column, else zero). The rows of the instruction are such pieces of
eight pixels, side by side, and the same pieces of the lines below the first half of a warp's: 16 pieces of a line each are multiplied at
once, and their operand is what lies in memory, two columns a lane. So lanes load what they multiply, and store what they hold.

A zero of a band times what is no number is none: what is not finite reaches all pixels of its line that are multiplied with it.
"""

from __future__ import annotations

from tracea_core.doctor.plane_windows import PIECE, plane_registers
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import projection
from tracea_core.semantic.build.plane_strips import FIRST_ROW, PIXEL0, PlaneStrips, corner, down, where
from tracea_core.semantic.build.strip_columns import COLUMN0
from tracea_core.semantic.contraction import J
from tracea_core.semantic.depthwise import Depthwise, R, S
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, at_least, equal, less, substitute
from tracea_core.semantic.kernel import Fragment, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, Let, Load, Mma, Node, Transfer
from tracea_core.target import CapabilityProfile


def banded_planes_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of planes that are filtered by matrix instructions.

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
    return BandedPlanes(form, configuration, profile).kernel(variant, name)


class BandedPlanes(PlaneStrips):
    """The schedule for one form and configuration.

    Attributes
    ----------
    parts : list of (int, InstructionLanes)
        The instructions that multiply a row, each with the first of its columns.
    """

    across, halves = PIECE, 2

    def _fits(self) -> tuple[tuple[bool, str], ...]:
        f, config, profile = self.f, self.config, self.profile
        runs = (config.vector_a * f.image.dtype.bytes, config.vector_c * f.out.dtype.bytes)
        return (
            (f.image.dtype in (DType.FP16, DType.BF16) and f.b.dtype is f.image.dtype and f.compute is DType.FP32
             and profile.lanes == 32 and profile.vendor == "nvidia",
             "bands are multiplied by instructions for 16-bit elements"),
            (config.tile_m == PIECE and config.tile_k % self.halves == 0,
             f"a warp takes pieces of {PIECE} pixels, of lines in two halves"),
            (config.vector_a in (1, 2) and config.vector_c in (1, 2) and max(runs) <= 8, "a lane holds two columns of a line"),
        )  # fmt: skip

    def _divide(self) -> None:
        f = self.f
        self.lanes, half = (instruction(f"mma_m16n8k{k}_{f.image.dtype.value}") for k in (16, 8))
        reach = PIECE if self.short else (PIECE - 1) * f.stride[1] + self.reach(1) - f.padding[1] - self.first
        depth = -(-reach // half.k) * half.k
        self.parts = [(k, self.lanes) for k in range(0, depth // self.lanes.k * self.lanes.k, self.lanes.k)]
        if depth % self.lanes.k:
            self.parts.append((depth - half.k, half))

    @property
    def sums(self) -> FragmentLayout:
        """Which lane holds which pixels of which pieces."""
        return self.lanes.c

    @property
    def of_pieces(self) -> FragmentLayout:
        """The same of one column."""
        return projection(self.lanes.c, 0)

    def _operands(self) -> tuple[Fragment, ...]:
        f, found = self.f, []
        for part, (_, lanes) in enumerate(self.parts):
            assert lanes.a is not None and lanes.b is not None
            found += [Fragment(_seen(row, part), f.image.dtype, lanes.a) for row in range(self.rows)]
            found += [Fragment(_band(tap, part), f.b.dtype, lanes.b) for tap in range(f.taps[0])]
        return tuple(found)

    @property
    def _multiplied(self) -> int:
        deep = sum(lanes.k for _, lanes in self.parts) // PIECE
        return plane_registers(self.rows, self.at_once, self.f.taps[0], deep)

    def _filter(self) -> tuple[Node, ...]:
        f = self.f
        nodes: list[Node] = []
        for part, (k, _) in enumerate(self.parts):
            place = ROW - COLUMN * f.stride[1] + (k + self.first + f.padding[1])
            guard: Guard = (at_least(place, 0), less(place, self.reach(1)))
            element: Index = place
            if f.dilation[1] > 1:
                guard, element = (*guard, equal(place % f.dilation[1], 0)), place // f.dilation[1]
            for tap in range(f.taps[0]):
                offset = substitute(f.b.offset, {R.name: Const(tap), S.name: element, J.name: COLUMN0})
                nodes.append(Load(_band(tap, part), Access(f.b.operand, offset), Transfer.GATHER, guard))
        return tuple(nodes)

    def _piece(self) -> tuple[Index, Index]:
        return ROW % PIECE, ROW // PIECE * self.lines

    def _places_of_columns(self) -> tuple[Let, ...]:
        f, found = self.f, []
        for part, (k, _) in enumerate(self.parts):
            offset, tests = f.image.pixel(FIRST_ROW, PIXEL0 * f.stride[1] + COLUMN + (k + self.first))
            seen = _seen(0, part)
            found.append(Let(corner(seen), substitute(offset, {J.name: COLUMN0}), seen, wide=True))
            found.append(Let(_rows(part), where(self.inside(*tests[2:]), f.image.height) - FIRST_ROW, seen))
        return tuple(found)

    def _load(self, row: int, above: Guard) -> tuple[Node, ...]:
        nodes = []
        for part in range(len(self.parts)):
            first = Sym(corner(_seen(0, part)))
            place = first + down(self.f.a.operand, row) if row else first
            guard = (*above, less(row, Sym(_rows(part))))
            source = Access(self.f.a.operand, place)
            nodes.append(Load(_seen(row, part), source, Transfer.GATHER, guard, width=self.config.vector_a))
        return tuple(nodes)

    def _multiply(self, total: str, row: int, tap: int) -> tuple[Node, ...]:
        parts = enumerate(self.parts)
        return tuple(Mma(lanes.name, total, _seen(row, part), _band(tap, part)) for part, (_, lanes) in parts)


def _seen(row: int, part: int) -> str:
    return f"seen{row}_{part}"


def _band(tap: int, part: int) -> str:
    return f"band{tap}_{part}"


def _rows(part: int) -> str:
    return f"rows{part}"

# SPDX-License-Identifier: MIT
"""Planes filtered by lanes: each takes a few neighbouring pixels of a few lines, and the columns that their windows see.

For what no matrix instruction multiplies exactly, fp32. The lanes of a warp have pieces side by side, whose columns overlap by what windows
reach beyond their pixels; most of what a lane loads beside its own pixels its neighbours load too, and the first cache has it. An element
of the filter is multiplied with as many neighbouring columns as there are pixels, which are registers in a row. Columns that a stride
leaves apart are loaded by residues, so that they are.
"""

from __future__ import annotations

from tracea_core.doctor.plane_windows import lane_registers, residues
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import MULTIPLY_ADD
from tracea_core.semantic.build.multistage_lanes import scalar
from tracea_core.semantic.build.plane_strips import FIRST_ROW, PIECES, PIXEL0, PlaneStrips, corner, down, where
from tracea_core.semantic.build.strip_columns import COLUMN0
from tracea_core.semantic.contraction import J
from tracea_core.semantic.depthwise import Depthwise, R, S
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, less, substitute
from tracea_core.semantic.kernel import Fragment, SemanticKernel
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, Compute, Extract, Let, Load, Node, Transfer
from tracea_core.target import CapabilityProfile

_CHUNK = 16
"""Bytes of the widest access of one lane."""
_PART = "part"


def lane_planes_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of planes that are filtered by lanes.

    Parameters
    ----------
    configuration : PipelineConfig
        Each lane of `warps` warps takes ``tile_k`` lines of a piece of ``tile_m`` pixels of one channel. ``vector_a`` and ``vector_c``
        are promises: rows of images and of the output begin at, and are, multiples of so many elements.

    Raises
    ------
    ConfigurationError
        If the convolution is none of planes, runs do not divide pieces, or registers do not suffice.
    """
    return LanePlanes(form, configuration, profile).kernel(variant, name)


class LanePlanes(PlaneStrips):
    """The schedule for one form and configuration.

    Attributes
    ----------
    windows : dict of int to int
        How many columns a piece's windows see of each residue of the stride.
    """

    halves = 1

    @property
    def short(self) -> bool:
        """Whether a line is multiplied from its first column on: never, since what is left of it costs nothing."""
        return False

    def _fits(self) -> tuple[tuple[bool, str], ...]:
        f, config = self.f, self.config
        wide = _CHUNK // f.compute.bytes
        runs = (config.vector_a, config.vector_c)
        return (
            (f.image.dtype is f.b.dtype is f.compute is DType.FP32, "lanes multiply fp32"),
            (1 <= config.tile_m <= 16 and all(run in (1, 2, wide) and config.tile_m % run == 0 for run in runs),
             f"pieces of {config.tile_m} pixels are no runs of {config.vector_a} and {config.vector_c}"),
            (config.vector_a == 1 or f.stride[1] == 1, "columns that a stride leaves apart are loaded one by one"),
            (config.vector_c * f.out.dtype.bytes <= _CHUNK, f"runs of {config.vector_c} are no accesses"),
        )  # fmt: skip

    def _divide(self) -> None:
        f = self.f
        self.across = self.profile.lanes
        self.shifts = [tap * f.dilation[1] - f.padding[1] - self.first for tap in range(f.taps[1])]
        self.windows = residues(self.shifts, f.stride[1], self.config.tile_m, self.config.vector_a)

    @property
    def sums(self) -> FragmentLayout:
        """Which lane holds which pixels of which pieces."""
        return self.of_pieces.repeat(columns=self.config.tile_m)

    @property
    def of_pieces(self) -> FragmentLayout:
        """The same of one column."""
        lane = tuple((1 << bit, 0) for bit in range(self.profile.lanes.bit_length() - 1))
        return FragmentLayout.from_bits((self.profile.lanes, 1), lane, ())

    def _operands(self) -> tuple[Fragment, ...]:
        f, one = self.f, self.of_pieces
        found = [
            Fragment(_seen(row, residue), f.image.dtype, one.repeat(columns=count))
            for row in range(self.rows)
            for residue, count in self.windows.items()
        ]
        weights = [_weight(tap, element) for tap in range(f.taps[0]) for element in range(f.taps[1])]
        found += [Fragment(name, f.b.dtype, scalar(self.profile.lanes)) for name in weights]
        return (*found, Fragment(_PART, f.compute, self.sums))

    @property
    def _multiplied(self) -> int:
        f = self.f
        columns = sum(self.windows.values())
        return lane_registers(self.rows, columns, self.at_once, self.config.tile_m, f.taps[0] * f.taps[1])

    def _filter(self) -> tuple[Node, ...]:
        f = self.f
        nodes: list[Node] = []
        for tap in range(f.taps[0]):
            for element in range(f.taps[1]):
                offset = substitute(f.b.offset, {R.name: Const(tap), S.name: Const(element), J.name: COLUMN0})
                nodes.append(Load(_weight(tap, element), Access(f.b.operand, offset), Transfer.BROADCAST))
        return tuple(nodes)

    def _piece(self) -> tuple[Index, Index]:
        return ROW, Const(0)

    def _places_of_columns(self) -> tuple[Let, ...]:
        f, start = self.f, PIXEL0 * self.f.stride[1] + self.first
        offset, _ = f.image.pixel(FIRST_ROW, start)
        found = [Let(corner(f.a.operand), substitute(offset, {J.name: COLUMN0}), PIECES, wide=True)]
        for residue in self.windows:
            _, tests = f.image.pixel(FIRST_ROW, start + self._column(residue))
            there = where(self.inside(*tests[2:]), f.image.height) - FIRST_ROW
            found.append(Let(_rows(residue), there, _seen(0, residue)))
        return tuple(found)

    def _column(self, residue: int) -> Index:
        """How far from a piece's first column an element of a residue lies."""
        return COLUMN * self.f.stride[1] + residue

    def _load(self, row: int, above: Guard) -> tuple[Node, ...]:
        f, nodes = self.f, []
        for residue in self.windows:
            first: Index = Sym(corner(f.a.operand))
            place = (first + down(f.a.operand, row) if row else first) + self._column(residue)
            guard = (*above, less(row, Sym(_rows(residue))))
            name, source = _seen(row, residue), Access(f.a.operand, place)
            nodes.append(Load(name, source, Transfer.GATHER, guard, width=self.config.vector_a))
        return tuple(nodes)

    def _multiply(self, total: str, row: int, tap: int) -> tuple[Node, ...]:
        f = self.f
        nodes: list[Node] = []
        for element, shift in enumerate(self.shifts):
            column, residue = divmod(shift, f.stride[1])
            nodes.append(Extract(_PART, _seen(row, residue), Const(0), Const(column)))
            nodes.append(Compute(total, MULTIPLY_ADD, f.compute, (total, _PART), (_weight(tap, element),)))
        return tuple(nodes)


def _seen(row: int, residue: int) -> str:
    return f"seen{row}_{residue}"


def _weight(tap: int, element: int) -> str:
    return f"weight{tap}_{element}"


def _rows(residue: int) -> str:
    return f"rows{residue}"

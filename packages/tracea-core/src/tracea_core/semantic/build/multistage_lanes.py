# SPDX-License-Identifier: MIT
"""Lane maps of a block whose warps all do the same: who moves which part of a tile, and what follows from an instruction's maps.

They are built from bits, so that every later question (bank conflicts, coverage, printed text) is linear algebra.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.index import Const, Index, Sym
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.target import CapabilityProfile

_CHUNK = 16
"""Bytes of the widest access of one lane."""
WARP = Sym("warp")
"""Number of the warp within its block; also the name of the only role."""


class Rectangle:
    """What one warp moves in one pass: the lane maps of load and store, and how passes and warps tile the whole.

    Rows run along the operand's outer direction, columns along k.

    Parameters
    ----------
    outer, k : int
        The whole tile.
    lanes, warps : int
        Lanes of a warp, warps of the block.
    wide : int
        Elements of a run in global memory.
    deep : int
        Consecutive k that one lane gathers where runs go along the outer direction.
    along_k : bool
        Whether runs go along k.
    row : int
        Most lanes that go along the runs; the others go across.
    """

    def __init__(
        self, outer: int, k: int, lanes: int, warps: int, wide: int, deep: int, along_k: bool, row: int
    ) -> None:
        self.wide, self.deep, self.along_k, self.warps = wide, deep, along_k, warps
        first = min(lanes, row, max(power_of_two(k if along_k else outer) // wide, 1))
        rest = lanes // first
        lane_bits, rest_bits, wide_bits, deep_bits = (_log2(value) for value in (first, rest, wide, deep))
        if along_k:
            self.shape = (rest, first * wide)
            lane = _bits(1, wide, lane_bits) + _bits(0, 1, rest_bits)
            self.fetched = self.stored = FragmentLayout.from_bits(self.shape, lane, _bits(1, 1, wide_bits))
        else:
            self.shape = (first * wide, rest * deep)
            lane = _bits(0, wide, lane_bits) + _bits(1, deep, rest_bits)
            along, across = _bits(0, 1, wide_bits), _bits(1, 1, deep_bits)
            self.fetched = FragmentLayout.from_bits(self.shape, lane, along + across)
            self.stored = FragmentLayout.from_bits(self.shape, lane, across + along)
        self.grid = (outer // self.shape[0], k // self.shape[1])
        whole = self.grid[0] * self.shape[0] == outer and self.grid[1] * self.shape[1] == k
        count = math.prod(self.grid)
        self.passes = count // warps if whole and count % warps == 0 else 0

    def origin(self, number: int | Index) -> tuple[Index, Index]:
        """Return the (outer, k) at which this warp's rectangle of a pass begins."""
        place = WARP + number * self.warps
        rows, columns = self.shape
        if self.grid[0] == 1:
            return Const(0), place * columns
        if self.grid[1] == 1:
            return place * rows, Const(0)
        return place % self.grid[0] * rows, place // self.grid[0] * columns


def narrower(width: int, least: int) -> int:
    """Return the next narrower run: half of it, single elements where half is less than `least`, 0 after those.

    >>> [narrower(width, 4) for width in (16, 4, 1)]
    [8, 1, 0]
    """
    return width // 2 if width // 2 >= least else int(width > 1)


def rectangle(
    outer: int, k: int, lanes: int, warps: int, wide: int, deep: int, along_k: bool, row: int, least: int = 1
) -> Rectangle:
    """Return the division with the widest runs, up to `wide` by `deep`, that gives every warp equally many rectangles.

    Runs have at least `least` elements, or one.

    Raises
    ------
    ConfigurationError
        If there is none.
    """
    while True:
        found = Rectangle(outer, k, lanes, warps, wide, deep, along_k, row)
        if found.passes:
            return found
        if wide == 1 and deep == 1:
            raise ConfigurationError(
                f"{warps} warps of {lanes} lanes do not divide a {outer}x{k} tile evenly",
                hint="Choose fewer warps or a larger tile",
            )
        wide, deep = (narrower(wide, least), deep) if wide > 1 else (1, deep // 2)


def padded(
    cut: Callable[[int], Rectangle], fragment: FragmentLayout, tile: tuple[int, int], read_width: int, size: int,
    profile: CapabilityProfile,
) -> tuple[Rectangle, Layout, int] | None:  # fmt: skip
    """Return a division, rows along the outer direction with the fewest unused elements behind them, and the width of stores.

    Accesses meet in no bank. None if they do for any number of lanes along the runs and any padding.

    Parameters
    ----------
    cut : callable
        The division with at most so many lanes along the runs.
    fragment : FragmentLayout
        What a warp reads, `read_width` elements of `size` bytes at a time.
    tile : tuple of int
        Elements along the outer direction and along k.
    """
    simulator = BankConflictSimulator(profile.shared_banks, profile.shared_bank_bytes)
    limit, row = _CHUNK // size, profile.lanes
    while row > 1:
        found = cut(row)
        store_width = min(run(found.stored, 0), limit)
        accesses = ((found.stored.elements(), store_width), (fragment.elements(), read_width))
        for pad in range(0, profile.shared_banks, limit):
            layout = Layout.row_major(("k", tile[1]), ("outer", tile[0]), pad=pad)
            if all(
                simulator.worst(layout.at(k, outer)[:, ::width].T * size, width * size) == 1
                for (outer, k), width in accesses
            ):
                return found, layout, store_width
        row //= 2
    return None


def power_of_two(value: int) -> int:
    """Return the largest power of two that divides `value`.

    >>> power_of_two(192)
    64
    """
    return value & -value


def _log2(value: int) -> int:
    return value.bit_length() - 1


def _bits(axis: int, start: int, count: int) -> tuple[tuple[int, int], ...]:
    return tuple((0, start << i) if axis else (start << i, 0) for i in range(count))


def images(layout: FragmentLayout) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the (row, column) steps of each lane bit and each register bit of a fragment that is one atom."""
    if layout.repeats:
        raise ConfigurationError("a fragment of several atoms has no single matrix", shape=layout.shape)
    low = (1 << layout.column_bits) - 1
    steps = [(column >> layout.column_bits, column & low) for column in layout.atom.columns]
    return steps[layout.register_bits :], steps[: layout.register_bits]


def projection(layout: FragmentLayout, axis: int) -> FragmentLayout:
    """Return the fragment of one row (`axis` 1) or one column (0): one element for each coordinate, in the lanes that hold it."""
    lane, register = images(layout)
    shape = (layout.shape[0], 1) if axis == 0 else (1, layout.shape[1])

    def keep(step: tuple[int, int]) -> tuple[int, int]:
        return (step[0], 0) if axis == 0 else (0, step[1])

    return FragmentLayout.from_bits(
        shape, tuple(keep(step) for step in lane), tuple(keep(step) for step in register if keep(step) != (0, 0))
    )


def scalar(lanes: int) -> FragmentLayout:
    """Return the fragment of one element that all lanes hold."""
    return FragmentLayout.from_bits((1, 1), ((0, 0),) * _log2(lanes), ())


def run(layout: FragmentLayout, axis: int) -> int:
    """Return how many consecutive elements along an axis the low registers of a lane hold."""
    _, register = images(layout)
    count = 1
    for step in register:
        if step != ((count, 0) if axis == 0 else (0, count)):
            break
        count *= 2
    return count


def lane_matrix(layout: FragmentLayout, row_bytes: int, column_bytes: int) -> Matrix:
    """Return the byte offsets of the lanes' first elements, where rows and columns are so many bytes apart."""
    lane, _ = images(layout)
    steps = tuple(row * row_bytes + column * column_bytes for row, column in lane)
    return Matrix(max(1, *(step.bit_length() for step in steps)), steps)


def side_by_side(layout: FragmentLayout, count: int) -> FragmentLayout:
    """Return the layout of a power of two of fragments next to each other, each in registers of its own."""
    lane, register = images(layout)
    rows, columns = layout.shape
    return FragmentLayout.from_bits(
        (rows, columns * count), tuple(lane), (*register, *((0, columns << bit) for bit in range(_log2(count))))
    )


def with_runs(layout: FragmentLayout, axis: int, count: int) -> FragmentLayout | None:
    """Return the layout in whose lanes lie runs of `count` elements along an axis: register bits changed places with lane bits.

    What lanes give registers for is the widest step along the axis, so that lanes side by side go on with a run. None if the
    registers do not suffice.
    """
    lane, register = images(layout)
    wanted = [(1 << bit, 0) if axis == 0 else (0, 1 << bit) for bit in range(_log2(count))]
    if any(step not in (*lane, *register) for step in wanted):
        return None
    spare = sorted((step for step in register if step not in wanted), key=lambda step: step[axis])
    if sum(step in lane for step in wanted) > len(spare):
        return None
    lane = [spare.pop() if step in wanted else step for step in lane]
    return FragmentLayout.from_bits(layout.shape, tuple(lane), (*wanted, *spare))

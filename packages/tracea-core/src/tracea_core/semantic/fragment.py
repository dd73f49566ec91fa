# SPDX-License-Identifier: MIT
"""Which lane holds which element: the (lane, register) -> (row, column) map of a fragment.

The instruction's own part is a GF(2) matrix, since vendors interleave powers of two; a tile of several instructions,
or a CPU register tile of 6 rows by 4 vectors, repeats that atom with any extents. A *register* counts the elements
that one lane holds, in the order of the instruction's operand (two 16-bit elements of one 32-bit register are
registers 2i and 2i + 1). Lane bits that reach no element mean that several lanes hold the same one, as a broadcast
does.
"""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Integers, Matrix, as_integers


class Holder(enum.Enum):
    """What a repetition runs over: more registers of the same lanes, or more lanes."""

    REGISTER = "register"
    LANE = "lane"


class FragmentAxis(enum.Enum):
    """The two logical coordinates of a fragment."""

    ROW = "row"
    COLUMN = "column"


class Repeat(Data, frozen=True):
    """The atom repeated `extent` times, each `step` elements further along `axis` (step 0: the same elements again)."""

    holder: Holder
    axis: FragmentAxis
    extent: int
    step: int

    def __post_init__(self) -> None:
        if self.extent < 1 or self.step < 0:
            raise ConfigurationError(f"a repetition of {self.extent} by {self.step} elements is none")


class Field(Data, frozen=True):
    """Bits of a lane or register number within a coordinate: ``((holder >> source) & (2^width - 1)) << target``."""

    holder: Holder
    source: int
    width: int
    axis: FragmentAxis
    target: int


class FragmentLayout(Data, frozen=True):
    """A fragment of `shape` held by `lanes` lanes with `registers` elements each.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    lane_bits, register_bits : int
        Bits of the lane and register number that the atom takes (the low ones).
    row_bits : int
        The atom's output is ``row << column_bits | column``.
    column_bits : int
        See `row_bits`.
    atom : Matrix
        From ``lane << register_bits | register`` to ``row << column_bits | column``.
    repeats : tuple of Repeat
        The higher digits of the lane and register numbers, most significant first.
    """

    shape: tuple[int, int]
    lane_bits: int
    register_bits: int
    row_bits: int
    column_bits: int
    atom: Matrix
    repeats: tuple[Repeat, ...] = ()

    def __post_init__(self) -> None:
        if len(self.atom.columns) != self.lane_bits + self.register_bits:
            raise ConfigurationError(
                "the atom of a fragment takes exactly its lane and register bits",
                lane_bits=self.lane_bits, register_bits=self.register_bits, columns=len(self.atom.columns),
            )  # fmt: skip
        if self.atom.rows != self.row_bits + self.column_bits:
            raise ConfigurationError(
                "the atom of a fragment yields exactly its row and column bits",
                row_bits=self.row_bits, column_bits=self.column_bits, rows=self.atom.rows,
            )  # fmt: skip
        blocks = {FragmentAxis.ROW: 1 << self.row_bits, FragmentAxis.COLUMN: 1 << self.column_bits}
        reach = [blocks[FragmentAxis.ROW], blocks[FragmentAxis.COLUMN]]
        for repeat in self.repeats:
            if repeat.step % blocks[repeat.axis]:
                raise ConfigurationError(
                    f"a repetition every {repeat.step} splits an atom of {blocks[repeat.axis]} {repeat.axis.value}s"
                )
            reach[repeat.axis is FragmentAxis.COLUMN] += (repeat.extent - 1) * repeat.step
        if reach[0] > self.shape[0] or reach[1] > self.shape[1]:
            raise ConfigurationError("a fragment reaches beyond its shape", shape=self.shape, reach=tuple(reach))

    # ---- construction

    @classmethod
    def from_bits(
        cls,
        shape: tuple[int, int],
        lane: tuple[tuple[int, int], ...],
        register: tuple[tuple[int, int], ...],
    ) -> FragmentLayout:
        """Return a power-of-two fragment from the (row, column) that each single lane and register bit reaches.

        >>> lane = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
        >>> c = FragmentLayout.from_bits((16, 8), lane, register=((0, 1), (8, 0)))
        >>> [int(x) for x in c.element(5, 2)]
        [9, 2]
        """
        row_bits, column_bits = ((extent - 1).bit_length() for extent in shape)
        columns = tuple((row << column_bits) | column for row, column in (*register, *lane))
        atom = Matrix(row_bits + column_bits, columns)
        return cls(shape, len(lane), len(register), row_bits, column_bits, atom)

    def repeat(
        self,
        rows: int = 1,
        columns: int = 1,
        *,
        holder: Holder = Holder.REGISTER,
        row_step: int = 0,
        column_step: int = 0,
    ) -> FragmentLayout:
        """Return the fragment of a ``rows x columns`` grid of these, side by side in new registers by default.

        The grid is row-major in the new registers (or, with ``holder=Holder.LANE``, in the new lanes: several warps).
        """
        row_step, column_step = row_step or self.shape[0], column_step or self.shape[1]
        shape = (self.shape[0] + (rows - 1) * row_step, self.shape[1] + (columns - 1) * column_step)
        grid = (
            Repeat(holder, FragmentAxis.ROW, rows, row_step),
            Repeat(holder, FragmentAxis.COLUMN, columns, column_step),
        )
        return self.replace(shape=shape, repeats=tuple(r for r in grid if r.extent > 1) + self.repeats)

    def broadcast(self, copies: int) -> FragmentLayout:
        """Return the fragment with `copies` times the lanes, all groups of lanes holding the same elements."""
        repeats = (Repeat(Holder.LANE, FragmentAxis.ROW, copies, 0),) if copies > 1 else ()
        return self.replace(repeats=repeats + self.repeats)

    def transposed(self) -> FragmentLayout:
        """Return the fragment of the transposed matrix, held in the same places."""
        rows = (*range(self.column_bits, self.column_bits + self.row_bits), *range(self.column_bits))
        swap = {FragmentAxis.ROW: FragmentAxis.COLUMN, FragmentAxis.COLUMN: FragmentAxis.ROW}
        return FragmentLayout(
            self.shape[::-1], self.lane_bits, self.register_bits, self.column_bits, self.row_bits,
            self.atom.select_rows(rows), tuple(r.replace(axis=swap[r.axis]) for r in self.repeats),
        )  # fmt: skip

    # ---- the map

    @property
    def lanes(self) -> int:
        """Number of lanes."""
        return self._count(Holder.LANE) << self.lane_bits

    @property
    def registers(self) -> int:
        """Elements held by each lane."""
        return self._count(Holder.REGISTER) << self.register_bits

    def _count(self, holder: Holder) -> int:
        return math.prod(repeat.extent for repeat in self.repeats if repeat.holder is holder)

    def element(self, lane: Any, register: Any) -> tuple[Integers, Integers]:
        """Return (row, column) of the element in a register of a lane; arrays broadcast together.

        Raises
        ------
        ConfigurationError
            If a lane or register number is out of range.
        """
        lanes, registers = as_integers(lane), as_integers(register)
        for name, given, limit in (("lane", lanes, self.lanes), ("register", registers, self.registers)):
            if given.size and (given.min() < 0 or given.max() >= limit):
                raise ConfigurationError(f"{name} {given.max()} of a fragment with {limit} {name}s", least=given.min())
        inner = ((lanes & ((1 << self.lane_bits) - 1)) << self.register_bits) | (
            registers & ((1 << self.register_bits) - 1)
        )
        image = self.atom.apply(inner)
        row, column = image >> self.column_bits, image & ((1 << self.column_bits) - 1)
        rest = {Holder.LANE: lanes >> self.lane_bits, Holder.REGISTER: registers >> self.register_bits}
        for repeat in reversed(self.repeats):
            digit = rest[repeat.holder] % repeat.extent
            rest[repeat.holder] = rest[repeat.holder] // repeat.extent
            if repeat.axis is FragmentAxis.ROW:
                row = row + digit * repeat.step
            else:
                column = column + digit * repeat.step
        return row, column

    def elements(self) -> tuple[Integers, Integers]:
        """Return the rows and columns of all elements, each as an array of shape (lanes, registers)."""
        row, column = self.element(np.arange(self.lanes)[:, None], np.arange(self.registers)[None, :])
        return row, column

    def holders(self) -> Integers:
        """Return how many (lane, register) places hold each element, as an array of `shape`."""
        row, column = self.elements()
        places = np.bincount((row * self.shape[1] + column).ravel(), minlength=self.shape[0] * self.shape[1])
        return as_integers(places.reshape(self.shape))

    def fields(self) -> tuple[Field, ...] | None:
        """Return the atom as bit fields, adjacent bits merged, or None if some coordinate bit is an XOR of several.

        ``row`` and ``column`` are then sums of shifted fields of the lane and register numbers, which is how an emitter
        prints them.
        """
        used = 0
        fields: list[Field] = []
        for i, column in enumerate(self.atom.columns):
            if column == 0:
                continue
            if column & (column - 1) or column & used:
                return None
            used |= column
            bit = column.bit_length() - 1
            in_row = bit >= self.column_bits
            axis, target = (FragmentAxis.ROW, bit - self.column_bits) if in_row else (FragmentAxis.COLUMN, bit)
            is_lane = i >= self.register_bits
            holder, source = (Holder.LANE, i - self.register_bits) if is_lane else (Holder.REGISTER, i)
            last = fields[-1] if fields else None
            if (
                last is not None
                and (last.holder, last.axis) == (holder, axis)
                and last.source + last.width == source
                and last.target + last.width == target
            ):
                fields[-1] = last.replace(width=last.width + 1)
            else:
                fields.append(Field(holder, source, 1, axis, target))
        return tuple(fields)

    # ---- proofs

    def covers(self) -> bool:
        """Whether every element of `shape` is held at least once."""
        if self.atom.is_surjective() and self._grid_is_exact():
            return True
        return bool(np.all(self.holders() > 0))

    def _grid_is_exact(self) -> bool:
        """Whether the repetitions along each axis nest without gap up to the extent: then the grid is covered once."""
        for axis, block, extent in zip(FragmentAxis, (self.row_bits, self.column_bits), self.shape, strict=True):
            reached = 1 << block
            steps = sorted((r.step, r.extent) for r in self.repeats if r.axis is axis and r.step and r.extent > 1)
            for step, count in steps:
                if step != reached:
                    return False
                reached = step * count
            if reached != extent:
                return False
        return True

    @property
    def replication(self) -> int:
        """How many places hold an element that is held most often (1: no element is held twice)."""
        if self._grid_is_exact():
            copies = math.prod(r.extent for r in self.repeats if not r.step)
            return copies << len(self.atom.kernel())
        return int(self.holders().max())

    def is_partition(self) -> bool:
        """Whether every element is held exactly once: what an accumulator must be."""
        return self.covers() and self.lanes * self.registers == self.shape[0] * self.shape[1]

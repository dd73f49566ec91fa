# SPDX-License-Identifier: MIT
"""A fragment as linear algebra: lane and register bits as vectors of a power-of-two block that repeats over the tile.

`tracea_core.semantic.fragment` says where an element of any extent sits; to plan a conversion one wants GF(2). Extents
are rarely powers of two (208 = 13·16), but what is odd about them is nearly always held in registers: so a fragment is
cut into equal blocks of powers of two, each of which every lane holds in registers of its own. Within a block a bit of
the lane or register number is a vector of element bits ``row << column_bits | column``; the blocks differ by their first
register alone.
"""

from __future__ import annotations

import itertools

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.gf2 import Matrix


class Bit(Data, frozen=True):
    """One bit of a register number: its weight in that number, and the element bits it moves by."""

    weight: int
    image: int


class Distributed(Data, frozen=True):
    """One block of a fragment and where the others start.

    Attributes
    ----------
    block : (int, int)
        Rows and columns of a block, powers of two.
    registers : tuple of Bit
        The bits of the register number within a block, lowest first.
    lanes : tuple of int
        Image of each bit of the lane number; 0 where it reaches no other element (a broadcast).
    starts : tuple of (row, column, register)
        Every block: its place in units of blocks, and the register number of its first element.
    """

    block: tuple[int, int]
    registers: tuple[Bit, ...]
    lanes: tuple[int, ...]
    starts: tuple[tuple[int, int, int], ...]

    @property
    def bits(self) -> int:
        """Bits of an element number within a block."""
        return (self.block[0] * self.block[1]).bit_length() - 1

    @property
    def register_map(self) -> Matrix:
        """The images of the register bits as a matrix."""
        return Matrix(self.bits, tuple(bit.image for bit in self.registers))

    def register(self, number: int) -> int:
        """Return the register, relative to its block's first one, that the bits of `number` spell."""
        return sum(bit.weight for i, bit in enumerate(self.registers) if number >> i & 1)


def common_block(first: FragmentLayout, second: FragmentLayout) -> tuple[int, int]:
    """Return the largest block that both layouts consist of.

    >>> from tracea_core.semantic.lanes import instruction
    >>> wide = instruction("wgmma_m64n208k16_bf16").c
    >>> common_block(wide, wide)
    (64, 16)
    """
    sizes = []
    for axis in FragmentAxis:
        sizes.append(min(_reach(layout, axis) for layout in (first, second)))
    return sizes[0], sizes[1]


def _atom_extent(layout: FragmentLayout, axis: FragmentAxis) -> int:
    return 1 << (layout.row_bits if axis is FragmentAxis.ROW else layout.column_bits)


def _reach(layout: FragmentLayout, axis: FragmentAxis) -> int:
    """The largest power of two that the atom and its repetitions fill without a gap along `axis`."""
    reached = _atom_extent(layout, axis)
    for step, extent in sorted((r.step, r.extent) for r in layout.repeats if r.axis is axis and r.step):
        if step != reached:
            break
        reached = step * (extent & -extent)
        if extent & (extent - 1):
            break
    return reached


def distribute(layout: FragmentLayout, block: tuple[int, int]) -> Distributed:
    """Return `layout` as blocks of the given size.

    Raises
    ------
    ConfigurationError
        If the layout does not consist of such blocks, each held by all lanes in registers.
    """
    column_bits = block[1].bit_length() - 1
    images = [_element(layout, column, column_bits) for column in layout.atom.columns]
    registers = [Bit(1 << i, image) for i, image in enumerate(images[: layout.register_bits])]
    lanes = images[layout.register_bits :]
    weights = {Holder.REGISTER: 1 << layout.register_bits, Holder.LANE: 1 << layout.lane_bits}
    outer: list[tuple[Repeat, int, int]] = []
    for repeat in reversed(layout.repeats):
        weight = weights[repeat.holder]
        weights[repeat.holder] = weight * repeat.extent
        along_row = repeat.axis is FragmentAxis.ROW
        inner = _inside(repeat, block[0] if along_row else block[1])
        for i in range(inner.bit_length() - 1):
            image = (repeat.step << i) << (column_bits if along_row else 0)
            if repeat.holder is Holder.LANE:
                lanes.append(image)
            else:
                registers.append(Bit(weight << i, image))
        if inner < repeat.extent:
            if repeat.holder is Holder.LANE:
                raise ConfigurationError(
                    f"{repeat.extent} groups of lanes do not fit blocks of {block[0]}x{block[1]}",
                    hint="Give lanes powers of two; what is left over goes to registers",
                )
            outer.append((repeat, inner, weight))
    return Distributed(block, tuple(registers), tuple(lanes), _starts(outer, block))


def _element(layout: FragmentLayout, column: int, column_bits: int) -> int:
    """An image of the atom in the element bits of a block."""
    row, place = column >> layout.column_bits, column & ((1 << layout.column_bits) - 1)
    return row << column_bits | place


def _inside(repeat: Repeat, extent: int) -> int:
    """How many of a repetition's values stay within a block; all of them where it moves nothing and is a power of two."""
    if repeat.step == 0:
        return repeat.extent & -repeat.extent
    if repeat.step >= extent:
        return 1
    inner = min(extent // repeat.step, repeat.extent)
    if inner & (inner - 1) or repeat.extent % inner or inner * repeat.step > extent:
        raise ConfigurationError(
            f"a repetition of {repeat.extent} by {repeat.step} does not divide into blocks of {extent}"
        )
    return inner


def _starts(outer: list[tuple[Repeat, int, int]], block: tuple[int, int]) -> tuple[tuple[int, int, int], ...]:
    starts = []
    for digits in itertools.product(*(range(repeat.extent // inner) for repeat, inner, _ in outer)):
        place, register = [0, 0], 0
        for digit, (repeat, inner, weight) in zip(digits, outer, strict=True):
            place[repeat.axis is FragmentAxis.COLUMN] += digit * inner * repeat.step
            register += digit * inner * weight
        if place[0] % block[0] or place[1] % block[1]:
            raise ConfigurationError("a block of the fragment does not start at a multiple of its size", place=place)
        starts.append((place[0] // block[0], place[1] // block[1], register))
    return tuple(sorted(starts))

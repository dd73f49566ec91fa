# SPDX-License-Identifier: MIT
"""Where an element of a buffer lies: an XOR atom of 2^a elements, placed by a mixed-radix integer map.

Swizzles and fragments are linear over GF(2) and live on powers of two; tiles of 192, 208 or 6x64 elements, panels and
padding are not and do not. So a layout has two parts. Each named axis gives its low ``bits`` bits to the atom, a GF(2)
matrix that yields an offset below 2^a; the rest of the coordinate is written in mixed-radix digits, each with an
extent and a stride that is a multiple of 2^a. Since strides are aligned to the atom, addition never carries into the
XOR, and the whole map is injective exactly when the atom has independent columns and the digits spell different
offsets. Offsets count elements.

A 128x64 tile of 2-byte elements with the 128-byte swizzle is an atom of 8x64 elements at 16 offsets 512 apart:

>>> tile = Layout.swizzled(("row", 128), ("column", 64), bits=3, base=3, shift=3)
>>> print(tile)
row 128 = 16*512 + 3 bits, column 64 = 6 bits, atom 2^9 with XOR
>>> int(tile.offset(row=9, column=0)), tile.size, tile.is_injective()
(584, 8192, True)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic import radix
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.gf2 import Integers, Matrix, as_integers
from tracea_core.semantic.radix import Digit, Injectivity

__all__ = ["Axis", "Digit", "FragmentAxis", "FragmentLayout", "Holder", "Injectivity", "Layout", "Repeat"]

NamedExtent: TypeAlias = tuple[str, int]


class Axis(Data, frozen=True):
    """One logical coordinate: the low `bits` bits go to the atom, the rest is spelled in `digits`.

    Attributes
    ----------
    name : str
        Name of the coordinate, such as ``row`` or ``k``.
    digits : tuple of Digit
        Most significant first.
    bits : int
        Low bits that the atom takes.
    """

    name: str
    digits: tuple[Digit, ...] = ()
    bits: int = 0

    @property
    def extent(self) -> int:
        """Number of values of the coordinate."""
        return radix.count(self.digits) << self.bits

    def __str__(self) -> str:
        """As in ``row 128 = 16*512 + 3 bits``."""
        parts = [f"{d.extent}*{d.stride}" for d in self.digits]
        if self.bits:
            parts.append(f"{self.bits} bits")
        return f"{self.name} {self.extent}" + (f" = {' + '.join(parts)}" if parts else "")


class Layout(Data, frozen=True):
    """A map from named coordinates to the element offset within a buffer.

    Attributes
    ----------
    axes : tuple of Axis
        Slowest coordinate first, as people write a shape.
    atom : Matrix
        From the axes' low bits (bits of the last axis lowest) to an offset below ``2**atom.rows``.
    """

    axes: tuple[Axis, ...]
    atom: Matrix = Matrix(0)

    def __post_init__(self) -> None:
        names = [axis.name for axis in self.axes]
        if len(set(names)) != len(names):
            raise ConfigurationError("two axes of a layout have one name", axes=names)
        if sum(axis.bits for axis in self.axes) != len(self.atom.columns):
            raise ConfigurationError(
                "the axes must give the atom exactly its input bits",
                bits=[axis.bits for axis in self.axes], atom=len(self.atom.columns),
            )  # fmt: skip
        for axis in self.axes:
            for digit in axis.digits:
                if digit.extent > 1 and digit.stride % (1 << self.atom.rows):
                    raise ConfigurationError(
                        f"stride {digit.stride} of axis {axis.name!r} would carry into an atom of 2^{self.atom.rows}",
                        hint="Outer strides must be multiples of the atom's size",
                    )

    # ---- constructors

    @classmethod
    def strided(cls, axes: Sequence[NamedExtent], strides: Sequence[int]) -> Layout:
        """Return the plain layout ``sum coordinate_i * stride_i`` (strides in elements)."""
        if len(axes) != len(strides):
            raise ConfigurationError("a strided layout needs one stride per axis", axes=axes, strides=strides)
        return cls(tuple(Axis(name, (Digit(extent, s),)) for (name, extent), s in zip(axes, strides, strict=True)))

    @classmethod
    def row_major(cls, *axes: NamedExtent, pad: int = 0) -> Layout:
        """Return the layout whose last axis is contiguous; each of its rows is followed by `pad` unused elements."""
        return cls.strided(axes, _dense_strides([extent for _, extent in axes], pad))

    @classmethod
    def column_major(cls, *axes: NamedExtent, pad: int = 0) -> Layout:
        """Return the layout whose first axis is contiguous; each column is followed by `pad` unused elements."""
        return cls.strided(axes, _dense_strides([extent for _, extent in reversed(axes)], pad)[::-1])

    @classmethod
    def panels(cls, outer: NamedExtent, inner: NamedExtent, width: int) -> Layout:
        """Return packed panels ``[outer / width][inner][width]``: what a register tile reads with unit stride.

        The power-of-two part of `width` is the atom, so a 24-wide panel is 3 vectors of 8 lanes.

        >>> print(Layout.panels(("column", 48), ("k", 10), 24))
        column 48 = 2*240 + 3*8 + 3 bits, k 10 = 10*24, atom 2^3
        """
        (name, extent), (inner_name, inner_extent) = outer, inner
        if width < 1 or extent % width:
            raise ConfigurationError(f"panels of width {width} do not divide axis {name!r} of {extent}")
        bits = (width & -width).bit_length() - 1
        digits = [Digit(extent // width, inner_extent * width)]
        if width >> bits > 1:
            digits.append(Digit(width >> bits, 1 << bits))
        axes = (Axis(name, tuple(digits), bits), Axis(inner_name, (Digit(inner_extent, width),)))
        return cls(axes, Matrix.identity(bits))

    @classmethod
    def swizzled(cls, *axes: NamedExtent, bits: int, base: int, shift: int, width: int | None = None) -> Layout:
        """Return rows of `width` elements under ``offset ^= ((offset >> (base + shift)) & (2^bits - 1)) << base``.

        All three parameters count element bits: the 128-byte hardware mode, ``Swizzle<3, 4, 3>`` on bytes, is
        ``bits=3, base=3, shift=3`` for 2-byte elements. See `xored` for `axes` and `width`.
        """
        return cls.xored(
            *axes, xor=Matrix.xor_shift(bits + base + shift, bits=bits, base=base, shift=shift), width=width
        )

    @classmethod
    def xored(cls, *axes: NamedExtent, xor: Matrix, width: int | None = None) -> Layout:
        """Return row-major column blocks of `width` elements whose low offset bits go through `xor`.

        Parameters
        ----------
        *axes : (str, int)
            Any leading axes (such as a ring's stage), then the row axis, then the contiguous one.
        xor : Matrix
            A square map on the low bits of the plain offset; it need not be a bijection (`is_injective` tells).
        width : int, optional
            Elements per row of a column block, a power of two; the whole contiguous axis by default. A tile wider than
            the swizzle's rows (128 columns of 2 bytes under the 128-byte mode) is several blocks, one after the other.

        Raises
        ------
        ConfigurationError
            If an extent does not divide into atoms.
        """
        if len(axes) < 2:
            raise ConfigurationError("a swizzled layout needs a row axis and a contiguous axis", axes=axes)
        *leading, (row_name, rows), (column_name, columns) = axes
        width = columns if width is None else width
        if width < 1 or width & (width - 1) or columns % width:
            raise ConfigurationError(
                f"rows of {width} elements: a swizzle needs a power of two that divides {columns}",
                hint="Pass width= (the bytes of the swizzle's row over the element size)",
            )
        size = len(xor.columns)
        column_bits = min(width.bit_length() - 1, size)
        row_bits = min(size - column_bits, (rows & -rows).bit_length() - 1 if rows & (rows - 1) else size)
        row_bits = min(row_bits, rows.bit_length() - 1)
        if column_bits + row_bits < size:
            if rows & (rows - 1):
                raise ConfigurationError(
                    f"{rows} rows of {width} do not divide into swizzle atoms of {1 << size} elements"
                )
            size = column_bits + row_bits
            xor = Matrix(size, xor.columns[:size])
        row_digit = Digit(rows >> row_bits, width << row_bits)
        column_digits = (Digit(columns // width, rows * width), Digit(width >> column_bits, 1 << column_bits))
        tile = (
            Axis(row_name, _needed((row_digit,)), row_bits),
            Axis(column_name, _needed(column_digits), column_bits),
        )
        strides = _dense_strides([*(extent for _, extent in leading), rows * columns], 0)[:-1]
        outer = tuple(Axis(name, (Digit(extent, s),)) for (name, extent), s in zip(leading, strides, strict=True))
        return cls(outer + tile, xor)

    # ---- the map

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(axis.name for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the axes."""
        return tuple(axis.extent for axis in self.axes)

    @property
    def count(self) -> int:
        """Number of elements placed."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Elements spanned: one more than the largest offset (padding after the last element is not counted)."""
        return 1 + radix.span(self._digits) + self.atom.largest()

    @property
    def _digits(self) -> tuple[Digit, ...]:
        return tuple(digit for axis in self.axes for digit in axis.digits)

    def offset(self, **coordinates: Any) -> Integers:
        """Return the element offset of the coordinates, integers or integer arrays that broadcast together.

        Raises
        ------
        ConfigurationError
            If a coordinate is missing, unknown or outside its axis.
        """
        if coordinates.keys() != set(self.names):
            raise ConfigurationError(
                "a layout is addressed by exactly its axes", axes=self.names, given=tuple(coordinates)
            )
        return self.at(*(coordinates[name] for name in self.names))

    def at(self, *coordinates: Any) -> Integers:
        """Return `offset` of coordinates given in the order of `axes`."""
        inner, outer = as_integers(0), as_integers(0)
        for axis, value in zip(self.axes, coordinates, strict=True):
            given = as_integers(value)
            if given.size and (given.min() < 0 or given.max() >= axis.extent):
                raise ConfigurationError(
                    f"coordinate {axis.name!r} leaves its axis of {axis.extent}", least=given.min(), most=given.max()
                )
            inner = (inner << axis.bits) | (given & ((1 << axis.bits) - 1))
            outer = outer + radix.offset(given >> axis.bits, axis.digits)
        return outer + self.atom.apply(inner)

    def place(self, *coordinates: int) -> int:
        """Return the offset of one element, given in the order of `axes`: `at` without arrays.

        >>> Layout.swizzled(("row", 128), ("column", 64), bits=3, base=3, shift=3).place(9, 0)
        584
        """
        inner = outer = 0
        for axis, value in zip(self.axes, coordinates, strict=True):
            if not 0 <= value < axis.extent:
                raise ConfigurationError(f"coordinate {axis.name!r} leaves its axis of {axis.extent}", value=value)
            inner = (inner << axis.bits) | (value & ((1 << axis.bits) - 1))
            rest = value >> axis.bits
            for digit in reversed(axis.digits):
                outer += rest % digit.extent * digit.stride
                rest //= digit.extent
        return outer + self.atom.apply(inner)

    def offsets(self) -> Integers:
        """Return the offsets of all coordinates as an array of `shape`."""
        return self.at(*np.ogrid[tuple(slice(extent) for extent in self.shape)])

    # ---- proofs

    def injectivity(self) -> Injectivity:
        """Decide whether two elements share an offset; a witness is a pair of coordinate tuples, ordered as `axes`."""
        outer = radix.injectivity(self._digits)
        kernel = self.atom.kernel()
        if outer.holds and not kernel:
            return Injectivity(
                True, f"the atom has rank {len(self.atom.columns)} of {len(self.atom.columns)}; {outer.argument}"
            )
        if kernel:
            zero = self._coordinates((0,) * len(self._digits), 0)
            other = self._coordinates((0,) * len(self._digits), kernel[0])
            argument = f"the atom has rank {self.atom.rank()} of {len(self.atom.columns)}: {zero} and {other} coincide"
            return Injectivity(False, argument, (zero, other))
        assert outer.witness is not None
        first, second = (self._coordinates(digits, 0) for digits in outer.witness)
        return Injectivity(False, f"{first} and {second} coincide: {outer.argument}", (first, second))

    def is_injective(self) -> bool:
        """Whether every element has an offset of its own (proved, see `injectivity`)."""
        return self.injectivity().holds

    def is_dense(self) -> bool:
        """Whether every offset below `size` holds exactly one element."""
        return self.size == self.count and self.is_injective()

    def linear(self) -> Matrix | None:
        """Return the whole layout as one GF(2) matrix of the coordinate bits (last axis lowest), or None if it is none.

        It is one when every digit's extent is a power of two and the digits' images, shifted fields, do not overlap.
        """
        columns: list[int] = []
        used = (1 << self.atom.rows) - 1
        position = 0
        for axis in reversed(self.axes):
            columns += self.atom.columns[position : position + axis.bits]
            position += axis.bits
            for digit in reversed(axis.digits):
                if digit.extent == 1:
                    continue
                field = (digit.extent - 1) * digit.stride
                if digit.extent & (digit.extent - 1) or digit.stride & (digit.stride - 1) or used & field:
                    return None
                used |= field
                columns += [digit.stride << i for i in range(digit.extent.bit_length() - 1)]
        return Matrix(max(used.bit_length(), 0), tuple(columns))

    def contiguous(self, name: str) -> int:
        """Return the longest aligned run along axis `name` that stays aligned and contiguous, a power of two.

        A vector access of that many elements is legal in this layout. An XOR that only moves whole chunks keeps their
        width.
        """
        best = 0
        low = 0
        for axis in reversed(self.axes):
            if axis.name == name:
                best = self._run(axis, low)
            low += axis.bits
        if name not in self.names:
            raise ConfigurationError(f"the layout has no axis {name!r}", axes=self.names)
        return 1 << best

    def _run(self, axis: Axis, low: int) -> int:
        mine = range(low, low + axis.bits)
        others = [column for i, column in enumerate(self.atom.columns) if i not in mine]
        strides = [d.stride for a in self.axes for d in a.digits if d.extent > 1]
        bits = 0
        while bits < axis.bits:
            bit = 1 << bits
            upper = [self.atom.columns[i] for i in mine if i > low + bits]
            if self.atom.columns[low + bits] != bit or any(c & bit for c in others + upper):
                break
            bits += 1
        if (
            bits == axis.bits
            and axis.digits
            and (1 << bits) == 1 << self.atom.rows
            and axis.digits[-1].stride == 1 << bits
        ):
            digit = axis.digits[-1]
            if digit.extent > 1:
                strides.remove(digit.stride)
            while digit.extent % (2 << (bits - axis.bits)) == 0:
                bits += 1
        while any(stride % (1 << bits) for stride in strides):
            bits -= 1
        return bits

    def _coordinates(self, digits: Sequence[int], inner: int) -> tuple[int, ...]:
        remaining = list(digits)
        low = len(self.atom.columns)
        result = []
        for axis in self.axes:
            outer = 0
            for digit in axis.digits:
                outer = outer * digit.extent + remaining.pop(0)
            low -= axis.bits
            result.append((outer << axis.bits) | ((inner >> low) & ((1 << axis.bits) - 1)))
        return tuple(result)

    def __str__(self) -> str:
        """One line: each axis with its digits, then the atom."""
        parts = [str(axis) for axis in self.axes]
        if self.atom.rows:
            parts.append(f"atom 2^{self.atom.rows}" + ("" if self.atom.is_identity else " with XOR"))
        return ", ".join(parts)


def _dense_strides(extents: Sequence[int], pad: int) -> list[int]:
    """Strides that put the last extent contiguous, followed by `pad` unused elements."""
    strides = [1] * len(extents)
    for i in reversed(range(len(extents) - 1)):
        strides[i] = strides[i + 1] * extents[i + 1] + (pad if i == len(extents) - 2 else 0)
    return strides


def _needed(digits: Sequence[Digit]) -> tuple[Digit, ...]:
    return tuple(digit for digit in digits if digit.extent > 1)

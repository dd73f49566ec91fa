# SPDX-License-Identifier: MIT
"""Linear maps over GF(2), the two-element field where addition is XOR.

Every power-of-two part of a layout (an XOR swizzle, the fragment of a matrix instruction, the bank of an address) is
such a map from the bits of an index to the bits of another. What must be proved about them is then linear algebra: a
swizzle is a bijection when its matrix has full rank, an access has no bank conflict when the rank of some rows is
large enough. The idea follows Linear Layouts (Zhou et al., arXiv 2505.23819).

A matrix is held by columns: column i is the integer whose bits are the image of input bit i. Bit 0 is the lowest bit.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError

Integers: TypeAlias = npt.NDArray[np.int64]


class Matrix(Data, frozen=True):
    """A linear map from ``len(columns)`` input bits to `rows` output bits.

    Attributes
    ----------
    rows : int
        Number of output bits (at most 63, so that values fit an int64).
    columns : tuple of int
        Image of each input bit, lowest input bit first.
    """

    rows: int
    columns: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.rows <= 63 or len(self.columns) > 63:
            raise ConfigurationError(
                "a GF(2) matrix has at most 63 rows and columns", rows=self.rows, columns=len(self.columns)
            )
        for column in self.columns:
            if column < 0 or column >> self.rows:
                raise ConfigurationError(f"the column {column} does not fit in {self.rows} output bits")

    # ---- construction

    @classmethod
    def identity(cls, bits: int) -> Matrix:
        """Return the identity on `bits` bits."""
        return cls(bits, tuple(1 << i for i in range(bits)))

    @classmethod
    def zero(cls, rows: int, columns: int) -> Matrix:
        """Return the map that sends every value of `columns` bits to 0."""
        return cls(rows, (0,) * columns)

    @classmethod
    def permutation(cls, positions: Sequence[int], rows: int | None = None) -> Matrix:
        """Return the map that moves input bit i to output bit ``positions[i]``; a negative position drops the bit."""
        count = len(positions) if rows is None else rows
        return cls(count, tuple(1 << p if p >= 0 else 0 for p in positions))

    @classmethod
    def from_rows(cls, rows: Sequence[int], columns: int) -> Matrix:
        """Return the matrix whose row r (output bit r) is the parity of the input bits set in ``rows[r]``."""
        return cls(len(rows), tuple(sum(((row >> i) & 1) << r for r, row in enumerate(rows)) for i in range(columns)))

    @classmethod
    def xor_shift(cls, width: int, *, bits: int, base: int, shift: int) -> Matrix:
        """Return ``x ^= ((x >> (base + shift)) & (2^bits - 1)) << base`` on `width` bits.

        These are the classic shared-memory swizzles, written ``Swizzle<bits, base, shift>`` in CUTLASS
        (include/cute/swizzle.hpp). Source bits at or above `width` are absent and contribute nothing.
        """
        if bits < 0 or base < 0 or (bits and shift < bits):
            raise ConfigurationError(
                f"an XOR swizzle needs shift >= bits >= 0 and base >= 0, not bits={bits}, base={base}, shift={shift}",
                hint="With a smaller shift a bit would select itself",
            )
        columns = [1 << i for i in range(width)]
        for i in range(bits):
            if base + shift + i < width:
                columns[base + shift + i] |= 1 << (base + i)
        return cls(width, tuple(columns))

    # ---- application

    @overload
    def apply(self, value: int) -> int: ...
    @overload
    def apply(self, value: Integers) -> Integers: ...
    def apply(self, value: int | Integers) -> int | Integers:
        """Return the image of `value`, an integer or an array of integers; bits above the last column are ignored."""
        if isinstance(value, int):
            result = 0
            for i, column in enumerate(self.columns):
                if (value >> i) & 1:
                    result ^= column
            return result
        array = np.asarray(value, dtype=np.int64)
        if self.is_identity:
            return array & ((1 << self.rows) - 1)
        total = np.zeros_like(array)
        for mask, shift in _diagonals(self.columns):
            part = array & mask
            total ^= part << shift if shift >= 0 else part >> -shift
        return total

    def __matmul__(self, other: Matrix) -> Matrix:
        """Return the composition ``x -> self(other(x))``."""
        if other.rows != len(self.columns):
            raise ConfigurationError(
                f"cannot compose: the inner map gives {other.rows} bits, the outer takes {len(self.columns)}"
            )
        return Matrix(self.rows, tuple(self.apply(column) for column in other.columns))

    def beside(self, other: Matrix) -> Matrix:
        """Return the map of the concatenated input (`self` takes the low bits): the XOR of both images."""
        return Matrix(max(self.rows, other.rows), self.columns + other.columns)

    def product(self, other: Matrix) -> Matrix:
        """Return the block-diagonal product: `self` on the low bits, `other` on the high bits, side by side."""
        return Matrix(self.rows + other.rows, self.columns + tuple(column << self.rows for column in other.columns))

    def select_rows(self, rows: Iterable[int]) -> Matrix:
        """Return the map to the chosen output bits only, in the given order."""
        chosen = tuple(rows)
        return Matrix(
            len(chosen), tuple(sum(((column >> r) & 1) << i for i, r in enumerate(chosen)) for column in self.columns)
        )

    def select_columns(self, columns: Iterable[int]) -> Matrix:
        """Return the map restricted to the chosen input bits, in the given order."""
        return Matrix(self.rows, tuple(self.columns[i] for i in columns))

    def transpose(self) -> Matrix:
        """Return the transposed matrix."""
        return Matrix.from_rows(self.columns, self.rows)

    # ---- facts

    @property
    def is_identity(self) -> bool:
        """Whether every value maps to itself."""
        return len(self.columns) == self.rows and all(c == 1 << i for i, c in enumerate(self.columns))

    def rank(self) -> int:
        """Return the dimension of the image."""
        return len(_basis(self.columns))

    def is_injective(self) -> bool:
        """Whether different inputs have different images: the columns are independent."""
        return self.rank() == len(self.columns)

    def is_surjective(self) -> bool:
        """Whether every output value is reached."""
        return self.rank() == self.rows

    def is_bijective(self) -> bool:
        """Whether the map is invertible."""
        return len(self.columns) == self.rows and self.is_injective()

    def largest(self) -> int:
        """Return the largest value in the image."""
        return _largest(self.columns)

    def kernel(self) -> tuple[int, ...]:
        """Return a basis of the inputs that map to 0 (empty for an injective map)."""
        reduced: list[tuple[int, int]] = []  # (image, input) with distinct leading bits of the image
        basis = []
        for i, column in enumerate(self.columns):
            image, source = column, 1 << i
            for pivot, combination in reduced:
                if image ^ pivot < image:
                    image, source = image ^ pivot, source ^ combination
            if image:
                reduced.append((image, source))
                reduced.sort(reverse=True)
            else:
                basis.append(source)
        return tuple(basis)

    def solve(self, target: int) -> int | None:
        """Return one input whose image is `target`, or None if `target` is not in the image."""
        extended = Matrix(max(self.rows, target.bit_length()), (*self.columns, target))
        last = 1 << len(self.columns)
        for source in extended.kernel():
            if source & last:
                return source ^ last
        return None

    def inverse(self) -> Matrix:
        """Return the inverse map.

        Raises
        ------
        ConfigurationError
            If the map is not bijective; the message names the rank and a value that maps to 0.
        """
        if not self.is_bijective():
            raise ConfigurationError(
                "a GF(2) map without full rank has no inverse",
                rank=self.rank(), rows=self.rows, columns=len(self.columns), kernel=self.kernel(),
            )  # fmt: skip
        solutions = [self.solve(1 << r) for r in range(self.rows)]
        return Matrix(self.rows, tuple(s for s in solutions if s is not None))

    def __str__(self) -> str:
        """Rows of 0 and 1, highest output bit first and highest input bit leftmost, as numbers are written."""
        if not self.rows or not self.columns:
            return f"({self.rows} x {len(self.columns)})"
        width = len(self.columns)
        return "\n".join(
            " ".join(str((self.columns[i] >> r) & 1) for i in reversed(range(width)))
            for r in reversed(range(self.rows))
        )


@functools.lru_cache(maxsize=1024)
def _diagonals(columns: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return (mask, shift) pairs whose shifted fields XOR to the map: input bits that move alike move together."""
    masks: dict[int, int] = {}
    for i, column in enumerate(columns):
        for bit in range(column.bit_length()):
            if column >> bit & 1:
                masks[bit - i] = masks.get(bit - i, 0) | 1 << i
    return tuple((mask, shift) for shift, mask in masks.items())


@functools.lru_cache(maxsize=1024)
def _largest(columns: tuple[int, ...]) -> int:
    value = 0
    for vector in sorted(_basis(columns), reverse=True):
        value = max(value, value ^ vector)
    return value


def _basis(vectors: Iterable[int]) -> list[int]:
    """Return independent vectors with distinct leading bits that span the same space."""
    basis: list[int] = []
    for vector in vectors:
        reduced = vector
        for pivot in basis:
            reduced = min(reduced, reduced ^ pivot)
        if reduced:
            basis.append(reduced)
            basis.sort(reverse=True)
    return basis


def rank(vectors: Iterable[int]) -> int:
    """Return the dimension of the space that `vectors` span."""
    return len(_basis(vectors))


def span(vectors: Iterable[int]) -> tuple[int, ...]:
    """Return every XOR of a subset of `vectors`, each once, in increasing order."""
    values = [0]
    for vector in _basis(vectors):
        values += [value ^ vector for value in values]
    return tuple(sorted(values))


def reduce_modulo(value: int, vectors: Iterable[int]) -> int:
    """Return the smallest element of ``value + span(vectors)``; 0 exactly if `value` lies in the span."""
    for pivot in _basis(vectors):
        value = min(value, value ^ pivot)
    return value


def as_integers(value: Any) -> Integers:
    """Return `value` as an int64 array (a view where it is one)."""
    return np.asarray(value, dtype=np.int64)

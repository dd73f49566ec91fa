# SPDX-License-Identifier: MIT
"""Which products of a contraction are wanted, stated without tiles.

Three axes m, n, k span all products A[m, k]·B[k, n]. A pattern keeps those whose two coordinates on `plane` satisfy a
condition: a band (causal, sliding window) or a set of blocks. Attention reduces over keys, so its masks lie in the
plane (m, k) of P·V and (m, n) of Q·Kᵀ; sparse weights lie in (k, n) or (m, k). Tiles are derived from the pattern by
one formula and checked against it by another, the two questions `some` and `every` answered here for whole boxes.
"""

from __future__ import annotations

import enum
from typing import TypeAlias, Union

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class Plane(enum.Enum):
    """The two axes that a pattern constrains, first the one called x, then y."""

    MN = "mn"
    MK = "mk"
    NK = "nk"


class Full(Data, frozen=True, tag=True):
    """Every product is wanted."""

    plane: Plane = Plane.MN

    def describe(self) -> str:
        """Return the pattern in words."""
        return "everything"

    def some(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box [x0, x1) × [y0, y1) holds a wanted element."""
        return (x1 > x0) & (y1 > y0)

    def every(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box holds wanted elements only."""
        return np.ones(np.broadcast(x0, x1, y0, y1).shape, dtype=np.bool_)


class Given(Data, frozen=True, tag=True):
    """Wanted is what the tiles of a graph that was built by hand cover, and nothing else."""

    plane: Plane = Plane.MN

    def describe(self) -> str:
        """Return the pattern in words."""
        return "the tiles that were listed"

    def some(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box between tiles holds a wanted element: never."""
        return np.zeros(np.broadcast(x0, x1, y0, y1).shape, dtype=np.bool_)

    def every(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box inside a tile holds wanted elements only: always."""
        return np.ones(np.broadcast(x0, x1, y0, y1).shape, dtype=np.bool_)


class Band(Data, frozen=True, tag=True):
    """Wanted is −left ≤ y − (x + offset) ≤ right; None leaves a side open.

    Attributes
    ----------
    left, right : int or None
        Elements before and after the diagonal that are still seen. Causal is ``left=None, right=0``.
    offset : int or None
        Shift of the diagonal; None aligns its end with the bottom right corner (y extent − x extent, the convention of
        FlashAttention and of decoding with a cache), 0 with the top left one.
    """

    left: int | None = None
    right: int | None = 0
    offset: int | None = None
    plane: Plane = Plane.MK

    def __post_init__(self) -> None:
        if self.left is not None and self.right is not None and self.left + self.right < 0:
            raise ConfigurationError("a band holds at least one diagonal: left + right ≥ 0", pattern=self)

    def describe(self) -> str:
        """Return the pattern in words."""
        left = "all before" if self.left is None else f"{self.left} before"
        right = "all after" if self.right is None else f"{self.right} after"
        return f"{left} and {right} the diagonal of {self.plane.value}"

    def some(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box holds a wanted element: y − x takes every value between its extremes in a box."""
        low, high = y0 - (x1 - 1) - offset, (y1 - 1) - x0 - offset
        held: Bools = (x1 > x0) & (y1 > y0)
        if self.left is not None:
            held = held & (high >= -self.left)
        if self.right is not None:
            held = held & (low <= self.right)
        return held

    def every(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box holds wanted elements only."""
        low, high = y0 - (x1 - 1) - offset, (y1 - 1) - x0 - offset
        held: Bools = np.ones(np.broadcast(low, high).shape, dtype=np.bool_)
        if self.left is not None:
            held = held & (low >= -self.left)
        if self.right is not None:
            held = held & (high <= self.right)
        return held


class Blocks(Data, frozen=True, tag=True):
    """Wanted are the listed blocks, `block_x` × `block_y` elements each, in compressed rows (BSR; CSR if they are 1 × 1).

    Attributes
    ----------
    indptr, indices : tuple of int
        The blocks of block row i lie in the block columns ``indices[indptr[i]:indptr[i + 1]]``, ascending.
    columns : int
        Number of block columns.
    """

    block_x: int
    block_y: int
    indptr: tuple[int, ...]
    indices: tuple[int, ...]
    columns: int
    plane: Plane = Plane.MK

    def __post_init__(self) -> None:
        if self.block_x < 1 or self.block_y < 1:
            raise ConfigurationError("blocks are at least 1 × 1", block=(self.block_x, self.block_y))
        pointer = np.asarray(self.indptr, dtype=np.int64)
        index = np.asarray(self.indices, dtype=np.int64)
        if not pointer.size or pointer[0] != 0 or pointer[-1] != index.size or (np.diff(pointer) < 0).any():
            raise ConfigurationError("indptr starts at 0, never falls, and ends at the number of blocks")
        if index.size and (index.min() < 0 or index.max() >= self.columns):
            raise ConfigurationError(f"indices lie in [0, {self.columns})")
        row = np.repeat(np.arange(pointer.size - 1), np.diff(pointer))
        if (np.diff(row * max(self.columns, 1) + index) <= 0).any():
            raise ConfigurationError("the blocks of a block row are listed once each, ascending")

    @classmethod
    def from_mask(cls, mask: npt.ArrayLike, block_x: int, block_y: int, plane: Plane = Plane.MK) -> Blocks:
        """Return the pattern of a mask with one entry per block, shape (block rows, block columns)."""
        wanted = np.asarray(mask, dtype=np.bool_)
        if wanted.ndim != 2:
            raise ConfigurationError("a mask of blocks has two dimensions", shape=wanted.shape)
        indptr = np.concatenate(([0], np.cumsum(wanted.sum(axis=1)))).tolist()
        return cls(block_x, block_y, tuple(indptr), tuple(np.nonzero(wanted)[1].tolist()), wanted.shape[1], plane)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        columns: int,
        block_x: int = 1,
        block_y: int = 1,
        plane: Plane = Plane.MK,
    ) -> Blocks:
        """Return the blocks that hold a stored element of a matrix in compressed rows; those of 1 × 1 are its elements.

        Row i stores the columns ``indices[indptr[i]:indptr[i + 1]]``, in any order; the last blocks may reach beyond the matrix.

        Raises
        ------
        ConfigurationError
            If the arrays are no compressed rows of so many columns.
        """
        if block_x < 1 or block_y < 1:
            raise ConfigurationError("blocks are at least 1 × 1", block=(block_x, block_y))
        pointer, index = np.asarray(indptr, np.int64), np.asarray(indices, np.int64)
        if not pointer.size or pointer[0] != 0 or pointer[-1] != index.size or (np.diff(pointer) < 0).any():
            raise ConfigurationError("indptr starts at 0, never falls, and ends at the number of elements")
        if index.size and (index.min() < 0 or index.max() >= columns):
            raise ConfigurationError(f"indices lie in [0, {columns})")
        across, rows = -(-columns // block_y), pointer.size - 1
        row = np.repeat(np.arange(rows), np.diff(pointer)) // block_x
        held = np.unique(row * max(across, 1) + index // block_y)
        ends = np.searchsorted(held, np.arange(-(-rows // block_x) + 1) * max(across, 1))
        return cls(block_x, block_y, tuple(ends.tolist()), tuple((held % max(across, 1)).tolist()), across, plane)

    @property
    def rows(self) -> int:
        """Number of block rows."""
        return len(self.indptr) - 1

    @property
    def density(self) -> float:
        """Share of the blocks that are listed."""
        return len(self.indices) / max(self.rows * self.columns, 1)

    def describe(self) -> str:
        """Return the pattern in words."""
        return (
            f"{len(self.indices)} of {self.rows}×{self.columns} blocks of {self.block_x}×{self.block_y} "
            f"in {self.plane.value} ({self.density:.1%})"
        )

    def mask(self) -> Bools:
        """Return the mask with one entry per block."""
        mask = np.zeros((self.rows, self.columns), dtype=np.bool_)
        row = np.repeat(np.arange(self.rows), np.diff(self.indptr))
        mask[row, np.asarray(self.indices, dtype=np.int64)] = True
        return mask

    def some(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box holds a wanted element."""
        return (x1 > x0) & (y1 > y0) & (self._count(x0, x1, y0, y1)[0] > 0)

    def every(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints, offset: Ints) -> Bools:
        """Whether each box holds wanted elements only."""
        count, blocks = self._count(x0, x1, y0, y1)
        full: Bools = count == blocks
        return full

    def counts(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints) -> tuple[Ints, Ints]:
        """Return for every box of a grid, given its rows and its columns, how many wanted blocks it touches, and how many blocks."""
        sums = self._sums()
        top, bottom = x0 // self.block_x, -(-x1 // self.block_x)
        first, last = y0 // self.block_y, -(-y1 // self.block_y)
        strips = sums[bottom] - sums[top]
        return strips[:, last] - strips[:, first], (bottom - top)[:, None] * (last - first)

    def _sums(self) -> Ints:
        """How many wanted blocks lie above and to the left of each corner."""
        sums = np.zeros((self.rows + 1, self.columns + 1), dtype=np.int64)
        sums[1:, 1:] = self.mask().cumsum(axis=0).cumsum(axis=1)
        return sums

    def _count(self, x0: Ints, x1: Ints, y0: Ints, y1: Ints) -> tuple[Ints, Ints]:
        """Wanted blocks, and all blocks, that each box touches, from two-dimensional prefix sums."""
        sums = self._sums()
        top, bottom = x0 // self.block_x, -(-x1 // self.block_x)
        first, last = y0 // self.block_y, -(-y1 // self.block_y)
        count = sums[bottom, last] - sums[top, last] - sums[bottom, first] + sums[top, first]
        return count, (bottom - top) * (last - first)


Pattern: TypeAlias = Union[Full, Given, Band, Blocks]

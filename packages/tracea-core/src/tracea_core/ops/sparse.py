# SPDX-License-Identifier: MIT
"""A product in which one matrix is made of few dense blocks; only those are stored and multiplied."""

from __future__ import annotations

import enum
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import (
    Array,
    Op,
    Shape,
    check_accumulate,
    check_dtypes,
    check_extents,
    check_inputs,
    default_output,
)


class SparseOperand(enum.Enum):
    """Which matrix is sparse."""

    A = "a"
    B = "b"


class BlockPattern(Data, frozen=True):
    """Which blocks of a matrix are stored, in the compressed-row form of SciPy's ``bsr_array``.

    Attributes
    ----------
    block_rows, block_columns : int
        Extents of one block.
    indptr, indices : tuple of int
        Block row i holds the block columns ``indices[indptr[i]:indptr[i + 1]]``, ascending.
    columns : int
        Number of block columns.
    """

    block_rows: int
    block_columns: int
    indptr: tuple[int, ...]
    indices: tuple[int, ...]
    columns: int

    def __post_init__(self) -> None:
        check_extents(
            "block pattern", block_rows=self.block_rows, block_columns=self.block_columns, columns=self.columns
        )
        if self.block_rows < 1 or self.block_columns < 1:
            raise ShapeError("blocks are at least 1x1", block=(self.block_rows, self.block_columns))
        pointer, index = np.asarray(self.indptr, np.int64), np.asarray(self.indices, np.int64)
        if not pointer.size or pointer[0] != 0 or pointer[-1] != index.size or (np.diff(pointer) < 0).any():
            raise OptionError("indptr starts at 0, never falls and ends at the number of blocks", blocks=index.size)
        if index.size and (index.min() < 0 or index.max() >= self.columns):
            raise OptionError(f"indices lie in [0, {self.columns})", smallest=index.min(), largest=index.max())
        if (np.diff(self.block_row_of() * max(self.columns, 1) + index) <= 0).any():
            raise OptionError("the blocks of a block row are listed once each, ascending", hint="Sort the indices")

    @classmethod
    def from_mask(cls, mask: npt.ArrayLike, block_rows: int, block_columns: int) -> BlockPattern:
        """Return the pattern of a boolean matrix with one entry for each block.

        Raises
        ------
        ShapeError
            If the mask is not a matrix.
        """
        wanted = np.asarray(mask, np.bool_)
        if wanted.ndim != 2:
            raise ShapeError("a mask of blocks has two axes", shape=wanted.shape)
        indptr = (0, *np.cumsum(wanted.sum(axis=1)).tolist())
        return cls(block_rows, block_columns, indptr, tuple(np.nonzero(wanted)[1].tolist()), wanted.shape[1])

    @property
    def shape(self) -> Shape:
        """Shape of the matrix in elements."""
        return (len(self.indptr) - 1) * self.block_rows, self.columns * self.block_columns

    @property
    def blocks(self) -> int:
        """Number of stored blocks."""
        return len(self.indices)

    @property
    def density(self) -> float:
        """Share of the blocks that are stored; 0.0 for an empty matrix."""
        return self.blocks / max((len(self.indptr) - 1) * self.columns, 1)

    def block_row_of(self) -> npt.NDArray[np.int64]:
        """Return the block row of each stored block."""
        pointer = np.asarray(self.indptr, np.int64)
        return np.repeat(np.arange(pointer.size - 1, dtype=np.int64), pointer[1:] - pointer[:-1])

    def dense(self, values: Array) -> Array:
        """Return the matrix whose stored blocks are `values`, of shape (blocks, block_rows, block_columns)."""
        grid = np.zeros((len(self.indptr) - 1, self.columns, self.block_rows, self.block_columns))
        grid[self.block_row_of(), np.asarray(self.indices, np.int64)] = values
        return grid.transpose(0, 2, 1, 3).reshape(self.shape)


class BlockSparseGemmOp(Op, frozen=True, tag=True):
    """out = a @ b where `sparse` names the matrix given as blocks, of shape (blocks, block_rows, block_columns).

    Attributes
    ----------
    extent : int
        Rows of the dense a (m) or columns of the dense b (n); the other two extents are the pattern's.
    pattern : BlockPattern
        The sparse matrix: (m, k) if it is a, (k, n) if it is b.
    """

    family: ClassVar[str] = "contraction"

    extent: int
    pattern: BlockPattern
    sparse: SparseOperand = SparseOperand.B
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_extents("block_sparse_matmul", extent=self.extent)
        check_dtypes("block_sparse_matmul", (self.dtype,), self.out_dtype, self.accumulate)
        check_accumulate("block_sparse_matmul", (self.dtype,), self.accumulate)
        if not isinstance(self.sparse, SparseOperand):
            raise OptionError(f"sparse must be a SparseOperand, not {self.sparse!r}", op="block_sparse_matmul")
        self.check_tensors()

    @property
    def m(self) -> int:
        """Rows of the output."""
        return self.extent if self.sparse is SparseOperand.B else self.pattern.shape[0]

    @property
    def n(self) -> int:
        """Columns of the output."""
        return self.pattern.shape[1] if self.sparse is SparseOperand.B else self.extent

    @property
    def k(self) -> int:
        """Length of the reduction, zeros included."""
        return self.pattern.shape[0 if self.sparse is SparseOperand.B else 1]

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of a and b, the sparse one as blocks."""
        blocks = (self.pattern.blocks, self.pattern.block_rows, self.pattern.block_columns)
        if self.sparse is SparseOperand.A:
            return blocks, (self.k, self.n)
        return (self.m, self.k), blocks

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.m, self.n

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of a and b."""
        return self.dtype, self.dtype

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·extent for each stored element."""
        return 2 * self.extent * self.pattern.blocks * self.pattern.block_rows * self.pattern.block_columns

    def reduction_length(self) -> int:
        """Return the most stored elements that meet in one output."""
        if self.sparse is SparseOperand.A:
            return int(np.diff(self.pattern.indptr).max(initial=0)) * self.pattern.block_columns
        most = np.bincount(np.asarray(self.pattern.indices, np.int64), minlength=1).max(initial=0)
        return int(most) * self.pattern.block_rows

    def reference(self, *inputs: Array) -> Array:
        """Return the product in float64, blocks spread out."""
        check_inputs(self, inputs)
        a, b = inputs
        if self.sparse is SparseOperand.A:
            return np.asarray(self.pattern.dense(a) @ b)
        return np.asarray(a @ self.pattern.dense(b))

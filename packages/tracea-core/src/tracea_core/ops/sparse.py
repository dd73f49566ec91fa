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

    def lists(self, sparse: SparseOperand) -> npt.NDArray[np.int32]:
        """Return what a kernel reads of the pattern (`BlockSparseGemmOp`), where it is that of `sparse`."""
        along, lines = np.asarray(self.indices, np.int64), self.block_row_of()
        count = len(self.indptr) - 1
        if sparse is SparseOperand.B:
            along, lines, count = lines, along, self.columns
        order = np.argsort(lines, kind="stable")
        ends = np.cumsum(np.bincount(lines, minlength=count)[:count])
        return np.concatenate([ends, order, along[order]]).astype(np.int32)

    def dense(self, values: Array) -> Array:
        """Return the matrix whose stored blocks are `values`, of shape (blocks, block_rows, block_columns)."""
        grid = np.zeros((len(self.indptr) - 1, self.columns, self.block_rows, self.block_columns))
        grid[self.block_row_of(), np.asarray(self.indices, np.int64)] = values
        return grid.transpose(0, 2, 1, 3).reshape(self.shape)


class BlockSparseGemmOp(Op, frozen=True, tag=True):
    """out = a @ b where `sparse` names the matrix given as blocks, (blocks, block_rows, block_columns), and lists say where they lie.

    Which blocks there are is data: one kernel serves every pattern. A line is what a block of the output needs of the sparse matrix: a
    block row of a, or a block column of b. The third input holds, as int32, where the list of each line ends; then the lists one after the
    other, once as numbers of stored blocks and once as their places along k. Numbers that point elsewhere are moved into what there is.

    Attributes
    ----------
    extent : int
        Rows of the dense a (m) or columns of the dense b (n).
    grid_rows, grid_columns : int
        Blocks below and beside each other in the sparse matrix, stored or not: (m, k) if it is a, (k, n) if it is b.
    blocks : int
        Stored blocks.
    block_rows, block_columns : int
        Extents of one block.
    """

    family: ClassVar[str] = "contraction"

    extent: int
    grid_rows: int
    grid_columns: int
    blocks: int
    block_rows: int
    block_columns: int
    sparse: SparseOperand = SparseOperand.B
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        name = "block_sparse_matmul"
        check_extents(
            name, extent=self.extent, grid_rows=self.grid_rows, grid_columns=self.grid_columns, blocks=self.blocks,
            block_rows=self.block_rows, block_columns=self.block_columns,
        )  # fmt: skip
        if min(self.block_rows, self.block_columns) < 1:
            raise ShapeError("blocks are at least 1x1", op=name, block=(self.block_rows, self.block_columns))
        if self.blocks and not min(self.grid_rows, self.grid_columns):
            raise ShapeError("a matrix without block rows or columns has no blocks", op=name, blocks=self.blocks)
        check_dtypes(name, (self.dtype,), self.out_dtype, self.accumulate)
        check_accumulate(name, (self.dtype,), self.accumulate)
        if not isinstance(self.sparse, SparseOperand):
            raise OptionError(f"sparse must be a SparseOperand, not {self.sparse!r}", op=name)
        self.check_tensors()

    @classmethod
    def of(
        cls,
        extent: int,
        pattern: BlockPattern,
        sparse: SparseOperand = SparseOperand.B,
        dtype: DType = DType.FP32,
        out_dtype: DType | None = None,
        accumulate: DType | None = None,
    ) -> BlockSparseGemmOp:
        """Return the op of a pattern, whose `lists` are its third input."""
        grid = len(pattern.indptr) - 1, pattern.columns
        block = pattern.block_rows, pattern.block_columns
        return cls(extent, *grid, pattern.blocks, *block, sparse, dtype, out_dtype, accumulate)

    @property
    def of_a(self) -> bool:
        """Whether a is the sparse matrix."""
        return self.sparse is SparseOperand.A

    @property
    def lines(self) -> int:
        """How many lists there are."""
        return self.grid_rows if self.of_a else self.grid_columns

    @property
    def steps(self) -> int:
        """Blocks along k, stored or not."""
        return self.grid_columns if self.of_a else self.grid_rows

    @property
    def depth(self) -> int:
        """Extent of a block along k."""
        return self.block_columns if self.of_a else self.block_rows

    @property
    def width(self) -> int:
        """Extent of a block along the output."""
        return self.block_rows if self.of_a else self.block_columns

    @property
    def m(self) -> int:
        """Rows of the output."""
        return self.grid_rows * self.block_rows if self.of_a else self.extent

    @property
    def n(self) -> int:
        """Columns of the output."""
        return self.extent if self.of_a else self.grid_columns * self.block_columns

    @property
    def k(self) -> int:
        """Length of the reduction, zeros included."""
        return self.steps * self.depth

    @property
    def density(self) -> float:
        """Share of the blocks that are stored; 0.0 for an empty matrix."""
        return self.blocks / max(self.grid_rows * self.grid_columns, 1)

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of a and b, the sparse one as blocks, and of the lists."""
        blocks, lists = (self.blocks, self.block_rows, self.block_columns), (self.lines + 2 * self.blocks,)
        return (blocks, (self.k, self.n), lists) if self.of_a else ((self.m, self.k), blocks, lists)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.m, self.n

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of a, b and the lists."""
        return self.dtype, self.dtype, DType.INT32

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·extent for each stored element."""
        return 2 * self.extent * self.blocks * self.block_rows * self.block_columns

    def reduction_length(self) -> int:
        """Return the most stored elements that can meet in one output."""
        return min(self.steps, self.blocks) * self.depth

    def listed(self, lists: Array) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return for each line the blocks in its list: (stored block, place along k)."""
        if not self.blocks:
            return ((),) * self.lines
        ends, rest = np.split(np.asarray(lists).astype(np.int64), [self.lines])
        ends = np.clip(ends, 0, self.blocks)
        stored, along = (
            np.clip(rest[: self.blocks], 0, self.blocks - 1),
            np.clip(rest[self.blocks :], 0, self.steps - 1),
        )
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        return tuple(
            tuple((int(stored[at]), int(along[at])) for at in range(start, end))
            for start, end in zip(starts, ends, strict=True)
        )

    def reference(self, *inputs: Array) -> Array:
        """Return the product in float64, list by list."""
        check_inputs(self, inputs)
        a, b, lists = inputs
        out = np.zeros(self.output_shape())
        for line, entries in enumerate(self.listed(lists)):
            part = slice(line * self.width, (line + 1) * self.width)
            for stored, along in entries:
                depth = slice(along * self.depth, (along + 1) * self.depth)
                if self.of_a:
                    out[part] += a[stored] @ b[depth]
                else:
                    out[:, part] += a[:, depth] @ b[stored]
        return out

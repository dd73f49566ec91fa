# SPDX-License-Identifier: MIT
"""Sums over the rows of a result, column by column, which leave in the pass that stores it: what a batch norm in training asks for.

Rows fall into blocks of B, a number that the caller states, so what is stored follows from the problem alone and is the same whatever
configuration runs. For each block and each column there are three numbers: the first value y₀, Σ(y − y₀) and Σ(y − y₀)². The values are
those that are stored, rounded to the result's type, as whoever read them back would see them; sums are kept in fp32 (fp64 of fp64).

Sums about a value of the data itself are safe where Σy and Σy² are not: the variance loses (y₀ − mean)²/variance of its precision, which is
of the order of 1 whatever the mean is, not mean²/variance (Chan, Golub and LeVeque, "Algorithms for computing the sample variance",
The American Statistician 37, 1983, eq. 1.5a and §3). They are polynomials of the sums as well, so a certificate decides them exactly.
Blocks are then joined by the pairwise formula (ibid., eq. 2.1), in which nothing cancels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tracea_core.dtypes import DType
from tracea_core.ops.base import Array
from tracea_core.ops.epilogue import PLANES, block_rows
from tracea_core.ops.problem import Problem
from tracea_core.ops.tolerance import reference, tolerance


def counts(every: int, rows: int) -> npt.NDArray[np.int64]:
    """Return how many rows each block has: all are full but the last.

    >>> counts(70, 32).tolist()
    [32, 32, 6]
    """
    return np.minimum(every - np.arange(0, every, rows), rows).astype(np.int64)


def block_sums(values: Array, column_axis: int, rows: int) -> Array:
    """Return the three numbers of every block and column of a result, shape (3, blocks, columns), in float64."""
    apart = _by_rows(np.asarray(values, np.float64), column_axis)
    lengths = counts(len(apart), rows)
    starts = np.cumsum(lengths) - lengths
    first = apart[starts]
    return np.stack([first, *_added(apart - np.repeat(first, lengths, axis=0), starts)])


def joined(sums: Array, lengths: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Return mean and mean squared deviation of every column from its blocks' sums, in float64.

    >>> y = np.array([[1.0], [2.0], [6.0]])
    >>> mean, variance = joined(block_sums(y, -1, 2), counts(3, 2))
    >>> mean.tolist(), variance.round(6).tolist()
    ([3.0], [4.666667])
    """
    first, total, squares = np.asarray(sums, np.float64)
    each = lengths[:, None].astype(np.float64)
    means = first + total / each
    mean = (each * means).sum(axis=0) / lengths.sum()
    within = (squares - total * total / each).sum(axis=0)
    return mean, (within + (each * (means - mean) ** 2).sum(axis=0)) / lengths.sum()


def sums_reference(problem: Problem, inputs: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike] = ()) -> Array:
    """Return the sums that a problem asks for in float64, before any rounding; `operands` hold something for the sums as well."""
    return block_sums(reference(problem, inputs, operands), problem.op.column_axis, _block(problem))


def sums_tolerance(problem: Problem, inputs: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike] = ()) -> Array:
    """Return the largest error that a correct kernel can have at each of the sums.

    With t the tolerance of a stored value, t₀ that of its block's first one and d their difference, a kernel's own difference is off by
    e = t + t₀. n of them, or of their squares, are added in any order (Higham, §3.1 and §4.2), with u the roundoff of the sums' type.
    Kernels may add differences from other rows of the block first and move the sums from there to the first row's: with D the largest
    |d| + e of the block, what they add up for a row are no more than |d| + e + 2D and the square of that, in some roundings more:
    Σe + γₙ₊₆·Σ(|d| + e + 2D), and Σe·(2|d| + e) + γₙ₊₈·Σ(|d| + e + 2D)².
    """
    rows = _block(problem)
    axis, dtype = problem.op.column_axis, problem.epilogue_inputs[-1].dtype
    values = _by_rows(reference(problem, inputs, operands), axis)
    bounds = _by_rows(tolerance(problem, inputs, operands), axis)
    lengths = counts(len(values), rows)
    starts = np.cumsum(lengths) - lengths
    off = bounds + np.repeat(bounds[starts], lengths, axis=0)
    off[starts] = 0.0  # the first value is no distance from itself
    apart = np.abs(values - np.repeat(values[starts], lengths, axis=0))
    roundoff = dtype.eps / 2 + 2.0**-53
    gammas = [count * roundoff / (1 - count * roundoff) for count in (rows + 6, rows + 8)]
    reached = apart + off
    if starts.size:
        reached = reached + 2 * np.repeat(np.maximum.reduceat(reached, starts, axis=0), lengths, axis=0)
    total, squares = _added(reached, starts)
    return np.stack(
        [
            bounds[starts],
            np.add.reduceat(off, starts, axis=0) + gammas[0] * total if starts.size else total,
            np.add.reduceat(off * (2 * apart + off), starts, axis=0) + gammas[1] * squares if starts.size else squares,
        ]
    )


def sums_dtype(output: DType) -> DType:
    """Return the type in which columns of an output are summed."""
    return DType.FP64 if output is DType.FP64 else DType.FP32


def _block(problem: Problem) -> int:
    operand = problem.epilogue.sums
    assert operand is not None
    return block_rows(operand)


def _by_rows(values: Array, column_axis: int) -> Array:
    """Return a result as a matrix of its rows: pixels of a convolution, image by image."""
    moved = np.moveaxis(values, column_axis, -1)
    return np.array(moved.reshape(-1, moved.shape[-1]))


def _added(apart: Array, starts: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Return the sums of rows that begin at `starts`, and of their squares."""
    if not starts.size:
        return np.zeros((0, apart.shape[1])), np.zeros((0, apart.shape[1]))
    return np.add.reduceat(apart, starts, axis=0), np.add.reduceat(apart * apart, starts, axis=0)


__all__ = ["PLANES", "block_sums", "counts", "joined", "sums_dtype", "sums_reference", "sums_tolerance"]

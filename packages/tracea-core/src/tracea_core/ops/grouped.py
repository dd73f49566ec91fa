# SPDX-License-Identifier: MIT
"""Many products in one launch: consecutive rows of one matrix, each group with a weight of its own (experts).

How many rows a group has is data: it lies in memory like the rows themselves, so one kernel serves every division.
"""

from __future__ import annotations

import itertools
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import ShapeError
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


class GroupedGemmOp(Op, frozen=True, tag=True):
    """out[rows of group g] = x[rows of group g] @ w[g], with x (m, k), w (groups, k, n), ends (groups,), out (m, n).

    The rows of group g are those from ``ends[g − 1]`` (0 for the first) to ``ends[g]``. Rows behind the last end belong to no group: they
    are not written.

    Attributes
    ----------
    m : int
        Rows of all groups together, and of none.
    groups : int
        How many there are, at least 1.
    n, k : int
        Columns of each weight and length of the reduction.
    """

    family: ClassVar[str] = "contraction"

    m: int
    groups: int
    n: int
    k: int
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_extents("grouped_matmul", m=self.m, groups=self.groups, n=self.n, k=self.k)
        if self.groups < 1:
            raise ShapeError("a grouped product has at least one group", op="grouped_matmul", groups=self.groups)
        check_dtypes("grouped_matmul", (self.dtype,), self.out_dtype, self.accumulate)
        check_accumulate("grouped_matmul", (self.dtype,), self.accumulate)
        self.check_tensors()

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x, w and the ends of the groups."""
        return (self.m, self.k), (self.groups, self.k, self.n), (self.groups,)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.m, self.n

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x, w and the ends."""
        return self.dtype, self.dtype, DType.INT32

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·n·k for each row, as if each belonged to a group."""
        return 2 * self.m * self.n * self.k

    def reduction_length(self) -> int:
        """Return k."""
        return self.k

    def rows(self, ends: Array) -> tuple[range, ...]:
        """Return the rows of each group, ends moved into 0 … m."""
        inside = [0, *(int(end) for end in np.clip(ends, 0, self.m))]
        return tuple(range(start, stop) for start, stop in itertools.pairwise(inside))

    def reference(self, *inputs: Array) -> Array:
        """Return the products in float64, one group after another; zeros in rows of no group."""
        check_inputs(self, inputs)
        return self.products(*inputs)

    def products(self, x: Array, w: Array, ends: Array) -> Array:
        """Return the products of these factors in float64, one group after another; zeros in rows of no group."""
        out = np.zeros(self.output_shape())
        for group, rows in enumerate(self.rows(ends)):
            out[rows.start : rows.stop] = x[rows.start : rows.stop] @ w[group]
        return out


def likely_rows(m: int, groups: int) -> tuple[int, ...]:
    """Return lengths that stand for those of ragged groups, which are data: from half the average to half as much again.

    >>> likely_rows(100, 4)
    (15, 22, 28, 35)
    """
    ends = [m * (group * groups + group * group) // (2 * groups * groups) for group in range(groups + 1)]
    return tuple(stop - start for start, stop in itertools.pairwise(ends))

# SPDX-License-Identifier: MIT
"""Many products in one launch: consecutive rows of one matrix, each group with a weight of its own (experts)."""

from __future__ import annotations

from itertools import accumulate
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.ops.base import (
    Array,
    Op,
    Shape,
    check_accumulate,
    check_dtypes,
    check_extents,
    check_inputs,
    check_shape,
    default_output,
)


class GroupedGemmOp(Op, frozen=True, tag=True):
    """out[rows of group g] = x[rows of group g] @ w[g], with x (Σ rows, k), w (groups, k, n), out (Σ rows, n).

    Attributes
    ----------
    rows : tuple of int
        Rows of each group, in order; a group may be empty.
    n, k : int
        Columns of each weight and length of the reduction.
    """

    family: ClassVar[str] = "contraction"

    rows: tuple[int, ...]
    n: int
    k: int
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_shape("grouped_matmul", "rows", self.rows)
        check_extents("grouped_matmul", n=self.n, k=self.k)
        check_dtypes("grouped_matmul", (self.dtype,), self.out_dtype, self.accumulate)
        check_accumulate("grouped_matmul", (self.dtype,), self.accumulate)
        self.check_tensors()

    @property
    def m(self) -> int:
        """Rows of all groups."""
        return sum(self.rows)

    @property
    def offsets(self) -> tuple[int, ...]:
        """First row of each group, and the end."""
        return tuple(accumulate(self.rows, initial=0))

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x and w."""
        return (self.m, self.k), (len(self.rows), self.k, self.n)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.m, self.n

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x and w."""
        return self.dtype, self.dtype

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·n·k for each row."""
        return 2 * self.m * self.n * self.k

    def reduction_length(self) -> int:
        """Return k."""
        return self.k

    def reference(self, *inputs: Array) -> Array:
        """Return the products in float64, one group after another."""
        check_inputs(self, inputs)
        x, w = inputs
        out = np.zeros(self.output_shape())
        for group, (start, stop) in enumerate(zip(self.offsets, self.offsets[1:], strict=False)):
            out[start:stop] = x[start:stop] @ w[group]
        return out

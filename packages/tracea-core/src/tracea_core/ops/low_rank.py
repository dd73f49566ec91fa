# SPDX-License-Identifier: MIT
"""A product with a weight of low rank, (x·A)·B: two contractions whose middle never has to leave the chip."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
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
from tracea_core.ops.epilogue import IDENTITY, Epilogue


class LowRankOp(Op, frozen=True, tag=True):
    """out = middle(x @ a) @ b with x (m, k), a (k, rank), b (rank, n).

    Attributes
    ----------
    m, n, k, rank : int
        Rows of x, columns of b, columns of x, and columns of a.
    batch : tuple of int
        Leading axes of x and the output; a and b are shared.
    middle : Epilogue
        What happens to x @ a, element by element; it takes no operands and no gate.
    """

    family: ClassVar[str] = "chained"

    m: int
    n: int
    k: int
    rank: int
    batch: tuple[int, ...] = ()
    middle: Epilogue = IDENTITY
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_extents("low_rank_mlp", m=self.m, n=self.n, k=self.k, rank=self.rank)
        check_shape("low_rank_mlp", "batch", self.batch)
        check_dtypes("low_rank_mlp", (self.dtype,), self.out_dtype, self.accumulate)
        check_accumulate("low_rank_mlp", (self.dtype,), self.accumulate)
        if self.middle.operands or self.middle.gated:
            raise OptionError(
                "the middle of a low-rank product takes an activation without operands", op="low_rank_mlp"
            )
        self.check_tensors()

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x, a and b."""
        return (*self.batch, self.m, self.k), (self.k, self.rank), (self.rank, self.n)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return (*self.batch, self.m, self.n)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x, a and b."""
        return self.dtype, self.dtype, self.dtype

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·m·rank·(k + n) for each matrix of the batch."""
        return 2 * math.prod(self.batch) * self.m * self.rank * (self.k + self.n)

    def reduction_length(self) -> int:
        """Return the longer of both sums."""
        return max(self.k, self.rank)

    def reference(self, *inputs: Array) -> Array:
        """Return middle(x @ a) @ b in float64."""
        check_inputs(self, inputs)
        x, a, b = inputs
        return np.asarray(self.middle.reference(np.matmul(x, a)) @ b)

# SPDX-License-Identifier: MIT
"""General matrix multiplication, batched or not."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError
from tracea_core.ops.base import Array, Op, check_addressable, check_extents, check_finite


class GemmOp(Op, frozen=True, tag=True):
    """out = alpha·(a @ b) + beta·c, for each matrix of the batch.

    Attributes
    ----------
    m, n, k : int
        Rows of a, columns of b, length of the reduction.
    batch : tuple of int
        Leading axes of the output; inputs may have 1 or no axis where they are shared.
    dtype : DType
        Type of a and b; `b_dtype` where b differs.
    out_dtype, accumulate : DType, optional
        Type of the output (by default that of a; int32 for integers) and of the sums.
    alpha, beta : float
        Scales; with ``beta ≠ 0`` there is a third input c of the output's shape.

    Examples
    --------
    >>> GemmOp(4, 5, 6).flops()
    240
    """

    family: ClassVar[str] = "contraction"

    m: int
    n: int
    k: int
    batch: tuple[int, ...] = ()
    dtype: DType = DType.FP32
    b_dtype: DType | None = None
    out_dtype: DType | None = None
    accumulate: DType | None = None
    alpha: float = 1.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        check_extents("matmul", m=self.m, n=self.n, k=self.k, **{f"batch[{i}]": e for i, e in enumerate(self.batch)})
        check_finite("matmul", alpha=self.alpha, beta=self.beta)
        if self.dtype.is_float != (self.b_dtype or self.dtype).is_float:
            raise DTypeError(
                "a and b must both be floating-point or both integer",
                hint="Convert one of them first",
                op="matmul",
                dtypes=tuple(d.value for d in self.input_dtypes()),
            )
        check_addressable("matmul", *zip(self.input_shapes(), self.input_dtypes(), strict=True))
        check_addressable("matmul", (self.output_shape(), self.output_dtype()))

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of a, b and, with beta, c."""
        shapes = ((*self.batch, self.m, self.k), (*self.batch, self.k, self.n))
        return (*shapes, self.output_shape()) if self.beta else shapes

    def output_shape(self) -> tuple[int, ...]:
        """Return the shape of the output."""
        return (*self.batch, self.m, self.n)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of a, b and, with beta, c."""
        dtypes = (self.dtype, self.b_dtype or self.dtype)
        return (*dtypes, self.output_dtype()) if self.beta else dtypes

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or (self.dtype if self.dtype.is_float else DType.INT32)

    def flops(self) -> int:
        """Return 2·m·n·k for each matrix of the batch."""
        return 2 * math.prod(self.batch) * self.m * self.n * self.k

    def reduction_length(self) -> int:
        """Return k."""
        return self.k

    def reference(self, *inputs: Array) -> Array:
        """Return alpha·(a @ b) + beta·c in float64."""
        result = self.alpha * np.matmul(inputs[0], inputs[1])
        return np.asarray(result + self.beta * inputs[2] if self.beta else result)

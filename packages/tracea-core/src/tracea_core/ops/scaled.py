# SPDX-License-Identifier: MIT
"""A product of fp8 matrices whose scales vary along the reduction: one for each group of k, so sums are scaled before they are added.

A scale for a whole matrix, row or column multiplies the finished sum, which any epilogue does. One for 128 positions of k has to
multiply what those positions add up to.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, ShapeError
from tracea_core.ops.base import (
    Array,
    Op,
    Shape,
    check_accumulate,
    check_dtypes,
    check_extents,
    check_inputs,
)
from tracea_core.ops.grouped import GroupedGemmOp

GROUP = 128
"""Positions of k that share a scale, and rows or columns of a block."""
_SHORT = (DType.FP8_E4M3, DType.FP8_E5M2)


class ScaledGemmOp(Op, frozen=True, tag=True):
    """out[i, j] = Σ_g a_scale[i // shared_rows, g] · b_scale[g, j // shared_columns] · Σ_{k in group g} a[i, k]·b[k, j].

    A group is 128 positions of k.

    Attributes
    ----------
    m, n, k : int
        Rows of a, columns of b, length of the reduction; the last group may be shorter.
    shared_rows, shared_columns : int
        How many rows of a, and columns of b, share a scale: 1 or 128.
    dtype : DType
        Type of a and b, one of fp8.
    out_dtype : DType, optional
        Type of the output, by default bf16.
    """

    family: ClassVar[str] = "contraction"

    m: int
    n: int
    k: int
    shared_rows: int = 1
    shared_columns: int = GROUP
    dtype: DType = DType.FP8_E4M3
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_extents("scaled_matmul", m=self.m, n=self.n, k=self.k)
        check_dtypes("scaled_matmul", (self.dtype,), self.out_dtype, self.accumulate)
        check_accumulate("scaled_matmul", (self.dtype,), self.accumulate)
        _check_scaled("scaled_matmul", self.dtype, self.shared_rows, self.shared_columns)
        self.check_tensors()

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    @property
    def groups(self) -> int:
        """Groups of k."""
        return -(-self.k // GROUP)

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of a, b and their scales."""
        return (
            (self.m, self.k),
            (self.k, self.n),
            (-(-self.m // self.shared_rows), self.groups),
            (self.groups, -(-self.n // self.shared_columns)),
        )

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.m, self.n

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of a, b and their scales."""
        return self.dtype, self.dtype, DType.FP32, DType.FP32

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or DType.BF16

    def flops(self) -> int:
        """Return 2·m·n·k."""
        return 2 * self.m * self.n * self.k

    def reduction_length(self) -> int:
        """Return k."""
        return self.k

    def spread(self, a_scale: Array, b_scale: Array) -> tuple[Array, Array]:
        """Return the scales with one for every element of a and of b."""
        left = np.repeat(np.repeat(a_scale, self.shared_rows, 0)[: self.m], GROUP, 1)[:, : self.k]
        right = np.repeat(np.repeat(b_scale, self.shared_columns, 1)[:, : self.n], GROUP, 0)[: self.k]
        return left, right

    def reference(self, *inputs: Array) -> Array:
        """Return the product of the scaled matrices in float64."""
        check_inputs(self, inputs)
        a, b, *scales = inputs
        left, right = self.spread(*scales)
        return np.asarray((a * left) @ (b * right))


class ScaledGroupedGemmOp(GroupedGemmOp, frozen=True, tag=True):
    """A product of ragged groups whose factors have scales along k: one for 128 positions of a row, and of one or 128 columns of a weight.

    Its inputs are x (m, k), w (groups, k, n), the ends of the groups, and the scales of shapes (m, ⌈k/128⌉) and
    (groups, ⌈k/128⌉, ⌈n/shared_columns⌉).
    """

    shared_columns: int = GROUP

    def __post_init__(self) -> None:
        _check_scaled("scaled_grouped_matmul", self.dtype, self.shared_columns)
        super().__post_init__()

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x, w, the ends of the groups, and both scales."""
        runs = -(-self.k // GROUP)
        return *super().input_shapes(), (self.m, runs), (self.groups, runs, -(-self.n // self.shared_columns))

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x, w, the ends and both scales."""
        return *super().input_dtypes(), DType.FP32, DType.FP32

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or DType.BF16

    def reference(self, *inputs: Array) -> Array:
        """Return the products of the scaled matrices in float64; zeros in rows of no group."""
        check_inputs(self, inputs)
        x, w, ends, x_scale, w_scale = inputs
        left = np.repeat(x_scale, GROUP, 1)[:, : self.k]
        right = np.repeat(np.repeat(w_scale, self.shared_columns, 2)[..., : self.n], GROUP, 1)[:, : self.k]
        return self.products(x * left, w * right, ends)


def _check_scaled(name: str, dtype: DType, *shared: int) -> None:
    if dtype not in _SHORT:
        raise DTypeError(f"scales along k are for fp8, not {dtype.value}", op=name)
    if not {*shared} <= {1, GROUP}:
        raise ShapeError(f"1 or {GROUP} rows or columns share a scale", op=name, shared=shared)

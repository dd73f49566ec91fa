# SPDX-License-Identifier: MIT
"""General matrix multiplication, batched or not, alone or with a fused epilogue."""

from __future__ import annotations

import math
from typing import ClassVar

import msgspec
import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import (
    Array,
    Op,
    Shape,
    check_accumulate,
    check_dtypes,
    check_extents,
    check_finite,
    check_inputs,
    check_shape,
    default_output,
)
from tracea_core.ops.epilogue import Epilogue


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
        check_extents("matmul", m=self.m, n=self.n, k=self.k)
        check_shape("matmul", "batch", self.batch)
        check_finite("matmul", alpha=self.alpha, beta=self.beta)
        for name in ("alpha", "beta"):  # 1 and 1.0 are equal, so their JSON and digests must be, too
            if type(getattr(self, name)) is not float:
                msgspec.structs.force_setattr(self, name, float(getattr(self, name)))
        operands = (self.dtype, self.b_dtype or self.dtype)
        check_dtypes("matmul", operands, self.out_dtype, self.accumulate)
        check_accumulate("matmul", operands, self.accumulate)
        self.check_tensors()

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        if self.accumulate:
            return self.accumulate
        both = self.dtype.accumulator, (self.b_dtype or self.dtype).accumulator
        return max(both, key=lambda dtype: dtype.bits)

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of a, b and, with beta, c."""
        shapes = ((*self.batch, self.m, self.k), (*self.batch, self.k, self.n))
        return (*shapes, self.output_shape()) if self.beta else shapes

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return (*self.batch, self.m, self.n)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of a, b and, with beta, c."""
        dtypes = (self.dtype, self.b_dtype or self.dtype)
        return (*dtypes, self.output_dtype()) if self.beta else dtypes

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·m·n·k for each matrix of the batch."""
        return 2 * math.prod(self.batch) * self.m * self.n * self.k

    def reduction_length(self) -> int:
        """Return k."""
        return self.k

    def reference(self, *inputs: Array) -> Array:
        """Return alpha·(a @ b) + beta·c in float64."""
        check_inputs(self, inputs)
        result = self.alpha * np.matmul(inputs[0], inputs[1])
        if self.beta:
            result = result + self.beta * inputs[2]
        return np.broadcast_to(result, self.output_shape())


class FusedGemmOp(Op, frozen=True, tag=True):
    """A GEMM and its epilogue as one op: what a graph holds after fusion.

    Its inputs are those of the GEMM followed by the epilogue's operands. `Problem.normalized` takes it apart again.

    Attributes
    ----------
    gemm : GemmOp
        The product, of twice the output's columns if the epilogue is gated.
    epilogue : Epilogue
        What happens before the store.
    operand_dtypes : tuple of DType
        Type of each epilogue operand; empty for the accumulator's.
    """

    family: ClassVar[str] = "contraction"

    gemm: GemmOp
    epilogue: Epilogue
    operand_dtypes: tuple[DType, ...] = ()

    def __post_init__(self) -> None:
        if self.operand_dtypes and len(self.operand_dtypes) != len(self.epilogue.operands):
            raise OptionError("give one dtype for each operand of the epilogue", op="fused matmul")
        if self.epilogue.gated and self.gemm.n % 2:
            raise ShapeError("a gated epilogue needs an even number of columns", op="fused matmul", n=self.gemm.n)
        if self.epilogue.gated and self.gemm.beta:
            raise OptionError("beta has no meaning with a gated epilogue", hint="Add c with Residual instead")
        check_dtypes("fused matmul", (), *self.operand_dtypes)
        self.check_tensors()

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.gemm.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of a, b, with beta c, and the epilogue's operands."""
        operands = (
            self.epilogue.operand_shape(slot, self.output_shape()) for slot in range(len(self.epilogue.operands))
        )
        return (*self.gemm.input_shapes(), *operands)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.epilogue.output_shape(self.gemm.output_shape())

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of all inputs."""
        default = (self.gemm.accumulator,) * len(self.epilogue.operands)
        return (*self.gemm.input_dtypes(), *(self.operand_dtypes or default))

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.gemm.output_dtype()

    def flops(self) -> int:
        """Return the operations of the product."""
        return self.gemm.flops()

    def reduction_length(self) -> int:
        """Return k."""
        return self.gemm.k

    def reference(self, *inputs: Array) -> Array:
        """Return the product after its epilogue, in float64."""
        check_inputs(self, inputs)
        count = len(self.gemm.input_shapes())
        return self.epilogue.reference(self.gemm.reference(*inputs[:count]), inputs[count:])

# SPDX-License-Identifier: MIT
"""The problems of the kernels that faults are planted in (`benchmarks.mutant_kernels`): small, and one of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.ops import named
from tracea_core.ops.activations import BiasAdd
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.expr import Accumulator, Call, Operand
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.python_functions import python_function
from tracea_core.ops.scaled import ScaledGemmOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.policy.output_phases import phases_on
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import dense, gemm

EXACT = Options(allow_fallback=False)
LAST = (0, 2, 3, 1)
"""The order in which axes of images lie in memory, channels last."""
PLANES = (0, 1, 2, 3)


def fused(shape: tuple[int, int, int], dtype: DType, *stages: Any, **options: Any) -> Problem:
    """Return a product with an epilogue of several stages."""
    chain = stages[0]
    for stage in stages[1:]:
        chain = chain | stage
    epilogue, arrays = chain.bind()
    extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    return gemm(shape, dtype, epilogue=epilogue, extra=extra, **options)


def _slope(x: float, y: float) -> float:
    total = 0.0
    for step in range(2):
        total += x - y if x > y else step * x
    return total


def called(shape: tuple[int, int, int]) -> Problem:
    """Return a product whose epilogue calls a Python function, of a sum and an element of a vector."""
    known = python_function(_slope)
    problem = fused(shape, DType.FP32, BiasAdd(np.ones(shape[1])))
    call = Call(known.name, known.digest, (Accumulator(), Operand(0)))
    return problem.replace(epilogue=problem.epilogue.replace(expr=call, label=known.name))


def in_groups(groups: int, channels: int, images: int = 2) -> Problem:
    """Return a channels-last 3×3 convolution of bf16 with so many channels, and filters, in each group."""
    op = Conv2dOp(
        images, groups * channels, 9, 7, groups * channels, 3, 3, padding=(1, 1), groups=groups, dtype=DType.BF16
    )
    tensors = [dense(shape, DType.BF16, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def first_layer(size: int, stride: int, order: tuple[int, ...]) -> Problem:
    """Return one of eight images of three channels and 224×224 pixels to 64 filters; where it strides by its size, without padding."""
    padding = 0 if size == stride else size // 2
    op = Conv2dOp(8, 3, 224, 224, 64, size, size, (stride,) * 2, (padding,) * 2, dtype=DType.BF16)
    tensors = [dense(shape, DType.BF16, order) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def planar_filters() -> Problem:
    """Return a convolution of channels-last images by 3×3 filters in planes, of more channels than a warp takes of them."""
    op = Conv2dOp(8, 200, 28, 28, 96, 3, 3, (1, 1), (1, 1), dtype=DType.BF16)
    images, filters = op.input_shapes()
    tensors = (dense(images, DType.BF16, LAST), dense(filters, DType.BF16))
    return Problem(op, tensors, dense(op.output_shape(), DType.BF16, LAST))


def convolution(
    dtype: DType = DType.FP32, channels: tuple[int, int] = (5, 6), order: tuple[int, ...] = LAST
) -> Problem:
    """Return a 3×3 convolution, its axes in one order in memory."""
    op = Conv2dOp(2, channels[0], 7, 9, channels[1], 3, 3, (1, 1), (1, 1), dtype=dtype)
    tensors = tuple(dense(shape, dtype, order) for shape in op.input_shapes())
    return Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), order), options=EXACT)


def planes_of_pixels() -> Problem:
    """Return a 3×3 convolution of channels-last images in tf32 whose results, and what is added to them, are planes."""
    given = convolution(DType.FP32, (16, 24))
    out = dense(given.op.output_shape(), DType.FP32)
    options = EXACT.replace(allow_tf32=True)
    return given.replace(
        output=out, epilogue=named.parse_epilogue("residual,relu"), epilogue_inputs=(out,), options=options
    )


def strided() -> Problem:
    """Return a 3×3 convolution that passes over pixels, of channels enough that its windows may be tested where they lie."""
    op = Conv2dOp(2, 17, 9, 11, 20, 3, 3, (2, 2), (1, 1), dtype=DType.FP32)
    tensors = tuple(dense(shape, op.dtype, LAST) for shape in op.input_shapes())
    return Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), LAST), options=EXACT)


def packed_before() -> Problem:
    """Return a product of weights that lie in panels already, the last of which is not full."""
    found = gemm((40, 40, 30), DType.FP32)
    weight = found.inputs[1].replace(strides=(16, 1))
    options = EXACT.replace(panel_columns=16)
    return found.replace(inputs=(found.inputs[0], weight), options=options)


def pointwise(channels: int, order: tuple[int, ...] = LAST) -> Problem:
    """Return a 1×1 convolution of so many pixels that windows may sweep it."""
    op = Conv2dOp(2, channels, 12, 12, 48, 1, 1, dtype=DType.FP32)
    tensors = tuple(dense(shape, op.dtype, order) for shape in op.input_shapes())
    return Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), order), options=EXACT)


def own_filters(
    dtype: DType = DType.FP16,
    width: int = 9,
    channels: int = 12,
    order: tuple[int, ...] = LAST,
    dilation: tuple[int, int] = (1, 1),
    stride: tuple[int, int] = (1, 2),
    *,
    bias: bool = False,
) -> Problem:
    """Return a convolution whose channels have filters of their own, with a bias and ReLU if asked."""
    op = Conv2dOp(2, channels, 5, width, channels, 3, 3, stride, (1, 1), dilation, groups=channels, dtype=dtype)
    tensors = [dense(shape, op.dtype, order) for shape in (*op.input_shapes(), op.output_shape())]
    plain = Problem(op, tuple(tensors[:2]), tensors[2], options=EXACT)
    if not bias:
        return plain
    return plain.replace(epilogue=named.parse_epilogue("bias,relu"), epilogue_inputs=(dense((channels,), DType.FP32),))


def winograd(order: tuple[int, ...] = LAST) -> Problem:
    """Return a 3×3 convolution that may be computed by minimal filtering and is large enough to be."""
    op = Conv2dOp(2, 10, 41, 43, 12, 3, 3, (1, 1), (1, 1), dtype=DType.FP32)
    tensors = [dense(shape, op.dtype, order) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2], options=EXACT.replace(allow_winograd=True))


def groups(dtype: DType = DType.BF16, rows: int = 300, columns: tuple[int, ...] = (0, 2, 1)) -> Problem:
    """Return a product of rows in three groups, with a bias for each; the weights' axes lie in the order `columns`."""
    op = GroupedGemmOp(rows, 3, 96, 200, dtype=dtype)
    inputs = (dense((rows, 200), dtype), dense((3, 200, 96), dtype, columns), dense((3,), DType.INT32))
    tail, arrays = named.bias(), (dense((3, 96), DType.FP32),)
    return Problem(op, inputs, dense((rows, 96), dtype), tail, arrays, options=EXACT)


def listed(dtype: DType, sparse: SparseOperand) -> Problem:
    """Return a product with a matrix of few blocks of 48x32."""
    pattern = BlockPattern.from_mask(np.eye(5, 7, dtype=np.bool_) | (np.arange(7) == 3), 48, 32)
    op = BlockSparseGemmOp.of(72, pattern, sparse, dtype)
    pairs = zip(op.input_shapes(), op.input_dtypes(), strict=True)
    return Problem(
        op, tuple(dense(*pair) for pair in pairs), dense(op.output_shape(), op.output_dtype()), options=EXACT
    )


def scaled(rows: int, columns: int) -> Problem:
    """Return a product of fp8 with a scale for each group of k and so many rows and columns."""
    op = ScaledGemmOp(256, 384, 512, rows, columns)
    a, b, *scales = op.input_shapes()
    inputs = (
        dense(a, op.dtype), dense(b, op.dtype, (1, 0)), dense(scales[0], DType.FP32, (1, 0)), dense(scales[1], DType.FP32),
    )  # fmt: skip
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype()), options=EXACT)


def filter_gradient(dtype: DType, channels: tuple[int, int]) -> Problem:
    """Return the gradient of a 3×3 convolution with respect to its filters, channels last."""
    op = Conv2dFiltersOp(2, channels[0], 7, 9, channels[1], 3, 3, (1, 1), (1, 1), dtype=dtype)
    inputs = tuple(dense(shape, dtype, LAST) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype(), LAST), options=EXACT)


def transposed(dtype: DType, channels: tuple[int, int], stride: int) -> Problem:
    """Return a transposed 3×3 convolution, the gradient of one with respect to its image, channels last."""
    op = ConvTranspose2dOp(2, channels[0], 7, 9, channels[1], 3, 3, (stride, stride), (1, 1), dtype=dtype)
    inputs = tuple(dense(shape, dtype, LAST) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype(), LAST), options=EXACT)


def longest_phase(problem: Problem, profile: CapabilityProfile) -> Problem:
    """Return the convolution of a transposed one with the most work; any other problem as it is."""
    if not isinstance(problem.op, ConvTranspose2dOp):
        return problem
    return max((phase.problem for phase in phases_on(problem, profile)), key=lambda one: one.flops())

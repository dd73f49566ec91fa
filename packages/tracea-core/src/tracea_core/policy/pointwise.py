# SPDX-License-Identifier: MIT
"""A 1×1 convolution of channels-last tensors is a matrix product of the same memory: pixels by channels times channels by filters.

So on GPUs it goes the way of products, with their copy engines, clusters and plans of several kernels, and nothing is copied for it.
"""

from __future__ import annotations

from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.pixels import pixels_follow, rows_are_pixels
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.budget import is_cpu
from tracea_core.target import CapabilityProfile


def as_product(problem: Problem, profile: CapabilityProfile) -> Problem:
    """Return `problem` as a product of matrices if it is such a convolution and the device is a GPU, else as it is.

    Its tensors keep their order, their addresses and their types: only their shapes and strides are those of matrices.
    """
    op = problem.op
    if is_cpu(profile) or not isinstance(op, Conv2dOp) or not _pointwise(op) or not rows_are_pixels(problem):
        return problem
    x, w = (spec.settled() for spec in problem.inputs[:2])
    if not pixels_follow(x):
        return problem
    pixels = op.n * op.h * op.w
    product = GemmOp(pixels, op.k, op.c, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    extra = tuple(
        _rows(spec, pixels) if spec.shape == problem.output.shape else spec for spec in problem.epilogue_inputs
    )
    inputs = (_rows(x, pixels), TensorSpec((op.c, op.k), w.dtype, (w.strides[1], w.strides[0])))
    return problem.replace(op=product, inputs=inputs, output=_rows(problem.output, pixels), epilogue_inputs=extra)


def _pointwise(op: Conv2dOp) -> bool:
    whole = not isinstance(op, CroppedConv2dOp)
    return whole and (op.r, op.s, op.groups) == (1, 1, 1) and op.stride == (1, 1) and op.padding == (0, 0)


def _rows(spec: TensorSpec, pixels: int) -> TensorSpec:
    plain = spec.settled()
    return TensorSpec((pixels, spec.shape[1]), spec.dtype, (plain.strides[3], plain.strides[1]))

# SPDX-License-Identifier: MIT
"""How elements of a tensor lie together: runs that are whole, strides that are aligned, and how far the tensor reaches."""

from __future__ import annotations

import math

from tracea_core.dtypes import DType
from tracea_core.ops.problem import Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.ops.spec import TensorSpec

_CHUNK = 16
"""Bytes that a copy engine moves at least."""


def whole_runs(spec: TensorSpec) -> int:
    """Return the largest power of two up to 16 bytes into which the contiguous axis divides without a rest."""
    plain = spec.settled()
    extents = [extent for extent, stride in zip(plain.shape, plain.strides, strict=True) if stride == 1]
    return math.gcd(16, *(extent * spec.dtype.bytes for extent in extents))


def alignment(spec: TensorSpec, most: int = 16) -> int:
    """Return the largest power of two up to `most` that divides every stride of more than one element, in bytes."""
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    return math.gcd(most, *(stride * spec.dtype.bytes for stride in steps))


def aligned_pairs(problem: Problem) -> bool:
    """Return whether two neighbours of everything that the epilogue reads lie at a multiple of their size, as far as the problem says.

    They may be wider than those of the output: an address of 4 bytes is a pair of fp16, and no pair of fp32.
    """
    least = problem.options.alignment
    return all(min(least, alignment(spec)) >= 2 * spec.dtype.bytes for spec in problem.epilogue_inputs)


def boxed_scales(problem: Problem) -> int:
    """Return how many columns share a scale along k, where every row has its own and a copy engine can bring both; else 0.

    The scales of neighbouring rows must lie together, as those of neighbouring columns do or those along k; everything else is a
    multiple of 16 bytes apart.
    """
    op, inputs = problem.op, problem.inputs
    if not isinstance(op, ScaledGemmOp | ScaledGroupedGemmOp) or (isinstance(op, ScaledGemmOp) and op.shared_rows > 1):
        return 0
    of_rows, of_columns = (spec.settled() for spec in inputs[-2:])
    down, across = of_rows.strides
    *beside, along_k, along_n = of_columns.strides
    apart = (across, *beside, along_k if along_n == 1 else along_n)
    lie = down == 1 and (along_n == 1 or (along_k == 1 and op.shared_columns > 1))
    whole = all(step > 1 and step * DType.FP32.bytes % _CHUNK == 0 for step in apart)
    placed = min(problem.options.aligned(operand) for operand in (len(inputs) - 2, len(inputs) - 1)) >= _CHUNK
    return op.shared_columns if lie and whole and placed else 0


def span(spec: TensorSpec) -> int:
    """Return the elements of memory from a tensor's first element to its last one, 0 if it has none."""
    if 0 in spec.shape:
        return 0
    return 1 + sum((extent - 1) * abs(stride) for extent, stride in zip(spec.shape, spec.strides, strict=True))

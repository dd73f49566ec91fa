# SPDX-License-Identifier: MIT
"""Whether a gradient of filters is summed in parts: its reduction is over all pixels, and its tiles may be few.

64 filters of 3×3×64 are three tiles of 64×192 for 132 processors, each with 200,704 products an element. So the images are divided into
parts, as `Conv2dFiltersOp.parts` states them, whose sums lie in a workspace and are added by a second kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange_images import ROOM
from tracea_core.policy.arrangement import Arrangement
from tracea_core.target import CapabilityProfile

_TILES = ((128, 192), (64, 192), (64, 128), (64, 64))
"""Tiles that tell which numbers of parts are tried."""
_FEWEST_PIXELS = 256


def divided_filters(problem: Problem, profile: CapabilityProfile) -> Iterator[Arrangement]:
    """Yield the arrangements with several parts of the images whose tiles could fill the processors once."""
    op = problem.op
    assert isinstance(op, Conv2dFiltersOp)
    out = problem.output.settled()
    if op.parts > 1 or op.groups > 1 or problem.is_empty or _matrix(out) is None:
        return
    elements = out.size // op.k
    divisors = [parts for parts in range(2, op.n + 1) if op.n % parts == 0]
    divisors = [p for p in divisors if op.reduction_length() // p >= _FEWEST_PIXELS and p * out.size * 4 <= ROOM]
    tried: set[int] = set()
    for tall, wide in _TILES:
        wanted = profile.processors / (-(-op.k // tall) * -(-elements // wide))
        tried |= {
            max((p for p in divisors if p <= wanted), default=0),
            min((p for p in divisors if p >= wanted), default=0),
        }
    for parts in sorted(tried - {0}):
        inner = op.replace(parts=parts, out_dtype=op.accumulator)
        step = out.size // op.k
        strides = (out.size, step, *_dense(out))
        stored = TensorSpec(inner.output_shape(), op.accumulator, strides)
        partial = TensorSpec((parts, op.k, step), op.accumulator, (out.size, step, 1))
        yield Arrangement(problem=Problem(inner, problem.inputs, stored, options=problem.options), partial=partial)


def as_matrices(problem: Problem) -> Problem:
    """Return a gradient of filters as the product of matrices that has the same output: filters by their elements.

    Its inputs are none that exist: only output and epilogue are meant.
    """
    op = problem.op
    assert isinstance(op, Conv2dFiltersOp)
    out, depth = _matrix(problem.output), op.reduction_length()
    assert out is not None
    m, n = out.shape
    extra = tuple(_matrix(s) or s if s.shape == problem.output.shape else s for s in problem.epilogue_inputs)
    factors = (TensorSpec.contiguous((m, depth), op.dtype), TensorSpec.contiguous((depth, n), op.dtype))
    product = GemmOp(m, n, depth, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    return problem.replace(op=product, inputs=factors, output=out, epilogue_inputs=extra)


def _dense(spec: TensorSpec) -> tuple[int, ...]:
    """Strides of channels, rows and columns of a filter without gaps, in the order in which `spec` holds them."""
    order = sorted(range(1, 4), key=lambda axis: (spec.shape[axis] > 1, -spec.strides[axis]))
    found, step = {}, 1
    for axis in reversed(order):
        found[axis], step = step, step * spec.shape[axis]
    return found[1], found[2], found[3]


def _matrix(spec: TensorSpec) -> TensorSpec | None:
    """Filters as a matrix, one each row; None if the elements of one have gaps."""
    plain = spec.settled()
    dense = zip(plain.shape[1:], plain.strides[1:], _dense(plain), strict=True)
    if any(extent > 1 and stride != wanted for extent, stride, wanted in dense):
        return None
    return TensorSpec((plain.shape[0], plain.size // max(plain.shape[0], 1)), plain.dtype, (plain.strides[0], 1))

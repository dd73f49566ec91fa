# SPDX-License-Identifier: MIT
"""How far a correct kernel may be from the float64 reference, element by element; derived, never tuned to what passes.

With unit roundoff u of the accumulator and γₖ = k·u/(1 − k·u), a sum of k products in *any* order, fused or not, split or not,
satisfies |computed − exact| ≤ γₖ·Σ|aᵢ·bᵢ| (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., §3.1, eq. 3.5 and
§4.2). The inputs are the exact stored values, so they contribute nothing. Σ|aᵢ·bᵢ| is the op's own reference on absolute
values. What follows adds up: the epilogue as intervals over the accumulator's error (`tracea_core.ops.interval`), and the rounding to
the output's type, applied to both ends, which covers saturation, overflow and subnormals.

The reference is itself a float64 sum; its γₖ with u = 2⁻⁵³ is added, which matters for fp64 only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.dtypes import DType
from tracea_core.errors import ShapeError
from tracea_core.ops.base import Array, Op
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.error_bounds import op_error
from tracea_core.ops.expr import Accumulator
from tracea_core.ops.interval import Interval, evaluate_intervals, hull
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec


def reference(problem: Problem | Op, inputs: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike] = ()) -> Array:
    """Return what `problem` asks for in float64, before the rounding to the output's type.

    Parameters
    ----------
    problem : Problem or Op
        What to compute; an op alone has no epilogue.
    inputs : sequence of array_like
        The exact stored values of the inputs in the op's order (see `DType.decode`).
    operands : sequence of array_like
        Those of the epilogue's operands, by slot.
    """
    normal, arrays, extra = _parts(problem, inputs, operands)
    return np.asarray(normal.epilogue.reference(normal.op.reference(*arrays), extra, normal.op.column_axis))


def tolerance(problem: Problem | Op, inputs: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike] = ()) -> Array:
    """Return the largest error that a correct kernel can have at each element of the output.

    Parameters
    ----------
    problem, inputs, operands
        As for `reference`.

    Returns
    -------
    float64 array
        Of the output's shape. Infinite where rounding may or may not reach infinity, and where minimal filtering was allowed and may leave
        the range; the whole range of the type where a sum of integers may wrap around; NaN where the reference is NaN.
    """
    normal, arrays, extra = _parts(problem, inputs, operands)
    op, epilogue, output = normal.op, normal.epilogue, normal.output.dtype
    product = np.asarray(op.reference(*arrays), np.float64)
    exact = epilogue.reference(product, extra, op.column_axis)
    with np.errstate(all="ignore"):
        options = normal.options
        allowed = (options.allow_tf32, options.fast_accumulation, options.tf32x3, bool(options.allow_winograd))
        error = op_error(op, arrays, product, *allowed)
        around = Interval(product - error, product + error)
        compute = compute_dtype(op)
        if not compute.is_float:
            unsure = error > 0  # exact, unless sums can leave the range of int32
            around = Interval(np.where(unsure, -np.inf, product), np.where(unsure, np.inf, product))
            compute = DType.FP32
        if epilogue.gated or epilogue.expr != Accumulator():
            around = _through(epilogue, around, extra, op.column_axis, compute, output)
        stored = hull(output.decode(output.encode(around.low)), output.decode(output.encode(around.high)), exact)
        above = np.where(stored.high == exact, 0.0, stored.high - exact)
        below = np.where(stored.low == exact, 0.0, exact - stored.low)
    # Sums of pixels may leave the range where no product does: infinity less infinity is no number.
    unbounded = np.isposinf(error) if options.allow_winograd and not epilogue.gated else np.zeros((), bool)
    return np.where(unbounded, np.inf, np.maximum(above, below))


def agrees(actual: npt.ArrayLike, expected: npt.ArrayLike, bound: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return where `actual` is within `bound` of `expected`; NaN agrees with NaN, an infinity with itself."""
    a, e, b = (np.asarray(values, np.float64) for values in (actual, expected, bound))
    with np.errstate(invalid="ignore"):
        near = np.abs(a - e) <= b
    return np.asarray(near | (a == e) | (np.isnan(a) & np.isnan(e)) | np.isposinf(b))


def worst(actual: npt.ArrayLike, expected: npt.ArrayLike, bound: npt.ArrayLike) -> float:
    """Return the largest error as a share of its bound: at most 1.0 if all agree, 0.0 for no elements."""
    a, e, b = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (actual, expected, bound)))
    if not a.size:
        return 0.0
    good = agrees(a, e, b)
    with np.errstate(all="ignore"):
        share = np.abs(a - e) / b
    share = np.where(np.isfinite(share), share, np.where(good, 0.0, np.inf))
    return float(np.where(good, np.minimum(share, 1.0), np.maximum(share, np.nextafter(1.0, 2.0))).max())


def compute_dtype(op: Op) -> DType:
    """Return the type that the op's sums are kept in: its accumulator, fp32 or fp64 for row-wise ops."""
    own: Any = getattr(op, "accumulator", None)
    return own if isinstance(own, DType) else op.input_dtypes()[0].accumulator


def _through(
    epilogue: Epilogue, around: Interval, operands: Sequence[Array], column_axis: int, compute: DType, output: DType
) -> Interval:
    shape = epilogue.output_shape(around.low.shape)
    accumulators = [around]
    if epilogue.gated:
        half = shape[-1]
        accumulators = [
            Interval(around.low[..., :half], around.high[..., :half]),
            Interval(around.low[..., half:], around.high[..., half:]),
        ]
    values = epilogue.spread(operands, shape, column_axis)
    low, high = evaluate_intervals(epilogue.expr, accumulators, values, compute, output)
    return Interval(np.broadcast_to(low, shape), np.broadcast_to(high, shape))


def _parts(
    problem: Problem | Op, inputs: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike]
) -> tuple[Problem, list[Array], list[Array]]:
    """Return the normalized problem with its inputs and operands: alpha, beta and a fused epilogue are stages of it."""
    if not isinstance(problem, Problem):
        specs = zip(problem.input_shapes(), problem.input_dtypes(), strict=True)
        problem = Problem(
            problem,  # type: ignore[arg-type]  # Op is the base of AnyOp's members
            tuple(TensorSpec.contiguous(shape, dtype) for shape, dtype in specs),
            TensorSpec.contiguous(problem.output_shape(), problem.output_dtype()),
        )
    if len(inputs) + len(operands) != len(problem.inputs) + len(problem.epilogue_inputs):
        raise ShapeError(
            f"the problem takes {len(problem.inputs)} inputs and {len(problem.epilogue_inputs)} epilogue operands; "
            f"{len(inputs)} and {len(operands)} were given"
        )
    normal = problem.normalized()
    values = [np.asarray(tensor, np.float64) for tensor in (*inputs, *operands)]
    arrays = values[: len(normal.inputs)]
    normal, extra = normal.spread_groups(arrays, values[len(normal.inputs) :])
    return normal, arrays, extra


def spacing_at(values: npt.ArrayLike, dtype: DType) -> Array:
    """Return the distance of neighbouring numbers of `dtype` around `values`; for tests and reports."""
    magnitude = np.abs(np.asarray(values, np.float64))
    if not dtype.is_float:
        return np.ones_like(magnitude)
    _, exponent = np.frexp(np.maximum(magnitude, dtype.smallest_normal))
    return np.asarray(np.ldexp(2 * dtype.eps, exponent - 1), np.float64)

# SPDX-License-Identifier: MIT
"""Forward error bounds of each op's result before the epilogue, for any order of its sums.

γₙ = n·u/(1 − n·u) collects n roundings; products of factors (1 + δ) collapse into one γ (Higham, 2nd ed., lemma 3.1). Each function
states what its kernel is allowed to do; a kernel that does worse is wrong.
"""

from __future__ import annotations

import msgspec
import numpy as np

from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.base import Array, Op
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.expr import UnaryFn
from tracea_core.ops.interval import ROUNDOFFS, Interval, evaluate_intervals
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp

_EXP = ROUNDOFFS[UnaryFn.EXP]
_PUT_ASIDE = 128  # products of fp8 that a matrix unit adds before the sum is put aside in fp32
_KEYS_PER_STEP = 16  # an online softmax rescales at most once for so many keys


def gamma(count: float, unit: float) -> float:
    """Return γ = count·u/(1 − count·u); infinite where that many roundings leave no correct digit."""
    product = count * unit
    return product / (1 - product) if product < 1 else np.inf


def op_error(
    op: Op,
    inputs: list[Array],
    result: Array,
    allow_tf32: bool = False,
    fast_accumulation: bool = False,
    tf32x3: bool = False,
    allow_winograd: bool = False,
) -> Array:
    """Return a bound on the error of the op's result in its accumulator.

    Parameters
    ----------
    op : Op
        The op, with alpha and beta in its epilogue (see `Problem.normalized`).
    inputs : list of float64 array
        Exact stored values.
    result : float64 array
        The op's reference on `inputs`.
    allow_tf32 : bool
        fp32 products may be rounded to tf32 first.
    fast_accumulation : bool
        Sums of fp8 may be kept in the bits of a matrix unit throughout, instead of for 128 products at a time.
    tf32x3 : bool
        fp32 products may be three products of tf32.
    allow_winograd : bool
        3×3 convolutions may be computed by minimal filtering.

    Returns
    -------
    float64 array
        Of the result's shape.
    """
    if not result.size:
        return np.zeros(result.shape)
    if isinstance(op, AttentionOp):
        return _attention(op, inputs, allow_tf32)
    if isinstance(op, SoftmaxOp):
        return _softmax(op, inputs[0], result)
    if isinstance(op, NormOp):
        return _norm(op, inputs, result)
    if isinstance(op, NormalizeOp):
        return _normalize(op, inputs[0])
    if isinstance(op, LowRankOp):
        return _low_rank(op, inputs, allow_tf32)
    error = _contraction(op, inputs, allow_tf32, fast_accumulation, tf32x3)
    if allow_winograd and isinstance(op, Conv2dOp):
        return np.maximum(error, _minimal_filtering(op, inputs))
    return error


def _units(accumulator: DType) -> float:
    """Return u of the accumulator and of the float64 reference together."""
    return accumulator.eps + DType.FP64.eps


def _product_rounding(op: Op, allow_tf32: bool) -> float:
    """Return the relative error of one product whose factors may be truncated to tf32 (2u each) first."""
    rounded = DType.TF32 in op.input_dtypes() or (allow_tf32 and DType.FP32 in op.input_dtypes())
    return (1 + 2 * DType.TF32.eps) ** 2 - 1 if rounded else 0.0


def _in_parts(op: Op, length: int) -> float:
    """Return what a sum of products of two tf32 parts each adds to the relative error: roundings, what is left out, and its length.

    With x = high + low + d, both parts rounded to nearest: |x − high| ≤ u|x| and |d| ≤ u²|x|. Low by low is left out, at most
    (u + u²)² of a product; three terms are added for each.
    """
    unit = DType.TF32.eps
    left_out = (1 + unit**2) ** 2 - 1 + (unit + unit**2) ** 2
    return left_out + gamma(3 * length, _units(DType.FP32)) if DType.FP32 in op.input_dtypes() else 0.0


def _short_sums(op: Op, fast: bool) -> float:
    """Return the relative error of sums that a matrix unit keeps in 13 fraction bits, all of them or 128 products at a time.

    Hopper's units align the products of an fp8 instruction to the largest exponent and keep 13 fraction bits below it
    (DeepSeek-V3 technical report, arXiv 2412.19437, section 3.3.2): each term loses at most 2^-13 of what is summed.
    """
    if not {DType.FP8_E4M3, DType.FP8_E5M2} & set(op.input_dtypes()):
        return 0.0
    count = op.reduction_length() if fast else min(op.reduction_length(), _PUT_ASIDE)
    return gamma(count + 1, 2.0**-13)


def _contraction(op: Op, inputs: list[Array], allow_tf32: bool, fast_accumulation: bool, tf32x3: bool) -> Array:
    """(γ_{k+1} + products' rounding)·Σ|a·b|; integers are exact unless a sum can leave the range of int32."""
    accumulator: DType = op.accumulator  # type: ignore[attr-defined]
    magnitude = np.asarray(op.reference(*(np.abs(array) for array in inputs)), np.float64)
    if not accumulator.is_float:
        return np.where(magnitude > accumulator.largest, np.inf, 0.0)
    length = op.reduction_length()
    relative = gamma(length + 1, _units(accumulator)) + _product_rounding(op, allow_tf32)
    relative += _short_sums(op, fast_accumulation) + (_in_parts(op, length) if tf32x3 else 0.0)
    return np.asarray(relative * magnitude + length * accumulator.smallest)


_PIXELS = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]], float)
_WEIGHTS = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0, 0, 1]], float)
_SUMS = np.array([[1, 1, 1, 0], [0, 1, 1, 1]], float)
"""Absolute values of what F(2, 3) multiplies by along an axis: Bᵀ, G and Aᵀ (Lavin and Gray, arXiv 1509.09308, section 4.1)."""
_HALVED = 3
"""How many smallest numbers a factor of weights is off by at most: ½ of a sum that has lost three halves of one, and its own."""


def _minimal_filtering(op: Conv2dOp, inputs: list[Array]) -> Array:
    """γ_{c+10}·|Aᵀ|[Σ_c (|G||w||Gᵀ|) ⊙ (|Bᵀ||x||B|)]|A|, for each tile of 2×2 pixels and the 4×4 that it sees.

    Barabasz, Anderson, Soodhalter and Gregg bound it so (Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural
    Networks, ACM TOMS 46(4), 2020); here the roundings of F(2×2, 3×3) are counted one by one. A product has four of its factor of weights
    (two additions along each axis; halves are exact), two of its factor of pixels and its own; c of them are added up, and then nine of
    those sums in four steps. Rows of Aᵀ and Bᵀ leave out what lies outside a pixel's own window. Where factors are too small to be halved
    exactly, or products too small, the smallest number is lost instead; where sums of pixels or weights may leave the range, all is.
    """
    p, q = op.output_size
    if (op.r, op.s, op.stride, op.dilation) != (3, 3, (1, 1), (1, 1)) or op.accumulator is not DType.FP32 or not op.c:
        return np.zeros(op.output_shape())
    beyond, down, across = 2 * op.accumulator.largest, -(-p // 2), -(-q // 2)
    x, w = (np.nan_to_num(np.abs(array), nan=beyond, posinf=beyond) for array in inputs)
    sizes = zip(op.padding, (2 * down + 2, 2 * across + 2), (op.h, op.w), strict=True)
    x = np.pad(x, ((0, 0), (0, 0), *((pad, size - extent - pad) for pad, size, extent in sizes)))
    tiles = np.lib.stride_tricks.sliding_window_view(x, (4, 4), (2, 3))[:, :, ::2, ::2]
    images, filters = (op.n, op.groups, -1, down, across, 4, 4), (op.groups, op.k // op.groups, -1, 3, 3)
    pixels = np.einsum("ui,ngcyxij,vj->uvgnyxc", _PIXELS, tiles.reshape(images), _PIXELS, optimize=True)
    weights = np.einsum("ui,gkcij,vj->uvgck", _WEIGHTS, w.reshape(filters), _WEIGHTS, optimize=True)

    def added(places: Array) -> Array:
        shape = 4, 4, op.groups, op.n, down, across, -1
        sums = np.einsum("au,uvgnyxk,bv->ngkyaxb", _SUMS, places.reshape(shape), _SUMS, optimize=True)
        return np.asarray(sums.reshape(op.n, op.k, 2 * down, 2 * across)[:, :, :p, :q])

    flat = pixels.reshape(4, 4, op.groups, -1, pixels.shape[-1])
    magnitude = added(flat @ weights)
    too_large = (flat.max(axis=-1)[..., None] >= beyond / 2) | (weights.max(axis=-2)[..., None, :] >= beyond / 2)
    lost = _HALVED * flat.sum(axis=-1)[..., None] + np.full(weights.shape[-1], pixels.shape[-1])
    error = gamma(pixels.shape[-1] + 10, _units(op.accumulator)) * magnitude + op.accumulator.smallest * added(lost)
    return np.where((added(too_large.astype(float)) > 0) | (magnitude >= beyond / 2), np.inf, error)


def _low_rank(op: LowRankOp, inputs: list[Array], allow_tf32: bool) -> Array:
    """The first product's error goes through the middle's intervals, is rounded to the operands' type, and is multiplied by |b|."""
    x, a, b = inputs
    unit, products = _units(op.accumulator), _product_rounding(op, allow_tf32)
    first = np.matmul(x, a)
    error = (gamma(op.k + 1, unit) + products) * np.matmul(np.abs(x), np.abs(a)) + op.k * op.accumulator.smallest
    compute = op.accumulator if op.accumulator.is_float else DType.FP32
    around = evaluate_intervals(op.middle.expr, [Interval(first - error, first + error)], (), compute, op.dtype)
    middle = op.middle.reference(first)
    spread = np.maximum(around.high - middle, middle - around.low)
    rounding = np.maximum(op.dtype.eps, unit)
    spread = spread + rounding * (np.abs(middle) + spread) + op.dtype.smallest
    second = gamma(op.rank + 1, unit) + products
    reach = np.matmul(np.abs(middle) + spread, np.abs(b))
    return np.asarray(np.matmul(spread, np.abs(b)) + second * reach + op.rank * op.accumulator.smallest)


def _softmax(op: SoftmaxOp, x: Array, result: Array) -> Array:
    """Exp's argument is off by three roundings of |x| and |max|, which is a relative error of exp; the sum adds γ_n."""
    compute = op.dtype.accumulator
    unit, n = _units(compute), op.shape[-1]
    scaled = np.abs(op.scale * x)
    reach = np.where(np.isfinite(scaled), scaled, 0.0).max(axis=-1, keepdims=True)
    argument = 6 * unit * reach  # scale, max and difference, for numerator and denominator
    if op.log:
        total = np.expm1(argument) + gamma(n + _EXP, unit)  # relative error of the sum, absolute one of its logarithm
        return np.asarray(argument + total + 16 * unit * (np.abs(result) + reach + 1.0))
    relative = np.expm1(2 * argument + 4 * unit * reach) + gamma(n + 2 * _EXP + 8, unit)
    # An element or a rescaled sum below the smallest number counts as zero.
    return np.asarray(relative * result + compute.smallest * (n + 1))


def _norm(op: NormOp, inputs: list[Array], result: Array) -> Array:
    """Two passes: the mean is off by γ_n·mean|x|, the centred values by that and a rounding, the variance by twice the latter."""
    compute = op.dtype.accumulator
    unit, n = _units(compute), op.shape[-1]
    x = inputs[0]
    centred, off = x, np.zeros_like(x)
    if op.kind is NormKind.LAYER:
        mean_error = gamma(n + 2, unit) * np.abs(x).mean(axis=-1, keepdims=True)
        centred = x - x.mean(axis=-1, keepdims=True)
        off = mean_error + unit * (np.abs(centred) + mean_error)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    wrong = (2 * np.abs(centred) * off + off * off).mean(axis=-1, keepdims=True)
    wrong = wrong + gamma(n + 4, unit) * (variance + wrong + op.eps)
    root = 1 / np.sqrt(variance + op.eps)
    root_error = 1 / np.sqrt(np.maximum(variance + op.eps - wrong, 0.0)) - root + 8 * unit * root
    weight = np.abs(inputs[1]) if op.weight else np.ones(())
    error = weight * (off * (root + root_error) + np.abs(centred) * root_error)
    size = weight * np.abs(centred) * root + (np.abs(inputs[-1]) if op.bias else 0.0)
    return np.asarray(error + 4 * unit * (size + error) + 4 * compute.smallest)


def _normalize(op: NormalizeOp, x: Array) -> Array:
    """The sum of squares is off by γ_n of itself and by what is too small to be counted; root, maximum and quotient round."""
    compute = op.dtype.accumulator
    unit, n = _units(compute), op.shape[-1]
    total = (x * x).sum(axis=-1, keepdims=True)
    wrong = gamma(n + 2, unit) * total + n * compute.smallest
    length = np.maximum(np.sqrt(total), op.eps)
    least = np.maximum(np.sqrt(np.maximum(total - wrong, 0.0)), op.eps)
    most = np.maximum(np.sqrt(total + wrong), op.eps)
    off = np.maximum(1 / least - 1 / length, 1 / length - 1 / most) + 8 * unit / least
    return np.asarray(np.abs(x) * off * (1 + 4 * unit) + 4 * compute.smallest)


def _attention(op: AttentionOp, inputs: list[Array], allow_tf32: bool) -> Array:
    """Scores off by D make probabilities off by e^{2D}; these are rounded to the operands' type and summed with v.

    An online softmax multiplies its sums by exp(old max − new max) at most once every 16 keys; each such factor is off by exp's error
    and enters like one more.
    """
    compute = op.accumulator
    unit, products = _units(compute), _product_rounding(op, allow_tf32)
    repeat = op.heads // max(op.groups_of_keys, 1)
    q, k, v = inputs[0], np.repeat(inputs[1], repeat, axis=1), np.repeat(inputs[2], repeat, axis=1)
    probabilities = op.probabilities(*inputs)
    magnitude = abs(op.factor) * np.einsum("bhid,bhjd->bhij", np.abs(q), np.abs(k), optimize=True)
    if op.bias is not msgspec.UNSET and op.bias.is_float:  # rounded once when it is added, and exact where it hides
        magnitude = magnitude + np.where(probabilities > 0, np.abs(inputs[3]), 0.0)
    seen = np.where(probabilities > 0, magnitude, 0.0).max(axis=-1, keepdims=True, initial=0.0)
    # Masked scores do not enter; those whose probability underflows to zero in float64 have nothing to add, either.
    score = (gamma(op.head_dim + 3, unit) + products) * seen + 6 * unit * seen
    steps = op.keys / _KEYS_PER_STEP + 2
    relative = np.expm1(2 * score) + gamma(op.keys + steps * (_EXP + 2) + 8, unit)
    relative = relative + max(op.dtype.eps, unit) * (1 + relative)
    total = relative + (gamma(op.keys + 1, unit) + products) * (1 + relative)
    weights = np.einsum("bhij,bhjd->bhid", probabilities, np.abs(v), optimize=True)
    lost = op.dtype.smallest * np.abs(v).sum(axis=2, keepdims=True)  # weights below the smallest number of the type
    return np.asarray(total * weights + lost + op.keys * compute.smallest)

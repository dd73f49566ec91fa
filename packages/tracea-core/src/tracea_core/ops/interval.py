# SPDX-License-Identifier: MIT
"""Where the value of an expression can lie when it is computed in a type of limited precision.

Every node gets an interval that holds both the exact value and whatever a correct kernel may compute: the exact range over its
arguments' intervals (interval arithmetic; Moore, Kearfott and Cloud, *Introduction to Interval Analysis*, ch. 2), widened by the
rounding of that node. Steps (comparisons, casts, floor) need no special case: an interval that straddles one holds both sides of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.ops.auxiliary import plain
from tracea_core.ops.evaluate import Array, apply, leaf_value, round_to
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Call,
    Cast,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
    linearize,
)

# What a kernel's function may be off by, in unit roundoffs relative to the result. Arithmetic is correctly rounded; division and the
# roots may be reciprocal approximations with a correction; the others are polynomials after a range reduction. Exponentials and
# reciprocals below the smallest normal number may be 0: special function units of GPUs flush them. Where Φ is computed in erf's place
# (`tracea_core.semantic.build.approximation`), the figure of erf is one of 1, not of the result.
ROUNDOFFS: dict[UnaryFn | BinaryFn, float] = {
    UnaryFn.NEG: 0, UnaryFn.ABS: 0, UnaryFn.FLOOR: 0, UnaryFn.RINT: 0,
    UnaryFn.SQRT: 4, UnaryFn.RSQRT: 4, UnaryFn.RECIPROCAL: 4,
    UnaryFn.EXP: 8, UnaryFn.LOG: 8, UnaryFn.TANH: 16, UnaryFn.ERF: 16,
    BinaryFn.ADD: 1, BinaryFn.SUB: 1, BinaryFn.MUL: 1, BinaryFn.DIV: 4, BinaryFn.MAXIMUM: 0, BinaryFn.MINIMUM: 0,
}  # fmt: skip

_BOUNDED = {UnaryFn.TANH: 1.0, UnaryFn.ERF: 1.0}
_FLUSHED = (UnaryFn.EXP, UnaryFn.RECIPROCAL)
_SHORT_BYTES = 2


class Interval(NamedTuple):
    """All numbers from `low` to `high`, element by element; NaN in both where the value is NaN.

    From −∞ to ∞ means anything, NaN included, and so does every function of it.
    """

    low: Array
    high: Array


def hull(*values: Array) -> Interval:
    """Return the smallest interval that holds all `values`; a NaN among numbers makes it endless."""
    low, high = values[0], values[0]
    some_nan, all_nan = np.isnan(low), np.isnan(low)
    for value in values[1:]:
        low, high = np.fmin(low, value), np.fmax(high, value)
        some_nan, all_nan = some_nan | np.isnan(value), all_nan & np.isnan(value)
    mixed = some_nan & ~all_nan
    return Interval(np.where(mixed, -np.inf, low), np.where(mixed, np.inf, high))


def evaluate_intervals(
    expr: Expr, accumulators: Sequence[Interval], operands: Sequence[Array], compute: DType, stored: DType | None = None
) -> Interval:
    """Return an interval that holds the exact value of `expr` and every value a correct kernel computes.

    Parameters
    ----------
    expr : Expr
        The expression.
    accumulators : sequence of Interval
        Where each accumulator can lie.
    operands : sequence of float64 array
        Exact operand values by slot, which broadcast against the accumulators.
    compute : DType
        The floating-point type that the kernel computes in.
    stored : DType, optional
        What the value is stored as, if it is stored next: for 16 bits or less a kernel may compute Φ in the place of erf.
    """
    found: list[Interval] = []
    normal = stored is not None and stored.is_float and stored.bytes <= _SHORT_BYTES
    with np.errstate(all="ignore"):
        for node, places in linearize(plain(expr)):
            arguments = [found[place] for place in places]
            if isinstance(node, Accumulator):
                low, high = accumulators[node.index]
                found.append(hull(low, high, round_to(low, compute, False), round_to(high, compute, False)))
            elif isinstance(node, Operand | Constant):
                value = leaf_value(node, (), operands)
                found.append(hull(value, round_to(value, compute, False)))
            elif isinstance(node, Cast):
                result = _cast(node, arguments[0], compute)
                found.append(_absorb(result, arguments) if node.dtype.is_float else result)
            elif isinstance(node, Compare):
                found.append(_compare(node.fn, *arguments))
            elif isinstance(node, Select):
                found.append(_select(*arguments))
            elif isinstance(node, Call):
                found.append(_absorb(_called(node, arguments, compute), arguments))
            else:
                found.append(
                    _absorb(_normal(arguments[0], compute), arguments)
                    if normal and isinstance(node, Unary) and node.fn is UnaryFn.ERF
                    else _absorb(_arithmetic(node, arguments, places[0] == places[-1], compute), arguments)
                )
    return found[-1]


def _absorb(result: Interval, arguments: Sequence[Interval]) -> Interval:
    """Return `result`, endless where an argument is."""
    endless = np.zeros((), np.bool_)
    for low, high in arguments:
        endless = endless | (np.isneginf(low) & np.isposinf(high))
    return Interval(np.where(endless, -np.inf, result.low), np.where(endless, np.inf, result.high))


def _cast(node: Cast, x: Interval, compute: DType) -> Interval:
    low, high = (round_to(end, node.dtype, node.saturate) for end in x)
    return hull(low, high, round_to(low, compute, False), round_to(high, compute, False))


def _arithmetic(node: Expr, arguments: Sequence[Interval], same: bool, compute: DType) -> Interval:
    """Return the interval of a function; `same` says that both arguments of a binary one are one value."""
    if isinstance(node, Unary):
        exact = _unary(node, arguments[0])
        roundoffs = np.asarray(ROUNDOFFS[node.fn], np.float64)
        low, high = arguments[0] if node.fn is UnaryFn.EXP else (np.zeros(()), np.zeros(()))
        # exp as 2^(x·log₂e): the product and the constant are rounded, and an absolute error of the exponent is a relative one.
        least = np.asarray(compute.smallest_normal if node.fn in _FLUSHED else compute.smallest)
        widened = _widen(exact, roundoffs + 2 * np.abs(low), roundoffs + 2 * np.abs(high), compute, least)
        limit = _BOUNDED.get(node.fn)
        return widened if limit is None else Interval(np.maximum(widened.low, -limit), np.minimum(widened.high, limit))
    assert isinstance(node, Binary)
    roundoffs = np.asarray(ROUNDOFFS[node.fn], np.float64)
    least = np.asarray(compute.smallest)
    if node.fn is BinaryFn.DIV:
        least = np.fmax(least, np.fmax(np.abs(arguments[0].low), np.abs(arguments[0].high)) * compute.smallest_normal)
    return _widen(_binary(node, arguments[0], arguments[1], same), roundoffs, roundoffs, compute, least)


def _normal(x: Interval, compute: DType) -> Interval:
    """Return the interval of erf x where 2·Φ(√2·x) − 1 is computed in its place, Φ off by so much anywhere."""
    low, high = _unary(Unary(UnaryFn.ERF, Accumulator()), x)
    off, limit = ROUNDOFFS[UnaryFn.ERF] * compute.eps, _BOUNDED[UnaryFn.ERF]
    return Interval(np.maximum(low - off, -limit), np.minimum(high + off, limit))


def _called(node: Call, arguments: Sequence[Interval], compute: DType) -> Interval:
    """Return the interval of a function whose inside nobody knows: twice what it changes by from the middle to the ends of each argument.

    That is no proof. It holds what a smooth function does between close ends, and both sides of a branch that they straddle.
    """
    middle = [np.where(x.low == x.high, x.low, x.low + 0.5 * (x.high - x.low)) for x in arguments]
    value = apply(node, middle)
    change = np.zeros(())
    for place, x in enumerate(arguments):
        for end in x:
            moved = apply(node, [*middle[:place], end, *middle[place + 1 :]])
            change = change + np.where(moved == value, 0.0, np.abs(moved - value))
    around = hull(value, value - change, value + change)
    roundoffs = np.asarray(ROUNDOFFS[UnaryFn.EXP], np.float64)  # of its result, and of functions of the library in it
    return _widen(around, roundoffs, roundoffs, compute, np.asarray(compute.smallest))


def _unary(node: Unary, x: Interval) -> Interval:
    ends = hull(apply(node, [x.low]), apply(node, [x.high]))
    crosses = (x.low < 0) & (x.high > 0)
    if node.fn is UnaryFn.ABS:
        return Interval(np.where(crosses, 0.0, ends.low), ends.high)
    if node.fn in (UnaryFn.RECIPROCAL, UnaryFn.RSQRT):
        touches = (x.low <= 0) & (x.high >= 0)  # the sign of a zero decides between both infinities, and is not tracked
        return Interval(np.where(touches, -np.inf, ends.low), np.where(touches, np.inf, ends.high))
    return ends  # the others are monotone; below their domain they are NaN, which `hull` turns into an endless interval


def _binary(node: Binary, x: Interval, y: Interval, same: bool) -> Interval:
    def at(a: Array, b: Array) -> Array:
        return apply(node, [a, b])

    if node.fn in (BinaryFn.ADD, BinaryFn.MAXIMUM, BinaryFn.MINIMUM):
        return hull(at(x.low, y.low), at(x.high, y.high))
    if node.fn is BinaryFn.SUB:
        return hull(at(x.low, y.high), at(x.high, y.low)) if not same else hull(at(x.low, x.low), at(x.high, x.high))
    if same and node.fn is BinaryFn.MUL:
        crosses = (x.low < 0) & (x.high > 0)
        ends = hull(at(x.low, x.low), at(x.high, x.high))
        return Interval(np.where(crosses, 0.0, ends.low), ends.high)
    corners = hull(at(x.low, y.low), at(x.low, y.high), at(x.high, y.low), at(x.high, y.high))
    if node.fn is BinaryFn.MUL:
        return corners
    touches = (y.low <= 0) & (y.high >= 0)
    return Interval(np.where(touches, -np.inf, corners.low), np.where(touches, np.inf, corners.high))


def _compare(fn: CompareFn, x: Interval, y: Interval) -> Interval:
    apart = (x.high < y.low) | (y.high < x.low)
    equal = (x.low == x.high) & (y.low == y.high) & (x.low == y.low)
    unordered = np.isnan(x.low) | np.isnan(y.low)
    if fn in (CompareFn.EQ, CompareFn.NE):
        surely, never = equal, apart | unordered
        if fn is CompareFn.NE:
            surely, never = never, surely
    else:
        left, right = (x, y) if fn in (CompareFn.LT, CompareFn.LE) else (y, x)
        strict = fn in (CompareFn.LT, CompareFn.GT)
        surely = left.high < right.low if strict else left.high <= right.low
        never = (left.low >= right.high if strict else left.low > right.high) | unordered
    return Interval(np.where(surely, 1.0, 0.0), np.where(never, 0.0, 1.0))


def _select(condition: Interval, x: Interval, y: Interval) -> Interval:
    never = (condition.low == 0) & (condition.high == 0)
    surely = (condition.low > 0) | (condition.high < 0) | np.isnan(condition.low)
    both = hull(*np.broadcast_arrays(x.low, x.high, y.low, y.high))
    return Interval(
        np.where(surely, x.low, np.where(never, y.low, both.low)),
        np.where(surely, x.high, np.where(never, y.high, both.high)),
    )


def _widen(exact: Interval, below: Array, above: Array, compute: DType, least: Array) -> Interval:
    """Add the rounding of one operation, in roundoffs of each end, and `least`. It keeps the sign, and may overflow to infinity."""
    if not (np.any(below) or np.any(above)):
        return exact
    unit = compute.eps * (2 if compute is DType.FP64 else 1)  # in fp64 the reference rounds, too

    def width(end: Array, roundoffs: Array) -> Array:
        relative = roundoffs * unit * np.abs(end)
        return np.where(np.isfinite(end) & np.isfinite(relative), relative + least, 0.0)

    low, high = exact.low - width(exact.low, below), exact.high + width(exact.high, above)
    low = np.where(exact.low >= 0, np.maximum(low, 0.0), low)
    high = np.where(exact.high <= 0, np.minimum(high, 0.0), high)
    edge = compute.largest * (1 + compute.eps)
    return Interval(np.where(low < -edge, -np.inf, low), np.where(high > edge, np.inf, high))

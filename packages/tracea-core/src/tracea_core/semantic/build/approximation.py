# SPDX-License-Identifier: MIT
"""Which cheaper value an epilogue of 16 bits may take, and that no later step magnifies its error.

Fast functions are exact to 2^-16 of their value (`tracea_core.semantic.steps.Compute`). Products, quotients, maxima and sums of what
cannot be negative keep a relative error as it is; a difference, a function of the inexact value or a jump may make it arbitrarily
large, so such an expression is evaluated exactly.

Both forms of GELU cancel as they are written, so each has one that does not, with fast functions only. x·Φ(x) is
max(x, 0) − |x|·Φ(−|x|), and log₂ Φ(−t) is a polynomial of degree 6 on 0 ≤ t ≤ 5.75, fitted with weights by Lawson's iteration: Φ is
off by less than 2^-21 anywhere, by 2^-17 of itself down to t = 2.5 and by 2^-11 of itself at the most; below −5.75 the value stays at
−3·10⁻⁸, where 1 + erf in single precision has been 0 since −5.5. c·(1 + tanh u) is 2·c/(1 + e^(−2u)). That takes 10 instructions
an element instead of 50, one of them in the special function unit.
"""

from __future__ import annotations

import functools
import math

from tracea_core.dtypes import DType
from tracea_core.ops.expr import (
    Binary,
    BinaryFn,
    Call,
    Cast,
    Compare,
    Constant,
    Expr,
    Select,
    Unary,
    UnaryFn,
    children,
    rewrite,
)

_FAST = (UnaryFn.EXP, UnaryFn.RECIPROCAL, UnaryFn.SQRT)
_KEEPS = (UnaryFn.NEG, UnaryFn.ABS, UnaryFn.RECIPROCAL, UnaryFn.SQRT, UnaryFn.RSQRT)
_TAIL = 5.75
"""Where the normal distribution's tail is taken for what it is at this point."""
_LOG2_TAIL = (
    -0.9999991655349731, -1.151145339012146, -0.4589255154132843, -0.05323725938796997, 0.007991371676325798,
    -0.0007499224739149213, 3.187337642884813e-05,
)  # fmt: skip
"""Coefficients of log₂ Φ(−t), constant term first."""


def approximation(expr: Expr, out: DType) -> bool | Expr:
    """Return how `expr`, stored as `out`, may be evaluated: exactly, by fast functions, or by fast functions in another form.

    >>> from tracea_core.ops.named import parse_epilogue
    >>> approximation(parse_epilogue("silu").expr, DType.BF16), approximation(parse_epilogue("silu").expr, DType.FP32)
    (True, False)
    """
    if not out.is_float or out.bytes > 2 or not stands_approximation(expr):
        return False
    form = fast_form(expr)
    return True if form == expr else form


def fast_form(expr: Expr) -> Expr:
    """Return `expr` with every GELU in the form that fast functions evaluate without cancellation."""
    return rewrite(expr, lambda leaf: leaf, _gelu)


def stands_approximation(expr: Expr) -> bool:
    """Return whether `expr` has fast functions and none of their errors grows on its way to the value.

    >>> from tracea_core.ops.expr import Accumulator
    >>> x = Accumulator()
    >>> shifted = Binary(BinaryFn.ADD, Constant(1.0), Unary(UnaryFn.EXP, Unary(UnaryFn.NEG, x)))
    >>> stands_approximation(Binary(BinaryFn.DIV, x, shifted)), stands_approximation(Binary(BinaryFn.SUB, x, shifted))
    (True, False)
    """
    return _inexact(expr) and _keeps(expr)


def _gelu(node: Expr) -> Expr | None:
    """Return another form of a product with a factor 1 + erf or 1 + tanh, None for everything else."""
    if not isinstance(node, Binary) or node.fn is not BinaryFn.MUL:
        return None
    factors = _factors(node)
    constant = math.prod(factor.value for factor in factors if isinstance(factor, Constant))
    others = [factor for factor in factors if not isinstance(factor, Constant)]
    for place, factor in enumerate(others):
        step = _one_plus(factor)
        rest = others[:place] + others[place + 1 :]
        if step is None or not rest:
            continue
        if step.fn is UnaryFn.TANH:
            scaled = _product(_constant(2 * constant), *rest)
            return Binary(
                BinaryFn.DIV, scaled, _plus(Constant(1.0), Unary(UnaryFn.EXP, _times(Constant(-2.0), step.x)))
            )
        x = _scaled_by(step.x, math.sqrt(0.5))
        if x in rest:
            rest.remove(x)
            return _product(_constant(2 * constant), _normal(x), *rest)
    return None


def _normal(x: Expr) -> Expr:
    """x·Φ(x)."""
    size = Binary(BinaryFn.MINIMUM, Unary(UnaryFn.ABS, x), Constant(_TAIL))
    logarithm: Expr = Constant(_LOG2_TAIL[-1])
    for coefficient in reversed(_LOG2_TAIL[:-1]):
        logarithm = _plus(_times(logarithm, size), Constant(coefficient))
    positive = Binary(BinaryFn.MAXIMUM, x, Constant(0.0))
    tail = Unary(UnaryFn.EXP, _times(Constant(math.log(2.0)), logarithm))
    return Binary(BinaryFn.SUB, positive, _times(size, tail))


def _factors(node: Expr) -> list[Expr]:
    if isinstance(node, Binary) and node.fn is BinaryFn.MUL:
        return [*_factors(node.x), *_factors(node.y)]
    return [node]


def _one_plus(node: Expr) -> Unary | None:
    """The erf or tanh of 1 + erf or 1 + tanh."""
    if not isinstance(node, Binary) or node.fn is not BinaryFn.ADD:
        return None
    for one, other in ((node.x, node.y), (node.y, node.x)):
        if one == Constant(1.0) and isinstance(other, Unary) and other.fn in (UnaryFn.ERF, UnaryFn.TANH):
            return other
    return None


def _scaled_by(node: Expr, factor: float) -> Expr | None:
    """What `node` is `factor` times of."""
    if isinstance(node, Binary) and node.fn is BinaryFn.MUL:
        for constant, other in ((node.x, node.y), (node.y, node.x)):
            if isinstance(constant, Constant) and math.isclose(constant.value, factor, rel_tol=1e-6):
                return other
    if isinstance(node, Binary) and node.fn is BinaryFn.DIV and isinstance(node.y, Constant):
        return node.x if math.isclose(node.y.value * factor, 1.0, rel_tol=1e-6) else None
    return None


def _plus(x: Expr, y: Expr) -> Expr:
    return Binary(BinaryFn.ADD, x, y)


def _times(x: Expr, y: Expr) -> Expr:
    return Binary(BinaryFn.MUL, x, y)


def _constant(value: float) -> tuple[Expr, ...]:
    return () if value == 1.0 else (Constant(value),)


def _product(constant: tuple[Expr, ...], *factors: Expr) -> Expr:
    return functools.reduce(_times, (*constant, *factors))


def _inexact(node: Expr) -> bool:
    """Whether a fast function stands at or below a node."""
    fast = (isinstance(node, Unary) and node.fn in _FAST) or (isinstance(node, Binary) and node.fn is BinaryFn.DIV)
    return fast or _gelu(node) is not None or any(map(_inexact, children(node)))


def _keeps(node: Expr) -> bool:
    if _gelu(node) is not None:
        return not any(map(_inexact, _arguments(node)))
    if not all(map(_keeps, children(node))):
        return False
    if not any(map(_inexact, children(node))):
        return True
    if isinstance(node, Unary):
        return node.fn in _KEEPS
    if isinstance(node, Binary):
        sums = node.fn in (BinaryFn.ADD, BinaryFn.SUB)
        return not sums or (node.fn is BinaryFn.ADD and _not_negative(node.x) and _not_negative(node.y))
    if isinstance(node, Select):
        return not _inexact(node.condition)
    return not isinstance(node, Compare | Cast | Call)


def _arguments(node: Expr) -> list[Expr]:
    """The factors of a GELU, and what the tanh of 1 + tanh is taken of; x is a factor where it is erf."""
    steps = [(factor, _one_plus(factor)) for factor in _factors(node)]
    return [factor if step is None else step.x for factor, step in steps if step is None or step.fn is UnaryFn.TANH]


def _not_negative(node: Expr) -> bool:
    """Whether a node's value cannot be negative, as far as its form tells."""
    if isinstance(node, Constant):
        return node.value >= 0
    if isinstance(node, Unary):
        return node.fn in (UnaryFn.EXP, UnaryFn.ABS, UnaryFn.SQRT)
    if isinstance(node, Binary) and node.fn is BinaryFn.MUL and node.x == node.y:
        return True
    same = (BinaryFn.ADD, BinaryFn.MUL, BinaryFn.DIV, BinaryFn.MAXIMUM, BinaryFn.MINIMUM)
    return isinstance(node, Binary) and node.fn in same and _not_negative(node.x) and _not_negative(node.y)

# SPDX-License-Identifier: MIT
"""Functions for epilogue lambdas; on a traced value they build nodes, on numbers and NumPy arrays they compute.

Each also answers to the names that NumPy and PyTorch give it, so a lambda may use theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops import expr as nodes
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import BinaryFn, CompareFn, UnaryFn
from tracea_core.ops.proxy import CALLS, Value, binary, compare, lift, truth, unary

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = [
    "abs", "cast", "clamp", "elu", "erf", "exp", "floor", "gelu", "hardsigmoid", "hardswish", "leaky_relu", "log", "maximum",
    "minimum", "mish", "negative", "pow", "reciprocal", "relu", "relu6", "rint", "rsqrt", "sigmoid", "sign", "silu", "softplus",
    "sqrt", "square", "tanh", "where",
]  # fmt: skip


def _traceable(*aliases: str) -> Callable[[_F], _F]:
    """Register a function for traced values under its own name and `aliases`."""

    def register(function: _F) -> _F:
        for name in (function.__name__, *aliases):
            CALLS[name] = function
        return function

    return register


_X, _Y = nodes.Accumulator(0), nodes.Accumulator(1)


def _one(fn: UnaryFn, x: Any) -> Any:
    return unary(fn, x) if isinstance(x, Value) else evaluate(nodes.Unary(fn, _X), [x])


def _two(fn: BinaryFn, x: Any, y: Any) -> Any:
    if isinstance(x, Value) or isinstance(y, Value):
        return binary(fn, x, y)
    return evaluate(nodes.Binary(fn, _X, _Y), [x, y])


@_traceable("neg", "rneg")
def negative(x: Any) -> Any:
    """Return −x."""
    return _one(UnaryFn.NEG, x)


@_traceable("absolute", "fabs")
def abs(x: Any) -> Any:
    """Return |x|."""
    return _one(UnaryFn.ABS, x)


@_traceable()
def exp(x: Any) -> Any:
    """Return eˣ."""
    return _one(UnaryFn.EXP, x)


@_traceable()
def log(x: Any) -> Any:
    """Return the natural logarithm."""
    return _one(UnaryFn.LOG, x)


@_traceable()
def sqrt(x: Any) -> Any:
    """Return √x."""
    return _one(UnaryFn.SQRT, x)


@_traceable()
def rsqrt(x: Any) -> Any:
    """Return 1/√x."""
    return _one(UnaryFn.RSQRT, x)


@_traceable()
def reciprocal(x: Any) -> Any:
    """Return 1/x."""
    return _one(UnaryFn.RECIPROCAL, x)


@_traceable()
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return _one(UnaryFn.TANH, x)


@_traceable()
def erf(x: Any) -> Any:
    """Return the error function."""
    return _one(UnaryFn.ERF, x)


@_traceable()
def floor(x: Any) -> Any:
    """Return the largest integer that is not above x."""
    return _one(UnaryFn.FLOOR, x)


@_traceable("round", "around")
def rint(x: Any) -> Any:
    """Return the nearest integer, the even one of two."""
    return _one(UnaryFn.RINT, x)


@_traceable()
def maximum(x: Any, y: Any) -> Any:
    """Return the larger one; NaN if one is NaN."""
    return _two(BinaryFn.MAXIMUM, x, y)


@_traceable()
def minimum(x: Any, y: Any) -> Any:
    """Return the smaller one; NaN if one is NaN."""
    return _two(BinaryFn.MINIMUM, x, y)


@_traceable()
def where(condition: Any, x: Any, y: Any) -> Any:
    """Return `x` where the condition holds, else `y`."""
    if not any(isinstance(argument, Value) for argument in (condition, x, y)):
        return np.where(condition, x, y)
    chosen, first, second = lift(condition, x, y)
    return chosen.scope.value(nodes.Select(truth(chosen).expr, first.expr, second.expr))


def cast(x: Any, dtype: DType | str, saturate: bool = True) -> Any:
    """Return `x` rounded to a type; with `saturate`, what is beyond its range becomes its largest value."""
    kind = DType.parse(dtype) if isinstance(dtype, str) else dtype
    if isinstance(x, Value):
        return x.scope.value(nodes.Cast(kind, x.expr, saturate))
    return evaluate(nodes.Cast(kind, _X, saturate), [x])


@_traceable("power", "float_power")
def pow(x: Any, exponent: Any) -> Any:
    """Return x to a constant power: a whole number up to 16, or ±½.

    Raises
    ------
    OptionError
        For another exponent; eʸ·ˡⁿ⁽ˣ⁾ would be NaN for negative x, so it has to be asked for.
    """
    if not isinstance(x, Value) and not isinstance(exponent, Value):
        return np.power(x, exponent)
    whole = isinstance(exponent, int | float | np.number) and float(exponent).is_integer() and -16 <= exponent <= 16
    if whole and isinstance(x, Value):
        result = _whole_power(x, int(exponent if exponent >= 0 else -exponent))
        return result if exponent >= 0 else reciprocal(result)
    if isinstance(exponent, float) and exponent in (0.5, -0.5):
        return sqrt(x) if exponent > 0 else rsqrt(x)
    raise OptionError(
        "a traced power needs a constant exponent: a whole number up to 16, 0.5 or -0.5",
        hint="For positive x, write exp(y * log(x))",
    )


def _whole_power(x: Value, exponent: int) -> Value:
    """Return x^exponent with as few products as its bits need."""
    if exponent == 0:
        return lift(x, 1.0)[1]
    half = _whole_power(x, exponent // 2) if exponent > 1 else None
    if half is None:
        return x
    return half * half * x if exponent % 2 else half * half


@_traceable()
def square(x: Any) -> Any:
    """Return x²."""
    return x * x


@_traceable()
def sign(x: Any) -> Any:
    """Return −1, x or 1 for x below, at and above zero (NaN stays NaN)."""
    return where(x > 0, 1.0, where(x < 0, -1.0, x))


@_traceable("clip", "hardtanh")
def clamp(x: Any, min: Any = None, max: Any = None, *, min_val: Any = None, max_val: Any = None) -> Any:
    """Return `x` kept between two bounds; either may be left out."""
    low, high = (min if min_val is None else min_val), (max if max_val is None else max_val)
    if low is None and high is None:
        raise OptionError("clamp needs a bound", hint="Give min, max, or both")
    result = x if low is None else maximum(x, low)
    return result if high is None else minimum(result, high)


@_traceable()
def relu(x: Any) -> Any:
    """Return max(x, 0)."""
    return maximum(x, 0.0)


@_traceable()
def relu6(x: Any) -> Any:
    """Return x kept between 0 and 6."""
    return clamp(x, 0.0, 6.0)


@_traceable("expit")
def sigmoid(x: Any) -> Any:
    """Return 1/(1 + e⁻ˣ)."""
    return reciprocal(1.0 + exp(negative(x)))


@_traceable("swish")
def silu(x: Any) -> Any:
    """Return x/(1 + e⁻ˣ)."""
    return x / (1.0 + exp(negative(x)))


@_traceable()
def gelu(x: Any, approximate: str = "none") -> Any:
    """Return x·Φ(x), exactly or by the tanh formula (Hendrycks and Gimpel, arXiv:1606.08415, §2).

    Raises
    ------
    OptionError
        If `approximate` is neither ``none`` nor ``tanh``.
    """
    if approximate == "none":
        return 0.5 * x * (1.0 + erf(x * math.sqrt(0.5)))
    if approximate == "tanh":
        return 0.5 * x * (1.0 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))
    raise OptionError(f"gelu has no approximation {approximate!r}", hint="Use 'none' or 'tanh'")


@_traceable()
def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """Return ln(1 + e^(beta·x))/beta; x itself where beta·x is above `threshold`."""
    if not beta:
        raise OptionError("softplus needs a beta that is not 0")
    scaled = x * beta
    return where(scaled > threshold, x, log(1.0 + exp(minimum(scaled, threshold))) / beta)


@_traceable()
def leaky_relu(x: Any, negative_slope: float = 0.01) -> Any:
    """Return x above zero and negative_slope·x below."""
    return where(x > 0, x, x * negative_slope)


@_traceable()
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return x above zero and alpha·(eˣ − 1) below."""
    return where(x > 0, x, alpha * (exp(minimum(x, 0.0)) - 1.0))


@_traceable()
def hardsigmoid(x: Any) -> Any:
    """Return x/6 + ½ kept between 0 and 1.

    By a product, as PyTorch's on GPUs: a division of two fp32 values is a call there, and doubled the instructions of a product's end.
    """
    return clamp(x * (1.0 / 6.0) + 0.5, 0.0, 1.0)


@_traceable()
def hardswish(x: Any) -> Any:
    """Return x·hardsigmoid(x)."""
    return x * hardsigmoid(x)


@_traceable()
def mish(x: Any) -> Any:
    """Return x·tanh(softplus(x))."""
    return x * tanh(softplus(x))


def _scaled(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """PyTorch's add and sub: the second argument may be scaled by ``alpha``."""

    def function(x: Any, y: Any, *, alpha: float = 1) -> Any:
        first, second = lift(x, y)
        return operation(first, second if alpha == 1 else alpha * second)

    return function


def _divide(x: Any, y: Any, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode not in (None, "floor"):
        raise OptionError(f"a division that rounds by {rounding_mode!r} cannot be traced")
    return _two(BinaryFn.DIV, x, y) if rounding_mode is None else floor(_two(BinaryFn.DIV, x, y))


CALLS.update({name: _scaled(lambda x, y: _two(BinaryFn.ADD, x, y)) for name in ("add", "radd")})
CALLS.update({name: _scaled(lambda x, y: _two(BinaryFn.SUB, x, y)) for name in ("sub", "subtract")})
CALLS["rsub"] = lambda x, y: _two(BinaryFn.SUB, y, x)
CALLS.update({name: lambda x, y: _two(BinaryFn.MUL, x, y) for name in ("mul", "multiply", "rmul")})
CALLS.update({name: _divide for name in ("div", "divide", "truediv", "true_divide")})
CALLS.update({name: lambda x, y: _two(BinaryFn.DIV, y, x) for name in ("rdiv", "rtruediv")})
CALLS.update(
    {"expm1": lambda x: exp(x) - 1.0, "log1p": lambda x: log(1.0 + x), "exp2": lambda x: exp(x * math.log(2.0))}
)
for _names, _fn in {
    ("lt", "less"): CompareFn.LT,
    ("le", "less_equal"): CompareFn.LE,
    ("gt", "greater"): CompareFn.GT,
    ("ge", "greater_equal"): CompareFn.GE,
    ("eq", "equal"): CompareFn.EQ,
    ("ne", "not_equal"): CompareFn.NE,
}.items():
    CALLS.update({_name: lambda x, y, _fn=_fn: compare(_fn, x, y) for _name in _names})
CALLS.update({name: lambda x, y: lift(x, y)[0] & lift(x, y)[1] for name in ("logical_and", "bitwise_and")})
CALLS.update({name: lambda x, y: lift(x, y)[0] | lift(x, y)[1] for name in ("logical_or", "bitwise_or")})
CALLS.update({name: lambda x: ~x for name in ("logical_not", "bitwise_not", "invert")})

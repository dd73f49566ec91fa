# SPDX-License-Identifier: MIT
"""Typed scalar expressions: what an epilogue does to one element of the accumulator.

A user's activation, a chain of stages and a traced lambda all end up as these few nodes; interpreters evaluate them and emitters
map exactly these functions, so a new activation touches no backend.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError

Array: TypeAlias = npt.NDArray[np.float64]


class UnaryFn(enum.Enum):
    """Functions of one argument."""

    NEG = "neg"
    ABS = "abs"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    RECIPROCAL = "reciprocal"
    TANH = "tanh"
    ERF = "erf"
    FLOOR = "floor"
    RINT = "rint"


class BinaryFn(enum.Enum):
    """Functions of two arguments; maximum and minimum propagate NaN, as NumPy's do."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"


class CompareFn(enum.Enum):
    """Comparisons; all but `NE` are false for NaN."""

    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    EQ = "eq"
    NE = "ne"


class Accumulator(Data, frozen=True, tag=True):
    """The accumulated sum; index 1 is the second one of a gated epilogue."""

    index: int = 0


class Constant(Data, frozen=True, tag=True):
    """A finite number."""

    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise OptionError(f"an epilogue constant must be finite, not {self.value}")


class Operand(Data, frozen=True, tag=True):
    """An element of the epilogue's operand `slot` (a bias, a residual, …)."""

    slot: int


class Unary(Data, frozen=True, tag=True):
    """A function of one expression."""

    fn: UnaryFn
    x: Expr


class Binary(Data, frozen=True, tag=True):
    """A function of two expressions."""

    fn: BinaryFn
    x: Expr
    y: Expr


class Compare(Data, frozen=True, tag=True):
    """A comparison; its value is 1 where it holds and 0 elsewhere, and `Select` takes it as a condition."""

    fn: CompareFn
    x: Expr
    y: Expr


class Select(Data, frozen=True, tag=True):
    """`x` where the condition is not 0, else `y`."""

    condition: Expr
    x: Expr
    y: Expr


class Cast(Data, frozen=True, tag=True):
    """`x` rounded to a type (nearest even); with `saturate`, values beyond its range become its largest."""

    dtype: DType
    x: Expr
    saturate: bool = True


Expr: TypeAlias = Union[Accumulator, Constant, Operand, Unary, Binary, Compare, Select, Cast]


def _rsqrt(x: Array) -> Array:
    return np.asarray(1.0 / np.sqrt(x))


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x) if np.size(x) else np.asarray(x, np.float64)


_UNARY: dict[UnaryFn, Callable[[Array], Array]] = {
    UnaryFn.NEG: np.negative,
    UnaryFn.ABS: np.abs,
    UnaryFn.EXP: np.exp,
    UnaryFn.LOG: np.log,
    UnaryFn.SQRT: np.sqrt,
    UnaryFn.RSQRT: _rsqrt,
    UnaryFn.RECIPROCAL: lambda x: np.asarray(1.0 / x),
    UnaryFn.TANH: np.tanh,
    UnaryFn.ERF: _erf,
    UnaryFn.FLOOR: np.floor,
    UnaryFn.RINT: np.rint,
}
_BINARY: dict[BinaryFn, Callable[[Array, Array], Array]] = {
    BinaryFn.ADD: np.add,
    BinaryFn.SUB: np.subtract,
    BinaryFn.MUL: np.multiply,
    BinaryFn.DIV: np.divide,
    BinaryFn.MAXIMUM: np.maximum,
    BinaryFn.MINIMUM: np.minimum,
}
_COMPARE: dict[CompareFn, Callable[[Array, Array], Any]] = {
    CompareFn.LT: np.less,
    CompareFn.LE: np.less_equal,
    CompareFn.GT: np.greater,
    CompareFn.GE: np.greater_equal,
    CompareFn.EQ: np.equal,
    CompareFn.NE: np.not_equal,
}


def evaluate(expr: Expr, accumulators: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike] = ()) -> Array:
    """Return the value of `expr` in float64; arguments broadcast as NumPy arrays do.

    Raises
    ------
    OptionError
        If the expression uses an accumulator or operand that was not given.
    """
    with np.errstate(all="ignore"):
        return np.asarray(_evaluate(expr, accumulators, operands), np.float64)


def _evaluate(expr: Expr, accumulators: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike]) -> Array:
    def inner(part: Expr) -> Array:
        return _evaluate(part, accumulators, operands)

    if isinstance(expr, Accumulator | Operand):
        given, place = (accumulators, expr.index) if isinstance(expr, Accumulator) else (operands, expr.slot)
        if not 0 <= place < len(given):
            raise OptionError(f"the expression uses {type(expr).__name__.lower()} {place}; {len(given)} were given")
        return np.asarray(given[place], np.float64)
    if isinstance(expr, Constant):
        return np.asarray(expr.value, np.float64)
    if isinstance(expr, Unary):
        return _UNARY[expr.fn](inner(expr.x))
    if isinstance(expr, Binary):
        return _BINARY[expr.fn](inner(expr.x), inner(expr.y))
    if isinstance(expr, Compare):
        return np.asarray(_COMPARE[expr.fn](inner(expr.x), inner(expr.y)), np.float64)
    if isinstance(expr, Select):
        return np.where(inner(expr.condition) != 0, inner(expr.x), inner(expr.y))
    return expr.dtype.decode(expr.dtype.encode(inner(expr.x)))


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct subexpressions."""
    if isinstance(expr, Unary | Cast):
        return (expr.x,)
    if isinstance(expr, Binary | Compare):
        return (expr.x, expr.y)
    if isinstance(expr, Select):
        return (expr.condition, expr.x, expr.y)
    return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield `expr` and all its subexpressions, outermost first."""
    yield expr
    for child in children(expr):
        yield from walk(child)

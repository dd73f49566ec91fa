# SPDX-License-Identifier: MIT
"""Values of expressions in float64: what the interpreters and the references of tests compute an epilogue with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops import python_functions
from tracea_core.ops.expr import (
    Accumulator,
    Auxiliary,
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
    program,
)
from tracea_core.ops.special import erf

Array: TypeAlias = npt.NDArray[np.float64]


def _rsqrt(x: Array) -> Array:
    return np.asarray(1.0 / np.sqrt(x))


_UNARY: dict[UnaryFn, Callable[[Array], Array]] = {
    UnaryFn.NEG: np.negative,
    UnaryFn.ABS: np.abs,
    UnaryFn.EXP: np.exp,
    UnaryFn.LOG: np.log,
    UnaryFn.SQRT: np.sqrt,
    UnaryFn.RSQRT: _rsqrt,
    UnaryFn.RECIPROCAL: lambda x: np.asarray(1.0 / x),
    UnaryFn.TANH: np.tanh,
    UnaryFn.ERF: erf,
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


def apply(node: Expr, arguments: Sequence[Array]) -> Array:
    """Return what an inner node makes of the values of its `children`, in float64."""
    if isinstance(node, Unary):
        return _UNARY[node.fn](arguments[0])
    if isinstance(node, Binary):
        return _BINARY[node.fn](arguments[0], arguments[1])
    if isinstance(node, Compare):
        return np.asarray(_COMPARE[node.fn](arguments[0], arguments[1]), np.float64)
    if isinstance(node, Select):
        return np.where(arguments[0] != 0, arguments[1], arguments[2])
    if isinstance(node, Cast):
        return round_to(arguments[0], node.dtype, node.saturate)
    if isinstance(node, Auxiliary):
        return arguments[0]
    if isinstance(node, Call):
        return python_functions.evaluate(node.name, node.code, arguments)
    raise OptionError(f"{type(node).__name__} is a leaf; it has no arguments")


def round_to(values: Array, dtype: DType, saturate: bool = True) -> Array:
    """Return float64 `values` rounded to `dtype` as `Cast` does it."""
    if saturate:
        values = np.clip(values, dtype.lowest, dtype.largest)
    return dtype.decode(dtype.encode(values))


def leaf_value(node: Expr, accumulators: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike]) -> Array:
    """Return the value of an `Accumulator`, an `Operand` or a `Constant`.

    Raises
    ------
    OptionError
        If it was not given.
    """
    if isinstance(node, Constant):
        return np.asarray(node.value, np.float64)
    if not isinstance(node, Accumulator | Operand):
        raise OptionError(f"{type(node).__name__} is not a leaf")
    given, place = (accumulators, node.index) if isinstance(node, Accumulator) else (operands, node.slot)
    if not 0 <= place < len(given):
        raise OptionError(f"the expression uses {type(node).__name__.lower()} {place}; {len(given)} were given")
    return np.asarray(given[place], np.float64)


def evaluate(expr: Expr, accumulators: Sequence[npt.ArrayLike], operands: Sequence[npt.ArrayLike] = ()) -> Array:
    """Return the value of `expr` in float64; arguments broadcast as NumPy arrays do.

    Raises
    ------
    OptionError
        If the expression uses an accumulator or operand that was not given.
    """
    values: list[Array] = []
    with np.errstate(all="ignore"):
        for node, arguments in program(expr):
            if arguments:
                values.append(apply(node, [values[place] for place in arguments]))
            else:
                values.append(leaf_value(node, accumulators, operands))
    return np.asarray(values[-1], np.float64)

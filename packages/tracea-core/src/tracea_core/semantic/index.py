# SPDX-License-Identifier: MIT
"""Integer expressions: where a byte lies, how often a loop runs, which edge is masked.

A semantic kernel holds every address, bound and mask as such an expression over dynamic symbols (``m``, ``a_row``),
loop variables and the two coordinates of a fragment's elements (`ROW`, `COLUMN`). The interpreter evaluates them, the
verifier reasons about them, the emitters print them; nobody else invents one. Division and remainder round down, as in
Python.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, Union, final

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.ragged import GROUP_ENDS, USED, Looked, look

Value: TypeAlias = int | npt.NDArray[np.int64]


class IndexFn(enum.Enum):
    """Integer functions of two arguments; the value is the operator or name printed for people."""

    __hash__ = (
        object.__hash__
    )  # there is one of each: that of its name would be asked for in Python, thousands of times

    ADD = "+"
    SUB = "-"
    MUL = "*"
    FLOORDIV = "//"
    MOD = "%"
    MIN = "min"
    MAX = "max"
    QUOTIENT = "quotient"  # by a divisor whose reciprocal is given: `tracea_core.semantic.quotient`


class TestFn(enum.Enum):
    """Comparisons of two integers."""

    __test__ = False  # not a pytest class, whatever its name begins with
    __hash__ = object.__hash__

    LT = "<"
    LE = "<="
    EQ = "=="
    NE = "!="


class _Operators:
    """Python operators build expressions; constants fold at once, so printed text holds no ``+ 0``."""

    __slots__ = ()

    def __add__(self, other: Index | int) -> Index:
        return binary(IndexFn.ADD, self, other)

    def __radd__(self, other: int) -> Index:
        return binary(IndexFn.ADD, other, self)

    def __sub__(self, other: Index | int) -> Index:
        return binary(IndexFn.SUB, self, other)

    def __rsub__(self, other: int) -> Index:
        return binary(IndexFn.SUB, other, self)

    def __mul__(self, other: Index | int) -> Index:
        return binary(IndexFn.MUL, self, other)

    def __rmul__(self, other: int) -> Index:
        return binary(IndexFn.MUL, other, self)

    def __floordiv__(self, other: Index | int) -> Index:
        return binary(IndexFn.FLOORDIV, self, other)

    def __mod__(self, other: Index | int) -> Index:
        return binary(IndexFn.MOD, self, other)


@final
class Const(Data, _Operators, frozen=True, tag=True):
    """A fixed integer."""

    value: int


@final
class Sym(Data, _Operators, frozen=True, tag=True):
    """A named integer: a dynamic symbol, a loop variable, a let, or a fragment coordinate."""

    name: str


@final
class IndexOp(Data, _Operators, frozen=True, tag=True):
    """An integer function applied to two expressions (build it with operators, `minimum`, `maximum`, `ceil_div`)."""

    fn: IndexFn
    left: Index
    right: Index


@final
class Ragged(Data, _Operators, frozen=True, tag=True):
    """What a kernel looks up about groups of rows whose ends lie in memory (`tracea_core.semantic.ragged`).

    A let without a fragment may hold it, nothing else. `position` is a group, a tile row or a place; of `count` groups the rows end at
    `rows` at the latest; `tile` is the rows of a tile. What a look-up does not depend on is 0.
    """

    fn: Looked
    position: Index
    count: Index
    rows: Index
    tile: int

    def __post_init__(self) -> None:
        for name in ("position", "count", "rows", "tile"):
            if name not in USED[self.fn] and getattr(self, name) not in (0, Const(0)):
                raise ConfigurationError(f"to look up a {self.fn.value} takes no {name}")
        if self.tile < 1 and "tile" in USED[self.fn]:
            raise ConfigurationError("a tile has a row at the least")


@final
class Test(Data, frozen=True, tag=True):
    """A comparison; masks and guards are conjunctions (tuples) of these."""

    __test__ = False

    fn: TestFn
    left: Index
    right: Index


Index: TypeAlias = Union[Const, Sym, IndexOp, Ragged]
EXPRESSIONS = (Const, Sym, IndexOp, Ragged)
"""The kinds of expressions: a tuple, since a union would be made anew wherever a walk over a kernel asks.

What is asked thousands of times asks for the type itself: the metaclass of data makes `isinstance` five times as dear where it says no.
"""
_KINDS = frozenset(EXPRESSIONS)
Guard: TypeAlias = tuple[Test, ...]

ROW = Sym("row")
COLUMN = Sym("column")


def as_index(value: Any) -> Index:
    """Return `value` as an expression; Python integers become constants."""
    if type(value) in _KINDS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, int | np.integer):
        return Const(int(value))
    raise ConfigurationError(f"an index expression holds integers, not {type(value).__name__}")


def binary(fn: IndexFn, left: Any, right: Any) -> Index:
    """Return ``fn(left, right)`` with constants folded and neutral elements dropped."""
    a, b = as_index(left), as_index(right)
    if type(a) is Const and type(b) is Const:
        return Const(int(_apply(fn, a.value, b.value)))
    if type(b) is Const:
        if b.value == 0 and fn in (IndexFn.ADD, IndexFn.SUB):
            return a
        if b.value == 1 and fn in (IndexFn.MUL, IndexFn.FLOORDIV):
            return a
        if (b.value == 0 and fn is IndexFn.MUL) or (b.value == 1 and fn is IndexFn.MOD):
            return Const(0)
    if type(a) is Const:
        if a.value == 0 and fn is IndexFn.ADD:
            return b
        if a.value == 1 and fn is IndexFn.MUL:
            return b
        if a.value == 0 and fn in (IndexFn.MUL, IndexFn.FLOORDIV, IndexFn.MOD):
            return Const(0)
    return IndexOp(fn, a, b)


def minimum(left: Any, right: Any) -> Index:
    """Return the smaller of two expressions."""
    return binary(IndexFn.MIN, left, right)


def maximum(left: Any, right: Any) -> Index:
    """Return the larger of two expressions."""
    return binary(IndexFn.MAX, left, right)


def ceil_div(value: Any, divisor: Any) -> Index:
    """Return ⌈value / divisor⌉ for a positive divisor."""
    return binary(IndexFn.FLOORDIV, as_index(value) + (as_index(divisor) - 1), divisor)


def less(left: Any, right: Any) -> Test:
    """Return the test ``left < right``."""
    return Test(TestFn.LT, as_index(left), as_index(right))


def at_least(left: Any, right: Any) -> Test:
    """Return the test ``left ≥ right``."""
    return Test(TestFn.LE, as_index(right), as_index(left))


def equal(left: Any, right: Any) -> Test:
    """Return the test ``left == right``."""
    return Test(TestFn.EQ, as_index(left), as_index(right))


def _apply(fn: IndexFn, a: Value, b: Value) -> Value:
    if fn is IndexFn.ADD:
        return a + b
    if fn is IndexFn.SUB:
        return a - b
    if fn is IndexFn.MUL:
        return a * b
    if fn is IndexFn.MIN:
        return min(a, b) if isinstance(a, int) and isinstance(b, int) else np.minimum(a, b)
    if fn is IndexFn.MAX:
        return max(a, b) if isinstance(a, int) and isinstance(b, int) else np.maximum(a, b)
    if fn is IndexFn.QUOTIENT:
        return _quotient(a, b)
    if (b <= 0) if isinstance(b, int) else not np.all(b > 0):
        raise ConfigurationError(f"division by {b} in an index expression", hint="Divisors must be positive")
    return a // b if fn is IndexFn.FLOORDIV else a % b


def _quotient(dividend: Value, reciprocal: Value) -> Value:
    """Multiply as a kernel does, in 64 bits."""
    if np.any(np.asarray(dividend) < 0) or np.any(np.asarray(dividend) >= 1 << 31):
        raise ConfigurationError("what is multiplied by a reciprocal lies in 0 … 2^31 − 1")
    multiplier, shift = (reciprocal & 0xFFFFFFFF) + (1 << 31), reciprocal >> 32
    return dividend * multiplier >> 31 >> shift


def evaluate(expr: Index, values: Mapping[str, Value]) -> Value:
    """Return the value of `expr`; symbols may stand for integers or for integer arrays (then it broadcasts).

    Raises
    ------
    ConfigurationError
        If a symbol has no value or a divisor is not positive.
    """
    if type(expr) is IndexOp:
        return _apply(expr.fn, evaluate(expr.left, values), evaluate(expr.right, values))
    if type(expr) is Const:
        return expr.value
    if type(expr) is Sym:
        try:
            return values[expr.name]
        except KeyError:
            raise ConfigurationError(f"the symbol {expr.name!r} has no value here", known=sorted(values)) from None
    return _looked_up(expr, values)


def _looked_up(expr: Ragged, values: Mapping[str, Value]) -> Value:
    """Return what `expr` finds in the ends of groups, an array in `values`; one by (warp, group, 1) where warps find different ones."""
    ends = values.get(GROUP_ENDS)
    if not isinstance(ends, np.ndarray):
        raise ConfigurationError("the ends of groups have no values here", known=sorted(values))
    if ends.ndim == 3:
        ends = ends.transpose(1, 0, 2)[..., None]
    position, count, rows = (
        np.asarray(evaluate(part, values), np.int64) for part in (expr.position, expr.count, expr.rows)
    )
    found = look(expr.fn, ends, position, count, rows, expr.tile)
    return found if found.ndim else int(found)


def holds(guard: Guard, values: Mapping[str, Value]) -> Any:
    """Return whether all tests of `guard` hold: a bool, or a boolean array where symbols are arrays."""
    result: Any = True
    for test in guard:
        a, b = evaluate(test.left, values), evaluate(test.right, values)
        if test.fn is TestFn.LT:
            outcome: Any = a < b
        elif test.fn is TestFn.LE:
            outcome = a <= b
        elif test.fn is TestFn.EQ:
            outcome = a == b
        else:
            outcome = a != b
        result = outcome if result is True else np.logical_and(result, outcome)
    return result


@functools.lru_cache(maxsize=1 << 14)
def symbols(expr: Index | Test) -> frozenset[str]:
    """Return the names of all symbols in `expr`."""
    found: set[str] = set()
    pending: list[Any] = [expr]
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is Sym:
            found.add(part.name)
        elif kind is IndexOp or kind is Test:
            pending += (part.left, part.right)
        elif kind is Ragged:
            pending += (part.position, part.count, part.rows)
    return frozenset(found)


def divided_by(expr: Index) -> Iterator[str]:
    """Yield the names of the symbols in what `expr` divides by."""
    if isinstance(expr, IndexOp):
        if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD):
            yield from symbols(expr.right)
        yield from divided_by(expr.left)
        yield from divided_by(expr.right)


def addends(expr: Index) -> tuple[Index, ...]:
    """Return the parts that `expr` is the sum of."""
    if isinstance(expr, IndexOp) and expr.fn is IndexFn.ADD:
        return (*addends(expr.left), *addends(expr.right))
    return (expr,)


def substitute(expr: Index, replacements: Mapping[str, Index]) -> Index:
    """Return `expr` with symbols replaced (and folded again)."""
    if type(expr) is Sym:
        return replacements.get(expr.name, expr)
    if type(expr) is IndexOp:
        return binary(expr.fn, substitute(expr.left, replacements), substitute(expr.right, replacements))
    if type(expr) is Ragged:
        position, count, rows = (substitute(part, replacements) for part in (expr.position, expr.count, expr.rows))
        return Ragged(expr.fn, position, count, rows, expr.tile)
    return expr


def substitute_test(test: Test, replacements: Mapping[str, Index]) -> Test:
    """Return `test` with symbols replaced on both sides."""
    return Test(test.fn, substitute(test.left, replacements), substitute(test.right, replacements))


def coefficient(expr: Index, name: str) -> Index | None:
    """Return c where ``expr = c·name + (terms without name)``, or None if `expr` is not affine in `name`.

    This is what makes a vector access legal: consecutive lanes touch consecutive addresses when the coefficient of the
    lane's coordinate is 1.
    """
    if name not in symbols(expr):
        return Const(0)
    if isinstance(expr, Sym):
        return Const(1)
    if isinstance(expr, Ragged):
        return None
    assert isinstance(expr, IndexOp)
    left, right = coefficient(expr.left, name), coefficient(expr.right, name)
    if left is None or right is None:
        return None
    if expr.fn is IndexFn.ADD:
        return left + right
    if expr.fn is IndexFn.SUB:
        return left - right
    if expr.fn is IndexFn.MUL:
        if name not in symbols(expr.right):
            return left * expr.right
        if name not in symbols(expr.left):
            return expr.left * right
    return None


_PRECEDENCE = {IndexFn.ADD: 1, IndexFn.SUB: 1, IndexFn.MUL: 2, IndexFn.FLOORDIV: 2, IndexFn.MOD: 2}


def text(expr: Index | Test, outer: int = 0) -> str:
    """Return `expr` as people write it, with no more parentheses than it needs."""
    if type(expr) is Const:
        return str(expr.value)
    if type(expr) is Sym:
        return expr.name
    if type(expr) is Test:
        return f"{text(expr.left)} {expr.fn.value} {text(expr.right)}"
    if type(expr) is Ragged:
        used = (getattr(expr, name) for name in USED[expr.fn])
        return f"{expr.fn.value}({', '.join(str(part) if isinstance(part, int) else text(part) for part in used)})"
    if expr.fn in (IndexFn.MIN, IndexFn.MAX, IndexFn.QUOTIENT):
        return f"{expr.fn.value}({text(expr.left)}, {text(expr.right)})"
    level = _PRECEDENCE[expr.fn]
    inner_right = level if expr.fn is IndexFn.ADD else level + 1
    printed = f"{text(expr.left, level)} {expr.fn.value} {text(expr.right, inner_right)}"
    return f"({printed})" if level < outer else printed

# SPDX-License-Identifier: MIT
"""Integer expressions made ready to be evaluated many times: nested functions instead of a walk over the tree.

An interpreter evaluates the same few hundred expressions for every step of every run, and a walk asks each time what each node is.
`closure` asks once. Its value is that of `tracea_core.semantic.index.evaluate`, errors included.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from tracea_core.semantic.index import Const, Guard, Index, IndexFn, IndexOp, Sym, Test, TestFn, Value, evaluate, holds

Scope: TypeAlias = Mapping[str, Value]
Closure: TypeAlias = Callable[[Scope], Any]
_PLAIN: dict[IndexFn, Callable[[Any, Any], Any]] = {
    IndexFn.ADD: operator.add, IndexFn.SUB: operator.sub, IndexFn.MUL: operator.mul,
}  # fmt: skip
_DIVISIONS: dict[IndexFn, Callable[[Any, Any], Any]] = {IndexFn.FLOORDIV: operator.floordiv, IndexFn.MOD: operator.mod}
_TESTS: dict[TestFn, Callable[[Any, Any], Any]] = {
    TestFn.LT: operator.lt, TestFn.LE: operator.le, TestFn.EQ: operator.eq, TestFn.NE: operator.ne,
}  # fmt: skip


_DIVIDENDS = 1 << 31
"""What is multiplied by a reciprocal is less (`tracea_core.semantic.index`)."""


class Closures:
    """The closures of expressions and guards, by identity; each is kept with its expression, so that identities stay their own."""

    def __init__(self) -> None:
        self._values: dict[int, tuple[Index, Closure]] = {}
        self._guards: dict[int, tuple[Guard, Closure]] = {}

    def value(self, expr: Index, scope: Scope) -> Value:
        """Return ``evaluate(expr, scope)``."""
        known = self._values.get(id(expr))
        if known is None:
            known = self._values[id(expr)] = (expr, closure(expr))
        try:
            found: Value = known[1](scope)
        except KeyError:
            return evaluate(expr, scope)  # which says what has no value
        return found

    def holds(self, guard: Guard, scope: Scope) -> Any:
        """Return ``holds(guard, scope)``."""
        known = self._guards.get(id(guard))
        if known is None:
            known = self._guards[id(guard)] = (guard, _conjunction(guard))
        try:
            return known[1](scope)
        except KeyError:
            return holds(guard, scope)


def closure(expr: Index) -> Closure:
    """Return a function of a scope whose value is that of `expr`; it raises KeyError where a symbol has no value."""
    if isinstance(expr, Const):
        value = expr.value
        return lambda scope: value
    if isinstance(expr, Sym):
        return operator.itemgetter(expr.name)
    if isinstance(expr, IndexOp):
        return _operation(expr)
    return lambda scope: evaluate(expr, scope)


def _operation(expr: IndexOp) -> Closure:
    left = closure(expr.left)
    fixed = expr.right.value if isinstance(expr.right, Const) else None
    if fixed is not None and fixed > 0 and not fixed & (fixed - 1) and expr.fn in _DIVISIONS:
        return _by_power(expr.fn, left, fixed)
    apply = _PLAIN.get(expr.fn) or (_DIVISIONS.get(expr.fn) if fixed is not None and fixed > 0 else None)
    if apply is not None and fixed is not None:
        return lambda scope: apply(left(scope), fixed)
    right = closure(expr.right)
    if apply is not None:
        return lambda scope: apply(left(scope), right(scope))
    if expr.fn in (IndexFn.MIN, IndexFn.MAX):
        plain: Callable[..., Any] = min if expr.fn is IndexFn.MIN else max
        arrays = np.minimum if expr.fn is IndexFn.MIN else np.maximum

        def extreme(scope: Scope) -> Any:
            a, b = left(scope), right(scope)
            return plain(a, b) if type(a) is int and type(b) is int else arrays(a, b)

        return extreme
    whole = IndexOp(expr.fn, Sym("left"), Sym("right"))  # divisors are checked, reciprocals multiplied, in one place
    if expr.fn is IndexFn.QUOTIENT:

        def quotient(scope: Scope) -> Any:
            a, b = left(scope), right(scope)
            if type(a) is int and type(b) is int and 0 <= a < _DIVIDENDS:
                return a * ((b & 0xFFFFFFFF) + _DIVIDENDS) >> 31 >> (b >> 32)
            positive = isinstance(a, np.ndarray) and a.dtype == np.int64 and a.size and isinstance(b, int)
            if positive and a.view(np.uint64).max() < _DIVIDENDS:  # what is negative is larger than any
                return a * ((b & 0xFFFFFFFF) + _DIVIDENDS) >> 31 >> (b >> 32)
            return evaluate(whole, {"left": a, "right": b})

        return quotient
    divide = _DIVISIONS.get(expr.fn)

    def checked(scope: Scope) -> Any:
        a, b = left(scope), right(scope)
        if divide is not None and type(a) is int and type(b) is int and b > 0:
            return divide(a, b)
        return evaluate(whole, {"left": a, "right": b})

    return checked


def _by_power(fn: IndexFn, left: Closure, power: int) -> Closure:
    """A quotient or remainder by a power of two: its bits, which arrays have ten times as fast."""
    if fn is IndexFn.MOD:
        return lambda scope: left(scope) & (power - 1)
    bits = power.bit_length() - 1
    return lambda scope: left(scope) >> bits


def _conjunction(guard: Guard) -> Closure:
    tests = list(_tests(guard))
    if not tests:
        return lambda scope: True
    if len(tests) == 1:
        return tests[0]

    def every(scope: Scope) -> Any:
        result = tests[0](scope)
        for test in tests[1:]:
            result = np.logical_and(result, test(scope))
        return result

    return every


def _tests(guard: Guard) -> Iterator[Closure]:
    """Yield a guard's tests, ``0 ≤ x`` and ``x < n`` that follow each other as one."""
    left = list(guard)
    while left:
        test, after = left.pop(0), left[0] if left else None
        if (
            after is not None
            and (test.fn, test.left, after.fn) == (TestFn.LE, Const(0), TestFn.LT)
            and test.right == after.left
        ):
            yield _within(test.right, after.right)
            del left[0]
        else:
            yield _test(test)


def _within(expr: Index, extent: Index) -> Closure:
    """Whether an expression lies between zero and an extent; arrays by one comparison, in which what is negative is larger than any."""
    value, bound = closure(expr), closure(extent)

    def inside(scope: Scope) -> Any:
        x, n = value(scope), bound(scope)
        if isinstance(x, np.ndarray) and x.dtype == np.int64 and np.all(np.asarray(n) >= 0):
            return x.view(np.uint64) < (n.view(np.uint64) if isinstance(n, np.ndarray) else np.uint64(n))
        return np.logical_and(operator.le(0, x), x < n)

    return inside


def _test(test: Test) -> Closure:
    compare, left, right = _TESTS[test.fn], closure(test.left), closure(test.right)
    return lambda scope: compare(left(scope), right(scope))

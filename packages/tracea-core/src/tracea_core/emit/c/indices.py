# SPDX-License-Identifier: MIT
"""Index expressions and guards of a semantic kernel as C."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term
from tracea_core.errors import EmitError
from tracea_core.semantic.index import Const, Guard, Index, IndexFn, Ragged, Sym, TestFn

Lookup: TypeAlias = Callable[[str], Term]
"""The text of a symbol where it is used."""

_OPERATIONS: dict[IndexFn, Callable[[Term, Term], Term]] = {
    IndexFn.ADD: algebra.add,
    IndexFn.SUB: algebra.subtract,
    IndexFn.MUL: algebra.multiply,
    IndexFn.FLOORDIV: algebra.divide,
    IndexFn.MOD: algebra.modulo,
    IndexFn.MIN: algebra.smaller,
    IndexFn.MAX: algebra.larger,
    IndexFn.QUOTIENT: algebra.quotient,
}


def term(expr: Index, lookup: Lookup) -> Term:
    """Return `expr` as C, as wide as its symbols."""
    if isinstance(expr, Const):
        return algebra.number(expr.value)
    if isinstance(expr, Sym):
        return lookup(expr.name)
    if isinstance(expr, Ragged):
        raise EmitError("what is looked up about groups has a name of its own")
    return _OPERATIONS[expr.fn](term(expr.left, lookup), term(expr.right, lookup))


def address(expr: Index, lookup: Lookup) -> Term:
    """Return `expr` as C with every product in 64 bits: an offset in elements may exceed 32 bits where its factors do not."""
    if isinstance(expr, Const | Sym | Ragged):
        return term(expr, lookup)
    left, right = address(expr.left, lookup), address(expr.right, lookup)
    if expr.fn is IndexFn.MUL and not (left.wide or right.wide) and None is left.constant:
        left = algebra.widened(left)
    elif expr.fn is IndexFn.MUL and not (left.wide or right.wide):
        right = algebra.widened(right)
    return _OPERATIONS[expr.fn](left, right)


def condition(guard: Guard, lookup: Lookup) -> str | None:
    """Return the conjunction of the tests that are not known to hold, or None if all are; ``false`` if one cannot hold."""
    parts = []
    for test in guard:
        left, right = term(test.left, lookup), term(test.right, lookup)
        known = _known(test.fn, left, right)
        if known is False:
            return "false"
        if known is None:
            parts.append(f"{left.at(algebra.ADD)} {test.fn.value} {right.at(algebra.ADD)}")
    return " && ".join(parts) if parts else None


def _known(fn: TestFn, left: Term, right: Term) -> bool | None:
    """Return whether a test holds for all values within the bounds, for none of them (False), or neither (None)."""
    if fn is TestFn.LT:
        return True if left.high < right.low else False if left.low >= right.high else None
    if fn is TestFn.LE:
        return True if left.high <= right.low else False if left.low > right.high else None
    apart = left.high < right.low or left.low > right.high
    same = left.constant is not None and left.constant == right.constant
    if fn is TestFn.EQ:
        return True if same else False if apart else None
    return True if apart else False if same else None

# SPDX-License-Identifier: MIT
"""Index expressions and masks as i64 arithmetic, one value for all lanes or one per lane."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tracea_core.errors import EmitError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, IndexFn, Sym, Test, TestFn

from tracea_cpu.emit.fragments import elements, matching
from tracea_cpu.emit.text import FunctionText, vector

_INSTRUCTION = {
    IndexFn.ADD: "add",
    IndexFn.SUB: "sub",
    IndexFn.MUL: "mul",
    IndexFn.FLOORDIV: "sdiv",  # dividends are never negative where kernels divide, so this rounds down
    IndexFn.MOD: "srem",
}
_PREDICATE = {TestFn.LT: "slt", TestFn.LE: "sle", TestFn.EQ: "eq", TestFn.NE: "ne"}
_NAME = {IndexFn.ADD: "sum", IndexFn.SUB: "difference", IndexFn.MUL: "product", IndexFn.FLOORDIV: "quotient",
         IndexFn.MOD: "remainder", IndexFn.MIN: "least", IndexFn.MAX: "most"}  # fmt: skip


@dataclass(frozen=True)
class Lanes:
    """An i64 for every lane: the operand, and whether it is a vector (else all lanes share the scalar)."""

    text: str
    wide: bool = False


@dataclass(frozen=True)
class Table:
    """A coordinate held in registers: one value for each register of a fragment."""

    layout: FragmentLayout
    values: tuple[Lanes, ...]


@dataclass(frozen=True)
class Place:
    """Where an expression with row and column is evaluated: one register of a moving fragment, and its elements' coordinates."""

    layout: FragmentLayout
    register: int
    row: Lanes
    column: Lanes

    def first(self) -> Place:
        """Return the place of lane 0: where an access of consecutive lanes starts."""
        return replace(self, row=_first(self.row), column=_first(self.column))


def _first(value: Lanes) -> Lanes:
    return Lanes(value.text[1:-1].split(",")[0].removeprefix("i64 ")) if value.wide else value


@dataclass
class Scope:
    """Names bound in one body; what an outer body bound or computed is seen, and never the other way."""

    outer: Scope | None = None
    names: dict[str, Lanes | Table] = field(default_factory=dict)
    known: dict[Index, Lanes] = field(default_factory=dict)

    def find(self, name: str) -> Lanes | Table | None:
        """Return what `name` is bound to."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def remembered(self, place: Index) -> Lanes | None:
        """Return the value of an expression that was computed where it is still visible."""
        scope: Scope | None = self
        while scope is not None:
            if place in scope.known:
                return scope.known[place]
            scope = scope.outer
        return None


class IndexPrinter:
    """Prints expressions at the current place of a function."""

    def __init__(self, function: FunctionText, lanes: int) -> None:
        self.f, self.lanes = function, lanes
        self.wide = vector(lanes, "i64")

    def value(self, expr: Index, scope: Scope, place: Place | None = None) -> Lanes:
        """Return `expr`; with a place it may use row, column and tables.

        Raises
        ------
        EmitError
            If a symbol is not bound.
        """
        if isinstance(expr, Const):
            return Lanes(str(expr.value))
        if isinstance(expr, Sym):
            return self._symbol(expr.name, scope, place)
        if place is None:
            known = scope.remembered(expr)
            if known is not None:
                return known
        result = self.combine(expr.fn, self.value(expr.left, scope, place), self.value(expr.right, scope, place))
        if place is None:
            scope.known[expr] = result
        return result

    def _symbol(self, name: str, scope: Scope, place: Place | None) -> Lanes:
        if place is not None and name in (ROW.name, COLUMN.name):
            return place.row if name == ROW.name else place.column
        found = scope.find(name)
        if isinstance(found, Table) and place is not None:
            return found.values[matching(found.layout, place.layout)[place.register]]
        if not isinstance(found, Lanes):
            raise EmitError(f"the symbol {name!r} is not bound here")
        return found

    def combine(self, fn: IndexFn, left: Lanes, right: Lanes) -> Lanes:
        folded = _fold(fn, left, right)
        if folded is not None:
            return folded
        wide = left.wide or right.wide
        a, b = (self.spread(left), self.spread(right)) if wide else (left.text, right.text)
        kind = self.wide if wide else "i64"
        if fn in _INSTRUCTION:
            return Lanes(self.f.let(_NAME[fn], f"{_INSTRUCTION[fn]} {kind} {a}, {b}"), wide)
        suffix = f"v{self.lanes}i64" if wide else "i64"
        call = self.f.intrinsic(f"{'smin' if fn is IndexFn.MIN else 'smax'}.{suffix}", kind, (kind, a), (kind, b))
        return Lanes(self.f.let(_NAME[fn], call), wide)

    def spread(self, value: Lanes) -> str:
        """Return `value` as a vector operand."""
        if value.wide:
            return value.text
        if value.text.lstrip("-").isdigit():
            return f"splat (i64 {value.text})"
        first = self.f.let("lane0", f"insertelement {self.wide} poison, i64 {value.text}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.f.let("spread", f"shufflevector {self.wide} {first}, {self.wide} poison, {zeros}")

    def place(self, layout: FragmentLayout, register: int) -> Place:
        """Return the place of one register of a fragment."""
        rows, columns = elements(layout)
        return Place(layout, register, _coordinate(rows[:, register]), _coordinate(columns[:, register]))

    def test(self, test: Test, scope: Scope, place: Place | None = None) -> Lanes:
        """Return an i1, or a vector of them, for one comparison."""
        left = self.value(test.left, scope, place)
        right = self.value(test.right, scope, place)
        wide = left.wide or right.wide
        a, b = (self.spread(left), self.spread(right)) if wide else (left.text, right.text)
        kind = self.wide if wide else "i64"
        return Lanes(self.f.let("holds", f"icmp {_PREDICATE[test.fn]} {kind} {a}, {b}"), wide)

    def all_of(self, guard: Guard, scope: Scope) -> str:
        """Return an i1: whether every test of a guard without lane coordinates holds."""
        result = ""
        for test in guard:
            one = self.test(test, scope).text
            result = self.f.let("both", f"and i1 {result}, {one}") if result else one
        return result or "true"

    def mask(self, guard: Guard, scope: Scope, place: Place) -> str:
        """Return a vector of i1: where every test of the guard holds."""
        kind = vector(self.lanes, "i1")
        scalar, wide = "", ""
        for test in guard:
            one = self.test(test, scope, place)
            if one.wide:
                wide = self.f.let("mask", f"and {kind} {wide}, {one.text}") if wide else one.text
            else:
                scalar = self.f.let("both", f"and i1 {scalar}, {one.text}") if scalar else one.text
        if scalar:
            first = self.f.let("lane0", f"insertelement {kind} poison, i1 {scalar}, i64 0")
            zeros = f"<{self.lanes} x i32> zeroinitializer"
            spread = self.f.let("spread", f"shufflevector {kind} {first}, {kind} poison, {zeros}")
            wide = self.f.let("mask", f"and {kind} {wide}, {spread}") if wide else spread
        return wide or "splat (i1 true)"


def _coordinate(values: Integers) -> Lanes:
    """A coordinate known for each lane, as a constant; a scalar where all lanes agree."""
    if (values == values[0]).all():
        return Lanes(str(int(values[0])))
    return Lanes("<" + ", ".join(f"i64 {int(value)}" for value in values) + ">", True)


def _fold(fn: IndexFn, left: Lanes, right: Lanes) -> Lanes | None:
    """Do at once what is known: constants, and neutral elements that coordinates bring in."""
    a, b = (int(side.text) if side.text.lstrip("-").isdigit() else None for side in (left, right))
    if a is not None and b is not None:
        table = {
            IndexFn.ADD: a + b,
            IndexFn.SUB: a - b,
            IndexFn.MUL: a * b,
            IndexFn.MIN: min(a, b),
            IndexFn.MAX: max(a, b),
        }
        if fn in table:
            return Lanes(str(table[fn]))
        if b > 0:
            return Lanes(str(a // b if fn is IndexFn.FLOORDIV else a % b))
    if b == 0 and fn in (IndexFn.ADD, IndexFn.SUB):
        return left
    if a == 0 and fn is IndexFn.ADD:
        return right
    if (a == 0 or b == 0) and fn is IndexFn.MUL:
        return Lanes("0")
    if b == 1 and fn in (IndexFn.MUL, IndexFn.FLOORDIV):
        return left
    if a == 1 and fn is IndexFn.MUL:
        return right
    return None

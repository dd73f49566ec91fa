# SPDX-License-Identifier: MIT
"""Index expressions as LLVM integers: sums stay sums until an instruction needs their value.

Dividends of the schedules are not negative and divisors are positive; where a dividend is known not to be negative the
division is unsigned, and elsewhere it is printed with a correction that rounds down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from tracea_core.emit import linear
from tracea_core.emit.linear import Atom, Linear
from tracea_core.errors import UnsupportedError
from tracea_core.semantic.index import Const, Guard, Index, IndexFn, Ragged, Sym, Test, TestFn
from tracea_core.semantic.ragged import Looked

from tracea_llvm.builder import Builder

Lookup: TypeAlias = Callable[[str], Linear]
"""The value of a symbol at one register."""

_FOLD: dict[IndexFn, Callable[[int, int], int]] = {
    IndexFn.MUL: lambda a, b: a * b,
    IndexFn.FLOORDIV: lambda a, b: a // b,
    IndexFn.MOD: lambda a, b: a % b,
    IndexFn.MIN: min,
    IndexFn.MAX: max,
    IndexFn.QUOTIENT: lambda a, b: a * ((b & 0xFFFFFFFF) + (1 << 31)) >> 31 >> (b >> 32),
}
_PREDICATE = {TestFn.LT: "slt", TestFn.LE: "sle", TestFn.EQ: "eq", TestFn.NE: "ne"}
_COMPARE: dict[TestFn, Callable[[int, int], int]] = {
    TestFn.LT: lambda a, b: int(a < b),
    TestFn.LE: lambda a, b: int(a <= b),
    TestFn.EQ: lambda a, b: int(a == b),
    TestFn.NE: lambda a, b: int(a != b),
}


class Condition(NamedTuple):
    """What a guard comes to at one register: a scalar i1, a mask with one for each lane, either or neither (always).

    `never` says that it fails whatever happens.
    """

    scalar: str | None = None
    mask: str | None = None
    never: bool = False

    @property
    def always(self) -> bool:
        """Whether it holds whatever happens."""
        return self.scalar is None and self.mask is None and not self.never


class IndexPrinter:
    """Prints index expressions for fragments of `lanes` lanes; `lists` says where lists lie in memory."""

    def __init__(self, builder: Builder, lanes: int, lists: Callable[[], str]) -> None:
        self.builder, self.lanes, self.lists = builder, lanes, lists
        self.vector = f"<{lanes} x i64>"

    # ---- expressions

    def evaluate(self, expr: Index, lookup: Lookup, hint: str = "") -> Linear:
        """Return `expr` as a sum, printing what is no sum; the outermost operation is named `hint`."""
        if isinstance(expr, Const):
            return Linear(expr.value)
        if isinstance(expr, Sym):
            return lookup(expr.name)
        if isinstance(expr, Ragged):
            return linear.of(self._looked_up(expr, lookup, hint))
        left, right = self.evaluate(expr.left, lookup), self.evaluate(expr.right, lookup)
        if expr.fn is IndexFn.ADD:
            return linear.add(left, right)
        if expr.fn is IndexFn.SUB:
            return linear.subtract(left, right)
        if left.is_constant and right.is_constant:
            return Linear(linear.each_lane(_FOLD[expr.fn], left.constant, right.constant))
        if expr.fn is IndexFn.MUL:
            for factor, other in ((left, right), (right, left)):
                if factor.is_constant and isinstance(factor.constant, int):
                    return linear.scale(other, factor.constant)
        return linear.of(self._print(expr.fn, left, right, hint))

    def _looked_up(self, expr: Ragged, lookup: Lookup, hint: str) -> Atom:
        """Print what is read of lists in memory, moved into 0 … rows; −1 is the end before the first."""
        if expr.fn not in (Looked.END, Looked.ENTRY):
            raise UnsupportedError("no kernel of this backend looks up where ragged groups end")
        builder, position = self.builder, self.evaluate(expr.position, lookup)
        place, most = self.scalar(position)[0], self.scalar(self.evaluate(expr.rows, lookup))[0]
        first = position.non_negative or expr.fn is Looked.ENTRY
        inside = place
        if not first:
            inside = builder.value(builder.intrinsic("i64", "llvm.smax.i64", ("i64", place), ("i64", "0")), "position")
        at = builder.value(f"getelementptr i32, ptr {self.lists()}, i64 {inside}", "looked_at")
        word = builder.value(f"load i32, ptr {at}, align 4", "looked_up")
        value = builder.value(f"sext i32 {word} to i64", "wide")
        for name, bound in (("smin", most), ("smax", "0")):
            call = builder.intrinsic("i64", f"llvm.{name}.i64", ("i64", value), ("i64", bound))
            value = builder.value(call, hint or "found")
        if not first:
            before = builder.value(f"icmp slt i64 {place}, 0", "before_first")
            value = builder.value(f"select i1 {before}, i64 0, i64 {value}", hint or "found")
        return Atom(value, builder.depth, False, True)

    def _print(self, fn: IndexFn, left: Linear, right: Linear, hint: str) -> Atom:
        lanes = left.has_lanes or right.has_lanes
        kind = self.vector if lanes else "i64"
        (x, x_depth), (y, y_depth) = self.operand(left, lanes), self.operand(right, lanes)
        depth = max(x_depth, y_depth)
        both = left.non_negative and right.non_negative
        if fn is IndexFn.MUL:
            name, at = self.builder.pure(f"mul {kind} {x}, {y}", hint or "product", depth)
            return Atom(name, at, lanes, both)
        if fn in (IndexFn.MIN, IndexFn.MAX):
            suffix = f"v{self.lanes}i64" if lanes else "i64"
            call = self.builder.intrinsic(kind, f"llvm.s{fn.value}.{suffix}", (kind, x), (kind, y))
            name, at = self.builder.pure(call, hint or fn.value, depth)
            known = both or (fn is IndexFn.MAX and (left.non_negative or right.non_negative))
            return Atom(name, at, lanes, known)
        if fn is IndexFn.QUOTIENT:
            return self._multiply_high(kind, (x, x_depth), (y, y_depth), lanes, hint or "quotient")
        return self._divide(fn, left.non_negative, (kind, x, y), lanes, hint)

    def _multiply_high(self, kind: str, x: tuple[str, int], y: tuple[str, int], lanes: bool, hint: str) -> Atom:
        """Print a quotient by what `y` is the reciprocal of; both of its parts are taken out of it where it is known."""
        pure, ((text, depth), (reciprocal, known)) = self.builder.pure, (x, y)

        def constant(value: int) -> str:
            return self._splat_constant(value) if lanes else str(value)

        low, _ = pure(f"and {kind} {reciprocal}, {constant(0xFFFFFFFF)}", "low", known)
        multiplier, _ = pure(f"add {kind} {low}, {constant(1 << 31)}", "multiplier", known)
        high, _ = pure(f"lshr {kind} {reciprocal}, {constant(32)}", "high", known)
        shift, _ = pure(f"add {kind} {high}, {constant(31)}", "shift", known)
        product, at = pure(f"mul {kind} {text}, {multiplier}", "product", max(depth, known))
        return Atom(pure(f"lshr {kind} {product}, {shift}", hint, at)[0], at, lanes, True)

    def _divide(self, fn: IndexFn, unsigned: bool, operation: tuple[str, str, str], lanes: bool, hint: str) -> Atom:
        """Print a division where it stands: before a loop that never runs, its divisor may be 0."""
        here, (kind, x, y) = self.builder.here, operation
        quotient = fn is IndexFn.FLOORDIV
        hint = hint or ("quotient" if quotient else "rest")
        if unsigned:
            name = here(f"{'udiv' if quotient else 'urem'} {kind} {x}, {y}", hint)
            return Atom(name, self.builder.depth, lanes, True)
        rest = here(f"srem {kind} {x}, {y}", "rest")
        sign = here(f"ashr {kind} {rest}, {self._splat_constant(63) if lanes else 63}", "below")
        if quotient:
            towards_zero = here(f"sdiv {kind} {x}, {y}", "quotient")
            return Atom(here(f"add {kind} {towards_zero}, {sign}", hint), self.builder.depth, lanes)
        lift = here(f"and {kind} {sign}, {y}", "lift")
        return Atom(here(f"add {kind} {rest}, {lift}", hint), self.builder.depth, lanes, True)

    # ---- values

    def operand(self, value: Linear, lanes: bool) -> tuple[str, int]:
        """Return the text of `value`, as a vector if `lanes`, and its depth."""
        return self.vector_value(value) if lanes else self.scalar(value)

    def scalar(self, value: Linear, hint: str = "index", *, pin: bool = False) -> tuple[str, int]:
        """Return the text of a value that is the same in all lanes, and its depth.

        With `pin` the last operation is printed in the current region, under the name `hint`.
        """
        assert isinstance(value.constant, int)
        terms = sorted(value.terms, key=lambda term: (self.builder.place(term[0].depth), term[1] < 0))
        last = len(terms) + (value.constant != 0) - 1
        total, depth = "", 0
        for number, (atom, factor) in enumerate(terms):
            closing = number == last
            here = self.builder.depth if pin and closing else max(depth, atom.depth)
            name = hint if closing else "index"
            if factor == 1 or (factor == -1 and total):
                if total:
                    total, depth = self.builder.pure(
                        f"{'add' if factor > 0 else 'sub'} i64 {total}, {atom.name}", name, here
                    )
                else:
                    total, depth = atom.name, atom.depth
                continue
            part, part_depth = self.builder.pure(
                f"mul i64 {atom.name}, {factor}", hint if closing and not total else "index",
                self.builder.depth if pin and closing and not total else atom.depth,
            )  # fmt: skip
            if total:
                total, depth = self.builder.pure(f"add i64 {total}, {part}", name, max(here, part_depth))
            else:
                total, depth = part, part_depth
        if not total:
            return str(value.constant), 0
        if value.constant:
            total, depth = self.builder.pure(
                f"add i64 {total}, {value.constant}", hint, self.builder.depth if pin else depth
            )
        return total, depth

    def vector_value(self, value: Linear, hint: str = "index") -> tuple[str, int]:
        """Return the text of `value` as a vector with one integer for each lane, and its depth."""
        shared, own = value.split()
        total, depth = "", 0
        if not shared.is_constant or (shared.constant and not isinstance(own.constant, tuple)):
            total, depth = self._splat(*self.scalar(shared))
        elif shared.constant:
            own = linear.add(own, shared)
        for atom, factor in own.terms:
            part, part_depth = atom.name, atom.depth
            if factor != 1:
                part, part_depth = self.builder.pure(
                    f"mul {self.vector} {part}, {self._splat_constant(factor)}", hint, part_depth
                )
            if total:
                part, part_depth = self.builder.pure(f"add {self.vector} {total}, {part}", hint, max(depth, part_depth))
            total, depth = part, part_depth
        if isinstance(own.constant, tuple):
            text = self._lanes_constant(own.constant)
            if not total:
                return text, 0
            total, depth = self.builder.pure(f"add {self.vector} {total}, {text}", hint, depth)
        return (total or self._splat_constant(0)), depth

    def lane(self, value: Linear, lane: int) -> Linear:
        """Return the value that one lane holds."""
        constant = value.constant[lane] if isinstance(value.constant, tuple) else value.constant
        terms = []
        for atom, factor in value.terms:
            if atom.lanes:
                name, depth = self.builder.pure(
                    f"extractelement {self.vector} {atom.name}, i64 {lane}", "element", atom.depth
                )
                atom = Atom(name, depth, False, atom.non_negative)
            terms.append((atom, factor))
        return Linear(constant, tuple(terms))

    def _splat(self, text: str, depth: int) -> tuple[str, int]:
        if not text.startswith("%"):
            return self._splat_constant(int(text)), depth
        return self.splat(text, "i64", depth)

    def splat(self, text: str, element: str, depth: int | None = None) -> tuple[str, int]:
        """Return the vector whose every lane holds the scalar `text`, and its depth."""
        vector = f"<{self.lanes} x {element}>"
        first, at = self.builder.pure(f"insertelement {vector} poison, {element} {text}, i64 0", "lane0", depth)
        return self.builder.pure(
            f"shufflevector {vector} {first}, {vector} poison, <{self.lanes} x i32> zeroinitializer", "all", at
        )

    def _splat_constant(self, value: int) -> str:
        return f"splat (i64 {value})" if value else "zeroinitializer"

    def _lanes_constant(self, values: tuple[int, ...]) -> str:
        return "<" + ", ".join(f"i64 {value}" for value in values) + ">"

    # ---- conditions

    def condition(self, guard: Guard, lookup: Lookup) -> Condition:
        """Return the conjunction of the tests of `guard`."""
        scalars: list[tuple[str, int]] = []
        masks: list[tuple[str, int]] = []
        for test in guard:
            left, right = self.evaluate(test.left, lookup), self.evaluate(test.right, lookup)
            if left.is_constant and right.is_constant:
                outcome = linear.each_lane(_COMPARE[test.fn], left.constant, right.constant)
                if outcome == 0:
                    return Condition(never=True)
                if outcome != 1:
                    assert isinstance(outcome, tuple)
                    masks.append(("<" + ", ".join(f"i1 {bit}" for bit in outcome) + ">", 0))
            elif left.has_lanes or right.has_lanes:
                masks.append(self._lane_test(test, left, right))
            else:
                (x, x_depth), (y, y_depth) = self.scalar(left), self.scalar(right)
                text = f"icmp {_PREDICATE[test.fn]} i64 {x}, {y}"
                scalars.append(self.builder.pure(text, "holds", max(x_depth, y_depth)))
        return Condition(self._all(scalars, "i1"), self._all(masks, f"<{self.lanes} x i1>"))

    def _lane_test(self, test: Test, left: Linear, right: Linear) -> tuple[str, int]:
        """Compare what differs between lanes with what they share, so that the rest is computed once."""
        difference_shared, difference_own = linear.subtract(left, right).split()
        limit, limit_depth = self._splat(*self.scalar(linear.scale(difference_shared, -1), "limit"))
        own, own_depth = self.vector_value(difference_own)
        text = f"icmp {_PREDICATE[test.fn]} {self.vector} {own}, {limit}"
        return self.builder.pure(text, "mask", max(limit_depth, own_depth))

    def _all(self, values: list[tuple[str, int]], kind: str) -> str | None:
        total: str | None = None
        depth = 0
        for value, value_depth in values:
            if total is None:
                total, depth = value, value_depth
            else:
                hint = "both" if kind == "i1" else "mask"
                total, depth = self.builder.pure(f"and {kind} {total}, {value}", hint, max(depth, value_depth))
        return total

    def mask(self, condition: Condition) -> str:
        """Return a condition as a mask with an i1 for each lane."""
        kind = f"<{self.lanes} x i1>"
        if condition.never or condition.always:
            return "splat (i1 true)" if condition.always else "zeroinitializer"
        if condition.scalar is None:
            assert condition.mask is not None
            return condition.mask
        spread, _ = self.splat(condition.scalar, "i1")
        if condition.mask is None:
            return spread
        return self.builder.here(f"and {kind} {condition.mask}, {spread}", "mask")

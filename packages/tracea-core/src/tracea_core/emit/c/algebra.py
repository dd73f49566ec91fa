# SPDX-License-Identifier: MIT
"""Integer expressions of C as text that is still arithmetic: constants fold, and parentheses stand only where they must.

Every value knows an interval it lies in, so that a division which must round down is printed as C's own where the dividend
cannot be negative. Values are 32 bits wide unless something in them is `wide`; `tracea_core.semantic.widths` checks for each
launch that nothing overflows. The type of wide values is called `i64` in every language.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

ATOM, MULTIPLY, ADD, SHIFT, AND, XOR, OR = 10, 8, 7, 6, 4, 3, 2
_FAR = 1 << 62


class Term(NamedTuple):
    """C text, how tightly it binds, the bounds of its value, whether it is a 64-bit integer, and what it is a multiple of.

    `base` is the text without a constant `factor` that it is multiplied by, where it is. `parts` are the addends of a sum
    whose bits do not meet, so that its bit fields are those of the addends. `unnamed` is such a sum that has been given a name:
    compilers do not see that four neighbours share a quotient by four.
    """

    text: str
    level: int = ATOM
    low: int = -_FAR
    high: int = _FAR
    wide: bool = False
    multiple: int = 1
    base: Any = None
    factor: int = 1
    parts: tuple[Any, ...] = ()
    unnamed: Any = None

    @property
    def constant(self) -> int | None:
        """The value, where it is known."""
        return self.low if self.low == self.high else None

    @property
    def natural(self) -> bool:
        """Whether the value is known not to be negative."""
        return self.low >= 0

    @property
    def bits(self) -> range:
        """The places of the binary digits that may be ones, of a value that is not negative."""
        return range((self.multiple & -self.multiple).bit_length() - 1, self.high.bit_length())

    def named(self, name: str, *, divided: bool = False) -> Term:
        """Return the same value under a name; with `divided`, quotients by powers of two and their rests are those of its addends."""
        unnamed = self if divided and self.parts else None
        return self._replace(text=name, level=ATOM, base=None, factor=1, parts=(), unnamed=unnamed)

    def at(self, level: int) -> str:
        """Return the text, in parentheses where an operator of `level` would take it apart."""
        return f"({self.text})" if self.level < level else self.text


ZERO = Term("0", ATOM, 0, 0)


def number(value: int) -> Term:
    """Return a constant."""
    wide = not -(1 << 31) < value < 1 << 31
    return Term(str(value), ATOM if value >= 0 else ADD, value, value, wide, abs(value))


def symbol(name: str, low: int = -_FAR, high: int = _FAR, *, wide: bool = False) -> Term:
    """Return a named value."""
    return Term(name, ATOM, low, high, wide)


def widened(term: Term) -> Term:
    """Return the same value as a 64-bit integer."""
    if term.wide or term.constant is not None:
        return term
    return Term(f"(i64){term.at(ATOM)}", ATOM - 1, term.low, term.high, True)


def _far(value: int) -> int:
    return max(-_FAR, min(_FAR, value))


def add(a: Term, b: Term) -> Term:
    """Return a + b."""
    if a.constant is not None and b.constant is not None:
        return number(a.constant + b.constant)
    if a.constant == 0:
        return b
    if b.constant == 0:
        return a
    if b.constant is not None and b.constant < 0:
        return subtract(a, number(-b.constant))
    low, high, multiple = _far(a.low + b.low), _far(a.high + b.high), math.gcd(a.multiple, b.multiple)
    return Term(f"{a.at(ADD)} + {b.at(ADD)}", ADD, low, high, a.wide or b.wide, multiple, parts=_apart(a, b))


def _apart(a: Term, b: Term) -> tuple[Term, ...]:
    """Return the addends of a + b if no binary digit is a one in two of them, none otherwise."""
    parts = (*(a.parts or (a,)), *(b.parts or (b,)))
    if not all(part.natural and part.high < _FAR for part in parts):
        return ()
    places = sorted((part.bits for part in parts), key=lambda bits: bits.start)
    return parts if all(low.stop <= high.start for low, high in itertools.pairwise(places)) else ()


def _of_parts(value: Term, change: Callable[[Term], Term]) -> Term:
    """Return the sum of what `change` makes of each addend."""
    return functools.reduce(add, map(change, value.parts))


def subtract(a: Term, b: Term) -> Term:
    """Return a - b."""
    if a.constant is not None and b.constant is not None:
        return number(a.constant - b.constant)
    if b.constant == 0:
        return a
    low, high, multiple = _far(a.low - b.high), _far(a.high - b.low), math.gcd(a.multiple, b.multiple)
    return Term(f"{a.at(ADD)} - {b.at(ADD + 1)}", ADD, low, high, a.wide or b.wide, multiple)


def multiply(a: Term, b: Term) -> Term:
    """Return a · b."""
    if a.constant is not None and b.constant is not None:
        return number(a.constant * b.constant)
    for one, other in ((a, b), (b, a)):
        if one.constant == 0:
            return ZERO
        if one.constant == 1:
            return other
    products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    base, factor = None, 1
    if a.constant is not None:
        a, b = b, a
    if b.constant is not None:
        base, factor = (a, b.constant) if a.base is None else (a.base, a.factor * b.constant)
        a, b = base, number(factor)
    text = f"{a.at(MULTIPLY)} * {b.at(MULTIPLY + 1)}"
    bounds = _far(min(products)), _far(max(products))
    return Term(text, MULTIPLY, *bounds, a.wide or b.wide, a.multiple * b.multiple, base, factor)


def divide(a: Term, b: Term) -> Term:
    """Return ⌊a / b⌋ for a positive b."""
    if b.constant == 1:
        return a
    if a.constant is not None and b.constant is not None:
        return number(a.constant // b.constant)
    if b.constant and a.base is not None and a.factor % b.constant == 0:
        return multiply(a.base, number(a.factor // b.constant))
    if b.constant and a.base is not None and a.factor > 1 and b.constant % a.factor == 0:
        return divide(a.base, number(b.constant // a.factor))
    if b.constant and not b.constant & (b.constant - 1):
        if a.unnamed is not None:
            return divide(a.unnamed, b)
        if a.parts:
            return _of_parts(a, lambda part: divide(part, b))
    least = max(b.low, 1)
    low, high = min(a.low // least, a.low // max(b.high, 1)), max(a.high // least, a.high // max(b.high, 1))
    wide = a.wide or b.wide
    if a.natural:
        return Term(f"{a.at(MULTIPLY)} / {b.at(MULTIPLY + 1)}", MULTIPLY, low, high, wide)
    return Term(f"floor_divide({_arguments(a, b)})", ATOM, low, high, wide)


def quotient(a: Term, b: Term) -> Term:
    """Return the quotient of a, which is not negative, by what `b` is the reciprocal of."""
    return Term(f"quotient({a.text}, {b.text})", ATOM, 0, max(a.high, 0))


def modulo(a: Term, b: Term) -> Term:
    """Return a - b·⌊a / b⌋ for a positive b."""
    if b.constant == 1:
        return ZERO
    if a.constant is not None and b.constant is not None:
        return number(a.constant % b.constant)
    if a.natural and b.constant is not None and a.high < b.constant:
        return a
    if b.constant and a.multiple % b.constant == 0:
        return ZERO
    if b.constant and not b.constant & (b.constant - 1):
        if a.unnamed is not None:
            return modulo(a.unnamed, b)
        if a.parts:
            return _of_parts(a, lambda part: modulo(part, b))
    high = max(b.high - 1, 0)
    wide = a.wide or b.wide
    if a.natural:
        return Term(f"{a.at(MULTIPLY)} % {b.at(MULTIPLY + 1)}", MULTIPLY, 0, min(high, a.high), wide)
    return Term(f"floor_modulo({_arguments(a, b)})", ATOM, 0, high, wide)


def smaller(a: Term, b: Term) -> Term:
    """Return min(a, b)."""
    if a.constant is not None and b.constant is not None:
        return number(min(a.constant, b.constant))
    return _choice("min", a, b, min(a.low, b.low), min(a.high, b.high))


def larger(a: Term, b: Term) -> Term:
    """Return max(a, b)."""
    if a.constant is not None and b.constant is not None:
        return number(max(a.constant, b.constant))
    return _choice("max", a, b, max(a.low, b.low), max(a.high, b.high))


def _choice(name: str, a: Term, b: Term, low: int, high: int) -> Term:
    return Term(f"{name}({_arguments(a, b)})", ATOM, low, high, a.wide or b.wide)


def _arguments(a: Term, b: Term) -> str:
    """Return two arguments of one type, so that every language finds one overload."""
    if a.wide or b.wide:
        return ", ".join(x.text if x.wide else f"(i64){x.at(ATOM)}" for x in (a, b))
    return f"{a.text}, {b.text}"


def shifted(value: Term, bits: int) -> Term:
    """Return ⌊value / 2^bits⌋ for a value that is not negative."""
    if value.constant is not None:
        return number(value.constant >> bits)
    if not bits:
        return value
    if value.high < 1 << bits:
        return ZERO
    if value.parts:
        return _of_parts(value, lambda part: shifted(part, bits))
    if value.base is not None and value.factor % (1 << bits) == 0:
        return multiply(value.base, number(value.factor >> bits))
    return Term(f"{value.at(SHIFT)} >> {bits}", SHIFT, 0, value.high >> bits, multiple=max(1, value.multiple >> bits))


def field(value: Term, source: int, width: int, target: int) -> Term:
    """Return ``((value >> source) & (2^width - 1)) << target`` for a value that is not negative."""
    bits = (1 << width) - 1
    if value.constant is not None:
        return number(((value.constant >> source) & bits) << target)
    if value.multiple % (1 << (source + width)) == 0:
        return ZERO
    if value.parts:
        return _of_parts(value, lambda part: field(part, source, width, target))
    if value.high >> source <= bits:
        return multiply(shifted(value, source), number(1 << target))
    if source == target:
        mask = bits << target
        return Term(f"{value.at(AND)} & {mask if mask < 16 else hex(mask)}", AND, 0, mask, multiple=1 << target)
    moved = shifted(value, source)
    masked = Term(
        f"{moved.at(AND)} & {bits if bits < 16 else hex(bits)}", AND, 0, bits, multiple=min(moved.multiple, bits + 1)
    )
    return multiply(masked, number(1 << target))


def exclusive_or(a: Term, b: Term) -> Term:
    """Return a ^ b for values that are not negative."""
    if a.constant is not None and b.constant is not None:
        return number(a.constant ^ b.constant)
    if a.constant == 0:
        return b
    if b.constant == 0:
        return a
    high = (1 << max(a.high, b.high).bit_length()) - 1 if max(a.high, b.high) < _FAR else _FAR
    return Term(
        f"{a.at(XOR)} ^ {b.at(XOR)}",
        XOR,
        0,
        high,
        multiple=math.gcd(a.multiple & -a.multiple, b.multiple & -b.multiple),
    )

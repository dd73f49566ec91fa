# SPDX-License-Identifier: MIT
"""Division by a number that is known at launch, as one multiplication: the host computes a reciprocal, the kernel multiplies.

For 1 ≤ d < 2^31 let s = ⌈log₂ d⌉ and M = ⌈2^(31 + s) / d⌉, which lies in 2^31 … 2^32 − 1. Then ⌊n / d⌋ = ⌊n·M / 2^(31 + s)⌋ for all
0 ≤ n < 2^31: M exceeds 2^(31 + s) / d by less than 1, so n·M / 2^(31 + s) exceeds n / d by less than n / 2^(31 + s) < 1 / d, too little
to reach the next integer (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994, theorem 4.2).

The reciprocal is one 64-bit argument, s in its high word and M − 2^31 in its low one. What is divided by ``width`` is multiplied by the
symbol ``width_reciprocal``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.index import Index, IndexFn, IndexOp, Sym, binary
from tracea_core.semantic.kernel import Symbol

_SUFFIX = "_reciprocal"
_LARGEST = (1 << 63) - 1


def reciprocal(divisor: int) -> int:
    """Return the reciprocal of a divisor; see the module's text.

    Raises
    ------
    ConfigurationError
        If the divisor is outside 1 … 2^31 − 1.

    >>> [hex(reciprocal(divisor)) for divisor in (1, 3, 224)]
    ['0x0', '0x22aaaaaab', '0x812492493']
    """
    if not 1 <= divisor < 1 << 31:
        raise ConfigurationError(f"{divisor} has no reciprocal", hint="Divisors lie in 1 … 2^31 − 1")
    shift = (divisor - 1).bit_length()
    multiplier = -(-(1 << (31 + shift)) // divisor)
    return shift << 32 | multiplier - (1 << 31)


def multiplied(expr: Index, names: frozenset[str]) -> Index:
    """Return `expr` with quotients by, and remainders of, the symbols called `names` by way of their reciprocals."""
    if not isinstance(expr, IndexOp):
        return expr
    left, right = multiplied(expr.left, names), multiplied(expr.right, names)
    if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD) and isinstance(right, Sym) and right.name in names:
        whole = binary(IndexFn.QUOTIENT, left, Sym(right.name + _SUFFIX))
        return whole if expr.fn is IndexFn.FLOORDIV else left - whole * right
    return binary(expr.fn, left, right)


def reciprocal_symbols(names: Iterable[str]) -> tuple[Symbol, ...]:
    """Return the arguments that hold the reciprocals of the symbols called `names`."""
    return tuple(
        Symbol(name + _SUFFIX, 0, _LARGEST, meaning=f"multiplies instead of dividing by {name}") for name in names
    )


def reciprocals(values: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    """Return the arguments that belong to the symbols called `names`, where those have a value that has a reciprocal."""
    return {name + _SUFFIX: reciprocal(values[name]) for name in names if 1 <= values.get(name, 0) < 1 << 31}


def divisor_of(symbol: str) -> str | None:
    """Return what a symbol called so is the reciprocal of, or None."""
    return symbol.removesuffix(_SUFFIX) if symbol.endswith(_SUFFIX) else None

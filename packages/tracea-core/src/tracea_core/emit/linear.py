# SPDX-License-Identifier: MIT
"""Integers as sums: a constant plus multiples of printed values.

While an expression is a sum nothing is printed for it; only products of two unknowns, divisions and comparisons are.
So ``kk + 1`` in the second of four unrolled copies becomes a constant displacement of the address of the first, and
the part of an address that a loop does not change is printed before the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Constant: TypeAlias = int | tuple[int, ...]
"""One integer, or one for each lane where they differ."""


class Atom(NamedTuple):
    """A printed value.

    Attributes
    ----------
    name : str
        Its SSA name.
    depth : int
        Depth of the region that holds it.
    lanes : bool
        Whether it is a vector with an integer for each lane.
    non_negative : bool
        Whether it is known not to be negative.
    """

    name: str
    depth: int
    lanes: bool = False
    non_negative: bool = False


class Linear(NamedTuple):
    """``constant + sum of coefficient * atom``."""

    constant: Constant = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether no printed value takes part."""
        return not self.terms

    @property
    def has_lanes(self) -> bool:
        """Whether lanes may hold different integers."""
        return isinstance(self.constant, tuple) or any(atom.lanes for atom, _ in self.terms)

    @property
    def non_negative(self) -> bool:
        """Whether no lane can hold a negative integer, as far as that is known."""
        low = min(self.constant) if isinstance(self.constant, tuple) else self.constant
        return low >= 0 and all(atom.non_negative and factor > 0 for atom, factor in self.terms)

    @property
    def divisor(self) -> int:
        """The largest integer that is known to divide the value in every lane (0 if the value is 0)."""
        constants = self.constant if isinstance(self.constant, tuple) else (self.constant,)
        return math.gcd(*constants, *(factor for _, factor in self.terms))

    def split(self) -> tuple[Linear, Linear]:
        """Return the part that is the same in all lanes, and the part that may differ."""
        shared = tuple(term for term in self.terms if not term[0].lanes)
        own = tuple(term for term in self.terms if term[0].lanes)
        if isinstance(self.constant, tuple):
            return Linear(0, shared), Linear(self.constant, own)
        return Linear(self.constant, shared), Linear(0, own)


def uniform(constant: Constant) -> Constant:
    """Return one integer where all lanes agree."""
    if isinstance(constant, tuple) and len(set(constant)) == 1:
        return constant[0]
    return constant


def of(atom: Atom) -> Linear:
    """Return the value of `atom`."""
    return Linear(0, ((atom, 1),))


def each_lane(fn: Callable[[int, int], int], x: Constant, y: Constant) -> Constant:
    """Return `fn` applied lane by lane."""
    if isinstance(x, int) and isinstance(y, int):
        return fn(x, y)
    width = len(x) if isinstance(x, tuple) else len(y) if isinstance(y, tuple) else 1
    xs = x if isinstance(x, tuple) else (x,) * width
    ys = y if isinstance(y, tuple) else (y,) * width
    return uniform(tuple(fn(a, b) for a, b in zip(xs, ys, strict=True)))


def add(x: Linear, y: Linear) -> Linear:
    """Return the sum; atoms that cancel vanish."""
    factors: dict[Atom, int] = {}
    for atom, factor in (*x.terms, *y.terms):
        factors[atom] = factors.get(atom, 0) + factor
    terms = tuple((atom, factor) for atom, factor in factors.items() if factor)
    return Linear(each_lane(lambda a, b: a + b, x.constant, y.constant), terms)


def scale(x: Linear, factor: int) -> Linear:
    """Return the multiple."""
    if factor == 0:
        return Linear(0)
    return Linear(each_lane(lambda a, b: a * b, x.constant, factor), tuple((a, f * factor) for a, f in x.terms))


def subtract(x: Linear, y: Linear) -> Linear:
    """Return the difference."""
    return add(x, scale(y, -1))

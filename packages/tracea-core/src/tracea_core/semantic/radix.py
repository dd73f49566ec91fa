# SPDX-License-Identifier: MIT
"""Mixed-radix integer maps: how a coordinate that is not a power of two becomes an offset.

A coordinate is written in digits with any extents; digit i contributes ``digit_i * stride_i``. Such a map is injective
exactly when no non-zero difference vector d with ``|d_i| < extent_i`` gives ``sum d_i * stride_i = 0``. Two arguments
settle almost every real layout without enumeration; what they leave undecided is enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Integers

_ENUMERATION_LIMIT = 1 << 26


class Digit(Data, frozen=True):
    """One digit of a mixed-radix number: values 0 to ``extent - 1``, each step worth `stride` elements."""

    extent: int
    stride: int

    def __post_init__(self) -> None:
        if self.extent < 1 or self.stride < 0:
            raise ConfigurationError(
                f"a digit needs an extent of at least 1 and a stride of at least 0, not {self.extent} and {self.stride}"
            )


class Injectivity(Data, frozen=True):
    """Whether a map sends different coordinates to different places, and why.

    Attributes
    ----------
    holds : bool
        The answer.
    argument : str
        The reason, in a form that a person can check.
    witness : pair of tuples of int, or None
        Two different coordinates with the same image, where there are.
    """

    holds: bool
    argument: str
    witness: tuple[tuple[int, ...], tuple[int, ...]] | None = None


def count(digits: Sequence[Digit]) -> int:
    """Return how many values the digits can spell."""
    return math.prod(digit.extent for digit in digits)


def span(digits: Sequence[Digit]) -> int:
    """Return the largest offset that the digits reach."""
    return sum((digit.extent - 1) * digit.stride for digit in digits)


def split(value: Integers, extents: Sequence[int]) -> list[Integers]:
    """Return the digits of `value` in the mixed radix `extents` (first is most significant, and not reduced)."""
    parts: list[Integers] = []
    for extent in reversed(extents[1:]):
        parts.append(value % extent)
        value = value // extent
    if extents:
        parts.append(value)
    return parts[::-1]


def offset(value: Integers, digits: Sequence[Digit]) -> Integers:
    """Return the offset of `value` written in `digits` (first digit most significant)."""
    if len(digits) == 1:
        return value * digits[0].stride
    total = np.zeros_like(value)
    for part, digit in zip(split(value, [d.extent for d in digits]), digits, strict=True):
        total = total + part * digit.stride
    return total


def injectivity(digits: Sequence[Digit]) -> Injectivity:
    """Decide whether the digits spell different offsets for different values.

    A digit is settled (its difference must be 0) when its stride exceeds all that the other open digits span together,
    or when with g the gcd of the other open strides its ``stride * d`` is a multiple of g only for d = 0 within its
    extent. Digits that neither argument settles are enumerated; more values than offsets means a collision at once.

    Raises
    ------
    ConfigurationError
        If more than 2^26 values would have to be enumerated.
    """
    active = [i for i, digit in enumerate(digits) if digit.extent > 1]
    arguments: list[str] = []
    settled = True
    while active and settled:
        settled = False
        for i in active:
            digit, others = digits[i], [digits[j] for j in active if j != i]
            gcd = math.gcd(*(d.stride for d in others))
            reach = span(others)
            if digit.stride > reach:
                arguments.append(f"stride {digit.stride} exceeds the span {reach} of the digits within it")
            elif gcd and gcd // math.gcd(gcd, digit.stride) >= digit.extent:
                arguments.append(f"{digit.extent} steps of {digit.stride} stay distinct modulo {gcd}")
            else:
                continue
            active.remove(i)
            settled = True
            break
    if not active:
        return Injectivity(True, "; ".join(arguments) or "a single value")
    return _enumerate(digits, active, arguments)


def _enumerate(digits: Sequence[Digit], active: list[int], arguments: list[str]) -> Injectivity:
    open_digits = [digits[i] for i in active]
    values, offsets = count(open_digits), span(open_digits) + 1
    tried = min(values, offsets + 1)  # pigeonhole: one more value than offsets must collide
    if tried > _ENUMERATION_LIMIT:
        raise ConfigurationError(
            f"injectivity of {values} overlapping values is not decided",
            hint="Use strides that nest: each at least the span of the digits within it",
            digits=[(d.extent, d.stride) for d in open_digits],
        )
    reached = offset(np.arange(tried, dtype=np.int64), open_digits)
    order = np.argsort(reached, kind="stable")
    same = np.flatnonzero(np.diff(reached[order]) == 0)
    if not same.size:
        arguments.append(f"{values} values enumerated without a collision")
        return Injectivity(True, "; ".join(arguments))
    pair = sorted((int(order[same[0]]), int(order[same[0] + 1])))
    witness = tuple(_spell(value, digits, active) for value in pair)
    return Injectivity(
        False, f"digits {witness[0]} and {witness[1]} share offset {int(reached[pair[0]])}", (witness[0], witness[1])
    )


def _spell(value: int, digits: Sequence[Digit], active: list[int]) -> tuple[int, ...]:
    parts = split(np.asarray(value), [digits[i].extent for i in active])
    spelled = [0] * len(digits)
    for i, part in zip(active, parts, strict=True):
        spelled[i] = int(part)
    return tuple(spelled)

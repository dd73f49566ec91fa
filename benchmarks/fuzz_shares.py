# SPDX-License-Identifier: MIT
"""Which kind of kernel each of a run's few kernels is of: families in fixed shares, and of a family every kind before any comes again.

Products and convolutions, chains (attention, low-rank products) and rows (softmax, norms) take turns, so that a run of five kernels meets
all of them, too. Where a backend has more kinds of a family than its share of one run, a run of the next seed begins with those left.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from tracea_core.doctor.requirements import RequiresOps
from tracea_core.doctor.variants import Variant
from tracea_core.ops.base import Op
from tracea_core.target import Target

SHARES = {"contraction": 12, "chained": 8, "rowwise": 5}
"""Kernels of each family among 25. Rows are of five ops; chains have about two thirds as many kinds as products have."""
Kind: TypeAlias = tuple[Target, Variant]


def each_first(kinds: Sequence[Kind]) -> list[Kind]:
    """Return kinds of kernel with those that no other architecture before has first, then those that came once, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for _, variant in kinds:
        turns.append(seen[variant.name])
        seen[variant.name] += 1
    return [kind for _, kind in sorted(zip(turns, kinds, strict=True), key=lambda turn: turn[0])]


def takes(variant: Variant, op: type[Op]) -> bool:
    """Whether a kind of kernel is for such an op; one that names none is for all of its family."""
    asked = [wanted.names for wanted in variant.requirements if isinstance(wanted, RequiresOps)]
    return all(op.__name__ in names for names in asked)


def family_of(number: int, listed: Sequence[Kind]) -> str:
    """Return the family of kernel `number`."""
    order = _order(_families(listed))
    return order[number % len(order)]


def turn_of(seed: int, number: int, listed: Sequence[Kind]) -> int:
    """Return how many kernels of its family come before kernel `number`, those of smaller seeds included."""
    order = _order(_families(listed))
    place, family = number % len(order), order[number % len(order)]
    return order[:place].count(family) + (number // len(order) + seed) * SHARES[family]


def kind_of(seed: int, number: int, listed: Sequence[Kind]) -> Kind:
    """Return which of the kinds that a device or its emulation runs kernel `number` is of, `listed` as by `each_first`."""
    family = family_of(number, listed)
    own = [kind for kind in listed if kind[1].family == family]
    names = _names(own)
    begun, turn = seed * SHARES[family], turn_of(seed, number, listed)
    first, rest = own[:names], own[names:]
    again = max(turn - begun - names, 0) + seed * max(SHARES[family] - names, 0)
    if turn - begun < names:
        return first[turn % names]
    return (rest or first)[again % len(rest or first)]


def rounds(listed: Sequence[Kind]) -> int:
    """Return how many runs of 25 kernels, of successive seeds from 0 on, meet every kind of kernel by name."""
    return max(
        -(-_names([kind for kind in listed if kind[1].family == family]) // SHARES[family])
        for family in _families(listed)
    )


def _names(kinds: Sequence[Kind]) -> int:
    return len({variant.name for _, variant in kinds})


def _families(listed: Sequence[Kind]) -> tuple[str, ...]:
    held = {variant.family for _, variant in listed}
    return tuple(family for family in SHARES if family in held)


@functools.cache
def _order(families: tuple[str, ...]) -> tuple[str, ...]:
    """Families in turn, each as often as its share says, and at any time the one that is furthest behind it."""
    total = sum(SHARES[family] for family in families)
    found: list[str] = []
    for place in range(1, total + 1):
        found.append(max(families, key=lambda family: SHARES[family] * place / total - found.count(family)))
    return tuple(found)

# SPDX-License-Identifier: MIT
"""Ragged groups in the proofs: which divisions of rows are run, and what a grouped product is by definition.

Lengths of groups are data, so they are chosen like operands: one group has the length that cuts the ranges of tests, the others are
empty, hold a row, or end within a tile, and some rows belong to none. Ends beyond the last row, or before the first, are moved to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import Value
from tracea_core.semantic.ragged import GROUP_ENDS

Array = npt.NDArray[np.float64]
_BEYOND_BLOCKS = 1 << 20
_BEHIND = (0, 0, 3)
"""How many rows belong to no group."""


def divisions(tile: int) -> tuple[tuple[int, ...], ...]:
    """Return lengths of groups that meet every case of a tile's rows: none, one, one less, as many, one more, several."""
    return (
        (1,), (tile,), (tile + 1,), (0, 0, 2 * tile + 1), (tile - 1 or 1, 1, tile), (3 * tile, 0, 1), (1,) * 9,
        (tile + 1, 0, tile, 2 * tile - 1, 0, 0, 5), (0, tile) * 20, (2 * tile, 3, tile - 1, 0),
    )  # fmt: skip


def drawn(rows: int, tile: int, random: np.random.Generator) -> tuple[int, Integers]:
    """Return rows in all and the ends of a few groups, one of which has `rows` rows; where those are none, no row at all."""
    if not rows:  # memory for rows is then empty, too
        return 0, np.zeros(1 + int(random.integers(0, 2)), np.int64)
    others = [
        int(random.choice([0, 0, 1, int(random.integers(0, tile + 2))])) for _ in range(int(random.integers(0, 4)))
    ]
    place = int(random.integers(0, len(others) + 1))
    ends = np.cumsum([*others[:place], rows, *others[place:]])
    total = int(ends[-1]) + int(random.choice(_BEHIND))
    if random.random() < 0.5:
        ends[-1] = total + int(random.integers(1, 9))
    return total, ends


def lists_drawn(
    depth: int,
    run: int,
    items: int,
    astray: int,
    random: np.random.Generator,
    *,
    every: bool = False,
    most: int = 3,
    behind: int = 0,
) -> dict[str, Any]:
    """Return lists of blocks, one for each of `items`, of which one is as long as a reduction of `depth` is deep in blocks of `run`.

    Others are empty or short; entries are in no order and may come twice, but no two neighbours are the same place, so that one entry read
    for another shows; some blocks are in no list, but in half of all draws the last list ends with the last entry. Where `astray` is not 0
    the last end falls, and the long list's first entry points before (−1) or behind (1) what there is, its last one to the other side.
    With `every` all lists are long but the last, which is empty; others have `most` entries at most; `behind` blocks at least are unlisted.
    """
    counts, own = np.minimum(random.choice([0, 0, 1, 2, 3], items), most) * bool(depth), -(-depth // run)
    long = int(random.choice([items - 1, int(random.integers(items))]))
    unlisted = max(int(random.choice([0, 0, 1, 2])), behind)
    unlisted *= bool(depth)  # where nothing is multiplied nothing is stored
    if every and own:  # long, and none is as long as its neighbour; the last one begins behind the last entry
        counts, long, unlisted = own - np.arange(items) % 2, 0, 0
        counts[-1] = 0
    counts[long] = own
    blocks, steps = int(counts.sum()) + unlisted, 5 if every else int(random.choice([1, 2, 2, 3, 5]))
    stored = random.permutation(max(blocks, 1))[:blocks]
    along = np.cumsum(random.integers(1, max(steps, 2), blocks)) % steps
    ends = np.cumsum(counts)
    if not astray and unlisted:  # who goes on behind the last list finds a place and a block beyond those of lists
        along[blocks - unlisted :], steps = steps, steps + 1
        stored = np.concatenate([np.argsort(stored[: blocks - unlisted]), np.arange(blocks - unlisted, blocks)])
    if astray and own:
        first, last = int(ends[long]) - own, int(ends[long]) - 1
        for entry, side in ((first, astray), (last, -astray))[: min(own, 2)]:
            stored[entry] += side * blocks
            along[entry] += side * steps
        ends[-1:] += _BEYOND_BLOCKS
    lists = np.concatenate([ends, stored, along]).astype(np.int64)
    return {"items": items, "stored": blocks, "places": steps, GROUP_ENDS: lists}


def group_of_rows(symbols: Mapping[str, Value], rows: int) -> Integers | None:
    """Return the group of every row, −1 for rows of none; None where `symbols` hold no groups."""
    ends = symbols.get(GROUP_ENDS)
    if ends is None or "stored" in symbols:  # those of lists
        return None
    inside = [0, *(int(end) for end in np.clip(ends, 0, rows))]
    found = np.full(rows, -1, np.int64)
    for group, (start, stop) in enumerate(itertools.pairwise(inside)):
        found[start:stop] = group
    return found


def memory_of(symbols: Mapping[str, Value]) -> dict[str, Array]:
    """Return the memory in which the ends of groups lie, by the name of its pointer."""
    ends = symbols.get(GROUP_ENDS)
    return {} if ends is None else {GROUP_ENDS: np.asarray(ends, np.float64)}


def product(a: Array, b: Array, groups: Integers) -> Array:
    """Return, for each row of `a` (1, m, 1, k), its product with the weights of its group in `b` (groups, 1, n, k)."""
    out = np.zeros((1, a.shape[1], b.shape[2]))
    for group in range(b.shape[0]):
        own = groups == group
        out[0, own] = a[0, own, 0] @ b[group, 0].T
    return out

# SPDX-License-Identifier: MIT
"""Strides of what a run stores: elements apart from each other, with gaps between them that nobody may write."""

from __future__ import annotations

import numpy as np

from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.index import Value, evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.sample_sizes import Summed

_SHORTEST_STRIDE = 4


def spread_outputs(
    kernel: SemanticKernel, contraction: Summed, values: dict[str, int], random: np.random.Generator, aligned: bool
) -> None:
    """Give strides of all that is stored values under which elements are distinct; see `_spread`."""
    for term in (contraction.out, *(contraction.epilogue_terms[slot] for slot in contraction.epilogue.auxiliaries)):
        _spread(term, kernel, contraction, values, random, aligned)


def _spread(
    out: Term,
    kernel: SemanticKernel,
    contraction: Summed,
    values: dict[str, int],
    random: np.random.Generator,
    aligned: bool,
) -> None:
    """Give an output's strides values under which its elements are distinct, with gaps between them.

    A stride is a little longer than what the strides inside it reach, not more: memory holds every gap. With `aligned` they are
    odd multiples of what the kernel takes multiples of: the least aligned.
    """
    used = symbols(out.offset)
    taken = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    free = [symbol for symbol in contraction.symbols if symbol.name in used and symbol.minimum < 0]
    values |= {symbol.name: 0 for symbol in free}
    sizes = [int(evaluate(extent, values)) for extent in (contraction.items, contraction.m, contraction.n)]
    grid = np.ogrid[tuple(slice(size) for size in sizes)]
    places: dict[str, Value] = {**values, **dict(zip((ITEM.name, I.name, J.name), grid, strict=True))}

    def reach() -> int:
        """Elements from the first to the last that the strides given so far touch."""
        for named in (*contraction.item_names, *out.hoisted):
            places[named.name] = evaluate(named.value, places)
        offsets = np.asarray(evaluate(out.offset, places))
        return int(offsets.max()) + 1 if offsets.size else 1

    for symbol in reversed(free):
        step = max(reach(), _SHORTEST_STRIDE) + int(random.integers(0, 3))
        multiple = taken[symbol.name] if aligned else symbol.multiple
        count = -(-step // multiple) | aligned
        values[symbol.name] = places[symbol.name] = count * multiple

# SPDX-License-Identifier: MIT
"""Sizes at which every test of a kernel is at its edge: derived from the tests and boxes themselves.

A test ``x < n`` guards a step whose elements have x from a low to a high value. A wrong bound shows only where n cuts
that range: where some x just fails and another just holds. Steps that were printed apart (peeled loads, parts of a tile that
are stored one after the other) have ranges of their own, so each range is cut by the size of some run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.semantic.contraction import ITEM, LIST_DEPTH, Contraction, I, J
from tracea_core.semantic.index import (
    Const,
    Ragged,
    Sym,
    TestFn,
    Value,
    divided_by,
    evaluate,
    symbols,
)
from tracea_core.semantic.kernel import SemanticKernel, shares_memory
from tracea_core.semantic.verify.ranges import ranges

_OWN = 4
"""As many columns may be a lane's own."""
_FARTHEST = 8
"""Ranges further than so many tiles from the start repeat nearer ones."""

SEVERAL = 8
"""So many sizes of blocks come first, some of several tiles and items; those behind them cut ranges of tests, each within one tile."""


Depth: TypeAlias = int | tuple[int, ...]
"""Elements of a reduction, or the extent of each of its axes."""


def block_sizes(
    kernel: SemanticKernel, k_name: str, form: Contraction | None = None, others: Sequence[str] = ()
) -> list[tuple[int, int, Depth]]:
    """Return the sizes (m, n, k) at which a kernel of blocks is run.

    They cut every range of every test and box; one block computes several tiles, so slots carry over between them; and
    reductions take 0, 1, fewer, as many and more steps than there are slots.

    Parameters
    ----------
    k_name : str
        The symbol of the reduction's extent, or of its last axis.
    form : Contraction or None
        What the kernel computes: along m and n, ranges of tests that fit its addresses (`tracea_core.semantic.verify.edges`) need no cut.
    others : sequence of str
        The symbols of the reduction's other axes, in their order, which are 1 where its ranges are cut.
    """
    config = kernel.configuration
    tall, wide, deep = config.tile_m, config.tile_n, config.tile_k * config.split_k
    slots = max((ring.slots for ring in kernel.rings), default=config.stages)
    uniform = shares_memory(kernel)
    rows, columns = names = _outer(form)
    lone = form if uniform and not others else None  # a reduction along one axis
    heights, widths, depths = (
        _extents(kernel, name, tile, chosen, others if name == k_name else ())
        for name, tile, chosen in ((rows, tall, form), (columns, wide, form), (k_name, config.tile_k, lone))
    )
    short, narrow = (_just_below(kernel, name, tile) for name, tile in ((rows, tall), (columns, wide)))
    # What else is as deep leaves the last columns out: where they come in several, all that are a warp's or a lane's own.
    few = 2 if narrow > wide - _OWN else wide
    # Steps are counted by a quotient: as many as what is left over has elements, a divisor one larger, or a remainder, gives too few.
    rest = next((symbol.multiple for symbol in kernel.symbols if symbol.name == k_name), 1)
    if (
        lone is not None and lone.lists is None
    ):  # how a reduction ends also decides what registers hold: little is left over behind each step, or much
        ends = [*(step * deep + rest for step in range(slots + 2)), (slots + 2) * deep - rest]
        depths += [depth for depth in ends if depth not in depths]
    # One block goes from tile to tile: through three, or through two of each of two items.
    rows_of_tiles = 1 if uniform and form is not None and isinstance(form.items, Sym) else 2
    first: list[tuple[int, int, Depth]] = [
        (tall + 1, narrow, max(slots + 2, 8) * deep - 8) if uniform else (tall + 1, wide + narrow, deep + 1),
        (1, few, _along(others, max(2 * slots + 1, rest) * deep + rest))
        if uniform
        else (short, narrow, (slots + 1) * deep - 1),
        (short, narrow, (slots + 2) * deep if uniform else deep),
        (short, narrow, 0),
        (rows_of_tiles * tall * config.cluster_m + 3, 5, deep - (config.tile_k if config.split_k > 1 else 1)),
        (3, wide * config.cluster_n + 9, max(slots - 1, 1) * deep),
        (0, wide, deep),
        (tall, 0, deep),
    ]
    whole = [(tall, wide, count * deep) for count in range(1, slots)] if uniform else []
    if uniform and 2 * narrow <= wide:  # extents are such multiples that only the first run of a tile lies below them
        whole.append((short, wide + narrow, (slots + 3) * deep - 8))
    if config.value("hoisted"):  # steps beyond those whose coordinates are looked up
        whole.append((short, narrow, (_looked_up(kernel) + slots + 1) * deep + 1))
    corners = [*((height, narrow) for height in heights), *((short, width) for width in widths)]
    cut = [
        (*corners[number % len(corners)], _along(others, depths[number % len(depths)]))
        for number in range(max(len(corners), len(depths)))
    ]
    chosen = [corner for corner in corners if uniform and _inside(kernel, names, corner, (tall, wide))]
    steep: list[tuple[int, int, Depth]] = [(*corner, (slots + 2) * deep - rest) for corner in chosen]
    if others and uniform:  # one element less than whole steps along an axis: divided by one less, it makes a step more
        steep.append((1, 2, _along(others, max(slots + 2, rest) * deep - rest)))
    return [*first, *whole, *cut, *steep]


def _along(others: Sequence[str], depth: int) -> Depth:
    """A reduction along the last axis alone."""
    return (*(1 for _ in others), depth) if others else depth


def _outer(form: Contraction | None) -> tuple[str, str]:
    """The symbols of m and n: gradients of filters call them otherwise, and exchanged products the other way round."""
    extents = (form.m, form.n) if form is not None else ()
    m, n = (extent.name if isinstance(extent, Sym) else "" for extent in extents) if extents else "mn"
    return m, n


def _inside(kernel: SemanticKernel, names: tuple[str, str], corner: tuple[int, int], tile: tuple[int, int]) -> bool:
    """Whether a corner was chosen for a range within a tile: copies of every step of the reduction have it, the last ones as well."""
    usual = [{0, extent, _just_below(kernel, name, extent)} for name, extent in zip(names, tile, strict=True)]
    return any(extent not in known for extent, known in zip(corner, usual, strict=True))


def _looked_up(kernel: SemanticKernel) -> int:
    """Steps whose coordinates lie in tables: slots of integers in shared memory."""
    return max((buffer.slots for buffer in kernel.buffers if buffer.dtype is DType.INT32), default=0)


def _just_below(kernel: SemanticKernel, name: str, tile: int) -> int:
    """The largest extent that leaves the last element of a tile out."""
    multiple = next((symbol.multiple for symbol in kernel.symbols if symbol.name == name), 1)
    return max((tile - 1) // multiple * multiple, multiple)


def strides(form: Contraction, values: Mapping[str, int], random: np.random.Generator) -> dict[str, int]:
    """Return strides of matrices under which no two rows share memory, so that the row after the last one is not there.

    Those of a batch stay as they are: matrices as far apart as their elements reach would take gigabytes.
    """
    most: dict[str, Value] = {ITEM.name: 0}
    if form.lists is not None:  # the last element of a block; which block, its names say
        values = {**values, LIST_DEPTH.name: form.lists.run}
    for name, extent in ((I.name, form.m), (J.name, form.n), *((axis.name, axis.extent) for axis in form.k_axes)):
        most[name] = max(int(evaluate(extent, values)) - 1, 0)
    found: dict[str, int] = {}
    for term in (form.a, form.b):
        if term.guard:  # an image, whose tests say what lies in it
            continue
        used = symbols(term.offset)
        if form.lists is None and not isinstance(form.items, Const) and (form.item_names or ITEM.name in used):
            continue  # each item has a matrix of its own; filters of all images are one
        chosen = [s for s in form.symbols if s.name in used and s.minimum < 0]
        apart = {**values, **most, **dict.fromkeys((symbol.name for symbol in chosen), 0)}
        apart |= _last_entry(form, apart)
        for named in (*form.item_names, *term.hoisted) if form.lists is None else term.hoisted:
            apart[named.name] = evaluate(named.value, apart)
        start = int(evaluate(term.offset, apart))
        step = abs(start) + 1 + int(random.integers(0, 3))
        for symbol in reversed(chosen):
            step = -(-step // symbol.multiple) * symbol.multiple
            found[symbol.name] = step
            reached = abs(int(evaluate(term.offset, {**apart, symbol.name: 1})) - start)
            step *= reached + 2
    return found


def _last_entry(form: Contraction, values: Mapping[str, Value]) -> dict[str, Value]:
    """What names of a list are worth at most: a look-up is moved into what there is."""
    found: dict[str, Value] = {}
    if form.lists is not None:
        known = {**values, **{named.name: 0 for named in form.item_names}}
        for named in form.lists.names:
            bound = named.value.rows if isinstance(named.value, Ragged) else named.value
            found[named.name] = known[named.name] = max(int(evaluate(bound, known)), 0)
    return found


def borders(
    form: Contraction, values: Mapping[str, int], random: np.random.Generator, beyond: bool = False
) -> dict[str, int]:
    """Return extents of the image that a padded operand lies in, so that windows reach its border and hardly beyond.

    Every symbol that coordinates of an operand are tested against is set near the largest such coordinate: a test that is
    off by one then lets something in or keeps something out.

    Parameters
    ----------
    beyond : bool
        Let some windows reach beyond the border in every direction, instead of in some runs.
    """
    extents = {axis.name: int(evaluate(axis.extent, values)) for axis in form.k_axes}
    m, n = int(evaluate(form.m, values)), int(evaluate(form.n, values))
    if not m or not n or not all(extents.values()):
        return {}
    found: dict[str, int] = {}
    for term in (form.a, form.b):
        places: dict[str, Value] = {**values, ITEM.name: 0, I.name: 0, J.name: np.arange(n)}
        if term is form.a:
            places |= {I.name: np.arange(m), J.name: 0}
        places |= {name: extent - 1 for name, extent in extents.items()}
        for named in (*form.item_names, *term.hoisted):
            places[named.name] = evaluate(named.value, places)
        for test in term.guard:
            if test.fn is TestFn.LT and isinstance(test.right, Sym):
                farthest = int(np.max(evaluate(test.left, places)))
                found[test.right.name] = max(farthest + 1 - int(random.choice([1, 2] if beyond else [0, 0, 1, 2])), 1)
    return found


def divisors(form: Contraction) -> frozenset[str]:
    """Return the symbols that coordinates of operands are divided by: the width of a row of output pixels."""
    named = (named.value for term in (form.a, form.b) for named in term.hoisted)
    return frozenset(name for value in named for name in divided_by(value))


def _extents(
    kernel: SemanticKernel, name: str, tile: int, form: Contraction | None, ones: Sequence[str] = ()
) -> list[int]:
    """Values of one extent that cut every range tested against it."""
    multiple = next((symbol.multiple for symbol in kernel.symbols if symbol.name == name), 1)
    found: list[int] = []
    for low, high in sorted(ranges(kernel, name, form, ones)):
        if not 0 <= low <= high < _FARTHEST * tile:
            continue
        inside = [value for value in range(-(-(low + 1) // multiple) * multiple, high + 1, multiple)]
        edges = [value for value in (low, high + 1) if value % multiple == 0 and value]
        if not any(value in found for value in inside):
            found += [value for value in inside[:1] or edges if value not in found]
    return found or [tile]

# SPDX-License-Identifier: MIT
"""Extents of the runs of a proof: around whole tiles, along the borders of images, and at random.

What repeats after a period needs no more than a few of them (`periods`).
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TypeAlias

import numpy as np

from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym
from tracea_core.semantic.kernel import SemanticKernel, shares_memory, walk
from tracea_core.semantic.steps import Let, Loop
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.verify.apart import images_summed

Summed: TypeAlias = Contraction | Depthwise | Sweep
"""The forms whose elements are an expression of sums."""
Size: TypeAlias = tuple[int, int, int | tuple[int, ...]]
"""Extents m, n and k; for several reduction axes about so many elements, or the extent of each axis."""
_AGAIN = 4
_BORDERS = 12
"""Runs with few windows along the border of an image."""
_FILTERS = ((1, 1), (1, 1), (2, 1), (1, 2), (3, 2), (2, 3))
"""Rows and columns of filters where blocks share memory, in runs with a tile of windows each."""
_IMAGE = (2, 3)
"""Rows and columns of the images that gradients of filters add up in one run, where blocks share memory."""
_WHOLE_STEP = 2
"""The run along the border of an image, in a ring, whose channels fill a step exactly."""
_LONGEST_PERIOD = 64


def periods(kernel: SemanticKernel, contraction: Summed) -> tuple[int, int, int]:
    """Return the periods in m, n and k after which what the kernel does repeats: its tile, and what it divides by.

    A quotient by c of something with period p repeats after p·c; periods through lets are followed, those beyond 64 left out
    (what they are composed of stays).
    """
    config = kernel.configuration
    values = {node.name: node.value for role in kernel.roles for node in walk(role.body) if isinstance(node, Let)}
    loops = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Loop)]

    own = {
        symbol.name for symbol in contraction.symbols
    }  # what else there is, is chosen at launch, and least in some run
    least = {symbol.name: max(symbol.minimum, 1) for symbol in kernel.symbols if symbol.name not in own}

    @functools.cache
    def period(expr: Index, name: str) -> int:
        """How far `name` goes until `expr` has gone a whole step; 0 if it does not depend on it."""
        if type(expr) is Sym:
            return 1 if expr.name == name else period(values[expr.name], name) if expr.name in values else 0
        if type(expr) is not IndexOp:
            return 0
        left, right = period(expr.left, name), period(expr.right, name)
        if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD) and isinstance(expr.right, Const):
            return left * expr.right.value
        if expr.fn is IndexFn.FLOORDIV and isinstance(expr.right, Sym):
            return left * least.get(expr.right.name, 1)
        return math.lcm(left or 1, right or 1) if left or right else 0

    def every(names: list[str]) -> set[int]:
        found = {period(expr, name) for expr in values.values() for name in names}
        for loop, name in itertools.product(loops, names):
            if whole := period(loop.stop, name):
                found |= {whole, loop.step, math.lcm(whole, loop.step)}
        return found

    k_names = [axis.extent.name for axis in contraction.k_axes if isinstance(axis.extent, Sym)]
    outer = [expr.name for expr in (contraction.m, contraction.n) if isinstance(expr, Sym)]
    tall, wide, deep = every(outer[:1]), every(outer[1:]), every(k_names)
    rows, columns = config.tile_m, config.tile_n
    along_n = any(period % rows == 0 for period in wide - tall if period)
    if columns in tall - wide and along_n:  # a tile's rows run along n: pixels, where m counts channels
        rows, columns = columns, rows
    return _longest(rows, tall), _longest(columns, wide), _longest(config.tile_k, deep)


def _longest(tile: int, found: set[int]) -> int:
    """The longest period that sizes of a few periods can afford, and the tile at least."""
    return max(tile, *(p for p in found if p <= _LONGEST_PERIOD), 0) if tile <= _LONGEST_PERIOD else tile


def around_tiles(tall: int, wide: int, deep: int) -> list[tuple[int, int, int]]:
    """Return sizes of none to three tiles in each direction, one element less and more."""
    return [
        (tall, wide, deep),
        (1, 1, 1),
        (tall + 1, wide - 1, 0),
        (max(tall - 1, 1), wide + 1, deep + 1),
        (0, wide, deep),
        (tall, 0, deep),
        (2 * tall + 1, 1, max(deep - 1, 1)),
        (1, 2 * wide + 3, 2 * deep + 1),
        (3 * tall, 2 * wide, 3 * deep),
        (3 * tall + 2, 3 * wide - 1, deep),
        (3 * tall - 1, 2 * wide + 3, deep + 1),
        (2 * tall + 1, 3 * wide, deep),
        (tall, 1, 3),
        (2, 1, 2),
        (2, 2 * wide, 1),
        (3, 2 * wide, max(deep - 1, 1)),
    ]


def padded_sizes(kernel: SemanticKernel, contraction: Summed, period: tuple[int, int, int]) -> list[Size]:
    """Return sizes for further borders of images: about half a tile of windows, or half a tile more than a whole one.

    Copies that a uniform kernel writes out before its loop, in it and after it test the border each for itself, and each its own steps of
    the reduction. So reductions are longer than the ring, and others end in each slot that is filled before the loop; their last step is
    half full, and they go along channels: few rows and columns of a filter, above all one of each, lie on the border in every step.
    """
    tall, wide, deep = period
    if not kernel.rings and not shares_memory(kernel):
        again = [(min(m, tall + 1), min(n, wide + 1), k) for m, n, k in around_tiles(tall, wide, deep)[:_AGAIN]]
        return [*again, *((1 + number % 3, number % 2 * wide + wide // 2 + number, 3) for number in range(_BORDERS))]
    along_rows = isinstance(contraction, Contraction) and bool(contraction.a.guard)
    (along, across), config = (tall, wide) if along_rows else (wide, tall), kernel.configuration
    axes = len(contraction.k_axes) - 1
    longest = (config.stages + 1) * config.tile_k * config.split_k
    filters = [(filter_[:axes], longest) for filter_ in _FILTERS]
    if not kernel.rings:
        filters += [((1, 1)[:axes], slot * config.tile_k * config.split_k) for slot in range(config.stages - 1)]
    found: list[Size] = []
    for number, (few, whole) in enumerate(filters):
        windows = number % 2 * along * (whole == longest) + along // 2 + number
        others = 1 + number % 3 if number else across  # all of a tile's filters in a run whose last step lies on images
        long = -(-(whole + config.tile_k // 2) // math.prod(few))
        depth: int | tuple[int, ...] = (*few, long) if not kernel.rings else 3 if number else 1
        if kernel.rings and number == _WHOLE_STEP:
            depth = (*few, config.tile_k)
        found.append((windows, others, depth) if along_rows else (others, windows, depth))
    if isinstance(contraction, Contraction) and images_summed(contraction) and not kernel.rings:
        pixels = math.prod(_IMAGE)  # few: all borders lie in every copy, also in those of the last, nearly full step
        found.append((across // 2, along + along // 2, ((longest + config.tile_k - 1) // pixels, *_IMAGE)))
    return found


def anywhere(kernel: SemanticKernel, random: np.random.Generator) -> tuple[int, int, int]:
    """Return a size around one or two tiles in each direction."""
    config = kernel.configuration
    periods = (config.tile_m * config.cluster_m, config.tile_n * config.cluster_n, config.tile_k * config.split_k)
    m, n, k = (
        max(
            0,
            int(random.integers(0, 3)) * period
            + int(random.integers(-3, 4)) * int(random.choice([1, max(period // 7, 1)])),
        )
        for period in periods
    )
    return m, n, k + (int(random.integers(0, config.stages + 1)) * config.tile_k if config.stages > 1 else 0)

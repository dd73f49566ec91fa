# SPDX-License-Identifier: MIT
"""Sizes that a kernel's meaning is tried at, few and enough.

All expressions are quasi-affine in m, n and k, with periods that follow from the tile sizes and from what the expressions divide by
(`periods`). The sample holds, for each of the three, 0, 1, one less than, equal to and one more than a period, and a size of several
periods, combined with several worker counts, splits and interleavings; problems with padding are run at further strides,
dilations and borders.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from tracea_core.semantic.contraction import ITEM, Contraction, I, J
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, Value, evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel, shares_memory, walk
from tracea_core.semantic.quotient import divisor_of, reciprocals
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.steps import Let, Loop
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.verify.apart import answered, branches, images_summed, outermost, reached, uneven
from tracea_core.semantic.verify.groups import drawn
from tracea_core.semantic.verify.line_sizes import line_sizes
from tracea_core.semantic.verify.sizes import block_sizes, borders, divisors, strides

Summed: TypeAlias = Contraction | Depthwise | Sweep
"""The forms whose elements are an expression of sums."""
Size: TypeAlias = tuple[int, int, int | tuple[int, ...]]
"""Extents m, n and k; for several reduction axes about so many elements, or the extent of each axis."""
_NEAR = 9
"""How far from an extent symbols are drawn that lie near it: one more than the longest run of elements."""
_DRAWN = 6
_AGAIN = 4
_BORDERS = 12
"""Runs with few windows along the border of an image."""
_FILTERS = ((1, 1), (1, 1), (2, 1), (1, 2), (3, 2), (2, 3))
"""Rows and columns of filters where blocks share memory, in runs with a tile of windows each."""
_IMAGE = (2, 3)
"""Rows and columns of the images that gradients of filters add up in one run, where blocks share memory."""
_WHOLE_STEP = 2
"""The run along the border of an image, in a ring, whose channels fill a step exactly."""
_DEEP = 1
"""The run of one tile whose reduction is as deep as its extents ask for."""
_CARRIED = (0, 4)
"""The runs of uniform kernels in which one block computes all tiles, of many steps and of one: what it leaves behind meets the next."""
_PARTS = 10
"""The run of a CPU kernel in which all that is chosen at launch takes the value 2: several parts in every direction."""
_ALIKE = 4
"""Every so many runs of blocks strides are as they come, and rows may share memory."""
_WINDOW_AXES = 3
_TURNS = (1, 0, -1, 0)
"""How far strides that a schedule branches on are from what it asks, by turns: the branch is taken with and without padding."""
_INSIDE = (0, 1)
"""The runs of several steps, of a whole tile and of few columns, in which no window begins before its image, so that every step counts."""
_ROOM = 2
"""The run of a CPU kernel whose image goes on beyond its windows: one window too many reads what is not there."""
_SPARE = 3
_PADDING = ("pad_h", "pad_w")
_SMALL = 2
"""The last runs of a CPU kernel, of few rows and two whole panels of one part."""
_LONGEST_PERIOD = 64
_SHORTEST_STRIDE = 4
_SHORT_AXES = (3, 2, 1)
"""Extents of several nested reduction axes: each is the longest in some run, and their product stays small."""


def samples(
    kernel: SemanticKernel, contraction: Summed, seed: int, elsewhere: bool = False
) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield symbol values and a number of workers for each run (see the module's text for the choice)."""
    random = np.random.default_rng(seed)
    if isinstance(contraction, Depthwise):
        for number, sizes_of_lines in enumerate(line_sizes(kernel, contraction, random, elsewhere)):
            _spread_output(kernel, contraction, sizes_of_lines, random, aligned=True)
            yield sizes_of_lines, 2 - number % 2
        return
    tall, wide, deep = periods(kernel, contraction)
    blocks = bool(kernel.rings) or shares_memory(kernel)
    extents_of_k = [axis.extent for axis in contraction.k_axes]
    k_names = [extent.name for extent in extents_of_k if isinstance(extent, Sym)]
    k_name, others = k_names[-1] if k_names else "", tuple(k_names[:-1])
    if len(k_names) != len(extents_of_k) or (others and kernel.rings):
        k_name, others = "", ()
    sizes: list[Size] = []
    if elsewhere:
        sizes += [_anywhere(kernel, random) for _ in range(_DRAWN)]
    else:
        form = contraction if isinstance(contraction, Contraction) else None
        sizes += block_sizes(kernel, k_name, form, others) if blocks else _sizes(tall, wide, deep)
    whole = len(sizes)
    if any(term.guard for term in contraction.factors):  # padding: strides, dilations and borders vary as well
        sizes = [*sizes, *_padded_sizes(kernel, contraction, (tall, wide, deep))]
    if isinstance(contraction, Contraction) and contraction.scales is not None:  # tiles of a second block of each
        shared = contraction.scales
        sizes = [*sizes, (shared.rows + tall + 1, shared.columns + wide + 1, 2 * shared.run + 1)]
    if isinstance(contraction, Sweep):  # whole tiles and edges add several parts
        whole_tiles = (2 * tall, 2 * wide, 3)
        edges = ((tall - 1, 2 * wide, 3), (tall + 1, 2 * wide + 1, 2), (tall, wide - 1, 2))
        sizes = [*sizes, whole_tiles, whole_tiles, *edges]
    multiples = _multiples(kernel, contraction) if blocks else None
    taken = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    launch = {symbol.name: symbol.minimum for symbol in kernel.symbols} if not elsewhere else {}
    launch = {name: least for name, least in launch.items() if name not in {s.name for s in contraction.symbols}}
    added = blocks and isinstance(contraction, Contraction) and bool(images_summed(contraction))
    asked, usual = branches(kernel), len(sizes)
    if asked and kernel.configuration.halo and len(k_names) == _WINDOW_AXES:  # pixels apart and padded, then one run
        channels = uneven(kernel.roles[0].lanes)
        sizes = [*sizes, (3, 4, (2, 2, channels)), (2, 3, (1, 1, channels))]
    roomy = () if kernel.rings else (_INSIDE[-1], whole - 1) if blocks else (_ROOM,)
    for number, (m, n, k) in enumerate(sizes):
        values: dict[str, Any] = {symbol.name: int(random.integers(1, 3)) for symbol in kernel.symbols}
        turn = number % len(_TURNS) if number < usual else (len(_TURNS) - 1) * (number - usual)
        if isinstance(contraction, Contraction) and contraction.groups is not None:
            m, ends = drawn(m, kernel.configuration.tile_m, random)
            values |= {"groups": ends.size, GROUP_ENDS: ends}
        counted = {} if number == _DEEP and blocks and not kernel.rings else multiples
        extents = [(contraction.m, m), (contraction.n, n)]
        if isinstance(k, tuple):
            extents += zip((axis.extent for axis in contraction.k_axes), k, strict=True)
        else:
            extents += _axis_extents(contraction, k, number, counted)
        given = {expr.name: value for expr, value in extents if isinstance(expr, Sym)}
        values |= given
        plain = not blocks and not elsewhere and whole - _SMALL <= number < whole
        if number == 0 or plain:  # what is chosen at launch takes its least value too
            values |= launch
        elif number == _PARTS and not blocks:
            values |= dict.fromkeys(launch, 2)
        for symbol in kernel.symbols:
            if symbol.name not in given and (symbol.minimum < 0 or symbol.multiple > 1):
                values[symbol.name] = int(random.integers(2, 9)) * symbol.multiple
        alone = added and isinstance(k, tuple) and number < whole  # windows of the image behind the last one lie inside
        last = turn >= len(_TURNS) // 2 or m == n == k == 1  # windows reach the last pixels
        unpadded = bool(asked) and bool(k) and last
        if (number in _INSIDE and blocks) or number in roomy or alone or unpadded:
            values |= {symbol.name: symbol.minimum for symbol in kernel.symbols if symbol.name in _PADDING}
        if number == usual:
            values |= {symbol.name: 1 for symbol in kernel.symbols if symbol.name in _PADDING}
        padded = any(term.guard for term in contraction.factors)
        if isinstance(contraction, Contraction) and blocks and (number % _ALIKE or not number):
            values |= strides(contraction, values, random)
        if isinstance(contraction, Contraction) and padded:
            least = 3 if blocks and number >= whole else 1  # some window lies inside, whatever the padding
            for name in sorted(divisors(contraction) - given.keys()):
                count, multiple = int(random.integers(least, 6)), taken.get(name, 1)
                values[name] = count if multiple == 1 else multiple * (1 + count % 2 * 2)
            if number in roomy[1:]:
                values |= dict.fromkeys(divisors(contraction), 1)
            if number == usual:  # several images, rows and columns
                values |= dict.fromkeys(divisors(contraction), 2)
                values |= {"items": 2} if contraction.items == Sym("items") else {}
            found = borders(contraction, values, random, beyond=blocks and number >= whole)
            values |= {name: extent + _SPARE * (number in roomy) for name, extent in found.items()}
        if isinstance(contraction, Contraction) and added:
            values |= outermost(contraction, values)
        values |= answered(asked, values, off=_TURNS[turn])
        for name, extent in contraction.near:
            off = (int(random.integers(1, _NEAR)), -1, int(random.integers(-_NEAR, 1)))[number % 3]
            values[name] = max(int(evaluate(extent, values)) + off, 0)
        if isinstance(contraction.items, Sym) and not _kept_apart(contraction):
            values[contraction.items.name] = 1
        for symbol in kernel.symbols:
            least = max(values[symbol.name], symbol.minimum)
            values[symbol.name] = -(-least // symbol.multiple) * symbol.multiple
        _spread_output(kernel, contraction, values, random, aligned=blocks)
        if isinstance(contraction, Contraction) and contraction.halo is not None and kernel.configuration.halo:
            extents_of = {axis.name: int(evaluate(axis.extent, values)) for axis in contraction.k_axes}
            values |= contraction.halo.large_enough(n, extents_of["r"], extents_of["s"], values)
            if number == usual:
                values |= reached(contraction.halo, values)
        values |= reciprocals(values, [d for symbol in kernel.symbols if (d := divisor_of(symbol.name)) is not None])
        workers = kernel.launch.cluster * (1 + number % (2 if blocks else 3))
        if blocks and not kernel.rings:
            tiles = max(int(evaluate(kernel.launch.blocks, values)), 1)
            workers = 1 if number in _CARRIED else tiles + number % 2
        yield values, workers


def _kept_apart(contraction: Summed) -> bool:
    """Whether items are written to places of their own: else, as where images are not divided among sums, there is only one."""
    used = set(symbols(contraction.out.offset))
    for named in reversed((*contraction.item_names, *contraction.out.hoisted)):
        used |= symbols(named.value) if named.name in used else set()
    return ITEM.name in used


def _padded_sizes(kernel: SemanticKernel, contraction: Summed, period: tuple[int, int, int]) -> list[Size]:
    """Sizes for further borders of images: about half a tile of windows, or half a tile more than a whole one.

    Copies that a uniform kernel writes out before its loop, in it and after it test the border each for itself, and each its own steps of
    the reduction. So reductions are longer than the ring, and others end in each slot that is filled before the loop; their last step is
    half full, and they go along channels: few rows and columns of a filter, above all one of each, lie on the border in every step.
    """
    tall, wide, deep = period
    if not kernel.rings and not shares_memory(kernel):
        again = [(min(m, tall + 1), min(n, wide + 1), k) for m, n, k in _sizes(tall, wide, deep)[:_AGAIN]]
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


def _anywhere(kernel: SemanticKernel, random: np.random.Generator) -> tuple[int, int, int]:
    """A size around one or two tiles in each direction."""
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


def periods(kernel: SemanticKernel, contraction: Summed) -> tuple[int, int, int]:
    """Return the periods in m, n and k after which what the kernel does repeats: its tile, and what it divides by.

    A quotient by c of something with period p repeats after p·c; periods through lets are followed, those beyond 64 left out
    (what they are composed of stays).
    """
    config = kernel.configuration
    values = {node.name: node.value for role in kernel.roles for node in walk(role.body) if isinstance(node, Let)}
    loops = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Loop)]

    @functools.cache
    def period(expr: Index, name: str) -> int:
        """How far `name` goes until `expr` has gone a whole step; 0 if it does not depend on it."""
        if isinstance(expr, Sym):
            return 1 if expr.name == name else period(values[expr.name], name) if expr.name in values else 0
        if not isinstance(expr, IndexOp):
            return 0
        left, right = period(expr.left, name), period(expr.right, name)
        if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD) and isinstance(expr.right, Const):
            return left * expr.right.value
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
    if columns in tall - wide and rows in wide - tall:  # a tile's rows run along n: pixels, where m counts channels
        rows, columns = columns, rows
    return _longest(rows, tall), _longest(columns, wide), _longest(config.tile_k, deep)


def _longest(tile: int, found: set[int]) -> int:
    """The longest period that sizes of a few periods can afford, and the tile at least."""
    return max(tile, *(p for p in found if p <= _LONGEST_PERIOD), 0) if tile <= _LONGEST_PERIOD else tile


def _multiples(kernel: SemanticKernel, contraction: Summed) -> dict[str, int]:
    """What the extents of K axes count as multiples of: what is declared of them, or a whole step where one pads channels to it."""
    found = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    windows = contraction.windows if isinstance(contraction, Contraction) else None
    if kernel.rings and windows is not None and windows.operand == contraction.factors[0].operand:
        channels = contraction.k_axes[-1].extent
        assert isinstance(channels, Sym)
        found[channels.name] = kernel.configuration.tile_k
    return found


def _axis_extents(
    contraction: Summed, k: int, number: int, multiples: Mapping[str, int] | None
) -> list[tuple[Index, int]]:
    """Extents of the K axes for a reduction of about `k`: several are short but one, which is long where `multiples` are given.

    Short ones count as what they are rounded up to, so that a ring is no deeper than was asked for. Uniform kernels decode a step into its
    rows, columns and channels by their own arithmetic, whose every carry only deeper reductions reach: in one of their runs, of a single
    tile, `multiples` are none.
    """
    axes = contraction.k_axes
    if len(axes) == 1:
        return [(axes[0].extent, k)]
    short = [_SHORT_AXES[(number + position) % len(_SHORT_AXES)] for position in range(len(axes))]
    counted = [1] * len(axes)
    if multiples is not None:
        rounded = [multiples.get(axis.extent.name, 1) if isinstance(axis.extent, Sym) else 1 for axis in axes]
        whole = [-(-extent // multiple) * multiple for extent, multiple in zip(short, rounded, strict=True)]
        counted = [-(-k * extent // math.prod(whole)) for extent in whole]
    found = []
    for axis, least, deep in zip(axes, short, counted, strict=True):
        found.append((axis.extent, min(k, max(least, deep) if least == _SHORT_AXES[0] else least)))
    return found


def _sizes(tall: int, wide: int, deep: int) -> list[tuple[int, int, int]]:
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


def _spread_output(
    kernel: SemanticKernel, contraction: Summed, values: dict[str, int], random: np.random.Generator, aligned: bool
) -> None:
    """Give the output's strides values under which its elements are distinct, with gaps between them.

    A stride is a little longer than what the strides inside it reach, not more: memory holds every gap. With `aligned` they are
    odd multiples of what the kernel takes multiples of: the least aligned.
    """
    used = symbols(contraction.out.offset)
    taken = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    free = [symbol for symbol in contraction.symbols if symbol.name in used and symbol.minimum < 0]
    values |= {symbol.name: 0 for symbol in free}
    sizes = [int(evaluate(extent, values)) for extent in (contraction.items, contraction.m, contraction.n)]
    grid = np.ogrid[tuple(slice(size) for size in sizes)]
    places: dict[str, Value] = {**values, **dict(zip((ITEM.name, I.name, J.name), grid, strict=True))}

    def reach() -> int:
        """Elements from the first to the last that the strides given so far touch."""
        for named in (*contraction.item_names, *contraction.out.hoisted):
            places[named.name] = evaluate(named.value, places)
        offsets = np.asarray(evaluate(contraction.out.offset, places))
        return int(offsets.max()) + 1 if offsets.size else 1

    for symbol in reversed(free):
        step = max(reach(), _SHORTEST_STRIDE) + int(random.integers(0, 3))
        multiple = taken[symbol.name] if aligned else symbol.multiple
        count = -(-step // multiple) | aligned
        values[symbol.name] = places[symbol.name] = count * multiple

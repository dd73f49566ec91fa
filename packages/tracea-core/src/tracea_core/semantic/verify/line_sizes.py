# SPDX-License-Identifier: MIT
"""Sizes at which a convolution of channels on their own is run: strips, lines and channels at their edges, images around their borders.

The filter, its steps and the padding are fixed in the form. What a schedule tests are the ends of a line, of the lines, of the channels and
of the image; each is set to one less than, equal to and one more than what the schedule takes at a time, and the image ends a little
before, at and after the last window, so that a test that is off by one lets something in or keeps something out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tracea_core.semantic.contraction import J
from tracea_core.semantic.depthwise import IMAGE, Depthwise
from tracea_core.semantic.index import Const, Index, Sym, coefficient, evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel

_GAP = 3
_DRAWN = 8
_CUT = 9
"""The run of whole strips and channels whose lines end two pixels early, so that of the last window both the last taps lie beyond."""
_ENDED = 11
"""The run of whole strips and channels whose lines end with what the window of the last strip reaches, less one pixel."""
_LEFT = 12
"""The run, for strips of several lines, in which the image ends where the window of the last strip's first line begins."""
_BEGUN = 13
"""The run, for bands, of one whole strip of lines and several of pixels: what the second block copies first does not begin a line.

In the run behind it that block begins with the lines that a first strip leaves over.
"""
_LAST = 13
"""The run, for planes, in which the first line of the last strip sees the last row of the image, as its first one."""
_BY_ONE, _STRIPS_EACH = 3, 2
"""The run, for bands, of two columns of tiles that one block computes, and how many strips a block has in the others at most."""
_LEFT_OVER, _TWO_EACH = 7, 4
"""The run, for bands, of one line more than a strip in two columns of tiles, and its blocks: the second of a column begins with it."""
_ACROSS, _LANES_ACROSS = 8, 32
"""Pieces of planes that a warp takes side by side, by matrix instructions of 16-bit elements and by its lanes."""
_PARTS = {0: 1, 2: 2, 8: 1, 9: 1}
"""Runs in which a CPU's kernel takes few parts: with more parts than lines most workers have nothing to do, and in a single part all
channels follow each other."""


def line_sizes(
    kernel: SemanticKernel, form: Depthwise, random: np.random.Generator, elsewhere: bool = False
) -> Iterator[dict[str, int]]:
    """Yield values for all symbols of the kernel; those of the output's strides are spread out by the caller.

    Parameters
    ----------
    elsewhere : bool
        Draw the sizes at random around the edges instead of taking the chosen ones.
    """
    config = kernel.configuration
    pixels, channels, warps = config.tile_m, config.tile_n, config.warps
    step, most = next((symbol.multiple, symbol.maximum) for symbol in kernel.symbols if Sym(symbol.name) == form.n)
    chosen = (
        _planes(pixels, _ACROSS if form.image.dtype.bytes == 2 else _LANES_ACROSS)
        if form.planes
        else _bands(pixels, channels, step)
        if config.halo
        else (
            (1, 1, pixels, channels),
            (2, warps + 1, pixels + 1, step),
            (1, 2, max(pixels - 1, 1), channels - step or step),
            (2, 1, 2 * pixels + 1, channels + step),
            (0, 2, pixels, channels),
            (3, 2, 1, step),
            (1, 3, pixels, 0),
            (1, 5, 2 * pixels - 1, 2 * channels),
            (3, warps, pixels, step),
            (1, 2, 3 * pixels, 2 * channels),
            (1, warps, 4 * pixels + 1, channels + step),
            (1, 2, 3 * pixels, 2 * channels),
            *(((2, 3, pixels, channels),) if config.tile_k > 1 else ()),
        )
    )
    multiples = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    divided = {symbol.name for symbol in kernel.symbols} - {symbol.name for symbol in form.symbols}
    drawn = (_around(random, pixels, channels, warps, step) for _ in range(_DRAWN))
    for number, (images, lines, width, count) in enumerate(drawn if elsewhere else chosen):
        left = (
            0 if number == _BEGUN else number % config.tile_k
        )  # whole strips of lines, and strips of which some are left over
        lines = lines * config.tile_k - left
        width = form.m.value if isinstance(form.m, Const) else _whole(width, form.m, multiples)
        values = {symbol.name: int(random.integers(1, 4)) * symbol.multiple for symbol in kernel.symbols}
        if number in _PARTS and not elsewhere:
            values |= dict.fromkeys(divided, _PARTS[number])
        values |= _given(form, items=images * lines, lines=lines, m=width, n=min(count, most // step * step))
        for name, windows, axis in ((form.image.height, lines, 0), (form.image.width, width, 1)):
            reach = (windows - 1) * form.stride[axis] + (form.taps[axis] - 1) * form.dilation[axis] + 1
            beside = int(random.integers(-2, 2 if number % 2 else 1))
            if number == _CUT and axis == 1 and not elsewhere:
                beside = -2
            elif number == _ENDED and axis == 1 and not elsewhere:
                beside = form.padding[axis] - 1
            elif (number == _LEFT or (form.planes and number == _LAST)) and axis == 0 and not elsewhere:
                beside = form.padding[axis] - (form.taps[axis] - 1) * form.dilation[axis] - 1
                beside += number == _LAST
                beside -= (windows - 1) % config.tile_k * form.stride[axis]
            elif form.planes and number in (_LEFT, _LAST) and axis == 1 and not elsewhere:
                beside = form.padding[axis]  # every column of a window is there, of whatever residue
            end = reach - 2 * form.padding[axis] + beside
            values |= {symbol: _whole(max(end, 1), name, multiples) for symbol in symbols(name)}
        apart = _plane_strides if form.planes else _image_strides
        yield values | apart(form, values, random, kernel.configuration.vector_a if form.planes else step)


def crowd(kernel: SemanticKernel, number: int, values: dict[str, int]) -> int:
    """Return by how many blocks or workers a run is computed: two or one in turn, of bands as many as leave each a few strips.

    A strip of bands takes thousands of steps; in one of their runs a single block goes through all columns of tiles,
    in another each column has two.
    """
    usual = 2 if number == _BEGUN else 2 - number % 2
    if not kernel.configuration.halo or number == _BY_ONE:
        return usual
    if number == _LEFT_OVER:
        return _TWO_EACH
    return max(usual, -(-int(evaluate(kernel.launch.blocks, dict(values))) // _STRIPS_EACH))


def _bands(pixels: int, channels: int, step: int) -> tuple[tuple[int, int, int, int], ...]:
    """Images, strips of lines, pixels and channels of the runs of bands, in the order of those of other kernels.

    A strip of bands takes as long as many of others, so these have few, which reach every edge together.
    """
    return (
        (1, 1, pixels, channels),
        (1, 5, pixels, step),
        (1, 2, max(pixels - 1, 1), channels - step or step),
        (1, 1, pixels, channels + step),
        (0, 2, pixels, channels),
        (2, 2, 1, step),
        (1, 2, pixels, 0),
        (1, 2, 2 * pixels - 1, 2 * channels),
        (2, 2, pixels, step),
        (1, 2, 3 * pixels, channels),
        (1, 1, 2 * pixels + 1, channels + step),
        (1, 2, 3 * pixels, channels),
        (2, 2, pixels, channels),
        (1, 1, 3 * pixels - 1, step),
        (1, 2, 2 * pixels, step),
    )


def _planes(pixels: int, across: int) -> tuple[tuple[int, int, int, int], ...]:
    """Images, strips of lines, pixels and channels of the runs of planes, in the order of those of other kernels.

    So many pieces go together, of neighbouring lines and images where a line has fewer.
    """
    return (
        (1, 1, pixels, 1),
        (2, 3, across * pixels + 1, 1),
        (1, 2, pixels - 1, 3),
        (2, 1, 2 * pixels + 1, 2),
        (0, 2, pixels, 1),
        (3, 2, 1, 2),
        (1, 3, pixels, 0),
        (1, 1, (across + 1) * pixels - 1, 2),
        (across + 1, 1, pixels, 1),
        (1, 2, 3 * pixels, 1),
        (1, 2, 4 * pixels + 1, 3),
        (1, 2, 3 * pixels, 1),
        (2, 3, pixels, 1),
        (2, 3, pixels, 1),
    )


def _around(
    random: np.random.Generator, pixels: int, channels: int, warps: int, step: int
) -> tuple[int, int, int, int]:
    lines, width = (
        int(random.integers(1, warps + 2)),
        max(pixels * int(random.integers(1, 5)) + int(random.integers(-2, 3)), 1),
    )
    return int(random.integers(1, 3)), lines, width, int(random.integers(1, 2 * channels // step + 2)) * step


def _whole(size: int, extent: Index, multiples: dict[str, int]) -> int:
    """What of a size an extent can be: the multiple of its runs that is not less."""
    step = multiples.get(extent.name, 1) if isinstance(extent, Sym) else 1
    return -(-size // step) * step


def _given(form: Depthwise, **sizes: int) -> dict[str, int]:
    return {extent.name: size for field, size in sizes.items() if isinstance(extent := getattr(form, field), Sym)}


def _image_strides(form: Depthwise, values: dict[str, int], random: np.random.Generator, step: int) -> dict[str, int]:
    """Distances of rows and images under which no two elements share memory."""
    image, declared = form.image, {symbol.name for symbol in form.symbols if symbol.minimum < 0}
    reach = int(evaluate(image.width, values)) * max(int(evaluate(image.by_column, values)), 1)
    names = (*symbols(image.by_row), *(symbols(image.origin) & declared))
    found: dict[str, int] = {}
    for name, extent in zip(names, (int(evaluate(image.height, values)), 1), strict=False):
        reach = -(-(reach + int(random.integers(0, _GAP))) // step) * step or step
        found[name] = reach
        reach *= extent
    return found


def _plane_strides(form: Depthwise, values: dict[str, int], random: np.random.Generator, step: int) -> dict[str, int]:
    """Distances of rows, planes and images, in runs of `step`, under which no two elements share memory."""
    image = form.image
    distances = (image.by_row, coefficient(image.origin, J.name), coefficient(image.origin, IMAGE.name))
    extents = (image.width, image.height, form.n)
    found: dict[str, int] = {}
    reach = 1
    for distance, extent in zip(distances, extents, strict=True):
        reach = -(-(reach * max(int(evaluate(extent, values)), 1) + int(random.integers(0, _GAP))) // step) * step
        found |= {distance.name: reach} if isinstance(distance, Sym) else {}
    return found

# SPDX-License-Identifier: MIT
"""Runs whose images have lines of a length that shows a wrong count of vectors.

A kernel that copies images with their padding counts vectors along lines: of a pixel's channels, of pixels that follow each other, and of
the padding on either side. What it copies beyond whole vectors it copies apart, where it asks whether anything is left. So lines are run
that leave nothing, one element, and all but one: a test that is off by one is wrong where both of its sides are equal, or one apart, and
a quotient or a product by another number than that of the lanes is wrong where all but one are left of many vectors.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tracea_core.semantic.build.asked_lines import is_line
from tracea_core.semantic.contraction import HALO_COLUMN, Contraction, Halo
from tracea_core.semantic.index import Const, Sym, coefficient, evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.sample_sizes import Size
from tracea_core.semantic.verify.sizes import divisors

_TAPS = ("r", "s")
"""The axes of a reduction that are rows and columns of a filter; the other one of a convolution is its channels."""
_IMAGES = (2, 2, 3)
"""Images of two lines of three windows, which gradients of filters add up."""
_TILED = 2
"""Windows along each axis of a tile that is computed as one."""
_ROWS = 3
"""Rows of windows above each other where lines matter: the first and the last may lie in the padding."""

_CROWD = 17
"""More workers than short images have lines or tiles: each line is another one's, and some have nothing to do.

A worker that writes beyond the end of a line would write the next one later, if that were its own, and nobody could tell.
"""


class Line(NamedTuple):
    """A run of long lines, or of taps: its size, how many windows lie in a row (0: as many as are drawn), and what its images are.

    Attributes
    ----------
    padded : bool
        Whether there is a pixel of padding around images, which windows reach.
    joined : bool
        Whether pixels follow each other in memory; else one element lies between them, where a schedule asks for it.
    taps : int
        With it, filters have so many columns, and as few channels as there can be.
    workers : int
        How many workers share the run; 0 where that does not matter.
    """

    size: Size
    across: int
    padded: bool
    joined: bool = False
    taps: int = 0
    workers: int = 0


def gradient_lines(kernel: SemanticKernel, form: Contraction) -> list[Line]:
    """Of gradients of filters by boxes, one run whose second tile is the second column of a filter, and one where it is the second row."""
    filters = len(form.k_axes) == len(_IMAGES) and not {axis.name for axis in form.k_axes} & {*_TAPS}
    multiples = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    narrow = multiples.get(form.n.name, 1) if isinstance(form.n, Sym) else 0
    wide = 2 * kernel.configuration.tile_n - narrow
    return [
        Line((3, wide, _IMAGES), 0, padded=False, joined=taps == 1, taps=taps) for taps in (2, 1) if filters and narrow
    ]


def image_lines(kernel: SemanticKernel, form: Contraction, asked: bool) -> Iterator[Line]:
    """Yield the runs for lines of images that a kernel copies with their padding.

    Parameters
    ----------
    asked : bool
        Whether the kernel asks if pixels follow each other: a line is then one run of elements.
    """
    halo = form.halo if kernel.configuration.halo else None
    if halo is None or not all(isinstance(axis.extent, Sym) for axis in form.k_axes):
        return
    lanes = kernel.roles[0].lanes
    planes = not asked and coefficient(halo.source.offset, HALO_COLUMN.name) == Const(1)
    long, few = uneven(lanes), lanes + 3
    least = {symbol.name: max(symbol.minimum, 1) for symbol in kernel.symbols}
    fewest = {axis.name: least[axis.extent.name] for axis in form.k_axes if isinstance(axis.extent, Sym)}
    taps = {name: fewest.get(name, 1) for name in _TAPS}

    def depth(taps: int, channels: int) -> tuple[int, ...]:
        return tuple(taps if axis.name in _TAPS else channels for axis in form.k_axes)

    if not asked and not planes and lanes > 1 and halo.width == halo.image[1]:  # single pixels, of channels alone
        yield from (Line((2, few, depth(1, channels)), 0, padded=False) for channels in (long, lanes, lanes + 1))
    if not asked and (not planes or lanes == 1):
        return
    if asked:
        each = 2 * _TILED if max(taps.values()) > 1 else 2  # several tiles where a filter's size is the tile's
        yield Line((3, each * each, depth(2, long)), each, padded=True)
        yield Line((2, 3, depth(1, long)), 0, padded=False, joined=True)
    else:  # of channels, then of pixels
        yield Line((3, 2 * few, depth(2, long)), few, padded=True)
        yield Line((2, long, depth(1, few)), long, padded=False)
    if lanes == 1:
        return
    shortest = lanes if planes else 0
    rows = 1 if halo.height == Const(1) else _ROWS
    for padded in (True, False):  # one element is left: of padded lines and of padding, or of lines of pixels
        if across := _windows(form, halo, taps["s"], least, shortest + lanes + 1):
            yield Line((1, rows * across, depth(1, 1)), across, padded, joined=True, workers=_CROWD)
    for padded in (True, False):  # nothing is left of any
        if across := _windows(form, halo, taps["s"], least, (shortest or _ROWS) + 2 * padded):
            size = (1, rows * across, depth(1, lanes))
            yield Line(size, across, padded, joined=not padded, workers=_CROWD)
    # Where what is left is a block with masks, it is that of the last plane as well, behind which nothing lies; or nothing is left.
    masked = planes and is_line(lanes, form.compute) and halo.width != halo.image[1]
    for wide, channels in ((lanes + 1, lanes), (lanes, 1)) if masked else ():
        if across := _windows(form, halo, taps["s"], least, wide):
            yield Line((1, rows * across, depth(1, channels)), across, padded=False, workers=_CROWD)
    if planes and (across := _windows(form, halo, taps["s"], least, lanes)):  # many pixels of no channel at all
        yield Line((1, rows * across, depth(1, 0)), across, padded=False, workers=_CROWD)


def _windows(form: Contraction, halo: Halo, columns: int, least: Mapping[str, int], wide: int) -> int:
    """Return how many windows side by side reach over so many pixels; 0 where no number does."""
    extent = halo.image[1]
    if extent == halo.width or not isinstance(extent, Sym):
        return wide  # windows are the pixels
    names = divisors(form)

    def reaches(across: int) -> int:
        return halo.large_enough(across, 1, columns, {**least, **dict.fromkeys(names, across)})[extent.name]

    found = 1 + bisect.bisect_left(range(1, wide + 1), wide, key=reaches)  # one window more never reaches less far
    return found if found <= wide and reaches(found) == wide else 0


def uneven(lanes: int) -> int:
    """Return a length whose vectors are counted wrongly by any quotient and product that are not of `lanes`, one more or one less.

    Divided by one lane less it has a vector more than fit; what is beyond whole vectors is else more than one of them.

    >>> length = uneven(8)
    >>> length, length // 8 * 8, length // 7 * 8, length // 9 * 8, length // 8 * 7
    (71, 64, 80, 56, 56)
    """
    return lanes * (lanes + 1) - 1


def reached(halo: Halo, values: Mapping[str, int]) -> dict[str, int]:
    """Return extents of an image that are less by its padding, so that windows that filled it reach the end of the padding."""
    extents = (halo.height, halo.width)
    return {
        name.name: max(2 * values[name.name] - int(evaluate(extent, values)), 1)
        for name, extent in zip(halo.image, extents, strict=True)
        if isinstance(name, Sym) and name != extent
    }

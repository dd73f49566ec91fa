# SPDX-License-Identifier: MIT
"""Which pixels of a strip are added up together: those at the ends of a known line apart, since some taps see only padding there."""

from __future__ import annotations

from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import Const


def is_known(form: Depthwise, pixels: int) -> bool:
    """Whether a strip is a whole line of a known length, so that the place of each of its pixels is known when printing."""
    return isinstance(form.m, Const) and isinstance(form.image.width, Const) and pixels >= form.m.value


def unseen(form: Depthwise, first: int, count: int, tap: int) -> bool:
    """Whether a column of the filter lies beside the image for all `count` pixels of a known line, from the `first` on."""
    width, place = form.image.width, tap * form.dilation[1] - form.padding[1]
    assert isinstance(width, Const)
    return not any(0 <= pixel * form.stride[1] + place < width.value for pixel in range(first, first + count))


def spans(form: Depthwise, pixels: int, step: int) -> tuple[tuple[int, int], ...]:
    """Return (first, count) of the pixels that are added up together, multiples of `step` apart."""
    if not is_known(form, pixels) or pixels % step:
        return ((0, pixels),)
    ends = [(first, step) for first in range(0, pixels, step)]
    blind = [any(unseen(form, *end, tap) for tap in range(form.taps[1])) for end in ends]
    left = next((place for place, one in enumerate(blind) if not one), len(blind))
    right = next((place for place, one in enumerate(reversed(blind[left:])) if not one), 0)
    middle = ((left * step, pixels - (left + right) * step),) if left + right < len(blind) else ()
    return (*ends[:left], *middle, *ends[len(ends) - right :])

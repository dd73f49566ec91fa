# SPDX-License-Identifier: MIT
"""Colours: eight to tell things apart, a scale to put them in order, a wheel for lanes; all legible on light and dark."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

KINDS = tuple(f"c{i}" for i in range(8))
"""Classes of the stylesheet for things without an order."""

_SCALE = ("#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725")
"""Viridis without its darkest end (S. van der Walt, N. Smith, matplotlib 2015): even in lightness, safe for the colour-blind."""


def scale(share: float, steps: Sequence[str] = _SCALE) -> str:
    """Return the colour at `share` of the way, 0 to 1, from the first to the last.

    >>> scale(0.0), scale(1.0)
    ('#46327e', '#fde725')
    """
    place = min(max(share, 0.0), 1.0) * (len(steps) - 1)
    low = min(int(place), len(steps) - 2)
    part = place - low
    first, second = (_channels(steps[i]) for i in (low, low + 1))
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(first, second, strict=True))


def wheel(index: int, count: int, lightness: float = 0.68) -> str:
    """Return the colour of one of `count` equal things, neighbours next to each other on the wheel."""
    red, green, blue = colorsys.hls_to_rgb(index / max(count, 1), lightness, 0.62)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def on(colour: str) -> str:
    """Return black or white, whichever is easier to read on `colour` (WCAG 2.2, relative luminance)."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour))
    )
    return "#10151c" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "#ffffff"


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)

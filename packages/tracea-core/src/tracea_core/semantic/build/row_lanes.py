# SPDX-License-Identifier: MIT
"""Which lanes of a warp hold what of rows, and in how many chains a lane adds it up."""

from __future__ import annotations

import math

import msgspec

from tracea_core.semantic.fragment import FragmentLayout

_CHAINS = 2
"""In which a lane adds up what it holds: one would wait for each addition, 4 cycles, before the next."""


def layouts_of_rows(rows: int, lanes: int, width: int) -> tuple[FragmentLayout, FragmentLayout, FragmentLayout]:
    """Return which lane holds which of `rows` rows of runs of `width` columns, which one a row's number, and which one a column's."""
    along = tuple((0, width << bit) for bit in range(lanes.bit_length() - 1))
    down = tuple((1 << bit, 0) for bit in range(rows.bit_length() - 1))
    run = tuple((0, 1 << bit) for bit in range(width.bit_length() - 1))
    tile = FragmentLayout.from_bits((rows, lanes * width), (*along, *down), run)
    row = FragmentLayout.from_bits((rows, 1), (*((0, 0) for _ in along), *down), ())
    return tile, row, FragmentLayout.from_bits((1, lanes * width), (*along, *((0, 0) for _ in down)), run)


def chains_of(elements: int) -> int | msgspec.UnsetType:
    """Return in how many chains a lane joins so many elements of its own."""
    return _CHAINS if elements >= _CHAINS else msgspec.UNSET


def shared_out(count: int, lanes: int, run: int) -> FragmentLayout:
    """Return how lanes take `count` numbers, each by several of them: in runs of a divisor of `run`, runs over lanes while halves remain.

    So the lanes that exchange what they joined are few: one pair for 8, four of them for 16, none for 10.

    >>> layout = shared_out(16, 32, 4)
    >>> [list(map(int, layout.elements()[1][lane])) for lane in (0, 1, 4)]
    [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 2, 3]]
    """
    width = math.gcd(count, run)
    rest = count // width
    spread = math.gcd(rest, lanes)  # a power of two, as lanes are
    run_bits = tuple((0, 1 << bit) for bit in range(width.bit_length() - 1))
    bits = [(0, width << bit) for bit in range(spread.bit_length() - 1)]
    bits += [(0, 0)] * (lanes.bit_length() - 1 - len(bits))
    return FragmentLayout.from_bits((1, width * spread), tuple(bits), run_bits).repeat(columns=rest // spread)

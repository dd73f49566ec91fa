# SPDX-License-Identifier: MIT
"""Where the blocks of a cluster leave partial sums for each other: fp32 pairs, as the lanes of an accumulator hold them."""

from __future__ import annotations

import functools

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.swizzle import AccessPhase, solve


@functools.lru_cache(maxsize=8)
def partial_swizzle(width: int) -> Matrix:
    """Return the XOR map on element offsets with which lanes of an accumulator move pairs of fp32 without bank conflicts.

    Half a warp moves 8 bytes a lane at a time: four lanes along a row, four rows of `width` elements.

    Raises
    ------
    ConfigurationError
        If there is none.
    """
    row = 4 * width
    solved = solve((AccessPhase("pairs", (8, 16, row, 2 * row), 8),), address_bits=max(7, row.bit_length() + 1))
    if not solved.free:
        raise ConfigurationError(f"rows of {width} fp32 have no swizzle for pairs", argument=solved.argument)
    return Matrix(solved.xor.rows - 2, tuple(column >> 2 for column in solved.xor.columns[2:]))

# SPDX-License-Identifier: MIT
"""The pieces in which a tile's columns leave: as wide as a row that a copy engine swizzles."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.semantic.build.box_tile import ROW_BYTES


class Chunk(Data, frozen=True):
    """`width` columns of one 64-row accumulator, and the staging buffer they leave through."""

    atom: int
    column: int
    width: int
    buffer: int


def widths(columns: int, element_bytes: int) -> tuple[int, ...]:
    """Return the chunk widths of a tile: rows of 128 bytes, and the rest in powers of two.

    >>> widths(208, 2)
    (64, 64, 64, 16)
    """
    full = ROW_BYTES // element_bytes
    parts = [full] * (columns // full)
    rest = columns % full
    parts += [1 << bit for bit in reversed(range(rest.bit_length())) if rest >> bit & 1]
    return tuple(parts)

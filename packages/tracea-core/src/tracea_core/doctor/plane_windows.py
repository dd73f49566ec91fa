# SPDX-License-Identifier: MIT
"""What a thread holds that filters planes by bands of matrices (`tracea_core.semantic.build.plane_strips`)."""

from __future__ import annotations

from collections.abc import Sequence

PIECE = 8
"""Pixels of a piece, pieces of a strip side by side, and columns of half an operand."""
MOST_REGISTERS = 168
"""Of a thread, three warps a scheduler: with two, 3×3 filters at stride 2 took 69 and 38 µs on 64×96×112² and 64×144×56² (H200), with
three 59 and 32."""
_SPARE_REGISTERS = 32
"""Of a thread, for addresses and tests."""


def plane_registers(rows: int, sums: int, taps: int, deep: int) -> int:
    """Return what a thread holds of the image's rows, of the lines that are summed at a time and of bands, and what it needs beside them.

    Parameters
    ----------
    deep : int
        Columns that are multiplied, in eights.
    """
    return rows * 2 * deep + sums * 4 + taps * deep + _SPARE_REGISTERS


def lane_registers(rows: int, columns: int, sums: int, pixels: int, taps: int) -> int:
    """Return what a thread holds that filters planes by itself: columns of each row, sums of lines, elements of the filter.

    Parameters
    ----------
    pixels : int
        Of a piece.
    """
    return rows * columns + (sums + 1) * pixels + taps + _SPARE_REGISTERS


def residues(shifts: Sequence[int], stride: int, pixels: int, run: int) -> dict[int, int]:
    """Return how many columns of each residue of a stride windows see that begin `shifts` columns behind a piece's first one.

    >>> residues([3, 4, 5], 1, 4, 4), residues([0, 1, 2], 2, 4, 1)
    ({0: 12}, {0: 5, 1: 4})
    """
    found: dict[int, int] = {}
    for shift in shifts:
        column, residue = divmod(shift, stride)
        found[residue] = max(found.get(residue, 0), -(-(column + pixels) // run) * run)
    return found


def reach(taps: int, dilation: int) -> int:
    """Return the rows or columns from the first that a window sees to the last.

    >>> reach(3, 2)
    5
    """
    return (taps - 1) * dilation + 1


def columns_in_eights(seen: int, stride: int, run: int) -> int:
    """Return the columns that a piece's windows see, each `seen`, wherever padding lets them begin, read in runs of so many.

    >>> columns_in_eights(7, 1, 2), columns_in_eights(3, 2, 1)
    (2, 3)
    """
    return -(-((PIECE - 1) * stride + seen + run - 1) // PIECE)

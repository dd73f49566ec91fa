# SPDX-License-Identifier: MIT
"""Which columns of an image the windows of neighbouring pixels reach, as runs that lie a stride apart."""

from __future__ import annotations

from tracea_core.data import Data


class Piece(Data, frozen=True):
    """Columns of a window that lie a stride apart: `first` of them, counted in columns, `count` in all, and the taps that take a part.

    `taps` are (column of the filter, where its part begins).
    """

    first: int
    count: int
    taps: tuple[tuple[int, int], ...]


def pieces(columns: int, stride: int, dilation: int, pixels: int) -> tuple[Piece, ...]:
    """Return how the columns that `pixels` neighbouring windows reach are loaded.

    >>> [(piece.first, piece.count) for piece in pieces(columns=3, stride=2, dilation=1, pixels=4)]
    [(0, 5), (1, 4)]
    """
    found: list[Piece] = []
    for phase in dict.fromkeys(tap * dilation % stride for tap in range(columns)):
        taps = [(tap, tap * dilation // stride) for tap in range(columns) if tap * dilation % stride == phase]
        runs: list[list[tuple[int, int]]] = []
        for tap, place in taps:
            if runs and place - runs[-1][-1][1] <= pixels:
                runs[-1].append((tap, place))
            else:
                runs.append([(tap, place)])
        for run in runs:
            start, last = run[0][1], run[-1][1]
            parts = tuple((tap, place - start) for tap, place in run)
            found.append(Piece(phase + start * stride, pixels + last - start, parts))
    return tuple(found)

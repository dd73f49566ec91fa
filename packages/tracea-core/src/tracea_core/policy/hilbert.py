# SPDX-License-Identifier: MIT
"""A Hilbert-like curve through a grid of any extents, built level by level.

The classical curve needs a square of a power of two; cutting a rectangle out of it leaves jumps. Here a rectangle is
halved along its longer side, or cut into three turned pieces whose ends meet, until one-wide strips remain (the
generalized curve of J. Červený, https://github.com/jakubcerveny/gilbert). All rectangles of a level are cut at once, and
those that are small are walked as all of their shape, so the work is a few array operations per level and shape instead of a call per tile.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tracea_core.errors import ConfigurationError

_Vectors = npt.NDArray[np.int64]

_LARGEST_GRID = 1 << 24
_AT_ONCE = 1 << 15
_SMALL = 256
"""Tiles of a piece that is not cut further but walked as every other of its shape."""


def hilbert_curve(tiles_m: int, tiles_n: int) -> npt.NDArray[np.int64]:
    """Return the row-major indices of all tiles along the curve.

    Consecutive tiles are neighbours; at most one step is diagonal (for some extents an edge-only path does not exist).

    Raises
    ------
    ConfigurationError
        If the grid holds more than 2^24 tiles.
    """
    curve = np.empty(_checked(tiles_m, tiles_n), dtype=np.int64)
    for places, positions in _walked(tiles_m, tiles_n):
        curve[positions] = places
    return curve


def hilbert_positions(tiles_m: int, tiles_n: int) -> npt.NDArray[np.int64]:
    """Return for each row-major tile index its position along `hilbert_curve`."""
    found = np.empty(_checked(tiles_m, tiles_n), dtype=np.int64)
    for places, positions in _walked(tiles_m, tiles_n):
        found[places] = positions
    return found


def _checked(tiles_m: int, tiles_n: int) -> int:
    if tiles_m * tiles_n > _LARGEST_GRID:
        raise ConfigurationError(
            "the Hilbert order is built for grids of up to 2^24 tiles",
            hint="Use Order.Z, which needs no table",
            tiles=(tiles_m, tiles_n),
        )
    return tiles_m * tiles_n


def _walked(tiles_m: int, tiles_n: int) -> Iterator[tuple[_Vectors, _Vectors]]:
    """Yield row-major indices of tiles and their positions along the curve, a piece a line, shape by shape."""
    if tiles_m * tiles_n == 0:
        return
    start, a, b = _pieces(tiles_m, tiles_n, _SMALL)
    width, height = np.abs(a.sum(axis=1)), np.abs(b.sum(axis=1))
    areas = width * height
    first = np.cumsum(areas) - areas
    origin = start @ np.array([tiles_n, 1])
    along, across = (np.sign(side) @ np.array([tiles_n, 1]) for side in (a, b))
    shape = width * (height.max() + 1) + height
    for number in np.unique(shape):
        mine = np.flatnonzero(shape == number)
        i, j = _walk(int(width[mine[0]]), int(height[mine[0]]))
        for some in np.array_split(mine, -(-mine.size * i.size // _AT_ONCE)):  # what a cache holds
            places = origin[some, None] + along[some, None] * i + across[some, None] * j
            yield places, first[some, None] + np.arange(i.size)


def _pieces(tiles_m: int, tiles_n: int, small: int) -> tuple[_Vectors, _Vectors, _Vectors]:
    """Cut a grid until each piece is one wide or holds at most `small` tiles; return start and sides of each, along the curve.

    A rectangle is a start tile and two sides as vectors (row, column): the curve runs along `a` while `b` is crossed.
    """
    start = np.zeros((1, 2), dtype=np.int64)
    down, right = np.array([[tiles_m, 0]], dtype=np.int64), np.array([[0, tiles_n]], dtype=np.int64)
    a, b = (right, down) if tiles_n >= tiles_m else (down, right)
    while True:
        width, height = np.abs(a.sum(axis=1)), np.abs(b.sum(axis=1))
        open_ = (width > 1) & (height > 1) & (width * height > small)
        if not open_.any():
            return start, a, b
        start, a, b = _cut(start, a, b, width, height, open_)


def _walk(width: int, height: int) -> tuple[_Vectors, _Vectors]:
    """Return the tiles of one piece along the curve: how far along the first side, and how far along the second.

    How a rectangle is cut depends on its sides' lengths alone, so every piece of one shape is walked alike.
    """
    start, a, b = (np.zeros((1, 2), dtype=np.int64), np.array([[width, 0]]), np.array([[0, height]]))
    while True:
        wide, high = np.abs(a.sum(axis=1)), np.abs(b.sum(axis=1))
        open_ = (wide > 1) & (high > 1)
        if not open_.any():
            break
        start, a, b = _cut(start, a, b, wide, high, open_)
    step = np.where((high == 1)[:, None], np.sign(a), np.sign(b))
    length = np.where(high == 1, wide, high)
    along = np.arange(int(length.sum()), dtype=np.int64)
    along -= np.repeat(np.cumsum(length) - length, length)
    walked = np.repeat(start, length, axis=0) + along[:, None] * np.repeat(step, length, axis=0)
    return walked[:, 0], walked[:, 1]


def _cut(
    start: _Vectors, a: _Vectors, b: _Vectors, width: _Vectors, height: _Vectors, open_: npt.NDArray[np.bool_]
) -> tuple[_Vectors, _Vectors, _Vectors]:
    """Cut every open rectangle into two halves (long ones) or three turned pieces, keeping the order of the curve."""
    long = open_ & (2 * width > 3 * height)
    square = open_ & ~long
    pieces = np.where(long, 2, np.where(square, 3, 1))
    first = np.concatenate(([0], np.cumsum(pieces)[:-1]))
    step_a, step_b = np.sign(a), np.sign(b)
    # Cuts fall on even offsets where they can: odd pieces would end in the wrong corner.
    half_width, half_height = width // 2, height // 2
    half_width += long & (half_width % 2 == 1) & (width > 2)
    half_height += square & (half_height % 2 == 1) & (height > 2)
    half_a, half_b = step_a * half_width[:, None], step_b * half_height[:, None]

    total = int(pieces.sum())
    out_start, out_a, out_b = (np.empty((total, 2), dtype=np.int64) for _ in range(3))

    def put(where: npt.NDArray[np.bool_], piece: int, new: _Vectors, new_a: _Vectors, new_b: _Vectors) -> None:
        slots = first[where] + piece
        out_start[slots], out_a[slots], out_b[slots] = new[where], new_a[where], new_b[where]

    put(~open_, 0, start, a, b)
    put(long, 0, start, half_a, b)
    put(long, 1, start + half_a, a - half_a, b)
    put(square, 0, start, half_b, half_a)
    put(square, 1, start + half_b, a, b - half_b)
    put(square, 2, start + (a - step_a) + (half_b - step_b), -half_b, half_a - a)
    return out_start, out_a, out_b

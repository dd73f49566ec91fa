# SPDX-License-Identifier: MIT
"""Where a whole matrix lies that a warp loads or stores in an order of registers of its own: a first element and two distances."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Value, evaluate, symbols
from tracea_core.semantic.kernel import Buffer
from tracea_core.semantic.steps import BufferRef


class TilePlace(NamedTuple):
    """Distances in elements between neighbours in a column and in a row, one of which is 1."""

    by_row: int
    by_column: int

    @property
    def by_rows(self) -> bool:
        """Whether elements of a row are neighbours."""
        return self.by_column == 1

    @property
    def stride(self) -> int:
        """Distance between rows, or between columns where their elements are neighbours."""
        return self.by_row if self.by_rows else self.by_column


def tile_place(
    buffer: Buffer, place: BufferRef, shape: tuple[int, int], ranges: Mapping[str, range] | None = None
) -> TilePlace:
    """Return how the matrix of `shape` at `place` lies in a slot of `buffer`, the same for all values of its symbols.

    Parameters
    ----------
    ranges : mapping of str to range, optional
        All values of the symbols besides row and column; by default, they are looked at where they are 0.

    Raises
    ------
    ConfigurationError
        If neither rows nor columns are runs a fixed distance apart, or that differs from place to place.
    """
    used = sorted({name for index in place.coordinates for name in symbols(index)} - {ROW.name, COLUMN.name})
    given = itertools.product(*(range(1) if ranges is None else ranges[name] for name in used))
    found = {_steps(_offsets(buffer, place, shape, dict(zip(used, values, strict=True)))) for values in given}
    if len(found) != 1 or None in found:
        raise ConfigurationError(
            f"no matrix of {shape} lies in rows or columns a fixed distance apart", buffer=buffer.name
        )
    (only,) = found
    assert only is not None
    return only


def _offsets(buffer: Buffer, place: BufferRef, shape: tuple[int, int], values: Mapping[str, Value]) -> Integers:
    rows, columns = np.arange(shape[0])[:, None], np.arange(shape[1])[None, :]
    scope: dict[str, Value] = {**values, ROW.name: rows, COLUMN.name: columns}
    at = [np.broadcast_to(np.asarray(evaluate(index, scope), np.int64), shape) for index in place.coordinates]
    return buffer.layout.at(*at)


def _steps(offsets: Integers) -> TilePlace | None:
    found = TilePlace(int(offsets[1, 0] - offsets[0, 0]), int(offsets[0, 1] - offsets[0, 0]))
    rows, columns = np.arange(offsets.shape[0])[:, None], np.arange(offsets.shape[1])[None, :]
    even = (offsets == offsets[0, 0] + rows * found.by_row + columns * found.by_column).all()
    length = offsets.shape[1] if found.by_rows else offsets.shape[0]
    return found if even and 1 in found and found.stride >= length else None

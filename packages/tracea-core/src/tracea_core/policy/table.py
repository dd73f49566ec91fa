# SPDX-License-Identifier: MIT
"""The table of tiles: what each tile computes, in columns.

Columns rather than objects, because a graph may hold millions of tiles, is uploaded to devices as it is, and is proved
correct by array operations.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

COLUMNS = ("batch", "row", "column", "m0", "m1", "n0", "n1", "k0", "k1", "list0", "list1", "role")
"""Names of the columns in the order in which they are stored."""


class TileRole(enum.Enum):
    """What a tile needs: nothing special, masks, or not to run at all."""

    MAIN = "main"  # full size, every product wanted
    BOUNDARY = "boundary"  # clipped by an edge of the output, or crossed by an edge of the pattern: needs masks
    SKIP = "skip"  # known and never launched

    @property
    def code(self) -> int:
        """The number that stands for it in a table."""
        return ROLES.index(self)


ROLES = (TileRole.MAIN, TileRole.BOUNDARY, TileRole.SKIP)
"""Roles by the number that stands for them in a table."""


class TileMetadata(Data, frozen=True):
    """One tile: its place in the grid of output tiles, the part of k it sums, and its role.

    Attributes
    ----------
    region_m, region_n : int
        Tile row and tile column: the tile starts at element ``region_m · tile_m`` of m and ``region_n · tile_n`` of n.
    k_start, k_end : int
        Half-open range of k, in elements.
    role : TileRole
        A main tile that is clipped by the edge of the output becomes a boundary tile by itself.
    batch : int
        Which matrix of a batch.
    """

    region_m: int
    region_n: int
    k_start: int
    k_end: int
    role: TileRole = TileRole.MAIN
    batch: int = 0

    def __post_init__(self) -> None:
        if min(self.region_m, self.region_n, self.k_start, self.batch) < 0 or self.k_end < self.k_start:
            raise ConfigurationError("a tile has indices of at least 0 and k_start ≤ k_end", tile=self)


@dataclass(frozen=True, eq=False)
class TileTable:
    """Tiles in columns; all are int64 arrays of shape (tiles,) and read-only.

    Attributes
    ----------
    batch, row, column : array
        Matrix of the batch (or group), tile row and tile column.
    m0, m1, n0, n1, k0, k1 : array
        Half-open element ranges.
    list0, list1 : array
        Range of the graph's list of k blocks; equal if the tile sums all of k0 to k1.
    role : array
        Index into `ROLES`.
    """

    batch: Ints
    row: Ints
    column: Ints
    m0: Ints
    m1: Ints
    n0: Ints
    n1: Ints
    k0: Ints
    k1: Ints
    list0: Ints
    list1: Ints
    role: Ints

    def __post_init__(self) -> None:
        length = self.batch.shape
        for name in COLUMNS:
            column: Ints = getattr(self, name)
            if column.dtype != np.int64 or column.ndim != 1 or column.shape != length:
                raise ConfigurationError("columns of a table are int64 arrays of one length", column=name)
            column.setflags(write=False)
        if self.role.size and (self.role.min() < 0 or self.role.max() >= len(ROLES)):
            raise ConfigurationError(f"roles are numbers below {len(ROLES)}", column="role")

    def __len__(self) -> int:
        return self.batch.size

    @classmethod
    def from_columns(cls, columns: Sequence[npt.ArrayLike]) -> Self:
        """Return the table whose columns are given in the order of `COLUMNS`."""
        if len(columns) != len(COLUMNS):
            raise ConfigurationError(f"a table of tiles has {len(COLUMNS)} columns, not {len(columns)}")
        return cls(*(np.asarray(column, dtype=np.int64) for column in columns))

    def columns(self) -> tuple[Ints, ...]:
        """Return the columns in the order of `COLUMNS`."""
        return tuple(getattr(self, name) for name in COLUMNS)

    def take(self, tiles: Ints | Bools) -> TileTable:
        """Return the table of some of the tiles."""
        return TileTable(*(column[tiles] for column in self.columns()))

    def with_columns(self, **changed: npt.ArrayLike) -> TileTable:
        """Return a copy with some columns replaced."""
        return TileTable.from_columns([changed.get(name, getattr(self, name)) for name in COLUMNS])

    def metadata(self, tile: int) -> TileMetadata:
        """Return one tile as a value."""
        return TileMetadata(
            int(self.row[tile]),
            int(self.column[tile]),
            int(self.k0[tile]),
            int(self.k1[tile]),
            ROLES[int(self.role[tile])],
            int(self.batch[tile]),
        )

    @property
    def active(self) -> Bools:
        """Which tiles are launched."""
        launched: Bools = self.role != TileRole.SKIP.code
        return launched

    def same_output(self, one: Ints, other: Ints) -> Bools:
        """Whether tiles `one` and `other` add to the same output tile."""
        same: Bools = (
            (self.batch[one] == self.batch[other])
            & (self.row[one] == self.row[other])
            & (self.column[one] == self.column[other])
        )
        return same

# SPDX-License-Identifier: MIT
"""The elements of an access and what its symbols are worth for them, looked up in tables when somebody asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Value


class Held(NamedTuple):
    """A fragment's elements by (lane, register), their places in the row-major matrix, and the inverse where there is one.

    `first` has some register of each element, where each has one; `straight` says that registers are the matrix, lane by lane.
    """

    rows: Integers
    columns: Integers
    flat: Integers
    inverse: Integers | None
    shape: tuple[int, int]
    first: Integers | None
    straight: bool = False


class Table(NamedTuple):
    """Integers of a fragment's elements, by (…, warp or 1, row or 1, column or 1), and what was looked up in them."""

    values: Integers
    found: dict[object, Any]

    def course(self, width: int) -> int | None:
        """Return by how much values grow from column to column within runs of `width`: 0 or 1; None if by neither throughout."""
        if self.values.shape[-1] == 1:
            return 0
        key = ("course", width)
        if key not in self.found:
            self.found[key] = _course(self.values, width)
        return self.found[key]  # type: ignore[no-any-return]


def _course(values: Integers, width: int) -> int | None:
    if values.shape[-1] % width:
        return None
    steps = np.diff(values.reshape(*values.shape[:-1], -1, width))
    if not steps.any():
        return 0
    return 1 if (steps == 1).all() else None


class Elements(dict[str, Value]):
    """Values of symbols for elements by (lane, register).

    Parameters
    ----------
    known : mapping of str to value
        Of symbols that are no tables.
    rows, columns : array of int64, shape (lanes, registers)
        The elements' coordinates.
    tables : mapping of str to Table
        By symbol.
    key : object
        By which of the elements of all fragments and runs these are.
    """

    def __init__(
        self, known: Mapping[str, Value], rows: Integers, columns: Integers, tables: Mapping[str, Table], key: object
    ) -> None:
        super().__init__(known)
        self[ROW.name], self[COLUMN.name] = self.rows, self.columns = rows, columns
        self.known, self.tables, self.key = known, tables, key

    def __missing__(self, name: str) -> Integers:
        values, found = self.tables[name]
        if self.key not in found:
            tall, wide = values.shape[-2] > 1, values.shape[-1] > 1
            places = self.rows * tall, self.columns * wide  # arrays both, for the form of elements
            found[self.key] = values[..., *places]
        value: Integers = found[self.key]
        self[name] = value
        return value

    def firsts(self, width: int) -> Elements:
        """Return the same of the first element of each run of `width` registers."""
        rows, columns = self.rows[:, ::width], self.columns[:, ::width]
        return Elements(self.known, rows, columns, self.tables, (self.key, width))

    def matrices(self, shape: tuple[int, int]) -> dict[str, Value]:
        """Return the same for all elements of a matrix, by (row or 1, column or 1): what no column changes is one value for each row."""
        height, width = shape
        own: dict[str, Value] = {ROW.name: np.arange(height)[:, None], COLUMN.name: np.arange(width)[None, :]}
        tables = {
            name: table for name, table in self.tables.items() if name not in self.known
        }  # what was bound since hides them
        own |= {name: table.values[..., :height, :width] for name, table in tables.items()}
        return {**self.known, **own}

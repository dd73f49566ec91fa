# SPDX-License-Identifier: MIT
"""Which register of a CPU fragment holds what: lookups over its lane map, remembered because every step asks."""

from __future__ import annotations

import functools

import numpy as np
from tracea_core.errors import EmitError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers


@functools.lru_cache(maxsize=512)
def elements(layout: FragmentLayout) -> tuple[Integers, Integers]:
    """Return rows and columns by (lane, register)."""
    return layout.elements()


@functools.lru_cache(maxsize=512)
def register_by_row(layout: FragmentLayout) -> dict[int, int]:
    """Return the register that lane 0 holds each row in."""
    rows, _ = elements(layout)
    return {int(rows[0, register]): register for register in range(rows.shape[1])}


@functools.lru_cache(maxsize=512)
def register_by_column(layout: FragmentLayout) -> dict[int, int]:
    """Return the register that lane 0 holds each column in."""
    _, columns = elements(layout)
    return {int(columns[0, register]): register for register in range(columns.shape[1])}


@functools.lru_cache(maxsize=512)
def matching(source: FragmentLayout, target: FragmentLayout) -> tuple[int, ...]:
    """For each register of `target`, the register of `source` with the same elements in the same lanes, rows and columns broadcast.

    Raises
    ------
    EmitError
        If some lane would have to read another lane's register.
    """
    rows, columns = elements(target)
    own_rows, own_columns = elements(source)
    result = []
    for register in range(rows.shape[1]):
        wanted_row = rows[:, register] if source.shape[0] > 1 else np.zeros_like(rows[:, register])
        wanted_column = columns[:, register] if source.shape[1] > 1 else np.zeros_like(columns[:, register])
        hits = [
            candidate
            for candidate in range(own_rows.shape[1])
            if np.array_equal(own_rows[:, candidate], wanted_row)
            and np.array_equal(own_columns[:, candidate], wanted_column)
        ]
        if not hits:
            raise EmitError("an operand of an expression lies in other lanes than its target")
        result.append(hits[0])
    return tuple(result)

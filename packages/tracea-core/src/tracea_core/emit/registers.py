# SPDX-License-Identifier: MIT
"""Registers of a fragment: which elements the lanes of each hold, and what the register is called.

Lanes never exchange elements on a CPU, so the register of another fragment (a bias, a hoisted table) that goes with one
is found by equality of what their lanes hold.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from tracea_core.emit.linear import Linear, uniform
from tracea_core.errors import EmitError
from tracea_core.semantic.fragment import FragmentLayout


class Register(NamedTuple):
    """The row and column that each lane holds, and the suffix that names the register (``2_1``: row 2, vector 1)."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    suffix: str

    @property
    def row(self) -> Linear:
        """The row, for each lane where lanes differ."""
        return Linear(uniform(self.rows))

    @property
    def column(self) -> Linear:
        """The column, for each lane where lanes differ."""
        return Linear(uniform(self.columns))


@functools.lru_cache(maxsize=512)
def registers(layout: FragmentLayout) -> tuple[Register, ...]:
    """Return the registers of a fragment in order."""
    rows, columns = layout.elements()
    height, width = layout.shape
    found = []
    for number in range(layout.registers):
        r, c = tuple(int(x) for x in rows[:, number]), tuple(int(x) for x in columns[:, number])
        along = c[0] // layout.lanes if c == tuple(range(c[0], c[0] + layout.lanes)) else c[0]
        if len(set(r)) > 1:
            suffix = str(number)
        else:
            parts = [str(r[0])] * (height > 1) + [str(along)] * (width > 1)
            suffix = "_".join(parts)
        found.append(Register(r, c, suffix))
    if len({register.suffix for register in found}) < len(found):
        return tuple(register._replace(suffix=str(i)) for i, register in enumerate(found))
    return tuple(found)


@functools.lru_cache(maxsize=512)
def partners(layout: FragmentLayout, other: FragmentLayout) -> tuple[int, ...] | None:
    """Return, for each register of `layout`, the register of `other` whose lanes hold the same elements.

    Along an axis in which `other` has extent 1 it serves every coordinate. None if there is no such register.
    """
    tall, wide = other.shape[0] > 1, other.shape[1] > 1
    places: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for number, register in enumerate(registers(other)):
        places.setdefault((register.rows if tall else (), register.columns if wide else ()), number)
    found = [places.get((r.rows if tall else (), r.columns if wide else ())) for r in registers(layout)]
    return None if None in found else tuple(number for number in found if number is not None)


def partner(layout: FragmentLayout, other: FragmentLayout, register: int, what: str) -> int:
    """Return the register of `other` that goes with one of `layout`.

    Raises
    ------
    EmitError
        If lanes would have to exchange elements.
    """
    found = partners(layout, other)
    if found is None:
        raise EmitError(f"{what} is held by other lanes than those that use it", hint="Give it a matching lane map")
    return found[register]


@functools.lru_cache(maxsize=64)
def part(layout: FragmentLayout, whole: FragmentLayout, row: int, column: int) -> tuple[int, ...]:
    """Return the registers of `whole` that hold `layout`'s elements moved by (row, column).

    Raises
    ------
    EmitError
        If lanes would have to exchange elements.
    """
    places = {(r.rows, r.columns): number for number, r in enumerate(registers(whole))}
    found = []
    for register in registers(layout):
        key = (tuple(r + row for r in register.rows), tuple(c + column for c in register.columns))
        if key not in places:
            raise EmitError(f"the part at ({row}, {column}) lies in other lanes of the whole")
        found.append(places[key])
    return tuple(found)


def is_row_of_columns(register: Register) -> bool:
    """Whether the lanes hold consecutive columns of one row."""
    first = register.columns[0]
    return len(set(register.rows)) == 1 and register.columns == tuple(range(first, first + len(register.columns)))

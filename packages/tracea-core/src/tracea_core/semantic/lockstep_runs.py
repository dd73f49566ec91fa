# SPDX-License-Identifier: MIT
"""Accesses to global memory in runs, looked at by the first and the last element of each run.

A lane moves a run of registers as one access: consecutive places, aligned, all of them or none. Where a fragment's registers hold
consecutive columns of one row, and a place is the column plus what does not depend on it, consecutive they are; and a test that is
linear in the column holds within a run where it holds at both ends. So places are evaluated once for each run, and tests twice. Whatever
does not fit, or looks wrong at an end, is left to the way that looks at every element, which says what is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, TestFn, coefficient
from tracea_core.semantic.interpret import Environment
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.lockstep_places import Held, LockstepPlaces
from tracea_core.semantic.steps import Access, AsyncCopy, Load, Store, Transfer

Mask = npt.NDArray[np.bool_]


class Reached(NamedTuple):
    """What an access reaches: offsets in the memory of all launches, which of them move (None for all), and whether they are checked."""

    memory: Memory
    offsets: Integers
    mask: Mask | None
    checked: bool


class LockstepRuns(LockstepPlaces):
    """Places in global memory."""

    def _global(
        self, step: Load | Store | AsyncCopy, place: Access, layout: FragmentLayout, places: Environment,
        shape: tuple[int, ...], what: str,
    ) -> Reached:  # fmt: skip
        """Return what a step reaches in global memory; `checked` where it is known that it moves runs as it says."""
        memory = self.memory[place.operand]
        runs = self._of_runs(step, place, layout, places, shape)
        if runs is not None:
            return Reached(memory, *runs, True)
        mask = self._admitted(step.guard, places, shape)
        offsets = np.asarray(self.tables.value(place.offset, places), np.int64)
        offsets = offsets if offsets.shape == shape else np.broadcast_to(offsets, shape)
        return Reached(memory, self._in_lot(place, offsets, mask, what), mask, False)

    def _of_runs(
        self, step: Load | Store | AsyncCopy, place: Access, layout: FragmentLayout, places: Environment,
        shape: tuple[int, ...],
    ) -> tuple[Integers, Mask | None] | None:  # fmt: skip
        """Offsets in the memory of all launches, and which elements move, of an access that is checked; None where it is not."""
        width, held = step.width, self._held(layout)
        key = ("runs", id(step), id(layout))  # the kernel keeps both
        if width < 2 or not self.tables.once(key, lambda: (step, _follow(step, place, held)))[1]:
            return None
        starts: Environment = {}
        for name, value in places.items():
            if isinstance(value, np.ndarray) and value.shape[-2:] == held.shape:
                firsts = value[..., ::width]
                if name not in _OWN and (value.reshape(*firsts.shape, width) != firsts[..., None]).any():
                    return None
                value = firsts
            starts[name] = value
        run_shape = (*shape[:-1], shape[-1] // width)
        moved: Mask | None = None
        if step.guard:
            ends = {**starts, COLUMN.name: starts[COLUMN.name] + (width - 1)}
            first, last = (np.asarray(self.tables.holds(step.guard, part), np.bool_) for part in (starts, ends))
            if (first != last).any():
                return None
            moved = None if first.all() else np.broadcast_to(first, run_shape)
        offsets = np.asarray(self.tables.value(place.offset, starts), np.int64)
        offsets = offsets if offsets.shape == run_shape else np.broadcast_to(offsets, run_shape)
        wrong = offsets % width != 0
        lots = self.lots.get(place.operand)
        if lots is not None:
            begin, sizes = self.team.lots(lots)
            wrong |= (offsets.view(np.uint64) >= sizes) | ((offsets + (width - 1)).view(np.uint64) >= sizes)
            offsets = offsets + begin
        if (wrong if moved is None else wrong & moved).any():
            return None
        whole = (offsets[..., None] + np.arange(width)).reshape(shape)
        if moved is None:
            return whole, None
        return whole, np.broadcast_to(moved[..., None], (*run_shape, width)).reshape(shape)


_OWN = frozenset((ROW.name, COLUMN.name))


def _follow(step: Load | Store | AsyncCopy, place: Access, held: Held) -> bool:
    """Whether registers hold runs of columns, places follow the columns, and tests are linear in them."""
    if not isinstance(step, AsyncCopy) and step.transfer is not Transfer.GATHER:
        return False
    lanes, registers = held.shape
    if registers % step.width:
        return False
    rows, columns = (part.reshape(lanes, -1, step.width) for part in (held.rows, held.columns))
    runs = (rows == rows[..., :1]).all() and (columns == columns[..., :1] + np.arange(step.width)).all()
    return bool(runs) and coefficient(place.offset, COLUMN.name) == Const(1) and _linear(step.guard)


def _linear(guard: Guard) -> bool:
    for test in guard:
        steps = [coefficient(side, COLUMN.name) for side in (test.left, test.right)]
        if not all(isinstance(step, Const) for step in steps):
            return False
        if test.fn not in (TestFn.LT, TestFn.LE) and steps != [Const(0), Const(0)]:
            return False
    return True

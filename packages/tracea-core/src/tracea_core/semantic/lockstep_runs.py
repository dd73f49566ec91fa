# SPDX-License-Identifier: MIT
"""Accesses to global memory in runs, looked at by the first and the last element of each run.

A lane moves a run of registers as one access: consecutive places, aligned, all of them or none. Where a fragment's registers hold
consecutive columns of one row, and a place is the column plus what does not depend on it, consecutive they are; and a test that is
linear in the column holds within a run where it holds at both ends. So places are evaluated once for each run, and tests twice. Whatever
does not fit, or looks wrong at an end, is left to the way that looks at every element, which says what is wrong.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, Const, Guard, Index, Test, TestFn, coefficient
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import astray
from tracea_core.semantic.lockstep_elements import Elements, Held
from tracea_core.semantic.lockstep_grains import taken
from tracea_core.semantic.lockstep_places import LockstepPlaces
from tracea_core.semantic.steps import Access, AsyncCopy, Load, Store, Transfer

Mask = npt.NDArray[np.bool_]
_T = TypeVar("_T", np.int64, np.bool_)


class Reached(NamedTuple):
    """What an access reaches: offsets in the memory of all launches, which of them move (None for all), and whether they are checked.

    Each offset is that of the first of `run` elements, which move together. Where what moves is known to lie `inside` of memory that holds
    something everywhere, nothing else is asked of it.
    """

    memory: Memory
    offsets: Integers
    mask: Mask | None
    checked: bool
    run: int = 1
    inside: bool = False

    def read(self, fill: float) -> Array:
        """Return what lies there, by (…, warp, lane, register), and `fill` where nothing moves."""
        if self.inside and self.run == 1:
            values = self.memory.values.take(self.offsets, mode="clip")
            return values if self.mask is None else np.where(self.mask, values, fill)
        runs = self.offsets // self.run
        if self.mask is None:
            return taken(self.memory.values, runs, self.run) if self.run > 1 else self.memory.read(self.offsets)
        found = np.full((*runs.shape[:-1], runs.shape[-1] * self.run), fill)
        if self.run == 1:
            found[self.mask] = self.memory.read(self.offsets[self.mask])
        else:
            as_one = f"V{self.run * found.itemsize}"
            found.view(as_one)[self.mask] = self.memory.values.view(as_one).take(runs[self.mask])
        return found


class LockstepRuns(LockstepPlaces):
    """Places in global memory."""

    def _global(
        self, step: Load | Store | AsyncCopy, place: Access, layout: FragmentLayout, places: Elements,
        shape: tuple[int, ...], what: str,
    ) -> Reached:  # fmt: skip
        """Return what a step reaches in global memory; `checked` where it is known that it moves runs as it says."""
        memory = self.memory[place.operand]
        runs = self._of_runs(step, place, layout, places, shape)
        if runs is not None:
            inside = place.operand in self.lots and memory.values.size % step.width == 0  # which was looked at
            if inside and memory.whole and not isinstance(step, Store):
                return Reached(memory, *runs, True, step.width)
            return Reached(memory, *_expanded(*runs, step.width), True)
        held = self._held(layout)
        if held.inverse is None and held.first is None:  # elements that nobody holds may lie anywhere
            mask = self._admitted(step.guard, places, shape)
            offsets = np.asarray(self.tables.value(place.offset, places), np.int64)
            offsets = offsets if offsets.shape == shape else np.broadcast_to(offsets, shape)
            return Reached(memory, self._in_lot(place, offsets, mask, what), mask, False)
        matrices, whole = places.matrices(layout.shape), (*shape[:-2], *layout.shape)
        mask = self._admitted(step.guard, matrices, whole)
        offsets = np.asarray(self.tables.value(place.offset, matrices), np.int64)
        if offsets.shape[-2:] != layout.shape:
            offsets = np.broadcast_to(offsets, (*offsets.shape[:-2], *layout.shape))
        offsets = _by_register(self._in_lot(place, offsets, mask, what), held)
        offsets = offsets if offsets.shape == shape else np.broadcast_to(offsets, shape)
        inside = place.operand in self.lots and memory.whole and memory.values.size > 0
        return Reached(memory, offsets, None if mask is None else _by_register(mask, held), False, inside=inside)

    def _of_runs(
        self, step: Load | Store | AsyncCopy, place: Access, layout: FragmentLayout, places: Elements,
        shape: tuple[int, ...],
    ) -> tuple[Integers, Mask | None] | None:  # fmt: skip
        """Where runs begin in the memory of all launches, and which move, of an access that is checked; None where it is not."""
        width, held = step.width, self._held(layout)
        key = ("runs", id(step), id(layout))  # the kernel keeps both
        if width < 2 or not self.tables.once(key, lambda: (step, _in_runs(step, held)))[1]:
            return None
        courses = {name: table.course(width) for name, table in places.tables.items()}
        moving = frozenset((COLUMN.name, *(name for name, course in courses.items() if course)))
        follow = self.tables.once((*key, moving), lambda: (step, _follow(place, step.guard, moving)))[1]
        if None in courses.values() or not follow:
            return None
        starts = places.firsts(width)
        run_shape = (*shape[:-1], shape[-1] // width)
        moved: Mask | None = None
        if step.guard:
            ends: Environment = {**starts, **{name: starts[name] for name in courses}}
            ends |= {name: starts[name] + (width - 1) for name in moving}
            first, last = (np.asarray(self.tables.holds(step.guard, part), np.bool_) for part in (starts, ends))
            if (first != last).any():
                return None
            moved = None if first.all() else np.broadcast_to(first, run_shape)
        offsets = np.asarray(self.tables.value(place.offset, starts), np.int64)
        offsets = offsets if offsets.shape == run_shape else np.broadcast_to(offsets, run_shape)
        wrong = astray(offsets, width)
        lots = self.lots.get(place.operand)
        if lots is not None:
            begin, sizes = self.team.lots(lots)
            wrong |= (offsets.view(np.uint64) >= sizes) | ((offsets + (width - 1)).view(np.uint64) >= sizes)
            offsets = offsets + begin
        if (wrong if moved is None else wrong & moved).any():
            return None
        return offsets, moved


def _by_register(matrices: npt.NDArray[_T], held: Held) -> npt.NDArray[_T]:
    """What matrices say of their elements, by (…, lane, register)."""
    if held.straight:
        return matrices.reshape(*matrices.shape[:-2], *held.shape)
    return matrices.reshape(*matrices.shape[:-2], -1).take(held.flat, axis=-1)


def _expanded(starts: Integers, moved: Mask | None, width: int) -> tuple[Integers, Mask | None]:
    """The places of all elements of runs, and which of them move."""
    shape = (*starts.shape[:-1], starts.shape[-1] * width)
    places = (starts[..., None] + np.arange(width)).reshape(shape)
    return places, None if moved is None else np.repeat(moved, width, axis=-1)


def _in_runs(step: Load | Store | AsyncCopy, held: Held) -> bool:
    """Whether registers hold runs of columns that begin at multiples of their length."""
    if not isinstance(step, AsyncCopy) and step.transfer is not Transfer.GATHER:
        return False
    lanes, registers = held.shape
    if registers % step.width:
        return False
    rows, columns = (part.reshape(lanes, -1, step.width) for part in (held.rows, held.columns))
    runs = (rows == rows[..., :1]).all() and (columns == columns[..., :1] + np.arange(step.width)).all()
    return bool(runs) and not (columns[..., 0] % step.width).any()


def _follow(place: Access, guard: Guard, moving: frozenset[str]) -> bool:
    """Whether places grow by 1 as the `moving` symbols do, and tests are linear in them."""
    slopes = _slopes(place.offset, moving)
    return slopes is not None and sum(slopes) == 1 and all(_linear(test, moving) for test in guard)


def _linear(test: Test, moving: frozenset[str]) -> bool:
    left, right = (_slopes(side, moving) for side in (test.left, test.right))
    if left is None or right is None:
        return False
    return test.fn in (TestFn.LT, TestFn.LE) or not any((*left, *right))


def _slopes(expr: Index, moving: frozenset[str]) -> list[int] | None:
    """By how much an expression grows with each symbol; None if by no constant."""
    found = [coefficient(expr, name) for name in moving]
    return [one.value for one in found if isinstance(one, Const)] if all(isinstance(o, Const) for o in found) else None

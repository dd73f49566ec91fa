# SPDX-License-Identifier: MIT
"""Loads and stores of iterations that are carried out at once: which elements of which memory each of them touches.

Places are arrays by (iteration, lane, register). Where a step of one row goes along consecutive columns, its first one and the last decide
whether all lie inside and whether rows meet; where all lanes load the same, one of them is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.flat_loops import Iterations, Touched
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, Const, coefficient, symbols
from tracea_core.semantic.interpret import Array, Environment, Interpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, alike, check_moved
from tracea_core.semantic.kernel import Fragment, Role
from tracea_core.semantic.lockstep_team import Divergence
from tracea_core.semantic.steps import Access, BufferRef, Load, Store, Transfer

_FIRST = np.zeros((1, 1), np.int64)
_EACH = Const(1)


class Along(NamedTuple):
    """Consecutive columns that a step goes along: by (lane, register), and the last."""

    columns: Integers
    last: int


class Moved(NamedTuple):
    """What a step moves: memory, places by (iteration, lane, register), and which of them, if not all.

    Where all are moved and columns follow each other, `first` is where each iteration's first one lies.
    """

    memory: Memory
    offsets: Integers
    mask: npt.NDArray[np.bool_] | None
    first: Integers | None


def _far_apart(first: Integers, fragment: Fragment) -> bool:
    """Whether rows of a fragment's columns from `first` on have no element in common, and neither has one twice."""
    ordered = np.sort(first, axis=None)
    return fragment.layout.is_partition() and bool((np.diff(ordered) >= fragment.layout.shape[1]).all())


class MovesInterpreter(Interpreter):
    """What `tracea_core.semantic.interpret_loops` moves."""

    def _fragment(self, role: Role, name: str) -> Fragment:
        found = self.tables.once(("fragments", id(role)), lambda: {one.name: one for one in role.fragments})
        return found[name] if name in found else role.fragment(name)

    def _tabled(self, these: Iterations, fragment: Fragment, places: tuple[Integers, Integers]) -> Environment:
        """What is known at a step of `fragment`: symbols, and of the iterations' own tables what its elements find there."""
        found: dict[str, Any] = dict(these.scope)
        height, width = fragment.layout.shape
        rows, columns = places
        for name, table in these.tables.values.items():
            if name in these.tables.valid:
                found[name] = None  # which no step can use
                continue
            tall, wide = table.shape[1] > 1, table.shape[2] > 1
            if (not tall or height <= table.shape[1]) and (not wide or width <= table.shape[2]):
                found[name] = table[:, rows if tall else _FIRST, columns if wide else _FIRST]
        found |= {"row": rows, "column": columns}
        for name, (_, table) in these.instance.tables.items():
            tall, wide = table.shape[0] > 1, table.shape[1] > 1
            if (not tall or height <= table.shape[0]) and (not wide or width <= table.shape[1]):
                found.setdefault(name, table[rows if tall else 0, columns if wide else 0])
        return found

    def _elements(self, step: Load | Store, fragment: Fragment) -> tuple[Integers, Integers]:
        """Rows and columns by (lane, register); of one lane where a step loads the same into all of them."""

        def compute() -> tuple[tuple[Integers, Integers], FragmentLayout]:
            rows, columns = self.tables.elements(fragment.layout)
            return (rows[:1], columns[:1]) if alike(fragment.layout) else (rows, columns), fragment.layout

        if isinstance(step, Load) and step.transfer is Transfer.BROADCAST and step.width == 1:
            return self.tables.once(("lane", id(fragment.layout)), compute)[0]
        return self.tables.elements(fragment.layout)

    def _moved(self, step: Load | Store, these: Iterations) -> Moved:
        """What a step touches, which lies inside and is moved as the step says."""
        instance, place = these.instance, step.source if isinstance(step, Load) else step.target
        fragment = self._fragment(instance.role, step.fragment)
        elements = self._elements(step, fragment)
        named, shape = self._tabled(these, fragment, elements), (these.count, *elements[0].shape)
        mask = None
        if step.guard:
            mask = np.broadcast_to(self.tables.holds(step.guard, named), shape)
            mask = None if mask.all() else mask
        memory, starts, sizes = self._region(place, these)
        what = f"the {'load' if isinstance(step, Load) else 'store'} of {step.fragment!r}"
        along = self._columns(step, instance.role)
        first = None if along is None else self._first(place, named, along.last, these)
        if along is not None and first is not None:
            if mask is None:
                wrong = (first < 0) | (first >= sizes - along.last)
                if wrong.any():
                    self._blame(wrong, None, these)
                    raise InterpretError(f"{what} touches elements beyond {memory.name!r}")
                first = first if starts is None else first + starts
                return Moved(memory, first + along.columns, None, first)
            offsets = first + along.columns
        else:
            offsets = np.broadcast_to(self._offsets_each(place, named, shape, these), shape)
            everywhere = self.tables.every(shape[1:]) if mask is None else mask
            singles = check_moved(step, fragment, offsets, np.broadcast_to(everywhere, shape), instance.role)
            self._transfer(step.transfer, singles, everywhere, what)
        beyond = (offsets < 0) | (offsets >= sizes)
        beyond = beyond if mask is None else beyond & mask
        if beyond.any():
            self._blame(beyond, None, these)
            raise InterpretError(f"{what} touches elements beyond {memory.name!r}")
        return Moved(memory, offsets if starts is None else offsets + starts, mask, None)

    def _offsets_each(
        self, place: Access | BufferRef, named: Environment, shape: tuple[int, ...], these: Iterations
    ) -> Integers:
        if isinstance(place, Access):
            return np.asarray(self.tables.value(place.offset, named), np.int64)
        return self._buffer_offsets(place, named, shape, self._limit(place.buffer, these))

    def _first(self, place: Access | BufferRef, named: Environment, last: int, these: Iterations) -> Integers | None:
        """Where the first column of each iteration lies; None if others need not follow it."""
        shape = (these.count, 1, 1)
        first = self._offsets_each(place, {**named, "row": 0, "column": 0}, shape, these)
        if first.shape not in (shape, (1, 1, 1), ()):
            return None  # a table of columns
        if isinstance(place, BufferRef):  # the last column lies within its axis as well
            end = self._offsets_each(place, {**named, "row": 0, "column": last}, shape, these)
            if (end != first + last).any():
                return None
        return np.broadcast_to(first, shape)

    def _columns(self, step: Load | Store, role: Role) -> Along | None:
        """The columns that a step of one row goes along, where its place is the column plus what does not depend on it."""

        def compute() -> tuple[Load | Store, Along | None]:
            place = step.source if isinstance(step, Load) else step.target
            fragment = self._fragment(role, step.fragment)
            columns = self.tables.elements(fragment.layout)[1]
            parts = (place.offset,) if isinstance(place, Access) else place.coordinates
            along = [part for part in parts if COLUMN.name in symbols(part)]
            plain = step.width == 1 and step.transfer in (Transfer.VECTOR, Transfer.GATHER)
            if not plain or fragment.layout.shape[0] != 1 or len(along) != 1:
                return step, None
            if coefficient(along[0], COLUMN.name) != _EACH:
                return step, None
            self._transfer(step.transfer, columns, self.tables.every(columns.shape), f"what {step.fragment!r} moves")
            return step, Along(columns, int(columns.max()))

        return self.tables.once(("columns", id(step)), compute)[1]

    def _region(self, place: Access | BufferRef, these: Iterations) -> tuple[Memory, Integers | None, Any]:
        """The memory that a place lies in; where each iteration's part of it begins (None: at its first element), and its size."""
        if isinstance(place, Access):
            memory = self.memory[place.operand]
            return memory, None, memory.values.size
        if place.buffer in these.private and place.rank is None:
            copies, rows = these.private[place.buffer]
            memory, starts, sizes = copies.of(place.buffer, self._size(place.buffer))
            return memory, starts[rows][:, None, None], sizes[rows][:, None, None]
        rank = None if place.rank is None else int(self.tables.value(place.rank, these.scope))
        memory = self._buffer_memory(place.buffer, these.instance, rank)
        return memory, None, memory.values.size

    def _limit(self, name: str, these: Iterations) -> Any:
        """How often a buffer's layout repeats, by iteration where that differs; None for what its extent is worth."""
        return None

    def _size(self, name: str) -> int | Integers:
        """How many elements a buffer has, by run where there are several."""
        buffer = self.kernel.buffer(name)
        repetitions = 1 if buffer.extent is None else int(self.tables.value(buffer.extent, self.symbols))
        return buffer.layout.size * repetitions * buffer.slots

    def _load_each(self, step: Load, these: Iterations) -> None:
        memory, offsets, mask, _ = self._moved(step, these)
        if mask is None:
            values, touched = self._read(memory, offsets, mask, these), offsets
        else:
            values, touched = np.full(offsets.shape, step.fill), offsets[mask]
            values[mask] = self._read(memory, touched, mask, these)
        layout = self._fragment(these.instance.role, step.fragment).layout
        these.fragments.hold(step.fragment, np.broadcast_to(values, (these.count, layout.lanes, layout.registers)))
        self._touch(step, memory, touched, mask, these)

    def _read(self, memory: Memory, places: Integers, mask: Any, these: Iterations) -> Array:
        try:
            return memory.read_span(places)
        except InterpretError:
            self._blame(memory.written.take(places) == 0, mask, these)
            raise

    def _blame(self, wrong: npt.NDArray[np.bool_], mask: Any, these: Iterations) -> None:
        """What a machine of several launches remembers of elements that are refused: of those that `mask` lets pass, or of all."""

    def _store_each(self, step: Store, these: Iterations) -> None:
        memory, offsets, mask, first = self._moved(step, these)
        values = self._held_by(step.fragment, these)
        values = np.broadcast_to(values, (these.count, *values.shape[1:]))
        if values.shape != offsets.shape:
            raise InterpretError(f"{step.fragment!r} holds {values.shape[1:]} where {offsets.shape[1:]} are stored")
        places, values = (offsets, values) if mask is None else (offsets[mask], values[mask])
        if not memory.writable:
            raise InterpretError(f"{memory.name!r} is written, but it is an input")
        if isinstance(place := step.target, BufferRef) and place.buffer in these.private:
            apart = first is not None and _far_apart(first, self._fragment(these.instance.role, step.fragment))
            if not memory.write_apart(places, values, distinct=apart):
                raise Divergence
            return
        self._touch(step, memory, places, mask, these)
        these.storing.append((memory, places, values))

    def _touch(self, step: Load | Store, memory: Memory, places: Integers, mask: Any, these: Iterations) -> None:
        """Remember what a step touched: `places` of those that `mask` lets pass, or all."""
        these.touched.append(Touched(step, memory, places))

    def _held_by(self, name: str, these: Iterations) -> Array:
        """A fragment's registers by (iteration or 1, lane, register)."""
        known = these.fragments.get(name)
        if known is None and name not in these.instance.registers:
            self._blame(np.ones((1, 1, 1), np.bool_), None, these)
        return self._register(these.instance, name)[None] if known is None else known

# SPDX-License-Identifier: MIT
"""Loads and stores of iterations that are carried out at once: which elements of which memory each of them touches.

Places are arrays by (iteration, lane, register). Where it is known how a step's elements lie to each other
(`tracea_core.semantic.spread_places`), the place of an iteration's first one decides whether all lie inside and whether iterations meet;
where all lanes load the same, one of them is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.flat_loops import Iterations, Touched
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW
from tracea_core.semantic.interpret import Array, Environment, Interpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, alike, check_moved
from tracea_core.semantic.kernel import Fragment, Role
from tracea_core.semantic.lockstep_team import Divergence
from tracea_core.semantic.spread_places import Elements, Spread, spread
from tracea_core.semantic.steps import Access, BufferRef, Load, Store, Transfer

_FIRST = np.zeros((1, 1), np.int64)


class Moved(NamedTuple):
    """What a step moves: memory, places by (iteration, lane, register), and which of them, if not all.

    Where it is known, `first` is where each iteration's first one lies, and `spread` how the others lie to it.
    """

    memory: Memory
    offsets: Integers
    mask: npt.NDArray[np.bool_] | None
    first: Integers | None
    spread: Spread | None


def _far_apart(first: Integers, known: Spread) -> bool:
    """Whether the elements of iterations that begin at `first` have none in common, and none comes twice in one."""
    ordered = np.sort(first, axis=None)
    reach = known.reach
    return reach is not None and reach.apart and bool((ordered[1:] - ordered[:-1] > reach.high - reach.low).all())


def whole(values: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return ``np.broadcast_to(values, shape)``, which takes its time where nothing is to be done."""
    return values if values.shape == shape else np.broadcast_to(values, shape)


def _any(found: Any) -> bool:
    """Whether a test holds anywhere: of integers, or of arrays of them."""
    return found if isinstance(found, bool) else bool(found.any())


class MovesInterpreter(Interpreter):
    """What `tracea_core.semantic.interpret_loops` moves."""

    def _fragment(self, role: Role, name: str) -> Fragment:
        found = self.tables.once(("fragments", id(role)), lambda: {one.name: one for one in role.fragments})
        return found[name] if name in found else role.fragment(name)

    def _tabled(self, these: Iterations, fragment: Fragment, places: Elements) -> Environment:
        """What is known at a step of `fragment`: symbols, and of the iterations' own tables what its elements find there.

        A symbol that was bound since hides the table of its name: a table that is made takes the symbol's place.
        """
        found: dict[str, Any] = dict(these.scope)
        height, width = fragment.layout.shape
        rows, columns = places.rows, places.columns
        for name, table in these.tables.values.items():
            if name in these.scope:
                continue
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

    def _elements(self, step: Load | Store, fragment: Fragment) -> Elements:
        """Rows and columns by (lane, register); of one lane where a step loads the same into all of them."""
        broadcast = isinstance(step, Load) and step.transfer is Transfer.BROADCAST and step.width == 1
        return self._held_in(fragment.layout, one=broadcast and alike(fragment.layout))

    def _held_in(self, layout: FragmentLayout, one: bool = False) -> Elements:
        """The elements of all lanes, or of the first one."""

        def compute() -> tuple[Elements, FragmentLayout]:
            rows, columns = self.tables.elements(layout)
            return Elements(rows[:1], columns[:1]) if one else Elements(rows, columns), layout

        return self.tables.once(("lane" if one else "lanes of", id(layout)), compute)[0]

    def _moved(self, step: Load | Store, these: Iterations) -> Moved:
        """What a step touches, which lies inside and is moved as the step says."""
        instance, place = these.instance, step.source if isinstance(step, Load) else step.target
        fragment = self._fragment(instance.role, step.fragment)
        elements = self._elements(step, fragment)
        named, shape = self._tabled(these, fragment, elements), (these.count, *elements.rows.shape)
        mask = None
        if step.guard:
            mask = np.asarray(self.tables.holds(step.guard, named))
            mask = None if mask.all() else whole(mask, shape)
        memory, starts, sizes = self._region(place, these)
        known = self._spread(step, elements)
        if known is not None:
            lying = self._lying(place, named, known, sizes, these)
            if lying is not None:
                first, offsets = lying
                first, offsets = (first, offsets) if starts is None else (first + starts, offsets)
                return Moved(memory, whole(first + offsets, shape), mask, first, known)
        what = f"the {'load' if isinstance(step, Load) else 'store'} of {step.fragment!r}"
        offsets = whole(self._offsets_each(place, named, shape, these), shape)
        everywhere = self.tables.every(shape[1:]) if mask is None else mask
        singles = check_moved(step, fragment, offsets, np.broadcast_to(everywhere, shape), instance.role)
        self._transfer(step.transfer, singles, everywhere, what)
        beyond = (offsets < 0) | (offsets >= sizes)
        beyond = beyond if mask is None else beyond & mask
        if beyond.any():
            self._blame(beyond, None, these)
            raise InterpretError(f"{what} touches elements beyond {memory.name!r}")
        return Moved(memory, offsets if starts is None else offsets + starts, mask, None, None)

    def _offsets_each(
        self, place: Access | BufferRef, named: Environment, shape: tuple[int, ...], these: Iterations
    ) -> Integers:
        if isinstance(place, Access):
            return np.asarray(self.tables.value(place.offset, named), np.int64)
        return self._buffer_offsets(place, named, shape, self._limit(place.buffer, these))

    def _spread(self, step: Load | Store, elements: Elements) -> Spread | None:
        """How the elements of a step lie to each other, where that can be known of all iterations."""

        def strides(name: str) -> list[tuple[int, int | None]] | None:
            buffer = self.kernel.buffer(name)
            found = self.tables.strides(buffer)
            if found is None:
                return None
            repeated = [] if buffer.extent is None else [(self.tables.sizes[name], None)]
            return [*repeated, *zip(found, buffer.layout.shape, strict=True)]

        return self.tables.once(("spread", id(step)), lambda: (step, spread(step, elements, strides)))[1]

    def _lying(
        self, place: Access | BufferRef, named: Environment, known: Spread, sizes: Any, these: Iterations
    ) -> tuple[Integers, Integers] | None:
        """Where the first element of each iteration lies, and how far from it all are; None unless all are known to lie inside."""
        at_first = {**named, ROW.name: 0, COLUMN.name: 0}
        first = self._first(place, at_first, known, these)
        alone = ((), (1, 1, 1), (these.count, 1, 1))  # else it is one of a table of rows or columns
        if first is None or np.shape(first) not in alone:
            return None
        low: Any
        high: Any
        if known.reach is not None:
            offsets, low, high = known.reach.offsets, known.reach.low, known.reach.high
        else:
            row, column = self.tables.value(known.row, at_first), self.tables.value(known.column, at_first)
            if np.shape(row) not in alone or np.shape(column) not in alone:
                return None
            corners = row * known.elements.tall, column * known.elements.wide
            low, high = (extreme(corners[0], 0) + extreme(corners[1], 0) for extreme in (np.minimum, np.maximum))
            offsets = known.elements.rows * row + known.elements.columns * column
        if _any((first + low < 0) | (first + high >= sizes)):
            return None
        return whole(np.asarray(first), (these.count, 1, 1)), offsets

    def _first(self, place: Access | BufferRef, at_first: Environment, known: Spread, these: Iterations) -> Any:
        """Where the first element of each iteration lies; None if one leaves an axis of a buffer."""
        if isinstance(place, Access):
            return self.tables.value(place.offset, at_first)
        total: Any = 0
        for part, axis in zip(place.coordinates, known.axes, strict=True):
            value, extent = self.tables.value(part, at_first), axis.extent
            if extent is None:
                extent = self._limit(place.buffer, these)
                extent = self._repetitions(place.buffer) if extent is None else extent
            if _any((value + axis.low < 0) | (value + axis.high >= extent)):
                return None
            total = total + value * axis.stride
        if place.slot is not None:
            total = total + self.tables.value(place.slot, at_first) * self.tables.sizes[place.buffer]
        return total

    def _region(self, place: Access | BufferRef, these: Iterations) -> tuple[Memory, Integers | None, Any]:
        """The memory that a place lies in; where each iteration's part of it begins (None: at its first element), and its size."""
        if isinstance(place, Access):
            memory = self.memory[place.operand]
            return memory, None, memory.values.size
        if place.buffer in these.private and place.rank is None:
            copies, rows = these.private[place.buffer]
            memory, starts, sizes = copies.of(place.buffer, self._size)
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
        return buffer.layout.size * self._repetitions(name) * buffer.slots

    def _repetitions(self, name: str) -> int:
        """How often a buffer's layout repeats, where launches do not differ."""
        extent = self.kernel.buffer(name).extent
        return 1 if extent is None else int(self.tables.value(extent, self.symbols))

    def _load_each(self, step: Load, these: Iterations) -> None:
        memory, offsets, mask, _, _ = self._moved(step, these)
        if mask is None:
            values, touched = self._read(memory, offsets, mask, these), offsets
        else:
            values, touched = np.full(offsets.shape, step.fill), offsets[mask]
            values[mask] = self._read(memory, touched, mask, these)
        layout = self._fragment(these.instance.role, step.fragment).layout
        these.fragments.hold(step.fragment, whole(values, (these.count, layout.lanes, layout.registers)))
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
        memory, offsets, mask, first, known = self._moved(step, these)
        values = self._held_by(step.fragment, these)
        values = whole(values, (these.count, *values.shape[1:]))
        if values.shape != offsets.shape:
            raise InterpretError(f"{step.fragment!r} holds {values.shape[1:]} where {offsets.shape[1:]} are stored")
        places, values = (offsets, values) if mask is None else (offsets[mask], values[mask])
        if not memory.writable:
            raise InterpretError(f"{memory.name!r} is written, but it is an input")
        if isinstance(place := step.target, BufferRef) and place.buffer in these.private:
            apart = first is not None and known is not None and _far_apart(first, known)
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

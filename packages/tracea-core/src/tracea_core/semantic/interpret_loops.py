# SPDX-License-Identifier: MIT
"""Loops whose iterations know nothing of each other, carried out at once: each step for all of them, as one array operation.

A worker's inner loops move elements and add products: what an iteration loads it has not stored, a fragment that it uses it has
written itself or nobody has in the loop, and sums that it has not begun itself are added to alone
(`tracea_core.semantic.apart_loops`). Then no order of the iterations can be told from another, and registers and places get one axis
more, (iteration, lane, register); where iterations branch, those that go one way are carried out together. What a step does, checks and
refuses is what it does alone: if anything is refused before memory has changed, the loop is carried out one iteration after the other
instead, which says which it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.errors import ConfigurationError, TraceaError
from tracea_core.ops.expr import evaluate as evaluate_expr
from tracea_core.semantic.apart_loops import are_apart
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array, Environment, Instance, Interpreter, Pause
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import (
    InterpretError,
    check_moved,
    gather,
    gather_each,
    scatter,
    scatter_each,
)
from tracea_core.semantic.kernel import Actor, Fragment
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lockstep_team import Divergence, same
from tracea_core.semantic.steps import (
    Access,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    Store,
    Turn,
)

_FEW = 2
"""Iterations that are not worth it."""
_AT_ONCE = 512
"""Iterations carried out together at most, for their arrays to stay small."""
_WAYS = 6
"""In how many ways iterations that are carried out together may branch."""
_ONE = np.zeros((1, 1), np.int64)


class _Touched(NamedTuple):
    """What a step touched in all iterations."""

    step: Load | Store
    memory: Memory
    places: Integers


class _Iterations:
    """What a loop's iterations hold: values of symbols along their axis, fragments and tables so far, sums, and what they touched."""

    def __init__(self, instance: Instance, scope: Environment, count: int) -> None:
        self.instance, self.scope, self.count = instance, scope, count
        self.fragments: dict[str, Array] = {}
        self.tables: dict[str, tuple[Fragment, Integers]] = {}
        self.sums: dict[str, tuple[FragmentLayout, Array]] = {}
        self.touched: list[_Touched] = []
        self.storing: list[tuple[Memory, Integers, Array]] = []

    def branch(self, holds: Any) -> bool:
        """Return which way all iterations go.

        Raises
        ------
        _Branches
            If some go another way than others.
        """
        taken = np.broadcast_to(np.asarray(holds, np.bool_), (self.count, 1, 1))[:, 0, 0]
        if taken.any() and not taken.all():
            raise _Branches(taken)
        return bool(taken[0])


class _Branches(Divergence):
    """Iterations that take different branches."""

    def __init__(self, taken: npt.NDArray[np.bool_]) -> None:
        super().__init__()
        self.taken = taken


class LoopsInterpreter(Interpreter):
    """Run one launch of a kernel of workers (see `Interpreter`)."""

    def _loop(self, loop: Loop, instance: Instance, scope: Environment, pause: bool) -> Pause:
        if instance.role.actor is not Actor.WORKER or not self._apart(loop):
            yield from super()._loop(loop, instance, scope, pause)
            return
        start, stop = int(self.tables.value(loop.start, scope)), int(self.tables.value(loop.stop, scope))
        if self._longer_inside(loop, start, stop, scope):
            yield from super()._loop(loop, instance, scope, pause)
            return
        while stop - start > _FEW * loop.step:
            if pause:
                yield
            last = min(stop, start + _AT_ONCE * loop.step)
            if not self._carried_out(loop, np.arange(start, last, loop.step), instance, scope):
                break
            start += -(-(last - start) // loop.step) * loop.step
        for position in range(start, stop, loop.step):
            if pause:
                yield
            yield from self._body(loop.body, instance, {**scope, loop.var: position})

    def _apart(self, loop: Loop) -> bool:
        """Whether no order of a loop's iterations can be told from another."""
        return self.tables.once(("apart", id(loop)), lambda: (loop, are_apart(loop.body)))[1]

    def _longer_inside(self, loop: Loop, start: int, stop: int, scope: Environment) -> bool:
        """Whether a loop in the body has more iterations to carry out at once than this one."""
        inside = {**scope, loop.var: start}
        for inner in loop.body:
            if not isinstance(inner, Loop) or not self._apart(inner):
                continue
            try:
                turns = int(self.tables.value(inner.stop, inside)) - int(self.tables.value(inner.start, inside))
            except ConfigurationError:  # bounds that lets of the body decide
                continue
            if turns * loop.step > (stop - start) * inner.step:
                return True
        return False

    def _carried_out(self, loop: Loop, positions: Integers, instance: Instance, scope: Environment) -> bool:
        """Carry out iterations at once and return True; False, with nothing done, where something is refused."""
        try:
            parts = self._in_parts(loop, positions, instance, scope)
        except (TraceaError, Divergence, ArithmeticError, LookupError, TypeError, ValueError):
            return False
        storing = [one for these in parts for one in these.storing]
        if storing:
            memory, places, values = storing[0]
            if len(storing) > 1:
                places = np.concatenate([one[1].ravel() for one in storing])
                values = np.concatenate([one[2].ravel() for one in storing])
            if not memory.write_apart(places, values):
                return False
        for these in parts:
            for one in these.touched:
                self._accessed(*one, instance)
            for name, registers in these.fragments.items():
                instance.registers[name] = registers[-1]
            for name, (fragment, table) in these.tables.items():
                instance.tables[name] = (fragment, table[-1])
            for name, (layout, matrix) in these.sums.items():
                instance.registers[name] = scatter(layout, matrix)
        return True

    def _in_parts(self, loop: Loop, positions: Integers, instance: Instance, scope: Environment) -> list[_Iterations]:
        """Go through iterations, those that branch alike together, and return what they hold, those that end last behind the others.

        Raises
        ------
        Divergence
            If they branch in more than a few ways, or add to sums, which parts of them would begin anew.
        """
        found: list[tuple[int, _Iterations]] = []
        left = [positions]
        while left:
            some = left.pop()
            these = _Iterations(instance, {**scope, loop.var: some[:, None, None]}, len(some))
            try:
                self._for_all(loop.body, these)
            except _Branches as branches:
                left += [some[branches.taken], some[~branches.taken]]
                if len(found) + len(left) > _WAYS:
                    raise
                continue
            if these.sums and len(some) < len(positions):
                raise Divergence
            found.append((int(some[-1]), these))
        return [these for _, these in sorted(found, key=lambda one: one[0])]

    # ---- steps

    def _for_all(self, body: tuple[Node, ...], these: _Iterations) -> None:
        outer = these.scope
        these.scope = dict(outer)
        for step in body:
            self._for_each(step, these)
        these.scope = outer

    def _for_each(self, step: Node, these: _Iterations) -> None:
        if isinstance(step, Let):
            self._let_each(step, these)
        elif isinstance(step, If):
            holds = these.branch(self.tables.holds(step.guard, these.scope))
            self._for_all(step.then if holds else step.otherwise, these)
        elif isinstance(step, Loop):
            start, stop = (same(self.tables.value(bound, these.scope)) for bound in (step.start, step.stop))
            for position in range(start, stop, step.step):
                these.scope[step.var] = position
                self._for_all(step.body, these)
        elif isinstance(step, Load):
            self._load_each(step, these)
        elif isinstance(step, Store):
            self._store_each(step, these)
        elif isinstance(step, Mma):
            (self._add_each if step.accumulator in these.fragments else self._add_up)(step, these)
        elif isinstance(step, Fill):
            shape = self.tables.elements(these.instance.role.fragment(step.fragment).layout)[0].shape
            these.fragments[step.fragment] = np.full((these.count, *shape), step.value)
        elif isinstance(step, Turn):
            layout = these.instance.role.fragment(step.target).layout
            these.fragments[step.target] = scatter_each(layout, self._matrices(step.source, these))
        elif isinstance(step, Compute):
            layout = these.instance.role.fragment(step.target).layout
            accumulators = [self._matrices(name, these) for name in step.accumulators]
            operands = [self._matrices(name, these) for name in step.operands]
            result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
            these.fragments[step.target] = scatter_each(layout, np.broadcast_to(result, (these.count, *layout.shape)))
        elif isinstance(step, Extract):
            layout = these.instance.role.fragment(step.target).layout
            row, column = (same(self.tables.value(place, these.scope)) for place in (step.row, step.column))
            rows, columns = layout.shape
            part = self._matrices(step.source, these)[:, row : row + rows, column : column + columns]
            if part.shape[1:] != (rows, columns):
                raise InterpretError(f"{step.target!r} reaches beyond {step.source!r}")
            these.fragments[step.target] = scatter_each(layout, part)

    def _let_each(self, let: Let, these: _Iterations) -> None:
        if let.fragment is None:
            these.scope[let.name] = self.tables.value(let.value, these.scope)
            return
        fragment = these.instance.role.fragment(let.fragment)
        rows, columns = fragment.layout.shape
        known: Environment = {name: table for name, (_, table) in these.instance.tables.items()}
        known |= {name: table for name, (_, table) in these.tables.items()} | these.scope
        known |= {"row": np.arange(rows)[:, None], "column": np.arange(columns)[None, :]}
        table = np.asarray(self.tables.value(let.value, known), np.int64)
        these.tables[let.name] = (fragment, np.broadcast_to(table, (these.count, rows, columns)))
        these.scope.pop(let.name, None)

    def _tabled(self, these: _Iterations, fragment: Fragment) -> Environment:
        """What is known at a step of `fragment`: symbols, and of the iterations' own tables what its elements find there."""
        found = dict(these.scope)
        height, width = fragment.layout.shape
        for name, (_, table) in these.tables.items():
            tall, wide = table.shape[1] > 1, table.shape[2] > 1
            if (not tall or height <= table.shape[1]) and (not wide or width <= table.shape[2]):
                rows, columns = self.tables.elements(fragment.layout)
                found[name] = table[:, rows if tall else _ONE, columns if wide else _ONE]
        return found

    def _moved(self, step: Load | Store, these: _Iterations) -> tuple[Memory, Integers, Integers, bool]:
        """Memory, places by (iteration, lane, register), which of them are touched, and whether all are."""
        instance, place = these.instance, step.source if isinstance(step, Load) else step.target
        fragment = instance.role.fragment(step.fragment)
        named = self._places(instance, self._tabled(these, fragment), fragment)
        shape = (these.count, *self.tables.elements(fragment.layout)[0].shape)
        mask = np.broadcast_to(self.tables.holds(step.guard, named) if step.guard else True, shape)
        if isinstance(place, Access):
            memory = self.memory[place.operand]
            offsets = np.broadcast_to(np.asarray(self.tables.value(place.offset, named), np.int64), shape)
        else:
            rank = None if place.rank is None else int(self.tables.value(place.rank, named))
            memory = self._buffer_memory(place.buffer, instance, rank)
            offsets = self._buffer_offsets(place, named, shape)
        singles = check_moved(step, fragment, offsets, mask, instance.role)
        what = "load" if isinstance(step, Load) else "store"
        self._transfer(step.transfer, singles, mask, f"the {what} of {step.fragment!r}")
        return memory, offsets, mask, not step.guard or bool(mask.all())

    def _load_each(self, step: Load, these: _Iterations) -> None:
        memory, offsets, mask, whole = self._moved(step, these)
        if whole:
            values, touched = memory.read(offsets), offsets
        else:
            values, touched = np.full(offsets.shape, step.fill), offsets[mask]
            values[mask] = memory.read(touched)
        these.fragments[step.fragment] = values
        these.touched.append(_Touched(step, memory, touched))

    def _store_each(self, step: Store, these: _Iterations) -> None:
        memory, offsets, mask, whole = self._moved(step, these)
        values = self._held_by(step.fragment, these)
        values = np.broadcast_to(values, (these.count, *values.shape[1:]))
        if values.shape != offsets.shape:
            raise InterpretError(f"{step.fragment!r} holds {values.shape[1:]} where {offsets.shape[1:]} are stored")
        one = _Touched(step, memory, offsets if whole else offsets[mask])
        memory.check(one.places, "a write")
        if not memory.writable:
            raise InterpretError(f"{memory.name!r} is written, but it is an input")
        these.touched.append(one)
        these.storing.append((memory, one.places, values if whole else values[mask]))

    def _held_by(self, name: str, these: _Iterations) -> Array:
        """A fragment's registers by (iteration or 1, lane, register)."""
        known = these.fragments.get(name)
        return self._register(these.instance, name)[None] if known is None else known

    def _matrices(self, name: str, these: _Iterations) -> Array:
        """A fragment as matrices by (iteration or 1, row, column), by its own layout."""
        return gather_each(these.instance.role.fragment(name).layout, self._held_by(name, these))

    def _add_each(self, step: Mma, these: _Iterations) -> None:
        """Add the product of each iteration to the sum that it has made itself."""
        lanes = instruction(step.instruction)
        assert lanes.a is not None and lanes.b is not None
        a = gather_each(lanes.a, self._held_by(step.a, these))
        b = gather_each(lanes.b, self._held_by(step.b, these))
        sums = gather_each(lanes.c, these.fragments[step.accumulator]) + a @ b
        these.fragments[step.accumulator] = scatter_each(lanes.c, sums)

    def _add_up(self, step: Mma, these: _Iterations) -> None:
        """Add the products of all iterations, as one product of matrices side by side."""
        lanes = instruction(step.instruction)
        assert lanes.a is not None and lanes.b is not None
        a = gather_each(lanes.a, self._held_by(step.a, these))
        b = gather_each(lanes.b, self._held_by(step.b, these))
        known = these.sums.get(step.accumulator)
        if known is None or known[0] != lanes.c:
            registers = self._register(these.instance, step.accumulator) if known is None else scatter(*known)
            known = (lanes.c, gather(lanes.c, registers))
        count, rows, columns = these.count, lanes.c.shape[0], lanes.c.shape[1]
        wide = np.broadcast_to(a, (count, *a.shape[1:])).transpose(1, 0, 2).reshape(rows, -1)
        tall = np.broadcast_to(b, (count, *b.shape[1:])).reshape(-1, columns)
        these.sums[step.accumulator] = (lanes.c, known[1] + wide @ tall)

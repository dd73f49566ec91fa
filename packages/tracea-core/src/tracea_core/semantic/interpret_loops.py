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

from collections.abc import Mapping
from typing import Any

import numpy as np

from tracea_core.errors import ConfigurationError, TraceaError
from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.semantic.apart_loops import Apart, apart
from tracea_core.semantic.flat_loops import Iterations
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import symbols
from tracea_core.semantic.interpret import Array, Environment, Instance, Pause
from tracea_core.semantic.interpret_moves import whole
from tracea_core.semantic.interpret_registers import (
    InterpretError,
    scatter,
    scatter_each,
)
from tracea_core.semantic.interpret_sums import SumsInterpreter
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel, Space, walk
from tracea_core.semantic.lockstep_team import Divergence, same
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import (
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
_COPIES = 1024
"""Iterations carried out together at most where each has copies of buffers."""
_AT_ONCE = 512
"""Iterations carried out together at most, for their arrays to stay small."""


class LoopsInterpreter(SumsInterpreter):
    """Run one launch of a kernel of workers (see `Interpreter`)."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.refused: set[int] = set()

    def _loop(self, loop: Loop, instance: Instance, scope: Environment, pause: bool) -> Pause:
        if instance.role.actor is not Actor.WORKER or not self._apart(loop) or id(loop) in self.refused:
            yield from super()._loop(loop, instance, scope, pause)
            return
        start, stop = int(self.tables.value(loop.start, scope)), int(self.tables.value(loop.stop, scope))
        if self._longer_inside(loop, start, stop, scope):
            yield from super()._loop(loop, instance, scope, pause)
            return
        nested = any(isinstance(node, Loop) for node in loop.body)
        while stop - start > (0 if nested else _FEW * loop.step):
            if pause:
                yield
            last = min(stop, start + _AT_ONCE * loop.step)
            if not self._carried_out(loop, np.arange(start, last, loop.step), instance, scope):
                self.refused.add(id(loop))
                break
            start += -(-(last - start) // loop.step) * loop.step
        for position in range(start, stop, loop.step):
            if pause:
                yield
            yield from self._body(loop.body, instance, {**scope, loop.var: position})

    def _apart(self, loop: Loop) -> Apart | None:
        """Whether no order of a loop's iterations can be told from another, and what they need for that."""

        def compute() -> tuple[Loop, Apart | None]:
            own = frozenset(buffer.name for buffer in self.kernel.buffers if buffer.space is Space.PANEL)
            return loop, apart(loop.body, own)

        return self.tables.once(("apart", id(loop)), compute)[1]

    def _longer_inside(self, loop: Loop, start: int, stop: int, scope: Environment) -> bool:
        """Whether a loop in the body that adds to sums, and so takes its turns by itself, has more of them than this one."""
        inside = {**scope, loop.var: start}
        for inner in loop.body:
            found = self._apart(inner) if isinstance(inner, Loop) else None
            if not isinstance(inner, Loop) or found is None or not found.sums:
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
        these = Iterations(instance, {**scope, loop.var: positions[:, None, None]}, len(positions))
        found = self._apart(loop)
        own = these.part(found.private if found is not None else frozenset())
        try:
            self._for_all(loop.body, these)
        except (TraceaError, Divergence, ArithmeticError, LookupError, TypeError, ValueError):
            return False
        if these.storing:
            memory, places, values = these.storing[0]
            if len(these.storing) > 1:
                places = np.concatenate([one[1].ravel() for one in these.storing])
                values = np.concatenate([one[2].ravel() for one in these.storing])
            if not memory.write_apart(places, values):
                return False
        for name in own.memory:
            own.leave(name, self._buffer_memory(name, instance), np.zeros(these.count, np.int64))
        for one in these.touched:
            self._accessed(*one, instance)
        instance.registers.update(these.fragments.last())
        for name, table in these.tables.last().items():
            instance.tables[name] = (these.table_of[name], table)
        for name, (layout, matrix) in these.sums.items():
            instance.registers[name] = scatter(layout, matrix)
        return True

    # ---- steps

    def _for_all(self, body: tuple[Node, ...], these: Iterations) -> None:
        outer = these.scope
        these.scope = dict(outer)
        for step in body:
            self._for_each(step, these)
        these.scope = outer

    def _used(self, nodes: tuple[Node, ...]) -> frozenset[str]:
        """The symbols and fragments that nodes name."""

        def compute() -> tuple[tuple[Node, ...], frozenset[str]]:
            names = {name for index in indices(nodes) for name in symbols(index)} | {GROUP_ENDS}
            for node in walk(nodes):
                for field in ("fragment", "source", "a", "b", "accumulator"):
                    name = getattr(node, field, None)
                    names |= {name} if isinstance(name, str) else set()
                if isinstance(node, Compute):
                    names |= {*node.accumulators, *node.operands}
            return nodes, frozenset(names)

        return self.tables.once(("used", id(nodes)), compute)[1]

    def _choose_each(self, step: If, these: Iterations) -> None:
        """Go the way of all iterations, or each way with those that go it."""
        taken = these.branch(self.tables.holds(step.guard, these.scope))
        if taken.all() or not taken.any():
            self._for_all(step.then if taken.all() else step.otherwise, these)
            return
        if these.sums:
            raise Divergence  # they go on from what all have added
        for branch, chosen in ((step.then, np.flatnonzero(taken)), (step.otherwise, np.flatnonzero(~taken))):
            if branch:
                some = these.of(chosen, self._used(branch))
                self._for_all(branch, some)
                if some.sums:
                    raise Divergence
                these.take(some, chosen, self._asked(step))

    def _repeat_each(self, loop: Loop, these: Iterations) -> None:
        """Repeat a loop in every iteration: all turns at once, or turn by turn those that have another."""
        start, stop = (these.each(self.tables.value(bound, these.scope)) for bound in (loop.start, loop.stop))
        turns = np.maximum(-((start - stop) // loop.step), 0)
        found = self._apart(loop)
        if found is not None and not found.sums and turns.max(initial=0) > 1:
            self._turns_at_once(loop, start, turns, found.private, these)
            return
        if found is not None and found.sums and self._sums_alone(loop, these):
            self._add_turns(loop, start, turns, these)
            return
        if these.count and (start == start[0]).all() and (stop == stop[0]).all():
            for position in range(int(start[0]), int(stop[0]), loop.step):
                these.scope[loop.var] = position
                self._for_all(loop.body, these)
            return
        used = self._used(loop.body)
        for turn in range(int(turns.max(initial=0))):
            numbers = np.flatnonzero(turns > turn)
            some = these if len(numbers) == these.count else these.of(numbers, used)
            some.scope[loop.var] = (start[numbers] + turn * loop.step)[:, None, None]
            self._for_all(loop.body, some)
            if some is not these:
                if some.sums:
                    raise Divergence
                these.take(some, numbers, self._asked(loop))

    def _turns_at_once(
        self, loop: Loop, start: Integers, turns: Integers, private: frozenset[str], these: Iterations
    ) -> None:
        """Carry out all turns of all iterations, as many together as are worth it."""
        if these.sums:
            raise Divergence
        ends, used = np.cumsum(turns), self._used(loop.body)
        most = self._together(loop.body, these.instance.role)
        most = min(most, _COPIES) if private else most
        first = 0
        while first < these.count:  # as many iterations as have so many turns, one at least
            begun = int(ends[first - 1]) if first else 0
            last = max(int(np.searchsorted(ends, begun + most, side="right")), first + 1)
            chosen = np.arange(first, last)
            some = these if len(chosen) == these.count else these.of(chosen, used)
            every, numbers = some.times(loop.var, start[chosen], turns[chosen], loop.step, used)
            own = every.part(private)
            if every.count:
                self._for_all(loop.body, every)
            for name in own.memory:
                if self._left(name, loop):
                    outer, rows = some.private[name]
                    copies = outer.of(name, self._size)
                    own.leave(name, copies.memory, copies.starts[rows[numbers]])
            these.take(every, chosen[numbers], self._asked(loop))
            first = last

    def _asked(self, node: Loop | If) -> frozenset[str] | None:
        """Which fragments somebody may ask for after a loop or a branch, where that is known."""
        return None

    def _left(self, name: str, loop: Loop) -> bool:
        """Whether somebody may see what a loop leaves in a worker's buffer."""
        return True

    def _for_each(self, step: Node, these: Iterations) -> None:
        if isinstance(step, Let):
            self._let_each(step, these)
        elif isinstance(step, If):
            self._choose_each(step, these)
        elif isinstance(step, Loop):
            self._repeat_each(step, these)
        elif isinstance(step, Load):
            self._load_each(step, these)
        elif isinstance(step, Store):
            self._store_each(step, these)
        elif isinstance(step, Mma):
            (self._add_each if step.accumulator in these.fragments.values else self._add_up)(step, these)
        elif isinstance(step, Fill):
            shape = self.tables.elements(self._fragment(these.instance.role, step.fragment).layout)[0].shape
            these.fragments.hold(step.fragment, np.broadcast_to(np.float64(step.value), (these.count, *shape)))
        elif isinstance(step, Turn):
            layout = self._fragment(these.instance.role, step.target).layout
            these.fragments.hold(step.target, scatter_each(layout, self._matrices(step.source, these)))
        elif isinstance(step, Compute):
            self._compute_each(step, these)
        elif isinstance(step, Extract):
            layout = self._fragment(these.instance.role, step.target).layout
            row, column = (same(self.tables.value(place, these.scope)) for place in (step.row, step.column))
            rows, columns = layout.shape
            part = self._matrices(step.source, these)[:, row : row + rows, step.columns(column, columns)]
            if part.shape[1:] != (rows, columns):
                raise InterpretError(f"{step.target!r} reaches beyond {step.source!r}")
            these.fragments.hold(step.target, scatter_each(layout, part))

    def _compute_each(self, step: Compute, these: Iterations) -> None:
        layout = self._fragment(these.instance.role, step.target).layout
        if self._alike(step, these.instance.role):  # each register is computed from those in its place
            accumulators, operands = (
                [self._held_by(name, these) for name in names] for names in (step.accumulators, step.operands)
            )
            result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
            shape = (these.count, layout.lanes, layout.registers)
            if all(one.shape[1:] == shape[1:] for one in (*accumulators, *operands)):
                these.fragments.hold(step.target, whole(result, shape))
                return
        accumulators = [self._matrices(name, these) for name in step.accumulators]
        operands = [self._matrices(name, these) for name in step.operands]
        result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
        these.fragments.hold(step.target, scatter_each(layout, whole(result, (these.count, *layout.shape))))

    def _alike(self, step: Compute, role: Role) -> bool:
        """Whether all fragments of a step have one layout, in which every element has one register."""

        def compute() -> tuple[Compute, bool]:
            names = (step.target, *step.accumulators, *step.operands)
            first, *others = (role.fragment(name).layout for name in names)
            return step, first.is_partition() and all(other == first for other in others)

        return self.tables.once(("alike", id(step)), compute)[1]

    def _let_each(self, let: Let, these: Iterations) -> None:
        if let.fragment is None:
            these.scope[let.name] = self.tables.value(let.value, these.scope)
            return
        fragment = self._fragment(these.instance.role, let.fragment)
        rows, columns = fragment.layout.shape
        known: dict[str, Any] = {name: table for name, (_, table) in these.instance.tables.items()}
        known |= {name: None if name in these.tables.valid else table for name, table in these.tables.values.items()}
        known |= these.scope
        known |= {"row": np.arange(rows)[:, None], "column": np.arange(columns)[None, :]}
        table = np.asarray(self.tables.value(let.value, known), np.int64)
        these.table_of[let.name] = fragment
        these.tables.hold(let.name, np.broadcast_to(table, (these.count, rows, columns)))
        these.scope.pop(let.name, None)

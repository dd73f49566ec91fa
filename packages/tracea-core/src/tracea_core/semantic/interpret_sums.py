# SPDX-License-Identifier: MIT
"""Sums of products that iterations carried out at once add up: of each iteration by itself, or of all together.

A loop that only adds products of what it loads is carried out with all its turns in all iterations. Turns are one list, those of one
iteration behind each other, and a sum of products over turns is one product of matrices, whose reduction the turns are. So sums, which
are larger than what is loaded for them, are touched once instead of once a turn. In which order products are added does not matter: where
a proof runs correct contractions, all sums are integers below 2^53, and elsewhere results are compared but for rounding.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tracea_core.semantic.apart_loops import sums_alone
from tracea_core.semantic.flat_loops import Iterations
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_moves import MovesInterpreter
from tracea_core.semantic.interpret_registers import gather, gather_each, scatter, scatter_each
from tracea_core.semantic.kernel import Role
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.steps import If, Load, Loop, Mma, Node, Store

_ELEMENTS = 1 << 18
"""Elements of one fragment in all iterations that are carried out together at most: what follows finds them in a cache."""


class SumsInterpreter(MovesInterpreter):
    """What `tracea_core.semantic.interpret_loops` adds up."""

    def _used(self, nodes: tuple[Node, ...]) -> frozenset[str]:
        raise NotImplementedError

    def _for_each(self, step: Node, these: Iterations) -> None:
        raise NotImplementedError

    def _asked(self, node: Loop | If) -> frozenset[str] | None:
        raise NotImplementedError

    def _sums_alone(self, loop: Loop, these: Iterations) -> bool:
        """Whether a loop only adds products of what it loads to sums that the iterations hold (`sums_alone`)."""
        body = self.tables.once(("sum", id(loop)), lambda: (loop, sums_alone(loop.body)))[1]
        return body and all(step.accumulator in these.fragments.values for step in loop.body if isinstance(step, Mma))

    def _together(self, nodes: tuple[Node, ...], role: Role) -> int:
        """How many iterations are worth carrying out together: as many as leave the largest fragment of a step of theirs small."""

        def compute() -> tuple[tuple[Node, ...], int]:
            layouts = [self._fragment(role, name).layout for name in _moved(nodes)]
            return nodes, max(_ELEMENTS // max((layout.lanes * layout.registers for layout in layouts), default=1), 1)

        return self.tables.once(("together", id(nodes)), compute)[1]

    def _add_turns(self, loop: Loop, start: Integers, turns: Integers, these: Iterations) -> None:
        """Carry out all turns of a loop that only adds products of what it loads to sums that the iterations hold."""
        role, sums = these.instance.role, dict[str, tuple[FragmentLayout, Array]]()
        added = {step.accumulator for step in loop.body if isinstance(step, Mma)}
        used = self._used(loop.body) - added  # sums stay with the iterations: a turn has none of its own
        for chosen, count in _alike_together(turns, self._together(loop.body, role)):
            numbers = np.repeat(chosen, count)
            within = np.arange(len(numbers)) - np.repeat(np.cumsum(count) - count, count)
            every = these.of(numbers, used)
            every.scope[loop.var] = (start[numbers] + within * loop.step)[:, None, None]
            for step in loop.body:
                if isinstance(step, Mma):
                    lanes = instruction(step.instruction)
                    assert lanes.a is not None and lanes.b is not None
                    a = gather_each(lanes.a, self._held_by(step.a, every))
                    b = gather_each(lanes.b, self._held_by(step.b, every))
                    _add(self._begun(sums, step.accumulator, lanes.c, these), chosen, count, a, b)
                else:
                    self._for_each(step, every)
            these.take(every, numbers, self._asked(loop))
        for name, (layout, matrices) in sums.items():
            these.fragments.hold(name, scatter_each(layout, matrices))

    def _begun(
        self, sums: dict[str, tuple[FragmentLayout, Array]], name: str, layout: FragmentLayout, these: Iterations
    ) -> Array:
        """Return sums of the iterations, as matrices that are theirs alone."""
        known = sums.get(name)
        if known is None or known[0] != layout:
            registers = self._held_by(name, these) if known is None else scatter_each(*known)
            matrices = np.empty((these.count, *layout.shape))
            matrices[:] = gather_each(layout, registers)
            known = sums[name] = (layout, matrices)
        return known[1]

    def _matrices(self, name: str, these: Iterations) -> Array:
        """A fragment as matrices by (iteration or 1, row, column), by its own layout."""
        return gather_each(self._fragment(these.instance.role, name).layout, self._held_by(name, these))

    def _add_each(self, step: Mma, these: Iterations) -> None:
        """Add the product of each iteration to the sum that it has made itself."""
        lanes = instruction(step.instruction)
        assert lanes.a is not None and lanes.b is not None
        a = gather_each(lanes.a, self._held_by(step.a, these))
        b = gather_each(lanes.b, self._held_by(step.b, these))
        sums = gather_each(lanes.c, self._held_by(step.accumulator, these)) + a @ b
        these.fragments.hold(step.accumulator, scatter_each(lanes.c, sums))

    def _add_up(self, step: Mma, these: Iterations) -> None:
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


def _moved(nodes: tuple[Node, ...]) -> set[str]:
    """The fragments that steps load or store, loops in them apart, which see to that themselves."""
    found = {node.fragment for node in nodes if isinstance(node, Load | Store)}
    return found.union(*(_moved((*node.then, *node.otherwise)) for node in nodes if isinstance(node, If)))


def _alike_together(turns: Integers, most: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield iterations and their turns, those of as many turns behind each other; of several no more than have `most` turns in all."""
    if len(turns) and turns[0] and (turns == turns[0]).all() and len(turns) * turns[0] <= most:
        yield np.arange(len(turns)), turns
        return
    order = np.argsort(turns, kind="stable")
    order = order[np.searchsorted(turns[order], 1) :]
    ends = np.cumsum(turns[order])
    first = 0
    while first < len(order):
        begun = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, begun + most, side="right")), first + 1)
        yield order[first:last], turns[order[first:last]]
        first = last


def _add(sums: Array, chosen: Integers, count: Integers, a: Array, b: Array) -> None:
    """Add to the sums of `chosen` iterations the products of their turns, `count` of each, which come in this order."""
    (rows, deep), columns = a.shape[1:], b.shape[2]
    bounds = [0, *(np.flatnonzero(np.diff(count)) + 1).tolist(), len(count)]
    begun = 0
    for first, last in itertools.pairwise(bounds):
        number, turns = last - first, int(count[first])
        ended = begun + number * turns
        wide = a[begun:ended].reshape(number, turns, rows, deep).transpose(0, 2, 1, 3).reshape(number, rows, -1)
        products = wide @ b[begun:ended].reshape(number, -1, columns)
        if number == len(sums):
            sums += products
        else:
            sums[chosen[first:last]] += products
        begun = ended

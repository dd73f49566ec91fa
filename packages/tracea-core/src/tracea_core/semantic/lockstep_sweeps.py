# SPDX-License-Identifier: MIT
"""Loops that load parts of tiles from shared memory and multiply them, all turns as one array operation each.

Nothing in such a loop is stored, so its loads are in no order, and sums of integers are exact however they are added: the products of
many turns are one product of longer factors. Every place is looked at and every read noted as in turns of their own.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import Sym
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lockstep_operands import Operand, Reading, parts_of
from tracea_core.semantic.lockstep_rolls import LockstepRolls
from tracea_core.semantic.lockstep_state import BlockState
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import BufferRef, Load, Loop, Mma, SchedulingFence

_FEW = 2
"""Turns that are not worth it."""
_AT_ONCE = 32
"""Turns carried out together at most, for their arrays to stay in caches."""
_TURN = "#turn"
"""The position of the loop, which differs along the first axis, as constants of rolls do."""


class _Product(NamedTuple):
    """A product of a turn: what is added to, and which loads of the body its factors come from."""

    step: Mma
    a: int
    b: int


class _Body(NamedTuple):
    """A body that is carried out for many turns at once: its loads, and its products."""

    loads: tuple[Load, ...]
    products: tuple[_Product, ...]


class _Factor(Protocol):
    """What a load found in all turns, as a factor of one product."""

    def __call__(self, load: int, layout: FragmentLayout, *, right: bool) -> Array: ...


class LockstepSweeps(LockstepRolls):
    """Loops over a reduction."""

    def _swept(self, loop: Loop, start: int, stop: int, block: BlockState, scope: Environment) -> bool:
        """Carry out a loop that only loads and multiplies; False, with nothing done, for any other and for few turns."""
        body = self.tables.once(("swept", id(loop)), lambda: (loop, _body(loop)))[1]
        if body is None or stop - start <= _FEW * loop.step:
            return False
        self._settle(block)
        positions = np.arange(start, stop, loop.step)
        for first in range(0, positions.size, _AT_ONCE):
            self._sweep(body, positions[first : first + _AT_ONCE], block, scope)
        return True

    def _sweep(self, body: _Body, positions: Integers, block: BlockState, scope: Environment) -> None:
        inside: Environment = {**scope, _TURN: positions[:, None, None, None]}
        readings = [self._read_in_turns(step, len(positions), block, inside) for step in body.loads]
        registers: dict[int, Array] = {}
        matrices: dict[tuple[int, FragmentLayout], Array] = {}
        wholes: dict[tuple[int, FragmentLayout, bool], tuple[Operand, Array] | None] = {}

        def read(load: int) -> Array:
            """What a load found, by (turn, warp, lane, register)."""
            if load not in registers:
                registers[load] = self._take_alike([readings[load]])
            return registers[load]

        def factor(load: int, layout: FragmentLayout) -> Array:
            """What a load found as matrices, by (turn, warp, row, column); several products may share it."""
            if (load, layout) not in matrices:
                found = read(load)
                made = self._matrix_of(layout, found.reshape(-1, *found.shape[2:]))
                matrices[load, layout] = made.reshape(*found.shape[:2], *layout.shape)
            return matrices[load, layout]

        def whole(load: int, layout: FragmentLayout, *, right: bool) -> Array:
            """What a load found in all turns as one factor."""
            key = (load, layout, right)
            if key not in wholes:
                reading = readings[load]
                one = self._operand([[(reading, turn)] for turn in range(len(positions))], layout, right=right)
                wholes[key] = None if one is None else (one, self._read_operand(one))
            known = wholes[key]
            if known is not None:
                return known[1]
            found = factor(load, layout)
            turns, count, height, width = found.shape
            if right:
                return found.transpose(1, 0, 2, 3).reshape(count, turns * height, width)
            return found.transpose(1, 2, 0, 3).reshape(count, height, turns * width)

        for product in body.products:
            self._add_in_turns(product, whole, block)
        for load, step in enumerate(body.loads):
            of = next((known for key, known in wholes.items() if key[0] == load and known is not None), None)
            if of is None:
                block.hold(step.fragment, read(load)[-1])
            else:
                *_, (_, last) = parts_of(*of)
                block.hold_part(step.fragment, of[0].layout, last)

    def _read_in_turns(self, step: Load, turns: int, block: BlockState, scope: Environment) -> Reading:
        """A load in all turns, checked and noted."""
        assert isinstance(step.source, BufferRef)
        layout = self._fragment(step.fragment).layout
        shape = (turns, len(self.warps), *self._held(layout).shape)
        places = self._elements(step, layout, block.tables, scope)
        memory, offsets = self._within(step.source, places, layout, shape)
        reading = Reading(step, (step.fragment,) * turns, memory, offsets)
        self._look_alike([reading])
        return reading

    def _add_in_turns(self, product: _Product, whole: _Factor, block: BlockState) -> None:
        lanes, accumulator = instruction(product.step.instruction), product.step.accumulator
        assert lanes.a is not None and lanes.b is not None
        tall, wide = whole(product.a, lanes.a, right=False), whole(product.b, lanes.b, right=True)
        if block.grid((accumulator,)) is None:
            total = self._matrix_of(lanes.c, self._content(block, accumulator))
            block.keep_grid((accumulator,), lanes.c, np.array(total), (tall.shape[1], wide.shape[2]))
        block.add((accumulator,), tall, wide)


def _body(loop: Loop) -> _Body | None:
    """The loads and products of a loop, its position named as rolls name what differs; None if it does anything else.

    What a turn multiplies it has loaded itself, and sums are added to alone.
    """
    loads: list[Load] = []
    products: list[_Product] = []
    last: dict[str, int] = {}
    for step in loop.body:
        if isinstance(step, Load) and isinstance(step.source, BufferRef) and not step.guard:
            last[step.fragment] = len(loads)
            loads.append(step)
        elif isinstance(step, Mma) and {step.a, step.b} <= last.keys():
            products.append(_Product(step, last[step.a], last[step.b]))
        elif not isinstance(step, SchedulingFence):
            return None
    if not products or not last.keys().isdisjoint(product.step.accumulator for product in products):
        return None
    return _Body(tuple(_renamed(step, loop.var) for step in loads), tuple(products))


def _renamed(step: Load, name: str) -> Load:
    (found,) = replace_symbols((step,), {name: Sym(_TURN)})
    assert isinstance(found, Load)
    return found

# SPDX-License-Identifier: MIT
"""Groups of steps alike (`tracea_core.semantic.rolls`), carried out for all groups and all warps as one array operation each.

Registers and places have one axis more, (group, warp, lane, register); what differs between groups is an array along it.
"""

from __future__ import annotations

import numpy as np

from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import Value
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import Fragment, walk
from tracea_core.semantic.lockstep_elements import Elements, Table
from tracea_core.semantic.lockstep_operands import Reading
from tracea_core.semantic.lockstep_queue import Copying, LockstepQueue, Storing
from tracea_core.semantic.lockstep_state import BlockState
from tracea_core.semantic.rolls import Roll, rolled
from tracea_core.semantic.row_steps import Count
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Compute, Let, Load, Node, Store


class _Groups:
    """What the groups of a roll hold while they are carried out: values of symbols, tables, and fragments written so far."""

    def __init__(self, roll: Roll, constants: Environment, scope: Environment) -> None:
        self.roll = roll
        self.scope: Environment = {**scope, **constants}
        self.tables: dict[str, Table] = {}
        self.fragments: dict[str, Array] = {}


class LockstepRolls(LockstepQueue):
    """Rolls, for all groups together."""

    def _rolled(self, nodes: tuple[Node, ...]) -> tuple[Node | Roll, ...]:
        def compute() -> tuple[tuple[Node, ...], tuple[Node | Roll, ...]]:
            return nodes, rolled(nodes, self.role, self.tables.once(("named tables",), named_tables))

        def named_tables() -> frozenset[str]:
            return frozenset(n.name for n in walk(self.role.body) if isinstance(n, Let) and n.fragment is not None)

        return self.tables.once(("rolled", id(nodes)), compute)[1]

    def _carry_out(self, roll: Roll, block: BlockState, scope: Environment) -> None:
        groups = _Groups(roll, self.tables.once(("constants", id(roll)), lambda: _constants(roll)), scope)
        moves = [step for step in roll.steps if not isinstance(step, Let | Compute)]
        if len(roll.steps) > 1 or not isinstance(roll.steps[0], Load | AsyncCopy):
            shared = any(isinstance(place, BufferRef) for step in moves for place in _ends(step))
            self._settle(block, copies=shared)
        for step in roll.steps:
            if isinstance(step, Let):
                self._tabulate(step, groups, block)
            elif isinstance(step, Compute):
                self._work_out_each(step, groups, block)
            elif isinstance(step, Load):
                self._fetch_each(step, groups, block)
            elif isinstance(step, Store):
                self._put_each(step, groups, block)
            else:
                self._start_each(step, groups, block)
        for key, table in groups.tables.items():
            for name, part in zip(roll.tables[key], table.values, strict=True):
                block.tables[name] = Table(part, {})
                scope.pop(name, None)
        for key, registers in groups.fragments.items():
            for name, own in zip(roll.fragments[key], registers, strict=True):
                block.hold(name, own)

    # ---- tables

    def _table(self, key: str, groups: _Groups, block: BlockState) -> Table:
        """The tables that a symbol stands for, by (group, warp or 1, row, column)."""
        known = groups.tables.get(key)
        if known is None:
            names = groups.roll.tables[key]
            if len(set(names)) == 1:  # one for all groups
                return block.tables[names[0]]
            parts = [block.tables[name].values for name in names]
            known = Table(np.stack([part if part.ndim == 3 else part[None] for part in parts]), {})
        return known

    def _tabulate(self, step: Let, groups: _Groups, block: BlockState) -> None:
        assert step.fragment is not None
        rows, columns = self._fragment(step.fragment).layout.shape
        if held_let(step):
            key = next((key for key, names in groups.roll.fragments.items() if names[0] == step.fragment), None)
            content = self._meant(block, step.fragment)[None] if key is None else self._matrices(key, groups, block)
            held = content.astype(np.int64)
            groups.tables[step.name] = Table(np.broadcast_to(held, (groups.roll.groups, *held.shape[1:])), {})
            return
        places = self._known(step, groups.scope)
        places["row"], places["column"] = np.arange(rows)[:, None], np.arange(columns)[None, :]
        places |= {key: self._table(key, groups, block).values for key in self._named(step) & groups.roll.tables.keys()}
        value = np.asarray(self.tables.value(step.value, places), np.int64)
        shape = np.broadcast_shapes(value.shape, (groups.roll.groups, 1, rows, columns))
        groups.tables[step.name] = Table(value if value.shape == shape else np.broadcast_to(value, shape), {})

    def _number(self, step: Count, block: BlockState, scope: Environment) -> None:
        """Put integers into a fragment, one for each of its elements."""
        self._settle(block, copies=False)
        layout = self._fragment(step.fragment).layout
        held = self._held(layout)
        value = self.tables.value(step.value, self._elements(step, layout, block.tables, scope))
        block.hold(step.fragment, np.full((len(self.warps), *held.shape), np.asarray(value, np.float64)))

    # ---- places

    def _fragment_of(self, key: str, groups: _Groups) -> Fragment:
        return self._fragment(groups.roll.fragments[key][0])  # their layouts are alike

    def _shape(self, key: str, groups: _Groups) -> tuple[int, ...]:
        held = self._held(self._fragment_of(key, groups).layout)
        return (groups.roll.groups, len(self.warps), *held.shape)

    def _at(self, step: Load | Store | AsyncCopy, groups: _Groups, block: BlockState) -> Elements:
        tables = {key: self._table(key, groups, block) for key in self._named(step) & groups.roll.tables.keys()}
        return self._elements(step, self._fragment_of(step.fragment, groups).layout, tables, groups.scope)

    # ---- steps

    def _fetch_each(self, step: Load, groups: _Groups, block: BlockState) -> None:
        places, shape = self._at(step, groups, block), self._shape(step.fragment, groups)
        if isinstance(step.source, Access):
            layout = self._fragment_of(step.fragment, groups).layout
            names = groups.roll.fragments[step.fragment]
            found = self._loaded(step, step.source, layout, places, shape, names, block)
            groups.fragments[step.fragment] = found.read(step.fill)
            return
        memory, offsets = self._within(step.source, places, self._fragment_of(step.fragment, groups).layout, shape)
        mask = self._admitted(step.guard, places, shape)
        if mask is None and len(groups.roll.steps) == 1:
            self._read_later(Reading(step, groups.roll.fragments[step.fragment], memory, offsets), block)
            return
        self._settle(block)
        offsets = self._looked_at(step, memory, offsets, mask)
        if mask is None:
            groups.fragments[step.fragment] = self._values(memory, offsets)
            return
        values = np.full(shape, step.fill)
        values[mask] = self._values(memory, offsets[mask])
        groups.fragments[step.fragment] = values

    def _held_by(self, key: str, groups: _Groups, block: BlockState) -> Array:
        """What a fragment holds in every group, by (group, warp, lane, register)."""
        known = groups.fragments.get(key)
        if known is None:
            known = np.stack([self._content(block, name) for name in groups.roll.fragments[key]])
        return known

    def _put_each(self, step: Store, groups: _Groups, block: BlockState) -> None:
        places, shape = self._at(step, groups, block), self._shape(step.fragment, groups)
        values = self._held_by(step.fragment, groups, block)
        if values.shape != shape:
            raise InterpretError(f"a fragment holds {values.shape[2:]} where {shape[2:]} are stored")
        if isinstance(step.target, Access):
            layout = self._fragment_of(step.fragment, groups).layout
            found = self._global(step, step.target, layout, places, shape, "a store")
            self._store_later(Storing(step, found.memory, found.offsets, found.mask, values, found.checked))
            return
        memory, offsets = self._within(step.target, places, self._fragment_of(step.fragment, groups).layout, shape)
        mask = self._admitted(step.guard, places, shape)
        every = self._wrote(step, memory, offsets, mask, f"what is stored to {step.target.buffer!r}")
        self._write(memory, every, values, mask)

    def _start_each(self, step: AsyncCopy, groups: _Groups, block: BlockState) -> None:
        places, shape = self._at(step, groups, block), self._shape(step.fragment, groups)
        layout = self._fragment_of(step.fragment, groups).layout
        memory, targets = self._within(step.target, places, layout, shape)
        found = self._global(step, step.source, layout, places, shape, "a copy")
        self._copy_later(Copying(step, memory, targets, found), block)

    def _work_out_each(self, step: Compute, groups: _Groups, block: BlockState) -> None:
        layout = self._fragment_of(step.target, groups).layout
        accumulators = [self._matrices(key, groups, block) for key in step.accumulators]
        operands = [self._matrices(key, groups, block) for key in step.operands]
        result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
        count, warps = groups.roll.groups, len(self.warps)
        whole = np.broadcast_to(result, (count, warps, *layout.shape)).reshape(count * warps, *layout.shape)
        registers = self._registers_of(layout, whole)
        groups.fragments[step.target] = registers.reshape(count, warps, *registers.shape[1:])

    def _matrices(self, key: str, groups: _Groups, block: BlockState) -> Array:
        if key not in groups.fragments:
            return np.stack([self._meant(block, name) for name in groups.roll.fragments[key]])
        held = groups.fragments[key]
        layout = self._fragment_of(key, groups).layout
        return self._matrix_of(layout, held.reshape(-1, *held.shape[2:])).reshape(*held.shape[:2], *layout.shape)


def _ends(step: Load | Store | AsyncCopy) -> tuple[Access | BufferRef, ...]:
    if isinstance(step, AsyncCopy):
        return (step.source, step.target)
    return (step.source,) if isinstance(step, Load) else (step.target,)


def _constants(roll: Roll) -> dict[str, Value]:
    """Values of what differs between groups, along their axis; plain where nothing does."""
    return {
        key: values[0] if len(set(values)) == 1 else np.array(values, np.int64)[:, None, None, None]
        for key, values in roll.constants.items()
    }

# SPDX-License-Identifier: MIT
"""All warps of a uniform block at once: each step is carried out for every warp together, as one array operation.

Between two barriers the order of warps cannot matter unless two of them race, and races are found from who touched what between
which barriers, whatever the order (`tracea_core.semantic.interpret_block`). So one order is as good as all of them, and the
cheapest is the one in which warps take each step together: registers are arrays of (warp, lane, register). Copies count as under
way until their wait, and nobody may touch their places until then, so they land there. Warps that take different branches take them one
after the other; where a barrier or a copy stands in one, or there are several roles, the machine that runs warps one by one takes over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tracea_core.ops.expr import evaluate as evaluate_expr
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.interpret_registers import InterpretError, fold, join
from tracea_core.semantic.kernel import Actor, Fragment, SemanticKernel, walk
from tracea_core.semantic.lockstep_places import BlockState, Divergence
from tracea_core.semantic.lockstep_queue import Copying, Reading, Storing
from tracea_core.semantic.lockstep_races import INTERVAL, MANY
from tracea_core.semantic.lockstep_rolls import LockstepRolls
from tracea_core.semantic.rolls import Roll
from tracea_core.semantic.row_steps import Fold, Join, Mask
from tracea_core.semantic.steps import (
    AsyncCopy,
    AsyncKind,
    Barrier,
    BufferRef,
    Commit,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Scope,
    Staged,
    Store,
    Transfer,
    Turn,
    Wait,
)

_KNOWN = (Let, Loop, If, Staged, Fill, Load, Store, Mma, Compute, Extract, Turn, AsyncCopy, Commit, Wait, Barrier,
          SchedulingFence, Fold, Join, Mask)  # fmt: skip
_TOGETHER = (Barrier, AsyncCopy, Commit, Wait)


def in_lockstep(kernel: SemanticKernel) -> bool:
    """Whether all warps of a block run one program of steps that this machine knows."""
    return len(kernel.roles) == 1 and kernel.roles[0].actor is Actor.WARP and all(
        isinstance(node, _KNOWN) for node in walk(kernel.roles[0].body)
    )  # fmt: skip


class LockstepInterpreter(LockstepRolls):
    """Run one launch of a uniform kernel, block after block, all warps of a block together (see `BlockInterpreter`)."""

    def run(self) -> dict[str, Array]:
        """Return the memory of every pointer parameter afterwards (see `Interpreter.run`)."""
        try:
            for number in self.random.permutation(self.workers):
                self._run(int(number))
        except Divergence:
            symbols, operands, seed = self._again
            apart = BlockInterpreter(self.kernel, symbols, operands, self.workers, seed)
            apart.run()
            self.memory = apart.memory
        return {name: memory.values for name, memory in self.memory.items()}

    def _run(self, number: int) -> None:
        block = BlockState(number)
        scope: Environment = dict(self.symbols)
        scope |= {"block": number, "blocks": self.workers, "cluster_rank": number % self.cluster}
        scope[self.role.name] = self.warps if self.role.instances > 1 else 0
        self._nodes(self.role.body, block, scope)
        self._settle_all(block)
        if block.opened or block.groups:
            raise InterpretError(f"block {number} ends while its copy steps may still run")

    # ---- control

    def _nodes(self, nodes: tuple[Node, ...], block: BlockState, scope: Environment) -> None:
        scope = dict(scope)
        for node in self._rolled(nodes):
            action = _ACTIONS.get(type(node))
            if action is not None:
                action(self, node, block, scope)
            elif isinstance(node, Roll):
                self._carry_out(node, block, scope)
            elif isinstance(node, Loop):
                self._repeat(node, block, scope)
            elif isinstance(node, If):
                self._choose(node, block, scope)
            elif isinstance(node, Staged):
                raise InterpretError("a staged step stands outside a loop", role=self.role.name)

    def _choose(self, node: If, block: BlockState, scope: Environment) -> None:
        """Take a branch, or where warps part and nothing in a branch concerns all of them, each branch with its warps."""
        taken = self.tables.holds(node.guard, scope)
        if not isinstance(taken, np.ndarray) or (taken == taken.flat[0]).all():
            self._nodes(node.then if np.all(taken) else node.otherwise, block, scope)
            return
        if any(isinstance(inner, _TOGETHER) for inner in walk((*node.then, *node.otherwise))):
            raise Divergence
        taken = np.broadcast_to(taken, self.warps.shape).ravel()
        for branch, chosen in ((node.then, np.flatnonzero(taken)), (node.otherwise, np.flatnonzero(~taken))):
            self._for_some(branch, chosen, block, scope)

    def _for_some(self, nodes: tuple[Node, ...], chosen: Integers, block: BlockState, scope: Environment) -> None:
        """Run nodes for some of the warps."""
        self._settle_all(block)
        every = self.warps, self.threads
        count = len(self.warps)

        def part(value: Any) -> Any:
            own = isinstance(value, np.ndarray) and value.ndim == 3 and len(value) == count
            return value[chosen] if own else value

        given = {name: values[chosen] for name, values in block.registers.items()}
        sums = {name: (layout, part[chosen]) for name, (layout, part) in block.sums.items()}
        inner = BlockState(block.number, dict(given), dict(sums))
        inner.tables = {name: (part(table), {}) for name, (table, _) in block.tables.items()}
        self.warps, self.threads = self.warps[chosen], self.threads[chosen]
        try:
            self._nodes(nodes, inner, {name: part(value) for name, value in scope.items()})
            self._settle_all(inner)
        finally:
            self.warps, self.threads = every
        added = [name for name, found in inner.sums.items() if sums.get(name) is not found]
        held = {name: values for name, values in inner.registers.items() if name not in inner.sums}
        for name, values in (held | {name: self._content(inner, name) for name in added}).items():
            if given.get(name) is values:
                continue
            known = name in block.registers or name in block.sums
            before = self._content(block, name) if known else None
            kept = before is not None and before.shape[1:] == values.shape[1:]
            whole = before.copy() if before is not None and kept else np.full((count, *values.shape[1:]), np.nan)
            whole[chosen] = values
            block.hold(name, whole)

    def _repeat(self, loop: Loop, block: BlockState, scope: Environment) -> None:
        plain = self.tables.plain(loop)
        if plain != (loop,):
            self._nodes(plain, block, scope)
            return
        start, stop = int(_same(self.tables.value(loop.start, scope))), int(_same(self.tables.value(loop.stop, scope)))
        for position in range(start, stop, loop.step):
            self._nodes(loop.body, block, {**scope, loop.var: position})

    def _name(self, let: Let, block: BlockState, scope: Environment) -> None:
        if let.fragment is None:
            value = self.tables.value(let.value, scope)
            scope[let.name] = value if isinstance(value, np.ndarray) else int(value)
            return
        rows, columns = self._fragment(let.fragment).layout.shape
        places: Environment = {name: block.tables[name][0] for name in self._named(let) & block.tables.keys()}
        places |= self._known(let, scope) | {"row": np.arange(rows)[:, None], "column": np.arange(columns)[None, :]}
        value = np.asarray(self.tables.value(let.value, places), np.int64)
        shape = np.broadcast_shapes(value.shape, (rows, columns))
        block.tables[let.name] = (np.broadcast_to(value, shape), {})
        scope.pop(let.name, None)

    # ---- steps

    def _fill(self, step: Fill, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        shape = (len(self.warps), *self._held(self._fragment(step.fragment).layout).shape)
        block.hold(step.fragment, self.tables.once(("fill", shape, step.value), lambda: np.full(shape, step.value)))

    def _fetch(self, step: Load, block: BlockState, scope: Environment) -> None:
        fragment = self._fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, offsets = self._where(step.source, places, block, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        shared = isinstance(step.source, BufferRef)
        if shared and mask is None:
            self._read_later(Reading(step, (step.fragment,), memory, self._alone(offsets)), block)
            return
        self._settle(block, copies=shared)
        self._check_access(step, memory, offsets, mask, f"what {step.fragment!r} moves")
        if shared:
            together = step.transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED)
            threads = np.broadcast_to(np.int64(MANY) if together else self.threads, shape)
            self._saw(memory, offsets, threads, mask, block)
        elif any(one.memory is memory for one in self.storings):
            self._settle_stores()
        if mask is None:
            block.hold(step.fragment, memory.read(offsets))
            return
        values = np.full(shape, step.fill)
        values[mask] = memory.read(offsets[mask])
        block.hold(step.fragment, values)

    def _put(self, step: Store, block: BlockState, scope: Environment) -> None:
        fragment = self._fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, offsets = self._where(step.target, places, block, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        shared = isinstance(step.target, BufferRef)
        self._settle(block, copies=shared)
        values = self._content(block, step.fragment)
        if values.shape != shape:
            raise InterpretError(f"{step.fragment!r} holds {values.shape[1:]} where {shape[1:]} are stored")
        if not shared:
            every = None if mask is None else mask[None]
            self._store_later(Storing(step, memory, offsets[None], every, values[None]))
            return
        self._check_access(step, memory, offsets, mask, f"what {step.fragment!r} moves")
        self._wrote(memory, offsets, np.broadcast_to(self.threads, shape), mask, block)
        if mask is None:
            memory.values[offsets], memory.written[offsets] = values, 1
        else:
            memory.write(offsets[mask], values[mask])

    def _place_of(
        self, step: Load | Store | AsyncCopy, fragment: Fragment, block: BlockState, scope: Environment
    ) -> tuple[tuple[int, ...], Environment]:
        held = self._held(fragment.layout)
        places = self._elements(step, held, fragment.layout, block, scope)
        return (len(self.warps), *held.shape), places

    def _multiply(self, step: Mma, block: BlockState, scope: Environment) -> None:
        self._multiply_later(step, block)

    def _work_out(self, step: Compute, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        layout = self._fragment(step.target).layout
        accumulators = [self._meant(block, name) for name in step.accumulators]
        operands = [self._meant(block, name) for name in step.operands]
        result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
        whole = np.broadcast_to(result, (len(self.warps), *layout.shape))
        block.hold(step.target, self._registers_of(layout, whole))

    def _part(self, step: Extract, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        target = self._fragment(step.target)
        row, column = int(_same(self.tables.value(step.row, scope))), int(_same(self.tables.value(step.column, scope)))
        rows, columns = target.layout.shape
        whole = self._meant(block, step.source)
        if not (0 <= row <= whole.shape[1] - rows and 0 <= column <= whole.shape[2] - columns):
            raise InterpretError(f"{step.target!r} reaches beyond {step.source!r}")
        key = ("part", id(target.layout), row, column, whole.shape[2])  # the kernel keeps its fragments
        held = self._held(target.layout)
        chosen = self.tables.once(key, lambda: (held.rows + row) * whole.shape[2] + held.columns + column)
        block.hold(step.target, whole.reshape(len(whole), -1).take(chosen, axis=1))

    def _turn_over(self, step: Turn, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        layout = self._fragment(step.target).layout
        block.hold(step.target, self._registers_of(layout, self._meant(block, step.source)))

    # ---- whole rows

    def _reduce(self, step: Fold, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        layout = self._fragment(step.target).layout
        matrices = [fold(step.fn, matrix, layout.shape) for matrix in self._meant(block, step.source)]
        block.hold(step.target, self._registers_of(layout, np.stack(matrices)))

    def _cover(self, step: Mask, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        fragment = self._fragment(step.fragment)
        held = self._held(fragment.layout)
        places = self._elements(step, held, fragment.layout, block, scope)
        mask = self._admitted(step.guard, places, (len(self.warps), *held.shape))
        if mask is not None:
            block.hold(step.fragment, np.where(mask, self._content(block, step.fragment), step.value))

    def _put_together(self, step: Join, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        layout = self._fragment(step.target).layout
        parts = [self._meant(block, name) for name in step.sources]
        block.hold(step.target, self._registers_of(layout, join(parts, layout.shape)))

    # ---- copies and barriers

    def _start(self, step: AsyncCopy, block: BlockState, scope: Environment) -> None:
        fragment = self._fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, targets = self._where(step.target, places, block, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        source, offsets = self._where(step.source, places, block, fragment.layout, shape)
        every = None if mask is None else mask[None]
        self._copy_later(Copying(step, memory, self._alone(targets), source, offsets[None], every), block)

    def _commit(self, step: Commit, block: BlockState, scope: Environment) -> None:
        self._settle(block)
        if step.kind is AsyncKind.COPY:
            block.groups.append(block.opened)
            block.opened = []

    def _await(self, step: Wait, block: BlockState, scope: Environment) -> None:
        self._settle(block)
        if step.kind is not AsyncKind.COPY:
            return
        while len(block.groups) > step.pending:
            for copy in block.groups.pop(0):
                copy.memory.values[copy.places], copy.memory.written[copy.places] = copy.values, 1
                self._stamps(copy.memory)[0][copy.places] = self.clocks[block.number] * INTERVAL + copy.threads

    def _meet_all(self, step: Barrier, block: BlockState, scope: Environment) -> None:
        if step.scope is not Scope.BLOCK:
            raise InterpretError(f"a barrier of scope {step.scope.value} in a kernel without rings")
        self._settle(block)
        self.clocks[block.number] += 1


def _same(value: Any) -> Any:
    """The one value that all warps have."""
    if not isinstance(value, np.ndarray):
        return value
    first = value.flat[0]
    if (value != first).any():
        raise Divergence
    return first


_ACTIONS: dict[type, Callable[..., None]] = {
    Let: LockstepInterpreter._name, Fill: LockstepInterpreter._fill, Load: LockstepInterpreter._fetch,
    Store: LockstepInterpreter._put, Mma: LockstepInterpreter._multiply, Compute: LockstepInterpreter._work_out,
    Extract: LockstepInterpreter._part, Turn: LockstepInterpreter._turn_over, AsyncCopy: LockstepInterpreter._start,
    Fold: LockstepInterpreter._reduce, Mask: LockstepInterpreter._cover, Join: LockstepInterpreter._put_together,
    Commit: LockstepInterpreter._commit, Wait: LockstepInterpreter._await, Barrier: LockstepInterpreter._meet_all,
}  # fmt: skip

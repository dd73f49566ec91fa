# SPDX-License-Identifier: MIT
"""All warps of a uniform block at once: each step is carried out for every warp together, as one array operation.

Between two barriers the order of warps cannot matter unless two of them race, and races are found from who touched what between
which barriers, whatever the order (`tracea_core.semantic.interpret_block`). So one order is as good as all of them, and the
cheapest is the one in which warps take each step together: registers are arrays of (warp, lane, register). Copies count as under
way until their wait, and nobody may touch their places until then, so they land there. Warps that take different branches take them one
after the other; where a barrier or a copy stands in one, or there are several roles, the machine that runs warps one by one takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.ops.expr import evaluate as evaluate_expr
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import evaluate, holds
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import Actor, Fragment, SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lockstep_places import BlockState, Divergence, Flying, LockstepPlaces
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
          SchedulingFence)  # fmt: skip
_TOGETHER = (Barrier, AsyncCopy, Commit, Wait)
_INTERVAL = 1 << 20
"""More threads than any block has: a stamp is the number of barriers passed times this, plus the thread."""
_MANY = _INTERVAL - 1
_FLYING = 1 << 62


def in_lockstep(kernel: SemanticKernel) -> bool:
    """Whether all warps of a block run one program of steps that this machine knows."""
    return len(kernel.roles) == 1 and kernel.roles[0].actor is Actor.WARP and all(
        isinstance(node, _KNOWN) for node in walk(kernel.roles[0].body)
    )  # fmt: skip


class LockstepInterpreter(LockstepPlaces):
    """Run one launch of a uniform kernel, block after block, all warps of a block together (see `BlockInterpreter`)."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.stamps: dict[str, tuple[Integers, Integers]] = {}

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
        if block.opened or block.groups:
            raise InterpretError(f"block {number} ends while its copy steps may still run")

    # ---- control

    def _nodes(self, nodes: tuple[Node, ...], block: BlockState, scope: Environment) -> None:
        scope = dict(scope)
        for node in nodes:
            action = _ACTIONS.get(type(node))
            if action is not None:
                action(self, node, block, scope)
            elif isinstance(node, Loop):
                self._repeat(node, block, scope)
            elif isinstance(node, If):
                self._choose(node, block, scope)
            elif isinstance(node, Staged):
                raise InterpretError("a staged step stands outside a loop", role=self.role.name)

    def _choose(self, node: If, block: BlockState, scope: Environment) -> None:
        """Take a branch, or where warps part and nothing in a branch concerns all of them, each branch with its warps."""
        taken = holds(node.guard, scope)
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
        every = self.warps, self.threads
        count = len(self.warps)

        def part(value: Any) -> Any:
            own = isinstance(value, np.ndarray) and value.ndim == 3 and len(value) == count
            return value[chosen] if own else value

        inner = BlockState(block.number, {name: values[chosen] for name, values in block.registers.items()})
        inner.tables = {name: (part(table), {}) for name, (table, _) in block.tables.items()}
        self.warps, self.threads = self.warps[chosen], self.threads[chosen]
        try:
            self._nodes(nodes, inner, {name: part(value) for name, value in scope.items()})
        finally:
            self.warps, self.threads = every
        for name, values in inner.registers.items():
            before = block.registers.get(name)
            kept = before is not None and before.shape[1:] == values.shape[1:]
            whole = before.copy() if before is not None and kept else np.full((count, *values.shape[1:]), np.nan)
            whole[chosen] = values
            block.registers[name] = whole

    def _repeat(self, loop: Loop, block: BlockState, scope: Environment) -> None:
        plain = self.tables.plain(loop)
        if plain != (loop,):
            self._nodes(plain, block, scope)
            return
        start, stop = int(_same(evaluate(loop.start, scope))), int(_same(evaluate(loop.stop, scope)))
        for position in range(start, stop, loop.step):
            self._nodes(loop.body, block, {**scope, loop.var: position})

    def _name(self, let: Let, block: BlockState, scope: Environment) -> None:
        if let.fragment is None:
            value = evaluate(let.value, scope)
            scope[let.name] = value if isinstance(value, np.ndarray) else int(value)
            return
        rows, columns = self.role.fragment(let.fragment).layout.shape
        places: Environment = {name: table for name, (table, _) in block.tables.items()}
        places |= {**scope, "row": np.arange(rows)[:, None], "column": np.arange(columns)[None, :]}
        value = np.asarray(evaluate(let.value, places), np.int64)
        shape = np.broadcast_shapes(value.shape, (rows, columns))
        block.tables[let.name] = (np.broadcast_to(value, shape), {})
        scope.pop(let.name, None)

    # ---- steps

    def _fill(self, step: Fill, block: BlockState, scope: Environment) -> None:
        shape = (len(self.warps), *self._held(self.role.fragment(step.fragment).layout).shape)
        block.registers[step.fragment] = np.full(shape, step.value)

    def _fetch(self, step: Load, block: BlockState, scope: Environment) -> None:
        fragment = self.role.fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, offsets = self._where(step.source, places, block, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        self._check_access(step, memory, offsets, mask, f"what {step.fragment!r} moves")
        if isinstance(step.source, BufferRef):
            together = step.transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED)
            threads = np.broadcast_to(np.int64(_MANY) if together else self.threads, shape)
            self._touch(self._saw, memory, offsets, threads, mask, block)
            if mask is None:
                block.registers[step.fragment] = memory.read_span(offsets)
                return
        if mask is None:
            block.registers[step.fragment] = memory.read(offsets)
            return
        values = np.full(shape, step.fill)
        values[mask] = memory.read(offsets[mask])
        block.registers[step.fragment] = values

    def _put(self, step: Store, block: BlockState, scope: Environment) -> None:
        fragment = self.role.fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, offsets = self._where(step.target, places, block, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        self._check_access(step, memory, offsets, mask, f"what {step.fragment!r} moves")
        values = self._content(block, step.fragment)
        if values.shape != shape:
            raise InterpretError(f"{step.fragment!r} holds {values.shape[1:]} where {shape[1:]} are stored")
        if isinstance(step.target, BufferRef):
            self._touch(self._wrote, memory, offsets, np.broadcast_to(self.threads, shape), mask, block)
        if mask is None and isinstance(step.target, BufferRef):
            memory.values[offsets], memory.written[offsets] = values, 1
        elif mask is None:
            memory.write(offsets, values)
        else:
            memory.write(offsets[mask], values[mask])

    def _place_of(
        self, step: Load | Store | AsyncCopy, fragment: Fragment, block: BlockState, scope: Environment
    ) -> tuple[tuple[int, ...], Environment]:
        held = self._held(fragment.layout)
        places = self._elements(step, held, fragment.layout, block, scope)
        return (len(self.warps), *held.shape), places

    def _multiply(self, step: Mma, block: BlockState, scope: Environment) -> None:
        lanes = instruction(step.instruction)
        assert lanes.a is not None and lanes.b is not None
        a = self._matrix_of(lanes.a, self._content(block, step.a))
        b = self._matrix_of(lanes.b, self._content(block, step.b))
        c = self._matrix_of(lanes.c, self._content(block, step.accumulator))
        block.registers[step.accumulator] = self._registers_of(lanes.c, c + a @ b)

    def _work_out(self, step: Compute, block: BlockState, scope: Environment) -> None:
        layout = self.role.fragment(step.target).layout
        accumulators = [self._meant(block, name) for name in step.accumulators]
        operands = [self._meant(block, name) for name in step.operands]
        result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
        whole = np.broadcast_to(result, (len(self.warps), *layout.shape))
        block.registers[step.target] = self._registers_of(layout, whole)

    def _part(self, step: Extract, block: BlockState, scope: Environment) -> None:
        target = self.role.fragment(step.target)
        row, column = int(_same(evaluate(step.row, scope))), int(_same(evaluate(step.column, scope)))
        rows, columns = target.layout.shape
        part = self._meant(block, step.source)[:, row : row + rows, column : column + columns]
        if part.shape[1:] != (rows, columns):
            raise InterpretError(f"{step.target!r} reaches beyond {step.source!r}")
        block.registers[step.target] = self._registers_of(target.layout, part)

    def _turn(self, step: Turn, block: BlockState, scope: Environment) -> None:
        layout = self.role.fragment(step.target).layout
        block.registers[step.target] = self._registers_of(layout, self._meant(block, step.source))

    # ---- copies and barriers

    def _start(self, step: AsyncCopy, block: BlockState, scope: Environment) -> None:
        fragment = self.role.fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, targets = self._where(step.target, places, block, fragment.layout, shape)
        threads = np.broadcast_to(self.threads, shape)
        self._wrote(memory, targets, threads, block)
        mask = self._admitted(step.guard, places, shape)
        source, offsets = self._where(step.source, places, block, fragment.layout, shape)
        what = f"the copy into {step.target.buffer!r}"
        self._check_access(step, memory, targets, None, what)
        self._check_access(step, source, offsets, mask, what)
        if mask is None:
            values = source.read(offsets)
        else:
            values = np.zeros(shape)
            values[mask] = source.read(offsets[mask])
        memory.values[targets], memory.written[targets] = np.nan, 0
        self._stamps(memory)[0][targets] = _FLYING
        block.opened.append(Flying(memory, targets, values, threads))

    def _commit(self, step: Commit, block: BlockState, scope: Environment) -> None:
        if step.kind is AsyncKind.COPY:
            block.groups.append(block.opened)
            block.opened = []

    def _await(self, step: Wait, block: BlockState, scope: Environment) -> None:
        if step.kind is not AsyncKind.COPY:
            return
        while len(block.groups) > step.pending:
            for copy in block.groups.pop(0):
                copy.memory.values[copy.places], copy.memory.written[copy.places] = copy.values, 1
                self._stamps(copy.memory)[0][copy.places] = self.clocks[block.number] * _INTERVAL + copy.threads

    def _meet_all(self, step: Barrier, block: BlockState, scope: Environment) -> None:
        if step.scope is not Scope.BLOCK:
            raise InterpretError(f"a barrier of scope {step.scope.value} in a kernel without rings")
        self.clocks[block.number] += 1

    # ---- races

    def _touch(
        self, note: Callable[[Memory, Integers, Integers, BlockState], None], memory: Memory, places: Integers, threads: Integers,
        mask: npt.NDArray[np.bool_] | None, block: BlockState,
    ) -> None:  # fmt: skip
        if mask is None:
            note(memory, places, threads, block)
        else:
            note(memory, places[mask], threads[mask], block)

    def _stamps(self, memory: Memory) -> tuple[Integers, Integers]:
        """When and by whom each place was last written, and read."""
        if memory.name not in self.stamps:
            size = memory.values.size
            self.stamps[memory.name] = (np.full(size, -1, np.int64), np.full(size, -1, np.int64))
        return self.stamps[memory.name]

    def _apart(self, stamps: Integers, places: Integers, mine: Integers, first: int, name: str) -> None:
        """Raise if another thread touched a place since the last barrier, or a copy may still."""
        before = stamps.take(places)
        meets = (before >= first) & (before != mine)
        if meets.any():
            if (before == _FLYING).any():
                raise InterpretError(f"{name!r} is touched where a copy is under way")
            raise InterpretError(
                f"{name!r} is touched by two threads, one of which writes, without a barrier between them"
            )

    def _saw(self, memory: Memory, places: Integers, threads: Integers, block: BlockState) -> None:
        written, seen = self._stamps(memory)
        first = self.clocks[block.number] * _INTERVAL
        mine = first + threads
        self._apart(written, places, mine, first, memory.name)
        before = seen.take(places)
        seen[places] = mine
        several = ((before >= first) & (before != mine)) | (seen.take(places) != mine)
        if several.any():
            seen[places[several]] = first + _MANY

    def _wrote(self, memory: Memory, places: Integers, threads: Integers, block: BlockState) -> None:
        first = self.clocks[block.number] * _INTERVAL
        mine = first + threads
        for stamps in self._stamps(memory):
            self._apart(stamps, places, mine, first, memory.name)
        written, _ = self._stamps(memory)
        written[places] = mine
        if (written.take(places) != mine).any():
            raise InterpretError(f"{memory.name!r} is written twice by one step")


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
    Extract: LockstepInterpreter._part, Turn: LockstepInterpreter._turn, AsyncCopy: LockstepInterpreter._start,
    Commit: LockstepInterpreter._commit, Wait: LockstepInterpreter._await, Barrier: LockstepInterpreter._meet_all,
}  # fmt: skip

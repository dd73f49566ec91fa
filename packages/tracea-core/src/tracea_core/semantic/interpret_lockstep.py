# SPDX-License-Identifier: MIT
"""All warps of uniform blocks at once: each step is carried out for every warp together, as one array operation.

Between two barriers the order of warps cannot matter unless two of them race, and races are found from who touched what between
which barriers, whatever the order (`tracea_core.semantic.interpret_block`). So one order is as good as all of them, and the
cheapest is the one in which warps take each step together: registers are arrays of (warp, lane, register). Copies count as under
way until their wait, and nobody may touch their places until then, so they land there. Warps that take different branches take them one
after the other; where a barrier or a copy stands in one, or there are several roles, the machine that runs warps one by one takes over.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import COLUMN, ROW, Value
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, fold, join
from tracea_core.semantic.kernel import Fragment, walk
from tracea_core.semantic.lockstep_elements import Elements, Table
from tracea_core.semantic.lockstep_operands import Reading
from tracea_core.semantic.lockstep_queue import Copying, Storing
from tracea_core.semantic.lockstep_state import BlockState, Flying, span
from tracea_core.semantic.lockstep_sweeps import LockstepSweeps
from tracea_core.semantic.lockstep_team import Divergence, plain, same
from tracea_core.semantic.ragged import ABSENT, GROUP_ENDS
from tracea_core.semantic.rolls import Roll
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask
from tracea_core.semantic.steps import (
    Access,
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
    Turn,
    Wait,
)

KNOWN = (Let, Loop, If, Staged, Fill, Load, Store, Mma, Compute, Extract, Turn, AsyncCopy, Commit, Wait, Barrier,
         SchedulingFence, Fold, Join, Mask, Count)  # fmt: skip
"""The steps that this machine knows (`tracea_core.semantic.interpret_block.in_lockstep`)."""
_TOGETHER = (Barrier, AsyncCopy, Commit, Wait)


class LockstepInterpreter(LockstepSweeps):
    """Run one launch of a uniform kernel, or several, all warps of a few blocks together (see `BlockInterpreter`)."""

    def run(self) -> dict[str, Array]:
        """Return the memory of every pointer parameter afterwards (see `Interpreter.run`); of several launches, see `memory_after`.

        Raises
        ------
        Divergence
            If warps of a block part where they cannot, and there are several launches; one launch is run warp by warp then.
        """
        try:
            for first in range(0, self.total, self.together):
                self._run(np.arange(first, min(first + self.together, self.total)))
        except Divergence:
            if len(self.launches) > 1:
                raise
            apart = BlockInterpreter(self.kernel, *self.launches[0])
            apart.run()
            self.memory = apart.memory
        return {name: memory.values for name, memory in self.memory.items()}

    def memory_after(self, launch: int, operand: str) -> Memory:
        """Return a pointer's memory after a run, that of the launch with this number."""
        memory = self.memory[operand]
        return self.lots[operand].of(memory, launch) if operand in self.lots else memory

    def _run(self, blocks: Integers) -> None:
        self.join(blocks)
        self._begin()
        team, state = self.team, BlockState(len(self.warps))
        firsts = np.cumsum([0, *(launch.workers for launch in self.launches)])
        scope: Environment = {}
        for name in self.launches[0].symbols.keys() - {GROUP_ENDS}:
            values = [launch.symbols[name] for launch in self.launches]
            alike = len(self.launches) == 1 or len(set(values)) == 1
            scope[name] = values[0] if alike else np.array(values, np.int64)[team.launches][:, None, None]
        if GROUP_ENDS in self.symbols:
            scope[GROUP_ENDS] = self._ends()[team.launches][:, :, None]
        counts = np.array([launch.workers for launch in self.launches], np.int64)
        scope["block"] = plain((blocks[team.blocks] - firsts[team.launches])[:, None, None])
        scope["blocks"] = plain(counts[team.launches][:, None, None])
        scope["cluster_rank"] = plain(scope["block"] % self.cluster)
        scope[self.role.name] = self.warps if self.role.instances > 1 else 0
        self._nodes(self.role.body, state, scope)
        self._settle_all(state)
        if state.opened or state.groups:
            raise InterpretError("a block ends while its copy steps may still run")

    def _ends(self) -> Integers:
        """The ends of groups, or lists of blocks, that each launch finds in memory, as many as the longest has."""
        every = [np.asarray(launch.operands[GROUP_ENDS], np.int64).ravel() for launch in self.launches]
        found = np.full((len(every), max(ends.size for ends in every)), ABSENT, np.int64)
        for row, ends in zip(found, every, strict=True):
            row[: ends.size] = ends
        return found

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
        """Take a branch, or where warps part and nothing in a branch concerns all of a block, each branch with its warps."""
        taken = self.tables.holds(node.guard, scope)
        if not isinstance(taken, np.ndarray) or (taken == taken.flat[0]).all():
            self._nodes(node.then if np.all(taken) else node.otherwise, block, scope)
            return
        whole = any(isinstance(inner, _TOGETHER) for inner in walk((*node.then, *node.otherwise)))
        taken = np.broadcast_to(taken, self.warps.shape).ravel()
        if whole:
            self._of_blocks(taken)
        for branch, chosen in ((node.then, np.flatnonzero(taken)), (node.otherwise, np.flatnonzero(~taken))):
            if branch:
                self._for_some(functools.partial(self._nodes, branch), chosen, block, scope, whole=whole)

    def _of_blocks(self, values: npt.NDArray[Any]) -> None:
        """Look whether all warps of each block have one value."""
        if not self.team.width:
            raise Divergence
        grid = values.reshape(-1, self.team.width)
        if (grid != grid[:, :1]).any():
            raise Divergence

    def _for_some(
        self, run: Callable[[BlockState, Environment], None], numbers: Integers, block: BlockState, scope: Environment,
        *, whole: bool,
    ) -> None:  # fmt: skip
        """Run something for some of the warps, which are `whole` blocks or take no step that concerns all of one."""
        self._settle_all(block)
        team, count, chosen = self.team, block.count, span(numbers)

        def part(value: Any) -> Any:
            own = isinstance(value, np.ndarray) and value.ndim == 3 and len(value) == count
            return value[chosen] if own else value

        inner = block.some(chosen)
        given, sums, parts = dict(inner.registers), dict(inner.sums), dict(inner.loaded)
        inner.tables = {name: Table(part(table.values), {}) for name, table in block.tables.items()}
        part_of = team.some(chosen, whole=whole)
        mine = part_of.present(self.blocks)
        if whole:
            inner.opened = [copy.of(mine) for copy in block.opened]
            inner.groups = [[copy.of(mine) for copy in group] for group in block.groups]
        self.gather(part_of)
        try:
            run(inner, {name: part_of.warps if value is team.warps else part(value) for name, value in scope.items()})
            self._settle_all(inner)
        finally:
            team.now = None
            self.gather(team)
        if whole:
            block.opened = [*(copy.of(~mine) for copy in block.opened), *inner.opened]
            block.groups = _abreast([[copy.of(~mine) for copy in group] for group in block.groups], inner.groups)
        done = block.take_grids(inner, chosen)
        added = {name for name, found in inner.sums.items() if sums.get(name) is not found}
        added |= {name for names in inner.grids for name in names if name in inner.sums}
        held = {
            name for name, values in inner.registers.items() if name not in inner.sums and given.get(name) is not values
        }
        held |= {name for name, part in inner.loaded.items() if parts.get(name) is not part}
        for name in (added | held) - done:
            block.later.setdefault(name, []).append((chosen, self._content(inner, name)))

    def _repeat(self, loop: Loop, block: BlockState, scope: Environment) -> None:
        expanded = self.tables.plain(loop)
        if expanded != (loop,):
            self._nodes(expanded, block, scope)
            return
        start, stop = plain(self.tables.value(loop.start, scope)), plain(self.tables.value(loop.stop, scope))
        if isinstance(start, int) and isinstance(stop, int) and self._swept(loop, start, stop, block, scope):
            return
        self._turns(loop, start, stop, block, scope)

    def _turns(self, loop: Loop, start: Value, stop: Value, block: BlockState, scope: Environment) -> None:
        """Repeat a loop from `start` on, as long as some block does, for those that do; each block has its own position."""
        if isinstance(start, np.ndarray):
            self._of_blocks(np.broadcast_to(start, self.warps.shape).ravel())
        position = start
        for _ in range(int(np.min(-((start - stop) // loop.step)))):  # turns that every block takes
            self._nodes(loop.body, block, {**scope, loop.var: position})
            position = position + loop.step
        if isinstance(start, int) and isinstance(stop, int):
            return
        positions, stops = (np.broadcast_to(value, self.warps.shape).ravel() for value in (position, stop))
        self._of_blocks(stops)
        chosen = np.flatnonzero(stops > positions)
        if chosen.size:
            ends = (plain(values[chosen][:, None, None]) for values in (positions, stops))
            self._for_some(functools.partial(self._turns, loop, *ends), chosen, block, scope, whole=True)

    def _name(self, let: Let, block: BlockState, scope: Environment) -> None:
        if let.fragment is None:
            value = self.tables.value(let.value, scope)
            scope[let.name] = value if isinstance(value, np.ndarray) else int(value)
            return
        rows, columns = self._fragment(let.fragment).layout.shape
        places: Environment = {name: block.tables[name].values for name in self._named(let) & block.tables.keys()}
        places |= self._known(let, scope) | {"row": np.arange(rows)[:, None], "column": np.arange(columns)[None, :]}
        if held_let(let):
            self._settle(block, copies=False)
            places[let.fragment] = self._meant(block, let.fragment).astype(np.int64)
        value = np.asarray(self.tables.value(let.value, places), np.int64)
        block.tables[let.name] = Table(np.broadcast_to(value, np.broadcast_shapes(value.shape, (rows, columns))), {})
        scope.pop(let.name, None)

    # ---- steps

    def _fill(self, step: Fill, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        shape = (len(self.warps), *self._held(self._fragment(step.fragment).layout).shape)
        block.hold(step.fragment, self.tables.once(("fill", shape, step.value), lambda: np.full(shape, step.value)))

    def _fetch(self, step: Load, block: BlockState, scope: Environment) -> None:
        fragment = self._fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        if isinstance(step.source, Access):
            found = self._loaded(step, step.source, fragment.layout, places, shape, (step.fragment,), block)
            block.hold(step.fragment, found.read(step.fill))
            return
        memory, offsets = self._within(step.source, places, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        if mask is None:
            self._read_later(Reading(step, (step.fragment,), memory, self._alone(offsets)), block)
            return
        self._settle(block)
        offsets = self._looked_at(step, memory, offsets, mask)
        values = np.full(shape, step.fill)
        values[mask] = self._values(memory, offsets[mask])
        block.hold(step.fragment, values)

    def _put(self, step: Store, block: BlockState, scope: Environment) -> None:
        fragment = self._fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        self._settle(block, copies=isinstance(step.target, BufferRef))
        values = self._content(block, step.fragment)
        if values.shape != shape:
            raise InterpretError(f"{step.fragment!r} holds {values.shape[1:]} where {shape[1:]} are stored")
        if isinstance(step.target, Access):
            found = self._global(step, step.target, fragment.layout, places, shape, "a store")
            every = None if found.mask is None else found.mask[None]
            self._store_later(Storing(step, found.memory, found.offsets[None], every, values[None], found.checked))
            return
        memory, offsets = self._within(step.target, places, fragment.layout, shape)
        mask = self._admitted(step.guard, places, shape)
        grains = self._wrote(step, memory, offsets, mask, f"what {step.fragment!r} moves")
        self._write(memory, grains, values, mask)

    def _place_of(
        self, step: Load | Store | AsyncCopy, fragment: Fragment, block: BlockState, scope: Environment
    ) -> tuple[tuple[int, ...], Elements]:
        places = self._elements(step, fragment.layout, block.tables, scope)
        return (len(self.warps), *places.rows.shape), places

    def _multiply(self, step: Mma, block: BlockState, scope: Environment) -> None:
        self._multiply_later(step, block)

    def _work_out(self, step: Compute, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        layout = self._fragment(step.target).layout
        accumulators = [self._unchanging(block, name) for name in step.accumulators]
        operands = [self._unchanging(block, name) for name in step.operands]
        result = np.asarray(evaluate_expr(step.expr, accumulators, operands), np.float64)
        block.hold_part(step.target, layout, np.broadcast_to(result, (len(self.warps), *layout.shape)))

    def _part(self, step: Extract, block: BlockState, scope: Environment) -> None:
        self._holds_anew(block, step.source, step.target)
        target = self._fragment(step.target)
        row, column = int(same(self.tables.value(step.row, scope))), int(same(self.tables.value(step.column, scope)))
        rows, columns = target.layout.shape
        whole = self._unchanging(block, step.source)
        taken = step.columns(column, columns)
        if not (0 <= row <= whole.shape[1] - rows and column >= 0 and taken.stop <= whole.shape[2]):
            raise InterpretError(f"{step.target!r} reaches beyond {step.source!r}")
        block.hold_part(step.target, target.layout, whole[:, row : row + rows, taken])

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
        self._holds_anew(block, step.fragment)
        fragment = self._fragment(step.fragment)
        matrix = self._part_of(block, step.fragment, fragment.layout)
        if matrix is not None and not self._named(step):
            block.hold_part(step.fragment, fragment.layout, np.where(self._pattern(step, fragment), matrix, step.value))
            return
        held = self._held(fragment.layout)
        places = self._elements(step, fragment.layout, block.tables, scope)
        mask = self._admitted(step.guard, places, (len(self.warps), *held.shape))
        if mask is not None:
            block.hold(step.fragment, np.where(mask, self._content(block, step.fragment), step.value))

    def _pattern(self, step: Mask, fragment: Fragment) -> npt.NDArray[np.bool_]:
        """Which elements of a matrix a guard lets pass that names their places alone."""
        rows, columns = fragment.layout.shape

        def compute() -> npt.NDArray[np.bool_]:
            places = {ROW.name: np.arange(rows)[:, None], COLUMN.name: np.arange(columns)[None, :]}
            return np.broadcast_to(np.asarray(self.tables.holds(step.guard, places), np.bool_), (rows, columns))

        return self.tables.once(("pattern", id(step.guard), rows, columns), compute)  # the kernel keeps its steps

    def _put_together(self, step: Join, block: BlockState, scope: Environment) -> None:
        self._settle(block, copies=False)
        layout = self._fragment(step.target).layout
        parts = [self._meant(block, name) for name in step.sources]
        block.hold(step.target, self._registers_of(layout, join(parts, layout.shape)))

    # ---- copies and barriers

    def _start(self, step: AsyncCopy, block: BlockState, scope: Environment) -> None:
        fragment = self._fragment(step.fragment)
        shape, places = self._place_of(step, fragment, block, scope)
        memory, targets = self._within(step.target, places, fragment.layout, shape)
        found = self._global(step, step.source, fragment.layout, places, shape, "a copy")
        one = found._replace(offsets=found.offsets[None], mask=None if found.mask is None else found.mask[None])
        self._copy_later(Copying(step, memory, self._alone(targets), one), block)

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
                places, values, threads, blocks = copy.landing()
                self._write(copy.memory, places, values)
                self._landed(copy.memory, places, threads, blocks, copy.slots)

    def _meet_all(self, step: Barrier, block: BlockState, scope: Environment) -> None:
        if step.scope is not Scope.BLOCK:
            raise InterpretError(f"a barrier of scope {step.scope.value} in a kernel without rings")
        self._settle(block)
        self._pass_barrier()


def _abreast(some: list[list[Flying]], others: list[list[Flying]]) -> list[list[Flying]]:
    """The groups of copies of all blocks, the youngest of each side together: a wait leaves so many of the youngest, whoever has more.

    Blocks that took no turn of a loop have older groups besides.
    """
    longest = max(len(some), len(others))
    first, second = ([*([] for _ in range(longest - len(groups))), *groups] for groups in (some, others))
    return [[*one, *other] for one, other in zip(first, second, strict=True)]


_ACTIONS: dict[type, Callable[..., None]] = {
    Let: LockstepInterpreter._name, Fill: LockstepInterpreter._fill, Load: LockstepInterpreter._fetch,
    Store: LockstepInterpreter._put, Mma: LockstepInterpreter._multiply, Compute: LockstepInterpreter._work_out,
    Extract: LockstepInterpreter._part, Turn: LockstepInterpreter._turn_over, AsyncCopy: LockstepInterpreter._start,
    Fold: LockstepInterpreter._reduce, Mask: LockstepInterpreter._cover, Join: LockstepInterpreter._put_together,
    Count: LockstepInterpreter._number,
    Commit: LockstepInterpreter._commit, Wait: LockstepInterpreter._await, Barrier: LockstepInterpreter._meet_all,
}  # fmt: skip

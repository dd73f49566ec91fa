# SPDX-License-Identifier: MIT
"""Registers of all warps of a team together, for `tracea_core.semantic.interpret_lockstep`.

They are arrays of (warp, lane, register), warps of one block after the other; what instructions and expressions take and give are matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array, memory_of
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import Fragment, SemanticKernel, Space
from tracea_core.semantic.lockstep_elements import Held
from tracea_core.semantic.lockstep_state import BlockState
from tracea_core.semantic.lockstep_team import Launch, Lots, Team, joined

_AT_ONCE = 8192
"""Threads that take steps together: enough for a step's own cost to count for little, few enough for their arrays to stay in caches."""
_MOST_SHARED = 1 << 20
"""Elements of shared memory of the blocks that go together, which are 8 bytes each here: the pages of more cost more than the steps."""


class LockstepFragments(BlockInterpreter):
    """What all warps of a team hold.

    Parameters
    ----------
    more : sequence of Launch
        Further launches that take their steps together with the first one.
    """

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
        more: Sequence[Launch] = (),
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.launches = (Launch(symbols, operands, workers, seed), *more)
        (self.role,) = kernel.roles
        self.fragments = {fragment.name: fragment for fragment in self.role.fragments}
        rows = self.role.instances * self.role.lanes
        self.total = sum(launch.workers for launch in self.launches)
        shared = sum(self.tables.sizes[b.name] * b.slots for b in kernel.buffers if b.space is Space.SHARED)
        most = max(min(_AT_ONCE // max(rows, 1), _MOST_SHARED // max(shared, 1)), 1)
        self.together = _evenly(max(self.total, 1), most)  # a launch may have no block at all
        self.blocks = max(min(self.together, self.total), 1)
        self.lots: dict[str, Lots] = {}
        for parameter in kernel.parameters if more else ():
            parts = [self.memory[parameter.name], *(memory_of(parameter, launch.operands) for launch in more)]
            self.memory[parameter.name], self.lots[parameter.name] = joined(parts)
        self.join(np.arange(0))

    def join(self, blocks: Integers) -> None:
        """Let the next steps be taken by all warps of these blocks, numbered through all launches; in the team, from 0 on."""
        launches = np.repeat(np.arange(len(self.launches)), [launch.workers for launch in self.launches])[blocks]
        self.gather(Team.whole(np.arange(len(blocks)), launches, self.role.instances, self.role.lanes))

    def gather(self, team: Team) -> None:
        """Let the next steps be taken by this team."""
        self.team, self.warps, self.threads = team, team.warps, team.threads

    # ---- fragments

    def _fragment(self, name: str) -> Fragment:
        return self.fragments.get(name) or self.role.fragment(name)  # which says what is wrong

    def _held(self, layout: FragmentLayout) -> Held:
        def compute() -> tuple[FragmentLayout, Held]:
            rows, columns = layout.elements()
            flat = rows * layout.shape[1] + columns
            inverse = np.argsort(flat, axis=None) if layout.is_partition() else None
            places, first = np.unique(flat, return_index=True)
            every = places.size == layout.shape[0] * layout.shape[1]
            straight = every and np.array_equal(flat.ravel(), np.arange(places.size))
            return layout, Held(rows, columns, flat, inverse, rows.shape, first if every else None, straight)

        return self.tables.once(("held", id(layout)), compute)[1]  # kept with its layout, whose identity stays its own

    def _matrix_of(self, layout: FragmentLayout, registers: Array) -> Array:
        """The matrices that registers hold under `layout`, one for each warp."""
        held = self._held(layout)
        if registers.shape[1:] != held.shape:
            raise InterpretError(
                f"a fragment of {registers.shape[1:]} lanes and registers where {held.shape} are needed"
            )
        count = registers.shape[0]
        if held.straight:
            return registers.reshape(count, *layout.shape)
        if held.inverse is not None:
            return registers.reshape(count, -1).take(held.inverse, axis=1).reshape(count, *layout.shape)
        if held.first is None:  # an element that no register holds
            matrix = np.full((count, layout.shape[0] * layout.shape[1]), np.nan)
            matrix[:, held.flat] = registers
        else:
            matrix = registers.reshape(count, -1).take(held.first, axis=1)
        again = matrix.take(held.flat, axis=1)
        if not ((again == registers).all() or np.array_equal(again, registers, equal_nan=True)):
            raise InterpretError("lanes that should hold the same element hold different ones")
        return matrix.reshape(count, *layout.shape)

    def _registers_of(self, layout: FragmentLayout, matrix: Array) -> Array:
        if matrix.shape[1:] != layout.shape:
            raise InterpretError(f"a matrix of {matrix.shape[1:]} in a fragment of {layout.shape}")
        return matrix.reshape(matrix.shape[0], -1).take(self._held(layout).flat, axis=1)

    def _catch_up(self, block: BlockState, name: str) -> None:
        """Let a fragment hold what some warps made of it meanwhile, and these warps what it held when they went apart."""
        if name in block.loaded:
            block.registers[name] = self._registers_of(*block.loaded.pop(name))
        if name in block.sums:
            block.add_up()
        for chosen, values in block.later.pop(name, ()):
            before = self._content(block, name) if name in block.registers or name in block.sums else None
            kept = before is not None and before.shape[1:] == values.shape[1:]
            every = before.copy() if before is not None and kept else np.full((block.count, *values.shape[1:]), np.nan)
            every[chosen] = values
            block.hold(name, every)
        if name not in block.registers and name not in block.sums and block.within is not None:
            larger, chosen = block.within
            if larger.holds(name):
                block.registers[name] = self._content(larger, name)[chosen]

    def _part_of(self, block: BlockState, name: str, layout: FragmentLayout) -> Array | None:
        """The matrices that a fragment was given, if it holds each element of them under `layout` and no registers were asked for."""
        known = block.loaded.get(name)
        if (
            known is None
            or name in block.later
            or not (known[0] is layout or known[0] == layout)
            or self._held(layout).first is None
        ):
            return None
        return known[1]

    def _unchanging(self, block: BlockState, name: str) -> Array:
        """What `_meant` says, for good: sums are added to where they are."""
        matrix = self._meant(block, name)
        return matrix.copy() if name in block.sums else matrix

    def _content(self, block: BlockState, name: str) -> Array:
        self._catch_up(block, name)
        if name not in block.registers:
            if name not in block.sums:
                raise InterpretError(f"the fragment {name!r} is used before it holds anything", role=self.role.name)
            block.registers[name] = self._registers_of(*block.sums[name])
        return block.registers[name]

    def _meant(self, block: BlockState, name: str) -> Array:
        matrix = self._part_of(block, name, self._fragment(name).layout)
        if matrix is not None:
            return matrix
        self._catch_up(block, name)
        if name in block.sums and block.sums[name][0] == self._fragment(name).layout:
            return block.sums[name][1]
        registers = self._content(block, name)
        known = block.matrices.get(name)
        if known is None or known[0] is not registers:
            known = (registers, self._matrix_of(self._fragment(name).layout, registers))
            block.matrices[name] = known
        return known[1]


def _evenly(total: int, most: int) -> int:
    """How many blocks go together: all of them in turns of about `most`, alike, of which there are few."""
    return -(-total // max(round(total / most), 1))

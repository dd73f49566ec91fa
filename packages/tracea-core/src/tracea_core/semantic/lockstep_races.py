# SPDX-License-Identifier: MIT
"""Who touched what since the last barrier, for all warps of a block together: the exact check for races.

Every place of shared memory has two stamps, of its last write and its last read: the number of barriers passed before it, and the thread.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lockstep_places import BlockState, LockstepPlaces

INTERVAL = 1 << 20
"""More threads than any block has: a stamp is the number of barriers passed times this, plus the thread."""
MANY = INTERVAL - 1
FLYING = 1 << 62


class LockstepRaces(LockstepPlaces):
    """The stamps of shared memory."""

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

    def _stamps(self, memory: Memory) -> tuple[Integers, Integers]:
        """When and by whom each place was last written, and read."""
        if memory.name not in self.stamps:
            size = memory.values.size
            self.stamps[memory.name] = (np.full(size, -1, np.int64), np.full(size, -1, np.int64))
        return self.stamps[memory.name]

    def _apart(self, stamps: Integers, places: Integers, mine: Integers | None, first: int, name: str) -> None:
        """Raise if another thread touched a place since the last barrier, or a copy may still; `mine` None if any counts."""
        before = stamps.take(places)
        meets = before >= first
        if mine is not None and meets.any():
            meets &= before != mine
        if meets.any():
            if (before == FLYING).any():
                raise InterpretError(f"{name!r} is touched where a copy is under way")
            raise InterpretError(
                f"{name!r} is touched by two threads, one of which writes, without a barrier between them"
            )

    def _saw_together(self, memory: Memory, places: Integers, block: BlockState) -> None:
        """Note a read that lanes of a warp make for each other, so that it counts as one by several threads."""
        written, seen = self._stamps(memory)
        first = self.clocks[block.number] * INTERVAL
        once = self._once_each(places, memory)
        self._apart(written, once, None, first, memory.name)
        seen[once] = first + MANY

    def _once_each(self, places: Integers, memory: Memory) -> Integers:
        """The places, each once, where they come from the tables and many are named several times."""
        if not self.tables.keeps(places):
            return places

        def compute() -> tuple[Integers, Integers]:
            found = np.zeros(memory.values.size, np.bool_)
            found[places] = True
            return places, np.flatnonzero(found)

        return self.tables.once(("once each", id(places)), compute)[1]

    def _saw(
        self,
        memory: Memory,
        places: Integers,
        threads: Integers,
        mask: npt.NDArray[np.bool_] | None,
        block: BlockState,
    ) -> None:
        places, threads = (places, threads) if mask is None else (places[mask], threads[mask])
        written, seen = self._stamps(memory)
        first = self.clocks[block.number] * INTERVAL
        mine = first + threads
        self._apart(written, places, mine, first, memory.name)
        before = seen.take(places)
        seen[places] = mine
        several = ((before >= first) & (before != mine)) | (seen.take(places) != mine)
        if several.any():
            seen[places[several]] = first + MANY

    def _wrote(
        self,
        memory: Memory,
        places: Integers,
        threads: Integers,
        mask: npt.NDArray[np.bool_] | None,
        block: BlockState,
    ) -> None:
        places, threads = (places, threads) if mask is None else (places[mask], threads[mask])
        first = self.clocks[block.number] * INTERVAL
        mine = first + threads
        for stamps in self._stamps(memory):
            self._apart(stamps, places, mine, first, memory.name)
        written, _ = self._stamps(memory)
        written[places] = mine

        def once_each() -> tuple[Integers]:
            if (written.take(places) != mine).any():
                raise InterpretError(f"{memory.name!r} is written twice by one step")
            return (places,)

        if mask is None and self.tables.keeps(places):  # each of its elements has a thread of its own, always the same
            self.tables.once(("written once", id(places), self.threads.tobytes()), once_each)
        else:
            once_each()

# SPDX-License-Identifier: MIT
"""Interpretation of CPU workers that share a workspace, with an exact check for races.

Two accesses to one place of a workspace between the same two barriers, by different workers and one of them a write, race in
some interleaving. Every place remembers when, in barriers passed, and by whom it was last written and read, so one run finds
them whatever its interleaving. (Outputs need no such record: each element is written once and never read.)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array, Instance, Pause
from tracea_core.semantic.interpret_loops import LoopsInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel, Space
from tracea_core.semantic.steps import BufferRef, Load, Store

_INTERVAL = 1 << 20
"""More workers than any run has: a stamp is the number of barriers passed times this, plus the worker."""
_MANY = _INTERVAL - 1


class WorkersInterpreter(LoopsInterpreter):
    """Run one launch of a CPU kernel whose workers share a workspace (see `Interpreter`)."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.passed: dict[int, int] = {}
        self.written: dict[str, Integers] = {}
        self.seen: dict[str, Integers] = {}

    def _meet(self, name: str, instance: Instance) -> Pause:
        yield from super()._meet(name, instance)
        self.passed[instance.number] = self.passed.get(instance.number, 0) + 1

    def _accessed(self, step: Load | Store, memory: Memory, touched: Integers, instance: Instance) -> None:
        """Check an access against what others did since the last barrier, and remember it."""
        place = step.source if isinstance(step, Load) else step.target
        if not isinstance(place, BufferRef) or self.tables.buffer(place.buffer).space is not Space.WORKSPACE:
            return
        first = self.passed.get(instance.number, 0) * _INTERVAL
        mine = first + instance.number
        if memory.name not in self.written:
            self.written[memory.name], self.seen[memory.name] = np.full((2, memory.values.size), -1, np.int64)
        written, seen = self.written[memory.name], self.seen[memory.name]
        for stamps in (written, seen) if isinstance(step, Store) else (written,):
            before = stamps.take(touched)
            if ((before >= first) & (before != mine)).any():
                raise InterpretError(
                    f"{memory.name!r} is touched by two workers, one of which writes, without a barrier between them"
                )
        if isinstance(step, Store):
            written[touched] = mine
        else:
            before = seen.take(touched)
            several = (before >= first) & (before != mine)
            seen[touched] = np.where(several, first + _MANY, mine) if several.any() else mine

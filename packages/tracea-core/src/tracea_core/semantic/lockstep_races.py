# SPDX-License-Identifier: MIT
"""Who touched what since the last barrier, for all warps of a team together: the exact check for races.

Every grain of shared memory (`tracea_core.semantic.lockstep_grains`) has two stamps, of its last write and its last read: the number of
barriers passed before it, and the thread.
Each block has a clock of its own, the barriers that it has passed. What was never written has no stamp, and must not be read.
Stamps are looked at where somebody may meet, and reads are stamped when a write could meet them (`tracea_core.semantic.lockstep_recent`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lockstep_grains import grains, put
from tracea_core.semantic.lockstep_places import Slots
from tracea_core.semantic.lockstep_recent import Recent, Seen
from tracea_core.semantic.lockstep_runs import LockstepRuns
from tracea_core.semantic.lockstep_team import Divergence, Launch
from tracea_core.semantic.steps import AsyncCopy, Load, Store, Transfer

INTERVAL = 1 << 20
"""More threads than any block has: a stamp is the number of barriers passed times this, plus the thread."""
MANY = INTERVAL - 1
FLYING = 1 << 62


class LockstepRaces(LockstepRuns):
    """The stamps of shared memory."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
        more: Sequence[Launch] = (),
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed, more)
        self.passed: Integers = np.ones(self.blocks, np.int64)  # so that every stamp is positive
        self.stamps: dict[str, tuple[Integers, Integers]] = {}
        known = self.tables.once(("grains",), lambda: grains(self.role))
        whole = {name: 1 if self.tables.sizes[name] % grain else grain for name, grain in known.items()}
        self.grains = {f"{name} of all blocks": grain for name, grain in whole.items()}
        buffers = self.tables.buffers
        self.shared_slots = {f"{name} of all blocks": (self.tables.sizes[name], buffers[name].slots) for name in whole}
        self.recent: dict[str, Recent] = {}

    def _begin(self) -> None:
        """Let blocks begin in the shared memory of those before them: nobody has written or read anything, and no barrier is passed."""
        self.passed[:] = 1
        for stamps in self.stamps.values():
            for one in stamps:
                one[:] = 0
        self.recent.clear()

    def _values(self, memory: Memory, places: Integers) -> Array:
        """What memory holds; of shared memory, stamps know whether that was written."""
        return memory.values.take(places) if memory.name in self.stamps else memory.read(places)

    def _stamps(self, memory: Memory) -> tuple[Integers, Integers]:
        """When and by whom each grain was last written, and read."""
        if memory.name not in self.stamps:
            size = memory.values.size // self.grains[memory.name]
            self.stamps[memory.name] = (
                np.zeros(size, np.int64),
                np.zeros(size, np.int64),
            )  # pages that nobody touches cost nothing
        return self.stamps[memory.name]

    def _now(self) -> Integers:
        """The stamp that the interval since the last barrier begins with, of each warp's block, shape (warps, 1, 1)."""
        if self.team.now is None:
            now = self.team.now = self.passed[self.team.blocks][:, None, None] * INTERVAL
            self.team.earliest = int(now.min()) if now.size else 0
            self.team.latest = int(now.max()) + INTERVAL - 1 if now.size else 0
        return self.team.now

    def _earliest(self) -> int:
        """The least stamp that any block's interval begins with."""
        self._now()
        return self.team.earliest

    def _latest(self) -> int:
        """A stamp that none of what the team does now exceeds."""
        self._now()
        return self.team.latest

    def _recent(self, memory: Memory) -> Recent:
        """What was touched last in each slot of a buffer."""
        if memory.name not in self.recent:
            self.recent[memory.name] = Recent.of(self.shared_slots[memory.name][1])
        return self.recent[memory.name]

    def _slots_of(self, memory: Memory, places: Integers) -> Sequence[int]:
        """The slots that places within a block's part of a buffer may lie in."""
        size, count = self.shared_slots[memory.name]
        if count == 1:
            return (0,)
        if isinstance(memory, Slots):
            return sorted({begin // size for begin in memory.begins.tolist()})
        if not self.tables.keeps(places):
            return range(count)
        if not places.size:
            return ()

        def compute() -> tuple[Integers, range]:
            return places, range(int(places.min()) // size, int(places.max()) // size + 1)

        return self.tables.once(("slots of", id(places), size), compute)[1]

    def _pass_barrier(self) -> None:
        self.passed[self.team.blocks[:: self.team.width]] += 1
        self.team.now = None

    def _apart(self, before: Integers, first: Integers, mine: Integers | None, name: str) -> None:
        """Raise if another thread touched a place since the last barrier, or a copy may still; `mine` None if any counts."""
        if not before.size or before.max() < self._earliest():
            return
        meets = before >= first
        if mine is not None and meets.any():
            meets &= before != mine
        if meets.any():
            if (before == FLYING).any():
                raise InterpretError(f"{name!r} is touched where a copy is under way")
            raise InterpretError(
                f"{name!r} is touched by two threads, one of which writes, without a barrier between them"
            )

    def _read_written(self, memory: Memory, before: Integers) -> None:
        """Raise if a place of shared memory is read that nothing was written to, by its stamp."""
        if before.size and before.min() <= 0:
            raise InterpretError(f"{memory.name!r} is read where nothing was written")

    def _saw_together(self, memory: Memory, places: Integers) -> None:
        """Note a read that lanes of a warp make for each other, so that it counts as one by several threads.

        Places are those within a block's part of the buffer.
        """
        grain = self.grains[memory.name]
        grains = self._once_each(places, memory, grain)
        if grains.ndim == 1 and self.team.width:  # those of each block
            self._saw_of_blocks(memory, places, grains, np.full((), MANY))
            return
        once, first = self._everywhere(memory, grains, grain), self._now()
        written, seen = self._stamps(memory)
        before = written.take(once)
        self._read_written(memory, before)
        self._apart(before, first, None, memory.name)
        self._stamp_reads(memory, range(self.shared_slots[memory.name][1]))
        seen[once] = first + MANY
        self._recent(memory).see(range(self.shared_slots[memory.name][1]), self._latest())

    def _saw_of_blocks(self, memory: Memory, places: Integers, grains: Integers, readers: Integers) -> None:
        """Note a read of `grains`, each once, in every block of the team, each by one thread or by several (`MANY`); `places` are kept."""
        recent, slots = self._recent(memory), self._slots_of(memory, places)
        first = self._now()[:: self.team.width, :, 0]
        key = (id(memory), id(places))
        if key not in self.team.filled or recent.meets_writes(slots, self._earliest()):
            before = self._stamps(memory)[0].take(self._everywhere(memory, grains, self.grains[memory.name]))
            self._read_written(memory, before)
            self.team.filled.add(key)
            self._apart(before, first, first + readers, memory.name)
        blocks = self.team.blocks[:: self.team.width]
        recent.waiting.append(Seen(memory, self.team, grains, readers, blocks, first, slots))

    def _stamp_reads(self, memory: Memory, slots: Sequence[int]) -> None:
        """Stamp the reads of these slots that a write could still meet: some of their blocks have passed no barrier since."""
        recent = self._recent(memory)
        waiting, recent.waiting = recent.waiting, []
        for one in waiting:
            if not any(slot in slots for slot in one.slots):
                recent.waiting.append(one)
            elif (self.passed[one.blocks] * INTERVAL <= one.first[:, 0]).any():
                self._stamp(one)
                recent.see(one.slots, int(one.first.max()) + INTERVAL - 1)

    def _stamp(self, one: Seen) -> None:
        seen = self._stamps(one.memory)[1]
        every = self._everywhere(one.memory, one.grains, self.grains[one.memory.name], one.team)
        before, mine = seen.take(every), one.first + one.readers
        if before.size and before.max() >= one.first.min():
            mine = np.where((before >= one.first) & (before != mine), one.first + MANY, mine)
        seen[every] = np.maximum(before, mine)  # a block may have passed barriers, and read again, since

    def _once_each(self, places: Integers, memory: Memory, grain: int) -> Integers:
        """The grains of places, each once, where they come from the tables and many are named several times."""
        if not self.tables.keeps(places):
            return places // grain

        def compute() -> tuple[Integers, Integers]:
            found = np.zeros(memory.values.size // self.blocks // grain, np.bool_)
            found[places // grain] = True
            return places, np.flatnonzero(found)

        return self.tables.once(("once each", id(places)), compute)[1]

    def _looked_at(self, step: Load, memory: Memory, places: Integers, mask: npt.NDArray[np.bool_] | None) -> Integers:
        """Check a load from shared memory and note who reads what; return where, in the memory of all blocks, for all warps."""
        what = f"what {step.fragment!r} moves"
        every = self._everywhere(memory, places)
        self._check_access(step, memory, places if mask is None else every, mask, what)
        if step.transfer not in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED, Transfer.TILE):
            self._saw(memory, places, mask)
        elif mask is None:
            self._saw_together(memory, places)
        else:
            raise Divergence  # matrices move whole
        return every

    def _runs_of(self, places: Integers, width: int) -> Integers:
        """The numbers of the runs of `width` elements that an access moves, which is checked to move whole ones."""
        if width == 1:
            return places
        if not self.tables.keeps(places):
            return places[..., ::width] // width
        key = ("runs of", id(places), width)
        return self.tables.once(key, lambda: (places, places[..., ::width] // width))[1]

    def _saw(self, memory: Memory, places: Integers, mask: npt.NDArray[np.bool_] | None = None) -> None:
        """Note a read by each thread for itself, of places within a block's part of a buffer, those that `mask` admits."""
        grain = self.grains[memory.name]
        if mask is None and self.team.width and self.tables.keeps(places):
            self._saw_of_blocks(memory, places, *self._read_once(places, memory, grain))
            return
        slots = self._slots_of(memory, places)
        self._stamp_reads(memory, slots)
        every = self._everywhere(memory, self._runs_of(places, grain), grain)
        first, mine = self._now(), self._now() + self.threads
        if mask is not None:
            mask = mask[..., ::grain]
            first, mine = (np.broadcast_to(part, every.shape)[mask] for part in (first, mine))
            every = every[mask]
        written, seen = self._stamps(memory)
        before = written.take(every)
        self._read_written(memory, before)
        self._apart(before, first, mine, memory.name)
        before = seen.take(every)
        seen[every] = mine
        several = seen.take(every) != mine
        if before.size and before.max() >= self._earliest():  # somebody has read one of them since the last barrier
            several |= (before >= first) & (before != mine)
        if several.any():
            seen[every[several]] = np.broadcast_to(first, every.shape)[several] + MANY
        self._recent(memory).see(slots, self._latest())

    def _read_once(self, places: Integers, memory: Memory, grain: int) -> tuple[Integers, Integers]:
        """The grains that the threads of a block read, each once, and who reads it, where all blocks read the same."""

        def compute() -> tuple[Integers, Integers, Integers]:
            runs = self._runs_of(places, grain)
            threads = np.broadcast_to(self.threads[: self.team.width], runs.shape)
            last = np.full(memory.values.size // self.blocks // grain, -1, np.int64)
            last[runs] = threads
            several = np.zeros(last.size, np.bool_)
            several[runs[last[runs] != threads]] = True
            once = np.flatnonzero(last >= 0)
            return places, once, np.where(several, MANY, last)[once]

        return self.tables.once(("readers", id(places)), compute)[1:]

    def _wrote(
        self, step: Store | AsyncCopy, memory: Memory, places: Integers, mask: npt.NDArray[np.bool_] | None, what: str
    ) -> Integers:
        """Check a write by each thread, or a copy that begins, and note it; return which grains, as those of all blocks, for all warps."""
        self._check_access(step, memory, places if mask is None else self._everywhere(memory, places), mask, what)
        grain = self.grains[memory.name]
        every = self._everywhere(memory, self._runs_of(places, grain), grain)
        first = self._now()
        threads = self.threads
        if (
            not isinstance(step, AsyncCopy) and step.transfer is Transfer.TILE
        ):  # some lane of the warp, nobody knows which
            threads = np.broadcast_to(MANY - 1 - threads[..., :1, :] // threads.shape[-2], threads.shape)
        touched, mine = every, first + threads
        if mask is None and mine.shape != every.shape:
            mine = np.broadcast_to(mine, every.shape).copy()  # arrays of one shape are written several times as fast
        if mask is not None:
            mask = mask[..., ::grain]
            touched, mine, first = (
                every[mask],
                np.broadcast_to(mine, every.shape)[mask],
                np.broadcast_to(first, every.shape)[mask],
            )
        (written, seen), recent, slots = self._stamps(memory), self._recent(memory), self._slots_of(memory, places)
        self._stamp_reads(memory, slots)
        if recent.meets_writes(slots, self._earliest()):
            self._apart(written.take(touched), first, mine, memory.name)
        if recent.meets_reads(slots, self._earliest()):
            self._apart(seen.take(touched), first, mine, memory.name)

        def once_each() -> tuple[Integers]:
            written[touched] = mine
            if (written.take(touched) != mine).any():
                raise InterpretError(f"{memory.name!r} is written twice by one step")
            return (places,)

        if mask is None and self.tables.keeps(places):  # each of its elements has a thread of its own, always the same
            self.tables.once(("written once", id(places)), once_each)
        else:
            once_each()
        if isinstance(step, AsyncCopy):
            written[touched] = FLYING
            recent.fly(slots, len(self.team.blocks) // self.team.width)
        else:
            written[touched] = mine
        recent.write(slots, self._latest())
        return every

    def _landed(
        self, memory: Memory, places: Integers, threads: Integers, blocks: Integers, slots: Sequence[int]
    ) -> None:
        """Note that copies have landed at places in the memory of all blocks, of these warps' threads."""
        stamps = self.passed[blocks][:, None, None] * INTERVAL
        self._stamps(memory)[0][places] = stamps + threads
        recent = self._recent(memory)
        recent.write(slots, int(stamps.max()) + INTERVAL - 1 if stamps.size else 0)
        recent.fly(slots, -(len(blocks) // self.team.width))

    def _write(self, memory: Memory, every: Integers, values: Array, mask: npt.NDArray[np.bool_] | None = None) -> None:
        """Let grains in the memory of all blocks hold values by (…, warp, lane, register), those that `mask` admits."""
        grain = self.grains[memory.name]
        if mask is not None:
            mask = mask[..., ::grain]
            every, values = every[mask], values.reshape(*every.shape, grain)[mask]
        put(memory.values, every, values, grain)

# SPDX-License-Identifier: MIT
"""Interpretation of blocks whose warps share memory and meet at barriers, with an exact check for races.

A block has one clock: the number of barriers that all of its warps have passed. Two accesses to one place between the same two
barriers, by different threads and one of them a write, are a race in every interleaving; so every place remembers when and by
whom it was last written and read, and one run finds all races of its sizes. Copies that pass no registers may land at any time
until the wait that retires their group; until then nobody else may touch the place, and afterwards only their own thread may
until the next barrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.async_state import AsyncInstance, Effect
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array, Environment, Instance, Interpreter, Pause
from tracea_core.semantic.interpret_async import AsyncInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, check_runs
from tracea_core.semantic.interpret_tables import tables
from tracea_core.semantic.kernel import Actor, SemanticKernel, Space, shares_memory, walk
from tracea_core.semantic.steps import (
    AsyncCopy,
    AsyncKind,
    Barrier,
    BufferRef,
    Load,
    Node,
    Scope,
    Store,
    Transfer,
    Wait,
)

_NOBODY, _MANY = -1, -2


@dataclass
class Touched:
    """Of every place of one shared buffer: the interval and the thread of the last write and the last read."""

    written_at: Integers
    writer: Integers
    read_at: Integers
    reader: Integers
    flying: Integers

    @classmethod
    def fresh(cls, size: int) -> Touched:
        """Return the record of a buffer that nobody touched."""
        written_at, writer, read_at, reader = (np.full(size, _NOBODY, np.int64) for _ in range(4))
        return cls(written_at, writer, read_at, reader, np.zeros(size, np.int64))


class BlockInterpreter(AsyncInterpreter):
    """Run one launch of a kernel without rings on a GPU; `workers` is the number of blocks."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.clocks = [0] * workers
        self.touched: dict[str, Touched] = {}
        self.checked: dict[tuple[int, Transfer, int], Integers] = {}

    # ---- who touched what

    def _record(self, memory: Memory) -> Touched:
        if memory.name not in self.touched:
            self.touched[memory.name] = Touched.fresh(memory.values.size)
        return self.touched[memory.name]

    def _threads(self, instance: Instance, shape: tuple[int, ...]) -> Integers:
        first = instance.number * instance.role.lanes
        return np.broadcast_to(first + np.arange(shape[0])[:, None], shape)

    def _note_read(self, memory: Memory, places: Integers, threads: Integers, instance: Instance) -> None:
        record, now = self._record(memory), self.clocks[instance.block]
        self._grounded(record, memory, places)
        if np.any((record.written_at[places] == now) & (record.writer[places] != threads)):
            raise InterpretError(f"{memory.name!r} is read and written by two threads without a barrier between them")
        again = (record.read_at[places] == now) & (record.reader[places] != threads)
        record.reader[places] = threads
        several = record.reader[places] != threads
        record.reader[places[again | several]] = _MANY
        record.read_at[places] = now

    def _note_write(self, memory: Memory, places: Integers, threads: Integers, instance: Instance) -> None:
        record, now = self._record(memory), self.clocks[instance.block]
        self._grounded(record, memory, places)
        for at, by, what in ((record.written_at, record.writer, "written"), (record.read_at, record.reader, "read")):
            if np.any((at[places] == now) & (by[places] != threads)):
                raise InterpretError(
                    f"{memory.name!r} is written and {what} by two threads without a barrier between them"
                )
        record.written_at[places], record.writer[places] = now, threads

    def _grounded(self, record: Touched, memory: Memory, places: Integers) -> None:
        if np.any(record.flying[places]):
            raise InterpretError(f"{memory.name!r} is touched where a copy is under way")

    def _shared(self, reference: object) -> bool:
        return isinstance(reference, BufferRef) and self.kernel.buffer(reference.buffer).space is Space.SHARED

    # ---- steps

    def _step(self, step: Node, instance: Instance, scope: Environment) -> Pause:
        assert isinstance(instance, AsyncInstance)
        if isinstance(step, AsyncCopy):
            self._copy(step, instance, scope)
        else:
            yield from super()._step(step, instance, scope)

    def _load(self, step: Load, instance: Instance, scope: Environment) -> None:
        if not self._shared(step.source) or step.guard:
            super()._load(step, instance, scope)
            return
        assert isinstance(step.source, BufferRef)
        memory, places, threads = self._whole(step, step.source, instance, scope)
        together = step.transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED, Transfer.TILE)
        self._note_read(memory, places, np.full_like(threads, _MANY) if together else threads, instance)
        instance.registers[step.fragment] = memory.read(places)

    def _store(self, step: Store, instance: Instance, scope: Environment) -> None:
        if not self._shared(step.target) or step.guard:
            Interpreter._store(self, step, instance, scope)
            return
        assert isinstance(step.target, BufferRef)
        memory, places, threads = self._whole(step, step.target, instance, scope)
        if step.transfer is Transfer.TILE:  # some lane of the warp, nobody knows which
            threads = np.full_like(threads, _MANY - 1 - instance.number)
        self._note_write(memory, places, threads, instance)
        memory.write(places, self._register(instance, step.fragment))

    def _whole(
        self, step: Load | Store, reference: BufferRef, instance: Instance, scope: Environment
    ) -> tuple[Memory, Integers, Integers]:
        """The places that an unmasked step touches, by (lane, register); what moves there is checked once for each place."""
        fragment = instance.role.fragment(step.fragment)
        named = self._places(instance, scope, fragment)
        memory, offsets = self._offsets(reference, named, instance, fragment)
        key = (id(offsets), step.transfer, step.width)
        if key not in self.checked:
            what, everywhere = f"what {step.fragment!r} moves", np.ones(offsets.shape, np.bool_)
            memory.check(offsets, what)
            self._transfer(step.transfer, offsets, everywhere, what)
            check_runs(step.width, offsets, everywhere, what)
            self.checked[key] = offsets  # keeps it alive, and so its identity
        return memory, offsets, self._threads(instance, offsets.shape)

    def _transfer(self, transfer: Transfer, offsets: Integers, mask: npt.NDArray[np.bool_], what: str) -> None:
        if transfer is not Transfer.MATRIX_TRANSPOSED:
            super()._transfer(transfer, offsets, mask, what)
            return
        # Lane l holds rows 2·(l mod 4) and the next of column l div 4; a row of 8 columns lies together in memory.
        warps = offsets.reshape(-1, 8, 4, offsets.shape[1] // 2, 2)
        if np.any(warps - warps[:, :1] != np.arange(8)[:, None, None, None]) or np.any(warps[:, 0] % 8):
            raise InterpretError(f"{what} is no {transfer.value} access: eight lanes do not hold 8 elements of a row")

    def _copy(self, step: AsyncCopy, instance: AsyncInstance, scope: Environment) -> None:
        """Start copies: their places are poisoned now and hold the elements once their group is waited for, or earlier."""
        fragment = instance.role.fragment(step.fragment)
        named = self._places(instance, scope, fragment)
        shape = (fragment.layout.lanes, fragment.layout.registers)
        memory, places = self._offsets(step.target, named, instance, fragment)
        memory.check(places, "a copy")
        threads = self._threads(instance, shape)
        self._note_write(memory, places, threads, instance)
        mask = self._mask(step.guard, named, shape)
        source, offsets = self._offsets(step.source, named, instance, fragment)
        everywhere = np.ones(shape, np.bool_)
        what = f"the copy into {step.target.buffer!r}"
        check_runs(step.width, offsets, mask, what)
        check_runs(step.width, places, everywhere, what)
        values = np.zeros(shape)
        values[mask] = source.read(offsets[mask])
        record = self._record(memory)
        memory.values[places], memory.written[places] = np.nan, 0
        record.flying[places] = 1

        def land() -> None:
            memory.values[places], memory.written[places] = values, 1

        effect = Landing(what, land)
        effect.seen = (memory, places, threads)
        instance.opened[AsyncKind.COPY].append(effect)
        instance.effects.append(effect)

    def _wait(self, step: Wait, instance: AsyncInstance) -> None:
        groups = instance.groups[step.kind]
        retired = groups[: max(len(groups) - step.pending, 0)]
        super()._wait(step, instance)
        for effect in (effect for group in retired for effect in group if isinstance(effect, Landing)):
            memory, places, threads = effect.seen
            record = self._record(memory)
            record.flying[places] = 0
            record.written_at[places], record.writer[places] = self.clocks[instance.block], threads

    def _barrier(self, step: Barrier, instance: AsyncInstance) -> Pause:
        if step.scope is not Scope.BLOCK:
            raise InterpretError(f"a barrier of scope {step.scope.value} in a kernel without rings")
        arrived = len(self.barriers.get(f"{step.name}@{instance.block}", ())) + 1
        if arrived == sum(role.instances for role in self.kernel.roles):
            self.clocks[instance.block] += 1
        yield from super()._barrier(step, instance)


@dataclass
class Landing(Effect):
    """A copy, and the places and threads that its retirement concerns."""

    seen: tuple[Memory, Integers, Integers] = None  # type: ignore[assignment]  # set as soon as it is made


def in_lockstep(kernel: SemanticKernel) -> bool:
    """Whether all warps of a block run one program of steps that the machine for all of them together knows."""

    def compute() -> tuple[bool]:
        from tracea_core.semantic.interpret_lockstep import KNOWN  # which builds on this module

        one = shares_memory(kernel) and not kernel.rings and len(kernel.roles) == 1
        alike = one and kernel.roles[0].actor is Actor.WARP
        return (alike and all(isinstance(node, KNOWN) for node in walk(kernel.roles[0].body)),)

    return tables(kernel).once(("lockstep",), compute)[0]


def interpreter(
    kernel: SemanticKernel, symbols: Mapping[str, int], operands: Mapping[str, Array], workers: int = 1, seed: int = 0
) -> Interpreter:
    """Return the interpreter that understands `kernel`: by its rings, else by what executes it."""
    from tracea_core.semantic.interpret_lockstep import LockstepInterpreter  # which builds on this module
    from tracea_core.semantic.interpret_loops import LoopsInterpreter
    from tracea_core.semantic.interpret_workers import WorkersInterpreter

    kind: type[Interpreter] = LoopsInterpreter
    if kernel.rings:
        kind = AsyncInterpreter
    elif shares_memory(kernel):
        kind = LockstepInterpreter if in_lockstep(kernel) else BlockInterpreter
    elif any(buffer.space is Space.WORKSPACE for buffer in kernel.buffers):
        kind = WorkersInterpreter
    return kind(kernel, symbols, operands, workers, seed)

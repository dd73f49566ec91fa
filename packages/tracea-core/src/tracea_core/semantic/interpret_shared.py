# SPDX-License-Identifier: MIT
"""Shared memory while a kernel is interpreted, reached as the hardware reaches it.

Boxes and descriptors go through their own address functions (`tracea_core.semantic.hardware`), never through the
buffer's layout, and whoever may still read or write a place guards it until the wait that retires the access.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.async_state import Actor, AsyncInstance, Effect, PhaseBarrier, Span, Written
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import Index
from tracea_core.semantic.interpret import Array, Environment, Instance, Interpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, gather, scatter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.steps import (
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Box,
    BufferRef,
    HeldOperand,
    Load,
    SharedOperand,
    Side,
    Store,
    Transfer,
)

_DEPTH = 16
"""Products of so many steps are small enough for BLAS not to start its threads, which cost far more than they give here."""
_CHUNK = 16
"""Bytes that the copy engine moves as one: a box that begins within such a chunk of its rows is refused by the device, and stores
write the whole of a chunk in which rows end."""
_UNKNOWN = np.zeros((0, 0))
"""Stands for sums that an instruction under way overwrites."""


class SharedMachine(Interpreter):
    """Copy engines, descriptors and the registers that instructions update; `AsyncInterpreter` schedules them."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.cluster = kernel.launch.cluster
        self.operand_bytes = {parameter.name: parameter.dtype.bytes for parameter in kernel.parameters}
        if workers % self.cluster:
            raise InterpretError(f"{workers} blocks are no whole clusters of {self.cluster}")
        self.full = self._barriers(Side.FULL)
        self.empty = self._barriers(Side.EMPTY)
        self.loads: list[Effect] = []
        self.reading: dict[str, list[Effect]] = {}
        self.spans: dict[tuple[str, int], tuple[Integers, Span]] = {}
        self.actors: list[Actor] = []

    def _barriers(self, side: Side) -> dict[tuple[str, int, int], PhaseBarrier]:
        found = {}
        for ring in self.kernel.rings:
            count = ring.full_arrivals if side is Side.FULL else ring.empty_arrivals
            for block in range(self.workers):
                for slot in range(ring.slots):
                    name = f"{ring.name!r} slot {slot} {side.value} in block {block}"
                    found[ring.name, block, slot] = PhaseBarrier(name, count)
        return found

    def _slot(self, ring: str, instance: AsyncInstance, lag: int = 0) -> int:
        return (instance.positions[ring] - lag) % self.kernel.ring(ring).slots

    def _check_alive(self, block: int, what: str) -> None:
        if all(actor.instance.finished for actor in self.actors if actor.instance.block == block):
            raise InterpretError(f"{what} reaches block {block}, which has already ended")

    def _readers(self, instance: AsyncInstance) -> list[Effect]:
        groups = [effect for kind in AsyncKind for group in instance.groups[kind] for effect in group]
        started = [effect for kind in AsyncKind for effect in instance.opened[kind]]
        return [effect for effect in (*groups, *started) if effect.reads and not effect.retired]

    # ---- shared memory as hardware reaches it

    def _key(self, buffer: str, block: int) -> str:
        return f"{buffer}@{block}"

    def _box_elements(self, box: Box, scope: Environment) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """Offsets of a box's elements in its operand, fastest dimension last, and which lie inside the tensor."""
        first = int(self.tables.value(box.origin[0], scope)) * self.operand_bytes[box.operand]
        if first % _CHUNK:
            raise InterpretError(
                f"a box of {box.operand!r} begins {first} bytes along its rows, no multiple of {_CHUNK}"
            )
        if box.pixels is not None:
            return _window_elements(box, box.pixels, lambda part: int(self.tables.value(part, scope)))
        value = self.tables.value
        offsets: Integers = np.zeros((1,) * len(box.shape), np.int64)
        inside = np.ones(box.shape[::-1], np.bool_)
        for position, count in enumerate(box.shape):
            origin, extent = int(value(box.origin[position], scope)), int(value(box.extents[position], scope))
            along = np.arange(origin, origin + count).reshape((-1,) + (1,) * position)
            offsets = offsets + along * int(value(box.strides[position], scope))
            if origin < 0 or origin + count > extent:
                inside &= (along >= 0) & (along < extent)
        return offsets, inside

    def _async_load(self, step: AsyncLoad, instance: AsyncInstance, scope: Environment) -> None:
        element = self.tables.buffer(step.target.buffer).dtype.bytes
        addresses = self.tables.box(step.source, step.target, scope)
        offsets, inside = self._box_elements(step.source, scope)
        source = self.memory[step.source.operand]
        if inside.all():
            values = source.read(offsets)
        else:
            values = np.zeros(offsets.shape)
            values[inside] = source.read(offsets[inside])
        ranks = step.multicast.group(instance.rank) if step.multicast else (instance.rank,)
        slot = self._slot(step.ring, instance)
        for rank in ranks:
            block = instance.block - instance.rank + rank
            self._check_alive(block, f"a load by {instance.title}")
            memory = self._block_memory(step.target.buffer, block)
            span = self._inside(memory, addresses, "a load")
            what = f"the load of {step.target.buffer!r} by {instance.title}"
            self._claim(span, what)
            places = slice(span.low, span.high + 1) if span.dense else span.places
            memory.written[places] = 0
            memory.values[places] = np.nan
            barrier = self.full[step.ring, block, slot]
            self.loads.append(Effect(what, _arrival(memory, span, values.ravel(), barrier, element), writes=span))

    def _buffer_memory(self, name: str, instance: Instance, rank: int | None = None) -> Memory:
        if rank is None:
            return super()._buffer_memory(name, instance)
        assert isinstance(instance, AsyncInstance)
        block = instance.block - instance.rank + rank
        if not 0 <= rank < self.cluster:
            raise InterpretError(f"{instance.title} reaches rank {rank} of a cluster of {self.cluster}")
        self._check_alive(block, f"a read of {name!r} by {instance.title}")
        return self._block_memory(name, block)

    def _block_memory(self, name: str, block: int) -> Memory:
        key = self._key(name, block)
        if key not in self.memory:
            self.memory[key] = Memory.poisoned(key, self.tables.sizes[name] * self.tables.buffer(name).slots)
        return self.memory[key]

    def _span(self, memory: Memory, places: Integers) -> Span:
        """The span of places that came from the tables, so that equal ones are the same array."""
        known = self.spans.get((memory.name, id(places)))
        if known is None:  # the array is kept, so that its identity stays its own
            known = self.spans[memory.name, id(places)] = (places, Span.of(memory.name, places.ravel()))
        return known[1]

    def _inside(self, memory: Memory, places: Integers, what: str) -> Span:
        """The span of places, which must lie inside the memory."""
        span = self._span(memory, places)
        if span.low < 0 or span.high >= memory.values.size:
            memory.check(places, what)
        return span

    def _claim(self, span: Span, what: str) -> None:
        """Check that nobody may still read, and no load may still write, what is now written."""
        reading = self.reading[span.key] = [effect for effect in self.reading.get(span.key, ()) if not effect.known]
        for effect in reading:
            if any(span.meets(other) for other in effect.reads):
                raise InterpretError(f"{what} overwrites what {effect.what} may still read")
        self._unloaded(span, what)

    def _read(self, effect: Effect) -> None:
        """Keep in mind that an effect may read its places until its end is known."""
        for span in effect.reads:
            self.reading.setdefault(span.key, []).append(effect)

    def _unloaded(self, span: Span, what: str) -> None:
        for load in self.loads:
            if load.writes is not None and span.meets(load.writes):
                raise InterpretError(f"{what} meets {load.what}, which has not arrived")

    def _shared_matrix(
        self, operand: SharedOperand, outer: int, k: int, instance: AsyncInstance, scope: Environment
    ) -> tuple[Memory, Span, tuple[int, ...]]:
        addresses = self.tables.matrix(operand, outer, k, scope)
        memory = self._block_memory(operand.buffer, instance.block)
        return memory, self._inside(memory, addresses, "a descriptor"), addresses.shape

    def _async_mma(self, step: AsyncMma, instance: AsyncInstance, scope: Environment) -> None:
        lanes = instruction(step.instruction)
        for name in step.registers:
            if name not in instance.fenced:
                raise InterpretError(f"{name!r} is updated or read without a fence after its registers were used")
        b_memory, b_span, b_shape = self._shared_matrix(step.b, lanes.n, lanes.k, instance, scope)
        what = f"{step.instruction} of {instance.title}"
        if isinstance(step.a, HeldOperand):
            spans: tuple[Span, ...] = (b_span,)
            left = self._held_columns(step.a, lanes, instance)
        else:
            a_memory, a_span, a_shape = self._shared_matrix(step.a, lanes.m, lanes.k, instance, scope)
            spans, left = (a_span, b_span), None
        for span in spans:
            self._unloaded(span, what)
        accumulate = bool(self.tables.holds(step.accumulate, scope))
        if accumulate and step.accumulator not in instance.sums:
            layout = instance.role.fragment(step.accumulator).layout
            instance.sums[step.accumulator] = gather(layout, self._given(instance, step.accumulator)).copy()

        def multiply() -> None:
            a = a_memory.read_span(a_span.places).reshape(a_shape) if left is None else left
            b = b_memory.read_span(b_span.places).reshape(b_shape)
            total = instance.sums[step.accumulator] if accumulate else np.zeros((lanes.m, lanes.n))
            for first in range(0, lanes.k, _DEPTH):
                total = total + a[:, first : first + _DEPTH] @ b[:, first : first + _DEPTH].T
            instance.sums[step.accumulator] = total

        if not accumulate:  # earlier instructions that are still under way land before this one
            instance.sums.setdefault(step.accumulator, _UNKNOWN)
        effect = Effect(what, multiply, spans)
        self._read(effect)
        instance.opened[AsyncKind.MMA].append(effect)
        instance.effects.append(effect)
        instance.busy.setdefault(step.accumulator, []).append(effect)
        if isinstance(step.a, HeldOperand):
            instance.lent.setdefault(step.a.fragment, []).append(effect)

    def _held_columns(self, operand: HeldOperand, lanes: InstructionLanes, instance: AsyncInstance) -> Array:
        """The matrix that an instruction reads from registers, by its own lane map; the fragment stays fenced."""
        assert lanes.a is not None
        registers = self._given(instance, operand.fragment)
        first, count = operand.column // lanes.k * lanes.a.registers, lanes.a.registers
        if operand.column % lanes.k or first + count > registers.shape[1]:
            raise InterpretError(f"{operand.fragment!r} has no operand of {lanes.name} from column {operand.column} on")
        return gather(lanes.a, registers[:, first : first + count])

    def _given(self, instance: AsyncInstance, name: str) -> Array:
        """What an instruction reads of a fragment, which stays fenced for the next one."""
        registers = self._register(instance, name)
        instance.fenced.add(name)
        return registers

    def _async_store(self, step: AsyncStore, instance: AsyncInstance, scope: Environment) -> None:
        addresses = self.tables.box(step.target, step.source, scope)
        offsets, inside = self._box_elements(step.target, scope)
        memory = self._block_memory(step.source.buffer, instance.block)
        span = self._inside(memory, addresses, "a store")
        for written in instance.written:
            if written.state < 2 and span.meets(written.span):
                missing = "a proxy fence" if written.state == 0 else "a barrier after the proxy fence"
                raise InterpretError(
                    f"the copy engine reads {step.source.buffer!r} without {missing}", role=instance.title
                )
        instance.written = [w for w in instance.written if not span.meets(w.span)]
        target = self.memory[step.target.operand]
        row = int(self.tables.value(step.target.extents[0], scope)) * self.operand_bytes[step.target.operand]
        if row % _CHUNK:
            raise InterpretError(
                f"a box of {step.target.operand!r} is stored into rows of {row} bytes, which end within a chunk of {_CHUNK}"
            )

        def copy() -> None:
            values = memory.read_span(addresses)
            if inside.all():
                target.write(offsets, values)
            else:
                target.write(offsets[inside], values[inside])

        effect = Effect(f"the store from {step.source.buffer!r} by {instance.title}", copy, (span,))
        self._read(effect)
        instance.opened[AsyncKind.STORE].append(effect)
        instance.effects.append(effect)
        instance.stores.append(effect)

    # ---- registers and ordinary accesses

    def _register(self, instance: Instance, name: str) -> Array:
        assert isinstance(instance, AsyncInstance)
        if instance.busy.get(name):
            raise InterpretError(f"{name!r} is used while {instance.busy[name][0].what} may still update it")
        if name in instance.sums:
            instance.registers[name] = scatter(instance.role.fragment(name).layout, instance.sums.pop(name))
        instance.fenced.discard(name)
        return super()._register(instance, name)

    def _before_store(self, step: Store, memory: Memory, offsets: Integers, instance: Instance) -> bool:
        assert isinstance(instance, AsyncInstance)
        if not isinstance(step.target, BufferRef):
            return False
        span = self._span(memory, offsets)
        self._claim(span, f"the store of {step.fragment!r} by {instance.title}")
        if any(span.meets(looked) for looked in instance.looked):
            raise InterpretError(f"{step.fragment!r} is stored where lanes have read since their last barrier")
        instance.written = [known for known in instance.written if not (known.met and span.meets(known.span))]
        instance.written.append(Written(span))
        return self.tables.keeps(offsets) and self.tables.recall(offsets, _distinct)

    def _accessed(self, step: Load | Store, memory: Memory, touched: Integers, instance: Instance) -> None:
        """What other lanes have written is there only after a barrier."""
        assert isinstance(instance, AsyncInstance)
        if isinstance(step, Load) and isinstance(step.source, BufferRef) and touched.size:
            span = self._span(memory, touched)
            if any(span.meets(written.span) for written in instance.written if not written.met):
                raise InterpretError(f"{step.fragment!r} is read where lanes have written since their last barrier")
            instance.looked.append(span)

    def _transfer(
        self, transfer: Transfer, offsets: Integers,
        mask: npt.NDArray[np.bool_], what: str,
    ) -> None:  # fmt: skip
        if transfer is Transfer.MATRIX and not self.tables.recall(offsets, _holds_rows):
            raise InterpretError(f"{what} is no {transfer.value} access: four lanes do not hold 8 elements in a row")
        if transfer is Transfer.MATRIX_TRANSPOSED and not self.tables.recall(offsets, _holds_columns):
            raise InterpretError(f"{what} is no {transfer.value} access: eight lanes do not hold 8 elements in a row")
        super()._transfer(transfer, offsets, mask, what)


def _distinct(offsets: Integers) -> bool:
    ordered = np.sort(offsets, axis=None)
    return not (ordered[1:] == ordered[:-1]).any()


def _holds_rows(offsets: Integers) -> bool:
    """Whether each four lanes hold runs of 8 elements, two a lane, that begin at multiples of 8."""
    if offsets.shape[0] % 4 or offsets.shape[1] % 2:
        return False
    rows = offsets.reshape(offsets.shape[0] // 4, 4, offsets.shape[1] // 2, 2)
    run = np.arange(4)[:, None] * 2 + np.arange(2)
    return bool(np.all(rows - rows[:, :1, :, :1] == run[None, :, None, :]) and not np.any(rows[:, 0, :, 0] % 8))


def _holds_columns(offsets: Integers) -> bool:
    """Whether lanes l, l + 4, …, l + 28 hold runs of 8 elements that begin at multiples of 8, in every register."""
    if offsets.shape[0] % 32:
        return False
    rows = offsets.reshape(offsets.shape[0] // 32, 8, 4, offsets.shape[1])
    return bool(np.all(rows - rows[:, :1] == np.arange(8)[:, None, None]) and not np.any(rows[:, 0] % 8))


def _arrival(memory: Memory, span: Span, values: Array, barrier: PhaseBarrier, element: int) -> Callable[[], None]:
    """What a load does when it lands in one block; nobody wrote there since it was started."""

    def land() -> None:
        memory.values[span.places] = values
        memory.written[slice(span.low, span.high + 1) if span.dense else span.places] = 1
        barrier.receive(values.size * element)

    return land


def _window_elements(box: Box, pixels: Pixels, value: Callable[[Index], int]) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Offsets of one element of each of a row of windows, channels last, and which lie inside their images.

    The engine goes from window to window, columns before rows before images, as PTX ISA, "im2col mode" has it.
    """
    count, width = box.shape[1], box.shape[0]
    channel, column, row, image = map(value, box.origin)
    places = [np.arange(channel, channel + width)[None, :]]
    carried = np.arange(count)
    for axis, start in enumerate((column, row)):
        first, last, step, offset = (
            value(part[axis]) for part in (pixels.first, pixels.last, pixels.step, pixels.offset)
        )
        if step < 1 or (start - first) % step or (last - first) % step or not first <= start <= last:
            raise InterpretError(f"a walk over windows begins at {start}, which is none of {first} to {last} by {step}")
        windows, number = (last - first) // step + 1, (start - first) // step + carried
        places.append((first + number % windows * step + offset)[:, None])
        carried = number // windows
    places.append((image + carried)[:, None])
    extents, strides = ([value(part) for part in parts] for parts in (box.extents, box.strides))
    inside = np.ones((count, width), np.bool_)
    for place, extent in zip(places, extents, strict=True):
        inside &= (place >= 0) & (place < extent)
    offsets = sum(place * stride for place, stride in zip(places, strides, strict=True))
    return np.broadcast_to(np.asarray(offsets, np.int64), (count, width)), inside

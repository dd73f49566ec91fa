# SPDX-License-Identifier: MIT
"""The meaning of a semantic kernel, in NumPy: the oracle that every backend is compared with.

Every instance of every role is a coroutine; a scheduler picks among those that can run, at random, so a missing wait shows up as a
wrong result in some run. All memory starts poisoned, a read of something nobody wrote or of an address outside its object is an error,
asynchronous copies land at the latest moment the waits allow (or earlier, at random), and vector accesses are checked to be what they
claim. Arithmetic is float64: on small integers it is exact, which the verifier uses.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import Guard, Value
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, fold, gather, join, scatter
from tracea_core.semantic.interpret_tables import tables
from tracea_core.semantic.kernel import Direction, Fragment, Parameter, Role, SemanticKernel, Space
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask, Prefetch
from tracea_core.semantic.steps import (
    Access,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fetch,
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
)

Array: TypeAlias = npt.NDArray[np.float64]
Environment: TypeAlias = dict[str, Value]
Pause: TypeAlias = Generator[None, None, None]


@dataclass
class Instance:
    """One running instance of a role: its registers, its hoisted tables, and where it meets others."""

    role: Role
    number: int
    block: int
    registers: dict[str, Array] = field(default_factory=dict)
    tables: dict[str, tuple[Fragment, npt.NDArray[np.int64]]] = field(default_factory=dict)
    matrices: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    waiting_at: str | None = None


def memory_of(parameter: Parameter, operands: Mapping[str, Array]) -> Memory:
    """Return a pointer's memory as a launch finds it: what it reads is given, what it writes is poisoned."""
    values = np.asarray(operands[parameter.name], np.float64).ravel()
    if parameter.direction is Direction.WRITE:
        return Memory.poisoned(parameter.name, values.size)
    update = parameter.direction is Direction.UPDATE
    return Memory.given(parameter.name, values.copy() if update else values, update)


class Interpreter:
    """Run one launch of a kernel.

    Parameters
    ----------
    kernel : SemanticKernel
        What to run; asynchronous steps of GPU kernels are handled by `tracea_core.semantic.interpret_async`.
    symbols : mapping of str to int
        A value for each dynamic symbol.
    operands : mapping of str to float64 array
        Flat memory of each pointer parameter; outputs are poisoned by the interpreter.
    workers : int
        Number of CPU workers (or of blocks).
    seed : int
        Seed of the interleaving.
    """

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        self.kernel = kernel
        self.tables = tables(kernel)
        self.symbols: Environment = dict(symbols)
        self.workers = workers
        self.random = np.random.default_rng(seed)
        self.memory: dict[str, Memory] = {}
        for parameter in kernel.parameters:
            self.memory[parameter.name] = memory_of(parameter, operands)
            if parameter.name == GROUP_ENDS:
                self.symbols[GROUP_ENDS] = self.memory[GROUP_ENDS].values.astype(np.int64)
        self.barriers: dict[str, list[Instance]] = {}

    # ---- running

    def run(self) -> dict[str, Array]:
        """Return the memory of every pointer parameter afterwards.

        Raises
        ------
        InterpretError
            If anything is read before it is written, out of bounds, or everyone waits for ever.
        """
        running = [(instance, self._role(instance)) for instance in self._instances()]
        while running:
            ready = [entry for entry in running if entry[0].waiting_at is None]
            if not ready:
                stuck = ", ".join(f"{i.role.name}[{i.number}] at {i.waiting_at}" for i, _ in running)
                raise InterpretError(f"deadlock: {stuck}")
            entry = ready[int(self.random.integers(len(ready)))]
            try:
                next(entry[1])
            except StopIteration:
                running.remove(entry)
        return {name: memory.values for name, memory in self.memory.items()}

    def _instances(self) -> list[Instance]:
        return [Instance(role, worker, 0) for role in self.kernel.roles for worker in range(self.workers)]

    def _role(self, instance: Instance) -> Pause:
        scope: Environment = dict(self.symbols)
        scope |= {"worker": instance.number, "workers": self.workers}
        yield from self._body(instance.role.body, instance, scope, pause=True)

    def _body(self, nodes: tuple[Node, ...], instance: Instance, scope: Environment, pause: bool = False) -> Pause:
        """Run nodes in order; with `pause`, others may act between the iterations of the outermost loops."""
        scope = dict(scope)
        for node in nodes:
            if type(node) is Let:
                self._let(node, instance, scope)
            elif type(node) is Loop:
                yield from self._loop(node, instance, scope, pause)
            elif type(node) is If:
                branch = node.then if bool(self.tables.holds(node.guard, scope)) else node.otherwise
                yield from self._body(branch, instance, scope)
            elif type(node) is Staged:
                raise InterpretError("a staged step stands outside a loop", role=instance.role.name)
            else:
                yield from self._step(node, instance, scope)

    def _loop(self, loop: Loop, instance: Instance, scope: Environment, pause: bool) -> Pause:
        plain = self.tables.plain(loop)
        if plain != (loop,):
            yield from self._body(plain, instance, scope)
            return
        start, stop = int(self.tables.value(loop.start, scope)), int(self.tables.value(loop.stop, scope))
        for position in range(start, stop, loop.step):
            if pause:
                yield
            yield from self._body(loop.body, instance, {**scope, loop.var: position})

    def _let(self, let: Let, instance: Instance, scope: Environment) -> None:
        if let.fragment is None:
            scope[let.name] = int(self.tables.value(let.value, scope))
            return
        fragment = instance.role.fragment(let.fragment)
        rows, columns = fragment.layout.shape
        places: Environment = {name: table for name, (_, table) in instance.tables.items()}
        places |= scope | {"row": np.arange(rows)[:, None], "column": np.arange(columns)[None, :]}
        if held_let(let):
            places[let.fragment] = self._logical(instance, let.fragment).astype(np.int64)
        table = np.broadcast_to(np.asarray(self.tables.value(let.value, places), np.int64), (rows, columns))
        instance.tables[let.name] = (fragment, table)
        scope.pop(let.name, None)

    # ---- steps

    def _step(self, step: Node, instance: Instance, scope: Environment) -> Pause:
        if type(step) is Fill:
            layout = instance.role.fragment(step.fragment).layout
            instance.registers[step.fragment] = np.full((layout.lanes, layout.registers), step.value)
        elif type(step) is Load:
            self._load(step, instance, scope)
        elif type(step) is Store:
            self._store(step, instance, scope)
        elif type(step) is Mma:
            self._mma(step, instance)
        elif type(step) is Compute:
            self._compute(step, instance)
        elif type(step) is Extract:
            self._extract(step, instance, scope)
        elif type(step) is Turn:
            matrix = self._logical(instance, step.source)
            instance.registers[step.target] = scatter(instance.role.fragment(step.target).layout, matrix)
        elif isinstance(step, Fold | Mask | Count | Join):
            self._across(step, instance, scope)
        elif isinstance(step, Barrier):
            if step.scope is not Scope.WORKERS:
                raise InterpretError(f"a barrier of scope {step.scope.value} in a CPU kernel")
            yield from self._meet(step.name, instance)
        elif not isinstance(step, SchedulingFence | Prefetch | Fetch):
            raise InterpretError(f"{type(step).__name__} has no meaning in this interpreter", role=instance.role.name)

    def _across(self, step: Fold | Mask | Count | Join, instance: Instance, scope: Environment) -> None:
        """Steps of kernels over whole rows."""
        if isinstance(step, Join):
            layout = instance.role.fragment(step.target).layout
            parts = [self._logical(instance, name) for name in step.sources]
            instance.registers[step.target] = scatter(layout, join(parts, layout.shape))
            return
        if isinstance(step, Fold):
            layout = instance.role.fragment(step.target).layout
            instance.registers[step.target] = scatter(
                layout, fold(step.fn, self._logical(instance, step.source), layout.shape)
            )
            return
        fragment = instance.role.fragment(step.fragment)
        shape = (fragment.layout.lanes, fragment.layout.registers)
        places = self._places(instance, scope, fragment)
        if isinstance(step, Count):
            instance.registers[step.fragment] = np.full(shape, self.tables.value(step.value, places), np.float64)
            return
        mask = self._mask(step.guard, places, shape)
        instance.registers[step.fragment] = np.where(mask, self._register(instance, step.fragment), step.value)

    def _meet(self, name: str, instance: Instance) -> Pause:
        """Wait at a barrier; the last to arrive opens it for all."""
        waiting = self.barriers.setdefault(name, [])
        waiting.append(instance)
        instance.waiting_at = name
        if len(waiting) == self.workers:
            for member in waiting:
                member.waiting_at = None
            waiting.clear()
        yield

    def _places(self, instance: Instance, scope: Environment, fragment: Fragment) -> Environment:
        """Values for an access by `fragment`: its elements' coordinates, and the tables, broadcast to its shape."""
        rows, columns = self.tables.elements(fragment.layout)
        places: Environment = {**scope, "row": rows, "column": columns}
        height, width = fragment.layout.shape
        for name, (_, table) in instance.tables.items():
            tall, wide = table.shape[0] > 1, table.shape[1] > 1
            if (not tall or height <= table.shape[0]) and (not wide or width <= table.shape[1]):
                places.setdefault(name, table[rows if tall else 0, columns if wide else 0])
        return places

    def _offsets(
        self, reference: Access | BufferRef, places: Environment, instance: Instance, fragment: Fragment
    ) -> tuple[Memory, npt.NDArray[np.int64]]:
        shape = self.tables.elements(fragment.layout)[0].shape
        if isinstance(reference, Access):
            return self.memory[reference.operand], self.tables.spread(
                self.tables.value(reference.offset, places), shape
            )
        rank = None if reference.rank is None else int(self.tables.value(reference.rank, places))
        memory = self._buffer_memory(reference.buffer, instance, rank)
        key = self.tables.place(reference, fragment, places)
        if key is None:
            return memory, self._buffer_offsets(reference, places, shape)
        return memory, self.tables.once(key, lambda: self._buffer_offsets(reference, places, shape))

    def _buffer_offsets(
        self, reference: BufferRef, places: Environment, shape: tuple[int, ...], limit: Any = None
    ) -> npt.NDArray[np.int64]:
        buffer = self.kernel.buffer(reference.buffer)
        coordinates = [np.asarray(self.tables.value(c, places), np.int64) for c in reference.coordinates]
        base: Any = 0
        if buffer.extent is not None:
            repetition, *coordinates = coordinates
            limit = int(self.tables.value(buffer.extent, self.symbols)) if limit is None else limit
            if repetition.size and ((repetition < 0) | (repetition >= limit)).any():
                raise InterpretError(f"{buffer.name!r} has {limit} repetitions, {repetition.max()} is used")
            base = repetition * self.tables.sizes[buffer.name]
        if reference.slot is not None:
            base = base + np.asarray(self.tables.value(reference.slot, places)) * self.tables.sizes[buffer.name]
        return self.tables.spread(base + self.tables.at(buffer, coordinates), shape)

    def _buffer_memory(self, name: str, instance: Instance, rank: int | None = None) -> Memory:
        if rank is not None:
            raise InterpretError(f"{name!r} of another block is reached without a cluster", role=instance.role.name)
        buffer = self.kernel.buffer(name)
        panel, shared = buffer.space is Space.PANEL, buffer.space is Space.SHARED
        key = f"{name}@{instance.number if panel else instance.block}" if panel or shared else name
        if key not in self.memory:
            repetitions = 1 if buffer.extent is None else int(self.tables.value(buffer.extent, self.symbols))
            self.memory[key] = Memory.poisoned(key, buffer.layout.size * repetitions * buffer.slots)
        return self.memory[key]

    def _transfer(
        self, transfer: Transfer, offsets: npt.NDArray[np.int64], mask: npt.NDArray[np.bool_], what: str
    ) -> None:
        """Check that the lanes of every register address memory as `transfer` says."""
        if transfer in (Transfer.VECTOR, Transfer.STREAM):
            wrong = (offsets != offsets[..., :1, :] + self.tables.lanes(offsets.shape[-2])) & mask
        elif transfer is Transfer.BROADCAST:
            wrong = (offsets != offsets[..., :1, :]) & mask
        else:
            return
        if wrong.any():
            raise InterpretError(f"{what} is no {transfer.value} access: lanes do not address memory that way")

    def _mask(self, guard: Guard, places: Environment, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        return self.tables.every(shape) if not guard else self.tables.admitted(self.tables.holds(guard, places), shape)

    def _load(self, step: Load, instance: Instance, scope: Environment) -> None:
        fragment = instance.role.fragment(step.fragment)
        places = self._places(instance, scope, fragment)
        shape = self.tables.elements(fragment.layout)[0].shape
        mask = self._mask(step.guard, places, shape)
        memory, offsets = self._offsets(step.source, places, instance, fragment)
        singles = self.tables.moved(step, fragment, offsets, mask, instance.role)
        self._transfer(step.transfer, singles, mask, f"the load of {step.fragment!r}")
        if mask is self.tables.every(shape) or mask.all():
            values, touched = memory.read(offsets), offsets
        else:
            values, touched = np.full(shape, step.fill), offsets[mask]
            values[mask] = memory.read(touched)
        instance.registers[step.fragment] = values
        self._accessed(step, memory, touched, instance)

    def _store(self, step: Store, instance: Instance, scope: Environment) -> None:
        fragment = instance.role.fragment(step.fragment)
        places = self._places(instance, scope, fragment)
        shape = self.tables.elements(fragment.layout)[0].shape
        mask = self._mask(step.guard, places, shape)
        memory, offsets = self._offsets(step.target, places, instance, fragment)
        singles = self.tables.moved(step, fragment, offsets, mask, instance.role)
        self._transfer(step.transfer, singles, mask, f"the store of {step.fragment!r}")
        distinct = self._before_store(step, memory, offsets, instance)
        values = self._register(instance, step.fragment)
        touched = offsets
        if mask is not self.tables.every(shape) and not mask.all():
            touched, values = offsets[mask], values[mask]
        memory.write(touched, values, distinct)
        self._accessed(step, memory, touched, instance)

    def _accessed(self, step: Load | Store, memory: Memory, touched: npt.NDArray[np.int64], instance: Instance) -> None:
        """What a machine with more to watch does after an access to some places."""

    def _before_store(self, step: Store, memory: Memory, offsets: npt.NDArray[np.int64], instance: Instance) -> bool:
        """What a machine with more to watch does before a store; whether its elements are known not to meet."""
        return False

    def _register(self, instance: Instance, name: str) -> Array:
        if name not in instance.registers:
            raise InterpretError(f"the fragment {name!r} is used before it holds anything", role=instance.role.name)
        return instance.registers[name]

    def _logical(self, instance: Instance, name: str) -> Array:
        """The fragment as a matrix, by its own layout; it is built once for each content of the registers."""
        registers = self._register(instance, name)
        known = instance.matrices.get(name)
        if known is None or known[0] is not registers:
            matrix = gather(instance.role.fragment(name).layout, registers)
            known = instance.matrices[name] = (registers, matrix)
        return known[1]

    def _mma(self, step: Mma, instance: Instance) -> None:
        """Multiply by the instruction's own lane maps, whatever the fragments claim about theirs."""
        lanes = instruction(step.instruction)
        assert lanes.a is not None and lanes.b is not None
        a = gather(lanes.a, self._register(instance, step.a))
        b = gather(lanes.b, self._register(instance, step.b))
        c = gather(lanes.c, self._register(instance, step.accumulator))
        instance.registers[step.accumulator] = scatter(lanes.c, c + a @ b)

    def _compute(self, step: Compute, instance: Instance) -> None:
        target = instance.role.fragment(step.target)
        accumulators = [self._logical(instance, name) for name in step.accumulators]
        operands = [self._logical(instance, name) for name in step.operands]
        result = np.broadcast_to(evaluate_expr(step.expr, accumulators, operands), target.layout.shape)
        instance.registers[step.target] = scatter(target.layout, np.asarray(result, np.float64))

    def _extract(self, step: Extract, instance: Instance, scope: Environment) -> None:
        target = instance.role.fragment(step.target)
        row, column = int(self.tables.value(step.row, scope)), int(self.tables.value(step.column, scope))
        rows, columns = target.layout.shape
        part = self._logical(instance, step.source)[row : row + rows, step.columns(column, columns)]
        if part.shape != (rows, columns):
            raise InterpretError(f"{step.target!r} reaches beyond {step.source!r}")
        instance.registers[step.target] = scatter(target.layout, part)


def interpret(
    kernel: SemanticKernel, symbols: Mapping[str, int], operands: Mapping[str, Array], workers: int = 1, seed: int = 0,
) -> dict[str, Array]:  # fmt: skip
    """Run one launch of `kernel` and return every pointer parameter's memory (see `Interpreter`)."""
    return Interpreter(kernel, symbols, operands, workers, seed).run()

# SPDX-License-Identifier: MIT
"""Interpretation of kernels with asynchronous steps: copy engines, warpgroup instructions, rings and clusters.

Several blocks run at once, and what hardware does on its own happens here at a random moment between its start and the
wait that retires it. Shared memory is reached as the hardware reaches it (`tracea_core.semantic.hardware`): boxes and
descriptors by their own address functions, never by the buffer's layout. Reported are: a slot that is written while
something may still read it, a read of what has not arrived, a release that comes too early, a missing proxy fence or
barrier before the copy engine reads, an accumulator touched while an instruction updates it, arrivals in excess,
blocks that leave while others still use their memory, and deadlock, with who waits where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tracea_core.semantic.async_state import Actor, AsyncInstance, PhaseBarrier
from tracea_core.semantic.interpret import Array, Environment, Instance, Pause
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.interpret_shared import SharedMachine
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.phases import PhaseTransition, sharers
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    Advance,
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Barrier,
    Commit,
    Compute,
    Expect,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    ProxyFence,
    Release,
    Scope,
    Side,
    Staged,
    Store,
    Turn,
    Wait,
)

_LOOK_EVERY = 3
"""Scheduler steps between two chances for effects to land."""


class AsyncInterpreter(SharedMachine):
    """Run one launch of a kernel with rings; `workers` is the number of blocks, a multiple of the cluster."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self.turns: dict[tuple[str, str, int, int], PhaseBarrier] = {}
        self.filled: dict[tuple[str, int], set[int]] = {}
        self.taken: dict[tuple[str, int], set[int]] = {}
        self.eagerness = float(self.random.choice([0.0, 0.1, 0.9]))
        self.slots = [(ring.name, f"{ring.name}_slot", ring.slots) for ring in kernel.rings]
        self.direct = type(self)._step is AsyncInterpreter._step  # whoever looks at each step has a `_step` of its own

    def run(self) -> dict[str, Array]:
        """Return the memory of every pointer parameter afterwards (see `Interpreter.run`)."""
        for instance in self._instances():
            assert isinstance(instance, AsyncInstance)
            weight = float(self.random.choice([1.0, 8.0, 64.0]))
            self.actors.append(Actor(instance, self._role(instance), weight))
        running = list(self.actors)
        steps = 0
        while running:
            ready = [actor for actor in running if actor.instance.ready is None or actor.instance.ready()]
            if not ready:
                if not self.loads:
                    self._deadlock([actor.instance for actor in running])
                self._land(int(self.random.integers(len(self.loads))))
                continue
            chosen = self._pick(ready)
            chosen.instance.ready = None
            if next(chosen.steps, self) is self:
                running.remove(chosen)
                self._leave(chosen.instance)
            steps += 1
            if steps % _LOOK_EVERY == 0:
                self._let_land()
        self._check_end()
        return {name: memory.values for name, memory in self.memory.items()}

    def _pick(self, ready: list[Actor]) -> Actor:
        """One of those that can go on, at random in proportion to their weights."""
        place = self.random.random() * sum(actor.weight for actor in ready)
        for actor in ready:
            place -= actor.weight
            if place < 0:
                return actor
        return ready[-1]

    def _deadlock(self, stuck: list[AsyncInstance]) -> None:
        waits = "; ".join(f"{instance.title} at {instance.waiting_at}" for instance in stuck)
        raise InterpretError(f"deadlock: {waits}")

    def _let_land(self) -> None:
        if self.loads and self.random.random() < self.eagerness:
            self._land(int(self.random.integers(len(self.loads))))
        for actor in self.actors:
            if actor.instance.effects and self.random.random() < self.eagerness:
                actor.instance.effects.pop(0).finish()  # one actor's effects happen in the order they were started

    def _land(self, index: int) -> None:
        effect = self.loads.pop(index)
        effect.retired = True
        effect.finish()

    def _leave(self, instance: AsyncInstance) -> None:
        instance.finished = True
        for kind in AsyncKind:
            if instance.opened[kind] or instance.groups[kind]:
                raise InterpretError(f"{instance.title} ends while its {kind.value} steps may still run")

    def _check_end(self) -> None:
        if self.loads:
            raise InterpretError("the kernel ends while a load is under way", load=self.loads[0].what)
        self._check_taken()
        for barrier in (*self.full.values(), *self.turns.values()):
            if not barrier.idle():
                raise InterpretError(f"the kernel ends within a phase of {barrier.name}")

    def _check_taken(self) -> None:
        """Refuse slots that were filled and that no consumer has waited for: what came there may as well have come too late."""
        for (ring, block), filled in self.filled.items():
            left = filled - self.taken.get((ring, block), set())
            if left:
                raise InterpretError(
                    f"nobody takes {len(left)} of {len(filled)} slots of {ring!r} that block {block} fills"
                )

    def _instances(self) -> list[Instance]:
        return [
            AsyncInstance(role, number, block, rank=block % self.cluster)
            for block in range(self.workers)
            for role in self.kernel.roles
            for number in range(role.instances)
        ]

    def _role(self, instance: Instance) -> Pause:
        assert isinstance(instance, AsyncInstance)
        scope: Environment = dict(self.symbols)
        scope |= {"block": instance.block, "blocks": self.workers, "cluster_rank": instance.rank}
        scope[instance.role.name] = instance.number
        instance.positions = {ring.name: 0 for ring in self.kernel.rings}
        yield from self._body(instance.role.body, instance, scope)

    # ---- steps

    def _body(self, nodes: tuple[Node, ...], instance: Instance, scope: Environment, pause: bool = False) -> Pause:
        """Run nodes in order; those at which nobody else can act are no generators of their own."""
        if not self.direct:
            yield from super()._body(nodes, instance, scope, pause)
            return
        assert isinstance(instance, AsyncInstance)
        scope = dict(scope)
        node: Any
        for node in nodes:
            kind = type(node)
            action = _AT_ONCE.get(kind)
            if action is not None:
                self._tell_slots(instance, scope)
                action(self, node, instance, scope)
            elif kind is Let:
                self._let(node, instance, scope)
            elif kind is Loop:
                yield from self._loop(node, instance, scope, pause)
            elif kind is If:
                branch = node.then if bool(self.tables.holds(node.guard, scope)) else node.otherwise
                yield from self._body(branch, instance, scope)
            elif kind is Staged:
                raise InterpretError("a staged step stands outside a loop", role=instance.role.name)
            else:
                yield from self._step(node, instance, scope)

    def _tell_slots(self, instance: AsyncInstance, scope: Environment) -> None:
        for ring, name, slots in self.slots:
            scope[name] = instance.positions[ring] % slots

    def _step(self, step: Any, instance: Instance, scope: Environment) -> Pause:
        assert isinstance(instance, AsyncInstance)
        self._tell_slots(instance, scope)
        kind = type(step)
        action = _AT_ONCE.get(kind)
        if action is not None:
            action(self, step, instance, scope)
        elif kind is Acquire:
            yield from self._acquire(step, instance)
        elif kind is Release:
            yield
            self._release(step, instance)
        elif kind is Await or kind is Signal:
            yield from self._turn(step, instance, scope)
        elif kind is Commit:
            instance.groups[step.kind].append(instance.opened[step.kind])
            instance.opened[step.kind] = []
            yield
        elif kind is Barrier:
            yield from self._barrier(step, instance)
        else:
            if kind in _GIVES:
                self._overwrite(_GIVES[kind](step), instance)
            elif kind is Mask:
                self._not_lent(step.fragment, instance)
            yield from super()._step(step, instance, scope)

    def _expect(self, step: Expect, instance: AsyncInstance, scope: Environment) -> None:
        self.filled.setdefault((step.ring, instance.block), set()).add(instance.positions[step.ring])
        self.full[step.ring, instance.block, self._slot(step.ring, instance)].arrive(step.bytes)

    def _advance(self, step: Advance | Skip, instance: AsyncInstance, scope: Environment) -> None:
        instance.positions[step.ring] += self._moved(step, scope)

    def _fence(self, step: AccumulatorFence | ProxyFence, instance: AsyncInstance, scope: Environment) -> None:
        if isinstance(step, AccumulatorFence):
            instance.fenced.add(step.fragment)
            return
        for written in instance.written:
            written.state = max(written.state, 1)

    def _change(self, step: Any, instance: AsyncInstance, scope: Environment) -> None:
        """A step that gives a fragment other registers: a fill, a load or a computation."""
        kind = type(step)
        if kind is Compute and step.target in step.accumulators:
            self._register(instance, step.target)  # what an instruction has left there is used before it is gone
        self._overwrite(step.target if kind is Compute else step.fragment, instance)
        if kind is Load:
            self._load(step, instance, scope)
        elif kind is Compute:
            self._compute(step, instance)
        else:
            layout = instance.role.fragment(step.fragment).layout
            instance.registers[step.fragment] = np.full((layout.lanes, layout.registers), step.value)

    def _moved(self, step: Advance | Skip, scope: Environment) -> int:
        count = int(self.tables.value(step.count, scope)) if isinstance(step, Skip) else 1
        if count < 0:
            raise InterpretError(f"a position in {step.ring!r} moves back", slots=count)
        return count

    def _turn(self, step: Await | Signal, instance: AsyncInstance, scope: Environment) -> Pause:
        """Arrive at the barrier of an instance's turn; who waits goes on once the phase it arrived in is complete."""
        target = int(self.tables.value(step.target, scope)) if isinstance(step, Signal) else instance.number
        if not 0 <= target < instance.role.instances:
            raise InterpretError(f"{instance.title} passes its turn to instance {target}")
        name = f"{step.token!r} of {instance.role.name}[{target}] in block {instance.block}"
        place = (step.token, instance.role.name, instance.block, target)
        instances, rest = divmod(step.threads, instance.role.lanes)
        barrier = self.turns.setdefault(place, PhaseBarrier(name, instances))
        if rest or barrier.count != instances:
            raise InterpretError(
                f"{name} is used for {step.threads} threads, which do not meet there", at=instance.title
            )
        yield
        before = barrier.phase
        barrier.arrive()
        if isinstance(step, Await):
            instance.waiting_at = name
            instance.ready = lambda: barrier.phase > before
            yield
            instance.waiting_at = None

    def _overwrite(self, name: str, instance: AsyncInstance) -> None:
        if instance.busy.get(name):
            raise InterpretError(f"{name!r} is written while {instance.busy[name][0].what} may still update it")
        self._not_lent(name, instance)
        instance.fenced.discard(name)
        instance.sums.pop(name, None)

    def _not_lent(self, name: str, instance: AsyncInstance) -> None:
        if instance.lent.get(name):
            raise InterpretError(f"{name!r} is written while {instance.lent[name][0].what} may still read it")

    def _acquire(self, step: Acquire, instance: AsyncInstance) -> Pause:
        ring = self.kernel.ring(step.ring)
        position = instance.positions[step.ring]
        cycle = PhaseTransition(ring.slots)
        wait = cycle.full(position) if step.side is Side.FULL else cycle.empty(position)
        barrier = (self.full if step.side is Side.FULL else self.empty)[step.ring, instance.block, wait.slot]
        instance.waiting_at = f"{barrier.name}, parity {wait.parity} (iteration {position})"
        instance.ready = lambda: barrier.passed(wait.parity)
        yield
        instance.waiting_at = None
        if step.side is Side.FULL:
            self.taken.setdefault((step.ring, instance.block), set()).add(position)

    def _release(self, step: Release, instance: AsyncInstance) -> None:
        ring = self.kernel.ring(step.ring)
        slot = self._slot(step.ring, instance, step.lag)
        readers = self._readers(instance)
        for name in ring.buffers:
            key, size = self._key(name, instance.block), self.tables.sizes[name]
            for effect in readers:
                if any(span.reaches(key, slot * size, (slot + 1) * size - 1) for span in effect.reads):
                    raise InterpretError(f"{instance.title} releases slot {slot} while {effect.what} may still read it")
        base = instance.block - instance.rank
        for rank in sharers(instance.rank, ring.multicast):
            self._check_alive(base + rank, f"a release by {instance.title}")
            for _ in range(step.arrivals(instance.role.lanes)):
                self.empty[step.ring, base + rank, slot].arrive()

    def _barrier(self, step: Barrier, instance: AsyncInstance) -> Pause:
        if step.scope is Scope.WORKERS:
            raise InterpretError("a barrier of workers in a GPU kernel")
        if step.scope in (Scope.BLOCK, Scope.CLUSTER):
            if step.scope is Scope.BLOCK:
                members, first = sum(role.instances for role in self.kernel.roles), instance.block
            else:
                members, first = instance.role.instances * self.cluster, instance.block - instance.rank
            key = f"{step.name}@{first}"
            waiting = self.barriers.setdefault(key, [])
            waiting.append(instance)
            if len(waiting) == members:
                self.barriers[key] = []
                for member in waiting:
                    assert isinstance(member, AsyncInstance)
                    member.ready = None
            else:
                instance.ready = _never
            instance.waiting_at = f"barrier {step.name!r}"
            yield
            instance.waiting_at = None
        for written in instance.written:
            written.state, written.met = 2 if written.state == 1 else written.state, True
        instance.looked.clear()
        instance.effects = [effect for effect in instance.effects if not effect.retired]
        for effect in instance.stores:  # what one thread has waited for is now known to all
            effect.known = effect.retired
        instance.stores = [effect for effect in instance.stores if not effect.known]

    def _wait(self, step: Wait, instance: AsyncInstance) -> None:
        groups = instance.groups[step.kind]
        while len(groups) > step.pending:
            for effect in groups.pop(0):
                while not effect.landed:
                    instance.effects.pop(0).finish()
                effect.retired = True
                effect.known = step.kind is not AsyncKind.STORE
        if step.kind is AsyncKind.MMA:
            for held in (instance.busy, instance.lent):
                for name, effects in held.items():
                    held[name] = [effect for effect in effects if not effect.retired]


def _never() -> bool:
    return False


_GIVES: dict[type, Callable[[Any], str]] = {
    **dict.fromkeys((Extract, Fold, Join, Turn), lambda step: step.target), Count: lambda step: step.fragment,
}  # fmt: skip
"""The fragment that a step gives other registers, whatever it held."""


_AT_ONCE: dict[type, Callable[..., None]] = {
    Expect: AsyncInterpreter._expect, Advance: AsyncInterpreter._advance, Skip: AsyncInterpreter._advance,
    AsyncLoad: lambda run, step, instance, scope: run._async_load(step, instance, scope),
    AsyncMma: lambda run, step, instance, scope: run._async_mma(step, instance, scope),
    AsyncStore: lambda run, step, instance, scope: run._async_store(step, instance, scope),
    Wait: lambda run, step, instance, scope: run._wait(step, instance),
    AccumulatorFence: AsyncInterpreter._fence, ProxyFence: AsyncInterpreter._fence,
    Fill: AsyncInterpreter._change, Load: AsyncInterpreter._change, Compute: AsyncInterpreter._change,
    Store: lambda run, step, instance, scope: run._store(step, instance, scope),
}  # fmt: skip
"""Steps at which nobody else can act."""

# SPDX-License-Identifier: MIT
"""All launches of a kernel of workers carried out together: each step for all workers of all of them, as one array operation.

Launches know nothing of each other, and workers only meet in memory that a barrier orders. So every worker of every launch is one of the
iterations that `tracea_core.semantic.interpret_loops` carries out at once, between two barriers at least: symbols that differ are arrays
along them, each launch has memory of its own, with bounds of its own, and each worker buffers of its own. Two workers of a launch that
touch one place of a workspace between the same two barriers, one of them to write, race in some interleaving; all places that are touched
are remembered until the barrier, and then it is seen. What a loop leaves behind is kept where some step may ask for it.

What a step checks is what it checks alone. If anything is refused, nothing is said about why: launches are then carried out one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.flat_loops import Iterations
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import symbols
from tracea_core.semantic.interpret import Environment, Instance
from tracea_core.semantic.interpret_loops import LoopsInterpreter
from tracea_core.semantic.interpret_memory import Flagged, Memory
from tracea_core.semantic.interpret_tables import tables
from tracea_core.semantic.kernel import Actor, Direction, SemanticKernel, Space, shares_memory, walk
from tracea_core.semantic.liveness import Live
from tracea_core.semantic.lockstep_team import Divergence, Launch
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.row_steps import AddRows, Count, Prefetch
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
    Store,
    Turn,
)

_KNOWN = (
    Let, Loop, If, Load, Store, Mma, Fill, Turn, Compute, Extract, Barrier, SchedulingFence, Prefetch, Fetch,
    AddRows, Count,
)  # fmt: skip
_SPACES = (Space.PANEL, Space.WORKSPACE)


class Part(NamedTuple):
    """Each launch's part of one memory: where it begins, and how many elements it has."""

    starts: Integers
    sizes: Integers


def launched_together(kernel: SemanticKernel) -> bool:
    """Whether launches of a kernel can be carried out together.

    Its workers meet at barriers that all of them pass, outside of loops, and write nothing that they read but in their buffers and
    workspaces, where races are sought.
    """

    def compute() -> tuple[bool]:
        if kernel.rings or shares_memory(kernel) or len(kernel.roles) != 1 or kernel.roles[0].actor is not Actor.WORKER:
            return (False,)
        body = kernel.roles[0].body
        nodes = list(walk(body))
        barriers = [node for node in nodes if isinstance(node, Barrier)]
        given = {parameter.name for parameter in kernel.parameters if parameter.direction is Direction.READ}
        return (
            all(isinstance(node, _KNOWN) and not (isinstance(node, Let) and held_let(node)) for node in nodes)
            and all(one.scope is Scope.WORKERS for one in barriers)
            and len(barriers) == sum(isinstance(node, Barrier) for node in body)
            and all(parameter.direction is not Direction.UPDATE for parameter in kernel.parameters)
            and all(buffer.space in _SPACES for buffer in kernel.buffers)
            and all(
                node.source.operand in given
                for node in nodes
                if isinstance(node, Load) and isinstance(node.source, Access)
            ),
        )

    return tables(kernel).once(("launches",), compute)[0]


class LaunchesInterpreter(LoopsInterpreter):
    """Run several launches of a kernel (see `launched_together`)."""

    def __init__(self, kernel: SemanticKernel, launches: Sequence[Launch]) -> None:
        super().__init__(kernel, {}, {parameter.name: np.zeros(0) for parameter in kernel.parameters})
        self.role = kernel.roles[0]
        workers = np.array([launch.workers for launch in launches])
        self.run_of = np.repeat(np.arange(len(launches)), workers)
        self.number = np.arange(len(self.run_of)) - np.repeat(np.cumsum(workers) - workers, workers)
        self.each = workers[self.run_of]
        self.symbols = {name: _by_run([launch.symbols[name] for launch in launches]) for name in launches[0].symbols}
        self.parts: dict[str, Part] = {}
        self.extents: dict[str, Any] = {}
        self.memory = {}
        for parameter in kernel.parameters:
            values = [np.asarray(launch.operands[parameter.name], np.float64).ravel() for launch in launches]
            sizes = np.array([one.size for one in values])
            self.parts[parameter.name] = Part(np.cumsum(sizes) - sizes, sizes)
            self.memory[parameter.name] = (
                Memory.given(parameter.name, np.concatenate(values), writable=False)
                if parameter.direction is Direction.READ
                else Memory.poisoned(parameter.name, int(sizes.sum()))
            )
        every = frozenset(fragment.name for fragment in self.role.fragments)
        self.live = self.tables.once(("live",), lambda: Live(self.role.body, every))
        self.phases = list(self._phases())
        self.stored: dict[str, list[tuple[Integers, Integers]]] = {}
        self.loaded: dict[str, list[tuple[Integers, Integers]]] = {}
        self.meeting: frozenset[str] = frozenset()
        self.suspect: int | None = None
        """A launch that a refusal concerned, which may tell of it alone."""

    def memory_after(self, number: int, operand: str) -> Memory:
        """Return what a launch has left of an operand."""
        whole, part = self.memory[operand], self.parts[operand]
        here = slice(int(part.starts[number]), int(part.starts[number] + part.sizes[number]))
        return Memory(operand, whole.values[here], whole.written[here])

    def _phases(self) -> Iterator[tuple[Node, ...]]:
        """The steps between barriers."""
        begun: list[Node] = []
        for node in self.role.body:
            if isinstance(node, Barrier):
                yield tuple(begun)
                begun = []
            else:
                begun.append(node)
        yield tuple(begun)

    def together(self) -> None:
        """Run all launches.

        Raises
        ------
        Divergence, TraceaError, ArithmeticError, LookupError, TypeError, ValueError
            If anything is refused in any of them.
        """
        scope: Environment = {
            name: value if isinstance(value, int) else value[self.run_of] for name, value in self.symbols.items()
        }
        scope |= {"worker": self.number[:, None, None], "workers": self.each[:, None, None]}
        these = Iterations(Instance(self.role, 0, 0), scope, len(self.run_of))
        these.runs, these.workers = self.run_of, np.arange(len(self.run_of))
        these.part(frozenset(buffer.name for buffer in self.kernel.buffers if buffer.space is Space.PANEL))
        for phase in self.phases:
            self.meeting = _meeting(phase)
            for node in phase:
                self._for_workers(node, these)
            self._pass()

    def _for_workers(self, node: Node, these: Iterations) -> None:
        """Carry out a node for all workers, one step or loop of iterations that know nothing of each other at a time."""
        if isinstance(node, If):
            taken = these.branch(self.tables.holds(node.guard, these.scope))
            for branch, chosen in ((node.then, np.flatnonzero(taken)), (node.otherwise, np.flatnonzero(~taken))):
                if branch and len(chosen):
                    some = these.of(chosen, self._used(branch))
                    for step in branch:
                        self._for_workers(step, some)
                    these.take(some, chosen, self._asked(node))
            return
        if isinstance(node, Loop) and self._apart(node) is None:
            start, stop = (these.each(self.tables.value(bound, these.scope)) for bound in (node.start, node.stop))
            turns, used = np.maximum(-((start - stop) // node.step), 0), self._used(node.body)
            for turn in range(int(turns.max(initial=0))):
                numbers = np.flatnonzero(turns > turn)
                some = these.of(numbers, used)
                some.scope[node.var] = (start[numbers] + turn * node.step)[:, None, None]
                for step in node.body:
                    self._for_workers(step, some)
                these.take(some, numbers, self._asked(node))
            return
        self._for_each(node, these)
        if these.sums:
            raise Divergence  # of all iterations together
        if these.storing:
            if not all(memory.write_apart(places, values) for memory, places, values in these.stores()):
                raise Divergence
            these.storing.clear()

    # ---- who meets whom

    def _touch(self, step: Load | Store, memory: Memory, places: Integers, mask: Any, these: Iterations) -> None:
        place = step.source if isinstance(step, Load) else step.target
        if not isinstance(place, BufferRef) or place.buffer not in self.meeting or place.buffer in these.private:
            return
        assert these.workers is not None
        who = these.workers[:, None, None]
        workers = np.broadcast_to(who, places.shape) if mask is None else np.broadcast_to(who, mask.shape)[mask]
        noted = self.loaded if isinstance(step, Load) else self.stored
        noted.setdefault(place.buffer, []).append((places, workers))

    def _pass(self) -> None:
        """Let all workers pass a barrier; those of one launch must not have met before it."""
        for name, stores in self.stored.items():
            writer = np.full(self.memory[name].values.size, -1, np.int64)
            for places, workers in stores:
                writer[places] = workers
            if any((writer.take(places) != workers).any() for places, workers in stores):
                raise Divergence
            for places, workers in self.loaded.get(name, ()):
                found = writer.take(places)
                if ((found >= 0) & (found != workers)).any():
                    raise Divergence
        self.stored, self.loaded = {}, {}

    def _blame(self, wrong: npt.NDArray[np.bool_], mask: Any, these: Iterations) -> None:
        """Remember the smallest launch that something is refused in."""
        whole = wrong
        if mask is not None:
            whole = np.zeros(mask.shape, np.bool_)
            whole[mask] = wrong
        assert these.runs is not None
        found = these.runs[np.broadcast_to(whole.any(axis=(1, 2)), these.count)]
        sizes = np.sum([part.sizes for part in self.parts.values()], axis=0)
        self.suspect = int(found[np.argmin(sizes[found])])

    # ---- memory

    def _region(self, place: Access | BufferRef, these: Iterations) -> tuple[Memory, Integers | None, Any]:
        if isinstance(place, BufferRef):
            if place.rank is not None:
                raise Divergence
            if place.buffer in these.private:
                return super()._region(place, these)
            name = place.buffer
            if name not in self.memory:
                sizes = np.broadcast_to(self._size(name), self.run_of[-1] + 1)
                if sizes.min() < 0:
                    raise Divergence
                self.parts[name] = Part(np.cumsum(sizes) - sizes, sizes)
                self.memory[name] = Flagged.poisoned(name, int(sizes.sum()))
        else:
            name = place.operand
        part = self.parts[name]
        starts, sizes = part.starts[these.runs], part.sizes[these.runs]
        return self.memory[name], starts[:, None, None], sizes[:, None, None]

    def _size(self, name: str) -> int | Integers:
        buffer = self.kernel.buffer(name)
        found = buffer.layout.size * buffer.slots * self._extent(name)
        return found if isinstance(found, int) else found.ravel()

    def _extent(self, name: str) -> Any:
        """How often a buffer's layout repeats, by run."""
        if name not in self.extents:
            extent = self.kernel.buffer(name).extent
            self.extents[name] = 1 if extent is None else self.tables.value(extent, self.symbols)
        return self.extents[name]

    def _limit(self, name: str, these: Iterations) -> Any:
        found = self._extent(name)
        return found if isinstance(found, int) else found[these.runs]

    # ---- what is kept

    def _asked(self, node: Loop | If) -> frozenset[str] | None:
        return self.live.after(node)

    def _left(self, name: str, loop: Loop) -> bool:
        def loads(nodes: tuple[Node, ...]) -> int:
            return sum(
                isinstance(n, Load) and isinstance(n.source, BufferRef) and n.source.buffer == name for n in walk(nodes)
            )

        return self.tables.once(("left", name, id(loop)), lambda: (loop, loads(self.role.body) > loads(loop.body)))[1]

    def _used(self, nodes: tuple[Node, ...]) -> frozenset[str]:
        def compute() -> tuple[tuple[Node, ...], frozenset[str]]:
            named = frozenset[str]().union(*(self._named(node) for node in nodes))
            return nodes, named | self.live.before(nodes)

        return self.tables.once(("asked", id(nodes)), compute)[1]

    def _named(self, node: Node) -> frozenset[str]:
        """The symbols in a node."""

        def compute() -> tuple[Node, frozenset[str]]:
            own, inner = node, tuple[Node, ...]()
            if isinstance(node, Loop):
                own, inner = node.replace(body=()), node.body
            elif isinstance(node, If):
                own, inner = node.replace(then=(), otherwise=()), (*node.then, *node.otherwise)
            named = frozenset(name for index in indices(own) for name in symbols(index))
            return node, named.union(*(self._named(one) for one in inner))

        return self.tables.once(("named", id(node)), compute)[1]


def _meeting(phase: tuple[Node, ...]) -> frozenset[str]:
    """The buffers that are written between two barriers: in no other can workers meet."""
    return frozenset(
        node.target.buffer for node in walk(phase) if isinstance(node, Store) and isinstance(node.target, BufferRef)
    )


def _by_run(values: list[Any]) -> Any:
    """One integer, or an array of one for each run."""
    if any(isinstance(value, np.ndarray) for value in values):
        raise Divergence
    first = int(values[0])
    return first if all(value == first for value in values) else np.array(values, np.int64)[:, None, None]

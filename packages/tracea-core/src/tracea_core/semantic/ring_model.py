# SPDX-License-Identifier: MIT
"""The product automaton of one ring: who takes part, what each of their moves does to barriers and slots, who is alike.

An actor's events are cut into moves, and every total that matters (arrivals, bytes, loads started and landed, what is being
read) becomes a table over the actor's own position. So a state is a row of positions, and everything about it is a sum
of table rows, which `tracea_core.semantic.explore` takes for all states of a level at once.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from tracea_core.errors import CertificationError
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.order_steps import Await
from tracea_core.semantic.phases import sharers
from tracea_core.semantic.ring_events import Event, Kind, Scenario, ring_events, takes_turns
from tracea_core.semantic.steps import Side

Move = tuple[Event, ...]
_NO_LIMIT = 1 << 40


@dataclass(frozen=True)
class Actor:
    """One actor's moves in all scenarios, one after the other, each scenario closed by an end; totals before each move.

    `arrived[e, b]` counts arrivals at barrier b, `brought[e, b]` bytes; `loads[e, s]` counts loads started into slot s,
    `landed[e, s]` those that arrived; `holds[e, s]` is the round that slot s must hold while the actor reads it, −1 if
    it does not. `waits[e]` is (barrier, parity, completed phases) of the wait that opens move e, barrier −1 if none does.
    """

    name: str
    moves: list[Move]
    firsts: Integers
    arrived: Integers
    brought: Integers
    loads: Integers
    landed: Integers
    holds: Integers
    waits: Integers
    follows: int = -1
    """Index of the actor whose loads this engine carries out."""

    @property
    def totals(self) -> tuple[Integers, ...]:
        """Everything that a state sums up or compares."""
        return (self.firsts, self.arrived, self.brought, self.loads, self.landed, self.holds, self.waits)


@dataclass
class _Deltas:
    """Changes of an actor's totals, as (row, column, amount), and what its moves wait for."""

    arrived: list[tuple[int, int, int]] = field(default_factory=list)
    brought: list[tuple[int, int, int]] = field(default_factory=list)
    loads: list[tuple[int, int, int]] = field(default_factory=list)
    landed: list[tuple[int, int, int]] = field(default_factory=list)
    holds: list[tuple[int, int, int]] = field(default_factory=list)
    waits: list[tuple[int, int, int, int]] = field(default_factory=list)


class RingModel:
    """The product automaton of one ring.

    With `blocks` = 1 it has all consumers of one block; blocks that share its loads do the same at the same time, so its
    own arrivals and bytes count for them too. With `blocks` = 2 a second block stands for all that share loads with the
    first, what it sends to the first counts for all of those, and one consumer in each block stands for its siblings, unless
    they take turns.
    """

    def __init__(self, kernel: SemanticKernel, ring: str, blocks: int, scenarios: tuple[Scenario, ...]) -> None:
        self.kernel, self.ring, self.scenarios = kernel, kernel.ring(ring), scenarios
        others = sharers(0, self.ring.multicast)[1:]
        self.ranks = (0, *others[: blocks - 1])
        self.slots = self.ring.slots
        self.blocks = len(self.ranks)
        self.places = self.blocks * self.slots
        self.turns = _turns(kernel)
        self.barriers = 2 * self.places + self.blocks * len(self.turns)
        self.others = max(len(others), 1)
        self.own = 1 + len(others) if blocks == 1 else 1
        self.announced = self._announced()
        remote = [self._brought(rank) for rank in others]
        mine = self._brought(0)
        self.own_bytes = Fraction(mine + sum(remote), max(mine, 1)) if blocks == 1 else Fraction(1)
        self.remote_bytes = Fraction(sum(remote), max(remote[0], 1)) if remote else Fraction(1)
        self.unit = self.own_bytes.denominator * self.remote_bytes.denominator  # keeps scaled bytes whole
        self.exact = mine + sum(remote) == self.announced
        self.actors: list[Actor] = []
        instances = {role.name: role.instances for role in kernel.roles}
        for block, rank in enumerate(self.ranks):
            traces = self._traces(self.ring.producer, 0, rank)
            self.actors.append(self._actor(f"{self.ring.producer} of block {rank}", block, traces, 1))
            self.actors.append(self._engine(block, traces))
            for name in self.ring.consumers:
                together = blocks > 1 and not takes_turns(kernel, ring, name)
                separate = 1 if together else instances[name]
                weight = instances[name] // separate
                self._consumers(name, separate, weight, block, rank)

    def _consumers(self, name: str, count: int, weight: int, block: int, rank: int) -> None:
        """Add `count` instances; those whose events cannot depend on their number share the tables of the first."""
        alike = not takes_turns(self.kernel, self.ring.name, name)
        first: Actor | None = None
        for number in range(count):
            title = f"{name}[{number}] of block {rank}"
            if first is not None and alike:
                self.actors.append(dataclasses.replace(first, name=title))
            else:
                first = self._actor(title, block, self._traces(name, number, rank), weight)
                self.actors.append(first)

    def _traces(self, role: str, number: int, rank: int) -> list[Move]:
        return [ring_events(self.kernel, self.ring.name, role, number, rank, s) for s in self.scenarios]

    def _announced(self) -> int:
        """The bytes that one round of a slot announces."""
        trace = ring_events(self.kernel, self.ring.name, self.ring.producer, 0, 0, Scenario(1, 1))
        return sum(event.bytes for event in trace if event.kind is Kind.ARRIVE)

    def _brought(self, rank: int) -> int:
        """The bytes that block `rank` brings to one slot of the first block."""
        trace = ring_events(self.kernel, self.ring.name, self.ring.producer, 0, rank, Scenario(1, 1))
        return sum(event.bytes for event in trace if event.kind is Kind.LOAD and 0 in event.blocks)

    def _targets(self, event: Event) -> list[int]:
        return [self.ranks.index(rank) for rank in event.blocks if rank in self.ranks]

    def _actor(self, title: str, block: int, traces: list[Move], weight: int) -> Actor:
        moves, firsts = _laid_out([_cut(trace) for trace in traces])
        found = _Deltas()
        for row, move in enumerate(moves):
            for event in move:
                self._note(found, row, event, block, weight)
        return self._tables(title, moves, firsts, found)

    def _note(self, found: _Deltas, row: int, event: Event, block: int, weight: int) -> None:
        place = block * self.slots + event.slot
        if event.token:
            self._take_turns(found, row, event, block)
        elif event.kind is Kind.WAIT:
            phases = event.round + (event.side is Side.FULL)
            found.waits.append((row, self._barrier(block, event.slot, event.side), event.parity, phases))
        elif event.kind is Kind.ARRIVE:
            for target in self._targets(event):
                own = self.own if len(event.blocks) > 1 else 1
                count = event.times * weight * (own if target == block else self.others)
                found.arrived.append((row + 1, self._barrier(target, event.slot, event.side), count))
        elif event.kind is Kind.LOAD:
            found.loads += [(row + 1, target * self.slots + event.slot, 1) for target in self._targets(event)]
        elif event.kind is not Kind.END:
            found.holds.append((row + 1, place, event.round + 1 if event.kind is Kind.READ else -1))

    def _take_turns(self, found: _Deltas, row: int, event: Event, block: int) -> None:
        """An event at the barrier of one instance's turn: threads arrive, or the next phase is waited for."""
        try:
            barrier = 2 * self.places + block * len(self.turns) + list(self.turns).index((event.token, event.slot))
        except ValueError:
            raise CertificationError(f"nobody waits for the {event.token} of instance {event.slot}") from None
        if event.kind is Kind.WAIT:
            found.waits.append((row, barrier, event.parity, event.round + 1))
        else:
            found.arrived.append((row + 1, barrier, event.bytes))

    def counts(self) -> Integers:
        """The arrivals that complete a phase of each barrier: of slots for each block, then threads of turns."""
        rings = np.repeat((self.ring.full_arrivals, self.ring.empty_arrivals), self.slots)
        turns = np.array(list(self.turns.values()), np.int64)
        return np.concatenate((np.tile(rings, self.blocks), np.tile(turns, self.blocks)))

    def _engine(self, block: int, traces: list[Move]) -> Actor:
        """The copies of one producer, landing in the order in which they were started.

        Where a slot's announced bytes are all that come, none but the last copy is observable: they land as one.
        """
        landings: list[list[Move]] = []
        for trace in traces:
            loads = [event for event in trace if event.kind is Kind.LOAD]
            together = itertools.groupby(loads, key=lambda event: (event.slot, event.round))
            landings.append([tuple(group) for _, group in together] if self.exact else [(load,) for load in loads])
        moves, firsts = _laid_out(landings)
        scales = (int(self.remote_bytes * self.unit), int(self.own_bytes * self.unit))
        found = _Deltas()
        for row, move in enumerate(moves):
            for event in move:
                for target in self._targets(event):
                    found.landed.append((row + 1, target * self.slots + event.slot, 1))
                    barrier = self._barrier(target, event.slot, Side.FULL)
                    found.brought.append((row + 1, barrier, event.bytes * scales[target == block]))
        actor = self._tables(f"copies of block {self.ranks[block]}", moves, firsts, found)
        return dataclasses.replace(actor, follows=len(self.actors) - 1)

    def _tables(self, title: str, moves: list[Move], firsts: Integers, found: _Deltas) -> Actor:
        size = len(moves)
        waits = np.tile(np.array([-1, 0, 0], np.int64), (size, 1))
        if found.waits:
            noted = np.array(found.waits, np.int64)
            waits[noted[:, 0]] = noted[:, 1:]
        return Actor(
            title, moves, firsts,
            _running(size, self.barriers, found.arrived, firsts), _running(size, self.barriers, found.brought, firsts),
            _running(size, self.places, found.loads, firsts), _running(size, self.places, found.landed, firsts),
            _held(size, self.places, found.holds, firsts), waits,
        )  # fmt: skip

    def _barrier(self, block: int, slot: int, side: Side) -> int:
        return (block * 2 + (side is Side.EMPTY)) * self.slots + slot

    def loads_per_round(self) -> int:
        """Loads that one slot receives in a round, from all blocks in the model."""
        for scenario in range(len(self.scenarios)):
            totals = np.sum([actor.loads[actor.firsts[scenario + 1] - 1] for actor in self.actors], axis=0)
            rounds = self.scenarios[scenario].tiles * self.scenarios[scenario].steps
            if rounds >= 1 and totals[0]:
                return round(int(totals[0]) / -(-rounds // self.slots))
        return 1

    # ---- who is alike

    def twins(self) -> list[list[int]]:
        """Groups of actors whose tables are equal: exchanging two of them maps every run to a run."""
        groups: list[list[int]] = []
        for index, actor in enumerate(self.actors):
            for group in groups:
                other = self.actors[group[0]]
                if actor.follows == other.follows == -1 and _equal(actor.totals, other.totals):
                    group.append(index)
                    break
            else:
                groups.append([index])
        return [group for group in groups if len(group) > 1]

    def mirror(self) -> list[int] | None:
        """The order of actors with both blocks exchanged, if that maps every run to a run; None if it does not."""
        half = len(self.actors) // 2
        if self.blocks != 2:
            return None
        places = np.roll(np.arange(self.places), self.slots)
        rings, turns = np.split(np.arange(self.barriers), [2 * self.places])
        barriers = np.concatenate((np.roll(rings, 2 * self.slots), np.roll(turns, len(self.turns))))
        for here, there in zip(self.actors[:half], self.actors[half:], strict=True):
            waits = here.waits.copy()
            waiting = waits[:, 0] >= 0
            waits[waiting, 0] = barriers[waits[waiting, 0]]
            tables = (here.firsts, here.arrived[:, barriers], here.brought[:, barriers], here.loads[:, places],
                      here.landed[:, places], here.holds[:, places], waits)  # fmt: skip
            follows = here.follows if here.follows < 0 else here.follows + half
            if follows != there.follows or not _equal(tables, there.totals):
                return None
        return [*range(half, 2 * half), *range(half)]


def _turns(kernel: SemanticKernel) -> dict[tuple[str, int], int]:
    """The threads that complete each barrier of a turn, by its name and the instance that waits there."""
    return {
        (node.token, instance): node.threads
        for role in kernel.roles
        for node in walk(role.body)
        if isinstance(node, Await)
        for instance in range(role.instances)
    }


def say(move: Move) -> str:
    """Return a move in words."""
    return ", ".join(str(event) for event in move)


def _equal(one: tuple[Integers, ...], other: tuple[Integers, ...]) -> bool:
    return all(a is b or np.array_equal(a, b) for a, b in zip(one, other, strict=True))


_JOINED = {
    (Kind.WAIT, Kind.READ), (Kind.WAIT, Kind.ARRIVE), (Kind.WAIT, Kind.LOAD), (Kind.ARRIVE, Kind.LOAD),
    (Kind.LOAD, Kind.LOAD), (Kind.DONE, Kind.DONE), (Kind.DONE, Kind.ARRIVE),
}  # fmt: skip
"""Neighbouring events of one actor that are one move: nothing another actor does in between could see or change it.

A read that begins right after its wait and ends right before its release covers all shorter ones; arrivals and bytes
only ever let others go on. A release never joins a wait or a read, so that its place among them stays visible. What
arrives at a turn's barrier joins whatever is before it: no slot is safer for it, and others can do at least what they could.
"""


def _cut(trace: Move) -> list[Move]:
    moves: list[Move] = []
    for event in trace:
        if moves:
            last = moves[-1][-1]
            released = event.kind is Kind.ARRIVE and event.side is Side.EMPTY
            joined = (last.kind, event.kind) in _JOINED and not (last.kind is Kind.WAIT and released)
            joined &= not (last.kind is Kind.ARRIVE and last.side is Side.EMPTY)
            if event.token or last.token:
                joined = event.kind is Kind.ARRIVE and bool(event.token)
            if joined:
                moves[-1] = (*moves[-1], event)
                continue
        moves.append((event,))
    return moves


def _laid_out(traces: list[list[Move]]) -> tuple[list[Move], Integers]:
    """Lay traces out one after the other, each closed by an end; return them and where each begins."""
    moves: list[Move] = []
    firsts = [0]
    for trace in traces:
        moves += [*trace, (Event(Kind.END),)]
        firsts.append(len(moves))
    return moves, np.array(firsts, np.int64)


def _running(size: int, width: int, deltas: list[tuple[int, int, int]], firsts: Integers) -> Integers:
    """Running totals before each row, from 0 in every scenario."""
    table = np.zeros((size, width), np.int64)
    if not deltas:
        return table
    rows, columns, amounts = np.array(deltas, np.int64).T
    np.add.at(table, (rows, columns), amounts)
    total = np.cumsum(table, axis=0)
    return total - np.repeat(total[firsts[:-1]], np.diff(firsts), axis=0)


def _held(size: int, width: int, changes: list[tuple[int, int, int]], firsts: Integers) -> Integers:
    """What was last set in each column, −1 from the beginning of every scenario."""
    table = np.full((size, width), -1, np.int64)
    last = np.zeros((size, width), np.int64)
    last[firsts[:-1]] = firsts[:-1, None]
    for row, column, value in changes:
        table[row, column] = value
        last[row, column] = row
    return np.take_along_axis(table, np.maximum.accumulate(last, axis=0), axis=0)

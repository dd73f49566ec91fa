# SPDX-License-Identifier: MIT
"""Exhaustive search of a ring's automaton: no slot is overwritten, none is read too early, nobody waits for ever.

The roles' ring events are taken from the kernel itself, by walking its body with concrete trip counts: how often the
tile loop and the reduction run. A state is how far each actor has come in its events; copy engines are actors of their
own, since what they bring lands at any later time. What a barrier shows follows from how many arrivals and bytes have
reached it, so whether an actor may go on is a function of the state, and all states of a level are expanded at once.

The reduction: positions repeat modulo 2N (parities have period 2, slots period N), and the ring keeps actors less than
2N apart, so trip counts up to 2N + 1, and tiles whose rings carry over, reach every situation there is. The
blocks of a cluster are alike, and so are the consumers of a block; so a cluster is searched twice, once with all
consumers of one block and once with two blocks that have one consumer each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import CertificationError
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.phases import sharers
from tracea_core.semantic.ring_events import Event, Kind, Scenario, ring_events
from tracea_core.semantic.steps import Side

_STATE_LIMIT = 4_000_000


class Exploration(Data, frozen=True):
    """What a search visited.

    Attributes
    ----------
    states, scenarios : int
        States visited, over how many combinations of trip counts.
    actors : tuple of str
        Who took part.
    failure : str or None
        What went wrong first, with the events that lead there, one a line; None if nothing can.
    """

    states: int
    scenarios: int
    actors: tuple[str, ...]
    failure: str | None = None


@dataclass
class _Actor:
    """One actor's events in all scenarios, one after the other, and running totals before each event.

    `arrived[e, b]` counts arrivals at barrier b, `brought[e, b]` bytes; `loads[e, s]` counts loads started into slot s,
    `landed[e, s]` those that arrived; `holds[e, s]` is the round that slot s must hold while the actor reads it, −1 if
    it does not.
    """

    name: str
    moves: list[tuple[Event, ...]]
    firsts: list[int]
    arrived: Integers
    brought: Integers
    loads: Integers
    landed: Integers
    holds: Integers
    wait_barrier: Integers
    wait_parity: Integers
    wait_phases: Integers
    follows: int = -1
    """Index of the actor whose loads this engine carries out."""

    def steps(self) -> Iterator[tuple[int, int, tuple[Event, ...]]]:
        """Yield every move with the rows before and after it."""
        for row, move in enumerate(self.moves):
            if move[0].kind is not Kind.END:
                yield row, row + 1, move


class _Model:
    """The product automaton of one ring.

    With `blocks` = 1 it has all consumers of one block; blocks that share its loads do the same at the same time, so its
    own arrivals and bytes count for them too. With `blocks` = 2 a second block stands for all that share loads with the
    first, what it sends to the first counts for all of those, and one consumer in each block stands for its siblings.
    """

    def __init__(self, kernel: SemanticKernel, ring: str, blocks: int, scenarios: tuple[Scenario, ...]) -> None:
        self.kernel, self.ring, self.scenarios = kernel, kernel.ring(ring), scenarios
        others = sharers(0, self.ring.multicast)[1:]
        self.ranks = (0, *others[: blocks - 1])
        self.slots = self.ring.slots
        self.blocks = len(self.ranks)
        self.places, self.barriers = self.blocks * self.slots, 2 * self.blocks * self.slots
        self.others = max(len(others), 1)
        self.own = 1 + len(others) if blocks == 1 else 1
        self.announced = self._announced()
        remote = [self._brought(rank) for rank in others]
        mine = self._brought(0)
        self.own_bytes = Fraction(mine + sum(remote), max(mine, 1)) if blocks == 1 else Fraction(1)
        self.remote_bytes = Fraction(sum(remote), max(remote[0], 1)) if remote else Fraction(1)
        self.unit = self.own_bytes.denominator * self.remote_bytes.denominator  # keeps scaled bytes whole
        self.exact = mine + sum(remote) == self.announced
        self.actors: list[_Actor] = []
        instances = {role.name: role.instances for role in kernel.roles}
        for block, rank in enumerate(self.ranks):
            traces = self._traces(self.ring.producer, 0, rank)
            self.actors.append(self._actor(f"{self.ring.producer} of block {rank}", block, traces, 1))
            self.actors.append(self._engine(block, traces))
            for name in self.ring.consumers:
                separate = instances[name] if blocks == 1 else 1
                weight = instances[name] // separate
                for number in range(separate):
                    title = f"{name}[{number}] of block {rank}"
                    self.actors.append(self._actor(title, block, self._traces(name, number, rank), weight))

    def _traces(self, role: str, number: int, rank: int) -> list[tuple[Event, ...]]:
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

    def _actor(self, title: str, block: int, traces: list[tuple[Event, ...]], weight: int) -> _Actor:
        actor = _tables(title, [_moves(trace) for trace in traces], self.barriers, self.places)
        for here, after, move in actor.steps():
            for table in (actor.arrived, actor.brought, actor.loads, actor.landed, actor.holds):
                table[after] = table[here]
            for event in move:
                place = block * self.slots + event.slot
                if event.kind is Kind.WAIT:
                    actor.wait_barrier[here] = self._barrier(block, event.slot, event.side)
                    actor.wait_parity[here] = event.parity
                    actor.wait_phases[here] = event.round + (event.side is Side.FULL)
                elif event.kind is Kind.ARRIVE:
                    for target in self._targets(event):
                        own = self.own if len(event.blocks) > 1 else 1
                        count = weight * (own if target == block else self.others)
                        actor.arrived[after, self._barrier(target, event.slot, event.side)] += count
                elif event.kind is Kind.LOAD:
                    for target in self._targets(event):
                        actor.loads[after, target * self.slots + event.slot] += 1
                elif event.kind is Kind.READ:
                    actor.holds[after, place] = event.round + 1
                else:
                    actor.holds[after, place] = -1
        return actor

    def _engine(self, block: int, traces: list[tuple[Event, ...]]) -> _Actor:
        """The copies of one producer, landing in the order in which they were started.

        Where a slot's announced bytes are all that come, none but the last copy is observable: they land as one.
        """
        landings: list[list[tuple[Event, ...]]] = []
        for trace in traces:
            loads = [event for event in trace if event.kind is Kind.LOAD]
            together = itertools.groupby(loads, key=lambda event: (event.slot, event.round))
            landings.append([tuple(group) for _, group in together] if self.exact else [(load,) for load in loads])
        actor = _tables(f"copies of block {self.ranks[block]}", landings, self.barriers, self.places)
        for here, after, move in actor.steps():
            actor.landed[after], actor.brought[after] = actor.landed[here], actor.brought[here]
            for event in move:
                for target in self._targets(event):
                    actor.landed[after, target * self.slots + event.slot] += 1
                    scale = self.own_bytes if target == block else self.remote_bytes
                    actor.brought[after, self._barrier(target, event.slot, Side.FULL)] += int(
                        event.bytes * scale * self.unit
                    )
        actor.follows = len(self.actors) - 1
        return actor

    def _barrier(self, block: int, slot: int, side: Side) -> int:
        return (block * 2 + (side is Side.EMPTY)) * self.slots + slot

    # ---- search

    def search(self) -> Exploration:
        """Visit every state, level by level (a level is the number of events that have happened)."""
        names = tuple(actor.name for actor in self.actors)
        frontier = np.array([[actor.firsts[s] for actor in self.actors] for s in range(len(self.scenarios))], np.int64)
        ends = np.array(
            [[actor.firsts[s + 1] - 1 for actor in self.actors] for s in range(len(self.scenarios))], np.int64
        )
        scenario = np.arange(len(self.scenarios))
        sizes = np.array([len(actor.holds) for actor in self.actors], np.int64)
        visited, levels = 0, []
        while len(frontier):
            visited += len(frontier)
            levels.append(frontier)
            bad = self._unsafe(frontier)
            if bad is not None:
                return Exploration(visited, len(self.scenarios), names, self._trace(levels, bad[0], bad[1]))
            phases = self._phases(frontier)
            enabled = self._enabled(frontier, phases) & (frontier < ends[scenario])
            stuck = np.flatnonzero(~enabled.any(axis=1) & (frontier < ends[scenario]).any(axis=1))
            bad = (int(stuck[0]), "deadlock") if stuck.size else self._aliased(frontier, phases)
            if bad is not None:
                return Exploration(visited, len(self.scenarios), names, self._trace(levels, bad[0], bad[1]))
            if visited > _STATE_LIMIT:
                raise CertificationError(f"the ring {self.ring.name!r} has more than {_STATE_LIMIT} states")
            rows, which = np.nonzero(enabled)
            after = frontier[rows]
            after[np.arange(len(rows)), which] += 1
            keys = np.ravel_multi_index(tuple(after.T), tuple(sizes)) if len(rows) else np.zeros(0, np.int64)
            _, kept = np.unique(keys, return_index=True)
            frontier, scenario = after[kept], scenario[rows[kept]]
        return Exploration(visited, len(self.scenarios), names)

    def _phases(self, frontier: Integers) -> Integers:
        """Completed phases of every barrier: all arrivals in, and no announced byte missing."""
        arrived = np.sum([actor.arrived[frontier[:, i]] for i, actor in enumerate(self.actors)], axis=0)
        brought = np.sum([actor.brought[frontier[:, i]] for i, actor in enumerate(self.actors)], axis=0)
        kinds = np.arange(2 * self.blocks * self.slots) // self.slots % 2
        counts = np.where(kinds == 0, self.ring.full_arrivals, self.ring.empty_arrivals)
        phases = arrived // counts
        if self.announced:
            complete = brought // (self.announced * self.unit)
            phases = np.where(kinds == 0, np.minimum(phases, complete), phases)
        result: Integers = phases
        return result

    def _enabled(self, frontier: Integers, phases: Integers) -> npt.NDArray[np.bool_]:
        columns = []
        for i, actor in enumerate(self.actors):
            at = frontier[:, i]
            if actor.follows >= 0:
                started = self.actors[actor.follows].loads[frontier[:, actor.follows]].sum(axis=1)
                columns.append(started > actor.landed[at].sum(axis=1))
                continue
            barrier = actor.wait_barrier[at]
            seen = phases[np.arange(len(at)), np.maximum(barrier, 0)]
            columns.append((barrier < 0) | (seen % 2 != actor.wait_parity[at]))
        return np.stack(columns, axis=1)

    def _aliased(self, frontier: Integers, phases: Integers) -> tuple[int, str] | None:
        """A state in which a parity means another phase than the one waited for: then waits are not monotone."""
        for i, actor in enumerate(self.actors):
            at = frontier[:, i]
            barrier = actor.wait_barrier[at]
            off = phases[np.arange(len(at)), np.maximum(barrier, 0)] - actor.wait_phases[at]
            wrong = np.flatnonzero((barrier >= 0) & ((off > 0) | (off < -1)))
            if wrong.size:
                return int(wrong[0]), f"{actor.name} takes another phase for the one it waits for"
        return None

    def _unsafe(self, frontier: Integers) -> tuple[int, str] | None:
        """A state in which a slot is read that does not hold exactly the loads of its round."""
        started = np.sum([actor.loads[frontier[:, i]] for i, actor in enumerate(self.actors)], axis=0)
        landed = np.sum([actor.landed[frontier[:, i]] for i, actor in enumerate(self.actors)], axis=0)
        per_round = self._loads_per_round()
        for i, actor in enumerate(self.actors):
            holds = actor.holds[frontier[:, i]]
            reading = holds >= 0
            over = np.argwhere(reading & (started > holds * per_round))
            if len(over):
                return int(over[0][0]), f"slot {over[0][1] % self.slots} is overwritten while {actor.name} reads it"
            early = np.argwhere(reading & (landed < holds * per_round))
            if len(early):
                return int(early[0][0]), f"slot {early[0][1] % self.slots} is read by {actor.name} before it is full"
        return None

    def _loads_per_round(self) -> int:
        """Loads that one slot receives in a round, from all blocks in the model."""
        for scenario in range(len(self.scenarios)):
            totals = np.sum([actor.loads[actor.firsts[scenario + 1] - 1] for actor in self.actors], axis=0)
            rounds = self.scenarios[scenario].tiles * self.scenarios[scenario].steps
            if rounds >= 1 and totals[0]:
                return round(int(totals[0]) / -(-rounds // self.slots))
        return 1

    def _may(self, state: Integers, actor: int) -> bool:
        return bool(self._enabled(state, self._phases(state))[0, actor])

    def _trace(self, levels: list[Integers], row: int, what: str) -> str:
        """Walk back through the levels and say, line by line, how `row` of the last one came about."""
        state = levels[-1][row]
        lines: list[str] = []
        for level in reversed(levels[:-1]):
            for i, actor in enumerate(self.actors):
                before = state.copy()
                before[i] -= 1
                match = np.flatnonzero((level == before).all(axis=1))
                if before[i] >= 0 and match.size and self._may(level[match[:1]], i):
                    lines.append(f"{actor.name}: {_say(actor.moves[before[i]])}")
                    state = before
                    break
        waiting = [f"{a.name} stands before: {_say(a.moves[levels[-1][row][i]])}" for i, a in enumerate(self.actors)]
        return "\n".join([what, *reversed(lines), *waiting])


def _say(move: tuple[Event, ...]) -> str:
    return ", ".join(str(event) for event in move)


_JOINED = {
    (Kind.WAIT, Kind.READ), (Kind.WAIT, Kind.ARRIVE), (Kind.WAIT, Kind.LOAD), (Kind.ARRIVE, Kind.LOAD),
    (Kind.LOAD, Kind.LOAD), (Kind.DONE, Kind.DONE), (Kind.DONE, Kind.ARRIVE),
}  # fmt: skip
"""Neighbouring events of one actor that are one move: nothing another actor does in between could see or change it.

A read that begins right after its wait and ends right before its release covers all shorter ones; arrivals and bytes
only ever let others go on. A release never joins a wait or a read, so that its place among them stays visible.
"""


def _moves(trace: tuple[Event, ...]) -> list[tuple[Event, ...]]:
    moves: list[tuple[Event, ...]] = []
    for event in trace:
        if moves:
            last = moves[-1][-1]
            released = event.kind is Kind.ARRIVE and event.side is Side.EMPTY
            joined = (last.kind, event.kind) in _JOINED and not (last.kind is Kind.WAIT and released)
            if joined and not (last.kind is Kind.ARRIVE and last.side is Side.EMPTY):
                moves[-1] = (*moves[-1], event)
                continue
        moves.append((event,))
    return moves


def _tables(name: str, traces: list[list[tuple[Event, ...]]], barriers: int, places: int) -> _Actor:
    """Empty tables for traces laid out one after the other, each closed by an end."""
    moves: list[tuple[Event, ...]] = []
    firsts = [0]
    for trace in traces:
        moves += [*trace, (Event(Kind.END),)]
        firsts.append(len(moves))
    size = len(moves)
    return _Actor(
        name, moves, firsts,
        np.zeros((size, barriers), np.int64), np.zeros((size, barriers), np.int64),
        np.zeros((size, places), np.int64), np.zeros((size, places), np.int64),
        np.full((size, places), -1, np.int64), np.full(size, -1, np.int64), np.zeros(size, np.int64),
        np.zeros(size, np.int64),
    )  # fmt: skip


def scenarios(slots: int, *, pair: bool = False) -> tuple[Scenario, ...]:
    """Return the trip counts to search: 0 to 2N + 1 steps over two tiles, and other numbers of tiles.

    Two blocks together have many more states: they are searched where something changes, at 0, 1, 2, N and 2N + 1.
    """
    steps = sorted({0, 1, 2, slots, 2 * slots + 1}) if pair else range(2 * slots + 2)
    others = (Scenario(0, 1), Scenario(1, 1), Scenario(3, 1), Scenario(1, 2 * slots + 1))
    return (*(Scenario(2, count) for count in steps), *others)


def explore(kernel: SemanticKernel, ring: str) -> Exploration:
    """Search the automaton of one ring exhaustively.

    Returns
    -------
    Exploration
        The evidence, or the first failure with its trace.
    """
    found = kernel.ring(ring)
    alone = scenarios(found.slots)
    result = _Model(kernel, ring, 1, alone).search()
    if not found.multicast or result.failure:
        return result
    together = scenarios(found.slots, pair=True)
    pair = _Model(kernel, ring, 2, together).search()
    return Exploration(
        result.states + pair.states, len(alone) + len(together), (*result.actors, *pair.actors), pair.failure
    )

# SPDX-License-Identifier: MIT
"""Exhaustive search of a ring's automaton: no slot is overwritten, none is read too early, nobody waits for ever.

The roles' ring events are taken from the kernel itself, by walking its body with concrete trip counts: how often the
tile loop and the reduction run. A state is how far each actor has come in its events; copy engines are actors of their
own, since what they bring lands at any later time. What a barrier shows follows from how many arrivals and bytes have
reached it, so whether an actor may go on is a function of the state, and all states of a level are expanded at once.

The reduction in length: positions repeat modulo 2N (parities have period 2, slots period N), and the ring keeps actors less
than 2N apart, so trip counts up to 2N + 1, and tiles whose rings carry over, reach every situation there is. The
blocks of a cluster are alike, and so are the consumers of a block; so a cluster is searched twice, once with all
consumers of one block and once with two blocks that have one consumer each.

The reduction by symmetry: let π exchange two actors with equal tables (consumers of one block), or two blocks whose tables
are equal up to exchanging their barriers and slots. A state's totals are sums over actors, so π only relabels
barriers, slots and waits: s → t is a move exactly if π(s) → π(t) is, and s is unsafe, stuck or aliased exactly if π(s) is.
The start is fixed by π, hence by induction over levels a state is reachable exactly if its whole orbit is, and visiting one
state of each orbit finds a failure exactly if visiting all does. That π respects the tables is compared, not assumed
(`RingModel.twins`, `RingModel.mirror`); `explore` without the reduction visits every state, and tests compare both.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import CertificationError
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.ring_events import Scenario, ring_events, takes_turns
from tracea_core.semantic.ring_model import RingModel, say

_STATE_LIMIT = 4_000_000
_NO_LIMIT = 1 << 40


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


class _Search:
    """One model's search: its tables side by side, so that a whole level of states is a few lookups."""

    def __init__(self, model: RingModel, reduced: bool) -> None:
        self.model, self.reduced = model, reduced
        self.actors = model.actors
        self.bases = np.cumsum([0, *(len(actor.moves) for actor in self.actors[:-1])])
        self.sums = np.concatenate([np.hstack((a.arrived, a.brought, a.loads, a.landed)) for a in self.actors])
        self.waits = np.concatenate([actor.waits for actor in self.actors])
        holds = np.concatenate([actor.holds for actor in self.actors])
        self.holds = holds
        per_round = model.loads_per_round()
        self.most = np.where(holds >= 0, holds * per_round, _NO_LIMIT)
        self.least = np.where(holds >= 0, holds * per_round, 0)
        self.readers = [i for i, actor in enumerate(self.actors) if (actor.holds >= 0).any()]
        self.engines = [(i, actor.follows) for i, actor in enumerate(self.actors) if actor.follows >= 0]
        self.started = np.concatenate([actor.loads.sum(axis=1) for actor in self.actors])
        self.arrived = np.concatenate([actor.landed.sum(axis=1) for actor in self.actors])
        self.firsts = np.stack([actor.firsts[:-1] for actor in self.actors], axis=1)
        self.ends = np.stack([actor.firsts[1:] - 1 for actor in self.actors], axis=1)
        self.twins = model.twins() if reduced else []
        self.mirror = model.mirror() if reduced else None
        lengths = (self.ends - self.firsts).max(axis=0) + 1
        self.weights = np.concatenate(([1], np.cumprod(lengths[:-1])))
        self.origins = np.arange(len(self.firsts)) * int(np.prod(lengths)) - self.firsts @ self.weights
        self.counts = model.counts()
        barriers = np.arange(model.barriers)
        full = (barriers < 2 * model.places) & (barriers // model.slots % 2 == 0)
        self.announced = np.where(full, model.announced * model.unit, 0)

    def run(self) -> Exploration:
        """Visit every state, level by level (a level is the number of events that have happened)."""
        names = tuple(actor.name for actor in self.actors)
        frontier, scenario = self.firsts, np.arange(len(self.firsts))
        visited = 0
        levels: list[Integers] = []

        def result(bad: tuple[int, str] | None = None) -> Exploration:
            failure = None if bad is None else self._trace(levels, *bad)
            return Exploration(visited, len(self.firsts), names, failure)

        while len(frontier):
            visited += len(frontier)
            levels.append(frontier)
            at = frontier + self.bases
            totals = self._totals(at)
            bad = self._unsafe(at, totals)
            if bad is not None:
                return result(bad)
            phases = self._phases(totals)
            unfinished = frontier < self.ends[scenario]
            enabled, off = self._enabled(at, phases)
            enabled &= unfinished
            stuck = np.flatnonzero(~enabled.any(axis=1) & unfinished.any(axis=1))
            bad = (int(stuck[0]), "deadlock") if stuck.size else self._aliased(off) or self._left(unfinished, totals)
            if bad is not None:
                return result(bad)
            if visited > _STATE_LIMIT:
                raise CertificationError(f"the ring {self.model.ring.name!r} has more than {_STATE_LIMIT} states")
            rows, which = np.nonzero(enabled)
            after = frontier[rows]
            after[np.arange(len(rows)), which] += 1
            after = self._representative(after)
            kept = _first_of_each(after @ self.weights + self.origins[scenario[rows]])
            frontier, scenario = after[kept], scenario[rows[kept]]
        return result()

    def _representative(self, states: Integers) -> Integers:
        """One state of each orbit: twins in ascending order, and of two mirror images the one that sorts first."""
        for group in self.twins:
            states[:, group] = np.sort(states[:, group], axis=1)
        if self.mirror is not None:
            mirrored = states[:, self.mirror]
            return np.where((mirrored @ self.weights < states @ self.weights)[:, None], mirrored, states)
        return states

    def _totals(self, at: Integers) -> tuple[Integers, ...]:
        """Arrivals and bytes at every barrier, loads started into and landed in every slot."""
        total = self.sums[at[:, 0]]
        for index in range(1, at.shape[1]):
            total += self.sums[at[:, index]]
        barriers, places = self.model.barriers, self.model.places
        bounds = (0, barriers, 2 * barriers, 2 * barriers + places, 2 * barriers + 2 * places)
        return tuple(total[:, low:high] for low, high in itertools.pairwise(bounds))

    def _phases(self, totals: tuple[Integers, ...]) -> Integers:
        """Completed phases of every barrier: all arrivals in, and no announced byte missing."""
        phases = totals[0] // self.counts
        if self.model.announced:
            np.minimum(phases, totals[1] // np.maximum(self.announced, 1), out=phases, where=self.announced > 0)
        return phases

    def _enabled(self, at: Integers, phases: Integers) -> tuple[npt.NDArray[np.bool_], Integers]:
        """Who may move, and how many phases each waiting actor's barrier is ahead of the one waited for."""
        waits = self.waits[at]
        waiting = waits[:, :, 0] >= 0
        seen = np.take_along_axis(phases, np.maximum(waits[:, :, 0], 0), axis=1)
        enabled = ~waiting | (seen % 2 != waits[:, :, 1])
        for engine, producer in self.engines:
            enabled[:, engine] = self.started[at[:, producer]] > self.arrived[at[:, engine]]
        return enabled, np.where(waiting, seen - waits[:, :, 2], 0)

    def _aliased(self, off: Integers) -> tuple[int, str] | None:
        """A state in which a parity means another phase than the one waited for: then waits are not monotone."""
        wrong = np.argwhere((off > 0) | (off < -1))
        if not wrong.size:
            return None
        row, actor = wrong[0]
        return int(row), f"{self.actors[actor].name} takes another phase for the one it waits for"

    def _left(self, unfinished: npt.NDArray[np.bool_], totals: tuple[Integers, ...]) -> tuple[int, str] | None:
        """A state in which all have ended and a turn was passed to somebody who never took it."""
        turns = slice(2 * self.model.places, None)
        left = ((totals[0] % self.counts)[:, turns] != 0).any(axis=1) & ~unfinished.any(axis=1)
        return (int(np.flatnonzero(left)[0]), "a turn is passed that nobody takes") if left.any() else None

    def _unsafe(self, at: Integers, totals: tuple[Integers, ...]) -> tuple[int, str] | None:
        """A state in which a slot is read that does not hold exactly the loads of its round."""
        _, _, started, landed = totals
        for reader in self.readers:
            rows = at[:, reader]
            over, early = started > self.most[rows], landed < self.least[rows]
            if over.any():
                row, place = np.argwhere(over)[0]
                what = f"slot {place % self.model.slots} is overwritten while {self.actors[reader].name} reads it"
                return int(row), what
            if early.any():
                row, place = np.argwhere(early)[0]
                what = f"slot {place % self.model.slots} is read by {self.actors[reader].name} before it is full"
                return int(row), what
        return None

    def _may(self, state: Integers, actor: int) -> bool:
        at = state[None, :] + self.bases
        return bool(self._enabled(at, self._phases(self._totals(at)))[0][0, actor])

    def _trace(self, levels: list[Integers], row: int, what: str) -> str:
        """Walk back through the levels and say, line by line, how `row` of the last one came about.

        Where actors are alike, a line may name another one of them than the line before it.
        """
        state = levels[-1][row]
        lines: list[str] = []
        for level in reversed(levels[:-1]):
            for i, actor in enumerate(self.actors):
                before = state.copy()
                before[i] -= 1
                known = self._representative(before[None, :].copy())[0]
                if before[i] >= 0 and (level == known).all(axis=1).any() and self._may(before, i):
                    lines.append(f"{actor.name}: {say(actor.moves[before[i]])}")
                    state = known
                    break
        waiting = [f"{a.name} stands before: {say(a.moves[levels[-1][row][i]])}" for i, a in enumerate(self.actors)]
        return "\n".join([what, *reversed(lines), *waiting])


def _first_of_each(keys: Integers) -> Integers:
    """Indices of one of each value."""
    order = np.argsort(keys)
    ordered = keys[order]
    fresh = np.ones(len(keys), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return order[fresh]


def scenarios(slots: int, *, pair: bool = False, turns: bool = False) -> tuple[Scenario, ...]:
    """Return the trip counts to search: 0 to 2N + 1 steps over two tiles, and other numbers of tiles.

    Two blocks together have many more states: they are searched where something changes, at 0, 1, 2, N and 2N + 1.

    Consumers that take turns skip the slots of whole tiles, so what matters is where in the ring a tile begins: with s steps a
    tile, as many tiles as pass 2N slots are searched, four at the least, and one more, so that each of two consumers comes last.
    Two blocks: enough tiles for every slot to come round while the other block is still behind.
    """
    steps = sorted({0, 1, 2, slots, 2 * slots + 1}) if pair else range(2 * slots + 2)
    others = (Scenario(0, 1), Scenario(1, 1), Scenario(3, 1), Scenario(1, 2 * slots + 1))
    if not turns:
        return (*(Scenario(2, count) for count in steps), *others)
    if pair:
        return (Scenario(2, 0), Scenario(slots + 1, 1), Scenario(3, slots), Scenario(2, slots + 1), *others)
    rounds = {count: max(4, -(-2 * slots // max(count, 1))) for count in steps}
    longer = (Scenario(tiles + more, count) for count, tiles in rounds.items() for more in (0, 1))
    return (*longer, *others, Scenario(2, slots + 1))


def once_a_tile(slots: int) -> tuple[Scenario, ...]:
    """Return the trip counts to search where each tile takes one slot: 0 to 2N + 1 tiles, whatever its steps are."""
    return (*(Scenario(tiles, 1) for tiles in range(2 * slots + 2)), Scenario(2, 0), Scenario(2, 2))


def _moves_with_steps(kernel: SemanticKernel, ring: str) -> bool:
    """Whether more steps of a tile take more slots."""
    producer = kernel.ring(ring).producer
    one, two = (ring_events(kernel, ring, producer, 0, 0, Scenario(1, steps)) for steps in (1, 2))
    return len(one) != len(two)


def explore(kernel: SemanticKernel, ring: str, *, reduced: bool = True) -> Exploration:
    """Search the automaton of one ring exhaustively.

    Parameters
    ----------
    reduced : bool
        Visit one state of each orbit under the exchange of equal actors and blocks (see the module's text), not all.

    Returns
    -------
    Exploration
        The evidence, or the first failure with its trace.
    """
    found = kernel.ring(ring)
    turns = any(takes_turns(kernel, ring, name) for name in found.consumers)
    alone = scenarios(found.slots, turns=turns) if _moves_with_steps(kernel, ring) else once_a_tile(found.slots)
    result = _Search(RingModel(kernel, ring, 1, alone), reduced).run()
    if not found.multicast or result.failure:
        return result
    together = scenarios(found.slots, pair=True, turns=turns)
    pair = _Search(RingModel(kernel, ring, 2, together), reduced).run()
    return Exploration(
        result.states + pair.states, len(alone) + len(together), (*result.actors, *pair.actors), pair.failure
    )

# SPDX-License-Identifier: MIT
r"""Pipelines as rings Z/NZ, and the synchronization that follows from them.

Iteration i uses slot i mod N in phase ⌊i/N⌋. A wait for a slot's phase is a wait for one parity bit, because the ring
itself keeps any two actors less than 2N iterations apart: `PhaseTransition` is that bookkeeping, `requirement` turns a
distance and a mechanism into what must be waited for, and `tracea_core.semantic.explore` proves by exhaustive search over the reduced state
space that no slot is overwritten before it is read, none is read before it is full, and nobody waits for ever.

The reduction: an actor's future depends on its position in its own program and on each barrier's count and phase, and
all of these repeat when every position grows by 2N (parities have period 2, slots period N), so positions are kept mod
2N.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Sequence
from typing import TypeAlias, Union

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.steps import Multicast


class Mechanism(enum.Enum):
    """Who moves data into a slot, and so how its arrival is observed."""

    PROGRAM_ORDER = "program_order"  # the actor itself, in order: nothing to wait for
    COPY_GROUPS = "copy_groups"  # asynchronous copies retired in order (cp.async groups)
    THREADS = "threads"  # other threads of the block: a barrier
    TRANSACTIONS = "transactions"  # a copy engine or another role, counted by an mbarrier


class NoSync(Data, frozen=True, tag=True):
    """Nothing to wait for."""


class AwaitAsync(Data, frozen=True, tag=True):
    """Wait until at most `pending` younger asynchronous groups are still in flight."""

    pending: int


class BlockBarrier(Data, frozen=True, tag=True):
    """Wait for all threads of the block."""


class PhaseWait(Data, frozen=True, tag=True):
    """Wait until the slot's barrier has completed the phase with this parity."""

    slot: int
    parity: int


SyncRequirement: TypeAlias = Union[NoSync, AwaitAsync, BlockBarrier, PhaseWait]


class PhaseTransition(Data, frozen=True):
    """The ring Z/NZ of a pipeline with `slots` stages.

    Examples
    --------
    >>> ring = PhaseTransition(3)
    >>> [(ring.slot(i), ring.phase(i)) for i in range(7)]
    [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 0)]
    """

    slots: int

    def __post_init__(self) -> None:
        if not 1 <= self.slots <= 8:
            raise ConfigurationError("a pipeline has 1 to 8 stages", stages=self.slots)

    def slot(self, iteration: int) -> int:
        """Return the slot of an iteration, i mod N."""
        return iteration % self.slots

    def phase(self, iteration: int) -> int:
        """Return the parity of an iteration's phase, ⌊i/N⌋ mod 2."""
        return iteration // self.slots % 2

    def full(self, iteration: int) -> PhaseWait:
        """Return what a consumer of `iteration` waits for: the completion of the phase that fills it."""
        return PhaseWait(self.slot(iteration), self.phase(iteration))

    def empty(self, iteration: int) -> PhaseWait:
        """Return what the producer of `iteration` waits for: the previous phase released; in the first round it passes at once.

        A barrier that has completed no phase reports the parity 1 as complete, which is the "previous" phase of round
        0.
        """
        return PhaseWait(self.slot(iteration), self.phase(iteration) ^ 1)

    def requirement(self, produced: int, consumed: int, mechanism: Mechanism) -> SyncRequirement:
        """Return what an actor that consumes iteration `consumed` waits for when `produced` iterations have been started.

        Parameters
        ----------
        produced : int
            Loads started so far (iterations 0 … produced − 1).
        consumed : int
            The iteration whose data is about to be used.
        mechanism : Mechanism
            How its data arrives.

        Raises
        ------
        ConfigurationError
            If that iteration was not started, or its slot already belongs to a younger one.
        """
        if consumed >= produced:
            raise ConfigurationError(
                "an iteration is used before its load starts", iteration=consumed, started=produced
            )
        if produced - consumed > self.slots:
            raise ConfigurationError("a slot is overwritten before it is used", iteration=consumed, started=produced)
        if mechanism is Mechanism.PROGRAM_ORDER:
            return NoSync()
        if mechanism is Mechanism.COPY_GROUPS:
            return AwaitAsync(produced - consumed - 1)
        if mechanism is Mechanism.THREADS:
            return BlockBarrier()
        return self.full(consumed)


class Arrivals(Data, frozen=True):
    """Arrival counts of a ring's two barriers."""

    full: int
    empty: int


def sharers(rank: int, groups: Sequence[Multicast]) -> tuple[int, ...]:
    """Return the blocks that load into the slots of block `rank` (and into whose slots it loads), itself first.

    >>> sharers(0, (Multicast(count=2, stride=1), Multicast(count=2, stride=2)))
    (0, 1, 2)
    """
    ranks = {rank, *(other for group in groups for other in group.group(rank))}
    return (rank, *sorted(ranks - {rank}))


def arrivals(consumer_instances: int, blocks: int, producer_arrivals: int = 1) -> Arrivals:
    """Return the arrivals that flip each side of a ring.

    The full side takes the producer's own arrival (its announced bytes are counted apart); the empty side takes one
    arrival of each consumer instance of each of the `blocks` that a producer loads into (`sharers`), because a
    multicast load writes into all of them.
    """
    return Arrivals(full=producer_arrivals, empty=consumer_instances * blocks)


class Retirement(Data, frozen=True):
    """How a reader that works asynchronously gives slots back.

    At iteration i, after starting the work on slot i, it waits until at most `pending` groups are running; then the
    slot `lag` behind is free.
    """

    pending: int
    lag: int


def retirement(ring: PhaseTransition, in_flight: int) -> Retirement:
    """Return what a reader waits for and releases when it leaves `in_flight` groups running.

    Raises
    ------
    ConfigurationError
        If that many groups hold all slots, so that the producer could never run ahead of the reader.
    """
    found = ring.requirement(in_flight + 1, 0, Mechanism.COPY_GROUPS)
    assert isinstance(found, AwaitAsync)
    return Retirement(found.pending, in_flight)


def reuse_pending(buffers: Sequence[Hashable]) -> tuple[int, ...]:
    """Return, for each store of a cyclic sequence, how many younger groups may run when its buffer is written again.

    Store j of every round goes out of ``buffers[j]`` as a group of its own. Before the buffer is filled for store j,
    the group that last used it must be done; the groups committed since may still run.

    >>> reuse_pending([0, 1])
    (1, 1)
    >>> reuse_pending([0, 1, 0])
    (0, 2, 1)
    """
    count = len(buffers)
    return tuple(
        next(back for back in range(1, count + 1) if buffers[(j - back) % count] == buffers[j]) - 1
        for j in range(count)
    )

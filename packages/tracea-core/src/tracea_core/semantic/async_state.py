# SPDX-License-Identifier: MIT
"""State of asynchronous machinery while a kernel is interpreted: barriers with phases, effects, who may still read what.

Everything here is adversarial bookkeeping: an effect may happen at any time between its start and the wait that retires
it, so what it may touch is guarded for that whole time, whenever it actually lands in the run at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Instance
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.steps import AsyncKind

Array = npt.NDArray[np.float64]


@dataclass
class PhaseBarrier:
    """An mbarrier: a phase completes when all arrivals are in and all announced bytes have come.

    Source: PTX ISA, "mbarrier" (phase, pending count, tx-count; ``try_wait.parity``).
    """

    name: str
    count: int
    pending: int = 0
    bytes: int = 0
    phase: int = 0

    def __post_init__(self) -> None:
        self.pending = self.count

    def arrive(self, announced: int = 0) -> None:
        """Count one arrival, and the bytes it announces."""
        if self.pending == 0:
            raise InterpretError(f"{self.name} receives more than {self.count} arrivals in a phase")
        self.pending -= 1
        self.bytes += announced
        self._complete()

    def receive(self, count: int) -> None:
        """Count `count` bytes that have come."""
        self.bytes -= count
        self._complete()

    def _complete(self) -> None:
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.count

    def passed(self, parity: int) -> bool:
        """Whether the phase with this parity is the one completed last."""
        return self.phase % 2 != parity

    def idle(self) -> bool:
        """Whether nothing of a phase has begun."""
        return self.pending == self.count and self.bytes == 0


@dataclass
class Span:
    """The places of one shared memory object that an effect touches: a range, and the exact elements."""

    key: str
    low: int
    high: int
    places: Integers

    @classmethod
    def of(cls, key: str, places: Integers) -> Span:
        """Return the span of `places`."""
        return cls(key, int(places.min()), int(places.max()), places)

    @property
    def dense(self) -> bool:
        """Whether it is a whole range (its places are distinct, so counting them decides)."""
        return self.high - self.low + 1 == self.places.size

    def reaches(self, key: str, low: int, high: int) -> bool:
        """Whether it holds a place of a range."""
        if self.key != key or self.high < low or high < self.low:
            return False
        return bool(((self.places >= low) & (self.places <= high)).any())

    def meets(self, other: Span) -> bool:
        """Whether both hold one place."""
        if self.key != other.key or self.high < other.low or other.high < self.low:
            return False
        if self.dense and other.dense:
            return True
        low, high = max(self.low, other.low), min(self.high, other.high)
        mine = np.zeros(high - low + 1, np.bool_)
        mine[self.places[(self.places >= low) & (self.places <= high)] - low] = True
        return bool(mine[other.places[(other.places >= low) & (other.places <= high)] - low].any())


@dataclass
class Effect:
    """Something started and not yet known to be over.

    `land` does it; `reads` are places it may read until then. It is `retired` by the wait, and `known` to be over when
    everyone concerned has heard of it: at once, except that a store is waited for by one thread, so the others hear of it
    at the next barrier.
    """

    what: str
    land: Callable[[], None]
    reads: tuple[Span, ...] = ()
    writes: Span | None = None
    landed: bool = False
    retired: bool = False
    known: bool = False

    def finish(self) -> None:
        """Let it happen if it has not."""
        if not self.landed:
            self.landed = True
            self.land()


@dataclass
class Written:
    """Ordinary writes on their way to the copy engine: written, then fenced, then met at a barrier."""

    span: Span
    state: int = 0
    met: bool = False


@dataclass
class AsyncInstance(Instance):
    """A role instance with its positions in rings and its asynchronous work.

    `busy` are fragments that instructions under way update, `lent` those that they read.
    """

    rank: int = 0
    positions: dict[str, int] = field(default_factory=dict)
    opened: dict[AsyncKind, list[Effect]] = field(default_factory=lambda: {kind: [] for kind in AsyncKind})
    groups: dict[AsyncKind, list[list[Effect]]] = field(default_factory=lambda: {kind: [] for kind in AsyncKind})
    effects: list[Effect] = field(default_factory=list)
    fenced: set[str] = field(default_factory=set)
    busy: dict[str, list[Effect]] = field(default_factory=dict)
    lent: dict[str, list[Effect]] = field(default_factory=dict)
    stores: list[Effect] = field(default_factory=list)
    sums: dict[str, Array] = field(default_factory=dict)
    written: list[Written] = field(default_factory=list)
    looked: list[Span] = field(default_factory=list)
    ready: Callable[[], bool] | None = None
    finished: bool = False

    @property
    def title(self) -> str:
        """Who this is, for people."""
        return f"{self.role.name}[{self.number}] of block {self.block}"


@dataclass
class Actor:
    """A running instance and how eager the scheduler is to pick it."""

    instance: AsyncInstance
    steps: Generator[None, None, None]
    weight: float

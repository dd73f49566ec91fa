# SPDX-License-Identifier: MIT
"""Which processor runs which tiles when every processor stays for the whole call.

Equal tiles are dealt in contiguous ranges, which is optimal and keeps neighbours (and thus cache lines) together.
Uneven ones are dealt longest first, each to the processor that is free first.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tracea_core.errors import ConfigurationError


@dataclass(frozen=True, eq=False)
class PersistentSchedule:
    """An assignment of launch slots to processors.

    Attributes
    ----------
    slots : array of int64, shape (tiles,)
        Launch slots, those of processor 0 first, each processor's in the order it runs them.
    starts : array of int64, shape (processors + 1,)
        Processor p runs ``slots[starts[p]:starts[p + 1]]``.
    loads : array of float64, shape (processors,)
        Sum of the weights of each processor.
    lower_bound : float
        No schedule can finish earlier than this.
    guarantee : float
        The finish is at most this many times the optimum (1 for equal weights, 4/3 − 1/(3p) otherwise).
    """

    slots: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    loads: npt.NDArray[np.float64]
    lower_bound: float
    guarantee: float

    @property
    def processors(self) -> int:
        """Number of processors."""
        return self.loads.size

    @property
    def finish(self) -> float:
        """Weight of the busiest processor."""
        return float(self.loads.max())

    @property
    def efficiency(self) -> float:
        """Share of the processors' time that is spent on tiles."""
        return float(self.loads.sum()) / (self.finish * self.processors) if self.finish else 1.0

    def of(self, processor: int) -> npt.NDArray[np.int64]:
        """Return the launch slots of one processor in the order it runs them."""
        return self.slots[self.starts[processor] : self.starts[processor + 1]]

    def describe(self) -> str:
        """Return one line with the balance that was reached."""
        return (
            f"{self.slots.size} tiles on {self.processors} processors: {self.efficiency:.1%} busy, "
            f"finish {self.finish:g} "
            f"(no schedule is below {self.lower_bound:g}; at most {self.guarantee:.3f} × the optimum)"
        )


def persistent_schedule(weights: npt.ArrayLike, processors: int) -> PersistentSchedule:
    """Assign tiles to processors so that the busiest one finishes early.

    Equal weights: contiguous ranges whose lengths differ by at most one, finishing after ⌈tiles / p⌉ tiles, the
    optimum. Others: longest processing time first; its finish is at most 4/3 − 1/(3p) times the optimum (R. L. Graham,
    *Bounds on multiprocessing timing anomalies*, SIAM J. Appl. Math. 17, 1969, theorem 2).

    Parameters
    ----------
    weights : array of shape (tiles,)
        Work of each launch slot, finite and not negative.
    processors : int
        At least 1.
    """
    work = np.asarray(weights, dtype=np.float64)
    if processors < 1:
        raise ConfigurationError("a persistent schedule needs at least one processor", processors=processors)
    if work.ndim != 1 or not np.isfinite(work).all() or (work < 0).any():
        raise ConfigurationError("weights of tiles are finite numbers of at least 0 in one dimension")
    if work.size == 0 or (work == work[0]).all():
        starts = np.arange(processors + 1, dtype=np.int64) * work.size // processors
        loads = np.diff(starts) * (work[0] if work.size else 0.0)
        return PersistentSchedule(
            np.arange(work.size, dtype=np.int64), starts, loads, float(loads.max(initial=0.0)), guarantee=1.0
        )
    owner, loads = _longest_first(work, processors)
    longest_first = np.argsort(-work, kind="stable")
    slots = longest_first[np.argsort(owner[longest_first], kind="stable")].astype(np.int64, copy=False)
    starts = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=processors)))).astype(np.int64)
    return PersistentSchedule(slots, starts, loads, lower_bound(work, processors), 4 / 3 - 1 / (3 * processors))


def lower_bound(weights: npt.NDArray[np.float64], processors: int) -> float:
    """Return a time that no schedule can beat.

    It is the largest of: the mean load; the longest tile; and, because two of the p + 1 longest tiles share a
    processor, the sum of the p-th and (p + 1)-th longest.
    """
    if weights.size == 0:
        return 0.0
    bound = max(float(weights.sum()) / processors, float(weights.max()))
    if weights.size > processors:
        longest = np.partition(weights, weights.size - processors - 1)[weights.size - processors - 1 :]
        two = np.partition(longest, 1)[:2]
        bound = max(bound, float(two.sum()))
    return bound


def _longest_first(
    work: npt.NDArray[np.float64], processors: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Give each tile, longest first, to the processor with the least load (ties: the lowest number)."""
    free = [(0.0, processor) for processor in range(processors)]
    owner = np.empty(work.size, dtype=np.int64)
    for tile in np.argsort(-work, kind="stable").tolist():
        load, processor = free[0]
        owner[tile] = processor
        heapq.heapreplace(free, (load + work[tile], processor))
    return owner, np.bincount(owner, weights=work, minlength=processors).astype(np.float64)

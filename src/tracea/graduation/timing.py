# SPDX-License-Identifier: MIT
"""Timing contestants in turns, so that a machine that slows down slows them all down.

Each round gives every contestant one burst; the order is reversed from round to round. The first contestant appears a second time
under another name: the ratio of the two is the noise of the comparison.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
from tracea_core.data import Data
from tracea_core.tuner.measure import Measurement, summarize

Contestants = Mapping[str, Callable[[], object]]
_PAUSE_SECONDS = 0.002  # lets the other side's worker threads fall asleep


class Timing(Data, frozen=True):
    """One contestant's time."""

    name: str
    measurement: Measurement


def compare(contestants: Contestants, rounds: int = 7, burst_seconds: float = 0.03) -> tuple[Timing, ...]:
    """Return the times of all contestants, measured in turns.

    Parameters
    ----------
    rounds : int
        Bursts that each contestant gets.
    burst_seconds : float
        Length of a burst; at least three calls.
    """
    names = list(contestants)
    for name in names:
        contestants[name]()
    single = {name: min(_once(contestants[name]) for _ in range(2)) for name in names}
    samples: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            call = contestants[name]
            time.sleep(_PAUSE_SECONDS)
            call()
            for _ in range(int(np.clip(burst_seconds / max(single[name], 1e-7), 3, 60))):
                samples[name].append(_once(call))
    return tuple(Timing(name, summarize(samples[name])) for name in names)


def _once(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin

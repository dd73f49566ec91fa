# SPDX-License-Identifier: MIT
"""Timing contestants in turns, so that a machine that slows down slows them all down.

Each round gives every contestant one burst; the order is reversed from round to round. A contestant that appears a second time under
another name shows the noise of the comparison: the ratio of its two times.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from tracea_core.data import Data
from tracea_core.tuner.measure import Measurement, summarize

Contestants = Mapping[str, Callable[[], object]]
_PAUSE_SECONDS, _LONGEST_PAUSE, _LOOK_SECONDS = 0.035, 0.25, 0.005
"""Worker threads of the contestant before spin before they sleep, and would take half the processors of the one that follows: those
of OpenBLAS 0.3.31 spin for 109 ms. So a pause lasts until no other thread of this process runs; where the system does not tell, it
is the longest."""


class Timing(Data, frozen=True):
    """One contestant's time."""

    name: str
    measurement: Measurement


def compare(
    contestants: Contestants, rounds: int = 7, burst_seconds: float = 0.03,
    once: Callable[[Callable[[], object]], float] | None = None, rest: Callable[[], None] | None = None,
) -> tuple[Timing, ...]:  # fmt: skip
    """Return the times of all contestants, measured in turns.

    Parameters
    ----------
    rounds : int
        Bursts that each contestant gets.
    burst_seconds : float
        Length of a burst; at least three calls.
    once, rest : callable, optional
        How one call is timed, and what comes before a burst; by default the host's clock, and `settle`.
    """
    once, rest = once or _once, rest or settle
    names = list(contestants)
    single = estimate(contestants, once)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            call = contestants[name]
            rest()
            call()
            for _ in range(int(np.clip(burst_seconds / max(single[name], 1e-7), 3, 60))):
                samples[name].append(once(call))
    return tuple(Timing(name, summarize(samples[name])) for name in names)


def estimate(contestants: Contestants, once: Callable[[Callable[[], object]], float] | None = None) -> dict[str, float]:
    """Return roughly how many seconds one call of each contestant takes, after a first one that warms it up."""
    found = {}
    for name, call in contestants.items():
        call()
        found[name] = min((once or _once)(call) for _ in range(2))
    return found


def settle() -> None:
    """Sleep until the threads that the contestant before has left spinning sleep as well."""
    until = time.perf_counter() + _LONGEST_PAUSE
    time.sleep(_PAUSE_SECONDS)
    while threads_running() != 0 and time.perf_counter() < until:
        time.sleep(_LOOK_SECONDS)


def threads_running() -> int | None:
    """Return how many other threads of this process run or wait for a processor; nothing where the system does not say."""
    own, found = str(threading.get_native_id()), 0
    try:
        for thread in Path("/proc/self/task").iterdir():
            if thread.name != own:
                found += (thread / "stat").read_text().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return None
    return found


def others_busy(window_seconds: float = 0.2) -> float:
    """Return how many processors other work keeps busy while this process sleeps (0 where the system does not say)."""
    before = _busy_seconds()
    time.sleep(window_seconds)
    after = _busy_seconds()
    return (after - before) / window_seconds if before is not None and after is not None else 0.0


def _busy_seconds() -> float | None:
    try:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
        user, nice, system, _, _, irq, soft, steal = (int(word) for word in words[1:9])
        return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None


def _once(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin

# SPDX-License-Identifier: MIT
"""Running the rounds: validate every contestant, time them in turns, and collect what was seen."""

from __future__ import annotations

import datetime
import importlib.metadata
import math
import os
import platform
from collections.abc import Callable

from tracea_core.data import Data
from tracea_core.errors import TraceaError
from tracea_core.plugin.select import resolve

from tracea.graduation.rounds import OURS, Bout, bouts, has_torch
from tracea.graduation.timing import Timing, compare

NOISE = "tracea again"


class WrongResultError(TraceaError):
    """A contestant's result lies outside the bound; its time would mean nothing."""


class Row(Data, frozen=True, kw_only=True):
    """One bout: every contestant's time, how far its result was from float64 (1 is the bound), and the ratios.

    `ratio` is the time of the fastest peer over tracea's (above 1: tracea is faster); `noise` is tracea's time over its own when
    it takes part a second time.
    """

    round: str
    name: str
    flops: int
    timings: tuple[Timing, ...]
    errors: tuple[tuple[str, float], ...]
    best_peer: str
    ratio: float
    noise: float

    def gflops(self, name: str) -> float:
        """Return a contestant's rate in GFLOP/s."""
        return self.flops / self.seconds(name) / 1e9

    def seconds(self, name: str) -> float:
        """Return a contestant's median time."""
        return next(timing.measurement.seconds for timing in self.timings if timing.name == name)


class Report(Data, frozen=True, kw_only=True):
    """Everything one graduation saw."""

    device: str
    backend: str
    threads: int
    clock_mhz: float
    versions: tuple[tuple[str, str], ...]
    system: str
    started: str
    rows: tuple[Row, ...]
    note: str = ""

    def verdict(self, round_name: str) -> float:
        """Return the geometric mean of the ratios of one round (nan if it has no rows)."""
        ratios = [row.ratio for row in self.rows if row.round == round_name]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan

    @property
    def rounds(self) -> tuple[str, ...]:
        """The rounds, in order."""
        return tuple(dict.fromkeys(row.round for row in self.rows))


def run_bout(bout: Bout, repetitions: int, burst_seconds: float) -> Row:
    """Return the row of one bout.

    Raises
    ------
    WrongResultError
        If a contestant's result is wrong; nothing is timed then.
    """
    errors = []
    for name, call in bout.contestants.items():
        off = bout.off(call())
        if not off <= 1.0:
            raise WrongResultError(
                f"{name} is {off:.3g} bounds away from the reference",
                hint="Nothing was timed",
                bout=f"{bout.round}: {bout.name}",
            )
        errors.append((name, off))
    contestants = {**bout.contestants, NOISE: bout.contestants[OURS]}
    timings = compare(contestants, repetitions, burst_seconds)
    seconds = {timing.name: timing.measurement.seconds for timing in timings}
    peers = {name: time for name, time in seconds.items() if name not in (OURS, NOISE)}
    best = min(peers, key=lambda name: peers[name])
    return Row(
        round=bout.round, name=bout.name, flops=bout.flops, timings=timings, errors=tuple(errors), best_peer=best,
        ratio=peers[best] / seconds[OURS], noise=seconds[NOISE] / seconds[OURS],
    )  # fmt: skip


def graduate(quick: bool = False, progress: Callable[[int, int, str], None] | None = None) -> Report:
    """Run all rounds on the CPU and return the report.

    Parameters
    ----------
    quick : bool
        Fewer bouts and shorter bursts.
    progress : callable, optional
        Called with the number of finished bouts, their total, and what comes next.
    """
    target = resolve("cpu").target
    threads = target.profile.processors
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    makers = bouts(quick, threads)
    rows = []
    for number, make in enumerate(makers):
        bout = make()
        if progress is not None:
            progress(number, len(makers), f"{bout.round}: {bout.name}")
        rows.append(run_bout(bout, 3 if quick else 7, 0.02 if quick else 0.06))
    return Report(
        device=target.profile.name,
        backend=target.backend,
        threads=threads,
        clock_mhz=target.profile.clock_mhz,
        versions=_versions(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}",
        started=started,
        rows=tuple(rows),
        note="" if has_torch() else "PyTorch is not installed: round 1 is left out and NumPy is the only peer",
    )


def _versions() -> tuple[tuple[str, str], ...]:
    found = []
    for name in ("tracea", "tracea-core", "tracea-cpu", "numpy", "torch", "llvmlite"):
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    found.append(("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "unset")))
    return tuple(found)

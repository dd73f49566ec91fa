# SPDX-License-Identifier: MIT
"""Running the rounds: validate every contestant, time them in turns, and collect what was seen."""

from __future__ import annotations

import datetime
import importlib.metadata
import math
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence

from tracea_core.data import Data
from tracea_core.errors import DeviceError, TraceaError
from tracea_core.plugin.select import resolve
from tracea_core.tuner.measure import Measurement

from tracea.graduation.device_rounds import DeviceClock, device_bouts
from tracea.graduation.rounds import OURS, Bout, bouts, has_torch
from tracea.graduation.timing import Timing, compare, estimate, others_busy

NOISE = "tracea again"
PEER_NOISE = "peer again"
_BUSY = 0.2  # processors' worth of other work that a bout waits for to end
_AGAIN_SECONDS = 120.0  # while a run is younger than this, an unsteady bout is run a second time
_UNSTEADY = 1.1  # a contestant that differs this much from itself proves nothing smaller


class WrongResultError(TraceaError):
    """A contestant's result lies outside the bound; its time would mean nothing."""


class Row(Data, frozen=True, kw_only=True):
    """One bout: every contestant's time, how far its result was from float64 (1 is the bound), and the ratios.

    `ratio` is the time of the fastest peer over tracea's (above 1: tracea is faster), `low` and `high` what it may be within the
    intervals of both times. `noise` is tracea's time over its own when it takes part a second time, `peer_noise` the same of `twice`,
    the peer that looked fastest beforehand. `attempts` counts how often the bout was run; the one with the least noise is kept.
    """

    round: str
    name: str
    flops: int
    timings: tuple[Timing, ...]
    errors: tuple[tuple[str, float], ...]
    best_peer: str
    ratio: float
    low: float
    high: float
    noise: float
    twice: str
    peer_noise: float
    attempts: int = 1

    def gflops(self, name: str) -> float:
        """Return a contestant's rate in GFLOP/s."""
        return self.flops / self.seconds(name) / 1e9

    def seconds(self, name: str) -> float:
        """Return a contestant's median time."""
        return self.measurement(name).seconds

    def measurement(self, name: str) -> Measurement:
        """Return a contestant's time with its interval."""
        return next(timing.measurement for timing in self.timings if timing.name == name)

    @property
    def steady(self) -> bool:
        """Whether every contestant that took part twice agreed with itself."""
        return self.unsteadiness <= math.log(_UNSTEADY)

    @property
    def unsteadiness(self) -> float:
        """How much a contestant differed from itself: the larger of both, as the logarithm of a ratio."""
        return max(abs(math.log(noise)) for noise in (self.noise, self.peer_noise))

    @property
    def peers(self) -> tuple[str, ...]:
        """The other contestants."""
        return tuple(timing.name for timing in self.timings if timing.name not in (OURS, NOISE, PEER_NOISE))


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
    notes: tuple[str, ...] = ()
    element: str = "fp32"

    @property
    def processors(self) -> str:
        """What it ran on, in words: threads of a CPU, or a GPU's multiprocessors."""
        return f"{self.threads} {'threads' if self.backend == 'cpu' else 'multiprocessors'}"

    def verdict(self, round_name: str, steady: bool = False) -> float:
        """Return the geometric mean of the ratios of one round, of all its bouts or only the steady ones (nan if it has none)."""
        ratios = [row.ratio for row in self.rows if row.round == round_name and (row.steady or not steady)]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan

    def summary(self, round_name: str) -> str:
        """Return the verdict in words. All bouts come first: leaving out the unsteady ones could leave out losses."""
        rows = [row for row in self.rows if row.round == round_name]
        steady = sum(row.steady for row in rows)
        text = f"{self.verdict(round_name):.2f}×"
        if steady == len(rows):
            return text
        return f"{text} ({f'{self.verdict(round_name, True):.2f}× in the {steady}' if steady else 'none'} steady of {len(rows)} bouts)"

    @property
    def rounds(self) -> tuple[str, ...]:
        """The rounds, in order."""
        return tuple(dict.fromkeys(row.round for row in self.rows))


def run_bout(bout: Bout, repetitions: int, burst_seconds: float, clock: DeviceClock | None = None) -> Row:
    """Return the row of one bout, timed by a device's `clock` or by the host's.

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
    peers = {name: call for name, call in bout.contestants.items() if name != OURS}
    once, rest = (None, None) if clock is None else (clock.once, clock.rest)
    expected = estimate(peers, once)
    twice = min(expected, key=lambda name: expected[name])
    contestants = {**bout.contestants, NOISE: bout.contestants[OURS], PEER_NOISE: peers[twice]}
    timings = compare(contestants, repetitions, burst_seconds, once, rest)
    times = {timing.name: timing.measurement for timing in timings}
    ours, best = times[OURS], min(peers, key=lambda name: times[name].seconds)
    peer = times[best]
    return Row(
        round=bout.round, name=bout.name, flops=bout.flops, timings=timings, errors=tuple(errors), best_peer=best,
        ratio=peer.seconds / ours.seconds, low=peer.low / ours.high, high=peer.high / ours.low,
        noise=times[NOISE].seconds / ours.seconds, twice=twice, peer_noise=times[PEER_NOISE].seconds / times[twice].seconds,
    )  # fmt: skip


def graduate(
    quick: bool = False, progress: Callable[[int, int, str], None] | None = None, device: str = "cpu"
) -> Report:
    """Run all rounds and return the report.

    Parameters
    ----------
    quick : bool
        Fewer bouts and shorter bursts.
    progress : callable, optional
        Called with the number of finished bouts, their total, and what comes next.
    device : str
        ``cpu``, or a CUDA device as PyTorch names it.

    Raises
    ------
    DeviceError
        If PyTorch has no such device.
    """
    if device != "cpu":
        _require(device)
    target = resolve(device).target
    threads = target.profile.processors
    clock = None if device == "cpu" else DeviceClock(device)
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    makers = bouts(quick, threads) if clock is None else device_bouts(quick, device)
    rows = []
    begin, patience = time.perf_counter(), 4.0 if quick else 30.0
    for number, make in enumerate(makers):
        bout = make()
        if progress is not None:
            progress(number, len(makers), f"{bout.round}: {bout.name}")
        patience -= _wait_for_quiet(patience)
        effort = (3, 0.02) if quick else (7, 0.06)
        row = run_bout(bout, *effort, clock)
        if not row.steady and time.perf_counter() - begin < (5.0 if quick else _AGAIN_SECONDS):
            again = run_bout(bout, *effort, clock)
            row = min(row, again, key=lambda one: one.unsteadiness).replace(attempts=2)
        rows.append(row)
    return Report(
        device=target.profile.name,
        backend=target.backend,
        threads=threads,
        clock_mhz=target.profile.clock_mhz,
        versions=_versions(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}",
        started=started,
        rows=tuple(rows),
        notes=tuple(_notes(rows)),
        element="fp32" if clock is None else "fp16",
    )


def _require(device: str) -> None:
    """Raise unless PyTorch has a CUDA device of that name."""
    if not device.startswith("cuda"):
        raise DeviceError(f"the graduation runs on cpu or cuda devices, not {device!r}", hint="Say --device cuda:0")
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (torch.device(device).index is not None and torch.device(device).index >= count) or not count:
        raise DeviceError(
            f"PyTorch sees {count} CUDA devices here, so there is no {device!r}", hint="Leave --device out"
        )


def _wait_for_quiet(patience: float) -> float:
    """Sleep until other work has ended, `patience` seconds at most; return the seconds slept."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < patience and others_busy() > _BUSY:
        continue
    return time.perf_counter() - begin


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    if not has_torch():
        yield "PyTorch is not installed, so NumPy is the only peer: pip install tracea[torch]"
    unsteady = [row.name for row in rows if not row.steady]
    if unsteady:
        yield (
            f"{len(unsteady)} of {len(rows)} bouts were unsteady (a contestant differed from itself by more than "
            f"{_UNSTEADY - 1:.0%}) and prove nothing: run again on an idle machine"
        )


def _versions() -> tuple[tuple[str, str], ...]:
    found = []
    for name in ("tracea", "tracea-core", "tracea-cpu", "tracea-cuda", "numpy", "torch", "llvmlite"):
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    found.append(("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "unset")))
    return tuple(found)

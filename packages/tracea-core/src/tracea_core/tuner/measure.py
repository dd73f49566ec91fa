# SPDX-License-Identifier: MIT
"""How long something takes, and how sure that is: medians with distribution-free confidence intervals.

Times of kernels are skewed (interrupts, clocks, other users), so means and standard deviations mislead; the median and an
interval between two order statistics assume nothing about the distribution. Finalists are measured in turns, so that a
clock that drifts or a neighbour that wakes up hits all of them alike.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence

from tracea_core.data import Data
from tracea_core.errors import OptionError, TuningError

CONFIDENCE = 0.95


class Measurement(Data, frozen=True, kw_only=True):
    """The time of one call.

    Attributes
    ----------
    seconds : float
        Median of the samples.
    low, high : float
        Confidence interval of the median, in seconds.
    minimum : float
        The fastest sample, in seconds.
    samples : int
        Samples taken; each is the mean over `repeats` calls in a row.
    repeats : int
        Calls per sample.
    confidence : float
        Probability with which [low, high] holds the true median: 0.95 or a little more, or less where fewer than six samples
        were affordable.
    clock_mhz : float
        Mean clock of the device while measuring; 0.0 if unknown.
    method : str
        What was timed with what (``perf_counter``, ``device events, L2 flushed``).
    """

    seconds: float
    low: float
    high: float
    minimum: float
    samples: int
    repeats: int = 1
    confidence: float = CONFIDENCE
    clock_mhz: float = 0.0
    method: str = "perf_counter"

    def __post_init__(self) -> None:
        if not (0 < self.minimum <= self.seconds < math.inf and self.low <= self.seconds <= self.high < math.inf):
            raise TuningError(
                "a measurement needs 0 < minimum ≤ median and low ≤ median ≤ high, all finite",
                minimum=self.minimum,
                seconds=self.seconds,
                low=self.low,
                high=self.high,
            )

    @property
    def spread(self) -> float:
        """Half the width of the confidence interval relative to the median: 0.01 reads as ± 1 %."""
        return (self.high - self.low) / (2 * self.seconds)

    def describe(self) -> str:
        """Return text such as ``1.234 ms ± 0.5 % (95 % of 31 samples)``."""
        scale, unit = next(
            (s, u) for s, u in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns")) if self.seconds >= s
        )
        value = self.seconds / (scale or 1e-9)
        text = (
            f"{value:.4g} {unit} ± {100 * self.spread:.1f} % ({100 * self.confidence:.0f} % of {self.samples} samples)"
        )
        return text + (f" at {self.clock_mhz:.0f} MHz" if self.clock_mhz else "")


@functools.lru_cache(maxsize=4096)
def median_ranks(samples: int, confidence: float = CONFIDENCE) -> tuple[int, int, float]:
    """Return (lower, upper, coverage): which order statistics (from 0) bound the median with at least `confidence`.

    The number of samples below the median is binomial(n, 1/2) whatever the distribution, so the interval between the order
    statistics j and n - 1 - j covers it with probability 1 - 2·P(B ≤ j) (Le Boudec, *Performance Evaluation of Computer
    and Communication Systems*, theorem 2.1). Below six samples even the extremes cover it with less than 95 %: the whole
    range is returned with the coverage that it has.
    """
    if samples < 1:
        raise OptionError("a median needs at least one sample", samples=samples)
    total = 1 << samples
    tail, lower, coverage = 1, 0, 1 - 2 / total if samples > 1 else 0.0
    for j in range(1, samples // 2):
        tail += math.comb(samples, j)
        covered = 1 - 2 * tail / total
        if covered < confidence:
            break
        lower, coverage = j, covered
    return lower, samples - 1 - lower, coverage


def summarize(
    samples: Sequence[float], *, repeats: int = 1, clock_mhz: float = 0.0, method: str = "perf_counter"
) -> Measurement:
    """Return the statistics of `samples`, each the seconds of one call."""
    ordered = sorted(samples)
    lower, upper, coverage = median_ranks(len(ordered))
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return Measurement(
        seconds=median,
        low=ordered[lower],
        high=ordered[upper],
        minimum=ordered[0],
        samples=len(ordered),
        repeats=repeats,
        confidence=coverage,
        clock_mhz=clock_mhz,
        method=method,
    )


def time_host(call: Callable[[], object], repeats: int) -> float:
    """Return the seconds that `repeats` calls in a row take on the host's clock."""
    start = time.perf_counter_ns()
    for _ in range(repeats):
        call()
    return (time.perf_counter_ns() - start) * 1e-9


class Timer:
    """Measures callables until the interval is narrow enough or the time is up.

    Parameters
    ----------
    spread : float
        Stop when half the confidence interval is at most this share of the median.
    seconds : float
        Stop when measuring one callable has taken this long, warm-up included.
    warmup_seconds : float
        Calls made before anything is recorded; at least one is made whatever it takes.
    min_samples, max_samples : int
        Bounds on the samples; fewer than `min_samples` are taken only if the time is up.
    sample_seconds : float
        A sample repeats the call until it is about this long, so that the clock's resolution does not matter. With a `flush`
        each sample is a single call, since only the first after a flush is cold.
    timer : callable, optional
        ``timer(call, repeats) -> seconds`` of all repeats together; for devices with their own events.
    flush : callable, optional
        Called before each sample, outside the time taken (it empties a cache).
    clock_mhz : callable, optional
        Reads the device's clock; called around each sample.
    method : str
        What to write down as the method.
    """

    def __init__(
        self,
        *,
        spread: float = 0.01,
        seconds: float = 0.25,
        warmup_seconds: float = 0.02,
        min_samples: int = 7,
        max_samples: int = 200,
        sample_seconds: float = 1e-4,
        timer: Callable[[Callable[[], object], int], float] = time_host,
        flush: Callable[[], object] | None = None,
        clock_mhz: Callable[[], float] | None = None,
        method: str = "perf_counter",
    ) -> None:
        if not 1 <= min_samples <= max_samples:
            raise OptionError(
                "a timer needs 1 ≤ min_samples ≤ max_samples", min_samples=min_samples, max_samples=max_samples
            )
        self.spread, self.seconds, self.warmup_seconds = spread, seconds, warmup_seconds
        self.min_samples, self.max_samples, self.sample_seconds = min_samples, max_samples, sample_seconds
        self.timer, self.flush, self.clock_mhz, self.method = timer, flush, clock_mhz, method

    def measure(self, call: Callable[[], object]) -> Measurement:
        """Return the time of one call of `call`.

        Raises
        ------
        TuningError
            If the clock shows no time passing.
        Exception
            Whatever `call` raises.
        """
        return self.compare([call])[0]

    def compare(self, calls: Sequence[Callable[[], object]]) -> tuple[Measurement, ...]:
        """Return the times of several callables measured in turns, one sample of each per round.

        A callable whose interval is narrow enough still takes part until all are done or the time (`seconds` for each) is
        up, since comparing them is what the turns are for.
        """
        start = time.perf_counter()
        repeats = [self._warm_up(call) for call in calls]
        samples: list[list[float]] = [[] for _ in calls]
        clocks: list[list[float]] = [[] for _ in calls]
        for round_number in range(1, self.max_samples + 1):
            # Each round starts with another callable: whoever runs first after the flush or the pause is not always the same.
            for shift in range(len(calls)):
                i = (round_number + shift) % len(calls)
                samples[i].append(self._sample(calls[i], repeats[i], clocks[i]))
            if time.perf_counter() - start > self.seconds * len(calls):
                break
            if round_number >= self.min_samples and all(map(self._narrow, samples)):
                break
        return tuple(
            summarize(taken, repeats=count, clock_mhz=sum(seen) / len(seen) if seen else 0.0, method=self.method)
            for taken, count, seen in zip(samples, repeats, clocks, strict=True)
        )

    def _warm_up(self, call: Callable[[], object]) -> int:
        """Call until warm; return how many calls make one sample."""
        start = time.perf_counter()
        fastest = math.inf
        while True:
            fastest = min(fastest, self.timer(call, 1))
            if time.perf_counter() - start >= self.warmup_seconds:
                break
        if self.flush is not None or fastest >= self.sample_seconds:
            return 1
        return min(10_000, math.ceil(self.sample_seconds / max(fastest, 1e-8)))

    def _sample(self, call: Callable[[], object], repeats: int, clocks: list[float]) -> float:
        if self.flush is not None:
            self.flush()
        seconds = self.timer(call, repeats) / repeats
        if self.clock_mhz is not None:
            clocks.append(self.clock_mhz())
        if not 0 < seconds < math.inf:
            raise TuningError(
                f"the clock says that {repeats} calls took {seconds * repeats} s",
                hint="Use a timer of finer resolution, or one that waits for the device",
                method=self.method,
            )
        return seconds

    def _narrow(self, samples: Sequence[float]) -> bool:
        return len(samples) >= 6 and summarize(samples).spread <= self.spread

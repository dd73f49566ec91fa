# SPDX-License-Identifier: MIT
"""Intervals cover the median as often as they say, and the timer stops when and only when it should."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.errors import OptionError, TuningError
from tracea_core.tuner.measure import Measurement, Timer, median_ranks, summarize


@pytest.mark.parametrize(
    ("samples", "lower", "upper"),
    [(6, 0, 5), (9, 1, 7), (10, 1, 8), (20, 5, 14), (30, 9, 20), (70, 26, 43)],
)
def test_ranks_agree_with_published_tables(samples: int, lower: int, upper: int) -> None:
    # Le Boudec, Performance Evaluation, table A.1 (95 %, median), which counts from 1.
    assert median_ranks(samples)[:2] == (lower, upper)


@pytest.mark.parametrize("samples", [2, 5, 6, 17, 100])
def test_coverage_is_the_binomial_sum(samples: int) -> None:
    lower, upper, coverage = median_ranks(samples)
    inside = sum(math.comb(samples, i) for i in range(lower + 1, upper + 1)) / 2**samples
    assert coverage == pytest.approx(inside)
    assert coverage >= 0.95 or lower == 0


def test_the_interval_of_a_skewed_distribution_covers_its_median() -> None:
    generator = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        m = summarize(list(1.0 + generator.exponential(1.0, 25)))
        covered += m.low <= 1.0 + math.log(2) <= m.high
    assert covered / 2000 >= 0.94


def test_a_narrower_interval_would_not_cover() -> None:
    generator = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        ordered = np.sort(generator.exponential(1.0, 25))
        covered += ordered[9] <= math.log(2) <= ordered[15]
    assert covered / 2000 < 0.9


def test_few_samples_say_what_they_are_worth() -> None:
    one = summarize([2.0])
    assert (one.low, one.seconds, one.high, one.confidence) == (2.0, 2.0, 2.0, 0.0)
    four = summarize([4.0, 1.0, 3.0, 2.0])
    assert (four.minimum, four.seconds, four.low, four.high) == (1.0, 2.5, 1.0, 4.0)
    assert four.confidence == pytest.approx(1 - 2 / 16)


def test_measurements_are_checked_and_survive_json() -> None:
    m = summarize([1e-3, 1.1e-3, 1.2e-3], clock_mhz=1980.0)
    assert Measurement.from_json(m.to_json()) == m
    assert m.describe().startswith("1.1 ms ± ") and m.describe().endswith("at 1980 MHz")
    for bad in ({"seconds": math.nan}, {"minimum": 0.0}, {"low": 1.0}, {"high": math.inf}):
        with pytest.raises(TuningError):
            m.replace(**bad)
    with pytest.raises(OptionError):
        summarize([])


class Fake:
    """A device whose clock advances by what the calls cost."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def call(self, name: str, costs: Callable[[], float]) -> Callable[[], float]:
        def run() -> float:
            self.order.append(name)
            return costs()

        return run

    @staticmethod
    def timer(call: Callable[[], object], repeats: int) -> float:
        return sum(float(call()) for _ in range(repeats))  # type: ignore[arg-type]


def timer(**changes: object) -> Timer:
    settings: dict[str, object] = {"timer": Fake.timer, "warmup_seconds": 0.0, "sample_seconds": 0.0, "seconds": 60.0}
    return Timer(**settings | changes)  # type: ignore[arg-type]


def test_a_steady_callable_takes_the_fewest_samples_and_a_noisy_one_all() -> None:
    fake = Fake()
    steady = timer(min_samples=7, max_samples=50).measure(fake.call("a", lambda: 1e-3))
    assert (steady.samples, steady.seconds, steady.spread) == (7, 1e-3, 0.0)
    generator = np.random.default_rng(1)
    noisy = timer(min_samples=7, max_samples=50).measure(fake.call("b", lambda: float(generator.uniform(1, 9))))
    assert noisy.samples == 50 and noisy.low < noisy.seconds < noisy.high


def test_samples_repeat_short_calls_but_never_after_a_flush() -> None:
    fake = Fake()
    flushed: list[int] = []
    assert timer(sample_seconds=1e-3).measure(fake.call("a", lambda: 1e-4)).repeats == 10
    cold = timer(sample_seconds=1e-3, flush=lambda: flushed.append(1)).measure(fake.call("a", lambda: 1e-4))
    assert cold.repeats == 1 and len(flushed) == cold.samples


def test_finalists_take_turns_and_a_drifting_clock_hits_them_alike() -> None:
    fake = Fake()
    drift = itertools.count(1)
    calls = [fake.call(name, lambda factor=factor: factor * next(drift)) for name, factor in (("a", 1.0), ("b", 1.5))]
    first, second = timer(max_samples=20).compare(calls)
    assert second.seconds / first.seconds == pytest.approx(1.5, rel=0.15)
    rounds = [set(pair) for pair in zip(fake.order[2::2], fake.order[3::2], strict=True)]
    assert rounds == [{"a", "b"}] * 20
    assert fake.order[2:6] in (["b", "a", "a", "b"], ["a", "b", "b", "a"])
    # Measured one after the other, the same drift would have shown b at more than twice its true ratio.
    apart = [timer(max_samples=20).measure(call).seconds for call in calls]
    assert apart[1] / apart[0] > 2.0


def test_the_time_limit_ends_a_noisy_measurement() -> None:
    generator = np.random.default_rng(1)
    m = timer(seconds=0.0, min_samples=5).measure(lambda: float(generator.uniform(1, 9)))
    assert m.samples == 1


def test_clocks_are_averaged_and_errors_pass_through() -> None:
    readings = itertools.cycle([1000.0, 2000.0])
    assert timer(min_samples=8, clock_mhz=lambda: next(readings)).measure(lambda: 1.0).clock_mhz == 1500.0
    with pytest.raises(ZeroDivisionError):
        timer().measure(lambda: 1 / 0)
    with pytest.raises(TuningError, match="clock"):
        timer().measure(lambda: 0.0)
    with pytest.raises(OptionError):
        Timer(min_samples=3, max_samples=2)


def test_the_host_timer_measures_real_work() -> None:
    m = Timer(seconds=0.05, max_samples=20).measure(lambda: sum(range(2000)))
    assert 0 < m.minimum <= m.seconds and m.repeats >= 1

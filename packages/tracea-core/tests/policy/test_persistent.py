# SPDX-License-Identifier: MIT
"""Persistent schedules run every tile once and keep the bound they state."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.policy.persistent import lower_bound, persistent_schedule

weights = st.lists(st.integers(0, 20), max_size=40)


def optimum(work: list[int], processors: int) -> int:
    """Return the earliest finish by trying every assignment."""
    best = sum(work)
    for assignment in product(range(processors), repeat=len(work)):
        loads = [0] * processors
        for processor, load in zip(assignment, work, strict=True):
            loads[processor] += load
        best = min(best, max(loads))
    return best


@given(weights, st.integers(1, 9))
def test_every_tile_runs_once_and_loads_are_right(work: list[int], processors: int) -> None:
    """Slots are a permutation, loads are their sums, and no bound is crossed."""
    schedule = persistent_schedule(work, processors)
    assert np.array_equal(np.sort(schedule.slots), np.arange(len(work)))
    assert schedule.processors == processors
    sums = [sum(work[slot] for slot in schedule.of(processor)) for processor in range(processors)]
    assert np.allclose(schedule.loads, sums)
    assert schedule.lower_bound <= schedule.finish + 1e-9


@given(st.lists(st.integers(1, 12), min_size=1, max_size=7), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_finish_is_within_the_guarantee_of_the_optimum(work: list[int], processors: int) -> None:
    """Against exhaustive search: lower bound ≤ optimum ≤ finish ≤ guarantee · optimum."""
    schedule = persistent_schedule(work, processors)
    best = optimum(work, processors)
    assert lower_bound(np.array(work, dtype=np.float64), processors) <= best + 1e-9
    assert best <= schedule.finish <= schedule.guarantee * best + 1e-9


@given(st.integers(0, 200), st.integers(1, 17))
def test_equal_tiles_are_dealt_in_contiguous_optimal_ranges(tiles: int, processors: int) -> None:
    """Ranges differ by at most one tile, which is optimal."""
    schedule = persistent_schedule(np.full(tiles, 3.0), processors)
    assert np.array_equal(schedule.slots, np.arange(tiles))
    assert schedule.finish == 3.0 * -(-tiles // processors)
    assert schedule.guarantee == 1.0
    assert np.ptp(np.diff(schedule.starts)) <= 1


def test_the_worst_case_of_longest_first_is_reached() -> None:
    """Graham's instance for two processors meets the bound 7/6 exactly, so the bound is not too generous."""
    schedule = persistent_schedule([3, 3, 2, 2, 2], 2)
    assert schedule.finish == 7.0
    assert schedule.guarantee * 6 == pytest.approx(7.0)
    assert "2 processors" in schedule.describe()


def test_each_processor_runs_its_longest_tile_first() -> None:
    """Within a processor, weights do not rise."""
    work = np.random.default_rng(5).random(100)
    schedule = persistent_schedule(work, 7)
    for processor in range(7):
        assert (np.diff(work[schedule.of(processor)]) <= 0).all()


def test_bad_arguments_are_refused() -> None:
    """No processor, a weight that is not a number, a table of weights."""
    with pytest.raises(ConfigurationError, match="at least one processor"):
        persistent_schedule([1.0], 0)
    for bad in ([1.0, float("nan")], [-1.0], [[1.0]]):
        with pytest.raises(ConfigurationError, match="weights of tiles"):
            persistent_schedule(bad, 2)

# SPDX-License-Identifier: MIT
"""The Gaussian process needs far fewer evaluations than chance, and gets out of the way where it cannot run."""

from __future__ import annotations

import logging
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import OptionError
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner import bayes
from tracea_core.tuner.bayes import GaussianProcessSearch, expected_improvement, prior_trust
from tracea_core.tuner.evolution import EvolutionarySearch
from tracea_core.tuner.search import Budget, RandomSearch, Search, StopReason

SEEDS = range(5)
LIMIT = 45


def evaluations_until_good(search: Search, landscape: Any, seed: int, prior: bool = True) -> int:
    """Return after how many evaluations the search had tried something within 3 % of the best; LIMIT + 1 if never."""
    best = min(t for c in landscape.candidates if (t := landscape.seconds(c)) is not None)
    result = search.run(
        landscape.candidates,
        landscape.measure(seed),
        Budget(LIMIT, 1e6),
        prior=landscape.prior if prior else None,
        rng_seed=seed,
    )
    for number, evaluation in enumerate(result.history, 1):
        truth = landscape.seconds(evaluation.configuration)
        if truth is not None and truth <= 1.03 * best:
            return number
    return LIMIT + 1


def test_the_process_beats_chance_by_far(landscape: Any) -> None:
    pytest.importorskip("sklearn")
    process = [evaluations_until_good(GaussianProcessSearch(), landscape, seed) for seed in SEEDS]
    chance = [evaluations_until_good(RandomSearch(), landscape, seed) for seed in SEEDS]
    assert np.median(process) <= 36
    assert np.median(process) < 0.8 * np.median(chance)
    assert sum(count <= LIMIT for count in process) >= 4


def test_without_a_prior_it_still_beats_chance(square: Any) -> None:
    pytest.importorskip("sklearn")
    process = [evaluations_until_good(GaussianProcessSearch(), square, seed, prior=False) for seed in range(3)]
    assert np.median(process) <= LIMIT
    assert np.median([evaluations_until_good(RandomSearch(), square, seed) for seed in SEEDS]) > LIMIT


def test_a_prior_that_misleads_is_found_out(square: Any) -> None:
    pytest.importorskip("sklearn")
    result = GaussianProcessSearch().run(
        square.candidates, square.measure(0), Budget(LIMIT, 1e6), prior=lambda c: 1.0 / square.prior(c)
    )
    chance = RandomSearch().run(square.candidates, square.measure(0), Budget(LIMIT, 1e6))
    assert result.seconds is not None and chance.seconds is not None
    assert result.seconds < chance.seconds


def test_the_confidence_bound_is_an_alternative(square: Any) -> None:
    pytest.importorskip("sklearn")
    result = GaussianProcessSearch(acquisition="ucb").run(
        square.candidates, square.measure(0), Budget(30, 1e6), prior=square.prior
    )
    assert {e.origin for e in result.history} == {"space filling", "ucb"}
    assert result.seconds is not None and result.seconds < 1.15 * min(
        filter(None, map(square.seconds, square.candidates))
    )


def test_failures_keep_the_search_away_but_not_from_going_on(square: Any) -> None:
    pytest.importorskip("sklearn")

    def measure(c: PipelineConfig) -> float:
        if c.tile_m >= 192:
            raise RuntimeError("does not run")
        return float(square.seconds(c))

    result = GaussianProcessSearch().run(square.candidates, measure, Budget(40, 1e6), prior=square.prior)
    late = [e.seconds is None for e in result.history[20:]]
    share = np.mean([c.tile_m >= 192 for c in square.candidates])
    assert np.mean(late) < 0.5 * share
    assert result.best is not None and result.best.tile_m < 192


def test_it_stops_when_nothing_is_to_be_gained(square: Any) -> None:
    pytest.importorskip("sklearn")
    result = GaussianProcessSearch(stop_below=0.5).run(
        square.candidates, square.measure(0), Budget(200, 1e6), prior=square.prior
    )
    assert result.stopped_because is StopReason.CONVERGED and len(result.history) < 40


def test_without_scikit_learn_it_is_evolutionary_and_says_so_once(
    square: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing() -> None:
        raise ModuleNotFoundError("No module named 'sklearn'")

    monkeypatch.setattr(bayes, "load_libraries", missing)
    result = GaussianProcessSearch().run(square.candidates, square.measure(0), Budget(20, 1e6), rng_seed=3)
    expected = EvolutionarySearch().run(square.candidates, square.measure(0), Budget(20, 1e6), rng_seed=3)
    assert [e.configuration for e in result.history] == [e.configuration for e in expected.history]
    said = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(said) == 1 and "tracea-core[tune]" in said[0].getMessage()


def test_expected_improvement_agrees_with_sampling() -> None:
    pytest.importorskip("scipy")
    generator = np.random.default_rng(0)
    mean, deviation = np.array([0.0, 1.0, -1.0, 0.5]), np.array([1.0, 0.5, 0.1, 0.0])
    draws = mean + deviation * generator.standard_normal((200_000, 4))
    sampled = np.maximum(0.3 - draws, 0).mean(axis=0)
    assert expected_improvement(mean, deviation, 0.3) == pytest.approx(sampled, abs=0.01)
    assert expected_improvement(mean, deviation, 0.8)[3] == pytest.approx(0.3)


def test_trust_in_the_prior_is_a_slope_between_0_and_1() -> None:
    prior = np.arange(6.0)
    assert prior_trust(prior, 2 + prior) == 1.0
    assert prior_trust(prior, 2 + 0.4 * prior) == pytest.approx(0.4)
    assert prior_trust(prior, -prior) == 0.0
    assert prior_trust(prior, 9 * prior) == 1.0
    assert prior_trust(np.zeros(6), prior) == 1.0
    assert prior_trust(prior[:3], -prior[:3]) == 1.0


@pytest.mark.parametrize("options", [{"acquisition": "pi"}, {"initial": 1}, {"kappa": math.nan}, {"stop_below": -1.0}])
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        GaussianProcessSearch(**options)


def test_importing_the_tuner_loads_no_heavy_module() -> None:
    script = (
        "import sys, tracea_core.tuner.auto, tracea_core.tuner.worker, tracea_core.runtime.cache; "
        "print(sorted({'sklearn', 'scipy', 'torch', 'numba', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_seed_the_prior_and_distance_choose_in_turn(square: Any) -> None:
    pytest.importorskip("sklearn")
    seeds = square.candidates[:2]
    budget = Budget(10, 1e6)
    given = GaussianProcessSearch().run(square.candidates, square.measure(0), budget, prior=square.prior, seeds=seeds)
    liked = sorted((c for c in square.candidates if c not in seeds), key=square.prior)
    tried = [evaluation.configuration for evaluation in given.history]
    assert (tried[0], tried[3]) == seeds and tried[1] == liked[0]
    assert [e.origin for e in given.history].count("seed") == 2
    for number in (4, 6, 7, 9):  # the prior takes the place of seeds once they are used up
        untried = [c for c in liked if c not in tried[:number]]
        assert square.prior(tried[number]) == square.prior(untried[0])
    alone = GaussianProcessSearch().run(square.candidates, square.measure(0), budget, prior=square.prior)
    assert len({e.configuration for e in alone.history} & set(liked[:8])) < len(set(tried) & set(liked[:8]))


def test_many_seeds_do_not_keep_the_prior_waiting(square: Any) -> None:
    pytest.importorskip("sklearn")
    poor = sorted(square.candidates, key=square.prior)[-20:]
    history = (
        GaussianProcessSearch()
        .run(square.candidates, square.measure(0), Budget(14, 1e6), prior=square.prior, seeds=poor)
        .history
    )
    assert [n for n, e in enumerate(history) if e.origin == "seed"] == [0, 3, 6, 9]
    assert [e.configuration for e in history if e.origin == "seed"] == poor[:4]


def test_without_a_prior_seeds_come_first(square: Any) -> None:
    pytest.importorskip("sklearn")
    seeds = square.candidates[5:9]
    history = GaussianProcessSearch().run(square.candidates, square.measure(0), Budget(6, 1e6), seeds=seeds).history
    assert tuple(e.configuration for e in history[:4]) == seeds

# SPDX-License-Identifier: MIT
"""The forest needs far fewer evaluations than chance, repeats itself, and gets out of the way where it cannot run."""

from __future__ import annotations

import importlib
import logging
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import OptionError
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner import forest
from tracea_core.tuner.evolution import EvolutionarySearch
from tracea_core.tuner.forest import ForestSearch
from tracea_core.tuner.search import Budget, RandomSearch, Search

LIMIT = 45


def best_after(search: Search, landscape: Any, seed: int, count: int = LIMIT) -> float:
    """Return how far from the optimum the best of `count` evaluations is."""
    result = search.run(
        landscape.candidates, landscape.measure(seed), Budget(count, 1e6), prior=landscape.prior, rng_seed=seed
    )
    optimum = min(t for c in landscape.candidates if (t := landscape.seconds(c)) is not None)
    return float(landscape.seconds(result.best)) / optimum


def test_the_forest_beats_chance(landscape: Any) -> None:
    pytest.importorskip("sklearn")
    seeds = range(2)
    ours = [best_after(ForestSearch(), landscape, seed) for seed in seeds]
    chance = [best_after(RandomSearch(), landscape, seed) for seed in seeds]
    assert np.median(ours) < 1.08 and np.median(ours) <= np.median(chance)


def test_one_seed_gives_one_history(square: Any) -> None:
    pytest.importorskip("sklearn")
    runs = [
        ForestSearch().run(square.candidates, square.measure(0), Budget(15, 1e6), prior=square.prior, rng_seed=seed)
        for seed in (1, 1, 2)
    ]
    tried = [[e.configuration for e in run.history] for run in runs]
    assert tried[0] == tried[1] != tried[2]


def test_failures_keep_it_away_but_not_from_going_on(square: Any) -> None:
    pytest.importorskip("sklearn")

    def measure(c: PipelineConfig) -> float:
        if c.tile_m >= 192:
            raise RuntimeError("does not run")
        return float(square.seconds(c))

    result = ForestSearch().run(square.candidates, measure, Budget(40, 1e6), prior=square.prior)
    late = [e.seconds is None for e in result.history[20:]]
    share = np.mean([c.tile_m >= 192 for c in square.candidates])
    assert np.mean(late) < 0.5 * share and result.best is not None and result.best.tile_m < 192


def test_without_scikit_learn_it_is_evolutionary_and_says_so_once(
    square: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(forest, "importlib", type("importlib", (), {"import_module": staticmethod(missing)}))
    result = ForestSearch().run(square.candidates, square.measure(0), Budget(20, 1e6), rng_seed=3)
    expected = EvolutionarySearch().run(square.candidates, square.measure(0), Budget(20, 1e6), rng_seed=3)
    assert [e.configuration for e in result.history] == [e.configuration for e in expected.history]
    said = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(said) == 1 and "tracea-core[tune]" in said[0].getMessage()
    assert importlib.import_module  # the module itself is untouched


@pytest.mark.parametrize("options", [{"trees": 1}, {"initial": 1}, {"exploration": 1.5}])
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        ForestSearch(**options)

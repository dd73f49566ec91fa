# SPDX-License-Identifier: MIT
"""Evolution beats chance, keeps to few changes per child, and never repeats a candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import OptionError
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner.encode import codes
from tracea_core.tuner.evolution import EvolutionarySearch, favour
from tracea_core.tuner.search import Budget, RandomSearch, Search, State


def reached(search: Search, landscape: Any, seed: int) -> float:
    """Return the true time of the best that was tried, relative to the best there is."""
    result = search.run(landscape.candidates, landscape.measure(seed), Budget(40, 1e6), rng_seed=seed)
    best = min(t for c in landscape.candidates if (t := landscape.seconds(c)) is not None)
    tried = [t for e in result.history if (t := landscape.seconds(e.configuration)) is not None]
    return min(tried) / best


def test_evolution_beats_chance(landscape: Any) -> None:
    evolved = [reached(EvolutionarySearch(), landscape, seed) for seed in range(8)]
    drawn = [reached(RandomSearch(), landscape, seed) for seed in range(8)]
    assert np.median(evolved) < np.median(drawn)


def test_nothing_is_tried_twice_and_children_differ_in_few_fields(square: Any) -> None:
    result = EvolutionarySearch(crossover=0.0, exploration=0.0).run(
        square.candidates, square.measure(0), Budget(60, 1e6), rng_seed=1
    )
    tried = [e.configuration for e in result.history]
    assert len(set(tried)) == 60
    numbers = codes(tried)
    for i, evaluation in enumerate(result.history):
        if evaluation.origin == "mutation":
            assert np.count_nonzero(numbers[:i] != numbers[i], axis=1).min() <= 3
    assert sum(e.origin == "mutation" for e in result.history) == 52


def test_crossover_mixes_two_parents(square: Any) -> None:
    result = EvolutionarySearch(crossover=1.0, exploration=0.0).run(
        square.candidates, square.measure(0), Budget(30, 1e6), rng_seed=1
    )
    assert {e.origin for e in result.history} == {"prior", "crossover"}


def test_the_prior_is_favoured_not_obeyed() -> None:
    fast, slow = PipelineConfig(stages=2), PipelineConfig(stages=3)
    state = State([fast, slow], lambda c: 1.0 if c == fast else 1.1, 0)
    drawn = np.mean([favour(state, np.array([0, 1])) == 0 for _ in range(3000)])
    assert drawn == pytest.approx(2 / 3, abs=0.03)


@pytest.mark.parametrize("options", [{"population": 0}, {"initial": 0}, {"crossover": 1.5}, {"exploration": -0.1}])
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        EvolutionarySearch(**options)

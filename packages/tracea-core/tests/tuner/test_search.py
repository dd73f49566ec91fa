# SPDX-License-Identifier: MIT
"""The loop that all searches share: budgets, failures, seeds, ties and determinism."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from tracea_core.errors import OptionError
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner import search as module
from tracea_core.tuner.bayes import GaussianProcessSearch
from tracea_core.tuner.evolution import EvolutionarySearch
from tracea_core.tuner.forest import ForestSearch
from tracea_core.tuner.search import (
    Budget,
    Evaluation,
    ExhaustiveSearch,
    Progress,
    RandomSearch,
    Search,
    SearchResult,
    SequentialSearch,
    State,
    StopReason,
    choose_winner,
)

SEARCHES = [RandomSearch, ExhaustiveSearch, EvolutionarySearch, GaussianProcessSearch, ForestSearch]
CANDIDATES = tuple(PipelineConfig(tile_m=m, tile_n=n) for m in (16, 32, 64, 128) for n in (16, 32, 64, 128))
PLENTY = Budget(1000, 1e6)


def cost(c: PipelineConfig) -> float:
    return 1e-3 * (1 + abs(math.log2(c.tile_m / 64)) + 0.5 * abs(math.log2(c.tile_n / 32)))


def ruin(c: PipelineConfig) -> float:
    raise MemoryError(c.describe())


every_search = pytest.mark.parametrize("make", SEARCHES)


@every_search
def test_with_budget_enough_every_search_finds_the_optimum_and_stops(make: type[SequentialSearch]) -> None:
    search = make()
    assert isinstance(search, Search)
    result = search.run(CANDIDATES, cost, PLENTY)
    assert result.best == PipelineConfig(tile_m=64, tile_n=32) and result.seconds == cost(result.best)
    assert result.stopped_because is StopReason.EXHAUSTED
    assert sorted(e.configuration.describe() for e in result.history) == sorted(c.describe() for c in CANDIDATES)
    assert SearchResult.from_json(result.to_json()) == result


@every_search
def test_the_same_seed_gives_the_same_history(make: type[SequentialSearch]) -> None:
    def history(seed: int) -> list[PipelineConfig]:
        return [e.configuration for e in make().run(CANDIDATES, cost, Budget(12, 1e6), rng_seed=seed).history]

    assert history(1) == history(1)
    if make is RandomSearch:
        assert history(1) != history(2)


@every_search
def test_a_failing_candidate_costs_one_evaluation(make: type[SequentialSearch]) -> None:
    def measure(c: PipelineConfig) -> float:
        match c.tile_m:
            case 64:
                raise RuntimeError("spilled")
            case 128:
                return math.nan
            case 16:
                return -1.0
        return cost(c)

    result = make().run(CANDIDATES, measure, PLENTY)
    assert result.best == PipelineConfig(tile_m=32, tile_n=32)
    assert len(result.history) == 16 and len(result.failures) == 12
    errors = {e.configuration.tile_m: e.error for e in result.failures}
    assert errors == {64: "RuntimeError: spilled", 128: "the measured time is nan s", 16: "the measured time is -1.0 s"}


@every_search
def test_when_everything_fails_there_is_no_winner(make: type[SequentialSearch]) -> None:
    result = make().run(CANDIDATES, ruin, PLENTY)
    assert result.best is None and result.seconds is None
    assert len(result.failures) == 16 and result.ranked(3) == ()


@every_search
def test_the_number_of_evaluations_is_a_limit(make: type[SequentialSearch]) -> None:
    result = make().run(CANDIDATES, cost, Budget(5, 1e6))
    assert len(result.history) == 5 and result.stopped_because is StopReason.EVALUATIONS


@every_search
def test_the_time_is_checked_before_each_evaluation(
    make: type[SequentialSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def measure(c: PipelineConfig) -> float:
        now[0] += 10.0
        return cost(c)

    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    result = make().run(CANDIDATES, measure, Budget(100, 25.0))
    assert len(result.history) == 3 and result.stopped_because is StopReason.SECONDS
    assert [e.elapsed for e in result.history] == [10.0, 20.0, 30.0]


def test_a_slow_proposal_cannot_start_an_evaluation_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    class Slow(RandomSearch):
        def propose(self, state: State) -> tuple[int, str] | None:
            now[0] += 10.0
            return super().propose(state)

    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    assert len(Slow().run(CANDIDATES, cost, Budget(100, 25.0)).history) == 2


def test_an_interrupt_is_not_a_failing_candidate() -> None:
    def measure(c: PipelineConfig) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RandomSearch().run(CANDIDATES, measure, PLENTY)


@every_search
def test_seeds_come_first_and_count_as_candidates(make: type[SequentialSearch]) -> None:
    outside = PipelineConfig(tile_m=48, tile_n=48)
    result = make().run(CANDIDATES, cost, Budget(6, 1e6), seeds=(outside, CANDIDATES[3], outside))
    assert [e.configuration for e in result.history[:2]] == [outside, CANDIDATES[3]]
    assert [e.origin for e in result.history][:3].count("seed") == 2
    assert result.candidates == 17


@every_search
def test_no_candidates_at_all(make: type[SequentialSearch]) -> None:
    result = make().run((), cost, PLENTY)
    assert result.best is None and result.stopped_because is StopReason.EXHAUSTED


def test_the_incumbent_keeps_its_place_within_the_margin() -> None:
    incumbent, other, best = CANDIDATES[:3]

    def winner(times: Sequence[float], seeds: Sequence[PipelineConfig], margin: float) -> PipelineConfig | None:
        known = dict(zip((incumbent, other, best), times, strict=True))
        return RandomSearch().run(CANDIDATES[:3], known.__getitem__, PLENTY, seeds=seeds, tie_margin=margin).best

    assert winner((1.019, 1.01, 1.0), (incumbent, other), 0.02) == incumbent
    assert winner((1.021, 1.01, 1.0), (incumbent, other), 0.02) == other
    assert winner((1.019, 1.01, 1.0), (incumbent, other), 0.0) == best
    assert winner((1.019, 1.01, 1.0), (), 0.02) == best
    with pytest.raises(OptionError):
        winner((1.0, 1.0, 1.0), (), -0.1)


def test_noise_does_not_turn_the_winner_over() -> None:
    def winners(margin: float) -> set[PipelineConfig | None]:
        found = set()
        for seed in range(20):
            noise = np.random.default_rng(seed)
            result = ExhaustiveSearch().run(
                CANDIDATES[:4],
                lambda c, noise=noise: 1.0 + 0.01 * float(noise.random()),
                PLENTY,
                seeds=CANDIDATES[:2],
                tie_margin=margin,
            )
            found.add(result.best)
        return found

    assert winners(0.02) == {CANDIDATES[0]}
    assert len(winners(0.0)) > 1  # without the margin it does turn over, so the test can fail


def test_a_seed_that_failed_does_not_win() -> None:
    history = [
        Evaluation(configuration=CANDIDATES[0], seconds=None, error="x"),
        Evaluation(configuration=CANDIDATES[1], seconds=1.0),
    ]
    winner = choose_winner(history, CANDIDATES[:1], 0.5)
    assert winner is not None and winner.configuration == CANDIDATES[1]


def test_progress_reports_every_evaluation() -> None:
    seen: list[Progress] = []
    RandomSearch().run(CANDIDATES, lambda c: ruin(c) if c.tile_m == 16 else cost(c), PLENTY, progress=seen.append)
    assert [p.done for p in seen] == list(range(1, 17)) and seen[0].planned == 16
    best = math.inf
    for p in seen:
        best = min(best, p.evaluation.seconds or math.inf)
        assert p.best_seconds == (pytest.approx(best) if best < math.inf else None)


def test_the_prior_orders_an_exhaustive_search() -> None:
    result = ExhaustiveSearch().run(CANDIDATES, cost, Budget(1, 1e6), prior=cost)
    assert result.best == PipelineConfig(tile_m=64, tile_n=32)
    broken = ExhaustiveSearch().run(CANDIDATES, cost, PLENTY, prior=lambda c: math.nan if c.tile_m == 64 else 0.0)
    assert broken.best == PipelineConfig(tile_m=64, tile_n=32)


def test_the_ranking_is_by_time() -> None:
    result = ExhaustiveSearch().run(CANDIDATES, cost, PLENTY)
    assert list(result.ranked(4)) == sorted(CANDIDATES, key=cost)[:4]


@pytest.mark.parametrize(("evaluations", "seconds"), [(0, 1.0), (5, 0.0), (5, math.nan)])
def test_budgets_are_checked(evaluations: int, seconds: float) -> None:
    with pytest.raises(OptionError):
        Budget(evaluations, seconds)


class Wide:
    """Measures so many at once, and remembers in which rounds."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rounds: list[list[PipelineConfig]] = []

    def __call__(self, c: PipelineConfig) -> float:
        self.rounds.append([c])
        return cost(c)

    def several(self, configurations: Sequence[PipelineConfig]) -> list[float | Exception]:
        self.rounds.append(list(configurations))
        return [MemoryError("too large") if c.tile_m == 128 else cost(c) for c in configurations]


@every_search
@pytest.mark.parametrize("width", [2, 5])
def test_what_measures_several_is_asked_for_as_many_at_a_time(make: type[SequentialSearch], width: int) -> None:
    measure, reported = Wide(width), []
    result = make().run(CANDIDATES, measure, PLENTY, prior=cost, progress=reported.append)
    assert result.best == PipelineConfig(tile_m=64, tile_n=32)
    assert [len(one) for one in measure.rounds[:-1]] == [width] * (len(measure.rounds) - 1)
    asked = [c for one in measure.rounds for c in one]
    assert len(asked) == len(set(asked)) == len(CANDIDATES)
    assert [e.configuration for e in result.history] == asked
    assert [report.done for report in reported] == list(range(1, len(CANDIDATES) + 1))
    lost = [c for one in measure.rounds if len(one) > 1 for c in one if c.tile_m == 128]
    assert {e.configuration for e in result.failures} == set(lost)


@every_search
def test_a_round_is_no_longer_than_the_budget(make: type[SequentialSearch]) -> None:
    measure = Wide(4)
    result = make().run(CANDIDATES, measure, Budget(6, 1e6), seeds=CANDIDATES[:1])
    assert [len(one) for one in measure.rounds] == [4, 2]
    assert result.stopped_because is StopReason.EVALUATIONS
    assert result.history[0].configuration == CANDIDATES[0]


@every_search
def test_one_device_is_searched_as_without_rounds(make: type[SequentialSearch]) -> None:
    alone = make().run(CANDIDATES, cost, Budget(9, 1e6), prior=cost, rng_seed=3)
    wide = make().run(CANDIDATES, Wide(1), Budget(9, 1e6), prior=cost, rng_seed=3)
    assert [e.configuration for e in alone.history] == [e.configuration for e in wide.history]


def test_a_strategy_takes_what_is_under_way_for_tried() -> None:
    class Watching(SequentialSearch):
        def propose(self, state: State) -> tuple[int, str] | None:
            seen.append((len(state.tried), len(state.measured)))
            return super().propose(state)

    seen: list[tuple[int, int]] = []
    Watching().run(CANDIDATES[:6], Wide(3), PLENTY)
    assert seen == [(0, 0), (1, 0), (2, 0), (3, 3), (4, 3), (5, 3)]

# SPDX-License-Identifier: MIT
"""Searching for the fastest configuration: one loop for all strategies, which see nothing but ``measure``.

The loop owns what must not differ between strategies: the budget, known-good configurations first, failures that cost one
evaluation, the choice of the winner. A strategy only says which candidate comes next. What it learns from is the logarithm
of the time over a prior (a roofline): the prior knows the large effects, the strategy finds what the prior does not know.
"""

from __future__ import annotations

import enum
import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import OptionError
from tracea_core.policy.config import PipelineConfig

log = logging.getLogger("tracea.tuner")

Measure = Callable[[PipelineConfig], float]
"""What a search is given; one that is also `Several` is asked for as many candidates at a time as it can measure at once."""
Prior = Callable[[PipelineConfig], float]
TIE_MARGIN = 0.02
"""A known configuration is kept unless another is faster by more than this share."""


class Budget(Data, frozen=True):
    """When to stop: after this many evaluations or seconds, whichever comes first. Checked before each evaluation."""

    max_evaluations: int = 64
    seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.max_evaluations < 1 or not self.seconds > 0:
            raise OptionError(
                "a budget needs at least one evaluation and a time above 0",
                max_evaluations=self.max_evaluations,
                seconds=self.seconds,
            )


class StopReason(enum.Enum):
    """Why a search ended."""

    EXHAUSTED = "every candidate was tried"
    EVALUATIONS = "the number of evaluations was reached"
    SECONDS = "the time was up"
    CONVERGED = "no further improvement was expected"


class Evaluation(Data, frozen=True, kw_only=True):
    """One candidate that was tried: its time, or the error it gave, and why it was chosen.

    ``elapsed`` is the time since the search began, in seconds.
    """

    configuration: PipelineConfig
    seconds: float | None
    error: str = ""
    origin: str = ""
    elapsed: float = 0.0


class SearchResult(Data, frozen=True, kw_only=True):
    """What a search found.

    Attributes
    ----------
    best : PipelineConfig, optional
        The winner; None if no candidate could be measured.
    seconds : float, optional
        Its time.
    history : tuple of Evaluation
        All evaluations in order.
    stopped_because : StopReason
        Why it ended.
    strategy : str
        Name of the search.
    candidates : int
        How many there were.
    """

    best: PipelineConfig | None
    seconds: float | None
    history: tuple[Evaluation, ...]
    stopped_because: StopReason
    strategy: str
    candidates: int

    @property
    def failures(self) -> tuple[Evaluation, ...]:
        """The evaluations that gave no time."""
        return tuple(evaluation for evaluation in self.history if evaluation.seconds is None)

    def ranked(self, count: int) -> tuple[PipelineConfig, ...]:
        """Return the `count` fastest configurations, the fastest first: the finalists of a comparison in turns."""
        timed = [(e.seconds, i, e.configuration) for i, e in enumerate(self.history) if e.seconds is not None]
        return tuple(configuration for _, _, configuration in sorted(timed, key=lambda t: t[:2])[:count])


class Progress(Data, frozen=True, kw_only=True):
    """What a progress bar needs, reported after each evaluation."""

    evaluation: Evaluation
    done: int
    planned: int
    best: PipelineConfig | None
    best_seconds: float | None
    budget_seconds: float


@runtime_checkable
class Search(Protocol):
    """Anything that finds a good candidate by measuring some."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        ...

    def run(
        self,
        candidates: Sequence[PipelineConfig],
        measure: Measure,
        budget: Budget,
        *,
        seeds: Sequence[PipelineConfig] = (),
        prior: Prior | None = None,
        rng_seed: int = 0,
        progress: Callable[[Progress], None] | None = None,
        tie_margin: float = TIE_MARGIN,
    ) -> SearchResult:
        """Search `candidates`; see `SequentialSearch.run`."""
        ...


@runtime_checkable
class Several(Protocol):
    """Measures several candidates at once, each on a device of its own."""

    @property
    def width(self) -> int:
        """How many."""
        ...

    def several(self, configurations: Sequence[PipelineConfig]) -> Sequence[float | Exception]:
        """Return the seconds of each configuration, or why it gave none."""
        ...


class State:
    """What a strategy may look at: the candidates, the first `seeds` of them known, what has been tried, a generator of its own.

    A candidate that is being measured counts as tried and has no time yet, as one that failed. So the next one that is proposed meanwhile
    lies elsewhere: in the terms of Ginsbourger, Le Riche and Carraro (2010, *Kriging is well-suited to parallelize optimization*), the
    liar is constant, and says the worst that was seen.
    """

    def __init__(
        self, candidates: Sequence[PipelineConfig], prior: Prior | None, rng_seed: int, seeds: int = 0
    ) -> None:
        self.candidates, self.seeds = tuple(candidates), seeds
        self.rng = np.random.default_rng(rng_seed)
        self.log_prior = _log_prior(self.candidates, prior)
        self.log_seconds = np.full(len(self.candidates), np.nan)
        self.tried: list[int] = []

    @property
    def untried(self) -> npt.NDArray[np.int64]:
        """Indices of the candidates that have not been tried."""
        mask = np.ones(len(self.candidates), dtype=bool)
        mask[self.tried] = False
        return np.flatnonzero(mask)

    @property
    def untried_seeds(self) -> list[int]:
        """Indices of the seeds that have not been tried, in their order."""
        return [index for index in range(self.seeds) if index not in self.tried]

    @property
    def measured(self) -> npt.NDArray[np.int64]:
        """Indices of the candidates that have a time, in the order in which they were tried."""
        return np.array([i for i in self.tried if not math.isnan(self.log_seconds[i])], dtype=np.int64)


class SequentialSearch:
    """The loop that all strategies share. Subclasses define `name` and `propose`, and may prepare in `begin`."""

    name = "sequential"

    def begin(self, state: State) -> None:
        """Prepare for a new search."""

    def seed(self, state: State) -> int | None:
        """Return the index of the seed that comes next, None where something is to be proposed. By default seeds come before all else."""
        return next(iter(state.untried_seeds), None)

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return the index of an untried candidate and why, or None to end the search. Something is always untried."""
        return int(state.untried[0]), "next"

    def run(
        self,
        candidates: Sequence[PipelineConfig],
        measure: Measure,
        budget: Budget,
        *,
        seeds: Sequence[PipelineConfig] = (),
        prior: Prior | None = None,
        rng_seed: int = 0,
        progress: Callable[[Progress], None] | None = None,
        tie_margin: float = TIE_MARGIN,
    ) -> SearchResult:
        """Return the best candidate found within the budget.

        Parameters
        ----------
        candidates : sequence of PipelineConfig
            What may be chosen; duplicates are dropped.
        measure : callable
            Returns the seconds of a configuration. An exception, or a time that is not positive and finite, fails the
            candidate and costs one evaluation. It is called at most once per configuration.
        budget : Budget
            Checked before each evaluation; an evaluation that has begun is not interrupted.
        seeds : sequence of PipelineConfig
            Known-good configurations, the incumbent first, which is tried first. The others come next or as early as the strategy
            says, and count as candidates.
        prior : callable, optional
            Expected seconds of a configuration; only ratios matter.
        rng_seed : int
            The same seed, candidates and times give the same history.
        progress : callable, optional
            Called after each evaluation.
        tie_margin : float
            The first seed that is slower than the best by at most this share wins, so that noise does not turn the
            winner over from one run to the next.
        """
        if not 0 <= tie_margin < 1:
            raise OptionError("tie_margin is a share in [0, 1)", tie_margin=tie_margin)
        seeds = tuple(dict.fromkeys(seeds))
        state = State(tuple(dict.fromkeys((*seeds, *candidates))), prior, rng_seed, len(seeds))
        trial = _Trial(state, measure, budget, progress)
        self.begin(state)
        reason = self._try_all(trial)
        winner = choose_winner(trial.history, seeds, tie_margin)
        return SearchResult(
            best=winner.configuration if winner else None,
            seconds=winner.seconds if winner else None,
            history=tuple(trial.history),
            stopped_because=reason,
            strategy=self.name,
            candidates=len(state.candidates),
        )

    def _try_all(self, trial: _Trial) -> StopReason:
        """Try seeds and what is proposed until something says stop."""
        while len(trial.history) < len(trial.state.candidates):
            if stop := trial.over():
                return stop
            chosen = self._chosen(trial)
            if not chosen:
                return StopReason.CONVERGED
            if (
                stop := trial.over()
            ):  # the proposal itself may have taken a while (a first import), and the budget is hard
                return stop
            trial.evaluate(chosen)
        return StopReason.EXHAUSTED

    def _chosen(self, trial: _Trial) -> list[tuple[int, str]]:
        """Return the candidates that are measured next, as many as can be at once, and why."""
        state = trial.state
        chosen: list[tuple[int, str]] = []
        while len(chosen) < trial.room and len(state.tried) < len(state.candidates):
            seed = self.seed(state)
            one = (seed, "seed") if seed is not None else self.propose(state)
            if one is None:
                break
            chosen.append(one)
            state.tried.append(one[0])
        return chosen


class _Trial:
    """One search under way: what was tried so far, the best of it, and what is left of the budget."""

    def __init__(
        self, state: State, measure: Measure, budget: Budget, progress: Callable[[Progress], None] | None
    ) -> None:
        self.state, self.measure, self.budget, self.progress = state, measure, budget, progress
        self.history: list[Evaluation] = []
        self.best: int | None = None
        self.start = time.monotonic()

    def over(self) -> StopReason | None:
        """Why no further candidate may be tried; None if one may."""
        if len(self.history) >= self.budget.max_evaluations:
            return StopReason.EVALUATIONS
        if time.monotonic() - self.start >= self.budget.seconds:
            return StopReason.SECONDS
        return None

    @property
    def room(self) -> int:
        """How many candidates may be measured at once: as many as the measure can, and the budget still allows."""
        width = self.measure.width if isinstance(self.measure, Several) else 1
        return max(1, min(width, self.budget.max_evaluations - len(self.history)))

    def evaluate(self, chosen: Sequence[tuple[int, str]]) -> None:
        """Measure candidates and note what came of them, in their order."""
        state = self.state
        measured = _evaluate(self.measure, [state.candidates[index] for index, _ in chosen])
        for (index, origin), (seconds, error) in zip(chosen, measured, strict=True):
            if seconds is not None:
                state.log_seconds[index] = math.log(seconds)
                if self.best is None or state.log_seconds[index] < state.log_seconds[self.best]:
                    self.best = index
            evaluation = Evaluation(
                configuration=state.candidates[index],
                seconds=seconds,
                error=error,
                origin=origin,
                elapsed=time.monotonic() - self.start,
            )
            self.history.append(evaluation)
            if self.progress is not None:
                self.progress(self._report(evaluation))

    def _report(self, evaluation: Evaluation) -> Progress:
        best = self.best
        return Progress(
            evaluation=evaluation,
            done=len(self.history),
            planned=min(self.budget.max_evaluations, len(self.state.candidates)),
            best=None if best is None else self.state.candidates[best],
            best_seconds=None if best is None else math.exp(self.state.log_seconds[best]),
            budget_seconds=self.budget.seconds,
        )


class ExhaustiveSearch(SequentialSearch):
    """Tries every candidate, those that the prior likes first: the truth that other searches are compared with."""

    name = "exhaustive"

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return the untried candidate with the smallest prior."""
        untried = state.untried
        return int(untried[np.argmin(state.log_prior[untried])]), "prior"


class RandomSearch(SequentialSearch):
    """Draws candidates uniformly: what every other search has to beat."""

    name = "random"

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return any untried candidate."""
        return int(state.rng.choice(state.untried)), "random"


def choose_winner(
    history: Sequence[Evaluation], seeds: Sequence[PipelineConfig], tie_margin: float
) -> Evaluation | None:
    """Return the fastest evaluation, or the first seed that is slower by at most `tie_margin`; None if all failed."""
    timed = [evaluation for evaluation in history if evaluation.seconds is not None]
    if not timed:
        return None
    best = min(timed, key=lambda evaluation: evaluation.seconds or math.inf)
    limit = (best.seconds or 0.0) * (1 + tie_margin)
    by_configuration = {evaluation.configuration: evaluation for evaluation in timed}
    for seed in seeds:
        known = by_configuration.get(seed)
        if known is not None and (known.seconds or math.inf) <= limit:
            return known
    return best


def _evaluate(measure: Measure, configurations: Sequence[PipelineConfig]) -> list[tuple[float | None, str]]:
    """Return the time of each, or None and the error. Only what derives from `Exception` is a candidate's own fault."""
    if isinstance(measure, Several) and len(configurations) > 1:
        outcomes: Sequence[float | Exception] = measure.several(configurations)
    else:
        outcomes = [_attempt(measure, configuration) for configuration in configurations]
    return [_time_of(outcome, each) for outcome, each in zip(outcomes, configurations, strict=True)]


def _attempt(measure: Measure, configuration: PipelineConfig) -> float | Exception:
    try:
        return float(measure(configuration))
    except Exception as error:
        return error


def _time_of(outcome: float | Exception, configuration: PipelineConfig) -> tuple[float | None, str]:
    if isinstance(outcome, Exception):
        log.debug("candidate %s failed", configuration.describe(), exc_info=outcome)
        return None, f"{type(outcome).__name__}: {outcome}"
    if not 0 < outcome < math.inf:
        return None, f"the measured time is {outcome} s"
    return outcome, ""


def _log_prior(candidates: Sequence[PipelineConfig], prior: Prior | None) -> npt.NDArray[np.float64]:
    """Return the logarithm of the prior, 0 without one; a prior that cannot judge a candidate gives it the median."""
    if prior is None or not candidates:
        return np.zeros(len(candidates))
    seconds = np.array([prior(candidate) for candidate in candidates], dtype=np.float64)
    usable = np.isfinite(seconds) & (seconds > 0)
    if not usable.any():
        return np.zeros(len(candidates))
    return np.log(np.where(usable, seconds, np.median(seconds[usable])))

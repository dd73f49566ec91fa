# SPDX-License-Identifier: MIT
"""One search for one problem: every evaluation is remembered as it happens, and the fastest compete in turns at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tracea_core.errors import TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import OperatorTopology
from tracea_core.tuner.measure import Measurement, summarize
from tracea_core.tuner.printing import print_result, printed
from tracea_core.tuner.record import Key, Record, Status
from tracea_core.tuner.result import AnyMeasure, Measurer, Origin, SeveralMeasurer, TuningResult
from tracea_core.tuner.search import Evaluation, SearchResult, choose_winner, log

if TYPE_CHECKING:
    from tracea_core.tuner.auto import AutoTuner

FINALISTS = 3
"""How many of the fastest are measured again in turns."""


class Session:
    """One call of `AutoTuner.optimize`: remembers every evaluation in the store as it happens."""

    def __init__(
        self,
        tuner: AutoTuner,
        operator: OperatorTopology,
        key: Key,
        title: str,
        source: Callable[[PipelineConfig], str | None] | None,
        force: bool,
    ) -> None:
        self.tuner, self.operator, self.key, self.title, self.source = tuner, operator, key, title, source
        self.stored: dict[PipelineConfig, Record] = {}
        self.blacklist: frozenset[PipelineConfig] = frozenset()
        if tuner.store is not None:
            self.blacklist = tuner.store.blacklist(key, source)
            if not force:
                self.stored = {record.configuration: record for record in tuner.store.records(key)}
        self.measurements: dict[PipelineConfig, Measurement] = {}

    def known(self, heroes: Sequence[PipelineConfig]) -> Record | None:
        """Return the best stored record if a search was as long as it takes to try all heroes.

        One that was cut short is to be continued. Which candidates come before the later heroes is the strategy's to say.
        """
        if self.tuner.store is None:
            return None
        needed = sum(hero not in self.blacklist for hero in heroes)
        if sum(self._is_stored(configuration) for configuration in self.stored) < needed:
            return None
        return self.tuner.store.best(self.key, self.source)

    def _is_stored(self, configuration: PipelineConfig) -> bool:
        record = self.stored.get(configuration)
        return record is not None and (self.source is None or self.source(configuration) == record.source)

    def run(
        self, measure: AnyMeasure, heroes: Sequence[PipelineConfig], candidates: Sequence[PipelineConfig]
    ) -> TuningResult:
        """Search, then let the finalists compete in turns."""
        tuner = self.tuner
        seeds = tuple(hero for hero in heroes if hero not in self.blacklist)
        allowed = tuple(candidate for candidate in candidates if candidate not in self.blacklist)
        if not seeds and not allowed:
            raise TuningError(
                "there is no candidate to measure",
                hint="Widen the search space, or clear the store of what crashed",
                problem=self.title,
                blacklisted=len(self.blacklist),
            )
        found = tuner.search.run(
            allowed,
            _Remembering(self, measure),
            tuner.budget,
            seeds=seeds,
            prior=self._predict,
            rng_seed=tuner.rng_seed,
            progress=printed(tuner.progress, self.name),
            tie_margin=tuner.tie_margin,
        )
        if not found.history:
            raise TuningError(
                f"no candidate was measured: {found.stopped_because.value}",
                hint="Give more time: processes that measure take seconds to start on a busy machine",
                problem=self.title,
            )
        if found.best is None:
            errors = "; ".join(f"{e.configuration.describe()}: {e.error}" for e in found.history[:3])
            raise TuningError(
                f"none of {len(found.history)} candidates could be measured: {errors}",
                hint="Look at the first error, or give a larger budget",
                problem=self.title,
            )
        winner = self._final(measure, found, seeds)
        note = f"best of {len(found.history)} measured of {found.candidates} candidates; {found.stopped_because.value}"
        return self.result(winner, Origin.SEARCH, self.measurements[winner], found, note)

    def result(
        self,
        configuration: PipelineConfig,
        origin: Origin,
        measurement: Measurement | None = None,
        search: SearchResult | None = None,
        note: str = "",
    ) -> TuningResult:
        """Return the result with what the roofline says about it."""
        result = TuningResult(
            configuration=configuration,
            origin=origin,
            predicted_seconds=self._predict(configuration),
            key=self.key,
            measurement=measurement,
            search=search,
            note=note,
        )
        print_result(result, self.name)
        return result

    @property
    def name(self) -> str:
        """What is tuned, in words."""
        return self.title or self.operator.name or self.operator.op_type

    def _predict(self, configuration: PipelineConfig) -> float:
        return predict_seconds(configuration, self.tuner.profile, self.operator)

    def known_time(self, configuration: PipelineConfig) -> float | None:
        """Return the stored time of a configuration whose kernel has not changed, None where there is none."""
        stored = self.stored.get(configuration)
        if stored is None or stored.measurement is None or stored.source != self._source_of(configuration):
            return None
        self.measurements[configuration] = stored.measurement
        return stored.measurement.seconds

    def remember(self, configuration: PipelineConfig, outcome: float | Measurement | Exception) -> float | Exception:
        """Keep what measuring a configuration gave; return its seconds, or the error."""
        source = self._source_of(configuration)
        if isinstance(outcome, Exception):
            status = getattr(outcome, "status", Status.FAILED)
            self._keep(configuration, source, status if isinstance(status, Status) else Status.FAILED, error=outcome)
            return outcome
        measurement = outcome if isinstance(outcome, Measurement) else summarize([float(outcome)], method="given")
        self._keep(configuration, source, Status.OK, measurement)
        return measurement.seconds

    def _source_of(self, configuration: PipelineConfig) -> str:
        return (self.source(configuration) or "") if self.source else ""

    def _keep(
        self,
        configuration: PipelineConfig,
        source: str,
        status: Status,
        measurement: Measurement | None = None,
        error: Exception | None = None,
    ) -> None:
        if measurement is not None:
            self.measurements[configuration] = measurement
        if self.tuner.store is not None:
            self.tuner.store.add(
                Record(
                    key=self.key,
                    configuration=configuration,
                    source=source,
                    status=status,
                    measurement=measurement,
                    error=f"{type(error).__name__}: {error}" if error else "",
                    title=self.title,
                )
            )

    def _final(self, measure: AnyMeasure, found: SearchResult, seeds: Sequence[PipelineConfig]) -> PipelineConfig:
        """Return the winner, after the finalists were measured in turns if `measure` can do that."""
        assert found.best is not None
        finalists = tuple(dict.fromkeys((found.best, *found.ranked(FINALISTS))))
        if len(finalists) < 2 or not isinstance(measure, Measurer):
            return found.best
        try:
            measurements = tuple(measure.compare(finalists))
        except Exception as error:
            log.warning("the finalists could not be compared in turns, so single measurements decide: %s", error)
            return found.best
        for configuration, measurement in zip(finalists, measurements, strict=True):
            self._keep(configuration, self._source_of(configuration), Status.OK, measurement)
        final = [
            Evaluation(configuration=configuration, seconds=measurement.seconds, origin="final")
            for configuration, measurement in zip(finalists, measurements, strict=True)
        ]
        winner = choose_winner(final, seeds, self.tuner.tie_margin)
        return winner.configuration if winner else found.best


class _Remembering:
    """What a search is given: times from the store where a kernel has not changed, else measured and kept."""

    def __init__(self, session: Session, measure: AnyMeasure) -> None:
        self._session, self._measure = session, measure
        self.width = measure.width if isinstance(measure, SeveralMeasurer) else 1

    def __call__(self, configuration: PipelineConfig) -> float:
        known = self._session.known_time(configuration)
        if known is not None:
            return known
        try:
            outcome: float | Measurement | Exception = self._measure(configuration)
        except Exception as error:
            self._session.remember(configuration, error)
            raise
        seconds = self._session.remember(configuration, outcome)
        assert not isinstance(seconds, Exception)
        return seconds

    def several(self, configurations: Sequence[PipelineConfig]) -> list[float | Exception]:
        """Return the time of each, or its error; those that are not known are measured at once."""
        assert isinstance(self._measure, SeveralMeasurer)
        found: dict[PipelineConfig, float | Exception] = {}
        for configuration in configurations:
            known = self._session.known_time(configuration)
            if known is not None:
                found[configuration] = known
        rest = [configuration for configuration in configurations if configuration not in found]
        for configuration, outcome in zip(rest, self._measure.several(rest), strict=True):
            found[configuration] = self._session.remember(configuration, outcome)
        return [found[configuration] for configuration in configurations]

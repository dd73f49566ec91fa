# SPDX-License-Identifier: MIT
"""From a problem to its configuration: pinned, remembered, searched for, or guessed, and the result says which.

The order is that of trust and cost: a lock file is the user's word, a stored measurement was paid for already, a search
costs its budget, and the policy's first hero is what remains where nothing can be measured. What measures is handed in:
the tuner knows neither compilers nor devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tracea_core.environment import is_on
from tracea_core.errors import DeviceError, TuningError
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile
from tracea_core.tuner.bayes import GaussianProcessSearch
from tracea_core.tuner.lock import LockFile
from tracea_core.tuner.measure import Measurement, summarize
from tracea_core.tuner.printing import FORCE, print_result, printed
from tracea_core.tuner.problem import Device, DeviceBackend, LayerType, ProblemDescriptor, Shape
from tracea_core.tuner.record import Key, Record, Status, hardware_fingerprint
from tracea_core.tuner.result import AnyMeasure, MeasureFactory, Measurer, Origin, TuningResult
from tracea_core.tuner.search import (
    TIE_MARGIN,
    Budget,
    Evaluation,
    Progress,
    Search,
    SearchResult,
    choose_winner,
    log,
)
from tracea_core.tuner.space import SearchSpace
from tracea_core.tuner.store import MeasurementStore

__all__ = [
    "AutoTuner",
    "Device",
    "DeviceBackend",
    "LayerType",
    "Measurer",
    "Origin",
    "ProblemDescriptor",
    "Shape",
    "TuningResult",
]

FINALISTS = 3
"""How many of the fastest are measured again in turns."""


class AutoTuner:
    """Finds configurations for one device.

    Parameters
    ----------
    gpu : CapabilityProfile
        The device: probed, or a preset such as ``GPUInfo.rtx3070()``. CPUs are welcome too.
    measure_factory : callable, optional
        Returns what measures configurations of a problem. Without one (and without ``measure`` in `optimize`) the result
        is the policy's best guess, and says so.
    store : MeasurementStore, optional
        Where measurements are kept and looked up.
    lock : LockFile, optional
        Pinned choices.
    search : Search, optional
        The strategy; by default a Gaussian process with expected improvement, which needed the fewest evaluations on recorded
        landscapes.
    budget : Budget
        Limits of one search.
    progress : callable, optional
        Called after each evaluation.
    driver, compiler : str
        Names with versions, as parts of the key under which times are kept.
    tie_margin : float
        See `SequentialSearch.run`.

    Examples
    --------
    >>> from tracea_core.doctor.presets import GPUInfo
    >>> tuner = AutoTuner(GPUInfo.rtx3070())
    >>> problem = ProblemDescriptor(device=Device.Cuda(0), layer_type=LayerType.Gemm, shape=Shape(2048, 2048, 2048))
    >>> tuner.optimize(problem).origin
    <Origin.MODEL: 'model, not measured'>
    """

    def __init__(
        self,
        gpu: CapabilityProfile,
        *,
        measure_factory: MeasureFactory | None = None,
        store: MeasurementStore | None = None,
        lock: LockFile | None = None,
        search: Search | None = None,
        budget: Budget | None = None,
        progress: Callable[[Progress], None] | None = None,
        driver: str = "",
        compiler: str = "",
        tie_margin: float = TIE_MARGIN,
        rng_seed: int = 0,
    ) -> None:
        self.profile = gpu
        self.measure_factory = measure_factory
        self.store = store
        self.lock = lock or LockFile()
        self.search: Search = search or GaussianProcessSearch()
        self.budget = budget or Budget()
        self.progress = progress
        self.driver, self.compiler = driver, compiler
        self.tie_margin, self.rng_seed = tie_margin, rng_seed

    def optimize(
        self,
        problem: ProblemDescriptor | OperatorTopology,
        measure: AnyMeasure | None = None,
        *,
        space: SearchSpace | None = None,
        decision: PolicyDecision | None = None,
        valid: Callable[[PipelineConfig], str | None] | None = None,
        key: Key | None = None,
        title: str = "",
        source: Callable[[PipelineConfig], str | None] | None = None,
        force: bool = False,
    ) -> TuningResult:
        """Return the configuration for `problem`.

        Parameters
        ----------
        problem : ProblemDescriptor or OperatorTopology
            What is to be computed.
        measure : callable, optional
            Measures a configuration (see `Measurer`); instead of the tuner's `measure_factory`.
        space : SearchSpace, optional
            What to search, instead of what the policy prescribes.
        decision : PolicyDecision, optional
            The policy's decision, if it has been made (for a chosen variant, say).
        valid : callable, optional
            Returns why a configuration cannot run, or None; by default the budgets of the profile.
        key : Key, optional
            What times are comparable with; by default made from hardware, driver, compiler and `problem`.
        title : str
            The problem in words, for exports.
        source : callable, optional
            Digest of the source of a configuration (see `MeasurementStore.best`); stored times of other sources do not
            count.
        force : bool
            Search and measure again whatever is stored, as ``TRACEA_FORCE_AUTOTUNE`` makes every search do. Pins still hold.

        Raises
        ------
        TuningError
            If every candidate failed (the message has the first errors), or `problem` is none.
        ConfigurationError
            If nothing in the space can run on the device.
        DeviceError
            If the problem is for a device of another backend.
        """
        operator, force = self._operator(problem), force or is_on(FORCE)
        if isinstance(problem, ProblemDescriptor):
            title = title or problem.title()
        decision = decision or PolicyEngine(self.profile).decide(operator)
        key = key or Key(
            hardware=hardware_fingerprint(self.profile),
            driver=self.driver,
            compiler=self.compiler,
            problem=operator.replace(op_id=0, name="").digest(),
        )
        session = _Session(self, operator, key, title, source, force)
        pinned = self.lock.find(hardware=key.hardware, problem=key.problem, variant=key.variant)
        if pinned is not None:
            return session.result(pinned, Origin.LOCK, note="pinned in the lock file")
        allowed = valid or (lambda configuration: budget_reason(configuration, self.profile, operator))
        heroes = tuple(hero for hero in decision.heroes if allowed(hero) is None)
        if not force and (known := session.known(heroes)) is not None and known.measurement is not None:
            note = f"measured before ({known.measurement.describe()})"
            return session.result(known.configuration, Origin.STORE, known.measurement, note=note)
        if measure is None and self.measure_factory is not None:
            measure = self.measure_factory(problem)
        if measure is None:
            why = "no measure callable was given" if self.profile.probed else f"{self.profile.name} is a preset"
            note = f"the policy's best guess: nothing was measured, since {why}"
            return session.result(heroes[0] if heroes else decision.hero, Origin.MODEL, note=note)
        candidates = (space or SearchSpace.of(decision.space)).candidates(allowed)
        best = self.store.best(key, source) if self.store is not None else None
        incumbent = (best.configuration,) if best is not None and allowed(best.configuration) is None else ()
        return session.run(measure, (*incumbent, *heroes), candidates)

    def _operator(self, problem: ProblemDescriptor | OperatorTopology) -> OperatorTopology:
        if isinstance(problem, OperatorTopology):
            return problem
        if not isinstance(problem, ProblemDescriptor):
            raise TuningError(f"a problem is a ProblemDescriptor or an OperatorTopology, not {problem!r}")
        if problem.device.backend != self.profile.backend:
            raise DeviceError(
                f"the problem is for {problem.device.name}, the tuner for {self.profile.name} ({self.profile.backend})",
                hint="Give both the same backend",
                device=problem.device.name,
            )
        return problem.topology()


class _Session:
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
            lambda configuration: self._measure(measure, configuration),
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

    def _measure(self, measure: AnyMeasure, configuration: PipelineConfig) -> float:
        """Return the time of a configuration, from the store if its kernel has not changed, and keep what was measured."""
        source = (self.source(configuration) or "") if self.source else ""
        stored = self.stored.get(configuration)
        if stored is not None and stored.measurement is not None and stored.source == source:
            self.measurements[configuration] = stored.measurement
            return stored.measurement.seconds
        try:
            measured = measure(configuration)
            measurement = (
                measured if isinstance(measured, Measurement) else summarize([float(measured)], method="given")
            )
        except Exception as error:
            status = getattr(error, "status", Status.FAILED)
            self._keep(configuration, source, status if isinstance(status, Status) else Status.FAILED, error=error)
            raise
        self._keep(configuration, source, Status.OK, measurement)
        return measurement.seconds

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
            source = (self.source(configuration) or "") if self.source else ""
            self._keep(configuration, source, Status.OK, measurement)
        final = [
            Evaluation(configuration=configuration, seconds=measurement.seconds, origin="final")
            for configuration, measurement in zip(finalists, measurements, strict=True)
        ]
        winner = choose_winner(final, seeds, self.tuner.tie_margin)
        return winner.configuration if winner else found.best

# SPDX-License-Identifier: MIT
"""From a problem to its configuration: pinned, remembered, searched for, or guessed, and the result says which.

The order is that of trust and cost: a lock file is the user's word, a stored measurement was paid for already, a search
costs its budget, and the policy's first hero is what remains where nothing can be measured. What measures is handed in:
the tuner knows neither compilers nor devices.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.environment import is_on
from tracea_core.errors import DeviceError, TuningError
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile
from tracea_core.tuner.bayes import GaussianProcessSearch
from tracea_core.tuner.lock import LockFile
from tracea_core.tuner.printing import FORCE
from tracea_core.tuner.problem import Device, DeviceBackend, LayerType, ProblemDescriptor, Shape
from tracea_core.tuner.record import Key, hardware_fingerprint
from tracea_core.tuner.result import AnyMeasure, MeasureFactory, Measurer, Origin, TuningResult
from tracea_core.tuner.search import TIE_MARGIN, Budget, Progress, Search
from tracea_core.tuner.session import Session
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
        session = Session(self, operator, key, title, source, force)
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

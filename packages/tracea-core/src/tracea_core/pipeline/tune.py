# SPDX-License-Identifier: MIT
"""Tuning real kernels: the search proposes, a disposable worker builds, verifies and times, the store remembers.

Times are filed under the key that `tracea_core.pipeline.configure` looks up, so the next plan of the same class uses them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from tracea_core.doctor.choose import Choice
from tracea_core.errors import DeviceError, OptionError
from tracea_core.ops.expr import Call, walk
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.cluster import Runner, measuring_workers
from tracea_core.pipeline.configure import lock_file, problem_class, store, store_key
from tracea_core.pipeline.offered import has_scratch, variants_of
from tracea_core.pipeline.parts import around_of, parts_of
from tracea_core.pipeline.path import source_digest
from tracea_core.plugin.select import Selection, resolve
from tracea_core.policy.arrange import arranged
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.restated import restated
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.forms import lower_any
from tracea_core.tuner.auto import AutoTuner, TuningResult
from tracea_core.tuner.lock import Pin
from tracea_core.tuner.measure import Measurement
from tracea_core.tuner.record import hardware_fingerprint
from tracea_core.tuner.search import Budget, Progress, Search

_ENTRY = "tracea_core.pipeline.measure_task:measure"
_SECONDS_PER_CANDIDATE = 60.0


class KernelMeasurer:
    """Measures configurations of one problem in worker processes (see `tracea_core.tuner.result.SeveralMeasurer`).

    Parameters
    ----------
    workers : sequence of Runner
        One for each device; the devices are alike.
    """

    def __init__(self, problem: Problem, device: str, backend: str, workers: Sequence[Runner]) -> None:
        called = next((node for node in walk(problem.epilogue.expr) if isinstance(node, Call)), None)
        if called is not None:
            raise OptionError(
                f"kernels are measured in another process, which has not met the Python function {called.name}",
                hint="Leave its configuration to the model, or write the function so that it can be traced",
            )
        self._problem, self._device, self._backend, self._workers = problem.to_json(), device, backend, tuple(workers)

    def __call__(self, configuration: PipelineConfig) -> Measurement:
        """Return the time of one configuration; a crash, a timeout or a wrong result fails it."""
        return self._run(self._workers[0], (configuration,))[0]

    @property
    def width(self) -> int:
        """How many configurations are measured at once."""
        return len(self._workers)

    def several(self, configurations: Sequence[PipelineConfig]) -> list[Measurement | Exception]:
        """Return the time of each configuration, or its error, measured by one worker each."""
        with ThreadPoolExecutor(len(self._workers)) as pool:
            workers = itertools.cycle(self._workers)
            return list(pool.map(self._attempt, workers, configurations))

    def _attempt(self, worker: Runner, configuration: PipelineConfig) -> Measurement | Exception:
        try:
            return self._run(worker, (configuration,))[0]
        except Exception as error:
            return error

    def compare(self, configurations: Sequence[PipelineConfig]) -> Sequence[Measurement]:
        """Return the times of several configurations, measured in turns on one device."""
        return self._run(self._workers[0], tuple(configurations))

    def _run(self, worker: Runner, configurations: tuple[PipelineConfig, ...]) -> list[Measurement]:
        payload = {
            "problem": self._problem,
            "configurations": [configuration.to_json() for configuration in configurations],
            "device": worker.device or self._device,
            "backend": self._backend,
        }
        answer = worker.run(_ENTRY, payload, _SECONDS_PER_CANDIDATE * len(configurations))
        return [Measurement.from_json(text) for text in msgspec.convert(answer, list[str])]


def tune(
    problem: Problem,
    device: str | None = None,
    backend: str | None = None,
    *,
    budget: Budget | None = None,
    search: Search | None = None,
    progress: Callable[[Progress], None] | None = None,
    force: bool = False,
    measured: bool = True,
    scheduler: str | None = None,
) -> TuningResult:
    """Return the best configuration found for `problem` on a device, measured on real kernels.

    Parameters
    ----------
    budget : Budget, optional
        Limits on evaluations and wall-clock seconds.
    search : Search, optional
        Strategy; a Gaussian process by default.
    progress : callable, optional
        Called after each evaluation.
    force : bool
        Measure again whatever is stored.
    measured : bool
        Whether to measure at all; otherwise the result is what is pinned, stored, or the policy's best guess.
    scheduler : str, optional
        Where else to measure, several candidates at once: see `tracea_core.pipeline.cluster.measuring_workers`.

    Raises
    ------
    TuningError
        If every candidate failed.
    DeviceError
        If the target is a preset, or its backend can be given no arrays to measure on.
    OptionError
        If the problem runs as several that are tuned one by one (`tuned_problems`).
    """
    if len(several := tuned_problems(problem, device, backend)) > 1:
        raise OptionError(
            f"this runs as {len(several)} convolutions with a configuration each",
            op="conv_transpose2d",
            hint="Tune each of tracea_core.pipeline.tune.tuned_problems(problem), as `tracea tune` does",
        )
    problem = several[0]
    selection = resolve(device, backend)
    target = selection.target
    if not target.executable:
        raise DeviceError(f"{target.device} is a published profile, not a device", hint="Tune on the device itself")
    choice = _contraction(problem, selection)
    lowered = lower_any(choice.problem, choice.variant)
    engine, operator = PolicyEngine(target.profile), topology_of(choice.problem, choice.variant)
    with measuring_workers(target, scheduler if measured else None) as workers:
        tuner = AutoTuner(
            target.profile, store=store(), lock=lock_file(), search=search, budget=budget, progress=progress
        )
        return tuner.optimize(
            operator,
            KernelMeasurer(choice.problem, target.device, target.backend, workers) if measured else None,
            decision=engine.decide(choice.problem, choice.variant),
            valid=lambda configuration: engine.fits(configuration, operator),
            key=store_key(choice, lowered),
            title=lowered.form.title,
            source=lambda configuration: source_digest(selection, choice, configuration),
            force=force,
        )


def tuned_problems(problem: Problem, device: str | None = None, backend: str | None = None) -> tuple[Problem, ...]:
    """Return the problems whose configurations `problem` runs with: itself, or those of its parts that multiply."""
    selection = resolve(device, backend)
    around = around_of(problem, selection)
    if around is not None:
        return tuned_problems(around.problem, device, backend)
    parts = parts_of(problem, selection)
    if parts and type(parts[0].problem.op) is type(problem.op):  # of some images each, all alike
        return tuned_problems(parts[0].problem, device, backend)
    return tuple(part.problem for part in parts if part.problem.flops()) if parts else (problem,)


def _contraction(problem: Problem, selection: Selection) -> Choice:
    """The choice for what is tuned: in a plan of several kernels, the contraction that reads and writes workspaces."""
    target = selection.target
    problem = restated(problem, target.profile)
    return arranged(problem, target, variants_of(selection), several=has_scratch(target))[0].choice


def pin(problem: Problem, result: TuningResult, device: str | None = None, backend: str | None = None) -> Pin:
    """Return the entry of a lock file that makes `problem`'s class use the configuration of `result`."""
    selection = resolve(device, backend)
    choice = _contraction(problem, selection)
    lowered = lower_any(choice.problem, choice.variant)
    return Pin(
        hardware=hardware_fingerprint(selection.target.profile),
        problem=problem_class(lowered),
        variant=choice.variant.name,
        configuration=result.configuration,
        title=lowered.form.title,
    )

# SPDX-License-Identifier: MIT
"""One kernel of a backend in the emulator, and every problem that it serves: other sizes and strides through the same text.

This is how numerics are examined in bulk: compiling takes seconds and a small launch milliseconds, so many random problems go
through few kernels. Each runs on poisoned memory between guard bands, is compared with float64, and fails on any finding.
"""

from __future__ import annotations

import dataclasses

from tracea_core.doctor.choose import choose
from tracea_core.emit.source import KernelSource
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.semantic.forms import AnyLowered, lower_any
from tracea_core.testing.cases import Case
from tracea_core.testing.execute import check_run
from tracea_core.testing.executions import Executions
from tracea_core.testing.simt.report import Finding, SimtReport
from tracea_core.testing.simt.runtime import SimtRuntime, emulated
from tracea_core.testing.subject import Subject, Walked


class Served:
    """The kernel that a backend prints for the class of a problem.

    Parameters
    ----------
    manifest : BackendManifest
        A backend whose language the emulator knows.
    device : str
        The preset to emulate.
    problem : Problem
        Any problem of the class; the kernel is configured for its size.
    configuration : PipelineConfig, optional
        Use this one instead of the policy's first that can be built.
    variant : str, optional
        Use the kind of kernel of this name instead of the best.
    executions : Executions, optional
        Launches that are known to end well, and are not repeated.

    Raises
    ------
    UnsupportedError
        If no kind of kernel takes the problem.
    ConfigurationError
        If the configuration does not fit.
    """

    def __init__(
        self,
        manifest: BackendManifest,
        device: str,
        problem: Problem,
        configuration: PipelineConfig | None = None,
        variant: str | None = None,
        executions: Executions | None = None,
    ) -> None:
        self._print(emulated(manifest, device, executions=executions), problem, configuration, variant)

    @classmethod
    def on_first_device(
        cls,
        manifest: BackendManifest,
        problem: Problem,
        configuration: PipelineConfig | None = None,
        variant: str | None = None,
    ) -> Served:
        """Return a kernel that runs on the first device that `manifest` reports, not in the emulator."""
        served = cls.__new__(cls)
        served._print(manifest, problem, configuration, variant)
        return served

    def _print(
        self, manifest: BackendManifest, problem: Problem, configuration: PipelineConfig | None, variant: str | None
    ) -> None:
        target = manifest.probe().devices[0]
        listed = [v for v in manifest.variants(target.profile) if variant in (None, v.name)]
        chosen = choose(problem, target, tuple(listed)).variant
        self._subject = Subject(manifest, target, chosen)
        self._walked = self._subject.walk(Case("printed for", problem), configuration)
        self._form = self._lowered(self._walked.problem).form

    @property
    def source(self) -> KernelSource:
        """The text that every problem goes through."""
        return self._walked.source

    @property
    def configuration(self) -> PipelineConfig:
        """What the kernel was built from."""
        return self._walked.configuration

    @property
    def variant(self) -> str:
        """Name of the kind of kernel."""
        return self._subject.variant.name

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the emulator found in the last launch; nothing on other devices."""
        runtime = self._emulator()
        return runtime.reports[-1].findings if runtime and runtime.reports else ()

    def _emulator(self) -> SimtRuntime | None:
        runtime = self._subject.runtime()
        return runtime if isinstance(runtime, SimtRuntime) else None

    def _lowered(self, problem: Problem) -> AnyLowered:
        return lower_any(problem, self._subject.variant)

    def refusal(self, problem: Problem) -> str:
        """Return why the kernel does not serve `problem`; empty if it does."""
        lowered = self._lowered(problem)
        if lowered.form != self._form:
            return "its form is another one"
        outside = [s.name for s in self.source.symbols if not s.admits(lowered.symbols.get(s.name, s.minimum))]
        return f"{', '.join(outside)} lie outside what the kernel serves" if outside else ""

    def run(self, problem: Problem, seed: int = 1) -> SimtReport:
        """Run `problem` on random numbers and return what the emulator saw; other devices see nothing.

        Parameters
        ----------
        seed : int
            Of the numbers, and of the order in which threads run.

        Raises
        ------
        ConformanceError
            If the result is wrong, memory beside it was written, or the emulator finds a fault.
        ConfigurationError
            If the kernel does not serve the problem.
        """
        refused = self.refusal(problem)
        if refused:
            raise ConfigurationError(f"this kernel does not serve the problem: {refused}", kernel=self.source.entry)
        lowered = self._lowered(problem)
        walked: Walked = dataclasses.replace(
            self._walked,
            case=Case(f"problem {seed}", problem),
            problem=problem,
            lowered=lowered,
            symbols=launch_symbols(
                lowered, self.configuration, self._subject.target.profile, self._subject.variant.schedule
            ),
        )
        runtime = self._emulator()
        if runtime is not None:
            runtime.seed = seed
        check_run(self._subject, walked)
        return runtime.reports[-1] if runtime is not None else SimtReport((), 0, {}, 0, tuple)

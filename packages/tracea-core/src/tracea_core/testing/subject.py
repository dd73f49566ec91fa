# SPDX-License-Identifier: MIT
"""What is examined: a variant of a backend on one of its targets, and its cases walked down to emitted source, each once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_names, preset_target
from tracea_core.doctor.variants import Variant
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CertificationError, ConfigurationError, ScheduleError, UnsupportedError
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import Configured, Origin, replacements
from tracea_core.pipeline.path import build, emit
from tracea_core.plugin.manager import plugins
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.plugin.select import Selection
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.runtime.interface import CompiledKernel, Runtime
from tracea_core.semantic.build.schedules import first_buildable, launch_symbols
from tracea_core.semantic.forms import AnyLowered, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import Target
from tracea_core.testing.cases import Case, cases
from tracea_core.testing.errors import ConformanceError, demand

_MOST_PRESETS = 2
_Made = TypeVar("_Made")


class Unserved(Exception):
    """A case that a variant's requirements exclude, or a device that cannot be reached: to be skipped, not failed."""


@dataclass(frozen=True)
class Walked:
    """A case with everything that core made of it on the way to its source."""

    case: Case
    problem: Problem
    lowered: AnyLowered
    configuration: PipelineConfig
    kernel: SemanticKernel
    certificate: Certificate
    source: KernelSource
    symbols: dict[str, int]


@dataclass(eq=False)
class Subject:
    """One variant on one target."""

    manifest: BackendManifest
    target: Target
    variant: Variant
    _walked: dict[tuple[str, PipelineConfig | None], Walked | Unserved] = field(default_factory=dict)
    _runtimes: list[Runtime] = field(default_factory=list)
    _compiled: dict[str, CompiledKernel] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How reports call it."""
        return f"{self.target.device}/{self.variant.name}"

    def cases(self, every: bool = False) -> tuple[Case, ...]:
        """Return the cases it is examined with: a fifth of them for a published profile, of which only text is looked at, or every one."""
        found = cases(self.variant)
        return found if every or self.target.executable else found[::5]

    def walk(self, case: Case, configuration: PipelineConfig | None = None) -> Walked:
        """Choose, configure, build, certify and emit `case`.

        Raises
        ------
        Unserved
            If the variant's requirements exclude it.
        ConformanceError
            If the variant has no emitter.
        TraceaError
            If core or the emitter refuses.
        """
        key = (case.name, configuration)
        if key not in self._walked:
            self._walked[key] = self._walk(case, configuration)
        found = self._walked[key]
        if isinstance(found, Unserved):
            raise found
        return found

    def _walk(self, case: Case, configuration: PipelineConfig | None) -> Walked | Unserved:
        try:
            choice = choose(case.problem, self.target, (self.variant,))
        except UnsupportedError as error:
            return Unserved(error.message)
        profile = self.target.profile
        heroes = PolicyEngine(profile).decide(choice.problem, self.variant).heroes
        chosen = configuration or first_buildable(
            lower_any(choice.problem, choice.variant), heroes, profile, self.variant
        )
        lowered, kernel, certificate = build(choice, chosen)
        source = emit(Selection(self.target, self.manifest), choice, kernel, certificate)
        demand(
            source is not None, "every family that a backend has variants of has an emitter", family=self.variant.family
        )
        if not isinstance(source, KernelSource):
            raise ConformanceError(f"the emitter returned a {type(source).__name__}, not a KernelSource")
        symbols = launch_symbols(lowered, chosen, profile, self.variant.schedule)
        return Walked(case, choice.problem, lowered, chosen, kernel, certificate, source, symbols)

    def kept(self, walked: Walked, make: Callable[[KernelSource], _Made]) -> tuple[Walked, _Made]:
        """Return what a compiler makes of a case, and the case as it did: by the first configuration whose schedule it keeps.

        A call takes the next one, too, where the first spills (`tracea_core.pipeline.configure.replacements`). A text that the compiler
        rejects is a fault.

        Raises
        ------
        ScheduleError
            What was said of the first, if the compiler keeps none.
        TraceaError
            Whatever else `make` raises.
        """
        try:
            return walked, make(walked.source)
        except ScheduleError:
            profile = self.target.profile
            decision = PolicyEngine(profile).decide(walked.problem, self.variant)
            for hero in replacements(Configured(walked.configuration, Origin.HERO, decision)):
                with contextlib.suppress(ConfigurationError, CertificationError, ScheduleError):
                    served = first_buildable(walked.lowered, (hero,), profile, self.variant)
                    other = self.walk(walked.case, served)
                    return other, make(other.source)
            raise

    def served(self, every: bool = False) -> Iterator[Walked]:
        """Yield every case that the variant takes, walked; those of `cases`."""
        for case in self.cases(every):
            try:
                yield self.walk(case)
            except Unserved:
                continue  # its own test is skipped with the reason

    def runtime(self) -> Runtime:
        """Return the device, opened once."""
        if not self._runtimes:
            self._runtimes.append(self.manifest.open_runtime(self.target.device))
        return self._runtimes[0]

    def compiled(self, source: KernelSource) -> CompiledKernel:
        """Return `source` compiled, once."""
        key = source.text_digest + source.kernel_digest  # equal texts may serve other sizes
        if key not in self._compiled:
            self._compiled[key] = self.runtime().compile(source)
        return self._compiled[key]

    def random(self, case: Case) -> np.random.Generator:
        """Return a generator that gives every case its own numbers, the same in every run."""
        return np.random.default_rng(list(f"{self.name}/{case.name}".encode()))


def targets(manifest: BackendManifest) -> tuple[Target, ...]:
    """Return what the backend can be examined on: its devices, or published profiles of them; none if its probe fails.

    The failure itself is the probe's own check.
    """
    try:
        report = manifest.probe()
    except Exception:
        return ()
    if isinstance(report, ProbeReport) and report.devices:
        return report.devices[:1]
    presets = map(preset_target, published(manifest.name)[:_MOST_PRESETS])
    return tuple(Target(manifest.name, known.device, known.profile) for known in presets)


def published(backend: str) -> list[str]:
    """Return the published devices of a backend's name; if there are none, of the backends that share its distribution."""
    found = _named(backend)
    if found:
        return found
    records = plugins().records()
    brought_by = {record.distribution for record in records if record.name == backend}
    siblings = sorted({record.name for record in records if record.distribution in brought_by})
    return [device for sibling in siblings for device in _named(sibling)]


def _named(backend: str) -> list[str]:
    return [name for name in preset_names() if preset_target(name).backend == backend]


def subjects(manifest: BackendManifest) -> tuple[Subject, ...]:
    """Return every variant on every target; none where the backend fails to list them (which has a check of its own)."""
    found: list[Subject] = []
    for target in targets(manifest):
        try:
            listed = tuple(manifest.variants(target.profile))
        except Exception:
            listed = ()
        found += [Subject(manifest, target, variant) for variant in listed if isinstance(variant, Variant)]
    return tuple(found)

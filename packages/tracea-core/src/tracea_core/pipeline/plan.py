# SPDX-License-Identifier: MIT
"""Plans: what a call needs on every repetition, and nothing else.

The first call with a signature walks the path and compiles; the plan it leaves behind packs pointers and launches. Kernels are
shared between plans: another shape of the same class finds its kernel compiled.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from tracea_core.errors import (
    BackendUnavailableError,
    CertificationError,
    CompileError,
    ConfigurationError,
    DeviceError,
)
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import Origin
from tracea_core.pipeline.path import Path, trace
from tracea_core.pipeline.runtimes import compiled
from tracea_core.policy.config import PipelineConfig
from tracea_core.runtime.interface import Launcher
from tracea_core.semantic.build.schedules import launch_symbols

_LOG = logging.getLogger("tracea")


@dataclass(frozen=True)
class Plan:
    """A launchable: `launch(*pointers, stream=…)` with one address for each entry of `operands`.

    Attributes
    ----------
    operands : tuple of str
        What each pointer is: ``input0``, ``input1``, ``output``, ``epilogue0``, …, in the order of the kernel's parameters.
    """

    path: Path
    launch: Launcher
    operands: tuple[str, ...]


def plan(
    problem: Problem,
    device: str | None = None,
    backend: str | None = None,
    configuration: PipelineConfig | None = None,
) -> Plan:
    """Return the plan of `problem` on a device.

    Where neither the caller nor a measurement chose the configuration and the device's compiler cannot keep its schedule (it spills,
    say), the policy's next configurations are tried.

    Raises
    ------
    TraceaError
        As `trace`; also `BackendUnavailableError` if the backend prints no kernels of this family, `DeviceError` for a
        preset, and `CompileError`.
    """
    path = trace(problem, device, backend, configuration=configuration)
    try:
        return plan_of(path)
    except CompileError as error:
        if path.configured.origin is not Origin.HERO:
            raise
        others = [hero for hero in path.configured.decision.heroes if hero != path.configuration]
        found = _first_compiling(problem, device, backend, others)
        if found is None:
            raise
        _LOG.info("%s replaces %s: %s", found.path.configuration.describe(), path.configuration.describe(), error)
        return found


def _first_compiling(
    problem: Problem, device: str | None, backend: str | None, configurations: list[PipelineConfig]
) -> Plan | None:
    for configuration in configurations:
        try:
            return plan_of(trace(problem, device, backend, configuration=configuration))
        except (CompileError, ConfigurationError, CertificationError) as error:
            _LOG.debug("%s does not do: %s", configuration.describe(), error)
    return None


def plan_of(path: Path) -> Plan:
    """Return the plan at the end of a path: compile (or find) its kernel and bind its symbols."""
    target = path.target
    if not target.executable:
        raise DeviceError(
            f"{target.device} is a published profile, not a device",
            hint="Explain and emit work for it; launching does not",
        )
    if path.source is None:
        raise BackendUnavailableError(
            f"the backend {target.backend!r} prints no {path.choice.variant.family} kernels in this version",
            hint="Use another backend, or backend='auto'",
            variant=path.choice.variant.name,
        )
    kernel = compiled(target.backend, target.device, path.source)
    schedule = path.choice.variant.schedule
    symbols = launch_symbols(path.lowered, path.configuration, target.profile, schedule)
    return Plan(path, kernel.prepare(symbols), path.lowered.operands)

# SPDX-License-Identifier: MIT
"""Plans: what a call needs on every repetition, and nothing else.

The first call with a signature walks the path and compiles; the plan it leaves behind packs pointers and launches. Kernels are
shared between plans: another shape of the same class finds its kernel compiled.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from tracea_core.emit.source import KernelSource
from tracea_core.environment import INTERPRET, is_on
from tracea_core.errors import (
    BackendUnavailableError,
    CacheMissError,
    CertificationError,
    CompileError,
    ConfigurationError,
    DeviceError,
)
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import Origin, replacements
from tracea_core.pipeline.known import Known, KnownStep, forget, plan_key, recall, remember
from tracea_core.pipeline.parts import around_of, parts_of
from tracea_core.pipeline.passes import Pass, contraction_operands, scratch
from tracea_core.pipeline.path import Path, certificate_cache, in_phases, retrace, select, surrounded, trace
from tracea_core.pipeline.runtimes import compiled, runtime
from tracea_core.plugin.select import resolve
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.output_phases import phases_on
from tracea_core.runtime.interface import Launcher, ScratchRuntime
from tracea_core.runtime.sequence import Call, Sequence
from tracea_core.semantic.build.schedules import first_buildable, launch_symbols
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.widths import require_widths
from tracea_core.target import Target

_LOG = logging.getLogger("tracea")
_ONLY_KNOWN = "TRACEA_ASSERT_CACHE_HIT"
_WHOLE = "whole_"
"""What begins the names of workspaces that all phases of a plan share."""
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Plan:
    """A launchable: `launch(*pointers, stream=…)` with one address for each entry of `operands`.

    Attributes
    ----------
    made : Path, or callable that returns it
        How it came about. That of a plan which was known is walked again when somebody looks (`path`).
    operands : tuple of str
        What each pointer is: ``input0``, ``input1``, ``output``, ``epilogue0``, …, in the order of the kernel's parameters (in a
        plan of several kernels, in the order in which they are first used).
    known : Known, optional
        Its kernels' texts, certificates and launch facts.
    """

    made: Path | Callable[[], Path]
    launch: Launcher
    operands: tuple[str, ...]
    known: Known | None = None

    @property
    def path(self) -> Path:
        """Every stage of how it came about."""
        return self.made if isinstance(self.made, Path) else self.made()


def plan(
    problem: Problem,
    device: str | None = None,
    backend: str | None = None,
    configuration: PipelineConfig | None = None,
) -> Plan:
    """Return the plan of `problem` on a device.

    A plan that was made before, by this process or another, for the same problem, target, compiler, configuration, pins, measurements and
    code is not made again (`tracea_core.pipeline.known`). Where neither the caller nor a measurement chose the configuration and the
    device's compiler cannot keep its schedule (it spills, say), the policy's next configurations are tried, and after those of a plan of
    several kernels one kernel alone.

    Raises
    ------
    CacheMissError
        If the plan was not made before and ``TRACEA_ASSERT_CACHE_HIT`` is on.
    TraceaError
        As `trace`; also `BackendUnavailableError` if the backend prints no kernels of this family, `DeviceError` for a
        preset, and `CompileError`.
    """
    if is_on(INTERPRET):
        return _interpreted(problem, device, backend, configuration)
    selection = select(device, backend)
    key, cache = plan_key(problem, selection, configuration), certificate_cache()
    found = None if key is None else recall(key, cache)
    if key is not None and found is not None:
        try:
            launch, operands = _launching(found, selection.target)
        except CompileError:
            forget(key, cache)
        else:
            walk = functools.cache(lambda: _walked(problem, device, backend, configuration).path)
            return Plan(walk, launch, operands, found)
    if is_on(_ONLY_KNOWN):
        raise CacheMissError(
            f"no plan of {type(problem.op).__name__} is in the cache, and {_ONLY_KNOWN} is set",
            hint=f"Make it in a process without {_ONLY_KNOWN}, with the same code, compiler, lock file and measurements",
            inputs=[f"{spec.dtype.value} {spec.shape}" for spec in problem.inputs], device=selection.target.device,
        )  # fmt: skip
    made = _walked(problem, device, backend, configuration)
    if key is not None and made.known is not None:
        remember(key, made.known, cache)
    return made


def _interpreted(
    problem: Problem, device: str | None, backend: str | None, configuration: PipelineConfig | None
) -> Plan:
    """Return the plan whose kernels are interpreted, those of a preset if one is named."""
    from tracea_core.pipeline.interpreted import interpreted_launch, require_forwards, require_host, whose_kernels

    require_host(device)
    whose = whose_kernels()
    preset = whose or None
    place = None if preset else device
    if isinstance(problem.op, ConvTranspose2dOp):
        profile = resolve(place, backend, preset).target.profile
        parts = phases_on(problem, profile)
        phases = [
            (one, trace(one.problem, place, backend, preset=preset, configuration=configuration)) for one in parts
        ]
        for one in parts:
            require_forwards(one.problem)
        path, stated = in_phases(problem, phases), problem
    else:
        path = trace(problem, place, backend, preset=preset, configuration=configuration)
        stated = path.choice.problem if path.arrangement.kernels == 1 else path.problem
    known, steps = known_of(path), _steps(path)
    given = tuple(dict.fromkeys(name for step in steps for name in step.operands if name not in known.spaces))
    walked = [(step.kernel, step.symbols, step.operands, step.shifts) for step in steps]
    return Plan(path, interpreted_launch(stated, walked, given, known.spaces, whose), given, known)


def _walked(problem: Problem, device: str | None, backend: str | None, configuration: PipelineConfig | None) -> Plan:
    """Return the plan at the end of a path that is walked now."""
    selection, free = select(device, backend), configuration is None
    around = around_of(problem, selection, several=free)
    if around is not None:
        inner = _walked(around.problem, device, backend, configuration).path
        return plan_of(surrounded(problem, around, inner, selection))
    parts = parts_of(problem, selection, several=free)
    if parts:
        phases = [(one, _walked(one.problem, device, backend, configuration).path) for one in parts]
        return plan_of(in_phases(problem, phases))
    path = trace(problem, device, backend, configuration=configuration)
    try:
        return keeping(path, plan_of)
    except CompileError:
        found = None
        if path.configured.origin in (Origin.HERO, Origin.SHIPPED) and path.arrangement.kernels > 1:
            with contextlib.suppress(CompileError, ConfigurationError, CertificationError):
                found = keeping(trace(problem, device, backend, several=False), plan_of)
        if found is None:
            raise
        return found


def keeping(path: Path, make: Callable[[Path], _Made]) -> _Made:
    """Return what `make` compiles of a path, or of one by a configuration of `replacements` where the compiler does not keep the first's.

    Raises
    ------
    TraceaError
        What `make` raises for `path`, if it is no `CompileError` or there is no other configuration that compiles.
    """
    try:
        return make(path)
    except CompileError as error:
        for configuration in replacements(path.configured):
            try:
                served = first_buildable(path.lowered, (configuration,), path.target.profile, path.choice.variant)
                made = make(retrace(path, served))
            except (CompileError, ConfigurationError, CertificationError) as refusal:
                _LOG.debug("%s does not do: %s", configuration.describe(), refusal)
                continue
            _LOG.info("%s replaces %s: %s", served.describe(), path.configuration.describe(), error)
            return made
        raise


def plan_of(path: Path) -> Plan:
    """Return the plan at the end of a path: compile (or find) its kernels and bind their symbols.

    Raises
    ------
    DeviceError, BackendUnavailableError, CompileError
        See `plan`.
    LaunchError
        If 32-bit indices of a kernel do not reach all of the problem.
    """
    target = path.target
    if not target.executable:
        raise DeviceError(
            f"{target.device} is a published profile, not a device",
            hint="Explain and emit work for it; launching does not",
        )
    known = known_of(path)
    return Plan(path, *_launching(known, target), known)


def known_of(path: Path) -> Known:
    """Return what is left of a path when its kernels are to be launched: texts, certificates, launch facts, and values of symbols.

    Raises
    ------
    BackendUnavailableError
        If the backend prints no kernels of this family.
    LaunchError
        If 32-bit indices of a kernel do not reach all of the problem.
    """
    target = path.target
    if path.source is None:
        raise BackendUnavailableError(
            f"the backend {target.backend!r} prints no {path.choice.variant.family} kernels in this version",
            hint="Use another backend, or backend='auto'",
            variant=path.choice.variant.name,
        )
    steps = _steps(path)
    for step in steps:
        require_widths(step.kernel, step.symbols)
    spaces = _spaces(path)
    fallback = path.choice.fallback
    return Known(
        tuple(step.known() for step in steps), spaces, tuple(spec.dtype for spec in path.choice.problem.inputs),
        "" if fallback is None else fallback.describe(),
    )  # fmt: skip


def _launching(known: Known, target: Target) -> tuple[Launcher, tuple[str, ...]]:
    """Compile (or find) the kernels of a plan and bind their symbols; return what launches it, and what its pointers are."""
    steps, spaces = known.steps, known.spaces
    if len(steps) == 1 and not any(steps[0].shifts.values()):
        return _prepared(target, steps[0]), steps[0].operands
    given = tuple(dict.fromkeys(name for step in steps for name in step.operands if name not in spaces))
    calls = [Call(_prepared(target, step), step.operands, _alignments(step), step.shifts) for step in steps]
    opened = runtime(target.backend, target.device)
    arena = opened.scratch if isinstance(opened, ScratchRuntime) else None
    return Sequence(calls, given, spaces, arena if spaces else None), given


def _spaces(path: Path) -> dict[str, int]:
    """Return the workspaces of a path, in bytes. Its phases run one after the other, so they share."""
    spaces: dict[str, int] = {}
    if not path.phases:
        return {space.name: space.bytes for space in scratch(path.arrangement)}
    for _, one in path.phases:
        for name, size in _spaces(one).items():
            spaces[name] = max(spaces.get(name, 0), size)
    if path.around is not None:
        spaces |= {_WHOLE + space.name: space.bytes for space in scratch(path.around.arrangement)}
    return spaces


def _steps(path: Path) -> tuple[_Step, ...]:
    """Return every kernel of a path in order; those of a phase begin where its part of the tensors does."""
    if path.phases:
        found = []
        for phase, one in path.phases:
            shifts = {name: shift * _bytes(phase.problem, name) for name, shift in phase.shifts.items()}
            found += [step.shifted(shifts) for step in _steps(one)]
        if path.around is None:
            return tuple(found)
        arrangement, before, after = path.around
        own = {space.name: _WHOLE + space.name for space in scratch(arrangement)}
        moved = (name for step in found for name in step.operands)
        copies = {name: own[to] for name in moved if (to := contraction_operands(arrangement, (name,))[0]) in own}
        inside = [step.renamed(copies) for step in found]
        ahead, behind = ([_of_pass(one).renamed(own) for one in some] for some in (before, after))
        return (*ahead, *inside, *behind)
    symbols = launch_symbols(path.lowered, path.configuration, path.target.profile, path.choice.variant.schedule)
    operands = contraction_operands(path.arrangement, path.lowered.operands)
    contraction = _Step(path.kernel, path.source, path.certificate, symbols, operands)
    return (*map(_of_pass, path.before), contraction, *map(_of_pass, path.after))


def _of_pass(one: Pass) -> _Step:
    return _Step(one.kernel, one.source, one.certificate, one.lowered.symbols, one.lowered.operands)


def _bytes(problem: Problem, operand: str) -> int:
    """Size of an element of one of a problem's tensors."""
    if operand == "output":
        return problem.output.dtype.bytes
    specs = problem.inputs if operand.startswith("input") else problem.epilogue_inputs
    return specs[int(operand.removeprefix("input").removeprefix("epilogue"))].dtype.bytes


class _Step(NamedTuple):
    """One kernel of a plan: its source, the values of its symbols, what its pointers are, and bytes that they are moved by."""

    kernel: SemanticKernel
    source: KernelSource | None
    certificate: Certificate
    symbols: Mapping[str, int]
    operands: tuple[str, ...]
    shifts: Mapping[str, int] = MappingProxyType({})

    def shifted(self, shifts: Mapping[str, int]) -> _Step:
        """Return the same on tensors that begin so many bytes later."""
        names = {*self.shifts, *shifts}
        return self._replace(shifts={name: self.shifts.get(name, 0) + shifts.get(name, 0) for name in names})

    def renamed(self, names: Mapping[str, str]) -> _Step:
        """Return the same on operands of other names."""
        shifts = {names.get(name, name): shift for name, shift in self.shifts.items()}
        return self._replace(operands=tuple(names.get(name, name) for name in self.operands), shifts=shifts)

    def known(self) -> KnownStep:
        """Return what a launch needs of it."""
        assert self.source is not None
        symbols = {name: int(value) for name, value in self.symbols.items()}
        return KnownStep(self.source, self.certificate, symbols, self.operands, dict(self.shifts))


def _prepared(target: Target, step: KnownStep) -> Launcher:
    return compiled(target.backend, target.device, step.source).prepare(step.symbols)


def _alignments(step: KnownStep) -> tuple[int, ...]:
    return tuple(parameter.alignment for parameter in step.source.parameters)

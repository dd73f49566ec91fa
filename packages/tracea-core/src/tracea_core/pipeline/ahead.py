# SPDX-License-Identifier: MIT
"""Proving and compiling kernels in processes of their own, ahead of the plans that will want them, and several at a time.

Proofs are Python and compilers are slow, so a graph of twenty kernels takes twenty times as long as one. Here the kernels of many
problems are drafted (milliseconds each), those that no certificate in the cache vouches for go to workers as JSON, and what workers prove
and compile lies in the caches on disk, where planning finds it. What they printed comes back, as printing is half of what planning a kernel
with a certificate takes. Nothing depends on it: what a worker did not finish, planning does.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import ConfigurationError, MalformedDataError, ScheduleError, TraceaError
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import Configured, Origin, configure
from tracea_core.pipeline.parts import parts_of
from tracea_core.pipeline.passes import in_plan, passes
from tracea_core.pipeline.path import certificate_of, is_certified, keep_source, ways_of
from tracea_core.pipeline.runtimes import runtime, unless_lost
from tracea_core.plugin.manager import plugins
from tracea_core.plugin.select import Selection, resolve
from tracea_core.policy.arrangement import Arranged
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.forms import AnyLowered, Form, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.sweep import LoweredSweep, Sweep
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile, Target
from tracea_core.tuner.worker import Worker

_LOG = logging.getLogger("tracea")
_ENTRY = "tracea_core.pipeline.ahead:make_aside"
_FORMS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Contraction, Depthwise, Rowwise, Chained, Sweep)}
_MOST_WORKERS = 8
_MOST_OTHERS = 3
_NICENESS = 10
"""By how much workers step back: whoever waits for the rest of a graph is compiling it now, on the same processors."""
_SECONDS_PER_KERNEL = 120.0


class Draft(Data, frozen=True, kw_only=True):
    """A kernel that is to be proved and compiled: everything that a worker needs, as JSON texts.

    Attributes
    ----------
    backend, family : str
        Whose emitter prints it.
    kind, form : str
        The class of its form, and the form.
    kernel, profile : str
        The kernel, and the device it is for.
    problem : str
        What the kernel is for, where others replace it if the compiler does not keep its schedule (`others_of`); else empty. Most schedules
        are kept, so nobody builds those others, which takes longer than all the rest of a draft, until one is not.
    toolchain : str
        The compiler, as the device's runtime names it.
    """

    backend: str
    family: str
    kind: str
    form: str
    kernel: str
    profile: str
    problem: str = ""
    toolchain: str = ""


def drafts(problem: Problem, device: str, backend: str | None = None) -> tuple[Draft, ...]:
    """Return the kernels of the plan of `problem` that are not certified yet; none where only the plan itself can tell.

    Raises
    ------
    TraceaError
        As `tracea_core.pipeline.path.trace`, but for proofs, which are not made here.
    """
    selection = resolve(device, backend)
    if selection.manifest.compile_binary is None or parts_of(problem, selection):
        return ()
    asked = problem.to_json()
    problem, ways = ways_of(problem, selection)
    for way in ways:
        with contextlib.suppress(ConfigurationError):
            found = _kernels(problem, way, selection.target.profile)
            return tuple(_draft(one, selection, way, asked) for one in found)
    return ()


def others_of(draft: Draft) -> tuple[SemanticKernel, ...]:
    """Return what replaces a draft's kernel, in this order, where the compiler does not keep its schedule: the policy's other heroes."""
    if not draft.problem:
        return ()
    profile = CapabilityProfile.from_json(draft.profile)
    selection = Selection(Target(draft.backend, "preset:", profile), plugins().manifest(draft.backend))
    _, ways = ways_of(Problem.from_json(draft.problem), selection)
    for way in ways:
        with contextlib.suppress(ConfigurationError):
            configured, lowered = configure(way.choice), lower_any(way.choice.problem, way.choice.variant)
            return tuple(itertools.islice(_other_heroes(configured, lowered, way, profile), _MOST_OTHERS))
    return ()


def _other_heroes(
    configured: Configured, lowered: AnyLowered, way: Arranged, profile: CapabilityProfile
) -> Iterator[SemanticKernel]:
    for hero in configured.decision.heroes:
        with contextlib.suppress(ConfigurationError):
            if hero != configured.configuration:
                yield _built(lowered, first_buildable(lowered, (hero,), profile, way.choice.variant), way, profile)


def _built(
    lowered: AnyLowered, configuration: PipelineConfig, way: Arranged, profile: CapabilityProfile
) -> SemanticKernel:
    return in_plan(build_kernel(lowered.form, configuration, profile, way.choice.variant), way.arrangement, profile)


class _Found(NamedTuple):
    """A kernel of a plan, and whether others replace it where the compiler does not keep its schedule."""

    form: Form
    kernel: SemanticKernel
    replaced: bool = False


def _draft(found: _Found, selection: Selection, way: Arranged, asked: str) -> Draft:
    target = selection.target
    return Draft(
        backend=target.backend,
        family=way.choice.variant.family,
        kind=type(found.form).__name__,
        form=found.form.to_json(),
        kernel=found.kernel.to_json(),
        profile=target.profile.to_json(),
        problem=asked if found.replaced else "",
        toolchain=runtime(target.backend, target.device).toolchain if target.executable else "",
    )


def _kernels(problem: Problem, way: Arranged, profile: CapabilityProfile) -> list[_Found]:
    """Return the kernels of a plan that no certificate in the cache vouches for."""
    choice, arrangement = way.choice, way.arrangement
    lowered, configured = lower_any(choice.problem, choice.variant), configure(choice)
    kernel = _built(lowered, configured.configuration, way, profile)
    found = [_Found(lowered.form, kernel, configured.origin is Origin.HERO)]

    def note(kernel: SemanticKernel, lowered: LoweredSweep) -> Certificate:
        found.append(_Found(lowered.form, kernel))
        return Certificate(kernel.digest(), ())  # of nothing proved; it goes nowhere but into passes that are dropped

    passes(problem, arrangement, profile, note, lambda kernel, certificate: None)
    return [one for one in found if not is_certified(one.kernel, one.form, profile)]


def make(payload: Any) -> list[str]:
    """Prove and compile one draft in this process; what comes of it lies in the caches. Return what was printed, as JSON texts.

    Raises
    ------
    MalformedDataError
        If the payload is no draft.
    TraceaError
        If a proof fails, or the compiler rejects the text.
    """
    # Not by `msgspec.convert`, which is not safe when threads see a class first at once.
    draft = Draft.from_json(msgspec.json.encode(payload))
    manifest, form = plugins().manifest(draft.backend), _FORMS[draft.kind].from_json(draft.form)
    assert manifest.compile_binary is not None
    printed: list[str] = []
    for kernel in _in_order(draft):
        certificate = certificate_of(kernel, form, CapabilityProfile.from_json(draft.profile))
        source = manifest.emitters[draft.family](kernel, certificate)
        printed.append(source.to_json())
        try:
            unless_lost(source, draft.toolchain, manifest.compile_binary)
        except ScheduleError as error:
            _LOG.debug("%s does not do: %s", kernel.name, error)
            continue
        break
    return printed


def _in_order(draft: Draft) -> Iterator[SemanticKernel]:
    yield SemanticKernel.from_json(draft.kernel)
    yield from others_of(draft)


def make_aside(payload: Any) -> list[str]:
    """The same in a worker, which leaves processors to whoever wants them now."""
    _step_back()
    return make(payload)


def _take(draft: Draft, printed: Any) -> None:
    """Remember what a worker printed; a text that is none is printed again by who wants it."""
    emitter = plugins().manifest(draft.backend).emitters[draft.family]
    with contextlib.suppress(MalformedDataError):
        for text in printed if isinstance(printed, list) else ():
            if isinstance(text, str):
                keep_source(emitter, KernelSource.from_json(text))


@functools.cache
def _step_back() -> None:
    if hasattr(os, "nice"):
        os.nice(_NICENESS)


def _processors() -> int:
    """Return how many processors this process may run on, which in a container are fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ahead:
    """Workers that make drafts, the first given first; use it as a context manager or call `close`.

    Parameters
    ----------
    batches : sequence of sequences of Draft
        Batch by batch what belongs together, such as the kernels of one plan. A draft in several batches is made once.
    processes : int, optional
        How many workers there may be; by default all processors that this process may run on but one, at most 8.
    """

    def __init__(self, batches: Sequence[Sequence[Draft]], processes: int | None = None) -> None:
        self._done: dict[Draft, threading.Event] = {}
        self._batches = [tuple(batch) for batch in batches]
        self._waiting: queue.SimpleQueue[Draft] = queue.SimpleQueue()
        self._closed = threading.Event()
        for draft in (draft for batch in self._batches for draft in batch):
            if draft not in self._done:
                self._done[draft] = threading.Event()
                self._waiting.put(draft)
        most = processes if processes is not None else min(_MOST_WORKERS, _processors() - 1)
        self._workers = min(max(1, most), len(self._done))
        self._begin()

    def _begin(self) -> None:
        for _ in range(self._workers):
            threading.Thread(target=self._work, daemon=True).start()

    def wait(self, batch: int, until: float | None = None) -> bool:
        """Return whether a batch has been dealt with, at the latest when `time.monotonic` says `until`."""
        for draft in self._batches[batch]:
            left = None if until is None else max(0.0, until - time.monotonic())
            if not self._done[draft].wait(left):
                return False
        return True

    def close(self) -> None:
        """Begin nothing more; what is being made is finished in the background."""
        self._closed.set()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        with Worker() as worker:
            while not self._closed.is_set():
                try:
                    draft = self._waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    _take(draft, worker.run(_ENTRY, draft, _SECONDS_PER_KERNEL))
                except TraceaError as error:
                    _LOG.debug("a kernel was not made ahead: %s", error)
                finally:
                    self._done[draft].set()

# SPDX-License-Identifier: MIT
"""Proving and compiling kernels in processes of their own, ahead of the plans that will want them, and several at a time.

Proofs are Python and compilers are slow, so a graph of twenty kernels takes twenty times as long as one. Here the kernels of many
problems are drafted (milliseconds each), those that no certificate in the cache vouches for go to workers as JSON, and what workers prove
and compile lies in the caches on disk, where planning finds it. Nothing depends on it: what a worker did not finish, planning does.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError, TraceaError
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import configure
from tracea_core.pipeline.passes import in_plan, passes
from tracea_core.pipeline.path import certificate_of, is_certified, ways_of
from tracea_core.plugin.manager import plugins
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrangement import Arranged
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.forms import Form, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.sweep import LoweredSweep, Sweep
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile
from tracea_core.tuner.worker import Worker

_LOG = logging.getLogger("tracea")
_ENTRY = "tracea_core.pipeline.ahead:make"
_FORMS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Contraction, Depthwise, Rowwise, Chained, Sweep)}
_MOST_WORKERS = 8
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
    """

    backend: str
    family: str
    kind: str
    form: str
    kernel: str
    profile: str


def drafts(problem: Problem, device: str, backend: str | None = None) -> tuple[Draft, ...]:
    """Return the kernels of the plan of `problem` that are not certified yet; none where only the plan itself can tell.

    Raises
    ------
    TraceaError
        As `tracea_core.pipeline.path.trace`, but for proofs, which are not made here.
    """
    selection = resolve(device, backend)
    if selection.manifest.compile_binary is None or isinstance(problem.op, ConvTranspose2dOp):
        return ()
    problem, ways = ways_of(problem, selection)
    for way in ways:
        try:
            kernels = _kernels(problem, way, selection.target.profile)
        except ConfigurationError:
            continue
        profile, manifest = selection.target.profile, selection.manifest
        return tuple(
            Draft(
                backend=manifest.name, family=way.choice.variant.family, kind=type(form).__name__, form=form.to_json(),
                kernel=kernel.to_json(), profile=profile.to_json(),
            )
            for kernel, form in kernels
            if way.choice.variant.family in manifest.emitters and not is_certified(kernel, form, profile)
        )  # fmt: skip
    return ()


def _kernels(problem: Problem, way: Arranged, profile: CapabilityProfile) -> list[tuple[SemanticKernel, Form]]:
    choice = way.choice
    lowered = lower_any(choice.problem, choice.variant)
    kernel = build_kernel(lowered.form, configure(choice).configuration, profile, choice.variant)
    kernel = in_plan(kernel, way.arrangement, profile)
    found: list[tuple[SemanticKernel, Form]] = [(kernel, lowered.form)]

    def note(kernel: SemanticKernel, lowered: LoweredSweep) -> Certificate:
        found.append((kernel, lowered.form))
        return Certificate(kernel.digest(), ())  # of nothing proved; it goes nowhere but into passes that are dropped

    passes(problem, way.arrangement, profile, note, lambda kernel, certificate: None)
    return found


def make(payload: Any) -> None:
    """Prove and compile one draft in this process; what comes of it lies in the caches.

    Raises
    ------
    TraceaError
        If a proof fails, or the compiler rejects the text.
    """
    draft = msgspec.convert(payload, Draft)
    manifest = plugins().manifest(draft.backend)
    kernel = SemanticKernel.from_json(draft.kernel)
    certificate = certificate_of(
        kernel, _FORMS[draft.kind].from_json(draft.form), CapabilityProfile.from_json(draft.profile)
    )
    assert manifest.compile_binary is not None
    manifest.compile_binary(manifest.emitters[draft.family](kernel, certificate))


class Ahead:
    """Workers that make drafts, the first given first; use it as a context manager or call `close`.

    Parameters
    ----------
    batches : sequence of sequences of Draft
        Batch by batch what belongs together, such as the kernels of one plan. A draft in several batches is made once.
    processes : int, optional
        How many workers there may be; by default all processors but one, at most 8.
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
        most = processes if processes is not None else min(_MOST_WORKERS, (os.cpu_count() or 1) - 1)
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
                    worker.run(_ENTRY, draft, _SECONDS_PER_KERNEL)
                except TraceaError as error:
                    _LOG.debug("a kernel was not made ahead: %s", error)
                finally:
                    self._done[draft].set()

# SPDX-License-Identifier: MIT
"""What a machine of a cluster does for a search: says what it is, and runs candidates in a disposable process of its own.

Whoever asks is the other half, `tracea_core.pipeline.cluster`. Text comes in and text goes out, so that what travels is JSON whatever the
cluster's engine does with it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import socket
import threading
from pathlib import Path

import msgspec

from tracea_core.data import Data
from tracea_core.errors import TraceaError
from tracea_core.tuner.record import Status
from tracea_core.tuner.worker import CandidateError, Request, Worker

VISIBLE = {"cuda": "CUDA_VISIBLE_DEVICES", "hip": "HIP_VISIBLE_DEVICES"}
"""Environment variables that say which GPUs a process sees, by backend."""
_guard = threading.Lock()


class Machine(Data, frozen=True, kw_only=True):
    """What a worker of a cluster measures on.

    Attributes
    ----------
    host : str
        The machine's name.
    visible : str
        Which of its GPUs the worker sees, where that was said.
    identity : str
        What must be equal for times to be comparable: hardware, compiler and driver, and the code that prints kernels.
    problem : str
        Why it cannot measure; else empty.
    """

    host: str
    visible: str = ""
    identity: str = ""
    problem: str = ""


class Outcome(Data, frozen=True, kw_only=True):
    """What became of a task: its value as JSON, or an error and how the candidate ended."""

    value: str = ""
    error: str = ""
    status: Status = Status.OK


def describe(device: str, backend: str) -> str:
    """Return the `Machine` of this process, as JSON; whatever keeps it from measuring is said there."""
    from tracea_core.pipeline.runtimes import runtime
    from tracea_core.plugin.select import resolve
    from tracea_core.tuner.record import hardware_fingerprint

    host, visible = socket.gethostname(), os.environ.get(VISIBLE.get(backend, ""), "")
    try:
        target = resolve(device, backend).target
        parts = (
            hardware_fingerprint(target.profile),
            runtime(target.backend, target.device).toolchain,
            code_digest(backend),
        )
    except TraceaError as error:
        return Machine(host=host, visible=visible, problem=str(error)).to_json()
    return Machine(host=host, visible=visible, identity=", ".join(parts)).to_json()


@functools.lru_cache(maxsize=8)
def code_digest(backend: str) -> str:
    """Return a digest of the code of core, of a backend, and of what it prints with: the same wherever the same is installed."""
    from tracea_core.plugin.manager import plugins

    manifest = plugins().manifest(backend)
    packages = {"tracea_core", manifest.probe.__module__.split(".")[0], *manifest.libraries}
    digest = hashlib.sha256()
    for package in sorted(packages):
        folder = Path(str(importlib.import_module(package).__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{package}/{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return f"code {digest.hexdigest()[:16]}"


@functools.lru_cache(maxsize=1)
def _worker() -> Worker:
    return Worker()


def run(request: str) -> str:
    """Run a `Request`, given as JSON, in this process's disposable worker; return an `Outcome` as JSON."""
    asked = Request.from_json(request)
    try:
        with _guard:  # one candidate at a time, or they would disturb each other's times
            value = _worker().run(asked.entry, asked.payload, asked.timeout)
    except CandidateError as error:
        return Outcome(error=error.message, status=error.status).to_json()
    except TraceaError as error:
        status = getattr(error, "status", Status.FAILED)
        return Outcome(error=str(error), status=status if isinstance(status, Status) else Status.FAILED).to_json()
    return Outcome(value=msgspec.json.encode(value).decode()).to_json()

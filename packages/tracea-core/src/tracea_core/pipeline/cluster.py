# SPDX-License-Identifier: MIT
"""Where candidates are measured: a process here, one for each GPU of this host, or the workers of a Dask cluster.

Times are comparable only between equals, so a cluster's workers say what they are, and those that differ from this machine's device in
hardware, compiler, driver or code are left out. Of workers that share a processor or a GPU one takes part.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from tracea_core.errors import BackendUnavailableError, DeviceError, OptionError
from tracea_core.pipeline import remote
from tracea_core.pipeline.remote import VISIBLE, Machine, Outcome
from tracea_core.plugin.manager import plugins
from tracea_core.target import Target
from tracea_core.tuner.record import Status, hardware_fingerprint
from tracea_core.tuner.worker import CandidateCrashError, CandidateError, CandidateTimeoutError, Request, Worker

_log = logging.getLogger("tracea.tuner")
LOCAL = "local"
"""What stands for the GPUs of this host in the place of a scheduler's address."""
_GRACE_SECONDS = 90.0
"""Beyond a task's own limit: a worker process may have to start, and a scheduler takes its time."""
_CONNECT_SECONDS = 30.0
_ERRORS = {Status.FAILED: CandidateError, Status.CRASHED: CandidateCrashError, Status.TIMEOUT: CandidateTimeoutError}


class Runner(Protocol):
    """What runs a task: `Worker`, or one elsewhere, which has a name of its own for its device."""

    @property
    def device(self) -> str | None:
        """The device as it is called there, None where it is called as here."""
        ...

    def run(self, entry: str, payload: Any = None, timeout: float = 30.0) -> Any:
        """Return ``function(payload)``; see `Worker.run`."""
        ...


class ClusterWorker:
    """One worker of a Dask cluster; see `Runner`."""

    def __init__(self, client: Any, address: str, machine: Machine, device: str) -> None:
        self._client, self.address, self.machine, self.device = client, address, machine, device

    def run(self, entry: str, payload: Any = None, timeout: float = 30.0) -> Any:
        """Return what the function gives there.

        Raises
        ------
        CandidateError, CandidateCrashError, CandidateTimeoutError
            As `Worker.run`; a worker that has left the cluster counts as crashed.
        """
        request = Request(entry, payload, timeout).to_json()
        future = self._client.submit(
            remote.run, request, workers=[self.address], allow_other_workers=False, pure=False, retries=0
        )
        try:
            answer = Outcome.from_json(future.result(timeout=timeout + _GRACE_SECONDS))
        except TimeoutError as error:
            future.cancel(force=True)
            raise CandidateTimeoutError(
                f"no answer of {self.address} within {timeout + _GRACE_SECONDS:g} s", entry=entry
            ) from error
        except Exception as error:  # whatever the engine raises for a worker that is gone
            raise CandidateCrashError(
                f"{self.address} on {self.machine.host}: {type(error).__name__}: {error}", entry=entry
            ) from error
        if answer.status is not Status.OK:
            raise _ERRORS[answer.status](f"on {self.machine.host}: {answer.error}", entry=entry)
        return msgspec.json.decode(answer.value)


@contextlib.contextmanager
def measuring_workers(target: Target, scheduler: str | None = None) -> Iterator[Sequence[Runner]]:
    """Give what measures on devices like `target`'s, and end what was started for it.

    Parameters
    ----------
    scheduler : str, optional
        Address of a Dask scheduler (``tcp://host:8786``), or ``local`` for all GPUs of this host that are like the target's. By default
        one process here measures.

    Raises
    ------
    BackendUnavailableError
        If Dask is not installed.
    OptionError
        If no scheduler answers at the address.
    DeviceError
        If none of its workers has such a device.
    """
    if scheduler is None or (scheduler == LOCAL and target.backend not in VISIBLE):
        with Worker() as worker:
            yield (worker,)
        return
    distributed = _dask()
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(_on_this_host(distributed, target)) if scheduler == LOCAL else scheduler
        try:
            client = stack.enter_context(distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False))
        except (OSError, ValueError, TimeoutError) as error:
            raise OptionError(
                f"no Dask scheduler answers at {scheduler}: {error}",
                hint="Start one with `dask scheduler`, and a worker for each device",
            ) from error
        yield alike(client, target)


def _dask() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise BackendUnavailableError(
            f"Dask cannot be imported: {error}", hint='pip install "tracea-core[dask]"'
        ) from error


def alike(client: Any, target: Target) -> tuple[ClusterWorker, ...]:
    """Return a cluster's workers whose device is like the target's, one for each device.

    Raises
    ------
    DeviceError
        If there is none; it says what the others have.
    """
    here = Machine.from_json(remote.describe(target.device, target.backend))
    first = (
        f"{target.backend}:0" if target.backend in VISIBLE else target.device
    )  # each worker sees one GPU, or its first one counts
    said = client.run(remote.describe, first, target.backend, on_error="return")
    found: list[ClusterWorker] = []
    taken: set[tuple[str, str]] = set()
    others = []
    for address, answer in sorted(said.items()):
        if isinstance(answer, Exception):
            others.append(f"{address}: {type(answer).__name__}: {answer}")
            continue
        machine = Machine.from_json(answer)
        place = (machine.host, machine.visible)
        if machine.identity != here.identity or machine.problem:
            others.append(f"{address} on {machine.host}: {machine.problem or machine.identity}")
        elif place in taken:
            others.append(f"{address}: another worker measures on the same device of {machine.host}")
        else:
            taken.add(place)
            found.append(ClusterWorker(client, address, machine, first))
    for other in others:
        _log.info("left out: %s", other)
    if not found:
        raise DeviceError(
            f"none of {len(said)} workers has what this machine measures on, {here.identity}",
            hint="Start `dask worker` on machines like this one",
            workers="; ".join(others) or "none",
        )
    return tuple(found)


@contextlib.contextmanager
def own_environment() -> Iterator[None]:
    """Give this process its environment back: Dask sets threads and what malloc keeps for its workers here, too."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextlib.contextmanager
def _on_this_host(distributed: Any, target: Target) -> Iterator[str]:
    """Start a cluster with a worker for each GPU of this host that is like the target's; give its address."""
    report = plugins().manifest(target.backend).probe()
    wanted = hardware_fingerprint(target.profile)
    numbers = [
        int(device.device.partition(":")[2] or 0)
        for device in report.devices
        if hardware_fingerprint(device.profile) == wanted
    ]
    variable = VISIBLE[target.backend]
    seen = [part.strip() for part in os.environ.get(variable, "").split(",") if part.strip()]
    names = [seen[number] if number < len(seen) else str(number) for number in numbers]
    workers = {
        name: {"cls": distributed.Nanny, "options": {"nthreads": 1, "env": {variable: name}, "memory_limit": 0}}
        for name in names
    }
    scheduler = {"cls": distributed.Scheduler, "options": {"host": "127.0.0.1", "port": 0, "dashboard": False}}
    with (
        own_environment(),
        distributed.SpecCluster(workers=workers, scheduler=scheduler, silence_logs=logging.WARNING) as cluster,
    ):
        yield str(cluster.scheduler_address)

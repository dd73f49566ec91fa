# SPDX-License-Identifier: MIT
"""Open devices and compiled kernels of this process: each is made once and shared by all plans."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TypeVar

from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, ScheduleError, TraceaError
from tracea_core.plugin.manager import plugins
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_core.runtime.interface import CompiledKernel, Runtime

_Made = TypeVar("_Made")
_guard = threading.RLock()
_runtimes: dict[tuple[str, str], Runtime] = {}
_kernels: dict[tuple[str, str, str, str], CompiledKernel] = {}


def runtime(backend: str, device: str) -> Runtime:
    """Return the open runtime of a device.

    Raises
    ------
    BackendUnavailableError
        If the backend cannot open it.
    """
    with _guard:
        key = (backend, device)
        if key not in _runtimes:
            manifest = plugins().manifest(backend)
            try:
                _runtimes[key] = manifest.open_runtime(device)
            except TraceaError:
                raise
            except Exception as error:
                raise broken(backend, "open_runtime", error) from error
        return _runtimes[key]


def broken(backend: str, where: str, error: Exception) -> BackendUnavailableError:
    """Record that a backend's function raised, and return the error that says so."""
    manager = plugins()
    manager.fault(manager.load(backend), where, error)
    return BackendUnavailableError(
        f"{where} of the backend {backend!r} raised {type(error).__name__}: {error}",
        hint="`tracea doctor` shows the traceback; report it to the backend's authors",
        backend=backend,
    )


def compiled(backend: str, device: str, source: KernelSource) -> CompiledKernel:
    """Return `source` compiled for a device, once per process.

    Raises
    ------
    CompileError
        If the compiler rejects it; a schedule that it did not keep before is not compiled again.
    """
    with _guard:
        # The text alone is not the kernel: which sizes it serves is part of its schedule, and need not be printed.
        key = (backend, device, source.text_digest, source.kernel_digest)
        if key not in _kernels:
            opened = runtime(backend, device)
            _kernels[key] = unless_lost(source, opened.toolchain, opened.compile)
        return _kernels[key]


def unless_lost(source: KernelSource, toolchain: str, make: Callable[[KernelSource], _Made]) -> _Made:
    """Return what `make` compiles, unless this compiler did not keep the schedule of this text before.

    Raises
    ------
    CompileError
        As `make` does; `ScheduleError` is remembered in the cache for the processes that follow.
    """
    key = key_digest(
        arch=source.arch, toolchain=toolchain, source=source.text_digest, flags=(source.entry,), abi="lost"
    )
    told = _lost().get(key)
    if told is not None:
        raise ScheduleError(told.decode(errors="replace"), hint="Choose another configuration", kernel=source.entry)
    try:
        return make(source)
    except ScheduleError as error:
        _lost().put(key, error.message.encode())
        raise


@functools.lru_cache(maxsize=1)
def _lost() -> BinaryCache:
    return BinaryCache()


def forget() -> None:
    """Forget open runtimes and compiled kernels of this process (files in caches stay)."""
    with _guard:
        _runtimes.clear()
        _kernels.clear()

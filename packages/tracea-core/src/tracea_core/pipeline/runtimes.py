# SPDX-License-Identifier: MIT
"""Open devices and compiled kernels of this process: each is made once and shared by all plans."""

from __future__ import annotations

import threading

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manager import plugins
from tracea_core.runtime.interface import CompiledKernel, Runtime

_guard = threading.RLock()
_runtimes: dict[tuple[str, str], Runtime] = {}
_kernels: dict[tuple[str, str, str], CompiledKernel] = {}


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
            _runtimes[key] = plugins().manifest(backend).open_runtime(device)
        return _runtimes[key]


def compiled(backend: str, device: str, source: KernelSource) -> CompiledKernel:
    """Return `source` compiled for a device, once per process.

    Raises
    ------
    CompileError
        If the compiler rejects it.
    """
    with _guard:
        key = (backend, device, source.text_digest)
        if key not in _kernels:
            _kernels[key] = runtime(backend, device).compile(source)
        return _kernels[key]


def forget() -> None:
    """Forget open runtimes and compiled kernels of this process (files in caches stay)."""
    with _guard:
        _runtimes.clear()
        _kernels.clear()

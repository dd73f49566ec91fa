# SPDX-License-Identifier: MIT
"""The manifest of the oneAPI backend: SYCL C++. Importing it loads no library of Intel's."""

from __future__ import annotations

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_sycl import __version__
from tracea_sycl.oneapi.probe import probe
from tracea_sycl.oneapi.variants import variants


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return a kernel of any family in SYCL C++, and behind it what launches it; see `tracea_core.emit.c.kernel.kernel_source`."""
    from tracea_core.emit.c.kernel import kernel_source

    from tracea_sycl.oneapi.dialect import SyclDialect
    from tracea_sycl.oneapi.launch import launchers

    source = kernel_source(kernel, certificate, SyclDialect())
    return source.replace(text=source.text + launchers(kernel))


def _open_runtime(device: str) -> Runtime:
    from tracea_sycl.oneapi.runtime import open_runtime

    return open_runtime(device)


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="oneapi",
        version=__version__,
        plugin_api=(1, 0),
        priority=65,
        description="Intel GPUs and other SYCL devices, in SYCL C++",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit, "rowwise": emit, "chained": emit},
        open_runtime=_open_runtime,
        serves=("oneapi",),  # arrays come here only when asked for by backend="oneapi"
    )

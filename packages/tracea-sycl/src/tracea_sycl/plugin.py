# SPDX-License-Identifier: MIT
"""The manifest of the SYCL and OpenCL backend. Importing it loads neither pyopencl nor a driver."""

from __future__ import annotations

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_sycl import __version__
from tracea_sycl.probe import probe
from tracea_sycl.variants import variants


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return a kernel of any family in OpenCL C; see `tracea_core.emit.c.kernel.kernel_source`."""
    from tracea_core.emit.c.kernel import kernel_source

    from tracea_sycl.emit.dialect import OpenClDialect

    return kernel_source(kernel, certificate, OpenClDialect())


def _compile_binary(source: KernelSource) -> bytes:
    from tracea_sycl.offline import binary

    return binary(source)


def _open_runtime(device: str) -> Runtime:
    from tracea_sycl.runtime import open_runtime

    return open_runtime(device)


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="sycl",
        version=__version__,
        plugin_api=(1, 0),
        priority=70,
        description="Intel GPUs and every OpenCL device, in OpenCL C",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit, "rowwise": emit, "chained": emit},
        open_runtime=_open_runtime,
        compile_binary=_compile_binary,
        serves=("sycl",),  # host arrays come here only when asked for by backend="sycl"
    )

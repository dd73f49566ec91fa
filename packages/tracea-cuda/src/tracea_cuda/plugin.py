# SPDX-License-Identifier: MIT
"""The manifest of the CUDA backend."""

from __future__ import annotations

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.c_runtime import CRuntime
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile

from tracea_cuda import __version__
from tracea_cuda.probe import probe
from tracea_cuda.variants import variants


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return a kernel of any family in CUDA C++; see `tracea_core.emit.c.kernel.kernel_source`."""
    from tracea_core.emit.c.kernel import kernel_source

    from tracea_cuda.emit.dialect import CudaDialect
    from tracea_cuda.emit.hopper import HopperDialect

    return kernel_source(kernel, certificate, HopperDialect() if kernel.rings else CudaDialect())


def _open_runtime(device: str) -> Runtime:
    from tracea_cuda.runtime import open_runtime

    return open_runtime(device)


def _compile_binary(source: KernelSource) -> bytes:
    from tracea_cuda.compile import binary

    return binary(source)


def _c_runtime(profile: CapabilityProfile) -> CRuntime:
    from tracea_cuda.c_runtime import c_runtime

    return c_runtime(profile)


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="cuda",
        version=__version__,
        plugin_api=(1, 0),
        priority=80,
        description="NVIDIA GPUs through CUDA",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit, "rowwise": emit, "chained": emit},
        open_runtime=_open_runtime,
        serves=("cuda",),
        compile_binary=_compile_binary,
        c_runtime=_c_runtime,
    )

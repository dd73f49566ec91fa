# SPDX-License-Identifier: MIT
"""The manifest of the HIP backend: kernels are solved, certified, printed and compiled anywhere, and launched on AMD GPUs."""

from __future__ import annotations

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_hip import __version__
from tracea_hip.probe import probe
from tracea_hip.variants import variants


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return a kernel of any family in HIP C++; see `tracea_core.emit.c.kernel.kernel_source`."""
    from tracea_core.emit.c.kernel import kernel_source

    from tracea_hip.emit.dialect import HipDialect

    return kernel_source(kernel, certificate, HipDialect())


def _compile_binary(source: KernelSource) -> bytes:
    from tracea_hip.compile import binary

    return binary(source)


def _open_runtime(device: str) -> Runtime:
    from tracea_hip.runtime import open_runtime

    return open_runtime(device)


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="hip",
        version=__version__,
        plugin_api=(1, 0),
        priority=75,
        description="AMD GPUs through HIP",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit, "rowwise": emit, "chained": emit},
        open_runtime=_open_runtime,
        serves=("cuda", "hip"),  # PyTorch calls AMD's devices cuda
        compile_binary=_compile_binary,
    )

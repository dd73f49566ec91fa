# SPDX-License-Identifier: MIT
"""The manifest of the Metal backend: kernels are solved, certified and printed anywhere, and launched on Macs with an Apple GPU."""

from __future__ import annotations

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_metal import __version__
from tracea_metal.probe import probe
from tracea_metal.variants import variants


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return a kernel of any family in the Metal Shading Language; see `tracea_core.emit.c.kernel.kernel_source`."""
    from tracea_core.emit.c.kernel import kernel_source

    from tracea_metal.emit.dialect import MetalDialect

    return kernel_source(kernel, certificate, MetalDialect())


def _open_runtime(device: str) -> Runtime:
    from tracea_metal.runtime import open_runtime

    return open_runtime(device)


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="metal",
        version=__version__,
        plugin_api=(1, 0),
        priority=70,
        description="Apple GPUs through Metal",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit, "rowwise": emit, "chained": emit},
        open_runtime=_open_runtime,
        serves=("mps", "metal"),  # PyTorch calls Apple's devices mps
    )

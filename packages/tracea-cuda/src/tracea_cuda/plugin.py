# SPDX-License-Identifier: MIT
"""The manifest of the CUDA backend."""

from __future__ import annotations

from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_cuda import __version__
from tracea_cuda.probe import probe
from tracea_cuda.variants import variants


def _emit_contraction(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    from tracea_cuda.emit.contraction import emit_contraction

    return emit_contraction(kernel, certificate)


def _open_runtime(device: str) -> Runtime:
    from tracea_cuda.runtime import open_runtime

    return open_runtime(device)


def _compile_binary(source: KernelSource) -> bytes:
    from tracea_cuda.compile import binary

    return binary(source)


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
        emitters={"contraction": _emit_contraction, "rowwise": _emit_contraction, "chained": _emit_contraction},
        open_runtime=_open_runtime,
        serves=("cuda",),
        compile_binary=_compile_binary,
    )

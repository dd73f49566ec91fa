# SPDX-License-Identifier: MIT
"""The manifest of the CPU backend."""

from __future__ import annotations

import tracea_llvm
from tracea_core.emit.source import KernelSource
from tracea_core.plugin.c_runtime import CRuntime
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile

from tracea_cpu import __version__
from tracea_cpu.probe import probe
from tracea_cpu.variants import variants


def _emit_contraction(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    from tracea_cpu.emit.contraction import emit_contraction

    return emit_contraction(kernel, certificate)


def _emit_kernel(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    from tracea_cpu.emit.contraction import emit_kernel

    return emit_kernel(kernel, certificate)


def _open_runtime(device: str) -> Runtime:
    from tracea_cpu.runtime import open_runtime

    return open_runtime(device)


def _compile_binary(source: KernelSource) -> bytes:
    from tracea_cpu.compile import binary

    return binary(source.text, source.arch)


def _c_runtime(profile: CapabilityProfile) -> CRuntime:
    from tracea_cpu.c_runtime import c_runtime

    return c_runtime(profile)


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="cpu",
        version=__version__,
        plugin_api=(1, 0),
        priority=10,
        description="Processors with AVX2, AVX-512 or NEON, through LLVM",
        probe=probe,
        variants=variants,
        emitters={"contraction": _emit_contraction, "rowwise": _emit_kernel, "chained": _emit_kernel},
        open_runtime=_open_runtime,
        serves=("cpu",),
        libraries=(tracea_llvm.__name__,),
        compile_binary=_compile_binary,
        c_runtime=_c_runtime,
    )

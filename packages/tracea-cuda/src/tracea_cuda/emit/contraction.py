# SPDX-License-Identifier: MIT
"""The contraction family in CUDA C++."""

from __future__ import annotations

from tracea_core.emit.c.kernel import kernel_text
from tracea_core.emit.source import KernelSource, box_maps
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_cuda.emit.dialect import CudaDialect
from tracea_cuda.emit.hopper import HopperDialect


def emit_contraction(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` printed as CUDA C++; equal kernels and certificates give equal bytes.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the kernel holds what its architecture cannot express.
    """
    dialect = HopperDialect() if kernel.rings else CudaDialect()
    return KernelSource(
        language="cuda",
        arch=kernel.arch,
        entry=kernel.name,
        text=kernel_text(kernel, certificate, dialect),
        parameters=kernel.parameters,
        symbols=kernel.symbols,
        workspaces=(),
        launch=kernel.launch,
        kernel_digest=kernel.digest(),
        certificate=certificate.digest(),
        boxes=box_maps(kernel),
    )

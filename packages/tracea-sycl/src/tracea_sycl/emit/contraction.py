# SPDX-License-Identifier: MIT
"""The contraction family in OpenCL C."""

from __future__ import annotations

from tracea_core.emit.c.kernel import kernel_source
from tracea_core.emit.source import KernelSource
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_sycl.emit.dialect import OpenClDialect


def emit_contraction(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` printed as OpenCL C; equal kernels and certificates give equal bytes.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the kernel holds what its architecture cannot express.
    """
    return kernel_source(kernel, certificate, OpenClDialect())

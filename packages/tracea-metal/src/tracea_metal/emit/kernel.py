# SPDX-License-Identifier: MIT
"""A whole kernel in the Metal Shading Language, of any family that core's C-family walk prints."""

from __future__ import annotations

from tracea_core.emit.c.kernel import kernel_source
from tracea_core.emit.source import KernelSource
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate

from tracea_metal.emit.dialect import MetalDialect


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` printed in the Metal Shading Language; equal kernels and certificates give equal bytes.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the kernel holds what its architecture cannot express.
    """
    return kernel_source(kernel, certificate, MetalDialect())

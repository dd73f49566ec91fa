# SPDX-License-Identifier: MIT
"""What an emitter returns: text in a target language and all that is needed to compile and launch it."""

from __future__ import annotations

import hashlib

from tracea_core.data import Data
from tracea_core.semantic.index import Index
from tracea_core.semantic.kernel import Launch, Parameter, SemanticKernel, Symbol
from tracea_core.semantic.verify.certificate import Certificate


class Workspace(Data, frozen=True):
    """Memory a kernel wants besides its arguments: bytes as an expression over its symbols, once per worker or once per call."""

    name: str
    bytes: Index
    per_worker: bool
    alignment: int = 64


class KernelSource(Data, frozen=True, kw_only=True):
    """Emitted source.

    Attributes
    ----------
    language : str
        ``llvm-ir``, ``cuda``, ``hip``, ``opencl``, ``metal``.
    arch : str
        Compiler target it is meant for.
    entry : str
        Name of the kernel function.
    text : str
        The source.
    parameters, symbols
        Arguments in order: pointers first, then integers.
    workspaces : tuple of Workspace
        Memory to allocate, in the order in which the kernel expects it after the symbols.
    kernel_digest, certificate : str
        SHA-256 of the semantic kernel, and of its certificate.
    """

    language: str
    arch: str
    entry: str
    text: str
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]
    workspaces: tuple[Workspace, ...]
    launch: Launch
    kernel_digest: str
    certificate: str

    @property
    def text_digest(self) -> str:
        """SHA-256 of the text: the part of a binary's cache key that names its source."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def header(kernel: SemanticKernel, certificate: Certificate) -> str:
    """Return the lines that open every emitted source: op, variant, configuration, certificate, digest."""
    return "\n".join(
        (
            f"tracea: {kernel.title}",
            f"variant        {kernel.variant} for {kernel.arch}",
            f"configuration  {kernel.configuration.describe()}",
            f"schedule       {kernel.digest()}",
            f"certificate    {certificate.digest()}: {', '.join(proof.property for proof in certificate.proofs)}",
        )
    )

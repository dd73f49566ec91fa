# SPDX-License-Identifier: MIT
"""The certificate: which properties of which kernel were proved, how, and on what.

Emitters take one beside the kernel and refuse a pair that does not belong together, so that nothing uncertified is
printed.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.errors import CertificationError
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.places import require_axes

PROOF_VERSION = 34
"""Raised whenever a proof is added or strengthened: certificates of older proofs are then proved again."""


class Proof(Data, frozen=True):
    """One proved property: its name, the statement, and the argument or the size of the search that settled it."""

    property: str
    statement: str
    evidence: str


class Certificate(Data, frozen=True):
    """Everything proved about one semantic kernel (named by its digest)."""

    kernel: str
    proofs: tuple[Proof, ...]

    def require(self, kernel: SemanticKernel) -> None:
        """Raise unless this certificate belongs to `kernel`, and every place in it lies within its buffer's axes.

        Raises
        ------
        CertificationError
            If it was made for another kernel, or a coordinate leaves its axis (`tracea_core.semantic.verify.places`).
        """
        if self.kernel != kernel.digest():
            raise CertificationError(
                "the certificate belongs to another kernel",
                hint="Certify the kernel that is to be emitted (tracea_core.semantic.verify.certify)",
                kernel=kernel.digest()[:12],
                certified=self.kernel[:12],
            )
        require_axes(kernel)

    def describe(self) -> str:
        """Return one line per proof."""
        return "\n".join(f"{proof.property:<12} {proof.statement}: {proof.evidence}" for proof in self.proofs)

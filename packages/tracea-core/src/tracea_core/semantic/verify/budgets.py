# SPDX-License-Identifier: MIT
"""Budgets: registers, shared memory and launch limits of the device a kernel is meant for."""

from __future__ import annotations

from tracea_core.errors import CertificationError
from tracea_core.semantic.kernel import Actor, SemanticKernel, walk
from tracea_core.semantic.steps import Mma
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.target import CapabilityProfile


def check_budgets(kernel: SemanticKernel, profile: CapabilityProfile) -> tuple[Proof, ...]:
    """Prove that the kernel fits the device.

    On a CPU the register tile, one row of B and one broadcast must fit the vector registers, so that the inner loop
    does not spill. On a GPU see `tracea_core.semantic.verify.shared`.

    Raises
    ------
    CertificationError
        If a budget is exceeded.
    """
    proofs = []
    for role in kernel.roles:
        if role.actor is not Actor.WORKER:
            continue
        live: dict[str, int] = {}
        for node in walk(role.body):
            if isinstance(node, Mma):
                for name in (node.accumulator, node.b):
                    live[name] = role.fragment(name).layout.registers
        needed = sum(live.values()) + 1
        if profile.vector_registers and needed > profile.vector_registers:
            raise CertificationError(
                f"the inner loop needs {needed} vector registers, {profile.name} has {profile.vector_registers}"
            )
        proofs.append(
            Proof("registers", "the inner loop fits the vector registers", f"{needed} of {profile.vector_registers}")
        )
    return tuple(proofs)

# SPDX-License-Identifier: MIT
"""Budgets: registers, shared memory and launch limits of the device a kernel is meant for."""

from __future__ import annotations

from tracea_core.errors import CertificationError
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.steps import Mma, Node
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.target import CapabilityProfile

_TILES = 8
"""Tile registers of AMX (Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 1, palette 1)."""


def _together(role: Role) -> list[list[Mma]]:
    """The products of a role, those that follow from one innermost loop together: they hold their fragments at the same time."""
    found: list[list[Mma]] = []

    def visit(nodes: tuple[Node, ...]) -> None:
        own = [node for node in nodes if isinstance(node, Mma)]
        if own:
            found.append(own)
        for node in nodes:
            for part in ("body", "then", "otherwise"):
                visit(getattr(node, part, ()))

    visit(role.body)
    return found


def _vector_registers(role: Role, products: list[Mma]) -> int:
    """Vector registers for sums and rows of B: those of a row hold several k of a lane where the instruction adds their products.

    Raises
    ------
    CertificationError
        If a matrix unit has fewer registers than its own fragments take.
    """
    live: dict[str, int] = {}
    for node in products:
        lanes = instruction(node.instruction)
        if lanes.tiles > _TILES:
            raise CertificationError(f"{node.instruction} needs {lanes.tiles} of {_TILES} tile registers")
        if not lanes.tiles:
            live[node.accumulator] = role.fragment(node.accumulator).layout.registers
            live[node.b] = role.fragment(node.b).layout.registers // lanes.k
    return sum(live.values())


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
        needed = max((_vector_registers(role, group) for group in _together(role)), default=0) + 1
        if profile.vector_registers and needed > profile.vector_registers:
            raise CertificationError(
                f"the inner loop needs {needed} vector registers, {profile.name} has {profile.vector_registers}"
            )
        proofs.append(
            Proof("registers", "the inner loop fits the vector registers", f"{needed} of {profile.vector_registers}")
        )
    return tuple(proofs)

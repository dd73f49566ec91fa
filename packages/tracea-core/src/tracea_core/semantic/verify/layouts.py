# SPDX-License-Identifier: MIT
"""Layouts: no two elements of a buffer share a place, fragments hold everything, instructions get the lanes they expect."""

from __future__ import annotations

from tracea_core.errors import CertificationError
from tracea_core.semantic.kernel import Role, SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import AsyncMma, Mma
from tracea_core.semantic.verify.certificate import Proof


def check_layouts(kernel: SemanticKernel) -> tuple[Proof, ...]:
    """Prove that buffer layouts are injective, fragments cover their shape, and operands match their instruction.

    Raises
    ------
    CertificationError
        If two elements collide, an element is held by no lane, or a fragment's lane map is not the instruction's.
    """
    arguments = []
    for buffer in kernel.buffers:
        found = buffer.layout.injectivity()
        if not found.holds:
            raise CertificationError(f"two elements of {buffer.name!r} share a place: {found.argument}")
        arguments.append(f"{buffer.name}: {found.argument}")
    proofs = []
    if arguments:
        proofs.append(Proof("layouts", "every buffer layout is injective", "; ".join(arguments)))
    fragments = 0
    for role in kernel.roles:
        for fragment in role.fragments:
            fragments += 1
            if not fragment.layout.covers():
                raise CertificationError(f"the fragment {fragment.name!r} leaves elements unheld", role=role.name)
            if fragment.layout.lanes != role.lanes:
                raise CertificationError(
                    f"the fragment {fragment.name!r} spans {fragment.layout.lanes} lanes, its role has {role.lanes}"
                )
        _check_instructions(role)
    proofs.append(
        Proof("lanes", "fragments hold every element and match their instructions' lane maps", f"{fragments} fragments")
    )
    return tuple(proofs)


def _check_instructions(role: Role) -> None:
    for node in walk(role.body):
        if isinstance(node, Mma | AsyncMma):
            lanes = instruction(node.instruction)
            if lanes.faults():
                raise CertificationError(f"{node.instruction}: {lanes.faults()[0]}")
            _match(role, node.accumulator, lanes.c, "accumulator")
            if isinstance(node, Mma):
                _match(role, node.a, lanes.a, "a")
                _match(role, node.b, lanes.b, "b")


def _match(role: Role, name: str, expected: FragmentLayout | None, what: str) -> None:
    layout = role.fragment(name).layout
    if layout != expected:
        raise CertificationError(
            f"the fragment {name!r} is not laid out as the instruction's {what}", role=role.name, shape=layout.shape
        )

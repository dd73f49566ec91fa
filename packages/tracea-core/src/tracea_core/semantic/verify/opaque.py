# SPDX-License-Identifier: MIT
"""Matrices in registers whose order nobody states: nothing that a kernel does may depend on which lane holds what.

What is assumed of an opaque instruction: loads and stores of a whole matrix move the element at (row, column) between memory, rows or
columns a fixed distance apart, and the matrix; a product adds a·b to the sum; filling sets every element. Nothing is assumed of lanes:
the interpreter scatters the elements in a made-up way and takes every access to be by a lane that nobody knows, so that what another
lane does at the same place, even one of the same warp, needs a barrier between. Banks are not looked at, for want of addresses of lanes.
"""

from __future__ import annotations

from collections.abc import Mapping

from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.semantic.kernel import Fragment, Opaque, Role, SemanticKernel, Space, Use
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.opaque import tile_place
from tracea_core.semantic.steps import BufferRef, Fill, If, Load, Loop, Mma, Node, Staged, Store, Transfer
from tracea_core.semantic.verify.block import constant_ranges
from tracea_core.semantic.verify.certificate import Proof

TILE_BYTES = 16
"""What tiles begin at, and what rows of them are apart, multiples of: joint_matrix_load and its like want it on some devices."""


def check_opaque(kernel: SemanticKernel) -> tuple[Proof, ...]:
    """Prove that opaque registers are filled, multiplied and moved as whole tiles of shared memory, and nothing else.

    Raises
    ------
    CertificationError
        Naming the step that needs to know which lane holds what, or the tile that does not lie in even rows.
    """
    tiles = steps = 0
    for role in kernel.roles:
        opaque = {fragment.name: fragment for fragment in role.fragments if isinstance(fragment.opaque, Opaque)}
        for node, ranges in constant_ranges(role.body, {role.name: range(role.instances)}):
            if isinstance(node, Mma):
                steps += _check_product(role, node, opaque)
            elif isinstance(node, Load | Store) and (node.transfer is Transfer.TILE or node.fragment in opaque):
                tiles += _check_tile(kernel, role, node, opaque, ranges)
            elif isinstance(node, Fill):
                steps += node.fragment in opaque
            elif opaque and (named := sorted(_named(node) & opaque.keys())):
                raise CertificationError(
                    f"a {type(node).__name__} needs to know which lane holds what of {named[0]!r}, which nobody states",
                    role=role.name,
                )
    if not steps + tiles:
        return ()
    return (
        Proof("opaque", "nothing follows from where a matrix unit keeps its operands; loads, products and stores of whole matrices "
              "are assumed to mean what their extension says, and their banks are not known",
              f"{tiles} tiles in even rows or columns, {steps} fills and products"),
    )  # fmt: skip


def _check_product(role: Role, node: Mma, opaque: Mapping[str, Fragment]) -> int:
    names = (node.a, node.b, node.accumulator)
    if instruction(node.instruction).opaque != all(name in opaque for name in names) or (
        not instruction(node.instruction).opaque and any(name in opaque for name in names)
    ):
        raise CertificationError(f"{node.instruction} does not multiply {', '.join(names)}", role=role.name)
    for name, use in zip(names, Use, strict=True):
        held = opaque[name].opaque if name in opaque else None
        if isinstance(held, Opaque) and held.use is not use:
            raise CertificationError(
                f"{name!r} is declared as {held.use.value} and multiplied as {use.value}", role=role.name
            )
    return int(names[0] in opaque)


def _check_tile(
    kernel: SemanticKernel, role: Role, node: Load | Store, opaque: Mapping[str, Fragment], ranges: Mapping[str, range]
) -> int:
    place, fragment = node.source if isinstance(node, Load) else node.target, opaque.get(node.fragment)
    if fragment is None or node.transfer is not Transfer.TILE or not isinstance(place, BufferRef):
        raise CertificationError(f"{node.fragment!r} is no matrix of shared memory that is moved whole", role=role.name)
    buffer, held = kernel.buffer(place.buffer), fragment.opaque
    assert isinstance(held, Opaque)
    if buffer.space is not Space.SHARED or node.guard or node.width != 1 or place.rank is not None:
        raise CertificationError(f"{node.fragment!r} is no matrix of shared memory that is moved whole", role=role.name)
    if isinstance(node, Store) and held.use is not Use.SUM:
        raise CertificationError(f"{node.fragment!r} is an operand, and stored", role=role.name)
    try:
        found = tile_place(buffer, place, fragment.layout.shape, ranges)
    except (ConfigurationError, KeyError) as error:
        raise CertificationError(f"{node.fragment!r} is moved as no tile: {error}", role=role.name) from error
    if found.by_rows != held.by_rows:
        raise CertificationError(f"{node.fragment!r} lies in memory the other way than it is declared", role=role.name)
    if found.stride * buffer.dtype.bytes % TILE_BYTES or buffer.alignment % TILE_BYTES:
        raise CertificationError(
            f"rows of {buffer.name!r} are no multiples of {TILE_BYTES} bytes apart", role=role.name
        )
    return 1


def _named(node: Node) -> set[str]:
    """Every fragment that a step may name."""
    if isinstance(node, Loop | Staged | If):
        return set()
    fields = [getattr(node, field) for field in node.__struct_fields__]
    several = [name for field in fields if isinstance(field, tuple) for name in field]
    return {name for name in (*fields, *several) if isinstance(name, str)}

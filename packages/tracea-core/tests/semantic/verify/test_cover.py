# SPDX-License-Identifier: MIT
"""The roles of a block visit its tiles in one order: a role that visits each tile once, but in an order of its own, is refused."""

from __future__ import annotations

import pytest
from tracea_core.errors import CertificationError
from tracea_core.policy.config import BarrierMode
from tracea_core.policy.order import Order
from tracea_core.semantic.index import Index, Sym
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Let, Loop, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.cover import check_cover

BACKWARDS = {"never": Sym("band") % 1, "by twos": Sym("band") // 2, "always": Sym("band") * 0 + 1}


def bands(nodes: tuple[Node, ...], backwards: Index) -> tuple[Node, ...]:
    """The nodes with other bands that run backwards."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            node = node.replace(body=bands(node.body, backwards))
        if isinstance(node, Let) and node.name == "backwards":
            node = node.replace(value=backwards)
        found.append(node)
    return tuple(found)


@pytest.mark.parametrize("role", ["producer", "consumer"])
@pytest.mark.parametrize("backwards", BACKWARDS)
def test_a_role_that_goes_through_bands_from_their_other_end_is_refused(hopper, role: str, backwards: str) -> None:
    kernel: SemanticKernel = hopper.kernel(hopper.configuration(order=Order.SERPENTINE, group=2))
    check_cover(kernel)
    assert {own.name for own in kernel.roles} >= {role}
    roles = tuple(
        own.replace(body=bands(own.body, BACKWARDS[backwards])) if own.name == role else own for own in kernel.roles
    )
    with pytest.raises(CertificationError, match="in another order") as refused:
        check_cover(kernel.replace(roles=roles))
    assert "producer" in str(refused.value) and "consumer" in str(refused.value)
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=roles), hopper.contraction(), hopper.profile)


def test_roles_may_go_through_all_bands_alike(hopper) -> None:
    """What order it is does not matter to what is computed."""
    kernel: SemanticKernel = hopper.kernel(hopper.configuration(order=Order.SERPENTINE, group=2))
    check_cover(
        kernel.replace(roles=tuple(own.replace(body=bands(own.body, BACKWARDS["never"])) for own in kernel.roles))
    )


@pytest.mark.parametrize("mode", [BarrierMode.PRODUCER_CONSUMER, BarrierMode.PING_PONG])
def test_rows_of_tiles_are_no_columns(hopper, mode: BarrierMode) -> None:
    """Consumers that take turns are looked at together, round by round."""
    fields = {"barrier_mode": mode, "warps": 12} if mode is BarrierMode.PING_PONG else {}
    by_row, by_column = (
        hopper.kernel(hopper.configuration(64 if fields else 128, 64, order=order, **fields))
        for order in (Order.ROW, Order.COLUMN)
    )
    check_cover(by_row)
    check_cover(by_column)
    mixed = tuple(
        theirs if theirs.name == "producer" else own for own, theirs in zip(by_row.roles, by_column.roles, strict=True)
    )
    with pytest.raises(CertificationError, match="in another order"):
        check_cover(by_row.replace(roles=mixed))

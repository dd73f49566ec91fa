# SPDX-License-Identifier: MIT
"""Faults planted by hand: every node is offered once, inner ones first, and a fault that changes nothing is an error."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Load, Loop, Node
from tracea_core.testing.cases import gemm
from tracea_core.testing.edit import edited
from tracea_core.testing.null import null_backend


@pytest.fixture(scope="module")
def kernel() -> SemanticKernel:
    manifest, problem = null_backend(), gemm((64, 48, 32), DType.FP32, "nn")
    profile = manifest.probe().devices[0].profile
    variant = next(one for one in manifest.variants(profile) if DType.FP32 in one.operand_dtypes)
    lowered = lower(problem)
    config = first_buildable(lowered, PolicyEngine(profile).decide(problem, variant).heroes, profile, variant)
    return build_kernel(lowered.contraction, config, profile, variant)


def test_nodes_are_exchanged_left_out_and_added_in_every_body(kernel: SemanticKernel) -> None:
    loads = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Load)]
    assert loads

    def without(node: Node) -> Node | None:
        return None if isinstance(node, Load) else node

    left = [node for role in edited(kernel, without).roles for node in walk(role.body)]
    assert not any(isinstance(node, Load) for node in left) and any(isinstance(node, Loop) for node in left)
    twice = edited(kernel, lambda node: (node, node) if isinstance(node, Load) else node)
    assert sum(isinstance(node, Load) for role in twice.roles for node in walk(role.body)) == 2 * len(loads)
    filled = edited(kernel, lambda node: node.replace(fill=7.0) if isinstance(node, Load) else node)
    assert {node.fill for role in filled.roles for node in walk(role.body) if isinstance(node, Load)} == {7.0}


def test_inner_nodes_come_first_and_each_once(kernel: SemanticKernel) -> None:
    seen: list[Node] = []

    def note(node: Node) -> Node:
        if isinstance(node, Loop):
            assert seen[-1] == node.body[-1], "as it has become"
        seen.append(node.replace(unroll=node.unroll + 1) if isinstance(node, Loop) else node)
        return seen[-1]

    changed = edited(kernel, note)
    assert len(seen) == sum(1 for role in kernel.roles for _ in walk(role.body))
    assert all(node.unroll > 1 for role in changed.roles for node in walk(role.body) if isinstance(node, Loop))


def test_a_fault_that_changes_nothing_is_refused(kernel: SemanticKernel) -> None:
    with pytest.raises(ValueError, match="not planted"):
        edited(kernel, lambda node: node)
    assert edited(kernel, lambda node: node, or_same=True) == kernel
    with pytest.raises(ValueError, match="not planted"):
        edited(kernel, lambda node: None, role="no such role")
    assert edited(kernel, lambda node: None, role=kernel.roles[0].name).roles[0].body == ()

# SPDX-License-Identifier: MIT
"""Walks whose rows wait in shared memory: right whoever copies them, and planted faults are refused."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.index import Sym
from tracea_core.semantic.steps import AsyncCopy, BufferRef, Load, Node, Wait
from tracea_core.testing.edit import Edit
from tracea_core.testing.strips import built, check_refused, check_strips, own_filters, strip, without_barrier

KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "staged": (
        own_filters("bias,residual,relu", c=16, k=16, groups=16, h=9, dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=5, unroll_k=3, stages=4),
    ),
    "staged strided": (
        own_filters(c=16, k=16, groups=16, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=3, unroll_k=3, stages=3),
    ),
    "staged columns": (
        own_filters(c=72, k=72, groups=72, h=9, dtype=DType.BF16),
        strip(4, 64, 2, 2, 8).replace(tile_k=5, unroll_k=3, stages=8),
    ),
    "staged for others": (
        own_filters("bias,residual,relu", c=72, k=72, groups=72, h=9, dtype=DType.FP16),
        strip(4, 64, 4, 8, 8).replace(tile_k=5, unroll_k=3, stages=4),
    ),
    "staged for others, strided": (
        own_filters(c=16, k=16, groups=16, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(4, 64, 1, 4, 8).replace(tile_k=3, unroll_k=3, stages=3),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


def late(node: Node) -> Node | None:
    """Rows are read while their copies may be under way."""
    return node.replace(pending=node.pending + 1) if isinstance(node, Wait) and node.pending else node


def next_slot(node: Node) -> Node | None:
    reads = isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "rows"
    if not (reads and isinstance(node, Load) and isinstance(node.source, BufferRef)):
        return node
    return node.replace(source=node.source.replace(slot=(Sym("step") + 1) % 4))


def of_nobody(node: Node) -> Node | None:
    """Warps without a strip copy, too."""
    return node.replace(guard=node.guard[1:]) if isinstance(node, AsyncCopy) else node


def without_column(node: Node) -> Node | None:
    """Columns beyond the image are copied as if they were there."""
    if not isinstance(node, AsyncCopy):
        return node
    return node.replace(guard=tuple(test for test in node.guard if Sym("width") != test.right))


FAULTS = [
    (late, "under way|copy|barrier"),
    (next_slot, "wrong|under way|before|barrier"),
    (of_nobody, "touches|before|wrong"),
    (without_column, "touches|wrong|before"),
]
OF_MEETINGS = [
    (without_barrier("copied"), "without a barrier"),
    (without_barrier("walked"), "without a barrier|under way"),
]


@pytest.mark.parametrize("name", ["staged columns", "staged for others"])
@pytest.mark.parametrize(("edit", "words"), FAULTS)
def test_planted_faults_of_copied_rows_are_refused(name: str, edit: Edit, words: str) -> None:
    check_refused(*KINDS[name], edit, words)


@pytest.mark.parametrize(("edit", "words"), OF_MEETINGS)
def test_lanes_that_copy_for_others_meet(edit: Edit, words: str) -> None:
    check_refused(*KINDS["staged for others"], edit, words)
    with pytest.raises(ValueError, match="no node changed"):
        check_refused(*KINDS["staged columns"], edit, words)  # whose warps meet nowhere


def test_rows_that_shared_memory_does_not_hold_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="bytes of shared memory"):
        built(
            own_filters(dtype=DType.FP16, stride=(2, 2)), strip(8, 64, 8, 4, 2).replace(tile_k=4, unroll_k=2, stages=8)
        )

# SPDX-License-Identifier: MIT
"""Strips that walk down an image: right with rows in registers, a row ahead or none, and planted faults are refused."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.index import Sym, evaluate
from tracea_core.semantic.steps import BufferRef, Compute, Fill, If, Let, Load, Loop, Node, Store
from tracea_core.testing.edit import Edit
from tracea_core.testing.strips import built, check_refused, check_strips, lowered, own_filters, strip

KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "rolling": (own_filters(h=7, dtype=DType.FP16), strip(5, 64, 4, 2, 2).replace(tile_k=4, unroll_k=3)),
    "rolling ahead": (
        own_filters("bias,residual,relu", c=16, k=16, groups=16, h=9, dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=5, unroll_k=3, stages=2),
    ),
    "rolling strided": (
        own_filters(c=16, k=16, groups=16, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=3, unroll_k=3, stages=2),
    ),
    "rolling one line": (own_filters(dtype=DType.FP16), strip(5, 64, 4, 2, 2).replace(unroll_k=3)),
    "rolling apart": (
        own_filters(r=2, s=2, stride=(3, 3), padding=(0, 0), h=11),
        strip(2).replace(tile_k=2, unroll_k=2),
    ),
    "rolling known": (
        own_filters(c=8, k=8, groups=8, w=14, h=14, r=7, s=7, padding=(3, 3), dtype=DType.BF16),
        strip(14, 32, 4).replace(tile_k=7, unroll_k=7, stages=2),
    ),
    "rolling in place": (
        own_filters(c=64, k=64, groups=64, dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=2, unroll_k=3),
    ),
    "rolling multiplied": (
        own_filters("bias,residual,relu", k=36, dtype=DType.FP16),
        strip(3, 64, 4, 1, 2).replace(tile_k=3, unroll_k=3),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


def staying(node: Node) -> Node | None:
    """Sums of a line that do not take the place of those above it."""
    return None if isinstance(node, Compute) and node.target == node.accumulators[0][:-3] + "0_0" else node


def too_early(node: Node) -> Node | None:
    """A line is finished a step before its last row came."""
    return node.replace(value=node.value + 1) if isinstance(node, Let) and node.name == "line" else node


def not_emptied(node: Node) -> Node | None:
    return None if isinstance(node, Fill) and node.fragment == "total2_0" else node


def beyond(node: Node) -> Node | None:
    """Columns behind the last image's channels are stored, too."""
    return node.replace(guard=(node.guard[0], *node.guard[2:])) if isinstance(node, Store) and node.guard else node


def below(node: Node) -> Node | None:
    """The last step's line may lie behind the image."""
    tests = node.guard if isinstance(node, If) else ()
    return node.replace(guard=tests[:1]) if tests and Sym("lines") == tests[-1].right else node


def any_row(node: Node) -> Node | None:
    tests = node.guard if isinstance(node, If) else ()
    return node.replace(guard=tests[1:]) if tests and Sym("height") == tests[-1].right else node


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (staying, "wrong"),
        (too_early, "wrong|touches|written|before"),
        (beyond, "touches|written"),
        (not_emptied, "wrong|unwritten|before"),
        (below, "touches|written"),
        (any_row, "touches|wrong|before"),
    ],
)
def test_planted_faults_of_walks_are_refused(edit: Edit, words: str) -> None:
    check_refused(*KINDS["rolling ahead"], edit, words)


@pytest.mark.parametrize(("channels", "blocks"), [(16, 1), (24, 2)])
def test_images_follow_one_another_where_channels_fill_half_of_a_tile(channels: int, blocks: int) -> None:
    """Two images of 16 channels are one tile of 32 columns, whose three strips one block takes; of 24 a tile each, whose six two take."""
    problem = own_filters(c=channels, k=channels, groups=channels, dtype=DType.FP16)
    kernel = built(problem, strip(8, 32, 4, 1, 8).replace(tile_k=5, unroll_k=3))
    assert evaluate(kernel.launch.blocks, lowered(problem).symbols) == blocks


def test_elements_of_small_filters_stay_in_registers() -> None:
    """Nine elements of two channels are loaded once for all strips of a block, 49 anew for each row."""
    for name, where in (("rolling ahead", "column"), ("rolling known", "step")):
        kernel = built(*KINDS[name])
        found: set[str] = set()

        def visit(nodes: tuple[Node, ...], loop: str, found: set[str] = found) -> None:
            for node in nodes:
                if isinstance(node, Loop):
                    visit(node.body, node.var)
                elif isinstance(node, If):
                    visit((*node.then, *node.otherwise), loop)
                elif isinstance(node, Load) and isinstance(node.source, BufferRef):
                    found.add(loop)

        visit(kernel.roles[0].body, "")
        assert found == {"turn" if where == "column" else where}


def test_lines_that_end_apart_are_not_exchanged_together() -> None:
    walk = strip(4, 32, 4, 1, 8).replace(
        tile_k=5, unroll_k=3
    )  # a lane stores eight channels of one pixel, and has four
    with pytest.raises(ConfigurationError, match="are no accesses"):
        built(own_filters(c=64, k=64, groups=64, dtype=DType.FP16), walk)

# SPDX-License-Identifier: MIT
"""What the columns of a tile are: images one after the other, strips side by side, and planted faults of those are refused."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem, TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import first_buildable
from tracea_core.semantic.index import COLUMN, Const, Index, IndexOp, Sym, evaluate
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Load, Node, Store, Wait
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import Edit, edited
from tracea_core.testing.strips import (
    LAST,
    PROFILE,
    VARIANT,
    built,
    check_refused,
    check_strips,
    lowered,
    own_filters,
    strip,
    without_barrier,
)

KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "side by side": (
        own_filters("bias,residual,relu", c=24, k=24, groups=24, h=9, dtype=DType.FP16),
        strip(2, 128, 2, 4, 4).replace(tile_k=5, unroll_k=3, stages=4, row_block=7),
    ),
    "side by side, two tiles": (
        own_filters(c=70, k=70, groups=70, h=9, dtype=DType.BF16),
        strip(2, 64, 3, 2, 2).replace(tile_k=5, unroll_k=3, stages=4, row_block=4),
    ),
    "side by side, two tiles, biased": (
        own_filters("bias,residual,relu", c=70, k=70, groups=70, h=9, dtype=DType.BF16),
        strip(2, 64, 3, 2, 2).replace(tile_k=5, unroll_k=3, stages=4, row_block=4),
    ),
    "side by side, strided": (
        own_filters(c=40, k=40, groups=40, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(2, 64, 4, 2, 2).replace(tile_k=3, unroll_k=3, stages=3, row_block=5),
    ),
    "side by side, exchanged": (
        own_filters("bias,residual,relu", c=72, k=72, groups=72, h=9, dtype=DType.FP16),
        strip(2, 128, 2, 4, 8).replace(tile_k=5, unroll_k=3, stages=4, row_block=3),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


def on_the_spot(node: Node) -> Node | None:
    """Lanes whose channels have ended copy the strip that they were in."""
    if not isinstance(node, AsyncCopy):
        return node
    first = Sym("warp_column") + COLUMN
    return node.replace(source=node.source.replace(offset=replaced(node.source.offset, first // 36, Const(0))))


def replaced(expr: Index, what: Index, by: Index) -> Index:
    if expr == what:
        return by
    if isinstance(expr, IndexOp):
        return expr.replace(left=replaced(expr.left, what, by), right=replaced(expr.right, what, by))
    return expr


def biased_as_the_first_strip(node: Node) -> Node | None:
    """Lanes whose channels have ended read on in the bias, as if the next strip's channels followed."""
    if not (isinstance(node, Load) and isinstance(node.source, Access) and node.source.operand == "bias_0"):
        return node
    column = Sym("warp_column") + COLUMN
    return node.replace(source=node.source.replace(offset=replaced(node.source.offset, column % 24, column)))


def biased_beyond(node: Node) -> Node | None:
    """Lanes behind the last channel read a bias, too."""
    biased = isinstance(node, Load) and isinstance(node.source, Access) and node.source.operand == "bias_0"
    return node.replace(guard=node.guard[:1]) if biased and isinstance(node, Load) else node


def of_the_first_warp(node: Node) -> Node | None:
    """Every warp takes the filters of the first one's channels."""
    reads = isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "filters"
    if not (reads and isinstance(node, Load) and isinstance(node.source, BufferRef)):
        return node
    return node.replace(source=node.source.replace(coordinates=(node.source.coordinates[0], COLUMN)))


def stored_once(node: Node) -> Node | None:
    """Filters are there once, where the second strip's lanes look for them in the banks that follow."""
    if isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.buffer == "filters":
        return (
            None
            if isinstance(node.target.coordinates[1], IndexOp) and isinstance(node.target.coordinates[1].right, Const)
            else node
        )
    return node


def strips_too_many(node: Node) -> Node | None:
    """Lanes behind the block's last strip store, too: the next block's pixels."""
    stores = isinstance(node, Store) and isinstance(node.target, Access)
    return node.replace(guard=(node.guard[0], *node.guard[2:])) if stores and isinstance(node, Store) else node


def channels_too_many(node: Node) -> Node | None:
    """Columns behind the last channel are stored, too: the next pixel's channels."""
    stores = isinstance(node, Store) and isinstance(node.target, Access)
    return node.replace(guard=node.guard[:2]) if stores and isinstance(node, Store) else node


def late(node: Node) -> Node | None:
    """Rows are read while their copies may be under way."""
    return node.replace(pending=node.pending + 1) if isinstance(node, Wait) and node.pending else node


def without_column(node: Node) -> Node | None:
    """Columns beyond the image are copied as if they were there."""
    if not isinstance(node, AsyncCopy):
        return node
    return node.replace(guard=tuple(test for test in node.guard if Sym("width") != test.right))


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (on_the_spot, "wrong|touches"),
        (of_the_first_warp, "wrong"),
        (stored_once, "wrong|nothing was written"),
        (strips_too_many, "touches|written"),
        (channels_too_many, "touches|written"),
        (without_barrier("staged"), "without a barrier"),
        (without_barrier("used"), "without a barrier"),
        (late, "under way|copy|barrier"),
        (without_column, "touches|wrong|before"),
    ],
)
def test_planted_faults_of_strips_side_by_side_are_refused(edit: Edit, words: str) -> None:
    check_refused(*KINDS["side by side, two tiles"], edit, words)


def test_planted_faults_of_a_bias_are_refused() -> None:
    check_refused(*KINDS["side by side"], biased_as_the_first_strip, "touches|wrong|before")
    check_refused(*KINDS["side by side, two tiles, biased"], biased_beyond, "touches")


def test_what_is_the_same_for_all_pixels_is_loaded_once_for_a_column_of_tiles() -> None:
    kernel = built(*KINDS["side by side"])
    once = {node.fragment for node in kernel.roles[0].body if isinstance(node, Load)}
    assert "bias_0_held" in once and "residual_1_held" not in once


def residuals(node: Node, found: list[Load]) -> Node:
    if isinstance(node, Load) and node.fragment == "residual_1_held":
        found.append(node)
    return node


@pytest.mark.parametrize(
    ("dtype", "configuration", "width"),
    [
        (DType.FP16, strip(2, 128, 2, 4, 4), 4),
        (DType.FP32, strip(2, 128, 2, 4, 4), 4),  # 16 bytes
        (DType.FP16, strip(4, 64, 2, 2, 8), 2),  # what a lane has before it exchanges
        (DType.FP16, strip(16, 128, 4, 8, 8).replace(tile_n=32, tile_k=8, halo=True), 8),
        (DType.FP32, strip(16, 128, 4, 8, 8).replace(tile_n=32, tile_k=8, halo=True), 4),
    ],
)
def test_a_residual_moves_in_runs(dtype: DType, configuration: PipelineConfig, width: int) -> None:
    problem = own_filters("bias,residual,relu", c=24, k=24, groups=24, h=9, dtype=DType.FP16)
    bias, residual = problem.epilogue_inputs
    problem = problem.replace(epilogue_inputs=(bias, dense(residual.shape, dtype, LAST)))
    check_strips(problem, configuration)
    kernel, found = built(problem, configuration), list[Load]()
    edited(kernel, lambda node: residuals(node, found), or_same=True)
    assert {node.width for node in found} == {width}
    promised = {parameter.name: parameter.alignment for parameter in kernel.parameters}["residual_1"]
    assert promised >= width * dtype.bytes


def test_rows_of_a_residual_that_begin_anywhere_narrow_what_is_stored() -> None:
    problem = own_filters("bias,residual,relu", c=24, k=24, groups=24, h=9, dtype=DType.FP16)
    bias, residual = problem.epilogue_inputs
    h, w = residual.shape[2:]
    odd = TensorSpec(residual.shape, residual.dtype, (h * w * 25, 1, w * 25, 25))
    wide = strip(2, 128, 2, 4, 4)
    even, uneven = lowered(problem), lowered(problem.replace(epilogue_inputs=(bias, odd)))
    assert first_buildable(even, (wide,), PROFILE, VARIANT) == wide
    assert first_buildable(uneven, (wide,), PROFILE, VARIANT).vector_c == 1


def test_blocks_hold_whole_pixels_of_as_many_strips_as_fit() -> None:
    """Of 144 channels 7 strips lie in 8 warps of 128 columns: one tile. Of 384 three tiles of 128 channels fill 7 warps."""
    for channels, warps, blocks in ((144, 8, 2), (384, 7, 6)):
        problem = own_filters(n=1, c=channels, k=channels, groups=channels, w=28, h=9, dtype=DType.FP16)
        kernel = built(problem, strip(2, 128, warps, 4, 4).replace(tile_k=9, unroll_k=3, stages=4, row_block=7))
        assert evaluate(kernel.launch.blocks, lowered(problem).symbols) == blocks


@pytest.mark.parametrize(
    "configuration",
    [
        strip(2, 128, 2, 4, 4).replace(row_block=7),  # rows wait in registers
        strip(2, 128, 2, 8, 4).replace(row_block=7, tile_k=5, unroll_k=3, stages=4),  # lanes copy for each other
        strip(2, 128, 1, 4, 4).replace(row_block=64, tile_k=5, unroll_k=3, stages=4),  # two columns for each strip
        strip(19, 32, 2, 2, 2).replace(row_block=2, tile_k=5, unroll_k=3, stages=4),  # strips that are whole lines
    ],
)
def test_strips_that_do_not_lie_side_by_side(configuration: PipelineConfig) -> None:
    with pytest.raises(ConfigurationError, match="side by side"):
        built(own_filters(c=24, k=24, groups=24, dtype=DType.FP16), configuration)

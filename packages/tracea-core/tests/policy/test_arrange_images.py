# SPDX-License-Identifier: MIT
"""Arrangements of convolutions: what is copied for a copy engine, how much room that takes, and what estimates say of it."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.pixels import matrices_of_pixels
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.offered import variants_of
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrange_images import ROOM, arranged_images, image_fault
from tracea_core.policy.arrangement import Arranged
from tracea_core.policy.channel_steps import wanted_depth
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.testing.cases import dense

LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)
FP16 = DType.FP16


def conv(order: tuple[int, ...] = LAST, epilogue: str = "", **fields: Any) -> Problem:
    sizes: dict[str, Any] = {
        "n": 8,
        "c": 64,
        "h": 28,
        "w": 28,
        "k": 64,
        "r": 3,
        "s": 3,
        "padding": (1, 1),
        "dtype": FP16,
    }
    op = Conv2dOp(**(sizes | fields))
    out = dense(op.output_shape(), op.output_dtype(), order)
    fused = parse_epilogue(epilogue)
    extra = tuple(dense(out.shape if o.name == "residual" else (op.k,), FP16) for o in fused.operands)
    return Problem(op, tuple(dense(shape, op.dtype, order) for shape in op.input_shapes()), out, fused, extra)


def ways(problem: Problem) -> tuple[Arranged, ...]:
    selection = resolve(None, None, "h200")
    return arranged(problem, selection.target, variants_of(selection))


def test_odd_channels_are_copied_and_padded_for_the_copy_engine() -> None:
    lines, rows, gathered = (way.arrangement for way in ways(conv(n=32, c=67, h=55, w=55, k=131)))
    assert ways(conv(n=32, c=67, h=55, w=55, k=131))[0].choice.variant.name == "cuda.contraction.wgmma_windows_fp16"
    assert [(p.operand, p.copied.shape, p.copied.strides, p.depth) for p in rows.packed] == [
        (0, (32 * 55 * 55, 67), (72, 1), 72), (1, (131 * 9, 67), (72, 1), 72),
    ]  # fmt: skip
    inner = rows.problem
    assert isinstance(inner.op, Conv2dOp) and inner.op.c == 72 and inner.options.placed == (0, 1)
    assert inner.inputs[0].strides == (55 * 55 * 72, 1, 55 * 72, 72)
    assert "narrow stores" in rows.reason and "by narrow accesses" in gathered.reason
    for one in (lines, rows):
        assert sum(packing.bytes for packing in one.packed) + one.stored_bytes <= ROOM


def test_lines_of_windows_fill_steps_that_odd_channels_do_not() -> None:
    found = ways(conv(n=32, c=67, h=55, w=55, k=131))[0].arrangement
    inner = found.problem.op
    assert isinstance(inner, Conv2dOp)
    assert (inner.c, inner.s, inner.w, inner.padding) == (3 * 72, 1, 55, (1, 0)), (
        "nothing beyond the third pixel is read"
    )
    assert [(p.copied.shape, p.pixel, p.lead) for p in found.packed] == [
        ((32 * 55, 57 * 72), 72, 1), ((131 * 3, 3 * 72), 72, 0),
    ]  # fmt: skip
    assert found.problem.inputs[0].strides == (55 * 57 * 72, 1, 57 * 72, 72), "windows overlap"
    assert not any(
        packing.pixel for way in ways(conv(c=67, r=1, s=1, padding=(0, 0))) for packing in way.arrangement.packed
    )


@pytest.mark.parametrize("order", [LAST, FIRST])
def test_first_layers_walk_over_lines_of_windows(order: tuple[int, ...]) -> None:
    """Windows that go down by two lines have pairs of them in a row: four of 7×7, of which the last has one line and zeros."""
    found = ways(conv(order, n=16, c=3, h=224, w=224, r=7, s=7, padding=(3, 3), stride=(2, 2)))[0].arrangement
    inner = found.problem.op
    assert isinstance(inner, Conv2dOp)
    assert (inner.c, inner.h, inner.r, inner.s, inner.w) == (64, 115, 4, 1, 112)
    assert (inner.stride, inner.padding, inner.output_size) == ((1, 1), (0, 0), (112, 112))
    assert found.problem.inputs[0].strides == (115 * 1840, 1, 1840, 16), "windows begin 16 elements apart and overlap"
    assert [(p.copied.shape, p.pixel, p.lead, p.together, p.above) for p in found.packed] == [
        ((16 * 115, 1840), 4, 3, 2, 3), ((64 * 4, 64), 4, 0, 2, 0),
    ]  # fmt: skip
    assert sum(packing.bytes for packing in found.packed) <= ROOM
    spread = conv(c=3, padding=(3, 3), dilation=(1, 2))
    assert not any(packing.pixel for way in ways(spread) for packing in way.arrangement.packed)
    apart = conv(n=16, c=3, h=224, w=224, stride=(2, 2), dilation=(2, 1))
    assert {p.together for way in ways(apart) for p in way.arrangement.packed} == {1}


@pytest.mark.parametrize(
    ("order", "filters", "size", "shape"),
    [(LAST, LAST, 16, (8 * 196, 768)), (FIRST, FIRST, 16, (8 * 196, 768)), (FIRST, LAST, 4, (8 * 56, 56 * 48))],
)
def test_patches_are_multiplied_as_pixels(
    order: tuple[int, ...], filters: tuple[int, ...], size: int, shape: tuple[int, int]
) -> None:
    """In the order of the filters, which are read where they lie; a row is a window or those of a line, as tiles fill better."""
    given = conv(order, c=3, h=224, w=224, k=96, r=size, s=size, padding=(0, 0), stride=(size, size))
    given = given.replace(inputs=(given.inputs[0], dense((96, 3, size, size), FP16, filters)))
    found = ways(given)[0].arrangement
    (packing,) = found.packed
    assert (packing.operand, packing.copied.shape, packing.window) == (0, shape, (size, size))
    assert packing.channels_last == (filters == LAST)
    inner, across = found.problem.op, 224 // size
    assert isinstance(inner, Conv2dOp) and (inner.c, inner.h, inner.w, inner.r) == (3 * size**2, across, across, 1)
    assert found.problem.inputs[1].strides == (inner.c, 1, inner.c, inner.c)
    assert packing.bytes == given.inputs[0].bytes, "no element is copied twice"


@pytest.mark.parametrize(
    "fields", [{"stride": (8, 8)}, {"padding": (1, 1)}, {"h": 33}, {"c": 8}, {"dilation": (2, 2)}], ids=str
)
def test_windows_that_overlap_or_leave_something_out_are_no_patches(fields: dict[str, Any]) -> None:
    given = {"n": 2, "c": 3, "h": 32, "w": 32, "r": 16, "s": 16, "padding": (0, 0), "stride": (16, 16)}
    assert any(packing.window for one in arranged_images(conv(**given)) for packing in one.packed)
    assert not any(packing.window for one in arranged_images(conv(**(given | fields))) for packing in one.packed)


def test_patches_of_odd_elements_are_copied_with_their_filters() -> None:
    given = conv(c=3, h=28, w=28, k=64, r=14, s=14, padding=(0, 0), stride=(14, 14))
    found = next(one for one in arranged_images(given) if one.packed[0].window)
    assert [(p.operand, p.depth % 592, p.copied.shape[1] % 592) for p in found.packed] == [(0, 0, 0), (1, 0, 0)]


@pytest.mark.parametrize(("filters", "images", "copied"), [(32, 8, True), (16, 8, True), (64, 1, False)])
def test_small_filters_of_first_layers_walk_over_lines_where_images_are_large(
    filters: int, images: int, copied: bool
) -> None:
    """Read element by element 8×224² took 43 µs on an H200; a small image is read sooner than it is copied."""
    size, step = (224, 2) if copied else (32, 1)
    problem = conv(n=images, c=3, h=size, w=size, k=filters, stride=(step, step))
    first, *others = ways(problem)
    assert (first.arrangement.kernels == 3) == copied
    read = first if not copied else next(way for way in others if way.arrangement.kernels == 1)
    assert read.choice.variant.name == "cuda.contraction.mma_fp16"
    assert not copied or 40e-6 < read.arrangement.seconds < 50e-6


def test_what_lies_well_is_left_where_it_is() -> None:
    assert list(arranged_images(conv())) == []
    assert [p.operand for one in arranged_images(conv(FIRST)) for p in one.packed] == [0, 1]
    given = conv()
    filters = given.replace(inputs=(given.inputs[0], dense((64, 64, 3, 3), FP16, FIRST)))
    assert [[p.operand for p in one.packed] for one in arranged_images(filters)] == [[1]]


def test_results_of_other_orders_are_stored_in_rows_and_copied() -> None:
    (one,) = arranged_images(conv(FIRST, "bias,relu"))
    assert one.stored is not None and one.stored.shape == (8, 28 * 28, 64)
    assert one.problem.output.strides == (28 * 28 * 64, 1, 28 * 64, 64) and one.kernels == 4


@pytest.mark.parametrize(
    "problem",
    [
        conv(FIRST, "residual"),
        conv(c=66, groups=2),
        conv(FIRST, c=36, k=36, groups=12),
        conv(FIRST, n=64, c=64, h=56, w=56),
        conv(n=0, c=67),
    ],
)
def test_no_way_of_several_kernels(problem: Problem) -> None:
    """A residual of another order, groups, more than the room, no images."""
    assert list(arranged_images(problem)) == []


def test_faults_name_what_is_wrong() -> None:
    odd = conv(c=67)
    assert image_fault(conv(), 0) is None and "134 bytes" in str(image_fault(odd, 0))
    assert "channels-last" in str(image_fault(conv(FIRST), 0)) and "channels-last" in str(image_fault(conv(FIRST), 1))
    assert "addresses" in str(image_fault(conv().replace(options=Options(alignment=8)), 1))


def test_images_are_matrices_of_pixels() -> None:
    assert matrices_of_pixels(dense((2, 3, 4, 5), FP16, LAST)) == TensorSpec((40, 3), FP16, (3, 1))
    assert matrices_of_pixels(dense((2, 3, 4, 5), FP16, FIRST)) == TensorSpec((2, 20, 3), FP16, (60, 1, 20))
    assert matrices_of_pixels(dense((1, 3, 4, 5), FP16, FIRST)) == TensorSpec((20, 3), FP16, (1, 20))
    assert matrices_of_pixels(TensorSpec((2, 3, 4, 5), FP16, (99, 1, 18, 3))) is None


@pytest.mark.parametrize(("channels", "depth"), [(64, 64), (72, 32), (8, 16), (96, 32), (320, 64), (128, 64)])
def test_steps_are_as_deep_as_channels_fill(channels: int, depth: int) -> None:
    problem = conv(c=channels, k=131)
    best = ways(problem)[0]
    operator = topology_of(best.choice.problem, best.choice.variant)
    assert operator.innermost == channels and wanted_depth(operator) == depth
    assert operator.padded_depth(64) == 9 * -(-channels // 64) * 64
    heroes = PolicyEngine(best.choice.target.profile).decide(best.choice.problem, best.choice.variant).heroes
    assert any(hero.tile_k == depth for hero in heroes)


def decided(problem: Problem) -> tuple[PipelineConfig, OperatorTopology]:
    best = ways(problem)[0].choice
    return PolicyEngine(best.target.profile).decide(best.problem, best.variant).hero, topology_of(
        best.problem, best.variant
    )


@pytest.mark.parametrize(
    ("size", "channels", "parts", "depth"), [(56, 64, 1, 64), (28, 128, 1, 128), (14, 256, 4, 128), (7, 512, 8, 128)]
)
def test_blocks_of_a_cluster_share_the_reduction_of_few_windows(
    size: int, channels: int, parts: int, depth: int
) -> None:
    """The layers of ResNet-50 with one image: the faster of 16 configurations on an H200, or within 4 % of it."""
    hero, _ = decided(conv(n=1, c=channels, h=size, w=size, k=channels))
    assert (hero.split_k, hero.tile_k, hero.tile_m) == (parts, depth, 64)


def test_tall_tiles_for_few_filters_and_images_are_read_once() -> None:
    hero, operator = decided(conv(n=64, h=56, w=56))
    assert (hero.tile_m, hero.tile_n) == (256, 64)
    assert operator.image == 64 * 56 * 56 * 64 < operator.m * operator.k
    assert operator.traffic == 2 * (operator.image + 9 * 64 * 64 + operator.m * 64)

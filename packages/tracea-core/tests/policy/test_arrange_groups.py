# SPDX-License-Identifier: MIT
"""Groups of a convolution that are multiplied together: which become one, where their filters lie then, and when they are left apart."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.offered import variants_of
from tracea_core.pipeline.path import trace
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrange_groups import merged_groups
from tracea_core.policy.arrange_images import arranged_images
from tracea_core.testing.cases import dense

LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)
H200 = preset("h200")


def conv(order: tuple[int, ...] = LAST, **fields: Any) -> Problem:
    sizes: dict[str, Any] = {
        "n": 64,
        "c": 256,
        "h": 28,
        "w": 28,
        "k": 256,
        "r": 3,
        "s": 3,
        "padding": (1, 1),
        "groups": 32,
    }
    op = Conv2dOp(**(sizes | {"dtype": DType.BF16} | fields))
    images, filters = op.input_shapes()
    out = dense(op.output_shape(), op.output_dtype(), LAST)
    return Problem(op, (dense(images, op.dtype, LAST), dense(filters, op.dtype, order)), out)


def test_neighbouring_groups_become_one_of_up_to_128_channels() -> None:
    ways = tuple(merged_groups(conv(), H200))
    assert [way.packed[0].merged for way in ways] == [2, 4, 8, 16]
    eight = ways[2]
    (packing,) = eight.packed
    assert (packing.operand, packing.copied.shape, packing.depth) == (1, (32, 8 * 9, 64), 64)
    assert packing.bytes == 256 * 9 * 64 * 2 and eight.kernels == 2
    inner = eight.problem
    assert isinstance(inner.op, Conv2dOp) and inner.op.groups == 4 and inner.options.placed == (1,)
    assert inner.inputs[1].shape == (256, 64, 3, 3) and inner.inputs[1].strides == (576, 1, 192, 64)


def test_a_divisor_of_the_groups_becomes_one() -> None:
    assert [way.packed[0].merged for way in merged_groups(conv(c=96, k=48, groups=12), H200)] == [2, 3, 4, 6, 12]
    assert [way.packed[0].merged for way in merged_groups(conv(c=100, k=100, groups=25), H200)] == [], (
        "25 channels of 4 groups"
    )


def test_groups_are_left_apart_where_lanes_multiply_or_filters_lie_apart() -> None:
    own = conv(c=96, k=96, groups=96)
    apart = (
        conv(groups=1),
        conv(dtype=DType.FP32),
        conv((1, 0, 2, 3)),
        conv(n=0),
        conv(c=32768, k=32768, groups=512),
        own,
    )
    assert [tuple(merged_groups(problem, H200)) for problem in apart] == [()] * len(apart)
    part = CroppedConv2dOp(2, 64, 9, 9, 64, 3, 3, groups=8, size=(2, 2), dtype=DType.BF16)
    images, filters = (dense(shape, DType.BF16, LAST) for shape in part.input_shapes())
    assert not tuple(
        merged_groups(Problem(part, (images, filters), dense(part.output_shape(), DType.BF16, LAST)), H200)
    )


@pytest.mark.parametrize(
    ("fields", "merged", "kernels"),
    [
        ({}, 8, 2),
        ({"c": 1024, "k": 1024, "h": 7, "w": 7}, 1, 1),
        ({"c": 576, "k": 576, "h": 14, "w": 14, "groups": 24}, 2, 2),
        ({"c": 448, "k": 448, "groups": 4}, 1, 1),
        ({"n": 1, "c": 512, "k": 512, "h": 14, "w": 14}, 1, 1),
    ],
)
def test_few_channels_are_multiplied_together_where_that_is_expected_to_be_faster(
    fields: dict[str, Any], merged: int, kernels: int
) -> None:
    """Layers of ResNeXt-50 and of RegNets on an H200; all by a walk over windows."""
    path = trace(conv(**fields), preset="h200")
    assert path.arrangement.kernels == kernels == len(path.kernels)
    assert (path.arrangement.packed[0].merged if path.arrangement.packed else 1) == merged
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_bf16"


def test_estimates_of_groups_are_near_what_was_measured() -> None:
    """Microseconds of an H200 (`tracea_core.policy.warpgroup_time`), the copy of filters included; within a quarter."""
    measured = {(128, 56): 74.7, (256, 28): 42.2, (512, 14): 26.4}
    selection = resolve(None, None, "h200")
    for (channels, size), seconds in measured.items():
        problem = conv(c=channels, k=channels, h=size, w=size)
        best = arranged(problem, selection.target, variants_of(selection))[0].arrangement
        assert 0.75 < best.seconds * 1e6 / seconds < 1.25


def test_gpus_without_a_copy_engine_merge_few_channels_too() -> None:
    path = trace(conv(), preset="a100")
    assert path.arrangement.packed[0].merged > 1 and path.choice.variant.name == "cuda.contraction.mma_bf16"


@pytest.mark.parametrize(("channels", "size", "filters"), [(144, 56, 3), (384, 14, 7), (960, 7, 3), (240, 28, 5)])
def test_channels_that_are_filtered_on_their_own_are_not_multiplied_together(
    channels: int, size: int, filters: int
) -> None:
    """An H200 took 74 µs for 384 channels by 7×7 as merged groups, and 15 channel by channel."""
    problem = conv(
        c=channels, k=channels, groups=channels, h=size, w=size, r=filters, s=filters, padding=(filters // 2,) * 2
    )
    found = trace(problem, preset="h200")
    assert found.choice.variant.name == "cuda.contraction.depthwise" and len(found.kernels) == 1


@pytest.mark.parametrize("dtype", [DType.BF16, DType.FP16])
def test_groups_of_planes_are_copied_first(dtype: DType) -> None:
    """On an H200 64×256×28² in 32 groups took ten times as long as cuDNN by a gather."""
    given = conv(FIRST, n=16, dtype=dtype)
    planes = given.replace(
        inputs=(dense(given.inputs[0].shape, dtype, FIRST), given.inputs[1]),
        output=dense(given.output.shape, dtype, FIRST),
    )
    ways = tuple(merged_groups(planes, H200))
    assert [[p.merged for p in way.packed] for way in ways] == [[0, 2], [0, 4], [0, 8], [0, 16]]
    assert all(way.stored is not None and way.problem.options.placed == (0, 1) for way in ways)
    (apart,) = arranged_images(planes)
    assert [(p.operand, p.depth, p.merged) for p in apart.packed] == [(0, 256, 0), (1, 8, 0)]
    # what windows see of planes where they lie registers do not hold
    own = Conv2dOp(16, 96, 28, 28, 96, 7, 7, padding=(18, 18), dilation=(6, 6), groups=96, dtype=dtype)
    images, filters = (dense(shape, dtype, FIRST) for shape in own.input_shapes())
    found = trace(Problem(own, (images, filters), dense(own.output_shape(), dtype, FIRST)), preset="h200")
    assert found.choice.variant.name == "cuda.contraction.depthwise"
    assert [p.operand for p in found.arrangement.packed] == [0] and len(found.kernels) == 3
    ragged = conv(FIRST, c=36, k=36, groups=12, dtype=dtype)  # pixels of 72 bytes are no rows of a copy engine
    assert not tuple(
        arranged_images(ragged.replace(inputs=(dense(ragged.inputs[0].shape, dtype, FIRST), ragged.inputs[1])))
    )

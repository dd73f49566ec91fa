# SPDX-License-Identifier: MIT
"""Convolutions whose copies exceed the room for them: parts cover all images, begin where copies may, and fit."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.parts import parts_of
from tracea_core.pipeline.path import trace
from tracea_core.pipeline.plan import known_of
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrange_images import ROOM, arranged_images, needed_room
from tracea_core.policy.image_parts import image_parts, ways_to_divide
from tracea_core.testing.cases import dense

H200 = preset("h200")
PLANES, LAST = (0, 1, 2, 3), (0, 2, 3, 1)


def conv(n: int, c: int, size: int, k: int, order: tuple[int, ...] = PLANES, tail: str = "") -> Problem:
    op = Conv2dOp(n, c, size, size, k, 3, 3, (1, 1), (1, 1), dtype=DType.BF16)
    x, w = (dense(shape, DType.BF16, order) for shape in op.input_shapes())
    out = dense(op.output_shape(), DType.BF16, order)
    problem = Problem(op, (x, w), out)
    if not tail:
        return problem
    epilogue = parse_epilogue(tail)
    column = TensorSpec.contiguous((k,), DType.BF16)
    extra = tuple(out if one.name == "residual" else column for one in epilogue.operands)
    return problem.replace(epilogue=epilogue, epilogue_inputs=extra)


def test_parts_are_all_images_in_turn() -> None:
    problem = conv(64, 64, 56, 64)
    assert needed_room(problem) > ROOM and not list(arranged_images(problem))
    found = image_parts(problem, H200)
    assert [part.problem.op.n for part in found] == [32, 32]
    each = 32 * 64 * 56 * 56
    assert [part.shifts for part in found] == [{"input0": 0, "output": 0}, {"input0": each, "output": each}]
    assert all(needed_room(part.problem) <= ROOM for part in found)
    assert all(part.problem.inputs[1] == problem.inputs[1] for part in found)
    assert {part.problem.inputs[0].strides for part in found} == {problem.inputs[0].strides}


def test_the_last_part_has_what_is_left() -> None:
    found = image_parts(conv(83, 64, 56, 64), H200)  # 42 would not fit, and 41 leave a single one
    assert [part.problem.op.n for part in found] == [28, 28, 27]
    assert [part.shifts["input0"] // (64 * 56 * 56) for part in found] == [0, 28, 56]


def test_what_is_added_to_results_is_divided_with_them_and_vectors_are_not() -> None:
    problem = conv(64, 64, 56, 64, tail="bias,relu")
    first, second = image_parts(problem, H200)
    assert second.shifts == {"input0": first.problem.inputs[0].size, "output": first.problem.output.size}
    assert second.problem.epilogue_inputs == problem.epilogue_inputs


@pytest.mark.parametrize("order", [PLANES, LAST])
def test_first_layers_of_many_images_go_in_parts(order: tuple[int, ...]) -> None:
    """An H200 took 1533 µs for 64×3×224² by 3×3 in NCHW element by element, 1262 in channels-last; in parts 650 and 282."""
    path = trace(conv(64, 3, 224, 64, order), preset="h200")
    assert len(path.phases) > 1
    for _, part in path.phases:
        assert [packing.pixel for packing in part.arrangement.packed] == [8, 8]
        assert part.choice.variant.name == "cuda.contraction.wgmma_windows_bf16"


def test_parts_begin_at_whole_runs() -> None:
    problem = conv(81, 33, 57, 64)  # an image of the output has 64 · 57² elements, of the input an odd number
    found = image_parts(problem, H200)
    assert len(found) > 1
    for part in found:
        assert all(shift * 2 % 16 == 0 for shift in part.shifts.values())


@pytest.mark.parametrize(
    ("problem", "device"),
    [(conv(64, 64, 56, 64, LAST), "h200"), (conv(8, 64, 56, 64), "h200"), (conv(64, 64, 56, 64), "avx512"),
     (conv(1, 64, 512, 64, LAST), "h200")],
    ids=["nothing-to-copy", "room", "processors", "one-image"],
)  # fmt: skip
def test_others_are_one(problem: Problem, device: str) -> None:
    assert image_parts(problem, preset(device)) == ()


def test_plans_use_the_same_memory_for_each_part() -> None:
    problem = conv(64, 64, 56, 64)
    path = trace(problem, preset="h200")
    assert len(path.phases) == 2 and len(path.kernels) == 8
    assert sum(known_of(path).spaces.values()) <= ROOM
    selection = resolve(None, None, "h200")
    assert parts_of(problem, selection, several=False) == ()
    assert parts_of(conv(64, 64, 56, 64, LAST), selection) == ()


def banded(size: int = 512, **fields: Any) -> Problem:
    """One image in NCHW that has no room."""
    stated: dict[str, Any] = {"n": 1, "c": 64, "k": 64, "r": 3, "s": 3, "padding": (1, 1), "dtype": DType.BF16} | fields
    op = Conv2dOp(h=size, w=size, **stated)
    x, w = (dense(shape, op.dtype) for shape in op.input_shapes())
    return Problem(op, (x, w), dense(op.output_shape(), op.dtype))


def test_bands_are_all_lines_in_turn_and_see_those_beside_them() -> None:
    found = image_parts(banded(), H200)
    assert [part.problem.output.shape for part in found] == [(1, 64, 171, 512), (1, 64, 171, 512), (1, 64, 170, 512)]
    assert [part.problem.inputs[0].shape[2] for part in found] == [172, 173, 171]
    assert [part.shifts for part in found] == [
        {"input0": 0, "output": 0},
        {"input0": 170 * 512, "output": 171 * 512},
        {"input0": 341 * 512, "output": 342 * 512},
    ]
    assert {part.problem.inputs[0].strides for part in found} == {banded().inputs[0].strides}
    assert all(0 < needed_room(part.problem) <= ROOM for part in found)
    first, middle, last = (part.problem.op for part in found)
    assert type(middle) is Conv2dOp and middle.padding == (0, 1)
    assert isinstance(first, CroppedConv2dOp) and first.origin == (0, 0)
    assert isinstance(last, CroppedConv2dOp) and last.origin == (1, 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"n": 3, "size": 600},
        {"stride": (2, 2), "size": 1000},
        {"r": 5, "s": 5, "padding": (2, 2)},
        {"r": 4, "s": 4, "stride": (3, 2), "size": 1023},
        {"padding": (0, 0)},
        {"dilation": (3, 2), "padding": (3, 2)},
        {"c": 3, "r": 7, "s": 7, "stride": (2, 2), "padding": (3, 3), "size": 1500},
        {"r": 1, "s": 1, "stride": (2, 2), "padding": (0, 0), "size": 1001},
    ],
)
def test_windows_of_a_band_are_those_of_the_whole(fields: dict[str, Any]) -> None:
    """Each line of each band begins at the image's line at which it does in the whole, and reads none that the band lacks."""
    problem = banded(**fields)
    op, found = problem.op, image_parts(problem, H200)
    assert isinstance(op, Conv2dOp) and len(found) > 1
    height, lines = op.output_size[0], 0
    by_image, _, by_line, _ = problem.inputs[0].strides
    for part in found:
        band = part.problem.op
        assert isinstance(band, Conv2dOp) and part.problem.output.shape == band.output_shape()
        image, place = divmod(part.shifts["input0"], by_image)
        origin = band.origin[0] if isinstance(band, CroppedConv2dOp) else 0
        first = place // by_line - band.padding[0] + origin
        assert first == lines % height * op.stride[0] - op.padding[0] and image == lines // height
        seen = first + (band.output_size[0] - 1) * op.stride[0] + op.dilation[0] * (op.r - 1)
        assert place // by_line + band.h == min(seen + 1, op.h)
        assert any(arranged_images(part.problem))
        lines += band.output_size[0]
    assert lines == height * op.n


def test_a_band_begins_where_its_line_does() -> None:
    """Lines of 511 pixels begin at multiples of two bytes only, and accesses are told so."""
    first, second, *_ = image_parts(banded(511), H200)
    assert (first.problem.options.alignment, second.problem.options.alignment) == (16, 2)


def test_more_bands_are_taken_where_they_fill_waves() -> None:
    """Of 256 channels and 512×512 pixels nine bands have room; eleven of 47 lines are a whole wave of 128×256 tiles each."""
    problem = banded(c=256, k=256)
    assert len(image_parts(problem, H200)) == 9
    found = parts_of(problem, resolve(None, None, "h200"))
    assert len(found) == 11 and found[0].problem.output.shape[2] == 47


def test_bands_are_taken_where_a_gather_would_take_longer() -> None:
    path = trace(banded(128, c=512, k=512), preset="h200")
    assert [one.problem.output.shape[2] for one, _ in path.phases] == [64, 64] and len(path.kernels) == 8
    assert sum(known_of(path).spaces.values()) <= ROOM
    assert {inner.choice.variant.name for _, inner in path.phases} == {"cuda.contraction.wgmma_windows_bf16"}


def test_ways_to_divide_are_few_and_the_fewest_parts_come_first() -> None:
    counts = [len(parts) for parts in ways_to_divide(banded(c=256, k=256), H200)]
    assert counts == sorted(set(counts)) and counts[0] == 9 and counts[-1] <= 18 and len(counts) <= 9
    counts = [len(parts) for parts in ways_to_divide(conv(64, 64, 56, 64), H200)]
    assert counts[0] == 2 and counts[-1] <= 4


def heavy(tail: str = "", order: tuple[int, ...] = PLANES) -> Problem:
    """Filters that have no room, of small images."""
    return conv(2, 2560, 16, 1280, order, tail)


def test_filters_that_have_no_room_are_taken_some_at_a_time() -> None:
    problem = heavy("bias,residual,relu", LAST)
    assert not image_parts(problem, H200), "nothing is copied"
    problem = heavy("bias,relu")
    found = image_parts(problem, H200)
    assert [part.problem.op.k for part in found] == [640, 640]  # type: ignore[union-attr]
    each, of_image = 2560 * 9, 16 * 16
    assert [part.shifts for part in found] == [
        {"input0": 0, "input1": 0, "output": 0, "epilogue0": 0},
        {"input0": 0, "input1": 640 * each, "output": 640 * of_image, "epilogue0": 640},
    ]
    for part in found:
        assert part.problem.inputs[0] == problem.inputs[0] and part.problem.inputs[1].shape == (640, 2560, 3, 3)
        assert part.problem.output.strides == problem.output.strides
        assert part.problem.epilogue_inputs[0].shape == (640,)
        assert 0 < needed_room(part.problem) <= ROOM


def test_what_is_added_to_channels_is_divided_with_filters() -> None:
    """Images that lie channels-last, filters that do not: results and what is added to them are every pixel's neighbours."""
    op, last = heavy().op, heavy(order=LAST)
    filters = dense(last.inputs[1].shape, DType.BF16)
    problem = heavy("residual", LAST).replace(op=op, inputs=(last.inputs[0], filters))
    first, second = image_parts(problem, H200)
    count = first.problem.op.k  # type: ignore[union-attr]
    assert second.shifts == {"input0": 0, "input1": count * 2560 * 9, "output": count, "epilogue0": count}
    assert first.problem.epilogue_inputs[0].shape == (2, count, 16, 16)

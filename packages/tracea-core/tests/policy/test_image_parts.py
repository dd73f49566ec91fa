# SPDX-License-Identifier: MIT
"""Convolutions whose copies exceed the room for them: parts cover all images, begin where copies may, and fit."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.parts import parts_of
from tracea_core.pipeline.path import trace
from tracea_core.pipeline.plan import known_of
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrange_images import ROOM, arranged_images, needed_room
from tracea_core.policy.image_parts import image_parts
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
    [(conv(64, 64, 56, 64, LAST), "h200"), (conv(8, 64, 56, 64), "h200"), (conv(64, 64, 56, 64), "avx512"), (conv(1, 64, 512, 64), "h200")],
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

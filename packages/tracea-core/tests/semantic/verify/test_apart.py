# SPDX-License-Identifier: MIT
"""Strides in the runs of a proof: no image follows the last one of a sum, and both sides of a branch on strides are run."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.base import Op
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.contraction import ITEM, Contraction, I, J
from tracea_core.semantic.index import Const, Sym, evaluate, holds
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.apart import answered, branches, images_summed
from tracea_core.semantic.verify.meaning import Instance
from tracea_core.semantic.verify.samples import samples
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)


def form_of(op: Op) -> Contraction:
    """The contraction of an operation, images channels last."""
    shapes = (*op.input_shapes(), op.output_shape())
    *inputs, out = (dense(shape, DType.BF16, LAST if len(shape) == 4 else None) for shape in shapes)
    return lower(Problem(op, tuple(inputs), out)).contraction


def gradient() -> Contraction:
    return form_of(Conv2dFiltersOp(2, 16, 7, 9, 24, 3, 3, (1, 1), (1, 1), dtype=DType.BF16))


def test_images_of_a_gradient_of_filters_are_summed() -> None:
    assert {name: term.operand for name, term in images_summed(gradient()).items()} == {"g_image": "g", "x_image": "x"}


@pytest.mark.parametrize(
    "op",
    [GemmOp(5, 7, 3, batch=(2,), dtype=DType.BF16), Conv2dOp(2, 16, 7, 9, 24, 3, 3, (1, 1), (1, 1), dtype=DType.BF16)],
)
def test_nothing_else_goes_on_along_its_reduction(op: Op) -> None:
    form = form_of(op)
    assert not images_summed(form)


def beyond(form: Contraction, values: dict[str, int]) -> dict[str, bool]:
    """Of each operand whose image after the last has an element that its own tests admit: whether it lies in memory."""
    instance = Instance(form, values, 0)
    instance.expected()
    found = {}
    for term in images_summed(form).values():
        places = {**instance.symbols, ITEM.name: instance.items - 1, I.name: 0, J.name: np.arange(instance.n)}
        places |= {axis.name: 0 for axis in form.k_axes} | {form.k_axes[0].name: values["k_image"]}
        for named in (*form.item_names, *term.hoisted):
            places[named.name] = evaluate(named.value, places)
        offsets, admitted = np.broadcast_arrays(evaluate(term.offset, places), holds(term.guard, places))
        if admitted.any():
            found[term.operand] = bool(np.any(offsets[admitted] < instance.memory[term.operand].size))
    return found


def test_the_image_after_the_last_is_no_memory_and_begins_inside_where_depths_are_cut() -> None:
    form = gradient()
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=32, stages=2, warps=4, vector_c=2)
    kernel = multistage_kernel(form, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")
    cut = set()
    for values, _ in samples(kernel, form, 0):
        if not values["k"] or not values["elements"]:
            continue
        seen = beyond(form, values)
        assert not any(seen.values()), values
        if values["k_image"] == values["k_p"] == 1 and "x" in seen:
            cut.add(values["k_q"])
    halves = {1 + (depth - 1) // 16 for depth in cut}
    assert halves >= {1, 2, 3, 4, 5}  # each half of the first two steps, and of one after them
    assert any(beyond(form, {**values, "x_image": 1, "g_image": 1}).values())  # what the strides are for


def test_borders_lie_in_every_part_of_a_last_step_that_is_nearly_full() -> None:
    form = gradient()
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=32, stages=2, warps=4, vector_c=2)
    kernel = multistage_kernel(form, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")
    deep = [
        (values["k_image"] * 6, values["pad_w"])
        for values, _ in samples(kernel, form, 0)
        if (values["k_p"], values["k_q"]) == (2, 3)
    ]
    assert any(depth // 32 == 3 and depth % 32 > 24 and padding for depth, padding in deep)


# ---- branches on strides

AVX2 = preset("avx2")


def copied(halo: bool = True, order: tuple[int, ...] = LAST) -> tuple[SemanticKernel, Contraction]:
    """A convolution on a CPU, whose images are copied with their padding or not, and what it computes."""
    op = Conv2dOp(2, 11, 7, 10, 8, 3, 3, padding=(1, 1), dtype=DType.FP32)
    inputs = tuple(dense(shape, DType.FP32, order) for shape in op.input_shapes())
    form = lower(Problem(op, inputs, dense(op.output_shape(), DType.FP32, order))).contraction
    tile = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=halo)
    return panel_kernel(form, tile, AVX2, "cpu.contraction.test", "kernel"), form


def test_a_copy_of_images_asks_whether_pixels_follow_each_other() -> None:
    kernel, _ = copied()
    assert branches(kernel) == {"x_column": (Sym("x_column"), Sym("k_c"))}
    assert not branches(copied(halo=False)[0]) and not branches(copied(order=(0, 1, 2, 3))[0])


@pytest.mark.parametrize(("off", "found"), [(0, 5), (1, 6), (-1, 4)])
def test_strides_answer_either_way(off: int, found: int) -> None:
    column, channels = Sym("x_column"), Sym("k_c")
    for sides in ((column, channels), (channels, column), (column + 3, channels + 3)):
        assert answered({"x_column": sides}, {"k_c": 5}, off) == {"x_column": found}
    assert answered({"x_column": (column, channels)}, {"k_c": 0}, -1) == {"x_column": 1}  # none is negative
    assert not answered({"x_column": (column * 2, channels)}, {"k_c": 5}, off)  # no integer need make these equal
    assert answered({"x_column": (column - 7, Const(0))}, {}, off) == {"x_column": 7 + off}

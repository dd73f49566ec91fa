# SPDX-License-Identifier: MIT
"""Gradients of filters in parts: when, into how many, and that both kernels together give the gradient exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.offered import variants_of
from tracea_core.pipeline.passes import contraction_operands
from tracea_core.pipeline.path import Path, follow
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrange_filters import as_matrices, divided_filters
from tracea_core.policy.arrange_images import ROOM
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.pointwise import as_product
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)


def gradient(order: tuple[int, ...] = LAST, epilogue: str = "", **fields: Any) -> Problem:
    sizes = {"n": 64, "c": 64, "h": 56, "w": 56, "k": 64, "r": 3, "s": 3, "padding": (1, 1)} | fields
    op = Conv2dFiltersOp(**sizes, dtype=DType.FP16)
    inputs = tuple(dense(shape, DType.FP16, LAST) for shape in op.input_shapes())
    out = dense(op.output_shape(), DType.FP16, order)
    fused = parse_epilogue(epilogue)
    return Problem(op, inputs, out, fused, (out,) * len(fused.operands))


def places(spec: TensorSpec) -> Any:
    axes = np.ogrid[tuple(slice(extent) for extent in spec.shape)]
    return sum(axis * stride for axis, stride in zip(axes, spec.strides, strict=True))


def memory_of(spec: TensorSpec, values: Any) -> Any:
    flat = np.full(int(places(spec).max()) + 1, np.nan)
    flat[places(spec)] = values
    return flat


def test_few_tiles_are_summed_in_parts_that_fill_the_processors() -> None:
    selection = resolve(None, None, "h200")
    ways = arranged(gradient(), selection.target, variants_of(selection))
    best = ways[0]
    assert best.choice.variant.name == "cuda.contraction.wgmma_windows_fp16"
    assert best.arrangement.parts >= 16 and 64 % best.arrangement.parts == 0 and best.arrangement.kernels == 2
    assert any(way.arrangement.parts == 1 for way in ways)
    for problem in (gradient(c=128, k=128, h=28, w=28), gradient(c=256, k=256, h=14, w=14), gradient(n=1)):
        found = arranged(problem, selection.target, variants_of(selection))[0]
        heroes = PolicyEngine(selection.target.profile).decide(found.choice.problem, found.choice.variant).heroes
        assert all(hero.tile_n % 64 == 0 for hero in heroes)  # runs of 64 channels of one element
        build_kernel(
            lower_any(found.choice.problem, found.choice.variant).form,
            heroes[0],
            selection.target.profile,
            found.choice.variant,
        )
    deep = arranged(gradient(c=512, k=512, h=7, w=7), selection.target, variants_of(selection))[0]
    assert deep.arrangement.parts == 1


def test_parts_divide_the_images_and_fit_the_room() -> None:
    profile = preset("h200")
    for fields in ({}, {"n": 6, "c": 128, "k": 128}, {"c": 256, "k": 256, "h": 14, "w": 14}):
        found = list(divided_filters(gradient(**fields), profile))
        assert found
        for one in found:
            op = one.problem.op
            assert isinstance(op, Conv2dFiltersOp) and op.n % op.parts == 0 and one.partial is not None
            assert one.partial.bytes <= ROOM and one.partial.dtype is DType.FP32
    assert not list(divided_filters(gradient(n=1), profile))
    gaps = gradient()
    wide = gaps.output.replace(strides=tuple(2 * stride for stride in gaps.output.strides))
    assert not list(divided_filters(gaps.replace(output=wide), profile))


@pytest.mark.parametrize("order", [LAST, (0, 1, 2, 3)])
def test_both_kernels_give_the_gradient(order: tuple[int, ...]) -> None:
    problem = gradient(order, "residual", n=4, c=64, k=16, h=32, w=16, r=2, s=1, stride=(2, 1), padding=(1, 0))
    selection = resolve(None, None, "h200")
    ways = arranged(problem, selection.target, variants_of(selection))
    path = follow(problem, selection, next(way for way in ways if way.arrangement.parts > 1), None)
    assert ("wgmma_windows" in path.choice.variant.name) is (order == LAST)
    random = np.random.default_rng(3)
    x, g = (random.integers(-3, 4, spec.shape).astype(np.float64) for spec in problem.inputs)
    before = random.integers(-3, 4, problem.output.shape).astype(np.float64)
    assert np.array_equal(computed(path, x, g, before), problem.op.reference(x, g) + before)


def computed(path: Path, x: Any, g: Any, before: Any) -> Any:
    problem, partial = path.problem, path.arrangement.partial
    assert partial is not None
    memory = {"input0": memory_of(problem.inputs[0], x), "input1": memory_of(problem.inputs[1], g)}
    memory["epilogue0"] = memory_of(problem.output, before)
    memory["output"], memory["partial"] = np.zeros(problem.output.size), np.full(partial.size, np.nan)
    (last,) = path.after
    steps = [(path.kernel, path.lowered.symbols, contraction_operands(path.arrangement, path.lowered.operands))]
    steps.append((last.kernel, last.lowered.symbols, last.lowered.operands))
    for kernel, symbols, operands in steps:
        names = dict(zip((p.name for p in kernel.parameters), operands, strict=True))
        after = interpreter(kernel, symbols, {name: memory[place] for name, place in names.items()}, 2, 5).run()
        memory |= {place: after[name] for name, place in names.items()}
    return memory["output"][places(problem.output)]


def test_the_sum_is_that_of_a_product_with_the_same_output() -> None:
    matrices = as_matrices(gradient(epilogue="residual"))
    assert matrices.output.shape == (64, 576) and matrices.output.strides == (576, 1)
    assert matrices.epilogue_inputs == (matrices.output,)


def test_a_gradient_of_1x1_filters_is_a_product() -> None:
    problem = gradient(n=2, c=5, k=3, h=4, w=6, r=1, s=1, padding=(0, 0), epilogue="residual")
    product = as_product(problem, preset("h200"))
    assert as_product(problem, preset("avx2")) == problem
    random = np.random.default_rng(4)
    x, g = (random.standard_normal(spec.shape) for spec in problem.inputs)
    memory = [memory_of(spec, values) for spec, values in zip(problem.inputs, (x, g), strict=True)]
    read = [flat[places(spec)] for flat, spec in zip(memory, product.inputs, strict=True)]
    out = np.zeros(problem.output.size)
    out[places(product.output)] = product.op.reference(*read)
    np.testing.assert_allclose(out[places(problem.output)], problem.op.reference(x, g), atol=1e-12)
    assert product.epilogue_inputs == (product.output,)
    for fields in ({"stride": (2, 2)}, {"padding": (1, 1)}, {"r": 3, "s": 3, "padding": (1, 1)}):
        other = gradient(**({"r": 1, "s": 1, "padding": (0, 0)} | fields))
        assert as_product(other, preset("h200")) == other

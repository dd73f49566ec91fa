# SPDX-License-Identifier: MIT
"""Which convolutions are products of matrices of the same memory, and that they compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.pointwise import as_product
from tracea_core.policy.topology import topology_of
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import dense

LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)
H200, AVX2 = preset("h200"), preset("avx2")


def conv(order: tuple[int, ...] = LAST, **fields: Any) -> Problem:
    sizes: dict[str, Any] = {"n": 3, "c": 8, "h": 5, "w": 4, "k": 6, "r": 1, "s": 1, "dtype": DType.FP16}
    op = Conv2dOp(**(sizes | fields))
    out = dense(op.output_shape(), DType.FP16, order)
    fused = parse_epilogue("bias,residual,relu")
    extra = (dense((op.k,), DType.FP32), dense(op.output_shape(), DType.FP16, order))
    return Problem(op, tuple(dense(shape, DType.FP16, order) for shape in op.input_shapes()), out, fused, extra)


def view(memory: np.ndarray[Any, Any], spec: TensorSpec) -> np.ndarray[Any, Any]:
    return np.lib.stride_tricks.as_strided(memory, spec.shape, [s * memory.itemsize for s in spec.strides])


@pytest.mark.parametrize(
    ("order", "profile", "sizes"),
    [(LAST, H200, ((), 60, 6, 8)), (LAST, AVX2, ((), 60, 6, 8)), (FIRST, AVX2, ((3,), 20, 6, 8))],
)
def test_a_pointwise_convolution_is_the_product_of_the_same_memory(
    order: tuple[int, ...], profile: CapabilityProfile, sizes: tuple[Any, ...]
) -> None:
    given = conv(order)
    product = as_product(given, profile)
    assert isinstance(product.op, GemmOp)
    assert (product.op.batch, product.op.m, product.op.n, product.op.k) == sizes
    random = np.random.default_rng(3)
    memory = [random.integers(-9, 10, 999).astype(np.float64) for _ in range(2)]
    whole = given.op.reference(*(view(m, s) for m, s in zip(memory, given.inputs, strict=True)))
    rows = product.op.reference(*(view(m, s) for m, s in zip(memory, product.inputs, strict=True)))
    stored = [np.zeros(360), np.zeros(360)]
    view(stored[0], given.output)[...] = whole
    view(stored[1], product.output)[...] = rows
    assert np.array_equal(*stored)
    assert product.epilogue == given.epilogue
    assert [spec.shape for spec in product.epilogue_inputs] == [(6,), product.op.output_shape()]


@pytest.mark.parametrize(
    "fields",
    [{"r": 3, "padding": (1, 0)}, {"stride": (2, 1)}, {"padding": (1, 1)}, {"groups": 2}, {"order": FIRST}],
)
def test_others_stay_convolutions(fields: dict[str, Any]) -> None:
    assert as_product(conv(**fields), H200) == conv(**fields)


def test_many_channels_last_pixels_are_swept_by_windows_where_vectors_are_wide() -> None:
    """A product would be dealt out without regard to what of the images a worker's second cache still holds."""

    def given(**fields: Any) -> Problem:
        sizes = {"n": 8, "c": 32, "h": 7, "w": 7, "k": 64, "r": 1, "s": 1} | fields
        op = Conv2dOp(**sizes)
        tensors = [dense(shape, op.dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
        return Problem(op, (tensors[0], tensors[1]), tensors[2])

    wide = preset("avx512")
    assert as_product(given(), wide) == given()
    assert PolicyEngine(wide).decide(given()).heroes[0].halo
    for others in (
        {"n": 5},
        {"k": 15},
        {"c": 8},
        {"dtype": DType.BF16},
    ):  # few pixels, filters or channels; a copy would widen
        assert isinstance(as_product(given(**others), wide).op, GemmOp)
    for profile in (AVX2, H200):
        assert isinstance(as_product(given(), profile).op, GemmOp)


def test_small_planar_images_of_many_channels_are_swept_by_windows_of_single_pixels_where_vectors_are_wide() -> None:
    def given(**fields: Any) -> Problem:
        op = Conv2dOp(**({"n": 8, "c": 256, "h": 7, "w": 7, "k": 64, "r": 1, "s": 1} | fields))
        tensors = [dense(shape, op.dtype) for shape in (*op.input_shapes(), op.output_shape())]
        return Problem(op, (tensors[0], tensors[1]), tensors[2])

    wide = preset("avx512").replace(processors=4)
    assert as_product(given(), wide) == given()
    assert PolicyEngine(wide).decide(given()).heroes[0].halo
    for others in (
        {"n": 5},
        {"n": 3, "h": 16, "w": 16},
        {"h": 16, "w": 17},
        {"k": 15},
        {"c": 255},
        {"dtype": DType.BF16},
    ):
        assert isinstance(as_product(given(**others), wide).op, GemmOp)
    assert isinstance(as_product(given(), AVX2).op, GemmOp)
    for profile in (wide, AVX2):  # every second pixel of every second row is no product
        assert PolicyEngine(profile).decide(given(stride=(2, 2))).heroes[0].halo


def test_planar_images_of_few_pixels_have_tiles_that_waste_few_lanes() -> None:
    """Each of them is packed on its own: 49 pixels fill 64 columns, not the 80 that all images together would."""
    sizes = {"n": 8, "c": 512, "h": 7, "w": 7, "k": 2048, "dtype": DType.FP32}
    op = Conv2dOp(**(sizes | {"r": 1, "s": 1}))
    tensors = [dense(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    product = as_product(Problem(op, (tensors[0], tensors[1]), tensors[2]), preset("avx512"))
    assert topology_of(product).shape == (8, 2048, 49, 512)
    together = GemmOp(49, 2048, 512, batch=(8,))
    kept = Problem(
        together, (dense((8, 49, 512), DType.FP32), dense((512, 2048), DType.FP32)), dense((8, 49, 2048), DType.FP32)
    )
    assert topology_of(kept).shape == (1, 392, 2048, 512)
    whole = TensorSpec(
        (8, 49, 2048), DType.FP32, (49, 1, 392)
    )  # a transpose whose columns go on from one image to the next
    assert topology_of(kept.replace(output=whole)).shape == (1, 2048, 392, 512)
    decided = PolicyEngine(preset("avx512")).decide(product)
    assert decided.heroes[0].tile_n in (32, 64)


def test_images_with_gaps_keep_the_convolution() -> None:
    given = conv(FIRST)
    apart = given.replace(inputs=(given.inputs[0].replace(strides=(999, 99, 9, 2)), given.inputs[1]))
    assert as_product(apart, AVX2) == apart
    given = conv()
    gaps = given.inputs[0].replace(strides=(999, 1, 99, 8))
    spaced = given.replace(inputs=(gaps, given.inputs[1]))
    assert as_product(spaced, H200) == spaced
    matrix = dense((2, 2), DType.FP16)
    product = Problem(GemmOp(2, 2, 2, dtype=DType.FP16), (matrix, matrix), matrix)
    assert as_product(product, H200) is product


@pytest.mark.parametrize(("size", "taken"), [(56, True), (28, True), (14, False), (7, False)])
def test_planar_images_are_products_where_a_copy_engine_reaches_their_planes(size: int, taken: bool) -> None:
    op = Conv2dOp(8, 64, size, size, 128, 1, 1, dtype=DType.BF16)
    problem = Problem(
        op, tuple(TensorSpec.contiguous(s, DType.BF16) for s in op.input_shapes()), TensorSpec.contiguous(op.output_shape(), DType.BF16)
    )  # fmt: skip
    found = as_product(problem, preset("h200"))
    if not taken:
        assert found == problem
        return
    assert found.op == GemmOp(
        size * size, 128, 64, (8,), dtype=DType.BF16, out_dtype=op.out_dtype, accumulate=op.accumulate
    )
    assert found.inputs[0].strides == (64 * size * size, 1, size * size)
    assert found.output.strides == (128 * size * size, 1, size * size)
    assert as_product(problem, preset("a100")) == problem
    wide = tuple(TensorSpec.contiguous(spec.shape, DType.FP32) for spec in (*problem.inputs, problem.output))
    single = Problem(op.replace(dtype=DType.FP32), wide[:2], wide[2])
    assert as_product(single, preset("h200")) == single


def single(order: tuple[int, ...] = FIRST, text: str = "residual,relu", **fields: Any) -> Problem:
    """Return the transposed convolution of single pixels."""
    sizes: dict[str, Any] = {"n": 3, "c": 8, "h": 1, "w": 1, "k": 6, "r": 4, "s": 3, "dtype": DType.FP16}
    op = ConvTranspose2dOp(**(sizes | fields))
    out = dense(op.output_shape(), DType.FP16, order)
    fused = parse_epilogue(text)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(dense(shape, DType.FP16, order if len(shape) == 4 else None) for shape in shapes)
    return Problem(op, tuple(dense(shape, DType.FP16, order) for shape in op.input_shapes()), out, fused, extra)


@pytest.mark.parametrize("order", [FIRST, LAST])
@pytest.mark.parametrize("profile", [H200, AVX2])
def test_a_pixel_alone_is_multiplied_by_all_of_its_filters(profile: CapabilityProfile, order: tuple[int, ...]) -> None:
    given = single(order)
    found = as_product(given, profile)
    assert isinstance(found.op, GemmOp) and (found.op.m, found.op.n, found.op.k) == (3, 6 * 4 * 3, 8)
    random = np.random.default_rng(5)
    memory = [random.integers(-4, 5, spec.size).astype(np.float64) for spec in given.inputs]
    a, b = (view(part, spec) for part, spec in zip(memory, found.inputs, strict=True))
    x, w = (view(part, spec) for part, spec in zip(memory, given.inputs, strict=True))
    result = np.zeros(given.output.size)
    view(result, found.output)[...] = a @ b
    assert np.array_equal(view(result, given.output), given.op.reference(x, w))
    assert found.epilogue_inputs[0].shape == found.output.shape == (3, 72)


@pytest.mark.parametrize(
    "given",
    [
        single(text="bias"),  # a channel's is no column's
        single(h=2),
        single(padding=(1, 0)),
        single(groups=2),
        single(stride=(2, 2), output_padding=(1, 0)),
        single(dilation=(1, 2)),
        single().replace(output=dense((3, 6, 4, 3), DType.FP16, LAST)),  # filters lie in another order
    ],
)
def test_other_transposed_convolutions_are_no_products(given: Problem) -> None:
    assert as_product(given, H200) is given

# SPDX-License-Identifier: MIT
"""Convolutions of images that have one pixel, one row or one column, and to such: strides of axes of one element address nothing."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tracea_core.dtypes import DType  # noqa: E402
from tracea_core.ops.conv import Conv2dOp  # noqa: E402
from tracea_core.ops.conv_filters import Conv2dFiltersOp  # noqa: E402
from tracea_core.ops.problem import Problem  # noqa: E402
from tracea_core.ops.spec import TensorSpec  # noqa: E402
from tracea_core.pipeline.path import trace  # noqa: E402

from tracea import ops  # noqa: E402

SIZES = [  # rows and columns of images, and of filters
    ((1, 1), (1, 1)), ((4, 3), (4, 3)), ((5, 1), (1, 1)), ((1, 5), (1, 1)), ((5, 1), (3, 1)), ((1, 5), (1, 3)), ((3, 4), (3, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("size", "filters"), SIZES)
@pytest.mark.parametrize("lying", ["channels_last", "contiguous_format"])
def test_few_pixels(size: tuple[int, int], filters: tuple[int, int], lying: str) -> None:
    made = {"memory_format": getattr(torch, lying)}
    generator = torch.Generator().manual_seed(7)
    for n, c, k in ((3, 16, 24), (8, 5, 7)):
        x, w = (
            torch.randn(*shape, generator=generator).contiguous(**made) for shape in ((n, c, *size), (k, c, *filters))
        )
        exact = torch.nn.functional.conv2d(x.double(), w.double())
        slopes = torch.randn(exact.shape, generator=generator).contiguous(**made)
        backwards = torch.nn.grad.conv2d_input(x.shape, w.double(), slopes.double())
        gradient = torch.nn.grad.conv2d_weight(x.double(), w.shape, slopes.double())
        band = 64
        held = torch.full((exact.numel() + 2 * band,), -7.0)
        out = held[band:-band].as_strided(exact.shape, torch.empty(exact.shape).contiguous(**made).stride(), band)
        assert ops.conv2d(x, w, out=out) is out
        assert (held[:band] == -7).all() and (held[-band:] == -7).all()
        for found, expected in (
            (out, exact),
            (ops.conv_transpose2d(slopes, w), backwards),
            (ops.conv2d_filters(x, slopes, filters), gradient),
        ):
            np.testing.assert_allclose(found.double(), expected, atol=1e-4, rtol=1e-4)


def channels_last(shape: tuple[int, ...]) -> TensorSpec:
    _, c, h, w = shape
    return TensorSpec(shape, DType.FP16, (h * w * c, 1, w * c if h > 1 else 1, c if w > 1 else 1))


def test_images_of_one_pixel_are_as_far_apart_as_they_lie() -> None:
    """Whatever strides axes of one element have: PyTorch gives them 1."""
    forward = Conv2dOp(4, 64, 7, 7, 128, 7, 7, dtype=DType.FP16)
    tensors = [channels_last(shape) for shape in (*forward.input_shapes(), forward.output_shape())]
    path = trace(Problem(forward, tuple(tensors[:2]), tensors[2]), preset="h200", several=True)
    assert path.lowered.symbols["out_pixel"] == 128
    backward = Conv2dFiltersOp(4, 128, 7, 7, 16, 7, 7, (2, 2), dtype=DType.FP16)
    tensors = [channels_last(shape) for shape in (*backward.input_shapes(), backward.output_shape())]
    path = trace(Problem(backward, tuple(tensors[:2]), tensors[2]), preset="h200", several=True)
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_fp16" and path.lowered.symbols["g_pixel"] == 16
    pointwise = Conv2dOp(8, 64, 1, 1, 32, 1, 1, dtype=DType.FP16)
    tensors = [channels_last(shape) for shape in (*pointwise.input_shapes(), pointwise.output_shape())]
    path = trace(Problem(pointwise, tuple(tensors[:2]), tensors[2]), preset="h200", several=True)
    assert path.problem.inputs[0].strides == (64, 1) and path.problem.output.strides == (32, 1)


def test_images_of_one_column_are_lines_of_pixels() -> None:
    """They are products of matrices, and walked, as images of one row are."""
    pointwise = Conv2dOp(8, 64, 9, 1, 32, 1, 1, dtype=DType.FP16)
    tensors = [channels_last(shape) for shape in (*pointwise.input_shapes(), pointwise.output_shape())]
    path = trace(Problem(pointwise, tuple(tensors[:2]), tensors[2]), preset="h200")
    assert path.problem.inputs[0].shape == (72, 64) and path.problem.inputs[0].strides == (64, 1)
    walked = Conv2dOp(8, 64, 9, 3, 32, 3, 3, padding=(1, 0), dtype=DType.FP16)
    tensors = [channels_last(shape) for shape in (*walked.input_shapes(), walked.output_shape())]
    path = trace(Problem(walked, tuple(tensors[:2]), tensors[2]), preset="h200")
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_fp16" and path.lowered.symbols["out_pixel"] == 32

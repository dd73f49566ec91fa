# SPDX-License-Identifier: MIT
"""`scaled_grouped_matmul`: every group has scales of its own, agrees with float64, and shapes that do not fit are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError, UnsupportedError
from tracea_core.ops.problem import Options
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.path import trace

from tracea import ops
from tracea.ops.request import Request
from tracea.ops.scaled_groups import scaled_grouped_problem

torch = pytest.importorskip("torch")
M, G, N, K = 60, 3, 140, 200
SIZES = (25, 0, 31)


def drawn(columns: int) -> tuple[Any, ...]:
    random = torch.Generator().manual_seed(columns)
    x, w = (torch.randn(*shape, generator=random).to(torch.float8_e4m3fn) for shape in ((M, K), (G, N, K)))
    scales = [torch.rand(*shape, generator=random) + 0.5 for shape in ((M, 2), (G, 2, columns))]
    return x, w.transpose(1, 2), *scales


@pytest.mark.parametrize("columns", [2, N])
def test_groups_agree_with_float64(columns: int) -> None:
    given = drawn(columns)
    x, w, of_x, of_w = (part.float().numpy().astype(np.float64) for part in given)
    column, run = np.arange(N) if columns == N else np.arange(N) // 128, np.arange(K) // 128
    left, right = x * of_x[:, run], w * of_w[:, run][:, :, column]
    out = torch.full((M, N), 7.0, dtype=torch.bfloat16)
    assert ops.scaled_grouped_matmul(*given, sizes=SIZES, out=out) is out
    expected = np.concatenate([left[:25] @ right[0], left[25:56] @ right[2]])
    assert np.abs(out[:56].double().numpy() - expected).max() <= 2.0**-8 * np.abs(expected).max()
    assert (out[56:] == 7.0).all(), "rows of no group are not written"
    ends = torch.tensor([25, 25, 56], dtype=torch.int32)
    real = ops.scaled_grouped_matmul(*given, ends, out_dtype="fp32", epilogue="relu")[:56].double().numpy()
    assert np.abs(real - np.maximum(expected, 0)).max() <= 1e-5 * np.abs(expected).max()


def test_what_does_not_fit_is_named() -> None:
    x, w, of_x, of_w = drawn(2)
    with pytest.raises(ShapeError, match=r"scale_x: \(60, 2\); scale_w: \(3, 2, 2\) or \(3, 2, 140\)"):
        ops.scaled_grouped_matmul(x, w, of_x, of_w[0], sizes=SIZES)
    with pytest.raises(ShapeError, match=r"given as weights\.transpose"):
        ops.scaled_grouped_matmul(x, w.transpose(1, 2), of_x, of_w, sizes=SIZES)
    with pytest.raises(OptionError, match="offsets or sizes"):
        ops.scaled_grouped_matmul(x, w, of_x, of_w)
    with pytest.raises(DTypeError, match="give the scales in fp32"):
        ops.scaled_grouped_matmul(x, w, of_x, of_w.half(), sizes=SIZES)
    with pytest.raises(OptionError, match="no gradients flow"):
        ops.scaled_grouped_matmul(x, w, of_x, of_w.requires_grad_(), sizes=SIZES)


def test_a_gpu_takes_all_groups_at_once() -> None:
    fp8, real = DType.FP8_E4M3, DType.FP32
    inputs = (
        TensorSpec.contiguous((256, 512), fp8), TensorSpec((4, 512, 384), fp8, (512 * 384, 1, 512)),
        TensorSpec.contiguous((4,), DType.INT32), TensorSpec.contiguous((256, 4), real), TensorSpec.contiguous((4, 4, 3), real),
    )  # fmt: skip
    problem = scaled_grouped_problem(128, DType.BF16, Request(inputs, options=Options(allow_fallback=False)))
    odd = tuple(spec.replace(strides=(513, 1)) if spec.shape == (256, 512) else spec for spec in inputs)
    with pytest.raises(UnsupportedError):  # and none of another type, which would have no scales
        trace(problem.replace(inputs=odd), preset="h200")
    path = trace(problem, preset="h200")
    assert path.choice.variant.name == "cuda.contraction.wgmma_fp8_e4m3"
    assert path.source is not None and "a_scales" in path.source.text

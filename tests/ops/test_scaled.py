# SPDX-License-Identifier: MIT
"""`scaled_matmul`: every kind of scales agrees with float64, whatever multiplies, and shapes that fit none are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.problem import Options
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.path import trace

import tracea
from tracea import ops
from tracea.ops.request import Request
from tracea.ops.scaled import scaled_problem

M, N, K = 130, 140, 300
SCALES = {
    "matrix": ((), (1, 1)),
    "row and column": ((M, 1), (N,)),
    "matrix and column": ((1,), (1, N)),
    "groups": ((M, 3), (3, N)),
    "groups and blocks": ((M, 3), (3, 2)),
    "blocks": ((2, 3), (3, 2)),
    "blocks and groups": ((2, 3), (3, N)),
}


def spread(scale: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Scales with one for each element, by the definition: index i // 128 or i."""
    flat = scale.reshape(-1, 1) if scale.shape == (rows,) else np.atleast_2d(scale)
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    row = np.zeros_like(i) if flat.shape[0] == 1 else i if flat.shape[0] == rows else i // 128
    column = np.zeros_like(j) if flat.shape[1] == 1 else j if flat.shape[1] == columns else j // 128
    return flat[row, column]


def drawn(torch: Any, name: str, seed: int = 3) -> tuple[Any, ...]:
    random = torch.Generator().manual_seed(seed)
    a, b = torch.randn(M, K, generator=random), torch.randn(N, K, generator=random)
    scales = [torch.rand(shape, generator=random) + 0.5 for shape in SCALES[name]]
    return a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn).t(), *scales


def wanted(a: Any, b: Any, scale_a: Any, scale_b: Any) -> np.ndarray:
    real = [x.float().numpy().astype(np.float64) for x in (a, b, scale_a, scale_b)]
    return (real[0] * spread(real[2], M, K)) @ (real[1] * spread(real[3], K, N))


@pytest.mark.parametrize("name", SCALES)
def test_torch_tensors_agree_with_float64(name: str) -> None:
    torch = pytest.importorskip("torch")
    given = drawn(torch, name)
    expected = wanted(*given)
    out = torch.full((M, N), float("nan"), dtype=torch.bfloat16)
    found = ops.scaled_matmul(*given, out=out)
    assert found is out
    assert np.abs(out.double().numpy() - expected).max() <= 2.0**-8 * np.abs(expected).max()
    real = ops.scaled_matmul(*given, out_dtype="fp32", epilogue=tracea.ReLU()).double().numpy()
    assert np.abs(real - np.maximum(expected, 0)).max() <= 1e-5 * np.abs(expected).max()


def test_one_scale_of_a_column_is_not_one_of_a_row() -> None:
    """Where a shape says so: with as many rows as columns, a vector of a scales rows, one of b columns."""
    torch = pytest.importorskip("torch")
    a, b = torch.eye(16).to(torch.float8_e4m3fn), torch.ones(16, 16).to(torch.float8_e4m3fn)
    counted = torch.arange(16.0)
    one = torch.ones(())
    assert torch.equal(ops.scaled_matmul(a, b, counted, one, out_dtype="fp32"), counted[:, None].expand(16, 16))
    assert torch.equal(ops.scaled_matmul(a, b, one, counted, out_dtype="fp32"), counted[None, :].expand(16, 16))


def test_arrays_of_numpy_agree_too() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    random = np.random.default_rng(5)
    a, b = (random.standard_normal(shape).astype(ml_dtypes.float8_e5m2) for shape in ((M, K), (K, N)))
    scales = [random.random(shape, np.float32) for shape in SCALES["groups and blocks"]]
    found = ops.scaled_matmul(a, b, *scales, out_dtype="fp32")
    expected = (a.astype(np.float64) * spread(scales[0], M, K)) @ (b.astype(np.float64) * spread(scales[1], K, N))
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


def test_integers_take_scales_of_rows_and_columns() -> None:
    random = np.random.default_rng(6)
    a, b = (random.integers(-9, 9, shape).astype(np.int8) for shape in ((7, 20), (20, 5)))
    row, column = random.random(7, np.float32), random.random((1, 5), np.float32)
    found = ops.scaled_matmul(a, b, row, column, out_dtype="fp32")
    expected = (a.astype(np.float64) @ b) * row[:, None] * column
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()
    with pytest.raises(DTypeError, match="groups of k scale fp8 by fp32; these are int8"):
        ops.scaled_matmul(a.repeat(7, 1), b.repeat(7, 0), np.ones((7, 2), np.float32), np.ones((2, 1), np.float32))


def test_what_does_not_fit_is_named() -> None:
    torch = pytest.importorskip("torch")
    a, b, scale_a, scale_b = drawn(torch, "groups and blocks")
    with pytest.raises(
        ShapeError, match=r"scales of shapes \(130, 2\).*scale_a: one element, \(130, 1\), \(130, 3\) or \(2, 3\)"
    ):
        ops.scaled_matmul(a, b, scale_a[:, :2], scale_b)
    with pytest.raises(ShapeError, match="both differ along k, or neither does"):
        ops.scaled_matmul(a, b, torch.ones(()), scale_b)
    with pytest.raises(ShapeError, match=r"given as w\.t\(\)"):
        ops.scaled_matmul(a, b.t(), scale_a, scale_b)
    with pytest.raises(DTypeError, match="give the scales in fp32"):
        ops.scaled_matmul(a, b, scale_a.double(), scale_b)
    with pytest.raises(OptionError, match="added in fp32"):
        ops.scaled_matmul(a, b, scale_a, scale_b, fast_accumulation=True)
    with pytest.raises(OptionError, match="no gradients flow"):
        ops.scaled_matmul(a, b, scale_a.requires_grad_(), scale_b)


def test_a_gpu_scales_groups_in_its_kernel() -> None:
    fp8, real = DType.FP8_E4M3, DType.FP32
    inputs = (
        TensorSpec.contiguous((256, 512), fp8), TensorSpec((512, 384), fp8, (1, 512)),
        TensorSpec.contiguous((256, 4), real), TensorSpec.contiguous((4, 3), real),
    )  # fmt: skip
    problem = scaled_problem(1, 128, DType.BF16, Request(inputs, options=Options(allow_fallback=False)))
    path = trace(problem, preset="h200")
    assert path.choice.variant.name == "cuda.contraction.wgmma_fp8_e4m3"
    assert path.source is not None and "a_scales" in path.source.text


def test_tracers_see_an_operator() -> None:
    torch = pytest.importorskip("torch")
    given = drawn(torch, "groups and blocks")
    bias = torch.randn(N)
    call = lambda *inputs: ops.scaled_matmul(*inputs, epilogue="relu") + 1  # noqa: E731
    compiled = torch.compile(call, backend="eager", fullgraph=True)
    assert torch.equal(compiled(*given), call(*given))
    operator = torch.ops.tracea.scaled_matmul.default
    arguments = (*given, [bias], "bias", torch.bfloat16, "", "torch")
    assert torch.equal(operator(*arguments), ops.scaled_matmul(*given, epilogue=tracea.BiasAdd(bias)))

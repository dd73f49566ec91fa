# SPDX-License-Identifier: MIT
"""Softmax and norms as users call them: every length, type and layout within the derived tolerance, and gradients in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from tracea_core.dtypes import DType
from tracea_core.errors import AliasError, DTypeError, OptionError, ShapeError
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.testing.row_cases import row_problem

import tracea
from tracea import ops
from tracea.arrays import NUMPY
from tracea.explanation import explain_op

LENGTHS = (1, 2, 7, 8, 9, 31, 32, 33, 63, 100, 255, 1000, 4097, 70000)


def check(op: SoftmaxOp | NormOp | NormalizeOp, got: Any, inputs: list[Any]) -> None:
    """Hold a result against float64."""
    exact = [np.asarray(x, np.float64) for x in inputs]
    specs = tuple(NUMPY.spec(x) for x in inputs)
    problem = Problem(op, specs, TensorSpec.contiguous(op.output_shape(), op.output_dtype()))
    assert agrees(np.asarray(got, np.float64), reference(problem, exact), tolerance(problem, exact)).all()


@pytest.mark.parametrize("columns", LENGTHS)
def test_rows_of_every_length(columns: int) -> None:
    random = np.random.default_rng(columns)
    rows = 3 if columns > 5000 else 11
    x = (4 * random.standard_normal((rows, columns))).astype(np.float32)
    w, b = random.standard_normal((2, columns)).astype(np.float32)
    check(SoftmaxOp(x.shape), ops.softmax(x), [x])
    check(SoftmaxOp(x.shape, log=True, scale=2.0), ops.log_softmax(x, scale=2.0), [x])
    check(NormOp(x.shape, NormKind.LAYER, bias=True), ops.layer_norm(x, w, b), [x, w, b])
    check(NormOp(x.shape, NormKind.RMS), ops.rms_norm(x, w), [x, w])
    check(NormalizeOp(x.shape), ops.normalize(x), [x])
    check(NormalizeOp(x.shape, eps=50.0), ops.normalize(x, eps=50.0), [x])


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_other_types(dtype: Any) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((5, 77)).astype(dtype)
    kind = DType.parse(np.dtype(dtype).name)
    check(SoftmaxOp(x.shape, kind), ops.softmax(x), [x])
    check(NormOp(x.shape, NormKind.LAYER, weight=False, dtype=kind), ops.layer_norm(x), [x])
    check(NormalizeOp(x.shape, dtype=kind), ops.normalize(x), [x])


def test_bf16_rounds_once() -> None:
    x = torch.randn(9, 130).bfloat16()
    expected = torch.softmax(x.double(), -1)
    error = (ops.softmax(x).double() - expected).abs()
    assert float((error / expected).max()) <= 2.0**-8 and ops.softmax(x).dtype == torch.bfloat16


def test_strided_rows_are_read_in_place() -> None:
    base = np.random.default_rng(2).standard_normal((12, 90)).astype(np.float32)
    for x in (base[::2], base[:, :37], base[:, ::3], base.T, base[::-1]):
        plain = np.ascontiguousarray(x)
        assert np.allclose(ops.softmax(x), ops.softmax(plain), rtol=1e-5, atol=0)
    out = np.full((90, 12), np.nan, np.float32)
    assert ops.softmax(base, out=out.T) is not None and not np.isnan(out).any()


def test_masked_scores_and_rows_without_any() -> None:
    x = np.array([[0.0, -np.inf, 0.0], [-np.inf] * 3, [np.nan, 0.0, 0.0]], np.float32)
    got = ops.softmax(x)
    assert np.array_equal(got[0], np.array([0.5, 0.0, 0.5], np.float32)) and np.isnan(got[1:]).all()


def test_epilogues_are_fused() -> None:
    random = np.random.default_rng(3)
    x, residual = random.standard_normal((2, 6, 50)).astype(np.float32)
    scale = random.standard_normal(6).astype(np.float32)
    normal = ops.layer_norm(x)
    got = ops.layer_norm(x, epilogue=tracea.Residual(residual) | tracea.ReLU())
    assert np.allclose(got, np.maximum(normal + residual, 0), atol=1e-6)
    got = ops.softmax(x, epilogue=tracea.Scale(scale, "row"))
    assert np.allclose(got, ops.softmax(x) * scale[:, None], rtol=1e-5)


def test_what_is_refused() -> None:
    x = np.zeros((4, 5), np.float32)
    with pytest.raises(AliasError):
        ops.softmax(x, out=x)
    with pytest.raises(ShapeError):
        ops.softmax(np.zeros((), np.float32))
    with pytest.raises(DTypeError):
        ops.softmax(np.zeros((4, 5), np.int32))
    for call in (ops.rms_norm, ops.normalize):
        with pytest.raises(OptionError):
            call(x, eps=0.0)
    with pytest.raises(ShapeError):
        ops.layer_norm(x, np.ones(4, np.float32))


def test_a_call_is_explained_and_proved_again() -> None:
    explained = explain_op(row_problem(SoftmaxOp((64, 100))), "cpu")
    assert "top_total" in str(explained) and explained.prove() == explained.certificate
    assert "softmax 64×100" in explained.to_html(())


def test_nothing_is_launched_for_nothing() -> None:
    assert ops.softmax(np.zeros((0, 5), np.float32)).shape == (0, 5)
    assert ops.rms_norm(np.zeros((3, 0), np.float32)).shape == (3, 0)
    assert ops.normalize(np.zeros((3, 0), np.float32)).shape == (3, 0)


def test_rows_of_nothing_stay_nothing() -> None:
    assert not ops.normalize(np.zeros((2, 40), np.float32)).any()


CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "softmax": (lambda x, w, b: ops.softmax(x, scale=0.5), lambda x, w, b: F.softmax(0.5 * x, -1)),
    "log_softmax": (lambda x, w, b: ops.log_softmax(x), lambda x, w, b: F.log_softmax(x, -1)),
    "layer_norm": (ops.layer_norm, lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b)),
    "normalize": (lambda x, w, b: ops.normalize(x * w), lambda x, w, b: F.normalize(x * w, dim=-1)),
    "rms_norm": (lambda x, w, b: ops.rms_norm(x, w), lambda x, w, b: F.rms_norm(x, x.shape[-1:], w, 1e-5)),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_are_pytorchs(name: str) -> None:
    ours, theirs = CALLS[name]
    torch.manual_seed(0)
    given = [torch.randn(shape, dtype=torch.float64) for shape in ((3, 4, 19), (19,), (19,))]
    pull = torch.randn(3, 4, 19, dtype=torch.float64)
    found = []
    for call in (ours, theirs):
        tensors = [tensor.clone().requires_grad_() for tensor in given]
        value = call(*tensors)
        gradients = torch.autograd.grad(value, tensors, pull, allow_unused=True)
        found.append([value.detach(), *(g for g in gradients if g is not None)])
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-9)


def test_gradients_pass_through_epilogues() -> None:
    x = torch.randn(4, 9, dtype=torch.float64, requires_grad=True)
    residual = torch.randn(4, 9, dtype=torch.float64, requires_grad=True)

    def fused(x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        value: torch.Tensor = ops.layer_norm(x, epilogue=tracea.Residual(residual) | tracea.SiLU())
        return value

    assert torch.autograd.gradcheck(fused, (x, residual))


def test_the_operator_is_traced() -> None:
    compiled = torch.compile(lambda x: ops.softmax(x, epilogue="relu") + 1, fullgraph=True, backend="aot_eager")
    x = torch.randn(3, 11)
    assert torch.allclose(compiled(x), torch.softmax(x, -1) + 1, atol=1e-6)


def test_results_go_where_tensors_want_them() -> None:
    x, out = torch.randn(4, 33), torch.full((4, 33), float("nan"))
    assert ops.softmax(x, out=out) is out and torch.allclose(out, torch.softmax(x, -1), atol=1e-6)

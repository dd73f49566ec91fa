# SPDX-License-Identifier: MIT
"""Attention and low-rank products as users call them: masks, shared heads, ragged shapes, against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tracea_core.dtypes import DType
from tracea_core.errors import ShapeError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance

import tracea
from tracea import ops
from tracea.arrays import NUMPY


def check(op: AttentionOp | LowRankOp, got: Any, inputs: list[Any]) -> None:
    """Hold a result against float64."""
    exact = [np.asarray(x, np.float64) for x in inputs]
    output = TensorSpec.contiguous(op.output_shape(), op.output_dtype())
    problem = Problem(op, tuple(NUMPY.spec(x) for x in inputs), output)
    assert agrees(np.asarray(got, np.float64), reference(problem, exact), tolerance(problem, exact)).all()


def operands(op: AttentionOp, dtype: Any = np.float32) -> list[Any]:
    random = np.random.default_rng(op.queries * 1000 + op.keys)
    return [random.standard_normal(shape).astype(dtype) for shape in op.input_shapes()]


CASES = {
    "full": AttentionOp(2, 3, 37, 53, 16),
    "one query": AttentionOp(2, 4, 1, 70, 32, kv_heads=2),
    "one key": AttentionOp(1, 1, 9, 1, 8),
    "causal": AttentionOp(1, 2, 61, 61, 24, causal=True),
    "causal, more keys": AttentionOp(1, 2, 13, 77, 24, causal=True),
    "causal, queries without keys": AttentionOp(1, 1, 50, 20, 8, 5, causal=True),
    "window": AttentionOp(1, 2, 130, 130, 16, left=10, right=5),
    "causal window, shared heads": AttentionOp(1, 4, 100, 100, 16, kv_heads=1, causal=True, left=33),
    "values of their own width": AttentionOp(1, 2, 20, 40, 12, 50),
    "odd everything": AttentionOp(3, 5, 7, 11, 13, 17, 5, left=2, right=3, scale=0.3),
}


@pytest.mark.parametrize("name", CASES)
def test_attention(name: str) -> None:
    op = CASES[name]
    given = operands(op)
    got = ops.attention(*given, causal=op.causal, left=op.left, right=op.right, scale=op.scale)
    check(op, got, given)


def test_types() -> None:
    for dtype, kind in ((np.float64, DType.FP64), (np.float16, DType.FP16)):
        op = AttentionOp(1, 2, 19, 35, 16, causal=True, dtype=kind)
        given = operands(op, dtype)
        check(op, ops.attention(*given, causal=True), given)


def test_layouts_are_read_in_place() -> None:
    random = np.random.default_rng(1)
    q, k, v = random.standard_normal((3, 2, 40, 3, 16)).astype(np.float32)  # (batch, positions, heads, columns)
    turned = [x.transpose(0, 2, 1, 3) for x in (q, k, v)]
    out = np.full_like(q, np.nan)
    ops.attention(*turned, causal=True, out=out.transpose(0, 2, 1, 3))
    expected = ops.attention(*(np.ascontiguousarray(x) for x in turned), causal=True)
    assert np.array_equal(out.transpose(0, 2, 1, 3), expected)


def test_large_scores_do_not_overflow() -> None:
    q = np.full((1, 1, 3, 4), 300.0, np.float32)
    v = np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4)
    assert np.allclose(ops.attention(q, q, v), v.mean(axis=2, keepdims=True))


def test_an_epilogue_rides_along() -> None:
    op = CASES["causal"]
    q, k, v = operands(op)
    residual = np.ones(op.output_shape(), np.float32)
    got = ops.attention(q, k, v, causal=True, epilogue=tracea.Residual(residual) | tracea.ReLU())
    assert np.allclose(got, np.maximum(ops.attention(q, k, v, causal=True) + 1, 0), atol=1e-6)


def test_sequences_of_their_own_lengths() -> None:
    op = AttentionOp(3, 2, 9, 20, 8, causal=True, lengths=True)
    q, k, v = operands(op.replace(lengths=False))
    lengths = np.array([20, 7, 0], np.int32)
    k[1, :, 7:] = v[1, :, 7:] = k[2] = v[2] = np.nan
    got = ops.attention(q, k, v, causal=True, lengths=lengths)
    expected = op.reference(q, np.nan_to_num(k), np.nan_to_num(v), lengths)
    assert np.allclose(got, expected, atol=1e-5) and not got[2].any()
    out = np.full_like(got, np.nan)
    assert ops.attention(q, k, v, causal=True, lengths=lengths, out=out) is out and np.array_equal(out, got)
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    assert np.array_equal(ops.attention(*tensors, causal=True, lengths=[20, 7, 0]).numpy(), got)
    with pytest.raises(ShapeError):
        ops.attention(q, k, v, lengths=[1, 2])


def test_without_a_batch() -> None:
    q, k, v = (x[0] for x in operands(AttentionOp(1, 2, 5, 9, 8)))
    assert np.array_equal(ops.attention(q, k, v), ops.attention(q[None], k[None], v[None])[0])
    with pytest.raises(ShapeError):
        ops.attention(q, k[0], v)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (9, 70, 13, 5), (33, 17, 64, 40), (5, 3, 0, 2)])
def test_low_rank_products(shape: tuple[int, int, int, int]) -> None:
    m, n, k, rank = shape
    random = np.random.default_rng(m)
    x, a, b = (random.standard_normal(s).astype(np.float32) for s in ((2, m, k), (k, rank), (rank, n)))
    check(LowRankOp(m, n, k, rank, (2,)), ops.low_rank_mlp(x, a, b), [x, a, b])
    middle = parse_epilogue("gelu")
    check(LowRankOp(m, n, k, rank, (2,), middle), ops.low_rank_mlp(x, a, b, activation="gelu"), [x, a, b])


def test_torch_tensors_and_their_gradients() -> None:
    q, k, v = (torch.randn(1, 2, 33, 16) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert torch.allclose(ops.attention(q, k, v, causal=True), expected, atol=1e-5)
    q.requires_grad_()
    (ours,) = torch.autograd.grad(ops.attention(q, k, v, causal=True, fallback="error").sum(), q)
    (theirs,) = torch.autograd.grad(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).sum(), q)
    assert torch.allclose(ours, theirs, atol=1e-5)

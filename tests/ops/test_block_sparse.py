# SPDX-License-Identifier: MIT
"""`tracea.ops.block_sparse_matmul`: any pattern on NumPy arrays, with bias and epilogues."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import AliasError, DTypeError, OptionError, ShapeError, UnsupportedError
from tracea_core.ops.sparse import BlockPattern, SparseOperand

import tracea
from tracea import ops
from tracea.ops import block_sparse
from tracea.ops.request import Request

MASK = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 0, 1]], np.bool_)
PATTERN = BlockPattern.from_mask(MASK, 24, 16)


def given(sparse: str, dtype: Any = np.float32, pattern: BlockPattern = PATTERN) -> tuple[Any, Any, Any]:
    """a, b, and the product in float64."""
    random = np.random.default_rng(4)
    blocks = random.standard_normal((pattern.blocks, pattern.block_rows, pattern.block_columns)).astype(dtype)
    whole = pattern.dense(blocks.astype(np.float64))
    if sparse == "b":
        x = random.standard_normal((33, pattern.shape[0])).astype(dtype)
        return x, blocks, x.astype(np.float64) @ whole
    x = random.standard_normal((pattern.shape[1], 37)).astype(dtype)
    return blocks, x, whole @ x.astype(np.float64)


@pytest.mark.parametrize("sparse", ["a", "b"])
@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 1e-4), (np.float64, 1e-12), (np.float16, 0.05)])
def test_products_agree_with_those_of_the_whole_matrix(sparse: str, dtype: Any, close: float) -> None:
    a, b, expected = given(sparse, dtype)
    found = ops.block_sparse_matmul(a, b, PATTERN, sparse=sparse)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, atol=close)
    assert np.array_equal(found, ops.block_sparse_matmul(a, b, MASK, sparse=sparse))


@pytest.mark.parametrize("sparse", ["a", "b"])
@pytest.mark.parametrize("density", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("block", [(1, 1), (3, 5), (32, 8)])
def test_any_pattern_and_any_block(sparse: str, density: float, block: tuple[int, int]) -> None:
    mask = np.random.default_rng(1).random((7, 5)) < density
    pattern = BlockPattern.from_mask(mask, *block)
    a, b, expected = given(sparse, np.float32, pattern)
    np.testing.assert_allclose(ops.block_sparse_matmul(a, b, pattern, sparse=sparse), expected, atol=1e-4)


def test_one_plan_serves_patterns_of_as_many_blocks() -> None:
    first, second = PATTERN, BlockPattern.from_mask(MASK[::-1, ::-1], 24, 16)
    kernels = set()
    for pattern in (first, second):
        a, b, expected = given("b", np.float32, pattern)
        np.testing.assert_allclose(ops.block_sparse_matmul(a, b, pattern), expected, atol=1e-4)
        grid = len(pattern.indptr) - 1, pattern.columns
        specs = tuple(tracea.TensorSpec.contiguous(x.shape, kind) for x, kind in ((a, DType.FP32), (b, DType.FP32)))
        lists = tracea.TensorSpec.contiguous(pattern.lists(SparseOperand.B).shape, DType.INT32)
        request = Request((*specs, lists))
        kernels.add(block_sparse.block_sparse_problem(None, SparseOperand.B, grid, request).signature())
    assert len(kernels) == 1


@pytest.mark.parametrize("sparse", ["a", "b"])
def test_bias_and_epilogues_follow_the_result(sparse: str) -> None:
    a, b, product = given(sparse)
    bias = np.arange(product.shape[1], dtype=np.float32)
    residual = np.random.default_rng(2).standard_normal(product.shape).astype(np.float32)
    found = ops.block_sparse_matmul(
        a, b, PATTERN, sparse=sparse, bias=bias, epilogue=tracea.Residual(residual) | tracea.ReLU()
    )
    np.testing.assert_allclose(found, np.maximum(product + bias + residual, 0), atol=1e-4)


def test_out_and_its_type() -> None:
    a, b, product = given("b")
    out = np.empty((64, 33), np.float32).T
    assert ops.block_sparse_matmul(a, b, PATTERN, out=out) is out
    np.testing.assert_allclose(out, product, atol=1e-4)
    assert ops.block_sparse_matmul(a, b, PATTERN, out_dtype="fp64").dtype == np.float64
    with pytest.raises(AliasError):
        ops.block_sparse_matmul(a, b, PATTERN, out=a[:, :64])


@pytest.mark.parametrize(
    ("error", "message", "change"),
    [
        (OptionError, "'a' or 'b'", {"sparse": "c"}),
        (ShapeError, "blocks of shape", {"b": np.zeros((4, 24, 16), np.float32)}),
        (ShapeError, "a matrix and blocks", {"b": np.zeros((24, 16), np.float32)}),
        (ShapeError, "inner extents differ", {"a": np.zeros((33, 70), np.float32)}),
        (ShapeError, "two axes", {"pattern": np.ones(3)}),
        (UnsupportedError, "gated", {"epilogue": "swiglu"}),
        (DTypeError, "fp64", {"a": np.zeros((33, 72), np.float64)}),
        (OptionError, "unknown", {"fallback": "numpy"}),
    ],
)
def test_what_does_not_fit_is_refused(error: Any, message: str, change: dict[str, Any]) -> None:
    a, b, _ = given("b")
    arguments = {"a": a, "b": b, "pattern": PATTERN} | change
    with pytest.raises(error, match=message):
        ops.block_sparse_matmul(arguments.pop("a"), arguments.pop("b"), arguments.pop("pattern"), **arguments)


def test_lists_in_host_memory_are_made_once_for_a_pattern() -> None:
    again = BlockPattern.from_mask(MASK, 24, 16)
    assert block_sparse._lists(PATTERN, SparseOperand.A) is block_sparse._lists(again, SparseOperand.A)
    assert not block_sparse._lists(PATTERN, SparseOperand.A).flags.writeable

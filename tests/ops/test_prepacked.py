# SPDX-License-Identifier: MIT
"""Weights packed once: the same results, of what the weight was, and clear words where they do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import AliasError, OptionError, ShapeError, UnsupportedError

import tracea
from tracea import ops


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    "m, n, k", [(1, 300, 513), (4, 24, 64), (16, 260, 700), (33, 50, 31), (300, 301, 65), (0, 5, 4)]
)
def test_products_are_the_same(m: int, n: int, k: int) -> None:
    x, weight, bias = numbers(m, k), numbers(n, k), numbers(n)
    exact = x.astype(np.float64) @ weight.T.astype(np.float64)
    bound = 1e-5 * k**0.5 + 1e-6
    packed = ops.prepacked(weight)
    out = np.full((m, n), np.nan, np.float32)
    assert ops.linear(x, packed, out=out) is out
    assert np.abs(out - exact).max(initial=0.0) < bound
    finished = ops.linear(x, packed, bias, epilogue=tracea.ReLU())
    assert np.abs(finished - np.maximum(exact + bias, 0)).max(initial=0.0) < bound
    for matrix in (weight.T, np.ascontiguousarray(weight.T)):
        got = ops.matmul(x, ops.prepacked(matrix, "matmul"), alpha=2.0)
        assert np.abs(got - 2 * exact).max(initial=0.0) < 2 * bound


def test_double_precision_batches_and_vectors() -> None:
    x, weight = numbers(3, 4, 20).astype(np.float64), numbers(9, 20).astype(np.float64)
    packed = ops.prepacked(weight)
    assert np.allclose(ops.linear(x, packed), x @ weight.T, rtol=1e-12)
    assert np.allclose(ops.linear(x[0, 0], packed), weight @ x[0, 0], rtol=1e-12)
    out = np.empty(9)
    assert ops.linear(x[0, 0], packed, out=out) is out
    assert np.allclose(out, weight @ x[0, 0], rtol=1e-12)


def test_the_copy_is_of_what_the_array_was() -> None:
    x, weight = numbers(2, 8), numbers(5, 8)
    packed = ops.prepacked(weight)
    before = x @ weight.T
    weight[:] = 0
    assert np.allclose(ops.linear(x, packed), before, atol=1e-5)
    assert packed.shape == (5, 8)
    assert packed.nbytes >= weight.nbytes
    assert ops.prepacked(packed) is packed
    assert "linear" in repr(packed)


def test_what_does_not_fit_is_said() -> None:
    packed = ops.prepacked(numbers(5, 8))
    with pytest.raises(OptionError, match="packed for linear"):
        ops.matmul(numbers(2, 5), packed)
    with pytest.raises(OptionError, match="packed for linear"):
        ops.prepacked(packed, "matmul")
    with pytest.raises(OptionError, match="not for 'conv2d'"):
        ops.prepacked(numbers(5, 8), "conv2d")
    with pytest.raises(ShapeError, match="inner extents"):
        ops.matmul(numbers(2, 7), ops.prepacked(numbers(8, 5), "matmul"))
    with pytest.raises(UnsupportedError, match="matrices of fp32 or fp64"):
        ops.prepacked(np.zeros((4, 4), np.int8))
    with pytest.raises(UnsupportedError, match="matrices of fp32 or fp64"):
        ops.prepacked(numbers(2, 3, 4), "matmul")
    with pytest.raises(AliasError, match="shares memory"):
        x = numbers(8, 8)
        ops.linear(x, ops.prepacked(numbers(8, 8)), out=x)
    with pytest.raises(UnsupportedError, match="for a gated epilogue"):
        ops.linear(numbers(2, 8), ops.prepacked(numbers(6, 8)), epilogue=tracea.SwiGLU())

# SPDX-License-Identifier: MIT
"""Second results of calls: written in the same pass, and kept apart from everything else."""

from __future__ import annotations

import numpy as np
import pytest

import tracea
from tracea import Auxiliary, BiasAdd, Gelu, ReLU, SwiGLU, ops

RANDOM = np.random.default_rng(5)
X, W, B = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((33, 70), (70, 50), (50,)))


def test_the_value_ahead_of_an_activation_is_stored() -> None:
    pre = np.full((33, 50), np.nan, np.float32)
    result = ops.matmul(X, W, epilogue=BiasAdd(B) | Auxiliary(pre) | ReLU())
    assert np.allclose(pre, X @ W + B, atol=1e-4)
    assert np.array_equal(result, np.maximum(pre, 0))


def test_it_has_a_type_and_strides_of_its_own() -> None:
    pre = np.full((50, 40), np.nan, np.float16).T[:33]
    result = ops.matmul(X, W, epilogue=Auxiliary(pre) | Gelu())
    assert result.dtype == np.float32 and np.allclose(pre, X @ W, rtol=1e-3, atol=2e-2)


def test_ahead_of_a_gate_it_has_both_halves() -> None:
    pre = np.full((33, 50), np.nan, np.float32)
    assert ops.matmul(X, W, epilogue=Auxiliary(pre) | SwiGLU()).shape == (33, 25)
    assert np.allclose(pre, X @ W, atol=1e-4)


def test_convolutions_store_it() -> None:
    x, w = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((2, 5, 9, 8), (7, 5, 3, 3)))
    pre = np.full((2, 7, 9, 8), np.nan, np.float32)
    result = ops.conv2d(x, w, padding=1, epilogue=Auxiliary(pre) | ReLU())
    assert np.allclose(pre, ops.conv2d(x, w, padding=1), atol=1e-4) and np.array_equal(result, np.maximum(pre, 0))


def test_it_shares_memory_with_nothing() -> None:
    square, out = np.ones((50, 50), np.float32), np.empty((33, 50), np.float32)
    with pytest.raises(tracea.AliasError, match="shares memory"):
        ops.matmul(X, W, epilogue=Auxiliary(out) | Gelu(), out=out)
    with pytest.raises(tracea.AliasError, match="second result shares memory"):
        ops.matmul(square, square.copy(), epilogue=Auxiliary(square))
    with pytest.raises(tracea.AliasError, match="second result shares memory"):
        ops.matmul(X, W, epilogue=Auxiliary(out) | Gelu() | Auxiliary(out))


def test_it_can_be_written() -> None:
    fixed = np.zeros((33, 50), np.float32)
    fixed.flags.writeable = False
    with pytest.raises(tracea.AliasError, match="read-only"):
        ops.matmul(X, W, epilogue=Auxiliary(fixed) | Gelu())
    assert not fixed.any()


def test_what_stores_none_says_so() -> None:
    with pytest.raises(tracea.OptionError, match="no second result"):
        ops.softmax(X, epilogue=Auxiliary(np.empty_like(X)))

# SPDX-License-Identifier: MIT
"""Epilogues written as scalar Python with branches, loops and `math`: every op of a CPU takes them, other backends say why not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import EmitError, OptionError

import tracea
from tracea import ops

pytest.importorskip("numba", reason="functions with branches are compiled by numba")

LIMIT = 1.5


def bent(x: float) -> float:
    if abs(x) < LIMIT:
        return x
    return math.copysign(LIMIT + math.log1p(abs(x) - LIMIT), x)


def halvings(x: float) -> float:
    count = 0
    while abs(x) > 1.0 and count < 6:
        x *= 0.5
        count += 1
    return x + count


def _random(*shape: int, dtype: str = "float32") -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def _close(got: Any, expected: Any) -> None:
    assert np.allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("function", [bent, halvings])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 7, 5), (13, 50, 9), (37, 1, 64), (65, 129, 33)])
def test_products(function: Any, m: int, n: int, k: int) -> None:
    a, b, bias = _random(m, k), _random(k, n), _random(n)
    exact = np.vectorize(function)(a.astype(float) @ b + bias)
    out = np.full((m, n), np.nan, np.float32)
    assert ops.matmul(a, b, out=out, epilogue=tracea.BiasAdd(bias) | function) is out
    apart = np.abs(exact - out) > 1e-4
    assert apart.sum() <= (2 if function is halvings else 0)  # where a sum rounds to the other side of a power of two


def test_the_constant_that_it_reads_is_the_one_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    a = 4 * np.eye(3, dtype=np.float32)
    _close(ops.matmul(a, a, epilogue=bent)[0, 0], bent(16.0))
    before = bent(16.0)
    monkeypatch.setitem(globals(), "LIMIT", 3.0)
    assert bent(16.0) != before
    _close(ops.matmul(a, a, epilogue=bent)[0, 0], bent(16.0))


def test_value_bias_residual_row_and_column() -> None:
    @tracea.elementwise
    def banded(x: float, bias: float, residual: float, row: float, column: float) -> float:
        if column > row + 2:
            return -1.0e4
        return max(x + bias, residual)

    m, n, k = 19, 35, 11
    a, b, bias, residual = _random(m, k), _random(k, n), _random(n), _random(m, n)
    rows = np.broadcast_to(np.arange(m, dtype=np.float32)[:, np.newaxis], (m, n))
    columns = np.arange(n, dtype=np.float32)
    got = ops.matmul(a, b, epilogue=lambda x: banded(x, bias, residual, rows, columns))
    exact = np.maximum(a.astype(float) @ b + bias, residual)
    _close(got, np.where(columns > rows + 2, -1.0e4, exact))


def test_linear_gate_convolution_and_rows() -> None:
    x, w = _random(9, 20), _random(24, 20)
    _close(ops.linear(x, w, epilogue=bent), np.vectorize(bent)(x.astype(float) @ w.T))
    gated = ops.matmul(x, w.T.copy(), epilogue=lambda gate, up: up if gate > 0 else 0.0)
    product = x.astype(float) @ w.T
    _close(gated, np.where(product[:, :12] > 0, product[:, 12:], 0.0))
    image, kernel = _random(2, 3, 9, 8), _random(5, 3, 3, 3)
    plain = ops.conv2d(image, kernel, padding=1)
    _close(ops.conv2d(image, kernel, padding=1, epilogue=bent), np.vectorize(bent)(plain.astype(float)))
    soft = ops.softmax(x)
    _close(ops.softmax(x, epilogue=lambda v: v if v > 0.05 else 0.0), np.where(soft > 0.05, soft, 0.0))


def test_half_precision_is_rounded_once() -> None:
    a, b = _random(17, 8, dtype="float16"), _random(8, 23, dtype="float16")
    exact = np.vectorize(bent)(a.astype(float) @ b.astype(float))
    assert np.allclose(ops.matmul(a, b, epilogue=bent), exact, rtol=2**-10, atol=1e-6)


@pytest.mark.parametrize("device", ["h200", "mi300x", "m3max"])
def test_other_backends_refuse_it_with_the_way_out(device: str) -> None:
    context = tracea.Context(device)
    context.emit(64, 64, 64, epilogues=lambda x: x * 2)
    with pytest.raises(EmitError, match=r"bent is compiled by numba.*where"):
        context.emit(64, 64, 64, epilogues=bent)


def test_gradients_refuse_it() -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.randn(4, 6, requires_grad=True), torch.randn(6, 5)
    with pytest.raises(OptionError, match=r"derivative|gradients"):
        ops.matmul(x, w, epilogue=bent).sum().backward()

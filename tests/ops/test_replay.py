# SPDX-License-Identifier: MIT
"""Repeated NumPy products take the shortest way, and every change that another plan or a check would answer to leaves it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tracea
from tracea import ops
from tracea.dispatch import forget_plans

RNG = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget_plans()
    yield
    forget_plans()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each call that takes the long way."""
    seen: list[str] = []
    products = importlib.import_module("tracea.ops.matmul")  # the package's attribute of that name is the function
    run = products.run

    def noted(name: str, *arguments: Any) -> Any:
        seen.append(name)
        return run(name, *arguments)

    monkeypatch.setattr(products, "run", noted)
    return seen


def matrices(m: int = 7, n: int = 6, k: int = 5) -> tuple[Any, Any, Any]:
    a, b = RNG.standard_normal((m, k), np.float32), RNG.standard_normal((k, n), np.float32)
    return a, b, np.full((m, n), np.nan, np.float32)


def check(a: Any, b: Any, out: Any) -> None:
    out[...] = np.nan
    assert ops.matmul(a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-5)


def test_only_the_first_call_is_prepared(prepared: list[str]) -> None:
    for _ in range(3):
        check(*matrices())
    assert prepared == ["matmul"]
    for _ in range(3):
        a, b, _ = matrices()
        np.testing.assert_allclose(ops.matmul(a, b), a @ b, rtol=1e-5, atol=1e-5)
    assert prepared == ["matmul"] * 2


def test_results_of_repeated_calls_are_arrays_of_their_own() -> None:
    a, b, _ = matrices()
    first, second = ops.matmul(a, b), ops.matmul(a, b)
    assert not np.shares_memory(first, second)


def test_other_strides_shapes_and_types_are_other_calls(prepared: list[str]) -> None:
    a, b, out = matrices()
    check(a, b, out)
    check(np.asfortranarray(a), b, out)
    check(a, b, np.asfortranarray(out))
    check(*matrices(3))
    check(a.astype(np.float64), b.astype(np.float64), out.astype(np.float64))
    assert len(prepared) == 5


def test_what_asks_for_more_takes_the_long_way(prepared: list[str]) -> None:
    a, b, out = matrices()
    check(a, b, out)
    doubled = ops.matmul(a, b, alpha=2.0)
    np.testing.assert_allclose(doubled, 2 * (a @ b), rtol=1e-5, atol=1e-5)
    assert (ops.matmul(a, b, out=out, epilogue="relu") >= 0).all()
    assert len(prepared) == 3


def test_overlap_and_read_only_outputs_are_found_on_the_short_way_too() -> None:
    a, b, out = matrices(6, 6, 6)
    check(a, b, out)
    kept = a.copy()
    with pytest.raises(tracea.AliasError):
        ops.matmul(a, b, out=a)
    assert (a == kept).all()
    block = RNG.standard_normal(72, np.float32)
    with pytest.raises(tracea.AliasError):
        ops.matmul(block[:36].reshape(6, 6), b, out=block[30:66].reshape(6, 6))
    out.flags.writeable = False
    with pytest.raises(tracea.AliasError):
        ops.matmul(a, b, out=out)


def test_a_packed_weight_is_prepared_once_and_is_no_array_of_the_same_strides(prepared: list[str]) -> None:
    a, b, out = matrices(7, 6, 5)
    weight = ops.prepacked(b, "matmul")
    for _ in range(3):
        check_packed(a, weight, b, out)
        np.testing.assert_allclose(ops.matmul(a, weight), a @ b, rtol=1e-5, atol=1e-5)
    assert prepared == ["matmul"] * 2
    other = ops.prepacked(2 * b, "matmul")
    check_packed(a, other, 2 * b, out)
    assert prepared == ["matmul"] * 2
    plain = np.zeros((5, weight.matrix.strides[0] // 4), np.float32)[:, :6]
    plain[...] = b
    assert plain.strides == weight.matrix.strides
    check(a, plain, out)
    assert prepared == ["matmul"] * 3
    with pytest.raises(tracea.OptionError, match="packed for linear"):
        ops.matmul(a, ops.prepacked(b.T, "linear"), out=out)
    out.flags.writeable = False
    with pytest.raises(tracea.AliasError, match="read-only"):
        ops.matmul(a, weight, out=out)


def check_packed(a: Any, weight: Any, b: Any, out: Any) -> None:
    out[...] = np.nan
    assert ops.matmul(a, weight, out=out) is out
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-5)

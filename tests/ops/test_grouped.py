# SPDX-License-Identifier: MIT
"""`tracea.ops.grouped_matmul`: any division of the rows, on NumPy arrays and torch tensors, with bias, epilogues and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import AliasError, DTypeError, OptionError, ShapeError, UnsupportedError

import tracea
from tracea import ops
from tracea.ops import grouped

SIZES = (10, 0, 29, 1)


def given(dtype: Any = np.float32) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(4)
    drawn = [random.standard_normal(shape) for shape in ((sum(SIZES), 17), (len(SIZES), 17, 23), (len(SIZES), 23))]
    return tuple(array.astype(dtype) for array in drawn)  # type: ignore[return-value]


def by_hand(x: Any, weights: Any, bias: Any = None) -> Any:
    parts = np.split(np.asarray(x, np.float64), np.cumsum(SIZES)[:-1])
    rows = [
        part @ np.asarray(weights[g], np.float64) + (0.0 if bias is None else bias[g]) for g, part in enumerate(parts)
    ]
    return np.concatenate(rows)


def test_sizes_and_offsets_say_the_same() -> None:
    x, weights, _ = given()
    found = ops.grouped_matmul(x, weights, np.cumsum(SIZES))
    np.testing.assert_allclose(found, by_hand(x, weights), atol=1e-4)
    assert np.array_equal(found, ops.grouped_matmul(x, weights, sizes=SIZES))


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_weights_may_be_stored_by_columns(dtype: Any) -> None:
    x, weights, _ = given(dtype)
    stored = np.ascontiguousarray(weights.transpose(0, 2, 1)).transpose(0, 2, 1)
    np.testing.assert_allclose(
        ops.grouped_matmul(x, stored, sizes=SIZES), by_hand(x, weights), atol=1e-9 if dtype is np.float64 else 0.05
    )


def test_epilogues_see_the_rows_of_their_group() -> None:
    x, weights, bias = given()
    residual = np.arange(40 * 23, dtype=np.float32).reshape(40, 23) / 100
    found = ops.grouped_matmul(x, weights, sizes=SIZES, bias=bias, epilogue=tracea.Residual(residual) | tracea.ReLU())
    np.testing.assert_allclose(found, np.maximum(by_hand(x, weights, bias) + residual, 0), atol=1e-4)
    shared = ops.grouped_matmul(x, weights, sizes=SIZES, bias=bias[0])
    np.testing.assert_allclose(shared, by_hand(x, weights, bias[[0] * 4]), atol=1e-4)


@pytest.mark.parametrize("sizes", [(0,), (7,), (1,) * 9, (0, 0, 5), tuple(range(64))])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 1, 0)])
def test_all_groups_are_one_kernel(monkeypatch: Any, sizes: tuple[int, ...], order: tuple[int, ...]) -> None:
    monkeypatch.setattr(grouped, "_one_by_one", None)
    random = np.random.default_rng(2)
    x, weights = random.standard_normal((sum(sizes) + 2, 9)), random.standard_normal((len(sizes), 9, 21))
    stored = np.ascontiguousarray(weights.transpose(order)).transpose(np.argsort(order))
    found = ops.grouped_matmul(x, stored, sizes=sizes)
    parts = np.split(x, np.cumsum(sizes))[:-1]
    np.testing.assert_allclose(
        found[:-2], np.concatenate([part @ w for part, w in zip(parts, weights, strict=True)]), atol=1e-12
    )


def test_what_no_kernel_takes_is_computed_group_by_group(monkeypatch: Any) -> None:
    def refuse(name: str, *arguments: Any) -> Any:
        if name == "grouped_matmul":
            raise UnsupportedError("no kernel takes it", op=name)
        return plain(name, *arguments)

    plain = grouped.run
    monkeypatch.setattr(grouped, "run", refuse)
    x, weights, bias = given()
    np.testing.assert_allclose(
        ops.grouped_matmul(x, weights, sizes=SIZES, bias=bias), by_hand(x, weights, bias), atol=1e-4
    )


def test_rows_of_no_group_are_not_written() -> None:
    x, weights, _ = given()
    out = np.full((40, 23), 7.0, np.float32)
    assert ops.grouped_matmul(x, weights, [3, 3, 5, 5], out=out) is out
    assert np.all(out[5:] == 7.0)
    np.testing.assert_allclose(out[3:5], x[3:5] @ weights[2], atol=1e-4)


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (OptionError, "one of them", {}),
        (OptionError, "one of them", {"offsets": [1, 2, 3, 4], "sizes": SIZES}),
        (ShapeError, "do not divide 40 rows", {"sizes": (40, 0, 0, 1)}),
        (ShapeError, "do not divide 40 rows", {"offsets": (10, 5, 20, 40)}),
        (ShapeError, "4 groups of weights", {"sizes": (20, 20)}),
        (ShapeError, "4 groups of weights", {"offsets": (1.0, 2.0, 3.0, 4.0)}),
        (ShapeError, "a row of them per group", {"sizes": SIZES, "bias": np.zeros((3, 23), np.float32)}),
    ],
)
def test_wrong_divisions_are_refused_before_anything_is_written(error: Any, message: str, arguments: Any) -> None:
    x, weights, _ = given()
    with pytest.raises(error, match=message):
        ops.grouped_matmul(x, weights, **arguments)


def test_wrong_arrays_are_refused() -> None:
    x, weights, _ = given()
    with pytest.raises(ShapeError, match="inner extents"):
        ops.grouped_matmul(x, weights.transpose(0, 2, 1), sizes=SIZES)
    with pytest.raises(ShapeError, match="weights of shape"):
        ops.grouped_matmul(x, weights[0], sizes=SIZES)
    with pytest.raises(ShapeError, match=r"out has shape|output"):
        ops.grouped_matmul(x, weights, sizes=SIZES, out=np.empty((40, 22), np.float32))
    with pytest.raises(AliasError):
        ops.grouped_matmul(x, weights[:, :, :17], sizes=SIZES, out=x)
    with pytest.raises(DTypeError):
        ops.grouped_matmul(x, weights.astype(np.float64), sizes=SIZES)


def test_gradients_are_those_of_the_groups() -> None:
    torch = pytest.importorskip("torch")
    tensors = [torch.tensor(array, requires_grad=True) for array in given(np.float64)]
    x, weights, bias = tensors
    ends = torch.tensor(SIZES).cumsum(0)

    def plain(x: Any, weights: Any, bias: Any) -> Any:
        parts = zip(torch.tensor_split(x, ends[:-1]), weights, bias, strict=True)
        return torch.nn.functional.gelu(torch.cat([part @ w + b for part, w, b in parts]))

    found = ops.grouped_matmul(x, weights, ends, bias=bias, epilogue="gelu")
    torch.testing.assert_close(found, plain(*tensors))
    toward = torch.randn_like(found)
    torch.testing.assert_close(
        torch.autograd.grad(found, tensors, toward), torch.autograd.grad(plain(*tensors), tensors, toward)
    )


def test_the_operator_is_one_of_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    x, weights, _ = (torch.tensor(array) for array in given())
    ends = torch.tensor(SIZES).cumsum(0, dtype=torch.int32)
    ops.grouped_matmul(x, weights, ends)
    arguments = (x, weights, ends, [], "relu", None, "", "torch")
    operator = torch.ops.tracea.grouped_matmul.default
    torch.library.opcheck(operator, arguments, test_utils=("test_schema", "test_faketensor"))
    fake = torch.empty((40, 17), device="meta")
    assert operator(
        fake, torch.empty((4, 17, 23), device="meta"), ends.to("meta"), [], "swiglu", None, "", "torch"
    ).shape == (40, 11)


@pytest.mark.parametrize("ends", [[2, 6, 7], [0, 0, 9], [4, 3, 20], [9, 9, 9]])
def test_outer_products_know_their_groups_without_asking_the_device(ends: list[int]) -> None:
    """What a captured graph computes, whose offsets lie on a GPU; what is in other rows, NaN included, is not seen."""
    torch = pytest.importorskip("torch")
    from tracea.torch import grouped

    x, gradient = torch.randn(9, 4), torch.randn(9, 5)
    offsets = torch.tensor(ends)
    expected = grouped._outer(x, gradient, offsets, [], "", "torch")
    torch.testing.assert_close(grouped._outer_of_all_rows(x, gradient, offsets), expected)
    x[0] = gradient[-1] = torch.nan
    again = grouped._outer_of_all_rows(x, gradient, offsets)
    torch.testing.assert_close(again, grouped._outer(x, gradient, offsets, [], "", "torch"), equal_nan=True)

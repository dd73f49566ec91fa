# SPDX-License-Identifier: MIT
"""Forward-mode differentiation and other transforms: nothing is lost on short ways (for operators alone see `test_every_operator`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
forward_ad: Any = pytest.importorskip("torch.autograd.forward_ad")

import tracea  # noqa: E402
from tracea import ops  # noqa: E402
from tracea.torch import functional, replay  # noqa: E402
from tracea.torch.modules import TraceaConv2d, TraceaLinear  # noqa: E402


def draw(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + sum(shape)))


def tangent_of(function: Callable[[Any], Any], x: Any, direction: Any) -> Any:
    """The tangent that a function's result carries, None if it carries none."""
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(forward_ad.make_dual(x, direction))).tangent


def slope(function: Callable[[Any], Any], x: Any, direction: Any, step: float = 1e-6) -> Any:
    """The same by central differences."""
    return (function(x + step * direction) - function(x - step * direction)) / (2 * step)


X, W, B = draw(6, 8), draw(5, 8), draw(5)
IMAGES, FILTERS = draw(2, 3, 5, 5), draw(4, 3, 3, 3)
SHORT: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "matmul": (lambda x: ops.matmul(x, W.t()), X),
    "matmul with out": (lambda x: ops.matmul(x, W.t(), out=torch.zeros(6, 5, dtype=x.dtype)), X),
    "linear": (lambda x: ops.linear(x, W, B, epilogue="gelu"), X),
    "conv2d": (lambda x: ops.conv2d(x, FILTERS, padding=1, epilogue="silu"), IMAGES),
    "softmax": (lambda x: ops.softmax(x), X),
    "layer_norm": (lambda x: ops.layer_norm(x, W[0], W[1]), X),
    "rms_norm and more": (lambda x: ops.rms_norm(x, W[0], epilogue="relu"), X),
    "attention": (lambda x: ops.attention(x, draw(1, 2, 4, 3), draw(1, 2, 4, 3)), draw(1, 2, 3, 3)),
    "attention under a mask": (
        lambda x: ops.attention(x, draw(1, 2, 4, 3), draw(1, 2, 4, 3), mask=draw(3, 4)),
        draw(1, 2, 3, 3),
    ),
    "low_rank_mlp": (lambda x: ops.low_rank_mlp(x, W.t()[:, :2], draw(2, 3), activation="gelu"), X),
    "TraceaLinear": (TraceaLinear(8, 5, activation="gelu").double(), X),
    "TraceaConv2d": (TraceaConv2d(3, 4, 3, activation="relu").double(), IMAGES),
}
"""Functions of one tensor that reach a kernel past the dispatcher where nothing listens."""


def kept(name: str) -> bool:
    """Whether a function that has been called before hands tangents on, with gradients recorded and without."""
    function, x = SHORT[name]
    direction = draw(*x.shape, seed=4)
    with torch.no_grad():
        for _ in range(3):
            function(x)
        expected = slope(function, x, direction)
        found = [tangent_of(function, x, direction)]
    found.append(tangent_of(function, x, direction))
    return all(each is not None and torch.allclose(each, expected, atol=1e-5) for each in found)


@pytest.mark.parametrize("name", sorted(SHORT))
def test_short_ways_lose_no_tangent(name: str) -> None:
    assert kept(name)


@pytest.mark.parametrize(
    ("holder", "attribute", "value", "name"),
    [(functional, "is_forward", lambda: False, "softmax"), (functional, "records", lambda tensors: False, "linear")],
)
def test_a_short_way_that_loses_one_would_be_seen(
    monkeypatch: pytest.MonkeyPatch, holder: Any, attribute: str, value: Any, name: str
) -> None:
    monkeypatch.setattr(holder, attribute, value)
    if attribute == "is_forward":
        from tracea.torch import row_replay, rows

        monkeypatch.setattr(rows, "records", lambda tensors: False)
        monkeypatch.setattr(row_replay, "is_forward", lambda: False)
    else:
        monkeypatch.setattr(functional, "_plain", lambda tensors: True)
    assert not kept(name)


def test_nothing_is_replayed_while_tensors_may_carry_tangents() -> None:
    a, b = draw(7, 3), draw(3, 2)
    out = torch.zeros(7, 2, dtype=a.dtype)
    for _ in range(3):
        ops.matmul(a, b)
        ops.matmul(a, b, out=out)
    for place in (None, out):
        assert replay.replay(a, b, place) is not None
        with forward_ad.dual_level():
            assert replay.replay(a, b, place) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda r: ops.matmul(X, W.t(), epilogue=tracea.Residual(r)),
        lambda r: ops.linear(X, W, epilogue=tracea.Residual(r)),
        lambda r: ops.softmax(X[:, :5], epilogue=tracea.Residual(r)),
        lambda r: ops.low_rank_mlp(X, W.t()[:, :2], W[:2, :5], epilogue=tracea.Residual(r)),
    ],
)
def test_vmap_over_an_operand_alone(call: Callable[[Any], Any]) -> None:
    many = draw(3, 6, 5)
    assert torch.allclose(torch.vmap(call)(many), torch.stack([call(one) for one in many]))


def test_vmap_over_a_residual_of_images_alone() -> None:
    many = draw(3, 2, 4, 3, 3)

    def call(residual: Any) -> Any:
        return ops.conv2d(IMAGES, FILTERS, epilogue=tracea.Residual(residual))

    assert torch.allclose(torch.vmap(call)(many), torch.stack([call(one) for one in many]))


def test_jacobians_of_several_vectors_at_once() -> None:
    def function(x: Any) -> Any:
        return ops.linear(x, W, B, epilogue="gelu")

    expected = torch.func.jacrev(function)(X)
    for strategy in ("reverse-mode", "forward-mode"):
        found = torch.autograd.functional.jacobian(function, X, vectorize=True, strategy=strategy)
        assert torch.allclose(found, expected, atol=1e-9)


def test_calls_without_mutations_stay_operators() -> None:
    def function(x: Any) -> Any:
        return torch.ops.tracea.linear(x, W, [B], "bias,relu", "").add_(1.0)

    functional_one = torch.func.functionalize(function)
    assert torch.equal(functional_one(X), function(X))
    traced = torch.fx.experimental.proxy_tensor.make_fx(functional_one)(X)
    assert "tracea.linear" in traced.code and "add_" not in traced.code
    assert torch.allclose(torch.func.functionalize(torch.func.vmap(function))(X[None])[0], function(X))


@pytest.mark.slow
def test_tangents_in_compiled_code() -> None:
    def function(x: Any) -> Any:
        return torch.func.jvp(lambda x: ops.linear(x, W, B, epilogue="silu"), (x,), (x,))[1]

    expected = function(X)
    assert torch.allclose(torch.compile(function, backend="aot_eager", fullgraph=True)(X), expected)

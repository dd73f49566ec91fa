# SPDX-License-Identifier: MIT
"""Models that use ``torch.func``: products inside of its levels are left with the reason, those beside them become kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

import tracea  # noqa: E402
import tracea.torch as tt  # noqa: E402
from tracea.torch.compiler import anchors, growth, regions  # noqa: E402

X, W, B, Y = torch.randn(4, 16), torch.randn(24, 16), torch.randn(24), torch.randn(4, 24)


def layer(x: Any) -> Any:
    return F.gelu(F.linear(x, W, B))


INSIDE: dict[str, Callable[[Any], Any]] = {
    "jvp": lambda x: torch.func.jvp(layer, (x,), (x,))[1],
    "vmap": lambda x: torch.vmap(layer)(x.expand(3, 4, 16)),
    "grad": lambda x: torch.func.grad(lambda x: layer(x).square().sum())(x),
    "per sample": lambda x: torch.vmap(torch.func.grad(lambda row: layer(row[None]).square().sum()))(x),
    "jacobian": lambda x: torch.vmap(torch.func.jacfwd(layer))(x[:2, None]),
    "softmax": lambda x: torch.vmap(lambda row: F.softmax(row, -1))(x),
    "in place": lambda x: torch.vmap(lambda row: F.linear(row[None], W).relu_().add_(1.0))(x),
}


def compiled(function: Callable[[Any], Any]) -> Any:
    """What a function returns by the backend, which takes whatever it can."""
    torch._dynamo.reset()
    tt.reset_stats()
    return torch.compile(function, backend="tracea", options={"tracea.policy": "always"})(X)


@pytest.mark.parametrize("title", sorted(INSIDE))
def test_products_inside_are_left(title: str) -> None:
    function = INSIDE[title]
    assert torch.allclose(compiled(function), function(X), atol=1e-5)
    assert tt.stats().taken == 0 and "transform of torch.func" in tt.stats().reasons[0][0]


def test_one_that_is_looked_at_as_if_it_stood_outside_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (anchors, growth):
        monkeypatch.setattr(module, "is_wrapped", lambda tensor: False)
    monkeypatch.setattr(regions, "innermost", lambda tensor: tensor)
    function = INSIDE["vmap"]
    with pytest.raises(Exception):  # noqa: B017 - PyTorch's, whichever step meets the level first
        assert torch.allclose(compiled(function), function(X), atol=1e-5)


def test_products_beside_a_transform_become_kernels() -> None:
    def function(x: Any) -> Any:
        return layer(x) + torch.func.jvp(torch.sin, (Y,), (Y,))[1]

    assert torch.allclose(compiled(function), function(X), atol=1e-5)
    assert tt.stats().taken == 1


def test_a_residual_from_a_transform_rides_along_once_it_has_left() -> None:
    def function(x: Any) -> Any:
        mapped = torch.vmap(torch.sin)(Y)
        return F.linear(x, W, B) + mapped

    assert torch.allclose(compiled(function), function(X), atol=1e-5)
    assert tt.stats().taken == 1


def test_explanations_say_so() -> None:
    report = tracea.explain(INSIDE["vmap"], X, policy="always")
    assert [region.taken for region in report.regions] == [False]
    assert "it stands in a transform of torch.func" in str(report)

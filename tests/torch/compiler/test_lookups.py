# SPDX-License-Identifier: MIT
"""Lookups in tables of 16-bit numbers give the values that they gave, and gradients that are rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import tracea.torch  # noqa: E402, F401
from tracea.torch.compiler import backend, lookups  # noqa: E402

_ROWS, _HEADS, _READ = 17, 4, 2000


@pytest.fixture(autouse=True)
def on_this_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "DEVICES", ("cpu",))
    torch._dynamo.reset()


def table(dtype: Any = torch.bfloat16) -> Any:
    return torch.randn(_ROWS, _HEADS, generator=torch.Generator().manual_seed(0)).to(dtype).requires_grad_()


places = torch.randint(0, _ROWS, (_READ,), generator=torch.Generator().manual_seed(1))


def of_rows(x: Any) -> Any:
    return x[places].view(50, 40, _HEADS).permute(2, 0, 1).contiguous()


def of_columns(x: Any) -> Any:
    return x[:, places % _HEADS] * 2


def of_elements(x: Any) -> Any:
    return x[places, places % _HEADS]


def selected(x: Any) -> Any:
    return torch.index_select(x, 0, places).relu()


def gathered(x: Any) -> Any:
    return x.gather(0, places[:, None].expand(_READ, _HEADS))


def run(call: Callable[..., Any], x: Any) -> tuple[Any, Any]:
    x.grad = None
    result = call(x)
    weights = torch.rand(result.shape, generator=torch.Generator().manual_seed(2)).to(result.dtype)
    (result * weights).sum().backward()
    return result.detach(), x.grad


def rewritten(call: Callable[..., Any], x: Any, asked: str = "measured") -> tuple[Any, Any, list[Any]]:
    nodes: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        backend.take(module, asked)
        nodes.extend(module.graph.nodes)
        return module.forward

    return *run(torch.compile(call, backend=look, fullgraph=True), x), nodes


def casts(nodes: list[Any]) -> list[Any]:
    return [node.args[1] for node in nodes if node.target == "to"]


@pytest.mark.parametrize("call", [of_rows, of_columns, of_elements, selected, gathered])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_values_stay_and_gradients_are_rounded_once(call: Callable[..., Any], dtype: Any) -> None:
    x = table(dtype)
    result, gradient, nodes = rewritten(call, x)
    assert casts(nodes) == [torch.float32, dtype]
    expected, _ = run(call, x)
    assert result.dtype is dtype and gradient.dtype is dtype and torch.equal(result, expected)
    exact = x.detach().double().requires_grad_()
    _, sums = run(call, exact)
    assert (gradient.double() - sums).abs().max() <= torch.finfo(dtype).eps / 2 * sums.abs().max() * 1.01


@pytest.mark.parametrize(
    ("call", "x"),
    [
        (of_rows, table(torch.float32)),
        (lambda x: x[places[:3]], table()),
        (lambda x: x[2:5] * 2, table()),
        (lambda x: x[x[:, 0] > 0] * 2, table()),
        (lambda x: (x * 1.0, places)[0][None, 1] * 2, table()),
    ],
    ids=["single precision", "few reads", "a slice", "by truths", "of a pair"],
)
def test_others_stay_as_they_are(call: Callable[..., Any], x: Any) -> None:
    nodes: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        backend.take(module, "measured")
        nodes.extend(module.graph.nodes)
        return module.forward

    run(torch.compile(call, backend=look), x)
    assert nodes and not casts(nodes)


def test_without_gradients_nothing_changes() -> None:
    seen: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        backend.take(module, "measured")
        seen.extend(module.graph.nodes)
        return module.forward

    with torch.no_grad():
        torch.compile(of_rows, backend=look)(table())
    assert seen and not casts(seen)


def test_another_device_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "DEVICES", ("cuda",))
    assert not casts(rewritten(of_rows, table())[2])


def test_lengths_that_vary_compile_once(without_compiler: None) -> None:
    compiled = torch.compile(lambda x, p: x[p] * 2, backend="tracea", dynamic=True)
    for count in (200, 300):
        x = table()
        compiled(x, places[:count]).sum().backward()
        exact = table(torch.float64)
        (exact[places[:count]] * 2).sum().backward()
        torch.testing.assert_close(x.grad.double(), exact.grad, rtol=2**-8, atol=0.0)

# SPDX-License-Identifier: MIT
"""Repeated softmaxes and norms take the shortest way, and whatever another plan or a check would answer to leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tracea
from tracea import ops
from tracea.dispatch import forget_plans

torch = pytest.importorskip("torch")
F = torch.nn.functional
from tracea.torch import rows  # noqa: E402  (torch may be missing)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget_plans()
    yield
    forget_plans()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each call that takes the long way."""
    seen: list[str] = []
    call = rows.call

    def noted(*arguments: Any) -> Any:
        seen.append(arguments[0])
        return call(*arguments)

    monkeypatch.setattr(rows, "call", noted)
    return seen


W, B = torch.randn(33), torch.randn(33)
CALLS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = {
    "softmax": (lambda x, **more: ops.softmax(x, **more), lambda x: torch.softmax(x, -1)),
    "log_softmax": (lambda x, **more: ops.log_softmax(x, scale=0.5, **more), lambda x: torch.log_softmax(0.5 * x, -1)),
    "layer_norm": (lambda x, **more: ops.layer_norm(x, W, B, **more), lambda x: F.layer_norm(x, (33,), W, B)),
    "rms_norm": (lambda x, **more: ops.rms_norm(x, W, eps=1e-5, **more), lambda x: F.rms_norm(x, (33,), W, 1e-5)),
    "normalize": (lambda x, **more: ops.normalize(x, **more), lambda x: F.normalize(x, dim=-1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_the_first_call_is_prepared(name: str, prepared: list[str]) -> None:
    ours, theirs = CALLS[name]
    for _ in range(3):
        x, out = torch.randn(7, 33), torch.full((7, 33), float("nan"))
        assert ours(x, out=out) is out
        torch.testing.assert_close(out, theirs(x), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(ours(x), theirs(x), rtol=1e-5, atol=1e-5)
    assert prepared == [name] * 2


def test_whatever_a_call_depends_on_is_compared(prepared: list[str]) -> None:
    x = torch.randn(7, 33)
    for given in (x, torch.randn(33, 7).t(), torch.randn(5, 33), x.double(), x[None]):
        torch.testing.assert_close(ops.softmax(given), torch.softmax(given, -1), rtol=1e-5, atol=1e-5)
    for more in ({"scale": 2.0}, {"out_dtype": "bf16"}, {"backend": "cpu"}, {"fallback": "error"}):
        want = torch.softmax(x * more.get("scale", 1.0), -1)
        torch.testing.assert_close(ops.softmax(x, **more).float(), want, rtol=1e-2, atol=1e-5)
    norms = (
        (ops.layer_norm(x), F.layer_norm(x, (33,))),
        (ops.layer_norm(x, W), F.layer_norm(x, (33,), W)),
        (ops.layer_norm(x, None, B), F.layer_norm(x, (33,), None, B)),
        (ops.layer_norm(x, W, B, eps=1.0), F.layer_norm(x, (33,), W, B, 1.0)),
    )
    for got, want in norms:
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
    assert len(prepared) == 13


def test_what_surrounds_a_call_is_compared(prepared: list[str]) -> None:
    x = torch.randn(7, 33)
    ops.softmax(x)
    leaf = x.clone().requires_grad_()
    for _ in range(2):
        ops.softmax(leaf).sum().backward()
        assert leaf.grad is not None
    torch.testing.assert_close(torch.vmap(ops.softmax)(x), torch.softmax(x, -1))
    assert len(prepared) == 4
    with torch.no_grad():
        for _ in range(3):
            assert not ops.softmax(leaf).requires_grad
    assert len(prepared) == 5
    assert ops.softmax(leaf).requires_grad
    ops.softmax(x, epilogue="relu")
    assert len(prepared) == 7


def test_overlap_and_wrong_settings_are_found_on_the_short_way_too() -> None:
    x, out = torch.randn(8, 33), torch.empty(8, 33)
    ops.softmax(x, out=out)
    with pytest.raises(tracea.AliasError):
        ops.softmax(x, out=x)
    both = torch.randn(12, 33)
    with pytest.raises(tracea.AliasError):
        ops.softmax(both[:8], out=both[4:])
    with pytest.raises(tracea.OptionError):
        ops.softmax(x, out=out, fallback="maybe")
    with pytest.raises(tracea.ShapeError):
        ops.softmax(x, out=torch.empty(7, 33))


def test_no_plan_outlives_forgetting(prepared: list[str]) -> None:
    x = torch.randn(4, 33)
    ops.softmax(x)
    forget_plans()
    ops.softmax(x)
    assert len(prepared) == 2


def test_it_compiles_whole() -> None:
    x = torch.randn(4, 33)
    ops.layer_norm(x, W, B)
    compiled = torch.compile(lambda x: ops.layer_norm(x, W, B) + 1, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x), F.layer_norm(x, (33,), W, B) + 1, rtol=1e-5, atol=1e-5)

# SPDX-License-Identifier: MIT
"""Scaled products on tensors seen before are queued by one call, and whatever changes about them takes the long way."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tracea import ops
from tracea.dispatch import forget_plans

torch = pytest.importorskip("torch")
from tracea.torch import replay, scaled  # noqa: E402  (torch may be missing)


class Plan:
    """A plan on a pretended device, whose bound launch counts how often it is queued."""

    def __init__(self) -> None:
        self.queued, self.code, self.order, self.converted = 0, 0, (4, 0, 1, 2, 3), ()
        self.launch = self
        self.bound: list[tuple[tuple[int, ...], int]] = []

    def bind(self, pointers: tuple[int, ...], stream: int) -> tuple[Any, object]:
        self.bound.append((pointers, stream))
        return self, None

    def __call__(self) -> int:
        self.queued += 1
        return self.code


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Arguments of a product that was launched once, and its plan."""
    forget_plans()
    a, w = (torch.randn(16, 256).to(torch.float8_e4m3fn) for _ in range(2))
    given = (a, w.t(), torch.rand(16, 2), torch.rand(2, 1))
    out, plan = torch.full((16, 16), float("nan"), dtype=torch.bfloat16), Plan()
    state = SimpleNamespace(given=given, out=out, plan=plan, stream=7)
    monkeypatch.setattr(replay, "_stream_of", lambda device: state.stream)
    with monkeypatch.context() as patch:
        patch.setattr(torch.Tensor, "get_device", lambda self: 0)
        assert scaled._calls.keep((*given, out), torch.bfloat16, plan)
    scaled._kinds[a.shape, given[1].shape, "bf16"] = torch.bfloat16
    yield state
    forget_plans()


def test_the_same_tensors_are_queued_by_one_call(pretended: SimpleNamespace) -> None:
    a, b, scale_a, scale_b = pretended.given
    for _ in range(3):
        assert ops.scaled_matmul(a, b, scale_a, scale_b, out=pretended.out) is pretended.out
    assert pretended.plan.queued == 3 and torch.isnan(pretended.out).all(), "nothing else ran"
    pointers = tuple(x.data_ptr() for x in (pretended.out, a, b, scale_a, scale_b))
    assert pretended.plan.bound == [(pointers, 7)], "in the order of the plan's operands"


def test_whatever_changes_takes_the_long_way(pretended: SimpleNamespace) -> None:
    a, b, scale_a, scale_b = pretended.given
    right = ops.scaled_matmul(a, b, scale_a, scale_b).clone()
    changes: tuple[dict[str, Any], ...] = (
        {"scale_a": scale_a.as_strided((16, 2), (1, 1))},
        {"scale_a": scale_a.clone()},
        {"a": a.view(torch.float8_e5m2), "b": b.t().view(torch.float8_e5m2).t()},
        {"epilogue": "relu"},
        {"backend": "cpu"},
        {"out": torch.empty(16, 16), "out_dtype": "fp32"},
    )
    for change in changes:
        arguments = {"a": a, "b": b, "scale_a": scale_a, "scale_b": scale_b, "out": pretended.out, **change}
        result = ops.scaled_matmul(**arguments)
        assert not torch.isnan(result).any()
    pretended.stream = 8
    assert torch.equal(ops.scaled_matmul(a, b, scale_a, scale_b, out=pretended.out), right)
    assert pretended.plan.queued == 0


def test_a_launch_that_fails_takes_the_way_that_says_why(pretended: SimpleNamespace) -> None:
    pretended.plan.code = 700
    found = ops.scaled_matmul(*pretended.given, out=pretended.out)
    assert pretended.plan.queued == 1 and not torch.isnan(found).any()


def test_forgotten_plans_are_queued_no_more(pretended: SimpleNamespace) -> None:
    forget_plans()
    assert not torch.isnan(ops.scaled_matmul(*pretended.given, out=pretended.out)).any()
    assert pretended.plan.queued == 0


def test_nothing_is_kept_where_nothing_binds(pretended: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = (*pretended.given, torch.empty(16, 16, dtype=torch.bfloat16))
    assert not scaled._calls.keep(tensors, torch.bfloat16, pretended.plan), "these lie in host memory"
    monkeypatch.setattr(torch.Tensor, "get_device", lambda self: 0)
    assert not scaled._calls.keep(tensors, torch.bfloat16, None)
    pretended.plan.converted = ((0, torch.float32),)
    assert not scaled._calls.keep(tensors, torch.bfloat16, pretended.plan)

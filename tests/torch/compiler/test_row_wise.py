# SPDX-License-Identifier: MIT
"""Softmax and norms of a graph become kernels on a CPU where a trial gains and their rows lie in memory; else they are left."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tracea.torch.compiler import backend, policy, trial  # noqa: E402
from tracea.torch.compiler.report import RegionReport  # noqa: E402


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def draw(*shape: int) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def taken(call: Any, *inputs: Any, asked: str = "always") -> tuple[Any, list[RegionReport]]:
    found: list[RegionReport] = []

    def look(module: Any, _: Any) -> Any:
        found.extend(backend.take(module, asked)[0])
        return module.forward

    return torch.compile(call, backend=look, fullgraph=True)(*inputs), found


x, weight, bias, other = draw(6, 5, 24), draw(24), draw(25)[:24], draw(6, 5, 24) + 1
square = draw(24, 24)


@pytest.mark.parametrize(
    ("call", "epilogue"),
    [
        (lambda x: x.softmax(-1), ""),
        (lambda x: F.softmax(x, dim=2), ""),
        (lambda x: torch.log_softmax(x, -1), ""),
        (lambda x: F.layer_norm(x, (24,), weight, bias, 1e-3), ""),
        (lambda x: F.layer_norm(x, (24,)), ""),
        (lambda x: F.layer_norm(x, (24,), None, bias), ""),
        (lambda x: F.rms_norm(x, (24,), weight), ""),
        (lambda x: F.relu(F.layer_norm(x, (24,), weight, bias) + other), "residual, relu"),
        (lambda x: F.gelu(F.rms_norm(x, (24,), weight, 1e-2)), "gelu"),
        (lambda x: F.softmax(x, -1) * 0.5 + other, "scale:0.5, residual"),
    ],
)
def test_it_becomes_a_kernel_with_what_rides_along(call: Any, epilogue: str) -> None:
    got, (region,) = taken(call, x)
    assert region.taken and region.op in ("softmax", "norm") and region.epilogue == epilogue and region.certificate
    exact = call(x)
    torch.testing.assert_close(got, exact)
    assert got.stride() == exact.stride()


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda x: x.softmax(0), "last axis"),
        (lambda x: x.softmax(-1, dtype=torch.float64), "another type"),
        (lambda x: F.softmax(x, -1, dtype=torch.float64), "another type"),
        (lambda x: F.layer_norm(x, (5, 24)), "several axes"),
        (lambda x: F.layer_norm(x.transpose(1, 2), (5,)), "one behind another"),
        (lambda x: x[0, 0].softmax(-1), "vector"),
        (lambda x: F.rms_norm(x.bfloat16(), (24,)), "epsilon"),
        (lambda x: F.layer_norm(x.double(), (24,), weight.double(), bias.double()).float() * 1, None),
    ],
)
def test_what_cannot_be_stated_is_left_with_the_reason(call: Any, why: str | None) -> None:
    got, (region,) = taken(call, x)
    torch.testing.assert_close(got, call(x))
    assert region.taken if why is None else not region.taken and why in region.reason


def test_a_recorded_gradient_leaves_it_to_inductor() -> None:
    moving = x.clone().requires_grad_()
    got, regions = taken(lambda t: F.layer_norm(t, (24,), weight, bias).softmax(-1), moving)
    assert not regions
    got.square().sum().backward()
    assert moving.grad is not None


@pytest.mark.parametrize(
    ("ahead", "gains"),
    [
        (lambda t: t, True),
        (lambda t: t.transpose(0, 1).transpose(0, 1), True),
        (lambda t: t @ square, True),
        (lambda t: t * 2, False),
        (lambda t: (t * 2).view(6, 5, 24), False),
    ],
)
def test_rows_that_only_it_would_read_are_left(ahead: Any, gains: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "times_of", lambda sketch, configuration: trial.Times(1e-4, 1e-4, 2e-4))
    with torch.no_grad():
        _, regions = taken(lambda t: F.layer_norm(ahead(t), (24,), weight, bias), x, asked="measured")
    assert regions[-1].op == "norm" and regions[-1].taken is gains
    assert gains or "joins it to the steps ahead" in regions[-1].reason


def test_the_end_of_a_region_that_is_taken_lies_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"matmul": trial.Times(1e-4, 1e-4, 2e-4), "norm": trial.Times(1e-4, 1e-4, 2e-4)}
    monkeypatch.setattr(policy, "times_of", lambda sketch, configuration: times[sketch.op])

    def call(t: Any) -> Any:
        return F.layer_norm(t @ square + other, (24,)) @ square

    with torch.no_grad():
        _, regions = taken(call, x, asked="measured")
        assert all(region.taken for region in regions) and {region.op for region in regions} == {"matmul", "norm"}
        times["matmul"] = trial.Times(2e-4, 2e-4, 1e-4)
        torch._dynamo.reset()
        _, regions = taken(call, x, asked="measured")
    assert not any(region.taken for region in regions)


@pytest.mark.parametrize("call", [lambda t: t.softmax(-1), lambda t: F.layer_norm(t, (24,), weight, bias)])
def test_a_trial_times_it_by_both(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[Any] = []

    def both(runs: dict[str, Any], device: Any) -> dict[str, float]:
        results.extend(run() for run in runs.values())
        return {"fused": 1e-4, "unfused": 1.02e-4}

    monkeypatch.setattr(trial, "in_turns", both)
    monkeypatch.setattr(trial, "_cache", lambda: type("Empty", (), {"get": lambda *_: None, "put": lambda *_: None})())
    with torch.no_grad():
        _, (region,) = taken(call, x, asked="measured")
    torch.testing.assert_close(*results)
    assert not region.taken and "less than 1.03" in region.reason

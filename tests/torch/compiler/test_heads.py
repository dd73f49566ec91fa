# SPDX-License-Identifier: MIT
"""Attention of a graph becomes a kernel where a trial gains and no gradient is recorded; else it is left with the reason."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

import tracea.torch  # noqa: E402
from tracea.torch.compiler import backend, policy, trial  # noqa: E402
from tracea.torch.compiler.report import RegionReport  # noqa: E402


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def heads(*shape: int, seed: int = 0) -> Any:
    """Heads within positions, as products make them: (batch, heads, positions, columns)."""
    batch, count, positions, columns = shape
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(batch, positions, count, columns, generator=generator).transpose(1, 2)


def taken(call: Any, *inputs: Any, asked: str = "always") -> tuple[Any, list[RegionReport]]:
    """Return what the rewritten graph gives, and what became of its regions."""
    found: list[RegionReport] = []

    def look(module: Any, _: Any) -> Any:
        found.extend(backend.take(module, asked)[0])
        return module.forward

    return torch.compile(call, backend=look, fullgraph=True)(*inputs), found


q, k, v = heads(2, 4, 33, 16), heads(2, 4, 33, 16, seed=1), heads(2, 4, 33, 16, seed=2)

seen = torch.arange(33) < torch.tensor([33, 20])[:, None, None, None]
seen, bias = seen | torch.eye(33, dtype=torch.bool), heads(1, 4, 33, 33)


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.scaled_dot_product_attention(q, k, v),
        lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3),
        lambda: F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
        lambda: F.scaled_dot_product_attention(q[:, :, :5], k, v),
        lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=seen),
        lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=seen[:, :, :1], scale=0.3),
        lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=bias),
        lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=bias[:, :1].expand(2, 4, 33, 33)),
    ],
)
def test_it_becomes_a_kernel_and_lies_as_before(call: Any) -> None:
    def rest() -> Any:
        y = call()
        return y, y.transpose(1, 2).flatten(2)

    got, (region,) = taken(rest)
    assert region.taken and region.op in ("attention", "masked_attention") and region.certificate
    for mine, exact in zip(got, rest(), strict=True):
        torch.testing.assert_close(mine, exact)
        assert mine.stride() == exact.stride()


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5), "drops"),
        (lambda: F.scaled_dot_product_attention(q[:, :, :5], k, v, is_causal=True), "fewer"),
        (lambda: F.scaled_dot_product_attention(q[0], k[0], v[0], attn_mask=seen[0, 0]), "four axes"),
        (lambda: F.scaled_dot_product_attention(q, k[:1], v[:1]), "broadcast"),
    ],
)
def test_what_cannot_be_stated_is_left_with_the_reason(call: Any, why: str) -> None:
    _, (region,) = taken(call)
    assert not region.taken and why in region.reason


@pytest.mark.parametrize("mask", [None, bias])
def test_nothing_rides_along(mask: Any) -> None:
    call = lambda: F.relu(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))  # noqa: E731
    got, (region,) = taken(call)
    assert region.taken and not region.epilogue and len(region.nodes) == 1
    torch.testing.assert_close(got, call())


def test_a_recorded_gradient_leaves_it_to_pytorch() -> None:
    x = q.detach().clone().requires_grad_()
    got, regions = taken(lambda t: F.scaled_dot_product_attention(t, k, v), x)
    assert not regions
    got.sum().backward()
    assert x.grad is not None


def test_a_result_that_lies_otherwise_is_left() -> None:
    wide = heads(2, 4, 33, 24)  # PyTorch has no fused kernel for such values, and its products make heads one by one
    for asked in ("measured", "always"):
        torch._dynamo.reset()
        got, (region,) = taken(lambda: F.scaled_dot_product_attention(q, k, wide), asked=asked)
        assert not region.taken and "lies otherwise" in region.reason
        assert got.stride() == F.scaled_dot_product_attention(q, k, wide).stride()


@pytest.mark.parametrize(
    ("read", "is_taken"),
    [
        (lambda y: y.transpose(1, 2).flatten(2), True),
        (lambda y: y.transpose(1, 2).contiguous().reshape(2, 33, -1), True),
        (lambda y: torch.permute(y, (0, 2, 1, 3)).reshape(2, 33, 96), True),
        (lambda y: (y.transpose(1, 2).flatten(2), y), False),
        (lambda y: y.transpose(1, 2), False),
        (lambda y: y.view(2, 4 * 33, 24), False),
        (lambda y: y.sum(-1), False),
    ],
)
def test_a_result_that_lies_otherwise_is_taken_where_nothing_notices(read: Any, is_taken: bool) -> None:
    wide = heads(2, 4, 33, 24)
    whole = lambda: read(F.scaled_dot_product_attention(q, k, wide))  # noqa: E731
    got, (region,) = taken(whole)
    assert region.taken is is_taken
    for mine, exact in zip(*((x if isinstance(x, tuple) else (x,)) for x in (got, whole())), strict=True):
        torch.testing.assert_close(mine, exact)
        assert mine.stride() == exact.stride()


@pytest.mark.parametrize(("ours", "gains"), [(1e-4, True), (3e-4, False), (2.05e-4, False)])
def test_a_trial_decides(ours: float, gains: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "times_of", lambda sketch, configuration: trial.Times(ours, ours, 2.1e-4))
    _, (region,) = taken(lambda x: F.scaled_dot_product_attention(x, x, x), q, asked="measured")
    assert region.taken is gains and region.gain == pytest.approx(2.1e-4 / ours)


def test_short_attention_is_left_whatever_it_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "times_of", lambda sketch, configuration: trial.Times(6e-6, 6e-6, 9e-6))
    _, (region,) = taken(lambda x: F.scaled_dot_product_attention(x, x, x), q, asked="measured")
    assert not region.taken and "too short to be called" in region.reason


def test_the_trial_times_attention_by_both(monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[Any] = []

    def both(runs: dict[str, Any], device: Any) -> dict[str, float]:
        results.extend(run() for run in runs.values())
        return {"fused": 1e-4, "unfused": 2e-4}

    monkeypatch.setattr(trial, "_in_turns", both)
    monkeypatch.setattr(trial, "_cache", lambda: type("Empty", (), {"get": lambda *_: None, "put": lambda *_: None})())
    _, (region,) = taken(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.2), asked="measured")
    assert region.taken and region.gain == pytest.approx(2)
    torch.testing.assert_close(*results)


def test_lengths_that_vary_compile_once() -> None:
    tracea.torch.reset_stats()

    def call(x: Any) -> Any:
        return F.scaled_dot_product_attention(x, x, x).transpose(1, 2).flatten(2)

    with torch.no_grad():
        compiled = torch.compile(call, backend="tracea", dynamic=True, options={"tracea.policy": "always"})
        for positions in (33, 17, 40):
            x = heads(2, 4, positions, 16)
            torch.testing.assert_close(compiled(x), call(x))
    assert tracea.torch.stats().graphs == 1 and tracea.torch.stats().taken == 1

# SPDX-License-Identifier: MIT
"""Batch norms in training: outputs, gradients and running statistics agree with eager; who is taken, who is not, and what is said."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import tracea.torch  # noqa: E402
from tracea.torch.compiler import batch_norms, policy  # noqa: E402
from tracea.torch.compiler.backend import take  # noqa: E402
from tracea.torch.compiler.batch_norms import ALWAYS, Summed  # noqa: E402
from tracea.torch.compiler.trial import Times  # noqa: E402

nn, F = torch.nn, torch.nn.functional
ALL = {"tracea.policy": "always"}


class Net(nn.Module):
    """Norms with and without weights and running statistics, behind convolutions with and without a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(5, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16, momentum=0.3)
        self.second, self.bare = nn.Conv2d(16, 24, 1), nn.BatchNorm2d(24, affine=False, track_running_stats=False)
        self.third, self.last = nn.Conv2d(16, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24, eps=1e-3)

    def forward(self, x: Any) -> Any:
        x = F.relu(self.norm(self.first(x)))
        return F.relu(self.last(self.third(x)) + self.bare(self.second(x))[:, :, ::2, ::2])


def graph_of(module: Any, x: Any) -> Any:
    """The graph that Dynamo captures, as the backend is handed it."""
    found: list[Any] = []

    def keep(graph: Any, inputs: Any) -> Any:
        found.append(graph)
        return graph.forward

    torch._dynamo.reset()
    torch.compile(module, backend=keep)(x)
    return found[0]


def targets(graph: Any) -> list[str]:
    return [str(getattr(node.target, "__name__", node.target)) for node in graph.graph.nodes]


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_steps_agree_with_eager(layout: Any) -> None:
    torch.manual_seed(0)
    eager = Net().to(memory_format=layout)
    ours = copy.deepcopy(eager)
    torch._dynamo.reset()
    tracea.torch.reset_stats()
    compiled = torch.compile(ours, backend="tracea", options=ALL)
    for step in range(3):
        x = torch.randn(3, 5, 14, 10, generator=torch.Generator().manual_seed(step)) + 3
        x = x.contiguous(memory_format=layout)
        given = [x.clone().requires_grad_() for _ in range(2)]
        results = [eager(given[0]), compiled(given[1])]
        gradient = torch.randn_like(results[0])
        for result in results:
            result.backward(gradient)
        torch.testing.assert_close(results[1], results[0], atol=2e-5, rtol=2e-5)
        assert results[1].stride() == results[0].stride()
        torch.testing.assert_close(given[1].grad, given[0].grad, atol=1e-4, rtol=1e-3)
    assert tracea.torch.stats().taken == 3
    for one, other in zip(ours.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-3, rtol=1e-3)
    for one, other in zip(ours.buffers(), eager.buffers(), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    evaluated = [module.eval()(x) for module in (eager, ours)]
    torch.testing.assert_close(*evaluated, atol=1e-4, rtol=1e-4)


def test_the_convolution_returns_what_the_norm_asks_for() -> None:
    graph = graph_of(Net(), torch.randn(2, 5, 8, 8))
    regions, left, gradients = take(graph, "always")
    said = sorted(region.epilogue for region in regions)
    assert gradients and said == ["bias, statistics of the batch", *["statistics of the batch"] * 2]
    assert not any("batch_norm" in name for name, _ in left)
    assert targets(graph).count("conv2d_stats.default") == 3


def test_what_is_no_such_norm_is_left_alone() -> None:
    x = torch.randn(2, 4, 8, 8)
    conv, grouped, norm = nn.Conv2d(4, 8, 3), nn.Conv2d(4, 8, 3, groups=2), nn.BatchNorm2d(8)

    def changed(x: Any) -> Any:
        y = conv(x)
        z = norm(y)
        return y.add_(1), z

    cases = {
        "in evaluation": lambda x: F.batch_norm(conv(x), norm.running_mean, norm.running_var, training=False).sin(),
        "several groups": lambda x: norm(grouped(x)),
        "changed in place": changed,
        "something between": lambda x: norm(conv(x).sin()),
    }
    for name, function in cases.items():
        graph = graph_of(function, x)
        take(graph, "always")
        assert "conv2d_stats.default" not in targets(graph), name


def summed(together: float, apart: float) -> Summed:
    return Summed(together, together, apart, apart, 2.0, 2.0)


def test_it_is_taken_where_summing_costs_less_than_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    assert summed(10.0, 13.0).pays(False) and not summed(10.0, 12.0).pays(True) and ALWAYS.pays(False)
    assert "1.20 times" in summed(10.0, 12.0).said(True) and not summed(10.0, 13.0).said(True)
    plain = Times(10.0, 11.0, 10.0)
    assert summed(9.0, 12.0).times(plain) == Times(9.0, 10.0, 12.0)
    assert summed(13.0, 12.0).times(plain) == Times(12.0, 13.0, 12.0)
    for found, name in ((summed(9.0, 12.0), "conv2d_stats.default"), (summed(13.0, 12.0), "conv2d")):
        monkeypatch.setattr(policy, "times_of", lambda *_: Times(9.0, 9.0, 10.0))
        monkeypatch.setattr(policy, "trial_of", lambda *given, found=found, **more: found)
        graph = graph_of(nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8)), torch.randn(2, 4, 8, 8))
        (region,), left, _ = take(graph, "measured", 100.0)
        assert region.taken and any(name in target for target in targets(graph))
        assert ("statistics" in region.epilogue) == (name != "conv2d")
        assert ("with a pass for them" in region.reason) == (name == "conv2d")
        assert (("batch_norm in training", 1) in left) == (name == "conv2d")


def test_a_trial_times_both_and_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(nn.Sequential(nn.Conv2d(4, 32, 1), nn.BatchNorm2d(32)), torch.randn(4, 4, 64, 64))
    measured: list[Summed] = []
    measure = batch_norms._measure
    monkeypatch.setattr(batch_norms, "_measure", lambda sketch: measured.append(measure(sketch)) or measured[-1])
    take(graph, "measured", 100.0)
    (found,) = measured
    assert all(0 < getattr(found, name) < 1 for name in Summed.__struct_fields__)

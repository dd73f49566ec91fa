# SPDX-License-Identifier: MIT
"""Batch norms in training take mean and variance from sums that their convolution leaves: the same numbers, forwards and backwards."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch._functorch import config as functorch_config  # noqa: E402
from torch._inductor import config as inductor_config  # noqa: E402
from torch._subclasses import FakeTensorMode  # noqa: E402

import tracea.torch  # noqa: E402 - registers the operators
from tracea.torch.compiler import batch_norms, inductor, policy, report, sums  # noqa: E402
from tracea.torch.compiler.summed import ALWAYS, Summed  # noqa: E402
from tracea.torch.compiler.trial import Times  # noqa: E402
from tracea.torch.in_torch import block_sums  # noqa: E402

OPTIONS = {"tracea.policy": "always", "tracea.seconds": 600}


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """Let sums be asked for on processors, where PyTorch adds them up; return the operators of each graph that is compiled."""
    seen: list[list[str]] = []
    call = inductor.UseTwins.__call__

    def look(self: Any, graph: torch.fx.Graph) -> None:
        call(self, graph)
        seen.append([str(node.target) for node in graph.nodes])

    monkeypatch.setattr(inductor.UseTwins, "__call__", look)
    monkeypatch.setattr(batch_norms, "DEVICES", ("cpu",))
    monkeypatch.setattr(policy, "trial_of", lambda sketch, *_, **__: ALWAYS if sketch.normed else None)
    monkeypatch.setattr(batch_norms, "TYPES", (torch.float32, torch.bfloat16))
    torch._dynamo.reset()
    # a pass looks at no graph that comes out of a cache
    with inductor_config.patch(fx_graph_cache=False), functorch_config.patch(enable_autograd_cache=False):
        yield seen


def network(bias: bool = False) -> nn.Module:
    torch.manual_seed(0)
    layers = nn.Sequential(
        nn.Conv2d(4, 16, 3, padding=1, bias=bias), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 8, 1, bias=bias), nn.BatchNorm2d(8, momentum=0.3),
    )  # fmt: skip
    return layers.to(memory_format=torch.channels_last).train()


@pytest.mark.parametrize("bias", [False, True])
def test_a_step_is_that_of_pytorch(everywhere: list[list[str]], bias: bool) -> None:
    x = (torch.randn(3, 4, 11, 13) + 1).contiguous(memory_format=torch.channels_last)
    weights = torch.randn(3, 8, 11, 13)

    def step(run: Any, own: nn.Module, dtype: torch.dtype) -> list[torch.Tensor]:
        y = run(x.to(dtype))
        (y * weights).sum().backward()
        grads = [p.grad for name, p in own.named_parameters() if not (bias and name in ("0.bias", "3.bias"))]
        return [y.detach(), *(g for g in grads if g is not None), *own.buffers()]

    model = network(bias)
    wide = copy.deepcopy(model).double()
    exact = step(wide, wide, torch.float64)
    tracea.torch.reset_stats()
    found = step(torch.compile(model, backend="tracea", options=OPTIONS), model, torch.float32)
    forward = everywhere[0]
    assert forward.count("tracea._conv2d_sums.default") == 2 and not any("var_mean" in name for name in forward)
    for value, expected in zip(found, exact, strict=True):
        torch.testing.assert_close(value.double(), expected.double(), atol=1e-4 * float(expected.abs().max()), rtol=0)


def test_reports_say_so(everywhere: list[list[str]]) -> None:
    from tracea.torch.compiler.backend import take

    graphs: list[torch.fx.GraphModule] = []

    def keep(module: torch.fx.GraphModule, _: Any) -> Any:
        graphs.append(module)
        return module.forward

    model = network()
    torch.compile(model, backend=keep)(torch.randn(2, 4, 8, 8))
    regions, left, _ = take(graphs[0], "always")
    assert [report.STATISTICS in region.epilogue for region in regions] == [True, True]
    assert (report.BATCH_STATISTICS, 2) in left


def test_statistics_of_less_than_the_batch_are_read(everywhere: list[list[str]]) -> None:
    """Means over other axes, and norms by running statistics, ask for no sums."""
    conv = nn.Conv2d(4, 8, 3).bfloat16()

    def alone(x: torch.Tensor) -> torch.Tensor:
        y = conv(x)
        return y - torch.var_mean(y.float(), (2, 3), correction=0, keepdim=True)[1]

    norm = nn.BatchNorm2d(8).bfloat16().eval()
    with torch.no_grad():
        torch.compile(alone, backend="tracea", options=OPTIONS)(torch.randn(2, 4, 8, 8).bfloat16())
        torch.compile(lambda x: norm(conv(x)), backend="tracea", options=OPTIONS)(torch.randn(2, 4, 8, 8).bfloat16())
    assert everywhere and not any("sums" in name for names in everywhere for name in names)


@pytest.mark.parametrize("every", [64, 70, 640, 1000])
@pytest.mark.parametrize("kind", ["far", "outlier", "constant"])
def test_joined_sums_lose_no_digits(every: int, kind: str) -> None:
    """Neither a mean far from zero nor a first value unlike all others costs the variance its precision."""
    y = torch.randn(1, 5, 1, every).double()
    if kind == "far":
        y = y + 1e4
    elif kind == "outlier":
        y = y * 1e-3
        y[..., 0] = 30.0
    else:
        y = torch.full_like(y, 3.25)
    y = y.float()
    parts = block_sums(y, 1, 64)
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(parts)
    graph = torch.fx.Graph()
    given = graph.placeholder("sums")
    given.meta["val"] = fake
    graph.output(sums.joined(graph, given, every))
    mean, variance = torch.fx.GraphModule(torch.nn.Module(), graph)(parts)
    assert mean.shape == variance.shape == (1, 5, 1, 1)
    wide = y.double().reshape(5, every)
    first = wide[:, ::64]
    apart = (wide - first.repeat_interleave(64, 1)[:, :every]).abs()
    # what 64 numbers in fp32 are off by (Higham, §4.2), which is all: nothing is lost where the sums are joined
    gamma = 66 * 2.0**-24
    once, squares = gamma * apart.sum(1) / every, gamma * apart.square().sum(1) / every
    reach = (first - first[:, :1]).abs().amax(1) + (wide.mean(1) - first[:, 0]).abs()
    rounding = 2.0**-24
    expected, variance, mean = wide.var(1, correction=0), variance.double().flatten(), mean.double().flatten()
    assert ((mean - wide.mean(1)).abs() <= once + rounding * wide.mean(1).abs() + 1e-12).all()
    assert ((variance - expected).abs() <= squares + 2 * reach * once + once**2 + rounding * expected + 1e-12).all()


def test_a_trial_decides() -> None:
    plain = Times(10e-6, 10e-6, 11e-6)
    gains, loses = Summed(10e-6, 20e-6, 110e-6), Summed(10e-6, 20e-6, 40e-6)  # a pass takes 30 µs, or 9
    assert gains.reading == pytest.approx(30e-6) and gains.pays and not loses.pays and ALWAYS.pays
    assert loses.times(plain) == plain
    assert gains.times(plain).fused == gains.times(plain).fused_channels_last == 20e-6
    assert gains.times(plain).unfused == pytest.approx(41e-6)


def test_a_trial_times_the_kernel_with_sums_and_without(
    everywhere: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tracea.torch import column_sums
    from tracea.torch.compiler import summed, trial
    from tracea.torch.compiler.regions import find_regions
    from tracea.torch.compiler.sketch import sketch_of

    def timed(runs: dict[str, Any], _: Any) -> dict[str, float]:
        results = {name: run() for name, run in runs.items()}
        y, sums = results["together"]
        torch.testing.assert_close(y, results["alone"])
        assert sums.shape == column_sums.shape_of(y.shape)
        torch.testing.assert_close(results["apart"], y.sum((0, 2, 3)))
        return {"alone": 1.0, "together": 2.0, "apart": 3.0}

    graphs: list[torch.fx.GraphModule] = []
    torch.compile(network(), backend=lambda module, _: graphs.append(module) or module.forward)(torch.randn(2, 4, 8, 8))
    region, *_ = find_regions(graphs[0].graph, lambda region: not region.rides).regions
    monkeypatch.setattr(trial, "in_turns", timed)
    assert summed.trial_of(sketch_of(region), "", timed=False) is None  # no kernel of a processor sums columns
    found = summed._measure(sketch_of(region))
    assert found.alone == 1.0 and found.together > 2.0 and found.apart == 3.0


def test_compiled_graphs_are_kept_by_which_convolutions_leave_sums() -> None:
    key = sums.key_of(torch.empty(1, 2, 3, 3), torch.empty(4, 2, 1, 1), "", ((1, 1), (0, 0), (1, 1), 1))
    assert inductor.UseTwins().uuid() != inductor.UseTwins({key}).uuid()


def test_regions_with_a_norm_are_told_apart(everywhere: list[list[str]]) -> None:
    """A convolution is timed with what its norm asks for, so an equal one without a norm is another region."""
    from tracea.torch.compiler.regions import find_regions
    from tracea.torch.compiler.sketch import sketch_of

    graphs: list[torch.fx.GraphModule] = []

    def keep(module: torch.fx.GraphModule, _: Any) -> Any:
        graphs.append(module)
        return module.forward

    weight = torch.randn(8, 4, 3, 3).bfloat16()

    def both(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return F.batch_norm(F.conv2d(x, weight), None, None, training=True), F.conv2d(x, weight).sigmoid()

    torch.compile(both, backend=keep)(torch.randn(2, 4, 8, 8).bfloat16())
    first, second = map(sketch_of, find_regions(graphs[0].graph, lambda region: not region.rides).regions)
    assert first.normed and not second.normed and first.digest() != second.digest()

# SPDX-License-Identifier: MIT
"""What explain says: kernels with certificates, what is left with reasons, the same as text, JSON and a page."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tracea_core.errors import OptionError  # noqa: E402

import tracea  # noqa: E402
from tracea.torch.compiler.report import GraphReport, RegionReport  # noqa: E402
from tracea.torch.explain import ModelReport  # noqa: E402


@pytest.fixture
def model() -> Any:
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8)).eval()


def test_a_kernel_is_named_with_its_certificate(model: Any) -> None:
    with torch.no_grad():
        report = tracea.explain(model, torch.randn(4, 16), policy="always")
    first, norm, second = report.regions
    assert norm.taken and norm.op == "norm" and norm.variant.startswith("cpu.rowwise") and len(norm.certificate) == 64
    assert first.taken and first.epilogue == "bias, gelu" and first.shapes == ((4, 16), (32, 16))
    assert first.variant.startswith("cpu.contraction") and len(first.certificate) == 64 and first.configuration
    assert (second.epilogue == "bias" and first.nodes == ("input_1", "input_2")) or len(first.nodes) == 2
    text = str(report)
    assert "3 of 3 regions taken" in text and first.certificate[:16] in text and "taken norm" in text
    recorded = tracea.explain(model, torch.randn(4, 16), policy="always")
    assert ("layer_norm", 1) in recorded.graphs[0].left and "2 of 2 regions taken" in str(recorded)


def test_the_certificate_is_that_of_the_kernel(model: Any) -> None:
    from tracea_core.ops.named import parse_epilogue
    from tracea_core.pipeline import trace

    from tracea.torch import kernels

    with torch.no_grad():
        report = tracea.explain(model, torch.randn(4, 16), policy="always")
    tensors = [torch.empty(4, 16), model[0].weight, model[0].bias]
    path = trace(kernels.problem_of("linear", tensors, parse_epilogue("bias,gelu"), ()), "cpu")
    assert report.regions[0].certificate == path.certificate.digest()


def test_batch_norms_with_statistics_of_the_batch_say_why_they_are_left() -> None:
    model = nn.Sequential(nn.Conv2d(4, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU())
    images = torch.randn(2, 4, 6, 6)
    training = tracea.explain(model.train(), images, policy="always")
    assert ("batch_norm in training", 1) in training.graphs[0].left
    assert "batch_norm in training: the batch's mean and variance are known once the whole result is" in str(training)
    assert "known once the whole result is" in training.to_html() and "known once" in training.to_json()
    with torch.no_grad():
        evaluated = tracea.explain(model.eval(), images, policy="always")
    assert evaluated.regions[0].epilogue == "batch_norm:1e-05, relu" and "in training" not in str(evaluated)


def test_reasons_for_what_is_left(model: Any) -> None:
    with torch.no_grad():
        never = tracea.explain(model, torch.randn(4, 16), policy="never")
    recorded = tracea.explain(model, torch.randn(4, 16))
    assert {region.reason.split(",")[0] for region in recorded.regions} == {"nothing rides along"}
    with torch.no_grad():
        timed = tracea.explain(model[:2], torch.randn(4, 16)).regions[0]
    assert timed.fused_us > 0 and timed.unfused_us > 0 and "measured" in timed.reason
    assert timed.gain == timed.unfused_us / timed.fused_us and "gain: expected " in str(
        ModelReport(model="m", graphs=(graph(timed),))
    )
    assert {region.reason for region in never.regions} == {"the policy 'never' was asked for"}
    with pytest.raises(tracea.OptionError, match="unknown"):
        tracea.explain(model, torch.randn(4, 16), policy="sometimes")


def test_integer_products_are_left_with_the_reason() -> None:
    report = tracea.explain(
        lambda a, b: (a @ b).relu(), torch.ones(3, 4, dtype=torch.int32), torch.ones(4, 5, dtype=torch.int32)
    )
    assert "not floating-point" in report.regions[0].reason and not report.regions[0].taken


def graph(*regions: RegionReport) -> GraphReport:
    return GraphReport(regions=regions, left=(), compiler="inductor")


def test_gains_are_shown_where_they_are_known() -> None:
    def region(**more: Any) -> RegionReport:
        known = {
            "nodes": ("a",),
            "op": "linear",
            "epilogue": "relu",
            "shapes": (),
            "dtype": "",
            "device": "",
            "reason": "",
        }
        return RegionReport(**known, taken=True, **more)

    report = ModelReport(model="m", graphs=(graph(region(expected_gain=1.25, fused_us=2.0, unfused_us=3.0), region()),))
    assert str(report).count("gain: expected 1.25×, measured 1.50×") == 1 and str(report).count("gain:") == 1
    assert "<td>1.25×</td><td>1.50×</td>" in report.to_html() and "<td></td><td></td>" in report.to_html()
    only = str(ModelReport(model="m", graphs=(graph(region(fused_us=2.0, unfused_us=3.0)),)))
    assert "expected nothing, measured 1.50×" in only


def test_attention_in_training_that_pytorch_calls_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from tracea.torch.compiler import policy, trial

    monkeypatch.setattr(policy, "times_of", lambda *_: trial.Times(3e-4, 3e-4, 3e-4, 1e-4))
    inputs = [torch.randn(1, 2, 16, 8, requires_grad=True) for _ in range(3)]
    report = tracea.explain(lambda q, k, v: (q @ k.transpose(-2, -1)).softmax(-1) @ v, *inputs)
    text, page = str(report), report.to_html()
    assert "0 of 1 region taken, 1 by PyTorch's one call" in text and "  call  attention 1×2×16×8" in text
    assert "measured 3.00×" in text and report.saved_us == pytest.approx(200.0)
    assert '<tr class="call">' in page and report.regions[0].called


def test_what_is_expected_is_the_estimate_and_a_pass() -> None:
    from tracea_core.ops.named import parse_epilogue
    from tracea_core.pipeline import trace

    from tracea.torch import kernels
    from tracea.torch.compiler.backend import expected_gain

    tensors = [torch.empty(256, 512), torch.empty(1024, 512), torch.empty(1024)]
    path = trace(kernels.problem_of("linear", tensors, parse_epilogue("bias,gelu"), ()), None, None, "h200")
    moved = 2 * 256 * 1024 * 4 / (path.target.profile.memory_gbps * 1e9)
    assert expected_gain(path, True) == pytest.approx(1 + moved / path.arrangement.seconds, abs=1e-3)
    assert moved / path.arrangement.seconds > 0.01
    assert expected_gain(path, False) == 1.0


def test_what_is_no_product_is_left_with_the_reason_where_there_are_kernels_for_it() -> None:
    def model(x: Any) -> Any:
        y = torch.nn.functional.scaled_dot_product_attention(x, x, x)
        return torch.nn.functional.layer_norm(y, (8,)).cumsum(-1).softmax(-1)

    report = tracea.explain(model, torch.randn(1, 2, 4, 8, requires_grad=True))
    (graph,) = report.graphs
    assert {name for name, _ in graph.reasons} == {"scaled_dot_product_attention", "layer_norm", "softmax"}
    assert ("cumsum", 1) in graph.left, "of which there is none"
    for name, why in graph.reasons:
        assert f"{name}: {why}" in str(report) and why in report.to_json()
        assert html.escape(f"{name}: {why}") in report.to_html()
    assert "left to inductor: 1 scaled_dot_product_attention" in report.to_html()


def test_what_cannot_be_called_is_no_model() -> None:
    with pytest.raises(OptionError, match="int cannot be called"):
        tracea.explain(3)  # type: ignore[arg-type]


def test_json_and_page(model: Any) -> None:
    with torch.no_grad():
        report = tracea.explain(model, torch.randn(4, 16), policy="always")
    assert ModelReport.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["graphs"][0]["regions"][0]["epilogue"] == "bias, gelu"
    page = report.to_html()
    assert page.count('<tr class="taken">') == 3 and "http" not in page


def test_a_model_that_breaks_graphs_has_several(model: Any) -> None:
    def breaks(x: Any) -> Any:
        y = model(x)
        torch._dynamo.graph_break()
        return model(x) + y

    with torch.no_grad():
        assert len(tracea.explain(breaks, torch.randn(4, 16)).graphs) == 2


def test_there_is_no_limit_to_explanations() -> None:
    x = torch.randn(4, 16)
    models = [
        nn.Sequential(nn.Linear(16, 8 + i), nn.ReLU()).eval() for i in range(torch._dynamo.config.recompile_limit)
    ]
    with torch.no_grad():
        for model in (*models, models[0], models[0]):
            assert len(tracea.explain(model, x, policy="never").graphs) == 1


def test_what_falls_back_is_said_each_time() -> None:
    layer = tracea.TraceaConv2d(3, 4, 2, padding="same")
    for _ in range(2):
        report = tracea.explain(nn.Sequential(layer, nn.ReLU()), torch.randn(1, 3, 5, 5), policy="never")
        (reason,) = report.fallbacks
        assert reason.startswith("conv2d runs in PyTorch: padding='same' with an even filter")
        assert reason in str(report)
        assert "even filter" in report.to_html()
    assert tracea.explain(torch.relu, torch.randn(3), policy="never").fallbacks == ()


@pytest.mark.parametrize(
    ("size", "dilation", "taken"), [(3, 1, True), ((5, 3), 2, True), (4, 1, False), ((3, 2), 1, False)]
)
def test_equal_extents_are_stated_where_filters_are_odd(size: Any, dilation: int, taken: bool) -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, size, padding="same", dilation=dilation), nn.ReLU())
    images = torch.randn(1, 3, 9, 8)
    (region,) = tracea.explain(model, images, policy="always").regions
    assert region.taken is taken and (taken or "pads its two sides differently" in region.reason)
    compiled = torch.compile(model, backend="tracea", options={"tracea.policy": "always"})
    assert torch.allclose(compiled(images), model(images), atol=1e-4)

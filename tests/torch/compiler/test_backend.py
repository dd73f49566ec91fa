# SPDX-License-Identifier: MIT
"""Compiled models agree with eager ones, forward and backward; what is fused, what is left, and what a recompilation is."""

from __future__ import annotations

import copy
import importlib.util
import logging
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional
nn = torch.nn

import tracea.torch as tt  # noqa: E402
from tracea.torch import shapes  # noqa: E402
from tracea.torch.compiler import backend as backend_module  # noqa: E402
from tracea.torch.compiler import inductor, trial  # noqa: E402
from tracea.torch.compiler.report import GraphReport  # noqa: E402
from tracea.torch.compiler.whole import WHOLE  # noqa: E402

_SPEC = importlib.util.spec_from_file_location("tracea_test_models", Path(__file__).parents[1] / "models.py")
assert _SPEC is not None and _SPEC.loader is not None
models = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(models)

ALWAYS = {"tracea.policy": "always"}
PATIENT = {"tracea.seconds": 600}
"""For tests of decisions that must not depend on how long kernels take to be proved on a busy machine."""


def close(dtype: Any, length: int) -> dict[str, float]:
    """Bounds for sums of `length` products of normal numbers that pass through a few layers in `dtype`."""
    bound = torch.finfo(dtype).eps * 8 * length**0.5
    return {"rtol": bound, "atol": bound}


def compare(name: str, mode: str, dtype: Any = torch.float32, options: Any = ALWAYS, **given: Any) -> None:
    make, inputs = models.MODELS[name]
    model = make().to(dtype).train(mode == "train")
    other = copy.deepcopy(model).double()
    values = [x.to(dtype) for x in inputs()]
    compiled = torch.compile(model, backend="tracea", fullgraph=True, options=options, **given)
    with torch.set_grad_enabled(mode != "inference"):
        got, expected = compiled(*values), other(*(x.double() for x in values))
    torch.testing.assert_close(got.double(), expected, **close(dtype, 256))
    for mine, theirs in zip(model.buffers(), other.buffers(), strict=True):  # statistics of batch norms
        torch.testing.assert_close(mine.double(), theirs.double(), **close(dtype, 256))
    if mode != "inference":
        weights = torch.randn_like(expected)
        (got * weights.to(dtype)).sum().backward()
        (expected * weights).sum().backward()
        for (label, mine), theirs in zip(model.named_parameters(), other.parameters(), strict=True):
            if theirs.grad is None:
                assert mine.grad is None, label
                continue
            scale = float(theirs.grad.abs().max()) + 1.0
            assert float((mine.grad.double() - theirs.grad).abs().max()) <= scale * close(dtype, 4096)["atol"], label


@pytest.mark.parametrize("mode", ["inference", "evaluation with gradients", "train"])
@pytest.mark.parametrize("name", models.MODELS)
def test_models_agree_with_eager(name: str, mode: str, without_compiler: None) -> None:
    compare(name, mode)
    assert tt.stats().taken > 0


@pytest.mark.parametrize("name", ["resnet", "vit", "llama"])
def test_models_agree_in_bfloat16(name: str, without_compiler: None) -> None:
    compare(name, "inference", torch.bfloat16)


def test_convolutions_ahead_of_a_batch_norm_in_training(
    without_compiler: None, reports: list[GraphReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    monkeypatch.setattr(backend_module.policy, "times_of", lambda *_: trial.Times(0.5, 0.5, 1.0))
    compare("resnet", "train", options=PATIENT)
    convolutions = [region for region in reports[0].regions if region.op == "conv2d"]
    assert len(convolutions) == 3 and all(region.taken and region.epilogue == "" for region in convolutions)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["inference", "train"])
@pytest.mark.parametrize("name", ["resnet", "llama, packed gate"])
def test_models_agree_when_inductor_compiles_the_rest(name: str, mode: str) -> None:
    if inductor.cpp_compiler() is None:
        pytest.skip("no C++ compiler")
    compare(name, mode)


EXPECTED = {
    "resnet": {"batch_norm:1e-05", "batch_norm:1e-05, relu", "batch_norm:1e-05, residual, relu", "bias"},
    "convnext": {"bias", "bias, gelu", "bias, column_scale"},
    "vit": {"bias", "bias, residual", "bias, gelu"},
    "bert": {"bias", "bias, residual", "bias, gelu"},
    "llama": {"", "residual", "silu, mul"},
    "llama, packed gate": {"", "residual", "swiglu"},
    "sdxl": {"bias", "bias, residual"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_rides_along(name: str, without_compiler: None, reports: list[GraphReport]) -> None:
    compare(name, "inference")
    taken = [region for report in reports for region in report.taken]
    assert {region.epilogue for region in taken if region.op not in WHOLE} == EXPECTED[name]


def test_gpt2s_own_gelu_is_one_kernel(without_compiler: None, reports: list[GraphReport]) -> None:
    compare("gpt2", "inference")
    assert any("tanh" in region.epilogue and len(region.nodes) > 8 for region in reports[0].taken)


def test_symbolic_batches_compile_once(without_compiler: None, reports: list[GraphReport]) -> None:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 8)).eval()
    compiled = torch.compile(model, backend="tracea", dynamic=True, fullgraph=True, options=ALWAYS)
    with torch.no_grad():
        for rows in (3, 7, 20, 64):
            x = torch.randn(rows, 16)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-4)
    assert len(reports) == 1 and len(reports[0].taken) == 2


def test_recompilations_are_counted(without_compiler: None) -> None:
    model = nn.Linear(16, 8).eval()
    compiled = torch.compile(model, backend="tracea", dynamic=False, options=ALWAYS)
    with torch.no_grad():
        compiled(torch.randn(3, 16))
        assert (tt.stats().graphs, tt.stats().recompilations) == (1, 0)
        compiled(torch.randn(4, 16))
    assert (tt.stats().graphs, tt.stats().recompilations) == (2, 1)


def run(function: Any, *values: Any, **given: Any) -> Any:
    with torch.no_grad():
        return torch.compile(function, backend="tracea", fullgraph=True, options=ALWAYS, **given)(*values)


def test_a_value_that_is_seen_elsewhere_stays(without_compiler: None, reports: list[GraphReport]) -> None:
    w, x = torch.randn(6, 5), torch.randn(3, 5)

    def model(x: Any) -> Any:
        h = F.linear(x, w)
        return F.relu(h), h.sum()

    for got, expected in zip(run(model, x), model(x), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    assert reports[0].regions[0].epilogue == ""


def test_a_sum_into_something_else_is_not_taken(without_compiler: None, reports: list[GraphReport]) -> None:
    w = torch.randn(6, 5)

    def model(x: Any, y: Any) -> Any:
        y = y.clone()
        view = y[0]
        y += F.linear(x, w)
        return y, view * 2

    x, y = torch.randn(3, 5), torch.randn(3, 6)
    for got, expected in zip(run(model, x, y), model(x, y), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    assert reports[0].regions[0].epilogue == ""


def test_an_input_changed_in_between_is_respected(without_compiler: None, reports: list[GraphReport]) -> None:
    w = torch.randn(6, 5)

    def model(x: Any) -> Any:
        x = x * 2
        h = F.linear(x, w)
        x.zero_()
        return F.relu(h), x

    x = torch.randn(3, 5)
    for got, expected in zip(run(model, x), model(x), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    assert reports[0].regions[0].epilogue == ""


def test_in_place_steps_on_the_value_itself_are_taken(without_compiler: None, reports: list[GraphReport]) -> None:
    w, r, x = torch.randn(6, 5), torch.randn(3, 6), torch.randn(3, 5)

    def model(x: Any, r: Any) -> Any:
        h = F.linear(x, w)
        h += r
        h = h.mul_(0.5)
        return F.leaky_relu(h, inplace=True)

    torch.testing.assert_close(run(model, x, r), model(x, r), rtol=1e-4, atol=1e-4)
    assert reports[0].regions[0].epilogue == "residual, scale:0.5, leaky_relu"


def test_casts_and_views_ride_along(without_compiler: None, reports: list[GraphReport]) -> None:
    w, b, x = torch.randn(5, 6), torch.randn(6), torch.randn(2, 4, 5)

    def model(x: Any) -> Any:
        return F.silu(torch.addmm(b, x.view(-1, 5), w).view(2, 4, 6)).to(torch.bfloat16)

    got = run(model, x)
    assert got.dtype is torch.bfloat16 and got.shape == (2, 4, 6)
    torch.testing.assert_close(got.float(), model(x).float(), rtol=0.02, atol=0.02)
    assert reports[0].regions[0].epilogue == "bias, silu, to"


def test_autocast_outside_and_inside(without_compiler: None) -> None:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 8))
    x = torch.randn(4, 16)

    def inside(x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = model(x)
        return y + 1.0

    with torch.autocast("cpu", dtype=torch.bfloat16):
        got, expected = run(model, x), model(x)
    assert got.dtype is expected.dtype is torch.bfloat16
    torch.testing.assert_close(got, expected, rtol=0.05, atol=0.05)
    torch.testing.assert_close(run(inside, x), inside(x), rtol=0.05, atol=0.05)


def test_users_own_calls_trace_into_the_graph(without_compiler: None) -> None:
    import tracea

    w, b, x = torch.randn(6, 5, requires_grad=True), torch.randn(6), torch.randn(3, 5)
    filters = torch.randn(4, 3, 3, 3)

    def model(x: Any, image: Any) -> Any:
        rows = (
            tracea.ops.linear(x, w, b, epilogue="gelu")
            + tracea.ops.matmul(x, w.t())
            + tt.linear(x, w, [b], "bias,relu")
        )
        return rows, tracea.ops.conv2d(image, filters, padding=1, epilogue="silu")

    image = torch.randn(2, 3, 6, 6)
    got = torch.compile(model, backend="tracea", fullgraph=True)(x, image)
    expected = F.gelu(F.linear(x, w, b)) + x @ w.t() + F.relu(F.linear(x, w, b))
    torch.testing.assert_close(got[0], expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(got[1], F.silu(F.conv2d(image, filters, padding=1)), rtol=1e-4, atol=1e-4)


def test_without_a_compiler_it_says_so_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    from torch._inductor import cpp_builder

    def missing(*given: Any) -> str:
        raise RuntimeError("no working compiler was found")

    monkeypatch.setattr(cpp_builder, "get_cpp_compiler", missing)
    inductor.cpp_compiler.cache_clear()
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU())
    with caplog.at_level(logging.WARNING, "tracea"):
        for width in (3, 4):
            torch._dynamo.reset()
            x = torch.randn(width, 16)
            got = torch.compile(model, backend="tracea", options=ALWAYS)(x)
            torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
            got.sum().backward()
    inductor.cpp_compiler.cache_clear()
    assert sum("no C++ compiler" in record.message for record in caplog.records) == 1

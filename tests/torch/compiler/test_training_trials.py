# SPDX-License-Identifier: MIT
"""Trials of a processor while gradients are recorded: whoever computes a product computes its gradients, too."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional
nn = torch.nn

from tracea.torch import shapes  # noqa: E402
from tracea.torch.compiler import backend as backend_module  # noqa: E402
from tracea.torch.compiler import gradients, sketch, trial  # noqa: E402
from tracea.torch.compiler.report import GraphReport  # noqa: E402

PATIENT = {"tracea.seconds": 600}
MODELS = {
    "convolution": (lambda: nn.Sequential(nn.Conv2d(4, 8, 3, 2, 1), nn.BatchNorm2d(8)), (2, 4, 9, 9)),
    "transposed": (lambda: nn.Sequential(nn.ConvTranspose2d(4, 8, 3, 2, 1, 1), nn.BatchNorm2d(8)), (2, 4, 9, 9)),
    "linear": (lambda: nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, 8)), (5, 24)),
}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, without_compiler: None) -> dict[str, Any]:
    """What the first trial would time."""
    kept: dict[str, Any] = {}

    def keep(sides: dict[str, Any], device: Any) -> dict[str, float]:
        kept.update({} if kept else sides)
        return dict.fromkeys(sides, 1.0)

    monkeypatch.setattr(trial, "in_turns", keep)
    monkeypatch.setattr(trial, "_cache", lambda: SimpleNamespace(get=lambda key: None, put=lambda key, value: None))
    return kept


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_gradients_of_the_product_are_timed_by_both(name: str, asked: bool, runs: dict[str, Any]) -> None:
    make, shape = MODELS[name]
    torch.compile(make().train(), backend="tracea", options=PATIENT)(torch.randn(shape, requires_grad=asked))
    assert {side for side in runs if f"{side} back" in runs} == {side for side in runs if not side.endswith(" back")}
    for side in ("fused", "unfused"):
        found = runs[f"{side} back"]()
        assert len(found) == 1 + asked, "only those that are asked for"
        assert found[-1].shape == make()[0].weight.shape and float(found[-1].norm()) > 0
        assert runs[f"{side} back"]()[-1] is not found[-1], "each call computes them again"


@pytest.mark.parametrize("name", MODELS)
def test_without_gradients_there_is_nothing_more_to_time(name: str, runs: dict[str, Any]) -> None:
    make, shape = MODELS[name]
    with torch.no_grad():
        torch.compile(make().eval(), backend="tracea", options=PATIENT)(torch.randn(shape))
    assert runs and not any(side.endswith(" back") for side in runs)


def _sketches(model: Any, *inputs: Any) -> list[sketch.Sketch]:
    found: list[sketch.Sketch] = []

    def look(module: Any, _: Any) -> Any:
        found.extend(sketch.sketch_of(region) for region in backend_module._find(module)[0].regions)
        return module.forward

    torch._dynamo.reset()
    torch.compile(model, backend=look)(*inputs)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_both_sides_compute_the_same_gradients(name: str) -> None:
    make, shape = MODELS[name]
    stated = _sketches(make().train(), torch.randn(shape, requires_grad=True))[0]
    first, second = (torch.randn(outline.shape) for outline in stated.tensors[:2])
    found = []
    for product in (gradients.product_of_ours, gradients.product_in_torch):
        torch.manual_seed(1)
        found.append(gradients.gradients_of(lambda a, b, p=product: p(stated, a, b), (first, second), (True, True))())
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


def test_trials_with_and_without_gradients_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    x, model = torch.randn(5, 24), nn.Sequential(nn.Linear(24, 40), nn.ReLU())
    (recorded,), (both,) = _sketches(model, x), _sketches(model, x.clone().requires_grad_())
    with torch.no_grad():
        (bare,) = _sketches(model, x)
    assert (bare.recorded, recorded.recorded, both.recorded) == ((), (False, True), (True, True))
    assert len({one.digest() for one in (bare, recorded, both)}) == 3
    model.requires_grad_(False)
    assert _sketches(model, x)[0].digest() == bare.digest()


@pytest.mark.parametrize(("back", "taken"), [(0.5, True), (3.0, False)])
def test_what_its_gradients_lose_is_left(
    back: float, taken: bool, reports: list[GraphReport], without_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A product that gains by half and gradients that take three times as long make a slower step."""
    ours = {"fused": 0.5, "fused_channels_last": 0.5, "fused back": back, "fused_channels_last back": back}
    monkeypatch.setattr(trial, "in_turns", lambda sides, device: {side: ours.get(side, 1.0) for side in sides})
    monkeypatch.setattr(trial, "_cache", lambda: SimpleNamespace(get=lambda key: None, put=lambda key, value: None))
    model = nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).train()
    torch.compile(model, backend="tracea", options=PATIENT)(torch.randn(2, 4, 9, 9)).sum().backward()
    assert [region.taken for region in reports[0].regions] == [taken]
    assert "gradients included" in reports[0].regions[0].reason


def test_on_a_gpu_they_are_pytorchs_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    (stated,) = _sketches(nn.Sequential(nn.Linear(24, 40), nn.ReLU()), torch.randn(5, 24))
    assert stated.recorded
    monkeypatch.setattr(sketch, "GRADIENTS_TIMED", ())
    (stated,) = _sketches(nn.Sequential(nn.Linear(24, 40), nn.ReLU()), torch.randn(5, 24))
    assert not stated.recorded and "cpu" not in shapes.LAID_OUT


def test_long_calls_are_timed_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"short": 0, "long": 0}

    def timer(name: str, seconds: float) -> Any:
        def taken() -> float:
            counts[name] += 1
            return seconds

        return taken

    monkeypatch.setattr(trial, "_calls", lambda run, device: timer(run, 1e-3 if run == "short" else 1.0))
    assert trial.in_turns({name: name for name in counts}, torch.device("cpu")) == {"short": 1e-3, "long": 1.0}
    assert counts == {"short": 5, "long": 2}


def test_what_is_long_is_not_run_to_learn_how_long_it_is() -> None:
    calls = []

    def run(seconds: float) -> None:
        calls.append(seconds)
        time.sleep(seconds)

    for seconds in (0.0, 0.15):
        trial._calls(lambda s=seconds: run(s), torch.device("cpu"))
    assert calls == [0.0, 0.0, 0.15]

# SPDX-License-Identifier: MIT
"""Which regions are taken: by trial, together or alone, as long as there is time, and tuned where that was asked for."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional
nn = torch.nn

from tracea import OptionError  # noqa: E402
from tracea.torch import kernels, shapes  # noqa: E402
from tracea.torch.compiler import backend as backend_module  # noqa: E402
from tracea.torch.compiler import load, trial  # noqa: E402
from tracea.torch.compiler.report import GraphReport  # noqa: E402

PATIENT = {"tracea.seconds": 600}
"""For tests of decisions that must not depend on how long kernels take to be proved on a busy machine."""


def test_policies(without_compiler: None, reports: list[GraphReport], monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 8)).eval(), torch.randn(4, 16)

    def decided(fused: float, policy: str, gradients: bool = False) -> list[bool]:
        torch._dynamo.reset()
        reports.clear()
        monkeypatch.setattr(backend_module.policy, "times_of", lambda *_: trial.Times(fused, fused, 1.0))
        with torch.set_grad_enabled(gradients):
            torch.compile(model, backend="tracea", options={**PATIENT, "tracea.policy": policy})(x)
        return [region.taken for region in reports[0].regions]

    assert decided(0.5, "measured") == [True, True]
    assert decided(0.5, "measured", gradients=True)[1:] == [False], "its gradients would be tracea's, too"
    assert reports[0].regions[1].reason.startswith("nothing rides along")
    assert decided(0.99, "measured") == [False, False], "within noise is no gain"
    assert "less than" in reports[0].regions[0].reason
    assert decided(0.1, "never") == [False, False]
    assert decided(9.0, "always") == [True, True]
    with pytest.raises(Exception, match=r"no option is called 'tracea.polcy'"):
        torch._dynamo.reset()
        torch.compile(model, backend="tracea", options={"tracea.polcy": "always"})(x)
    with pytest.raises(Exception, match=r"tracea.policy='often' is unknown") as caught:
        decided(1.0, "often")
    assert isinstance(caught.value.__cause__ or getattr(caught.value, "inner_exception", None), OptionError)


@pytest.mark.parametrize(
    ("first", "taken", "last"),
    [
        (trial.Times(2.0, 0.9, 1.0), [True, True], [True, True]),
        (trial.Times(2.0, 1.5, 1.0), [False, True], [True]),
        (trial.Times(0.2, 1.5, 1.0), [True, True], [False, False]),
        (trial.Times(3.0, 1.5, 1.0), [False, True], [True]),
    ],
)
def test_convolutions_are_decided_together(
    first: Any,
    taken: list[bool],
    last: list[bool],
    without_compiler: None,
    reports: list[GraphReport],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3)).eval()
    single = {4: first, 8: trial.Times(1.0, 0.5, 2.0)}
    monkeypatch.setattr(backend_module.policy, "times_of", lambda sketch, _: single[sketch.tensors[0].shape[1]])
    moved: list[bool] = []
    replace = backend_module.rewrite.replace
    monkeypatch.setattr(backend_module.rewrite, "replace", lambda *given: moved.append(given[3]) or replace(*given))
    x = torch.randn(1, 4, 9, 9)
    with torch.no_grad():
        got = torch.compile(model, backend="tracea", options=PATIENT)(x)
    torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    assert [region.taken for region in reports[0].regions] == taken and moved == last
    assert "together" in reports[0].regions[0].reason and got.is_contiguous(), "the caller gets planes, as from PyTorch"


def test_where_all_are_laid_out_each_convolution_is_decided_alone(
    without_compiler: None, reports: list[GraphReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.third = nn.Conv2d(4, 8, 3), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 4, 3)

        def forward(self, x: Any) -> Any:
            y = self.first(x)
            return self.third(F.relu(self.second(y) + y))

    model, seen = Model().eval(), []

    def times(sketch: Any, _: str) -> trial.Times:
        seen.append(sketch)
        return trial.Times(2.0 if sketch.tensors[1].shape[0] == 4 else 0.5, 9.0, 1.0)

    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    monkeypatch.setattr(backend_module.policy, "times_of", times)
    x = torch.randn(2, 4, 9, 9)
    with torch.no_grad():
        got = torch.compile(model, backend="tracea", options=PATIENT)(x)
    torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    assert [region.taken for region in reports[0].regions] == [True, True, False], "a bare one is timed, too"
    for sketch in seen:
        assert all(outline.steps[1] == 1 for outline in sketch.tensors if outline.dim() == 4)
    assert [sketch.work for sketch in seen] == sorted((sketch.work for sketch in seen), reverse=True)
    assert seen[0].tensors[0].shape == (2, 8, 7, 7) and seen[0].work == 2 * 8 * 8 * 9 * 49
    assert len(seen[0].tensors) == 4 and seen[0].tensors[3].steps == (392, 1, 56, 8), "the residual lies so, too"


@pytest.mark.parametrize(
    ("steps", "gradients", "unfused", "gain", "queues", "taken"),
    [
        ("bare", True, 19e-6, 1.5, False, 0),
        ("bare", True, 21e-6, 1.5, False, 1),
        ("bare", False, 19e-6, 1.5, False, 1),
        ("relu", True, 19e-6, 1.5, False, 1),
        ("relu", True, 19e-6, 1.01, False, 0),
        ("bare", True, 19e-6, 1.5, True, 0),
        ("bare", False, 19e-6, 1.01, True, 1),
        ("relu", False, 19e-6, 1.01, True, 1),
        ("bare", False, 19e-6, 0.99, True, 0),
        ("bare", True, 21e-6, 1.01, True, 0),
    ],
)
def test_where_the_host_is_what_takes_time_its_call_decides(
    steps: str,
    gradients: bool,
    unfused: float,
    gain: float,
    queues: bool,
    taken: int,
    without_compiler: None,
    reports: list[GraphReport],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A launch that one call queues again costs a host less than PyTorch's call, one of several kernels more."""
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    monkeypatch.setattr(kernels.Entry, "queues", queues)
    monkeypatch.setattr(
        backend_module.policy, "times_of", lambda *_: trial.Times(unfused / gain, unfused / gain, unfused)
    )
    conv, norm = nn.Conv2d(4, 8, 3, bias=False), nn.BatchNorm2d(8)
    model = nn.Sequential(conv, norm, nn.ReLU()).train() if steps == "bare" else nn.Sequential(conv, nn.ReLU())
    x = torch.randn(2, 4, 9, 9)
    with torch.set_grad_enabled(gradients):
        got = torch.compile(model, backend="tracea", options=PATIENT)(x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    (region,) = reports[0].regions
    assert region.taken == bool(taken)
    short = steps == "bare" and gradients and unfused < 2e-5
    assert ("too short a convolution to be called from here" in region.reason) == short
    assert ("less than 1×" in region.reason) == (gain < 1)
    assert ("sooner" in region.reason) == (gain == 1.01 and bool(taken))


@pytest.mark.parametrize(("others", "times"), [(0.0, 1), (1e3, 2)])
def test_trials_are_kept_unless_others_kept_the_processors_busy(
    others: float, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_compiler: None
) -> None:
    model, x = nn.Sequential(nn.Linear(24, 40), nn.GELU()).eval(), torch.randn(5, 24)
    measured, real, cache = [], trial._measure, trial.BinaryCache(tmp_path)
    monkeypatch.setattr(trial, "_cache", lambda: cache)
    monkeypatch.setattr(trial.Load, "of_others", lambda self: others)
    monkeypatch.setattr(trial, "_measure", lambda sketch: (measured.append(sketch), real(sketch))[1])
    with torch.no_grad():
        for _ in range(2):
            torch._dynamo.reset()
            torch.compile(model, backend="tracea", options=PATIENT)(x)
    assert len(measured) == times


def _timed_runs(model: Any, x: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the sides of the first region's trial."""
    kept: dict[str, Any] = {}

    def keep(runs: dict[str, Any], device: Any) -> dict[str, float]:
        kept.update({} if kept else runs)
        return dict.fromkeys(runs, 1.0)

    monkeypatch.setattr(trial, "in_turns", keep)
    monkeypatch.setattr(trial, "_cache", lambda: SimpleNamespace(get=lambda key: None, put=lambda key, value: None))
    with torch.no_grad():
        torch.compile(model, backend="tracea", options=PATIENT)(x)
    return kept


@pytest.mark.parametrize(("activation", "costs"), [(nn.GELU(), True), (nn.SiLU(), True), (nn.ReLU(), False)])
def test_costly_activations_are_timed_with_what_is_replaced(
    activation: Any, costs: bool, monkeypatch: pytest.MonkeyPatch, without_compiler: None
) -> None:
    called = []
    for name in ("gelu", "silu", "relu"):
        real = trial.FUNCTIONS[name]
        monkeypatch.setitem(trial.FUNCTIONS, name, lambda x, name=name, real=real: (called.append(name), real(x))[1])
    runs = _timed_runs(nn.Sequential(nn.Linear(24, 40), activation).eval(), torch.randn(5, 24), monkeypatch)
    assert float(runs["unfused"]().min()) <= 0.0
    assert called == ([type(activation).__name__.lower()] if costs else [])


@pytest.mark.parametrize("compiler", [None, "g++"])
def test_convolutions_are_timed_against_what_inductor_does_with_them(
    compiler: str | None, monkeypatch: pytest.MonkeyPatch, without_compiler: None
) -> None:
    monkeypatch.setattr(trial, "inductor", SimpleNamespace(cpp_compiler=lambda: compiler))
    layouts = []
    real = F.conv2d

    def convolve(x: Any, filters: Any, *rest: Any) -> Any:
        layouts.append([t.is_contiguous(memory_format=torch.channels_last) for t in (x, filters)])
        return real(x, filters, *rest)

    model = nn.Sequential(nn.Conv2d(4, 6, 3), nn.ReLU()).eval()
    runs = _timed_runs(model, torch.randn(2, 4, 9, 9), monkeypatch)
    monkeypatch.setattr(torch.nn.functional, "conv2d", convolve)
    runs["unfused"]()
    assert layouts == [[compiler is not None] * 2]


def test_the_work_of_others_is_what_all_processors_did_without_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not os.path.exists(load._STAT) or (load._busy() or 0) >= load._own() > 0
    said = {"monotonic": iter((5.0, 7.0)), "_busy": iter((10.0, 13.5)), "_own": iter((1.0, 1.5))}
    for name in said:
        monkeypatch.setattr(load, name, lambda name=name: next(said[name]))
    assert load.Load().of_others() == (3.5 - 0.5) / 2


def test_others_on_processors_that_are_not_this_process_s_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        "cpu 9900 0 0 1 1 0 0 0 0 0",
        "cpu0 100 20 3 7 7 4 5 6 8 8",
        "cpu1 9000 0 0 0 0 0 0 0 0 0",
        "cpu12 1 0 0 0 0 0 0 0 0 0",
    )
    (tmp_path / "stat").write_text("\n".join([*lines, "intr 5", ""]))
    monkeypatch.setattr(load, "_STAT", str(tmp_path / "stat"))
    monkeypatch.setattr(load.os, "sysconf", lambda _: 100)
    for ours, busy in (((0,), 1.38), ((0, 12), 1.39), ((7,), None)):
        monkeypatch.setattr(load, "processors", lambda ours=ours: ours)
        assert load._busy() == busy


def test_where_the_system_says_nothing_there_are_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "processors", lambda: (0,))
    (tmp_path / "strange").write_text("cpu0 many\n")
    (tmp_path / "empty").write_text("")
    for name in ("missing", "strange", "empty"):
        monkeypatch.setattr(load, "_STAT", str(tmp_path / name))
        assert load.Load().of_others() == 0.0


def test_deciding_stops_when_its_time_is_used_up(
    without_compiler: None, reports: list[GraphReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU()).eval()
    now = iter(range(100))
    clock = SimpleNamespace(monotonic=lambda: float(next(now)))
    monkeypatch.setattr(backend_module.policy, "time", clock)
    monkeypatch.setattr(backend_module.policy, "times_of", lambda *_: trial.Times(0.1, 0.1, 1.0))
    with torch.no_grad():
        torch.compile(model, backend="tracea", options={"tracea.seconds": 1.5})(torch.randn(1, 4, 9, 9))
    smaller, larger = reports[0].regions
    assert not larger.taken and "decided together" in larger.reason, "some of the convolutions alone would not do"
    assert not smaller.taken and "used up, 1.5 s" in smaller.reason, "the most work is decided first"
    with pytest.raises(Exception, match=r"tracea\.seconds=-1 is no time"):
        torch._dynamo.reset()
        torch.compile(model, backend="tracea", options={"tracea.seconds": -1})(torch.randn(1, 4, 9, 9))


@pytest.mark.parametrize("how", ["mode", "options"])
def test_max_autotune_tunes_the_fused_kernel_and_times_that_one(
    how: str, without_compiler: None, reports: list[GraphReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    tuned: list[Any] = []
    timed: list[str] = []

    def found(problem: Any, device: str, *, budget: Any) -> None:
        tuned.append((problem.epilogue.label, problem.op.m, device, budget.seconds))

    def times(sketch: Any, configuration: str) -> trial.Times:
        timed.append(configuration)
        return trial.Times(0.5, 0.5, 1.0)

    monkeypatch.setattr(trial, "tune_problem", found)
    monkeypatch.setattr(backend_module.policy, "times_of", times)
    layer = nn.Linear(16, 32)
    model, x = (
        nn.Sequential(layer, nn.GELU(), nn.Linear(32, 16), nn.GELU(), layer, nn.GELU()).eval(),
        torch.randn(4, 16),
    )
    given: dict[str, Any] = (
        {"mode": "max-autotune-no-cudagraphs"} if how == "mode" else {"options": {"max_autotune": True}}
    )
    with torch.no_grad():
        got = torch.compile(model, backend="tracea", **given)(x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
        assert [said[:3] for said in tuned] == [("bias, gelu", 4, "cpu")] * 2, "once for equal ones"
        assert all(region.taken for region in reports[0].regions) and len(timed) == 2, "equal ones once"
        assert timed[0] == reports[0].regions[0].configuration
        torch._dynamo.reset()
        torch.compile(model, backend="tracea")(x)
    assert len(tuned) == 2, "nobody asked for it"


def test_what_cannot_be_tuned_keeps_the_policys_choice(
    without_compiler: None,
    reports: list[GraphReport],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from tracea_core.errors import TuningError

    def fails(*given: Any, **more: Any) -> None:
        raise TuningError("every candidate failed")

    monkeypatch.setattr(trial, "tune_problem", fails)
    monkeypatch.setattr(backend_module.policy, "times_of", lambda *_: trial.Times(0.5, 0.5, 1.0))
    model, x = nn.Sequential(nn.Linear(16, 32), nn.GELU()).eval(), torch.randn(4, 16)
    with torch.no_grad(), caplog.at_level(logging.WARNING, "tracea"):
        torch.testing.assert_close(
            torch.compile(model, backend="tracea", mode="max-autotune-no-cudagraphs")(x), model(x), rtol=1e-4, atol=1e-4
        )
    assert reports[0].regions[0].taken and "tuning linear failed: every candidate failed" in caplog.text


def test_equal_regions_of_a_graph_are_timed_once(
    without_compiler: None, reports: list[GraphReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial beside busy neighbours is not kept: made again for each equal region, it took some of them and left others."""
    outcomes = iter([0.5, 2.0, 0.5])
    asked: list[Any] = []

    def times_of(sketch: Any, _: str) -> trial.Times:
        asked.append(sketch.digest())
        fused = next(outcomes)
        return trial.Times(fused, fused, 1.0)

    monkeypatch.setattr(backend_module.policy, "times_of", times_of)
    layers = [layer for _ in range(3) for layer in (nn.Linear(16, 16), nn.GELU())]
    model, x = nn.Sequential(*layers).eval(), torch.randn(4, 16)
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend="tracea", options=PATIENT)(x)
    assert [region.taken for region in reports[0].regions] == [True, True, True] and len(asked) == 1

# SPDX-License-Identifier: MIT
"""Kernels that are made while the rest compiles: taken as expected, timed after, and compiled again without where that was a loss."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tracea_core.pipeline import path, runtimes  # noqa: E402
from tracea_core.semantic.verify import certify  # noqa: E402

import tracea.torch as tt  # noqa: E402
from tracea.dispatch import forget_plans  # noqa: E402
from tracea.torch import kernels  # noqa: E402
from tracea.torch.compiler import backend as backend_module  # noqa: E402
from tracea.torch.compiler import inductor, making, policy, row_wise, trial  # noqa: E402


@pytest.fixture(autouse=True)
def first_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """As in a process that finds no caches, on a device whose kernels are made ahead."""
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(path, "_certificates", {})
    monkeypatch.setattr(making, "KINDS", ("cpu",))
    monkeypatch.setattr(inductor, "cpp_compiler", lambda: None)
    for cache in (path._certificate_cache, runtimes._lost, trial._cache):
        cache.cache_clear()
    forget_plans()
    torch._dynamo.reset()
    tt.reset_stats()
    yield
    torch._dynamo.reset()
    for cache in (path._certificate_cache, runtimes._lost, trial._cache):
        cache.cache_clear()


def run(monkeypatch: pytest.MonkeyPatch, times: dict[int, float], seconds: float = 600.0) -> tuple[list[Any], int]:
    """Compile two fused layers, 48 and 24 columns wide; return their reports and how often the rest was compiled."""
    said: list[Any] = []
    rests: list[Any] = []
    rest = backend_module.compile_rest

    def compile_rest(module: Any, *given: Any) -> Any:
        rests.append(module)
        return rest(module, *given)

    def times_of(sketch: Any, _: str) -> trial.Times:
        fused = times[sketch.tensors[1].shape[0]]
        return trial.Times(fused, fused, 1.0)

    monkeypatch.setattr(backend_module, "count", said.append)
    monkeypatch.setattr(backend_module, "compile_rest", compile_rest)
    monkeypatch.setattr(policy, "times_of", times_of)
    model, x = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.Linear(48, 24), nn.ReLU()).eval(), torch.randn(16, 32)
    with torch.no_grad():
        got = torch.compile(model, backend="tracea", options={"tracea.seconds": seconds})(x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    (report,) = said
    return list(report.regions), len(rests)


def test_what_gains_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    real, proved = certify.certify, []
    monkeypatch.setattr(certify, "certify", lambda *given: proved.append(given) or real(*given))
    regions, rests = run(monkeypatch, {48: 0.5, 24: 0.5})
    assert [region.taken for region in regions] == [True, True] and rests == 1
    assert proved == [], "workers proved both"


def test_what_is_made_is_what_is_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batch norms have other words in graphs than in the text that operators carry."""
    real, proved = certify.certify, []
    monkeypatch.setattr(certify, "certify", lambda *given: proved.append(given) or real(*given))
    monkeypatch.setattr(policy, "times_of", lambda *_: trial.Times(0.5, 0.9, 1.0))
    model = nn.Sequential(nn.Conv2d(4, 8, 3, bias=False), nn.BatchNorm2d(8, eps=1e-5), nn.ReLU()).eval()
    x = torch.randn(2, 4, 9, 9)
    with torch.no_grad():
        got = torch.compile(model, backend="tracea", options={"tracea.seconds": 600})(x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    assert proved == []


def test_a_small_loss_is_kept_until_the_next_process(monkeypatch: pytest.MonkeyPatch) -> None:
    regions, rests = run(monkeypatch, {48: 0.5, 24: 1.1})
    assert [region.taken for region in regions] == [True, True] and rests == 1
    assert "from the next process on" in regions[1].reason and "less than" in regions[1].reason
    torch._dynamo.reset()
    regions, rests = run(monkeypatch, {48: 0.5, 24: 1.1})
    assert [region.taken for region in regions] == [True, False] and rests == 1, "nothing is left to be made"


def test_a_loss_is_compiled_again_without(monkeypatch: pytest.MonkeyPatch) -> None:
    regions, rests = run(monkeypatch, {48: 0.9, 24: 2.0})
    assert [region.taken for region in regions] == [True, False] and rests == 2


def test_what_is_late_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making.Ahead, "_begin", lambda self: None)  # no worker comes
    regions, rests = run(monkeypatch, {48: 0.5, 24: 0.5}, seconds=0.2)
    assert [region.taken for region in regions] == [False, False] and rests == 2
    assert all("used up" in region.reason for region in regions)


def test_without_time_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making.Ahead, "_begin", lambda self: pytest.fail("workers") if self._done else None)
    regions, rests = run(monkeypatch, {48: 0.5, 24: 0.5}, seconds=0)
    assert [region.taken for region in regions] == [False, False] and rests == 1


def test_bare_products_are_timed_for_the_next_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A residual ahead of a norm rides along for nothing, so it is left to who compiles the norm."""

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.long, self.short, self.norm = nn.Linear(32, 32), nn.Linear(32, 8), nn.LayerNorm(32)

        def forward(self, x: Any) -> Any:
            return self.short(self.norm(self.long(x) + x))

    def times_of(sketch: Any, _: str) -> trial.Times:
        unfused = 1e-3 if sketch.tensors[1].shape[0] == 32 else 1e-6
        return trial.Times(unfused / 2, unfused / 2, unfused)

    said: list[Any] = []
    monkeypatch.setattr(policy, "BARE", ("cpu",))
    monkeypatch.setattr(row_wise, "DEVICES", ())
    monkeypatch.setattr(policy, "times_of", times_of)
    monkeypatch.setattr(backend_module, "count", said.append)
    model, x = Model().eval(), torch.randn(16, 32)
    with torch.no_grad():
        for _ in range(2):
            torch._dynamo.reset()
            got = torch.compile(model, backend="tracea", options={"tracea.seconds": 600})(x)
            torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    (first, other), (again, _) = (report.regions for report in said)
    assert not first.taken and "next process" in first.reason and first.epilogue == "bias" and again.taken
    assert not other.taken and "too short" in other.reason


def test_kernels_are_planned_while_the_rest_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread plans what workers have made, without printing it again; who settles finds the plans, and times them itself."""
    planned: list[bool] = []
    timed: list[bool] = []
    real, rest = kernels.make_entry, backend_module.compile_rest

    def here() -> bool:
        return threading.current_thread() is threading.main_thread()

    def make_entry(*given: Any) -> Any:
        found = real(*given)
        planned.append(here())
        return found

    def times_of(*_: Any) -> trial.Times:
        timed.append(here())
        return trial.Times(0.5, 0.5, 1.0)

    def slow(*given: Any) -> Any:
        end = time.monotonic() + 120
        while len(planned) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        return rest(*given)

    monkeypatch.setattr(path, "_sources", {})
    monkeypatch.setattr(path, "_printed", lambda *_: pytest.fail("workers print"))
    monkeypatch.setattr(kernels, "make_entry", make_entry)
    monkeypatch.setattr(policy, "times_of", times_of)
    monkeypatch.setattr(backend_module, "compile_rest", slow)
    model, x = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.Linear(48, 24), nn.ReLU()).eval(), torch.randn(16, 32)
    with torch.no_grad():
        torch.compile(model, backend="tracea", options={"tracea.seconds": 600})(x)
    assert planned == [False, False] and timed == [True, True]


def test_what_fails_in_the_thread_is_reported_by_who_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(policy, "_plan", broken)
    regions, rests = run(monkeypatch, {48: 0.5, 24: 0.5})
    assert [region.taken for region in regions] == [True, True] and rests == 1


def test_it_waits_for_kernels_as_long_as_the_rest_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second process would make what was late, and compiling the graph again takes longer than waiting for its kernels."""
    work = making.Ahead._work

    def late(self: Any) -> None:
        time.sleep(0.5)
        work(self)

    monkeypatch.setattr(making.Ahead, "_work", late)
    monkeypatch.setattr(policy, "SECONDS", {"cpu": 0.0})
    monkeypatch.setattr(policy, "times_of", lambda *_: trial.Times(0.5, 0.5, 1.0))
    monkeypatch.setattr(making.Making, "seconds", 300.0)
    said: list[Any] = []
    monkeypatch.setattr(backend_module, "count", said.append)
    model, x = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.Linear(48, 24), nn.ReLU()).eval(), torch.randn(16, 32)
    with torch.no_grad():
        torch.compile(model, backend="tracea")(x)
    assert [region.taken for region in said[0].regions] == [True, True]

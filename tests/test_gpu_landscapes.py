# SPDX-License-Identifier: MIT
"""Recording a GPU's landscapes with kernels that a program stands in for: what is drawn, what is left out, what a landscape says."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CompileError
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig, SwizzleMode

from benchmarks import gpu_landscapes as recording
from benchmarks.landscape_problems import PAIRS, PP, PROBLEMS, Axes, convolution, product
from benchmarks.landscapes import read
from benchmarks.search_compare import settings

pytest.importorskip("tracea_cuda")
torch = pytest.importorskip("torch")
DEVICE = "preset:h200"
SMALL = Axes((64, 96), (128,), PAIRS[:2], (1, 2), drawn=6, pruned=4)


class _Device:
    """Stands for `Turns` and events: time passes only when something is launched."""

    def __init__(self) -> None:
        self.now = 0.0
        self._flush = torch.empty(4)
        self.torch = types.SimpleNamespace(cuda=types.SimpleNamespace(Event=self._event))

    def _event(self, enable_timing: bool) -> Any:
        event = types.SimpleNamespace()
        event.record = lambda: setattr(event, "at", self.now)
        event.elapsed_time = lambda other: (other.at - event.at) * 1e3
        return event

    def synchronize(self) -> None:
        """Nothing is under way."""

    def _management(self) -> str:
        return "1980 MHz"


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> _Device:
    """A device on which the nth kernel takes n microseconds; the second computes zeros, the third cannot be loaded."""
    found, tensors, numbers = _Device(), {}, itertools.count(1)
    operands = recording._tensors

    def on_host(one: recording.Asked, device: str) -> tuple[dict[str, Any], Any]:
        made, expected = operands(one, "cpu")
        tensors.update(made, expected=expected)
        return made, expected

    def loaded(backend: str, device: str, source: object) -> Any:
        number = next(numbers)
        if number == 3:
            raise CompileError("planted")

        def launch(*pointers: int) -> None:
            found.now += number * 1e-6
            tensors["output"].copy_(tensors["expected"]) if number != 2 else tensors["output"].zero_()

        return types.SimpleNamespace(prepare=lambda symbols: launch)

    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("tracea_cuda.compile.binary", lambda source: b"")
    monkeypatch.setattr(recording, "_tensors", on_host)
    monkeypatch.setattr(recording, "compiled", loaded)
    return found


def _asked(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any], axes: Axes = SMALL) -> recording.Asked:
    monkeypatch.setitem(PROBLEMS, "small", (make, axes))
    return recording.asked("small", DEVICE)


def _built(one: recording.Asked, configurations: tuple[PipelineConfig, ...]) -> list[str]:
    (recording.cache_root() / "landscapes").mkdir(parents=True, exist_ok=True)
    problem, digest = one.walk.arrangement.problem.to_json(), one.walk.lowered.form.digest()
    return [recording._build((problem, c.to_json(), DEVICE, digest)) for c in configurations]


def test_the_same_is_drawn_again_and_all_of_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    one = _asked(monkeypatch, lambda: product(DType.BF16, 1024, 768, 512))
    again = recording.asked("small", DEVICE)
    assert one.configurations == again.configurations and len(one.configurations) > 10
    operator = recording._operator(one.walk)
    assert not any(budget_reason(c, one.profile, operator) for c in one.configurations)
    assert not any(c.split_k > 1 and c.barrier_mode is PP for c in one.configurations)
    larger = _asked(monkeypatch, lambda: product(DType.BF16, 2048, 768, 512))
    shared = set(one.configurations) & set(larger.configurations)
    assert len(shared) >= SMALL.drawn  # sizes are the launch's, so kernels serve both


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_recorded_can_tell_a_search_from_chance(name: str) -> None:
    one = recording.asked(name, DEVICE)
    assert len(one.configurations) > 400
    assert len({c.stages for c in one.configurations}) >= 6 and len({c.tile_n for c in one.configurations}) >= 3


def test_a_landscape_holds_times_failures_and_where_they_come_from(
    device: _Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = _asked(monkeypatch, lambda: product(DType.BF16, 1024, 768, 512))
    built = one.configurations[:6]
    assert _built(one, built) == [""] * 6
    line = recording.record(one, DEVICE, device, (3, 5), tmp_path)
    assert "4 timed, 2 failed" in line
    (landscape,) = read(tmp_path)
    times = landscape.times()
    assert tuple(times) == built  # what was not built in time is no failure
    assert times[built[0]] == pytest.approx(1e-6) and times[built[5]] == pytest.approx(6e-6)
    assert times[built[1]] is None and times[built[2]] is None
    assert landscape.variant == one.walk.choice.variant and landscape.operator.instruction.startswith("wgmma")
    assert "1980 MHz" in landscape.measured and "nvrtc" in landscape.measured
    given = settings(landscape, ())
    assert set(given["whole space"].candidates) == set(built)


def test_what_cannot_be_built_failed(device: _Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = _asked(monkeypatch, lambda: convolution(2, 64, 8, 64, 3))
    bad = one.configurations[0].replace(swizzle=SwizzleMode.B64)
    planted = recording.Asked(one.name, one.walk, (bad, *one.configurations[1:3]))
    assert _built(planted, planted.configurations)[0]
    recording.record(planted, DEVICE, device, (3, 5), tmp_path)
    (landscape,) = read(tmp_path)
    assert landscape.times()[bad] is None and landscape.problem.op == one.walk.choice.problem.op


def test_what_is_not_what_was_written_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one = _asked(monkeypatch, lambda: product(DType.BF16, 1024, 768, 512))
    _built(one, one.configurations[:1])
    place = recording._place(one.walk.lowered.form.digest(), one.configurations[0])
    whole = place.read_bytes()
    assert recording._found(place) is not None
    place.write_bytes(whole.replace(b"wgmma", b"wgmmb", 1))
    assert recording._found(place) is None
    _built(one, one.configurations[:1])
    assert place.read_bytes() == whole

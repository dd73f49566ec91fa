# SPDX-License-Identifier: MIT
"""Searches say what they do where the environment asks for it, and nothing otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.model import predict_seconds
from tracea_core.tuner.auto import AutoTuner, Device, LayerType, Origin, ProblemDescriptor, Shape, TuningResult
from tracea_core.tuner.search import Budget, Progress, RandomSearch
from tracea_core.tuner.store import MeasurementStore

GPU = preset("h200")
PROBLEM = ProblemDescriptor(device=Device.Cuda(0), layer_type=LayerType.Gemm, shape=Shape(m=512, n=512, k=512))


def search(store: MeasurementStore | None, seen: list[PipelineConfig], progress: list[Progress]) -> TuningResult:
    def measure(configuration: PipelineConfig) -> float:
        seen.append(configuration)
        if len(seen) == 2:
            raise RuntimeError("wrong result")
        return predict_seconds(configuration, GPU, PROBLEM.topology())

    tuner = AutoTuner(GPU, search=RandomSearch(), budget=Budget(6, 600.0), store=store, progress=progress.append)
    return tuner.optimize(PROBLEM, measure)


@pytest.mark.parametrize("value", [None, "", "0"])
def test_nothing_is_printed_unasked(
    value: str | None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if value is None:
        monkeypatch.delenv("TRACEA_PRINT_AUTOTUNING", raising=False)
    else:
        monkeypatch.setenv("TRACEA_PRINT_AUTOTUNING", value)
    search(None, [], [])
    assert capfd.readouterr() == ("", "")


def test_each_candidate_and_the_choice_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRACEA_PRINT_AUTOTUNING", "1")
    seen: list[PipelineConfig] = []
    progress: list[Progress] = []
    found = search(MeasurementStore(tmp_path / "store"), seen, progress)
    out, err = capfd.readouterr()
    *candidates, choice = err.splitlines()
    assert out == "" and len(candidates) == len(progress) == 6 and found.origin is Origin.SEARCH
    for number, (line, configuration) in enumerate(zip(candidates, seen, strict=True), 1):
        assert line.startswith(f"tracea tuning: {PROBLEM.title()}: {number} of ")
        assert configuration.describe() in line and ("us" in line) and ("best" in line)
    assert "failed: RuntimeError: wrong result" in candidates[1] or "wrong result" in candidates[1]
    assert f"{found.configuration.describe()}: search; best of 6" in choice


def test_a_search_is_repeated_if_it_is_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    store, seen = MeasurementStore(tmp_path / "store"), [PipelineConfig(), PipelineConfig()]
    search(store, seen, [])
    count = len(seen)
    monkeypatch.setenv("TRACEA_FORCE_AUTOTUNE", "1")
    assert search(store, seen, []).origin is Origin.SEARCH and len(seen) == count + 6
    monkeypatch.setenv("TRACEA_FORCE_AUTOTUNE", "0")
    assert len(seen) == count + 6 and search(store, seen, []).configuration and len(seen) < count + 12

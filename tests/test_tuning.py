# SPDX-License-Identifier: MIT
"""The documented tuner measures where there is a device, in a process that may be lost, and says where it only estimates."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from tracea_core.tuner.measure import summarize
from tracea_core.tuner.search import Budget
from tracea_core.tuner.store import MeasurementStore

import tracea
import tracea.tuning


class FakeWorker:
    """Stands for the disposable process: remembers what it was asked to measure."""

    asked: ClassVar[list[dict[str, Any]]] = []
    device = None

    def run(self, entry: str, payload: dict[str, Any], timeout: float) -> list[str]:
        self.asked.append(payload | {"timeout": timeout})
        return [summarize([2e-5] * 5).to_json() for _ in payload["configurations"]]

    def close(self) -> None:
        """Nothing was started."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    monkeypatch.setattr(FakeWorker, "asked", [])
    monkeypatch.setattr(tracea.tuning, "Worker", FakeWorker)
    return FakeWorker.asked


def tuned(gpu: Any, device: tracea.Device, tmp_path: Any) -> Any:
    shape = tracea.Shape(m=512, n=512, k=512)
    problem = tracea.ProblemDescriptor(
        device=device, layer_type=tracea.LayerType.Linear, shape=shape, dtype=tracea.DType.BF16
    )
    tuner = tracea.AutoTuner(gpu, budget=Budget(4, 60.0), store=MeasurementStore(tmp_path), lock=None)
    try:
        return tuner.optimize(problem)
    finally:
        tuner.close()


def test_a_probed_gpu_is_measured_in_a_worker_with_a_timeout(asked: list[dict[str, Any]], tmp_path: Any) -> None:
    found = tuned(tracea.GPUInfo.h200().replace(probed=True), tracea.Device.Cuda(1), tmp_path)
    assert found.measured and asked
    assert {(one["backend"], one["device"]) for one in asked} == {("cuda", "cuda:1")}
    assert all(one["timeout"] > 0 for one in asked)


def test_a_preset_is_estimated(asked: list[dict[str, Any]], tmp_path: Any) -> None:
    assert not tuned(tracea.GPUInfo.h200(), tracea.Device.Cuda(0), tmp_path).measured
    assert not asked

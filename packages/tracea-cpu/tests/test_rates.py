# SPDX-License-Identifier: MIT
"""Rates as kernels of this processor reach them."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import TuningError
from tracea_core.pipeline import rates
from tracea_core.plugin.rates import kept
from tracea_core.plugin.select import resolve
from tracea_core.tuner.worker import CandidateError

CPU = {"device": "cpu", "backend": "cpu"}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_LEAST_BYTES", 1 << 20)
    monkeypatch.setattr(rates, "_MOST_BYTES", 1 << 20)
    monkeypatch.setattr(rates, "_SMALLEST", 64)
    monkeypatch.setattr(rates, "_LARGEST", 128)


@pytest.mark.usefixtures("small")
def test_memory_and_every_native_type_are_measured() -> None:
    found = rates.task(CPU)
    native = resolve("cpu", "cpu").target.profile.native_dtypes
    assert list(found["products"]) == [one.value for one in (DType.FP32, DType.BF16, DType.FP16) if one in native]
    assert found["memory_gbps"] > 0 and all(rate > 0 for rate in found["products"].values())


@pytest.mark.usefixtures("small")
def test_products_grow_until_one_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    extents: list[tuple[Any, bool]] = []

    def seconds(problem: Any, device: str, backend: str, *, compared: bool = False) -> float:
        extents.append((problem.inputs[0].shape[0], compared))
        return 1e-9 if problem.inputs[0].shape[0] < 128 else 1.0

    monkeypatch.setattr(rates, "_seconds", seconds)
    assert rates._product_rate(DType.FP32, "cpu", "cpu") == 2 * 128**3 / 1e9
    assert extents == [(64, True), (128, False)]


@pytest.mark.usefixtures("small")
def test_a_wrong_product_has_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Any, made: Any) -> None:
        raise TuningError("the result is wrong")

    monkeypatch.setattr(rates.Bench, "check", wrong)
    with pytest.raises(TuningError, match="wrong"):
        rates.task(CPU)


def test_a_device_is_measured_in_another_process_and_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "cache"))
    target = resolve("cpu", "cpu").target
    found = rates.measure_rates(target)
    assert found.memory_gbps > 0 and found.products["fp32"] > 0
    assert kept(target) == found
    with pytest.raises(CandidateError):
        rates.measure_rates(target.replace(device="cpu:7"))

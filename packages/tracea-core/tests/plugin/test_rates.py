# SPDX-License-Identifier: MIT
"""Measured rates: remembered for later processes, and put where a backend could only guess, nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tracea_core.errors import OptionError
from tracea_core.plugin.rates import Rates, keep, kept, with_measured
from tracea_core.target import CapabilityProfile, Target

RATES = Rates(memory_gbps=321.0, products={"fp32": 1000.0})
GUESSED = "probe=lambda: ProbeReport(devices=(Target('toy', 'toy:0', PROFILE.replace(memory_guessed=True, memory_gbps=1.0)),))"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "cache"))


def _target(**changes: Any) -> Target:
    fields: dict[str, Any] = {
        "name": "some gpu", "vendor": "other", "arch": "opencl", "backend": "sycl", "processors": 8, "lanes": 16,
        "memory_gbps": 200.0, "memory_guessed": True, "source": "driver",
    }  # fmt: skip
    return Target("sycl", "sycl:0", CapabilityProfile(**(fields | changes)))


def test_a_guess_gives_way_to_what_was_measured() -> None:
    assert kept(_target()) is None and with_measured(_target()) == _target()
    keep(_target(), RATES)
    profile = with_measured(_target()).profile
    assert (profile.memory_gbps, profile.memory_guessed) == (321.0, False)
    assert profile.source == "driver; the rate of memory measured"
    assert profile.peak_gflops_fp32 == _target().profile.peak_gflops_fp32


def test_what_is_published_stays() -> None:
    known = _target(memory_guessed=False)
    keep(known, RATES)
    assert with_measured(known) == known


def test_devices_are_told_apart() -> None:
    keep(_target(), RATES)
    for other in (_target(name="another gpu"), _target(processors=9), _target().replace(backend="oneapi")):
        assert kept(other) is None


@pytest.mark.parametrize("planted", [b"", b"{}", b'{"memory_gbps":-1.0,"products":{}}', b'{"memory_gbps":"x"}'])
def test_what_is_no_rate_is_not_trusted(planted: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Rates, "to_json", lambda self: planted.decode())
        keep(_target(), RATES)
    assert kept(_target()) is None and with_measured(_target()) == _target()


def test_a_damaged_file_is_not_trusted(tmp_path: Path) -> None:
    keep(_target(), RATES)
    (file,) = (tmp_path / "cache" / "rates").glob("*.bin")
    file.write_bytes(file.read_bytes().replace(b"321.0", b"921.0"))
    assert kept(_target()) is None


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_rates_are_positive(rate: float) -> None:
    with pytest.raises(OptionError):
        Rates(memory_gbps=rate, products={})
    with pytest.raises(OptionError):
        Rates(memory_gbps=1.0, products={"fp32": rate})


def test_every_process_decides_by_what_was_measured(site: Any) -> None:
    site.install("toy", changes=GUESSED)
    (target,) = site.manager().probe("toy").devices
    assert (target.profile.memory_gbps, target.profile.memory_guessed) == (1.0, True)
    keep(target, RATES)
    (target,) = site.manager().probe("toy").devices
    assert (target.profile.memory_gbps, target.profile.memory_guessed) == (321.0, False)

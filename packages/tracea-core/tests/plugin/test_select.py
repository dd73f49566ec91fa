# SPDX-License-Identifier: MIT
"""Which target a caller gets, and what one is told who gets none."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.errors import BackendUnavailableError, DeviceError
from tracea_core.plugin.select import resolve

CPU = "probe=lambda: ProbeReport(devices=(Target({name!r}, 'cpu', PROFILE),)), priority={priority}"


def test_auto_takes_the_higher_priority_and_both_stay_usable(site: Any) -> None:
    site.install("slow", changes=CPU.format(name="slow", priority=1))
    site.install("fast", changes=CPU.format(name="fast", priority=2))
    manager = site.manager()
    assert resolve(manager=manager).manifest.name == "fast"
    assert resolve("cpu", "auto", manager=manager).manifest.name == "fast"
    assert resolve("cpu", "slow", manager=manager).manifest.name == "slow"


def test_a_bare_device_name_means_its_first(site: Any) -> None:
    site.install("toy")
    manager = site.manager()
    assert resolve("toy", manager=manager).target.device == "toy:0"
    assert resolve("toy:0", manager=manager).target.device == "toy:0"
    assert resolve(backend="toy", manager=manager).target.device == "toy:0"


def test_a_backend_without_that_device_says_what_it_has(site: Any) -> None:
    site.install("toy")
    manager = site.manager()
    with pytest.raises(DeviceError, match="It has toy:0"):
        resolve("toy:7", "toy", manager=manager)
    with pytest.raises(BackendUnavailableError, match="It has toy:0"):
        resolve("toy:7", manager=manager)


def test_unknown_device_names_those_there_are(site: Any) -> None:
    site.install("toy")
    with pytest.raises(BackendUnavailableError, match=r"pip install tracea\[tpu\]\). Devices here: toy:0"):
        resolve("tpu:0", manager=site.manager())


def test_a_broken_plugin_is_the_reason(site: Any) -> None:
    site.install("toy", "raise ImportError('libtoy is missing')")
    with pytest.raises(BackendUnavailableError, match="Its plugin is failed: ImportError: libtoy is missing"):
        resolve("toy:0", manager=site.manager())


def test_a_backend_without_devices_tells_its_findings(site: Any) -> None:
    site.install(
        "toy",
        changes="probe=lambda: ProbeReport(findings=(Finding(Severity.INFO, 'driver', 'no driver', 'Get one'),))",
    )
    manager = site.manager()
    for arguments in ({"device": "toy"}, {"backend": "toy"}):
        with pytest.raises(BackendUnavailableError, match=r"no driver\. Get one"):
            resolve(**arguments, manager=manager)


def test_a_failing_plugin_does_not_keep_others_from_being_selected(site: Any) -> None:
    site.install("bad", "raise SystemExit(1)")
    site.install("crash", changes="priority=99, probe=lambda: 1 // 0")
    site.install("good", changes=CPU.format(name="good", priority=1))
    assert resolve(manager=site.manager()).manifest.name == "good"


def test_presets_need_the_backend_and_no_device(site: Any) -> None:
    site.install("cuda", changes="probe=lambda: ProbeReport()")
    manager = site.manager()
    for selection in (resolve(preset="h200", manager=manager), resolve("preset:h200", manager=manager)):
        assert selection.target.device == "preset:h200" and selection.manifest.name == "cuda"
        assert not selection.target.executable
    with pytest.raises(DeviceError, match="no device preset"):
        resolve(preset="h9000", manager=manager)
    with pytest.raises(BackendUnavailableError, match=r"pip install tracea\[hip\]"):
        resolve(preset="mi300x", manager=manager)

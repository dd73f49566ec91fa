# SPDX-License-Identifier: MIT
"""Broken plugins, installed for real: each is reported by name with what it did, and takes nobody else with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from tracea_core.diagnose import DoctorReport, diagnose
from tracea_core.plugin.manifest import Severity

REGISTER = "@hookimpl\ndef tracea_register_backend():\n    return manifest({})\n"
PROBE = "def probe():\n    {}\n" + REGISTER.format("probe=probe")
HOOK = REGISTER.format("") + "@hookimpl\ndef tracea_doctor_checks(device):\n    {}\n"
SIGNAL = "import os, signal; os.kill(os.getpid(), signal.{})"
HANG_S, NEVER_S = 1.5, 300.0
HANGS = "timed out after 1.5 s"
NO_DRIVER = "Finding(Severity.INFO, 'driver', 'there is no driver', 'Install the driver')"


@dataclass(frozen=True)
class Broken:
    """A plugin called ``bad`` as `Site.install` makes it, and what the report must say of it."""

    severity: Severity
    words: tuple[str, ...]
    installed: dict[str, Any]
    subject: str = "plugin bad"
    twin: str = ""
    """Name of a second distribution that has the same plugin."""

    @property
    def limit_s(self) -> float:
        """Seconds that a plugin is given: few where it never comes back."""
        return HANG_S if HANGS in self.words else NEVER_S


ERROR, WARNING = Severity.ERROR, Severity.WARNING
CASES = {
    "raises on import": Broken(
        ERROR,
        ("ImportError: libtoy.so.1: cannot open", "--force-reinstall toy-bad"),
        {"body": 'raise ImportError("libtoy.so.1: cannot open")'},
    ),
    "exits on import": Broken(ERROR, ("SystemExit: 7",), {"body": "import sys; sys.exit(7)"}),
    "ends the process": Broken(ERROR, ("exited with status 9",), {"body": "import os; os._exit(9)"}),
    "segfaults on import": Broken(ERROR, ("killed by SIGSEGV",), {"body": SIGNAL.format("SIGSEGV")}),
    "hangs on import": Broken(ERROR, (HANGS,), {"body": "import time; time.sleep(600)"}),
    "half installed": Broken(
        ERROR,
        ("No module named 'no_such_toy'",),
        {"entry_points": "[tracea.plugins_v1]\nbad = no_such_toy\n"},
    ),
    "damaged entry points": Broken(
        ERROR,
        ("entry points cannot be read", "reinstall toy-bad"),
        {"entry_points": "[tracea.plugins_v1]\nno equals sign\n"},
        "plugin toy-bad",
    ),
    "another major version": Broken(
        WARNING, ("tracea.plugins_v2", "Upgrade tracea-core"), {"group": "tracea.plugins_v2"}
    ),
    "a newer minor version": Broken(WARNING, ("needs plugin interface 1.9",), {"changes": "plugin_api=(1, 9)"}),
    "two with one name": Broken(
        ERROR, ("toy-one", "toy-two", "uninstall one"), {"distribution": "toy-one"}, twin="toy-two"
    ),
    "a bad manifest": Broken(
        ERROR, ("priority of a backend manifest breaks the contract",), {"changes": "priority=1000"}
    ),
    "the probe raises": Broken(
        ERROR,
        ("the probe raised OSError: driver/library mismatch",),
        {"body": PROBE.format("raise OSError('driver/library mismatch')")},
        "backend bad",
    ),
    "the probe aborts": Broken(ERROR, ("killed by SIGABRT",), {"body": PROBE.format("import os; os.abort()")}),
    "the probe hangs with a child of its own": Broken(
        ERROR,
        (HANGS,),
        {"body": PROBE.format("import subprocess; subprocess.run(['sleep', '600'])")},
    ),
    "a hook raises": Broken(
        WARNING,
        ("tracea_doctor_checks raised RuntimeError: broken check",),
        {"body": HOOK.format("raise RuntimeError('broken check')")},
    ),
    "a hook returns nonsense": Broken(
        WARNING, ("must return a sequence of Finding",), {"body": HOOK.format("return [1, 2, 3]")}
    ),
    "variants raise": Broken(
        WARNING, ("variants raised ZeroDivisionError",), {"changes": "variants=lambda profile: 1 // 0"}
    ),
    "prints a lot": Broken(
        Severity.OK,
        ("bad:0",),
        {"body": "import os\nprint('noise ' * 200_000)\nos.write(1, b'more')\n" + REGISTER.format("")},
        "devices",
    ),
    "no driver": Broken(
        Severity.INFO,
        ("no driver", "Install the driver"),
        {"changes": f"probe=lambda: ProbeReport(findings=({NO_DRIVER},))"},
        "driver",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_report_comes_back_and_says_it(
    name: str,
    site: Any,
    says: Callable[[DoctorReport, Severity, str, tuple[str, ...]], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
) -> None:
    for variable in [one for one in os.environ if one.startswith("TRACEA_") or one.endswith("_VISIBLE_DEVICES")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "untouched"))
    broken = CASES[name]
    site.install("bad", **broken.installed)
    if broken.twin:
        site.install("bad", distribution=broken.twin)
    report = diagnose(limit_s=broken.limit_s, manager=site.manager(), packages=())
    says(report, broken.severity, broken.subject, broken.words)


def test_one_broken_plugin_leaves_the_others_in_the_report(site: Any) -> None:
    site.install("bad", SIGNAL.format("SIGKILL"))
    site.install("good")
    report = diagnose(limit_s=300.0, manager=site.manager(), packages=())
    assert [(plugin.name, plugin.status) for plugin in report.plugins] == [("bad", "failed"), ("good", "loaded")]
    assert [target.device for target in report.devices] == ["good:0"]
    assert report.errors and report.errors[0].subject == "plugin bad"


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 19  # with those of packages, caches and processes, more than fifty

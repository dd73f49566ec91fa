# SPDX-License-Identifier: MIT
"""Real distributions with planted faults beside a working installation: calls go on, and each record says what happened.

Each fault is installed as an installer leaves it (a ``.dist-info`` with an entry point, and a module) into a folder on the path of a
new process, which multiplies on the CPU, asks for the faulty backend by name, and prints what the plugin manager and the doctor know.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HEAD = """
from tracea_core.plugin.manifest import BackendManifest, Finding, ProbeReport, Severity
from tracea_core.plugin.spec import hookimpl
from tracea_core.target import CapabilityProfile, Target

PROFILE = CapabilityProfile(name="Toy", vendor="toy", arch="toy", backend="toy", processors=1, lanes=1, probed=True)

def probe():
    return ProbeReport((Target("toy", "cpu", PROFILE),))

def open_runtime(device):
    raise RuntimeError("nothing to open")

def manifest(**changes):
    fields = dict(name="toy", version="1.0", plugin_api=(1, 0), priority=100, description="A toy", probe=probe,
                  variants=lambda profile: (), emitters={}, open_runtime=open_runtime)
    return BackendManifest(**{**fields, **changes})
"""
REGISTER = """
@hookimpl
def tracea_register_backend():
    return manifest(%s)
"""
SCRIPT = """
import json, sys, numpy as np, tracea
from tracea_core.diagnose import diagnose
from tracea_core.errors import TraceaError
from tracea_core.plugin.manager import plugins

a, b = np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(20, dtype=np.float32).reshape(4, 5)
right = [bool(np.array_equal(tracea.ops.matmul(a, b, backend=name), a @ b)) for name in (None, "cpu")]
refusal = ""
try:
    tracea.ops.matmul(a, b, backend="toy")
except TraceaError as error:
    refusal = f"{type(error).__name__}: {error}"
plugins().call_each("tracea_doctor_checks", device=None)
records = [
    {"distribution": r.distribution, "status": r.status.value, "problem": r.problem, "trace": r.trace,
     "faults": [f"{fault.where}: {fault.problem}" for fault in r.faults]}
    for r in plugins().records() if r.name == "toy"
]
report = diagnose(limit_s=300.0).to_json() if "doctor" in sys.argv else ""
print(json.dumps({"right": right, "refusal": refusal, "records": records, "report": report}))
"""


@dataclass
class Told:
    """What the process printed."""

    right: list[bool]
    refusal: str
    records: list[dict[str, object]]
    report: str


def install(site: Path, body: str, distribution: str = "toy-plugin", group: str = "tracea.plugins_v1") -> None:
    """Put a distribution with a plugin called ``toy`` into `site`."""
    module = distribution.replace("-", "_")
    (site / f"{module}.py").write_text(HEAD + body)
    info = site / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\ntoy = {module}\n")


def ask(site: Path, doctor: bool = True) -> Told:
    """Run the script in a new process that sees `site`; the doctor takes seconds and is left out where it has nothing new to say."""
    environment = {name: value for name, value in os.environ.items() if name != "TRACEA_PLUGINS"}
    environment["PYTHONPATH"] = os.pathsep.join([str(site), environment.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    command = [sys.executable, "-c", SCRIPT, *(["doctor"] if doctor else [])]
    result = subprocess.run(command, env=environment, cwd=site, capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout + result.stderr
    return Told(**json.loads(result.stdout.splitlines()[-1]))


FAULTS = {
    "raises on import": (
        "raise ImportError('libtoy.so.7 is missing')",
        "failed",
        "ImportError: libtoy.so.7 is missing",
    ),
    "exits on import": ("import sys; sys.exit(3)", "failed", "SystemExit: 3"),
    "hook raises": (
        "@hookimpl\ndef tracea_register_backend():\n    raise ValueError('no licence file')\n",
        "failed",
        "ValueError: no licence file",
    ),
    "newer major in the manifest": (REGISTER % "plugin_api=(2, 0)", "incompatible", "the majors must be equal"),
    "newer minor in the manifest": (REGISTER % "plugin_api=(1, 99)", "incompatible", "upgrade tracea-core"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_plugin_harms_nobody_and_its_record_shows_the_cause(tmp_path: Path, fault: str) -> None:
    body, status, cause = FAULTS[fault]
    install(tmp_path, body)
    doctor = fault in ("raises on import", "newer minor in the manifest")
    told = ask(tmp_path, doctor)
    assert told.right == [True, True]
    (record,) = told.records
    assert record["status"] == status and cause in str(record["problem"])
    if status == "failed":
        assert "Traceback" in str(record["trace"]) and "toy_plugin.py" in str(record["trace"])
    assert told.refusal.startswith("BackendUnavailableError") and cause in told.refusal
    assert not doctor or ("toy-plugin" in told.report and cause in told.report)


def test_a_group_of_another_major_is_listed_and_never_imported(tmp_path: Path) -> None:
    install(tmp_path, "raise SystemExit('imported')", group="tracea.plugins_v2")
    told = ask(tmp_path)
    assert told.right == [True, True]
    (record,) = told.records
    assert (
        record["status"] == "incompatible" and "tracea.plugins_v2" in str(record["problem"]) and record["trace"] == ""
    )
    assert "Upgrade tracea-core" in told.refusal and "tracea.plugins_v2" in told.report


def test_two_distributions_with_one_name_are_both_blocked_by_name(tmp_path: Path) -> None:
    for distribution in ("toy-first", "toy-second"):
        install(tmp_path, REGISTER % "", distribution)
    told = ask(tmp_path)
    assert told.right == [True, True]
    assert [record["distribution"] for record in told.records] == ["toy-first", "toy-second"]
    for text in (told.refusal, *(str(record["problem"]) for record in told.records)):
        assert "toy-first" in text and "toy-second" in text
    assert {record["status"] for record in told.records} == {"blocked"}
    assert "toy-first" in told.report and "toy-second" in told.report


@pytest.mark.parametrize("crash", ["raise OSError('the driver is gone')", "raise SystemExit('the driver is gone')"])
def test_a_probe_that_crashes_means_no_device(tmp_path: Path, crash: str) -> None:
    install(tmp_path, f"def crashing():\n    {crash}\n" + REGISTER % "probe=crashing")
    told = ask(tmp_path, doctor="OSError" in crash)
    assert told.right == [True, True]  # although the faulty backend has the highest priority
    (record,) = told.records
    assert record["status"] == "loaded" and "the driver is gone" in str(record["faults"])
    assert "finds no device" in told.refusal and ("the driver is gone" in told.report or "OSError" not in crash)


def test_a_probe_that_kills_its_process_spares_the_doctor(tmp_path: Path) -> None:
    install(tmp_path, "import os\ndef crashing():\n    os.abort()\n" + REGISTER % "probe=crashing")
    script = "from tracea_core.diagnose import diagnose\nprint(diagnose(limit_s=300.0).to_json())"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=500
    )
    assert result.returncode == 0, result.stderr
    assert "toy" in result.stdout and '"severity":"error"' in result.stdout


def test_a_hook_that_raises_is_kept_beside_a_working_backend(tmp_path: Path) -> None:
    hook = "@hookimpl\ndef tracea_doctor_checks(device):\n    raise RuntimeError('the check broke')\n"
    install(tmp_path, REGISTER % "priority=1" + hook)
    told = ask(tmp_path)
    assert told.right == [True, True]
    (record,) = told.records
    assert record["status"] == "loaded" and record["faults"] == ["tracea_doctor_checks: RuntimeError: the check broke"]
    assert "the check broke" in told.report
    assert told.refusal.startswith("UnsupportedError") and "has none for Toy" in told.refusal

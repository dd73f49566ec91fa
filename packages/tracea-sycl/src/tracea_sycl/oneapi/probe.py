# SPDX-License-Identifier: MIT
"""What there is of Intel's SYCL runtime: its library, its headers, a compiler for the host's part, and the devices behind them."""

from __future__ import annotations

from tracea_core.errors import BackendUnavailableError, TraceaError
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.target import Target

from tracea_sycl.oneapi import driver
from tracea_sycl.oneapi.host import WAY_ON, find_toolkit


def probe() -> ProbeReport:
    """Report every device that kernels can be built for and launched on; never raises."""
    try:
        kit = find_toolkit()
    except BackendUnavailableError as error:
        return ProbeReport(findings=(Finding(Severity.INFO, "oneapi runtime", error.message, error.hint or WAY_ON),))
    findings = [Finding(Severity.OK, "oneapi runtime", f"SYCL {kit.version}, its host's part by {kit.compiler}")]
    try:
        found = driver.devices()
    except TraceaError as error:
        findings.append(Finding(Severity.WARNING, "oneapi devices", error.message, error.hint or WAY_ON))
        return ProbeReport(findings=tuple(findings))
    except Exception as error:
        what = f"the runtime fails: {type(error).__name__}: {error}"
        findings.append(Finding(Severity.WARNING, "oneapi devices", what, "Reinstall it"))
        return ProbeReport(findings=tuple(findings))
    for device in found:
        findings.append(Finding(Severity.OK, "oneapi devices", f"{device.label} is {device.describe()}"))
    if not found:
        findings.append(
            Finding(Severity.INFO, "oneapi devices", "SYCL finds no device that builds from source", WAY_ON)
        )
    return ProbeReport(tuple(Target("oneapi", d.label, driver.profile(d)) for d in found), tuple(findings))

# SPDX-License-Identifier: MIT
"""What can be seen of OpenCL: the loaders' libraries, the registered platforms, and the devices that they open."""

from __future__ import annotations

import ctypes.util
import os

from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.target import Target

from tracea_sycl import driver

LOADERS = {"OpenCL": "OpenCL", "ze_loader": "Level Zero"}
"""Libraries that find the installed drivers, and the interface that each stands for."""


def loaders() -> Finding:
    """Say which of the loaders' libraries are on the loader's path."""
    found = [f"{library} ({LOADERS[name]})" for name in LOADERS if (library := ctypes.util.find_library(name))]
    if found:
        return Finding(Severity.OK, "sycl loader", " and ".join(found) + " installed")
    return Finding(
        Severity.INFO,
        "sycl loader",
        "neither libOpenCL nor libze_loader is on the loader's path",
        "Install an OpenCL loader and the driver of the device; Intel's CPU runtime is on the package index as intel-opencl-rt",
    )


def platforms() -> Finding:
    """Say which OpenCL drivers are registered with the loader, by their .icd files."""
    place = os.environ.get("OCL_ICD_VENDORS") or "/etc/OpenCL/vendors"
    try:
        names = sorted(os.listdir(place)) if os.path.isdir(place) else [os.path.basename(place)] * os.path.isfile(place)
    except OSError as error:
        return Finding(Severity.WARNING, "sycl platforms", f"{place} cannot be read: {error.strerror}")
    drivers = [name.removesuffix(".icd") for name in names if name.endswith(".icd")]
    if drivers:
        return Finding(Severity.OK, "sycl platforms", f"{place} registers " + ", ".join(drivers))
    return Finding(Severity.INFO, "sycl platforms", f"{place} registers no OpenCL driver")


def probe() -> ProbeReport:
    """Report every device that kernels can be launched on; never raises.

    ``cpu`` stands for the processor as an OpenCL device: what arrays in host memory are given to when this backend is asked for.
    """
    findings = [loaders(), platforms()]
    try:
        found, host = driver.devices(), driver.host_device()
        targets = [Target("sycl", device.name, driver.profile(device)) for device in found]
        if host is not None:
            targets.insert(0, Target("sycl", "cpu", driver.profile(host)))
    except BackendUnavailableError as error:
        findings.append(Finding(Severity.INFO, "sycl devices", error.message, error.hint or driver.WAY_ON))
        return ProbeReport(findings=tuple(findings))
    except Exception as error:
        findings.append(
            Finding(
                Severity.WARNING, "sycl devices", f"a driver fails: {type(error).__name__}: {error}",
                "Reinstall it, or unregister it by OCL_ICD_VENDORS",
            )
        )  # fmt: skip
        return ProbeReport(findings=tuple(findings))
    for device in found:
        findings.append(Finding(Severity.OK, "sycl devices", f"{device.name} is {device.describe()}"))
    if host is not None:
        findings.append(
            Finding(
                Severity.INFO, "sycl host", f'backend="sycl" runs arrays in host memory on {host.name}, without copies'
            )
        )
    if not found:
        findings.append(
            Finding(Severity.INFO, "sycl devices", "no OpenCL device has shared virtual memory", driver.WAY_ON)
        )
    return ProbeReport(tuple(targets), tuple(findings))

# SPDX-License-Identifier: MIT
"""What can be seen of Intel GPUs without opening one: the loaders' libraries, and the registered OpenCL platforms.

Loading a driver takes time, can hang on a broken one and starts a context nobody asked for; this only looks.
"""

from __future__ import annotations

import ctypes.util
import os

from tracea_core.plugin.manifest import Finding, ProbeReport, Severity

from tracea_sycl import __version__

WAY_ON = "Calls run on the CPU; the schedules and kernels of such devices come with a later version"
"""What to do while this backend has no kernels."""

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
    """Report what was found. There are no devices in the report, since this version has nothing to run on one."""
    kernels = Finding(
        Severity.INFO, "sycl kernels", f"tracea-sycl {__version__} brings no kernels, so it is never selected", WAY_ON
    )
    return ProbeReport(findings=(loaders(), platforms(), kernels))

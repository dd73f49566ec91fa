# SPDX-License-Identifier: MIT
"""What can be seen of NVIDIA GPUs without opening one: the driver's library, and the compiler's wheels.

Loading a driver takes time, can hang on a broken one and starts a context nobody asked for; this only looks.
"""

from __future__ import annotations

import ctypes.util
import sys
from importlib import metadata

from tracea_core.plugin.manifest import Finding, ProbeReport, Severity

from tracea_cuda import __version__

WAY_ON = "Calls run on the CPU; `tracea explain OP DIMS --preset h200` shows the schedule for such a device"
"""What to do while this backend has no kernels."""

COMPILERS = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")
"""Distributions that hold NVRTC, for CUDA 13 and for CUDA 12."""


def driver() -> Finding:
    """Say whether the driver's library is on the loader's path."""
    library = ctypes.util.find_library("nvcuda" if sys.platform == "win32" else "cuda")
    if library:
        return Finding(Severity.OK, "cuda driver", f"{library} is installed")
    return Finding(
        Severity.INFO,
        "cuda driver",
        "libcuda is not on the loader's path",
        "Install NVIDIA's driver if this machine has such a GPU; in a container, start it with access to the GPU",
    )


def compiler() -> Finding:
    """Say which NVRTC wheels are installed; two majors at once overwrite each other's files."""
    found = [f"{name} {version}" for name in COMPILERS if (version := _version(name))]
    if len(found) > 1:
        hint = "Keep one of the extras cuda12 and cuda13 in a fresh environment"
        return Finding(Severity.WARNING, "cuda compiler", " and ".join(found) + " exclude each other", hint)
    if found:
        return Finding(Severity.OK, "cuda compiler", f"{found[0]} is installed")
    return Finding(Severity.INFO, "cuda compiler", "no NVRTC wheel is installed", 'pip install "tracea[cuda]"')


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def probe() -> ProbeReport:
    """Report what was found. There are no devices in the report, since this version has nothing to run on one."""
    kernels = Finding(
        Severity.INFO, "cuda kernels", f"tracea-cuda {__version__} brings no kernels, so it is never selected", WAY_ON
    )
    return ProbeReport(findings=(driver(), compiler(), kernels))

# SPDX-License-Identifier: MIT
"""What can be seen of AMD GPUs without opening one: the runtime's library, and the kernel driver's device file.

Loading a driver takes time, can hang on a broken one and starts a context nobody asked for; this only looks.
"""

from __future__ import annotations

import ctypes.util
import os

from tracea_core.plugin.manifest import Finding, ProbeReport, Severity

from tracea_hip import __version__

WAY_ON = "Calls run on the CPU; `tracea emit --preset mi300x` writes the source and, with clang, the binary"
"""What to do while this backend launches no kernels."""


def runtime_library() -> Finding:
    """Say whether HIP's runtime library is on the loader's path."""
    library = ctypes.util.find_library("amdhip64")
    if library:
        return Finding(Severity.OK, "hip runtime", f"{library} is installed")
    return Finding(
        Severity.INFO,
        "hip runtime",
        "libamdhip64 is not on the loader's path",
        "Install ROCm's HIP runtime if this machine has such a GPU",
    )


def device_file(path: str = "/dev/kfd") -> Finding:
    """Say whether the kernel driver's device file exists and may be used."""
    if not os.path.exists(path):
        return Finding(
            Severity.INFO, "hip driver", f"{path} does not exist: no AMD GPU, or the amdgpu driver is not loaded"
        )
    if not os.access(path, os.R_OK | os.W_OK):
        hint = "Add the user to the groups render and video, and log in again"
        return Finding(Severity.WARNING, "hip driver", f"{path} exists and this user may not open it", hint)
    return Finding(Severity.OK, "hip driver", f"{path} may be opened")


def probe() -> ProbeReport:
    """Report what was found. There are no devices in the report, since this version launches nothing on one."""
    kernels = Finding(
        Severity.INFO,
        "hip kernels",
        f"tracea-hip {__version__} prints and compiles kernels and launches none, so it is never selected",
        WAY_ON,
    )
    return ProbeReport(findings=(runtime_library(), device_file(), kernels))

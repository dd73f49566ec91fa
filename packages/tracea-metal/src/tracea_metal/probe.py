# SPDX-License-Identifier: MIT
"""What can be seen of Apple GPUs without opening one: the operating system, the processor, and the framework.

Loading a driver takes time, can hang on a broken one and starts a context nobody asked for; this only looks.
"""

from __future__ import annotations

import ctypes.util
import platform

from tracea_core.plugin.manifest import Finding, ProbeReport, Severity

from tracea_metal import __version__

WAY_ON = "Calls run on the CPU; the schedules and kernels of such devices come with a later version"
"""What to do while this backend has no kernels."""


def system() -> Finding:
    """Say whether this is a Mac with an Apple GPU; nothing else runs Metal."""
    name, machine = platform.system(), platform.machine()
    if name != "Darwin":
        return Finding(
            Severity.INFO, "metal system", f"Metal exists on macOS only; this is {name or 'an unknown system'}"
        )
    if machine != "arm64":
        return Finding(
            Severity.INFO,
            "metal system",
            f"this Mac's processor is {machine}; tracea's presets are of Apple's own GPUs",
        )
    return Finding(Severity.OK, "metal system", f"macOS {platform.mac_ver()[0]} on {machine}")


def framework() -> Finding:
    """Say whether the Metal framework can be found."""
    library = ctypes.util.find_library("Metal")
    if library:
        return Finding(Severity.OK, "metal framework", f"{library} is installed")
    return Finding(Severity.INFO, "metal framework", "the Metal framework was not found")


def probe() -> ProbeReport:
    """Report what was found. There are no devices in the report, since this version has nothing to run on one."""
    kernels = Finding(
        Severity.INFO, "metal kernels", f"tracea-metal {__version__} brings no kernels, so it is never selected", WAY_ON
    )
    return ProbeReport(findings=(system(), framework(), kernels))

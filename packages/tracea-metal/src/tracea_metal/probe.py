# SPDX-License-Identifier: MIT
"""Whether this is a Mac with an Apple GPU, and what its system says of the GPU; never raises, and creates no command queue.

What Metal does not say (cores, clock, rates) comes from the published device of the same family, and the profile says so.
"""

from __future__ import annotations

import ctypes.util
import platform
from typing import Any

from tracea_core.doctor.presets import preset
from tracea_core.errors import TraceaError
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.target import CapabilityProfile, Target

from tracea_metal.framework import metal

_FAMILIES = (("MTLGPUFamilyApple9", "m3max"), ("MTLGPUFamilyApple8", "m2"), ("MTLGPUFamilyApple7", "m1"))
"""Newest first: a newer GPU is of all older families, too. Source: Apple, "Metal Feature Set Tables"."""


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
    """Report the GPU with its profile, or what keeps it from being used."""
    found = (system(), framework())
    if any(finding.severity is not Severity.OK for finding in found):
        return ProbeReport(findings=found)
    try:
        target, finding = _device(metal())
    except TraceaError as error:
        missing = Finding(Severity.WARNING, "metal binding", error.message, error.hint or "")
        return ProbeReport(findings=(*found, missing))
    except Exception as error:
        message = f"the GPU cannot be examined: {type(error).__name__}: {error}"
        return ProbeReport(
            findings=(*found, Finding(Severity.WARNING, "metal", message, "Look at it in System Information"))
        )
    return ProbeReport((target,) if target is not None else (), (*found, finding))


def _device(api: Any) -> tuple[Target | None, Finding]:
    handle = api.MTLCreateSystemDefaultDevice()
    if handle is None:
        hint = "Processes without a login session may see none"
        return None, Finding(Severity.WARNING, "metal", "macOS shows no Metal device", hint)
    name = str(handle.name())
    for family, known in _FAMILIES:
        if handle.supportsFamily_(getattr(api, family)):
            profile = profile_of(handle, name, preset(known))
            facts = (
                f"mps:0 is {name}, {profile.arch} or newer: {profile.shared_bytes >> 10} KiB of threadgroup memory, "
                f"{profile.memory_bytes / 1e9:.0f} GB for the GPU"
            )
            return Target("metal", "mps:0", profile), Finding(Severity.OK, "metal", facts)
    return None, Finding(Severity.WARNING, "metal", f"{name} has no simdgroup matrices", "Use backend='cpu'")


def profile_of(handle: Any, name: str, like: CapabilityProfile) -> CapabilityProfile:
    """Return the profile of a device: memory as the system says, all else as published of its family."""
    return like.replace(
        name=name,
        shared_bytes=int(handle.maxThreadgroupMemoryLength()),
        memory_bytes=int(handle.recommendedMaxWorkingSetSize()),
        memory_guessed=not like.is_called(name),
        probed=True,
        source=f"Metal; cores, clocks and rates of {like.name}: {like.source}",
    )

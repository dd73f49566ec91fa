# SPDX-License-Identifier: MIT
"""Which AMD GPUs there are and what they can do: the runtime's library, AMD's bindings, the driver's device file, then the devices.

Loading a driver takes time and can hang on a broken one, so HIP is asked only where all three are there. Never raises.
"""

from __future__ import annotations

import ctypes.util
import os
from importlib import metadata
from typing import Any

from tracea_core.doctor.presets import preset_names, preset_target
from tracea_core.errors import TraceaError
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.target import CapabilityProfile, Target

from tracea_hip import driver as hip
from tracea_hip.driver import Driver

WAY_ON = "`tracea emit --preset mi300x` writes sources without a device and, with clang, binaries"
_BINDINGS = "rocm-bindings-hip"
_KFD = "/dev/kfd"


def runtime_library() -> Finding:
    """Say whether HIP's runtime library is on the loader's path."""
    library = ctypes.util.find_library("amdhip64")
    if library:
        return Finding(Severity.OK, "hip runtime", f"{library} is installed")
    return Finding(
        Severity.INFO,
        "hip runtime",
        "libamdhip64 is not on the loader's path",
        f"Install ROCm's HIP runtime if this machine has such a GPU. {WAY_ON}",
    )


def device_file(path: str = _KFD) -> Finding:
    """Say whether the kernel driver's device file exists and may be used."""
    if not os.path.exists(path):
        return Finding(
            Severity.INFO, "hip driver", f"{path} does not exist: no AMD GPU, or the amdgpu driver is not loaded"
        )
    if not os.access(path, os.R_OK | os.W_OK):
        hint = "Add the user to the groups render and video, and log in again"
        return Finding(Severity.WARNING, "hip driver", f"{path} exists and this user may not open it", hint)
    return Finding(Severity.OK, "hip driver", f"{path} may be opened")


def bindings() -> Finding:
    """Say whether AMD's Python bindings, through which kernels are launched, are installed."""
    try:
        return Finding(Severity.OK, "hip bindings", f"{_BINDINGS} {metadata.version(_BINDINGS)}")
    except metadata.PackageNotFoundError:
        return Finding(
            Severity.INFO, "hip bindings", f"{_BINDINGS} is not installed", "pip install 'tracea-hip[launch]'"
        )


def probe() -> ProbeReport:
    """Report every device that HIP shows, with its profile, and what keeps one from being used."""
    found = (device_file(), runtime_library(), bindings())
    if found[0].severity is not Severity.OK or found[2].severity is not Severity.OK:
        return ProbeReport(findings=found)
    try:
        return devices(hip.driver(), found)
    except TraceaError as error:
        told = Finding(Severity.WARNING, "hip", error.message, error.hint or "")
    except Exception as error:
        told = Finding(
            Severity.WARNING, "hip", f"HIP fails: {type(error).__name__}: {error}", "Look at it with rocminfo"
        )
    return ProbeReport(findings=(*found, told))


def devices(driver: Driver, found: tuple[Finding, ...] = ()) -> ProbeReport:
    """Report the devices of a runtime; they are called as PyTorch calls them, ``cuda:N``."""
    findings, targets = [*found, Finding(Severity.OK, "hip version", f"HIP {driver.version}")], []
    for ordinal in range(driver.device_count()):
        try:
            properties = driver.properties(ordinal)
            profile = profile_of(properties)
        except Exception as error:
            message = f"cuda:{ordinal} cannot be examined: {error}"
            findings.append(Finding(Severity.WARNING, "hip", message, "Look at it with rocminfo"))
            continue
        words = f"cuda:{ordinal} is {_text(properties.name)}, {_text(properties.gcnArchName)}"
        if profile is None:
            hint = "Use backend='cpu'"
            findings.append(Finding(Severity.WARNING, "hip", f"{words}, for which no kernels are printed", hint))
            continue
        targets.append(Target("hip", f"cuda:{ordinal}", profile))
        facts = (
            f"{words}: {profile.processors} compute units, {profile.shared_bytes >> 10} KiB of LDS a block, "
            f"{profile.memory_bytes / 1e9:.0f} GB, up to {profile.clock_mhz:.0f} MHz"
        )
        findings.append(Finding(Severity.OK, "hip", facts))
    return ProbeReport(tuple(targets), tuple(findings))


def _text(value: Any) -> str:
    return (value.decode(errors="replace") if isinstance(value, bytes) else str(value)).rstrip("\0")


def published(name: str, arch: str) -> CapabilityProfile | None:
    """Return the published device nearest to this one, None if kernels are printed for none of its kind.

    CDNA's matrix instructions differ from architecture to architecture; RDNA's are those of the generation (gfx11, gfx12).
    """
    known = [preset_target(preset).profile for preset in preset_names()]
    generation = arch[:5] if arch.startswith(("gfx11", "gfx12")) else arch
    alike = [profile for profile in known if profile.backend == "hip" and profile.arch.startswith(generation)]
    words = name.lower().split()
    return max(
        alike,
        key=lambda profile: (profile.arch == arch, sum(word in words for word in profile.name.lower().split())),
        default=None,
    )


def profile_of(properties: Any) -> CapabilityProfile | None:
    """Return the profile of a device: memory, LDS, clock and compute units as HIP says, instructions and rates as published.

    Rates are scaled with compute units and clock. HIP counts pairs of compute units on RDNA, so their number is the published one.
    """
    name, arch = _text(properties.name), _text(properties.gcnArchName).split(":", 1)[0]
    like = published(name, arch)
    if like is None:
        return None
    processors = int(properties.multiProcessorCount) if like.lanes == 64 else like.processors
    clock = int(properties.clockRate) / 1000 or like.clock_mhz
    scale = processors * clock / (like.processors * like.clock_mhz)
    return like.replace(
        name=name if name.startswith("AMD") else f"AMD {name}",
        arch=arch,
        probed=True,
        processors=processors,
        shared_bytes=min(int(properties.sharedMemPerBlock), like.shared_bytes),
        max_threads_per_block=int(properties.maxThreadsPerBlock),
        memory_bytes=int(properties.totalGlobalMem),
        clock_mhz=clock,
        memory_guessed=not like.is_called(name),
        peak_gflops_fp32=like.peak_gflops_fp32 * scale,
        peak_gflops=tuple((kind, rate * scale) for kind, rate in like.peak_gflops),
        source=f"HIP; instructions and rates of {like.name}, rates scaled with compute units and clock: {like.source}",
    )

# SPDX-License-Identifier: MIT
"""Which NVIDIA GPUs there are and what they can do, as the driver says; never raises, and creates no context.

What the driver does not say (rates, lane counts of instructions) comes from the published device of the same architecture, and the
profile says so.
"""

from __future__ import annotations

import ctypes.util
import sys
from importlib import metadata

from tracea_core.doctor.presets import preset, preset_names
from tracea_core.errors import TraceaError
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.target import CacheLevel, CapabilityProfile, Target

from tracea_cuda import driver as cuda
from tracea_cuda.compile import COMPILERS
from tracea_cuda.driver import Driver

_INSTALL = 'pip install "tracea[cuda]"'
_PROHIBITED = 2  # CU_COMPUTEMODE_PROHIBITED
_OLDEST = (7, 5)


def installed_driver() -> Finding:
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


def compiler() -> tuple[Finding, ...]:
    """Say which NVRTC wheels are installed, and whether cuda-core is; two majors at once overwrite each other's files."""
    found = [f"{name} {version}" for name in COMPILERS if (version := _version(name))]
    core = _version("cuda-core")
    if len(found) > 1:
        hint = "Keep one of the extras cuda12 and cuda13 in a fresh environment"
        return (Finding(Severity.WARNING, "cuda compiler", " and ".join(found) + " exclude each other", hint),)
    if not found:
        return (Finding(Severity.INFO, "cuda compiler", "no NVRTC wheel is installed", _INSTALL),)
    if core is None:
        return (Finding(Severity.WARNING, "cuda compiler", f"{found[0]} is installed, but not cuda-core", _INSTALL),)
    return (Finding(Severity.OK, "cuda compiler", f"{found[0]} through cuda-core {core}"),)


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def probe() -> ProbeReport:
    """Report every device that CUDA shows, with its profile, and what keeps one from being used."""
    try:
        driver = cuda.driver()
    except TraceaError as error:
        found = installed_driver()
        if found.severity is Severity.OK:
            found = Finding(Severity.WARNING, "cuda driver", error.message, error.hint or "")
        return ProbeReport(findings=(found, *compiler()))
    except Exception as error:
        message = f"the driver fails: {type(error).__name__}: {error}"
        return ProbeReport(findings=(Finding(Severity.WARNING, "cuda driver", message, "Reinstall it"), *compiler()))
    return devices(driver)


def devices(driver: Driver) -> ProbeReport:
    """Report the devices of a driver."""
    findings, targets = [], []
    try:
        major, minor = driver.version
        findings.append(Finding(Severity.OK, "cuda driver", f"the driver serves CUDA {major}.{minor}"))
        count = driver.device_count()
    except TraceaError as error:
        findings.append(Finding(Severity.WARNING, "cuda driver", error.message, error.hint or ""))
        count = 0
    for ordinal in range(count):
        try:
            target, finding = _device(driver, ordinal)
            findings.append(finding)
            targets += [target] if target is not None else []
        except Exception as error:
            message = f"cuda:{ordinal} cannot be examined: {error}"
            findings.append(Finding(Severity.WARNING, "cuda", message, "Look at it with nvidia-smi"))
    return ProbeReport(tuple(targets), (*findings, *compiler()))


def _device(driver: Driver, ordinal: int) -> tuple[Target | None, Finding]:
    handle = driver.device(ordinal)
    name = driver.name(handle)
    capability = driver.attribute(handle, cuda.MAJOR), driver.attribute(handle, cuda.MINOR)
    words = f"cuda:{ordinal} is {name}, compute capability {capability[0]}.{capability[1]}"
    if capability < _OLDEST:
        return None, Finding(Severity.WARNING, "cuda", f"{words}, older than 7.5", "Use backend='cpu'")
    if driver.attribute(handle, cuda.COMPUTE_MODE) == _PROHIBITED:
        return None, Finding(
            Severity.WARNING, "cuda", f"{words}; its compute mode prohibits work", "nvidia-smi -c changes that"
        )
    profile = profile_of(driver, handle, name, capability)
    facts = (
        f"{words}: {profile.processors} multiprocessors, {profile.shared_bytes >> 10} KiB of shared memory a block, "
        f"{profile.memory_bytes / 1e9:.0f} GB, L2 {profile.caches[-1].bytes >> 20} MiB, up to {profile.clock_mhz:.0f} MHz, "
        f"{driver.uuid(handle)}"
    )
    return Target("cuda", f"cuda:{ordinal}", profile), Finding(Severity.OK, "cuda", facts)


def arch_of(capability: tuple[int, int]) -> str:
    """Return the compiler's target: with the features of one architecture alone where it has such."""
    major, minor = capability
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


def published(name: str, arch: str, capability: tuple[int, int]) -> CapabilityProfile:
    """Return the published device nearest to this one: of its name, else of its architecture, else the newest not newer."""
    known = [preset(one) for one in preset_names()]
    mine = [profile for profile in known if profile.backend == "cuda"]
    words = name.lower().split()

    def likeness(profile: CapabilityProfile) -> tuple[bool, int, int, int]:
        listed = profile.name.lower().replace("geforce", "").split()
        number = int(profile.arch.removeprefix("sm_").rstrip("af"))
        own = capability[0] * 10 + capability[1]
        same_arch = profile.arch == arch
        return (
            same_arch,
            number if number <= own else -number,
            sum(word in words for word in listed),
            -profile.processors,
        )

    return max(mine, key=likeness)


def profile_of(driver: Driver, handle: int, name: str, capability: tuple[int, int]) -> CapabilityProfile:
    """Return the profile of a device: sizes and clocks as the driver says, instructions and rates as published.

    Rates of a device that is not the published one itself are scaled with processors and clock.
    """
    arch = arch_of(capability)
    like = published(name, arch, capability)

    def attribute(number: int, default: float) -> float:
        try:
            return driver.attribute(handle, number) or default
        except TraceaError:
            return default  # CUDA 13 may stop answering what it deprecates, such as clocks

    processors = int(attribute(cuda.PROCESSORS, like.processors))
    clock = attribute(cuda.CLOCK_RATE, like.clock_mhz * 1000) / 1000
    bus = attribute(cuda.MEMORY_CLOCK_RATE, 0) * 2 * attribute(cuda.MEMORY_BUS_WIDTH, 0) / 8 / 1e6
    scale = processors * clock / (like.processors * like.clock_mhz)
    l2 = int(attribute(cuda.L2_BYTES, like.caches[-1].bytes))
    shared = int(attribute(cuda.SHARED_PER_BLOCK, like.shared_bytes))
    level1 = CacheLevel(1, max(like.caches[0].bytes, shared), like.caches[0].line_bytes, 1)
    return like.replace(
        name=name if name.startswith("NVIDIA") else f"NVIDIA {name}",
        arch=arch,
        processors=processors,
        lanes=int(attribute(cuda.WARP_SIZE, like.lanes)),
        registers_per_processor=int(attribute(cuda.REGISTERS_PER_PROCESSOR, like.registers_per_processor)),
        shared_bytes=shared,
        max_threads_per_block=int(attribute(cuda.MAX_THREADS_PER_BLOCK, like.max_threads_per_block)),
        max_cluster=like.max_cluster if attribute(cuda.CLUSTER_LAUNCH, 0) else 1,
        caches=(level1, CacheLevel(2, l2, like.caches[-1].line_bytes, processors)),
        memory_bytes=driver.memory_bytes(handle),
        clock_mhz=clock,
        memory_gbps=bus or like.memory_gbps,
        memory_guessed=not bus and not like.is_called(name),
        peak_gflops_fp32=like.peak_gflops_fp32 * scale,
        peak_gflops=tuple((kind, rate * scale) for kind, rate in like.peak_gflops),
        probed=True,
        source=f"driver; instructions and rates of {like.name}, rates scaled with processors and clock: {like.source}",
    )

# SPDX-License-Identifier: MIT
"""What this processor is: instruction set, caches, usable cores, and the rates that follow. Never raises.

Where the system tells (affinity, cgroup quota, /sys), it is asked; peaks are computed from lanes, pipes and clock and say so.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tracea_core.dtypes import DType
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.target import CacheLevel, CapabilityProfile, MatrixInstruction, Target

_T = TypeVar("_T")
_CPU_ROOT = Path("/sys/devices/system/cpu")
_FEATURES = (
    "sse4.2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512vnni", "avx512bf16", "amx-tile",
    "amx-bf16", "amx-int8", "avxvnni", "neon", "dotprod", "bf16", "i8mm", "sve", "fullfp16",
)  # fmt: skip


def probe() -> ProbeReport:
    """Return the one device ``cpu`` and what is worth saying about it."""
    findings: list[Finding] = []

    def attempt(what: str, question: Callable[[], _T], fallback: _T) -> _T:
        try:
            return question()
        except Exception as error:
            message = f"{what} cannot be determined ({type(error).__name__}: {error})"
            findings.append(Finding(Severity.WARNING, "cpu", message, f"Going on with {fallback}"))
            return fallback

    processors = attempt("the number of usable cores", usable_cores, 1)
    features = attempt("the instruction set", _features, ())
    name = attempt("the processor's name", _name, platform.machine())
    llvm_cpu = attempt("LLVM's name of the processor", _llvm_cpu, "")
    if not llvm_cpu:
        findings.append(
            Finding(
                Severity.ERROR, "cpu", "llvmlite cannot be used", "Reinstall it: pip install --force-reinstall llvmlite"
            )
        )
        return ProbeReport((), tuple(findings))
    caches = attempt("the caches", lambda: _caches(processors), ())
    clock = attempt("the clock", _clock_mhz, 0.0)
    profile = cpu_profile(name, llvm_cpu, processors, features, caches, clock)
    message = f"{name}: {processors} cores, {profile.arch}, {profile.lanes} fp32 lanes"
    findings.append(Finding(Severity.OK, "cpu", message))
    return ProbeReport((Target("cpu", "cpu", profile),), tuple(findings))


def cpu_profile(
    name: str,
    llvm_cpu: str,
    processors: int,
    features: tuple[str, ...],
    caches: tuple[CacheLevel, ...] = (),
    clock_mhz: float = 0.0,
) -> CapabilityProfile:
    """Return the profile of a processor with these features.

    Peaks are lanes · 2 FMA pipes · 2 operations · clock · cores, which holds for the server and desktop cores of the last decade; where
    the clock is unknown they are 0.
    """
    has = set(features)
    lanes, registers = (16, 32) if "avx512f" in has else (8, 16) if "avx2" in has else (4, 32 if "neon" in has else 16)
    peak = lanes * 4 * clock_mhz * processors / 1000
    return CapabilityProfile(
        name=name,
        vendor=_vendor(name),
        arch=llvm_cpu,
        backend="cpu",
        processors=processors,
        lanes=lanes,
        vector_registers=registers,
        caches=caches,
        matrix_instructions=tuple(_tiles(lanes, registers)),
        native_dtypes=(DType.FP32, DType.FP64),
        memory_bytes=_memory_bytes(),
        clock_mhz=clock_mhz,
        peak_gflops_fp32=peak,
        peak_gflops=(("fp64", peak / 2), ("bf16", peak), ("fp16", peak), ("int8", peak / 2)),
        features=features,
        probed=True,
        source="probe; peaks computed from lanes, two FMA pipes and the clock",
    )


def _tiles(lanes: int, registers: int) -> list[MatrixInstruction]:
    """The largest register tile of each accumulator type: rows x vectors accumulators, one row of B, one broadcast."""
    rows, vectors = {(16, 32): (6, 4), (8, 16): (4, 3)}.get((lanes, registers), (8, 3) if registers == 32 else (4, 3))
    return [
        fma_outer(rows, vectors, lanes * 4 // dtype.bytes, dtype).summary()
        for dtype in (DType.FP32, DType.FP64, DType.INT32)
    ]


def usable_cores() -> int:
    """Return how many cores this process may use: its affinity mask, cut to its cgroup's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _cgroup_quota(Path("/sys/fs/cgroup/cpu.max"))
    return max(1, min(count, quota or count))


def _cgroup_quota(path: Path) -> int:
    """Whole cores that a version 2 cgroup grants, 0 for no limit."""
    try:
        limit, period = path.read_text().split()
    except (OSError, ValueError):
        return 0
    return 0 if limit == "max" else max(1, int(limit) // int(period))


def _features() -> tuple[str, ...]:
    from tracea_cpu.compile import host_features

    flags = host_features()
    return tuple(name for name in _FEATURES if flags.get(name))


def _llvm_cpu() -> str:
    from tracea_cpu.compile import host_cpu

    return host_cpu()


def _name() -> str:
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    for line in text.splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _vendor(name: str) -> str:
    lowered = name.lower()
    known = {"amd": "amd", "intel": "intel", "apple": "apple", "arm": "arm", "aarch64": "arm"}
    return next((vendor for word, vendor in known.items() if word in lowered), "unknown")


def _clock_mhz() -> float:
    for path, scale in ((_CPU_ROOT / "cpu0/cpufreq/cpuinfo_max_freq", 1000.0),):
        if path.exists():
            return float(path.read_text()) / scale
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("cpu MHz"):
            return float(line.split(":")[1])
    return 0.0


def _memory_bytes() -> int:
    try:
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 0


def _caches(processors: int) -> tuple[CacheLevel, ...]:
    levels = []
    for index in sorted((_CPU_ROOT / "cpu0/cache").glob("index*")):
        kind = (index / "type").read_text().strip()
        if kind == "Instruction":
            continue
        text = (index / "size").read_text().strip()
        size = int(text[:-1]) * {"K": 1024, "M": 1024**2}[text[-1]] if text[-1] in "KM" else int(text)
        shared = _count((index / "shared_cpu_list").read_text())
        levels.append(
            CacheLevel(
                level=int((index / "level").read_text()),
                bytes=size,
                line_bytes=int((index / "coherency_line_size").read_text()),
                shared_by=max(1, min(shared, processors)),
            )
        )
    return tuple(levels)


def _count(text: str) -> int:
    """How many processors a list such as ``0-3,8`` names."""
    total = 0
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        total += int(last or first) - int(first) + 1
    return total

# SPDX-License-Identifier: MIT
"""What this processor is: instruction set, caches, usable cores, and the rates that follow. Never raises.

Where the system tells (affinity, cgroup quota, /sys, sysctl), it is asked. Peaks are computed from lanes, pipes and
clock and say so, unless a measurement is asked for.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tracea_core.dtypes import DType
from tracea_core.plugin.manifest import Finding, ProbeReport, Severity
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.target import DISTANT_CACHE, HALVED_VECTORS, CacheLevel, CapabilityProfile, MatrixInstruction, Target

from tracea_cpu.amx import tiles_are_granted
from tracea_cpu.processors import usable_processors
from tracea_cpu.variants import grouped_products

_T = TypeVar("_T")
_CPU_ROOT = Path("/sys/devices/system/cpu")
_CPUINFO = Path("/proc/cpuinfo")
_FEATURES = (
    "sse4.2", "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni",
    "avx512bf16", "amx-tile", "amx-bf16", "amx-int8", "avxvnni", "neon", "dotprod", "bf16", "i8mm", "sve", "fullfp16",
)  # fmt: skip
_HALVES = ("znver1", "bdver4")
"""LLVM's names of processors with AVX2 whose units are 128 bits wide (Software Optimization Guide for AMD Family 17h Models 00h-2Fh, 2.11;
Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs, chapters on Bulldozer and Ryzen)."""
_MESHES = (
    "skylake-avx512", "cascadelake", "cooperlake", "icelake-server", "sapphirerapids", "emeraldrapids", "graniterapids",
    "graniterapids-d", "diamondrapids",
)  # fmt: skip
"""LLVM's names of processors whose cores and slices of the last cache are joined by a mesh (Intel 64 and IA-32 Architectures Optimization
Reference Manual, chapter on the Skylake Server microarchitecture, "Non-inclusive last level cache"; later ones keep it)."""
_USUAL_CACHES: tuple[CacheLevel, ...] = (CacheLevel(1, 32 << 10, 64, 1), CacheLevel(2, 512 << 10, 64, 1))
_NO_FEATURES: tuple[str, ...] = ()


def probe(measure: bool = False) -> ProbeReport:
    """Return the one device ``cpu`` and what is worth saying about it.

    Parameters
    ----------
    measure : bool
        Measure the rates of multiply-adds and of reading memory on all usable cores (half a second), instead of
        computing the first and leaving the second unknown.
    """
    findings: list[Finding] = []

    def attempt(what: str, question: Callable[[], _T], fallback: _T) -> _T:
        try:
            return question()
        except Exception as error:
            message = f"{what} cannot be determined ({type(error).__name__}: {error})"
            findings.append(Finding(Severity.WARNING, "cpu", message, f"Going on with {fallback or 'none'}"))
            return fallback

    llvm_cpu = attempt("LLVM's name of the processor", _llvm_cpu, "")
    if not llvm_cpu:
        hint = "Reinstall it: pip install --force-reinstall llvmlite"
        findings.append(Finding(Severity.ERROR, "cpu", "llvmlite cannot be used", hint))
        return ProbeReport((), tuple(findings))
    processors = attempt("the number of usable cores", usable_processors, 1)
    features = attempt("the instruction set", _features, _NO_FEATURES)
    name = attempt("the processor's name", _name, platform.machine())
    caches = attempt("the caches", lambda: _caches(processors), _USUAL_CACHES)
    clock = attempt("the clock", _clock_mhz, 0.0)
    profile = cpu_profile(name, llvm_cpu, processors, features, caches, clock)
    if measure:
        profile = attempt("the rates", lambda: _measured(profile), profile)
    lanes = f"{profile.lanes} fp32 lanes"
    findings.append(Finding(Severity.OK, "cpu", f"{name}: {_count_of(processors, 'core')}, {profile.arch}, {lanes}"))
    return ProbeReport((Target("cpu", "cpu", profile),), tuple(findings))


def _count_of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _measured(profile: CapabilityProfile) -> CapabilityProfile:
    """Return `profile` with measured rates; those of other types keep their ratio to fp32's."""
    from tracea_cpu.measure import measure

    rates = measure(profile.lanes, max((cache.bytes for cache in profile.caches), default=0))
    return profile.replace(
        peak_gflops_fp32=rates.gflops_fp32,
        peak_gflops=_peaks(rates.gflops_fp32),
        memory_gbps=rates.memory_gbps,
        source="probe; multiply-adds and reading measured on all usable cores",
    )


def _peaks(fp32: float) -> tuple[tuple[str, float], ...]:
    """Peaks of the other types: 16-bit floats are widened to fp32, int8 is multiplied as 32-bit integers."""
    return (("fp64", fp32 / 2), ("bf16", fp32), ("fp16", fp32), ("int8", fp32 / 2))


def cpu_profile(
    name: str,
    llvm_cpu: str,
    processors: int,
    features: tuple[str, ...],
    caches: tuple[CacheLevel, ...] = (),
    clock_mhz: float = 0.0,
) -> CapabilityProfile:
    """Return the profile of a processor with these features.

    Peaks are lanes · 2 FMA pipes · 2 operations · clock · cores, which holds for the server and desktop cores of the
    last decade, half as much where vectors are halved; where the clock is unknown they are 0.
    """
    halved = llvm_cpu in _HALVES and "avx2" in features
    features = (*features, HALVED_VECTORS) if halved else features
    features = (*features, DISTANT_CACHE) if llvm_cpu in _MESHES and "avx512f" in features else features
    has = set(features)
    lanes, registers = (16, 32) if "avx512f" in has else (8, 16) if "avx2" in has else (4, 32 if "neon" in has else 16)
    peak = lanes * (2 if halved else 4) * clock_mhz * processors / 1000
    return CapabilityProfile(
        name=name,
        vendor=_vendor(name),
        arch=llvm_cpu,
        backend="cpu",
        processors=processors,
        lanes=lanes,
        vector_registers=registers,
        caches=caches,
        matrix_instructions=(*_tiles(lanes, registers), *grouped_products(has, lanes)),
        native_dtypes=(DType.FP32, DType.FP64),
        memory_bytes=_memory_bytes(),
        clock_mhz=clock_mhz,
        peak_gflops_fp32=peak,
        peak_gflops=_peaks(peak),
        features=features,
        probed=True,
        source=f"probe; peaks are estimates from lanes, {'one FMA pipe' if halved else 'two FMA pipes'} and the nominal clock",
    )


def _tiles(lanes: int, registers: int) -> list[MatrixInstruction]:
    """The largest register tile of each accumulator type: rows x vectors accumulators, one row of B, one broadcast."""
    rows, vectors = {(16, 32): (6, 4), (8, 16): (4, 3)}.get((lanes, registers), (8, 3) if registers == 32 else (4, 3))
    return [
        fma_outer(rows, vectors, lanes * 4 // dtype.bytes, dtype).summary()
        for dtype in (DType.FP32, DType.FP64, DType.INT32)
    ]


def _features() -> tuple[str, ...]:
    from tracea_cpu.compile import host_features

    flags = host_features()
    granted = not flags.get("amx-tile") or tiles_are_granted()
    return tuple(name for name in _FEATURES if flags.get(name) and (granted or not name.startswith("amx")))


def _llvm_cpu() -> str:
    from tracea_cpu.compile import host_cpu

    return host_cpu()


def _name() -> str:
    for key in ("model name", "Model", "Hardware"):
        for line in _cpuinfo():
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    return _sysctl_text("machdep.cpu.brand_string") or platform.processor() or platform.machine()


def _cpuinfo() -> list[str]:
    return _CPUINFO.read_text(errors="replace").splitlines() if _CPUINFO.exists() else []


def _vendor(name: str) -> str:
    lowered = name.lower()
    known = {"amd": "amd", "intel": "intel", "apple": "apple", "arm": "arm", "aarch64": "arm"}
    return next((vendor for word, vendor in known.items() if word in lowered), "unknown")


def _clock_mhz() -> float:
    path = _CPU_ROOT / "cpu0/cpufreq/cpuinfo_max_freq"
    if path.exists():
        return float(path.read_text()) / 1000
    for line in _cpuinfo():
        if line.startswith("cpu MHz"):
            return float(line.split(":")[1])
    return _sysctl("hw.cpufrequency_max") / 1e6


def _memory_bytes() -> int:
    try:
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 0


def _caches(processors: int) -> tuple[CacheLevel, ...]:
    """Data and unified caches as /sys or sysctl lists them; how many of the usable processors share one."""
    levels = []
    for index in sorted((_CPU_ROOT / "cpu0/cache").glob("index*")):
        if (index / "type").read_text().strip() == "Instruction":
            continue
        text = (index / "size").read_text().strip()
        size = int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}[text[-1]] if text[-1] in "KM" else int(text)
        shared = max(1, min(_count((index / "shared_cpu_list").read_text()), processors))
        line = int((index / "coherency_line_size").read_text())
        levels.append(CacheLevel(int((index / "level").read_text()), size, line, shared))
    if not levels:
        line = _sysctl("hw.cachelinesize") or 64
        sizes = ((1, _sysctl("hw.l1dcachesize"), 1), (2, _sysctl("hw.l2cachesize"), min(4, processors)))
        levels = [CacheLevel(level, size, line, shared) for level, size, shared in sizes if size]
    return tuple(levels) or _USUAL_CACHES


def _count(text: str) -> int:
    """How many processors a list such as ``0-3,8`` names."""
    total = 0
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        total += int(last or first) - int(first) + 1
    return total


def _sysctl(name: str) -> int:
    """Return an integer that macOS knows by `name`; 0 where there is none."""
    value = ctypes.c_int64(0)
    size = ctypes.c_size_t(ctypes.sizeof(value))
    return value.value if _ask_sysctl(name, ctypes.byref(value), size) else 0


def _sysctl_text(name: str) -> str:
    """Return a text that macOS knows by `name`; empty where there is none."""
    value = ctypes.create_string_buffer(256)
    return value.value.decode(errors="replace") if _ask_sysctl(name, value, ctypes.c_size_t(256)) else ""


def _ask_sysctl(name: str, value: object, size: ctypes.c_size_t) -> bool:
    if sys.platform != "darwin":
        return False
    library = ctypes.CDLL(None)
    return bool(library.sysctlbyname(name.encode(), value, ctypes.byref(size), None, ctypes.c_size_t(0)) == 0)

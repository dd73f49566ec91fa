# SPDX-License-Identifier: MIT
"""OpenCL through pyopencl, imported when somebody asks: the devices of this machine, and what is missing to reach them.

Devices are numbered over all platforms in the loader's order. Kernels work on the host's own memory where a device shares all of it
(fine-grained system SVM), as OpenCL on processors does; on others they work on SVM that tracea allocates.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple

from tracea_core.errors import BackendUnavailableError
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.target import SEPARATE_WORKERS, SUB_GROUP_SHUFFLE, CacheLevel, CapabilityProfile

WAY_ON = (
    "Install pyopencl and an OpenCL driver (intel-opencl-rt, or the system's pocl-opencl-icd, run on any x86 processor)"
)
_COARSE_SVM, _SYSTEM_SVM = 1, 8
_CPU_TYPE = 2


class OpenClDevice(NamedTuple):
    """A device as pyopencl knows it, and its number."""

    number: int
    platform: Any
    handle: Any

    @property
    def name(self) -> str:
        """The device as users write it."""
        return f"sycl:{self.number}"

    @property
    def shares_host_memory(self) -> bool:
        """Whether kernels reach every address of the process."""
        return bool(svm_capabilities(self.handle) & _SYSTEM_SVM)

    @property
    def is_processor(self) -> bool:
        """Whether it is the host's processor."""
        return bool(self.handle.type & _CPU_TYPE)

    @property
    def is_nvidia(self) -> bool:
        """Whether NVIDIA's driver runs it."""
        return "nvidia" in self.platform.name.lower()

    def describe(self) -> str:
        """Return its name, platform and versions in one line."""
        handle = self.handle
        return f"{handle.name.strip()} of {self.platform.name.strip()}, driver {handle.driver_version.strip()}"


def svm_capabilities(handle: Any) -> int:
    """Return the bits of CL_DEVICE_SVM_CAPABILITIES, 0 where the device predates them."""
    try:
        return int(handle.svm_capabilities)
    except Exception:
        return 0


def pyopencl() -> Any:
    """Return the module.

    Raises
    ------
    BackendUnavailableError
        If it cannot be imported.
    """
    try:
        return importlib.import_module("pyopencl")
    except Exception as error:
        raise BackendUnavailableError(
            f"pyopencl cannot be imported: {type(error).__name__}: {error}", hint=WAY_ON, backend="sycl"
        ) from error


@functools.lru_cache(maxsize=1)
def devices() -> tuple[OpenClDevice, ...]:
    """Return every device that kernels can be launched on: those with SVM and a compiler.

    Raises
    ------
    BackendUnavailableError
        If pyopencl is missing, or the loader finds no platform.
    """
    cl = pyopencl()
    try:
        platforms = cl.get_platforms()
    except Exception as error:
        raise BackendUnavailableError(f"OpenCL has no platform: {error}", hint=WAY_ON, backend="sycl") from error
    found: list[OpenClDevice] = []
    for platform in platforms:
        try:
            listed = platform.get_devices()
        except Exception:
            continue  # a platform without devices answers with an error
        for handle in listed:
            if handle.compiler_available and svm_capabilities(handle) & (_COARSE_SVM | _SYSTEM_SVM):
                found.append(OpenClDevice(len(found), platform, handle))
    return tuple(found)


def host_device() -> OpenClDevice | None:
    """Return the device that arrays in host memory are given to: one that shares it, Intel's before others for its sub-groups."""
    shared = [device for device in devices() if device.shares_host_memory and device.is_processor]
    return min(shared, key=lambda device: "intel" not in device.platform.name.lower(), default=None)


def find(name: str) -> OpenClDevice:
    """Return the device called ``sycl:N``, or the one that ``cpu`` stands for.

    Raises
    ------
    BackendUnavailableError
        If there is none.
    """
    device = host_device() if name == "cpu" else next((d for d in devices() if d.name == name), None)
    if device is None:
        known = ", ".join(d.name for d in devices())
        raise BackendUnavailableError(
            f"OpenCL has no device {name!r}", hint=f"It has {known}" if known else WAY_ON, backend="sycl"
        )
    return device


def profile(device: OpenClDevice) -> CapabilityProfile:
    """Return what OpenCL says about a device. It publishes no rates and no registers: those are a modest GPU's, until memory is measured.

    A processor is described by its vectors (`_processor`). NVIDIA's GPUs are known: warps of 32, 64 Ki registers and 128 lanes of a
    multiprocessor, 32 banks (CUDA C++ Programming Guide, "Compute Capabilities").
    """
    if device.is_processor:
        return _processor(device)
    handle, nvidia = device.handle, device.is_nvidia
    clock = float(handle.max_clock_frequency) or 2000.0
    units = max(int(handle.max_compute_units), 1)
    lanes = 32 if nvidia else 16
    rate = units * lanes * 8 * clock / 1000
    registers, most = (1 << 16, 255) if nvidia else (1 << 17, 256)
    return CapabilityProfile(
        name=handle.name.strip(), vendor=handle.vendor.strip() or "unknown", arch="opencl", backend="sycl", processors=units,
        lanes=lanes, registers_per_processor=registers, max_registers_per_thread=most, shared_bytes=int(handle.local_mem_size),
        shared_banks=32 if nvidia else 16, max_threads_per_block=min(int(handle.max_work_group_size), 1024),
        memory_bytes=int(handle.global_mem_size), clock_mhz=clock, memory_gbps=200.0,
        peak_gflops_fp32=rate, features=_features(device), memory_guessed=True, probed=True, source=device.describe(),
    )  # fmt: skip


_SHUFFLES = ("cl_khr_subgroup_shuffle", "cl_intel_subgroups")


def _features(device: OpenClDevice) -> tuple[str, ...]:
    """Return what a GPU's compiler has words for: NVIDIA's takes its own instructions, of which ``lanes.cl`` makes an exchange."""
    words = str(getattr(device.handle, "extensions", "")).split()
    return (SUB_GROUP_SHUFFLE,) if device.is_nvidia or any(word in words for word in _SHUFFLES) else ()


_TILES = {16: (6, 4), 8: (4, 3), 4: (4, 3)}
"""Rows and vectors of the register tile by a vector's fp32 lanes: with one row of B and a broadcast they fill 32 or 16 registers."""
_USUAL_CACHES = (CacheLevel(1, 32 << 10, 64, 1), CacheLevel(2, 512 << 10, 64, 1))
"""OpenCL tells of one cache, and drivers differ in which."""


def _processor(device: OpenClDevice) -> CapabilityProfile:
    """Return the profile of a processor: a work-item is a worker with vectors of the device's own width.

    Vectors of 512 bits come with 32 registers, others are taken to have 16. Work-groups cannot wait for one another.
    """
    handle = device.handle
    clock = float(handle.max_clock_frequency) or 2000.0
    units = max(int(handle.max_compute_units), 1)
    lanes = next((width for width in _TILES if width <= int(handle.native_vector_width_float)), 4)
    rows, vectors = _TILES[lanes]
    return CapabilityProfile(
        name=handle.name.strip(), vendor=handle.vendor.strip() or "unknown", arch="opencl", backend="sycl", processors=units,
        lanes=lanes, vector_registers=32 if lanes == 16 else 16, caches=_USUAL_CACHES,
        matrix_instructions=(fma_outer(rows, vectors, lanes).summary(),), memory_bytes=int(handle.global_mem_size),
        clock_mhz=clock, memory_gbps=20.0, peak_gflops_fp32=units * lanes * 4 * clock / 1000, features=(SEPARATE_WORKERS,),
        memory_guessed=True, probed=True, source=device.describe(),
    )  # fmt: skip

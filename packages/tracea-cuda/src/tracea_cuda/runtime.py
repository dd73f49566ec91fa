# SPDX-License-Identifier: MIT
"""The CUDA runtime: an opened device, and kernels loaded into its primary context, the one that PyTorch uses too."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource
from tracea_core.errors import DeviceError
from tracea_core.runtime.checked import check_block
from tracea_core.runtime.device_memory import DeviceBytes, event_timer
from tracea_core.tuner.measure import Timer

from tracea_cuda import compile as compiler
from tracea_cuda import driver as cuda
from tracea_cuda.driver import Driver
from tracea_cuda.launch import PORTABLE_CLUSTER, CudaLauncher
from tracea_cuda.scratch import arena

_DEVICE = re.compile(r"cuda(?::(\d+))?")
_SMALLEST_FLUSH = 128 << 20


class Limits(NamedTuple):
    """What one block may ask for: threads, dynamic shared memory in bytes, and whether blocks may form clusters."""

    threads: int
    shared_bytes: int
    clusters: bool


class Device:
    """A device with its primary context retained for the life of the process."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        count = driver.device_count()
        if ordinal >= count:
            raise DeviceError(f"there is no device cuda:{ordinal}", hint=f"CUDA shows {count} devices, counted from 0")
        self.driver, self.ordinal = driver, ordinal
        handle = driver.device(ordinal)
        self.limits = Limits(
            driver.attribute(handle, cuda.MAX_THREADS_PER_BLOCK),
            driver.attribute(handle, cuda.SHARED_PER_BLOCK),
            bool(driver.attribute(handle, cuda.CLUSTER_LAUNCH)),
        )
        self.capability = (driver.attribute(handle, cuda.MAJOR), driver.attribute(handle, cuda.MINOR))
        self.l2_bytes = driver.attribute(handle, cuda.L2_BYTES)
        self.context = driver.primary_context(handle)

    @property
    def name(self) -> str:
        """The device as users write it."""
        return f"cuda:{self.ordinal}"

    def call(self, name: str, *arguments: Any, what: str) -> None:
        """Call a function of the driver in the device's context.

        Raises
        ------
        LaunchError
            With the driver's own words.
        """
        with self.driver.active(self.context):
            self.driver.check(getattr(self.driver.library, name)(*arguments), what, device=self.name)

    # ---- memory and events; see `tracea_core.runtime.device_memory.MemoryDevice`

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes, aligned to 256, that live as long as the process or until `free`.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        address = ctypes.c_void_p()
        self.call("cuMemAlloc_v2", ctypes.byref(address), size, what=f"allocating {size} bytes")
        return int(address.value or 0)

    def free(self, address: int) -> None:
        """Give memory back."""
        self.call("cuMemFree_v2", address, what="freeing memory")

    def upload(self, target: int, source: int, size: int) -> None:
        """Copy bytes of the host to the device."""
        self.call("cuMemcpyHtoD_v2", target, source, size, what=f"copying {size} bytes")

    def download(self, target: int, source: int, size: int) -> None:
        """Copy bytes of the device to the host, once all of its work has run."""
        self.synchronize()
        self.call("cuMemcpyDtoH_v2", target, source, size, what=f"copying {size} bytes")

    def clear(self, address: int, size: int) -> None:
        """Queue writing zeros on the default stream."""
        self.call("cuMemsetD8Async", address, 0, size, None, what="clearing memory")

    def synchronize(self) -> None:
        """Wait for all work of the device; an error of a kernel is raised here.

        Raises
        ------
        LaunchError
            If a kernel failed.
        """
        self.call("cuCtxSynchronize", what="waiting for the device")

    def event(self) -> int:
        """Return a new event."""
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0, what="creating an event")
        return int(event.value or 0)

    def record(self, event: int) -> None:
        """Queue an event on the default stream."""
        self.call("cuEventRecord", event, None, what="recording an event")

    def elapsed(self, start: int, end: int) -> float:
        """Wait for `end`, and return the seconds since `start`."""
        elapsed = ctypes.c_float()
        self.call("cuEventSynchronize", end, what="waiting for the kernel")
        self.call("cuEventElapsedTime", ctypes.byref(elapsed), start, end, what="reading an event's time")
        return elapsed.value * 1e-3


class CudaKernel:
    """Machine code of one source, loaded; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, device: Device, binary: bytes) -> None:
        self.source, self.device = source, device
        launch, driver, limits = source.launch, device.driver, device.limits
        check_block(source, threads=limits.threads, shared_bytes=limits.shared_bytes, clusters=limits.clusters)
        with driver.active(device.context):
            self.function = driver.load(binary, source.entry)
            driver.set_function_attribute(
                self.function, cuda.MAX_DYNAMIC_SHARED, launch.shared_bytes, "asking for dynamic shared memory"
            )
            if launch.cluster > PORTABLE_CLUSTER:
                driver.set_function_attribute(self.function, cuda.NON_PORTABLE_CLUSTER, 1, "asking for a large cluster")
            self.fixed_cluster = (
                launch.cluster > 1 and driver.function_attribute(self.function, cuda.REQUIRED_CLUSTER_WIDTH) > 0
            )

    def prepare(self, symbols: Mapping[str, int]) -> CudaLauncher:
        """Bind the symbols and return what launches.

        Raises
        ------
        LaunchError
            If a symbol is missing or outside its domain, or the launch does not fit the device.
        """
        return CudaLauncher(self, symbols)


class CudaRuntime:
    """One NVIDIA GPU; see `tracea_core.runtime.interface.Runtime`.

    Attributes
    ----------
    scratch : Arena
        Workspaces of plans of several kernels.
    """

    memory = "device"

    def __init__(self, device: Device) -> None:
        self._device = device
        self.scratch = arena(device)

    @property
    def device(self) -> str:
        """The device as users write it."""
        return self._device.name

    @property
    def toolchain(self) -> str:
        """NVRTC and the driver, with their versions."""
        return "{}, driver {}.{}".format(compiler.compiler(), *self._device.driver.version)

    def compile(self, source: KernelSource) -> CudaKernel:
        """Return `source` compiled, from the binary cache where it holds it, and loaded.

        Raises
        ------
        CompileError
            If NVRTC rejects the text, or the assembler spilled, dropped a register budget or serialized wgmma.
        LaunchError
            If the driver does not load it.
        """
        return CudaKernel(source, self._device, compiler.binary(source))

    def place(self, content: npt.NDArray[np.uint8]) -> DeviceBytes:
        """Return a copy of `content` in the device's memory.

        Raises
        ------
        LaunchError
            If there is not enough of it.
        """
        return DeviceBytes(self._device, content)

    def timer(self) -> Timer:
        """Return what times launches on the default stream, between events and with the L2 cache emptied before each."""
        flush = max(2 * self._device.l2_bytes, _SMALLEST_FLUSH)
        return event_timer(self._device, flush, "device events, L2 flushed")


def open_runtime(device: str) -> CudaRuntime:
    """Return the runtime of ``cuda:N`` (``cuda`` is ``cuda:0``).

    Raises
    ------
    BackendUnavailableError
        If there is no driver, or it does not start.
    DeviceError
        If there is no such device.
    """
    named = _DEVICE.fullmatch(device)
    if named is None:
        raise DeviceError(f"{device!r} is no device of CUDA's", hint="They are like cuda:0")
    return CudaRuntime(Device(cuda.driver(), int(named[1] or 0)))

# SPDX-License-Identifier: MIT
"""The CUDA runtime: an opened device, and kernels loaded into its primary context, the one that PyTorch uses too."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource
from tracea_core.errors import DeviceError, LaunchError
from tracea_core.tuner.measure import Timer

from tracea_cuda import compile as compiler
from tracea_cuda import driver as cuda
from tracea_cuda.driver import Driver
from tracea_cuda.launch import PORTABLE_CLUSTER, CudaLauncher
from tracea_cuda.measure import DeviceBytes, timer
from tracea_cuda.scratch import arena

_DEVICE = re.compile(r"cuda(?::(\d+))?")


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
        self.several = count > 1

    @property
    def name(self) -> str:
        """The device as users write it."""
        return f"cuda:{self.ordinal}"

    def allocate(self, size: int, *, zero: bool = False) -> int:
        """Return the address of `size` bytes, aligned to 256, that live as long as the process or until `free`.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        address = ctypes.c_void_p()
        library = self.driver.library
        with self.driver.active(self.context):
            code = library.cuMemAlloc_v2(ctypes.byref(address), size)
            self.driver.check(code, f"allocating {size} bytes", device=self.name)
            if zero:
                self.driver.check(library.cuMemsetD8_v2(address.value, 0, size), "clearing memory", device=self.name)
                self.driver.check(library.cuCtxSynchronize(), "clearing memory", device=self.name)
        return int(address.value or 0)

    def free(self, address: int) -> None:
        """Give memory back."""
        with self.driver.active(self.context):
            self.driver.check(self.driver.library.cuMemFree_v2(address), "freeing memory", device=self.name)

    def synchronize(self) -> None:
        """Wait for all work of the device; an error of a kernel is raised here.

        Raises
        ------
        LaunchError
            If a kernel failed.
        """
        with self.driver.active(self.context):
            self.driver.check(self.driver.library.cuCtxSynchronize(), "waiting for the device", device=self.name)


class CudaKernel:
    """Machine code of one source, loaded; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, device: Device, binary: bytes) -> None:
        self.source, self.device = source, device
        launch, driver = source.launch, device.driver
        with driver.active(device.context):
            self.function = driver.load(binary, source.entry)
            if launch.shared_bytes > device.limits.shared_bytes:
                raise LaunchError(
                    f"a block wants {launch.shared_bytes} bytes of shared memory; {device.name} gives {device.limits.shared_bytes}",
                    hint="Choose fewer stages or smaller tiles", kernel=source.entry,
                )  # fmt: skip
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
        return timer(self._device)


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

# SPDX-License-Identifier: MIT
"""The HIP runtime: an opened device, code objects loaded into it, and launches whose arguments were packed before.

A frame holds the arguments of one set of addresses: pointers, symbols, and the table of their places. It never changes once it is
made, so a repeated call is one look-up and one call of the bindings, threads cannot disturb each other, and a graph may capture it.
Written against AMD's documentation of HIP and of its Python bindings; no such device was at hand.
"""

from __future__ import annotations

import ctypes
import re
import struct
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource
from tracea_core.errors import DeviceError, LaunchError
from tracea_core.runtime.arena import Arena
from tracea_core.runtime.checked import check_addresses, check_block, check_symbols, launched_blocks
from tracea_core.runtime.device_memory import DeviceBytes, event_timer
from tracea_core.tuner.measure import Timer

from tracea_hip import compile as compiler
from tracea_hip import driver as hip
from tracea_hip.driver import Driver

FRAMES = 256
"""Sets of addresses that a launcher remembers."""
_DEVICE = re.compile(r"(?:cuda|hip)(?::(\d+))?")
_MOST_THREADS = (1 << 32) - 1
"""Threads of a whole launch (hipModuleLaunchKernel: gridDimX · blockDimX < 2^32)."""
_SMALLEST_FLUSH = 512 << 20
"""Twice the 256 MiB that the last cache of MI300 holds; properties tell of the L2 cache only."""
_CAPTURING = 1  # hipStreamCaptureStatusActive


class Device:
    """One device. HIP opens it with the first call that needs it, for the life of the process."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        count = driver.device_count()
        if ordinal >= count:
            raise DeviceError(f"there is no device cuda:{ordinal}", hint=f"HIP shows {count} devices, counted from 0")
        self.driver, self.ordinal, self.several = driver, ordinal, count > 1
        properties = driver.properties(ordinal)
        self.arch = arch_of(properties)
        self.most_threads = int(properties.maxThreadsPerBlock)
        self.shared_bytes = int(properties.sharedMemPerBlock)
        self.l2_bytes = int(properties.l2CacheSize)

    @property
    def name(self) -> str:
        """The device as users write it; PyTorch calls AMD's devices cuda."""
        return f"cuda:{self.ordinal}"

    def call(self, name: str, *arguments: Any, what: str, **facts: Any) -> Any:
        """Call a function of the runtime with this device active; see `Driver.call`."""
        with self.driver.active(self.ordinal):
            return self.driver.call(name, *arguments, what=what, device=self.name, **facts)

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes, aligned to 256.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        return int(self.call("hipMalloc", size, what=f"allocating {size} bytes"))

    def free(self, address: int) -> None:
        """Give memory back."""
        self.call("hipFree", address, what="freeing memory")

    def upload(self, target: int, source: int, size: int) -> None:
        """Copy bytes of the host to the device."""
        self.call("hipMemcpyHtoD", target, source, size, what=f"copying {size} bytes")

    def download(self, target: int, source: int, size: int) -> None:
        """Copy bytes of the device to the host, once all of its work has run."""
        self.synchronize()
        self.call("hipMemcpyDtoH", target, source, size, what=f"copying {size} bytes")

    def clear(self, address: int, size: int) -> None:
        """Queue writing zeros on the default stream."""
        self.call("hipMemsetAsync", address, 0, size, None, what="emptying the caches")

    def event(self) -> Any:
        """Return a new event."""
        return self.call("hipEventCreate", what="creating an event")

    def record(self, event: Any) -> None:
        """Queue an event on the default stream."""
        self.call("hipEventRecord", event, None, what="recording an event")

    def elapsed(self, start: Any, end: Any) -> float:
        """Wait for `end`, and return the seconds since `start`; errors of kernels are raised here."""
        self.call("hipEventSynchronize", end, what="waiting for the kernel")
        return float(self.call("hipEventElapsedTime", start, end, what="reading an event's time")) * 1e-3

    def captured(self, stream: int) -> int:
        """Return the number of the graph that a stream is being captured into, counted from 1, or 0."""
        code, status, number = self.driver.hip.hipStreamGetCaptureInfo(stream or None)
        return int(number) + 1 if not int(code) and int(status) == _CAPTURING else 0

    def synchronize(self) -> None:
        """Wait for all work of the device; an error of a kernel is raised here.

        Raises
        ------
        LaunchError
            If a kernel failed.
        """
        self.call("hipDeviceSynchronize", what="waiting for the device")


def arch_of(properties: Any) -> str:
    """Return the architecture, such as gfx942; ``gcnArchName`` may name features after it."""
    name = properties.gcnArchName
    text = name.decode() if isinstance(name, bytes) else str(name)
    return text.rstrip("\0").split(":", 1)[0]


class HipKernel:
    """A code object of one source, loaded; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, device: Device, binary: bytes) -> None:
        self.source, self.device = source, device
        check_block(source, threads=device.most_threads, shared_bytes=device.shared_bytes)
        with device.driver.active(device.ordinal):
            self.module, self.function = device.driver.load(binary, source.entry)

    def prepare(self, symbols: Mapping[str, int]) -> HipLauncher:
        """Bind the symbols and return what launches.

        Raises
        ------
        LaunchError
            If a symbol is missing or outside its domain, or there are no blocks or too many.
        """
        return HipLauncher(self, symbols)


class HipLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`."""

    def __init__(self, kernel: HipKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        check_symbols(source, symbols)
        self._kernel, self._device = kernel, kernel.device
        self.blocks = launched_blocks(source, symbols, _MOST_THREADS // source.launch.threads)
        self._values = b"".join(
            struct.pack("=q" if s.wide else "=i4x", int(symbols[s.name])) for s in source.symbols
        )  # each in eight bytes of its own
        self._frames: dict[tuple[int, ...], tuple[int, Any]] = {}
        self._guard = threading.Lock()

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Queue the kernel on `stream`, a hipStream_t's handle.

        Raises
        ------
        LaunchError
            If an address cannot be served, or the runtime refuses.
        """
        frame = self._frames.get(pointers) or self._frame(pointers)
        if self._device.several:
            with self._device.driver.active(self._device.ordinal):
                self._launch(frame[0], stream)
        else:
            self._launch(frame[0], stream)

    def _launch(self, table: int, stream: int) -> None:
        kernel, threads = self._kernel, self._kernel.source.launch.threads
        code = self._device.driver.hip.hipModuleLaunchKernel(
            kernel.function, self.blocks, 1, 1, threads, 1, 1, 0, stream or None, table, None
        )[0]
        if code:
            raise self._device.driver.error(
                "launching the kernel", code, kernel=kernel.source.entry, device=self._device.name, blocks=self.blocks,
                threads=threads, stream=hex(stream),
            )  # fmt: skip

    def _frame(self, pointers: tuple[int, ...]) -> tuple[int, Any]:
        """Return a new frame (the address of its table of arguments, its memory) and remember it."""
        check_addresses(self._kernel.source, pointers)
        packed = struct.pack(f"={len(pointers)}Q", *pointers) + self._values
        memory = (ctypes.c_uint64 * (2 * len(packed) // 8))()
        base = ctypes.addressof(memory)
        ctypes.memmove(base, packed, len(packed))
        count = len(packed) // 8
        memory[count:] = [base + 8 * place for place in range(count)]
        frame = (base + len(packed), memory)
        with self._guard:
            while len(self._frames) >= FRAMES:
                self._frames.pop(next(iter(self._frames)))
            self._frames[pointers] = frame
        return frame


class HipRuntime:
    """One AMD GPU; see `tracea_core.runtime.interface.Runtime`.

    Attributes
    ----------
    scratch : Arena
        Workspaces of plans of several kernels.
    """

    memory = "device"

    def __init__(self, device: Device) -> None:
        self._device = device
        self.scratch = Arena(device.allocate, self._free, device.captured)

    def _free(self, address: int) -> None:
        """Give memory back once all of the device's work has run."""
        self._device.synchronize()
        self._device.free(address)

    @property
    def device(self) -> str:
        """The device as users write it."""
        return self._device.name

    @property
    def toolchain(self) -> str:
        """The compiler and the runtime, with their versions."""
        return f"{compiler.runtime_compiler(self._device.driver, self._device.arch)}, HIP {self._device.driver.version}"

    def compile(self, source: KernelSource) -> HipKernel:
        """Return `source` compiled, from the binary cache where it holds it, and loaded.

        Raises
        ------
        CompileError
            If the compiler rejects the text, or the kernel spills registers.
        LaunchError
            If the source is for another architecture, or the runtime does not load it.
        """
        if source.arch != self._device.arch:
            raise LaunchError(
                f"{source.entry} is printed for {source.arch}, and {self.device} is {self._device.arch}",
                hint="Plan it for this device",
            )
        return HipKernel(source, self._device, compiler.runtime_binary(source, self._device.driver))

    def place(self, content: npt.NDArray[np.uint8]) -> DeviceBytes:
        """Return a copy of `content` in the device's memory.

        Raises
        ------
        LaunchError
            If there is not enough of it.
        """
        return DeviceBytes(self._device, content)

    def timer(self) -> Timer:
        """Return what times launches on the default stream, between events and with the caches emptied before each."""
        flush = max(2 * self._device.l2_bytes, _SMALLEST_FLUSH)
        return event_timer(self._device, flush, "device events, caches flushed")


def open_runtime(device: str) -> HipRuntime:
    """Return the runtime of ``cuda:N`` or ``hip:N`` (without a number, the first).

    Raises
    ------
    BackendUnavailableError
        If the bindings or the runtime are missing, or the driver does not start.
    DeviceError
        If there is no such device.
    """
    named = _DEVICE.fullmatch(device)
    if named is None:
        raise DeviceError(f"{device!r} is no device of HIP's", hint="They are like cuda:0, as PyTorch calls them")
    return HipRuntime(Device(hip.driver(), int(named[1] or 0)))

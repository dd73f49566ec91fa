# SPDX-License-Identifier: MIT
"""The Metal runtime: kernels compiled from source by the system, launched on a queue of our own, done when the call returns.

PyTorch's queue and ours know nothing of each other, so a launch on its tensors first waits for what it has queued
(``torch.mps.synchronize``), and every launch waits for its end. Written against Apple's and PyTorch's documentation.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CompileError, DeviceError
from tracea_core.runtime.checked import check_addresses, check_symbols, launched_blocks
from tracea_core.tuner.measure import Timer

from tracea_metal.buffers import Buffers, MetalBytes
from tracea_metal.framework import Device

_DEVICE = re.compile(r"(?:mps|metal)(?::0)?")
_SECONDS = 0.3


class MetalKernel:
    """One compiled kernel; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, runtime: MetalRuntime) -> None:
        self.source, self.runtime = source, runtime
        handle = runtime.handle
        self.pipeline = handle.pipeline(source.text, source.entry)
        most = int(self.pipeline.maxTotalThreadsPerThreadgroup())
        if most < source.launch.threads:
            raise CompileError(
                f"{source.entry} takes so many registers that a threadgroup has {most} threads, not {source.launch.threads}",
                hint="Choose smaller tiles", kernel=source.entry,
            )  # fmt: skip
        needed = int(self.pipeline.staticThreadgroupMemoryLength())
        if needed > handle.threadgroup_bytes:
            raise CompileError(
                f"{source.entry} wants {needed} bytes of threadgroup memory; the device gives {handle.threadgroup_bytes}",
                hint="Choose smaller tiles", kernel=source.entry,
            )  # fmt: skip

    def prepare(self, symbols: Mapping[str, int]) -> MetalLauncher:
        """Bind the symbols and return what launches.

        Raises
        ------
        LaunchError
            If a symbol is missing or outside its domain, or there is no work.
        """
        return MetalLauncher(self, symbols)


class MetalLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`."""

    def __init__(self, kernel: MetalKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        check_symbols(source, symbols)
        self._kernel = kernel
        self._symbols = source.packed_symbols(symbols)
        self.blocks = launched_blocks(source, symbols)

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernel and wait for it; Metal has no streams, and `stream` no meaning.

        Raises
        ------
        LaunchError
            If an address is in no buffer, or the GPU reports an error.
        AlignmentError
            If an address is not aligned as the kernel wants.
        """
        source, runtime = self._kernel.source, self._kernel.runtime
        check_addresses(source, pointers)
        found = [runtime.buffers.find(pointer) for pointer in pointers]
        if any(foreign for _, _, foreign in found):
            _wait_for_torch()
        places = [(buffer, offset) for buffer, offset, _ in found]
        runtime.last = runtime.handle.run(
            self._kernel.pipeline, places, self._symbols, self.blocks, source.launch.threads, source.entry
        )


def _wait_for_torch() -> None:
    """Wait for what PyTorch has queued; tensors exist only once it is loaded."""
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.mps.synchronize()


class MetalRuntime:
    """The Mac's GPU; see `tracea_core.runtime.interface.Runtime`."""

    memory = "device"
    device = "mps:0"

    def __init__(self, handle: Device) -> None:
        self.handle = handle
        self.buffers = Buffers(handle)
        self.last = (0.0, 0.0)

    @property
    def toolchain(self) -> str:
        """The system's release, which brings the compiler and the driver."""
        return f"Metal of macOS {platform.mac_ver()[0]}"

    def compile(self, source: KernelSource) -> MetalKernel:
        """Return `source` compiled by the system.

        Raises
        ------
        CompileError
            If it is rejected, or needs more registers or threadgroup memory than a threadgroup has.
        """
        return MetalKernel(source, self)

    def adopt(self, handle: int, offset: int) -> int:
        """Return the address of a byte of another library's buffer, for launches; see `Buffers.adopt`."""
        return self.buffers.adopt(handle, offset)

    def place(self, content: npt.NDArray[np.uint8]) -> MetalBytes:
        """Return a copy of `content` that kernels reach.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        return MetalBytes(self.handle, self.buffers, content)

    def timer(self) -> Timer:
        """Return what times launches by the GPU's own clock. Caches stay as they are: Metal has no way to empty them."""

        def seconds(call: Callable[[], object], repeats: int) -> float:
            total = 0.0
            for _ in range(repeats):
                call()
                total += self.last[1] - self.last[0]
            return total

        return Timer(
            seconds=_SECONDS, warmup_seconds=0.01, spread=0.01, timer=seconds, method="GPU time of command buffers"
        )


def open_runtime(device: str) -> MetalRuntime:
    """Return the runtime of ``mps:0`` (``mps``, ``metal`` and ``metal:0`` are the same).

    Raises
    ------
    BackendUnavailableError
        If this is no Mac, the binding is not installed, or there is no device.
    DeviceError
        If the name is another one.
    """
    if _DEVICE.fullmatch(device) is None:
        raise DeviceError(f"{device!r} is no device of Metal's", hint="It is called mps:0")
    return MetalRuntime(Device())

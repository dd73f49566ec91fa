# SPDX-License-Identifier: MIT
"""SYCL C++ built when it is given and run on the addresses it is given, without a copy; launches are done when they return."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CompileError, LaunchError
from tracea_core.runtime.checked import check_addresses, check_block, check_symbols, launched_blocks
from tracea_core.tuner.measure import Timer

from tracea_sycl.oneapi.driver import SyclDevice, find
from tracea_sycl.oneapi.host import Said, find_toolkit, library

ALIGNMENT = 256
"""What `place` aligns memory to."""
OPTION = "-ffp-model=precise"
"""Nothing relaxes arithmetic: what is no number stays none."""
_CHUNK = 16
_MOST_BLOCKS = (1 << 31) - 1


class SyclLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`."""

    def __init__(self, kernel: SyclKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        check_symbols(source, symbols)
        self._kernel, count = kernel, len(source.symbols)
        self.blocks = launched_blocks(source, symbols, _MOST_BLOCKS // source.launch.threads)
        self._wide = bytes(symbol.wide for symbol in source.symbols)
        self._values = (ctypes.c_longlong * count)(*(symbols[symbol.name] for symbol in source.symbols))

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernel; it is done when this returns. `stream` has no meaning here.

        Raises
        ------
        LaunchError
            If an address cannot be served, or the device refuses.
        """
        source, runtime, said = self._kernel.source, self._kernel.runtime, Said()
        check_addresses(source, pointers)
        addresses = (ctypes.c_void_p * len(pointers))(*pointers)
        chunks = -(-source.launch.shared_bytes // _CHUNK)
        if library().tracea_launch(
            runtime.queue, self._kernel.handle, *map(ctypes.c_size_t, (self.blocks, source.launch.threads, chunks)),
            len(pointers), addresses, len(self._values), self._wide, self._values, *said.arguments,
        ):  # fmt: skip
            raise LaunchError(
                f"launching the kernel failed: {said.text}", kernel=source.entry, device=runtime.device, blocks=self.blocks,
                threads=source.launch.threads,
            )  # fmt: skip


class SyclKernel:
    """A kernel built from one source; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, runtime: SyclRuntime, handle: ctypes.c_void_p) -> None:
        self.source, self.runtime, self.handle = source, runtime, handle
        weakref.finalize(self, library().tracea_drop, handle)
        check_block(source, threads=runtime.opened.largest_group, shared_bytes=runtime.opened.local_bytes)

    def prepare(self, symbols: Mapping[str, int]) -> SyclLauncher:
        """Bind the symbols and return what launches.

        Raises
        ------
        LaunchError
            If a symbol is missing or outside its domain.
        """
        return SyclLauncher(self, symbols)


class SharedBytes:
    """A copy of bytes in memory that host and device share (shared USM)."""

    def __init__(self, runtime: SyclRuntime, content: npt.NDArray[np.uint8]) -> None:
        said, size = Said(), max(content.nbytes, 1)
        address = library().tracea_allocate(runtime.queue, *map(ctypes.c_size_t, (size, ALIGNMENT)), *said.arguments)
        if not address:
            raise LaunchError(f"{size} bytes are not to be had: {said.text}", device=runtime.device)
        self.address: int = address
        weakref.finalize(self, library().tracea_free, runtime.queue, ctypes.c_void_p(address))
        self._bytes = np.ctypeslib.as_array((ctypes.c_uint8 * content.nbytes).from_address(address))
        self._runtime = runtime
        self.write(content)

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        self._bytes[:] = content

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes; launches are done when they return."""
        return self._bytes.copy()


class SyclRuntime:
    """One SYCL device; see `tracea_core.runtime.interface.Runtime`."""

    def __init__(self, device: SyclDevice) -> None:
        self.opened, self.device, said = device, device.label, Said()
        self.memory = "host" if device.system_memory else "device"
        opened = library().tracea_open(device.number, *said.arguments)
        if not opened:
            raise LaunchError(f"{device.label} cannot be opened: {said.text}", device=device.label)
        self.queue = ctypes.c_void_p(opened)  # lives as long as the process: memory and kernels refer to its context

    @property
    def toolchain(self) -> str:
        """Runtime, driver and device, with their versions."""
        return f"SYCL {find_toolkit().version}, {self.opened.describe()}"

    def compile(self, source: KernelSource) -> SyclKernel:
        """Return `source` built by the run-time compiler.

        Raises
        ------
        CompileError
            With the build log, if it rejects the text.
        """
        said = Said()
        text, entry = source.text.encode(), source.entry.encode()
        handle = library().tracea_build(self.queue, text, entry, OPTION.encode(), *said.arguments)
        if not handle:
            raise CompileError(
                f"SYCL's run-time compiler rejects {source.entry}:\n{said.text[:4000]}", device=self.device
            )
        return SyclKernel(source, self, ctypes.c_void_p(handle))

    def place(self, content: npt.NDArray[np.uint8]) -> SharedBytes:
        """Return a copy of `content` that kernels reach.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        return SharedBytes(self, content)

    def timer(self) -> Timer:
        """Return what times launches; they return when they are done, so the host's clock tells."""
        return Timer()


def open_runtime(device: str) -> SyclRuntime:
    """Return the runtime of ``oneapi:N``.

    Raises
    ------
    BackendUnavailableError
        If Intel's SYCL runtime is missing, or has no such device.
    """
    return SyclRuntime(find(device))

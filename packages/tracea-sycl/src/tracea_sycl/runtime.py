# SPDX-License-Identifier: MIT
"""The OpenCL runtime: kernels on the addresses they are given, without a copy, and launches that are done when they return.

Addresses are SVM: any memory of the process on a device that shares it, and what `place` allocates on others.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource, Workspace
from tracea_core.errors import LaunchError
from tracea_core.runtime.checked import check_addresses, check_block, check_symbols, launched_blocks
from tracea_core.semantic.index import evaluate
from tracea_core.tuner.measure import Timer

from tracea_sycl import compile as compiler
from tracea_sycl.driver import OpenClDevice, find, pyopencl

ALIGNMENT = 256
"""What `place` aligns memory to."""
_MOST_BLOCKS = (1 << 31) - 1


class OpenClLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`."""

    def __init__(self, kernel: OpenClKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        check_symbols(source, symbols)
        self._kernel, self._runtime = kernel, kernel.runtime
        self.blocks = launched_blocks(source, symbols, _MOST_BLOCKS // source.launch.threads)
        sizes = [self._bytes(space, symbols) for space in source.workspaces]
        self._places = [sum(sizes[:number]) for number in range(len(sizes))]
        self._space = sum(sizes)
        self._values = [(np.int64 if s.wide else np.int32)(symbols[s.name]) for s in source.symbols]
        self._grid = (self.blocks * source.launch.threads,)
        self._block = (source.launch.threads,)

    def _bytes(self, space: Workspace, symbols: Mapping[str, int]) -> int:
        """Bytes of a workspace, for all workers, in whole lines."""
        size = int(evaluate(space.bytes, {**symbols, "workers": self.blocks}))
        return -(-size * (self.blocks if space.per_worker else 1) // ALIGNMENT) * ALIGNMENT

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernel; it is done when this returns. `stream` has no meaning here.

        Raises
        ------
        LaunchError
            If an address cannot be served, or the device refuses.
        """
        check_addresses(self._kernel.source, pointers)
        cl, runtime = self._runtime.cl, self._runtime
        kernel = self._kernel.entry()
        space = runtime.borrow(self._space) if self._space else None
        try:
            for place, pointer in enumerate(pointers):
                kernel.set_arg(place, _Address(cl, pointer).svm)
            for place, value in enumerate(self._values, len(pointers)):
                kernel.set_arg(place, value)
            if space is not None:
                for place, begins in enumerate(self._places, len(pointers) + len(self._values)):
                    kernel.set_arg(place, _Address(cl, space.address + begins).svm)
            cl.enqueue_nd_range_kernel(runtime.queue, kernel, self._grid, self._block).wait()
            if space is not None:
                runtime.give_back(space)
        except cl.Error as error:
            raise LaunchError(
                f"launching the kernel failed: {error}", kernel=self._kernel.source.entry, device=runtime.device,
                blocks=self.blocks, threads=self._block[0],
            ) from error  # fmt: skip


class _Address:
    """An address as pyopencl takes it: the memory of a zero-length array interface."""

    def __init__(self, cl: Any, pointer: int) -> None:
        self.__array_interface__ = {"data": (pointer, False), "shape": (1,), "typestr": "|u1", "version": 3}
        self.svm = cl.SVM(np.asarray(self))


class OpenClKernel:
    """A built program of one source; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, runtime: OpenClRuntime, program: Any) -> None:
        self.source, self.runtime, self._program = source, runtime, program
        self._own = threading.local()
        handle = runtime.opened.handle
        check_block(source, threads=handle.max_work_group_size, shared_bytes=handle.local_mem_size)

    def entry(self) -> Any:
        """Return the kernel object of this thread; arguments are its state, so no two threads share one."""
        found = getattr(self._own, "kernel", None)
        if found is None:
            found = self._own.kernel = self.runtime.cl.Kernel(self._program, self.source.entry)
        return found

    def prepare(self, symbols: Mapping[str, int]) -> OpenClLauncher:
        """Bind the symbols and return what launches.

        Raises
        ------
        LaunchError
            If a symbol is missing or outside its domain.
        """
        return OpenClLauncher(self, symbols)


class SvmBytes:
    """A copy of bytes in coarse-grained SVM, which host and device address alike."""

    def __init__(self, runtime: OpenClRuntime, content: npt.NDArray[np.uint8]) -> None:
        cl, self._queue = runtime.cl, runtime.queue
        size = content.size + ALIGNMENT  # OpenCL promises alignment to its largest type only
        try:
            array = cl.svm_empty(runtime.context, cl.svm_mem_flags.READ_WRITE, (size,), np.uint8)
        except cl.Error as error:
            raise LaunchError(f"{size} bytes of SVM cannot be allocated: {error}", device=runtime.device) from error
        self._svm = cl.SVM(array)
        first = -int(array.ctypes.data) % ALIGNMENT
        self._place = slice(first, first + content.size)
        self.address = int(array.ctypes.data) + first
        self.size = content.size
        self.write(content)

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        with self._svm.map_rw(self._queue) as mapped:
            mapped[self._place] = content

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes, once everything queued on the device has run."""
        with self._svm.map_ro(self._queue) as mapped:
            return np.array(mapped[self._place])


class OpenClRuntime:
    """One OpenCL device; see `tracea_core.runtime.interface.Runtime`."""

    def __init__(self, device: OpenClDevice, name: str) -> None:
        self.cl, self.opened, self.device = pyopencl(), device, name
        self.memory = "host" if device.shares_host_memory else "device"
        self.context = self.cl.Context([device.handle])
        self.queue = self.cl.CommandQueue(self.context, device.handle)
        self._lent: list[SvmBytes] = []

    @property
    def toolchain(self) -> str:
        """Platform, driver and device, with their versions."""
        return compiler.toolchain(self.opened)

    def compile(self, source: KernelSource) -> OpenClKernel:
        """Return `source` built, from the binary cache where it holds it.

        Raises
        ------
        CompileError
            With the build log, if the device's compiler rejects the text.
        """
        return OpenClKernel(source, self, compiler.program(source, self.opened, self.context))

    def place(self, content: npt.NDArray[np.uint8]) -> SvmBytes:
        """Return a copy of `content` that kernels reach.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        return SvmBytes(self, content)

    def borrow(self, size: int) -> SvmBytes:
        """Return at least `size` bytes that nobody else uses; a piece that is too small is replaced by a larger one.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        try:
            piece = self._lent.pop()
        except IndexError:
            return self.place(np.empty(size, np.uint8))
        return piece if piece.size >= size else self.place(np.empty(size, np.uint8))

    def give_back(self, piece: SvmBytes) -> None:
        """Lend a piece to the next call."""
        self._lent.append(piece)

    def timer(self) -> Timer:
        """Return what times launches; they return when they are done, so the host's clock tells."""
        return Timer()


def open_runtime(device: str) -> OpenClRuntime:
    """Return the runtime of ``sycl:N``, or of the device that ``cpu`` stands for.

    Raises
    ------
    BackendUnavailableError
        If pyopencl is missing, or there is no such device.
    """
    return OpenClRuntime(find(device), device)

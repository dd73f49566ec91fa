# SPDX-License-Identifier: MIT
"""What a backend's runtime must be able to do, as structural types: compile once, prepare once per plan, launch often.

The three steps are three objects because they have three lifetimes. A compiled kernel lives as long as its digest is in
use; a launcher as long as a plan; a launch takes microseconds, so `Launcher` receives bare addresses and nothing else.
Backends need not import this module: any object with these members is a runtime.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tracea_core.emit.source import KernelSource
    from tracea_core.runtime.arena import Arena
    from tracea_core.tuner.measure import Timer


@runtime_checkable
class Launcher(Protocol):
    """A kernel whose every argument but the pointers is bound; calling it is the hot path."""

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Queue the kernel.

        Parameters
        ----------
        *pointers : int
            Device addresses (host addresses on a CPU), one per pointer parameter, in the order of the kernel source.
        stream : int
            The caller's stream as the driver's handle; 0 is the default stream. A CPU returns when the work is done.

        Raises
        ------
        LaunchError
            If the device or driver refuses.
        """
        ...


@runtime_checkable
class CompiledKernel(Protocol):
    """Machine code of one kernel source, loaded and ready."""

    @property
    def source(self) -> KernelSource:
        """The source this was compiled from."""
        ...

    def prepare(self, symbols: Mapping[str, int]) -> Launcher:
        """Bind every dynamic shape symbol and return what launches.

        Parameters
        ----------
        symbols : mapping of str to int
            A value for each dynamic symbol of the semantic kernel (extents, strides in elements).

        Raises
        ------
        LaunchError
            If a symbol is missing or the launch shape does not fit the device.
        """
        ...


@runtime_checkable
class Runtime(Protocol):
    """One opened device of one backend."""

    @property
    def device(self) -> str:
        """The device as users write it: ``cpu``, ``cuda:0``."""
        ...

    @property
    def toolchain(self) -> str:
        """Compiler and driver with versions. Part of every cache key: a new compiler never loads an old binary."""
        ...

    def compile(self, source: KernelSource) -> CompiledKernel:
        """Return `source` compiled for this device.

        Raises
        ------
        CompileError
            If the compiler rejects the source or its log shows what the backend forbids (spills, serialization).
        """
        ...


class Memory(Protocol):
    """Bytes that kernels of a device can reach."""

    @property
    def address(self) -> int:
        """Where they start, as kernels address them; aligned to 256 bytes."""
        ...

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        ...

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes, once everything queued on the device has run."""
        ...


@runtime_checkable
class DeviceRuntime(Runtime, Protocol):
    """A runtime whose kernels do not reach the host's memory; what tuning needs of it."""

    def place(self, content: npt.NDArray[np.uint8]) -> Memory:
        """Return a copy of `content` in the device's memory.

        Raises
        ------
        LaunchError
            If there is not enough of it.
        """
        ...

    def timer(self) -> Timer:
        """Return what times launches on the default stream by the device's own clock, caches emptied before each."""
        ...


@runtime_checkable
class ScratchRuntime(Runtime, Protocol):
    """A runtime that lends memory between the kernels of a plan; without it, plans have one kernel."""

    @property
    def scratch(self) -> Arena:
        """Where workspaces lie."""
        ...

# SPDX-License-Identifier: MIT
"""Workspaces of a device's plans: one block of memory for each stream, and blocks of their own for captured graphs."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from tracea_core.errors import LaunchError
from tracea_core.runtime.arena import Arena

from tracea_cuda import driver as cuda

if TYPE_CHECKING:
    from tracea_cuda.runtime import Device


class Captures:
    """Asks whether a stream is being captured. Whoever asks holds the arena's lock, so one place for the answer is enough."""

    def __init__(self, device: Device) -> None:
        library = device.driver.library
        self._status, self._graph = ctypes.c_int(), ctypes.c_ulonglong()
        known = ctypes.addressof(self._status), ctypes.addressof(self._graph)
        places: tuple[int | None, ...] = (*known, *[None] * 4)
        tells = getattr(library, "cuStreamGetCaptureInfo_v3", None)
        self._ask, self._places = (tells, places) if tells else (library.cuStreamIsCapturing, places[:1])

    def __call__(self, stream: int) -> int:
        """Return a number for the graph that `stream` is being captured into, 0 if it is not.

        Raises
        ------
        LaunchError
            If it is, and the driver is too old to tell which.
        """
        if self._ask(stream, *self._places) or self._status.value != cuda.CAPTURE_ACTIVE:
            return 0  # where the driver refuses to answer it refuses the launch as well, and says why
        if len(self._places) == 1:
            raise LaunchError(
                "a plan of several kernels cannot be captured into a graph: this driver does not tell graphs apart",
                hint="Install a driver for CUDA 12.3 or later",
            )
        return self._graph.value + 1


def arena(device: Device) -> Arena:
    """Return the arena of a device. Memory is given back once all of the device's work has run."""
    driver = device.driver

    def allocate(size: int) -> int:
        with driver.active(device.context), driver.beside_captures():
            return device.allocate(size)

    def free(address: int) -> None:
        with driver.active(device.context), driver.beside_captures():
            device.synchronize()
            device.free(address)

    return Arena(allocate, free, Captures(device))

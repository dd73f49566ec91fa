# SPDX-License-Identifier: MIT
"""Where an address lies: Metal binds buffers and offsets, tracea passes addresses.

An address here is one of the GPU's own (``MTLBuffer.gpuAddress``, macOS 13), so those of different buffers never meet, whatever
allocated them. A tensor of PyTorch's on ``mps`` is a buffer already: what its storage calls its data pointer is the MTLBuffer
(PyTorch, aten/src/ATen/native/mps/OperationUtils.h, ``getMTLBufferStorage``), so it is bound as it is and no byte is copied.
"""

from __future__ import annotations

import bisect
import threading
from typing import Any

import numpy as np
import numpy.typing as npt
from tracea_core.errors import LaunchError

from tracea_metal.framework import Device

_MOST = 4096


class Buffers:
    """The buffers that addresses were given out for; those longest unused are forgotten."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._guard = threading.Lock()
        self._known: dict[int, tuple[Any, int, bool]] = {}
        self._sorted: list[int] = []

    def know(self, buffer: Any, *, foreign: bool) -> int:
        """Return the GPU's address of a buffer, from now on found by `find`; `foreign` ones belong to another library."""
        address, length = int(buffer.gpuAddress()), int(buffer.length())
        with self._guard:
            self._forget_overlapping(address, length)
            self._known[address] = (buffer, length, foreign)
            bisect.insort(self._sorted, address)
            if len(self._known) > _MOST:
                oldest = next(iter(self._known))
                self._drop(oldest)
        return address

    def adopt(self, handle: int, offset: int) -> int:
        """Return the GPU's address of a byte of the MTLBuffer object at `handle`."""
        return self.know(self._device.buffer_of(handle), foreign=True) + offset

    def forget(self, address: int) -> None:
        """Drop a buffer that is about to be released."""
        with self._guard:
            if address in self._known:
                self._drop(address)

    def find(self, address: int) -> tuple[Any, int, bool]:
        """Return the buffer, the offset in bytes, and whether it is foreign.

        Raises
        ------
        LaunchError
            If the address is in no buffer that is known.
        """
        with self._guard:
            place = bisect.bisect_right(self._sorted, address) - 1
            if place >= 0:
                start = self._sorted[place]
                buffer, length, foreign = self._known[start]
                if address <= start + length:
                    return buffer, address - start, foreign
        raise LaunchError(f"no Metal buffer is known at {address:#x}", hint="Give a torch tensor on mps")

    def _drop(self, address: int) -> None:
        del self._known[address]
        del self._sorted[bisect.bisect_left(self._sorted, address)]

    def _forget_overlapping(self, address: int, length: int) -> None:
        """Addresses are used again after a buffer has been released."""
        place = max(bisect.bisect_right(self._sorted, address) - 1, 0)
        while place < len(self._sorted) and self._sorted[place] < address + length:
            start = self._sorted[place]
            if start + self._known[start][1] > address or start == address:
                self._drop(start)
            else:
                place += 1


class MetalBytes:
    """Bytes in a buffer of our own; see `tracea_core.runtime.interface.Memory`."""

    def __init__(self, device: Device, buffers: Buffers, content: npt.NDArray[np.uint8]) -> None:
        self._buffers, self._size = buffers, content.size
        self._buffer = device.buffer(content.size)
        self.address = buffers.know(self._buffer, foreign=False)
        self.write(content)

    def _bytes(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self._buffer.contents().as_buffer(self._size), np.uint8)

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        self._bytes()[:] = content

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes; launches have ended when they return."""
        return self._bytes().copy()

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self._buffers.forget(self.address)

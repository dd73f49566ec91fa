# SPDX-License-Identifier: MIT
"""Memory and time of a device without PyTorch, over the few calls that drivers have for it: what a tuning worker needs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tracea_core.errors import TraceaError
from tracea_core.tuner.measure import Timer

SECONDS = 0.3
"""How long one candidate is timed at most."""


class MemoryDevice(Protocol):
    """What a driver offers; every call raises LaunchError in the driver's own words."""

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes, aligned to 256."""
        ...

    def free(self, address: int) -> None:
        """Give memory back."""
        ...

    def upload(self, target: int, source: int, size: int) -> None:
        """Copy bytes of the host to the device."""
        ...

    def download(self, target: int, source: int, size: int) -> None:
        """Copy bytes of the device to the host, once all of its work has run."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Queue writing zeros on the default stream."""
        ...

    def event(self) -> int:
        """Return a new event."""
        ...

    def record(self, event: int) -> None:
        """Queue an event on the default stream."""
        ...

    def elapsed(self, start: int, end: int) -> float:
        """Wait for `end`, and return the seconds since `start`."""
        ...


class DeviceBytes:
    """Bytes in a device's memory; see `tracea_core.runtime.interface.Memory`. They are freed with this object."""

    def __init__(self, device: MemoryDevice, content: npt.NDArray[np.uint8]) -> None:
        self._device, self._size = device, content.size
        self.address = device.allocate(max(content.size, 1))
        self.write(content)

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        source = np.ascontiguousarray(content)
        self._device.upload(self.address, source.ctypes.data, self._size)

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes; whatever was queued on the default stream has run."""
        target = np.empty(self._size, np.uint8)
        self._device.download(target.ctypes.data, self.address, self._size)
        return target

    def __del__(self) -> None:
        address = getattr(self, "address", 0)
        if address and not sys.is_finalizing():  # at the end of the process the driver frees everything itself
            with contextlib.suppress(TraceaError):  # after a sticky error even this fails, and there is nobody to tell
                self._device.free(address)


class EventTimer:
    """Times calls on the default stream between two events.

    Parameters
    ----------
    flush_bytes : int
        More than the caches hold.
    """

    def __init__(self, device: MemoryDevice, flush_bytes: int) -> None:
        self._device, self._flush_bytes = device, flush_bytes
        self._events = (device.event(), device.event())
        self._scratch = device.allocate(flush_bytes)

    def flush(self) -> None:
        """Queue writes to more memory than the caches hold; while they run the host queues what is timed."""
        self._device.clear(self._scratch, self._flush_bytes)

    def __call__(self, call: Callable[[], object], repeats: int) -> float:
        """Return the device's seconds of `repeats` calls in a row; errors of the kernels are raised here.

        Raises
        ------
        LaunchError
            If a kernel failed.
        """
        start, end = self._events
        self._device.record(start)
        for _ in range(repeats):
            call()
        self._device.record(end)
        return self._device.elapsed(start, end)


def event_timer(device: MemoryDevice, flush_bytes: int, method: str) -> Timer:
    """Return the timer of a device: single calls between events, the caches emptied before each.

    Parameters
    ----------
    method : str
        How results say that they were measured.
    """
    events = EventTimer(device, flush_bytes)
    return Timer(
        seconds=SECONDS, warmup_seconds=0.01, spread=0.005, timer=events, flush=events.flush, method=method
    )  # fmt: skip

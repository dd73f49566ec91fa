# SPDX-License-Identifier: MIT
"""Memory and time of a device without PyTorch: what a tuning worker needs, and workspaces of plans of several kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from tracea_core.runtime.arena import Arena
from tracea_core.tuner.measure import Timer

if TYPE_CHECKING:
    from tracea_hip.runtime import Device

_SECONDS = 0.3
_SMALLEST_FLUSH = 512 << 20
"""Twice the 256 MiB that the last cache of MI300 holds; properties tell of the L2 cache only."""
_CAPTURING = 1  # hipStreamCaptureStatusActive


class HipBytes:
    """Bytes in a device's memory; see `tracea_core.runtime.interface.Memory`. They are freed with this object."""

    def __init__(self, device: Device, content: npt.NDArray[np.uint8]) -> None:
        self._device, self._size = device, content.size
        self.address = device.allocate(max(content.size, 1))
        self.write(content)

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        source = np.ascontiguousarray(content)
        self._device.call(
            "hipMemcpyHtoD", self.address, source.ctypes.data, self._size, what=f"copying {self._size} bytes"
        )

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes; whatever was queued on the default stream has run."""
        target = np.empty(self._size, np.uint8)
        self._device.synchronize()
        self._device.call(
            "hipMemcpyDtoH", target.ctypes.data, self.address, self._size, what=f"copying {self._size} bytes"
        )
        return target

    def __del__(self) -> None:
        address = getattr(self, "address", 0)
        if address:
            # After a sticky error even this fails, and there is nobody to tell.
            self._device.driver.hip.hipFree(address)


class EventTimer:
    """Times calls on the default stream between two events."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._start, self._end = (device.call("hipEventCreate", what="creating an event") for _ in range(2))
        self._flush_bytes = max(2 * device.l2_bytes, _SMALLEST_FLUSH)
        self._scratch = device.allocate(self._flush_bytes)

    def flush(self) -> None:
        """Queue writes to more memory than the caches hold; while they run the host queues what is timed."""
        self._device.call("hipMemsetAsync", self._scratch, 0, self._flush_bytes, None, what="emptying the caches")

    def __call__(self, call: Callable[[], object], repeats: int) -> float:
        """Return the device's seconds of `repeats` calls in a row; errors of the kernels are raised here.

        Raises
        ------
        LaunchError
            If a kernel failed.
        """
        device = self._device
        device.call("hipEventRecord", self._start, None, what="recording an event")
        for _ in range(repeats):
            call()
        device.call("hipEventRecord", self._end, None, what="recording an event")
        device.call("hipEventSynchronize", self._end, what="waiting for the kernel")
        elapsed = device.call("hipEventElapsedTime", self._start, self._end, what="reading an event's time")
        return float(elapsed) * 1e-3


def timer(device: Device) -> Timer:
    """Return the timer of a device: single calls between events, caches emptied before each."""
    events = EventTimer(device)
    return Timer(
        seconds=_SECONDS, warmup_seconds=0.01, spread=0.005, timer=events, flush=events.flush,
        method="device events, caches flushed",
    )  # fmt: skip


def arena(device: Device) -> Arena:
    """Return the arena of a device. Memory is given back once all of the device's work has run."""

    def free(address: int) -> None:
        device.synchronize()
        device.free(address)

    def captured(stream: int) -> int:
        code, status, number = device.driver.hip.hipStreamGetCaptureInfo(stream or None)
        return int(number) + 1 if not int(code) and int(status) == _CAPTURING else 0

    return Arena(device.allocate, free, captured)

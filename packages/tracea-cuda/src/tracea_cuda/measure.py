# SPDX-License-Identifier: MIT
"""Memory and time of a device without PyTorch: what a tuning worker needs to check and time candidates."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from tracea_core.tuner.measure import Timer

if TYPE_CHECKING:
    from tracea_cuda.runtime import Device

SECONDS = 0.3
"""How long one candidate is timed at most."""

_SMALLEST_FLUSH = 128 << 20


class DeviceBytes:
    """Bytes in a device's memory; see `tracea_core.runtime.interface.Memory`. They are freed with this object."""

    def __init__(self, device: Device, content: npt.NDArray[np.uint8]) -> None:
        self._device, self._size = device, content.size
        self.address = device.allocate(max(content.size, 1))
        self.write(content)

    def write(self, content: npt.NDArray[np.uint8]) -> None:
        """Replace all bytes."""
        source = np.ascontiguousarray(content)
        self._copy("cuMemcpyHtoD_v2", self.address, source.ctypes.data)

    def read(self) -> npt.NDArray[np.uint8]:
        """Return all bytes; whatever was queued on the default stream has run."""
        target = np.empty(self._size, np.uint8)
        self._device.synchronize()
        self._copy("cuMemcpyDtoH_v2", target.ctypes.data, self.address)
        return target

    def _copy(self, name: str, target: int, source: int) -> None:
        driver = self._device.driver
        with driver.active(self._device.context):
            code = getattr(driver.library, name)(target, source, self._size)
        driver.check(code, f"copying {self._size} bytes", device=self._device.name)

    def __del__(self) -> None:
        address = getattr(self, "address", 0)
        if address and ctypes is not None:  # at the end of the process the driver frees everything itself
            library, driver = self._device.driver.library, self._device.driver
            with driver.active(self._device.context):
                library.cuMemFree_v2(address)  # after a sticky error even this fails, and there is nobody to tell


class EventTimer:
    """Times calls on the default stream between two events."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._events = (self._event(), self._event())
        self._flush_bytes = max(2 * device.l2_bytes, _SMALLEST_FLUSH)
        self._scratch = device.allocate(self._flush_bytes)

    def _event(self) -> int:
        event = ctypes.c_void_p()
        driver = self._device.driver
        with driver.active(self._device.context):
            driver.check(driver.library.cuEventCreate(ctypes.byref(event), 0), "creating an event")
        return int(event.value or 0)

    def flush(self) -> None:
        """Queue writes to more memory than the L2 cache holds; while they run the host queues what is timed."""
        driver = self._device.driver
        with driver.active(self._device.context):
            code = driver.library.cuMemsetD8Async(self._scratch, 0, self._flush_bytes, None)
        driver.check(code, "emptying the cache", device=self._device.name)

    def __call__(self, call: Callable[[], object], repeats: int) -> float:
        """Return the device's seconds of `repeats` calls in a row; errors of the kernels are raised here.

        Raises
        ------
        LaunchError
            If a kernel failed.
        """
        driver, (start, end) = self._device.driver, self._events
        library = driver.library
        with driver.active(self._device.context):
            driver.check(library.cuEventRecord(start, None), "recording an event")
            for _ in range(repeats):
                call()
            driver.check(library.cuEventRecord(end, None), "recording an event")
            driver.check(library.cuEventSynchronize(end), "waiting for the kernel", device=self._device.name)
            elapsed = ctypes.c_float()
            code = library.cuEventElapsedTime(ctypes.byref(elapsed), start, end)
        driver.check(code, "reading an event's time")
        return float(elapsed.value) * 1e-3


def timer(device: Device) -> Timer:
    """Return the timer of a device: single calls between events, the L2 cache emptied before each."""
    events = EventTimer(device)
    return Timer(
        seconds=SECONDS, warmup_seconds=0.01, spread=0.005, timer=events, flush=events.flush,
        method="device events, L2 flushed",
    )  # fmt: skip

# SPDX-License-Identifier: MIT
"""Bytes and times of a device, on one that is imitated with the host's memory and a clock that ticks with every event."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import LaunchError
from tracea_core.runtime.device_memory import DeviceBytes, event_timer


class Imitated:
    """A device; what it was asked for is noted."""

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}
        self.calls: list[str] = []
        self.times: list[float] = []
        self.broken = False

    def allocate(self, size: int) -> int:
        block = ctypes.create_string_buffer(size)
        self.memory[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, address: int) -> None:
        del self.memory[address]
        if self.broken:
            raise LaunchError("freeing memory failed")

    def upload(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    download = upload

    def clear(self, address: int, size: int) -> None:
        self.calls.append("clear")
        ctypes.memset(address, 0, size)

    def event(self) -> int:
        self.times.append(0.0)
        return len(self.times) - 1

    def record(self, event: int) -> None:
        self.calls.append("record")
        self.times[event] = max(self.times) + 0.25

    def elapsed(self, start: int, end: int) -> float:
        return self.times[end] - self.times[start]


def test_bytes_go_there_and_back_and_are_freed() -> None:
    device, content = Imitated(), np.arange(200, dtype=np.uint8)
    held = DeviceBytes(device, content)
    assert (held.read() == content).all()
    held.write(content[::-1])
    assert (held.read() == content[::-1]).all()
    del held
    assert not device.memory


def test_a_broken_device_does_not_disturb_whoever_drops_bytes() -> None:
    device = Imitated()
    held = DeviceBytes(device, np.zeros(4, np.uint8))
    device.broken = True
    del held
    assert not device.memory


def test_caches_are_emptied_before_each_timed_call() -> None:
    device = Imitated()
    timer = event_timer(device, 4096, "events")
    result = timer.measure(lambda: device.calls.append("call"))
    assert result.seconds == pytest.approx(0.25) and result.method == "events"
    assert device.calls[-4:] == ["clear", "record", "call", "record"]

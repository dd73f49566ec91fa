# SPDX-License-Identifier: MIT
"""Memory and timing for tuning, on an imitated driver whose memory is the host's."""

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import LaunchError
from tracea_core.runtime.interface import DeviceRuntime
from tracea_cuda.runtime import CudaRuntime, Device


def test_the_runtime_can_be_tuned_on(device: Device) -> None:
    assert isinstance(CudaRuntime(device), DeviceRuntime)


def test_bytes_go_to_the_device_and_come_back(device: Device, library: Any) -> None:
    content = np.random.default_rng(0).integers(0, 256, 1000).astype(np.uint8)
    memory = CudaRuntime(device).place(content)
    assert memory.address in library.memory
    assert (memory.read() == content).all()
    memory.write(content[::-1])
    assert (memory.read() == content[::-1]).all()
    del memory
    assert library.memory == {}


def test_there_may_be_nothing_to_place(device: Device) -> None:
    assert CudaRuntime(device).place(np.empty(0, np.uint8)).read().size == 0


def test_calls_are_timed_between_events_behind_a_flush(device: Device, library: Any) -> None:
    order: list[str] = []
    measured = CudaRuntime(device).timer()
    library.calls.clear()
    result = measured.measure(lambda: order.append("call") or library.calls.append("call"))
    assert result.seconds == pytest.approx(0.25e-3)
    assert result.method == "device events, L2 flushed" and result.repeats == 1
    sampled = [
        name for name in library.calls if name in ("cuMemsetD8Async", "cuEventRecord", "call", "cuEventSynchronize")
    ]
    assert sampled[-5:] == ["cuMemsetD8Async", "cuEventRecord", "call", "cuEventRecord", "cuEventSynchronize"]


def test_the_flush_is_larger_than_the_cache(device: Device, library: Any) -> None:
    CudaRuntime(device).timer()
    assert max(len(memory) for memory in library.memory.values()) >= 2 * device.l2_bytes


def test_a_kernel_that_fails_fails_its_timing(device: Device, library: Any) -> None:
    measured = CudaRuntime(device).timer()
    library.fail["cuEventSynchronize"] = 715
    with pytest.raises(LaunchError, match="an earlier kernel broke"):
        measured.measure(lambda: None)


def test_too_little_memory_is_said(device: Device, library: Any) -> None:
    library.fail["cuMemAlloc_v2"] = 2
    with pytest.raises(LaunchError, match="allocating 10 bytes failed"):
        CudaRuntime(device).place(np.zeros(10, np.uint8))

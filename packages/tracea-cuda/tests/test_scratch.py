# SPDX-License-Identifier: MIT
"""Workspaces in the device's memory: streams, growth, graphs, and drivers that cannot tell graphs apart."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.errors import LaunchError
from tracea_cuda.driver import Driver
from tracea_cuda.runtime import CudaRuntime, Device


@pytest.fixture
def runtime(device: Device) -> CudaRuntime:
    return CudaRuntime(device)


def test_streams_have_blocks_that_grow(runtime: CudaRuntime, library: Any) -> None:
    with runtime.scratch.lock:
        first = runtime.scratch.borrow(1000, 0x51)
        assert runtime.scratch.borrow(900, 0x51) == first
        other = runtime.scratch.borrow(1000, 0x52)
        larger = runtime.scratch.borrow(5 << 20, 0x51)
    assert {other, larger} == set(library.memory), "what is outgrown is given back"
    freed = library.calls.index("cuMemFree_v2")
    assert library.calls[freed - 1] == "cuCtxGetCurrent" or "cuCtxSynchronize" in library.calls[:freed]
    assert "cuCtxSynchronize" in library.calls[:freed], "the device has to be done with it"
    assert runtime.scratch.trim() > 0 and not library.memory


def test_captured_graphs_have_blocks_of_their_own(runtime: CudaRuntime, library: Any) -> None:
    with runtime.scratch.lock:
        eager = runtime.scratch.borrow(1000, 0x51)
        library.captured[0x51] = 4
        recorded = runtime.scratch.borrow(1000, 0x51)
        library.captured[0x51] = 5
        again = runtime.scratch.borrow(1000, 0x51)
        library.captured.clear()
        assert runtime.scratch.borrow(1000, 0x51) == eager
    assert len({eager, recorded, again}) == 3
    assert library.capture_mode == 0, "the thread's capture mode is as it was"
    runtime.scratch.trim()
    assert {recorded, again} == set(library.memory)


def test_memory_is_allocated_beside_a_capture(runtime: CudaRuntime, library: Any) -> None:
    modes = []
    allocate = type(library).do_cuMemAlloc_v2

    def noted(self: Any, out: Any, size: int) -> None:
        modes.append(self.capture_mode)
        allocate(self, out, size)

    library.captured[0x51] = 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(library), "do_cuMemAlloc_v2", noted)
        runtime.scratch.borrow(1000, 0x51)
    assert modes == [2], "relaxed: the driver records nothing of it, and does not break the capture"


def test_a_full_device_says_so(runtime: CudaRuntime, library: Any) -> None:
    library.fail["cuMemAlloc_v2"] = 2
    with pytest.raises(LaunchError, match="allocating"):
        runtime.scratch.borrow(1000, 0)


def test_older_drivers_serve_everything_but_captures(library: Any) -> None:
    class Older:
        """A driver of CUDA 12.0."""

        def __getattr__(self, name: str) -> Any:
            if name == "cuStreamGetCaptureInfo_v3":
                raise AttributeError(name)
            return getattr(library, name)

    runtime = CudaRuntime(Device(Driver(Older()), 0))
    assert runtime.scratch.borrow(1000, 0x51) in library.memory
    library.captured[0x51] = 4
    with pytest.raises(LaunchError, match="captured into a graph"):
        runtime.scratch.borrow(1000, 0x51)

# SPDX-License-Identifier: MIT
"""Launch plans on an imitated driver: which bytes reach it, what is packed only once, and what is refused before it is asked."""

from __future__ import annotations

import struct
import threading
from typing import Any

import pytest
from msgspec import UNSET, UnsetType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import LaunchError
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Launch, Overlap
from tracea_cuda import driver as cuda
from tracea_cuda.launch import FRAMES
from tracea_cuda.runtime import CudaKernel, Device

A, C = 0x7000_0000_0100, 0x7000_0010_0000
SYMBOLS = {"m": 300, "c_row": 1 << 33}


def test_a_launch_passes_descriptors_pointers_and_symbols(kernel: CudaKernel, library: Any) -> None:
    kernel.prepare(SYMBOLS)(A, C, stream=7)
    (launched,) = library.launched
    assert (launched.grid, launched.block, launched.cluster) == ((6, 1, 1), (384, 1, 1), (2, 1, 1))
    assert (launched.function, launched.shared_bytes, launched.stream) == (0xF00, 200_000, 7)
    described, a, c, m, row = launched.arguments
    assert struct.unpack_from("<Q", described)[0] == A
    assert [int.from_bytes(word, "little") for word in (a, c, m, row)] == [A, C, 300, 1 << 33]
    assert library.encoded == [(9, A, (64, 300), (128,), (64, 128), 3, 2)]


def test_a_repeated_call_only_launches(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    launcher(A, C)
    library.calls.clear()
    for _ in range(3):
        launcher(A, C)
    assert library.calls == ["cuLaunchKernelEx"] * 3
    assert library.launched[0] == library.launched[-1]


def test_addresses_and_streams_have_frames_of_their_own(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    for a, stream in ((A, 0), (A + 256, 0), (A, 1), (A, 0)):
        launcher(a, C, stream=stream)
    seen = [
        (int.from_bytes(x.arguments[1], "little"), struct.unpack_from("<Q", x.arguments[0])[0], x.stream)
        for x in library.launched
    ]
    assert seen == [(A, A, 0), (A + 256, A + 256, 0), (A, A, 1), (A, A, 0)]
    assert len(library.encoded) == 3


def test_only_so_many_frames_are_kept(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    for step in range(FRAMES + 10):
        launcher(A + 16 * step, C)
    assert len(launcher._frames) == FRAMES
    launcher(A, C)
    assert int.from_bytes(library.launched[-1].arguments[1], "little") == A


def test_threads_share_a_launcher(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)

    def call(thread: int) -> None:
        for step in range(50):
            launcher(A + 16 * (thread * 50 + step), C)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pairs = [
        (int.from_bytes(x.arguments[1], "little"), struct.unpack_from("<Q", x.arguments[0])[0])
        for x in library.launched
    ]
    assert sorted(pairs) == [(A + 16 * i, A + 16 * i) for i in range(400)]


def test_small_tensors_on_older_drivers_lose_the_bit(kernel: CudaKernel, library: Any) -> None:
    kernel.prepare(SYMBOLS)(A, C)
    kernel.prepare({**SYMBOLS, "m": 2000})(A, C)
    library.version = 13020
    kernel.prepare(SYMBOLS)(A, C)
    words = [struct.unpack_from("<2Q", launched.arguments[0])[1] for launched in library.launched]
    every = (1 << 64) - 1
    assert words == [every & ~(1 << 21), every, every]


def test_an_empty_operand_needs_no_descriptor(kernel: CudaKernel, library: Any, source: KernelSource) -> None:
    empty = source.replace(launch=source.launch.replace(blocks=Const(2)))
    CudaKernel(empty, kernel.device, b"\x7fELF").prepare({**SYMBOLS, "m": 0})(0, C)
    assert library.encoded == []
    assert library.launched[0].arguments[0] == bytes(128)


def test_a_thread_without_a_context_gets_one(kernel: CudaKernel, library: Any) -> None:
    library.needs_context = True
    launcher = kernel.prepare(SYMBOLS)
    launcher(A, C)
    assert len(library.launched) == 1
    assert library.current == 0, "the caller's context is as it was"


def test_other_devices_of_the_process_keep_their_context(library: Any, source: KernelSource) -> None:
    from tracea_cuda.driver import Driver

    library.count, library.sizes = 2, [128, 8, 8, 4, 8]
    second = Device(Driver(library), 1)
    launcher = CudaKernel(source, second, b"\x7fELF").prepare(SYMBOLS)
    library.current, library.function_context = 0xC0, second.context
    library.calls.clear()
    launcher(A, C)
    assert library.current == 0xC0
    around = [
        call for call in library.calls if call in ("cuCtxPushCurrent_v2", "cuLaunchKernelEx", "cuCtxPopCurrent_v2")
    ]
    assert around[-4:] == ["cuLaunchKernelEx", "cuCtxPushCurrent_v2", "cuLaunchKernelEx", "cuCtxPopCurrent_v2"]
    assert len(library.launched) == 1
    library.current = second.context
    library.calls.clear()
    launcher(A, C)
    assert library.calls == ["cuLaunchKernelEx"], "nothing is asked where the device is current"


def test_a_kernel_that_fixes_its_cluster_is_launched_without_the_attribute(
    source: KernelSource, device: Device, library: Any
) -> None:
    library.required_cluster, library.sizes = 2, [128, 8, 8, 4, 8]
    CudaKernel(source, device, b"\x7fELF").prepare(SYMBOLS)(A, C)
    assert library.launched[0].cluster is None


@pytest.mark.parametrize("cluster", [1, 2])
@pytest.mark.parametrize(
    ("overlap", "early"),
    [(UNSET, False), (Overlap.LEADS, False), (Overlap.BESIDE, True), (Overlap.BOTH, True), (Overlap.FOLLOWS, True)],
)
def test_only_what_waits_for_the_kernel_before_it_begins_early(
    overlap: Overlap | UnsetType, early: bool, cluster: int, source: KernelSource, device: Device, library: Any
) -> None:
    library.sizes = [128, 8, 8, 4, 8]
    launch = source.launch.replace(cluster=cluster, overlap=overlap)
    CudaKernel(source.replace(launch=launch), device, b"\x7fELF").prepare(SYMBOLS)(A, C)
    (launched,) = library.launched
    assert launched.early is early
    assert launched.cluster == (None if cluster == 1 else (cluster, 1, 1))


@pytest.mark.parametrize(
    ("symbols", "pointers", "words"),
    [
        ({"m": 300}, (A, C), "no value was given for c_row"),
        ({"m": 300, "c_row": 12}, (A, C), "c_row=12 lies outside"),
        (SYMBOLS, (A,), "one address each of a, c"),
        (SYMBOLS, (A + 8, C), "relies on 16-byte alignment"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_driver_is_asked(
    symbols: dict[str, int], pointers: tuple[int, ...], words: str, kernel: CudaKernel, library: Any
) -> None:
    with pytest.raises(LaunchError, match=words):
        kernel.prepare(symbols)(*pointers)
    assert library.launched == []


@pytest.mark.parametrize(
    ("launch", "words"),
    [
        (Launch(Const(3), 384, 2, 0), "whole clusters"),
        (Launch(Const(0), 384), "blocks, not 0"),
        (Launch(Const(2), 2048), "not 2048"),
    ],
)
def test_launches_that_no_device_takes(launch: Launch, words: str, source: KernelSource, device: Device) -> None:
    with pytest.raises(LaunchError, match=words):
        CudaKernel(source.replace(launch=launch), device, b"\x7fELF").prepare(SYMBOLS)


def test_too_much_shared_memory_is_refused_when_the_kernel_is_loaded(source: KernelSource, device: Device) -> None:
    greedy = source.replace(launch=source.launch.replace(shared_bytes=240_000))
    with pytest.raises(LaunchError, match="240000 bytes of shared memory"):
        CudaKernel(greedy, device, b"\x7fELF")


def test_an_error_of_the_launch_names_the_kernel(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    library.fail["cuLaunchKernelEx"] = 1
    with pytest.raises(LaunchError, match=r"CUDA_ERROR_INVALID_VALUE.*kernel=scale.*blocks=6"):
        launcher(A, C)


def test_an_error_left_by_an_earlier_kernel_is_said_to_be_that(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    library.fail["cuLaunchKernelEx"] = 700
    with pytest.raises(LaunchError, match=r"an earlier kernel broke.*ILLEGAL_ADDRESS.*Start the process again"):
        launcher(A, C)


def test_what_cannot_be_done_while_a_graph_is_captured_says_so(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    library.fail["cuLaunchKernelEx"] = 900
    with pytest.raises(LaunchError, match="Call once before capturing a graph"):
        launcher(A, C)


def test_a_bound_launch_is_the_same_launch(kernel: CudaKernel, library: Any) -> None:
    launcher = kernel.prepare(SYMBOLS)
    launcher(A, C, stream=9)
    call, _kept = launcher.bind((A, C), 9)
    assert call() == 0
    first, second = library.launched
    assert first == second
    library.fail["cuLaunchKernelEx"] = 1
    assert call() == 1, "who bound it looks at the code"


def test_a_bound_launch_of_another_device_is_refused_and_says_so(library: Any, source: KernelSource) -> None:
    library.count, library.sizes = 2, [128, 8, 8, 4, 8]
    device = Device(cuda.Driver(library), 1)
    call, _kept = CudaKernel(source, device, b"\x7fELF").prepare(SYMBOLS).bind((A, C), 0)
    library.current, library.function_context = 0xC0, device.context
    assert call() == cuda.INVALID_HANDLE and not library.launched
    library.current = device.context
    assert call() == 0 and len(library.launched) == 1

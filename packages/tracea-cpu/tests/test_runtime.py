# SPDX-License-Identifier: MIT
"""Launchers bind symbols, place arguments and workspaces where kernels expect them, and serve many threads at once."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tracea_core.emit.source import KernelSource, Workspace
from tracea_core.errors import CompileError, LaunchError
from tracea_core.runtime.interface import CompiledKernel, Launcher, Runtime
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.kernel import Symbol
from tracea_cpu.processors import SETTING
from tracea_cpu.runtime import Arena, CpuRuntime, open_runtime
from tracea_cpu.shared import Shared, shared_pool
from tracea_llvm.barrier import LINE

COPY_BLOCK = """define void @copy_block(ptr %arguments, i64 %worker, i64 %workers) nounwind {
entry:
  %is_first = icmp eq i64 %worker, 0
  br i1 %is_first, label %first, label %end
first:
  %out = load ptr, ptr %arguments, align 8
  br label %word
word:
  %i = phi i64 [ 0, %first ], [ %next, %word ]
  %from = getelementptr i64, ptr %arguments, i64 %i
  %to = getelementptr i64, ptr %out, i64 %i
  %value = load i64, ptr %from, align 8
  store i64 %value, ptr %to, align 8
  %next = add i64 %i, 1
  %is_last = icmp eq i64 %next, 7
  br i1 %is_last, label %count, label %word
count:
  %after = getelementptr i64, ptr %out, i64 7
  store i64 %workers, ptr %after, align 8
  br label %end
end:
  ret void
}
"""
AWAIT_WORD = """define void @await_word(ptr %arguments, i64 %worker, i64 %workers) nounwind {
entry:
  %out = load ptr, ptr %arguments, align 8
  %word = getelementptr i64, ptr %out, i64 1
  %seen = getelementptr i64, ptr %out, i64 2
  store atomic i64 1, ptr %out seq_cst, align 8
  br label %look
look:
  %i = phi i64 [ 0, %entry ], [ %next, %look ]
  %now = load atomic i64, ptr %word seq_cst, align 8
  %next = add i64 %i, 1
  %came = icmp ne i64 %now, 0
  %late = icmp ugt i64 %next, 20000000000
  %over = or i1 %came, %late
  br i1 %over, label %end, label %look
end:
  store i64 %now, ptr %seen, align 8
  ret void
}
"""
SYMBOLS = (Symbol("m", 1, 100), Symbol("n", 0, 64, 8))
WORKSPACES = (
    Workspace("panel", Sym("m") * 40, per_worker=True),
    Workspace("sums", Sym("n") * Const(4) + 1, per_worker=False),
)


@pytest.fixture
def two_workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(SETTING, "2")
    shared_pool()
    yield
    monkeypatch.undo()
    shared_pool()


@pytest.fixture
def block(source: Callable[..., KernelSource]) -> KernelSource:
    """A kernel that copies its argument block: two pointers, two symbols, barrier, two workspaces, and `workers`."""
    return source(COPY_BLOCK, "copy_block", ["out", "other"], SYMBOLS, WORKSPACES)


def test_the_objects_are_what_the_interface_says(block: KernelSource) -> None:
    runtime = open_runtime("cpu")
    kernel = runtime.compile(block)
    launcher = kernel.prepare({"m": 1, "n": 8})
    assert isinstance(runtime, Runtime)
    assert isinstance(kernel, CompiledKernel)
    assert isinstance(launcher, Launcher)
    assert runtime.device == "cpu"
    assert runtime.toolchain.startswith("llvm ")
    assert kernel.source is block


def test_arguments_lie_where_kernels_expect_them(block: KernelSource, words: Any, two_workers: None) -> None:
    out = words(8)
    CpuRuntime().compile(block).prepare({"m": 7, "n": 16})(out.address, 1234)
    pointer, other, m, n, barrier, panel, sums, workers = out.values
    assert (pointer, other, m, n, workers) == (out.address, 1234, 7, 16, 2)
    assert barrier % LINE == panel % LINE == sums % LINE == 0
    assert panel >= barrier + 2 * LINE
    assert sums - panel == 2 * 320  # each worker's 280 bytes, in whole cache lines


def test_one_worker_if_the_plan_says_so(block: KernelSource, words: Any, two_workers: None) -> None:
    out = words(8)
    launch = CpuRuntime().compile(block).prepare({"m": 7, "n": 16, "workers": 1})
    launch(out.address, 0)
    assert out.values[7] == 1
    assert out.values[6] - out.values[5] == 320


def test_memory_is_sized_for_the_workers_that_come(
    block: KernelSource, words: Any, two_workers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = words(8)
    launch = CpuRuntime().compile(block).prepare({"m": 7, "n": 16})
    monkeypatch.setenv(SETTING, "4")
    assert shared_pool().size == 4
    launch(out.address, 0)
    assert out.values[7] == 2
    monkeypatch.setenv(SETTING, "1")
    assert shared_pool().size == 1
    launch(out.address, 0)
    assert out.values[7] == 1


def test_kernels_with_barriers_and_shared_memory(mark: KernelSource, words: Any, two_workers: None) -> None:
    launch = CpuRuntime().compile(mark).prepare({"rounds": 20})
    for _ in range(50):
        out = words(66)
        launch(out.address)
        assert list(out.values[:5]) == [2, 0, 2, 2, 0]


@pytest.mark.parametrize(
    "symbols, words_of_error",
    [({"m": 1}, "no value was given for n"), ({"m": 0, "n": 8}, "m=0"), ({"m": 1, "n": 9}, "n=9"), ({}, "m, n")],
)
def test_bad_symbols(block: KernelSource, symbols: dict[str, int], words_of_error: str) -> None:
    with pytest.raises(LaunchError, match=words_of_error):
        CpuRuntime().compile(block).prepare(symbols)


@pytest.mark.parametrize("pointers", [(), (1,), (1, 2, 3), (None, 1), (1.5, 2)])
def test_bad_pointers_launch_nothing(block: KernelSource, pointers: tuple[Any, ...]) -> None:
    launch = CpuRuntime().compile(block).prepare({"m": 1, "n": 8})
    with pytest.raises(LaunchError, match="out, other"):
        launch(*pointers)


def test_too_large_a_workspace(source: Callable[..., KernelSource]) -> None:
    huge = source(COPY_BLOCK, "copy_block", ["out"], (), (Workspace("panel", Const(1 << 60), per_worker=False),))
    launch = CpuRuntime().compile(huge).prepare({})
    with pytest.raises(LaunchError, match="cannot be allocated"):
        launch(0)


def test_a_source_that_lacks_its_entry(source: Callable[..., KernelSource]) -> None:
    with pytest.raises(CompileError, match="elsewhere"):
        CpuRuntime().compile(source(COPY_BLOCK, "elsewhere", ["out"]))


def test_many_threads_share_a_launcher(mark: KernelSource, words: Any, two_workers: None) -> None:
    launch = CpuRuntime().compile(mark).prepare({"rounds": 10})
    wrong: list[list[int]] = []

    def work() -> None:
        for _ in range(200):
            out = words(66)
            launch(out.address)
            count = out.values[0]
            if list(out.values[: 2 + count]) != [count, 0] + [count] * count or count not in (1, 2):
                wrong.append(list(out.values))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(launch._blocks) <= 6


def test_memory_is_reused_and_grows(block: KernelSource, words: Any) -> None:
    runtime = CpuRuntime()
    kernel = runtime.compile(block)
    small, large = kernel.prepare({"m": 1, "n": 8, "workers": 1}), kernel.prepare({"m": 100, "n": 8, "workers": 1})
    places = []
    for launch in (small, small, large, small, large):
        out = words(8)
        launch(out.address, 0)
        places.append(out.values[4])
    assert places[0] == places[1]
    assert places[2] == places[3] == places[4]


def test_the_arena_hands_out_each_piece_once() -> None:
    arena = Arena()
    first, second = arena.take(100), arena.take(100)
    ranges = sorted((address, address + size) for address, size, _ in (first, second))
    assert ranges[0][1] <= ranges[1][0]
    assert all(address % LINE == 0 for address, _, _ in (first, second))
    arena.give(first)
    assert arena.take(50)[0] == first[0]


def _mapped() -> int:
    """Bytes that the process has mapped."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * mmap.PAGESIZE


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no huge pages to ask for")
def test_large_pieces_begin_at_huge_pages_and_are_returned() -> None:
    size, before = 64 << 20, _mapped()
    arena = Arena()
    address, held, owner = arena.take(size)
    assert address % (2 << 20) == 0 and held == size
    ctypes.memset(address, 1, size)
    gc.collect()
    assert ctypes.string_at(address + size - 1, 1) == b"\x01"
    assert _mapped() - before >= size
    del owner
    assert _mapped() - before < size // 2


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no huge pages to ask for")
def test_a_system_that_gives_no_huge_pages_gives_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mmap, "MADV_HUGEPAGE", -1)
    address, size, owner = Arena().take(8 << 20)
    ctypes.memset(address, 1, size)
    del owner


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_children_write_to_memory_of_their_own() -> None:
    address, size, owner = Arena().take(8 << 20)
    ctypes.memset(address, 1, size)
    child = os.fork()
    if not child:
        ctypes.memset(address, 2, size)
        os._exit(0)
    os.waitpid(child, 0)
    assert ctypes.string_at(address, 1) == b"\x01"
    del owner


def test_a_launcher_keeps_its_code(block: KernelSource, words: Any) -> None:
    launch = CpuRuntime().compile(block).prepare({"m": 3, "n": 8})
    gc.collect()
    out = words(8)
    launch(out.address, 5)
    assert list(out.values[1:4]) == [5, 3, 8]


def test_the_interpreter_runs_on_during_a_launch(source: Callable[..., KernelSource], words: Any) -> None:
    """A kernel that waits for a word, which only the interpreter can write, and gives up after some seconds."""
    launch = CpuRuntime().compile(source(AWAIT_WORD, "await_word", ["out"])).prepare({"workers": 1})
    out = words(3)
    thread = threading.Thread(target=launch, args=(out.address,))
    thread.start()
    while not out.values[0] and thread.is_alive():
        time.sleep(0.001)
    out.values[1] = 1
    thread.join()
    assert list(out.values) == [1, 1, 1]


def test_a_launch_while_the_pool_is_forgotten(block: KernelSource, words: Any, two_workers: None) -> None:
    launch = CpuRuntime().compile(block).prepare({"m": 1, "n": 8})
    old, Shared.pool = Shared.pool, None
    try:
        out = words(8)
        launch(out.address, 0)
        assert out.values[7] == 2
        assert Shared.pool is not None
    finally:
        if old is not None:
            old.retire()


def test_ctypes_and_numpy_integers_are_addresses(block: KernelSource, words: Any) -> None:
    np = pytest.importorskip("numpy")
    out = words(8)
    CpuRuntime().compile(block).prepare({"m": np.int64(2), "n": 8})(np.uint64(out.address), ctypes.c_void_p(9).value)
    assert list(out.values[:4]) == [out.address, 9, 2, 8]

# SPDX-License-Identifier: MIT
"""Every worker runs its share of every launch, whoever calls, forks, nests calls or changes the affinity meanwhile."""

from __future__ import annotations

import ctypes
import hashlib
import multiprocessing
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tracea_core.errors import OptionError
from tracea_cpu import compile as compiler
from tracea_cpu import pool as pools
from tracea_cpu.pool import Pool, PortablePool, ThreadedPool, WorkerPool
from tracea_cpu.pool_text import has_futex
from tracea_cpu.processors import SETTING
from tracea_cpu.shared import Shared, shared_pool
from tracea_llvm.barrier import BARRIER_BYTES, barrier_text

KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
STRESS_SECONDS = float(os.environ.get("TRACEA_STRESS_SECONDS", "1.5"))  # 120 before a release
KINDS: list[type[ThreadedPool]] = [Pool, PortablePool] if has_futex(compiler.host_triple()) else [PortablePool]
Run = Callable[[WorkerPool, int, int], list[int]]

needs_affinity = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
needs_fork = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system has no fork")


class Marker:
    """The kernel ``mark``, loaded, and a call of it with an argument block of its own."""

    def __init__(self, text: str) -> None:
        self.code = compiler.load(text, hashlib.sha256(text.encode()).hexdigest())
        self.address = self.code.address("mark")
        self.kernel = KERNEL(self.address)

    def __call__(self, pool: WorkerPool, rounds: int, workers: int) -> list[int]:
        """Return (workers that finished, sums that were wrong, and how many workers each of the first 64 knew of)."""
        out = (ctypes.c_int64 * 66)()
        slots = (ctypes.c_int64 * 64)()
        barrier = ctypes.create_string_buffer(BARRIER_BYTES + 64)
        aligned = -(-ctypes.addressof(barrier) // 64) * 64
        words = (ctypes.addressof(out), rounds, aligned, ctypes.addressof(slots))
        arguments = ctypes.create_string_buffer(struct.pack("4q", *words))
        pool.run(self.kernel, self.address, ctypes.addressof(arguments), workers)
        return list(out)

    @staticmethod
    def is_right(out: list[int]) -> bool:
        """Whether some number of workers took part, all of them, each once, and no barrier let anyone through."""
        return out[0] >= 1 and out[1] == 0 and out[2 : 2 + out[0]] == [out[0]] * out[0] and not any(out[2 + out[0] :])


@pytest.fixture(scope="module")
def marker(mark: Any) -> Marker:
    return Marker(mark.text)


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Iterator[Callable[[int], WorkerPool]]:
    """Return the maker of pools of one kind; all are retired afterwards."""
    made: list[WorkerPool] = []

    def make(size: int) -> WorkerPool:
        made.append(request.param(size))
        return made[-1]

    yield make
    for pool in made:
        pool.retire()


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the process's pool before and after, and restore mask and setting."""
    mask = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    monkeypatch.setattr(Shared, "pool", None)
    monkeypatch.setattr(Shared, "made_for", ())
    yield
    if Shared.pool is not None:
        Shared.pool.retire()
    if mask is not None:
        os.sched_setaffinity(0, mask)


def _threads(before: set[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("tracea-")]


def _gone(threads: list[threading.Thread]) -> bool:
    for thread in threads:
        thread.join(300)
    return not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_all_workers_run_each_launch_once(size: int, make: Callable[[int], WorkerPool], marker: Marker) -> None:
    pool = make(size)
    assert pool.size == size
    for rounds in (1, 2, 5):
        out = marker(pool, rounds, size)
        assert out[0] == size
        assert marker.is_right(out)


@pytest.mark.parametrize("workers, expected", [(1, 1), (2, 2), (3, 3), (4, 4), (9, 4)])
def test_a_launch_uses_no_more_workers_than_it_asks_for(
    workers: int, expected: int, make: Callable[[int], WorkerPool], marker: Marker
) -> None:
    out = marker(make(4), 3, workers)
    assert out[0] == expected
    assert marker.is_right(out)


def test_workers_that_fell_asleep_wake_up(make: Callable[[int], WorkerPool], marker: Marker) -> None:
    pool = make(3)
    for _ in range(3):
        time.sleep(0.05)
        assert marker(pool, 2, 3)[0] == 3


def test_the_check_sees_a_barrier_that_lets_through(mark: Any) -> None:
    body = barrier_text(compiler.host_triple())
    start, end = body.index("entry:"), body.rindex("}")
    open_barrier = body[:start] + "  ret void\n" + body[end:]
    broken = Marker(mark.text.replace(body, open_barrier))
    pool = KINDS[0](3)
    try:
        assert not all(broken.is_right(broken(pool, 2000, 3)) for _ in range(5))
    finally:
        pool.retire()


def test_a_busy_pool_leaves_other_callers_alone(make: Callable[[int], WorkerPool], marker: Marker) -> None:
    pool = make(3)
    inside: list[list[int]] = []

    @KERNEL
    def calls(arguments: int, worker: int, workers: int) -> None:
        if worker == 0:
            inside.append(marker(pool, 2, 3))

    address = ctypes.cast(calls, ctypes.c_void_p).value
    assert address is not None
    pool.run(calls, address, 0, 3)
    assert inside[0][0] == 1
    assert marker.is_right(inside[0])
    assert marker(pool, 2, 3)[0] == 3


def test_a_retired_pool_ends_its_threads_and_still_runs_kernels(
    make: Callable[[int], WorkerPool], marker: Marker
) -> None:
    before = set(threading.enumerate())
    pool = make(4)
    threads = _threads(before)
    assert len(threads) == 3
    pool.retire()
    pool.retire()
    assert _gone(threads)
    assert marker(pool, 2, 4)[0] == 1


def test_a_pool_that_is_retired_during_a_launch_ends_after_it(
    make: Callable[[int], WorkerPool], marker: Marker
) -> None:
    before = set(threading.enumerate())
    pool = make(2)
    threads = _threads(before)
    started, proceed = threading.Event(), threading.Event()

    @KERNEL
    def waits(arguments: int, worker: int, workers: int) -> None:
        started.set()
        proceed.wait(300)

    address = ctypes.cast(waits, ctypes.c_void_p).value
    assert address is not None
    caller = threading.Thread(target=pool.run, args=(waits, address, 0, 2))
    caller.start()
    assert started.wait(300)
    pool.retire()
    assert pool.size == 2
    proceed.set()
    caller.join(300)
    assert pool.size == 1
    assert _gone(threads)


def test_fewer_threads_than_wanted(
    make: Callable[[int], WorkerPool], marker: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if thread.name == "tracea-3":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    pool = make(6)
    assert pool.size == 3
    out = marker(pool, 3, 6)
    assert out[0] == 3
    assert marker.is_right(out)


def test_an_interrupt_waits_for_the_workers(monkeypatch: pytest.MonkeyPatch, marker: Marker) -> None:
    pool = PortablePool(2)
    waits = threading.Condition.wait_for
    interrupts = [KeyboardInterrupt(), KeyboardInterrupt()]

    def interrupted(condition: threading.Condition, predicate: Callable[[], bool]) -> bool:
        if interrupts:
            raise interrupts.pop()
        return bool(waits(condition, predicate))

    monkeypatch.setattr(threading.Condition, "wait_for", interrupted)
    with pytest.raises(KeyboardInterrupt):
        marker(pool, 50, 2)
    assert pool._left == 0
    assert marker(pool, 2, 2)[0] == 2
    pool.retire()


@needs_affinity
def test_the_shared_pool_follows_mask_and_setting(fresh: None, monkeypatch: pytest.MonkeyPatch, marker: Marker) -> None:
    monkeypatch.setenv(SETTING, "3")
    first = shared_pool()
    assert first.size == 3
    assert shared_pool() is first
    monkeypatch.setenv(SETTING, "2")
    second = shared_pool()
    assert (first.size, second.size) == (1, 2)
    assert marker(first, 2, 3)[0] == 1
    monkeypatch.delenv(SETTING)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    third = shared_pool()
    assert third.size == 1
    assert marker(third, 2, 3)[0] == 1


def test_a_bad_setting_keeps_the_pool(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "2")
    pool = shared_pool()
    monkeypatch.setenv(SETTING, "none")
    with pytest.raises(OptionError):
        shared_pool()
    assert pool.size == 2
    assert Shared.pool is pool


@needs_affinity
@pytest.mark.skipif(KINDS[0] is PortablePool, reason="only the emitted pool pins")
def test_workers_are_pinned_only_if_each_processor_has_one(monkeypatch: pytest.MonkeyPatch, marker: Marker) -> None:
    processors = tuple(sorted(os.sched_getaffinity(0)))
    if len(processors) < 2:
        pytest.skip("there is one processor only")
    monkeypatch.setattr(pools, "available_processors", lambda: (*processors, 9999))
    assert Pool(len(processors))._places == []
    monkeypatch.setattr(pools, "available_processors", lambda: processors)
    pool = Pool(len(processors))
    assert pool._places == list(processors)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {processors[-1]})
    try:
        pool._moved = 0.0
        assert marker(pool, 2, 2)[0] == 2
        assert os.sched_getaffinity(0) == {processors[-1]}
        assert pool._places == [processors[-1], *processors[1:-1], processors[0]], "the worker has made room"
        assert os.sched_getaffinity(pool._threads[-1].native_id or 0) == {processors[0]}
        assert marker(pool, 2, 2)[0] == 2
    finally:
        os.sched_setaffinity(0, before)
        pool.retire()


@needs_affinity
@pytest.mark.skipif(KINDS[0] is PortablePool, reason="only the emitted pool pins")
def test_a_caller_is_never_pinned_not_even_for_a_moment(monkeypatch: pytest.MonkeyPatch, marker: Marker) -> None:
    mask = os.sched_getaffinity(0)
    changed: list[int] = []
    plain = os.sched_setaffinity

    def watched(thread: int, processors: Any) -> None:
        changed.append(thread or threading.get_native_id())
        plain(thread, processors)

    monkeypatch.setattr(os, "sched_setaffinity", watched)
    pool = Pool(len(mask))
    callers: list[int] = []
    inherited: list[set[int]] = []

    def call() -> None:
        callers.append(threading.get_native_id())
        for _ in range(50):
            pool._moved = 0.0
            marker(pool, 1, len(mask))
            child = threading.Thread(target=lambda: inherited.append(os.sched_getaffinity(0)))
            child.start()
            child.join()

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    call()
    for thread in threads:
        thread.join()
    workers = {thread.native_id for thread in pool._threads}
    pool.retire()
    assert inherited == [mask] * 200
    assert set(changed) <= workers and not workers & set(callers)


def _in_child(pipe: Any, marker: Marker, old: WorkerPool) -> None:
    first = marker(old, 3, 2)
    pool = shared_pool()
    second = marker(pool, 3, 2)
    pipe.send((first[0], marker.is_right(first), pool is old, second[0], marker.is_right(second)))


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_starts_its_own_pool(fresh: None, monkeypatch: pytest.MonkeyPatch, marker: Marker) -> None:
    monkeypatch.setenv(SETTING, "2")
    pool = shared_pool()
    over = threading.Event()

    def launches() -> None:
        while not over.is_set():
            marker(pool, 20, 2)

    thread = threading.Thread(target=launches)
    thread.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(5):
            mine, theirs = context.Pipe()
            child = context.Process(target=_in_child, args=(theirs, marker, pool))
            child.start()
            assert mine.poll(300)
            assert mine.recv() == (1, True, False, 2, True)
            child.join(300)
            assert child.exitcode == 0
    finally:
        over.set()
        thread.join()
    assert marker(shared_pool(), 3, 2)[0] == 2


@needs_fork
@needs_affinity
@pytest.mark.timeout(max(600, 3 * STRESS_SECONDS))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_stress(fresh: None, monkeypatch: pytest.MonkeyPatch, marker: Marker) -> None:
    """Eight callers, with forks and changes of the affinity and the setting."""
    end = time.monotonic() + STRESS_SECONDS
    counts, wrong = [0] * 8, []

    def call(number: int) -> None:
        while time.monotonic() < end or not counts[number]:
            pool = Shared.pool or shared_pool()
            out = marker(pool, 1 + counts[number] % 7, 2 + number % 3)
            counts[number] += 1
            if not marker.is_right(out):
                wrong.append(out)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    context = multiprocessing.get_context("fork")
    mask, children, changes = os.sched_getaffinity(0), 0, 0
    while time.monotonic() < end or not children:
        changes += 1
        os.sched_setaffinity(0, {min(mask)} if changes % 3 == 0 else mask)
        monkeypatch.setenv(SETTING, str(2 + changes % 3)) if changes % 2 else monkeypatch.delenv(SETTING)
        shared_pool()
        if changes % 10 == 1:
            mine, theirs = context.Pipe()
            child = context.Process(target=_in_child, args=(theirs, marker, shared_pool()))
            child.start()
            assert mine.poll(300)
            first_workers, first_right, same, _, second_right = mine.recv()
            assert (first_workers, first_right, same, second_right) == (1, True, False, True)
            child.join(300)
            assert child.exitcode == 0
            children += 1
        time.sleep(0.005)
    for thread in threads:
        thread.join(300)
    assert not wrong
    assert min(counts) > 0
    assert children > 0

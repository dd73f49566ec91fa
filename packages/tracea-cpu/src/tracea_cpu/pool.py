# SPDX-License-Identifier: MIT
"""The thread pool: every worker runs its share of every launch, and nobody steals.

Workers are threads inside one foreign call that never returns to Python, so they need no interpreter lock. One launch
uses the pool at a time; a caller that finds it busy (another thread's call, or a call from inside a kernel's callback)
runs its kernel alone instead of waiting, which is always right because shares only divide the work. After a fork the
child starts a pool of its own at its first launch. `TRACEA_NUM_THREADS` and the affinity mask are read again whenever
a plan is made.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import logging
import os
import threading
from typing import Any

from tracea_core.errors import LaunchError, OptionError

from tracea_cpu import compile as compiler
from tracea_cpu.pool_text import LINE, POOL_BYTES, has_futex, pool_text

_log = logging.getLogger("tracea.cpu")
_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def available_processors() -> tuple[int, ...]:
    """Return the processors this process may run on, or as many numbers as the system has where it has no affinity."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def wanted_workers() -> int:
    """Return how many workers a launch should use: `TRACEA_NUM_THREADS`, or one for each available processor.

    Raises
    ------
    OptionError
        If `TRACEA_NUM_THREADS` is not a positive integer.
    """
    text = os.environ.get("TRACEA_NUM_THREADS")
    if not text:
        return len(available_processors())
    try:
        count = int(text)
    except ValueError:
        count = 0
    if not 1 <= count <= 4096:
        raise OptionError(
            f"TRACEA_NUM_THREADS={text!r} is no number of threads", hint="Set it to 1 or more, or unset it"
        )
    return count


class Pool:
    """`size` workers, the caller counted as worker 0."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._busy = threading.Lock()
        self._memory = ctypes.create_string_buffer(POOL_BYTES + LINE)
        self._address = -(-ctypes.addressof(self._memory) // LINE) * LINE
        if size > 1:
            code = _pool_code()
            self._launch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
                code.address("tracea_launch")
            )
            worker = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.address("tracea_worker"))
            processors = available_processors()
            for number in range(1, size):
                place = processors[number % len(processors)] if size <= len(processors) else None
                arguments = (worker, self._address, number, place)
                threading.Thread(target=_work, args=arguments, name=f"tracea-{number}", daemon=True).start()

    def run(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        """Run a kernel on all workers if `workers` is more than 1 and the pool is free, else on the caller alone.

        Parameters
        ----------
        kernel : foreign function
            The kernel, for the caller alone; `kernel_address` is its address, for the others.
        arguments : int
            Address of the argument block.
        """
        if workers > 1 and self.size > 1 and self._busy.acquire(blocking=False):
            try:
                self._launch(self._address, kernel_address, arguments, self.size)
            finally:
                self._busy.release()
        else:
            kernel(arguments, 0, 1)

    def close(self) -> None:
        """Let the workers go; a launch in progress is waited for."""
        if self.size > 1:
            with self._busy:
                self._launch(self._address, None, None, self.size)
                self.size = 1


class PortablePool:
    """The same promises with Python threads and semaphores, where the emitted pool has no way to sleep."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._busy = threading.Lock()
        self._starts = [threading.Semaphore(0) for _ in range(size - 1)]
        self._done = threading.Semaphore(0)
        self._task: tuple[Any, int] | None = None
        for number in range(1, size):
            threading.Thread(target=self._serve, args=(number,), name=f"tracea-{number}", daemon=True).start()

    def _serve(self, number: int) -> None:
        while True:
            self._starts[number - 1].acquire()
            if self._task is None:
                self._done.release()
                return
            kernel, arguments = self._task
            kernel(arguments, number, self.size)
            self._done.release()

    def run(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        """Run a kernel as `Pool.run` does."""
        if workers > 1 and self.size > 1 and self._busy.acquire(blocking=False):
            try:
                self._task = (kernel, arguments)
                self._wake()
                kernel(arguments, 0, self.size)
                self._wait()
            finally:
                self._busy.release()
        else:
            kernel(arguments, 0, 1)

    def close(self) -> None:
        """Let the workers go."""
        with self._busy:
            self._task = None
            self._wake()
            self._wait()
            self.size = 1

    def _wake(self) -> None:
        for start in self._starts[: self.size - 1]:
            start.release()

    def _wait(self) -> None:
        for _ in range(self.size - 1):
            self._done.acquire()


def _work(worker: Any, address: int, number: int, processor: int | None) -> None:
    if processor is not None and hasattr(os, "sched_setaffinity"):
        try:
            os.sched_setaffinity(0, {processor})
        except OSError as error:  # a container may forbid it; the worker is then merely not pinned
            _log.debug("worker %d is not pinned to processor %d: %s", number, processor, error)
    worker(address, number)


@functools.lru_cache(maxsize=1)
def _pool_code() -> compiler.LoadedObject:
    text = pool_text(compiler.host_triple())
    return compiler.load(text, hashlib.sha256(text.encode()).hexdigest())


class Shared:
    """The process's pool (None until it is needed, and after a fork) and the mask and setting it was made for."""

    lock = threading.Lock()
    pool: Pool | PortablePool | None = None
    made_for: tuple[object, ...] = ()


def shared_pool() -> Pool | PortablePool:
    """Return the process's pool, made anew if the affinity mask or `TRACEA_NUM_THREADS` has changed.

    Raises
    ------
    OptionError
        If `TRACEA_NUM_THREADS` is not a positive integer.
    LaunchError
        If no thread can be started.
    """
    state = (available_processors(), os.environ.get("TRACEA_NUM_THREADS"), os.getpid())
    with Shared.lock:
        if Shared.pool is None or Shared.made_for != state:
            if Shared.pool is not None and Shared.made_for[-1:] == state[-1:]:
                Shared.pool.close()
            kind = Pool if has_futex(compiler.host_triple()) else PortablePool
            try:
                Shared.pool = kind(wanted_workers())
            except RuntimeError as error:
                raise LaunchError(
                    f"the worker threads cannot be started: {error}",
                    hint="Lower TRACEA_NUM_THREADS or the limit on threads",
                ) from error
            Shared.made_for = state
        return Shared.pool


def _after_fork() -> None:
    """Forget the parent's workers in a child: they do not exist there."""
    Shared.lock = threading.Lock()
    if Shared.pool is not None:
        Shared.pool.size = 1  # for whoever still holds it: run alone, wait for nobody
    Shared.pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

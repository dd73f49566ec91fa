# SPDX-License-Identifier: MIT
"""Thread pools: every worker takes part in every launch; which shares are whose is settled before, or by `tracea_cpu.deal`.

Workers are threads inside one foreign call that returns when the pool goes, so they need no interpreter lock. One
launch uses the pool at a time; a caller that finds it busy (another thread's call, or a call from inside a kernel's
callback) runs its kernel alone instead of waiting, which is always right because shares only divide the work. Beside
PyTorch launches run on its threads (`tracea_cpu.team`); which pool a process uses, `tracea_cpu.shared` says.
"""

from __future__ import annotations

import abc
import ctypes
import functools
import hashlib
import logging
import os
import threading
import time
import weakref
from typing import Any

from tracea_llvm.barrier import LINE

from tracea_cpu import compile as compiler
from tracea_cpu.pool_text import ORIGIN, POOL_BYTES, pool_text
from tracea_cpu.processors import available_processors

_log = logging.getLogger("tracea.cpu")
_SECONDS_BETWEEN_MOVES = 0.005  # several callers take turns at one processor otherwise
_Launch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_Worker = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class WorkerPool(abc.ABC):
    """Workers that take part in launches, one launch at a time, the caller of a launch counted as worker 0.

    Attributes
    ----------
    size : int
        How many workers there are.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._busy = threading.Lock()
        self._retired = False
        _pools.add(self)

    def run(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        """Run a kernel on `workers` workers (or as many as there are); on the caller alone if the pool is busy.

        Parameters
        ----------
        kernel : foreign function
            The kernel, for the caller alone; `kernel_address` is its address, for the others.
        arguments : int
            Address of the argument block.
        """
        if workers > 1 and self.size > 1 and self._busy.acquire(False):
            try:
                size = self.size
                self._launch(kernel, kernel_address, arguments, workers if workers < size else size)
            finally:
                self._busy.release()
            if self._retired:
                self.retire()
        else:
            kernel(arguments, 0, 1)

    def retire(self) -> None:
        """Let the workers go: now, or after the launch in progress. Later launches run on their callers alone."""
        self._retired = True
        if self.size > 1 and self._busy.acquire(blocking=False):
            try:
                if self.size > 1:
                    self._dismiss()
                    self.size = 1
            finally:
                self._busy.release()

    def forget_threads(self) -> None:
        """Take note, in the child of a fork, that the workers do not exist there."""
        self.size = 1

    @abc.abstractmethod
    def _launch(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        """Run the kernel on the caller and the first ``workers - 1`` others, and wait for them."""

    @abc.abstractmethod
    def _dismiss(self) -> None:
        """Let the workers go, and wait until they no longer touch what they share."""


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


class ThreadedPool(WorkerPool):
    """Workers that are threads of its own.

    Parameters
    ----------
    size : int
        How many are wanted. Where the system grants fewer threads, there are fewer workers, and the log says so.
    """

    def __init__(self, size: int) -> None:
        super().__init__(1)
        if size > 1:
            self._open(size)
        self._threads: list[threading.Thread] = []
        for number in range(1, size):
            thread = self._thread(number)
            try:
                thread.start()
            except (RuntimeError, MemoryError) as error:  # a limit on threads, or the interpreter is going down
                _log.warning("%d of %d threads run: no more can be started (%s)", number, size, error)
                break
            self._threads.append(thread)
            self.size = number + 1

    @abc.abstractmethod
    def _open(self, size: int) -> None:
        """Prepare what the threads share."""

    @abc.abstractmethod
    def _thread(self, number: int) -> threading.Thread:
        """Return worker `number`, not started yet."""


class Pool(ThreadedPool):
    """Workers that spin and then sleep in emitted code. They are pinned if there is one for every processor.

    One processor is then left to whoever launches. A launch from another one finds a worker there, which the scheduler may
    take milliseconds to notice; that worker is moved to the vacant processor. The caller itself is never pinned or moved: a
    thread that it starts meanwhile (OpenMP's, say) would inherit its mask.
    """

    def _open(self, size: int) -> None:
        self._memory = ctypes.create_string_buffer(POOL_BYTES + LINE)
        self._address = -(-ctypes.addressof(self._memory) // LINE) * LINE
        code = _pool_code()
        self._kept = (
            self._memory,
            code,
        )  # threads that load the code at once get one each, and the cache keeps one of them
        self._start = _Launch(code.address("tracea_launch"))
        self._worker = _Worker(code.address("tracea_worker"))
        processors = available_processors()
        # By worker; the first is the vacant one. With fewer workers, pinning would send every process to the same ones.
        self._places = list(processors) if size == len(processors) else []
        self._origin = ctypes.c_int32.from_address(self._address + ORIGIN * LINE)
        self._moved = 0.0

    def _thread(self, number: int) -> threading.Thread:
        place = self._places[number] if self._places else None
        arguments = (self._worker, self._address, number, place, self._kept)
        return threading.Thread(target=_work, args=arguments, name=f"tracea-{number}", daemon=True)

    def _launch(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        self._start(self._address, kernel_address, arguments, workers, self.size)
        if self._places and self._origin.value != self._places[0]:
            self._make_room(self._origin.value)

    def _make_room(self, processor: int) -> None:
        """Move the worker that shares the caller's processor to the vacant one, unless one was moved just now.

        Every worker has reported by now, so each has pinned itself already.
        """
        now = time.monotonic()
        if now - self._moved < _SECONDS_BETWEEN_MOVES or processor not in self._places[1 : self.size]:
            return
        self._moved = now
        number = self._places.index(processor)
        thread = self._threads[number - 1].native_id
        try:
            if thread is not None:
                os.sched_setaffinity(thread, {self._places[0]})
                self._places[0], self._places[number] = processor, self._places[0]
        except OSError as error:
            _log.debug("worker %d stays on processor %d: %s", number, processor, error)

    def _dismiss(self) -> None:
        self._start(self._address, None, None, self.size, self.size)


def _work(worker: Any, address: int, number: int, processor: int | None, kept: Any) -> None:
    """Be worker `number` of the pool at `address`; `kept` is that memory, and the code which runs."""
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


class PortablePool(ThreadedPool):
    """The same promises with Python threads and one condition, where the emitted pool has no way to sleep."""

    def _open(self, size: int) -> None:
        self._changed = threading.Condition()
        self._generation = self._left = 0
        self._task: tuple[Any, int, int] | None = None

    def _thread(self, number: int) -> threading.Thread:
        return threading.Thread(target=self._serve, args=(number,), name=f"tracea-{number}", daemon=True)

    def _serve(self, number: int) -> None:
        generation = 0
        task: tuple[Any, int, int] | None = (None, 0, 0)
        while task is not None:
            with self._changed:
                while self._generation == generation:
                    self._changed.wait()
                generation, task = self._generation, self._task
            if task is not None and number < task[2]:
                kernel, arguments, workers = task
                kernel(arguments, number, workers)
            with self._changed:
                self._left -= 1
                self._changed.notify_all()

    def _launch(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        self._tell((kernel, arguments, workers))
        try:
            kernel(arguments, 0, workers)
        finally:
            self._wait()

    def _dismiss(self) -> None:
        self._tell(None)
        self._wait()

    def _tell(self, task: tuple[Any, int, int] | None) -> None:
        with self._changed:
            self._task, self._left = task, self.size - 1
            self._generation += 1
            self._changed.notify_all()

    def _wait(self) -> None:
        """Wait until every thread has reported. An interrupt is held back so long: the arguments are still in use."""
        interrupt: KeyboardInterrupt | None = None
        done = False
        while not done:
            try:
                with self._changed:
                    self._changed.wait_for(lambda: self._left == 0)
                done = True
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


def _after_fork() -> None:
    """Forget the parent's workers in a child: whoever still holds one of its pools runs alone and waits for nobody."""
    for pool in list(_pools):
        pool.forget_threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

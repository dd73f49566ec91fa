# SPDX-License-Identifier: MIT
"""Launches on the threads of the OpenMP runtime that PyTorch has loaded, so that a process does not keep two sets of them.

Idle threads of both kinds spin for a while before they sleep: OpenMP's on the processors that a kernel's workers need, and the workers
on those that PyTorch needs next. On two cores a convolution of 1.0 ms by PyTorch after one of 1.2 ms by tracea cost 1.0 ms more than
both alone; on the same threads it cost 0.01 ms. So where PyTorch runs on as many threads as a launch wants, the caller enters a
parallel region of that runtime (``GOMP_parallel``, which GNU's, Intel's and LLVM's have). `TRACEA_POOL=own` keeps to workers of one's own.

A region may get fewer threads than it asked for (``OMP_THREAD_LIMIT``, a region around it); the kernel is told how many there are.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import logging
import multiprocessing
import os
import re
import sys
from typing import Any

from tracea_cpu import compile as compiler
from tracea_cpu.pool import WorkerPool

_log = logging.getLogger("tracea.cpu")
SETTING = "TRACEA_POOL"
OWN = "own"
_MAPS = "/proc/self/maps"
_RUNTIME = re.compile(r"/lib(?:gomp|iomp5|omp)[^/]*\.so[^/]*$")
_FUNCTIONS = ("omp_get_thread_num", "omp_get_num_threads")

TEAM_TEXT = """; What each thread of a region does. task: the kernel, its arguments, and what says which thread this is, and of how many.
define void @tracea_share(ptr %task) nounwind {
entry:
  %arguments_word = getelementptr i8, ptr %task, i64 8
  %number_word = getelementptr i8, ptr %task, i64 16
  %count_word = getelementptr i8, ptr %task, i64 24
  %kernel = load ptr, ptr %task, align 8
  %arguments = load ptr, ptr %arguments_word, align 8
  %number_of = load ptr, ptr %number_word, align 8
  %count_of = load ptr, ptr %count_word, align 8
  %number = call i32 %number_of()
  %count = call i32 %count_of()
  %worker = sext i32 %number to i64
  %workers = sext i32 %count to i64
  call void %kernel(ptr %arguments, i64 %worker, i64 %workers)
  ret void
}
"""


class Team(WorkerPool):
    """At most `size` threads of an OpenMP runtime, the caller of a launch the first.

    Parameters
    ----------
    size : int
        How many a launch may ask for.
    runtime : ctypes.CDLL
        The library.
    """

    def __init__(self, size: int, runtime: Any) -> None:
        super().__init__(size)
        self._code = _team_code()
        self._share = self._code.address("tracea_share")
        addresses = [ctypes.cast(getattr(runtime, name), ctypes.c_void_p).value or 0 for name in _FUNCTIONS]
        self._task = (ctypes.c_int64 * 4)(0, 0, *addresses)
        self._parallel = runtime["GOMP_parallel"]  # an object of its own, so its types are nobody else's
        self._parallel.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
        self._parallel.restype = None

    def _launch(self, kernel: Any, kernel_address: int, arguments: int, workers: int) -> None:
        self._task[0], self._task[1] = kernel_address, arguments
        self._parallel(self._share, ctypes.addressof(self._task), workers, 0)

    def _dismiss(self) -> None:
        """The threads are not ours to dismiss."""


def runtime_for(count: int) -> Any:
    """Return the OpenMP runtime on whose threads `count` workers should run, None for workers of one's own.

    PyTorch is never imported for this. In the child of a fork there is none: GNU's runtime never returns from a region there if its
    threads stayed behind in the parent.
    """
    torch: Any = sys.modules.get("torch")
    if torch is None or count < 2 or os.environ.get(SETTING) == OWN:
        return None
    if _State.forked or multiprocessing.parent_process() is not None:  # who forked before this was imported
        return None
    try:
        if not torch.backends.openmp.is_available() or torch.get_num_threads() != count:
            return None
    except AttributeError:  # it is being imported
        return None
    return _runtime()


class _State:
    """Whether this process is the child of a fork."""

    forked = False


@functools.lru_cache(maxsize=1)
def _runtime() -> Any:
    """Return the only OpenMP runtime that is loaded; None where there is none, or one cannot tell which is PyTorch's."""
    try:
        with open(_MAPS) as file:
            paths = {line.split(maxsplit=5)[5].strip() for line in file if _RUNTIME.search(line.rstrip())}
        if len(paths) != 1:
            return None
        library = ctypes.CDLL(paths.pop())
        for name in ("GOMP_parallel", *_FUNCTIONS):
            getattr(library, name)
        return library
    except (OSError, AttributeError) as error:
        _log.info("kernels run on threads of their own beside PyTorch's: %s", error)
        return None


@functools.lru_cache(maxsize=1)
def _team_code() -> compiler.LoadedObject:
    return compiler.load(TEAM_TEXT, hashlib.sha256(TEAM_TEXT.encode()).hexdigest())


def _after_fork() -> None:
    _State.forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

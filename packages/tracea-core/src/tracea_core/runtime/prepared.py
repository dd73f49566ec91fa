# SPDX-License-Identifier: MIT
"""Calls of C functions whose arguments are known beforehand, as C functions without arguments.

ctypes converts every argument at every call, which takes some 0.04 µs each. Where the host's time counts (a launch that is repeated with
the same buffers), a few instructions do it instead: they put constants into the registers of the first arguments and go on to the
function. They are written through one mapping of a page and run through another, so that no page can be written and run. Where that is
not possible (another processor or system, memory that must not run) the function is called with its arguments.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import struct
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

_CHUNK, _SLOT = 16384, 64
_REGISTERS = (
    b"\x48\xbf",
    b"\x48\xbe",
    b"\x48\xba",
    b"\x48\xb9",
)  # mov rdi, rsi, rdx, rcx: the first arguments of System V's convention
_GO_ON = b"\x48\xb8", b"\xff\xe0"  # mov rax; jmp rax
_KIND = ctypes.CFUNCTYPE(ctypes.c_int)


def prepared(function: Any, *words: int | None) -> Callable[[], int]:
    """Return what calls a C function that returns an int with at most four addresses or integers.

    Parameters
    ----------
    function : ctypes function, or any callable
        The latter is bound to its arguments.
    words : int or None
        None is a null pointer.
    """
    made = None
    if isinstance(function, ctypes._CFuncPtr) and len(words) <= len(_REGISTERS):  # type: ignore[attr-defined]  # ctypes has no other name for it
        address = ctypes.cast(function, ctypes.c_void_p).value
        made = _pages.made(instructions(address or 0, *(word or 0 for word in words))) if address else None
    return functools.partial(function, *words) if made is None else made


def instructions(function: int, *words: int) -> bytes:
    """Return what an x86-64 runs to call a function with these words and to return what it returns.

    >>> instructions(2, 1).hex(" ", -10)
    '48bf0100000000000000 48b80200000000000000 ffe0'
    """
    begin, end = _GO_ON
    moves = (move + struct.pack("<Q", word & (1 << 64) - 1) for move, word in zip(_REGISTERS, words, strict=False))
    return b"".join(moves) + begin + struct.pack("<Q", function) + end


class _Pages:
    """Memory that runs, in slots that are used again once nobody holds their call."""

    def __init__(self) -> None:
        self.possible = sys.platform == "linux" and platform.machine() == "x86_64"
        self._guard = threading.Lock()
        self._free: list[tuple[mmap.mmap, int, int]] = []
        self._kept: list[Any] = []  # what runs, for as long as the process lives

    def made(self, code: bytes) -> Callable[[], int] | None:
        """Return a call of `code`, None where none can be made."""
        if not self.possible or len(code) > _SLOT:
            return None
        with self._guard:
            try:
                slot = self._free.pop() if self._free else self._grown()
            except OSError:
                self.possible = False
                return None
        memory, place, address = slot
        memory[place : place + len(code)] = code
        call = _KIND(address)
        weakref.finalize(call, self._free.append, slot).atexit = False
        return call

    def _grown(self) -> tuple[mmap.mmap, int, int]:
        """Map another chunk twice and return one of its slots."""
        file = os.memfd_create("tracea")
        try:
            os.ftruncate(file, _CHUNK)
            written = mmap.mmap(file, _CHUNK, prot=mmap.PROT_READ | mmap.PROT_WRITE)
            runs = np.frombuffer(mmap.mmap(file, _CHUNK, prot=mmap.PROT_READ | mmap.PROT_EXEC), np.uint8)
        finally:
            os.close(file)
        self._kept.append(runs)
        base = runs.ctypes.data
        self._free += [(written, place, base + place) for place in range(0, _CHUNK, _SLOT)]
        return self._free.pop()


_pages = _Pages()


def _after_fork() -> None:
    """Share no slot with the parent, which goes on using its own."""
    global _pages
    _pages = _Pages()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

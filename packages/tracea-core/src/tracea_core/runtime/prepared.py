# SPDX-License-Identifier: MIT
"""Calls of C functions whose arguments are known beforehand, as built-in functions of Python.

ctypes converts every argument at every call, which takes some 0.04 µs each, and some 0.1 µs for the call itself. Where the host's time
counts (a launch that is repeated with the same buffers), a few instructions do it instead. They are those of one built-in function, which
reads what it calls, and with what, from the bytes that it is a method of; so one page of them serves the process. It is written through
one mapping and run through another, so that no page can be written and run. Such a function may also be told what its own arguments
have to be: objects of some type at some address, as a C function tells it. Then nobody has to ask Python for addresses to compare them.

Where none of that is possible (another processor, system or Python, memory that must not run) the function is called with its arguments.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from types import BuiltinMethodType
from typing import Any

import numpy as np

MOVED = -1
"""What a call returns whose arguments are not what it was made for: it has called nothing."""
_WORDS = 6
_CALLED, _LISTED = struct.Struct(f"=qQQ{_WORDS}Q"), struct.Struct("=QQ")
_WORD, _HEADER = 8, 32
_METH_FASTCALL = 0x80
_kept: list[object] = []
"""What runs, for as long as the process lives."""
_MASK = (1 << 64) - 1


def prepared(function: Any, *words: int | None) -> Callable[..., int]:
    """Return what calls a C function that returns an int with at most six addresses or integers, while other threads go on.

    Parameters
    ----------
    function : ctypes function, or any callable
        The latter is bound to its arguments.
    words : int or None
        None is a null pointer.
    """
    routine = _routine() if isinstance(function, ctypes._CFuncPtr) and len(words) <= _WORDS else None  # type: ignore[attr-defined]  # ctypes has no other name for it
    address = ctypes.cast(function, ctypes.c_void_p).value if routine is not None else None
    if routine is None or not address:
        return functools.partial(function, *words)
    given = [(word or 0) & _MASK for word in words]
    return routine(_CALLED.pack(0, 0, address, *given, *[0] * (_WORDS - len(given))))


def unmoved(
    call: Callable[..., int], address_of: int, places: Sequence[tuple[type, int] | None]
) -> Callable[..., int] | None:
    """Return a call for arguments that are where they were; it gives `MOVED` for others, and calls nothing then.

    Parameters
    ----------
    call : callable
        What `prepared` returned.
    address_of : int
        Address of a C function that takes an object of one of the types below and returns an address. The thread holds the interpreter.
    places : sequence
        The exact type and the address of each argument, None for one that may be anything. Types have to live as long as the call.

    Returns
    -------
    callable or None
        None where `prepared` could only bind arguments.
    """
    routine = _routine()
    if routine is None or not isinstance(call, BuiltinMethodType) or type(call.__self__) is not bytes:
        return None
    _, _, *called = _CALLED.unpack_from(call.__self__)
    listed = [(0, 0) if place is None else (id(place[0]), place[1] & _MASK) for place in places]
    return routine(_CALLED.pack(len(listed), address_of, *called) + b"".join(_LISTED.pack(*pair) for pair in listed))


_BUILT_IN = """
53 55 4154 4155 4156 ;         push rbx, rbp, r12, r13, r14
488d5f{header}       ;         lea rbx, [rdi + header]    - what the bytes hold
4889f5               ;         mov rbp, rsi               - the arguments
4c8b23               ;         mov r12, [rbx]             - how many there have to be
4c8d6b48             ;         lea r13, [rbx + 72]        - their types and addresses
4c39e2               ;         cmp rdx, r12
0f85 79000000        ;         jne moved
4d85e4               ; next:   test r12, r12
74 31                ;         je launch
498b4500             ;         mov rax, [r13]
4885c0               ;         test rax, rax              - this one may be anything
74 1b                ;         je step
488b7d00             ;         mov rdi, [rbp]
483b4708             ;         cmp rax, [rdi + 8]
0f85 5d000000        ;         jne moved
ff5308               ;         call [rbx + 8]             - where it is
493b4508             ;         cmp rax, [r13 + 8]
0f85 50000000        ;         jne moved
4883c508             ; step:   add rbp, 8
4983c510             ;         add r13, 16
49ffcc               ;         dec r12
eb ca                ;         jmp next
48b8 {save}          ; launch: mov rax, PyEval_SaveThread
ffd0                 ;         call rax
4989c6               ;         mov r14, rax
488b7b18             ;         mov rdi, [rbx + 24]
488b7320             ;         mov rsi, [rbx + 32]
488b5328             ;         mov rdx, [rbx + 40]
488b4b30             ;         mov rcx, [rbx + 48]
4c8b4338             ;         mov r8, [rbx + 56]
4c8b4b40             ;         mov r9, [rbx + 64]
31c0                 ;         xor eax, eax
ff5310               ;         call [rbx + 16]
4863d8               ;         movsxd rbx, eax
4c89f7               ;         mov rdi, r14
48b8 {restore}       ;         mov rax, PyEval_RestoreThread
ffd0                 ;         call rax
4889df               ;         mov rdi, rbx
eb 07                ;         jmp leave
48c7c7 {moved}       ; moved:  mov rdi, MOVED
415e 415d 415c 5d 5b ; leave:  pop r14, r13, r12, rbp, rbx
48b8 {number}        ;         mov rax, PyLong_FromLong
ffe0                 ;         jmp rax
"""
"""The function for x86-64 and System V's convention; it is called with its bytes, an array of arguments, and how many there are."""


def instructions(save: int, restore: int, number: int) -> bytes:
    """Return that function, which calls those of Python at these addresses.

    >>> instructions(1, 2, 3).hex(" ", -4).split()[:3]
    ['53554154', '41554156', '488d5f20']
    """
    calls = {"save": save, "restore": restore, "number": number}
    words = {name: struct.pack("<Q", address).hex() for name, address in calls.items()}
    text = _BUILT_IN.format(header=f"{_HEADER:02x}", moved=struct.pack("<i", MOVED).hex(), **words)
    return bytes.fromhex("".join(line.partition(";")[0] for line in text.splitlines()))


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


@functools.lru_cache(maxsize=1)
def _routine() -> Callable[[bytes], Callable[..., int]] | None:
    """Return what makes such a function of bytes; None where it would not run."""
    if sys.implementation.name != "cpython" or sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    if (
        bytes.__basicsize__ != _HEADER + 1
        or object.__basicsize__ != 2 * _WORD
        or sysconfig.get_config_var("Py_GIL_DISABLED")
    ):
        return None  # objects begin with more than a count and a type
    python = ctypes.pythonapi
    names = (python.PyEval_SaveThread, python.PyEval_RestoreThread, python.PyLong_FromLong)
    code = instructions(*[ctypes.cast(name, ctypes.c_void_p).value or 0 for name in names])
    try:
        file = os.memfd_create("tracea")
        try:
            os.ftruncate(file, mmap.PAGESIZE)
            with mmap.mmap(file, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE) as written:
                written[: len(code)] = code
            runs = np.frombuffer(mmap.mmap(file, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC), np.uint8)
        finally:
            os.close(file)
    except OSError:
        return None
    method = _Method(b"prepared", runs.ctypes.data, _METH_FASTCALL, None)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", python)
    )
    _kept.append((method, runs))
    return lambda table: make(ctypes.addressof(method), table, None)

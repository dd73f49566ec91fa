# SPDX-License-Identifier: MIT
"""Hands NumPy arrays and numbers to a kernel: each array in memory of its own, between guard zones, as a device would hold it."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.errors import OptionError
from tracea_core.testing.simt.tensor_map import TensorMap

Argument = npt.NDArray[Any] | np.generic | TensorMap | int | float | bytes | None
Parameter = tuple[int, str]

_ALIGNMENT = 256  # what device allocators promise
_GUARD = 1 << 16


class Region(ctypes.Structure):
    """One array as the emulator knows it."""

    _fields_ = [
        ("begin", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("writable", ctypes.c_uint32),
        ("argument", ctypes.c_uint32),
    ]


class Array:
    """A copy of an array at an aligned address, with guard zones that the emulator never lets a kernel touch unseen."""

    def __init__(self, given: npt.NDArray[Any], argument: int) -> None:
        if not (given.flags.c_contiguous or given.flags.f_contiguous):
            raise OptionError("an array argument must be contiguous", argument=argument, strides=given.strides)
        self._given = given
        # Shared with the process of each launch, which is another one; given back with the array.
        self._memory = np.frombuffer(mmap.mmap(-1, given.nbytes + 2 * _GUARD + _ALIGNMENT), np.uint8)
        self._memory[:] = 0xFF
        begin = self._memory.ctypes.data + _GUARD
        self._first = _GUARD + -begin % _ALIGNMENT
        self.address = self._memory.ctypes.data + self._first
        self._bytes()[:] = _flat(given)
        self.region = Region(self.address, given.nbytes, int(given.flags.writeable), argument)

    def _bytes(self) -> npt.NDArray[np.uint8]:
        return self._memory[self._first : self._first + self._given.nbytes]

    def copy_back(self) -> None:
        """Put what the kernel left into the caller's array."""
        if self._given.flags.writeable:
            _flat(self._given)[:] = self._bytes()


def _flat(array: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return an array's bytes in the order in which they lie, as a view."""
    ordered = array if array.flags.c_contiguous else array.T
    return ordered.reshape(-1).view(np.uint8)


class Pointers:
    """The addresses of all argument values, and the values, kept alive."""

    def __init__(self) -> None:
        self._values: list[Any] = []

    def add(self, value: Any) -> None:
        """Add a ctypes value."""
        self._values.append(value)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def addresses(self) -> list[int]:
        """Where each value lies."""
        return [ctypes.addressof(value) for value in self._values]

    @property
    def regions(self) -> list[Region]:
        """The values as memory that a kernel may read: a reference to a constant leads here."""
        return [
            Region(ctypes.addressof(value), ctypes.sizeof(value), 0, number)
            for number, value in enumerate(self._values)
        ]


def marshal(args: Sequence[Argument], parameters: Sequence[Parameter]) -> tuple[list[Array], Pointers]:
    """Return the arrays, placed, and the addresses of all arguments.

    Parameters
    ----------
    args : sequence
        As for `SimtProgram.run`.
    parameters : sequence of (int, str)
        Bytes and kind (``p``, ``i``, ``f`` or ``s``) of each parameter of the kernel.

    Raises
    ------
    OptionError
        If an argument does not fit its parameter.
    """
    if len(args) != len(parameters):
        raise OptionError(f"the kernel has {len(parameters)} parameters, not {len(args)}")
    arrays: list[Array] = []
    placed: dict[int, Array] = {}
    pointers = Pointers()
    for number, (given, (size, kind)) in enumerate(zip(args, parameters, strict=True)):
        if isinstance(given, TensorMap):
            pointers.add(value(given.encode(_pointer(given.array, number, arrays, placed)), number, size, kind))
        elif kind == "p":
            pointers.add(ctypes.c_uint64(_pointer(given, number, arrays, placed)))
        else:
            pointers.add(value(given, number, size, kind))
    return arrays, pointers


def _pointer(given: Argument, number: int, arrays: list[Array], placed: dict[int, Array]) -> int:
    if given is None:
        return 0
    if not isinstance(given, np.ndarray):
        raise OptionError("a pointer takes an array or None", argument=number, given=type(given).__name__)
    if id(given) not in placed:
        placed[id(given)] = Array(given, number)
        arrays.append(placed[id(given)])
    return placed[id(given)].address


def value(given: Argument, number: int, size: int, kind: str) -> Any:
    """Return a value of a parameter's size, at an address that suits any type.

    Raises
    ------
    OptionError
        If it does not fit the parameter.
    """
    if kind == "i" and isinstance(given, int | np.integer | np.bool_):
        if not -(1 << (8 * size - 1)) <= int(given) < 1 << (8 * size):
            raise OptionError(f"the number does not fit {size} bytes", argument=number, given=int(given))
        content = (int(given) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    elif kind == "f" and isinstance(given, int | float | np.number):
        content = np.dtype(f"f{size}").type(given).tobytes()
    elif isinstance(given, bytes) and len(given) == size:
        content = given
    else:
        names = {"i": "an integer", "f": "a number", "s": f"{size} bytes"}
        raise OptionError(f"the parameter takes {names[kind]}", argument=number, given=type(given).__name__)
    return _aligned(content)


def _aligned(content: bytes) -> Any:
    """Return the bytes at an address that suits any type, kept alive by what is returned."""
    size = -(-len(content) // 64) * 64 + 64
    buffer = ctypes.create_string_buffer(size)
    shift = -ctypes.addressof(buffer) % 64
    value = (ctypes.c_uint8 * len(content)).from_buffer(buffer, shift)
    ctypes.memmove(value, content, len(content))
    return value

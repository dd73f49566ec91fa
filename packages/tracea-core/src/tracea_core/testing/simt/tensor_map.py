# SPDX-License-Identifier: MIT
"""Descriptors of tensors for the copy engine, with the driver's rules checked where they are made.

Source: CUDA driver API, cuTensorMapEncodeTiled: at most five dimensions; address a multiple of 16, strides multiples of 16 below 2^40;
boxes of at most 256 elements a side whose rows are multiples of 16 bytes and no wider than the swizzle.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.errors import OptionError

BYTES = 128
_MAGIC = 0x74656E736F726D70
_SWIZZLES = (0, 32, 64, 128)


class Walk(NamedTuple):
    """The windows of images that a copy engine walks over (cuTensorMapEncodeIm2col): columns, then rows.

    Windows begin from `lower` to the image's last element plus `upper`, every `steps`.
    """

    lower: tuple[int, int]
    upper: tuple[int, int]
    steps: tuple[int, int]


@dataclass(frozen=True, eq=False)
class TensorMap:
    """An argument that a kernel takes as a 128-byte structure by value.

    Parameters
    ----------
    array : ndarray
        One to five dimensions, the last one dense.
    box : sequence of int
        Elements of a box, fastest dimension first (the array's last).
    swizzle_bytes : {0, 32, 64, 128}
        Width of the rows in which 16-byte chunks are permuted in shared memory.
    """

    array: npt.NDArray[Any]
    box: Sequence[int]
    swizzle_bytes: int = 0

    def encode(self, address: int) -> bytes:
        """Return the descriptor for the array at `address`.

        Raises
        ------
        OptionError
            If the driver would refuse it.
        """
        extents = self.array.shape[::-1]
        strides = self.array.strides[::-1]
        if strides[0] != self.array.itemsize:
            raise OptionError(
                "the copy engine wants elements of the last dimension side by side", strides=self.array.strides
            )
        return encode(
            address, self.array.itemsize, extents, strides[1:], self.box, self.swizzle_bytes, self.array.flags.writeable
        )


def encode(
    address: int,
    element_bytes: int,
    extents: Sequence[int],
    strides: Sequence[int],
    box: Sequence[int],
    swizzle_bytes: int,
    writable: bool,
    walk: Walk | None = None,
) -> bytes:
    """Return a descriptor as the emulator reads it.

    Parameters
    ----------
    extents, box : sequence of int
        Elements, fastest dimension first.
    strides : sequence of int
        Bytes between neighbours of every dimension but the first.
    walk : Walk, optional
        The extents are channels, columns, rows and images, and the box is channels by windows.

    Raises
    ------
    OptionError
        If the driver would refuse it.
    """
    rank = len(extents)
    if walk is not None:
        _check_walk(walk, rank, box)
    sides = len(box) if walk is None else rank
    row = box[0] * element_bytes if box else 0
    rules = (
        (
            1 <= rank <= 5 and sides == rank and len(strides) == rank - 1,
            "one to five dimensions, each with a box and a stride",
        ),
        (address % 16 == 0, "an address that is a multiple of 16"),
        (
            all(0 <= stride < 1 << 40 and stride % 16 == 0 for stride in strides),
            "strides that are multiples of 16 bytes",
        ),
        (all(1 <= extent <= 1 << 32 for extent in extents), "extents of 1 to 2^32"),
        (all(1 <= side <= 256 for side in (box if walk is None else box[:1])), "boxes of 1 to 256 elements a side"),
        (row % 16 == 0, "rows of a box that are multiples of 16 bytes"),
        (swizzle_bytes in _SWIZZLES, "a swizzle of 0, 32, 64 or 128 bytes"),
        (not swizzle_bytes or row <= swizzle_bytes, "rows of a box that are no wider than the swizzle"),
    )
    for holds, rule in rules:
        if not holds:
            raise OptionError(
                f"the copy engine wants {rule}", extents=tuple(extents), strides=tuple(strides), box=tuple(box), swizzle_bytes=swizzle_bytes
            )  # fmt: skip
    head = struct.pack("<QQIIII", _MAGIC, address, rank, element_bytes, swizzle_bytes, int(writable))
    packed = struct.pack("<10I", *_padded(extents, 5), *_padded(box, 5))
    steps = struct.pack("<8h", *((1, *walk.lower, *walk.upper, *walk.steps) if walk else [0] * 7), 0)
    return (head + packed + struct.pack("<4Q", *_padded(strides, 4)) + steps).ljust(BYTES, b"\0")


def _check_walk(walk: Walk, rank: int, box: Sequence[int]) -> None:
    rules = (
        (rank == 4 and len(box) == 2, "channels, columns, rows and images, and boxes of channels and windows"),
        (all(-128 <= corner <= 127 for corner in (*walk.lower, *walk.upper)), "corners of -128 to 127"),
        (all(1 <= step <= 8 for step in walk.steps), "steps of 1 to 8"),
        (1 <= box[1] <= 1024, "1 to 1024 windows"),
    )
    for holds, rule in rules:
        if not holds:
            raise OptionError(f"the copy engine wants {rule}", walk=walk, box=tuple(box))


def _padded(values: Sequence[int], length: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.pad(np.array(values, np.int64), (0, length - len(values)))

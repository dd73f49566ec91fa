# SPDX-License-Identifier: MIT
"""Where copy engines and matrix descriptors really put and find elements in shared memory, as their vendor defines it.

A buffer's layout is what the schedule means; these functions are what the hardware does with a box, a descriptor and a
start address. The interpreter moves data through them and the verifier proves that both agree, so a wrong stride,
swizzle or alignment cannot hide behind the layout it was meant to have.

Source: PTX ISA, "Tensor swizzling modes" (copy engine) and "Asynchronous Warpgroup Level Matrix Instructions, Shared
Memory Matrix Layout" with its canonical layouts; the same maps stand in NVIDIA/cutlass,
include/cute/arch/mma_sm90_desc.hpp. The swizzle acts on address bits, not on coordinates.
"""

from __future__ import annotations

import functools

import numpy as np

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.steps import SharedOperand

CHUNK = 16
"""Bytes that no swizzle separates."""
GROUP = 8
"""Rows of one group of a matrix in shared memory."""
BOX_PLACE = 128
"""Shared addresses that boxes are copied to or from begin at multiples of it (CUDA C++ Programming Guide, "Tensor Memory Access")."""
MODES = (0, 32, 64, 128)
"""Row widths in bytes that the hardware knows how to swizzle (0: not at all)."""


def swizzled(address: Integers, swizzle_bytes: int) -> Integers:
    """Return byte addresses after the hardware's XOR: bits 4 and up ^= bits 7 and up, 1 to 3 of them.

    Raises
    ------
    ConfigurationError
        If there is no such mode.
    """
    if swizzle_bytes not in MODES:
        raise ConfigurationError(f"no hardware swizzle has rows of {swizzle_bytes} bytes", known=MODES)
    if swizzle_bytes == 0:
        return address
    return address ^ (((address >> 7) & (swizzle_bytes // CHUNK - 1)) << 4)


@functools.lru_cache(maxsize=256)
def _box(shape: tuple[int, ...], element_bytes: int) -> Integers:
    """Byte offsets of a box's elements, indexed fastest dimension last."""
    total = 1
    for extent in shape:
        total *= extent
    return (np.arange(total, dtype=np.int64) * element_bytes).reshape(shape[::-1])


def box_addresses(shape: tuple[int, ...], swizzle_bytes: int, element_bytes: int, start: int) -> Integers:
    """Return the byte address of every element of a box copied to `start`, indexed by its coordinates, fastest last.

    The engine packs the box densely, its first dimension fastest.

    Raises
    ------
    ConfigurationError
        If the engine refuses the box: a row that is no multiple of 16 bytes, or does not fill the swizzle's width.
    """
    row = shape[0] * element_bytes
    if row % CHUNK or not all(1 <= extent <= 256 for extent in shape):
        raise ConfigurationError("a box has 1 to 256 elements a side and rows of a multiple of 16 bytes", shape=shape)
    if swizzle_bytes and row != swizzle_bytes:
        raise ConfigurationError(f"rows of {row} bytes under a swizzle of {swizzle_bytes} bytes", shape=shape)
    if start % CHUNK:
        raise ConfigurationError(f"a box cannot be copied to address {start}: it is no multiple of 16")
    return swizzled(start + _box(shape, element_bytes), swizzle_bytes)


@functools.lru_cache(maxsize=256)
def _matrix(outer: int, k: int, element_bytes: int, mode: tuple[int, int, int], transposed: bool) -> Integers:
    swizzle_bytes, leading, stride = mode
    mn, kk = np.ogrid[:outer, :k]
    row_bytes = swizzle_bytes or CHUNK
    width = row_bytes // element_bytes
    rows, columns = (kk, mn) if transposed else (mn, kk)
    within = (rows % GROUP) * row_bytes + (columns % width) * element_bytes
    if transposed and not swizzle_bytes:
        leading, stride = stride, leading  # without a swizzle the two fields trade places for rows along M or N
    addresses: Integers = within + rows // GROUP * stride + columns // width * leading
    return addresses


def operand_addresses(operand: SharedOperand, outer: int, k: int, element_bytes: int, start: int) -> Integers:
    """Return the byte address of every element (i, k) that an instruction reads through a descriptor.

    Parameters
    ----------
    operand : SharedOperand
        Swizzle, strides and direction.
    outer, k : int
        Extent along M (or N) and along K.
    start : int
        Byte address of the first element. Swizzled operands start at a multiple of 16 whose row lies in an aligned
        group of 8.
    """
    mode = (operand.swizzle_bytes, operand.leading_bytes, operand.stride_bytes)
    return swizzled(start + _matrix(outer, k, element_bytes, mode, operand.transposed), operand.swizzle_bytes)

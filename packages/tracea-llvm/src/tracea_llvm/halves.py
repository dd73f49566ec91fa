# SPDX-License-Identifier: MIT
"""Vectors of 256 bits that are turned are loaded in halves: AVX2 joins the halves of two rows as it loads them.

The first shuffles of a block that is turned exchange halves of 128 bits. Between registers that is vperm2f128, which occupies the one unit
of Intel's processors that crosses halves, and takes Zen 1 28 of the 52 cycles that a block of 8×8 costs it (Agner Fog, Instruction
tables: 8 operations). From memory it is vinsertf128, a load and an operation of any unit. One row of 4096×4096 weights along k, on two
cores of Zen 1 that read 22 to 25 GB/s: 20 GB/s before, 21 so, NumPy 23 and 25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracea_core.dtypes import DType
from tracea_core.errors import EmitError

if TYPE_CHECKING:
    from tracea_llvm.builder import Builder

_JOINED_BYTES, _ELEMENT_BYTES = 32, (4, 8)


def halves_are_joined(lanes: int, dtype: DType) -> bool:
    """Whether vectors of so many elements are loaded in halves where they are turned.

    >>> halves_are_joined(8, DType.FP32), halves_are_joined(16, DType.FP32), halves_are_joined(8, DType.BF16)
    (True, False, False)
    """
    return lanes * dtype.bytes == _JOINED_BYTES and dtype.bytes in _ELEMENT_BYTES


def load_halves(builder: Builder, kind: str, pointer: str, align: int, name: str) -> str:
    """Print the loads of both halves of a vector of type `kind`; return what the builder knows them by."""
    half = half_of(kind)
    lower = builder.value(f"load {half}, ptr {pointer}, align {align}", f"{name}_lower")
    further = builder.here(f"getelementptr {half}, ptr {pointer}, i64 1", f"{name}_upper_at")
    upper = builder.value(f"load {half}, ptr {further}, align {min(align, _JOINED_BYTES // 2)}", f"{name}_upper")
    both = f"{lower} {upper}"
    builder.halves[both] = (lower, upper)
    return both


def join(
    halves: dict[str, tuple[str, str]], kind: str, a: str, b: str, mask: list[int]
) -> tuple[str, str, str, list[int]]:
    """Return the type, the operands and the lanes of the shuffle of halves that is the shuffle `mask` of two vectors of type `kind`.

    Raises
    ------
    EmitError
        If it is not the same half of both, one behind the other.
    """
    lanes, half = len(mask), len(mask) // 2
    for upper in (0, 1):
        first = [half * upper + i for i in range(half)]
        if mask == [*first, *(lanes + i for i in first)] and b in halves:
            return half_of(kind), halves[a][upper], halves[b][upper], list(range(lanes))
    raise EmitError(f"the lanes {mask} are not the same half of two vectors, of which halves were loaded")


def half_of(kind: str) -> str:
    """Return the type of half a vector.

    >>> half_of("<8 x float>")
    '<4 x float>'
    """
    lanes, _, one = kind.strip("<>").partition(" x ")
    return f"<{int(lanes) // 2} x {one}>"

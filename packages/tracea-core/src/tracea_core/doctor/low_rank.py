# SPDX-License-Identifier: MIT
"""The kinds of kernel for low-rank products on a GPU: one for each type that its matrix units multiply, and one for single precision.

`tracea_core.semantic.build.low_rank` is their schedule. An instruction is read as `tracea_core.doctor.chains` reads it for attention, so
that a lane holds neighbouring columns of a row, which it stores together.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracea_core.doctor.requirements import Requirement, RequiresExtent, RequiresOps, RequiresUngatedEpilogue
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import CapabilityProfile

SCHEDULE = "low_rank"
MOST_RANK = 256
"""Columns of the middle, all of which a block holds in shared memory and its threads in registers."""
_SLOTS = 2
_SHARES = {"amd": 0.6}
_SHARE = 0.75
"""Of a thread's registers that fragments and addresses may take, by vendor: compilers hold loads of later steps in the others."""
_OTHERS = 40
_PAD = 16
"""Elements behind each row of the middle, at most."""


def low_rank_variant(
    backend: str, unit: str, instruction: str, dtype: DType, requirements: Iterable[Requirement], shape: tuple[int, int, int],
    profile: CapabilityProfile,
) -> Variant:  # fmt: skip
    """Return the kind of kernel that multiplies by an instruction of a shape (`tracea_core.doctor.chains.chain_shape`)."""
    most = _most_rank(shape, dtype, profile)
    rank = (RequiresExtent(1, -1, minimum=1, maximum=most), RequiresExtent(2, -1, minimum=1))
    return Variant(
        name=f"{backend}.chained.low_rank_{unit}_{dtype.value}", backend=backend, family="chained", schedule=SCHEDULE,
        instruction=instruction, operand_dtypes=(dtype,), accumulate=DType.FP32, priority=30 if unit == "simt" else 40,
        requirements=(*requirements, RequiresOps(("LowRankOp",)), RequiresUngatedEpilogue(), *rank),
        summary="x times A by the uniform main loop, the middle in shared memory, and tiles of B's columns that stream past it",
    )  # fmt: skip


def low_rank_fits(
    tile: tuple[int, int, int, int], warps: int, stages: int, run: int, dtype: DType, profile: CapabilityProfile
) -> bool:
    """Whether the registers of a thread, and shared memory, hold what a block takes, both about.

    Parameters
    ----------
    tile : tuple of int
        Rows, columns of the output at a time, depth at a time, and columns of the middle.
    run : int
        Elements that move together between global memory and registers.
    """
    rows, columns, depth, middle = tile
    threads = warps * profile.lanes
    words = dtype.bytes / 4 + 2 / run  # an element on its way, and its share of an address
    sums = rows * max(middle, columns)
    moved = max((rows + middle) * depth, columns * middle)
    held = (sums + moved * words) / threads + _OTHERS
    slots = stages * (rows + middle) * depth + min(stages, _SLOTS) * columns * middle
    shared = (slots + max(rows * (middle + _PAD), middle * (rows + _PAD))) * dtype.bytes
    share = _SHARES.get(profile.vendor.lower(), _SHARE)
    return held <= profile.max_registers_per_thread * share and shared <= profile.shared_bytes


def _most_rank(shape: tuple[int, int, int], dtype: DType, profile: CapabilityProfile) -> int:
    """Columns of the middle, a power of two, with which the smallest tile fits that lanes fetch one element at a time."""
    m, n, k = shape
    warps, middle = max(128 // profile.lanes, 1), MOST_RANK
    while middle > max(n, k):
        depth = max(k, 16)
        if low_rank_fits((m * warps, n, depth, middle), warps, 1, 1, dtype, profile):
            break
        middle //= 2
    return middle

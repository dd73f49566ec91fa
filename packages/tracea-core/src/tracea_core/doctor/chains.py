# SPDX-License-Identifier: MIT
"""The kinds of kernel for chains on a GPU whose tiles pass through registers: one for each type that its matrix units multiply.

Single precision is multiplied by the lanes where no matrix unit takes it, so every GPU has attention in some precision. Which reading of an
instruction leaves weights in the lane that holds them as scores follows from its layouts (`tracea_core.semantic.build.staged_chain`).
"""

from __future__ import annotations

import re

from tracea_core.doctor.device_requirements import RequiresInstruction
from tracea_core.doctor.low_rank import low_rank_variant
from tracea_core.doctor.requirements import (
    Requirement,
    RequiresExtent,
    RequiresOps,
    RequiresUngatedEpilogue,
)
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import CapabilityProfile

MOST_COLUMNS = 256
"""Columns of q, k and v: sums of a row stay in registers, and all columns of a block of keys in shared memory."""
_MOST_THREADS = 128
_TURNED = "_turned"
_SIMT = re.compile(r"simt_(\d+)x(\d+)_(\d+)x(\d+)_")
_SHARES = {"amd": 0.5}
_SHARE = 0.75
"""Of a lane's registers that fragments may take, by vendor: compilers hold addresses and loads of later steps in the others.

For AMD the first configurations are compiled, and spill none.
"""
_TYPES = (DType.BF16, DType.FP16, DType.FP32)
_UNITS = (
    ("mfma", "mfma_32x32x8_{}", _TURNED), ("wmma", "wmma_gfx12_16x16x16_{}", _TURNED), ("wmma", "wmma_gfx11_16x16x16_{}", _TURNED),
    ("dpas", "dpas_sg16_8x16x16_{}", _TURNED), ("dpas", "dpas_sg8_8x8x16_{}", _TURNED), ("simdgroup", "simdgroup_8x8x8_{}", ""),
    ("mma", "mma_m16n8k16_{}", ""), ("mma_k8", "mma_m16n8k8_{}", ""),
)  # fmt: skip
"""Units, their matrix instructions, and the reading of each that moves weights least."""
_OF_PRODUCTS = ("mma",)
"""Units whose attention has a schedule of its own (`tracea_core.semantic.build.warp_chain`)."""
_LANES = {64: "8x8_1x4", 32: "4x8_2x4", 16: "2x8_2x4", 8: "1x8_2x4"}
"""How lanes that multiply themselves share a tile, by their number, so that weights pass through memory without bank conflicts."""


def chain_variants(backend: str, profile: CapabilityProfile, *requirements: Requirement) -> tuple[Variant, ...]:
    """Return the kinds of kernel for a device: of attention, and of low-rank products, those of matrix units first."""
    known = {one.name for one in profile.matrix_instructions}
    found: dict[DType, tuple[str, str, tuple[Requirement, ...]]] = {}
    for dtype in _TYPES:
        for unit, pattern, reading in _UNITS:
            name = pattern.format(dtype.value)
            if name in known and dtype not in found:
                found[dtype] = unit, name + reading, (RequiresInstruction(name), *requirements)
    if DType.FP32 not in found and profile.lanes in _LANES:
        found[DType.FP32] = "simt", f"simt_{_LANES[profile.lanes]}_fp32", requirements
    products = []
    for dtype, (unit, name, needs) in found.items():
        shape = chain_shape(name, profile)
        assert shape is not None
        products.append(low_rank_variant(backend, unit, name, dtype, needs, shape, profile))
    attention = [
        _variant(backend, unit, name, dtype, needs, profile)
        for dtype, (unit, name, needs) in found.items()
        if unit not in _OF_PRODUCTS
    ]
    return (*attention, *products)


def _variant(
    backend: str, unit: str, instruction: str, dtype: DType, requirements: tuple[Requirement, ...], profile: CapabilityProfile
) -> Variant:  # fmt: skip
    most = _most_columns(instruction, dtype, profile)
    columns = (RequiresExtent(0, -1, maximum=most), RequiresExtent(2, -1, minimum=1, maximum=most))
    return Variant(
        name=f"{backend}.chained.{unit}_{dtype.value}", backend=backend, family="chained", schedule="staged_chain",
        instruction=instruction, operand_dtypes=(dtype,), accumulate=DType.FP32, priority=30 if unit == "simt" else 40,
        requirements=(*requirements, RequiresOps(("AttentionOp",)), RequiresUngatedEpilogue(), *columns),
        summary="keys and values pass through registers into shared memory; a warp holds its rows' scores, softmax and sums",
    )  # fmt: skip


def chain_shape(name: str, profile: CapabilityProfile) -> tuple[int, int, int] | None:
    """Return rows, columns and k of a device's instruction, or of lanes that multiply themselves; None if it has no such one."""
    lanes = _SIMT.match(name)
    if lanes is not None:
        down, across, rows, columns = map(int, lanes.groups())
        return down * rows, across * columns, 1
    found = next((one for one in profile.matrix_instructions if one.name == name.removesuffix(_TURNED)), None)
    if found is None:
        return None
    return (found.n, found.m, found.k) if name.endswith(_TURNED) else (found.m, found.n, found.k)


def chain_fits(
    shape: tuple[int, int, int], tile: tuple[int, int, int], warps: int, stages: int, dtype: DType, profile: CapabilityProfile
) -> bool:  # fmt: skip
    """Whether the registers of a lane, and shared memory, hold what a block takes, both about.

    Parameters
    ----------
    shape : tuple of int
        Of the instruction (`chain_shape`).
    tile : tuple of int
        Rows of a warp, keys at a time, and columns.
    """
    (m, n, k), (own, keys, columns) = shape, tile
    fetched = 3 * keys * columns * dtype.bytes // 4 // (profile.lanes * warps)  # keys, values, and values turned
    held = own * (keys + columns + n) // profile.lanes + 2 * m * n // profile.lanes + fetched
    elements = own * warps * columns + 2 * stages * keys * columns + own * warps * (keys + max(n, k))
    share = _SHARES.get(profile.vendor.lower(), _SHARE)
    return held <= profile.max_registers_per_thread * share and elements * dtype.bytes <= profile.shared_bytes


def _most_columns(instruction: str, dtype: DType, profile: CapabilityProfile) -> int:
    """Columns, a power of two, of which the smallest tile fits."""
    shape = chain_shape(instruction, profile)
    assert shape is not None
    m, n, k = shape
    warps, columns = max(_MOST_THREADS // profile.lanes, 1), MOST_COLUMNS
    while columns > max(n, k):
        if chain_fits(shape, (m, max(n, k), columns), warps, 1, dtype, profile):
            break
        columns //= 2
    return columns

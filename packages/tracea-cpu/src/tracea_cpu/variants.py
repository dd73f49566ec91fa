# SPDX-License-Identifier: MIT
"""The kinds of kernel the CPU backend has: register tiles over packed panels, one for each type of accumulator.

fp32 sums take fp32 operands and the narrower types, which are widened when a panel is packed and when a row is
broadcast; fp64 takes fp64; int8 and uint8 are widened to 32 bits and summed exactly. Where the processor multiplies bf16 or
bytes by groups of k, in vectors or in the tiles of AMX, it does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from tracea_core.doctor.depthwise import strips_variant
from tracea_core.doctor.device_requirements import RequiresFeatures
from tracea_core.doctor.requirements import (
    OUTPUT,
    RequiresDType,
    RequiresExtent,
    RequiresOps,
    RequiresUngatedEpilogue,
)
from tracea_core.doctor.variants import Variant
from tracea_core.doctor.winograd import ALLOWED, WINOGRAD, RequiresMinimalFiltering
from tracea_core.dtypes import DType
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.target import CapabilityProfile, MatrixInstruction

_OPERANDS = {
    DType.FP32: (DType.FP32, DType.TF32, DType.BF16, DType.FP16, DType.FP8_E4M3, DType.FP8_E5M2),
    DType.FP64: (DType.FP64,),
    DType.INT32: (DType.INT8, DType.UINT8),
}
_INSTRUCTION_SETS = {
    "avx512": (("avx512f",), (6, 4, 64)),
    "avx2": (("avx2", "fma"), (4, 3, 32)),
    "neon": (("neon",), (8, 3, 16)),
}
"""Features, and the register tile: rows, vectors, bytes of a vector. Its accumulators, a row of B and one broadcast of
A fill the vector registers."""


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the variants for a processor, for its widest instruction set.

    A processor that has none of them is offered the AVX2 ones, whose requirements then say what it lacks.
    """
    known = (name for name, (needs, _) in _INSTRUCTION_SETS.items() if all(profile.has(feature) for feature in needs))
    name = next(known, "avx2")
    products = (
        *(_variant(name, accumulate, profile) for accumulate in _OPERANDS),
        *(dot_variant(*fields) for fields in _offered(profile.features, profile.lanes)),
    )
    rows = (_row_variant(name, compute) for compute in (DType.FP32, DType.FP64))
    chains = (_chain_variant(name, compute) for compute in (DType.FP32, DType.FP64))
    needs = RequiresFeatures(_INSTRUCTION_SETS[name][0])
    filtering = _filtering_variant(name, profile)
    strips = (strips_variant(name, compute, _OPERANDS[compute], needs) for compute in (DType.FP32, DType.FP64))
    return (*products, filtering, *strips, *rows, *chains)


_BYTES = (DType.INT8, DType.UINT8)
_Dot: TypeAlias = tuple[str, tuple[str, ...], str, DType, tuple[DType, ...]]
_DOTS: tuple[_Dot, ...] = (
    ("avx2_int8_dots", ("avx2",), "fma_outer_4x2x8_int8", DType.INT8, (DType.INT8,)),
    ("avx2_uint8_dots", ("avx2",), "fma_outer_4x2x8_uint8", DType.UINT8, (DType.UINT8,)),
    ("avx512_bf16_dots", ("avx512f", "avx512bf16"), "fma_outer_6x4x16_bf16", DType.BF16, ()),
    ("avx512_int8_dots", ("avx512bw", "avx512vnni"), "fma_outer_6x4x16_int8xuint8", DType.INT8, (DType.INT8,)),
    ("avx512_uint8_dots", ("avx512bw", "avx512vnni"), "fma_outer_6x4x16_uint8xint8", DType.UINT8, (DType.INT8,)),
    ("amx_bf16", ("avx512bf16", "amx-tile", "amx-bf16"), "amx_2x2_bf16", DType.BF16, ()),
    ("amx_int8", ("avx512bw", "amx-tile", "amx-int8"), "amx_2x2_int8", DType.INT8, (DType.INT8,)),
    ("amx_uint8", ("avx512bw", "amx-tile", "amx-int8"), "amx_2x2_uint8", DType.UINT8, (DType.UINT8,)),
    ("amx_int8_uint8", ("avx512bw", "amx-tile", "amx-int8"), "amx_2x2_int8xuint8", DType.INT8, (DType.UINT8,)),
    ("amx_uint8_int8", ("avx512bw", "amx-tile", "amx-int8"), "amx_2x2_uint8xint8", DType.UINT8, (DType.INT8,)),
)
"""Instructions that add products of several k in a lane: name, features, instruction, type of A, and of B for bytes."""
_FEWEST_ROWS = 9
"""Rows below which weights had better stay where they lie (`tracea_core.policy.cpu_blocks` streams them past up to 8 rows)."""


def _offered(features: Collection[str], lanes: int) -> Iterator[_Dot]:
    """Yield those of the processor's widest vectors whose features it has."""
    for found in _DOTS:
        if all(feature in features for feature in found[1]) and instruction(found[2]).lanes == lanes:
            yield found


def grouped_products(features: Collection[str], lanes: int) -> tuple[MatrixInstruction, ...]:
    """Return the instructions that add products of several k on a processor with these features and fp32 lanes of a vector."""
    return tuple(instruction(found[2]).summary() for found in _offered(features, lanes))


def dot_variant(name: str, needs: tuple[str, ...], product: str, a: DType, b: tuple[DType, ...]) -> Variant:
    """Return the variant of an instruction that adds products of several k; AMX before vectors."""
    types = (RequiresDType(0, (a,)), RequiresDType(1, b)) if b else ()
    return Variant(
        name=f"cpu.contraction.{name}",
        backend="cpu",
        family="contraction",
        schedule="dots",
        instruction=product,
        operand_dtypes=_BYTES if b else (a,),
        accumulate=a.accumulator,
        priority=70 if name.startswith("amx") else 60,
        requirements=(
            RequiresFeatures(needs),
            RequiresOps(("GemmOp", "GroupedGemmOp")),
            RequiresUngatedEpilogue(),
            RequiresExtent(OUTPUT, -2, minimum=_FEWEST_ROWS),
            *types,
        ),
        summary=f"{product} over panels of 32-bit words that hold several k; A is read in place where its rows are contiguous",
    )


def _filtering_variant(name: str, profile: CapabilityProfile) -> Variant:
    windows = _variant(name, DType.FP32, profile)
    return windows.replace(
        name=f"cpu.contraction.{name}_fp32_winograd",
        schedule=WINOGRAD,
        operand_dtypes=(DType.FP32,),
        priority=60,
        requirements=(*windows.requirements, ALLOWED, RequiresMinimalFiltering(), RequiresUngatedEpilogue()),
        summary="16 products for 2x2 pixels where windows take 36; tiles of pixels and filters are turned in each call",
    )


def _chain_variant(name: str, compute: DType) -> Variant:
    needs, (rows, _, vector_bytes) = _INSTRUCTION_SETS[name]
    return Variant(
        name=f"cpu.chained.{name}_{compute.value}",
        backend="cpu",
        family="chained",
        schedule="chain",
        instruction=fma_outer(rows, 2, vector_bytes // compute.bytes, compute).name,
        operand_dtypes=_OPERANDS[compute],
        accumulate=compute,
        priority=50,
        requirements=(RequiresFeatures(needs), RequiresOps(("AttentionOp", "LowRankOp")), RequiresUngatedEpilogue()),
        summary="a tile of rows passes over its keys a block at a time; scores and sums stay in the worker's own memory",
    )


def _row_variant(name: str, compute: DType) -> Variant:
    needs, (_, _, vector_bytes) = _INSTRUCTION_SETS[name]
    tile = fma_outer(1, 4, vector_bytes // compute.bytes, compute).name
    return Variant(
        name=f"cpu.rowwise.{name}_{compute.value}",
        backend="cpu",
        family="rowwise",
        schedule="rows",
        instruction=tile,
        operand_dtypes=_OPERANDS[compute],
        accumulate=compute,
        priority=50,
        requirements=(RequiresFeatures(needs),),
        summary="a worker reads each row once and sweeps it in its cache: statistics, then values",
    )


def _variant(name: str, accumulate: DType, profile: CapabilityProfile) -> Variant:
    needs, (rows, vectors, vector_bytes) = _INSTRUCTION_SETS[name]
    tile = fma_outer(rows, vectors, vector_bytes // accumulate.bytes, accumulate).name
    offered = [t.name for t in profile.matrix_instructions if t.operand is t.accumulator is accumulate]
    instruction = offered[0] if offered else tile
    return Variant(
        name=f"cpu.contraction.{name}_{accumulate.value}",
        backend="cpu",
        family="contraction",
        schedule="panel",
        instruction=instruction,
        operand_dtypes=_OPERANDS[accumulate],
        accumulate=accumulate,
        priority=50,
        requirements=(
            RequiresFeatures(needs),
            RequiresOps(("GemmOp", "Conv2dOp", "Conv2dFiltersOp", "BlockSparseGemmOp", "GroupedGemmOp")),
        ),
        summary=f"register tile {instruction} over panels of B that each worker packs; A is read in place",
    )

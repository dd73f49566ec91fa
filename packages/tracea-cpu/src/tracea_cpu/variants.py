# SPDX-License-Identifier: MIT
"""The kinds of kernel the CPU backend has: register tiles over packed panels, one for each type of accumulator.

fp32 sums take fp32 operands and the narrower types, which are widened when a panel is packed and when a row is
broadcast; fp64 takes fp64; int8 and uint8 are widened to 32 bits and summed exactly.
"""

from __future__ import annotations

from tracea_core.doctor.requirements import RequiresFeatures, RequiresOps, RequiresUngatedEpilogue
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.target import CapabilityProfile

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
    products = (_variant(name, accumulate, profile) for accumulate in _OPERANDS)
    rows = (_row_variant(name, compute) for compute in (DType.FP32, DType.FP64))
    chains = (_chain_variant(name, compute) for compute in (DType.FP32, DType.FP64))
    return (*products, *rows, *chains)


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
        requirements=(RequiresFeatures(needs), RequiresOps(("GemmOp", "Conv2dOp", "Conv2dFiltersOp"))),
        summary=f"register tile {instruction} over panels of B that each worker packs; A is read in place",
    )

# SPDX-License-Identifier: MIT
"""The kinds of kernel the CPU backend has: register tiles over packed panels, one for each type of accumulator.

fp32 sums take fp32 operands and the 16-bit types, which are widened when a panel is packed and when a row is broadcast; fp64 takes
fp64; int8 and uint8 are widened to 32 bits and summed exactly.
"""

from __future__ import annotations

from tracea_core.doctor.requirements import Requirement, RequiresFeatures, RequiresOps
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import CapabilityProfile

_OPERANDS = {
    DType.FP32: (DType.FP32, DType.TF32, DType.BF16, DType.FP16),
    DType.FP64: (DType.FP64,),
    DType.INT32: (DType.INT8, DType.UINT8),
}


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the variants for a processor; widest instruction set first."""
    if "avx512f" in profile.features:
        isa, needs = "avx512", ("avx512f",)
    elif "avx2" in profile.features:
        isa, needs = "avx2", ("avx2", "fma")
    elif "neon" in profile.features:
        isa, needs = "neon", ("neon",)
    else:
        isa, needs = "baseline", ()
    return tuple(_variant(isa, needs, accumulate, profile) for accumulate in _OPERANDS)


def _variant(isa: str, needs: tuple[str, ...], accumulate: DType, profile: CapabilityProfile) -> Variant:
    tiles = [tile for tile in profile.matrix_instructions if tile.accumulator is accumulate]
    instruction = tiles[0].name if tiles else f"fma_outer_4x3x{max(1, profile.lanes * 4 // accumulate.bytes)}_{accumulate.value}"
    requirements: tuple[Requirement, ...] = (RequiresOps(("GemmOp", "Conv2dOp")),)
    if needs:
        requirements = (RequiresFeatures(needs), *requirements)
    return Variant(
        name=f"cpu.contraction.{isa}_{accumulate.value}",
        backend="cpu",
        family="contraction",
        schedule="panel",
        instruction=instruction,
        operand_dtypes=_OPERANDS[accumulate],
        accumulate=accumulate,
        priority=50,
        requirements=requirements,
        summary=f"register tile {instruction} over panels of B packed by each worker, A read in place",
    )

# SPDX-License-Identifier: MIT
"""The kinds of kernel that this backend prints, and what each demands of a device and a problem.

All follow the uniform schedule: global memory to registers to a ring of tiles in LDS, every wave alike. HipKittens (Hu et al.,
2025) found that on CDNA roles do not pay, since registers are divided statically, and that two LDS stages fed through registers
do; those are the configurations that the policy starts from. Nothing here was measured on such a device.
"""

from __future__ import annotations

from tracea_core.doctor.chains import chain_variants
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.device_requirements import RequiresInstruction
from tracea_core.doctor.few_rows import few_rows_variant
from tracea_core.doctor.requirements import RequiresIndexBits
from tracea_core.doctor.rows import row_variant
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import CapabilityProfile, MatrixInstruction

_FAMILIES = ("mfma", "wmma")
_WORDS = {"mfma": "matrix cores of CDNA", "wmma": "wave matrix instructions of RDNA"}
_OFFERED = (DType.BF16, DType.FP16, DType.FP32, DType.INT8)
_SHORT_FLOATS = (DType.FP8_E4M3, DType.FP8_E5M2, DType.FP8_E4M3FNUZ, DType.FP8_E5M2FNUZ)
_INDEX_BITS = 40


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device, best first: one for each type that its matrix instructions multiply.

    gfx942 reads 8-bit floats as FNUZ, others as OCP's; where arrays hold the other kind, a wider type stands in.
    """
    offered = (*_OFFERED, *_SHORT_FLOATS)
    found: dict[DType, MatrixInstruction] = {}
    for instruction in profile.matrix_instructions:
        if instruction.name.split("_")[0] in _FAMILIES and instruction.operand in offered:
            best = found.get(instruction.operand)
            if best is None or _work(instruction) > _work(best):
                found[instruction.operand] = instruction
    listed = [_variant(found[dtype]) for dtype in offered if dtype in found]
    products = tuple(listed) if DType.FP32 in found else (*listed, _lanes(profile))
    return (
        *products,
        few_rows_variant("hip", RequiresIndexBits(_INDEX_BITS)),
        depthwise_variant("hip", RequiresIndexBits(_INDEX_BITS)),
        *chain_variants("hip", profile, RequiresIndexBits(_INDEX_BITS)),
        row_variant("hip", "wave", profile),
    )


def _lanes(profile: CapabilityProfile) -> Variant:
    """Single precision by the lanes themselves, where no matrix instruction has it."""
    return Variant(
        name="hip.contraction.simt_fp32",
        backend="hip",
        family="contraction",
        schedule="multistage",
        instruction=f"simt_{profile.lanes // 8}x8_8x8_fp32",
        operand_dtypes=(DType.FP32,),
        accumulate=DType.FP32,
        priority=40,
        requirements=(RequiresIndexBits(_INDEX_BITS),),
        summary="tiles through registers into a ring in LDS, multiplied by the lanes",
    )


def _work(instruction: MatrixInstruction) -> tuple[int, int]:
    """Larger blocks read less from LDS for each multiplication; among equals, longer k means fewer instructions."""
    return instruction.m * instruction.n, instruction.k


def _variant(instruction: MatrixInstruction) -> Variant:
    family = instruction.name.split("_")[0]
    return Variant(
        name=f"hip.contraction.{family}_{instruction.operand.value}",
        backend="hip",
        family="contraction",
        schedule="multistage",
        instruction=instruction.name,
        operand_dtypes=(instruction.operand,),
        accumulate=instruction.accumulator,
        priority=60,
        requirements=(RequiresInstruction(instruction.name), RequiresIndexBits(_INDEX_BITS)),
        summary=f"tiles through registers into a ring in LDS, {_WORDS[family]}",
    )

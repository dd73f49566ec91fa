# SPDX-License-Identifier: MIT
"""The kinds of kernel that this backend prints, and what each demands of a device and a problem.

All follow the uniform schedule: device memory to registers to two tiles in threadgroup memory, every simdgroup alike, which is
what MLX's kernels do (mlx/backend/metal/kernels/steel/gemm); the configurations that the policy starts from are MLX's. Single
precision goes through simdgroup matrices too: their rate is that of the lanes, and fragments are read once for eight columns.
Nothing here was measured on such a device.
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

_OFFERED = (DType.FP16, DType.BF16, DType.FP32)
_INDEX_BITS = 40


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device: products of each type that its simdgroup matrices hold, and rows."""
    held = {i.operand: i for i in profile.matrix_instructions if i.name.startswith("simdgroup_")}
    products = tuple(_variant(held[dtype]) for dtype in _OFFERED if dtype in held)
    channels = depthwise_variant("metal", RequiresIndexBits(_INDEX_BITS))
    return (
        (
            *products,
            few_rows_variant("metal", RequiresIndexBits(_INDEX_BITS)),
            channels,
            *chain_variants("metal", profile, RequiresIndexBits(_INDEX_BITS)),
            row_variant("metal", "simdgroup", profile),
        )
        if products
        else ()
    )


def _variant(instruction: MatrixInstruction) -> Variant:
    return Variant(
        name=f"metal.contraction.simdgroup_{instruction.operand.value}",
        backend="metal",
        family="contraction",
        schedule="multistage",
        instruction=instruction.name,
        operand_dtypes=(instruction.operand,),
        accumulate=instruction.accumulator,
        priority=60,
        requirements=(RequiresInstruction(instruction.name), RequiresIndexBits(_INDEX_BITS)),
        summary="tiles through registers into two slots of threadgroup memory, simdgroup matrices",
    )

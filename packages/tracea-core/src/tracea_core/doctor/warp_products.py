# SPDX-License-Identifier: MIT
"""Products by matrix instructions of a warp, of types whose elements are not of 16 bits: tf32, and bytes with exact sums.

Matrices of 16 bits can be turned on their way to registers. Of these types a lane reads words, tf32 in any direction; bytes that run along
m or n are turned on their way to shared memory. A warpgroup instruction reads along k alone, so where a device has it, what runs along m or
n is transposed for it by a kernel ahead of it (`tracea_core.policy.arrange`), and not taken here.
"""

from __future__ import annotations

from tracea_core.doctor.device_requirements import RequiresArchAtLeast, RequiresInstruction
from tracea_core.doctor.requirements import RequiresOps, RequiresReductionContiguous
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import CapabilityProfile

_KINDS = (
    ("mma_product_int8", "mma_m16n8k32_int8", DType.INT8, 80, 40),
    ("mma_tf32", "mma_m16n8k8_tf32", DType.TF32, 80, 40),
    ("mma_k16_int8", "mma_m8n8k16_int8", DType.INT8, 75, 35),
)
"""Name, instruction, operands, the first architecture that has it, and how much it is preferred."""


def warp_products(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel that multiply such types on NVIDIA GPUs, best first."""
    return tuple(_variant(profile, *kind) for kind in _KINDS)


def _variant(
    profile: CapabilityProfile, name: str, instruction: str, dtype: DType, arch: int, priority: int
) -> Variant:
    turned = (RequiresReductionContiguous(),) if profile.has("wgmma") else ()
    return Variant(
        name=f"cuda.contraction.{name}", backend="cuda", family="contraction", schedule="multistage",
        instruction=instruction, operand_dtypes=(dtype,), accumulate=dtype.accumulator, priority=priority,
        requirements=(
            RequiresArchAtLeast("sm_", arch), RequiresInstruction(instruction),
            RequiresOps(("GemmOp", "GroupedGemmOp")), *turned,
        ),
        summary="tiles through registers or past them into a ring of shared memory, matrix instructions of a warp",
    )  # fmt: skip

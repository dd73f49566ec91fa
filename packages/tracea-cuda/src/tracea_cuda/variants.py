# SPDX-License-Identifier: MIT
"""The kinds of kernel that this backend prints, and what each demands of a device and a problem."""

from __future__ import annotations

from tracea_core.doctor.requirements import (
    RequiresAlignment,
    RequiresArch,
    RequiresAsyncCopy,
    RequiresOps,
    RequiresUnitStride,
)
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import AsyncCopyKind, CapabilityProfile


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device, best first."""
    return tuple(_hopper(dtype) for dtype in (DType.BF16, DType.FP16))


def _hopper(dtype: DType) -> Variant:
    return Variant(
        name=f"cuda.contraction.wgmma_{dtype.value}",
        backend="cuda",
        family="contraction",
        schedule="warp_specialized",
        instruction=f"wgmma_m64n256k16_{dtype.value}",
        operand_dtypes=(dtype,),
        accumulate=DType.FP32,
        priority=80,
        requirements=(
            RequiresArch(("sm_90a",)),
            RequiresAsyncCopy(AsyncCopyKind.TMA),
            RequiresOps(("GemmOp",)),
            RequiresAlignment(0, 16),
            RequiresAlignment(1, 16),
            RequiresUnitStride(0, (-1, -2)),
            RequiresUnitStride(1, (-1, -2)),
        ),
        summary="box copies into a ring, matrix instructions from shared memory, clusters that share loads",
    )

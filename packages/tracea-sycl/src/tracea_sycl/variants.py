# SPDX-License-Identifier: MIT
"""The kinds of kernel that this backend prints, and what each demands of a device and a problem.

All follow the uniform schedule: global memory to registers to a ring of tiles in local memory, every sub-group alike. Intel GPUs
multiply with XMX (dpas), any other OpenCL device by its lanes. Nothing here was measured on an Intel GPU.
"""

from __future__ import annotations

from tracea_core.doctor.chains import chain_variants
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.device_requirements import RequiresFeatures, RequiresInstruction
from tracea_core.doctor.few_rows import few_rows_variant
from tracea_core.doctor.requirements import RequiresIndexBits, RequiresOps, RequiresUngatedEpilogue
from tracea_core.doctor.rows import row_variant
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.policy.budget import is_cpu
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.target import SUB_GROUP_SHUFFLE, CapabilityProfile, MatrixInstruction

_OFFERED = (DType.BF16, DType.FP16, DType.INT8, DType.UINT8)
_INDEX_BITS = 40


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device, best first: XMX for the types that it multiplies, lanes for the others."""
    if is_cpu(profile):
        return (_vectors(profile), *(_of_rows(profile, *words) for words in _WHOLE_ROWS))
    known = {i.operand: i for i in profile.matrix_instructions if i.name.startswith("dpas")}
    return (
        *(_matrix(known[dtype]) for dtype in _OFFERED if dtype in known),
        _lanes(profile, DType.FP32),
        few_rows_variant("sycl", RequiresFeatures((SUB_GROUP_SHUFFLE,)), RequiresIndexBits(_INDEX_BITS)),
        depthwise_variant("sycl", RequiresIndexBits(_INDEX_BITS)),
        *chain_variants("sycl", profile, RequiresFeatures((SUB_GROUP_SHUFFLE,)), RequiresIndexBits(_INDEX_BITS)),
        row_variant("sycl", "sub-group", profile, RequiresFeatures((SUB_GROUP_SHUFFLE,))),
    )


def _matrix(instruction: MatrixInstruction) -> Variant:
    return Variant(
        name=f"sycl.contraction.dpas_{instruction.operand.value}",
        backend="sycl",
        family="contraction",
        schedule="multistage",
        instruction=instruction.name,
        operand_dtypes=(instruction.operand,),
        accumulate=instruction.accumulator,
        priority=60,
        requirements=(RequiresInstruction(instruction.name), RequiresIndexBits(_INDEX_BITS)),
        summary="tiles through registers into a ring in local memory, matrix instructions of a sub-group",
    )


def _vectors(profile: CapabilityProfile) -> Variant:
    """Multiplication by the vectors of a processor, in the schedule that is made for processors."""
    tile = next(i.name for i in profile.matrix_instructions if i.operand is DType.FP32)
    return Variant(
        name="sycl.contraction.vectors_fp32",
        backend="sycl",
        family="contraction",
        schedule="panel",
        instruction=tile,
        operand_dtypes=(DType.FP32, DType.BF16, DType.FP16),
        accumulate=DType.FP32,
        priority=50,
        requirements=(RequiresOps(("GemmOp", "Conv2dOp", "Conv2dFiltersOp")),),
        summary=f"register tile {tile} over panels of B that each work-item packs; A is read in place",
    )


_WHOLE_ROWS = (
    ("rowwise", "rows", (1, 4), "a work-item reads each row once and sweeps it in its cache: statistics, then values"),
    (
        "chained",
        "chain",
        (2, 2),
        "a work-item passes over its rows' keys a block at a time; scores and sums stay in its own memory",
    ),
)
"""Family, schedule, rows and vectors of the tile that multiplies, and what it does."""


def _of_rows(profile: CapabilityProfile, family: str, schedule: str, tile: tuple[int, int], summary: str) -> Variant:
    """Softmax, norms, attention and low-rank products by a processor's vectors."""
    return Variant(
        name=f"sycl.{family}.vectors_fp32", backend="sycl", family=family, schedule=schedule,
        instruction=fma_outer(*tile, profile.lanes).name, operand_dtypes=(DType.FP32, DType.BF16, DType.FP16),
        accumulate=DType.FP32, priority=50, requirements=(RequiresUngatedEpilogue(),) if family == "chained" else (),
        summary=summary,
    )  # fmt: skip


def _lanes(profile: CapabilityProfile, dtype: DType) -> Variant:
    """Multiplication by the lanes themselves: NVIDIA's warps of 32 hold 8x8 results a lane, others fewer, to leave epilogues registers."""
    across = min(profile.lanes, 8)
    block = (
        f"4x8_8x8_{dtype.value}_paired"
        if profile.lanes == 32
        else f"{profile.lanes // across}x{across}_4x4_{dtype.value}"
    )
    return Variant(
        name=f"sycl.contraction.simt_{dtype.value}",
        backend="sycl",
        family="contraction",
        schedule="multistage",
        instruction=f"simt_{block}",
        operand_dtypes=(dtype,),
        accumulate=dtype.accumulator,
        priority=40,
        requirements=(RequiresIndexBits(_INDEX_BITS),),
        summary="tiles through registers into a ring in local memory, multiplied by the lanes",
    )

# SPDX-License-Identifier: MIT
"""The kinds of kernel that this backend prints, and what each demands of a device and a problem."""

from __future__ import annotations

from tracea_core.doctor.chains import chain_variants
from tracea_core.doctor.depthwise import depthwise_variant, lane_planes_variant, planes_variant
from tracea_core.doctor.device_requirements import (
    RequiresArch,
    RequiresArchAtLeast,
    RequiresAsyncCopy,
    RequiresInstruction,
)
from tracea_core.doctor.few_rows import few_rows_variant
from tracea_core.doctor.image_walk import RequiresImageWalk
from tracea_core.doctor.option_given import RequiresOption
from tracea_core.doctor.requirements import (
    RequiresAlignment,
    RequiresExtent,
    RequiresOps,
    RequiresReductionContiguous,
    RequiresUnitStride,
)
from tracea_core.doctor.turned_rows import RequiresRightAlongReduction
from tracea_core.doctor.variants import Variant
from tracea_core.doctor.warp_products import warp_products
from tracea_core.dtypes import DType
from tracea_core.target import AsyncCopyKind, CapabilityProfile


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device, best first."""
    halves = (DType.BF16, DType.FP16)
    hopper = (*halves, DType.TF32, DType.FP8_E4M3, DType.FP8_E5M2, DType.INT8)
    return (
        *map(_hopper, hopper),
        *map(_windows, (*halves, DType.TF32, DType.INT8)),
        *map(_warp, halves),
        _bytes(),
        *warp_products(profile),
        _turing(),
        few_rows_variant("cuda", RequiresArchAtLeast("sm_", 75)),
        _lanes(),
        _parts(),
        depthwise_variant("cuda", RequiresArchAtLeast("sm_", 75)),
        *map(_planes, halves),
        lane_planes_variant("cuda", RequiresArchAtLeast("sm_", 75)),
        *_rows(profile),
        *map(_hopper_attention, halves),
        *(*map(_attention, halves if profile.async_copies else ()), *chain_variants("cuda", profile)),
    )


def _rows(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Softmax and norms: a warp for each row, sums in single precision (in double for doubles)."""
    narrow = (DType.FP32, DType.BF16, DType.FP16)
    return tuple(
        Variant(
            name=f"cuda.rowwise.warp_{compute.value}",
            backend="cuda",
            family="rowwise",
            schedule="warp_rows",
            instruction=f"shuffle_{profile.lanes}",
            operand_dtypes=narrow if compute is DType.FP32 else (compute,),
            accumulate=compute,
            priority=50,
            requirements=(RequiresArchAtLeast("sm_", 75),),
            summary="a warp reads a row once into its registers, or sweeps a longer one; lanes reduce among themselves",
        )
        for compute in (DType.FP32, DType.FP64)
    )


def _attention(dtype: DType) -> Variant:
    """Attention in one kernel: the softmax in the registers of warps, between two products by mma.sync."""
    instruction = f"mma_m16n8k16_{dtype.value}"
    whole = tuple(RequiresAlignment(operand, 4) for operand in range(3))
    rows = tuple(RequiresUnitStride(operand) for operand in range(3))
    columns = tuple(RequiresExtent(operand, -1, minimum=1, maximum=256, multiple=2) for operand in (0, 2))
    return Variant(
        name=f"cuda.chained.mma_{dtype.value}",
        backend="cuda",
        family="chained",
        schedule="warp_chain",
        instruction=instruction,
        operand_dtypes=(dtype,),
        accumulate=DType.FP32,
        priority=50,
        requirements=(
            RequiresArchAtLeast("sm_", 80), RequiresInstruction(instruction), RequiresAsyncCopy(AsyncCopyKind.CP_ASYNC),
            RequiresOps(("AttentionOp",)), *whole, *rows, *columns,
        ),
        summary="keys and values stream past warps that hold their rows' scores, softmax and sums in registers",
    )  # fmt: skip


def _hopper_attention(dtype: DType) -> Variant:
    """Attention by warpgroups: keys and values through rings by a copy engine, weights multiplied straight from registers."""
    instruction = f"wgmma_m64n128k16_{dtype.value}"
    boxes = tuple(RequiresAlignment(operand, 16) for operand in range(3))
    rows = tuple(RequiresUnitStride(operand) for operand in range(3))
    columns = tuple(RequiresExtent(operand, -1, minimum=1, maximum=256) for operand in (0, 2))
    return Variant(
        name=f"cuda.chained.wgmma_{dtype.value}",
        backend="cuda",
        family="chained",
        schedule="specialized_chain",
        instruction=instruction,
        operand_dtypes=(dtype,),
        accumulate=DType.FP32,
        priority=80,
        requirements=(
            RequiresArch(("sm_90a",)), RequiresInstruction(instruction), RequiresAsyncCopy(AsyncCopyKind.TMA),
            RequiresOps(("AttentionOp",)), *boxes, *rows, *columns, RequiresExtent(1, -2, minimum=1),
        ),
        summary="keys and values come into rings by a copy engine, past warpgroups that hold their rows' scores, softmax and sums",
    )  # fmt: skip


def _turing() -> Variant:
    """The same with the shape that sm_75 has."""
    return _warp(DType.FP16, "mma_m16n8k8_fp16", 75).replace(name="cuda.contraction.mma_k8_fp16", priority=35)


def _bytes() -> Variant:
    """Convolutions of int8 that no copy engine walks over."""
    found = _warp(DType.INT8)
    return found.replace(requirements=(*found.requirements, RequiresOps(("Conv2dOp",))))


def _lanes() -> Variant:
    """Single precision by the lanes themselves: every shape and stride, and convolutions."""
    return _warp(DType.FP32, "simt_4x8_8x8_fp32_paired").replace(
        name="cuda.contraction.simt_fp32", priority=30, requirements=(RequiresArchAtLeast("sm_", 75),),
        summary="tiles through registers into a ring of shared memory, multiplied by the lanes",
    )  # fmt: skip


def _parts() -> Variant:
    """Single precision by matrix instructions of tf32, three products for each, where the caller allows it."""
    found = _warp(DType.FP32, "mma_m16n8k8_tf32").replace(name="cuda.contraction.mma_tf32x3")
    return found.replace(requirements=(*found.requirements, RequiresOption("tf32x3")))


def _warp(dtype: DType, instruction: str = "", arch: int = 80) -> Variant:
    """The uniform schedule with mma.sync: any shape, stride and alignment, convolutions, and what Hopper's copy engine refuses."""
    instruction = instruction or f"mma_m16n8k{32 // dtype.bytes}_{dtype.value}"
    return Variant(
        name=f"cuda.contraction.mma_{dtype.value}", backend="cuda", family="contraction", schedule="multistage",
        instruction=instruction, operand_dtypes=(dtype,), accumulate=dtype.accumulator, priority=40,
        requirements=(RequiresArchAtLeast("sm_", arch), RequiresInstruction(instruction)),
        summary="tiles through registers into a ring of shared memory, matrix instructions of a warp",
    )  # fmt: skip


def _windows(dtype: DType) -> Variant:
    """The same for convolutions: the copy engine walks over the windows of channels-last images."""
    return _hopper(dtype).replace(
        name=f"cuda.contraction.wgmma_windows_{dtype.value}",
        requirements=(
            RequiresArch(("sm_90a",)),
            RequiresAsyncCopy(AsyncCopyKind.TMA),
            RequiresOps(("Conv2dOp", "Conv2dFiltersOp")),
            RequiresAlignment(0, 16),
            RequiresAlignment(1, 16),
            RequiresImageWalk(),
        ),
        summary="windows of images and filters into a ring by a copy engine, matrix instructions from shared memory",
    )


def _planes(dtype: DType) -> Variant:
    instruction = f"mma_m16n8k16_{dtype.value}"
    return planes_variant("cuda", dtype, RequiresArchAtLeast("sm_", 80), RequiresInstruction(instruction))


def _hopper(dtype: DType) -> Variant:
    # Only 16-bit operands may run along m or n in shared memory (PTX ISA, wgmma.mma_async, tnspA and tnspB).
    either = (RequiresUnitStride(0, (-1, -2)), RequiresUnitStride(1, (-1, -2)))
    along_k = RequiresRightAlongReduction() if dtype is DType.TF32 else RequiresReductionContiguous()
    contiguous = (*either, RequiresExtent(0, -1, minimum=1)) if dtype.bytes == 2 else (along_k,)
    return Variant(
        name=f"cuda.contraction.wgmma_{dtype.value}",
        backend="cuda",
        family="contraction",
        schedule="warp_specialized",
        instruction=f"wgmma_m64n256k{32 // dtype.bytes}_{dtype.value}",
        operand_dtypes=(dtype,),
        accumulate=dtype.accumulator,
        priority=80,
        requirements=(
            RequiresArch(("sm_90a",)),
            RequiresAsyncCopy(AsyncCopyKind.TMA),
            RequiresOps(("GemmOp", "GroupedGemmOp", "ScaledGemmOp")),
            RequiresAlignment(0, 16),
            RequiresAlignment(1, 16),
            *contiguous,
        ),
        summary="box copies into a ring, matrix instructions from shared memory, clusters that share loads",
    )

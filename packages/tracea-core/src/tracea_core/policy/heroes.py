# SPDX-License-Identifier: MIT
"""Hero configurations of GPUs: what is known to be good on a kind of device, so that a search starts near its end.

Each list is ordered, the best first for a large square problem. Rules shrink, rank and complete them for the problem at
hand. Sources stand with each list; figures marked as measured come from this project's probes.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import AsyncCopyKind, CapabilityProfile


def gpu_heroes(profile: CapabilityProfile, topology: OperatorTopology) -> tuple[PipelineConfig, ...]:
    """Return the list for a GPU, by the matrix instruction that the operator names or the device offers for its type.

    A copy engine moves rows that are aligned to 16 bytes only, so others are left to warp-level instructions.
    """
    operand = topology.dtype
    names = [i.name for i in profile.matrix_instructions if i.operand is operand]
    if topology.alignment < 16:
        names = [name for name in names if not name.startswith("wgmma")]
    family = (topology.instruction or (names[0] if names else "")).split("_", 1)[0]
    match family:
        case "wgmma":
            return hopper_heroes(operand, operand.bits == 8 and operand.is_float and not topology.fast_accumulation)
        case "mma":
            return ampere_heroes(operand, asynchronous=AsyncCopyKind.CP_ASYNC in profile.async_copies)
        case "mfma":
            return cdna_heroes(operand)
        case "wmma":
            return rdna_heroes(operand)
        case "dpas" | "joint":
            return xe_heroes(operand, profile.lanes)
        case "simdgroup":
            return apple_heroes(operand)
        case _:
            if AsyncCopyKind.CP_ASYNC not in profile.async_copies or operand is not DType.FP32:
                return scalar_heroes(operand, profile.lanes)
            return ffma_heroes(profile.lanes, topology.b_along_k and not topology.a_along_m)


_FEW_SLOTS = 4
"""Slots of a ring up to which the slot that a group in flight holds is wanted for loading (H200, 16-bit operands, shared tiles)."""


def _wide(operand: DType, **fields: object) -> PipelineConfig:
    """Return a configuration with 16-byte accesses."""
    vector = max(1, 16 // operand.bytes)
    defaults = {"vector_a": vector, "vector_b": vector, "vector_c": vector, "order": Order.GROUPED, "group": 8}
    return PipelineConfig(**{**defaults, **fields})  # type: ignore[arg-type]


def hopper_heroes(operand: DType, put_aside: bool = False) -> tuple[PipelineConfig, ...]:
    """Return warp-specialized tiles for sm_90a: one producer warpgroup, 64 rows and up for each consumer, 128-byte rows.

    All were measured on an H200, most of them the fastest for some of 37 shapes: 128×256 where whole waves of it come out even, widths
    that are no power of two and squares of 192 where they do not, consumers that take turns where the epilogue weighs, small tiles for
    small products. `tracea_core.policy.warpgroup_time` chooses among them.

    With `put_aside`, sums of each step are added to a second set of registers, so tiles hold half as much; no group of matrix
    instructions is in flight meanwhile, and the other warpgroup's keep the unit busy (128×128 of deepseek-ai/DeepGEMM).
    """
    step = 128 // operand.bytes

    def tile(
        m: int, n: int, stages: int, cluster: tuple[int, int] = (1, 1), warps: int = 12, turns: bool = False
    ) -> PipelineConfig:
        alone = put_aside or (operand.bytes == 2 and stages <= _FEW_SLOTS and warps > 8 and not turns)
        return _wide(
            operand, tile_m=m, tile_n=n, tile_k=step, stages=stages, warps=warps,
            cluster_m=cluster[0], cluster_n=cluster[1],
            barrier_mode=BarrierMode.PING_PONG if turns else BarrierMode.PRODUCER_CONSUMER, swizzle=SwizzleMode.B128,
            in_flight=0 if alone else 1, block_k=step if put_aside else 0,
        )  # fmt: skip

    pair, beside = (2, 1), (1, 2)
    if put_aside:
        return (
            tile(128, 128, 6), tile(128, 192, 4, pair), tile(128, 160, 5), tile(128, 160, 5, pair), tile(128, 128, 6, pair),
            tile(192, 128, 4, warps=16), tile(128, 112, 6), tile(128, 64, 8),
            tile(64, 128, 8, warps=8), tile(64, 64, 8, warps=8), tile(64, 32, 8, warps=8),
        )  # fmt: skip
    taller = (
        tuple(tile(256, n, 3, cluster) for n in (192, 176, 160) for cluster in ((1, 1), beside))
        if operand.bytes == 2
        else ()
    )
    return (
        tile(128, 256, 4, pair), tile(128, 256, 4), tile(256, 128, 4, beside),
        tile(192, 192, 4, beside, 16), tile(192, 192, 4, warps=16), tile(192, 192, 4, pair, 16),
        tile(192, 160, 4, beside, 16), tile(192, 160, 4, warps=16), tile(192, 144, 4, warps=16), tile(192, 144, 4, beside, 16),
        tile(128, 256, 4, beside), tile(128, 240, 4, beside), tile(192, 128, 5, warps=16), tile(192, 128, 5, beside, 16),
        tile(256, 128, 4), tile(256, 112, 4), tile(256, 112, 4, pair), tile(256, 96, 4),
        tile(128, 240, 4, pair), tile(128, 240, 4), tile(128, 224, 4, pair), tile(128, 224, 4), tile(128, 208, 4, pair),
        tile(128, 192, 5, pair), tile(128, 192, 5), tile(128, 176, 5), tile(128, 176, 5, pair), tile(128, 160, 5, pair),
        tile(128, 160, 5),
        tile(128, 144, 5, beside), tile(128, 128, 6, pair), tile(128, 128, 6), tile(128, 112, 6), tile(128, 112, 6, beside),
        tile(128, 192, 5, turns=True), tile(128, 192, 5, pair, turns=True),
        tile(128, 176, 5, turns=True), tile(128, 176, 5, pair, turns=True), tile(128, 176, 4, turns=True),
        tile(128, 160, 5, turns=True), tile(128, 160, 5, pair, turns=True), tile(128, 144, 6, turns=True),
        tile(128, 128, 6, turns=True), tile(128, 128, 6, pair, turns=True),
        tile(64, 128, 8, warps=8), tile(128, 64, 8), tile(64, 256, 4, warps=8), tile(64, 256, 5, turns=True),
        tile(64, 64, 8, warps=8), tile(64, 32, 8, warps=8), *taller,
    )  # fmt: skip


def ampere_heroes(operand: DType, asynchronous: bool) -> tuple[PipelineConfig, ...]:
    """Return uniform tiles for sm_75 to sm_89: cp.async rings 3 to 5 deep, or two register-fed stages without it.

    Shapes are those of CUTLASS's sm_80 tensor-op kernels (NVIDIA/cutlass, tools/library/scripts/generator.py).
    """
    step = 64 // operand.bytes
    swizzle = SwizzleMode.XOR4
    if operand is DType.FP64:
        shapes = [(128, 64, 3, 8), (64, 64, 4, 4), (64, 32, 4, 4), (32, 32, 5, 4)]
    elif operand is DType.FP32:  # in two parts, which take three times the registers
        shapes = [(128, 128, 4, 8), (128, 64, 4, 4), (64, 128, 4, 4), (64, 64, 5, 4), (32, 64, 5, 4)]
    else:
        shapes = [(128, 128, 4, 4), (128, 256, 3, 8), (256, 128, 3, 8), (128, 64, 4, 4), (64, 128, 4, 4),
                  (64, 64, 5, 4), (32, 64, 5, 4)]  # fmt: skip
    found = tuple(
        _wide(
            operand, tile_m=m, tile_n=n, tile_k=step, stages=stages if asynchronous else 2, warps=warps,
            swizzle=swizzle, unroll_k=2,
        )
        for m, n, stages, warps in shapes
    )  # fmt: skip
    if operand.bytes > 1:
        return found
    # Where every byte has an address of its own, addresses take most registers.
    return (*found, *(one.replace(tile_k=step // 2, unroll_k=1) for one in found[-2:]))


def cdna_heroes(operand: DType) -> tuple[PipelineConfig, ...]:
    """Return tiles for MFMA: 256×256 with 8 waves, double-buffered.

    From HipKittens' CDNA kernels, which reach 749 TFLOP/s at 8192³ on an MI325X; not measured here. With 64 KiB of LDS
    (gfx90a, gfx942) two stages of 256×256×32 fill it, or one of 256×256×64 while the next one waits in registers; with
    160 KiB (gfx950) two of those fit.
    """
    step = 128 // operand.bytes
    shapes = [(256, 256, step, 2, 8), (256, 256, step // 2, 2, 8), (256, 256, step, 1, 8), (256, 128, step // 2, 2, 8),
              (128, 128, step, 2, 4), (128, 128, step // 2, 2, 4), (128, 64, step, 2, 4),
              (64, 64, step, 2, 4), (32, 64, step, 2, 4)]  # fmt: skip
    return tuple(
        _wide(operand, tile_m=m, tile_n=n, tile_k=k, stages=stages, warps=waves, swizzle=SwizzleMode.XOR8, group=4)
        for m, n, k, stages, waves in shapes
    )


def rdna_heroes(operand: DType) -> tuple[PipelineConfig, ...]:
    """Return tiles for WMMA on gfx11 and gfx12 (16×16×16, waves of 32); not measured here."""
    step = max(16, 64 // operand.bytes)
    shapes = [(128, 128, 8), (128, 64, 4), (64, 128, 4), (64, 64, 4), (32, 64, 4)]
    return tuple(
        _wide(operand, tile_m=m, tile_n=n, tile_k=step, stages=2, warps=waves, swizzle=SwizzleMode.XOR4)
        for m, n, waves in shapes
    )


def xe_heroes(operand: DType, sub_group: int) -> tuple[PipelineConfig, ...]:
    """Return tiles for XMX: 256×256×32 with 8 × 4 sub-groups, prefetch distance 2 (intel/sycl-tla, 00_bmg_gemm).

    The last has half the step: where every element has an address of its own, addresses take most registers.
    """
    step = 64 // operand.bytes
    shapes = [(256, 256, step, 32), (256, 128, step, 16), (128, 128, step, 16), (128, 64, step, 8), (64, 64, step, 8),
              (32, 64, step, 4), (32, 64, step // 2, 4)]  # fmt: skip
    return tuple(
        _wide(operand, tile_m=m, tile_n=n if sub_group == 16 else n // 2, tile_k=k, stages=2, warps=groups)
        for m, n, k, groups in shapes
    )


def apple_heroes(operand: DType) -> tuple[PipelineConfig, ...]:
    """Return tiles for simdgroup matrices, 64×64 at most, double-buffered through registers (ml-explore/mlx, steel)."""
    shapes = [(64, 64, 16, 4), (64, 32, 32, 4), (32, 64, 16, 4), (32, 32, 16, 4), (32, 32, 16, 2)]
    return tuple(_wide(operand, tile_m=m, tile_n=n, tile_k=k, stages=2, warps=groups) for m, n, k, groups in shapes)


def scalar_heroes(operand: DType, lanes: int) -> tuple[PipelineConfig, ...]:
    """Return tiles for plain multiply-adds of GPU threads, 8×8 results each, double-buffered; half as many for epilogues that read much."""
    shapes = [
        (128, 128, 8, 64),
        (128, 64, 8, 64),
        (64, 64, 16, 64),
        (128, 64, 8, 32),
        (32, 64, 16, 64),
        (16, 64, 16, 64),
    ]
    return tuple(_multiplied(operand, lanes, *shape) for shape in shapes)


def ffma_heroes(lanes: int, both_along_k: bool) -> tuple[PipelineConfig, ...]:
    """Return tiles of fp32 for devices with 255 registers a thread and asynchronous copies.

    On an H200, 16×8 results a lane reach 0.95 to 1.0 of cuBLAS at 4096³, three reads of 16 bytes for 64 multiplications; where both
    operands run along k they pass registers and fewer results do better: 0.93. At 1024³ tiles of 128×64 reach 1.08, and below half as
    many results a lane fill more of a multiprocessor's schedulers. 32 rows or columns have few tiles, so 16 results a lane and
    twice the depth: 32×8192×4096 takes 110 µs, 193 with 32 results and half the depth (cuBLAS 115).
    """
    wide = [] if both_along_k else [(256, 128, 8, 128), (128, 256, 8, 128)]
    shapes = [
        *wide, (128, 128, 16, 64), (64, 128, 16, 64), (128, 64, 16, 64), (64, 64, 32, 32), (64, 64, 16, 64), (32, 64, 32, 16),
        (64, 32, 32, 16), (16, 64, 16, 64),
    ]  # fmt: skip
    return tuple(_multiplied(DType.FP32, lanes, *shape) for shape in shapes)


def _multiplied(operand: DType, lanes: int, m: int, n: int, k: int, results: int) -> PipelineConfig:
    """Return a tile of which every lane multiplies so many results."""
    return _wide(operand, tile_m=m, tile_n=n, tile_k=k, stages=2, warps=max(m * n // results // lanes, 1), unroll_k=2)

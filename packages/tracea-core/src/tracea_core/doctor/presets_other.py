# SPDX-License-Identifier: MIT
"""Intel and Apple GPUs, and CPUs by vector width, as published.

Where a vendor publishes no figure, `source` says whose measurement stands in. The CPU presets describe one well-known
part per vector width, so that every figure in them belongs to a machine that exists; their clock is the base clock, and
their rates are cores x FLOP per cycle x clock.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.target import AsyncCopyKind, CacheLevel, CapabilityProfile, MatrixInstruction

_KIB = 1024
_MIB = 1024 * _KIB
_GIB = 1024 * _MIB

_16BIT = (DType.BF16, DType.FP16)


def _dpas(sub_group: int, operand: DType) -> MatrixInstruction:
    k = 32 // operand.bytes
    name = f"dpas_sg{sub_group}_8x{sub_group}x{k}_{operand.value}"
    return MatrixInstruction(name, 8, sub_group, k, operand, operand.accumulator, sub_group)


def _simdgroup(operand: DType) -> MatrixInstruction:
    return MatrixInstruction(f"simdgroup_8x8x8_{operand.value}", 8, 8, 8, operand, DType.FP32, 32)


def _outer(rows: int, vectors: int, lanes: int, operand: DType) -> MatrixInstruction:
    sums = operand.accumulator
    name = f"fma_outer_{rows}x{vectors}x{lanes}_{operand.value}"
    return MatrixInstruction(name, rows, vectors * lanes, sums.bits // operand.bits, operand, sums, lanes)


def pvc() -> CapabilityProfile:
    """Return one of the two stacks of a Data Center GPU Max 1550 (Ponte Vecchio), which is what a kernel runs on."""
    return CapabilityProfile(
        name="Intel Data Center GPU Max 1550 (one stack)",
        vendor="intel",
        arch="pvc",
        backend="sycl",
        processors=64,
        lanes=16,
        registers_per_processor=131072,
        max_registers_per_thread=256,
        shared_bytes=128 * _KIB,
        shared_banks=16,
        shared_bank_bytes=4,
        max_threads_per_block=1024,
        caches=(CacheLevel(1, 512 * _KIB, 64, 1), CacheLevel(2, 204 * _MIB, 64, 64)),
        matrix_instructions=tuple(_dpas(16, dtype) for dtype in (*_16BIT, DType.INT8, DType.UINT8)),
        async_copies=(AsyncCopyKind.BLOCK_2D,),
        native_dtypes=(DType.FP32, DType.FP64, DType.TF32, *_16BIT, DType.INT8),
        memory_bytes=64 * _GIB,
        clock_mhz=1600,
        memory_gbps=1638,
        peak_gflops_fp32=26_200,
        peak_gflops=(
            ("fp64", 26_200), ("tf32", 209_700), ("bf16", 419_400), ("fp16", 419_400), ("int8", 838_900),
        ),
        features=("dpas", "sub_group_16", "sub_group_shuffle", "large_grf", "block_2d"),
        source="Intel Data Center GPU Max Series technical overview, half of the figures of both stacks; oneAPI GPU "
        "Optimization Guide (register file, local memory banks)",
    )  # fmt: skip


def arc_a770() -> CapabilityProfile:
    """Return the Arc A770 16 GB (DG2)."""
    return CapabilityProfile(
        name="Intel Arc A770 16GB",
        vendor="intel",
        arch="dg2",
        backend="sycl",
        processors=32,
        lanes=8,
        registers_per_processor=131072,
        max_registers_per_thread=256,
        shared_bytes=64 * _KIB,
        shared_banks=16,
        shared_bank_bytes=4,
        max_threads_per_block=1024,
        caches=(CacheLevel(1, 192 * _KIB, 64, 1), CacheLevel(2, 16 * _MIB, 64, 32)),
        matrix_instructions=tuple(_dpas(8, dtype) for dtype in (*_16BIT, DType.INT8, DType.UINT8)),
        native_dtypes=(DType.FP32, *_16BIT, DType.INT8),
        memory_bytes=16 * _GIB,
        clock_mhz=2100,
        memory_gbps=560,
        peak_gflops_fp32=17_200,
        peak_gflops=(("bf16", 131_000), ("fp16", 131_000), ("int8", 262_000)),
        features=("dpas", "sub_group_8", "sub_group_shuffle", "large_grf"),
        source="Intel ARK, Arc A770 (262 int8 TOPS; 16-bit rates are half of it); Intel Arc A-series architecture "
        "whitepaper; oneAPI GPU Optimization Guide (register file, local memory banks)",
    )  # fmt: skip


def _apple(
    name: str, arch: str, *, cores: int, clock_mhz: float, memory_gbps: float, memory_gib: int, gflops_fp32: float,
    cache_mib: int, bf16: bool, source: str,
) -> CapabilityProfile:  # fmt: skip
    """Return an Apple GPU: 32 lanes, 32 KiB of threadgroup memory, no asynchronous copies."""
    held = (DType.FP32, DType.FP16, DType.BF16) if bf16 else (DType.FP32, DType.FP16)
    return CapabilityProfile(
        name=name,
        vendor="apple",
        arch=arch,
        backend="metal",
        processors=cores,
        lanes=32,
        registers_per_processor=53248,
        max_registers_per_thread=128,
        shared_bytes=32 * _KIB,
        shared_banks=32,
        shared_bank_bytes=4,
        max_threads_per_block=1024,
        caches=(CacheLevel(1, 8 * _KIB, 128, 1), CacheLevel(3, cache_mib * _MIB, 128, cores)),
        matrix_instructions=tuple(_simdgroup(dtype) for dtype in held),
        native_dtypes=held,
        memory_bytes=memory_gib * _GIB,
        clock_mhz=clock_mhz,
        memory_gbps=memory_gbps,
        peak_gflops_fp32=gflops_fp32,
        peak_gflops=tuple((dtype.value, gflops_fp32) for dtype in held if dtype is not DType.FP32),
        features=("simdgroup_matrix",),
        source=source + "; P. Turner, metal-benchmarks (clock, registers, caches: measured, not published); "
        "threadgroup memory banks assumed, Apple documents none",
    )


def m1() -> CapabilityProfile:
    """Return the 8-core GPU of an M1 with 16 GB."""
    return _apple(
        "Apple M1 (8-core GPU)", "apple7", cores=8, clock_mhz=1278, memory_gbps=68.25, memory_gib=16, gflops_fp32=2_600,
        cache_mib=8, bf16=False, source="Apple Newsroom, 10 November 2020 (2.6 TFLOPS); Metal Feature Set Tables",
    )  # fmt: skip


def m2() -> CapabilityProfile:
    """Return the 10-core GPU of an M2 with 24 GB."""
    return _apple(
        "Apple M2 (10-core GPU)", "apple8", cores=10, clock_mhz=1398, memory_gbps=100, memory_gib=24, gflops_fp32=3_600,
        cache_mib=8, bf16=False, source="Apple Newsroom, 6 June 2022 (3.6 TFLOPS); Metal Feature Set Tables",
    )  # fmt: skip


def m3max() -> CapabilityProfile:
    """Return the 40-core GPU of an M3 Max with 128 GB."""
    return _apple(
        "Apple M3 Max (40-core GPU)", "apple9", cores=40, clock_mhz=1398, memory_gbps=400, memory_gib=128,
        gflops_fp32=14_300, cache_mib=48, bf16=True,
        source="Apple, MacBook Pro 2023 technical specifications (400 GB/s); rate = 40 cores x 128 lanes x 2 x clock; "
        "Metal Feature Set Tables",
    )  # fmt: skip


def _cpu(
    name: str, vendor: str, arch: str, *, cores: int, lanes: int, registers: int, clock_mhz: float, memory_gbps: float,
    flop_per_cycle: int, caches: tuple[CacheLevel, ...], tiles: tuple[MatrixInstruction, ...], faster: dict[DType, int],
    features: tuple[str, ...], source: str,
) -> CapabilityProfile:  # fmt: skip
    single = cores * flop_per_cycle * clock_mhz / 1000
    held = tuple(dict.fromkeys((DType.FP32, DType.FP64, *(tile.operand for tile in tiles))))
    return CapabilityProfile(
        name=name,
        vendor=vendor,
        arch=arch,
        backend="cpu",
        processors=cores,
        lanes=lanes,
        vector_registers=registers,
        caches=caches,
        matrix_instructions=tiles,
        native_dtypes=held,
        clock_mhz=clock_mhz,
        memory_gbps=memory_gbps,
        peak_gflops_fp32=single,
        peak_gflops=(("fp64", single / 2), *((dtype.value, single * factor) for dtype, factor in faster.items())),
        features=features,
        source=source,
    )


_AVX2 = ("sse4.2", "avx", "avx2", "fma", "f16c", "bmi", "bmi2")


def avx2() -> CapabilityProfile:
    """Return an AVX2 CPU: AMD Ryzen 7 5800X (Zen 3, 8 cores)."""
    return _cpu(
        "AVX2 (AMD Ryzen 7 5800X)", "amd", "x86-64-v3", cores=8, lanes=8, registers=16, clock_mhz=3800,
        memory_gbps=51.2, flop_per_cycle=32,
        caches=(CacheLevel(1, 32 * _KIB, 64, 1), CacheLevel(2, 512 * _KIB, 64, 1), CacheLevel(3, 32 * _MIB, 64, 8)),
        tiles=(_outer(4, 3, 8, DType.FP32), _outer(4, 3, 4, DType.FP64)), faster={}, features=_AVX2,
        source="AMD Ryzen 7 5800X product page; Software Optimization Guide for AMD Family 19h (two 256-bit FMA)",
    )  # fmt: skip


def avx512() -> CapabilityProfile:
    """Return an AVX-512 CPU with bf16 and VNNI: AMD Ryzen 9 7950X (Zen 4, 16 cores)."""
    return _cpu(
        "AVX-512 (AMD Ryzen 9 7950X)", "amd", "x86-64-v4", cores=16, lanes=16, registers=32, clock_mhz=4500,
        memory_gbps=83.2, flop_per_cycle=32,
        caches=(CacheLevel(1, 32 * _KIB, 64, 1), CacheLevel(2, 1 * _MIB, 64, 1), CacheLevel(3, 32 * _MIB, 64, 8)),
        tiles=(
            _outer(6, 4, 16, DType.FP32), _outer(6, 4, 8, DType.FP64), _outer(6, 4, 16, DType.BF16),
            _outer(6, 4, 16, DType.UINT8), _outer(6, 4, 16, DType.INT8),
        ),
        faster={DType.BF16: 2, DType.INT8: 4, DType.UINT8: 4},
        features=(*_AVX2, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512bf16", "avx512vnni"),
        source="AMD Ryzen 9 7950X product page; Software Optimization Guide for AMD Zen 4 (one 512-bit FMA a cycle)",
    )  # fmt: skip


def neon() -> CapabilityProfile:
    """Return a NEON CPU with the dot-product extension: Ampere Altra Q80-30 (Neoverse N1, 80 cores)."""
    return _cpu(
        "NEON (Ampere Altra Q80-30)", "arm", "armv8.2-a", cores=80, lanes=4, registers=32, clock_mhz=3000,
        memory_gbps=204.8, flop_per_cycle=16,
        caches=(CacheLevel(1, 64 * _KIB, 64, 1), CacheLevel(2, 1 * _MIB, 64, 1), CacheLevel(3, 32 * _MIB, 64, 80)),
        tiles=(_outer(8, 3, 4, DType.FP32), _outer(8, 3, 2, DType.FP64), _outer(8, 3, 4, DType.INT8)),
        faster={DType.INT8: 4}, features=("neon", "fullfp16", "dotprod"),
        source="Ampere Altra data sheet; Arm Neoverse N1 Software Optimization Guide (two 128-bit FMA a cycle)",
    )  # fmt: skip

# SPDX-License-Identifier: MIT
"""AMD devices as published.

Registers, local memory (LDS), its banks and the instructions come from the ISA reference of each architecture (CDNA2,
CDNA3, CDNA4, RDNA3, RDNA4); everything else from the product's data sheet, named in its `source`. Rates are dense;
``fp32`` in the list of rates is the matrix rate where MFMA has fp32, which can be twice the vector rate.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.target import AsyncCopyKind, CacheLevel, CapabilityProfile, MatrixInstruction

_KIB = 1024
_MIB = 1024 * _KIB
_GIB = 1024 * _MIB

_16BIT = (DType.BF16, DType.FP16)
_FP8 = (DType.FP8_E4M3, DType.FP8_E5M2)
_FNUZ = (DType.FP8_E4M3FNUZ, DType.FP8_E5M2FNUZ)


def _mfma(size: int, k: int, operand: DType, times: int = 1) -> MatrixInstruction:
    suffix = f"_x{times}" if times > 1 else ""
    name = f"mfma_{size}x{size}x{k}_{operand.value}{suffix}"
    return MatrixInstruction(name, size, size, k * times, operand, operand.accumulator, 64)


def _in_a_row(*instructions: MatrixInstruction) -> tuple[MatrixInstruction, ...]:
    """Return the instructions, and so many of each in a row that a lane's operand fills 16 bytes, the widest load of LDS."""
    rows = []
    for one in instructions:
        times = 16 // (one.operand.bytes * one.k * one.m // one.lanes)
        if times in (2, 4) and one.operand is not DType.FP64:
            rows.append(_mfma(one.m, one.k, one.operand, times))
    return (*instructions, *rows)


def _wmma(generation: str, operand: DType) -> MatrixInstruction:
    name = f"wmma_gfx{generation}_16x16x16_{operand.value}"
    return MatrixInstruction(name, 16, 16, 16, operand, operand.accumulator, 32)


_MFMA_WIDE = (_mfma(32, 2, DType.FP32), _mfma(16, 4, DType.FP32), _mfma(16, 4, DType.FP64))
_MFMA_16BIT = tuple(_mfma(size, k, dtype) for dtype in _16BIT for size, k in ((32, 8), (16, 16)))
_GFX90A = _in_a_row(*_MFMA_16BIT, *_MFMA_WIDE, _mfma(32, 8, DType.INT8), _mfma(16, 16, DType.INT8))
_MFMA_8BIT = tuple(_mfma(size, k, dtype) for dtype in (*_FP8, DType.INT8) for size, k in ((32, 16), (16, 32)))
_MFMA_FNUZ = tuple(_mfma(size, k, dtype) for dtype in (*_FNUZ, DType.INT8) for size, k in ((32, 16), (16, 32)))
_GFX942 = _in_a_row(*_MFMA_16BIT, *_MFMA_FNUZ, _mfma(32, 4, DType.TF32), _mfma(16, 8, DType.TF32), *_MFMA_WIDE)
_GFX950 = _in_a_row(
    *(_mfma(size, k, dtype) for dtype in _16BIT for size, k in ((32, 16), (16, 32))),
    *(_mfma(size, k, DType.INT8) for size, k in ((32, 32), (16, 64))),
    *_MFMA_16BIT,
    *_MFMA_8BIT,
    *_MFMA_WIDE,
)
_GFX11 = tuple(_wmma("11", dtype) for dtype in (*_16BIT, DType.INT8, DType.UINT8))
_GFX12 = tuple(_wmma("12", dtype) for dtype in (*_16BIT, DType.INT8, DType.UINT8, *_FP8))


def _instinct(
    name: str,
    arch: str,
    *,
    processors: int,
    lds_kib: int,
    banks: int,
    caches: tuple[CacheLevel, ...],
    memory_gib: int,
    memory_gbps: float,
    clock_mhz: float,
    gflops_fp32: float,
    peaks: tuple[tuple[str, float], ...],
    instructions: tuple[MatrixInstruction, ...],
    native: tuple[DType, ...],
    features: tuple[str, ...],
    async_copies: tuple[AsyncCopyKind, ...],
    source: str,
) -> CapabilityProfile:
    """Return a CDNA device: 64 lanes, four SIMDs with 512 64-lane registers each, so 131,072 registers a processor."""
    return CapabilityProfile(
        name=name,
        vendor="amd",
        arch=arch,
        backend="hip",
        processors=processors,
        lanes=64,
        registers_per_processor=131072,
        max_registers_per_thread=512,
        shared_bytes=lds_kib * _KIB,
        shared_banks=banks,
        shared_bank_bytes=4,
        max_threads_per_block=1024,
        caches=caches,
        matrix_instructions=instructions,
        async_copies=async_copies,
        native_dtypes=native,
        memory_bytes=memory_gib * _GIB,
        clock_mhz=clock_mhz,
        memory_gbps=memory_gbps,
        peak_gflops_fp32=gflops_fp32,
        peak_gflops=peaks,
        features=features,
        source=source,
    )


_CDNA2_NATIVE = (DType.FP32, DType.FP64, *_16BIT, DType.INT8)
_CDNA2_SOURCE = "AMD Instinct MI200 instruction set architecture reference; "


def mi210() -> CapabilityProfile:
    """Return the Instinct MI210 (gfx90a, one die)."""
    return _instinct(
        "AMD Instinct MI210", "gfx90a", processors=104, lds_kib=64, banks=32,
        caches=(CacheLevel(1, 16 * _KIB, 64, 1), CacheLevel(2, 8 * _MIB, 128, 104)),
        memory_gib=64, memory_gbps=1638, clock_mhz=1700, gflops_fp32=22_600,
        peaks=(("fp64", 45_300), ("fp32", 45_300), ("bf16", 181_000), ("fp16", 181_000), ("int8", 181_000)),
        instructions=_GFX90A, native=_CDNA2_NATIVE, features=("mfma",), async_copies=(),
        source=_CDNA2_SOURCE + "AMD Instinct MI210 data sheet",
    )  # fmt: skip


def mi250x() -> CapabilityProfile:
    """Return one of the two dies of an Instinct MI250X (gfx90a), which is what a kernel runs on."""
    return _instinct(
        "AMD Instinct MI250X (one die)", "gfx90a", processors=110, lds_kib=64, banks=32,
        caches=(CacheLevel(1, 16 * _KIB, 64, 1), CacheLevel(2, 8 * _MIB, 128, 110)),
        memory_gib=64, memory_gbps=1638, clock_mhz=1700, gflops_fp32=23_950,
        peaks=(("fp64", 47_850), ("fp32", 47_850), ("bf16", 191_500), ("fp16", 191_500), ("int8", 191_500)),
        instructions=_GFX90A, native=_CDNA2_NATIVE, features=("mfma",), async_copies=(),
        source=_CDNA2_SOURCE + "AMD Instinct MI250X data sheet, half of the figures of both dies",
    )  # fmt: skip


def mi300x() -> CapabilityProfile:
    """Return the Instinct MI300X (gfx942). Its fp8 is the FNUZ variant of both formats."""
    return _instinct(
        "AMD Instinct MI300X", "gfx942", processors=304, lds_kib=64, banks=32,
        caches=(
            CacheLevel(1, 32 * _KIB, 128, 1), CacheLevel(2, 4 * _MIB, 128, 38), CacheLevel(3, 256 * _MIB, 128, 304),
        ),
        memory_gib=192, memory_gbps=5300, clock_mhz=2100, gflops_fp32=163_400,
        peaks=(
            ("fp64", 163_400), ("fp32", 163_400), ("tf32", 653_700), ("bf16", 1_307_400), ("fp16", 1_307_400),
            ("fp8_e4m3fnuz", 2_614_900), ("fp8_e5m2fnuz", 2_614_900), ("int8", 2_614_900),
        ),
        instructions=_GFX942, native=(*_CDNA2_NATIVE, DType.TF32, *_FNUZ), features=("mfma", "xcd8"),
        async_copies=(AsyncCopyKind.BUFFER_TO_LDS,),
        source="AMD Instinct MI300 instruction set architecture reference; AMD Instinct MI300X data sheet; AMD CDNA 3 "
        "architecture whitepaper (caches)",
    )  # fmt: skip


def mi355x() -> CapabilityProfile:
    """Return the Instinct MI355X (gfx950): OCP fp8, 160 KiB of LDS in 64 banks, no tf32."""
    return _instinct(
        "AMD Instinct MI355X", "gfx950", processors=256, lds_kib=160, banks=64,
        caches=(
            CacheLevel(1, 32 * _KIB, 128, 1), CacheLevel(2, 4 * _MIB, 128, 32), CacheLevel(3, 256 * _MIB, 128, 256),
        ),
        memory_gib=288, memory_gbps=8000, clock_mhz=2400, gflops_fp32=157_300,
        peaks=(
            ("fp64", 78_600), ("fp32", 157_300), ("bf16", 2_516_600), ("fp16", 2_516_600), ("fp8_e4m3", 5_033_200),
            ("fp8_e5m2", 5_033_200), ("int8", 5_033_200),
        ),
        instructions=_GFX950, native=(*_CDNA2_NATIVE, *_FP8), features=("mfma", "fp8_ocp", "xcd8"),
        async_copies=(AsyncCopyKind.BUFFER_TO_LDS,),
        source="AMD CDNA 4 instruction set architecture reference; AMD Instinct MI355X data sheet; AMD CDNA 4 "
        "architecture whitepaper (caches, LDS)",
    )  # fmt: skip


def _radeon(
    name: str,
    arch: str,
    *,
    processors: int,
    caches: tuple[CacheLevel, ...],
    memory_gib: int,
    memory_gbps: float,
    clock_mhz: float,
    gflops_fp32: float,
    peaks: tuple[tuple[str, float], ...],
    instructions: tuple[MatrixInstruction, ...],
    native: tuple[DType, ...],
    source: str,
) -> CapabilityProfile:
    """Return an RDNA device: 32 lanes, two SIMDs per unit with 1,536 32-lane registers each (98,304 a processor)."""
    return CapabilityProfile(
        name=name,
        vendor="amd",
        arch=arch,
        backend="hip",
        processors=processors,
        lanes=32,
        registers_per_processor=98304,
        max_registers_per_thread=256,
        shared_bytes=64 * _KIB,
        shared_banks=32,
        shared_bank_bytes=4,
        max_threads_per_block=1024,
        caches=caches,
        matrix_instructions=instructions,
        native_dtypes=native,
        memory_bytes=memory_gib * _GIB,
        clock_mhz=clock_mhz,
        memory_gbps=memory_gbps,
        peak_gflops_fp32=gflops_fp32,
        peak_gflops=peaks,
        features=("wmma",),
        source=source,
    )


def rx7900xtx() -> CapabilityProfile:
    """Return the Radeon RX 7900 XTX (gfx1100)."""
    return _radeon(
        "AMD Radeon RX 7900 XTX", "gfx1100", processors=96,
        caches=(
            CacheLevel(1, 32 * _KIB, 128, 1), CacheLevel(2, 6 * _MIB, 128, 96), CacheLevel(3, 96 * _MIB, 128, 96),
        ),
        memory_gib=24, memory_gbps=960, clock_mhz=2500, gflops_fp32=61_400,
        peaks=(("bf16", 122_800), ("fp16", 122_800), ("int8", 122_800)),
        instructions=_GFX11, native=(DType.FP32, *_16BIT, DType.INT8),
        source="AMD RDNA 3 instruction set architecture reference; AMD Radeon RX 7900 XTX product page",
    )  # fmt: skip


def rx9070() -> CapabilityProfile:
    """Return the Radeon RX 9070 (gfx1201)."""
    return _radeon(
        "AMD Radeon RX 9070", "gfx1201", processors=56,
        caches=(
            CacheLevel(1, 32 * _KIB, 128, 1), CacheLevel(2, 8 * _MIB, 128, 56), CacheLevel(3, 64 * _MIB, 128, 56),
        ),
        memory_gib=16, memory_gbps=640, clock_mhz=2520, gflops_fp32=36_100,
        peaks=(
            ("bf16", 145_000), ("fp16", 145_000), ("fp8_e4m3", 289_000), ("fp8_e5m2", 289_000), ("int8", 289_000),
        ),
        instructions=_GFX12, native=(DType.FP32, *_16BIT, DType.INT8, *_FP8),
        source="AMD RDNA 4 instruction set architecture reference; AMD Radeon RX 9070 product page",
    )  # fmt: skip

# SPDX-License-Identifier: MIT
"""NVIDIA devices as published.

What all devices of one compute capability share comes from the *CUDA C++ Programming Guide*, table "Technical
Specifications per Compute Capability" (shared memory, registers, clusters), and from the *PTX ISA* (instructions). The
rest comes from each board's architecture whitepaper or datasheet, named in its `source`. Rates are dense, with fp32
accumulation where the board is slower that way; lists of matrix instructions name the widest shape of each type, since
narrower ones follow from the same lane maps.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.target import AsyncCopyKind, CacheLevel, CapabilityProfile, MatrixInstruction

_KIB = 1024
_MIB = 1024 * _KIB
_GIB = 1024 * _MIB

_16BIT = (DType.BF16, DType.FP16)
_FP8 = (DType.FP8_E4M3, DType.FP8_E5M2)


def _mma(m: int, n: int, k: int, operand: DType) -> MatrixInstruction:
    return MatrixInstruction(f"mma_m{m}n{n}k{k}_{operand.value}", m, n, k, operand, operand.accumulator, 32)


def _wgmma(n: int, operand: DType) -> MatrixInstruction:
    k = 32 // operand.bytes
    return MatrixInstruction(f"wgmma_m64n{n}k{k}_{operand.value}", 64, n, k, operand, operand.accumulator, 128)


_TURING = (_mma(16, 8, 8, DType.FP16), _mma(8, 8, 16, DType.INT8))
_AMPERE = (
    *(_mma(16, 8, 16, dtype) for dtype in _16BIT),
    _mma(16, 8, 8, DType.TF32),
    _mma(16, 8, 32, DType.INT8),
)
_AMPERE_FP64 = (_mma(8, 8, 4, DType.FP64),)
_ADA = (*_AMPERE, *(_mma(16, 8, 32, dtype) for dtype in _FP8))
_WARPGROUP = tuple(_wgmma(n, dtype) for n in (256, 128, 64) for dtype in (*_16BIT, DType.TF32, *_FP8, DType.INT8))
_HOPPER = (*_WARPGROUP, *_ADA, *_AMPERE_FP64)

_NATIVE_TURING = (DType.FP32, DType.FP16, DType.INT8)
_NATIVE_AMPERE = (DType.FP32, DType.TF32, *_16BIT, DType.INT8)
_NATIVE_ADA = (*_NATIVE_AMPERE, *_FP8)


def _device(
    name: str,
    arch: str,
    *,
    processors: int,
    shared_kib: int,
    l1_kib: int,
    l2_mib: int,
    memory_gib: int,
    memory_gbps: float,
    clock_mhz: float,
    gflops_fp32: float,
    peaks: tuple[tuple[str, float], ...],
    instructions: tuple[MatrixInstruction, ...],
    native: tuple[DType, ...],
    features: tuple[str, ...],
    async_copies: tuple[AsyncCopyKind, ...] = (),
    max_cluster: int = 1,
    source: str,
) -> CapabilityProfile:
    return CapabilityProfile(
        name=name,
        vendor="nvidia",
        arch=arch,
        backend="cuda",
        processors=processors,
        lanes=32,
        registers_per_processor=65536,
        max_registers_per_thread=255,
        shared_bytes=shared_kib * _KIB,
        shared_banks=32,
        shared_bank_bytes=4,
        max_threads_per_block=1024,
        max_cluster=max_cluster,
        caches=(CacheLevel(1, l1_kib * _KIB, 128, 1), CacheLevel(2, l2_mib * _MIB, 128, processors)),
        matrix_instructions=instructions,
        async_copies=async_copies,
        native_dtypes=native,
        memory_bytes=memory_gib * _GIB,
        clock_mhz=clock_mhz,
        memory_gbps=memory_gbps,
        peak_gflops_fp32=gflops_fp32,
        peak_gflops=peaks,
        features=features,
        source=source + "; CUDA C++ Programming Guide, Technical Specifications per Compute Capability",
    )


_SM75 = ("mma_sync", "ldmatrix")
_SM80 = (*_SM75, "cp_async", "mbarrier", "bf16", "tf32")
_SM89 = (*_SM80, "fp8")
_SM90 = (*_SM89, "stmatrix", "tma", "cluster", "setmaxnreg", "griddepcontrol")
_SM90A = (*_SM90, "wgmma")
_HOPPER_COPIES = (AsyncCopyKind.TMA, AsyncCopyKind.CP_ASYNC)


def t4() -> CapabilityProfile:
    """Return the Tesla T4 (TU104, sm_75), without asynchronous copies or bf16."""
    return _device(
        "NVIDIA T4", "sm_75", processors=40, shared_kib=64, l1_kib=96, l2_mib=4, memory_gib=16, memory_gbps=320,
        clock_mhz=1590, gflops_fp32=8_100, peaks=(("fp16", 65_000), ("int8", 130_000)),
        instructions=_TURING, native=_NATIVE_TURING, features=_SM75,
        source="NVIDIA Turing GPU Architecture whitepaper, WP-09183-001, appendix Tesla T4",
    )  # fmt: skip


def rtx3070() -> CapabilityProfile:
    """Return the GeForce RTX 3070 (GA104, sm_86)."""
    return _device(
        "NVIDIA GeForce RTX 3070", "sm_86", processors=46, shared_kib=99, l1_kib=128, l2_mib=4, memory_gib=8,
        memory_gbps=448, clock_mhz=1725, gflops_fp32=20_300,
        peaks=(("tf32", 20_300), ("bf16", 40_600), ("fp16", 40_600), ("int8", 162_600)),
        instructions=_AMPERE, native=_NATIVE_AMPERE, features=_SM80, async_copies=(AsyncCopyKind.CP_ASYNC,),
        source="NVIDIA Ampere GA102 GPU Architecture whitepaper, v2.1, appendix A (RTX 3070, fp32 accumulation)",
    )  # fmt: skip


def rtx4090() -> CapabilityProfile:
    """Return the GeForce RTX 4090 (AD102, sm_89)."""
    return _device(
        "NVIDIA GeForce RTX 4090", "sm_89", processors=128, shared_kib=99, l1_kib=128, l2_mib=72, memory_gib=24,
        memory_gbps=1008, clock_mhz=2520, gflops_fp32=82_600,
        peaks=(
            ("tf32", 82_600), ("bf16", 165_200), ("fp16", 165_200), ("fp8_e4m3", 330_300), ("fp8_e5m2", 330_300),
            ("int8", 660_600),
        ),
        instructions=_ADA, native=_NATIVE_ADA, features=_SM89, async_copies=(AsyncCopyKind.CP_ASYNC,),
        source="NVIDIA Ada GPU Architecture whitepaper, v2.1, appendix A (fp32 accumulation)",
    )  # fmt: skip


def a100() -> CapabilityProfile:
    """Return the A100 SXM4 80 GB (GA100, sm_80)."""
    return _device(
        "NVIDIA A100 SXM4 80GB", "sm_80", processors=108, shared_kib=163, l1_kib=192, l2_mib=40, memory_gib=80,
        memory_gbps=2039, clock_mhz=1410, gflops_fp32=19_500,
        peaks=(("fp64", 19_500), ("tf32", 156_000), ("bf16", 312_000), ("fp16", 312_000), ("int8", 624_000)),
        instructions=(*_AMPERE, *_AMPERE_FP64), native=(*_NATIVE_AMPERE, DType.FP64), features=_SM80,
        async_copies=(AsyncCopyKind.CP_ASYNC,),
        source="NVIDIA A100 Tensor Core GPU Architecture whitepaper, V1.0, table 1; A100 80GB datasheet (memory)",
    )  # fmt: skip


_HOPPER_PEAKS = (
    ("fp64", 66_900.0), ("tf32", 494_700.0), ("bf16", 989_400.0), ("fp16", 989_400.0),
    ("fp8_e4m3", 1_978_900.0), ("fp8_e5m2", 1_978_900.0), ("int8", 1_978_900.0),
)  # fmt: skip
_HOPPER_SOURCE = "NVIDIA H100 Tensor Core GPU Architecture whitepaper, V1.04, table 2 (SXM5, dense)"


def h100() -> CapabilityProfile:
    """Return the H100 SXM5 80 GB (GH100, sm_90a)."""
    return _device(
        "NVIDIA H100 SXM5 80GB", "sm_90a", processors=132, shared_kib=227, l1_kib=256, l2_mib=50, memory_gib=80,
        memory_gbps=3352, clock_mhz=1980, gflops_fp32=66_900, peaks=_HOPPER_PEAKS, instructions=_HOPPER,
        native=(*_NATIVE_ADA, DType.FP64), features=_SM90A, async_copies=_HOPPER_COPIES, max_cluster=16,
        source=_HOPPER_SOURCE,
    )  # fmt: skip


def h200() -> CapabilityProfile:
    """Return the H200 SXM 141 GB (GH100, sm_90a): an H100 with more and faster memory.

    The rates are those of the published tensor clock (1830 MHz); a large GEMM runs into the 700 W limit before that.
    """
    return _device(
        "NVIDIA H200 SXM 141GB", "sm_90a", processors=132, shared_kib=227, l1_kib=256, l2_mib=50, memory_gib=141,
        memory_gbps=4800, clock_mhz=1980, gflops_fp32=66_900, peaks=_HOPPER_PEAKS, instructions=_HOPPER,
        native=(*_NATIVE_ADA, DType.FP64), features=_SM90A, async_copies=_HOPPER_COPIES, max_cluster=16,
        source="NVIDIA H200 Tensor Core GPU datasheet (141 GB, 4.8 TB/s); " + _HOPPER_SOURCE,
    )  # fmt: skip


def b200() -> CapabilityProfile:
    """Return the B200 SXM 180 GB (sm_100a), with warp-level instructions only: there are no lane maps of tcgen05."""
    return _device(
        "NVIDIA B200 SXM 180GB", "sm_100a", processors=148, shared_kib=227, l1_kib=256, l2_mib=126, memory_gib=180,
        memory_gbps=8000, clock_mhz=1965, gflops_fp32=75_000,
        peaks=(
            ("fp64", 37_000), ("tf32", 1_100_000), ("bf16", 2_250_000), ("fp16", 2_250_000), ("fp8_e4m3", 4_500_000),
            ("fp8_e5m2", 4_500_000), ("int8", 4_500_000),
        ),
        instructions=(*_ADA, *_AMPERE_FP64), native=(*_NATIVE_ADA, DType.FP64), features=_SM90,
        async_copies=_HOPPER_COPIES, max_cluster=8,
        source="NVIDIA HGX B200 datasheet, an eighth of the eight-GPU figures, sparse rates halved; processors, caches "
        "and clock as cudaGetDeviceProperties reports them",
    )  # fmt: skip

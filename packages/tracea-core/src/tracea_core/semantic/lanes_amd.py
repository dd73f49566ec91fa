# SPDX-License-Identifier: MIT
"""AMD's matrix instructions: MFMA on 64-lane waves (gfx90a, gfx942, gfx950) and WMMA on 32-lane waves (gfx11, gfx12).

MFMA with one block of M = N: lane l holds row (A) or column (B) ``l % M`` and, for ``64 / M`` groups of lanes, a run of
consecutive k. The accumulator has column ``l % M``, and rows in runs of four: ``8 * (register / 4) + 4 * (l / 32) +
register % 4`` for 32x32, ``4 * (l / 16) + register % 4`` for 16x16. fp64 is the exception: its runs have one row. On
gfx11 both halves of a wave hold the same A and B.

Source: the Instruction Set Architecture documents "AMD Instinct MI300" (chapter 7, Matrix Arithmetic Instructions), "AMD
Instinct MI200" (same chapter), "RDNA3" (section 7.9, Wave Matrix Multiply Accumulate) and "RDNA4" (the section of that
name). AMD's matrix instruction calculator (github.com/ROCm/amd_matrix_instruction_calculator) prints the same maps for
gfx90a, gfx942, gfx11 and gfx12, but for the order of k noted at `wmma`; gfx950's are the same formula with longer runs.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, InstructionLanes, bits, log2

PATTERNS = (
    "mfma_{32x32|16x16}x{k}_{dtype}",
    "mfma_{32x32|16x16}x{k}_{dtype}_x{2|4}",
    "wmma_gfx11_16x16x16_{fp16|bf16|int8|uint8}",
    "wmma_gfx12_16x16x16_{fp16|bf16|int8|uint8|fp8_e4m3|fp8_e5m2}",
)

_MFMA = re.compile(rf"mfma_(\d+)x(\d+)x(\d+)_({DTYPE_PATTERN})(?:_x([24]))?")
_WMMA = re.compile(rf"wmma_gfx(11|12)_(\d+)x(\d+)x(\d+)_({DTYPE_PATTERN})")
_MFMA_SOURCE = "AMD Instinct MI200/MI300/MI350 ISA, Matrix Fused-Multiply-Add (VOP3P-MAI)"
_WMMA_SOURCE = {
    "11": "RDNA3 ISA, section 7.9, Wave Matrix Multiply Accumulate",
    "12": "RDNA4 ISA, Wave Matrix Multiply Accumulate",
}

# k of the single-block instructions, by type and M = N: (k on 32x32, k on 16x16) of each generation that added one.
_MFMA_K: dict[DType, dict[int, tuple[int, ...]]] = {
    DType.FP64: {16: (4,)},
    DType.FP32: {32: (2,), 16: (4,)},
    DType.TF32: {32: (4,), 16: (8,)},
    DType.BF16: {32: (8, 16), 16: (16, 32)},
    DType.FP16: {32: (8, 16), 16: (16, 32)},
    DType.INT8: {32: (8, 16, 32), 16: (16, 32, 64)},
    DType.FP8_E4M3: {32: (16,), 16: (32,)},
    DType.FP8_E5M2: {32: (16,), 16: (32,)},
    DType.FP8_E4M3FNUZ: {32: (16,), 16: (32,)},
    DType.FP8_E5M2FNUZ: {32: (16,), 16: (32,)},
}
_WMMA_TYPES = {
    "11": (DType.FP16, DType.BF16, DType.INT8, DType.UINT8),
    "12": (DType.FP16, DType.BF16, DType.INT8, DType.UINT8, DType.FP8_E4M3, DType.FP8_E5M2),
}


def mfma(size: int, k: int, operand: DType, times: int = 1) -> InstructionLanes:
    """Return the single-block instruction of ``size x size x k`` (64 lanes; fp32, int32 or fp64 accumulators).

    With `times` of 2 or 4 it is so many of them in a row, on operands that lie so many times as long along k in each lane: the
    first instruction takes the first registers of every lane, and so on. The k that one of them multiplies then do not lie
    together, which sums over all k do not show, and lanes load wider runs.

    Source: MI300 ISA, chapter 7, tables of the input and output layouts; k of 16 and 32 for 16-bit types, and of 32
    and 64 for int8, are gfx950's; tf32 (xf32) and fp8 are gfx942's; int8 with k of 8 and 16 is gfx90a's.

    The same fp8 instructions read the bytes as FNUZ on gfx942, and as OCP's formats on gfx950; they are told apart by their operands.

    Raises
    ------
    ConfigurationError
        If the type has no instruction of that shape.
    """
    known = _MFMA_K.get(operand, {})
    if k not in known.get(size, ()):
        raise ConfigurationError(f"no MFMA multiplies {operand.value} as {size}x{size}x{k}", known=known)
    single, k = k, k * times
    groups = 64 // size
    size_bits, group_bits, run = log2(size), log2(groups), k // groups
    a = FragmentLayout.from_bits(
        (size, k),
        lane=bits("row", 1, size_bits) + bits("column", run, group_bits),
        register=bits("column", 1, log2(run)),
    )
    run_bits = 0 if operand is DType.FP64 else 2
    block = groups << run_bits  # rows that one run of registers spans over all groups of lanes
    c = FragmentLayout.from_bits(
        (size, size),
        lane=bits("column", 1, size_bits) + bits("row", 1 << run_bits, group_bits),
        register=bits("row", 1, run_bits) + bits("row", block, size_bits - log2(block)),
    )
    return InstructionLanes(
        name=f"mfma_{size}x{size}x{single}_{operand.value}{f'_x{times}' if times > 1 else ''}",
        m=size, n=size, k=k, operand=operand, accumulator=operand.accumulator, lanes=64,
        a=a, b=a.transposed(), c=c, source=_MFMA_SOURCE,
    )  # fmt: skip


def wmma(generation: str, operand: DType) -> InstructionLanes:
    """Return the 16x16x16 instruction of ``"11"`` or ``"12"`` on a 32-lane wave with 32-bit accumulators.

    Source: RDNA3 ISA, section 7.9 (lanes 16 to 31 repeat the operands of lanes 0 to 15; accumulator rows alternate
    between the halves); RDNA4 ISA, section of that name (each half holds eight consecutive k, and eight consecutive
    accumulator rows).

    For 16-bit operands of gfx12 the calculator names the k of a half in two runs of four; here, as in Composable Kernel, they
    are one run of eight, which is one 16-byte load. A and B share the order, so the sums over k are the same.

    Raises
    ------
    ConfigurationError
        If the generation has no instruction for the type.
    """
    if operand not in _WMMA_TYPES.get(generation, ()):
        raise ConfigurationError(f"no WMMA of gfx{generation} multiplies {operand.value}")
    older = generation == "11"
    a = FragmentLayout.from_bits(
        (16, 16),
        lane=bits("row", 1, 4) + (((0, 0),) if older else ((0, 8),)),
        register=bits("column", 1, 4 if older else 3),
    )
    c = FragmentLayout.from_bits(
        (16, 16),
        lane=bits("column", 1, 4) + (((1, 0),) if older else ((8, 0),)),
        register=bits("row", 2 if older else 1, 3),
    )
    return InstructionLanes(
        name=f"wmma_gfx{generation}_16x16x16_{operand.value}",
        m=16, n=16, k=16, operand=operand, accumulator=operand.accumulator, lanes=32,
        a=a, b=a.transposed(), c=c, source=_WMMA_SOURCE[generation],
    )  # fmt: skip


def parse(name: str) -> InstructionLanes | None:
    """Return the instruction called `name`, or None if the name is of another family."""
    if match := _MFMA.fullmatch(name):
        m, n, k = (int(match.group(i)) for i in (1, 2, 3))
        if m != n:
            raise ConfigurationError(f"{name!r}: only square MFMA blocks are known")
        return mfma(m, k, DType(match.group(4)), int(match.group(5) or 1))
    if match := _WMMA.fullmatch(name):
        if match.group(2, 3, 4) != ("16", "16", "16"):
            raise ConfigurationError(f"{name!r}: WMMA multiplies 16x16x16")
        return wmma(match.group(1), DType(match.group(5)))
    return None

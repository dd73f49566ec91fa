# SPDX-License-Identifier: MIT
"""NVIDIA's warp (mma.sync) and warpgroup matrix instructions, and the 8x8 matrix loads and stores that feed them.

All of them share one atom. A lane number is ``4 * groupID + threadID_in_group``; a 32-bit register holds p elements
along the operand's packed direction, the thread picks the p elements, the group the row (A, C) or column (B). Larger
tiles add 8 rows, then 4p columns, per further register; a warpgroup adds 16 rows per warp.

Source: PTX ISA, section "Warp Level Matrix Multiply-Accumulate Instructions", subsections "Matrix Fragments for
mma.m16n8k4/k8/k16/k32 …" and "ldmatrix", "stmatrix"; section "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
Instructions", "Register Fragments and Shared Memory Matrix Layouts" (figures for the m64nNk8, k16 and k32 fragments).
"""

from __future__ import annotations

import re

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, Bits, InstructionLanes, bits, log2

PATTERNS = (
    "mma_m{16|8}n8k{k}_{dtype}[_fp16]",
    "wgmma_m64n{8..256}k{k}_{dtype}[_fp16] (A and B from shared memory)",
    "wgmma_ra_m64n{8..256}k{k}_{dtype}[_fp16] (A in registers)",
)

_NAME = re.compile(rf"(mma|wgmma|wgmma_ra)_m(\d+)n(\d+)k(\d+)_({DTYPE_PATTERN})(?:_({DTYPE_PATTERN}))?")
_MMA_SOURCE = "PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions, Matrix Fragments for mma.m{}n{}k{}"
_WGMMA_SOURCE = "PTX ISA, Asynchronous Warpgroup Level Matrix Instructions, Register Fragments for m64nNk{}"

_MMA_SHAPES: dict[DType, tuple[tuple[int, int, int], ...]] = {
    DType.FP64: ((8, 8, 4),),
    DType.TF32: ((16, 8, 4), (16, 8, 8)),
    DType.BF16: ((16, 8, 8), (16, 8, 16)),
    DType.FP16: ((16, 8, 8), (16, 8, 16)),
    DType.INT8: ((8, 8, 16), (16, 8, 16), (16, 8, 32)),
    DType.UINT8: ((8, 8, 16), (16, 8, 16), (16, 8, 32)),
    DType.FP8_E4M3: ((16, 8, 32),),
    DType.FP8_E5M2: ((16, 8, 32),),
}
_WGMMA_TYPES = tuple(dtype for dtype in _MMA_SHAPES if dtype is not DType.FP64)
_INTEGERS = (DType.INT8, DType.UINT8)
SHORT_SUMS = (DType.FP8_E4M3, DType.FP8_E5M2)
"""Operands whose products warpgroup instructions of sm_90a add in about 14 bits (DeepSeek-V3 technical report, section 3.3.2)."""

_THREAD_BITS, _GROUP_BITS, _WARP_BITS = 2, 3, 2


def _packed(dtype: DType) -> int:
    """Elements of one register; fp64 takes a register pair per element."""
    return max(32 // dtype.bits, 1)


def _a_fragment(rows: int, k: int, dtype: DType) -> FragmentLayout:
    """Place A: row = group (+ 8, + 16 per warp), k = p * thread + i (+ 4p)."""
    packed = _packed(dtype)
    lane = bits("column", packed, _THREAD_BITS) + bits("row", 1, _GROUP_BITS)
    register = bits("column", 1, log2(packed))
    if rows >= 16:
        register += ((8, 0),)
    if rows == 64:
        lane += bits("row", 16, _WARP_BITS)
    register += bits("column", 4 * packed, log2(k // (4 * packed)))
    return FragmentLayout.from_bits((rows, k), lane, register)


def _b_fragment(k: int, dtype: DType) -> FragmentLayout:
    """Place B: n = group, k = p * thread + i (+ 4p)."""
    packed = _packed(dtype)
    lane = bits("row", packed, _THREAD_BITS) + bits("column", 1, _GROUP_BITS)
    register = bits("row", 1, log2(packed)) + bits("row", 4 * packed, log2(k // (4 * packed)))
    return FragmentLayout.from_bits((k, 8), lane, register)


def _c_fragment(rows: int) -> FragmentLayout:
    """Place eight columns of C: column = 2 * thread + (i & 1), row = group (+ 8, + 16 per warp)."""
    lane: Bits = bits("column", 2, _THREAD_BITS) + bits("row", 1, _GROUP_BITS)
    register: Bits = ((0, 1),)
    if rows >= 16:
        register += ((8, 0),)
    if rows == 64:
        lane += bits("row", 16, _WARP_BITS)
    return FragmentLayout.from_bits((rows, 8), lane, register)


def _accumulator(operand: DType, named: str | None) -> DType:
    if named is None:
        return operand.accumulator
    accumulator = DType(named)
    if accumulator is not operand.accumulator and not (operand, accumulator) == (DType.FP16, DType.FP16):
        raise ConfigurationError(f"{operand.value} operands do not accumulate in {named} here")
    return accumulator


def mma(m: int, n: int, k: int, operand: DType, accumulator: DType | None = None) -> InstructionLanes:
    """Return a warp-level instruction (32 lanes, all operands in registers).

    Source: PTX ISA, "Matrix Fragments for mma.m16n8k4", "…m16n8k8", "…m16n8k16 with floating point type", "…m16n8k16
    with integer type", "…m16n8k32", "…m8n8k4 with .f64", "…m8n8k16".

    Raises
    ------
    ConfigurationError
        If the type has no instruction of that shape.
    """
    if (m, n, k) not in _MMA_SHAPES.get(operand, ()):
        raise ConfigurationError(
            f"no warp instruction multiplies {operand.value} as m{m}n{n}k{k}", known=_MMA_SHAPES.get(operand, ())
        )
    sums = _accumulator(operand, accumulator.value if accumulator else None)
    return InstructionLanes(
        name=_spell("mma", m, n, k, operand, sums),
        m=m, n=n, k=k, operand=operand, accumulator=sums, lanes=32,
        a=_a_fragment(m, k, operand), b=_b_fragment(k, operand), c=_c_fragment(m),
        source=_MMA_SOURCE.format(m, n, k),
    )  # fmt: skip


def wgmma(n: int, operand: DType, *, a_from_shared: bool = True, accumulator: DType | None = None) -> InstructionLanes:
    """Return a warpgroup instruction m64nNkK (128 lanes); K is 32 bytes, B always comes from shared memory.

    Source: PTX ISA, "Register Fragments and Shared Memory Matrix Layouts" of the warpgroup instructions (accumulator:
    figure "WGMMA .m64nNk16 register fragment layout for accumulator matrix D"; A in registers: the m64k16, m64k8 and
    m64k32 figures).

    Parameters
    ----------
    n : int
        Columns, a multiple of 8 up to 256; for int8 and uint8 8, 16, 24, 32 and then multiples of 16.
    operand : DType
        bf16, fp16, tf32, fp8, int8 or uint8.
    a_from_shared : bool
        Whether A too is read from shared memory.
    accumulator : DType, optional
        fp16 for fp16 operands; fp32 (int32) by default.

    Raises
    ------
    ConfigurationError
        If the type or the width has no such instruction.
    """
    if operand not in _WGMMA_TYPES:
        raise ConfigurationError(f"no warpgroup instruction multiplies {operand.value}")
    step = 16 if operand in _INTEGERS and n > 32 else 8
    if not 8 <= n <= 256 or n % step:
        raise ConfigurationError(
            f"a warpgroup instruction on {operand.value} has no width {n}", hint=f"Use a multiple of {step} up to 256"
        )
    k = 32 // operand.bytes
    sums = _accumulator(operand, accumulator.value if accumulator else None)
    return InstructionLanes(
        name=_spell("wgmma" if a_from_shared else "wgmma_ra", 64, n, k, operand, sums),
        m=64, n=n, k=k, operand=operand, accumulator=sums, lanes=128,
        a=None if a_from_shared else _a_fragment(64, k, operand), b=None, c=_c_fragment(64).repeat(columns=n // 8),
        a_from_shared=a_from_shared, b_from_shared=True, source=_WGMMA_SOURCE.format(k),
    )  # fmt: skip


def _spell(family: str, m: int, n: int, k: int, operand: DType, accumulator: DType) -> str:
    suffix = "" if accumulator is operand.accumulator else f"_{accumulator.value}"
    return f"{family}_m{m}n{n}k{k}_{operand.value}{suffix}"


def parse(name: str) -> InstructionLanes | None:
    """Return the instruction called `name`, or None if the name is of another family."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    family, m, n, k = match.group(1), *(int(match.group(i)) for i in (2, 3, 4))
    operand = DType(match.group(5))
    accumulator = DType(match.group(6)) if match.group(6) else None
    if family == "mma":
        return mma(m, n, k, operand, accumulator)
    built = wgmma(n, operand, a_from_shared=family == "wgmma", accumulator=accumulator)
    if (m, k) != (built.m, built.k):
        raise ConfigurationError(f"a warpgroup instruction on {operand.value} is m64k{built.k}, not m{m}k{k}")
    return built


class MatrixMove(Data, frozen=True):
    """A warp's load or store of 8x8 matrices of 16-bit elements between shared memory and registers.

    Attributes
    ----------
    matrices : int
        1, 2 or 4 matrices, stacked to ``8 * matrices`` rows of 8 elements.
    transposed : bool
        Whether each matrix is transposed on the way.
    fragment : FragmentLayout
        Which lane's register holds which element of the stacked rows as they lie in shared memory.
    address : FragmentLayout
        Lane l gives the address of row l (its one register is column 0); with fewer matrices the upper lanes repeat.
    """

    matrices: int
    transposed: bool
    fragment: FragmentLayout
    address: FragmentLayout


def matrix_move(matrices: int, transposed: bool = False) -> MatrixMove:
    """Return the maps of ldmatrix and stmatrix ``.m8n8.x1/.x2/.x4.b16``, with or without ``.trans``.

    Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix" (table of the threads that give row addresses and
    the figure of the fragment layout), "stmatrix".
    """
    if matrices not in (1, 2, 4):
        raise ConfigurationError(f"a matrix move has 1, 2 or 4 matrices, not {matrices}")
    further = bits("row", 8, log2(matrices))
    inside = FragmentLayout.from_bits(
        (8 * matrices, 8),
        lane=bits("column", 2, 2) + bits("row", 1, 3),
        register=((0, 1), *further),
    )
    if transposed:
        inside = FragmentLayout.from_bits(
            (8 * matrices, 8), lane=bits("row", 2, 2) + bits("column", 1, 3), register=((1, 0), *further)
        )
    rows = bits("row", 1, 3 + log2(matrices))
    address = FragmentLayout.from_bits((8 * matrices, 1), lane=rows + ((0, 0),) * (5 - len(rows)), register=())
    return MatrixMove(matrices, transposed, inside, address)

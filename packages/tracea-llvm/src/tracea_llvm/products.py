# SPDX-License-Identifier: MIT
"""Products of register tiles: a fused multiply-add for each register of sums, or one that adds up a group of k in each lane."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.registers import partner
from tracea_core.errors import EmitError
from tracea_core.semantic.lanes_base import InstructionLanes

from tracea_llvm.builder import Builder
from tracea_llvm.convert import element, suffix

_WORD_BITS = 32
_AVX2_BITS = 256


def multiply(
    builder: Builder,
    lanes: InstructionLanes,
    a: Sequence[str],
    b: Sequence[str],
    sums: Sequence[str],
    hints: Sequence[str],
) -> tuple[str, ...]:
    """Print one product for each register of `sums` and return the new ones.

    Parameters
    ----------
    a, b : sequence of str
        Registers of the operands; of an instruction that multiplies groups of k, words that hold a group each.

    Raises
    ------
    EmitError
        If no instruction of LLVM does this.
    """
    if lanes.a is None or lanes.b is None or lanes.tiles or not lanes.name.startswith("fma_outer_"):
        raise EmitError(f"LLVM IR has no instruction {lanes.name}")
    if (len(a) * lanes.k, len(b) * lanes.k) != (lanes.a.registers, lanes.b.registers):
        raise EmitError(f"these are no operands of {lanes.name}", registers=(len(a), len(b)))
    result = []
    for number, (value, hint) in enumerate(zip(sums, hints, strict=True)):
        if lanes.k == 1:
            x = a[partner(lanes.c, lanes.a, number, "an operand")]
            y = b[partner(lanes.c, lanes.b, number, "an operand")]
            result.append(_one(builder, lanes, x, y, value, hint))
        else:  # sums lie row by row; a group's words are counted as its registers are, all of its k at once
            row, vector = divmod(number, len(b))
            result.append(_group(builder, lanes, a[row], b[vector], value, hint))
    return tuple(result)


def _one(builder: Builder, lanes: InstructionLanes, x: str, y: str, value: str, hint: str) -> str:
    kind = f"<{lanes.lanes} x {element(lanes.accumulator)}>"
    if lanes.accumulator.is_float:
        name = f"llvm.fma.{suffix(lanes.lanes, element(lanes.accumulator))}"
        return builder.value(builder.intrinsic(kind, name, (kind, x), (kind, y), (kind, value)), hint)
    product = builder.value(f"mul {kind} {x}, {y}", "product")
    return builder.value(f"add {kind} {value}, {product}", hint)


def _group(builder: Builder, lanes: InstructionLanes, x: str, y: str, value: str, hint: str) -> str:
    """VDPBF16PS and VPDPBUSD (Intel SDM, vol. 2); the broadcast of A comes last, where it may be read from memory."""
    bits = lanes.lanes * _WORD_BITS
    words, pairs = f"<{lanes.lanes} x i32>", f"<{2 * lanes.lanes} x bfloat>"
    if lanes.operand is DType.BF16:
        held = [builder.here(f"bitcast {words} {word} to {pairs}", f"{hint}_pairs") for word in (y, x)]
        kind, name = f"<{lanes.lanes} x float>", f"llvm.x86.avx512bf16.dpbf16ps.{bits}"
        return builder.value(builder.intrinsic(kind, name, (kind, value), *((pairs, pair) for pair in held)), hint)
    types = (lanes.operand, lanes.b_type)
    if bits == _AVX2_BITS:
        return _pairs_of_bytes(builder, lanes, x, y, value, hint)
    if types not in ((DType.INT8, DType.UINT8), (DType.UINT8, DType.INT8)):
        raise EmitError(f"LLVM IR has no instruction {lanes.name}", hint="One operand is signed, the other is not")
    unsigned, signed = (y, x) if lanes.operand is DType.INT8 else (x, y)
    name = f"llvm.x86.avx512.vpdpbusd.{bits}"
    return builder.value(builder.intrinsic(words, name, (words, value), (words, unsigned), (words, signed)), hint)


def _pairs_of_bytes(builder: Builder, lanes: InstructionLanes, x: str, y: str, value: str, hint: str) -> str:
    """VPMADDWD (Intel SDM, vol. 2) adds products of two 16-bit numbers, which cannot overflow: of the even bytes, then of the odd ones.

    VPMADDUBSW would take bytes as they are, and saturate.
    """
    words, halves = f"<{lanes.lanes} x i32>", f"<{2 * lanes.lanes} x i16>"
    for odd in (False, True):
        sides = []
        for word, dtype in ((x, lanes.operand), (y, lanes.b_type)):
            both = builder.here(f"bitcast {words} {word} to {halves}", "halves")
            shift = "lshr" if dtype is DType.UINT8 else "ashr"
            high = both if odd else builder.here(f"shl {halves} {both}, splat (i16 8)", "even")
            sides.append(builder.here(f"{shift} {halves} {high}, splat (i16 8)", "odd" if odd else "even"))
        call = builder.intrinsic(words, "llvm.x86.avx2.pmadd.wd", *((halves, side) for side in sides))
        value = builder.value(f"add {words} {value}, {builder.value(call, 'pairs')}", hint)
    return value


def raised(builder: Builder, lanes: int, values: Sequence[str], hints: Sequence[str]) -> tuple[str, ...]:
    """Print what differs in the first bit of each byte alone, without conversions to 32 bits and back."""
    flip = "splat (i8 -128)"
    return tuple(
        builder.here(f"xor <{lanes} x i8> {value}, {flip}", hint) for value, hint in zip(values, hints, strict=True)
    )

# SPDX-License-Identifier: MIT
"""Matrix instructions of AMD GPUs as inlined functions of a fragment's words.

Source: the builtins of clang (BuiltinsAMDGPU.def): their operands are vectors of the element type, or words for bytes, in the
order of the instruction's registers, which is the order of the fragments' words.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.semantic.lanes import InstructionLanes, instruction

_TIMES = re.compile(r"(mfma_.*)_x(\d)")
"""Several instructions in a row on one longer operand."""
_LETTER = {
    DType.FP16: "f16", DType.BF16: "bf16_1k", DType.FP32: "f32", DType.TF32: "_xf32", DType.FP8_E4M3: "_fp8_fp8",
    DType.FP8_E5M2: "_bf8_bf8", DType.FP8_E4M3FNUZ: "_fp8_fp8", DType.FP8_E5M2FNUZ: "_bf8_bf8",
}  # fmt: skip
_WMMA_LETTER = {DType.FP16: "f16", DType.BF16: "bf16", DType.FP8_E4M3: "fp8_fp8", DType.FP8_E5M2: "bf8_bf8"}
_WIDE = {DType.FP16: "_f16", DType.BF16: "_bf16"}
_ELEMENT = {DType.FP16: "_Float16", DType.BF16: "short", DType.FP32: "float", DType.TF32: "float"}


def wrapper(lanes: InstructionLanes) -> str:
    """Return the function ``name(sums, a, b)`` that executes one instruction.

    Raises
    ------
    EmitError
        If there is no builtin for it.
    """
    family = lanes.name.split("_", 1)[0]
    if family == "mfma":
        return _mfma(lanes)
    if family == "wmma":
        return _wmma(lanes)
    raise EmitError(f"AMD GPUs have no {lanes.name}")


def _signature(lanes: InstructionLanes) -> str:
    assert lanes.a is not None
    words = lanes.a.registers * lanes.operand.bytes // 4
    kind = "unsigned" if lanes.operand.bytes < 4 else "float"
    held = f"vector<{kind}, {words}>" if words > 1 else f"{kind} (&)[1]"
    sums = f"vector<{'float' if lanes.accumulator.is_float else 'int'}, {lanes.c.registers}>"
    first, second = (f"const {held} {name}" if words > 1 else f"const {kind} (&{name})[1]" for name in "ab")
    return f"INLINE void {lanes.name}({sums}& sums, {first}, {second})"


def _operand(lanes: InstructionLanes, name: str, wide: bool) -> str:
    """The fragment's words as the builtin takes them."""
    assert lanes.a is not None
    count, dtype = lanes.a.registers, lanes.operand
    words = count * dtype.bytes // 4
    if dtype in (DType.FP32, DType.TF32):
        return f"{name}[0]" if words == 1 else name
    if dtype.bytes == 1:
        kind = {1: "int", 2: "long", 4: "vector<int, 4>"}[words]
        return f"__builtin_bit_cast({kind}, {name if words > 1 else f'{name}[0]'})"
    element = "__bf16" if wide and dtype is DType.BF16 else _ELEMENT[dtype]
    return f"__builtin_bit_cast(vector<{element}, {count}>, {name})"


def _mfma(lanes: InstructionLanes) -> str:
    match = _TIMES.fullmatch(lanes.name)
    if match is None:
        return f"{_signature(lanes)} {{\n  sums = {_mfma_call(lanes, 'a', 'b')};\n}}"
    one, times = instruction(match[1]), int(match[2])
    assert one.a is not None
    words = one.a.registers * one.operand.bytes // 4
    kind = "unsigned" if one.operand.bytes < 4 else "float"
    calls = []
    for i in range(times):
        a, b = (
            f"vector<{kind}, {words}>{{{', '.join(f'{name}[{i * words + j}]' for j in range(words))}}}" for name in "ab"
        )
        calls.append(f"  sums = {_mfma_call(one, a, b)};")
    return "\n".join((f"{_signature(lanes)} {{", *calls, "}"))


def _mfma_call(lanes: InstructionLanes, a: str, b: str) -> str:
    """The call of the builtin for one instruction."""
    assert lanes.a is not None
    dtype = lanes.operand
    wide = dtype.bytes == 2 and lanes.a.registers == 8
    shape = f"{lanes.m}x{lanes.n}x{lanes.k}"
    if dtype is DType.INT8:
        old = lanes.a.registers == 4
        name = f"i32_{shape}{'' if old else '_'}i8"
    else:
        name = f"f32_{shape}{_WIDE[dtype] if wide else _LETTER[dtype]}"
    return f"__builtin_amdgcn_mfma_{name}({_operand(lanes, a, wide)}, {_operand(lanes, b, wide)}, sums, 0, 0, 0)"


def _wmma(lanes: InstructionLanes) -> str:
    assert lanes.a is not None
    suffix = "w32" + ("_gfx12" if "gfx12" in lanes.name else "")
    dtype = lanes.operand
    if dtype.bytes == 1:
        words = lanes.a.registers // 4
        a, b = (f"__builtin_bit_cast(vector<int, {words}>, {name})" for name in "ab")
    if not dtype.is_float:
        signed = "true" if dtype is DType.INT8 else "false"
        call = f"__builtin_amdgcn_wmma_i32_16x16x16_iu8_{suffix}({signed}, {a}, {signed}, {b}, sums, false)"
    else:
        letter = _WMMA_LETTER.get(dtype)
        if letter is None:
            raise EmitError(f"no builtin is known for {lanes.name}")
        if dtype.bytes > 1:
            a, b = _operand(lanes, "a", False), _operand(lanes, "b", False)
        call = f"__builtin_amdgcn_wmma_f32_16x16x16_{letter}_{suffix}({a}, {b}, sums)"
    return f"{_signature(lanes)} {{\n  sums = {call};\n}}"

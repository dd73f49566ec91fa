# SPDX-License-Identifier: MIT
"""Matrix instructions of Intel GPUs (XMX) as inlined functions of a fragment's words.

Source: Khronos OpenCL extension cl_intel_subgroup_matrix_multiply_accumulate. With sub-groups of 8 a work-item passes its part of
the eight rows of A as ``int8``, with sub-groups of 16 as ``short8``; B is ``int8`` and the sums are ``float8`` or ``int8``. The
fragments' words hold just these bytes in this order.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.semantic.lanes import InstructionLanes

_NAMES = {DType.FP16: "f16_f16", DType.BF16: "bf16_bf16", DType.INT8: "i8_i8", DType.UINT8: "u8_u8"}
_UNSIGNED = {DType.UINT8}


def wrapper(lanes: InstructionLanes) -> str:
    """Return the function ``name(sums, a, b)`` that executes one instruction.

    Raises
    ------
    EmitError
        If OpenCL C has no function for it.
    """
    if not lanes.name.startswith("dpas_") or lanes.operand not in _NAMES or lanes.a is None:
        raise EmitError(f"OpenCL C has no {lanes.name}")
    words = lanes.a.registers * lanes.operand.bytes // 4
    sign = "u" if lanes.operand in _UNSIGNED else ""
    rows = f"as_{sign}short8(a)" if words == 4 else f"as_{sign}int8(a)"
    sums = "float8" if lanes.accumulator.is_float else "int8"
    call = f"intel_sub_group_{_NAMES[lanes.operand]}_matrix_mad_k{lanes.k}({rows}, as_{sign}int8(b), *sums)"
    return f"INLINE void {lanes.name}(__private {sums}* sums, uint{words} a, uint8 b) {{ *sums = {call}; }}"

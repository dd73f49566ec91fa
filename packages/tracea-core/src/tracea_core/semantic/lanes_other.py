# SPDX-License-Identifier: MIT
"""Intel's dpas and Apple's simdgroup matrices.

dpas works on a sub-group of N = 8 (Xe-HPG) or 16 (Xe-HPC, Xe2) lanes: a lane is a column of B and C, and holds ``K /
N`` consecutive k of each of the eight rows of A. B is in VNNI order, the k of one column packed into 32-bit words, so
its register number is k itself.

Source: Khronos OpenCL extension cl_intel_subgroup_matrix_multiply_accumulate, "Matrix A, B and C layouts" for
sub-groups of 8 and 16. Apple documents no lane map; the simdgroup map is the one that MLX relies on
(mlx/backend/metal/kernels/steel/gemm/mma.h, ``BaseMMAFrag<T, 8, 8>::get_coord``) and that P. Turner's
metal-flash-attention found (``morton_order``).
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, InstructionLanes, bits, log2

PATTERNS = ("dpas_sg{8|16}_8x{n}x{k}_{fp16|bf16|int8|uint8}", "simdgroup_8x8x8_{fp32|fp16|bf16}")

_DPAS = re.compile(rf"dpas_sg(8|16)_8x(\d+)x(\d+)_({DTYPE_PATTERN})")
_SIMDGROUP = re.compile(rf"simdgroup_8x8x8_({DTYPE_PATTERN})")
_DPAS_SOURCE = "Khronos cl_intel_subgroup_matrix_multiply_accumulate"
_SIMDGROUP_SOURCE = "MLX steel/gemm/mma.h, BaseMMAFrag::get_coord (Apple documents no lane map)"


def dpas(sub_group: int, operand: DType) -> InstructionLanes:
    """Return dpas with repeat count 8: 8 rows, `sub_group` columns, 32 bytes of k.

    Source: cl_intel_subgroup_matrix_multiply_accumulate, tables "Matrix A" and "Matrix B" for the functions
    ``…_matrix_mad_k16`` (16-bit types) and ``…_matrix_mad_k32`` (8-bit types).

    Raises
    ------
    ConfigurationError
        If the sub-group size or the type has no such function.
    """
    if sub_group not in (8, 16) or operand not in (DType.FP16, DType.BF16, DType.INT8, DType.UINT8):
        raise ConfigurationError(f"no dpas of sub-groups of {sub_group} multiplies {operand.value}")
    k, lane_bits = 32 // operand.bytes, log2(sub_group)
    run = k // sub_group
    a = FragmentLayout.from_bits(
        (8, k), lane=bits("column", run, lane_bits), register=bits("column", 1, log2(run)) + bits("row", 1, 3)
    )
    b = FragmentLayout.from_bits((k, sub_group), lane=bits("column", 1, lane_bits), register=bits("row", 1, log2(k)))
    c = FragmentLayout.from_bits((8, sub_group), lane=bits("column", 1, lane_bits), register=bits("row", 1, 3))
    return InstructionLanes(
        name=f"dpas_sg{sub_group}_8x{sub_group}x{k}_{operand.value}",
        m=8, n=sub_group, k=k, operand=operand, accumulator=operand.accumulator, lanes=sub_group,
        a=a, b=b, c=c, source=_DPAS_SOURCE,
    )  # fmt: skip


def simdgroup(operand: DType) -> InstructionLanes:
    """Return Apple's 8x8x8 multiply: 32 lanes with two adjacent columns each, the same map for A, B and C.

    Source: MLX, ``BaseMMAFrag<T, 8, 8>::get_coord``: with ``q = lane / 4`` the row is ``(q & 4) + (lane / 2) % 4`` and
    the first column ``(q & 2) * 2 + (lane % 2) * 2``.

    Raises
    ------
    ConfigurationError
        If simdgroup matrices do not hold the type.
    """
    if operand not in (DType.FP32, DType.FP16, DType.BF16):
        raise ConfigurationError(f"simdgroup matrices do not hold {operand.value}")
    square = FragmentLayout.from_bits((8, 8), lane=((0, 2), (1, 0), (2, 0), (0, 4), (4, 0)), register=((0, 1),))
    return InstructionLanes(
        name=f"simdgroup_8x8x8_{operand.value}",
        m=8, n=8, k=8, operand=operand, accumulator=DType.FP32, lanes=32,
        a=square, b=square, c=square, source=_SIMDGROUP_SOURCE,
    )  # fmt: skip


def parse(name: str) -> InstructionLanes | None:
    """Return the instruction called `name`, or None if the name is of another family."""
    if match := _DPAS.fullmatch(name):
        built = dpas(int(match.group(1)), DType(match.group(4)))
        if (int(match.group(2)), int(match.group(3))) != (built.n, built.k):
            raise ConfigurationError(f"{name!r}: that dpas is 8x{built.n}x{built.k}")
        return built
    if match := _SIMDGROUP.fullmatch(name):
        return simdgroup(DType(match.group(1)))
    return None

# SPDX-License-Identifier: MIT
"""SYCL's joint matrices on Intel GPUs: the shapes of dpas, and lane maps that nobody documents.

The extension says what a load, a product and a store do to the whole matrix, and leaves open which work-item holds which element. So the
maps here are made up, on purpose unlike any that a schedule would choose: whoever relied on one would be wrong in the interpreter too.

Source: SYCL extension sycl_ext_oneapi_matrix, "Intel XMX supported combinations" (M up to 8, N the sub-group's size, K 32 bytes, for
intel_gpu_pvc and intel_gpu_dg2_g10); static-query-use.hpp of DPC++ states the same.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes_base import DTYPE_PATTERN, InstructionLanes, log2

PATTERNS = ("joint_sg{8|16}_8x{n}x{k}_{fp16|bf16|int8|uint8}",)

_JOINT = re.compile(rf"joint_sg(8|16)_8x(\d+)x(\d+)_({DTYPE_PATTERN})")
_SOURCE = "SYCL extension sycl_ext_oneapi_matrix, which leaves the lane maps open"
_TYPES = (DType.FP16, DType.BF16, DType.INT8, DType.UINT8)
_ROWS = 8


def joint(sub_group: int, operand: DType) -> InstructionLanes:
    """Return the product of 8 rows, `sub_group` columns and 32 bytes of k.

    Raises
    ------
    ConfigurationError
        If no Intel GPU has it.
    """
    if sub_group not in (8, 16) or operand not in _TYPES:
        raise ConfigurationError(f"no joint matrices of sub-groups of {sub_group} multiply {operand.value}")
    k = 32 // operand.bytes
    a, b, c = (_made_up(*shape, sub_group) for shape in ((_ROWS, k), (k, sub_group), (_ROWS, sub_group)))
    return InstructionLanes(
        name=f"joint_sg{sub_group}_{_ROWS}x{sub_group}x{k}_{operand.value}",
        m=_ROWS, n=sub_group, k=k, operand=operand, accumulator=operand.accumulator, lanes=sub_group,
        a=a, b=b, c=c, source=_SOURCE, opaque=True,
    )  # fmt: skip


def _made_up(rows: int, columns: int, lanes: int) -> FragmentLayout:
    """Lanes go down diagonals: lane bit i moves along the bits of (row, column) from the last on, and each register bit turns them."""
    places = [(0, 1 << bit) for bit in range(log2(columns))] + [(1 << bit, 0) for bit in range(log2(rows))]
    held = places[::-1][: log2(lanes)]
    rest = places[::-1][log2(lanes) :]
    turned = [
        (row ^ held[bit % len(held)][0], column ^ held[bit % len(held)][1]) for bit, (row, column) in enumerate(rest)
    ]
    return FragmentLayout.from_bits((rows, columns), lane=tuple(held), register=tuple(turned))


def parse(name: str) -> InstructionLanes | None:
    """Return the instruction called `name`, or None if the name is of another family."""
    match = _JOINT.fullmatch(name)
    if match is None:
        return None
    built = joint(int(match.group(1)), DType(match.group(4)))
    if (int(match.group(2)), int(match.group(3))) != (built.n, built.k):
        raise ConfigurationError(f"{name!r}: that product is {_ROWS}x{built.n}x{built.k}")
    return built

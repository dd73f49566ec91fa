# SPDX-License-Identifier: MIT
"""The kind of kernel for channels that are filtered on their own, which needs nothing of a device but its lanes."""

from __future__ import annotations

from tracea_core.doctor.image_walk import RequiresOwnFilters
from tracea_core.doctor.requirements import Preference, Requirement
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType

_BEFORE_MATRIX_UNITS = 1100
"""More than a matrix instruction is worth (`tracea_core.doctor.choose.MATRIX_UNIT_SCORE`): of its tile one column would be used."""


def depthwise_variant(backend: str, *requirements: Requirement) -> Variant:
    """Return the kind of kernel of a backend whose dialect spells loads, stores and multiply-adds of lanes."""
    wish = RequiresOwnFilters()
    return Variant(
        name=f"{backend}.contraction.depthwise", backend=backend, family="contraction", schedule="depthwise",
        instruction="multiply_add", operand_dtypes=(DType.FP32, DType.BF16, DType.FP16), accumulate=DType.FP32, priority=60,
        requirements=(*requirements, wish), preferences=(Preference(wish, _BEFORE_MATRIX_UNITS),),
        summary="a warp filters a strip of pixels, its lanes channels: windows in registers, filters in shared memory",
    )  # fmt: skip

# SPDX-License-Identifier: MIT
"""The kind of kernel for products of a few rows in single precision, which need nothing of a device but its lanes."""

from __future__ import annotations

from tracea_core.doctor.requirements import Preference, Requirement, RequiresExtent, RequiresOps
from tracea_core.doctor.row_count import MOST_ROWS, RequiresFewRows
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType

FEW_ROWS = "few_rows"
"""The schedule."""
LANE_SUMS = "lane_sums"
"""What it calls its instruction: lanes multiply and add, each along its own part of the reduction."""
_BEFORE_MATRIX_UNITS = 1100
"""More than a matrix instruction is worth (`tracea_core.doctor.choose.MATRIX_UNIT_SCORE`): most of its tile would hold no rows."""


def few_rows_variant(backend: str, *requirements: Requirement) -> Variant:
    """Return the kind of kernel of a backend whose dialect spells loads, multiply-adds and exchanges of lanes."""
    wish = RequiresFewRows(MOST_ROWS)
    return Variant(
        name=f"{backend}.contraction.few_rows_fp32", backend=backend, family="contraction", schedule=FEW_ROWS,
        instruction=LANE_SUMS, operand_dtypes=(DType.FP32,), accumulate=DType.FP32, priority=60,
        requirements=(
            *requirements, RequiresOps(("GemmOp",)), RequiresExtent(0, -1, minimum=1), wish
        ),
        preferences=(Preference(wish, _BEFORE_MATRIX_UNITS),),
        summary="lanes stream columns of weights along the reduction past a few rows, warps share it, and sums meet in shared memory",
    )  # fmt: skip

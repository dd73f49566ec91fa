# SPDX-License-Identifier: MIT
"""Which way round products are computed, and how many rows they then have."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.problem import Problem
from tracea_core.ops.product_rows import computed_rows, computed_transposed, continues_rows
from tracea_core.testing.cases import dense, gemm


def shared(batch: int, m: int) -> Problem:
    """A batch whose second operand is one matrix."""
    whole = gemm((m, 24, 8), DType.FP32, "nn", (batch,))
    return whole.replace(inputs=(whole.inputs[0], dense((1, 8, 24), DType.FP32)))


@pytest.mark.parametrize(
    ("problem", "transposed", "rows"),
    [
        (gemm((5, 24, 8), DType.FP32), False, 5),
        (gemm((24, 1, 8), DType.FP32), True, 1),
        (gemm((1, 1, 8), DType.FP32), False, 1),
        (gemm((5, 24, 8), DType.FP32, batch=(3,)), False, 5),
        (shared(3, 5), False, 15),
    ],
    ids=["rows", "a column", "a number", "a batch", "a batch by one matrix"],
)
def test_rows_of_a_product(problem: Problem, transposed: bool, rows: int) -> None:
    assert computed_transposed(problem) is transposed
    assert computed_rows(problem) == rows
    assert continues_rows(problem)

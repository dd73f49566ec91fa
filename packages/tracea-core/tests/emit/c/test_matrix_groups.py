# SPDX-License-Identifier: MIT
"""Which lane passes which address where 8×8 matrices move together."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.c import algebra
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.matrix_groups import matrices_of
from tracea_core.semantic.lanes_nvidia import mma

LANE = algebra.symbol("lane", 0, 31)


def value(text: str, lane: int) -> int:
    """Return what a printed term is for a lane."""
    return int(eval(text, {"lane": lane}))  # C that is Python, too


@pytest.mark.parametrize("transposed", [False, True])
def test_lanes_pass_the_rows_of_all_matrices(transposed: bool) -> None:
    """Of A's fragment of m16n8k16: lane l passes the first element of row l mod 8 of matrix l div 8, of columns where transposed."""
    layout = mma(16, 8, 16, DType.BF16).a
    assert layout is not None
    ((first, count, holder, register),) = matrices_of(Packed("a", DType.BF16, layout, 2), LANE, transposed)
    assert (first, count) == (0, 4)
    rows, columns = layout.elements()
    for lane in range(32):
        matrix, line = divmod(lane, 8)
        at = value(holder.text, lane), value(register.text, lane)
        corner = int(rows[0, 2 * matrix]), int(columns[0, 2 * matrix])
        found = int(rows[at]) - corner[0], int(columns[at]) - corner[1]
        assert found == ((0, line) if transposed else (line, 0))

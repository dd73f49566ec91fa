# SPDX-License-Identifier: MIT
"""Which lanes of a warp hold what of rows."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from tracea_core.semantic.build.row_lanes import chains_of, layouts_of_rows, shared_out


@pytest.mark.parametrize(
    ("warps", "registers", "lanes"), [(8, 4, 2), (16, 4, 4), (10, 10, 1), (12, 12, 1), (7, 7, 1), (2, 2, 1)]
)
def test_lanes_take_what_warps_have_found_by_several(warps: int, registers: int, lanes: int) -> None:
    layout = shared_out(warps, 32, 4)
    assert layout.registers == registers and layout.shape == (1, warps) and layout.lanes == 32
    columns = layout.elements()[1]
    assert len({tuple(lane) for lane in columns.tolist()}) == lanes
    assert sorted({c for lane in columns.tolist() for c in lane}) == list(range(warps))


@pytest.mark.parametrize(("rows", "width"), [(1, 1), (1, 8), (4, 2), (8, 4)])
def test_rows_share_the_lanes_of_a_warp(rows: int, width: int) -> None:
    lanes = 32 // rows
    tile, row, column = layouts_of_rows(rows, lanes, width)
    assert tile.shape == (rows, lanes * width) and tile.registers == width
    at, along = tile.elements()
    assert sorted(zip(at.ravel().tolist(), along.ravel().tolist(), strict=True)) == [
        (r, c) for r in range(rows) for c in range(lanes * width)
    ]
    assert (np.diff(along, axis=1) == 1).all() and (along[:, 0] % width == 0).all(), "runs lie together"
    assert (row.elements()[0][:, 0] == at[:, 0]).all() and (column.elements()[1] == along).all()


def test_single_elements_are_joined_in_one_chain() -> None:
    assert chains_of(1) is msgspec.UNSET and chains_of(2) == 2

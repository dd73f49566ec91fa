# SPDX-License-Identifier: MIT
"""Orders are permutations for any extents, and have the shape their names promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.policy.hilbert import hilbert_curve, hilbert_positions
from tracea_core.policy.order import DIES, Order, arrange, permutation, turn_of_dies

extent = st.integers(1, 37)


@pytest.mark.parametrize("order", Order)
@given(tiles_m=st.integers(0, 37), tiles_n=st.integers(0, 37), group=st.integers(1, 40), seed=st.integers(0, 99))
def test_every_order_is_a_permutation(order: Order, tiles_m: int, tiles_n: int, group: int, seed: int) -> None:
    """Each tile of the grid runs in exactly one slot."""
    weights = np.random.default_rng(seed).integers(0, 5, tiles_m * tiles_n)
    slots = permutation(order, tiles_m, tiles_n, group=group, weights=weights)
    assert np.array_equal(np.sort(slots), np.arange(tiles_m * tiles_n))


@pytest.mark.parametrize("order", [order for order in Order if order not in (Order.LONGEST_FIRST, Order.GROUPED_DIES)])
@given(tiles_m=extent, tiles_n=extent, data=st.data())
@settings(max_examples=30)
def test_a_subset_keeps_the_order_of_the_grid(order: Order, tiles_m: int, tiles_n: int, data: st.DataObject) -> None:
    """Leaving tiles out does not change the order of the others."""
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=tiles_m * tiles_n, max_size=tiles_m * tiles_n)))
    whole = permutation(order, tiles_m, tiles_n, group=3)
    tiles = np.flatnonzero(keep)
    rows, columns = np.divmod(tiles, tiles_n)
    part = tiles[arrange(order, rows, columns, tiles_m=tiles_m, tiles_n=tiles_n, group=3)]
    assert np.array_equal(part, whole[keep[whole]])


@given(tiles_m=extent, tiles_n=extent, group=st.integers(1, 9))
def test_each_die_runs_neighbours_of_the_grouped_order(tiles_m: int, tiles_n: int, group: int) -> None:
    """What blocks die, die + 8, … run is one contiguous part of the grouped order, and the parts differ by one tile at most."""
    grouped = permutation(Order.GROUPED, tiles_m, tiles_n, group=group)
    dealt = permutation(Order.GROUPED_DIES, tiles_m, tiles_n, group=group)
    parts = [dealt[die::DIES] for die in range(DIES)]
    assert np.array_equal(np.concatenate(parts), grouped)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert turn_of_dies(np.arange(10), 19).tolist() == [0, 3, 6, 9, 11, 13, 15, 17, 1, 4]


@given(tiles_m=extent, tiles_n=extent)
def test_hilbert_steps_to_neighbours(tiles_m: int, tiles_n: int) -> None:
    """Every step goes to an adjacent tile, at most one of them diagonally."""
    rows, columns = np.divmod(hilbert_curve(tiles_m, tiles_n), tiles_n)
    steps = np.abs(np.diff(rows)), np.abs(np.diff(columns))
    assert (np.maximum(*steps) <= 1).all()
    assert int(((steps[0] + steps[1]) == 2).sum()) <= 1
    assert np.array_equal(hilbert_positions(tiles_m, tiles_n)[hilbert_curve(tiles_m, tiles_n)], np.arange(rows.size))


def test_small_grids_by_hand() -> None:
    """Two rows of three tiles in each order."""
    assert permutation(Order.ROW, 2, 3).tolist() == [0, 1, 2, 3, 4, 5]
    assert permutation(Order.COLUMN, 2, 3).tolist() == [0, 3, 1, 4, 2, 5]
    assert permutation(Order.WAVEFRONT, 2, 3).tolist() == [0, 1, 3, 2, 4, 5]
    assert permutation(Order.GROUPED, 3, 2, group=2).tolist() == [0, 2, 1, 3, 4, 5]
    assert permutation(Order.SERPENTINE, 3, 2, group=2).tolist() == [0, 2, 1, 3, 5, 4]
    assert permutation(Order.SERPENTINE, 3, 2, group=1).tolist() == [0, 1, 3, 2, 4, 5]
    assert permutation(Order.Z, 2, 3).tolist() == [0, 1, 3, 4, 2, 5]
    assert permutation(Order.Z, 4, 4).tolist() == [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    assert permutation(Order.HILBERT, 2, 2).tolist() == [0, 2, 3, 1]
    assert permutation(Order.LONGEST_FIRST, 1, 4, weights=[2, 9, 2, 5]).tolist() == [1, 3, 0, 2]
    assert permutation(Order.LONGEST_FIRST, 2, 2).tolist() == [0, 1, 2, 3]


@given(tiles_m=extent, tiles_n=extent)
def test_wavefront_tiles_depend_on_earlier_ones_only(tiles_m: int, tiles_n: int) -> None:
    """The upper and left neighbours of a tile run before it."""
    slot = np.argsort(permutation(Order.WAVEFRONT, tiles_m, tiles_n)).reshape(tiles_m, tiles_n)
    assert (slot[1:] > slot[:-1]).all()
    assert (slot[:, 1:] > slot[:, :-1]).all()


def test_batches_run_one_after_another() -> None:
    """A batch coordinate is the outermost key."""
    rows, columns, batch = (np.array(values) for values in ([0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]))
    assert arrange(Order.COLUMN, rows, columns, tiles_m=2, tiles_n=2, outer=batch).tolist() == [3, 2, 1, 0]


def test_bad_arguments_are_refused() -> None:
    """Extents below 0, groups below 1, curves through too many tiles."""
    with pytest.raises(ConfigurationError, match="extents of at least 0"):
        permutation(Order.ROW, -1, 3)
    with pytest.raises(ConfigurationError, match="group must be at least 1"):
        permutation(Order.GROUPED, 2, 3, group=0)
    with pytest.raises(ConfigurationError, match=r"2\^24 tiles.*Order\.Z"):
        hilbert_curve(1 << 13, 1 << 13)

# SPDX-License-Identifier: MIT
"""Planted bugs: every way to break a cover is found, and named after the first place where it shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.errors import CertificationError
from tracea_core.policy.build import with_table
from tracea_core.policy.graph import (
    TileGraph,
    TileRole,
    block_sparse,
    causal,
    dense,
    grouped,
    low_rank,
    split_k,
    stream_k,
    windowed,
)
from tracea_core.policy.pattern import Band, Blocks, Plane

TILE = (8, 8, 8)


def change(graph: TileGraph, tile: int, **values: int) -> TileGraph:
    """Return the graph with some columns of one tile changed."""
    columns: dict[str, npt.NDArray[np.int64]] = {}
    for name, value in values.items():
        column = np.array(getattr(graph.table, name))
        column[tile] = value
        columns[name] = column
    return replace(graph, table=graph.table.with_columns(**columns))


def drop(graph: TileGraph, tile: int) -> TileGraph:
    """Return the graph without one tile."""
    return with_table(graph, graph.table.take(np.arange(graph.tiles) != tile))


def kinds(graph: TileGraph) -> set[str]:
    """Return the kinds of faults found."""
    return {fault.kind for fault in graph.cover_errors()}


GRAPHS = [
    dense(40, 40, 40, TILE),
    split_k(40, 40, 40, TILE, 3),
    stream_k(40, 40, 40, TILE, 7),
    causal(40, 8, 40, TILE),
    windowed(40, 40, 8, TILE, 9, 3, plane=Plane.MN),
    grouped([(10, 20, 30), (30, 20, 10)], TILE),
    low_rank(20, 20, 20, 8, TILE),
    block_sparse(16, 16, 32, TILE, Blocks.from_mask([[1, 0, 1, 1], [0, 1, 0, 1]], 8, 8, Plane.MK)),
]
by_kind = pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.kind.value)


@by_kind
def test_missing_tile(graph: TileGraph) -> None:
    """Dropping any tile leaves a gap."""
    for tile in range(graph.tiles):
        assert "gap" in kinds(drop(graph, tile))


@by_kind
def test_tile_computed_twice(graph: TileGraph) -> None:
    """Repeating any tile is an overlap."""
    for tile in range(graph.tiles):
        repeated = with_table(graph, graph.table.take(np.append(np.arange(graph.tiles), tile)))
        assert kinds(repeated) == {"overlap"}


@by_kind
def test_shifted_tile(graph: TileGraph) -> None:
    """A tile one element off its place, or with the coordinates of its neighbour."""
    for tile in range(graph.tiles):
        for name in ("m0", "m1", "n0", "n1"):
            value = int(getattr(graph.table, name)[tile])
            assert kinds(change(graph, tile, **{name: value + 1})) == {"place"}
            assert kinds(change(graph, tile, **{name: value - 1})) == {"place"}
        assert "place" in kinds(change(graph, tile, row=int(graph.table.row[tile]) + 1))
        assert "place" in kinds(change(graph, tile, column=-1))


@by_kind
def test_k_range_off_by_one(graph: TileGraph) -> None:
    """A k range one element longer or shorter than it should be, at either end."""
    whole = np.flatnonzero(graph.table.list0 == graph.table.list1)
    for tile in whole:
        k0, k1 = int(graph.table.k0[tile]), int(graph.table.k1[tile])
        for values in ({"k0": k0 + 1}, {"k0": k0 - 1}, {"k1": k1 + 1}, {"k1": k1 - 1}):
            assert kinds(change(graph, int(tile), **values)) & {"gap", "overlap", "place", "useless"}, values


def test_overlapping_k_ranges_are_named() -> None:
    """The message names region, k range and both tiles."""
    graph = split_k(16, 16, 32, TILE, 4)
    broken = change(graph, 5, k0=4)
    with pytest.raises(CertificationError) as caught:
        broken.check_cover()
    assert "rows 0..8, columns 8..16, k 4..8 (tile row 0, tile column 1) is summed twice, by tiles 4 and 5" in str(
        caught.value
    )
    assert caught.value.facts["property"] == "exact cover"


def test_a_gap_in_k_is_named() -> None:
    """The message names what no tile sums, and counts further gaps."""
    graph = split_k(16, 16, 32, TILE, 4)
    broken = change(change(graph, 5, k0=12), 9, k0=13)
    (fault,) = broken.cover_errors()
    assert fault.kind == "gap"
    assert fault.describe() == (
        "no tile sums rows 0..8, columns 8..16, k 8..12 (tile row 0, tile column 1) (and 1 more)"
    )


def test_a_range_nested_in_another_hides_no_overlap() -> None:
    """An empty slice between two overlapping ones does not hide them from each other."""
    graph = split_k(8, 8, 24, TILE, 3)
    broken = change(change(change(graph, 0, k1=24), 1, k0=8, k1=8), 2, k0=16, k1=24)
    assert kinds(broken) == {"overlap"}


@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from([-1, 1]), st.sampled_from(["left", "right"]))
def test_wrong_window_by_one(left: int, right: int, step: int, side: str) -> None:
    """Tiles made for a window one wider or narrower are found wherever they differ from the right ones."""
    band = Band(left, right)
    wrong_left = max(left + step, 0) if side == "left" else left
    wrong_right = max(right + step, 0) if side == "right" else right
    good = windowed(40, 1, 40, (1, 1, 1), left, right)
    wrong = replace(windowed(40, 1, 40, (1, 1, 1), wrong_left, wrong_right), pattern=band)
    assert good.pattern == band
    expected = set() if (wrong_left, wrong_right) == (left, right) else {"gap"} if step < 0 else {"useless", "role"}
    assert kinds(wrong) == expected


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 9), st.integers(1, 9), st.sampled_from([-1, 1]))
@settings(max_examples=40)
def test_window_of_blocks_off_by_one_block(left: int, right: int, tile_m: int, tile_k: int, step: int) -> None:
    """A k range one block too long or too short is found for any tile shape."""
    graph = windowed(37, 4, 41, (tile_m, 4, tile_k), left, right)
    for tile in range(graph.tiles):
        k0, k1 = int(graph.table.k0[tile]), int(graph.table.k1[tile])
        if k0 < k1:
            assert kinds(change(graph, tile, k0=k0 + step * tile_k)) & {"gap", "useless", "place"}
            assert kinds(change(graph, tile, k1=k1 + step * tile_k)) & {"gap", "useless", "place"}


@given(st.data())
def test_gaps_and_overlaps_are_reported_exactly_when_they_exist(data: st.DataObject) -> None:
    """Against counting: random k ranges for every tile of small dense and windowed problems, sliced or not."""
    parts = data.draw(st.integers(1, 3))
    band = data.draw(st.sampled_from([None, Band(2, 1), Band(None, 0), Band(0, 3)]))
    m, n, k = 5, 4, 9
    graph = split_k(m, n, k, (2, 3, 2), parts)
    ends = data.draw(
        st.lists(st.tuples(st.integers(0, k), st.integers(0, k)), min_size=graph.tiles, max_size=graph.tiles)
    )
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=graph.tiles, max_size=graph.tiles)))
    k0 = np.where(keep, graph.table.k0, [min(pair) for pair in ends])
    k1 = np.where(keep, graph.table.k1, [max(pair) for pair in ends])
    graph = replace(graph, table=graph.table.with_columns(k0=k0, k1=k1))
    wanted = np.ones((m, n, k), dtype=np.bool_)
    if band is not None:
        graph = replace(graph, pattern=band)
        distance = np.arange(k) - np.arange(m)[:, None] - (k - m)
        inside = (distance <= (k if band.right is None else band.right)) & (
            distance >= (-k - m if band.left is None else -band.left)
        )
        wanted &= inside[:, None, :]
    count = np.zeros((m, n, k), dtype=np.int64)
    table = graph.table
    for tile in range(graph.tiles):
        count[table.m0[tile] : table.m1[tile], table.n0[tile] : table.n1[tile], table.k0[tile] : table.k1[tile]] += 1
    found = kinds(graph)
    assert ("gap" in found) == bool((count[wanted] == 0).any())
    assert ("overlap" in found) == bool((count > 1).any())


def test_lists_of_blocks() -> None:
    """A list with a wrong, a missing or a repeated block."""
    graph = GRAPHS[-1]
    assert graph.k_blocks.tolist() == [0, 2, 3, 1, 3]
    for position, block, expected in ((1, 1, {"gap", "useless"}), (1, 0, {"gap", "overlap"}), (4, 2, {"gap"})):
        blocks = graph.k_blocks.copy()
        blocks[position] = block
        assert expected <= kinds(replace(graph, k_blocks=blocks))
    assert kinds(change(graph, 0, list1=2)) == {"gap"}
    assert kinds(change(graph, 3, list1=6)) == {"place"}


def test_useless_output_tile() -> None:
    """A launched output tile that the mask leaves empty."""
    mask = np.array([[1, 0], [1, 1]])
    graph = replace(dense(16, 16, 8, TILE), pattern=Blocks.from_mask(mask, 8, 8, Plane.MN))
    (fault, role) = sorted(graph.cover_errors(), key=lambda fault: fault.kind, reverse=True)
    assert (fault.kind, fault.tiles) == ("useless", (1,))
    assert role.kind == "role"


def test_roles() -> None:
    """A clipped tile, or one that the diagonal crosses, must not be called main."""
    assert kinds(change(dense(12, 8, 8, TILE), 1, role=TileRole.MAIN.code)) == {"role"}
    assert kinds(change(causal(16, 8, 16, TILE), 0, role=TileRole.MAIN.code)) == {"role"}
    assert kinds(change(dense(16, 8, 8, TILE), 1, role=TileRole.SKIP.code)) == {"gap", "launch"}


def test_launch_map() -> None:
    """Tiles launched twice, never, or from outside the table."""
    graph = dense(16, 16, 8, TILE)
    assert kinds(replace(graph, launch=np.array([0, 1, 2]))) == {"launch"}
    assert kinds(replace(graph, launch=np.array([0, 1, 2, 2]))) == {"launch"}
    assert kinds(replace(graph, launch=np.array([0, 1, 2, 4]))) == {"launch"}
    assert kinds(replace(graph, launch=np.array([3, 1, 0, 2]))) == set()


def test_consumers_before_producers() -> None:
    """A launch order in which a tile would wait for a later one."""
    for graph in (split_k(16, 16, 32, TILE, 2), low_rank(16, 16, 16, 8, TILE)):
        reversed_ = replace(graph, launch=graph.launch[::-1].copy())
        (fault,) = reversed_.cover_errors()
        assert fault.kind == "order"
        assert "launched after it" in fault.message


def test_matrices_that_do_not_exist() -> None:
    """A batch index beyond the batch."""
    assert kinds(change(dense(16, 16, 8, TILE), 0, batch=1)) == {"place"}

# SPDX-License-Identifier: MIT
"""Every constructor covers what is wanted, compared product by product; graphs survive JSON and reorder freely."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.errors import CertificationError, ConfigurationError, MalformedDataError
from tracea_core.policy.build import build
from tracea_core.policy.edges import EdgeKind
from tracea_core.policy.graph import (
    TileGraph,
    TileMetadata,
    TileRole,
    TilingKind,
    TTGBuilder,
    block_sparse,
    causal,
    dense,
    grouped,
    low_rank,
    split_k,
    stream_k,
    windowed,
)
from tracea_core.policy.order import Order
from tracea_core.policy.pattern import Band, Blocks, Plane

extent = st.integers(1, 23)
tiles = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))


def times_summed(graph: TileGraph, batch: int = 0) -> npt.NDArray[np.int64]:
    """Return how often each product (m, n, k) of one matrix is summed, in launch order, tile by tile."""
    count = np.zeros(tuple(graph.extents[batch]), dtype=np.int64)
    table = graph.table
    for tile in graph.launch[table.batch[graph.launch] == batch]:
        region = count[table.m0[tile] : table.m1[tile], table.n0[tile] : table.n1[tile]]
        if table.list1[tile] > table.list0[tile]:
            for block in graph.k_blocks[table.list0[tile] : table.list1[tile]]:
                region[:, :, block * graph.tile[2] : (block + 1) * graph.tile[2]] += 1
        else:
            region[:, :, table.k0[tile] : table.k1[tile]] += 1
    return count


def assert_covers(graph: TileGraph, wanted: npt.NDArray[np.bool_], batch: int = 0) -> None:
    """Wanted products are summed once, none twice; main tiles hold no others; and the proof agrees."""
    count = times_summed(graph, batch)
    assert count.max(initial=0) <= 1
    assert (count[wanted] == 1).all()
    table = graph.table
    for tile in np.flatnonzero((table.role == TileRole.MAIN.code) & (table.batch == batch)):
        box = np.s_[table.m0[tile] : table.m1[tile], table.n0[tile] : table.n1[tile], table.k0[tile] : table.k1[tile]]
        assert (wanted[box] == (count[box] > 0)).all()
    assert graph.cover_errors() == ()
    graph.check_cover()


def band_mask(m: int, n: int, k: int, band: Band) -> npt.NDArray[np.bool_]:
    """Return the wanted products of a band, element by element."""
    index = dict(zip("mnk", np.indices((m, n, k)), strict=True))
    x, y = band.plane.value
    size = {"m": m, "n": n, "k": k}
    offset = size[y] - size[x] if band.offset is None else band.offset
    distance = index[y] - index[x] - offset
    wanted = np.ones((m, n, k), dtype=np.bool_)
    if band.left is not None:
        wanted &= distance >= -band.left
    if band.right is not None:
        wanted &= distance <= band.right
    return wanted


@given(extent, extent, st.integers(0, 23), tiles, st.integers(1, 3))
def test_dense(m: int, n: int, k: int, tile: tuple[int, int, int], batch: int) -> None:
    """All products of every matrix of a batch."""
    graph = dense(m, n, k, tile, batch)
    assert graph.slots == batch * -(-m // tile[0]) * -(-n // tile[1])
    for matrix in range(batch):
        assert_covers(graph, np.ones((m, n, k), dtype=np.bool_), matrix)


@given(extent, extent, st.integers(0, 40), tiles, st.integers(1, 12))
def test_split_k(m: int, n: int, k: int, tile: tuple[int, int, int], parts: int) -> None:
    """Slices partition k, differ by at most one block, and the last one is launched last."""
    graph = split_k(m, n, k, tile, parts)
    assert_covers(graph, np.ones((m, n, k), dtype=np.bool_))
    blocks = -(-(graph.table.k1 - graph.table.k0) // tile[2])
    assert np.ptp(blocks) <= 1
    outputs = -(-m // tile[0]) * -(-n // tile[1])
    slices = max(min(parts, -(-k // tile[2])), 1)
    assert graph.slots == outputs * slices
    assert len(graph.edges(EdgeKind.DATA)) == outputs * (slices - 1)
    assert len(graph.edges(EdgeKind.K_PIPELINE)) == outputs * (slices - 1)


@given(extent, extent, st.integers(0, 40), tiles, st.integers(1, 20), st.integers(1, 2))
def test_stream_k(m: int, n: int, k: int, tile: tuple[int, int, int], processors: int, batch: int) -> None:
    """No processor has more than one block more than another, and each output tile has one owner."""
    graph = stream_k(m, n, k, tile, processors, batch)
    for matrix in range(batch):
        assert_covers(graph, np.ones((m, n, k), dtype=np.bool_), matrix)
    assert graph.starts.size == processors + 1
    assert graph.starts[-1] == graph.slots
    blocks = -(-(graph.table.k1 - graph.table.k0) // tile[2])
    if k:
        loads = [int(blocks[a:b].sum()) for a, b in zip(graph.starts[:-1], graph.starts[1:], strict=True)]
        assert max(loads) - min(loads) <= 1
    schedule = graph.schedule(processors)
    assert schedule.loads.sum() == graph.weights.sum()
    assert (graph.table.k0[graph.edges(EdgeKind.DATA)[:, 1]] == 0).all()


@given(
    extent,
    st.integers(1, 5),
    extent,
    tiles,
    st.one_of(st.none(), st.integers(0, 9)),
    st.one_of(st.none(), st.integers(0, 9)),
    st.sampled_from(Plane),
    st.one_of(st.none(), st.integers(-5, 5)),
)
@settings(max_examples=200)
def test_windows(
    m: int,
    n: int,
    k: int,
    tile: tuple[int, int, int],
    left: int | None,
    right: int | None,
    plane: Plane,
    offset: int | None,
) -> None:
    """Windows of any width and alignment in any plane; their ranges hold nothing but blocks with something wanted."""
    graph = windowed(m, n, k, tile, left, right, offset=offset, plane=plane)
    wanted = band_mask(m, n, k, Band(left, right, offset, plane))
    assert_covers(graph, wanted)
    count = times_summed(graph)
    for tile_ in graph.launch:
        a, b = int(graph.table.k0[tile_]), int(graph.table.k1[tile_])
        rows = np.s_[graph.table.m0[tile_] : graph.table.m1[tile_], graph.table.n0[tile_] : graph.table.n1[tile_]]
        for low in range(a, b, tile[2]):
            assert wanted[rows][:, :, low : min(low + tile[2], b)].any()
    assert count.sum() == graph.weights.sum()


def test_causal_drops_nearly_half() -> None:
    """A square causal problem runs n·(n + 1) / 2 of n² blocks."""
    graph = causal(1024, 64, 1024, (128, 64, 128))
    assert graph.active_share == pytest.approx(36 / 64)
    assert graph.kind is TilingKind.CAUSAL
    assert causal(1024, 1024, 64, (128, 128, 64), plane=Plane.MN).slots == 36
    longest = graph.ordered(Order.LONGEST_FIRST)
    assert (np.diff(longest.weights[longest.launch]) <= 0).all()
    assert longest.cover_errors() == ()


@given(extent, extent, extent, tiles, st.integers(1, 5), st.integers(1, 5), st.sampled_from(Plane), st.integers(0, 999))
@settings(max_examples=150)
def test_block_sparse(
    m: int, n: int, k: int, tile: tuple[int, int, int], block_x: int, block_y: int, plane: Plane, seed: int
) -> None:
    """Masks of blocks that need not match the tiles, in any plane."""
    size = {"m": m, "n": n, "k": k}
    x, y = plane.value
    mask = np.random.default_rng(seed).random((-(-size[x] // block_x), -(-size[y] // block_y))) < 0.35
    graph = block_sparse(m, n, k, tile, Blocks.from_mask(mask, block_x, block_y, plane))
    index = dict(zip("mnk", np.indices((m, n, k)), strict=True))
    assert_covers(graph, mask[index[x] // block_x, index[y] // block_y])


@given(extent, extent, extent, tiles, st.sampled_from(Plane), st.integers(0, 999))
@settings(max_examples=80)
def test_sparse_of_compressed_rows(m: int, n: int, k: int, tile: tuple[int, int, int], plane: Plane, seed: int) -> None:
    """A matrix in CSR: every stored element is a block of its own."""
    size = {"m": m, "n": n, "k": k}
    x, y = plane.value
    stored = np.random.default_rng(seed).random((size[x], size[y])) < 0.15
    row, column = np.nonzero(stored)
    ends = np.searchsorted(row, np.arange(size[x] + 1))
    graph = block_sparse(m, n, k, tile, Blocks.from_csr(ends, column, size[y], plane=plane))
    index = dict(zip("mnk", np.indices((m, n, k)), strict=True))
    assert_covers(graph, stored[index[x], index[y]])


def test_block_sparse_weights_run_their_blocks_only() -> None:
    """Work falls in proportion to the active share, and matching tiles need no masks."""
    rng = np.random.default_rng(0)
    mask = rng.random((16, 32)) < 0.1
    graph = block_sparse(512, 1024, 2048, (128, 64, 64), Blocks.from_mask(mask, 64, 64, Plane.NK))
    assert graph.active_share == pytest.approx(mask.mean())
    assert (graph.table.role == TileRole.MAIN.code).all()
    with pytest.raises(ConfigurationError, match="the problem needs 17"):
        block_sparse(512, 1025, 2048, (128, 64, 64), Blocks.from_mask(mask, 64, 64, Plane.NK))


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(0, 9)), max_size=5), tiles)
def test_grouped(extents: list[tuple[int, int, int]], tile: tuple[int, int, int]) -> None:
    """Groups of any extents, empty ones included."""
    graph = grouped(extents, tile)
    for group, (m, n, k) in enumerate(extents):
        assert_covers(graph, np.ones((m, n, k), dtype=np.bool_), group)
    assert graph.ordered(Order.HILBERT).cover_errors() == ()


def test_low_rank() -> None:
    """Both factors are covered, and every tile of the second waits for its rows of the first."""
    graph = low_rank(300, 500, 700, 40, (128, 128, 64), batch=2)
    for matrix in range(2):
        assert_covers(graph, np.ones((300, 40, 700), dtype=np.bool_), 2 * matrix)
        assert_covers(graph, np.ones((300, 500, 40), dtype=np.bool_), 2 * matrix + 1)
    pairs = graph.edges(EdgeKind.DATA)
    assert len(pairs) == 2 * 3 * 4
    source, destination = pairs.T
    assert (graph.table.batch[source] + 1 == graph.table.batch[destination]).all()
    assert (graph.table.row[source] == graph.table.row[destination]).all()
    with pytest.raises(ConfigurationError, match=r"runs x·A before"):
        graph.ordered(Order.LONGEST_FIRST)
    with pytest.raises(ConfigurationError, match="rank"):
        low_rank(8, 8, 8, 0, (4, 4, 4))


def test_adjacency_and_reuse() -> None:
    """A 3 × 4 grid has 3·3 row and 2·4 column edges; grouping reads fewer panels than rows do."""
    graph = dense(300, 400, 64, (100, 100, 64))
    assert graph.edges(EdgeKind.ROW).tolist()[:3] == [[0, 1], [1, 2], [2, 3]]
    assert len(graph.edges(EdgeKind.ROW)) == 9
    assert len(graph.edges(EdgeKind.COLUMN)) == 8
    assert graph.reuse().shares_a.sum() == 9
    assert not graph.reuse().shares_b.any()
    large = dense(6400, 6400, 64, (100, 100, 64))

    def panels(order: Order) -> int:
        hints = large.ordered(order, group=8).reuse(concurrent=64)
        return hints.panels_a + hints.panels_b

    assert panels(Order.GROUPED) == 64 * 16
    assert panels(Order.ROW) == 64 * 65
    assert panels(Order.HILBERT) < panels(Order.ROW) // 3


@pytest.mark.parametrize("order", Order)
def test_orders_permute_the_launch_map_only(order: Order) -> None:
    """The table stays, each tile is launched once, the cover holds."""
    graph = windowed(1000, 1000, 64, (64, 64, 64), 100, 30, plane=Plane.MN, batch=2)
    other = graph.ordered(order, group=3)
    assert other.table is graph.table
    assert np.array_equal(np.sort(other.launch), np.arange(graph.tiles))
    assert other.cover_errors() == ()


@pytest.mark.parametrize(
    "graph",
    [
        dense(10, 20, 30, (4, 8, 16), 2),
        split_k(10, 20, 30, (4, 8, 8), 3),
        stream_k(10, 20, 30, (4, 8, 8), 5),
        causal(10, 4, 12, (4, 4, 4)),
        grouped([(3, 4, 5), (0, 1, 2)], (2, 2, 2)),
        block_sparse(8, 8, 8, (4, 4, 4), Blocks.from_mask([[1, 0], [1, 1]], 4, 4)),
    ],
    ids=lambda graph: graph.kind.value,
)
def test_json_round_trip(graph: TileGraph) -> None:
    """Graphs compare equal after JSON, hash alike, and differ once a tile differs."""
    again = TileGraph.from_json(graph.to_json())
    assert again == graph
    assert hash(again) == hash(graph)
    assert again != TileGraph.from_json(graph.to_json().replace('"launch":[0,1', '"launch":[1,0'))
    assert graph != "a graph"
    assert graph.kind.value in graph.describe()


def test_malformed_json_is_refused() -> None:
    """Missing columns and unknown roles are errors of the text."""
    text = dense(4, 4, 4, (4, 4, 4)).to_json()
    with pytest.raises(MalformedDataError):
        TileGraph.from_json(text.replace('"columns":[[0],', '"columns":['))
    with pytest.raises(MalformedDataError):
        TileGraph.from_json(text.replace("[0]]", "[7]]"))


def test_arrays_are_read_only() -> None:
    """A graph cannot be changed behind its hash."""
    graph = dense(8, 8, 8, (4, 4, 4))
    with pytest.raises(ValueError, match="read-only"):
        graph.launch[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        graph.table.m0[0] = 1


def test_builder_as_documented() -> None:
    """One tile added by hand: alone when sparse, with all others when dense."""
    builder = TTGBuilder(4096, 4096)
    builder.add_tile(TileMetadata(region_m=0, region_n=0, k_start=0, k_end=512, role=TileRole.MAIN))
    sparse, whole = builder.build_sparse(), builder.build_dense()
    assert (sparse.slots, whole.slots) == (1, 1024)
    assert sparse.table.metadata(0) == TileMetadata(0, 0, 0, 512)
    assert whole.extents.tolist() == [[4096, 4096, 512]]


def test_builder_slices_skips_and_patterns() -> None:
    """Slices of k, tiles that are known and skipped, tiles that must cover a pattern."""
    builder = TTGBuilder(200, 200, 64, tile_m=100, tile_n=100)
    builder.add_tile(TileMetadata(0, 1, 0, 32)).add_tile(TileMetadata(0, 1, 32, 64))
    assert builder.build_dense().slots == 5
    skipped = TTGBuilder(200, 200, 64, tile_m=100, tile_n=100)
    skipped.add_tile(TileMetadata(0, 0, 0, 64)).add_tile(TileMetadata(0, 1, 0, 64, TileRole.SKIP))
    graph = skipped.build_sparse(Blocks.from_mask([[1, 0], [0, 0]], 100, 100, Plane.MN))
    assert (graph.tiles, graph.slots) == (2, 1)
    with pytest.raises(CertificationError, match=r"no tile computes rows 100\.\.200, columns 0\.\.100"):
        skipped.build_sparse(Blocks.from_mask([[1, 0], [1, 0]], 100, 100, Plane.MN))


def test_builder_refuses_what_cannot_be() -> None:
    """Tiles outside, overlapping tiles, gaps in k, an unknown k."""
    with pytest.raises(ConfigurationError, match="32×32 tiles"):
        TTGBuilder(4096, 4096).add_tile(TileMetadata(32, 0, 0, 8))
    with pytest.raises(ConfigurationError, match="not 3"):
        TTGBuilder(4096, 4096).add_tile(3)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="k ends at 64"):
        TTGBuilder(256, 256, 64).add_tile(TileMetadata(0, 0, 0, 65))
    with pytest.raises(ConfigurationError, match="extent of k is unknown"):
        TTGBuilder(256, 256).build_dense()
    with pytest.raises(ConfigurationError, match="k_start ≤ k_end"):
        TileMetadata(0, 0, 8, 4)
    twice = TTGBuilder(256, 256, 64).add_tile(TileMetadata(0, 0, 0, 64)).add_tile(TileMetadata(0, 0, 32, 64))
    with pytest.raises(CertificationError, match="summed twice"):
        twice.build_sparse()
    with pytest.raises(CertificationError, match=r"no tile sums rows 0\.\.128, columns 0\.\.128, k 32\.\.64"):
        TTGBuilder(256, 256, 64).add_tile(TileMetadata(0, 0, 0, 32)).build_dense()


def test_bad_arguments_are_refused() -> None:
    """Negative extents, empty tiles, too many tiles, nothing to split into."""
    with pytest.raises(ConfigurationError, match="at least 0"):
        dense(-1, 4, 4, (4, 4, 4))
    with pytest.raises(ConfigurationError, match="at least 1"):
        dense(4, 4, 4, (0, 4, 4))
    with pytest.raises(ConfigurationError, match="Use larger tiles"):
        dense(1 << 20, 1 << 20, 4, (4, 4, 4))
    with pytest.raises(ConfigurationError, match="at least one part"):
        split_k(4, 4, 4, (4, 4, 4), 0)
    with pytest.raises(ConfigurationError, match="at least one processor"):
        stream_k(4, 4, 4, (4, 4, 4), 0)
    with pytest.raises(ConfigurationError, match="own order"):
        stream_k(4, 4, 4, (4, 4, 4), 2).ordered(Order.Z)


def test_a_million_tiles() -> None:
    """Large graphs are built and proved without a loop over tiles."""
    graph = dense(128_000, 128_000, 4096, (128, 128, 64))
    assert graph.tiles == 1_000_000
    assert graph.cover_errors() == ()


def test_a_narrow_band_of_a_large_grid_looks_at_its_own_tiles_alone() -> None:
    """The grid has 4·10^8 tiles, more than a graph may hold; the band meets three in each row."""
    side, tile = 20_000 * 16, (16, 16, 16)
    graph = windowed(side, side, 16, tile, 17, 0, plane=Plane.MN)
    rows, counts = np.unique(graph.table.row, return_counts=True)
    assert rows.size == 20_000 and counts[0] == 1 and counts[1] == 2 and set(counts[2:]) == {3}
    some = np.flatnonzero(graph.table.row == 777)
    assert graph.table.column[some].tolist() == [775, 776, 777]
    assert all(graph.table.metadata(int(one)).role is TileRole.BOUNDARY for one in some[[0, 2]])


def test_bands_of_ragged_groups_lie_in_their_own_matrices() -> None:
    """Groups of different extents, one of them empty, each with a diagonal of its own."""
    extents = np.array([(20, 30, 4), (0, 9, 4), (17, 5, 4)], dtype=np.int64)
    for band in (Band(None, 0, None, Plane.MN), Band(3, 2, 0, Plane.MN), Band(2, None, -4, Plane.MN)):
        graph = build(TilingKind.WINDOWED, extents, (8, 4, 4), band)
        for matrix, (m, n, k) in enumerate(extents.tolist()):
            assert_covers(graph, band_mask(m, n, k, band), matrix)


def test_blocks_of_the_output_are_the_same_in_every_matrix_of_a_batch() -> None:
    pattern = Blocks.from_mask(np.array([[1, 0, 0], [0, 0, 1]]), 8, 6, Plane.MN)
    graph = block_sparse(16, 17, 5, (4, 4, 4), pattern, batch=2)
    wanted = np.zeros((16, 17, 5), dtype=np.bool_)
    wanted[:8, :6], wanted[8:, 12:] = True, True
    for matrix in range(2):
        assert_covers(graph, wanted, matrix)

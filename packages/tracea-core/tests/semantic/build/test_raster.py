# SPDX-License-Identifier: MIT
"""Persistent blocks: how many are launched, and in which order they visit the tiles."""

from __future__ import annotations

import itertools

import pytest
from tracea_core.errors import CertificationError
from tracea_core.policy.order import BANDED, Order, permutation
from tracea_core.policy.waves import clusters_at_once
from tracea_core.semantic.build.raster import ORDERS, Raster
from tracea_core.semantic.index import Sym, evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Let, Loop, Node
from tracea_core.semantic.verify.certify import certify

PROCESSORS = 132


@pytest.mark.parametrize("cluster", [(1, 1), (2, 1), (2, 2)])
def test_blocks_that_save_no_round_are_not_launched(hopper, cluster):
    """As many rounds as with every processor, at most a sixteenth of them idle, and no block without a tile."""
    raster = Raster(hopper.contraction(), hopper.configuration(cluster=cluster))
    size, most = cluster[0] * cluster[1], clusters_at_once(PROCESSORS, cluster[0] * cluster[1])
    for tiles in (*range(1, 3 * most), 512, 1024, 3168, 4001):
        values = {"m": 128 * cluster[0] * tiles, "n": 8}
        blocks = evaluate(raster.blocks(PROCESSORS), values)
        clusters = blocks // size
        assert blocks % size == 0 and clusters <= min(tiles, most)
        assert -(-tiles // clusters) == -(-tiles // most)
        assert clusters == tiles or clusters >= most - most // 16
    assert evaluate(raster.blocks(PROCESSORS), {"m": 0, "n": 8}) == 0
    if size == 1:
        assert evaluate(raster.blocks(PROCESSORS), {"m": 128 * 512, "n": 8}) == 128
        assert evaluate(raster.blocks(PROCESSORS), {"m": 128 * 264, "n": 8}) == PROCESSORS


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("rows", "columns", "group"), [(5, 4, 2), (7, 3, 3), (4, 4, 8), (1, 5, 2), (6, 1, 1)])
def test_tiles_are_visited_as_their_graph_says(hopper, order, rows, columns, group):
    raster = Raster(hopper.contraction(), hopper.configuration(order=order, group=group))
    seen = []
    for number in range(rows * columns):
        values: dict[str, int] = {
            "first": number,
            "round": 0,
            "clusters": 1,
            "tile_rows": rows,
            "tile_columns": columns,
        }
        values |= {"row_rank": 0, "column_rank": 0}
        for let in raster._place():
            values[let.name] = int(evaluate(let.value, values))
        seen.append(values["row0"] // 128 * columns + values["column0"] // 64)
    assert seen == permutation(order, rows, columns, group=group).tolist()


def test_bands_of_a_serpentine_meet():
    """A band begins with the column of tiles that the one before it ended with; every order of bands has the same bands."""
    found = permutation(Order.SERPENTINE, 9, 5, group=3).reshape(3, 15)
    for before, after in itertools.pairwise(found):
        assert {int(tile) % 5 for tile in before[-3:]} == {int(tile) % 5 for tile in after[:3]}
    assert {tuple(sorted(band)) for band in found.tolist()} == {
        tuple(sorted(band)) for band in permutation(Order.GROUPED, 9, 5, group=3).reshape(3, 15).tolist()
    }
    assert Order.SERPENTINE in BANDED


def changed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes with odd bands that begin one column further."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            node = node.replace(body=changed(node.body))
        if isinstance(node, Let) and node.name == "across":
            node = node.replace(value=node.value + Sym("band") % 2)
        found.append(node)
    return tuple(found)


def test_a_serpentine_is_certified_and_one_whose_odd_bands_are_off_by_a_column_is_not(hopper):
    kernel: SemanticKernel = hopper.kernel(hopper.configuration(order=Order.SERPENTINE, group=2))
    certify(kernel, hopper.contraction(), hopper.profile)
    roles = tuple(role.replace(body=changed(role.body)) for role in kernel.roles)
    with pytest.raises(CertificationError, match=r"never computed|computed twice|outside|not covered"):
        certify(kernel.replace(roles=roles), hopper.contraction(), hopper.profile)

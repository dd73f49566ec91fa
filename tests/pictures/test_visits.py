# SPDX-License-Identifier: MIT
"""Visits come from the kernel's loops: every tile once, waves of the size of the device, the order that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.order import Order
from tracea_core.policy.tiles import TileGraph
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.semantic.lower import lower

from tracea.cli.problems import make_problem
from tracea.cli.words import Words
from tracea.explanation import explain_op
from tracea.pictures import visits as module
from tracea.pictures.visits import Visits, visits


def seen(dims: list[int], preset: str | None = None, **changes: object) -> tuple[Visits, TileGraph]:
    problem = make_problem("matmul", dims, Words(dtype="bf16" if preset else "fp32"))
    made = explain_op(problem, None if preset else "cpu", preset=preset)
    if changes:
        configuration = made.configuration.configuration.replace(**changes)
        made = explain_op(problem, None if preset else "cpu", preset=preset, configuration=configuration)
    choice, profile = made.choice, made.target.profile
    configuration = made.configuration.configuration
    values = launch_symbols(lower(choice.problem), configuration, profile, choice.variant.schedule)
    graph = PolicyEngine(profile).graph(choice.problem, configuration)
    return visits(made.kernel, graph, values, profile.processors), graph


@pytest.mark.parametrize("dims", [[4096, 4096, 64], [130, 304, 64], [3, 8, 16]])
@pytest.mark.parametrize("preset", [None, "h200"])
def test_every_tile_is_visited_once(dims: list[int], preset: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT", 10**6)
    found, graph = seen([d if preset else min(d, 700) for d in dims], preset)
    assert found.from_kernel
    places = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    wanted = set(zip(graph.table.row.tolist(), graph.table.column.tolist(), strict=True))
    assert len(set(places)) == len(places) and set(places) == wanted


def test_persistent_blocks_run_in_waves() -> None:
    found, graph = seen([4096, 4096, 64], "h200")
    sizes, tiles = np.bincount(found.turns), len(graph.table)
    assert 124 <= found.processors <= 132 and sizes.size == -(-tiles // 132), "only blocks that save no round stay away"
    assert sizes[0] == found.processors and sizes.sum() == tiles and (np.diff(sizes) <= 0).all()


def test_the_order_is_the_kernels() -> None:
    by_row, _ = seen([1024, 2048, 64], "h200", order=Order.ROW, cluster_m=1)
    by_column, _ = seen([1024, 2048, 64], "h200", order=Order.COLUMN, cluster_m=1)
    first = [np.argsort(found.order)[:3] for found in (by_row, by_column)]
    assert set(by_row.rows[first[0]]) == {0} and set(by_column.columns[first[1]]) == {0}


def test_too_many_tiles_fall_back_on_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT", 10)
    found, graph = seen([300, 200, 10])
    assert not found.from_kernel and found.rows.size == graph.slots and found.processors <= 2

# SPDX-License-Identifier: MIT
"""Which processor computes which output tile in which turn, read off the kernel's own loops.

The bodies are walked with the problem's sizes until the first row and column of a tile are bound; everything else is
skipped. So what is drawn is the raster that runs, not the one that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tracea_core.policy.config import BarrierMode
from tracea_core.policy.tiles import TileGraph
from tracea_core.semantic.index import Value, evaluate, holds
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel, walk
from tracea_core.semantic.steps import If, Let, Loop, Node

LIMIT = 20_000
"""Tiles up to which the loops are walked; of more, the tile graph's order and a balanced assignment are shown."""
_PLACE = {"row0", "column0"}


@dataclass(frozen=True)
class Visits:
    """One entry per tile of the first matrix: its place in the grid, who computes it, as which of his, and in which order of all."""

    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    actors: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]
    from_kernel: bool

    @property
    def grid(self) -> tuple[int, int]:
        """Tile rows and columns."""
        return int(self.rows.max(initial=-1)) + 1, int(self.columns.max(initial=-1)) + 1

    @property
    def processors(self) -> int:
        """How many take part."""
        return int(self.actors.max(initial=-1)) + 1

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """When each tile starts, if all turns take equally long: turn by turn, processor by processor."""
        return self.turns * max(self.processors, 1) + self.actors


def visits(kernel: SemanticKernel, graph: TileGraph, values: dict[str, int], processors: int) -> Visits:
    """Return the visits of `kernel` for symbols with `values`.

    Parameters
    ----------
    graph : TileGraph
        The same tiles as the policy cut them; it stands in where there are too many to walk.
    processors : int
        Of the device.
    """
    role = next((role for role in reversed(kernel.roles) if _bound(role.body) >= _PLACE), None)
    if role is None or graph.slots > LIMIT:
        return _from_graph(graph, processors)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    consumers = role.instances if kernel.configuration.barrier_mode is BarrierMode.PING_PONG else 1
    blocks = int(evaluate(kernel.launch.blocks, values))
    tile_m, tile_n, _ = graph.tile
    rows_end = (int(graph.table.row.max(initial=-1)) + 1) * tile_m
    columns_end = (int(graph.table.column.max(initial=-1)) + 1) * tile_n
    for actor in range(blocks):
        scope: dict[str, Value] = {**values, "block": actor, "blocks": blocks, role.name: 0}
        scope["cluster_rank"] = actor % kernel.launch.cluster
        if role.actor is Actor.WORKER:
            scope[role.name] = actor
        for consumer in range(consumers):
            own = scope if consumers == 1 else {**scope, role.name: consumer}
            for turn, place in enumerate(_tiles(role, own)):
                row, column = place
                if found.get(place, (None,))[0] == actor:
                    break  # a second block of the reduction visits the same tiles in the same order
                if row < rows_end and column < columns_end:
                    found.setdefault(place, (actor, turn * consumers + consumer))
    table = np.array([(r // tile_m, c // tile_n, a, t) for (r, c), (a, t) in found.items()], np.int64).reshape(-1, 4)
    rows, columns, actors, turns = (np.ascontiguousarray(column) for column in table.T)
    return Visits(rows, columns, actors, turns, from_kernel=True)


def _from_graph(graph: TileGraph, processors: int) -> Visits:
    schedule = graph.schedule(processors)
    owner = np.repeat(np.arange(processors, dtype=np.int64), np.diff(schedule.starts))
    turn = np.arange(schedule.slots.size, dtype=np.int64) - schedule.starts[owner]
    tile = graph.launch[schedule.slots]
    first = graph.table.batch[tile] == 0
    tile, owner, turn = tile[first], owner[first], turn[first]
    return Visits(graph.table.row[tile], graph.table.column[tile], owner, turn, from_kernel=False)


def _bound(nodes: tuple[Node, ...]) -> set[str]:
    return {node.name for node in walk(nodes) if isinstance(node, Let)} & _PLACE


def _tiles(role: Role, scope: dict[str, Value]) -> Iterator[tuple[int, int]]:
    """Yield (first row, first column) of the tiles of one actor, in order; of the first matrix only."""
    yield from _walk(role.body, scope)


def _walk(nodes: tuple[Node, ...], scope: dict[str, Value]) -> Iterator[tuple[int, int]]:
    scope = dict(scope)
    for node in nodes:
        if isinstance(node, Let):
            if node.fragment is None:
                scope[node.name] = int(evaluate(node.value, scope))
                if node.name in _PLACE and scope.keys() >= _PLACE:
                    if not scope.get("item"):
                        yield int(scope["row0"]), int(scope["column0"])
                    return
        elif isinstance(node, Loop) and _bound(node.body):
            for index in range(int(evaluate(node.start, scope)), int(evaluate(node.stop, scope)), node.step):
                yield from _walk(node.body, {**scope, node.var: index})
        elif isinstance(node, If) and (_bound(node.then) or _bound(node.otherwise)):
            yield from _walk(node.then if bool(holds(node.guard, scope)) else node.otherwise, scope)

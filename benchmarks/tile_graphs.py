# SPDX-License-Identifier: MIT
"""What a graph of a million tiles costs: building each kind, and laying it into the order that takes longest.

    python -m benchmarks.rows tile-graphs

Each figure is the sum of both, the least of a few times: a graph is built once in a call, and the machine may be busy.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable

import numpy as np
from tracea_core.errors import ConfigurationError
from tracea_core.policy.graph import (
    TileGraph,
    TileMetadata,
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
from tracea_core.policy.pattern import Blocks, Plane

from benchmarks.row import Row

MOST = 200.0
"""Milliseconds that a graph of a million tiles may take."""
_TIMES = 5
_TILE = (128, 128, 64)
_SIDE = 1000 * 128
_DIAGONAL = 1414 * 128
"""The side of a square whose half holds a million tiles."""


def graphs() -> dict[str, Callable[[], TileGraph]]:
    """Return what builds a graph of about a million tiles, by kind."""
    random = np.random.default_rng(0)
    ragged = np.stack([random.integers(0, 16000, 1000), np.full(1000, 2048), np.full(1000, 4096)], axis=1)
    along, across = random.random((1000, 1000)) < 0.5, random.random((1414, 1414)) < 0.5
    deep = 1000 * _TILE[2]
    return {
        "dense": lambda: dense(_SIDE, _SIDE, 4096, _TILE),
        "dense, 16 matrices": lambda: dense(_SIDE // 4, _SIDE // 4, 4096, _TILE, 16),
        "causal scores": lambda: causal(_DIAGONAL, _DIAGONAL, 128, _TILE, plane=Plane.MN),
        "causal keys, 1000 heads": lambda: causal(_SIDE, 128, _SIDE, _TILE, batch=1000),
        "window of scores": lambda: windowed(3 * _SIDE, 3 * _SIDE, 128, _TILE, 21300, 21300, plane=Plane.MN),
        "window of keys, 1000 heads": lambda: windowed(_SIDE, 128, _SIDE, _TILE, 6000, 6000, batch=1000),
        "blocks of A": lambda: block_sparse(_SIDE, _SIDE, deep, _TILE, Blocks.from_mask(along, 128, 64)),
        "blocks of B": lambda: block_sparse(_SIDE, _SIDE, deep, _TILE, Blocks.from_mask(along, 128, 64, Plane.NK)),
        "blocks of the output": lambda: block_sparse(
            _DIAGONAL, _DIAGONAL, 4096, _TILE, Blocks.from_mask(across, 128, 128, Plane.MN)
        ),
        "1000 ragged groups": lambda: grouped(ragged, _TILE),
        "split-K of 4": lambda: split_k(_SIDE // 2, _SIDE // 2, 4096, _TILE, 4),
        "stream-K": lambda: stream_k(_SIDE, _SIDE, 4096, _TILE, 132),
        "low rank": lambda: low_rank(_SIDE, _SIDE, 4096, 64, _TILE),
        "by hand, the rest whole": _by_hand,
    }


def _by_hand() -> TileGraph:
    builder = TTGBuilder(_SIDE, _SIDE, 4096, tile_m=_TILE[0], tile_n=_TILE[1], tile_k=_TILE[2])
    for place in range(16):
        builder.add_tile(TileMetadata(region_m=place, region_n=place, k_start=0, k_end=4096))
    return builder.build_dense()


def measured(name: str, build: Callable[[], TileGraph]) -> Row:
    """Return the row of one kind: building it and laying it into the slowest of its orders."""
    graph, took = _least(build)
    orders = {order: _least(lambda order=order: graph.ordered(order))[1] for order in _orders(graph)}  # type: ignore[misc]
    slowest = max(orders, key=orders.__getitem__, default=None)
    words = f", {slowest.value} order" if slowest is not None else ""
    found = took + (orders[slowest] if slowest is not None else 0.0)
    return Row(f"{graph.slots} tiles, {name}{words}", "ms", found * 1e3, None, MOST, at_most=True)


def _orders(graph: TileGraph) -> list[Order]:
    """The orders that a graph may be laid into."""
    found = []
    for order in Order:
        try:
            graph.ordered(order)
        except ConfigurationError:
            continue
        found.append(order)
    return found


def _least(call: Callable[[], TileGraph]) -> tuple[TileGraph, float]:
    times = []
    for _ in range(_TIMES):
        begin = time.perf_counter()
        made = call()
        times.append(time.perf_counter() - begin)
    return made, min(times)


def rows(given: argparse.Namespace) -> list[Row]:
    """Return the rows of the kinds whose names match, printed as they are measured."""
    found = []
    for name, build in graphs().items():
        if re.search(given.only, name):
            found.append(measured(name, build))
            print(f"  {found[-1]}", flush=True)
    return found

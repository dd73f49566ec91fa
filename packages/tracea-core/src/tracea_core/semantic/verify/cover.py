# SPDX-License-Identifier: MIT
"""Persistent schedules compute every tile exactly once: settled by enumerating the kernel's own index expressions.

The raster's divisions have periods of the group, the grid and the number of blocks; the grids tried lie below, at and
above one and several groups, in both directions, with few blocks and with more blocks than tiles. Where blocks divide the
reduction, each part visits every tile once.
"""

from __future__ import annotations

import itertools

import numpy as np

from tracea_core.errors import CertificationError
from tracea_core.semantic.index import Value, evaluate
from tracea_core.semantic.kernel import Role, SemanticKernel
from tracea_core.semantic.steps import Let, Loop
from tracea_core.semantic.verify.certificate import Proof

_PLACE = ("row0", "column0")


def check_cover(kernel: SemanticKernel) -> tuple[Proof, ...]:
    """Prove that the persistent loop of every role visits each output tile once, and all roles alike.

    Raises
    ------
    CertificationError
        If a tile is skipped or computed twice.
    """
    config, cluster = kernel.configuration, kernel.launch.cluster
    group = config.group
    spans = sorted({1, 2, 3, group - 1 or 1, group, group + 1, 2 * group + 1})
    cases = 0
    for (rows, columns), clusters, items in itertools.product(itertools.product(spans, (1, 2, 5)), (1, 4), (1, 2)):
        if items > 1 and not any(symbol.name == "items" for symbol in kernel.symbols):
            continue
        for role in kernel.roles:
            found = _visits(kernel, role, rows, columns, clusters, items)
            expected = _grid(kernel, rows, columns, items)
            if sorted(found) != expected:
                missing = sorted(set(expected) - set(found))
                what = (
                    f"tile {missing[0]} is never computed" if missing else "a tile is computed twice or does not exist"
                )
                raise CertificationError(
                    f"{what} by {role.name!r}", tiles=(rows, columns), blocks=clusters * cluster, items=items
                )
            cases += 1
    return (Proof("cover", "persistent blocks visit every output tile exactly once", f"{cases} grids enumerated"),)


def _grid(kernel: SemanticKernel, rows: int, columns: int, items: int) -> list[tuple[int, ...]]:
    config = kernel.configuration
    return sorted(
        (part, item, row * config.tile_m, column * config.tile_n)
        for part in range(config.split_k)
        for item in range(items)
        for row in range(rows * config.cluster_m)
        for column in range(columns * config.cluster_n)
    )


def _visits(
    kernel: SemanticKernel, role: Role, rows: int, columns: int, clusters: int, items: int
) -> list[tuple[int, ...]]:
    config, cluster = kernel.configuration, kernel.launch.cluster
    found: list[tuple[int, ...]] = []
    scope: dict[str, Value] = {symbol.name: max(1, symbol.minimum) for symbol in kernel.symbols}
    scope |= {"m": rows * config.tile_m * config.cluster_m - 1, "n": columns * config.tile_n * config.cluster_n - 1}
    scope |= {"items": items, "blocks": clusters * cluster, role.name: 0}
    for block in range(clusters * cluster):
        places: dict[str, Value] = {**scope, "block": block, "cluster_rank": block % cluster}
        for node in role.body:
            if isinstance(node, Let):
                places[node.name] = evaluate(node.value, places)
            elif isinstance(node, Loop) and _places(node):
                start, stop = int(evaluate(node.start, places)), int(evaluate(node.stop, places))
                if stop <= start:
                    continue
                inner: dict[str, Value] = {**places, node.var: np.arange(start, stop, dtype=np.int64)}
                for step in node.body:
                    if isinstance(step, Let) and step.fragment is None:
                        inner[step.name] = evaluate(step.value, inner)
                count = stop - start
                columns_of = (
                    np.broadcast_to(np.asarray(inner.get(name, 0)), (count,)).tolist()
                    for name in ("split_rank", "item", *_PLACE)
                )
                found += zip(*columns_of, strict=True)
    return found


def _places(loop: Loop) -> bool:
    """Whether the loop decodes tiles."""
    return {*_PLACE} <= {step.name for step in loop.body if isinstance(step, Let)}

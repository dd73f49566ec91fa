# SPDX-License-Identifier: MIT
"""How many tiles a configuration makes, and how many clusters of blocks work on them at once."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.kinds import Grouped
from tracea_core.policy.topology import OperatorTopology

_REACHED, _GROUP = 10 / 11, 16
"""Share of the processors that clusters of more than two blocks can count on, and how many of those are next to each other: a cluster
stays within one of the groups, of uneven size, that processors come in. On an H100 clusters of eight reach 120 of 132
(accel-sim/gpu-app-collection, pull request 87; NVIDIA/cutlass, issue 1921). On an H200, 33 clusters of four, 24 of five, 16 of seven and
8 of sixteen took the time of two rounds, 16 of six and 4 of sixteen that of one."""
MERGE_SECONDS = 5.0e-6
"""For each block among which a cluster divides k: adding the parts, and slower streaming (H200, two to eight blocks)."""


def clusters_at_once(processors: int, blocks: int) -> int:
    """Return the clusters of so many blocks that find a place at the same time, at least 1.

    >>> [clusters_at_once(132, blocks) for blocks in (2, 4, 5, 8, 16)]
    [66, 30, 22, 15, 7]
    """
    if blocks <= 2:
        return max(processors // blocks, 1)
    groups, rest = divmod(int(processors * _REACHED), _GROUP)
    return max(groups * (_GROUP // blocks) + rest // blocks, 1)


def tiles_of(config: PipelineConfig, topology: OperatorTopology) -> int:
    """Return the number of tiles, slices of k counted singly."""
    rows = topology.kind.rows if isinstance(topology.kind, Grouped) else (topology.m,)
    return topology.batch * sum(-(-m // config.tile_m) for m in rows) * -(-topology.n // config.tile_n) * config.split_k

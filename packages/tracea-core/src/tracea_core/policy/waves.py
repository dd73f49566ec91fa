# SPDX-License-Identifier: MIT
"""How many tiles a configuration makes, and how many clusters of blocks work on them at once."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.kinds import Grouped
from tracea_core.policy.topology import OperatorTopology

_UNEVEN = 15 / 16
"""Share of the processors that clusters of more than two blocks can count on: a cluster stays within one of the groups, of uneven size,
that processors come in. On an H100 clusters of eight reach 120 of 132
(accel-sim/gpu-app-collection, pull request 87; NVIDIA/cutlass, issue 1921); on an H200 a grid of 33 clusters of four took twice the time
of one round."""
MERGE_SECONDS = 5.0e-6
"""For each block among which a cluster divides k: adding the parts, and slower streaming (H200, two to eight blocks)."""


def clusters_at_once(processors: int, blocks: int) -> int:
    """Return the clusters of so many blocks that find a place at the same time, at least 1.

    >>> clusters_at_once(132, 2), clusters_at_once(132, 4)
    (66, 30)
    """
    reached = int(processors * _UNEVEN) if blocks > 2 else processors
    return max(reached // blocks, 1)


def tiles_of(config: PipelineConfig, topology: OperatorTopology) -> int:
    """Return the number of tiles, slices of k counted singly."""
    rows = topology.kind.rows if isinstance(topology.kind, Grouped) else (topology.m,)
    return topology.batch * sum(-(-m // config.tile_m) for m in rows) * -(-topology.n // config.tile_n) * config.split_k

# SPDX-License-Identifier: MIT
"""How long a product of few rows or columns takes: every byte of the long operand comes from memory once, and nothing hides that.

Such a product reads a matrix of weights and multiplies it with a few vectors. Its matrix instructions are done in a fraction of the
time, so the figures that order large tiles (waves, rates of wide instructions) say nothing here. What counts is the slowest of

    memory  every operand once, at the rate that a copy reaches
    cache   what all tiles read, at the rate that the L2 delivers to all processors
    port    what one processor's tiles read, at the rate of its port
    matrix  instructions of 64 rows by N columns: N / 2 cycles, or 16 + N / 4 where reading both operands takes longer
    edge    rows of boxes beyond the tensor, which the copy engine fills with zeros

and a tenth of the others. With exchanged factors 1, 16, 64 and 128 rows of 8192×8192 took 37.5, 37.9, 37.6 and 40.2 µs on an H200 whose L2
cache held lines that were only read (44 to 46 µs where it had to write them back); the formula gives 38.8, 37.4, 39.5 and 42.7.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import MERGE_SECONDS, clusters_at_once, tiles_of
from tracea_core.target import CapabilityProfile

FEW = 128
"""Rows or columns up to which a product is taken for a stream of its other operand."""
_MEMORY_SHARE = 0.89
"""Share of a device's bandwidth that copies reach (H200: 4.27 of 4.8 TB/s)."""
_L2_BYTES_PER_CLOCK = 50
"""Of each processor, while all of them read: 10 TB/s were reached on an H200 (64×128 tiles of 128 rows), and were not the limit."""
_PORT_BYTES_PER_CLOCK = 61
"""Of one processor, whose port is 64 bytes wide: a row of 128 bytes in 2.1 cycles (`tracea_core.policy.warpgroup_time`)."""
_EDGE_SECONDS = 2.0e-9
"""For each row of a box beyond the tensor (H200: 63 or 48 of 64 rows of A cost 15 µs in 128 steps)."""
_ROW_BYTES = 128
_START_SECONDS = 3.0e-6
"""From the launch to the first full slot, and from the last one to the end."""
_SKEW_SECONDS = 3.0e-6
"""For each further block of a cluster, whose slots are free only when all of them are done (H200: 1 to 3 µs, and more with four)."""
_K_BYTES = 32


def streams(topology: OperatorTopology) -> bool:
    """Whether an operator has so few rows or columns that it only streams its other operand."""
    return 0 < min(topology.m, topology.n) <= FEW and max(topology.m, topology.n) >= 4 * min(topology.m, topology.n)


def stream_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Return the seconds that a warp-specialized kernel takes; see the module's text."""
    tiles = tiles_of(config, topology)
    size, gates = topology.dtype.bytes, topology.gates
    clock = (profile.clock_mhz or 1000.0) * 1e6
    cluster = config.cluster * config.split_k
    usable = clusters_at_once(profile.processors, cluster) * cluster
    waves = -(-tiles // usable)
    depth = -(-(topology.padded_depth(config.tile_k) if topology.innermost else topology.k) // config.split_k)
    columns = config.tile_n * gates
    loaded = (config.tile_m / config.cluster_n + columns / config.cluster_m) * depth * size
    cache = tiles * loaded / (_L2_BYTES_PER_CLOCK * profile.processors * clock)
    port = waves * (config.tile_m + columns) * depth * size / (_PORT_BYTES_PER_CLOCK * clock)
    memory = topology.traffic / ((profile.memory_gbps or 100.0) * 1e9 * _MEMORY_SHARE)
    pieces = config.tile_m // 64 * gates
    cycles = max(config.tile_n / 2, 16 + config.tile_n / 4)
    matrix = waves * depth * size / _K_BYTES * pieces * cycles / clock
    beyond = (
        max(config.tile_m - topology.m, 0) / config.cluster_n + max(config.tile_n - topology.n, 0) / config.cluster_m
    )
    edge = waves * beyond * depth * size / _ROW_BYTES * _EDGE_SECONDS
    limits = (memory, cache, port, matrix)
    merged = MERGE_SECONDS * config.split_k if config.split_k > 1 else 0.0
    return 0.9 * max(limits) + 0.1 * sum(limits) + edge + _START_SECONDS + (cluster - 1) * _SKEW_SECONDS + merged

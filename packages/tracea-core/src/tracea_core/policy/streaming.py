# SPDX-License-Identifier: MIT
"""How long a product of few rows or columns takes: every byte of the long operand comes from memory once, and nothing hides that.

Such a product reads a matrix of weights and multiplies it with a few vectors. Its matrix instructions are done in a fraction of the
time, so the figures that order large tiles (waves, rates of wide instructions) say nothing here. What counts is the slowest of

    memory  every operand once, at the rate at which lines arrive in a cache that writes others back
    cache   what all tiles read, at the rate that the L2 delivers to all processors
    block   what one processor's tiles read: at the rate of its port, or a ring of slots (all but the one that is being read) each time
            that memory takes to answer
    matrix  instructions of 64 rows by N columns: N / 2 cycles, or 16 + N / 4 where reading both operands takes longer
    ends    of tiles but the last, where a processor has many short ones: a part for each and one for each 64 rows, with their columns

and the others where they are close; then rows of boxes beyond the tensor, which the copy engine fills with zeros, slots that blocks of a
cluster fill for each other, and adding what blocks of a cluster have summed.

Fitted on an H200 to 10 to 49 configurations of each of 14 bf16 products of 1 to 128 rows, 15 to 100 µs with the L2 cache full of written
lines. What it chooses takes 0.7 % longer than the best of them in the geometric mean, 6 % at most. The ends are fitted to tiles of 64,
128 and 256 rows of 401408×8×16, ×24×16, ×64×16 and ×16×32 and of 100352×72×24, which took 0.5 to 2.2 µs of a processor each.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import clusters_at_once, tiles_of
from tracea_core.target import CapabilityProfile

FEW = 128
"""Rows or columns up to which a product is taken for a stream of its other operand."""
_MEMORY_SHARE = 0.79
"""Share of a device's bandwidth (3.8 of 4.8 TB/s)."""
_L2_BYTES_PER_CLOCK = 50
"""Of each processor, while all of them read (13 TB/s)."""
_PORT_BYTES_PER_CLOCK = 64
"""Of one processor."""
_ANSWER_SECONDS = 1.33e-6
"""From the request for a slot to its last byte."""
_EDGE_SECONDS = 2.0e-9
"""For each row of a box beyond the tensor (63 or 48 of 64 rows of A cost 15 µs in 128 steps)."""
_ROW_BYTES = 128
_START_SECONDS = 4.8e-6
"""From the launch to the first full slot, and from the last one to the end."""
_SKEW_SECONDS = 2.2e-6
"""For each further block of a cluster that shares loads, whose slots are free only when all of them are done."""
_JOIN_SECONDS, _PART_SECONDS = 1.0e-6, 1.1e-6
"""To add up what the blocks of a cluster have summed, and for each of them."""
_END_SECONDS, _END_OF_ROWS_SECONDS = (0.4e-6, 3.0e-9), (0.15e-6, 1.5e-9)
"""For each tile, and for each 64 rows of it; and what each column of the tile adds to that."""
_K_BYTES = 32
_SHARPNESS, _BLUNTNESS = 6, 4
"""Exponents of the norms that join limits, and a block's port with its ring."""


def streams(topology: OperatorTopology) -> bool:
    """Whether an operator has so few rows or columns that it only streams its other operand."""
    return 0 < min(topology.m, topology.n) <= FEW and max(topology.m, topology.n) >= 4 * min(topology.m, topology.n)


def stream_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Return the seconds that a warp-specialized kernel takes; see the module's text."""
    tiles = tiles_of(config, topology)
    size, gates = topology.dtype.bytes, topology.gates
    clock = (profile.clock_mhz or 1000.0) * 1e6
    cluster = config.cluster * config.split_k
    waves = -(-tiles // (clusters_at_once(profile.processors, cluster) * cluster))
    depth = -(-(topology.padded_depth(config.tile_k) if topology.innermost else topology.k) // config.split_k)
    columns = config.tile_n * gates
    loaded = (config.tile_m / config.cluster_n + columns / config.cluster_m) * depth * size
    row = (config.tile_m + columns) * size  # of a tile's step, one position of k
    memory = topology.traffic / ((profile.memory_gbps or 100.0) * 1e9 * _MEMORY_SHARE)
    cache = tiles * loaded / (_L2_BYTES_PER_CLOCK * profile.processors * clock)
    port = 1 / (_PORT_BYTES_PER_CLOCK * clock)
    ring = _ANSWER_SECONDS / (max(config.stages - 1, 1) * config.tile_k * row)
    block = waves * depth * row * _joined((port, ring), _BLUNTNESS)
    pieces = config.tile_m // 64 * gates
    cycles = max(config.tile_n / 2, 16 + config.tile_n / 4)
    matrix = waves * depth * size / _K_BYTES * pieces * cycles / clock
    beyond = (
        max(config.tile_m - topology.m, 0) / config.cluster_n + max(config.tile_n - topology.n, 0) / config.cluster_m
    )
    edge = waves * beyond * depth * size / _ROW_BYTES * _EDGE_SECONDS
    shared = (config.cluster - 1) * _SKEW_SECONDS
    merged = _JOIN_SECONDS + _PART_SECONDS * config.split_k if config.split_k > 1 else 0.0
    (tile, of_column), (rows, of_rows_column) = _END_SECONDS, _END_OF_ROWS_SECONDS
    ends = (waves - 1) * (tile + of_column * columns + pieces * (rows + of_rows_column * columns))
    return _START_SECONDS + _joined((memory, cache, block, matrix, ends), _SHARPNESS) + edge + shared + merged


def _joined(limits: tuple[float, ...], exponent: int) -> float:
    """The largest limit, and more where others are close."""
    top = max(limits)
    return top * sum((limit / top) ** exponent for limit in limits) ** (1 / exponent) if top else 0.0

# SPDX-License-Identifier: MIT
"""How long a warp-specialized product takes whose operands are read again and again: rounds of whole tiles, step by step.

Persistent blocks compute one tile after another, so the time is that of the block with the most tiles. A step of its ring takes as
long as the slowest of

    matrix  instructions of 64 rows by N columns and 32 bytes of k: N / 2 cycles, or 16 + N / 4 where reading both operands takes longer
    fill    rows of 128 bytes that arrive in shared memory, whether a block fetched them or a neighbour of its cluster
    cache   bytes that the block itself fetches; they count only where rows start within a line of 128 bytes
    late    the time from asking for a step to having it, over the steps that are asked for ahead
    memory  bytes of a step that no block of the round has read before: few where tiles form a square, many where they form a strip

and a tile takes its steps, and its end: results leave while nothing multiplies, unless consumers take turns; those of short tiles wait for
memory. Where memory takes half as long as all that, what tiles across read again from the cache counts, too, and turns hide nothing, since
results wait for memory (50176×512×128: 24.6 µs in 128×256, 27.7 in 128×176 in turns). Blocks of a cluster wait for each other once a tile.

Fitted on an H200 to 54 to 58 configurations of each of 49 bf16 products (7 to 10^4 µs, shapes drawn at random from 256 to 12288, those
of the benchmark, and twelve with 256 to 1664 rows or columns and k up to 16384). What it chose from the heroes took 1.3 % longer than
the best of all configurations measured in the geometric mean (1.1 % for the twelve), 25 % at most. Of 42 other products, 29 of them drawn
at random and 13 on which it had lost, each in 25 to 40 configurations, it chose 4.0 % from the best without what is late and what rows
apart cost; with both, which were fitted to them, 1.0 %.
"""

from __future__ import annotations

import math

from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.kinds import Grouped
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import MERGE_SECONDS, clusters_at_once
from tracea_core.target import CapabilityProfile

_CLOCK_MHZ = 1751.0
"""At which the cycles below were counted: between the 1980 MHz of short kernels and the 1400 to 1700 of those that heat up."""
_SHALLOW = 1.35
"""How much longer products of windows take in steps of less than 128 bytes (H200, 55² windows of 216 elements, 131 filters: 72 µs in
steps of 64, 76 µs in steps of 32 with fewer zeros)."""
_MATRIX_SHARE = 0.833
"""Share of cycles in which the matrix unit works while instructions follow each other."""
_SLOW_COLUMNS, _AS_COLUMNS = 112, 131
"""Columns of tiles whose steps take longer than those of 128, for a reason not known, where a warpgroup multiplies 64 rows of a matrix by
them (H200, bf16: 16384×1024×1024 in 128×112 67 µs, in 128×128 53; one round of 1440×888×3280 24.5 and 23.8, of 1440×720×672 11.0 and
11.4; two even rounds of 992×3664×9584 127 where 104 were expected). With 128 rows, 256×112 takes what is expected."""
_ROW_BYTES = 128
_FILL_CYCLES = 2.09
"""For each row of 128 bytes; `_STRADDLING_CYCLES` where rows start within a sector, so that five sectors hold one."""
_STRADDLING_CYCLES = 2.27
_STRADDLING_BYTES, _APART_BYTES = 34.0, 59.0
"""Bytes per cycle that reach each processor from the cache then, and where rows start within a line of 128 bytes; otherwise the cache was
never the limit."""
_LATE_CYCLES = {"lines": 1450.0, "sectors": 2250.0, "bytes": 2520.0}
"""From asking for a step to having it, while all processors do, by where rows start: so many cycles pass in as many steps as are asked for
ahead. That is all slots of the ring but one where a group of instructions stays in flight, which holds the slot of the step before
(2296×2392×4456 in 256×176, three slots: 71.0 µs with none in flight, 77.3 with one), and all of them for consumers that take turns
(128×176 in turns takes 1 to 5 % less with five slots than with four)."""
_START_SECONDS = 6.1e-6
"""From the launch to the first step and from the last one to the end."""
_END_CYCLES = 312.0
_STORE_CYCLES = 669.0
"""To store 128 × 256 results of 16 bits."""
_BURST_STEPS, _LONGEST_BURST = 24.0, 3.0
"""Steps of a tile below which stores wait for memory, and how much longer they take at the most (3136×2048×512: two ends of 128×224 cost
2000 cycles each, three of 64×256 1600)."""
_STREAMED, _AGAIN_BYTES_PER_SECOND = 0.5, 9e12
"""Share of the time that memory takes from which on rows that further tiles across read again, from the cache, add to it (200704×256×128:
50 µs in tiles of 256 columns, 56 in tiles of 128; 50176×256×512: 29 and 33)."""
_TALL = 32
_CLUSTER_CYCLES = 422.0
_WALK_CYCLES, _COPY_CYCLES = 210.0, 70.0
"""What the loading thread takes for a step over windows of images, and for each copy of that step (H200, seven layers of ResNet-50 with one
image, 7 to 21 µs, in 16 configurations each)."""
_WINDOW_CYCLES, _WINDOW_BYTES, _SPLIT_CYCLES, _CUT_WINDOW_CYCLES = 1.8, 41.0, 0.6, 5.0
"""What each row of a step takes, window or filter, where groups are walked over, and bytes of it per cycle; what is added where it lies in
two lines of the cache, since groups do not begin with one; and what one takes that does not begin with a sector, since pixels or groups do
not (H200, 3×3 filters, bf16: 64×400×14² in 25 groups 31.0 µs, in five 35.3 by 64 bytes and 35.6 by 128; 64×128×56² in groups of 32 and of
64 channels 74.9 and 72.4; 64×216×28² in groups of 24 and of 72 127 and 96.5, 64×1512×7² in groups of 24 56.6)."""
_JOIN_SECONDS, _PART_SECONDS = 1.5e-6, 0.2e-6
"""To add up what the blocks of a cluster have summed over windows, and for each of them (the same layers)."""
_MEMORY_SHARE = 0.89
"""Share of a device's bandwidth that copies reach (4.27 of 4.8 TB/s)."""
_STEP_SHARE = 0.55
"""The same for what the steps of a ring read anew, a line of each row at a time, besides what they read again from the cache."""
_SHARPNESS = 8
"""Exponent of the norm that joins limits: what is slower by a tenth already hides nearly all of the others."""


def warpgroup_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Return the seconds that a warp-specialized kernel takes; see the module's text."""
    step = _step_cycles(config, profile, topology)
    steps = math.ceil(topology.padded_depth(config.tile_k) / config.tile_k / config.split_k)
    rounds = _rounds(config, profile, topology)
    stored = config.tile_m * config.tile_n * max(topology.stored.bytes, 2) / 2
    end = _END_CYCLES + _STORE_CYCLES * stored / (128 * 256) * _burst(steps, topology)
    waiting = _CLUSTER_CYCLES if config.cluster * config.split_k > 1 else 0.0
    steady, second = rounds * (steps * step + waiting), _clock(profile) * 1e6
    busy = (steady + rounds * end) / second
    memory = topology.traffic / ((profile.memory_gbps or 100.0) * 1e9 * _MEMORY_SHARE)
    streamed = memory > _STREAMED * busy and _is_tall(topology)
    if config.barrier_mode is BarrierMode.PING_PONG and not streamed:
        busy = (steady + end) / second
    if streamed:
        across = -(-topology.n // (config.tile_n * config.cluster_n))
        memory += topology.m * (across - 1) * topology.k * topology.dtype.bytes / _AGAIN_BYTES_PER_SECOND
    merged = 0.0
    if config.split_k > 1:
        part = _JOIN_SECONDS + _PART_SECONDS * config.split_k
        merged = part if topology.innermost else MERGE_SECONDS * config.split_k
    return _START_SECONDS + _slowest(busy, memory) + merged


def _is_tall(topology: OperatorTopology) -> bool:
    """Whether one product has so many more rows than columns that its rows are nearly all that is read."""
    return topology.reduction_axes == topology.batch == 1 and topology.m >= _TALL * topology.n


def _burst(steps: int, topology: OperatorTopology) -> float:
    """How many times longer results take to leave where tiles are so short that memory has not taken those of the round before."""
    return 1.0 if topology.reduction_axes > 1 else min(max(_BURST_STEPS / max(steps, 1), 1.0), _LONGEST_BURST)


def _clock(profile: CapabilityProfile) -> float:
    """The clock in MHz that work of this kind runs at."""
    return min(_CLOCK_MHZ, profile.clock_mhz or _CLOCK_MHZ)


def _slowest(*limits: float) -> float:
    top = max(limits)
    return top * sum((limit / top) ** _SHARPNESS for limit in limits) ** (1 / _SHARPNESS) if top else 0.0


def _rounds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Whole rounds of clusters' tiles.

    Where rows fall into ragged groups, only the average of the rounds is known: the last tile of a group is half full, whatever its length,
    with a variance of 1/12 of a tile, so that of all groups together decides which side of a whole round a division falls on.
    """
    tall, wide = config.tile_m * config.cluster_m, config.tile_n * config.cluster_n
    columns = topology.batch * -(-topology.n // wide)
    at_once = clusters_at_once(profile.processors, config.cluster * config.split_k)
    if not isinstance(topology.kind, Grouped):
        return math.ceil(-(-topology.m // tall) * columns / at_once)
    lengths = topology.kind.rows
    rows, spread = sum(max(1.0, m / tall + 0.5) for m in lengths), math.sqrt(len(lengths) / 12)
    return sum(math.ceil((rows + off * spread) * columns / at_once) for off in (-1, 0, 1)) / 3


def _step_cycles(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Cycles of one step of the ring."""
    bytes_ = config.tile_k * topology.dtype.bytes
    columns = config.tile_n * topology.gates
    # Operands whose rows run along n arrive in boxes of 64 columns, whole ones; where those begin within lines, each row is two.
    loaded = columns if topology.b_along_k else -(-config.tile_n // 64) * 64 * topology.gates
    apart = not topology.b_along_k and config.tile_n * topology.dtype.bytes % _ROW_BYTES and topology.n > config.tile_n
    counted = _AS_COLUMNS if _is_slow(config, topology) else config.tile_n
    each = max(counted / 2, 16 + counted / 4)
    matrix = config.tile_m / 64 * topology.gates * bytes_ / 32 * each / _MATRIX_SHARE
    matrix *= _SHALLOW if topology.innermost and bytes_ < _ROW_BYTES else 1.0
    row = _FILL_CYCLES if topology.whole_sectors else _STRADDLING_CYCLES
    fill = (config.tile_m + (2 if apart else 1) * loaded) * bytes_ / _ROW_BYTES * row
    fetched = (config.tile_m / config.cluster_n + loaded / config.cluster_m) * bytes_
    behind = _anew_cycles(config, profile, topology, columns) if topology.whole_sectors else fetched / _STRADDLING_BYTES
    late = cache = 0.0
    if topology.op_type == "Gemm":
        late, cache = _late_cycles(config, topology), 0.0 if topology.whole_lines else fetched / _APART_BYTES
    copies = -(-config.tile_k * topology.dtype.bytes // _ROW_BYTES) * 2
    walk = _WALK_CYCLES + _COPY_CYCLES * copies if topology.innermost else 0.0
    if topology.innermost and topology.batch > 1:
        window = max(_WINDOW_CYCLES, bytes_ / _WINDOW_BYTES) if topology.whole_sectors else _CUT_WINDOW_CYCLES
        if topology.innermost * topology.dtype.bytes % min(bytes_, _ROW_BYTES):
            window += _SPLIT_CYCLES
        walk = max(walk, (config.tile_m + loaded) * window)
    return _slowest(matrix, fill, behind, walk, late, cache)


def _late_cycles(config: PipelineConfig, topology: OperatorTopology) -> float:
    """Cycles of a step where what was asked for arrives late; grouped products and convolutions were fitted without."""
    starts = "bytes" if not topology.whole_sectors else "lines" if topology.whole_lines else "sectors"
    held = 0 if config.barrier_mode is BarrierMode.PING_PONG else config.in_flight
    return _LATE_CYCLES[starts] / max(config.stages - held, 1)


def _is_slow(config: PipelineConfig, topology: OperatorTopology) -> bool:
    """Whether a step of so few columns takes as long as one of more; grouped products and convolutions were fitted without."""
    warpgroups = config.warps // 4 - 1
    return topology.op_type == "Gemm" and config.tile_n == _SLOW_COLUMNS and config.tile_m == 64 * warpgroups


def _anew_cycles(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology, columns: int) -> float:
    """Cycles in which memory delivers what the tiles of a round read in a step, each row of either operand once.

    A round is a stretch of bands of `group` tile rows. Windows of images read nearly all of their pixels again, and tiles of ragged groups
    lie side by side; neither is counted.
    """
    if topology.innermost or isinstance(topology.kind, Grouped):
        return 0.0
    tall, wide = config.tile_m * config.cluster_m, columns * config.cluster_n
    down, across = -(-topology.m // tall), -(-topology.n * topology.gates // wide)
    at_once = min(clusters_at_once(profile.processors, config.cluster * config.split_k), topology.batch * down * across)
    together = min(at_once, down * across)
    high = min(config.group, down) if min(config.group, down) * across >= together else together / across
    rows = high * tall + together / high * wide
    bytes_ = rows * at_once / together * config.split_k * config.tile_k * topology.dtype.bytes
    bandwidth = (profile.memory_gbps or 100.0) * 1e9 * _STEP_SHARE
    return bytes_ / bandwidth * _clock(profile) * 1e6

# SPDX-License-Identifier: MIT
"""A roofline with wave quantization: how long a configuration would take if only geometry mattered.

It orders guesses and serves the tuner as a prior; it is never reported as a measurement. Three limits are weighed: the
matrix units with whole waves of whole tiles, the cache with what tiles read again, and memory with each byte once. The
cache figures follow DeepGEMM's heuristic (deepseek-ai/DeepGEMM, heuristics/sm90.hpp).
"""

from __future__ import annotations

import math

from tracea_core.doctor.few_rows import LANE_SUMS
from tracea_core.dtypes import DType
from tracea_core.policy.budget import SHORT_LANES, blocks_at_once, is_cpu, vector_lanes
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.few_row_rules import few_row_seconds
from tracea_core.policy.plane_time import plane_seconds
from tracea_core.policy.streaming import stream_seconds, streams
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.warpgroup_time import warpgroup_seconds
from tracea_core.policy.waves import tiles_of
from tracea_core.target import HALVED_VECTORS, CapabilityProfile

_TILE_SECONDS = 1.0e-6  # pipeline fill and store of one tile that nothing overlaps, on a GPU
_LAUNCH_SECONDS = 2.0e-6  # a further kernel, or a grid-wide wait, to add up slices of k
_WARP_SHARE = 0.39
"""Of that peak (H200, bf16, 2048³ to 8192×8192×4096: 379 TFLOP/s with 128×128, 330 with 64×128, 273 with 64×64, 195 with 32×64)."""
_ALONG_K = 1.03  # for each operand of fp32 that lanes read along k: it passes registers (H200, 4096³: 2925 µs, 2750 where neither does)
_L2_BYTES_PER_CLOCK = 64  # of each processor, as far as the L2 delivers
_CPU_FIXED_CLOCKS = 200  # to enter a register tile, store it and leave
_WIDE_LANES = 8  # of vectors up to which a line from the second cache takes two clocks
_CONVERT_LOADS = 3  # what widening one element of A costs, in loads: it is done for each row and step of k
_STREAMED_ROWS, _MORE_LOADS = 10, 2.5
"""Rows of A read in place that general registers of an x86 point to; what each further one costs, in loads. Zen 3, 2048×8×777, one
core: 65 GFLOP/s with 10 rows, 56 with 12, 47 with 14."""
_SET_BYTES, _ROWS_OF_A_SET, _EVICTED_LOADS = 4096, 6, 6.0
"""Distance at which rows fall into one set of a first cache of 64 sets; how many of them it holds beside a panel; what each further
one costs, in loads. The same with a k of 1024: 49 GFLOP/s with 6 rows, 44 with 8, 37 with 10, 24 with 12, 19 with 14."""
_ASKED_ROWS, _SHORT_BLOCK = 16, 32
"""Rows of B between which those lie that pass over A together and are asked for, of which each row of A has two lines: eight of them took
0.8 of the time of four (`tracea_core.policy.cpu_blocks`)."""
_SECOND_BYTES, _FIRST_BYTES = 26, 32 << 10
"""Bytes that a step's row of B takes at most from the second cache in a clock, where its panel outgrows the first. Zen 3, one core,
500×240×1000: 80 GFLOP/s with 4×24, which asks for 16, and 64 with 2×40, which asks for 32; with a k of 128 both are within 6 %."""
_HALVED_BYTES = 7.5
"""The same where vectors are halved. Two cores of Zen 1: 1024³ in panels packed before, 4×24, ran at 79 GFLOP/s, 14 clocks for 96 bytes,
and 6×16 at the limit of 92; 16×4096×4096 at 54 with 4×16 and at 49 with 6×16, which computes 18 rows."""
_PACK_CLOCKS = 2.0  # to copy one vector of B into a panel
_PACKED_AGAIN = 8.0
"""Rows of multiply-adds that it costs about to pack a panel again where rows are divided. Two narrow panels in the place of one divided one
read all rows twice: 25,088×64×256 has 147 GFLOP/s with 10×32 and 172 with 6×64 (Zen 4, rows of 25 MB)."""


def predict_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Return a lower estimate of the seconds one call takes; 0.0 for an empty problem.

    Figures missing from the profile (peak rate, bandwidth, clock) count as 1 TFLOP/s, 100 GB/s and 1 GHz.
    """
    if not topology.work:
        return 0.0
    return _cpu_seconds(config, profile, topology) if is_cpu(profile) else _gpu_seconds(config, profile, topology)


def _overlap(*limits: float) -> float:
    """Return the largest limit and a tenth of the others: nothing hides entirely behind something else."""
    return 0.9 * max(limits) + 0.1 * sum(limits)


def _peak(profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Multiply-adds per second of the whole device."""
    return 0.5e9 * (profile.peak(topology.dtype) or profile.peak_gflops_fp32 or 1000.0)


def _by_warps(profile: CapabilityProfile, topology: OperatorTopology) -> bool:
    """Whether single warps multiply types for which the device's peak is that of whole warpgroups."""
    wide = any(i.operand is topology.dtype and i.name.startswith("wgmma") for i in profile.matrix_instructions)
    return wide and topology.instruction.startswith("mma_")


def _cpu_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Cycles of register tiles, dealt to the workers as whole panels of columns or parts of rows."""
    topology = topology.evenly
    windows = config.halo or (config.in_flight > 0 and topology.reduction_axes > 1)
    if windows:  # rows are the pixels of all images
        topology = topology.replace(batch=1, m=topology.n * topology.batch, n=topology.m)
    vectors = -(-config.tile_n // vector_lanes(profile, topology.accumulator))
    multiplies = topology.gates * config.tile_m * vectors
    loads = config.tile_m + topology.gates * vectors
    widens = topology.dtype.bytes < topology.accumulator.bytes and not (config.pack_a or config.halo)
    converts = config.tile_m if widens else 0
    crowded = 0.0 if windows else _crowded_loads(config, profile, topology)
    # Two multiply-adds and two loads start each cycle; eight multiply-adds must be independent to hide their latency.
    step = max(multiplies, loads + _CONVERT_LOADS * converts, 8) / 2 + crowded / 2
    bytes_per_clock = float(_SECOND_BYTES)
    if profile.has(
        HALVED_VECTORS
    ):  # one of each starts, and a broadcast with it; five multiply-adds hide the latency of one
        step = max(multiplies, loads - config.tile_m / 2 + _CONVERT_LOADS * converts, 5) + crowded / 2
        bytes_per_clock = _HALVED_BYTES
    depth = topology.depth / config.split_k
    row = config.tile_n * topology.gates * topology.accumulator.bytes
    if profile.lanes <= _WIDE_LANES and row * min(depth, config.block_k or depth) > _FIRST_BYTES:
        step = max(step, row / bytes_per_clock)
    tiles_m, tiles_n = -(-topology.m // config.tile_m), -(-topology.n // config.tile_n)
    panels = topology.batch * tiles_n * config.split_k
    # Panels go round; where they do not come out even, rows are divided as well.
    uneven = min(
        -(-panels // profile.processors) * tiles_m,
        -(-panels * tiles_m // profile.processors) + min(tiles_m * 0.02, _PACKED_AGAIN / config.tile_m),
    )
    clock = (profile.clock_mhz or 1000.0) * 1e6
    copied = -(-panels // profile.processors) if config.pack_b else 0
    packing = copied * depth * topology.gates * vectors * _PACK_CLOCKS
    compute = (uneven * (depth * step + _CPU_FIXED_CLOCKS) + packing) / clock
    bandwidth = (profile.memory_gbps or 100.0) * 1e9
    partials = topology.batch * topology.m * topology.n * topology.accumulator.bytes
    reduction = 2.0 * partials * config.split_k / bandwidth if config.split_k > 1 else 0.0
    return _overlap(compute, topology.traffic / bandwidth) + reduction


def _crowded_loads(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """What more rows of A cost than an x86 has pointers and its first cache ways for, in loads at each step of k."""
    if profile.lanes <= SHORT_LANES or config.pack_a or topology.a_along_m:
        return 0.0
    apart = topology.depth * topology.dtype.bytes
    passing = (
        config.stages > 1 and _SHORT_BLOCK >= config.block_k > _ASKED_ROWS
    )  # B streams past a few lines of each row
    evicted = max(config.tile_m - _ROWS_OF_A_SET, 0) if apart % _SET_BYTES == 0 and not passing else 0
    return _MORE_LOADS * max(config.tile_m - _STREAMED_ROWS, 0) + _EVICTED_LOADS * evicted


def _gpu_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Waves of whole tiles against the L2 and memory; warp-specialized kernels by the figures of a device."""
    if config.barrier_mode is not BarrierMode.NONE:
        few = streams(topology) and not topology.innermost
        return (stream_seconds if few else warpgroup_seconds)(config, profile, topology)
    if isinstance(topology.kind, Channelwise) and topology.kind.planes:
        return plane_seconds(config, profile, topology)
    if topology.instruction == LANE_SUMS:
        return few_row_seconds(config, profile, topology)
    size, gates = topology.dtype.bytes, topology.gates
    usable = max(profile.processors // config.cluster * config.cluster, config.cluster)
    resident = blocks_at_once(config, profile, topology) if profile.shared_bytes else 1
    tiles = tiles_of(config, topology)
    waves = -(-tiles // usable)
    depth = math.ceil(topology.padded_depth(config.tile_k) / config.split_k / config.tile_k) * config.tile_k
    # Tiles below 128 × 128 read operands faster than shared memory delivers them.
    share = min(1.0, config.tile_m * config.tile_n / (config.tile_m + config.tile_n) / 64)
    if topology.op_type == "Gemm" and _by_warps(profile, topology):
        share = _WARP_SHARE * math.sqrt(share)
    rate = _peak(profile, topology) / profile.processors * share
    products = config.tile_m * config.tile_n * gates * depth
    compute = waves * products / rate + waves * _TILE_SECONDS / resident
    if topology.dtype is DType.FP32 and topology.instruction.startswith("simt"):
        compute *= _ALONG_K ** (topology.b_along_k + (not topology.a_along_m))
    clock = (profile.clock_mhz or 1000.0) * 1e6
    reread = (config.tile_m / config.cluster_n + config.tile_n * gates / config.cluster_m) * depth * size * tiles
    cache = reread / (_L2_BYTES_PER_CLOCK * profile.processors * clock)
    bandwidth = (profile.memory_gbps or 100.0) * 1e9
    seconds = _overlap(compute, cache, topology.traffic / bandwidth)
    if config.split_k > 1:
        partials = topology.batch * topology.m * topology.n * gates * topology.accumulator.bytes
        seconds += _LAUNCH_SECONDS + 2.0 * partials * config.split_k / bandwidth
    return seconds

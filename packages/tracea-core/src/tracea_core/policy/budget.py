# SPDX-License-Identifier: MIT
"""Whether a configuration fits a device: registers, shared memory, threads, clusters.

A rule of thumb for pruning, cheap enough for a hundred thousand candidates. The verifier checks the schedule that is
built from a configuration; what is refused here could not have been built.
"""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.kinds import LowRank
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import AsyncCopyKind, CapabilityProfile

WARPGROUP = 4
"""Warps that issue a warpgroup matrix instruction together."""

_TILES, _TILE_SIDE = 8, 16
_MOST_BLOCKS = 2
"""Blocks of a processor beyond which nothing more is hidden."""
_RESERVED_REGISTERS = 40  # addresses, loop counters and fragments besides the accumulators
_BESIDE_SCALES = 256
"""Bytes that boxes of scales are longer at most."""
_ALIGNMENT_BYTES = 1024  # what 128-byte swizzled tiles are aligned to, and more than the barriers take


def is_cpu(profile: CapabilityProfile) -> bool:
    """Whether a profile describes a CPU (by its architectural vector registers)."""
    return profile.vector_registers > 0


SHORT_LANES = 4
"""Lanes of vectors of Arm, which has twice the general registers of an x86 and larger first caches."""


def vector_lanes(profile: CapabilityProfile, dtype: DType) -> int:
    """Return how many elements of `dtype` a vector register of a CPU holds (`profile.lanes` counts fp32)."""
    return max(1, profile.lanes * 4 // dtype.bytes)


_GROUPS = re.compile(r"(fma_outer|amx)_[0-9x]+_(bf16|u?int8)(xu?int8)?")


def sums_of_groups(instruction: str) -> str:
    """Return what holds the sums of a CPU's instruction that adds products of several k: ``"vectors"`` or ``"tiles"``; else nothing.

    >>> sums_of_groups("amx_2x2_bf16"), sums_of_groups("fma_outer_6x4x16_bf16"), sums_of_groups("fma_outer_6x4x16_fp32")
    ('tiles', 'vectors', '')
    """
    found = _GROUPS.fullmatch(instruction)
    return "" if found is None else "tiles" if found.group(1) == "amx" else "vectors"


def compute_warps(config: PipelineConfig) -> int:
    """Return the warps of a block that hold accumulators: all but a producer warpgroup (or warp, in small blocks)."""
    if config.barrier_mode is BarrierMode.NONE:
        return config.warps
    return config.warps - (WARPGROUP if config.warps > WARPGROUP else 1)


_TURN = 128 * 128
"""Sums of a tile that leave a warpgroup registers for where the parts of a batch lie (`tracea_core.semantic.build.specialized_limits`)."""
_RUN_BYTES = 128
"""Of channels that a copy engine brings for one element of a filter (`tracea_core.semantic.build.gradient_tile`)."""


def shared_bytes(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> int:
    """Return the shared memory a block takes: the ring of A and B tiles, a sub-tile of C where copies store it, its part of k's sums."""
    if AsyncCopyKind.BLOCK_2D in profile.async_copies:
        return 0  # operands go straight to registers
    stage = (config.tile_m + config.tile_n * topology.gates) * config.tile_k * topology.dtype.bytes
    stage += (config.tile_m + config.tile_n) * DType.FP32.bytes + _BESIDE_SCALES if config.value("scale_boxes") else 0
    ring = stage * config.stages
    if config.barrier_mode is BarrierMode.NONE:
        return ring
    columns = min(config.tile_n, 64)
    parts = config.tile_m * config.tile_n * topology.accumulator.bytes if config.split_k > 1 else 0
    return ring + parts + config.tile_m * columns * topology.stored.bytes + _ALIGNMENT_BYTES


def accumulator_registers(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> int:
    """Return the registers that accumulators take: vectors of a CPU core, 32-bit registers of a GPU thread."""
    if is_cpu(profile):
        return topology.gates * config.tile_m * -(-config.tile_n // vector_lanes(profile, topology.accumulator))
    lanes = compute_warps(config) * profile.lanes
    if config.barrier_mode is BarrierMode.PING_PONG:
        lanes //= 2  # each consumer owns a whole tile
    words = config.tile_m * config.tile_n * topology.gates * topology.accumulator.bytes // 4
    put_aside = config.block_k and not isinstance(topology.kind, LowRank)  # there it is the middle's columns
    words *= 2 if put_aside else 1  # what a step gave, and the sums that it is added to
    return -(-words // max(lanes, 1))


def blocks_at_once(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> int:
    """Return how many blocks a GPU's processor holds, as far as more of them help: by its shared memory and its registers."""
    held = registers_of_thread(config, profile, topology) * compute_warps(config) * profile.lanes
    limits = ((profile.shared_bytes, shared_bytes(config, profile, topology)), (profile.registers_per_processor, held))
    return max(1, min([_MOST_BLOCKS, *(has // max(takes, 1) for has, takes in limits if has)]))


def registers_of_thread(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> int:
    """Return the registers of a GPU's thread: accumulators, and what nothing can be done without."""
    return accumulator_registers(config, profile, topology) + _RESERVED_REGISTERS


def budget_reason(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> str | None:
    """Return why `config` cannot run `topology` on `profile`, or None if nothing here speaks against it."""
    axes = 1 if topology.innermost or topology.columns_image else topology.reduction_axes
    if topology.columns_image and config.tile_n * topology.dtype.bytes % _RUN_BYTES:
        return (
            f"tile_n = {config.tile_n} is no multiple of the {_RUN_BYTES} bytes of channels that a walk loads at once"
        )
    if (
        topology.columns_image
        and config.barrier_mode is BarrierMode.PING_PONG
        and config.tile_m * config.tile_n > _TURN
    ):
        return f"consumers that take turns at parts of images hold no more than {_TURN} sums"
    if config.split_k > 1 and (topology.gates > 1 or axes > 1):
        return "split_k needs a single reduction axis and one accumulator per element"
    if config.split_k > max(topology.k, 1):
        return f"split_k = {config.split_k} exceeds k = {topology.k}"
    return (_cpu_reason if is_cpu(profile) else _gpu_reason)(config, profile, topology)


def _tiles_reason(config: PipelineConfig) -> str | None:
    """A matrix unit of a CPU has eight tiles of 16 × 16 sums, those of both operands included."""
    rows, columns = config.tile_m // _TILE_SIDE, config.tile_n // _TILE_SIDE
    needed = rows * columns + rows + columns
    if config.tile_m % _TILE_SIDE or config.tile_n % _TILE_SIDE or not 3 <= needed <= _TILES:
        return f"{config.tile_m}x{config.tile_n} sums take {needed} of {_TILES} tiles of {_TILE_SIDE}x{_TILE_SIDE}"
    return None


def _cpu_reason(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> str | None:
    if sums_of_groups(topology.instruction) and (
        config.split_k > 1 or config.block_k or config.pack_a or config.halo or config.stages > 1 or not config.pack_b
    ):
        return "products by groups of k pack B, and keep the sums of the whole reduction in registers"
    if sums_of_groups(topology.instruction) == "tiles":
        return _tiles_reason(config)
    lanes = vector_lanes(profile, topology.accumulator)
    if (config.block_k or config.pack_a or not config.pack_b) and (topology.reduction_axes > 1 or config.split_k > 1):
        return "block_k, pack_a and operands in place need a single reduction axis that is not split"
    if config.halo and not topology.windows:
        return "halo needs a convolution of one group with padding around a filter larger than 1×1, or with channels together"
    halves = topology.b_along_k and not config.pack_b and config.tile_n == lanes // 2 > 1
    if config.tile_n % lanes and not halves:
        return f"tile_n = {config.tile_n} is no multiple of the {lanes} lanes of a vector"
    # Beside the accumulators: the vectors of B's row for each gate, and one broadcast element of A.
    vectors = accumulator_registers(config, profile, topology) + topology.gates * -(-config.tile_n // lanes) + 1
    if vectors > profile.vector_registers:
        return f"a {config.tile_m}x{config.tile_n} register tile needs {vectors} of {profile.vector_registers} vectors"
    passes = not config.pack_b and config.block_k > 0 and not topology.b_along_k  # B streams past
    turned = not config.pack_b and topology.b_along_k and topology.gates == 1 and config.tile_n <= lanes
    sweeps = (
        (config.pack_b or topology.panel_columns)
        and not (config.block_k or config.pack_a or config.halo)
        and config.split_k == 1
    )
    if config.in_flight and not sweeps:
        return "only a sweep over whole panels that are packed asks for lines on its way"
    if config.in_flight and topology.reduction_axes > 1 and not topology.tested_image:
        return "windows ask for lines where they are tested in place: in strided images with padding, in the type of the sums"
    asks = topology.panel_columns or passes or turned or isinstance(topology.kind, Channelwise) or config.in_flight
    stages = 2 if asks else 1  # the second is asked for while the first is used
    if config.stages > stages or (config.warps, config.cluster) != (1, 1) or config.swizzle is not SwizzleMode.NONE:
        return "a CPU has no shared memory, warps or clusters: stages, warps and clusters are 1, swizzle is none"
    if topology.panel_columns and (config.pack_b or config.tile_n % topology.panel_columns):
        return f"B lies in panels of {topology.panel_columns} columns: tiles span whole ones and read them in place"
    return None


def _gpu_reason(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> str | None:
    threads = config.warps * profile.lanes
    if threads > profile.max_threads_per_block:
        return f"{threads} threads exceed {profile.max_threads_per_block} per block"
    if config.cluster > profile.max_cluster:
        return f"a cluster of {config.cluster} blocks exceeds {profile.max_cluster}"
    shared = shared_bytes(config, profile, topology)
    if shared > profile.shared_bytes:
        return f"{shared} bytes of shared memory exceed {profile.shared_bytes}"
    registers = registers_of_thread(config, profile, topology)
    if profile.max_registers_per_thread and registers > profile.max_registers_per_thread:
        return f"{registers} registers per thread exceed {profile.max_registers_per_thread}"
    held = registers * compute_warps(config) * profile.lanes
    if profile.registers_per_processor and held > profile.registers_per_processor:
        return f"{held} registers exceed the {profile.registers_per_processor} of a processor"
    if config.barrier_mode is not BarrierMode.NONE and profile.has("wgmma"):
        return _warpgroup_reason(config, topology)
    return None


def _warpgroup_reason(config: PipelineConfig, topology: OperatorTopology) -> str | None:
    """Check the shape rules of warpgroup instructions: m = 64, n a multiple of 8 up to 256, k = 32 bytes (PTX ISA)."""
    if config.warps % WARPGROUP:
        return f"{config.warps} warps are no whole warpgroups of {WARPGROUP}"
    consumers = compute_warps(config) // WARPGROUP
    owned = 1 if config.barrier_mode is BarrierMode.PING_PONG else consumers
    if consumers < 1 or config.tile_m % (64 * owned):
        return f"tile_m = {config.tile_m} is no multiple of 64 rows for each of {owned} consumers"
    if config.tile_n % 8 or config.tile_n > 256:
        return f"tile_n = {config.tile_n} is no multiple of 8 up to 256"
    if config.tile_k * topology.dtype.bytes % 32:
        return f"tile_k = {config.tile_k} is no multiple of 32 bytes of {topology.dtype.value}"
    return None

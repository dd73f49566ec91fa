# SPDX-License-Identifier: MIT
"""The rules for low-rank products on a GPU: which rows, how much of x and of B at a time, and how long one kernel takes against two."""

from __future__ import annotations

import itertools
import math

from tracea_core.doctor.chains import chain_shape
from tracea_core.doctor.low_rank import low_rank_fits
from tracea_core.dtypes import DType
from tracea_core.policy.budget import budget_reason, is_cpu
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.kinds import LowRank
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import AsyncCopyKind, CapabilityProfile

_ROWS, _COLUMNS, _DEPTH_BYTES = (128, 64, 32, 16, 8), (128, 64, 32, 16, 8), (128, 64, 32)
_WARPS = (4, 8, 2, 1, 16)
_STAGES, _STAGES_OF_COPIES = (2, 1), (4, 3, 2)
_HEROES = 12
_TILE_SECONDS = 1.0e-6  # pipeline fill and store that nothing overlaps
_LAUNCH_SECONDS = 2.0e-6  # of a kernel, from the end of the one before it
_L2_BYTES_PER_CLOCK = 64  # of each processor
_WARP_SHARE = 0.39
"""Of the peak of a device whose warpgroups multiply, what single warps reach (`tracea_core.policy.model`)."""
_SURELY = 0.7
"""Share of the time of two kernels below which one is taken for faster (H200, bf16 and fp16, 1 to 32768 rows, k and n of 1000 to 8192,
ranks 4 to 128, 256 products in turns with PyTorch's two): what is taken so gains 4.4 % over two for all of them, the best of both 6.3 %,
a share of 0.8 3.5 %. One kernel reaches 0.4 of memory's bandwidth and takes some 0.15 µs for each step of k, so it gains with k of 1024 and
few rows."""
_WHOLE_SIDE = 64
"""Rows times columns by their sum from which shared memory delivers operands as fast as they are multiplied."""


def column_splits(operator: OperatorTopology, config: PipelineConfig, profile: CapabilityProfile) -> int:
    """Return how many blocks share the columns of the output of some rows."""
    blocks = operator.batch * -(-operator.m // config.tile_m)
    return sharers(blocks, -(-operator.n // config.tile_n), profile.processors)


def sharers(blocks: int, tiles: int, processors: int) -> int:
    """Return the number of blocks that share so many tiles of columns: for processors that would else be idle, none without a tile.

    >>> sharers(1, 32, 132), sharers(5, 32, 132), sharers(200, 32, 132)
    (32, 16, 1)
    """
    most = max(1, min(processors // max(blocks, 1), tiles))
    each = -(-tiles // most)
    return max(1, -(-tiles // max(each, 1)))


def one_kernel_seconds(operator: OperatorTopology, config: PipelineConfig, profile: CapabilityProfile) -> float:
    """Return about how long the kernel takes: waves of blocks against their units and the L2, all bytes against memory."""
    assert isinstance(operator.kind, LowRank)
    size, splits = operator.dtype.bytes, column_splits(operator, config, profile)
    blocks = operator.batch * -(-operator.m // config.tile_m) * splits
    waves = -(-blocks // max(profile.processors, 1))
    tiles = -(-operator.n // config.tile_n)
    columns = -(-tiles // splits) * config.tile_n
    depth = -(-operator.k // config.tile_k) * config.tile_k
    share = _share(config.tile_m, min(config.block_k, config.tile_n), operator, profile)
    rate = _peak(operator, profile) * share / max(profile.processors, 1)
    compute = config.tile_m * config.block_k * (depth + columns) / rate
    clock = (profile.clock_mhz or 1000.0) * 1e6
    moved = ((config.tile_m + config.block_k) * depth + config.block_k * columns) * size
    moved += config.tile_m * columns * operator.stored.bytes
    block = max(compute, moved / (_L2_BYTES_PER_CLOCK * clock))
    return _LAUNCH_SECONDS + _TILE_SECONDS + max(waves * block, operator.traffic / _bandwidth(profile))


def two_kernels_seconds(operator: OperatorTopology, profile: CapabilityProfile) -> float:
    """Return the least that two products take, the middle written and read again: their units' peak, or memory's bandwidth."""
    assert isinstance(operator.kind, LowRank)
    rows, rank, size = operator.batch * operator.m, operator.kind.r, operator.dtype.bytes
    found = 0.0
    for n, k, stored in ((rank, operator.k, size), (operator.n, rank, operator.stored.bytes)):
        bytes_ = (rows * k + k * n) * size + rows * n * stored
        busy = max(rows * n * k / _peak(operator, profile), bytes_ / _bandwidth(profile))
        found += _LAUNCH_SECONDS + _TILE_SECONDS + busy
    return found


def one_kernel_pays(operator: OperatorTopology, config: PipelineConfig, profile: CapabilityProfile) -> bool:
    """Whether one kernel is estimated to be faster than two at their best, by more than the estimate may be wrong; on a CPU it always is.

    H200, bf16, rank 16: 64 rows with k = n = 1024 pay (estimated 3.6 µs against 6.1, measured 3.9 and 6.1), 512×4096×4096 do not (5.6
    against 7.8, measured 13.9 and 9.8).
    """
    return is_cpu(profile) or one_kernel_seconds(operator, config, profile) <= _SURELY * two_kernels_seconds(
        operator, profile
    )


def _peak(operator: OperatorTopology, profile: CapabilityProfile) -> float:
    """Multiply-adds a second of the whole device."""
    return 0.5e9 * (profile.peak(operator.dtype) or profile.peak_gflops_fp32 or 1000.0)


def _bandwidth(profile: CapabilityProfile) -> float:
    return (profile.memory_gbps or 100.0) * 1e9


def _share(rows: int, columns: int, operator: OperatorTopology, profile: CapabilityProfile) -> float:
    """What a tile reaches of the peak."""
    share = min(1.0, rows * columns / (rows + columns) / _WHOLE_SIDE)
    wide = any(i.operand is operator.dtype and i.name.startswith("wgmma") for i in profile.matrix_instructions)
    return _WARP_SHARE * math.sqrt(share) if wide and operator.dtype is not DType.FP32 else share


def middle_stays_in_shared_memory(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a GPU, hold all columns of the middle, and take the tiles that are estimated to be fastest of those that fit.

    Before, h200: nothing. After, 4096×4096×4096 through rank 16: ``64x128x64 s4 va8 vb8 vc8 kb16``.
    """
    shape = chain_shape(operator.instruction, profile)
    if is_cpu(profile) or shape is None or not isinstance(operator.kind, LowRank):
        return decision
    m, n, k = shape
    middle = 1 << (max(operator.kind.r, n, k) - 1).bit_length()
    run = max(min(operator.alignment, operator.whole_runs) // operator.dtype.bytes, 1)
    stored = next(
        s
        for s in (8, 4, 2, 1)
        if operator.n % s == 0 and operator.stored_alignment >= min(s * operator.stored.bytes, 16)
    )
    copies = AsyncCopyKind.CP_ASYNC in profile.async_copies
    depths = tuple(max(bytes_ // operator.dtype.bytes, k) for bytes_ in _DEPTH_BYTES)
    found: list[tuple[tuple[float, ...], PipelineConfig]] = []
    for rows, columns, depth, warps, stages in itertools.product(
        _ROWS, _COLUMNS, dict.fromkeys(depths), _WARPS, (_STAGES_OF_COPIES if copies else _STAGES)
    ):
        config = PipelineConfig(
            tile_m=rows, tile_n=columns, tile_k=depth, block_k=middle, stages=stages, warps=warps,
            vector_a=run, vector_b=run, vector_c=stored,
        )  # fmt: skip
        fits = low_rank_fits((rows, columns, depth, middle), warps, stages, run, operator.dtype, profile)
        if not fits or not _divides(config, shape) or budget_reason(config, profile, operator):
            continue
        wasteful = rows > m and rows >= 2 * operator.m, columns > n and columns >= 2 * operator.n
        seconds = one_kernel_seconds(operator, config, profile)
        found.append((
            (*wasteful, round(seconds * 1e7), _WARPS.index(warps), -columns, -depth, -stages, -rows), config,
        ))  # fmt: skip
    heroes = [config for _, config in sorted(found, key=lambda one: one[0])]
    if not heroes:
        return decision
    smallest = min(heroes, key=_elements_of_warp)
    heroes = list(dict.fromkeys((*heroes[: _HEROES - 1], smallest)))
    first = heroes[0]
    text = f"{first.tile_m} rows hold a middle of {middle} columns; {first.tile_n} columns of the output at a time"
    space = PrunedSpace(
        tiles=tuple(dict.fromkeys((hero.tile_m, hero.tile_n) for hero in heroes)),
        tile_k=tuple(dict.fromkeys(hero.tile_k for hero in heroes)), block_k=(middle,),
        stages=tuple(dict.fromkeys(hero.stages for hero in heroes)), warps=tuple(dict.fromkeys(hero.warps for hero in heroes)),
    )  # fmt: skip
    return decision.because("middle stays in shared memory", text, heroes=tuple(heroes), space=space)


def _elements_of_warp(config: PipelineConfig) -> float:
    """Sums of a warp, and elements on their way through its registers."""
    wide, middle = config.tile_n, config.block_k
    moved = (config.tile_m + middle) * config.tile_k + wide * middle
    return (config.tile_m * max(wide, middle) + moved) / config.warps


def _divides(config: PipelineConfig, shape: tuple[int, int, int]) -> bool:
    """Whether warps share both products' tiles evenly."""
    m, n, _ = shape
    return all(
        any(
            config.warps % rows == 0 and config.tile_m % (rows * m) == 0 and columns % (config.warps // rows * n) == 0
            for rows in range(1, config.warps + 1)
        )
        for columns in (config.block_k, config.tile_n)
    )

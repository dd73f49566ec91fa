# SPDX-License-Identifier: MIT
"""What the warp-specialized schedule can run, and with how many registers: one rule a line, each with its words."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.gradient_tile import gradient_fault
from tracea_core.semantic.build.lane_rows import MOST_ROWS, reads_rows_by_lanes
from tracea_core.semantic.build.pixel_tile import image_fault
from tracea_core.semantic.build.scale_boxes import scale_box_fault
from tracea_core.semantic.build.step_scales import scale_registers
from tracea_core.semantic.build.store_tile import NARROWEST, ROWS
from tracea_core.semantic.build.turns import INSTANCES
from tracea_core.semantic.contraction import Contraction, I, J
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import Const, coefficient, symbols
from tracea_core.semantic.lanes_nvidia import SHORT_SUMS
from tracea_core.target import CapabilityProfile

WARPGROUP = 128
INSTRUCTION_BYTES = 32
"""Bytes of each row of A that one instruction multiplies."""
_OPERANDS = (DType.BF16, DType.FP16, DType.TF32, DType.FP8_E4M3, DType.FP8_E5M2, DType.INT8)
_MANY = 128
"""Accumulators beyond which the producer gives up what it can."""
_MOST = 176
"""Accumulators beyond which not even a bias and an activation find room."""
_OUTSIDE_ACCUMULATORS = 24
"""Registers of a consumer besides its accumulators: addresses, phases, one chunk of the epilogue."""


_Rule = tuple[bool, str]
"""What must hold, and the words where it does not."""


def specialized_fault(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile
) -> str | None:
    """Return why this schedule cannot run the problem in this configuration, or None if it can.

    Strides are judged by the kernel's symbols at launch (`tracea_core.semantic.build.box_tile.copy_engine_fault`).
    """
    rules = (
        *_operand_rules(contraction, configuration),
        *_sharing_rules(contraction, configuration),
        *_tile_rules(contraction, configuration, profile),
    )
    broken = next((reason for holds, reason in rules if not holds), None)
    return broken or _register_fault(contraction, configuration, profile)


def _operand_rules(c: Contraction, config: PipelineConfig) -> tuple[_Rule, ...]:
    """What instructions and copy engines read, and how sums of short types are kept."""
    dtype = c.a.dtype
    image, scale_fault = image_fault(c), scale_box_fault(c, config)
    plain = (image is None or len(c.k_axes) == 1) and not c.item_names and not c.out.hoisted
    aligned = min(config.vector_a, config.vector_b) * dtype.bytes >= CHUNK
    same = dtype in _OPERANDS and c.b.dtype is dtype
    along_k = plain and all(coefficient(term.offset, c.k_axes[-1].name) == Const(1) for term in (c.a, c.b))
    by_lanes = plain and reads_rows_by_lanes(c)
    short = dtype in SHORT_SUMS and not c.fast_accumulation
    return (
        (
            same,
            f"operands are {dtype.value} and {c.b.dtype.value}, not both one of {', '.join(d.value for d in _OPERANDS)}",
        ),
        (c.compute is dtype.accumulator, f"sums are {c.compute.value}, not {dtype.accumulator.value}"),
        (plain, "the problem is no plain or once-batched matrix product" + (f", and {image}" if c.windows else "")),
        (
            dtype.bytes == 2 or along_k or by_lanes,
            f"matrix instructions read {dtype.value} along k only, and an operand is not contiguous there",
        ),
        (
            not short or config.block_k > 0,
            "sums of fp8 are put aside every block_k steps unless fast accumulation is allowed",
        ),
        (
            config.block_k in (0, config.tile_k) and not (config.block_k and config.in_flight),
            "sums are put aside after every tile_k, with no group in flight",
        ),
        (
            config.block_k == 0 or dtype in SHORT_SUMS,
            f"sums of {dtype.value} keep all their bits and are not put aside",
        ),
        (
            c.scales is None or (config.block_k == c.scales.run and c.gates == 1),
            f"sums of {c.scales.run if c.scales else 0} products are scaled before they are added, and not for a gate",
        ),
        (
            c.scales is None or not config.value("returning"),
            "scales that differ along k are read in its order, which is never backwards",
        ),
        (
            not by_lanes or (config.in_flight == 0 and config.tile_m <= MOST_ROWS),
            f"rows that lanes read are at most {MOST_ROWS} of a tile, and registers are read again while no group is in flight",
        ),
        (aligned, "rows of an operand are not aligned to 16 bytes, which a copy engine needs"),
        (scale_fault is None, scale_fault or ""),
    )


def _sharing_rules(c: Contraction, config: PipelineConfig) -> tuple[_Rule, ...]:
    """How consumers take turns, and how blocks of a cluster divide k."""
    consumers, turns = _consumers(config), _takes_turns(config)
    return (
        (config.barrier_mode is not BarrierMode.NONE, f"{config.barrier_mode.value} is another schedule"),
        (not turns or consumers == INSTANCES, f"{consumers} consumers do not take turns, {INSTANCES} do"),
        (not turns or config.split_k == 1, "consumers that take turns do not divide k"),
        (config.split_k in (1, 2, 4, 8), f"{config.split_k} parts of k are not 1, 2, 4 or 8 blocks of a cluster"),
        (config.split_k == 1 or c.gates == 1, "a gated epilogue does not divide k"),
        (config.split_k == 1 or c.groups is None, "a product of ragged groups does not divide k"),
        (
            config.split_k == 1 or config.tile_n % config.split_k == 0,
            "the parts of k do not share the tile's columns evenly",
        ),
        (
            config.split_k == 1 or config.tile_n >= NARROWEST * config.split_k or config.tile_n % NARROWEST == 0,
            f"parts of k add their sums by {NARROWEST} columns, which {config.tile_n} are not a multiple of",
        ),
    )


def _tile_rules(c: Contraction, config: PipelineConfig, profile: CapabilityProfile) -> tuple[_Rule, ...]:
    """Extents of the tile, as instructions, swizzles and warpgroups divide it."""
    dtype, consumers, sharing = c.a.dtype, _consumers(config), _sharing(config)
    wanted = {128: SwizzleMode.B128, 64: SwizzleMode.B64, 32: SwizzleMode.B32}
    row, k_step = min(128, config.tile_k * dtype.bytes), INSTRUCTION_BYTES // dtype.bytes
    gradient = gradient_fault(c, config.tile_n)
    pieces = consumers > 0 and config.tile_m % (ROWS * sharing) == 0
    return (
        (
            config.tile_k in (k_step, 2 * k_step) or config.tile_k % (4 * k_step) == 0,
            f"tile_k {config.tile_k} is not {k_step}, {2 * k_step} or {4 * k_step}·i",
        ),
        (config.swizzle is wanted.get(row), f"rows of {row} bytes need that swizzle, not {config.swizzle.value}"),
        (gradient is None, gradient or ""),
        (config.tile_n % 8 == 0 and config.tile_n <= 256, f"tile_n {config.tile_n} is no multiple of 8 up to 256"),
        (config.warps % 4 == 0 and 1 <= consumers <= 3, f"{config.warps} warps are not 2 to 4 warpgroups"),
        (pieces, f"tile_m {config.tile_m} does not give {sharing} warpgroups whole 64-row pieces"),
        (config.in_flight <= 1, "more than one group in flight is not part of this schedule"),
        (
            config.cluster * config.split_k <= profile.max_cluster,
            f"a cluster of {config.cluster * config.split_k} blocks exceeds {profile.max_cluster}",
        ),
    )


def _register_fault(c: Contraction, config: PipelineConfig, profile: CapabilityProfile) -> str | None:
    """Return why a consumer's registers do not suffice, for a tile that the rules allow."""
    consumers, turns, sharing = _consumers(config), _takes_turns(config), _sharing(config)
    held = config.tile_m // (ROWS * sharing) * c.gates * config.tile_n // 2 * (2 if config.block_k else 1)
    by_lanes = c.out.dtype.bytes == 2 and config.vector_c * 2 < CHUNK
    bare = c.epilogue.expr == Accumulator(0) and c.items == Const(1) and not by_lanes
    if turns and held > _MANY and not bare:
        return f"{held} accumulators leave a consumer that takes turns no room for an epilogue, a batch or stores of its own"
    reads = any({I.name, J.name} <= symbols(term.offset) for term in c.epilogue_terms)
    if held > (_MANY if reads or by_lanes or c.items != Const(1) else _MOST) and not bare:
        return (
            f"{held} accumulators leave a consumer no room for an operand of the epilogue, a batch or stores of its own"
        )
    needed = held + _OUTSIDE_ACCUMULATORS
    boxed = bool(config.value("scale_boxes"))
    needed += scale_registers(c.scales, config.tile_n, config.tile_m // (ROWS * sharing), boxed=boxed)
    needed += config.tile_m // (ROWS * sharing) * config.tile_k // 2 if reads_rows_by_lanes(c) else 0
    budget = register_split(consumers, profile, held if turns else 0)[1]
    if needed > budget:
        return f"accumulators and addresses need {needed} registers of a consumer's {budget}"
    return None


def _consumers(config: PipelineConfig) -> int:
    return config.warps // 4 - 1


def _takes_turns(config: PipelineConfig) -> bool:
    return config.barrier_mode is BarrierMode.PING_PONG


def _sharing(config: PipelineConfig) -> int:
    """Return how many consumers share a tile."""
    return 1 if _takes_turns(config) else max(_consumers(config), 1)


def register_split(consumers: int, profile: CapabilityProfile, held: int = 0) -> tuple[int, int]:
    """Return the registers per thread of the producer and of a consumer.

    The launch gives every thread an equal, even share of the register file (in steps of 8); what the producer gives up
    goes to the consumers. 40 registers hold a loading thread, 32 when three consumers leave no more, 24 when a consumer's `held`
    accumulators, of a tile of its own, want them.

    >>> from tracea_core.doctor.presets import preset
    >>> [register_split(consumers, preset("h200")) for consumers in (1, 2, 3)]
    [(40, 240), (40, 232), (32, 160)]
    """
    groups = consumers + 1
    share = profile.registers_per_processor // (groups * WARPGROUP) // 8 * 8
    producer = 32 if consumers == 3 else 24 if held > _MANY else 40
    return producer, min(240, (share * groups - producer) // consumers // 8 * 8)

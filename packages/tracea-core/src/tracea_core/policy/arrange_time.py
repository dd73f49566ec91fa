# SPDX-License-Identifier: MIT
"""How long an arrangement should take, by the formula in `tracea_core.policy.arrange`. Estimates order choices."""

from __future__ import annotations

import math

from tracea_core.doctor.depthwise import filters_channels
from tracea_core.doctor.variants import matrix_dtypes
from tracea_core.errors import ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.arrangement import CHUNK, Arranged
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.policy.waves import tiles_of
from tracea_core.target import CapabilityProfile

ACCESSES_PER_CLOCK = 2.0
"""Accesses of single lanes that a processor serves in a cycle (H200, five odd bf16 products: 0.42 × cuBLAS)."""
WINDOW_ACCESSES_PER_CLOCK = 0.4
"""The same for elements of windows of images, each of whose places is computed and tested (H200, 3×3 at stride 2, 8×224² from 3 to 32
channels, bf16: 43 µs in two networks, where 14 had been expected, and a library took 20 to 24, with other
networks at work beside them)."""
STORES_PER_CLOCK = 6.0
"""Elements of 16 bits that a processor stores in a cycle, lanes side by side; an estimate (apart: 1.3 to 1.7 on an H200)."""
_ACROSS = 3.0
"""The same where factors are exchanged, so that lanes side by side hold a column (H200, 333×65537×129: 68 µs for 42)."""
COPY_SHARE = 0.8
"""Share of a device's bandwidth that a pass reaches (H200: row-wise kernels move 3.9 of 4.8 TB/s)."""
LAUNCH_SECONDS = 2.0e-6
"""From the end of one kernel to the first bytes of the next."""
START_SECONDS = 6.1e-6
"""From the launch of uniform blocks to their first products and from the last ones to the end; estimates of warp-specialized kernels have
it in them. With it and whole rounds, 14 odd products and convolutions are copied first, and take 0.21 to 0.82 of the time (H200)."""
SUM_SECONDS = 2.5e-6
"""Besides a launch, of the sum of parts, which begins when the product has ended (H200, six gradients of 1×1 filters: 3 to 6 µs more than
the bytes and a launch; 49×512×2048 in eight parts 10.4 to 12.5 µs, 9.7 in one kernel)."""


def timed(one: Arranged, problem: Problem) -> Arranged | None:
    """Return an arrangement with its estimate, None where no configuration fits."""
    arrangement, choice = one.arrangement, one.choice
    profile = choice.target.profile
    from tracea_core.policy.engine import PolicyEngine  # which a plan that is known does without

    engine = PolicyEngine(profile)
    try:
        hero = engine.decide(choice.problem, choice.variant).hero
    except ConfigurationError:
        return None
    topology = topology_of(choice.problem, choice.variant).replace(
        instruction=choice.variant.instruction,
        accumulate=choice.variant.accumulate,
        dtype=matrix_dtypes(choice.problem)[0],
    )
    roofline = engine.predict(hero, topology)
    terms = [f"product {roofline * 1e6:.1f} us"]
    clock = (profile.clock_mhz or 1000.0) * 1e6
    windows = isinstance(choice.problem.op, Conv2dOp) and profile.vendor == "nvidia"  # nobody measured others
    rate = WINDOW_ACCESSES_PER_CLOCK if windows else ACCESSES_PER_CLOCK
    alone = isinstance(choice.problem.op, Conv2dOp) and choice.problem.op.groups == choice.problem.op.c
    once = alone and filters_channels(
        choice.variant
    )  # a channel's filter is read once, and its pixels in runs of channels
    lanes = 0.0 if once else _accesses(choice.problem, topology, hero) / (rate * profile.processors * clock)
    lanes *= rounds(hero, profile, topology)
    if lanes > roofline:
        terms = [f"product {lanes * 1e6:.1f} us by narrow accesses"]
    stores = _stores(choice.problem, hero) / (STORES_PER_CLOCK * profile.processors * clock)
    if stores:
        terms.append(f"narrow stores {stores * 1e6:.1f} us")
    seconds = max(roofline, lanes) + stores
    if hero.barrier_mode is BarrierMode.NONE:
        terms.append(f"start {START_SECONDS * 1e6:.1f} us")
        seconds += START_SECONDS
    bandwidth = COPY_SHARE * (profile.memory_gbps or 100.0) * 1e9
    for packing in arrangement.packed:
        spec = packing.copied
        moved = spec.bytes + spec.size // spec.shape[packing.along] * packing.depth * spec.dtype.bytes
        terms.append(f"copy of input {packing.operand} {moved / 1e6:.1f} MB {moved / bandwidth * 1e6:.1f} us")
        seconds += moved / bandwidth + LAUNCH_SECONDS
    if choice.fallback is not None:
        for spec, asked in zip(choice.problem.inputs, arrangement.problem.inputs, strict=False):
            if spec.dtype is not asked.dtype:
                moved = spec.bytes + asked.bytes
                terms.append(f"conversion to {spec.dtype.value} {moved / 1e6:.1f} MB {moved / bandwidth * 1e6:.1f} us")
                seconds += moved / bandwidth + LAUNCH_SECONDS
    if arrangement.stored is not None:
        moved = 2 * problem.output.bytes
        terms.append(f"copy of the output {moved / 1e6:.1f} MB {moved / bandwidth * 1e6:.1f} us")
        seconds += moved / bandwidth + LAUNCH_SECONDS
    if arrangement.partial is not None:
        moved = arrangement.partial.bytes + problem.output.bytes
        terms.append(
            f"sum {moved / 1e6:.1f} MB {moved / bandwidth * 1e6:.1f} us + its start {SUM_SECONDS * 1e6:.1f} us"
        )
        seconds += moved / bandwidth + LAUNCH_SECONDS + SUM_SECONDS
    launches = f" + {arrangement.kernels - 1} launches" if arrangement.kernels > 1 else ""
    reason = f"{' + '.join(terms)}{launches} = {seconds * 1e6:.1f} us by {choice.variant.name}"
    return Arranged(arrangement.replace(seconds=seconds, reason=reason), choice)


def rounds(hero: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Return how many times longer tiles take than if they were dealt out evenly among all processors."""
    tiles = tiles_of(hero, topology)
    return -(-tiles // profile.processors) * profile.processors / tiles if tiles else 1.0


def _accesses(problem: Problem, topology: OperatorTopology, hero: PipelineConfig) -> float:
    """Accesses narrower than 16 bytes with which tiles read their operands; copy engines have none."""
    if not isinstance(problem.op, GemmOp | Conv2dOp) or hero.barrier_mode is not BarrierMode.NONE:
        return 0.0
    rows, columns = -(-topology.m // hero.tile_m), -(-topology.n // hero.tile_n)
    total = 0.0
    for operand, (extent, again) in enumerate(((rows * hero.tile_m, columns), (columns * hero.tile_n, rows))):
        width = _access_bytes(problem, operand)
        if width < CHUNK:
            total += topology.batch * extent * again * topology.k * topology.dtype.bytes / width
    return total


def _stores(problem: Problem, hero: PipelineConfig) -> float:
    """Stores of single elements of 16 bits, or of pairs of them: results whose rows are not aligned."""
    out = problem.output
    if out.dtype.bytes != 2 or hero.vector_c * out.dtype.bytes >= CHUNK:
        return 0.0
    each = _ACROSS if problem.options.exchanged else 1.0
    return each * out.size / (2 if hero.vector_c >= 2 else 1)


def _access_bytes(problem: Problem, operand: int) -> int:
    """Bytes that one lane finds together and aligned in rows of an input."""
    spec = problem.inputs[operand].settled()
    size = spec.dtype.bytes
    if 1 not in (spec.strides[-2:] if isinstance(problem.op, GemmOp) else spec.strides[1:2]):
        return size
    along = [extent for extent, stride in zip(spec.shape, spec.strides, strict=True) if stride == 1]
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    whole = math.gcd(problem.options.aligned(operand), CHUNK, *(count * size for count in (*along, *steps)))
    return whole if whole >= 4 else size

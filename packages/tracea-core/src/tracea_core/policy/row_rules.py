# SPDX-License-Identifier: MIT
"""The rules for operators whose rows are on their own: how many rows at a time, in steps of how many columns."""

from __future__ import annotations

from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_VECTORS = 4
"""Vectors of a step along a long row: sums of four vectors hide the latency of an addition (4 cycles on AVX2 and AVX-512)."""
_RUN_BYTES = 16
"""Bytes that a lane of a GPU moves together, and that the rows of a result that passes a CPU's caches are aligned to."""
_REGISTER_BYTES = 4
"""Of a GPU's register. What is wider is moved one by one: runs are of registers."""
_LINE_BYTES = 64
_HELD = 32
"""Registers of a row's elements that a lane holds: with as many exponentials, results and weights they leave room for several blocks."""
_FEW, _SHORT_ROW = 8, 1024
"""The same of elements that move one by one, or 16-bit ones by two, and columns of the longest rows that it is meant for."""
_STEP = 16
"""Registers of a step's elements that a lane takes where a row is swept: enough loads in flight to hide the memory behind them."""
_SHARED = 16
"""The same of a row's elements that warps share: of those of 4 bytes, which are their own registers, and of those that move one by one."""
_PIECES = 8
"""Elements that what a lane holds of a row is a multiple of, beyond as many: few kernels take all lengths, and 768 columns pad nothing."""
_WARPS = 16
"""Of a block at most: twice as many of 32 lanes leave a thread 64 registers, too few for a norm's fragments."""
_SINGLE_WARPS = 12
"""The same of elements that move one by one: 8001 columns of bf16 took 63 µs by 16 warps of 16 elements a lane, and 54 by 8 of 32."""
_PARTS = 4
"""Runs of 16-bit elements that a lane holds of a row which warps share, and works on one at a time: 64 registers are enough for that."""
_LEAST_WARPS = 8
"""Of rows in parts, and a power of two: fewer leave room for enough blocks as it is, and others take more registers to join results."""
_SHORT, _SHORTER, _SINGLE = 3, 5, 8
"""Runs that a lane holds of a row which shares a warp: of 16 bytes, of 4 or 8, and of single elements."""
_FEWEST_LANES, _SINGLE_LANES = 4, 16
"""Lanes of such a row: four of 16 bytes read two sectors of a line. Of single elements 16 read one, and 200,704 softmaxes of 49 columns in
bf16 took 38 µs by four lanes, 20 by eight and 23 by 16."""
_WAITING_RUNS, _WAITING_WARPS, _BESIDE_ROW = 4, 8, 1536
"""Runs of a lane's step and warps of a block whose row waits in shared memory, and bytes beside the row there."""
_LEAST_REGISTERS = 32
"""Of a thread where as many are under way as a processor holds."""
_OF_CACHE = 0.9
"""Share of a cache that rows under way may take, so that they are read again from there."""
_NARROW = 128
"""Registers of a thread up to which a step takes half as many: a norm holds several of a row's fragments at once."""
_DEFAULT_CACHE = 32 << 20
"""What the last cache of a processor is taken to hold if nothing is known of it."""
_SHORT_ROWS = 2
"""Short rows at a time on a CPU: more would not leave registers for the exponential."""


def steps_fill_vectors(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, walk long rows one at a time in steps of four vectors, short ones several at a time in steps of one.

    Before, avx2: nothing. After, 4096 columns: ``1x32x1``; 10 columns: ``2x8x1``.
    """
    if not is_cpu(profile):
        return decision
    lanes = vector_lanes(profile, operator.accumulator)
    long = [_cpu(1, vectors * lanes) for vectors in (_VECTORS, 2, 1)]
    short = [_cpu(_SHORT_ROWS, lanes)]
    heroes = tuple(long + short if operator.n >= _VECTORS * lanes else short + long[::-1])
    text = f"rows of {operator.n} are {'long' if heroes[0].tile_m == 1 else 'short'} against vectors of {lanes} lanes"
    return decision.because("steps fill vectors", text, heroes=heroes)


def large_results_may_pass_the_caches(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, offer to store past the caches what, together with what is read for it, fills the last of them.

    An ordinary store reads a line of memory before it overwrites it: three transfers where two do. With vectors of a whole line (Zen 4)
    softmax of 4096 × 4096 took 0.67 to 0.79 of the time, so such stores come first there. What just fits the cache had better stay in it:
    layer norm of 4096 × 1024, 32 of 32 MiB, took 1.13 to 1.3 times as long with them, of 4096 × 1280 0.93, of 4096 × 2048 0.74. With
    half a line at a time it depends on who else uses the memory: on a busy Zen 3 the layer norm took between half and 1.3 times as
    long, and the softmax up to 1.5 times. There ordinary stores come first, and measurements decide.

    Before, avx2, 4096 rows of 4096 columns: ``1x32x1 s1 w1``. After: that, and ``1x32x1 s1 w1 vc4``; avx512: ``1x64x1 s1 w1 vc4`` first.
    """
    last = max((cache.bytes for cache in profile.caches), default=_DEFAULT_CACHE)
    moved = operator.m * operator.n * (operator.dtype.bytes + operator.stored.bytes)
    if not is_cpu(profile) or moved <= last or operator.stored_alignment < _RUN_BYTES:
        return decision
    run = _RUN_BYTES // operator.stored.bytes
    lanes = vector_lanes(profile, operator.accumulator)
    heroes = tuple(
        hero.replace(vector_c=run) if hero.tile_m == 1 and lanes % run == 0 else hero for hero in decision.heroes
    )
    if heroes == decision.heroes:
        return decision
    whole_lines = lanes * operator.accumulator.bytes >= _LINE_BYTES
    first, second = (heroes, decision.heroes) if whole_lines else (decision.heroes, heroes)
    text = f"{moved >> 20} MiB are read and written, and the last cache holds {last >> 20}: results may pass it"
    return decision.because("large results may pass the caches", text, heroes=tuple(dict.fromkeys((*first, *second))))


def warps_take_rows(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """On a GPU, give each warp a row: in its registers if it fits them, else in those of a block, else in shared memory, or it is swept.

    A row that is swept is read once for each statistic and once more, and only the first time from memory: on an H200 norms of 4096
    columns took 1.5 times as long as a copy so. 16-bit elements wait in registers as they came, and are worked on in parts: with 64
    registers a thread, a layer norm of 16384 columns in bf16 took 73 µs where two blocks of 512 threads fit a processor, 113 with one. Of
    elements that move one by one a lane takes 16, and 8 of rows of up to 1024 columns: a layer norm of 3001 in bf16 took 38 µs so and 42 by
    8. Short rows share a warp, where each would leave most of its lanes idle: 200,704 layer norms of 96 columns in bf16 took 50 µs by one,
    25 by eight.

    Before, h200: nothing. After, 96 columns of bf16: ``8x96x1 … kb96``; 1000 of fp32: ``1x1024x1 … kb1024``; 4096:
    ``1x512x1 w8 … rb1 kb512``; 10⁵: ``1x512x1 w16 … rb1``.
    """
    if is_cpu(profile):
        return decision
    heroes = []
    runs = (max(operator.alignment // operator.dtype.bytes, 1), 1) if operator.dtype.bytes <= _REGISTER_BYTES else (1,)
    for width in dict.fromkeys(runs):
        heroes += [
            *_several(operator, profile, width),
            *_waiting(operator, profile, width),
            *_held(operator, profile, width),
            *_swept(operator, profile, width),
        ]
    first = heroes[0]
    kept = f"stay in registers{f' of {first.warps} warps' if first.row_block else ''}" if first.block_k else "are swept"
    if first.block_k > first.tile_n:
        kept = "wait in shared memory"
    return decision.because("warps take rows", f"rows of {operator.n} {kept}", heroes=tuple(heroes))


def _several(operator: OperatorTopology, profile: CapabilityProfile, width: int) -> list[PipelineConfig]:
    """Rows that share a warp, in as few lanes each as hold it in `_short` runs of `width` elements; nothing where one row fills a warp.

    On an H200 rows of 32 to 384 columns in bf16 took as long as a copy so, to within a tenth, with two to eight rows a warp, and rows of
    49, 50, 77 and 197 columns 0.5 to 0.74 of what they take with a warp each; nobody measured other devices. In blocks of one warp two
    rows took 2.5 times as long.
    """
    if operator.dtype.bytes > _REGISTER_BYTES or profile.vendor != "nvidia":
        return []
    lanes = _FEWEST_LANES if width > 1 else 2 * _FEWEST_LANES
    while lanes < profile.lanes and operator.n > _short(operator, width, lanes) * lanes * width:
        lanes *= 2
    if lanes >= profile.lanes:
        return []
    columns = -(-operator.n // (lanes * width)) * lanes * width
    return [_gpu(columns, width, held=True).replace(tile_m=profile.lanes // lanes)]


def _short(operator: OperatorTopology, width: int, lanes: int) -> int:
    """How many runs a lane holds of a row that shares a warp: the shorter, the more, and of single elements twice as many by 16 lanes."""
    if width == 1:
        return _SINGLE if lanes < _SINGLE_LANES else 2 * _SINGLE
    return _SHORT if width * operator.dtype.bytes == _RUN_BYTES else _SHORTER


def _held(operator: OperatorTopology, profile: CapabilityProfile, width: int) -> list[PipelineConfig]:
    """Rows in registers, in runs of `width` elements: of a warp, or else of the warps of a block; nothing where no block holds one."""
    run, registers = profile.lanes * width, width * _registers(operator)
    pieces, single = max(-(-operator.n // run), 1), width * operator.dtype.bytes <= _REGISTER_BYTES
    narrow = operator.dtype.bytes < _REGISTER_BYTES
    long = narrow and width * operator.dtype.bytes == _RUN_BYTES
    alone = _HELD if not single else _SHARED if narrow else _FEW
    if pieces * registers <= alone:
        return [_gpu(_few(pieces, _PIECES // width) * run, width, held=True)]
    few = single and operator.n <= _SHORT_ROW
    most = _SINGLE_WARPS if single else _WARPS
    sizes = (_FEW,) if few else (_HELD, _SHARED) if long else (_SHARED, _HELD)
    if shared := _together(pieces, registers, sizes, min(most, _most_warps(profile))):
        warps, each = shared
        hero = _gpu(each * run, width, held=True).replace(warps=warps, row_block=1)
        suffices = warps >= _LEAST_WARPS and warps & (warps - 1) == 0
        return [hero.replace(unroll_k=_PARTS), hero] if long and each == _PARTS and suffices else [hero]
    warps, most = -(-pieces // _PARTS), min(profile.max_threads_per_block // profile.lanes, profile.lanes)
    if long and warps <= most:  # more than leave room for all of a row's terms at once
        return [_gpu(_PARTS * run, width, held=True).replace(warps=warps, row_block=1, unroll_k=_PARTS)]
    return []


def _waiting(operator: OperatorTopology, profile: CapabilityProfile, width: int) -> list[PipelineConfig]:
    """Rows of runs of 16 bytes that are too long for registers and wait in shared memory, if a processor's holds two.

    On an H200 1024 log-softmaxes of 50,304 columns in bf16 took 76 µs so, swept 93, 2048 layer norms of 12,288 in fp32 62 and 106, and of
    10,240, which 10 warps hold by 32 elements a lane, 53 and 61. Where there is room for one row, or elements move one by one, it
    was 96 and 87 µs for 1024 × 32,000 in fp32, 101 and 91 for 1024 × 50,257 in bf16, and 84 and 90 for 512 of those in fp32: no rule tells.
    """
    size, most = operator.dtype.bytes, profile.max_threads_per_block // profile.lanes
    if profile.vendor != "nvidia" or width * size != _RUN_BYTES:
        return []
    warp = _gpu(profile.lanes * width * _WAITING_RUNS, width, held=False)
    step = warp.tile_n * _WAITING_WARPS
    columns = -(-operator.n // step) * step
    held = profile.lanes * (_PARTS * width * most if size < _REGISTER_BYTES else _SHARED * _most_warps(profile))
    if operator.n <= held or 2 * (columns * size + _BESIDE_ROW) > profile.shared_bytes:
        return []
    return [warp.replace(warps=_WAITING_WARPS, row_block=1, block_k=columns)]


def _swept(operator: OperatorTopology, profile: CapabilityProfile, width: int) -> list[PipelineConfig]:
    """Rows that pass through registers, in runs of `width` elements: by a block, if they are long, and by a warp."""
    few = width * operator.dtype.bytes <= _REGISTER_BYTES or 0 < profile.max_registers_per_thread <= _NARROW
    step = _STEP // 2 if few else _STEP
    warp = _gpu(profile.lanes * width * max(step // (width * _registers(operator)), 1), width, held=False)
    most = _most_warps(profile)
    warps = most // 2 if width == 1 and _stay_cached(operator, profile, most // 2) else most
    block = [warp.replace(warps=warps, row_block=1)] if operator.n >= 2 * most * warp.tile_n else []
    return [*block, warp]


def _stay_cached(operator: OperatorTopology, profile: CapabilityProfile, warps: int) -> bool:
    """Whether the rows of all blocks of so many warps that a device holds leave some of its last cache: they are read again from there.

    On an H200 with 50 MB log-softmaxes of bf16 whose elements move one by one took 43 µs for 2048 rows of 12,001 columns by blocks of 8
    warps (25 MB under way) and 51 by 16, for 1024 of 20,001 (42 MB) 38 and 40, for 1024 of 50,257 (106 MB) 110 and 90.
    """
    last = max((cache.bytes for cache in profile.caches), default=0)
    blocks = profile.processors * (profile.registers_per_processor // (_LEAST_REGISTERS * warps * profile.lanes))
    return blocks * operator.n * operator.dtype.bytes <= _OF_CACHE * last


def _registers(operator: OperatorTopology) -> int:
    """Registers of a number that a lane computes with."""
    return -(-operator.accumulator.bytes // _REGISTER_BYTES)


def _together(pieces: int, registers: int, sizes: tuple[int, ...], most: int) -> tuple[int, int] | None:
    """Return how many warps of `most` hold a row of so many pieces, of so many registers a lane each, and pieces of each; None if none do.

    Of elements of 2 bytes a lane takes twice as many: few warps wait for each other, and as many bytes are under way. On an H200 softmax
    of 8192 columns in bf16 took 1.03 times as long as a copy with 8 warps, and 1.05 to 1.45 times with 16, by the registers they were left.
    """
    for held in sizes:
        each = held // registers
        warps = -(-pieces // each) if each else 0
        if 1 < warps <= most:
            return warps, each
    return None


def _most_warps(profile: CapabilityProfile) -> int:
    """How many warps of a block take a row together, at most."""
    return min(profile.max_threads_per_block // profile.lanes, profile.lanes, _WARPS)


def _few(pieces: int, grain: int) -> int:
    """Return so many pieces or a few more: a power of two below `grain`, beyond it a multiple, so that few kernels serve all lengths."""
    if pieces <= grain:
        return 1 << (pieces - 1).bit_length()
    return -(-pieces // grain) * grain


def search_steps(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """List the steps for the tuner."""
    space = PrunedSpace(
        tiles=tuple((hero.tile_m, hero.tile_n) for hero in decision.heroes),
        tile_k=(1,), stages=(1,), warps=tuple(dict.fromkeys(hero.warps for hero in decision.heroes)),
    )  # fmt: skip
    return decision.because("search steps", f"{space.size} kinds of step", space=space)


def _gpu(columns: int, width: int, *, held: bool) -> PipelineConfig:
    return PipelineConfig(
        tile_m=1, tile_n=columns, tile_k=1, stages=1, warps=4, vector_a=width, vector_b=width, vector_c=width,
        block_k=columns if held else 0,
    )  # fmt: skip


def _cpu(rows: int, columns: int) -> PipelineConfig:
    return PipelineConfig(tile_m=rows, tile_n=columns, tile_k=1, stages=1, warps=1)


ROW_RULES = (steps_fill_vectors, large_results_may_pass_the_caches, warps_take_rows, search_steps)
"""All rules in the order in which they apply."""

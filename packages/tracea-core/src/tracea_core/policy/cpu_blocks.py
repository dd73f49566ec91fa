# SPDX-License-Identifier: MIT
"""How operands reach a CPU's register tiles: in place, in packed panels, or in blocks that stay in a cache.

The rules weigh how often an operand is used against what it costs to copy it, and what a panel takes of the caches. Figures were
measured on Zen 3 (AVX2, 32 KiB and 512 KiB of cache a core) against packing all of B, in fp32 with n = k = 4096; those of vectors of
512 bits on Zen 4 (32 KiB and 1 MiB a core), in turns with the other choice.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_tiles import cpu_heroes, is_widened
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.held_tiles import PASSING
from tracea_core.policy.kinds import Dense
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import DISTANT_CACHE, HALVED_VECTORS, SEPARATE_WORKERS, CapabilityProfile

_STREAMED_ROWS = 8  # up to here a B in place is faster: 2.4 times with 2 rows, 1.2 times with 8
_TURNED_ROWS = 4
"""The same for a B along k, whose blocks are turned again for each register tile; blocks that are widened, too, are packed where rows of A
lie along m, since LLVM would not hold them. Of a large one vectors of 16 lanes turn blocks of eight
rows: 16 rows are more streams than the processor foresees, and more addresses than it has registers for (n = k = 4096: 1, 2 and 4 rows
read 30 GB/s so, and 33 of eight rows; from the caches, at n = k = 1000, whole vectors take two thirds of the time). Those eight rows are
asked for 16 lines ahead: with one row 48 GB/s instead of 41 (NumPy 45)."""
_STREAMED_STEPS = 8  # rows of B that stream past together: as many as the processor foresees, and the ways of a cache
_ALONE_VECTORS = 6
"""Of a tile of one row over a large B, whose eight rows of a block are unrolled. n = k = 4096 on Zen 4: 1×96 read 49 GB/s, 1×128 and 1×64
46 and 45; with sixteen rows together 45, 43 and 44 (NumPy 40 to 45)."""
_FEW_ROWS = 24
_FEW_ROWS_BLOCK = 64
_WIDE_ROWS, _WIDE_BLOCKS = 96, (16, 32)
"""Rows up to which vectors of 512 bits pass over a large B in place, and how many of its rows they take together: for few rows those that
fit the ways of a cache and are asked for a block ahead, for more fewer passes over the sums. n = k = 4096, B packed / so: 16 rows 5.6 /
3.6 ms, 32 rows 8.2 / 6.7, 64 rows 13.1 / 11.8, 96 rows 18.0 / 17.1; 256 rows 41.9 / 42.6. Asked for ahead, 1, 4 and 8 rows take 14, 30
and 38 % less."""
_OTHER_ROWS = 6
"""Rows of tiles that are taken instead of `PASSING` where they compute fewer. n = k = 4096 on two cores of Zen 4, 8×48 asking for the next
rows of B, 32 of them together: 16 rows 176 GFLOP/s (4×48 by 16 rows 139), 24 rows 188 (6×64 182), 32 rows 190 (4×80, not asking, 163), 64
rows 186 (168); 12 rows 138 (6×64 172)."""
_NARROW_ROWS, _MOST_NARROW = (8, 4), 128
"""Rows of a tile one vector wide, for up to so many rows of A and for more, that a large B along k is turned for, and the most rows of A:
16 rows of B are streams that the processor follows, 80 are not. n = k = 4096, in tiles of 4×80 / of 4×16: 12 rows 4.5 / 4.1 ms, 16 rows
5.2 / 4.7, 32 rows 7.7 / 6.9, 64 rows 12.3 / 11.6, 96 rows 17.4 / 16.6; 128×3072×768 3.04 / 2.94 ms, 512×3072×768 11.0 / 11.3. Where the
last cache is distant, many streams are followed; two cores of Emerald Rapids, in tiles of 4×16 / of 6×64: 16 rows 82 / 97 GFLOP/s, 32 rows
109 / 161, 64 rows 139 / 232, 128×3072×768 149 / 255."""
_FEW_VECTORS, _ASKING_REGISTERS = 4, 28
_FEW_HALVED_BLOCK = 128
"""Steps of a block where vectors are halved and up to `_ASKING_ROWS` rows pass over it; for more rows those that fit the first cache. Two
cores of Zen 1: 32 rows, n = k = 4096, 4×24 in blocks of 128, 256 and 384 steps 66, 65 and 63 GFLOP/s; 6×16 with whole panels and in blocks
of 512: 1024³ 66 and 76, 1111×999×777 70 and 74, but 512³, whose panel is 32 KiB, 79 whole and 75 in halves. A B along k is turned in whole
panels for few rows: 16 rows, 4×24, 52 GFLOP/s whole and 38 in blocks of 256 steps."""
_MANY_ROWS = 256  # beyond, packing weighs too little for its order to matter
_NARROW_LANES = 4
_WIDENED_PANELS = 4  # panels that repay widening A once instead of for each: 1.5 times faster from 256³ on
_TESTED_PRODUCTS = 640
"""Multiply-adds for each element of an image with padding up to which vectors of 512 bits test strided windows in place instead of copying
it. One core of Zen 4, 8 images, 3×3 filters at stride 2: 56×56 pixels of 128 to 128 channels (288) took 0.93 of the time, 64 to 128 (288)
0.96, 28×28 of 256 to 256 (576) 0.97, 14×14 of 512 to 512 (1,152) 1.0; without asking for the next windows 0.97, 1.0, 1.0 and 1.0."""
_HALVED_PRODUCTS = 1152
"""The same where vectors are halved. Two cores of Zen 1, 6×16, the same layers: 0.91, 0.94, 0.93 and 0.95 of the time."""
_SHORT_REDUCTION = 64  # below, the copy of an image whose channels lie apart costs more than gathering
_WHOLE_PANEL = (
    4  # part of the second cache up to which a panel is swept whole: 142 GFLOP/s at 2048³ instead of 150 with blocks
)
_WIDE_LANES = 8
"""Of vectors up to which a tile waits for its panel where that outgrows the first cache. Tiles of wider ones (24 multiply-adds for 4 lines
of B) do not: at 512³ to 1111×999×777 panels packed before are 8 to 28 % faster whole than in blocks of the first cache, and blocks of a
quarter of the second are 11, 18 and 7 % faster at 1024³, 2048³ and 384×512×16384. Up to 256 rows, no blocks are 12 to 20 % faster."""
_FEW_REGISTERS, _UNROLLED_STEPS = 16, 8
_FEWEST_ROWS = 3  # tiles of fewer rows read more than they multiply
_EMPTY = 1.02  # an empty part of the last panel that is not worth a narrower one
_PANELS_TOGETHER = 4  # with one row, two panels read at once reach 46 GB/s instead of 33, unasked for; four no more
_ALL_ROWS = 1 << 20
_LARGE_ROWS = 4  # times the second cache from which all rows of A are too many to pass over each panel
_HELD_ROWS = (
    3,
    8,
)  # part of the second cache for rows that stay while panels pass: 155 GFLOP/s instead of 143 at 1111×999×777
_FEWEST_TILES = 8  # tiles below each other that repay reading a panel from the last cache
_ASKING_ROWS = 128  # up to here it pays to ask for panels: 32 rows reach 88 instead of 69 GFLOP/s a core, 1024 lose 2 %
_FAR_PANEL, _FAR_ROWS = 2, 512
"""Times the second cache from which a panel is cut into blocks of a quarter of it, and rows up to which: few pass over each. Two cores of
Zen 4, n = 512, k = 16384: 384 rows 220 and 226 GFLOP/s, 160 rows 215 and 223; both took as long with k = 8192, and 1,024 rows with 12288
reached 227 and 224. Results larger than the second cache are asked for: 1111×999×777 221 and 223.6, 1024³ 226.5 and 227.6, 2048³ 227.9 and
228.5, 512³ 230 and 229."""
_FAR_BLOCK = 256 << 10
"""Bytes that a block of a far panel has at most. Where the last cache is distant, panels as large as the second one are cut whatever the
rows, and results are not asked for. Two cores of Emerald Rapids (48 KiB, 2 MiB a core), panels packed before, whole / in blocks of 512,
1,024 and 2,048 steps: 384×512×16384 139 / 303, 305 and 303 GFLOP/s, 1024×2048×8192 166 / 300, 304 and 251, but 1024³ 247 / 229, 246 and
253, 2048³ 310 / 303, 276 and 308; asking for results 2048³ 290, 1111×999×777 223 instead of 228."""
_DEFAULT_CACHES = (32 << 10, 512 << 10)


def operands_meet_the_caches(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, leave a B in place that few rows use, block long reductions, and pack an A whose columns are contiguous.

    Before: m = 1, n = k = 4096 packs 64 MiB to use each element once. After: 1×56 in place, 8 rows of B at a time.
    Before: A stored column by column takes a cache line for 4 elements. After: its rows are packed.
    Before: each panel widens all of a bf16 A again. After: it is widened once, into packed rows.
    Before: a 3×3 convolution gathers each pixel into panels. After: it reads windows of a padded copy.
    """
    if is_cpu(profile) and operator.windows and not profile.has(SEPARATE_WORKERS):
        return _by_windows(decision, operator, profile)
    if is_cpu(profile) and operator.listed:
        text = "which rows of B a line of blocks needs is data: they are read in place"
        in_place = tuple(hero.replace(pack_b=False) for hero in decision.heroes)
        return decision.because("operands meet the caches", text, heroes=in_place)
    operator = operator.evenly
    if not is_cpu(profile) or operator.reduction_axes > 1 or not isinstance(operator.kind, Dense) or not operator.m:
        return decision
    place = _from_panels if operator.panel_columns else _placed
    changed, text = place(decision.heroes, operator, profile)
    if changed == decision.heroes:
        return decision
    return decision.because("operands meet the caches", text, heroes=tuple(dict.fromkeys(changed)))


def _by_windows(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """Take output pixels as rows, where there are channels enough for columns and the reduction repays the copy."""
    if operator.m < vector_lanes(profile, operator.accumulator):
        return decision
    if operator.k < _SHORT_REDUCTION and not operator.b_along_k:
        return decision
    pixels = operator.replace(batch=1, m=operator.n * operator.batch, n=operator.m)
    heroes = tuple(hero.replace(halo=True) for hero in cpu_heroes(profile, pixels, widened=False))  # the copy is wide
    text = "windows are read in place, from a copy of the image where it has padding: rows are pixels, columns are channels"
    halved = profile.has(HALVED_VECTORS)
    most = _HALVED_PRODUCTS if halved else _TESTED_PRODUCTS
    copied = operator.tested_image * most >= operator.m * operator.n * operator.k > 0
    if operator.tested_image and copied and (halved or profile.lanes > _WIDE_LANES):
        steps = {"tile_k": _UNROLLED_STEPS} if halved else {}
        heroes = tuple(hero.replace(stages=2, in_flight=1, halo=False, **steps) for hero in heroes)
        text = "windows pass over pixels and are tested in place, which costs less than a copy: rows are pixels, columns are channels"
    return decision.because("operands meet the caches", text, heroes=heroes)


def panel_columns(profile: CapabilityProfile, accumulator: DType, columns: int) -> int:
    """Return how many columns a panel has into which a weight of so many columns is copied.

    As many as the best register tile has, unless a narrower one leaves less of the last panel empty.

    >>> from tracea_core.doctor.presets import preset
    >>> panel_columns(preset("avx2"), DType.FP32, 4096), panel_columns(preset("avx2"), DType.FP32, 256)
    (24, 16)
    """
    operator = OperatorTopology(0, "product", "Gemm", 1024, columns, 1024, dtype=accumulator, accumulate=accumulator)
    widths = [hero.tile_n for hero in cpu_heroes(profile, operator) if hero.tile_m >= _FEWEST_ROWS]
    return min(widths, key=lambda width: (-(-columns // width) * width > columns * _EMPTY, widths.index(width)))


def _from_panels(
    heroes: tuple[PipelineConfig, ...], operator: OperatorTopology, profile: CapabilityProfile
) -> tuple[tuple[PipelineConfig, ...], str]:
    """Tiles as wide as the panels; their rows divide the output's evenly."""
    width, lanes = operator.panel_columns, vector_lanes(profile, operator.accumulator)
    vectors = -(-width // lanes)
    tallest = max((hero.tile_m for hero in heroes if hero.tile_n == width), default=0)
    tallest = tallest or max((profile.vector_registers - 1) // vectors - 1, 1)
    rows = -(-operator.m // -(-operator.m // tallest))
    if profile.has(HALVED_VECTORS) and _ASKING_ROWS >= operator.m > tallest > _FEWEST_ROWS:
        rows = min(range(tallest, _FEWEST_ROWS, -1), key=lambda height: -(-operator.m // height) * height)
    if rows == operator.m:
        free = profile.vector_registers - 1
        panels = -(-operator.n // width)
        most = max(min(free // ((rows + 1) * vectors), _PANELS_TOGETHER, panels), 1)
        # Masked loads of panels behind the last take 6 times as long as all others where no memory is mapped there.
        together = next((count for count in range(most, 1, -1) if panels % count == 0), most)
        tile = PipelineConfig(
            tile_m=rows, tile_n=together * width, tile_k=4, stages=2 if together == 1 else 1, warps=1, pack_b=False
        )
        if together > 1:
            return (
                (tile,),
                f"{operator.m} rows leave registers for {together} panels at a time: the processor foresees several streams",
            )
        return (tile,), f"{operator.m} rows use each panel once: panels are asked for before they are read"
    if operator.m > _MANY_ROWS:
        rows = tallest
    first, second = cache_bytes(profile)
    row = width * operator.accumulator.bytes
    block = max(first * 9 // 8 // row // 64 * 64, 64)
    plain = PipelineConfig(tile_m=rows, tile_n=width, tile_k=4, stages=1, warps=1)
    kept = _rows_held(plain, operator, profile)
    wide = _wide(profile) and operator.m > _ASKING_ROWS
    distant = profile.has(DISTANT_CACHE)
    far = operator.k * row >= second if distant else operator.m <= _FAR_ROWS and operator.k * row > _FAR_PANEL * second
    far = far and wide
    if far:
        block = max(min(second // _WHOLE_PANEL, _FAR_BLOCK) // row // 64 * 64, 64)
    whole = (wide and not far) or kept > 0 or operator.k * row <= 2 * first
    plain_sums = operator.accumulator is operator.stored and not operator.a_along_m
    asks = wide and whole and plain_sums and not distant and operator.m * operator.n * operator.stored.bytes > second
    tile = plain.replace(
        tile_k=_unroll(plain, operator, profile) if whole and operator.m > _MANY_ROWS else plain.tile_k,
        stages=2 if operator.m <= _ASKING_ROWS or asks else 1,
        in_flight=int(asks),
        pack_b=False,
        block_k=0 if whole else block,
        row_block=(kept or (0 if wide else _ALL_ROWS)) if whole else 0,
        pack_a=packs_rows(profile) and operator.a_along_m,
    )
    held = "all of one" if whole else "a block of one"
    asked = "; tiles ask for the lines of their results" if asks else ""
    return (tile,), f"B lies in panels: {held} stays in the caches while rows pass over it{asked}"


def _placed(
    heroes: tuple[PipelineConfig, ...], operator: OperatorTopology, profile: CapabilityProfile
) -> tuple[tuple[PipelineConfig, ...], str]:
    lanes, m = vector_lanes(profile, operator.accumulator), operator.m
    strange = lanes > _NARROW_LANES and operator.accumulator is not operator.dtype and operator.a_along_m
    if operator.b_along_k and m <= _TURNED_ROWS and operator.gates == 1 and lanes > 1 and not strange:
        halves = lanes > _STREAMED_STEPS and _is_large_for_few(operator, profile, _TURNED_ROWS)
        width, stages = (lanes // 2, 2) if halves else (lanes, 1)
        tile = PipelineConfig(tile_m=m, tile_n=width, tile_k=4, stages=stages, warps=1, pack_b=False)
        return (tile,), f"{m} rows use B once: blocks of it are turned in registers and never stored"
    asks = _wide(profile) and operator.accumulator is operator.dtype and operator.gates == 1
    ahead, steps = (2, 4) if asks else (1, _STREAMED_STEPS)
    if not operator.b_along_k and m == 1 and _is_large_for_few(operator, profile, 1):
        wide = min(_ALONE_VECTORS, -(-operator.n // lanes)) * lanes
        tile = PipelineConfig(
            tile_m=1, tile_n=wide, tile_k=_STREAMED_STEPS, stages=2, warps=1, pack_b=False, block_k=_STREAMED_STEPS
        )
        return (
            tile,
        ), f"one row uses a large B once: it streams past, {_STREAMED_STEPS} rows at a time, the next ones asked for"
    if not operator.b_along_k and m <= _STREAMED_ROWS:
        block = max(_STREAMED_STEPS, lanes)  # 8 rows of A in tiles of four: 30 GB/s with 16 together, 29 with eight
        fields = {"pack_b": False, "block_k": block, "tile_k": steps, "stages": ahead}
        streamed = tuple(_changed(hero, **fields) for hero in heroes if not asks or _asks_in_registers(hero, lanes))
        text = f"{m} rows use B hardly more than once: it streams past, {block} rows at a time"
        return streamed or heroes, text
    first, second = cache_bytes(profile)
    if _passes_over(operator, profile):
        few = m <= _FEW_ROWS
        block = _WIDE_BLOCKS[0 if few else 1]
        streamed = tuple(_changed(hero, pack_b=False, block_k=block, stages=ahead if few else 1) for hero in heroes)
        tall, vectors = PASSING
        if asks and -(-m // tall) * tall <= -(-m // _OTHER_ROWS) * _OTHER_ROWS:
            tile = streamed[0].replace(
                tile_m=tall, tile_n=vectors * lanes, tile_k=steps, block_k=_WIDE_BLOCKS[1], stages=ahead, split_k=1
            )
            streamed = tuple(dict.fromkeys((tile, *streamed)))
        return streamed, f"{m} rows do not repay a copy of a large B: it streams past, {block} rows at a time"
    turned = (
        operator.b_along_k and not profile.has(DISTANT_CACHE) and _is_large_for_few(operator, profile, _MOST_NARROW)
    )
    if turned:
        heroes = (
            PipelineConfig(
                tile_m=m if m <= _NARROW_ROWS[0] else _NARROW_ROWS[1], tile_n=lanes, tile_k=4, stages=1, warps=1
            ),
        )
    widened = is_widened(operator) and operator.n > _WIDENED_PANELS * max(hero.tile_n for hero in heroes)
    rows_packed = packs_rows(profile) and (operator.a_along_m or widened)
    if widened and rows_packed and m >= min(hero.tile_m for hero in heroes):
        heroes = tuple(dict.fromkeys((*cpu_heroes(profile, operator, widened=False), *heroes)))
    changed: list[PipelineConfig] = []
    for hero in heroes:
        row = hero.tile_n * operator.accumulator.bytes * operator.gates
        block = _block_of(operator, row, first, second, _wide(profile), profile.has(HALVED_VECTORS))
        changed.append(
            _changed(
                hero,
                block_k=block,
                pack_a=rows_packed,
                tile_k=_unroll(hero, operator, profile),
            )
        )
    what = "panels stay in a cache for a block of the reduction" if any(hero.block_k for hero in changed) else ""
    why = "A's columns are contiguous" if operator.a_along_m else "A is widened once, not at each use"
    rows = f"{why}, so its rows are packed" if rows_packed else ""
    unrolled = (
        f"{_UNROLLED_STEPS} steps of the reduction stand in a row" if changed[0].tile_k == _UNROLLED_STEPS else ""
    )
    narrow = (
        f"{m} rows do not repay many streams: {lanes} rows of a large B are turned into a panel at a time"
        if turned
        else ""
    )
    return tuple(changed), "; ".join(part for part in (narrow, what, rows, unrolled) if part)


def _asks_in_registers(hero: PipelineConfig, lanes: int) -> bool:
    """Whether LLVM 22 keeps a tile of wide vectors in registers where lines are asked for as well: it spills 4×96 and 3×112."""
    vectors = -(-hero.tile_n // lanes)
    return vectors <= _FEW_VECTORS or (hero.tile_m + 1) * vectors + 1 <= _ASKING_REGISTERS


def _passes_over(operator: OperatorTopology, profile: CapabilityProfile) -> bool:
    """Whether more than a few rows pass over B where it lies: rows of fp32 or fp64, and a B far larger than the second cache."""
    return not operator.b_along_k and _is_large_for_few(operator, profile, _WIDE_ROWS)


def _is_large_for_few(operator: OperatorTopology, profile: CapabilityProfile, rows: int) -> bool:
    """Whether B is far larger than the second cache and rows of fp32 or fp64 that lie along k are at most `rows`."""
    _, second = cache_bytes(profile)
    plain = operator.accumulator is operator.dtype and operator.gates == 1 and not operator.a_along_m
    large = operator.n * operator.k * operator.dtype.bytes > _LARGE_ROWS * second
    return _wide(profile) and plain and large and operator.m <= rows


def _block_of(operator: OperatorTopology, row: int, first: int, second: int, wide: bool, halved: bool) -> int:
    """Return the steps of the reduction that a block of a panel has, whose steps take `row` bytes each; 0 if the panel is swept whole.

    Parameters
    ----------
    first, second : int
        Bytes of the caches.
    wide : bool
        Whether a tile can take its panel from the second one.
    halved : bool
        Whether vectors are halved. Panels then stay in the first one: see `_FEW_HALVED_BLOCK`.
    """
    large = operator.k * row >= (second if operator.b_along_k else second // _WHOLE_PANEL)
    if halved and operator.b_along_k and operator.m <= _ASKING_ROWS:
        return 0
    if halved and not operator.b_along_k:
        most = _FEW_HALVED_BLOCK if operator.m <= _ASKING_ROWS else max(first // row, 1)
        cut = operator.m <= _ASKING_ROWS or operator.k * row > first * 3 // 2
        block = -(-operator.k // -(-operator.k // most) // 8) * 8 if cut else 0
        return block if block < operator.k else 0
    if not operator.b_along_k and operator.m <= _FEW_ROWS:
        block = _FEW_ROWS_BLOCK
    elif wide:
        block = max(second // _WHOLE_PANEL // row // 64 * 64, 64) if large and operator.m > _MANY_ROWS else 0
        return block if block <= operator.k else 0
    elif large or (operator.m <= _MANY_ROWS and not operator.b_along_k):
        block = max(first * 9 // 8 // row // 64 * 64, 64)
    else:
        block = 0
    return block if block < operator.k else 0


def _wide(profile: CapabilityProfile) -> bool:
    """Whether a tile keeps up with a panel in the second cache; nothing is known of what OpenCL's compilers make of tiles."""
    return profile.lanes > _WIDE_LANES and not profile.has(SEPARATE_WORKERS)


def _rows_held(hero: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> int:
    """Return how many rows of a large A stay in the second cache, whole, while every panel passes over them; 0 if they had better not.

    Each panel would otherwise read all of A again from a cache that processors share. The weight's panels have to fit that one.
    """
    _, second = cache_bytes(profile)
    row, last = operator.k * operator.accumulator.bytes, max((cache.bytes for cache in profile.caches), default=0)
    few, whole = _HELD_ROWS
    rows = second * few // whole // max(row, 1) // hero.tile_m * hero.tile_m
    large = operator.m * row > _LARGE_ROWS * second and operator.n * row <= last
    return rows if large and operator.gates == 1 and rows >= _FEWEST_TILES * hero.tile_m else 0


def _unroll(hero: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> int:
    """Eight steps in a row for plain fp32 tiles of 16 vector registers: 3 % faster from 256³ to 512³. Others run out of registers."""
    plain = operator.accumulator is operator.dtype is DType.FP32 and operator.gates == 1 and not operator.a_along_m
    few = profile.lanes > _NARROW_LANES and profile.vector_registers <= _FEW_REGISTERS
    return _UNROLLED_STEPS if plain and few and not hero.pack_a else hero.tile_k


def _changed(hero: PipelineConfig, **fields: object) -> PipelineConfig:
    """Return the hero with fields changed; where the reduction is split, panels are packed whole."""
    return hero if hero.split_k > 1 else hero.replace(**fields)


def packs_rows(profile: CapabilityProfile) -> bool:
    """Whether packed rows of A pay: not with 128-bit vectors, where LLVM 22 (AArch64) copies the tile to load them in sequence."""
    return profile.lanes > _NARROW_LANES


def cache_bytes(profile: CapabilityProfile) -> tuple[int, int]:
    """Return the bytes of the first and the second data cache that one processor can count on."""
    sizes = {cache.level: cache.bytes // cache.shared_by for cache in profile.caches}
    return sizes.get(1, _DEFAULT_CACHES[0]), sizes.get(2, _DEFAULT_CACHES[1])

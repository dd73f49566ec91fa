# SPDX-License-Identifier: MIT
"""How a launch of the CPU's schedules is divided: into which parts rows and columns are cut, and into which blocks the reduction.

All of these are symbols, so that one kernel serves every shape. They are chosen by counting what each choice costs the busiest
worker: multiply-adds of whole tiles, and rows that are packed again because parts share them.
"""

from __future__ import annotations

import math

from tracea_core.data import Data
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS, K_BLOCKS, ROW_BLOCKS, group_of, is_blocked
from tracea_core.semantic.build.register_tile import ROW_SPLITS, by_windows, vector_lanes
from tracea_core.semantic.build.worker_groups import items_of
from tracea_core.semantic.index import Const, coefficient, evaluate, symbols
from tracea_core.semantic.lower import Lowered
from tracea_core.semantic.panels import panel_width
from tracea_core.semantic.quotient import reciprocals
from tracea_core.target import SEPARATE_WORKERS, CapabilityProfile

_ALONE_BELOW = 1 << 18
"""Multiply-adds under which waking other workers costs more than they save: 2 µs at 100 G multiply-adds a second."""
_GROUPED = 4
"""How many times as fast instructions by groups of k are, about."""
_PACK_ROWS = 8
"""Copying one row of a panel costs about as much as this many rows of multiply-adds (measured on AVX2, 24 columns)."""
_READ_ROWS = 12
"""Reading a row of a panel that was packed before takes about as long as this many rows of multiply-adds: a worker reads 16 GB/s from
memory and does 52 G multiply-adds a second (measured on AVX2). 16×4096×4096 took 7.8 ms where each worker read all of B, 4.6 where
each read half."""
_FILTER_ROWS = 48
"""The same for filters, which are turned on the way and come from the last cache: those of 512 by 512 channels of 3×3, 9.4 MB, took the
worker that packed all of them 0.9 ms longer than the one that packed half (AVX-512)."""
_OTHERS_PRODUCTS = 24
"""Multiply-adds that take as long as reading a byte of an image that another worker has just copied: 2.3 GB/s at 57 G multiply-adds a
second. 8 images of 56×56×128, 3×3 filters with stride 2, took 11.6 ms where both workers read all images and 8.8 where each reads its
own; of 28×28×128 with stride 1 9.3 and 8.2 (two cores of Zen 4)."""
_PACK_COLUMNS = 8
"""Copying a column of A's rows costs about as much as this many columns of multiply-adds."""
_READ_COLUMNS = 24
"""Reading a row of bytes, of which vectors multiply four at a time, takes each part of the columns as long as this many columns of
multiply-adds. Of int8, 256³ to 1024³ take up to 1.04 times as long in halves of the columns as in halves of the rows, and 1.15 to 1.3 times
in processes where reading what the other core reads as well is slow (two cores of Zen 4). bf16 takes 0.97 to 1.02. Not where B has more
than an eighth of a worker's part of the last cache: panels of all of it leave less to A and the result (2048³: 0.99; 1.01 there)."""
_FAR_ROWS = 64
"""Rows of bytes from which panels may lie in the last cache: 11 bytes of them for each of a core's cycles come as fast from there, and
larger parts read A less often. 2048³ runs at 893 G/s in parts of 2 MiB, at 889 in parts of 0.7; 16 rows at 330 and 347 (Zen 4)."""
_PRODUCTS_PER_BYTE = 6
"""Multiply-adds that take as long as reading a byte from the third cache: 16 of a cycle, over 2 to 3 bytes (an
estimate for two FMA units of 256 bits; no measurement settles it)."""
_LEAST_LEFT = 8
"""What part of the second cache all panels leave to a block of pixels at least. 8 images of 56×56×128, 3×3 filters with stride 2, whose
two panels take more than half of it, in 1 and in 36 blocks: 18.65 and 18.05 ms channels-last, 19.1 and 18.7 in planes, of 28×28×128 with
stride 1 17.1 and 16.9, 17.0 and 17.0 (one core of Zen 4). Parts are chosen without it: so cut, columns of 1×1 filters were no faster."""
_MOST_SPLITS = 64
SHARES = "shares"
"""How many shares a launch deals to its workers, each taking the next when it is done; without it each worker has one."""
_DEALT_FROM, _DEALT_ROWS = 1 << 24, 64
"""Multiply-adds and rows from which shares are dealt: 256³ takes 0.1 ms, and one share must not be most of it."""
_UNEQUAL = 0.05
"""By how much workers that nothing else disturbs differ in speed. Many small shares for balance alone cost 256³ 7 µs of 160 for panels
packed again and 4 for parts that are not equally high (two cores of Zen 4; 1.5 % at 512³)."""
_SHARES_EACH = 4
"""Shares for each worker where B is packed before: more parts read A more often."""
_UNITS_EACH = 8
"""Units for each worker where rows fall into groups of unknown length: of two groups of 1900 and 148 rows, k = n = 1024, in three parts of
columns, one of two workers did two of the long parts, the other one; six parts took 0.8 of the time."""
_DEFAULT_FIRST = 32 << 10
_DEFAULT_CACHE = 1 << 20


class Extents(Data, frozen=True):
    """A contraction's sizes: matrices, rows, columns, length of the reduction, and bytes of an element of A and of a sum."""

    items: int
    m: int
    n: int
    k: int
    operand_bytes: int
    sum_bytes: int


def panel_symbols(lowered: Lowered, configuration: PipelineConfig, profile: CapabilityProfile) -> dict[str, int]:
    """Return every symbol's value for one launch of a kernel of the panel schedule."""
    values, c = lowered.symbols, lowered.contraction
    (items, m), n, grouped = _rows_of_items(lowered), int(evaluate(c.n, values)), c.groups is not None
    if c.lists is not None:
        return values | {"workers": 1 if m * n * c.lists.run * values["stored"] <= _ALONE_BELOW else profile.processors}
    k = 1
    for axis in c.k_axes:
        k *= int(evaluate(axis.extent, values))
    extents = Extents(items, m, n, k, c.a.dtype.bytes, c.compute.bytes)
    workers = 1 if m * n * k * items * c.gates <= _ALONE_BELOW else profile.processors
    values["workers"] = workers
    much = m * n * k * items * c.gates >= _DEALT_FROM and (m >= _DEALT_ROWS or grouped)
    dealt = workers > 1 and much and configuration.split_k == 1 and not profile.has(SEPARATE_WORKERS)
    if by_windows(c, configuration):
        values |= _window_parts(_pixels_first(extents), lowered, configuration, profile, workers)
        values |= reciprocals(values, symbols(c.n))  # what rows are divided by, to find their images
    elif not is_blocked(configuration):
        values[ROW_SPLITS] = _row_splits(extents, configuration, profile, workers, dealt)
        units = items * -(-n // configuration.tile_n) * values[ROW_SPLITS]
        values |= {SHARES: min(units, _MOST_SPLITS * workers)} if dealt else {}
    elif configuration.pack_b or panel_width(c.b):
        dealt = dealt and not configuration.block_k  # more parts of a long reduction cost 5 %
        values |= _packed_parts(extents, configuration, profile, workers, dealt)
        values |= {SHARES: items * values[ROW_SPLITS] * values[COLUMN_SPLITS]} if dealt else {}
    else:
        values |= _streamed_parts(extents, configuration, profile, workers)
    if grouped and much and is_blocked(configuration):
        values |= _dealt_groups(values, items, -(-n // configuration.tile_n), profile)
    if configuration.block_k:
        turned = coefficient(c.b.offset, c.k_axes[0].name) == Const(1)
        groups = -(-k // group_of(configuration, vector_lanes(profile, c.compute), turned=turned))
        values[K_BLOCKS] = max(1, min(-(-k // configuration.block_k), groups))
    return values


def dots_symbols(lowered: Lowered, configuration: PipelineConfig, profile: CapabilityProfile) -> dict[str, int]:
    """Return every symbol's value for one launch of a kernel by groups of k: parts whose panels its second cache holds.

    Of many rows of bytes that vectors multiply, half of a worker's part of the last cache may hold them.
    """
    values, c = lowered.symbols, lowered.contraction
    (items, m), n, k = _rows_of_items(lowered), *(int(evaluate(extent, values)) for extent in (c.n, c.k_axes[0].extent))
    extents = Extents(items, m, n, k, c.a.dtype.bytes, c.compute.bytes)
    workers = 1 if m * n * k * items <= _ALONE_BELOW * _GROUPED else profile.processors
    by_vectors = configuration.tile_m % vector_lanes(profile, c.compute) != 0
    of_bytes = by_vectors and c.a.dtype.bytes == 1
    read = _READ_COLUMNS if of_bytes and n * k <= _last_level(profile) // 8 else 0
    far = of_bytes and m >= _FAR_ROWS
    values |= {
        name: parts
        for name, parts in _packed_parts(extents, configuration, profile, workers, read_columns=read).items()
        if name != ROW_BLOCKS
    }
    panels, column = -(-n // configuration.tile_n), configuration.tile_n * k * c.b.dtype.bytes
    parts, held = values[COLUMN_SPLITS], max(_second_level(profile) * 3 // 4, _last_level(profile) // 2 if far else 1)
    while parts < panels and -(-panels // parts) * column > held:
        parts += values[COLUMN_SPLITS]
    values |= {COLUMN_SPLITS: min(parts, max(panels, 1)), "workers": workers}
    return values if c.groups is None else values | _dealt_groups(values, items, panels, profile)


def _dealt_groups(values: dict[str, int], groups: int, panels: int, profile: CapabilityProfile) -> dict[str, int]:
    """Cut columns into so many parts that each worker takes several units, one after the other: groups are not equally long."""
    workers = values["workers"]
    if workers == 1 or profile.has(SEPARATE_WORKERS):
        return {}
    wanted = -(-_UNITS_EACH * workers // (groups * values[ROW_SPLITS]))
    parts = max(values[COLUMN_SPLITS], min(wanted, panels))
    return {COLUMN_SPLITS: parts, SHARES: min(groups * values[ROW_SPLITS] * parts, _MOST_SPLITS * workers)}


def _rows_of_items(lowered: Lowered) -> tuple[int, int]:
    """How many items there are, and rows of each; how many rows each group has is data, so all count as the average."""
    values, c = lowered.symbols, lowered.contraction
    items, m = (int(evaluate(extent, values)) for extent in (items_of(c), c.m))
    return items, m if c.groups is None else -(-m // items)


def _pixels_first(x: Extents) -> Extents:
    """The extents of a convolution whose rows are the pixels of all images."""
    return x.replace(items=1, m=x.items * x.n, n=x.m)


def _window_parts(
    x: Extents, lowered: Lowered, configuration: PipelineConfig, profile: CapabilityProfile, workers: int
) -> dict[str, int]:
    """Parts of the pixels and of the panels, and blocks of pixels, by the busiest worker's multiply-adds and what its second cache reads.

    Without blocks each panel passes over all of a part's images, with them all panels are read again for each block, from the second
    cache if that holds all of them. Where the panels stay in the first cache, blocks are so small that what is written stays there, too,
    until its lines are complete. Workers that share pixels and divide the panels read from each other's caches what they have copied,
    or each all of images that are not.
    """
    padded = lowered.contraction.halo is not None
    images = _image_elements(lowered, x.m) * x.sum_bytes
    panel, row_tiles = x.k * configuration.tile_n * x.sum_bytes, -(-x.m // configuration.tile_m)
    all_panels = -(-x.n // configuration.tile_n)
    best, best_cost = (1, 1, 1), float("inf")
    for rows in range(1, min(2 * workers, row_tiles or 1) + 1):
        for columns in range(1, min(2 * workers, all_panels or 1) + 1):
            high, panels = -(-row_tiles // rows) * configuration.tile_m, -(-all_panels // columns)
            written = high * panels * configuration.tile_n * x.sum_bytes
            blocks, read = _blocks_of_pixels(images // rows, written, panels, panel, profile)
            work = (high + _FILTER_ROWS) * panels * configuration.tile_n * x.k
            work += _OTHERS_PRODUCTS * images // rows * (columns - 1) // columns if padded else 0
            cost = -(-rows * columns // workers) * (work + _PRODUCTS_PER_BYTE * read)
            if cost < best_cost * 0.999:
                best, best_cost = (rows, columns, min(blocks, -(-row_tiles // rows) or 1)), cost
    return dict(zip((ROW_SPLITS, COLUMN_SPLITS, ROW_BLOCKS), best, strict=True))


def _image_elements(lowered: Lowered, pixels: int) -> int:
    """Elements of the images, with their padding; of images that are read in place, those of as many pixels as are computed."""
    c = lowered.contraction
    channels = next(axis.extent for axis in c.k_axes if axis.name == "c")
    if c.halo is None:
        return pixels * int(evaluate(channels, lowered.symbols))
    extents = (c.items, c.halo.height, c.halo.width, c.halo.channels)
    return math.prod(int(evaluate(extent, lowered.symbols)) for extent in extents)


def _blocks_of_pixels(
    images: int, written: int, panels: int, panel: int, profile: CapabilityProfile
) -> tuple[int, int]:
    """Into how many blocks a part's pixels are cut, and how many bytes the second cache then reads."""
    first, second = (_level(profile, level, size) for level, size in ((1, _DEFAULT_FIRST), (2, _DEFAULT_CACHE)))
    if panels * panel <= first // 2:
        return max(1, -(-(images + written) // (first // 2))), images
    blocks = max(1, -(-images // max(second * 3 // 4 - panel, second // 4)))
    within, without = images + blocks * panels * panel, images * panels
    if within < without:
        return blocks, within
    left = second * 3 // 4 - panels * panel
    kept = panels > 1 and left >= second // _LEAST_LEFT
    return max(1, -(-images // left)) if kept else 1, without


def _row_splits(
    x: Extents, configuration: PipelineConfig, profile: CapabilityProfile, workers: int, dealt: bool = False
) -> int:
    """Into how many parts the rows are cut: more parts balance the workers, but each packs its panels again."""
    row_tiles, panels = -(-x.m // configuration.tile_m), -(-x.n // configuration.tile_n)
    last_level = _last_level(profile)
    rows_bytes = x.m * x.k * x.operand_bytes
    beyond = rows_bytes > last_level // 2  # parts for the second cache are then 1.6 times faster, at 25,088 × 64 × 256
    kept = max(1, -(-rows_bytes // max(_second_level(profile) // 2, 1))) if beyond else 1
    best, best_cost = 1, float("inf")
    for splits in range(1, max(1, min(_MOST_SPLITS, row_tiles)) + 1):
        units = x.items * panels * splits
        rows = -(-row_tiles // splits) * configuration.tile_m
        far = 1.0 if splits >= min(kept, row_tiles, _MOST_SPLITS) else 1.25
        cost = _rounds(units, workers, dealt) * (rows + _PACK_ROWS) * far
        if cost < best_cost * 0.999:
            best, best_cost = splits, cost
    return best


def _rounds(units: int, workers: int, dealt: bool) -> float:
    """How many units the busiest worker has; where they are dealt, another one ends as much later as processors differ.

    That is half a unit at most on the average, and taken for half of one where a worker has a single unit: nobody could help it.
    """
    rounds = -(-units // workers)
    late = 0.5 if rounds < 2 else min(0.5, _UNEQUAL * rounds)
    return rounds + (late if dealt else 0.0)


def _packed_parts(
    x: Extents,
    configuration: PipelineConfig,
    profile: CapabilityProfile,
    workers: int,
    dealt: bool = False,
    read_columns: int = 0,
) -> dict[str, int]:
    """Parts of the output for B in panels, packed here or before: the busiest worker's tiles, and what it packs and reads again."""
    row_tiles, panels = -(-x.m // configuration.tile_m), -(-x.n // configuration.tile_n)
    best, best_cost = (1, 1), float("inf")
    for rows in range(1, min(2 * workers, row_tiles or 1) + 1):
        most = max(_SHARES_EACH * workers // rows, 1) if dealt else 2 * workers
        for columns in range(1, min(most, panels or 1) + 1):
            high = -(-row_tiles // rows) * configuration.tile_m
            wide = -(-panels // columns) * configuration.tile_n
            packing = (_PACK_ROWS if configuration.pack_b else _READ_ROWS) * wide
            packing += (_PACK_COLUMNS if configuration.pack_a else read_columns) * high
            cost = _rounds(x.items * rows * columns, workers, dealt) * (high * wide + packing)
            if cost < best_cost * 0.999:
                best, best_cost = (rows, columns), cost
    deep = min(configuration.block_k or x.k, x.k) or 1
    held = configuration.row_block or max(_second_level(profile) // 2 // (deep * x.sum_bytes), configuration.tile_m)
    blocks = max(1, -(-x.m // (best[0] * held)))
    return {ROW_SPLITS: best[0], COLUMN_SPLITS: best[1], ROW_BLOCKS: blocks}


def _streamed_parts(
    x: Extents, configuration: PipelineConfig, profile: CapabilityProfile, workers: int
) -> dict[str, int]:
    """Parts of the columns for a B that streams past: as wide as a quarter of the second cache holds sums for."""
    panels = -(-x.n // configuration.tile_n)
    wide = max(_second_level(profile) // 4 // max(x.m * x.sum_bytes, 1) // configuration.tile_n, 1)
    rounds = -(-(-(-panels // wide) * x.items) // workers)
    parts = max(1, min(-(-rounds * workers // max(x.items, 1)), panels))
    return {ROW_SPLITS: 1, COLUMN_SPLITS: parts, ROW_BLOCKS: 1}


def _second_level(profile: CapabilityProfile) -> int:
    """Bytes of the cache behind the first that one processor can count on."""
    return _level(profile, 2, _DEFAULT_CACHE)


def _last_level(profile: CapabilityProfile) -> int:
    """Bytes of the largest cache that one processor can count on."""
    return max((cache.bytes // cache.shared_by for cache in profile.caches), default=_DEFAULT_CACHE)


def _level(profile: CapabilityProfile, level: int, default: int) -> int:
    """Bytes of a cache that one processor can count on."""
    return next((cache.bytes // cache.shared_by for cache in profile.caches if cache.level == level), default)

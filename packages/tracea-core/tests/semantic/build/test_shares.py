# SPDX-License-Identifier: MIT
"""How convolutions by windows are divided at launch: pixels or panels among the workers, and blocks of pixels for the caches."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS, ROW_BLOCKS
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.build.shares import dots_symbols, panel_symbols
from tracea_core.semantic.lower import lower
from tracea_core.target import CacheLevel, CapabilityProfile
from tracea_core.testing.cases import dense, gemm

CACHES = (CacheLevel(1, 32 << 10, 64, 1), CacheLevel(2, 512 << 10, 64, 1), CacheLevel(3, 32 << 20, 64, 2))
AVX2 = preset("avx2").replace(processors=2, caches=CACHES)
WINDOWS = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, stages=1, warps=1, halo=True)


WIDE = preset("avx512").replace(processors=2, caches=(CACHES[0], CacheLevel(2, 1 << 20, 64, 1), CACHES[2]))


def parts(
    n: int, channels: int, size: int, filters: int, profile: CapabilityProfile = AVX2, tile: PipelineConfig = WINDOWS
) -> tuple[int, int, int]:
    """Parts of the pixels, parts of the panels, and blocks of a part's pixels."""
    op = Conv2dOp(n, channels, size, size, filters, 3, 3, (1, 1), (1, 1))
    inputs = tuple(dense(shape, DType.FP32) for shape in op.input_shapes())
    values = panel_symbols(lower(Problem(op, inputs, dense(op.output_shape(), DType.FP32))), tile, profile)
    return values[ROW_SPLITS], values[COLUMN_SPLITS], values[ROW_BLOCKS]


@pytest.mark.parametrize(("n", "size"), [(8, 56), (1, 112)])
def test_blocks_of_large_images_stay_in_the_second_cache(n: int, size: int) -> None:
    rows, columns, blocks = parts(n, 64, size, 128)
    assert rows * columns % 2 == 0
    assert n * (size + 2) ** 2 * 64 * 4 / rows / blocks <= 512 << 10


def test_weights_that_outweigh_the_images_are_read_once() -> None:
    rows, columns, blocks = parts(8, 512, 7, 512)
    assert (rows, blocks) == (1, 1) and columns % 2 == 0


def test_images_that_outweigh_the_weights_are_read_by_whoever_copied_them() -> None:
    """Half of what a worker reads would else lie in the other one's caches."""
    assert parts(8, 256, 28, 256, WIDE, WINDOWS.replace(tile_n=64))[:2] == (2, 1)


def test_panels_that_leave_room_in_the_second_cache_meet_each_block_of_pixels_at_once() -> None:
    """Two panels of 288 KiB leave 192 of three quarters of it; a panel alone passes over all pixels."""
    tile = WINDOWS.replace(tile_n=64)
    rows, columns, blocks = parts(8, 128, 28, 128, WIDE, tile)
    assert (rows, columns) == (2, 1) and 8 * 30**2 * 128 * 4 / rows / blocks <= 192 << 10 < 8 * 30**2 * 128 * 4 / rows
    assert parts(8, 128, 28, 64, WIDE, tile) == (2, 1, 1)


def test_what_is_written_stays_in_the_first_cache_where_all_panels_do() -> None:
    rows, columns, blocks = parts(8, 3, 112, 32)
    assert 8 * 112**2 * 32 * 4 / (rows * columns) / blocks <= 32 << 10


def test_there_are_no_more_blocks_than_tiles_and_one_at_least() -> None:
    assert parts(1, 3, 2, 16)[2] == 1
    assert min(parts(0, 64, 56, 64)) == 1


DOTS = PipelineConfig(tile_m=6, tile_n=64, tile_k=1, stages=1, warps=1)


def dots_parts(sizes: tuple[int, int, int], dtype: DType, tile: PipelineConfig = DOTS) -> tuple[int, int]:
    """Parts of the rows and of the columns of a product by groups of k."""
    values = dots_symbols(lower(gemm(sizes, dtype)), tile, WIDE)
    return values[ROW_SPLITS], values[COLUMN_SPLITS]


def test_rows_of_bytes_are_read_by_one_worker() -> None:
    assert dots_parts((512, 512, 512), DType.INT8) == (2, 1)
    assert dots_parts((512, 512, 512), DType.BF16) == (1, 2)
    assert dots_parts((16, 512, 512), DType.INT8) == (1, 2), "packing all of B would weigh more"
    assert dots_parts((512, 512, 512), DType.INT8, DOTS.replace(tile_m=32, tile_n=32)) == (1, 2), "AMX: not measured"


def test_panels_of_many_rows_of_bytes_may_lie_in_the_last_cache() -> None:
    assert dots_parts((2048, 2048, 2048), DType.INT8) == (1, 2), "of all columns they would crowd out A and the result"
    assert dots_parts((8192, 8192, 8192), DType.INT8) == (1, 8), "32 MiB for each worker do not fit"
    rows, columns = dots_parts((16, 4096, 4096), DType.INT8)
    assert rows == 1 and 4096 * 4096 // columns <= 3 << 18

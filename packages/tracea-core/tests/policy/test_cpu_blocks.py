# SPDX-License-Identifier: MIT
"""How operands reach register tiles: in place where few rows use them, in blocks where panels outgrow the caches."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.product_rows import computed_transposed
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_blocks import cache_bytes, panel_columns
from tracea_core.policy.engine import OperatorTopology, PolicyEngine, topology_of
from tracea_core.semantic.build.blocked import COLUMN_SPLITS, K_BLOCKS, ROW_BLOCKS
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.build.shares import SHARES, panel_symbols
from tracea_core.semantic.lower import lower
from tracea_core.target import DISTANT_CACHE, HALVED_VECTORS, SEPARATE_WORKERS, CapabilityProfile

AVX2 = preset("avx2")
HALVED = AVX2.replace(features=(*AVX2.features, HALVED_VECTORS))


MESH = preset("avx512").replace(features=(*preset("avx512").features, DISTANT_CACHE))


def problem(m: int, n: int, k: int, layout: str = "nn") -> Problem:
    a, b = (
        TensorSpec((rows, columns), DType.FP32, (columns, 1) if way == "n" else (1, rows))
        for (rows, columns), way in zip(((m, k), (k, n)), layout, strict=True)
    )
    return Problem(GemmOp(m, n, k), (a, b), TensorSpec.contiguous((m, n), DType.FP32))


def hero(*shape: int, layout: str = "nn", device: str = "avx2") -> PipelineConfig:
    return PolicyEngine(preset(device)).decide(problem(*shape, layout=layout)).hero


@pytest.mark.parametrize("device", ["avx2", "avx512", "neon"])
def test_few_rows_leave_b_where_it_is(device: str) -> None:
    for m in (1, 4, 8):
        streamed = hero(m, 4096, 4096, device=device)
        assert not streamed.pack_b and streamed.block_k == (16 if device == "avx512" and m > 1 else 8)
    for m in (1, 4):
        turned = hero(m, 4096, 4096, layout="nt", device=device)
        assert not turned.pack_b and turned.block_k == 0 and turned.tile_m == m
    assert hero(512, 512, 512, device=device).pack_b


def test_a_single_column_is_a_single_row_of_the_transpose() -> None:
    single = problem(4096, 1, 4096)
    assert computed_transposed(single) and not computed_transposed(problem(4096, 2, 4096))
    topology = topology_of(single)
    assert (topology.m, topology.n, topology.b_along_k, topology.a_along_m) == (1, 4096, True, False)
    assert hero(4096, 1, 4096) == hero(1, 4096, 4096, layout="nt")


def test_long_reductions_and_columns_of_a_take_blocks() -> None:
    assert hero(512, 512, 512).block_k == 0
    assert 64 <= hero(384, 512, 16384).block_k <= 1024
    assert hero(32, 4096, 4096).block_k
    assert hero(1024, 1024, 1024, layout="tn").pack_a and not hero(1024, 1024, 1024).pack_a
    assert not hero(1024, 1024, 1024, layout="tn", device="neon").pack_a


@pytest.mark.parametrize("dtype", [DType.BF16, DType.FP16])
def test_what_many_panels_would_widen_again_is_widened_once(dtype: DType) -> None:
    def decided(n: int, device: str = "avx2") -> PipelineConfig:
        spec = TensorSpec.contiguous((256, n), dtype)
        a = TensorSpec.contiguous((256, 256), dtype)
        return PolicyEngine(preset(device)).decide(Problem(GemmOp(256, n, 256, dtype=dtype), (a, spec), spec)).hero

    assert decided(256).pack_a and (decided(256).tile_m, decided(256).tile_n) in ((4, 24), (6, 16))
    assert not decided(48).pack_a and not decided(256, "neon").pack_a
    assert not hero(256, 256, 256).pack_a


def test_convolutions_with_padding_go_by_windows() -> None:
    def decided(channels: int, padding: int, groups: int = 1) -> PipelineConfig:
        op = Conv2dOp(2, channels, 16, 16, 64, 3, 3, (1, 1), (padding, padding), (1, 1), groups)
        inputs = tuple(TensorSpec.contiguous(shape, DType.FP32) for shape in op.input_shapes())
        return PolicyEngine(AVX2).decide(Problem(op, inputs, TensorSpec.contiguous(op.output_shape(), DType.FP32))).hero

    assert decided(64, 1).halo
    assert not decided(64, 0).halo and not decided(64, 1, groups=2).halo and not decided(3, 1).halo
    config = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, stages=1, warps=1, halo=True)
    assert "one group" in (budget_reason(config, AVX2, topology_of(problem(64, 64, 64))) or "")


def test_windows_of_channels_last_images_are_read_in_place() -> None:
    """A 1×1 convolution with stride 2 reads rows of channels where they lie, and copies the pixels it needs of planes.

    A few channels are gathered, and narrow types that lie together.
    """

    def decided(channels: int, last: bool = True, dtype: DType = DType.FP32) -> PipelineConfig:
        op = Conv2dOp(2, channels, 16, 16, 64, 1, 1, (2, 2), dtype=dtype)
        plain = TensorSpec.contiguous(op.input_shapes()[0], dtype)
        x = plain.replace(strides=(channels * 256, 1, channels * 16, channels)) if last else plain
        w = TensorSpec.contiguous(op.input_shapes()[1], dtype)
        out = TensorSpec.contiguous(op.output_shape(), op.output_dtype())
        return PolicyEngine(AVX2).decide(Problem(op, (x, w), out)).hero

    assert decided(64).halo
    assert decided(64, last=False).halo and decided(64, last=False, dtype=DType.BF16).halo
    assert not decided(8).halo and not decided(8, last=False).halo and not decided(64, dtype=DType.BF16).halo


def test_strided_windows_of_padded_images_are_tested_in_place_where_a_copy_weighs() -> None:
    """Not those of neighbouring pixels, of planes, of narrow types or few channels, nor where products are many."""

    def decided(
        channels: int = 128,
        filters: int = 128,
        stride: int = 2,
        last: bool = True,
        device: str = "avx512",
        dtype: DType = DType.FP32,
    ) -> PipelineConfig:
        op = Conv2dOp(2, channels, 16, 16, filters, 3, 3, (stride, stride), (1, 1), dtype=dtype)
        x = TensorSpec.contiguous(op.input_shapes()[0], dtype)
        if last:
            x = x.replace(strides=(channels * 256, 1, channels * 16, channels))
        w = TensorSpec.contiguous(op.input_shapes()[1], dtype)
        out = TensorSpec.contiguous(op.output_shape(), op.output_dtype())
        return PolicyEngine(preset(device)).decide(Problem(op, (x, w), out)).hero

    assert (decided().stages, decided().in_flight, decided().halo) == (2, 1, False)
    copied = (
        decided(stride=1),
        decided(last=False),
        decided(device="avx2"),
        decided(channels=8),
        decided(filters=512),
        decided(dtype=DType.BF16),
    )
    assert all(hero.halo and not hero.in_flight for hero in copied)
    op = Conv2dOp(2, 64, 16, 16, 64, 3, 3, (1, 1), (1, 1))
    tensors = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    topology = topology_of(Problem(op, tuple(tensors[:2]), tensors[2]))
    config = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, stages=2, warps=1, in_flight=1)
    assert "tested in place" in (budget_reason(config, AVX2, topology) or "")


def test_halved_vectors_take_panels_and_blocks_that_the_first_cache_delivers() -> None:
    """Panels of 16 columns, shorter blocks, rows of A divided with little waste; a B along k is not cut for few rows."""

    def of(profile: CapabilityProfile, *shape: int, layout: str = "nn", panels: int = 0) -> PipelineConfig:
        given = problem(*shape, layout=layout)
        if panels:
            weight = given.inputs[1].replace(strides=(panels, 1))
            given = given.replace(inputs=(given.inputs[0], weight), options=Options(panel_columns=panels))
        return PolicyEngine(profile).decide(given).hero

    assert [panel_columns(one, DType.FP32, 4096) for one in (AVX2, HALVED)] == [24, 16]
    assert [of(one, 1024, 1024, 1024).block_k for one in (AVX2, HALVED)] == [0, 512]
    assert of(HALVED, 512, 512, 512).block_k == 0
    first, _ = cache_bytes(HALVED)
    for m, n, k in ((1024, 1024, 1024), (1111, 999, 777), (2048, 2048, 2048), (32, 4096, 4096)):
        one = of(HALVED, m, n, k)
        assert one.pack_b and 0 < one.block_k * one.tile_n * 4 <= first
    assert of(HALVED, 32, 4096, 4096).block_k < of(AVX2, 32, 4096, 4096).block_k
    assert of(HALVED, 32, 4096, 4096, layout="nt").block_k == 0
    assert [of(HALVED, m, 4096, 4096, panels=16).tile_m for m in (16, 18, 32, 256)] == [4, 6, 4, 6]


def test_halved_vectors_test_more_windows_in_place() -> None:
    """They multiply so slowly that a copy never pays, up to as many products as were measured; planes are copied by all."""

    def decided(profile: CapabilityProfile, filters: int, last: bool = True) -> PipelineConfig:
        op = Conv2dOp(2, 512, 16, 16, filters, 3, 3, (2, 2), (1, 1))
        x, w = (TensorSpec.contiguous(shape, DType.FP32) for shape in op.input_shapes())
        x = x.replace(strides=(512 * 256, 1, 512 * 16, 512)) if last else x
        out = TensorSpec.contiguous(op.output_shape(), DType.FP32)
        return PolicyEngine(profile).decide(Problem(op, (x, w), out)).hero

    found = decided(HALVED, 512)
    assert (found.halo, found.stages, found.in_flight, found.tile_k) == (False, 2, 1, 8)
    copied = (decided(AVX2, 512), decided(HALVED, 1024), decided(HALVED, 512, last=False))
    assert all(one.halo and not one.in_flight for one in copied)


def test_one_panel_for_two_workers_is_divided_by_rows() -> None:
    """Two panels of half the width would read 25,088 rows twice."""
    assert hero(25088, 64, 256, device="avx512").tile_n == 64


def test_what_excludes_blocks_is_said() -> None:
    config = PipelineConfig(tile_m=4, tile_n=24, tile_k=4, stages=1, warps=1)
    convolution = OperatorTopology(0, "conv", "Conv2d", 64, 64, 576, reduction_axes=3)
    plain = convolution.replace(reduction_axes=1)
    for fields in ({"block_k": 64}, {"pack_a": True}, {"pack_b": False}):
        assert budget_reason(config.replace(**fields), AVX2, plain) is None
        assert "single reduction axis" in (budget_reason(config.replace(**fields), AVX2, convolution) or "")
        assert "not split" in (budget_reason(config.replace(split_k=2, **fields), AVX2, plain) or "")


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("device", ["avx2", "avx512", "neon"])
def test_every_reason_has_words(device: str, layout: str) -> None:
    for size in (1, 16, 256, 512, 2048):
        decision = PolicyEngine(preset(device)).decide(problem(size, 512, 512, layout))
        assert decision.reasons
        assert all(reason.text for reason in decision.reasons), decision.describe()


def test_parts_keep_every_worker_busy_and_blocks_within_the_cache() -> None:
    def symbols(shape: tuple[int, int, int], **fields: object) -> dict[str, int]:
        config = PipelineConfig(tile_m=4, tile_n=24, tile_k=4, stages=1, warps=1, **fields)  # type: ignore[arg-type]
        return panel_symbols(lower(problem(*shape)), config, AVX2)

    streamed = symbols((1, 4096, 4096), pack_b=False, block_k=8)
    assert streamed[COLUMN_SPLITS] == AVX2.processors and streamed[K_BLOCKS] == 512
    wide = panel_symbols(lower(problem(1, 4096, 4096)), hero(1, 4096, 4096, device="avx512"), preset("avx512"))
    assert wide[K_BLOCKS] == 512  # eight rows at a time, although a vector holds 16
    blocked = symbols((1024, 1024, 4096), block_k=256)
    assert blocked[ROW_SPLITS] * blocked[COLUMN_SPLITS] % AVX2.processors == 0 and blocked[K_BLOCKS] == 16
    assert 1024 / blocked[ROW_SPLITS] / blocked[ROW_BLOCKS] * 256 * 4 <= 512 << 10
    assert symbols((8, 8, 8), block_k=256)["workers"] == 1 and symbols((8, 8, 0), block_k=256)[K_BLOCKS] == 1


def from_panels(m: int, n: int, k: int, width: int, device: str = "avx2") -> PipelineConfig:
    weight = TensorSpec((k, n), DType.FP32, (width, 1))
    stated = problem(m, n, k).replace(options=Options(panel_columns=width))
    return PolicyEngine(preset(device)).decide(stated.replace(inputs=(stated.inputs[0], weight))).hero


@pytest.mark.parametrize("device", ["avx2", "avx512", "neon"])
def test_products_from_panels_have_their_width_and_no_row_too_many(device: str) -> None:
    width = panel_columns(preset(device), DType.FP32, 4096)
    for m, rows in ((1, 1), (2, 2), (3, 3), (16, None), (300, None)):
        found = from_panels(m, 4096, 4096, width, device)
        together = found.tile_n // width
        assert (found.tile_n, found.pack_b) == (together * width, False)
        assert rows is None or (found.tile_m, found.block_k) == (rows, 0)
        assert rows is None or found.stages == (2 if together == 1 else 1)
        assert rows is not None or together == 1
        assert m > 1 or together > 1
    sixteen, many = from_panels(16, 4096, 4096, width, device), from_panels(300, 4096, 4096, width, device)
    assert sixteen.stages == 2 and many.stages == 1 + many.in_flight
    assert sixteen.block_k and bool(many.block_k) is (device != "avx512")  # wide tiles keep up with the second cache
    assert not from_panels(256, 256, 64, width, device).block_k
    assert from_panels(300, 512, 4096, width, device) == from_panels(301, 512, 4096, width, device)


def test_large_results_of_wide_tiles_are_asked_for_and_long_panels_of_few_rows_are_cut() -> None:
    """On a second cache of 2 MiB; others are neither."""

    def decided(m: int, n: int, k: int, device: str = "avx512") -> PipelineConfig:
        width = panel_columns(preset(device), DType.FP32, n)
        stated = problem(m, n, k).replace(options=Options(panel_columns=width))
        return PolicyEngine(preset(device)).decide(stated).hero

    second = cache_bytes(preset("avx512"))[1]
    large, long = 1024 * second >> 20, 16384 * second >> 20
    assert (decided(large, 1024, 512).in_flight, decided(large, 1024, 512).stages) == (1, 2)
    cut = decided(384, 512, long)
    assert (cut.in_flight, cut.stages, cut.block_k * 64 * 4) == (0, 1, second // 4)
    plain = (
        decided(256, 256, 256),
        decided(large, 1024, 512, "avx2"),
        decided(384, 512, long // 4),
        decided(2048, 512, long),
    )
    assert not any(hero.in_flight for hero in plain[:3]) and not any(hero.block_k for hero in (plain[0], *plain[2:]))


def test_panels_as_large_as_the_second_cache_are_cut_where_the_last_one_is_distant() -> None:
    def decided(profile: CapabilityProfile, m: int, n: int, k: int) -> PipelineConfig:
        stated = problem(m, n, k).replace(options=Options(panel_columns=64))
        return PolicyEngine(profile).decide(stated).hero

    k = cache_bytes(MESH)[1] // 256
    for m in (384, 1024):
        cut, shorter = decided(MESH, m, 2048, k), decided(MESH, m, 2048, k - 64)
        assert cut.block_k * 256 == min(cache_bytes(MESH)[1] // 4, 256 << 10) and not shorter.block_k
        assert not decided(preset("avx512"), m, 2048, k).block_k
    large = (2048, 2048, 512)
    assert decided(preset("avx512"), *large).in_flight and not decided(MESH, *large).in_flight


def test_many_streams_are_followed_where_the_last_cache_is_distant() -> None:
    def decided(profile: CapabilityProfile, m: int, layout: str) -> PipelineConfig:
        return PolicyEngine(profile).decide(problem(m, 4096, 4096, layout)).hero

    for m in (16, 32, 128):
        assert decided(preset("avx512"), m, "nt").tile_n == 16 and decided(MESH, m, "nt").tile_n == 64


def test_one_row_reads_several_panels_at_a_time() -> None:
    assert from_panels(1, 4096, 4096, 24).tile_n == 48  # twice three sums, three vectors of B, and one element of A
    assert from_panels(1, 4096, 4096, 16).tile_n == 32  # 256 panels, three at a time, would end with two empty ones
    assert from_panels(1, 4096, 4096, 8).tile_n == 32  # four streams do
    assert from_panels(1, 20, 4096, 24).tile_n == 24
    assert (
        from_panels(1, 4096, 4096, 64, "avx512").tile_n == 128
    )  # three would fit, and leave two of the last three empty
    assert from_panels(1, 192 * 3, 4096, 64, "avx512").tile_n == 192


def test_wide_vectors_pass_over_a_large_b_where_it_lies() -> None:
    def chosen(*shape: int, **fields: str) -> tuple[bool, int, int]:
        found = hero(*shape, device="avx512", **fields)
        return found.pack_b, found.block_k, found.stages

    assert chosen(1, 4096, 4096) == (False, 8, 2) and chosen(8, 4096, 4096) == (False, 16, 2)  # asked for a block ahead
    assert hero(1, 4096, 4096, device="avx512").tile_n == 96 and hero(1, 16, 1 << 20, device="avx512").tile_n == 16
    turned, small = (hero(1, size, size, layout="nt", device="avx512") for size in (4096, 512))
    assert (turned.tile_n, turned.stages) == (8, 2) and (small.tile_n, small.stages) == (16, 1)
    assert hero(4, 4096, 4096, layout="nt", device="avx512").stages == 2
    assert chosen(12, 4096, 4096) == chosen(18, 4096, 4096) == (False, 16, 2)
    assert chosen(30, 4096, 4096) == chosen(90, 4096, 4096) == (False, 32, 1)
    for rows in (16, 24, 32, 64, 96):  # eight rows a tile compute no more than six
        assert chosen(rows, 4096, 4096) == (False, 32, 2)
        tile = hero(rows, 4096, 4096, device="avx512")
        assert (tile.tile_m, tile.tile_n) == (8, 48)
    assert chosen(97, 4096, 4096)[0] and chosen(32, 512, 512)[0] and chosen(32, 4096, 4096, layout="nt")[0]
    assert chosen(32, 4096, 4096, layout="tn")[0] and hero(32, 4096, 4096).pack_b
    plain = PipelineConfig(tile_m=4, tile_n=64, tile_k=4, stages=2, warps=1, pack_b=False)
    topology = topology_of(problem(8, 4096, 4096))
    assert budget_reason(plain.replace(block_k=8), preset("avx512"), topology) is None
    for fields in ({"block_k": 0}, {"block_k": 8, "pack_b": True}):
        assert "stages" in (budget_reason(plain.replace(**fields), preset("avx512"), topology) or "")
    along = topology_of(problem(8, 4096, 4096, layout="nt"))
    for width, refused in ((8, False), (16, False), (32, True)):  # wider tiles gather a B along k
        assert ("stages" in (budget_reason(plain.replace(tile_n=width), preset("avx512"), along) or "")) == refused


def test_a_large_b_along_k_is_turned_into_narrow_panels_for_few_rows() -> None:
    def chosen(*shape: int, **fields: str) -> tuple[int, int]:
        found = hero(*shape, device="avx512", layout="nt", **fields)
        assert found.pack_b and not found.block_k
        return found.tile_m, found.tile_n

    assert chosen(5, 4096, 4096) == (5, 16) and chosen(16, 4096, 4096) == chosen(128, 4096, 4096) == (4, 16)
    assert chosen(129, 4096, 4096)[1] > 16 and chosen(16, 256, 256)[1] > 16
    assert hero(16, 4096, 4096, layout="nt").tile_n > 16  # AVX2, which nobody has measured so
    assert hero(16, 4096, 4096, layout="tt", device="avx512").tile_n > 16  # columns of A are contiguous


def test_a_large_b_along_k_is_turned_in_blocks_of_eight_rows_for_hardly_any_rows() -> None:
    for m in (1, 4):
        found = hero(m, 4096, 4096, device="avx512", layout="nt")
        assert (found.tile_m, found.tile_n, found.pack_b) == (m, 8, False)
        assert hero(m, 256, 256, device="avx512", layout="nt").tile_n == 16
    topology = topology_of(problem(4, 4096, 4096, "nt"))
    assert budget_reason(found, preset("avx512"), topology) is None
    for fields in ({"pack_b": True}, {"tile_n": 4}):
        assert "multiple" in (budget_reason(found.replace(**fields), preset("avx512"), topology) or "")
    along_n = topology_of(problem(4, 4096, 4096))
    assert "multiple" in (budget_reason(found.replace(block_k=8), preset("avx512"), along_n) or "")


def test_a_launch_divides_panels_among_the_workers() -> None:
    for rows in (8, 16, 32):
        lowered = lower(problem(rows, 4096, 4096).replace(options=Options(panel_columns=24)))
        values = panel_symbols(lowered, from_panels(rows, 4096, 4096, 24), AVX2.replace(processors=2))
        assert (values[ROW_SPLITS], values[COLUMN_SPLITS]) == (1, 2)  # parts of the rows would read all of B each
        assert values[ROW_BLOCKS] == 1 and values[K_BLOCKS] > 1


def test_large_panels_are_cut_and_plain_tiles_unrolled() -> None:
    assert hero(2048, 2048, 2048).block_k and not hero(1024, 1024, 1024).block_k
    assert hero(512, 512, 512).tile_k == 8
    assert hero(512, 512, 512, layout="tn").tile_k == 4
    assert hero(512, 512, 512, device="avx512").tile_k == 4
    assert hero(512, 512, 512, device="neon").tile_k == 4


def test_rows_of_a_large_a_stay_in_the_second_cache_while_panels_pass() -> None:
    held = from_panels(1111, 999, 777, 24)
    assert held.row_block * 777 * 4 <= 512 << 10 and held.row_block % held.tile_m == 0 and not held.block_k
    assert from_panels(1024, 1024, 1024, 16).row_block % 6 == 0
    assert from_panels(512, 512, 512, 16).row_block > 512  # all rows: they fit a few second caches
    assert from_panels(2048, 2048, 2048, 24).block_k  # too few rows of so long a reduction would stay
    assert from_panels(1024, 1 << 16, 1024, 24).block_k  # the panels would fill the last cache
    assert from_panels(2048, 2048, 2048, 16).tile_k == 4  # eight steps of a block spill
    assert from_panels(1024, 1024, 1024, 24).tile_k == 8 and from_panels(100, 1024, 1024, 24).tile_k == 4


def test_large_products_are_dealt_in_more_shares_than_workers() -> None:
    def symbols(*shape: int, **fields: object) -> dict[str, int]:
        config = hero(*shape).replace(**fields)
        return panel_symbols(lower(problem(*shape)), config, AVX2.replace(processors=2))

    whole = symbols(1111, 999, 777)
    assert whole[SHARES] == min(whole[ROW_SPLITS] * -(-999 // hero(1111, 999, 777).tile_n), 128) > 2
    stated = problem(1111, 999, 777).replace(options=Options(panel_columns=24))
    packed = panel_symbols(lower(stated), from_panels(1111, 999, 777, 24), AVX2.replace(processors=2))
    assert 2 < packed[SHARES] == packed[ROW_SPLITS] * packed[COLUMN_SPLITS] <= 8
    assert SHARES not in symbols(2048, 2048, 2048)  # blocks of a long reduction
    for shape in ((128, 128, 128), (32, 4096, 4096), (4, 4096, 4096)):
        assert SHARES not in symbols(*shape)
    assert SHARES not in symbols(256, 256, 256, split_k=2)
    alone = panel_symbols(lower(problem(256, 256, 256)), hero(256, 256, 256), AVX2.replace(processors=1))
    assert SHARES not in alone


def test_rows_are_not_cut_again_where_each_worker_has_several_panels() -> None:
    profile = preset("avx512").replace(processors=2)

    def shares(*shape: int) -> tuple[int, int]:
        config = PipelineConfig(tile_m=6, tile_n=64, tile_k=4, stages=1, warps=1, pack_b=True)
        values = panel_symbols(lower(problem(*shape)), config, profile)
        return values[ROW_SPLITS], values[SHARES]

    assert shares(256, 256, 256) == (1, 4)
    assert shares(512, 512, 512) == (1, 8)
    splits, dealt = shares(1024, 128, 512)  # one panel each: nobody could help whoever is slower
    assert splits > 1 and dealt == 2 * splits
    splits, dealt = shares(1024, 192, 512)  # three panels for two workers
    assert splits > 1 and dealt == 3 * splits


def test_workers_that_cannot_wait_divide_nothing_that_they_would_wait_for() -> None:
    apart = AVX2.replace(features=(*AVX2.features, SEPARATE_WORKERS))
    deep = problem(8, 24, 1 << 16)
    assert any(hero.split_k > 1 for hero in PolicyEngine(AVX2).decide(deep).heroes)
    decision = PolicyEngine(apart).decide(deep)
    assert all(hero.split_k == 1 for hero in decision.heroes) and decision.space.split_k == (1,)
    op = Conv2dOp(2, 64, 28, 28, 64, 3, 3, padding=(1, 1))
    images = Problem(
        op,
        tuple(map(TensorSpec.contiguous, op.input_shapes(), (DType.FP32,) * 2)),
        TensorSpec.contiguous(op.output_shape(), DType.FP32),
    )
    assert PolicyEngine(AVX2).decide(images).hero.halo and not PolicyEngine(apart).decide(images).hero.halo
    large = lower(problem(1024, 1024, 1024))
    configuration = PolicyEngine(apart).decide(problem(1024, 1024, 1024)).hero
    assert SHARES not in panel_symbols(large, configuration, apart)


def test_blocks_for_wide_vectors_are_a_quarter_of_the_second_cache() -> None:
    def chosen(m: int, n: int, k: int, device: str = "avx512") -> list[tuple[int, int]]:
        profile = preset(device)
        return [(hero.tile_n, hero.block_k) for hero in PolicyEngine(profile).decide(problem(m, n, k)).heroes]

    _, second = cache_bytes(preset("avx512"))
    for width, block in chosen(2048, 2048, 2048):
        assert block and block % 64 == 0 and second // 4 - 64 * width * 4 < block * width * 4 <= second // 4
    assert all(
        block == 0 for _, block in chosen(128, 3072, 768)
    )  # few rows use each panel too seldom to put sums aside
    assert all(block == 0 for _, block in chosen(512, 512, 512))
    assert any(block for _, block in chosen(128, 3072, 768, "avx2"))

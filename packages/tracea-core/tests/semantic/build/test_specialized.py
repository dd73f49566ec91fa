# SPDX-License-Identifier: MIT
"""The warp-specialized schedule: built for many configurations, interpreted exactly, refused with reasons."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.problem import Options
from tracea_core.policy.config import BarrierMode, SwizzleMode
from tracea_core.policy.heroes import hopper_heroes
from tracea_core.policy.order import Order
from tracea_core.semantic.build.box_tile import copy_engine_fault, row_swizzle
from tracea_core.semantic.build.specialized import register_split, specialized_fault, specialized_kernel
from tracea_core.semantic.build.store_tile import widths
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.index import holds
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.steps import AsyncLoad, Barrier, Fill, Store, Transfer
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.types import check_types

EXCHANGED = Options(exchanged=True)


@pytest.mark.parametrize(
    ("stages", "in_flight", "cluster", "linear"),
    [
        (1, 0, (1, 1), True),
        (2, 0, (2, 1), False),
        (2, 1, (1, 2), True),
        (3, 1, (2, 1), True),
        (4, 1, (1, 1), False),
        (5, 1, (2, 2), True),
    ],
)
def test_pipelines_compute_exactly(hopper, stages, in_flight, cluster, linear):
    configuration = hopper.configuration(stages=stages, in_flight=in_flight, cluster=cluster)
    kernel = hopper.kernel(configuration, linear=linear)
    for seed, (m, n, k) in enumerate([(130, 72, 200), (1, 8, 1), (260, 152, 64), (65, 8, 3)]):
        found, expected = hopper.run(kernel, m, n, k, linear=linear, seed=seed)
        assert np.array_equal(found, expected)


def test_a_reduction_of_16_bit_types_has_a_step(hopper):
    """So no accumulator is cleared; types that no other kernel multiplies keep the branch that does."""
    kernel = hopper.kernel()
    assert next(symbol.minimum for symbol in kernel.symbols if symbol.name == "k") == 1
    assert not any(isinstance(node, Fill) for role in kernel.roles for node in walk(role.body))
    configuration = hopper.configuration(tile_k=128, vector_a=16, vector_b=16)
    narrow = hopper.kernel(configuration, dtype=DType.INT8, out=DType.INT32)
    assert next(symbol.minimum for symbol in narrow.symbols if symbol.name == "k") == 0
    assert any(isinstance(node, Fill) for role in narrow.roles for node in walk(role.body))


def test_boxes_that_few_tiles_read_together_need_not_be_kept(hopper):
    """A product of few columns streams A, one of few rows B."""

    def hints(kernel: SemanticKernel) -> dict[str, object]:
        loads = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, AsyncLoad)]
        return {load.source.operand: load.source.once for load in loads}

    found = hints(hopper.kernel(hopper.configuration(cluster=(2, 1))))
    columns, rows, tile = found["a"], found["b"], hopper.configuration()
    n, m = 4 * tile.tile_n, 8 * tile.tile_m
    assert holds(columns, {"n": n, "k": 16 * n}) and not holds(columns, {"n": n + 1, "k": 32 * n})
    assert holds(rows, {"m": m, "k": 16 * m}) and not holds(rows, {"m": m + 1, "k": 32 * m})
    assert not holds(columns, {"n": n, "k": 16 * n - 1}), "results are too many"


@pytest.mark.parametrize(
    ("tile_m", "tile_n", "warps"),
    [(64, 64, 8), (128, 112, 12), (128, 192, 12), (64, 208, 8), (128, 256, 12), (256, 128, 12), (192, 96, 16)],
)
@pytest.mark.parametrize("linear", [True, False])
def test_tile_shapes_compute_exactly(hopper, tile_m, tile_n, warps, linear):
    kernel = hopper.kernel(hopper.configuration(tile_m, tile_n, warps=warps, stages=2), linear=linear)
    found, expected = hopper.run(kernel, tile_m + 3, tile_n + 8, 90, linear=linear)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("tile_k", [16, 32, 64, 128])
@pytest.mark.parametrize("linear", [True, False])
def test_every_row_width_computes_exactly(hopper, tile_k, linear):
    swizzle = {16: SwizzleMode.B32, 32: SwizzleMode.B64}.get(tile_k, SwizzleMode.B128)
    kernel = hopper.kernel(hopper.configuration(tile_k=tile_k, swizzle=swizzle), linear=linear)
    found, expected = hopper.run(kernel, 70, 72, 150, linear=linear)
    assert np.array_equal(found, expected)


def test_the_copy_engine_stores_rows_of_whole_chunks(hopper):
    """Of a chunk in which a row ends, the device writes what lies behind the row too."""
    kernel = hopper.kernel(hopper.configuration(tile_n=112, vector_c=8), out=DType.BF16, aligned_out=True)
    columns = next(symbol for symbol in kernel.symbols if symbol.name == "n")
    assert columns.multiple == 8 and not columns.admits(115)
    found, expected = hopper.run(kernel, 131, 120, 70, out=DType.BF16, aligned_out=True)
    assert np.array_equal(found, expected)
    careless = kernel.replace(symbols=tuple(s.replace(multiple=1) if s == columns else s for s in kernel.symbols))
    with pytest.raises(InterpretError, match="rows of 230 bytes, which end within a chunk"):
        hopper.run(careless, 131, 115, 70, out=DType.BF16, aligned_out=True)
    with pytest.raises(CertificationError, match="within a chunk"):
        certify(careless, hopper.contraction(out=DType.BF16, aligned_out=True), hopper.profile)


@pytest.mark.parametrize(("stages", "staged"), [(3, 2), (4, 1)])
def test_a_ring_that_leaves_little_room_leaves_one_staging_buffer(hopper, stages, staged):
    configuration = hopper.configuration(
        192, 192, warps=16, stages=stages, tile_k=64, swizzle=SwizzleMode.B128, vector_c=8
    )
    kernel = hopper.kernel(configuration, epilogue=True, out=DType.BF16, aligned_out=True)
    staging = next(buffer for buffer in kernel.buffers if buffer.name == "staging64")
    assert staging.layout.shape[0] == staged
    found, expected = hopper.run(kernel, 200, 264, 90, epilogue=True, out=DType.BF16, aligned_out=True)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(("out", "aligned"), [(DType.BF16, True), (DType.BF16, False), (DType.FP32, True)])
def test_epilogue_with_operands_and_guards(hopper, out, aligned):
    configuration = hopper.configuration(tile_n=112, cluster=(2, 1), vector_c=8 if aligned else 1)
    kernel = hopper.kernel(configuration, epilogue=True, out=out, aligned_out=aligned)
    n = 120 if aligned else 115  # chunks of columns move together where rows are aligned
    found, expected = hopper.run(kernel, 131, n, 70, epilogue=True, out=out, aligned_out=aligned)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("width", "tile_k", "cluster", "linear"),
    [(8, 64, 1, True), (16, 128, 2, True), (24, 64, 1, True), (72, 64, 1, True), (64, 64, 4, False)],
)
def test_exchanged_factors_compute_exactly(hopper, width, tile_k, cluster, linear):
    configuration = hopper.configuration(64, width, (cluster, 1), tile_k=tile_k, stages=2)
    kernel = hopper.kernel(configuration, linear=linear, options=EXCHANGED)
    stores = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Store)]
    assert {node.transfer for node in stores} == {Transfer.MATRIX_TRANSPOSED}
    for seed, (m, n, k) in enumerate([(1, 72, 200), (width + 1, 136, 90), (3, 64, 5)]):
        found, expected = hopper.run(kernel, m, n, k, linear=linear, options=EXCHANGED, seed=seed)
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(("out", "aligned"), [(DType.BF16, True), (DType.BF16, False), (DType.FP32, True)])
def test_epilogues_of_exchanged_factors(hopper, out, aligned):
    """Vectors along rows and columns change places, and any number of rows goes through one kernel."""
    configuration = hopper.configuration(64, 24, vector_c=8 if aligned else 1)
    kernel = hopper.kernel(configuration, epilogue=True, out=out, aligned_out=aligned, options=EXCHANGED)
    for rows in (3, 17):
        found, expected = hopper.run(
            kernel, rows, 136 if aligned else 131, 70, epilogue=True, out=out, aligned_out=aligned, options=EXCHANGED
        )
        assert np.array_equal(found, expected)


def test_exchanged_factors_are_certified(hopper):
    for divided, options in ((1, {}), (2, {"out": DType.FP32})):
        contraction = hopper.contraction(options=EXCHANGED, **options)
        configuration = hopper.configuration(64, 16, (2, 1), tile_k=128, split_k=divided)
        kernel = specialized_kernel(contraction, configuration, hopper.profile, "v", "gemm")
        certificate = certify(kernel, contraction, hopper.profile)
        certificate.require(kernel)
        assert "meaning" in {proof.property for proof in certificate.proofs}


def test_heroes_are_certified_and_survive_json(hopper):
    contraction = hopper.contraction()
    for configuration in hopper_heroes(DType.BF16):
        if configuration.barrier_mode is not BarrierMode.PRODUCER_CONSUMER or configuration.tile_n != 208:
            continue
        kernel = specialized_kernel(contraction, configuration, hopper.profile, "cuda.contraction.wgmma", "gemm")
        certificate = certify(kernel, contraction, hopper.profile)
        certificate.require(kernel)
        assert {"pipeline", "banks", "addressing", "cover", "meaning"} <= {
            proof.property for proof in certificate.proofs
        }
        assert SemanticKernel.from_json(kernel.to_json()) == kernel


def test_reasons_for_refusal(hopper):
    contraction = hopper.contraction()
    for fields, reason in [
        ({"vector_a": 4}, "16 bytes"),
        ({"split_k": 3}, "parts of k"),
        ({"tile_n": 24, "split_k": 2}, "by 16 columns"),
        ({"tile_n": 68}, "multiple of 8"),
        ({"warps": 10}, "warpgroups"),
        ({"swizzle": SwizzleMode.B64}, "swizzle"),
        ({"tile_k": 48}, "tile_k"),
        ({"barrier_mode": BarrierMode.NONE}, "another schedule"),
        ({"tile_m": 192, "warps": 12}, "64-row pieces"),
        ({"cluster_m": 4, "cluster_n": 4, "split_k": 2}, "cluster of 32"),
        ({"tile_m": 256, "tile_n": 256, "warps": 12}, "registers"),
        ({"block_k": 64, "in_flight": 0}, "keep all their bits"),
    ]:
        configuration = hopper.configuration(**{"tile_m": 128, "tile_n": 64, **fields})
        fault = specialized_fault(contraction, configuration, hopper.profile)
        assert fault is not None and reason in fault
        with pytest.raises(ConfigurationError, match=reason):
            specialized_kernel(contraction, configuration, hopper.profile, "v", "gemm")
    assert specialized_fault(contraction, hopper.configuration(), hopper.profile) is None
    assert "fp32" in (
        specialized_fault(hopper.contraction(dtype=DType.FP32), hopper.configuration(), hopper.profile) or ""
    )
    with pytest.raises(ConfigurationError, match="shared memory"):
        hopper.kernel(hopper.configuration(tile_n=256, stages=8))
    with pytest.raises(ConfigurationError, match="closed form"):
        hopper.kernel(hopper.configuration(order=Order.HILBERT))
    with pytest.raises(ConfigurationError, match="160 accumulators leave a consumer no room for an operand"):
        hopper.kernel(hopper.configuration(tile_m=256, tile_n=160, stages=3, warps=12), epilogue=True)


OPERANDS = [
    (DType.INT8, DType.INT32),
    (DType.FP8_E4M3, DType.BF16),
    (DType.FP8_E5M2, DType.FP32),
    (DType.TF32, DType.FP32),
]


@pytest.mark.parametrize(("dtype", "out"), OPERANDS)
@pytest.mark.parametrize(("tile_n", "cluster", "split"), [(64, (2, 1), 1), (112, (1, 1), 1), (64, (1, 1), 2)])
def test_other_operands_compute_exactly(hopper, dtype, out, tile_n, cluster, split):
    short = dtype is DType.FP8_E4M3
    step = 128 // dtype.bytes
    configuration = hopper.configuration(
        tile_n=tile_n, tile_k=step, cluster=cluster, split_k=split, block_k=step if short else 0, in_flight=0 if short else 1,
        vector_a=16 // dtype.bytes, vector_b=16 // dtype.bytes,
    )  # fmt: skip
    options = Options(fast_accumulation=dtype is DType.FP8_E5M2)
    kernel = hopper.kernel(configuration, dtype=dtype, out=out, options=options)
    assert {buffer.dtype for buffer in kernel.buffers if "tile" in buffer.name} == {dtype}
    for seed, (m, n, k) in enumerate([(130, 72, 400), (260, 144, 64), (64, 8, 0)]):
        found, expected = hopper.run(kernel, m, n, k, seed=seed, dtype=dtype, out=out, options=options)
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FP8_E4M3, DType.TF32])
def test_narrow_and_wide_operands_lie_along_k(hopper, dtype):
    contraction = hopper.contraction(dtype=dtype, out=DType.FP32, linear=False)
    vector = 16 // dtype.bytes
    configuration = hopper.configuration(tile_k=128 // dtype.bytes, vector_a=vector, vector_b=vector)
    assert "along k only" in (specialized_fault(contraction, configuration, hopper.profile) or "")


def test_sums_of_fp8_are_put_aside_unless_fast_accumulation_is_allowed(hopper):
    fast, exact = (
        hopper.contraction(dtype=DType.FP8_E4M3, out=DType.BF16, options=Options(fast_accumulation=fast))
        for fast in (True, False)
    )
    configuration = hopper.configuration(tile_k=128, vector_a=16, vector_b=16)
    assert "put aside" in (specialized_fault(exact, configuration, hopper.profile) or "")
    kernel = specialized_kernel(fast, configuration, hopper.profile, "cuda.contraction.wgmma", "gemm")
    check_types(kernel, fast)
    with pytest.raises(CertificationError, match="more than 128 products"):
        check_types(kernel, exact)
    aside = specialized_kernel(
        exact, configuration.replace(block_k=128, in_flight=0), hopper.profile, "cuda.contraction.wgmma", "gemm"
    )
    check_types(aside, exact)


def test_strides_become_multiples_of_16_bytes(hopper):
    kernel = hopper.kernel()
    multiples = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    assert (multiples["a_row"], multiples["b_column"], multiples["out_row"], multiples["m"]) == (8, 8, 8, 1)
    assert all(kernel.parameter(name).alignment == 16 for name in ("a", "b", "out"))
    direct = hopper.kernel(hopper.configuration(vector_c=1))
    assert {s.name: s.multiple for s in direct.symbols}["out_row"] == 1 and direct.parameter("out").alignment == 2


@pytest.mark.parametrize(
    ("strides", "pointer", "reason"),
    [((4097,), 0, "8194 bytes"), ((8,), 8, "starts at"), ((1 << 40,), 0, "outside"), ((-8,), 0, "outside")],
)
def test_copy_engine_faults(strides, pointer, reason):
    assert reason in (copy_engine_fault(DType.BF16, strides, pointer) or "")
    assert copy_engine_fault(DType.BF16, (4096, 64), 256) is None


def test_hardware_swizzles_are_the_solutions():
    for bits, row in enumerate((32, 64, 128), start=1):
        assert row_swizzle(row) == Matrix.xor_shift(7 + bits, bits=bits, base=4, shift=3)
    with pytest.raises(ConfigurationError):
        row_swizzle(256)


def test_register_split_fits_the_file_and_its_units(hopper):
    for consumers in (1, 2, 3):
        producer, consumer = register_split(consumers, hopper.profile)
        assert producer % 8 == consumer % 8 == 0 and consumer <= 240
        assert 128 * (producer + consumers * consumer) <= hopper.profile.registers_per_processor


def test_chunk_widths_add_up():
    for columns, element in itertools.product(range(16, 257, 16), (2, 4)):
        parts = widths(columns, element)
        assert sum(parts) == columns and all(part & (part - 1) == 0 and part * element <= 128 for part in parts)


@pytest.mark.parametrize(
    ("tile_n", "warps", "turns"), [(112, 12, False), (208, 12, False), (48, 8, False), (128, 12, True)]
)
def test_rows_that_begin_anywhere_are_stored_with_lanes_side_by_side(hopper, tile_n, warps, turns):
    mode = BarrierMode.PING_PONG if turns else BarrierMode.PRODUCER_CONSUMER
    tile_m = 64 * (1 if turns else warps // 4 - 1)
    kernel = hopper.kernel(
        hopper.configuration(tile_m, tile_n, warps=warps, stages=2, vector_c=1, barrier_mode=mode), out=DType.BF16
    )
    consumer = next(role for role in kernel.roles if role.name == "consumer")
    width = widths(tile_n, 2)[0]
    lanes = consumer.fragment(f"rows{width}").layout.elements()[1][:32, 0]
    assert list(lanes) == [lane % min(32, width) for lane in range(32)]
    assert next(symbol for symbol in kernel.symbols if symbol.name == "n").multiple == 1
    found, expected = hopper.run(kernel, tile_m + 67, tile_n + 5, 70, out=DType.BF16)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("name", ["staging_free", "staging_full"])
def test_staged_rows_without_their_barriers_are_not_certified(hopper, edit, name):
    kernel = hopper.kernel(hopper.configuration(64, 64, warps=8, stages=2, vector_c=1), out=DType.BF16)
    broken = edit(kernel, "consumer", lambda node: [] if isinstance(node, Barrier) and node.name == name else node)
    certify(kernel, hopper.contraction(out=DType.BF16), hopper.profile)
    with pytest.raises(CertificationError):
        certify(broken, hopper.contraction(out=DType.BF16), hopper.profile)

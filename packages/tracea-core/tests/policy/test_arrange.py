# SPDX-License-Identifier: MIT
"""Arrangements: what is copied and divided, that it is no more than needed, and that estimates say how they come about."""

from __future__ import annotations

import re

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.activations import SwiGLU
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.offered import variants_of
from tracea_core.plugin.select import resolve
from tracea_core.policy.arrange import alignment_fault, arranged, may_exchange, possible
from tracea_core.policy.arrangement import Arranged, Arrangement
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import topology_of
from tracea_core.testing.cases import gemm

BF16 = DType.BF16
SWIGLU = SwiGLU().bind()[0]
ODD = ((1111, 2222, 3333), (4097, 4095, 4093), (2047,) * 3, (8191, 127, 4099), (333, 65537, 129))


def ways(problem: Problem, preset: str = "h200", **options: bool) -> tuple[Arranged, ...]:
    selection = resolve(None, None, preset)
    return arranged(problem, selection.target, variants_of(selection), **options)


def product(m: int, n: int, k: int, a_row: int, b_row: int, **options: int) -> Problem:
    """Return a product whose operands run along k in rows of the given strides."""
    a, b = TensorSpec((m, k), BF16, (a_row, 1)), TensorSpec((k, n), BF16, (1, b_row))
    return Problem(GemmOp(m, n, k, dtype=BF16), (a, b), TensorSpec.contiguous((m, n), BF16), options=Options(**options))


@pytest.mark.parametrize("shape", ODD)
def test_odd_products_are_copied_for_the_copy_engine(shape: tuple[int, int, int]) -> None:
    best = ways(gemm(shape, BF16, "nt"))[0]
    assert [packing.operand for packing in best.arrangement.packed] == [0, 1]
    assert best.choice.variant.schedule == "warp_specialized"


def test_aligned_products_have_one_kernel_and_no_estimate() -> None:
    found = ways(gemm((4096, 4096, 4096), BF16, "nt"))
    assert len(found) == 1 and found[0].arrangement.kernels == 1 and not found[0].arrangement.reason


def test_each_operand_is_decided_on_its_own() -> None:
    for strides, packed in (((3333, 3336), [0]), ((3336, 3333), [1]), ((3333, 3333), [0, 1])):
        best = ways(product(2048, 2048, 3333, *strides))[0].arrangement
        assert [one.operand for one in best.packed] == packed
        given = product(2048, 2048, 3333, *strides)
        untouched = {0, 1} - set(packed)
        assert all(best.problem.inputs[i] == given.inputs[i] for i in untouched)


def test_small_products_are_read_in_place() -> None:
    assert ways(gemm((129, 131, 133), BF16, "nt"))[0].arrangement.kernels == 1


def test_copies_have_aligned_rows_and_room_for_them() -> None:
    for packing in ways(gemm((1111, 2222, 3333), BF16, "nt"))[0].arrangement.packed:
        row = max(packing.copied.strides)
        assert row * 2 % 128 == 0 and packing.depth == 3392 == row
        assert packing.bytes == (1111, 2222)[packing.operand] * row * 2


def test_a_reduction_is_divided_where_tiles_do_not_fill_the_processors() -> None:
    best = ways(gemm((512, 512, 65536), BF16, "nt"))[0].arrangement
    assert best.parts == 8 and best.partial is not None and best.partial.dtype is DType.FP32
    a, b = best.problem.inputs
    assert a.shape == (8, 512, 8192) and a.strides == (8192, 65536, 1)
    assert b.shape == (8, 8192, 512) and b.strides == (8192, 1, 65536)


def test_parts_of_a_reduction_leave_no_rest_where_nothing_pads() -> None:
    for found in ways(product(128, 128, 4104, 4104, 4104)):
        assert found.arrangement.parts == 1 or 4104 % found.arrangement.parts == 0
        if found.arrangement.parts > 1:
            assert all(spec.strides[0] * 2 % 16 == 0 for spec in found.arrangement.problem.inputs)


def test_copied_operands_are_padded_to_whole_parts() -> None:
    problem = product(128, 128, 4097, 4097, 4097)
    divided = [found.arrangement for found in ways(problem) if found.arrangement.parts > 1]
    assert divided
    for one in divided:
        each = one.problem.inputs[0].shape[-1]
        assert each % 64 == 0 and all(packing.depth == each * one.parts for packing in one.packed)
        assert (one.parts - 1) * each < 4097, "no part is empty"


def test_unaligned_addresses_count_as_odd_rows() -> None:
    problem = product(2048, 2048, 2048, 2048, 2048, alignment=2)
    assert "addresses" in str(alignment_fault(problem, 0))
    best = ways(problem)[0]
    assert best.arrangement.problem.options.placed == (0, 1)
    assert best.choice.variant.schedule == "warp_specialized"


def test_batches_are_copied_matrix_by_matrix() -> None:
    op = GemmOp(1111, 1222, 1333, batch=(3,), dtype=BF16)
    a = TensorSpec.contiguous((3, 1111, 1333), BF16)
    b = TensorSpec((3, 1333, 1222), BF16, (1333 * 1222, 1, 1333))
    best = ways(Problem(op, (a, b), TensorSpec.contiguous((3, 1111, 1222), BF16)))[0].arrangement
    assert [packing.copied.strides for packing in best.packed] == [(1111 * 1344, 1344, 1), (1222 * 1344, 1, 1344)]
    assert [packing.bytes for packing in best.packed] == [3 * 1111 * 1344 * 2, 3 * 1222 * 1344 * 2]


def test_processors_without_lanes_in_step_and_other_ops_have_one_kernel() -> None:
    assert len(ways(gemm((1111, 2222, 3333), DType.FP32, "nt"), "avx2")) == 1
    assert len(ways(gemm((1111, 2222, 3333), BF16, "nt"), several=False)) == 1


def test_what_no_variant_runs_is_refused_as_ever() -> None:
    op = GemmOp(64, 64, 64, dtype=DType.FP64)
    tensors = tuple(TensorSpec.contiguous((64, 64), DType.FP64) for _ in range(3))
    with pytest.raises(UnsupportedError, match="no variant"):
        ways(Problem(op, tensors[:2], tensors[2]))


def test_estimates_add_up_to_what_they_say() -> None:
    for found in ways(gemm((8191, 127, 4099), BF16, "nt")):
        reason = found.arrangement.reason
        terms, said = reason.split(" = ")
        numbers = [float(figure) for figure in re.findall(r"([\d.]+) us", terms)]
        launches = 2.0 * (found.arrangement.kernels - 1)
        assert abs(sum(numbers) + launches - float(said.split()[0])) < 0.3, reason


def test_the_fastest_estimate_comes_first() -> None:
    seconds = [found.arrangement.seconds for found in ways(gemm((1111, 2222, 3333), BF16, "nt"))]
    assert seconds == sorted(seconds) and len(seconds) >= 4


def test_descriptions_name_what_happens() -> None:
    best = ways(gemm((1111, 2222, 3333), BF16, "nt"))[0].arrangement
    assert "input 0 copied" in best.describe() and "us" in best.describe()
    assert Arrangement.from_json(best.to_json()) == best
    assert next(possible(best.problem, resolve(None, None, "h200").target.profile)).kernels == 1


@pytest.mark.parametrize("dtype", [DType.FP8_E4M3, DType.INT8])
@pytest.mark.parametrize(("layout", "packed"), [("nn", [1]), ("nt", []), ("tn", [0, 1]), ("tt", [0])])
def test_operands_that_are_multiplied_along_k_are_transposed(dtype: DType, layout: str, packed: list[int]) -> None:
    given = gemm((2048, 2048, 2048), dtype, layout)
    found = ways(given)
    best = found[0]
    assert [one.operand for one in best.arrangement.packed] == packed
    assert all(one.transposed and one.along == (-1, -2)[one.operand] for one in best.arrangement.packed)
    assert best.choice.variant.schedule == "warp_specialized"
    if packed:
        assert (
            "transposed into rows" in best.arrangement.describe()
            and best.choice.variant.name in best.arrangement.reason
        )


@pytest.mark.parametrize(("layout", "packed"), [("nn", 0), ("nt", 0), ("tn", 1), ("tt", 0)])
@pytest.mark.parametrize("columns", [512, 2048])
def test_of_two_operands_of_tf32_one_at_least_runs_along_k(layout: str, packed: int, columns: int) -> None:
    """It is the right one: the left one comes through registers, either way, and factors change roles for that."""
    given = gemm((2048, columns, 2048), DType.FP32, layout)
    best = ways(given.replace(options=given.options.replace(allow_tf32=True)))[0]
    assert best.choice.variant.name == "cuda.contraction.wgmma_tf32"
    assert len(best.arrangement.packed) == packed
    if layout == "nn":
        assert best.arrangement.problem.options.exchanged
    if layout == "tt":
        assert not best.arrangement.problem.options.exchanged


def test_single_precision_is_not_transposed_for_lanes() -> None:
    assert ways(gemm((2048, 2048, 2048), DType.FP32, "nn"))[0].arrangement.kernels == 1


def test_single_precision_is_transposed_for_lanes_where_both_operands_of_a_large_product_run_along_k() -> None:
    def packed(layout: str, size: int = 4096, preset: str = "h200", **options: bool) -> list[int]:
        given = gemm((size,) * 3, DType.FP32, layout)
        first = ways(given.replace(options=given.options.replace(**options)), preset)[0].arrangement
        assert all(one.transposed for one in first.packed)
        return [one.operand for one in first.packed]

    assert packed("nt") == packed("nt", preset="a100") == [0, 1]
    assert [packed(layout) for layout in ("nn", "tn", "tt")] == [[], [], []]
    assert packed("nt", 2048) == packed("nt", allow_tf32=True) == packed("nt", preset="t4") == []


def test_a_wider_type_counts_its_conversion() -> None:
    given = gemm((2048, 2048, 2048), DType.FP8_E4M3, "nn")
    found = ways(given.replace(options=given.options.replace(allow_fallback=True)))
    (wide,) = (one for one in found if one.choice.fallback is not None)
    assert "conversion to bf16" in wide.arrangement.reason and wide is not found[0]


def test_operands_without_elements_lie_in_any_order() -> None:
    assert ways(gemm((64, 64, 0), DType.INT8, "nn"))[0].choice.variant.schedule == "warp_specialized"


def test_results_with_odd_rows_may_be_stored_in_aligned_ones_first() -> None:
    given = gemm((4097, 4096, 4093), BF16, "nt")
    given = given.replace(output=TensorSpec((4097, 4096), BF16, (4099, 1)))
    found = [one.arrangement for one in ways(given) if len(one.arrangement.packed) == 2]
    direct, stored = (next(one for one in found if (one.stored is None) is wanted) for wanted in (True, False))
    assert stored.stored is not None and stored.problem.output == stored.stored and stored.stored.strides == (4096, 1)
    assert stored.kernels == 4 and "copy of the output" in stored.reason and "narrow stores" not in stored.reason
    assert direct.kernels == 3 and "narrow stores" in direct.reason


@pytest.mark.parametrize(("k", "padded"), [(4093, 4096), (4096, 4096), (129, 192)])
def test_copies_of_both_operands_are_padded_to_whole_lines(k: int, padded: int) -> None:
    """Rows that end within a box cost a copy engine more than the zeros."""
    found = [one.arrangement for one in ways(product(2047, 2047, k, k + 1 - k % 2, k + 1 - k % 2))]
    both = next(one for one in found if len(one.packed) == 2 and one.parts == 1)
    assert isinstance(both.problem.op, GemmOp) and both.problem.op.k == padded
    assert [spec.shape for spec in both.problem.inputs] == [(2047, padded), (padded, 2047)]
    assert all(one.depth == padded for one in both.packed)


def test_one_copied_operand_is_not_padded_beyond_the_other() -> None:
    found = [one.arrangement for one in ways(product(2048, 2048, 3333, 3333, 3336))]
    one = next(one for one in found if [packing.operand for packing in one.packed] == [0])
    assert isinstance(one.problem.op, GemmOp) and one.problem.op.k == 3333


@pytest.mark.parametrize(
    "given",
    [
        gemm((4096, 4096, 4096), BF16, "nt"),
        gemm((4096, 4095, 4096), DType.FP32, "nt"),
        product(256, 4095, 512, 512, 512, alignment=8),
        gemm((4097, 4095, 4093), BF16, "nt"),  # rows end within a chunk of what a copy engine stores
    ],
)
def test_results_are_stored_elsewhere_only_where_their_rows_alone_are_narrow(given: Problem) -> None:
    assert all(one.arrangement.stored is None for one in ways(given))


@pytest.mark.parametrize("layout", ["nt", "nn"])
@pytest.mark.parametrize("rows", [1, 16, 64, 128])
def test_few_rows_have_their_factors_exchanged(rows: int, layout: str) -> None:
    """The weights' columns become rows of 64, and all rows of the other factor fit one tile, which is no wider than they are."""
    best = ways(gemm((rows, 8192, 8192), BF16, layout))[0]
    assert best.arrangement.problem.options.exchanged and best.arrangement.kernels == 1
    assert best.choice.variant.schedule == "warp_specialized"
    assert best.arrangement.describe().startswith("factors exchanged, one kernel")
    hero = PolicyEngine(best.choice.target.profile).decide(best.choice.problem, best.choice.variant).hero
    assert hero.tile_m == 64 and hero.tile_n == max(rows, 8)


def test_more_rows_are_exchanged_where_that_cuts_fewer_and_fuller_tiles() -> None:
    """408 rows fill 4 × 128 to 80 %, but 4 × 112 columns to 91 %, and 33 × 4 tiles run at once on 132 processors."""
    best = ways(gemm((408, 4112, 12096), BF16, "nt"))[0]
    assert best.arrangement.problem.options.exchanged
    assert not ways(gemm((4096, 512, 4096), BF16, "nt"))[0].arrangement.problem.options.exchanged


@pytest.mark.parametrize("shape", [(512, 2048, 512), (196, 1024, 256), (197, 768, 768)])
def test_among_equals_tiles_are_as_many_down_as_across(shape: tuple[int, int, int]) -> None:
    first, second = (one.arrangement for one in ways(gemm(shape, BF16, "nt"))[:2])
    assert round(first.seconds * 1e6) == round(second.seconds * 1e6)
    assert first.problem.options.exchanged and not second.problem.options.exchanged


def test_lanes_that_read_single_elements_in_few_tiles_are_worth_copies() -> None:
    """289×208×3151 is 40 tiles of 32×64 for 132 processors: 73 µs in place on an H200, 15.5 with a copy."""
    found = ways(gemm((289, 208, 3151), BF16, "nn"))
    assert found[0].arrangement.packed and found[0].choice.variant.schedule == "warp_specialized"
    alone = next(one.arrangement for one in found if one.arrangement.kernels == 1)
    assert alone.seconds > 1.5 * found[0].arrangement.seconds and "start 6.1 us" in alone.reason


def test_odd_results_of_exchanged_factors_would_leave_by_columns() -> None:
    found = ways(gemm((333, 65537, 129), DType.BF16, "nt"))
    direct, turned = (
        next(
            one.arrangement
            for one in found
            if one.arrangement.stored is None and one.arrangement.problem.options.exchanged is exchanged
        )
        for exchanged in (False, True)
    )
    assert direct is found[0].arrangement and turned.seconds > 1.3 * direct.seconds


def test_few_tiles_of_few_rows_are_divided_as_well() -> None:
    best = ways(gemm((128, 2048, 32768), BF16, "nt"))[0].arrangement
    assert best.problem.options.exchanged and best.parts == 4
    assert best.partial is not None and best.partial.shape == (4, 128, 2048)
    within = ways(gemm((128, 4096, 16384), BF16, "nt"))[0].arrangement
    assert within.problem.options.exchanged and within.kernels == 1, "blocks of a cluster divide it"


@pytest.mark.parametrize("shape", [(1024,) * 3, (2048,) * 3, (4096, 14336, 4096), (520, 8192, 8192), (131, 129, 133)])
def test_other_products_keep_their_factors(shape: tuple[int, int, int]) -> None:
    assert not any(found.arrangement.problem.options.exchanged for found in ways(gemm(shape, BF16, "nt")))


def test_factors_are_exchanged_only_where_it_means_something() -> None:
    few = gemm((16, 4096, 4096), BF16, "nt")
    profile = resolve(None, None, "h200").target.profile
    assert may_exchange(few, profile) and not may_exchange(few, resolve(None, None, "a100").target.profile)
    gated = GemmOp(16, 4096, 4096, dtype=BF16)
    assert not may_exchange(
        few.replace(op=gated, output=few.output.replace(shape=(16, 2048)), epilogue=SWIGLU), profile
    )
    assert not may_exchange(gemm((4096, 16, 4096), BF16, "nt"), profile), "few columns are few columns already"


def test_exchanging_turns_strides_and_epilogues_with_the_factors() -> None:
    few = gemm((16, 4096, 1024), BF16, "nt")
    turned = topology_of(few.replace(options=Options(exchanged=True)))
    assert (turned.m, turned.n, turned.k) == (4096, 16, 1024)
    assert turned.stored_along_m and turned.b_along_k and not turned.a_along_m
    by_columns = few.replace(output=TensorSpec((16, 4096), BF16, (1, 16)))
    assert topology_of(by_columns).n == 16, "computed transposed without being asked"
    assert topology_of(by_columns.replace(options=Options(exchanged=True))).n == 4096

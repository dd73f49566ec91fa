# SPDX-License-Identifier: MIT
"""Tests that fit their address need no size of their own; those that do not, by one or by a stride, keep theirs."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Const, Index, Ragged, Sym, Test, less, minimum
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.ragged import Looked
from tracea_core.semantic.steps import Access, AsyncCopy, Box, BufferRef, Node, Store, Transfer
from tracea_core.semantic.verify.edges import box_settled, polynomial, settled
from tracea_core.semantic.verify.ranges import ranges
from tracea_core.semantic.verify.sizes import block_sizes
from tracea_core.testing.cases import dense, gemm

M, N, K, ROW, COLUMN = (Sym(name) for name in ("m", "n", "k", "row", "column"))
I0, J0 = Sym("i0"), Sym("j0")
FORM = lower(gemm((64, 64, 64), DType.BF16, "nt")).contraction
RIGHT = (less(I0 + ROW, M), less(J0 + 8 + COLUMN, N))
PLACE = (I0 + ROW) * Sym("out_row") + J0 + COLUMN + 8


def store(guard: tuple[Test, ...] = RIGHT, offset: object = PLACE) -> Store:
    return Store(Access("out", offset), "result", Transfer.GATHER, guard)  # type: ignore[arg-type]


def copy(row: object, column: object = 32 + COLUMN, guard: tuple[Test, ...] | None = None) -> AsyncCopy:
    tests = (less(32 + COLUMN, Sym("depth")),) if guard is None else guard
    return AsyncCopy("map", Access("a", row * Sym("a_row") + column), BufferRef("a_tile", (ROW, COLUMN)), tests)  # type: ignore[operator]


def fits(node: Node) -> bool:
    return settled(node, FORM, {"depth": K})


def test_polynomials_do_not_depend_on_how_they_are_written() -> None:
    assert polynomial((M + 1) * (N - 2)) == polynomial(N * M - 2 * M + N - 2)
    assert polynomial(M - M) == {} and polynomial(M * 3) != polynomial(M * 2)
    assert polynomial(minimum(M, N) * 2) == polynomial(minimum(M, N) + minimum(M, N))


def test_what_fits_holds_at_every_size() -> None:
    assert fits(store()) and fits(copy(minimum(I0 + ROW, M - 1)))


@pytest.mark.parametrize(
    "wrong",
    [
        store((less(I0 + ROW + 1, M), RIGHT[1])),
        store((RIGHT[0], less(J0 + 8 + COLUMN, N + 1))),
        store((RIGHT[0],)),
        store((RIGHT[1],)),
        store((less(I0 + ROW, N), less(J0 + 8 + COLUMN, M))),
        store(offset=PLACE + 1),
        store(offset=(I0 + ROW) * Sym("a_row") + J0 + COLUMN + 8),
        store(()),
        copy(minimum(I0 + ROW, M)),
        copy(minimum(I0 + ROW, M - 2)),
        copy(minimum(I0 + ROW, N - 1)),
        copy(minimum(I0 + ROW, M - 1), 33 + COLUMN),
        copy(minimum(I0 + ROW, M - 1) * 2),
        copy(minimum(I0 + ROW, M - 1), guard=(less(31 + COLUMN, K),)),
    ],
)
def test_a_bound_or_an_address_that_is_off_fits_no_more(wrong: Node) -> None:
    assert not fits(wrong)


def test_boxes_fit_if_each_dimension_is_bounded_by_its_own_extent() -> None:
    origin = (Const(0), I0)
    box = Box("a", (K, M), (Const(1), Sym("a_row")), origin, (64, 64))
    assert box_settled(box, FORM, {})
    for wrong in (
        box.replace(extents=(K, M + 1)),
        box.replace(extents=(M, K)),
        box.replace(strides=(Const(1), Sym("out_row"))),
        box.replace(extents=(K, K)),
    ):
        assert not box_settled(wrong, FORM, {})


def _uniform() -> tuple[SemanticKernel, Contraction]:
    config = PipelineConfig(
        tile_m=32, tile_n=64, tile_k=32, stages=3, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )  # fmt: skip
    return multistage_kernel(FORM, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16"), FORM


def _ring() -> tuple[SemanticKernel, Contraction]:
    config = PipelineConfig(
        tile_m=64, tile_n=64, tile_k=64, stages=3, in_flight=1, warps=8, vector_a=8, vector_b=8, vector_c=8,
        swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    )  # fmt: skip
    return specialized_kernel(FORM, config, preset("h200"), "v", "k"), FORM


@pytest.mark.parametrize("made", [_uniform, _ring])
def test_shipped_schedules_need_few_sizes(made: object) -> None:
    kernel, form = made()  # type: ignore[operator]
    for name in ("m", "n", "k"):
        assert ranges(kernel, name, form) < ranges(kernel, name)
    assert len(block_sizes(kernel, "k", form)) <= len(block_sizes(kernel, "k"))


def test_a_row_is_settled_alone_where_its_columns_are_known_to_exist() -> None:
    rows = store((RIGHT[0],))
    assert settled(rows, FORM, {}, whole=frozenset({"n"})) and not settled(rows, FORM, {}, whole=frozenset({"m"}))
    for wrong in (
        store((less(I0 + ROW + 1, M),)),
        store((less(I0 + ROW, M + 1),)),
        store((less(I0 + ROW, M),), PLACE + Sym("out_row")),
        store((less(I0 + ROW, M),), PLACE + Sym("i") * Sym("out_row")),
        store((RIGHT[1],)),  # columns, of which nothing is known but the test
    ):
        assert not settled(wrong, FORM, {}, whole=frozenset({"n", "m"}))


COLUMNS = lower(gemm((64, 64, 64), DType.BF16, "nn")).contraction


def vector(column: Index, rest: Index = ROW % 8, tests: bool = True, width: int = 8) -> AsyncCopy:
    place = Access("b", (32 + COLUMN) * Sym("b_row") + column + rest)
    guard = (less(32 + COLUMN, Sym("depth")),) if tests else ()
    return AsyncCopy("map", place, BufferRef("b_tile", (ROW, COLUMN)), guard, width=width)


@pytest.mark.parametrize("tests", [False, True])
def test_the_last_vector_of_whole_ones_is_settled(tests: bool) -> None:
    last, multiples = minimum(J0 + ROW // 8 * 8, N - 8), {"n": 8}

    def holds(node: Node, known: dict[str, int] = multiples) -> bool:
        return settled(node, COLUMNS, {"depth": K}, known)

    assert holds(vector(last, tests=tests)) and holds(vector(last, tests=tests), {"n": 16})
    assert not holds(vector(last, tests=tests), {"n": 4}) and not holds(vector(last, tests=tests), {})
    assert not holds(vector(last, tests=tests, width=4))
    for off in (7, 9, 16):
        assert not holds(vector(minimum(J0 + ROW // 8 * 8, N - off), tests=tests))
    assert not holds(vector(last * 2, tests=tests))
    assert not holds(vector(last, ROW % 4)) and not holds(vector(last, ROW % 8 + 1))


def test_the_end_of_a_step_s_own_group_is_settled() -> None:
    form = lower(groups()).contraction
    own, other = (Ragged(Looked.END, position, Const(0), M, 0) for position in (Sym("group"), Sym("group") + 1))
    place = (I0 + ROW) * Sym("out_row") + J0 + COLUMN + 8
    guarded = store((less(I0 + ROW, Sym("stop")), RIGHT[1]), place)
    assert settled(guarded, form, {"stop": own, "item": Sym("group")})
    assert not settled(guarded, form, {"stop": other, "item": Sym("group")})
    assert not settled(guarded, form, {"stop": own, "item": Sym("group") + 1})
    assert not settled(guarded, FORM, {"stop": own, "item": Sym("group")})


def groups() -> Problem:
    op = GroupedGemmOp(m=300, groups=4, n=192, k=128, dtype=DType.BF16)
    x, w, ends = map(dense, op.input_shapes(), op.input_dtypes())
    return Problem(op, (x, w, ends), dense(op.output_shape(), op.output_dtype()))

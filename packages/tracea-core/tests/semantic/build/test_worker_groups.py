# SPDX-License-Identifier: MIT
"""Grouped products on a CPU: one kernel for every division of the rows, proved for each schedule, and refused with a wrong look-up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import ReLU, Residual, Scale, Sigmoid, SwiGLU
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import as_chain, join
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS
from tracea_core.semantic.build.dots import dots_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.build.shares import SHARES, dots_symbols, panel_symbols
from tracea_core.semantic.contraction import GROUP_STOP, ITEM, Contraction
from tracea_core.semantic.index import Index, Ragged, Sym, ceil_div
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.ragged import Looked
from tracea_core.semantic.rewrite import map_indices
from tracea_core.semantic.steps import If, Let, Load, Loop, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import CacheLevel
from tracea_core.testing.cases import dense

TILE = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, stages=1, warps=1)
SCHEDULES = {
    "panels": TILE,
    "blocks": TILE.replace(block_k=8),
    "packed": TILE.replace(block_k=8, pack_a=True),
    "streamed": TILE.replace(block_k=8, pack_b=False),
    "turned": TILE.replace(tile_n=8, pack_b=False),
}
AVX2 = preset("avx2")
DOTS = {"fma_outer_6x4x16_bf16": (3, 32), "amx_2x2_bf16": (32, 32)}


def problem(
    m: int = 20, groups: int = 3, order: tuple[int, ...] = (0, 1, 2), dtype: DType = DType.FP32, tail: str = ""
) -> Problem:
    n, k = 40, 24
    op = GroupedGemmOp(m, groups, n, k, dtype=dtype)
    inputs = (dense((m, k), dtype), dense((groups, k, n), dtype, order), dense((groups,), DType.INT32))
    epilogue = IDENTITY
    terms: tuple[TensorSpec, ...] = ()
    if tail == "fused":  # a row of the bias for each group, an element of the residual, and of a column of scales
        full, rows = np.ones((m, n), np.float32), np.ones(m, np.float32)
        epilogue = join(bias(), (Residual(full) | Scale(rows, "row") | ReLU()).bind()[0])
        terms = (dense((groups, n), DType.FP32), dense((m, n), DType.FP32), dense((m,), DType.FP32))
    if tail == "gated":
        epilogue, n = as_chain(SwiGLU()).epilogue, n // 2
    return Problem(op, inputs, dense((m, n), op.output_dtype()), epilogue, terms)


def built(configuration: PipelineConfig, given: Problem | None = None) -> tuple[SemanticKernel, Contraction]:
    form = lower(given or problem()).contraction
    return panel_kernel(form, configuration, AVX2, "cpu.contraction.avx2_fp32", "kernel"), form


def dots(name: str, given: Problem) -> tuple[SemanticKernel, Contraction]:
    (m, n), form = DOTS[name], lower(given).contraction
    configuration = PipelineConfig(tile_m=m, tile_n=n, tile_k=1, stages=1, warps=1)
    return dots_kernel(form, configuration, preset("avx512"), "cpu.dots", "kernel", name), form


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
@pytest.mark.parametrize("name", SCHEDULES)
def test_kernels_are_certified(name: str, order: tuple[int, ...]) -> None:
    kernel, form = built(SCHEDULES[name], problem(order=order))
    assert [proof.property for proof in certify(kernel, form, AVX2).proofs][-1] == "meaning"


@pytest.mark.parametrize("tail", ["fused", "gated"])
@pytest.mark.parametrize("name", ["panels", "packed", "streamed"])
def test_epilogues_see_their_group_and_rows(name: str, tail: str) -> None:
    tile = SCHEDULES[name] if tail == "fused" else SCHEDULES[name].replace(tile_m=2)
    kernel, form = built(tile, problem(tail=tail))
    assert certify(kernel, form, AVX2)


@pytest.mark.parametrize("name", DOTS)
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_products_by_groups_of_k_are_certified(name: str, order: tuple[int, ...]) -> None:
    kernel, form = dots(name, problem(order=order, dtype=DType.BF16, tail="fused"))
    assert certify(kernel, form, preset("avx512"))


def test_slow_parts_of_rows_are_kept_for_tiles_that_begin_anywhere() -> None:
    """The last tile of the last group reaches up to a tile's rows, less one, behind the last row."""
    rows = np.ones(20, np.float32)
    stated = join(as_chain(Scale(rows, "row") | Sigmoid()).epilogue, IDENTITY)
    given = problem().replace(epilogue=stated, epilogue_inputs=(dense((20,), DType.FP32),))
    kernel, form = built(TILE, given)
    assert certify(kernel, form, AVX2)


def test_sizes_of_groups_are_data() -> None:
    assert len({lower(problem(m, groups)).contraction for m, groups in ((20, 3), (7, 64), (0, 1))}) == 1


def test_rows_of_groups_are_not_divided_along_k() -> None:
    with pytest.raises(ConfigurationError, match="rows of no groups"):
        built(TILE.replace(split_k=2))


@pytest.mark.parametrize("name", ["panels", "packed"])
def test_of_groups_without_rows_nothing_is_packed(name: str) -> None:
    kernel, _ = built(SCHEDULES[name])
    (units,) = (node for node in kernel.roles[0].body if isinstance(node, Loop) and node.var == "unit")
    *lets, guarded = units.body
    assert all(isinstance(node, Let) for node in lets) and isinstance(guarded, If) and not guarded.otherwise
    assert any(isinstance(node, Load) for node in walk(guarded.then))


def changed(kernel: SemanticKernel, change: Callable[[Index], Index]) -> SemanticKernel:
    roles = tuple(role.replace(body=map_indices(role.body, change, lambda test: test)) for role in kernel.roles)
    return kernel.replace(roles=roles)


def looked_up(position: Index, /, **fields: object) -> Callable[[Index], Index]:
    """Change the look-up of one end."""

    def change(expr: Index) -> Index:
        found = isinstance(expr, Ragged) and expr.fn is Looked.END and expr.position == position
        return expr.replace(**fields) if found else expr

    return change


@pytest.mark.parametrize(
    "change",
    [
        looked_up(ITEM - 1, position=ITEM), looked_up(ITEM, position=ITEM - 1), looked_up(ITEM, position=ITEM + 1),
        looked_up(ITEM - 1, position=Sym("unit") - 1), looked_up(ITEM, rows=Sym("m") + 1), looked_up(ITEM, rows=Sym("m") - 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["panels", "packed", "streamed"])
def test_wrong_look_ups_are_refused(name: str, change: Callable[[Index], Index]) -> None:
    kernel, form = built(SCHEDULES[name])
    with pytest.raises((CertificationError, ConfigurationError)):
        certify(changed(kernel, change), form, AVX2)


@pytest.mark.parametrize("name", ["panels", "packed", "streamed"])
def test_stores_end_with_the_group(name: str) -> None:
    kernel, form = built(SCHEDULES[name])

    def beyond(expr: Index) -> Index:
        return Sym("m") if expr == GROUP_STOP else expr

    stores = [node for node in walk(kernel.roles[0].body) if isinstance(node, Store) and node.guard]
    assert any(test.right == GROUP_STOP for store in stores for test in store.guard)
    roles = []
    for role in kernel.roles:
        body = map_indices(role.body, lambda expr: expr, lambda test: test.replace(right=beyond(test.right)))
        roles.append(role.replace(body=body))
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=tuple(roles)), form, AVX2)


def test_groups_count_as_average_ones_and_are_dealt() -> None:
    caches = (CacheLevel(1, 32 << 10, 64, 1), CacheLevel(2, 512 << 10, 64, 1))
    profile = AVX2.replace(processors=2, caches=caches)

    def large(m: int, groups: int, dtype: DType = DType.FP32) -> Problem:
        op = GroupedGemmOp(m, groups, 512, 512, dtype=dtype)
        tensors = tuple(map(dense, op.input_shapes(), op.input_dtypes()))
        return Problem(op, tensors, dense(op.output_shape(), op.output_dtype()))

    values = panel_symbols(lower(large(64 * 8, 64)), TILE, profile)
    assert (values["workers"], values[ROW_SPLITS], values[SHARES]) == (2, 1, 128)  # 64 × 32 panels, 64 shares a worker
    values = panel_symbols(lower(large(64 * 8, 64)), SCHEDULES["streamed"], profile)
    assert values[SHARES] == 64 * values[COLUMN_SPLITS]
    values = panel_symbols(lower(large(3, 2)), TILE, profile)
    assert SHARES not in values  # too little to be dealt
    values = dots_symbols(lower(large(64 * 8, 64, DType.BF16)), TILE.replace(tile_n=32), profile)
    assert values[SHARES] == 64 * values[ROW_SPLITS] * values[COLUMN_SPLITS]


@pytest.mark.parametrize("together", [7, 9])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_a_row_of_groups_too_many_or_too_few_is_refused(order: tuple[int, ...], together: int) -> None:
    """One too many is packed and never read, which shows where there is no place for it: above all where there are no rows."""
    kernel, form = built(SCHEDULES["packed"], problem(order=order))
    right = ceil_div(Sym("row_tiles"), 8)  # of 3 rows: 24 are packed together, by vectors of 8
    wrong = (Sym("row_tiles") + 7) // together
    planted = changed(kernel, lambda expr: wrong if expr == right else expr)
    assert planted != kernel
    with pytest.raises(CertificationError):
        certify(planted, form, AVX2)

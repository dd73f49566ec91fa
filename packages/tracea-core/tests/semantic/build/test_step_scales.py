# SPDX-License-Identifier: MIT
"""Scales of a step: the schedule is certified for each way of sharing them, and every fault planted in it is found."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.choose import choose, reason_against
from tracea_core.doctor.presets import preset
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError, UnsupportedError
from tracea_core.ops.activations import Residual, Scale
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.build.step_scales import scale_registers
from tracea_core.semantic.build.store_tile import SUM
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, substitute
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Compute, Load, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.meaning import check_meaning
from tracea_core.target import Target
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

H200 = preset("h200")
TILE = PipelineConfig(
    tile_m=64, tile_n=64, tile_k=128, stages=2, warps=8, swizzle=SwizzleMode.B128, block_k=128,
    barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=16, vector_b=16, vector_c=8,
)  # fmt: skip
SHARING = [(1, 128), (1, 1), (128, 128), (128, 1)]


def problem(rows: int = 1, columns: int = 128, *, turned: bool = False, fused: bool = False) -> Problem:
    op = ScaledGemmOp(256, 384, 512, rows, columns)
    a, b, *scales = op.input_shapes()
    fp8, real, bf16 = DType.FP8_E4M3, DType.FP32, DType.BF16
    inputs = (dense(a, fp8), dense(b, fp8, (1, 0)), dense(scales[0], real, (1, 0)), dense(scales[1], real))
    tail, extra = IDENTITY, ()
    if fused:
        chain = Residual(np.ones((256, 384))) | Scale(np.ones(256, np.float32), "row") | Scale(np.ones(1, np.float32))
        tail, extra = chain.bind()[0], (dense((256, 384), bf16), dense((256,), real), dense((1,), real))
    order = (1, 0) if turned else (0, 1)
    return Problem(op, inputs, dense((256, 384), bf16, order), tail, extra, Options(allow_fallback=False))


@functools.cache
def form(rows: int, columns: int, fused: bool = False) -> Contraction:
    return lower(problem(rows, columns, fused=fused)).contraction


def built(config: PipelineConfig = TILE, rows: int = 1, columns: int = 128, fused: bool = False) -> SemanticKernel:
    return specialized_kernel(form(rows, columns, fused), config, H200, "test.contraction.scaled", "scaled")


def moved(operand: str, place: Callable[[Index], Index]) -> Callable[[Node], Node]:
    """A load of scales from another place."""

    def edit(node: Node) -> Node:
        if isinstance(node, Load) and getattr(node.source, "operand", "") == operand:
            return node.replace(source=node.source.replace(offset=place(node.source.offset)))
        return node

    return edit


def always(name: str, value: int = 0) -> Callable[[Index], Index]:
    return lambda offset: substitute(offset, {name: Const(value)})


def unscaled(node: Node) -> Node:
    return node.replace(expr=SUM, operands=()) if isinstance(node, Compute) and len(node.operands) == 2 else node


def unguarded(node: Node) -> Node:
    return node.replace(guard=()) if isinstance(node, Load) and node.fragment == "a_scales" else node


@pytest.mark.parametrize(("rows", "columns"), SHARING)
def test_every_way_of_sharing_is_certified(rows: int, columns: int) -> None:
    certify(built(rows=rows, columns=columns), form(rows, columns), H200)


@pytest.mark.parametrize(
    "config",
    [
        TILE.replace(tile_m=128, tile_n=64, warps=8, cluster_m=2),  # two pieces of rows for a consumer
        TILE.replace(tile_m=64, tile_n=64, warps=12, barrier_mode=BarrierMode.PING_PONG),
        TILE.replace(tile_m=128, tile_n=96, warps=12, stages=3),  # columns of a tile from two blocks
    ],
)
def test_other_tiles_and_epilogues_are_certified(config: PipelineConfig) -> None:
    certify(built(config, fused=True), form(1, 128, True), H200)


PLANTED = {
    "sums of a step are added unscaled": ((1, 128), unscaled),
    "the scale of another row": ((1, 128), moved("a_scale", always(ROW.name, 1))),
    "the scale of the first group, in every step": ((1, 128), moved("a_scale", always("k_step"))),
    "the block's scale of the first group": ((1, 128), moved("b_scale", always("k_step"))),
    "the scale of the first block of columns": ((1, 128), moved("b_scale", always("column0"))),
    "the scale of the next block of columns": ((1, 128), moved("b_scale", lambda offset: offset + 1)),
    "the scale of another column": ((1, 1), moved("b_scale", always(COLUMN.name))),
    "the scale of the first block of rows": ((128, 128), moved("a_scale", always("first_row"))),
    "the scale of the step before": (
        (1, 128),
        moved("a_scale", lambda offset: substitute(offset, {"k_step": Sym("k_step") - 1})),
    ),
    "scales beyond the last row": ((1, 128), unguarded),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found(name: str) -> None:
    (rows, columns), edit = PLANTED[name]
    kernel = built(rows=rows, columns=columns)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        check_meaning(wrong, form(rows, columns))


def test_what_does_not_fit_is_refused_with_its_reason() -> None:
    with pytest.raises(ConfigurationError, match="sums of 128 products are scaled before they are added"):
        built(TILE.replace(tile_k=256, block_k=256, stages=1))
    with pytest.raises(UnsupportedError, match="stores by rows"):
        lower(problem(turned=True))


def test_registers_of_scales_count() -> None:
    registers = {sharing: scale_registers(form(*sharing).scales, 128, 2) for sharing in SHARING}
    assert registers == {(1, 128): 10, (1, 1): 36, (128, 128): 6, (128, 1): 34}, "few are held twice"
    assert scale_registers(None, 128, 1) == 0


def test_schedules_that_scale_no_groups_say_so() -> None:
    target = Target(backend="test", device="preset:h200", profile=H200)
    variant = Variant(
        name="test.contraction.mma", backend="test", family="contraction", schedule="multistage",
        instruction="mma_m16n8k16_bf16", operand_dtypes=(DType.FP8_E4M3,), accumulate=DType.FP32,
    )  # fmt: skip
    assert "before anything scales them" in str(reason_against(variant, problem(), target))
    with pytest.raises(UnsupportedError, match="before anything scales them"):
        choose(problem().replace(options=Options()), target, [variant])
    assert Sym("k") in (axis.extent for axis in form(1, 128).k_axes)


RAGGED = TILE.replace(order=Order.ROW)


@functools.cache
def ragged(columns: int) -> Contraction:
    op = ScaledGroupedGemmOp(512, 4, 384, 512, dtype=DType.FP8_E4M3, shared_columns=columns)
    x, w, ends, *scales = op.input_shapes()
    fp8, real = DType.FP8_E4M3, DType.FP32
    inputs = (
        dense(x, fp8), dense(w, fp8, (0, 2, 1)), dense(ends, DType.INT32), dense(scales[0], real), dense(scales[1], real, (0, 2, 1)),
    )  # fmt: skip
    out = dense((512, 384), DType.BF16)
    return lower(Problem(op, inputs, out, options=Options(allow_fallback=False))).contraction


@pytest.mark.parametrize("columns", [1, 128])
@pytest.mark.parametrize("turns", [False, True])
def test_ragged_groups_have_scales_of_their_own(columns: int, turns: bool) -> None:
    config = RAGGED.replace(warps=12, barrier_mode=BarrierMode.PING_PONG) if turns else RAGGED
    kernel = specialized_kernel(ragged(columns), config, H200, "test.contraction.scaled", "scaled")
    certify(kernel, ragged(columns), H200)
    if not turns:
        for edit in (moved("b_scale", always("item")), moved("a_scale", always("first_row")), unscaled):
            wrong = edited(kernel, edit)
            assert wrong != kernel
            with pytest.raises(CertificationError):
                check_meaning(wrong, ragged(columns))

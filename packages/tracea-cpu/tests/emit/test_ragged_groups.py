# SPDX-License-Identifier: MIT
"""Grouped products as they are printed: any division of the rows, every layout, and nothing written that belongs to no group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_cpu.runtime import CpuRuntime

TILE = PipelineConfig(tile_m=4, tile_n=16, tile_k=4)
SCHEDULES = {
    "panels": TILE,
    "blocks": TILE.replace(block_k=8),
    "packed": TILE.replace(block_k=8, pack_a=True),
    "streamed": TILE.replace(block_k=8, pack_b=False),
    "turned": TILE.replace(tile_n=8, pack_b=False),
}
DIVISIONS = {
    "empty": (0, 0, 0), "one": (13,), "single rows": (1,) * 9, "ragged": (5, 0, 17, 4, 1, 0), "whole tiles": (4, 8, 0, 4),
    "last": (0, 0, 7),
    "many": tuple(int(rows) for rows in np.random.default_rng(3).integers(0, 9, 64)),
}  # fmt: skip


def tensors(op: GroupedGemmOp, order: str, random: np.random.Generator, poisoned: Callable[..., Any]) -> list[Any]:
    x = poisoned((op.m, op.k), op.dtype, (0, 1) if order[0] == "n" else (1, 0), gap=3)
    w = poisoned((op.groups, op.k, op.n), op.dtype, (0, 1, 2) if order[1] == "n" else (0, 2, 1), gap=1)
    return [tensor.fill(random.standard_normal(tensor.spec.shape)) for tensor in (x, w)]


def ends_of(sizes: tuple[int, ...], poisoned: Callable[..., Any], beyond: int = 0) -> Any:
    ends = np.cumsum(sizes)
    ends[-1] += beyond
    return poisoned((len(sizes),), DType.INT32).fill(ends)


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("division", DIVISIONS)
def test_every_division_is_right(
    name: str, order: str, division: str, random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    sizes = DIVISIONS[division]
    op = GroupedGemmOp(sum(sizes), len(sizes), 37, 19)
    given = [*tensors(op, order, random, poisoned), ends_of(sizes, poisoned, beyond=5)]
    for workers, splits in ((1, 1), (3, 2)):
        out = poisoned((op.m, op.n), DType.FP32, gap=2)
        check(op, given, out, SCHEDULES[name], workers=workers, splits=splits, symbols={"k_blocks": 2})


@pytest.mark.parametrize("dtype", [DType.FP64, DType.BF16, DType.FP16, DType.INT8])
@pytest.mark.parametrize("name", ["panels", "packed", "streamed"])
def test_every_type_is_right(
    name: str, dtype: DType, random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    sizes, configuration = DIVISIONS["ragged"], SCHEDULES[name].replace(tile_n=8, tile_m=3)
    op = GroupedGemmOp(sum(sizes), len(sizes), 21, 30, dtype=dtype)
    given = [*tensors(op, "nn", random, poisoned), ends_of(sizes, poisoned)]
    if dtype is DType.INT8:
        given[:2] = [tensor.fill(random.integers(-128, 128, tensor.spec.shape)) for tensor in given[:2]]
    check(op, given, poisoned((op.m, op.n), op.output_dtype()), configuration, symbols={"k_blocks": 2})


def test_a_bias_for_each_group(random: Any, poisoned: Callable[..., Any], check: Callable[..., float]) -> None:
    sizes = DIVISIONS["ragged"]
    op = GroupedGemmOp(sum(sizes), len(sizes), 37, 19)
    given = [*tensors(op, "nn", random, poisoned), ends_of(sizes, poisoned)]
    bias = poisoned((op.groups, op.n), DType.FP32, gap=2).fill(random.standard_normal((op.groups, op.n)))
    added = Epilogue(
        Binary(BinaryFn.ADD, Accumulator(), Operand(0)), (EpilogueOperand("bias", OperandAxes.COLUMN),), label="bias"
    )
    check(op, given, poisoned((op.m, op.n), DType.FP32), TILE, added, [bias], splits=2)


@pytest.mark.parametrize("ends", [(3, 3, 5), (-4, 2, 2), (0, 0, 0), (9, 3, 3)])
@pytest.mark.parametrize("name", ["panels", "packed", "streamed"])
def test_what_belongs_to_no_group_is_not_written(
    name: str, ends: tuple[int, ...], random: Any, poisoned: Callable[..., Any], built: Callable[..., Any]
) -> None:
    """Nor is anything where ends fall: such a group has no rows."""
    op = GroupedGemmOp(12, len(ends), 20, 9)
    inputs = [*tensors(op, "nn", random, poisoned), poisoned((len(ends),), DType.INT32).fill(np.array(ends))]
    out = poisoned((op.m, op.n), DType.FP32)
    before = np.array(out.stored)
    found = built(Problem(op, tuple(tensor.spec for tensor in inputs), out.spec), SCHEDULES[name])
    values = {**found.symbols, "row_splits": 2, "column_splits": 1, "row_blocks": 1, "k_blocks": 2, "workers": 2}
    launch = CpuRuntime().compile(found.source).prepare(values)
    launch(*(tensor.pointer for tensor in (*inputs, out)))
    expected, touched = np.zeros((op.m, op.n)), np.zeros(op.m, bool)
    for group, rows in enumerate(op.rows(np.array(ends))):
        expected[rows.start : rows.stop] = inputs[0].values[rows.start : rows.stop] @ inputs[1].values[group]
        touched[rows.start : rows.stop] = True
    np.testing.assert_allclose(out.values[touched], expected[touched], atol=1e-4)
    assert np.array_equal(out.stored[~touched], before[~touched]) and out.outside_is_untouched()

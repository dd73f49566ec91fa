# SPDX-License-Identifier: MIT
"""Heads that share their keys as rows of one matrix: the same numbers from the same memory, and only where every query sees every key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.path import trace
from tracea_core.policy.shared_heads import heads_as_rows
from tracea_core.testing.cases import dense, gemm

HEADS_LAST = (0, 2, 1, 3)


def attention(order: tuple[int, ...] | None = None, epilogue: str = "", **fields: Any) -> Problem:
    sizes: dict[str, Any] = {"batch": 3, "heads": 8, "queries": 1, "keys": 40, "head_dim": 16, "kv_heads": 2}
    op = AttentionOp(**(sizes | {"dtype": DType.BF16} | fields))
    kinds = (*op.input_dtypes(), op.output_dtype())
    tensors = [
        dense(shape, kind, order if len(shape) == 4 else None)
        for shape, kind in zip((*op.input_shapes(), op.output_shape()), kinds, strict=True)
    ]
    chain = parse_epilogue(epilogue) if epilogue else IDENTITY
    extra = tuple(dense((16,) if o.name == "bias" else op.output_shape(), DType.FP32) for o in chain.operands)
    return Problem(op, tuple(tensors[:-1]), tensors[-1], chain, extra)


def view(memory: np.ndarray, spec: TensorSpec) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(memory, spec.shape, tuple(8 * stride for stride in spec.strides))


@pytest.mark.parametrize("order", [None, HEADS_LAST], ids=["heads first", "heads last"])
@pytest.mark.parametrize(
    "fields", [{}, {"causal": True}, {"right": 3}, {"scale": 0.3, "kv_heads": 1}, {"bias": DType.FP32}], ids=str
)
def test_a_decoded_token_is_the_same(order: tuple[int, ...] | None, fields: dict[str, Any]) -> None:
    problem = attention(order, **fields)
    joined = heads_as_rows(problem)
    assert isinstance(joined.op, AttentionOp)
    assert (joined.op.heads, joined.op.queries) == ((1, 8) if fields.get("kv_heads") == 1 else (2, 4))
    random = np.random.default_rng(3)
    memories = [random.standard_normal(spec.size) for spec in problem.inputs]
    before = problem.reference(*(view(m, spec) for m, spec in zip(memories, problem.inputs, strict=True)))
    after = joined.reference(*(view(m, spec) for m, spec in zip(memories, joined.inputs, strict=True)))
    stored, again = np.zeros(problem.output.size), np.zeros(problem.output.size)
    view(stored, problem.output)[...], view(again, joined.output)[...] = before, after
    np.testing.assert_allclose(again, stored, rtol=1e-12)


def test_several_queries_join_where_their_heads_follow_each_other() -> None:
    joined = heads_as_rows(attention(queries=5))
    assert isinstance(joined.op, AttentionOp) and (joined.op.heads, joined.op.queries) == (2, 20)
    assert joined.inputs[0].strides == (8 * 5 * 16, 4 * 5 * 16, 16, 1)


@pytest.mark.parametrize(
    "problem",
    [
        attention(kv_heads=None), attention(queries=5, causal=True), attention(left=4), attention(queries=17),
        attention(HEADS_LAST, queries=5), attention(batch=0), attention(lengths=True), gemm((4, 5, 6), DType.BF16),
        attention(epilogue="residual"),
    ],
    ids=["own keys", "causal", "window", "long", "heads apart", "empty", "lengths", "product", "residual"],
)  # fmt: skip
def test_others_stay_as_they_are(problem: Problem) -> None:
    assert isinstance(problem.op, AttentionOp | GemmOp) and heads_as_rows(problem) is problem


@pytest.mark.parametrize("preset", ["h200", "a100", "mi300x", "avx512"])
def test_devices_solve_it_so(preset: str) -> None:
    path = trace(attention(HEADS_LAST, keys=4096, head_dim=64, causal=True), preset=preset)
    assert isinstance(path.problem.op, AttentionOp) and path.problem.op.queries == 4
    assert path.lowered.symbols["m"] == 4 and path.lowered.symbols["items"] == 3 * 2


def test_masks_join_where_rows_and_heads_follow_at_one_distance() -> None:
    problem = attention(bias=DType.UINT8)
    spread = TensorSpec((3, 8, 1, 40), DType.UINT8, (40, 0, 0, 1))
    joined = heads_as_rows(problem.replace(inputs=(*problem.inputs[:3], spread)))
    assert joined.inputs[3] == TensorSpec((3, 2, 4, 40), DType.UINT8, (40, 0, 0, 1))
    several = attention(queries=5, bias=DType.UINT8)
    apart = TensorSpec((3, 8, 5, 40), DType.UINT8, (200, 0, 40, 1))  # each head's rows begin where the first head's do
    given = several.replace(inputs=(*several.inputs[:3], apart))
    assert heads_as_rows(given) is given and heads_as_rows(several) is not several

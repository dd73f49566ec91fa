# SPDX-License-Identifier: MIT
"""The chained problems that a backend must get right: every mask, shared heads, ragged lengths, every way tensors lie in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.ops.activations import Gelu, ReLU, Residual
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec

_EXACT = Options(allow_fallback=False)


def chain_cases(dtypes: Sequence[DType]) -> Iterator[tuple[str, Problem]]:
    """Yield (name, problem): everything in the first type, one attention and one low-rank product in the others."""
    for index, dtype in enumerate(dtypes):
        ops = _attentions(dtype) | _products(dtype)
        for name in ops if index == 0 else ("causal", "low_rank"):
            yield f"chain-{dtype.value}-{name}", chain_problem(ops[name])
    yield from _memory(dtypes[0])
    yield from _memory_of_products(dtypes[0])


def chain_problem(op: AttentionOp | LowRankOp, **places: TensorSpec) -> Problem:
    """Return the problem of a chained op with contiguous tensors, but for `places`: ``input0``, …, ``out``."""
    plain = [TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True)]
    inputs = tuple(places.get(f"input{i}", spec) for i, spec in enumerate(plain))
    output = places.get("out", TensorSpec.contiguous(op.output_shape(), op.output_dtype()))
    return Problem(op, inputs, output, options=_EXACT)


def _attentions(dtype: DType) -> dict[str, AttentionOp | LowRankOp]:
    return {
        "full": AttentionOp(2, 3, 17, 41, 8, dtype=dtype),
        "causal": AttentionOp(1, 2, 37, 37, 8, causal=True, dtype=dtype),
        "window": AttentionOp(1, 2, 40, 70, 8, 20, left=9, right=4, dtype=dtype),
        "shared_heads": AttentionOp(2, 4, 5, 19, 7, 9, 2, causal=True, dtype=dtype),
        "one_query": AttentionOp(3, 2, 1, 33, 16, dtype=dtype),
        "many_keys": AttentionOp(1, 1, 3, 900, 64, causal=True, dtype=dtype),
        "no_key_seen": AttentionOp(1, 1, 9, 4, 8, causal=True, dtype=dtype),
        "biased": AttentionOp(2, 3, 17, 42, 8, bias=dtype, dtype=dtype),
        "hidden": AttentionOp(2, 4, 19, 41, 8, kv_heads=2, causal=True, bias=DType.UINT8, dtype=dtype),
    }


def _products(dtype: DType) -> dict[str, AttentionOp | LowRankOp]:
    return {
        "low_rank": LowRankOp(13, 29, 17, 5, dtype=dtype),
        "low_rank_gelu": LowRankOp(7, 40, 9, 35, (3,), Gelu().epilogue, dtype=dtype),
    }


def _memory(dtype: DType) -> Iterator[tuple[str, Problem]]:
    op = AttentionOp(2, 3, 11, 11, 8, causal=True, dtype=dtype)
    turned = TensorSpec((2, 3, 11, 8), dtype, (11 * 24, 8, 24, 1))  # (batch, positions, heads, columns) in memory
    yield "chain-heads-inside", chain_problem(op, input0=turned, input1=turned, input2=turned, out=turned)
    across = TensorSpec((2, 3, 11, 8), dtype, (264, 88, 1, 11))
    yield "chain-columns-apart", chain_problem(op, input0=across, input1=across, input2=across, out=across)
    masked = AttentionOp(2, 4, 5, 36, 8, kv_heads=2, bias=DType.UINT8, dtype=dtype)
    of_keys = TensorSpec((2, 4, 5, 36), DType.UINT8, (36, 0, 0, 1))
    yield "chain-mask-of-keys", chain_problem(masked, input3=of_keys)
    biased = AttentionOp(2, 3, 150, 34, 8, bias=dtype, dtype=dtype)
    yield "chain-bias-of-heads", chain_problem(biased, input3=TensorSpec((2, 3, 150, 34), dtype, (0, 150 * 36, 36, 1)))
    yield "chain-bias-of-rows", chain_problem(biased, input3=TensorSpec((2, 3, 150, 34), dtype, (450, 150, 1, 0)))
    stage = Residual(np.ones((2, 3, 11, 8), np.float32)) | ReLU()
    real = TensorSpec.contiguous((2, 3, 11, 8), DType.FP64 if dtype is DType.FP64 else DType.FP32)
    yield "chain-residual-relu", chain_problem(op).replace(epilogue=stage.epilogue, epilogue_inputs=(real,))


def _memory_of_products(dtype: DType) -> Iterator[tuple[str, Problem]]:
    across = LowRankOp(23, 31, 19, 11, dtype=dtype)
    turned = {f"input{i}": TensorSpec(s, dtype, (1, s[0])) for i, s in enumerate(across.input_shapes())}
    yield "chain-low_rank-columns-apart", chain_problem(across, **turned)
    parts = LowRankOp(21, 24, 16, 12, (3,), ReLU().epilogue, dtype=dtype)
    apart = TensorSpec((3, 21, 16), dtype, (21 * 32, 32, 1))
    stage = Residual(np.ones((3, 21, 24), np.float32)) | ReLU()
    real = TensorSpec.contiguous((3, 21, 24), DType.FP64 if dtype is DType.FP64 else DType.FP32)
    fused = chain_problem(parts, input0=apart).replace(epilogue=stage.epilogue, epilogue_inputs=(real,))
    yield "chain-low_rank-batch-residual", fused

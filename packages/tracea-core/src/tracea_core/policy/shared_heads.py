# SPDX-License-Identifier: MIT
"""Query heads that share their keys are rows of one matrix where every query sees every key, as where one token is decoded.

A tile has 16 to 128 rows, and a decoding head has one. Four heads of one group of keys are four rows of one tile, which then reads the keys
once instead of four times: only shape and strides of the tensors change, nothing is moved.
"""

from __future__ import annotations

from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

_MOST = 64
"""Rows up to which heads are joined: the fewest of a warpgroup's tile, which longer sequences fill by themselves."""


def heads_as_rows(problem: Problem) -> Problem:
    """Return attention of grouped heads with the heads of a group as rows, if they lie at one distance and see all keys; else as it is.

    Parameters
    ----------
    problem : Problem
        Of any op. A single query sees all keys under a causal mask, too, as it is aligned with the last key.
    """
    op = problem.op
    if not isinstance(op, AttentionOp) or op.lengths or problem.is_empty:
        return problem
    group = op.heads // op.groups_of_keys
    masked = op.left is not None or ((op.causal or op.right is not None) and op.queries > 1)
    by_row = any(operand.axes in (OperandAxes.FULL, OperandAxes.ROW) for operand in problem.epilogue.operands)
    if group == 1 or group * op.queries > _MOST or masked or by_row:
        return problem
    q, out, *bias = (
        _joined(spec.settled(), group) for spec in (problem.inputs[0], problem.output, *problem.inputs[3:])
    )
    if q is None or out is None or None in bias:
        return problem
    joined = op.replace(heads=op.groups_of_keys, queries=group * op.queries, kv_heads=None, causal=False, right=None)
    return problem.replace(op=joined, inputs=(q, *problem.inputs[1:3], *bias), output=out)


def _joined(spec: TensorSpec, group: int) -> TensorSpec | None:
    """A tensor of (batch, heads, rows, columns) with the heads of a group as rows; None if they do not follow at the rows' distance."""
    (batch, heads, rows, columns), (by_batch, by_head, by_row, by_column) = spec.shape, spec.strides
    if rows > 1 and by_head != rows * by_row:
        return None
    step = by_head if rows == 1 else by_row
    shape = (batch, heads // group, group * rows, columns)
    return TensorSpec(shape, spec.dtype, (by_batch, group * by_head, step, by_column))

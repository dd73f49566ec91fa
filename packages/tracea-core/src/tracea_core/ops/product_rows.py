# SPDX-License-Identifier: MIT
"""Which way round a matrix product is computed, and how many rows it then has."""

from __future__ import annotations

import math

from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem


def computed_transposed(problem: Problem) -> bool:
    """Whether a GEMM is computed as its transpose: so that stores are whole vectors, and a single column fills the lanes.

    A plan may ask for the other way round (`tracea_core.ops.problem.Options.exchanged`).
    """
    options, spec = problem.options, problem.output
    if options.panel_columns or problem.epilogue.gated or len(spec.shape) < 2:
        return False
    by_rows = spec.strides[-2] != 1 or spec.shape[-2] == 1
    by_columns = not by_rows and (spec.strides[-1] != 1 or spec.shape[-1] == 1)
    return by_columns != options.exchanged


def continues_rows(problem: Problem) -> bool:
    """Whether a batch that shares its second operand is one matrix: rows go on in memory, or columns where its transpose is computed."""
    if len(problem.output.shape) != 3:
        return True
    left, out = problem.inputs[0].settled(), problem.output.settled()
    if computed_transposed(problem):
        return out.strides[0] == out.shape[1]
    return all(spec.strides[0] == spec.shape[1] * spec.strides[1] for spec in (left, out))


def computed_rows(problem: Problem) -> int:
    """Return the rows of each matrix of a `GemmOp` problem as it is computed: those of a batch that shares its second operand are one's."""
    op = problem.op
    assert isinstance(op, GemmOp)
    if computed_transposed(problem):
        return int(problem.output.shape[-1])
    shared = math.prod(problem.inputs[1].shape[:-2]) == 1
    return op.m * math.prod(op.batch) if shared else op.m

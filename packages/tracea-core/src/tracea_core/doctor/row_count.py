# SPDX-License-Identifier: MIT
"""What a product of a few rows is: few enough for memory to be what it waits for, and operands whose elements lie together."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.product_rows import computed_rows, computed_transposed
from tracea_core.target import CapabilityProfile

MOST_ROWS, _MOST_ODD = 16, 8
"""Rows up to which memory is what a product waits for, and the same by rows of weights that do not begin and end with runs of 16 bytes."""
_RUN_BYTES = 16


class RequiresFewRows(Data, frozen=True, tag=True):
    """The product has at most so many rows as it is computed, and a single sum for each result."""

    rows: int

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"a product of at most {self.rows} rows along the reduction, without gates, by a matrix along one of its axes"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        if not isinstance(problem.op, GemmOp):
            return f"needs {self.describe()}"
        rows = computed_rows(problem)
        if rows > self.rows:
            return f"needs {self.describe()}; it has {rows}"
        if problem.epilogue.gated or problem.options.panel_columns:
            return f"needs {self.describe()}"
        left, right = (spec.settled() for spec in problem.inputs[:2])
        of_rows, along_n, along_k = left.strides[-1], right.strides[-1], right.strides[-2]
        if computed_transposed(problem):
            of_rows, along_n, along_k = right.strides[-2], left.strides[-2], left.strides[-1]
        if of_rows != 1 or 1 not in (along_n, along_k):
            return f"needs {self.describe()}"
        aligned, columns = problem.options.aligned(1), right.shape[-1]
        if computed_transposed(problem):
            aligned, columns = problem.options.aligned(0), left.shape[-2]
        size = right.dtype.bytes
        odd = along_k != 1 and (along_k * size % _RUN_BYTES or columns * size % _RUN_BYTES or aligned < _RUN_BYTES)
        if odd and rows > _MOST_ODD:
            return f"takes at most {_MOST_ODD} rows by such weights; it has {rows}"
        return None

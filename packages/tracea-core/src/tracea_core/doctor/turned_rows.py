# SPDX-License-Identifier: MIT
"""Which way a product's operands run in memory as it is computed, where an instruction reads its right one along k alone."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.product_rows import computed_transposed
from tracea_core.target import CapabilityProfile


class RequiresRightAlongReduction(Data, frozen=True, tag=True):
    """As the product is computed, its right operand is contiguous along k, and its left one along k or, of plain products, its rows."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "a right operand that is contiguous along k, and a left one that is so along either of its axes, as they are computed"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        if any(spec.rank < 2 for spec in problem.inputs[:2]):
            return None
        a, b = (spec.settled() for spec in problem.inputs[:2])
        left, right = a.strides[-2:], b.strides[-2:][::-1]
        if computed_transposed(problem):
            left, right = right, left
        either = isinstance(problem.op, GemmOp) and not problem.epilogue.gated
        if right[-1] == 1 and (1 in left if either else left[-1] == 1):
            return None
        return f"needs {self.describe()}; A has strides {a.strides}, B {b.strides}"


def turns_either_way(problem: Problem) -> bool:
    """Whether one operand of a product is contiguous along k and the other along its rows: either may be the right one."""
    a, b = (spec.settled() for spec in problem.inputs[:2])
    along = a.strides[-1] == 1, b.strides[-2] == 1
    return along[0] != along[1] and 1 in a.strides[-2:] and 1 in b.strides[-2:]

# SPDX-License-Identifier: MIT
"""A problem as it is solved on a device: the same memory, seen as what it has the better kernels for."""

from __future__ import annotations

from tracea_core.ops.problem import Problem
from tracea_core.policy.pointwise import as_product
from tracea_core.policy.shared_heads import heads_as_rows
from tracea_core.target import CapabilityProfile


def restated(problem: Problem, profile: CapabilityProfile) -> Problem:
    """Return `problem` with other shapes and strides of the same tensors where that serves a device, else as it is."""
    return heads_as_rows(as_product(problem, profile))

# SPDX-License-Identifier: MIT
"""Whether a chain of two products is better left to a library that has them: only estimates, or what is known of a schedule, decide.

Who names a backend, or wants no other library's kernels, gets the one kernel all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.doctor.choose import choose
from tracea_core.doctor.variants import Variant
from tracea_core.errors import ConfigurationError, UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.low_rank_rules import one_kernel_pays
from tracea_core.policy.topology import topology_of
from tracea_core.target import AsyncCopyKind, Target


def better_apart(problem: Problem, target: Target, variants: Sequence[Variant]) -> str | None:
    """Return why a library's own kernels should compute a chain, or None: also where nothing here takes it, which others report.

    Low-rank products go by `tracea_core.policy.low_rank_rules.one_kernel_pays`. Attention that lanes multiply themselves has no chance on
    NVIDIA GPUs from sm_80 on, for which libraries have kernels of their own in single precision.
    """
    try:
        choice = choose(problem, target, variants)
        profile, variant = target.profile, choice.variant
        if isinstance(problem.op, AttentionOp):
            copies = AsyncCopyKind.CP_ASYNC in profile.async_copies
            lanes = copies and variant.instruction.startswith("simt_")
            return "its lanes multiply more slowly than PyTorch's kernels of single precision" if lanes else None
        if not isinstance(problem.op, LowRankOp):
            return None
        hero = PolicyEngine(profile).decide(choice.problem, variant).hero
        work = topology_of(choice.problem, variant).replace(instruction=variant.instruction)
        return (
            None if one_kernel_pays(work, hero, profile) else "two products are estimated to be as fast as one kernel"
        )
    except (UnsupportedError, ConfigurationError):
        return None

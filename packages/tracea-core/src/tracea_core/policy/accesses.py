# SPDX-License-Identifier: MIT
"""The rule for accesses: as wide as rows are aligned, and as whole runs allow where lanes mask them."""

from __future__ import annotations

from tracea_core.policy.budget import is_cpu
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_CHUNK = 16
"""Bytes of the widest access of one lane."""


def accesses_follow_alignment(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Narrow vector accesses to what the rows of the tensors are aligned to.

    Results of fewer bytes than operands have are stored in longer runs first, where lanes can exchange what they hold.

    Before: 4097×4095 in bf16, ``va8 vb8 vc8``. After: single elements, as odd rows start at any element.
    """
    decision = _filled_stores(decision, operator, profile)
    stored_along = operator.m if operator.stored_along_m else operator.n
    whole = stored_along & -stored_along or 16  # what is stored together is masked together, so it divides the extent
    alignment, stored_alignment, runs = operator.alignment, operator.stored_alignment, operator.whole_runs
    if is_cpu(profile) or (
        min(alignment, stored_alignment, runs) >= 16 and all(hero.vector_c <= whole for hero in decision.heroes)
    ):
        return decision
    width = max(alignment // operator.dtype.bytes, 1)
    stored = min(max(stored_alignment // operator.stored.bytes, 1), whole)
    chunks = whole * 2 >= 16 or operator.ragged  # in ragged rows, but for what is left at their ends
    boxes = operator.stored.bytes == 2 and stored_alignment >= 16 and chunks  # what a copy engine stores

    def narrowed(hero: PipelineConfig) -> PipelineConfig:
        # A copy engine masks the elements that it loads and the chunks that it stores; lanes mask runs, which divide the extent.
        engine = hero.barrier_mode is not BarrierMode.NONE
        own = width if engine else max(min(alignment, runs) // operator.dtype.bytes, 1)
        out = hero.vector_c if engine and boxes else min(hero.vector_c, stored)
        if engine and not operator.paired:
            out = 1  # consumers store two columns at a time only together with what the epilogue reads for them
        return hero.replace(vector_a=min(hero.vector_a, own), vector_b=min(hero.vector_b, own), vector_c=out)

    heroes = tuple(map(narrowed, decision.heroes))
    text = (
        f"rows of operands are aligned to {alignment} bytes and those of results to {stored_alignment}, so {width} and {stored} "
        "elements move at a time"
    )
    return decision.because("accesses follow alignment", text, heroes=tuple(dict.fromkeys(heroes)))


def _filled_stores(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """Let lanes store 16 bytes of a result whose elements are narrower than those of the operands, where registers suffice."""
    wide = _CHUNK // operator.stored.bytes
    if profile.vendor != "nvidia" or operator.stored.bytes >= operator.dtype.bytes:
        return decision
    heroes = tuple(
        one
        for hero in decision.heroes
        for one in ((hero.replace(vector_c=max(hero.vector_c, wide)), hero) if _by_lanes(hero) else (hero,))
    )
    text = f"lanes exchange results of {operator.stored.bytes} bytes until each has {wide} that lie together"
    heroes = tuple(dict.fromkeys(heroes))
    return decision if heroes == decision.heroes else decision.because("filled stores", text, heroes=heroes)


def _by_lanes(hero: PipelineConfig) -> bool:
    return hero.barrier_mode is BarrierMode.NONE

# SPDX-License-Identifier: MIT
"""Addresses that a kernel cannot take are served by one that relies on less."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from tracea_core import pipeline
from tracea_core.dtypes import DType
from tracea_core.errors import AlignmentError, UnsupportedError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

from tracea.dispatch import BoundPlan


class Demanding:
    """A launcher that takes addresses as aligned as its problem promises, in the reverse order of the problem's tensors."""

    def __init__(self, alignment: int, seen: list[tuple[int, tuple[int, ...]]]) -> None:
        self.alignment, self.seen = alignment, seen

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        found = math.gcd(16, *pointers)
        if found < self.alignment:
            raise AlignmentError("not aligned", alignment=found)
        self.seen.append((self.alignment, pointers))


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[int, ...]]]:
    """Every launch, as (alignment that its kernel relies on, pointers)."""
    seen: list[tuple[int, tuple[int, ...]]] = []
    real = pipeline.plan

    def plan(problem: Problem, device: str | None = None, backend: str | None = None, **rest: Any) -> Any:
        made = real(problem, "cpu", "cpu", **rest)
        assert made.known is not None
        (step,) = made.known.steps
        parameters = tuple(p.replace(alignment=16) for p in step.source.parameters)
        known = made.known.replace(steps=(step.replace(source=step.source.replace(parameters=parameters)),))
        order = ("output", "input1", "input0") if problem.options.alignment < 16 else ("input0", "input1", "output")
        return replace(made, known=known, launch=Demanding(problem.options.alignment, seen), operands=order)

    monkeypatch.setattr(pipeline, "plan", plan)
    return seen


def bound() -> BoundPlan:
    spec = TensorSpec.contiguous((8, 8), GemmOp(8, 8, 8).dtype)
    return BoundPlan(Problem(GemmOp(8, 8, 8), (spec, spec), spec), None, "cpu", lambda: None)


def test_aligned_addresses_take_the_plan_itself(launches: list[Any]) -> None:
    plan = bound()
    assert plan.launch is not None
    plan.launch(0x1000, 0x2000, 0x3000)
    assert launches == [(16, (0x1000, 0x2000, 0x3000))]


def test_others_take_a_plan_for_their_alignment_made_once(launches: list[Any]) -> None:
    plan = bound()
    assert plan.launch is not None
    for _ in range(2):
        plan.launch(0x1004, 0x2000, 0x3000)
    assert launches == [(4, (0x3000, 0x2000, 0x1004))] * 2
    assert list(plan.looser) == [4]


def test_a_refusal_that_less_alignment_cannot_cure_is_raised(launches: list[Any]) -> None:
    plan = bound()

    def never(*pointers: int) -> None:
        raise AlignmentError("never", alignment=16)

    with pytest.raises(AlignmentError, match="never"):
        plan._whatever_the_addresses(never)(0, 0, 0)


def test_a_plan_that_would_read_another_type_is_not_taken(launches: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    demanding = pipeline.plan
    asked: list[bool] = []

    def plan(problem: Problem, device: str | None = None, backend: str | None = None, **rest: Any) -> Any:
        made = demanding(problem, device, backend, **rest)
        asked.append(problem.options.allow_fallback)
        if problem.options.alignment == 16:
            return made
        assert made.known is not None
        return replace(made, known=made.known.replace(inputs=(DType.FP64, DType.FP64)))

    monkeypatch.setattr(pipeline, "plan", plan)
    plan_ = bound()
    assert plan_.launch is not None
    with pytest.raises(UnsupportedError, match="aligned to 2 bytes"):
        plan_.launch(0x1002, 0x2000, 0x3000)
    assert launches == [] and asked == [True, False]  # nothing has been converted that a wider type could be read from

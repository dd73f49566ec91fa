# SPDX-License-Identifier: MIT
"""Sums that go along with a maximum: their numbers, and which forms have them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.running_sums import running_sum
from tracea_core.testing.row_cases import row_problem

Array = npt.NDArray[np.float64]


def _form(op: SoftmaxOp | NormOp) -> Rowwise:
    return lower_rowwise(row_problem(op)).form


def _walked(op: SoftmaxOp, row: Array) -> tuple[float, float]:
    """The maximum of a row, and its sum in terms of that, element by element."""
    running = running_sum(_form(op))
    assert running is not None
    top, total = np.asarray(np.finfo(np.float64).min), np.asarray(0.0)
    for element in row:
        level = evaluate(running.level, [np.asarray(element)])
        power = evaluate(running.power, [level, top])
        total = evaluate(running.joined, [power, level, total, top])
        top = np.maximum(top, level)
    highest = np.asarray(np.max(op.scale * row))
    return float(top), float(evaluate(running.settled, [total, top], [highest]))


@pytest.mark.parametrize("scale", [1.0, -0.5])
def test_a_running_sum_is_the_sum_below_the_maximum(scale: float) -> None:
    row = np.random.default_rng(5).standard_normal(200) * 30
    top, total = _walked(SoftmaxOp((1, 200), scale=scale), row)
    assert top == np.max(scale * row)
    assert total == pytest.approx(np.exp(scale * row - top).sum(), rel=1e-13)


def test_what_is_infinite_or_no_number_ends_as_in_two_passes() -> None:
    row, op = np.array([1.0, -np.inf, 3.0, -np.inf]), SoftmaxOp((1, 4))
    assert _walked(op, row)[1] == pytest.approx(1 + np.exp(-2.0), rel=1e-15)
    with np.errstate(invalid="ignore"):
        assert np.isnan(_walked(op, np.array([1.0, np.inf, 3.0]))[1])
        assert np.isnan(_walked(op, np.array([1.0, np.nan, 3.0]))[1])


def test_other_statistics_have_none() -> None:
    softmax = _form(SoftmaxOp((3, 50), log=True))
    top, total = softmax.statistics
    assert running_sum(softmax) is not None
    assert running_sum(_form(NormOp((3, 50), NormKind.LAYER))) is None
    assert running_sum(_form(NormOp((3, 50), NormKind.RMS))) is None
    finished = top.replace(finish=Binary(BinaryFn.ADD, Accumulator(0), Constant(1.0)))
    assert running_sum(softmax.replace(statistics=(finished, total))) is None, "the sum is below another number"
    assert running_sum(softmax.replace(statistics=(top, total.replace(fold=BinaryFn.MAXIMUM)))) is None
    assert running_sum(softmax.replace(statistics=(top, total.replace(term=Accumulator(0))))) is None

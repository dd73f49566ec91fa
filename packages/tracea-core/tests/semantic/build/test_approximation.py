# SPDX-License-Identifier: MIT
"""Fast functions serve where nothing magnifies their error, and nowhere else."""

from __future__ import annotations

import pytest
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Operand, Unary, UnaryFn
from tracea_core.ops.named import parse_epilogue
from tracea_core.semantic.build.approximation import stands_approximation

X = Accumulator()
EXP = Unary(UnaryFn.EXP, X)


@pytest.mark.parametrize("epilogue", ["silu", "sigmoid", "bias,silu", "swiglu"])
def test_sigmoids_stand_it(epilogue: str) -> None:
    assert stands_approximation(parse_epilogue(epilogue).expr)


@pytest.mark.parametrize("epilogue", ["relu", "bias,gelu", "silu,residual"])
def test_what_has_none_or_adds_to_one_is_exact(epilogue: str) -> None:
    assert not stands_approximation(parse_epilogue(epilogue).expr)


@pytest.mark.parametrize(
    "expr",
    [
        Binary(BinaryFn.SUB, EXP, Unary(UnaryFn.EXP, Unary(UnaryFn.NEG, X))),  # sinh: cancels near 0
        Binary(BinaryFn.ADD, EXP, Constant(-1.0)),
        Binary(BinaryFn.ADD, EXP, Operand(0)),
        Unary(UnaryFn.EXP, EXP),
        Unary(UnaryFn.LOG, EXP),
        Unary(UnaryFn.RINT, EXP),
    ],
)
def test_what_would_magnify_the_error_is_exact(expr: Expr) -> None:
    assert not stands_approximation(expr)

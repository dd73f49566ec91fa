# SPDX-License-Identifier: MIT
"""Second results: what expressions store, how they are chained, and what problems refuse."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import AliasError, DTypeError, OptionError
from tracea_core.ops.activations import Auxiliary as AuxiliaryStage
from tracea_core.ops.activations import BiasAdd, Gelu, ReLU, Scale, SwiGLU
from tracea_core.ops.auxiliary import auxiliaries, plain
from tracea_core.ops.derivative import derivative
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import Accumulator, Auxiliary, Binary, BinaryFn, Constant, Operand
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.printing import text
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.spec import TensorSpec

X = Accumulator()
FULL = EpilogueOperand("stored", OperandAxes.FULL)


def chained(*names: str) -> Epilogue:
    return parse_epilogue(",".join(names))


def problem(epilogue: Epilogue, *extra: TensorSpec, n: int = 5) -> Problem:
    c = TensorSpec.contiguous
    op = GemmOp(3, n, 4)
    inputs = c((3, 4), DType.FP32), c((4, n), DType.FP32)
    return Problem(op, inputs, c(epilogue.output_shape((3, n)), DType.FP32), epilogue, extra)


def test_the_value_is_what_it_was_without_it() -> None:
    values = np.linspace(-2, 2, 9)
    stored, without = chained("auxiliary", "gelu").expr, chained("gelu").expr
    assert np.array_equal(evaluate(stored, [values], [np.zeros(9)]), evaluate(without, [values]))
    assert plain(stored) == without and plain(without) is without
    assert derivative(stored) == derivative(without)


def test_the_value_ahead_of_an_activation_is_stored() -> None:
    epilogue = chained("bias", "auxiliary", "gelu")
    assert epilogue.auxiliaries == {1: chained("bias").expr}
    assert text(epilogue.expr, ["b", "pre"]).count("(pre := acc + b)") == 2


def test_before_a_gate_both_halves_are_stored() -> None:
    epilogue = chained("auxiliary").then(chained("swiglu"))
    assert epilogue.auxiliaries == {0: Accumulator(0), 1: Accumulator(1)}
    whole = np.zeros((3, 10), np.float32)
    _, arrays = (AuxiliaryStage(whole) | SwiGLU()).bind()
    assert [array.shape for array in arrays] == [(3, 5), (3, 5)] and all(array.base is whole for array in arrays)


@pytest.mark.parametrize(
    "expr",
    [
        Binary(BinaryFn.ADD, Auxiliary(X, Operand(0)), Operand(0)),
        Binary(BinaryFn.ADD, Auxiliary(X, Operand(0)), Auxiliary(Constant(1.0), Operand(0))),
        Auxiliary(Operand(0), Operand(0)),
    ],
)
def test_a_place_holds_one_value_that_nothing_reads(expr: Binary | Auxiliary) -> None:
    with pytest.raises(OptionError, match="operand 0"):
        auxiliaries(expr)
    with pytest.raises(OptionError):
        Epilogue(expr, (FULL,))


def test_it_has_the_shape_of_the_output() -> None:
    with pytest.raises(OptionError, match="one element per column"):
        Epilogue(Auxiliary(X, Operand(0)), (EpilogueOperand("stored", OperandAxes.COLUMN),))


def test_problems_refuse_what_no_kernel_stores() -> None:
    epilogue = chained("auxiliary", "relu")
    with pytest.raises(DTypeError, match="floating-point"):
        problem(epilogue, TensorSpec.contiguous((3, 5), DType.INT32))
    with pytest.raises(AliasError, match="second result"):
        problem(epilogue, TensorSpec((3, 5), DType.FP32, (0, 1)))
    rows = TensorSpec.contiguous((3, 5), DType.FP32)
    with pytest.raises(OptionError, match="second result"):
        Problem(SoftmaxOp((3, 5)), (rows,), rows, epilogue, (rows,))


def test_a_second_result_has_a_definition_and_bounds_of_its_own() -> None:
    (bias, stored, scaled), arrays = (BiasAdd(np.ones(5)), AuxiliaryStage(np.ones((3, 5))), Scale(2.0)), None
    epilogue, arrays = (bias | stored | ReLU() | scaled).bind()
    made = problem(epilogue, TensorSpec.contiguous((5,), DType.FP32), TensorSpec((3, 5), DType.BF16, (7, 1)))
    second = made.auxiliary(1)
    assert second.output == TensorSpec((3, 5), DType.BF16, (7, 1)) and second.op.output_dtype() is DType.BF16
    a, b, c = np.ones((3, 4)), -np.ones((4, 5)), np.full(5, 0.5)
    assert (second.reference(a, b, c, np.zeros((3, 5))) == -3.5).all()
    assert (made.reference(a, b, c, np.zeros((3, 5))) == 0).all()
    assert len(arrays) == 2 and Gelu().epilogue.auxiliaries == {}

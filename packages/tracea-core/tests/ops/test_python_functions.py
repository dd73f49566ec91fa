# SPDX-License-Identifier: MIT
"""Functions that no trace follows are known by what they compute; what is more than a function of numbers is refused."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, EmitError, MalformedDataError, OptionError
from tracea_core.ops import python_functions
from tracea_core.ops.derivative import derivative
from tracea_core.ops.elementwise import elementwise
from tracea_core.ops.epilogue import Epilogue, OperandAxes
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Call, Constant, linearize
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.interval import Interval, evaluate_intervals
from tracea_core.ops.printing import text
from tracea_core.ops.problem import Problem
from tracea_core.ops.python_functions import known_function, python_function
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.trace import trace
from tracea_core.pipeline.tune import KernelMeasurer
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify

pytest.importorskip("numba", reason="functions that are not traced need numba")

FACTOR = 0.5
TABLE = np.arange(4.0)


def halve(x: float) -> float:
    return x * FACTOR


def steps(x: float) -> float:
    count = 0
    while abs(x) > 1.0 and count < 8:
        x = halve(x)
        count += 1
    return x + count


def bent(x: float, limit: float = 2.0) -> float:
    if abs(x) < limit:
        return x
    return math.copysign(limit + math.log1p(abs(x) - limit), x)


def renamed(function: Any, **scope: Any) -> FunctionType:
    """The same code in other surroundings."""
    return FunctionType(function.__code__, {**function.__globals__, **scope}, "other", function.__defaults__)


def test_the_digest_follows_what_a_function_computes_and_nothing_else() -> None:
    known = python_function(steps).digest
    assert python_function(renamed(steps)).digest == known
    assert python_function(renamed(steps, halve=renamed(halve))).digest == known
    assert python_function(renamed(steps, TABLE=None)).digest == known  # which it does not read
    for changed in (
        renamed(steps, halve=renamed(halve, FACTOR=0.25)),
        renamed(steps, halve=math.sqrt),
        lambda x: halve(x),
    ):
        assert python_function(changed).digest != known


def test_a_closure_counts() -> None:
    def close(bound: float) -> Callable[[float], float]:
        return lambda x: x if x < bound else bound

    assert python_function(close(1.0)).digest == python_function(close(1.0)).digest
    assert python_function(close(1.0)).digest != python_function(close(2.0)).digest
    assert python_function(close(0.0)).digest != python_function(close(-0.0)).digest


def test_constants_of_one_value_and_two_types_differ() -> None:
    assert python_function(lambda x: x // 2).digest != python_function(lambda x: x // 2.0).digest


def test_numbas_version_is_in_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    known = python_function(halve).digest
    monkeypatch.setattr(python_functions, "numba_version", lambda: "0.0.1")
    assert python_function(halve).digest != known


def writes(x: float) -> float:
    global FACTOR
    FACTOR = x
    return x


def many(*x: float) -> float:
    return x[0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: TABLE[int(x)], "TABLE, which is ndarray"),
        (lambda x: random.random() if x > 0 else x, "random, which is module"),
        (writes, "more than compute"),
        (many, "one by one"),
        (lambda: 1.0, "one by one"),
        (math.sqrt, "no Python function"),
        (functools.partial(bent, limit=1.0), "no Python function"),
    ],
)
def test_what_is_more_than_a_function_of_numbers_is_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        elementwise(function)


def test_without_numba_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_functions, "numba_version", lambda: "")
    with pytest.raises(OptionError, match=r"branches.*numba is not installed.*where"):
        trace(lambda x: x if x > 0 else 0.0)


def test_a_trace_that_meets_a_branch_names_the_function() -> None:
    epilogue = trace(steps).epilogue
    assert text(epilogue.expr) == "steps(acc)"
    assert Epilogue.from_json(epilogue.to_json()) == epilogue
    gated = trace(lambda gate, up: up if gate > 0 else 0.0).epilogue
    assert gated.gated
    assert text(gated.expr) == "lambda(acc, acc1)"


def test_traced_parts_and_arrays_go_around_it() -> None:
    bias, part = np.arange(3.0), elementwise(bent)
    traced = trace(lambda x: part(x + bias, 1.5) * 2)
    assert text(traced.epilogue.expr, ["bias"]) == "bent(acc + bias, 1.5) * 2"
    assert traced.operands == (bias,)
    assert traced.epilogue.operands[0].axes is OperandAxes.COLUMN
    assert text(trace(part).epilogue.expr) == "bent(acc, 2)"  # the default
    with pytest.raises(OptionError, match="takes 2 values, 3 were given"):
        part(1.0, 2.0, 3.0)


def test_it_is_evaluated_by_python_once_for_equal_arguments() -> None:
    x = np.array([-5.0, 0.25, 1.0, 37.5])
    expected = [steps(value) for value in x]
    call = trace(steps).epilogue.expr
    assert evaluate(call, [x]).tolist() == expected
    assert len(linearize(Binary(BinaryFn.MUL, call, trace(steps).epilogue.expr))) == 3
    assert elementwise(steps)(x).tolist() == expected


def test_where_python_raises_there_is_no_number() -> None:
    root, inverse = (trace(elementwise(f)).epilogue.expr for f in (lambda x: math.sqrt(x), lambda x: 1.0 / x))
    assert np.isnan(evaluate(root, [-1.0]))
    assert evaluate(inverse, [0.0]) == np.inf or np.isnan(evaluate(inverse, [0.0]))


def test_another_process_has_not_met_it() -> None:
    with pytest.raises(OptionError, match="not known in this process"):
        known_function("stranger", "0" * 64)
    with pytest.raises(OptionError, match="stranger"):
        evaluate(Call("stranger", "0" * 64, (Accumulator(),)), [1.0])


@pytest.mark.parametrize("name", ["", "a b", "x);ret", "é"])
def test_names_are_symbols(name: str) -> None:
    with pytest.raises((OptionError, MalformedDataError)):
        Call(name, "0" * 64, (Accumulator(),))
    with pytest.raises((OptionError, MalformedDataError)):
        Call("fine", name, (Accumulator(),))


def test_it_has_no_derivative_but_where_it_does_not_depend() -> None:
    with pytest.raises(OptionError, match=r"bent has no derivative.*where"):
        derivative(trace(elementwise(bent)).epilogue.expr)
    fixed = Call("bent", python_function(bent).digest, (Constant(1.0), Constant(2.0)))
    assert derivative(Binary(BinaryFn.MUL, Accumulator(), fixed)) == fixed


def test_intervals_hold_both_sides_of_a_branch_and_exclude_what_is_far() -> None:
    jump = trace(lambda x: 5.0 if x > 0 else -3.0).epilogue.expr
    ends = np.array([-1e-6]), np.array([1e-6])
    low, high = evaluate_intervals(jump, [Interval(*ends)], (), DType.FP32)
    assert low <= -3.0
    assert high >= 5.0
    smooth = trace(elementwise(bent)).epilogue.expr
    x = np.array([7.0])
    low, high = evaluate_intervals(smooth, [Interval(x - 1e-5, x + 1e-5)], (), DType.FP32)
    for inside in np.linspace(x - 1e-5, x + 1e-5, 33):
        assert low <= bent(float(inside[0])) <= high
    assert high - low < 1e-4
    assert not low <= bent(7.0) * 1.001 <= high


def _kernel(epilogue: Epilogue) -> tuple[Any, Any]:
    op = GemmOp(9, 21, 7)
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    lowered = lower(Problem(op, tuple(specs[:2]), specs[2], epilogue))
    tile = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
    return lowered.contraction, panel_kernel(lowered.contraction, tile, preset("avx2"), "cpu.test", "kernel")


def test_certificates_evaluate_the_function_itself() -> None:
    right, kernel = _kernel(trace(steps).epilogue)
    certify(kernel, right, preset("avx2"))
    other, _ = _kernel(trace(renamed(steps, halve=renamed(halve, FACTOR=0.25))).epilogue)
    with pytest.raises(CertificationError):
        certify(kernel, other, preset("avx2"))
    assert right.epilogue.expr != other.epilogue.expr


def test_other_processes_measure_none() -> None:
    op = GemmOp(4, 4, 4)
    spec = TensorSpec.contiguous((4, 4), DType.FP32)
    with pytest.raises(OptionError, match="steps"):
        KernelMeasurer(Problem(op, (spec, spec), spec, trace(steps).epilogue), "cpu", "cpu", ())


def test_text_of_c_refuses_it_with_the_way_out() -> None:
    from tracea_core.emit.c.expressions import ExpressionPrinter
    from tracea_core.emit.writer import SourceWriter

    printer = ExpressionPrinter(None, DType.FP32, lambda leaf: "x")  # type: ignore[arg-type]
    with pytest.raises(EmitError, match=r"steps is compiled by numba.*where"):
        printer.print(trace(steps).epilogue.expr, SourceWriter())

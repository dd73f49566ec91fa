# SPDX-License-Identifier: MIT
"""Every conversion and function of elements, in a hand-made kernel of one loop: exact values widen, others round as the types say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Cast,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Select,
    Unary,
    UnaryFn,
)
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import COLUMN, Const, Sym
from tracea_core.semantic.kernel import Actor, Direction, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol
from tracea_core.semantic.steps import Access, Compute, Load, Loop, Store, Transfer
from tracea_core.semantic.verify.certificate import Certificate
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.runtime import CpuRuntime

LANES = 4
F, ACC, N, I = DType.FP32, Accumulator(), Sym("n"), Sym("i")  # noqa: E741
ROW_OF_COLUMNS = FragmentLayout.from_bits((1, LANES), lane=((0, 1), (0, 2)), register=())


def through(expr: Expr, source: DType, compute: DType, target: DType, stored: Any) -> Any:
    """Return what ``target(expr(source))`` gives for every stored element."""
    at = I + COLUMN
    body = (
        Load("v", Access("x", at), Transfer.VECTOR),
        Compute("w", expr, compute, ("v",)),
        Store(Access("y", at), "w", Transfer.VECTOR),
    )
    held = (Fragment("v", source, ROW_OF_COLUMNS), Fragment("w", target, ROW_OF_COLUMNS))
    role = Role("worker", Actor.WORKER, 0, LANES, held, (Loop("i", Const(0), N, body, step=LANES),))
    x = Parameter("x", source, Direction.READ, source.bytes)
    y = Parameter("y", target, Direction.UPDATE, target.bytes)
    made = SemanticKernel(
        name="probe", title="probe", family="contraction", variant="cpu.test", arch="x86-64-v3",
        configuration=PipelineConfig(), parameters=(x, y), symbols=(Symbol("n", minimum=0, maximum=1 << 40),),
        buffers=(), rings=(), roles=(role,), launch=Launch(Sym("workers"), 1),
    )  # fmt: skip
    padded = np.concatenate([stored, np.zeros(-len(stored) % LANES, stored.dtype)])
    result = np.zeros(len(padded), target.storage)
    compiled = CpuRuntime().compile(emit_contraction(made, Certificate(made.digest(), ())))
    compiled.prepare({"n": len(padded), "workers": 1})(padded.ctypes.data, result.ctypes.data)
    return result[: len(stored)]


SMALL = [DType.BF16, DType.FP16, DType.FP8_E4M3, DType.FP8_E5M2, DType.INT8, DType.UINT8]


@pytest.mark.parametrize("dtype", SMALL)
def test_every_value_of_a_small_type_widens_exactly(dtype: DType) -> None:
    every = np.arange(1 << dtype.bits, dtype=np.uint32).astype(f"uint{dtype.bits}").view(dtype.storage)
    wide = through(ACC, dtype, F, F, every)
    assert np.array_equal(wide.astype(np.float64), dtype.decode(every), equal_nan=True)
    twice = through(ACC, dtype, DType.FP64, DType.FP64, every)
    assert np.array_equal(twice, dtype.decode(every), equal_nan=True)


def _around(dtype: DType, random: np.random.Generator) -> Any:
    """fp32 values at, between and beside all values of a small type, and some far away."""
    every = np.arange(1 << min(dtype.bits, 16), dtype=np.uint32).astype(f"uint{dtype.bits}").view(dtype.storage)
    exact = np.unique(dtype.decode(every)[np.isfinite(dtype.decode(every))])
    exact = exact[:: max(1, len(exact) // 4096)]
    middle = (exact[1:] + exact[:-1]) / 2
    near = np.concatenate([exact, middle]).astype(np.float32)
    values = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1e38, 1e-40, -1e-45], np.float32)
    random_bits = random.integers(0, 1 << 32, 4096, dtype=np.uint64).astype(np.uint32).view(np.float32)
    return np.concatenate([*values, special, random_bits])


@pytest.mark.parametrize("dtype", [*SMALL, DType.TF32])
def test_narrowing_rounds_to_nearest_even(dtype: DType, random: np.random.Generator) -> None:
    source = DType.BF16 if dtype is DType.TF32 else dtype
    values = _around(source, random)
    got = through(ACC, F, F, dtype, values)
    expected = dtype.encode(values)
    same = np.array_equal(dtype.decode(got), dtype.decode(expected), equal_nan=True)
    wrong = dtype.decode(got) != dtype.decode(expected)
    assert same, (values[wrong][:4], got[wrong][:4], expected[wrong][:4])


def test_fp64_narrows() -> None:
    values = np.array([1.0, 1.0 + 2.0**-24, 1e300, -1e-320, 2.5, 3.5, 1e10])
    assert np.array_equal(through(ACC, DType.FP64, DType.FP64, F, values), DType.FP32.encode(values))
    assert through(ACC, DType.FP64, DType.FP64, DType.INT32, values)[[4, 5, 6]].tolist() == [2, 4, 2**31 - 1]


@pytest.mark.parametrize("target", [DType.INT8, DType.UINT8, DType.INT32, DType.FP32, DType.FP64])
def test_int32_converts(target: DType) -> None:
    values = np.array([0, 1, -1, 127, 128, -129, 255, 256, 2**31 - 1, -(2**31), 2**24 + 1], np.int32)
    compute = DType.INT32 if not target.is_float else DType.FP64
    got = through(ACC, DType.INT32, compute, target, values)
    assert np.array_equal(got, target.encode(values))


UNARY = [fn for fn in UnaryFn]


@pytest.mark.parametrize("fn", UNARY)
@pytest.mark.parametrize("dtype", [F, DType.FP64])
def test_unary_functions(fn: UnaryFn, dtype: DType, random: np.random.Generator) -> None:
    values = np.concatenate([random.standard_normal(61) * 4, [0.0, -0.0, np.nan, 2.5, -3.5]]).astype(dtype.storage)
    got = through(Unary(fn, ACC), dtype, dtype, dtype, values).astype(np.float64)
    expected = evaluate_expr(Unary(fn, ACC), [values.astype(np.float64)])
    close = np.isclose(got, expected, rtol=8 * dtype.eps, atol=dtype.smallest, equal_nan=True)
    assert close.all(), values[~close]


@pytest.mark.parametrize("fn", list(BinaryFn))
@pytest.mark.parametrize("dtype", [F, DType.INT32])
def test_binary_functions(fn: BinaryFn, dtype: DType, random: np.random.Generator) -> None:
    values = random.integers(-9, 10, 64).astype(dtype.storage)
    expr = Binary(fn, ACC, Constant(3.0))
    if dtype is DType.INT32 and fn is BinaryFn.DIV:
        with pytest.raises(EmitError, match="floating point"):
            through(expr, dtype, dtype, dtype, values)
        return
    got = through(expr, dtype, dtype, dtype, values)
    assert np.array_equal(got, dtype.encode(evaluate_expr(expr, [values.astype(np.float64)])))


def test_extremes_propagate_nan() -> None:
    values = np.array([np.nan, 1.0, -1.0], np.float32)
    for fn in (BinaryFn.MAXIMUM, BinaryFn.MINIMUM):
        got = through(Binary(fn, Constant(0.5), ACC), F, F, F, values)
        assert np.isnan(got[0]) and np.array_equal(got[1:], evaluate_expr(Binary(fn, Constant(0.5), ACC), [values])[1:])


@pytest.mark.parametrize("fn", list(CompareFn))
@pytest.mark.parametrize("dtype", [F, DType.INT32])
def test_comparisons_choose(fn: CompareFn, dtype: DType) -> None:
    values = np.array([-2, -1, 0, 1, 2, 3], dtype.storage)
    compare = Compare(fn, ACC, Constant(1.0))
    for expr in (compare, Select(compare, Constant(5.0), ACC), Select(ACC, Constant(5.0), Constant(6.0))):
        got = through(expr, dtype, dtype, dtype, values)
        assert np.array_equal(got, evaluate_expr(expr, [values.astype(np.float64)]))


@pytest.mark.parametrize("fn", [UnaryFn.NEG, UnaryFn.ABS, UnaryFn.FLOOR, UnaryFn.RINT])
def test_integer_unary_functions(fn: UnaryFn) -> None:
    values = np.arange(-5, 6, dtype=np.int32)
    got = through(Unary(fn, ACC), DType.INT32, DType.INT32, DType.INT32, values)
    assert np.array_equal(got, evaluate_expr(Unary(fn, ACC), [values.astype(np.float64)]))


def test_integers_have_no_exponential() -> None:
    with pytest.raises(EmitError, match="exp has no meaning on int32"):
        through(Unary(UnaryFn.EXP, ACC), DType.INT32, DType.INT32, DType.INT32, np.zeros(4, np.int32))


@pytest.mark.parametrize("dtype", [*SMALL, DType.TF32, DType.INT32])
@pytest.mark.parametrize("saturate", [True, False])
def test_casts_round_in_the_middle(dtype: DType, saturate: bool, random: np.random.Generator) -> None:
    values = np.concatenate([random.standard_normal(500) * 300, [1e9, -1e9, 0.5, 1.5, 2.5, np.nan]]).astype(np.float32)
    expr = Cast(dtype, ACC, saturate)
    if not dtype.is_float and not saturate:
        with pytest.raises(EmitError, match="saturate"):
            through(expr, F, F, F, values)
        return
    got = through(expr, F, F, F, values)
    with np.errstate(all="ignore"):
        expected = evaluate_expr(expr, [values.astype(np.float64)]).astype(np.float32)
    assert np.array_equal(got, expected, equal_nan=True)

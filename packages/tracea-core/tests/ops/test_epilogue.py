# SPDX-License-Identifier: MIT
"""Epilogues without arrays: chaining shifts slots, a gate doubles what comes before it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import IDENTITY, Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import MAX_DEPTH, Accumulator, Binary, BinaryFn, Cast, Constant, Expr, Operand, Unary, UnaryFn

SHAPE = (3, 4)


def stage(fn, axes):
    return Epilogue(
        Binary(fn, Accumulator(), Operand(0)), (EpilogueOperand("x", axes),), label=f"{fn.value} {axes.value}"
    )


GLU = Epilogue(Binary(BinaryFn.MUL, Unary(UnaryFn.TANH, Accumulator(0)), Accumulator(1)), gated=True, label="glu")
READ = [axes for axes in OperandAxes if axes is not OperandAxes.SUMS]
stages = st.builds(stage, st.sampled_from([BinaryFn.ADD, BinaryFn.MUL, BinaryFn.MAXIMUM]), st.sampled_from(READ))


def operands_of(epilogue, seed, shape=SHAPE):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(epilogue.operand_shape(slot, shape)) for slot in range(len(epilogue.operands))]


@given(st.lists(stages, max_size=4), st.booleans())
def test_chaining_is_doing_one_after_the_other(parts, gate_first):
    product = np.random.default_rng(1).standard_normal((3, 8 if gate_first else 4))
    whole, value, operands = IDENTITY, product, []
    for seed, part in enumerate([GLU, *parts] if gate_first else parts):
        whole = whole.then(part)
        own = operands_of(part, seed)
        operands += own
        value = part.reference(value, own)
    np.testing.assert_allclose(whole.reference(product, operands), value)
    assert Epilogue.from_json(whole.to_json()) == whole
    assert whole.describe().count(",") == max(len(parts) + gate_first - 1, 0)


@given(st.lists(stages, max_size=3))
def test_stages_ahead_of_a_gate_act_on_both_halves(parts):
    product = np.random.default_rng(1).standard_normal((3, 8))
    before = IDENTITY
    for part in parts:
        before = before.then(part)
    whole = before.then(GLU)
    wide = operands_of(before, 2, (3, 8))
    expected = GLU.reference(before.reference(product, wide))
    split = before.pre_gate_slots()
    gate = [array[..., :4] if slot in split else array for slot, array in enumerate(wide)]
    up = [wide[slot][..., 4:] for slot in split]
    np.testing.assert_allclose(whole.reference(product, [*gate, *up]), expected)


def test_two_gates_are_refused():
    with pytest.raises(OptionError, match="gated once"):
        GLU.then(GLU)


def test_columns_of_a_convolution_are_channels():
    bias = stage(BinaryFn.ADD, OperandAxes.COLUMN)
    result = bias.reference(np.zeros((2, 3, 4, 5)), [np.array([1.0, 2.0, 3.0])], column_axis=1)
    assert result[0, :, 0, 0].tolist() == [1, 2, 3]
    assert (result == result[:1, :, :1, :1]).all()


@pytest.mark.parametrize(
    "build",
    [
        lambda: Epilogue(Operand(0)),
        lambda: Epilogue(Operand(-1), (EpilogueOperand("x", OperandAxes.ROW),)),
        lambda: Epilogue(Accumulator(1)),
        lambda: Epilogue(Accumulator(-1)),
        lambda: EpilogueOperand("x y", OperandAxes.ROW),
        lambda: EpilogueOperand("x" * 33, OperandAxes.ROW),
        lambda: EpilogueOperand("9x", OperandAxes.ROW),
        lambda: EpilogueOperand("x;", OperandAxes.ROW),
    ],
)
def test_bad_epilogues(build):
    with pytest.raises(OptionError):
        build()


def test_too_deep_and_too_large_are_refused_not_a_crash():
    expr: Expr = Accumulator()
    for _ in range(MAX_DEPTH - 1):
        expr = Unary(UnaryFn.NEG, expr)
    assert Epilogue.from_json(Epilogue(expr).to_json()) == Epilogue(expr)
    with pytest.raises(OptionError, match="deep"):
        Epilogue(Unary(UnaryFn.NEG, expr))
    for _ in range(20_000):
        expr = Unary(UnaryFn.NEG, expr)
    with pytest.raises(OptionError, match="deep"):
        Epilogue(expr)
    wide: Expr = Accumulator()
    for _ in range(40):  # 2^40 nodes as a tree, 41 in memory
        wide = Binary(BinaryFn.ADD, wide, wide)
    with pytest.raises(OptionError, match="nodes"):
        Epilogue(wide)


def test_stored_type_and_identity():
    assert Epilogue(Cast(DType.INT8, Accumulator())).stored_dtype is DType.INT8
    assert IDENTITY.stored_dtype is None
    assert IDENTITY.is_identity
    assert not GLU.is_identity
    assert not Epilogue(Constant(1.0)).is_identity
    assert IDENTITY.then(GLU) == GLU == GLU.then(IDENTITY)

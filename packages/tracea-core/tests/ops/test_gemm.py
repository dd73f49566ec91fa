# SPDX-License-Identifier: MIT
"""GEMM as data: counts, meaning, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.ops.gemm import FusedGemmOp, GemmOp

extents = st.integers(0, 7)


@given(
    extents,
    extents,
    extents,
    st.lists(st.integers(0, 3), max_size=2),
    st.sampled_from([0.0, 1.0, -0.5]),
    st.integers(-2, 2),
)
def test_reference_counts_and_round_trip(m, n, k, batch, beta, alpha):
    op = GemmOp(m, n, k, tuple(batch), alpha=alpha, beta=beta)
    again = GemmOp.from_json(op.to_json())
    assert again == op
    assert again.digest() == op.digest() == op.replace(alpha=float(alpha)).digest()
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape) for shape in op.input_shapes()]
    expected = np.zeros(op.output_shape())
    for index in np.ndindex(*op.output_shape()):
        row, column = (*index[:-2], index[-2]), index[:-2]
        expected[index] = alpha * sum(inputs[0][(*row, i)] * inputs[1][(*column, i, index[-1])] for i in range(k))
        if beta:
            expected[index] += beta * inputs[2][index]
    np.testing.assert_allclose(op.reference(*inputs), expected, atol=1e-12)
    matrices = int(np.prod(batch, dtype=int))
    assert op.flops() == 2 * matrices * m * n * k
    assert op.bytes() == 4 * matrices * (m * k + k * n + m * n * (2 if beta else 1))
    assert op.reduction_length() == k


def test_shared_matrices_broadcast_in_the_reference():
    op = GemmOp(2, 3, 4, (5,))
    a, b = np.ones((5, 2, 4)), np.ones((4, 3))
    assert op.reference(a, b).shape == (5, 2, 3)
    assert GemmOp(2, 3, 4, (5,)).reference(np.ones((2, 4)), b).shape == (5, 2, 3)


@pytest.mark.parametrize(
    ("dtype", "out", "accumulator"),
    [
        (DType.FP64, DType.FP64, DType.FP64),
        (DType.TF32, DType.FP32, DType.FP32),
        (DType.BF16, DType.BF16, DType.FP32),
        (DType.FP8_E4M3, DType.FP8_E4M3, DType.FP32),
        (DType.INT8, DType.INT32, DType.INT32),
    ],
)
def test_default_types(dtype, out, accumulator):
    op = GemmOp(1, 1, 1, dtype=dtype)
    assert (op.output_dtype(), op.accumulator) == (out, accumulator)


def test_mixed_types_accumulate_in_the_wider():
    assert GemmOp(1, 1, 1, dtype=DType.FP32, b_dtype=DType.FP64).accumulator is DType.FP64
    assert GemmOp(1, 1, 1, dtype=DType.UINT8, b_dtype=DType.INT8).accumulator is DType.INT32


@pytest.mark.parametrize(
    ("error", "arguments", "options"),
    [
        (ShapeError, (-1, 2, 3), {}),
        (ShapeError, (1.0, 2, 3), {}),
        (ShapeError, (True, 2, 3), {}),
        (ShapeError, (1, 2, 3), {"batch": [2]}),
        (ShapeError, (1, 2, 3), {"batch": (2, -1)}),
        (ShapeError, (2**31, 2**31, 1), {}),
        (ShapeError, (2**40, 2**40, 0), {}),
        (OptionError, (1, 2, 3), {"alpha": float("nan")}),
        (OptionError, (1, 2, 3), {"beta": float("inf")}),
        (OptionError, (1, 2, 3), {"alpha": "1"}),
        (DTypeError, (1, 2, 3), {"dtype": "fp32"}),
        (DTypeError, (1, 2, 3), {"b_dtype": DType.INT8}),
        (DTypeError, (1, 2, 3), {"accumulate": DType.FP16}),
        (DTypeError, (1, 2, 3), {"dtype": DType.BF16, "accumulate": DType.FP16}),
        (DTypeError, (1, 2, 3), {"dtype": DType.INT8, "accumulate": DType.FP32}),
        (DTypeError, (1, 2, 3), {"dtype": DType.FP64, "accumulate": DType.FP32}),
        (DTypeError, (1, 2, 3), {"b_dtype": DType.FP64, "accumulate": DType.FP32}),
    ],
)
def test_bad_options(error, arguments, options):
    with pytest.raises(error):
        GemmOp(*arguments, **options)


def test_large_but_addressable():
    assert GemmOp(2**30, 2**30, 1).flops() == 2**61


def test_wrong_number_of_inputs():
    with pytest.raises(ShapeError, match="takes 2 inputs, 1"):
        GemmOp(1, 1, 1).reference(np.ones((1, 1)))


GATED = Epilogue(
    Binary(BinaryFn.ADD, Binary(BinaryFn.MUL, Accumulator(0), Accumulator(1)), Operand(0)),
    (EpilogueOperand("bias", OperandAxes.COLUMN),),
    gated=True,
)


def test_fused_gated_product():
    op = FusedGemmOp(GemmOp(3, 8, 5), GATED)
    assert op.output_shape() == (3, 4)
    assert op.input_shapes() == ((3, 5), (5, 8), (4,))
    assert FusedGemmOp.from_json(op.to_json()) == op
    rng = np.random.default_rng(0)
    a, b, bias = (rng.standard_normal(shape) for shape in op.input_shapes())
    product = a @ b
    np.testing.assert_allclose(op.reference(a, b, bias), product[:, :4] * product[:, 4:] + bias)
    assert op.bytes() == 4 * (15 + 40 + 4 + 12)


def test_fused_operands_have_types():
    op = FusedGemmOp(GemmOp(3, 8, 5, dtype=DType.BF16), GATED, (DType.BF16,))
    assert op.input_dtypes() == (DType.BF16,) * 3
    assert FusedGemmOp(GemmOp(3, 8, 5, dtype=DType.BF16), GATED).input_dtypes()[2] is DType.FP32


@pytest.mark.parametrize(
    ("error", "gemm", "dtypes"),
    [
        (ShapeError, GemmOp(3, 7, 5), ()),
        (OptionError, GemmOp(3, 8, 5), (DType.FP32, DType.FP32)),
        (OptionError, GemmOp(3, 8, 5, beta=1.0), ()),
        (DTypeError, GemmOp(3, 8, 5), ("fp32",)),
    ],
)
def test_bad_fusions(error, gemm, dtypes):
    with pytest.raises(error):
        FusedGemmOp(gemm, GATED, dtypes)

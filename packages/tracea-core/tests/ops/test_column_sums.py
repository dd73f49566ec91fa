# SPDX-License-Identifier: MIT
"""Sums of columns as an epilogue states them: shapes, places, references, tolerances, and how variances come of them."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.column_sums import block_sums, counts, joined, sums_dtype, sums_reference, sums_tolerance
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias, column_sums, parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

c = TensorSpec.contiguous


def product(m: int = 10, n: int = 3, k: int = 5, block: int = 4, dtype: DType = DType.FP32) -> Problem:
    sums = c((3, -(-m // block), n), sums_dtype(dtype))
    inputs = c((m, k), dtype), c((k, n), dtype)
    return Problem(GemmOp(m, n, k, dtype=dtype), inputs, c((m, n), dtype), column_sums(block), (sums,))


def test_the_sums_are_the_last_stage_and_their_block_is_part_of_the_name() -> None:
    epilogue = parse_epilogue("bias,relu,sums:48")
    assert epilogue.label == "bias, relu, sums:48"
    assert epilogue.sums is not None and epilogue.sums.rows == 48
    assert epilogue.written == (1,)
    assert epilogue.without_sums().operands == bias().operands
    assert Epilogue.from_json(epilogue.to_json()) == epilogue
    assert column_sums(8).then(IDENTITY) == column_sums(8)
    with pytest.raises(OptionError, match="no stage follows"):
        column_sums(8).then(bias())


def test_an_operand_without_sums_keeps_its_json() -> None:
    assert EpilogueOperand("bias", OperandAxes.COLUMN).to_json() == '{"name":"bias","axes":"column"}'
    with pytest.raises(OptionError, match="nothing else has blocks"):
        EpilogueOperand("bias", OperandAxes.COLUMN, 8)
    with pytest.raises(OptionError, match="two rows or more"):
        EpilogueOperand("sums", OperandAxes.SUMS)


def test_a_problem_says_what_does_not_fit() -> None:
    good = product()
    assert good.epilogue_inputs[0].shape == (3, 3, 3)
    with pytest.raises(ShapeError, match="three for each block"):
        good.replace(epilogue_inputs=(c((3, 2, 3), DType.FP32),))
    with pytest.raises(DTypeError, match="no sums of fp64"):
        good.replace(epilogue_inputs=(c((3, 3, 3), DType.FP64),))
    with pytest.raises(ShapeError, match="contiguous"):
        good.replace(epilogue_inputs=(TensorSpec((3, 3, 3), DType.FP32, (9, 1, 3)),))
    op = GroupedGemmOp(10, 3, 5, 2)
    inputs = tuple(c(shape, dtype) for shape, dtype in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    with pytest.raises(OptionError, match="sums no columns"):
        Problem(op, inputs, c((10, 5), op.output_dtype()), column_sums(4), (c((3, 3, 5), DType.FP32),))


def test_blocks_of_a_convolution_go_on_from_image_to_image() -> None:
    values = np.random.default_rng(0).normal(size=(3, 2, 5, 7))
    found = block_sums(values, 1, 16)
    rows = values.transpose(0, 2, 3, 1).reshape(-1, 2)
    assert found.shape == (3, 7, 2)
    np.testing.assert_array_equal(found[0], rows[::16])
    np.testing.assert_allclose(found[1, 2], (rows[32:48] - rows[32]).sum(axis=0))
    np.testing.assert_allclose(found[2, 6], ((rows[96:] - rows[96]) ** 2).sum(axis=0))


@pytest.mark.parametrize("mean", [0.0, 1e4])
def test_mean_and_variance_come_of_single_precision_sums_whatever_the_mean_is(mean: float) -> None:
    rows, block = 1000, 48
    values = (np.random.default_rng(1).normal(size=(rows, 4)) + mean).astype(np.float32)
    lengths = counts(rows, block)
    starts = np.cumsum(lengths) - lengths
    apart = values - np.repeat(values[starts], lengths, axis=0)
    sums = np.stack([values[starts], np.add.reduceat(apart, starts), np.add.reduceat(apart * apart, starts)])
    assert sums.dtype == np.float32
    got_mean, got_variance = joined(sums, lengths)
    wide = values.astype(np.float64)
    np.testing.assert_allclose(got_mean, wide.mean(axis=0), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(got_variance, wide.var(axis=0), rtol=1e-5)


@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16, DType.FP64])
def test_the_tolerance_holds_what_rounding_does_and_no_other_value(dtype: DType) -> None:
    random, problem = np.random.default_rng(2), product(40, 5, 16, 12, dtype)
    inputs = [dtype.decode(dtype.encode(random.normal(size=spec.shape))) for spec in problem.inputs]
    operands = [np.zeros(problem.epilogue_inputs[0].shape)]
    expected, bound = sums_reference(problem, inputs, operands), sums_tolerance(problem, inputs, operands)
    assert expected.shape == bound.shape == (3, 4, 5)
    stored = dtype.decode(dtype.encode(inputs[0] @ inputs[1]))
    kept = sums_dtype(dtype)
    got = block_sums(stored, -1, 12)
    got = kept.decode(kept.encode(got))
    assert (np.abs(got - expected) <= bound).all()
    assert (bound <= (3e-2 if dtype is DType.BF16 else 1e-4) * (1 + np.abs(expected)) * 12).all()
    assert not (np.abs(block_sums(stored[::-1], -1, 12) - expected) <= bound).all()


def test_a_convolution_of_one_block_and_an_empty_product() -> None:
    op = Conv2dOp(1, 2, 3, 3, 4, 1, 1)
    inputs = tuple(c(shape, DType.FP32) for shape in op.input_shapes())
    problem = Problem(op, inputs, c(op.output_shape(), DType.FP32), column_sums(48), (c((3, 1, 4), DType.FP32),))
    assert problem.epilogue.operand_shape(0, problem.output.shape, 1) == (3, 1, 4)
    empty = product(0, 3, 5)
    assert empty.epilogue_inputs[0].shape == (3, 0, 3)
    none = sums_reference(empty, [np.zeros((0, 5)), np.zeros((5, 3))], [np.zeros((3, 0, 3))])
    assert none.shape == (3, 0, 3)

# SPDX-License-Identifier: MIT
"""Low-rank, block-sparse and grouped products against what they abbreviate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.ops.grouped import GroupedGemmOp, likely_rows
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand

RELU = Epilogue(Binary(BinaryFn.MAXIMUM, Accumulator(), Constant(0.0)), label="relu")


def data(op):
    rng = np.random.default_rng(7)
    return [rng.standard_normal(shape) for shape in op.input_shapes()]


def test_low_rank():
    op = LowRankOp(3, 5, 7, 2, (4,), RELU)
    x, a, b = data(op)
    np.testing.assert_allclose(op.reference(x, a, b), np.maximum(x @ a, 0) @ b)
    assert LowRankOp.from_json(op.to_json()) == op
    assert (op.flops(), op.reduction_length()) == (4 * 2 * 3 * 2 * (5 + 7), 7)
    assert op.bytes() == 4 * (84 + 14 + 10 + 60)


def test_low_rank_refuses_a_middle_with_operands():
    operand = EpilogueOperand("bias", OperandAxes.COLUMN)
    with pytest.raises(OptionError, match="without operands"):
        LowRankOp(3, 5, 7, 2, middle=Epilogue(operands=(operand,)))
    with pytest.raises(OptionError):
        LowRankOp(3, 5, 7, 2, middle=Epilogue(gated=True))
    with pytest.raises(ShapeError):
        LowRankOp(3, 5, 7, -2)


masks = st.tuples(st.integers(0, 4), st.integers(0, 4)).flatmap(
    lambda shape: st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda bits: np.array(bits, np.bool_).reshape(shape)
    )
)


@given(masks, st.integers(1, 3), st.integers(1, 3), st.integers(0, 4), st.sampled_from(SparseOperand))
def test_block_sparse(mask, block_rows, block_columns, extent, sparse):
    pattern = BlockPattern.from_mask(mask, block_rows, block_columns)
    assert BlockPattern.from_json(pattern.to_json()) == pattern
    assert pattern.blocks == mask.sum()
    spread = np.repeat(np.repeat(mask, block_rows, axis=0), block_columns, axis=1)
    ones = np.ones((pattern.blocks, block_rows, block_columns))
    np.testing.assert_array_equal(pattern.dense(ones), spread)
    op = BlockSparseGemmOp.of(extent, pattern, sparse)
    assert BlockSparseGemmOp.from_json(op.to_json()) == op
    a, b, _ = data(op)
    lists = pattern.lists(sparse)
    assert lists.shape == op.input_shapes()[2]
    dense = (pattern.dense(a), b) if sparse is SparseOperand.A else (a, pattern.dense(b))
    result = op.reference(a, b, lists)
    np.testing.assert_allclose(result, dense[0] @ dense[1])
    assert result.shape == op.output_shape() == (op.m, op.n)
    assert op.flops() == 2 * extent * int(spread.sum())
    longest = spread.sum(axis=1 if sparse is SparseOperand.A else 0).max(initial=0)
    assert longest <= op.reduction_length() <= op.k
    assert op.bytes() == 4 * (a.size + b.size + lists.size + result.size)


def test_block_sparse_agrees_with_scipy():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    pattern = BlockPattern(2, 3, (0, 2, 2, 3), (0, 2, 1), 3)
    values = np.random.default_rng(0).standard_normal((3, 2, 3))
    theirs = scipy_sparse.bsr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)
    np.testing.assert_array_equal(pattern.dense(values), theirs.toarray())
    assert pattern.density == 3 / 9


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ShapeError, (0, 1, (0, 1), (0,), 1)),
        (ShapeError, (1, 1, (0, 1), (0,), -1)),
        (OptionError, (1, 1, (), (), 1)),
        (OptionError, (1, 1, (1, 1), (0,), 1)),
        (OptionError, (1, 1, (0, 2), (0,), 1)),
        (OptionError, (1, 1, (0, 2, 1), (0,), 1)),
        (OptionError, (1, 1, (0, 1), (1,), 1)),
        (OptionError, (1, 1, (0, 1), (-1,), 1)),
        (OptionError, (1, 1, (0, 2), (1, 0), 2)),
        (OptionError, (1, 1, (0, 2), (0, 0), 2)),
    ],
)
def test_bad_patterns(error, arguments):
    with pytest.raises(error):
        BlockPattern(*arguments)


def test_bad_sparse_options():
    pattern = BlockPattern(1, 1, (0, 1), (0,), 1)
    with pytest.raises(OptionError, match="SparseOperand"):
        BlockSparseGemmOp.of(2, pattern, "a")
    with pytest.raises(DTypeError):
        BlockSparseGemmOp.of(2, pattern, accumulate=DType.INT32)
    with pytest.raises(ShapeError, match="1x1"):
        BlockSparseGemmOp(2, 1, 1, 1, 0, 4)
    with pytest.raises(ShapeError, match="no blocks"):
        BlockSparseGemmOp(2, 0, 1, 1, 4, 4)
    with pytest.raises(ShapeError, match="two axes"):
        BlockPattern.from_mask(np.ones(3), 1, 1)


def test_lists_that_point_elsewhere_are_moved_inside():
    op = BlockSparseGemmOp(1, 2, 3, 2, 1, 1, SparseOperand.A)
    assert op.listed(np.array([1, 9, -4, 7, 5, -1])) == (((0, 2),), ((1, 0),))
    assert op.listed(np.array([2, 1, 0, 1, 0, 2])) == (((0, 0), (1, 2)), ())


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 2), st.integers(0, 4), st.integers(0, 4))
def test_grouped(sizes, behind, n, k):
    op = GroupedGemmOp(sum(sizes) + behind, len(sizes), n, k)
    assert GroupedGemmOp.from_json(op.to_json()) == op
    x, w, _ = data(op)
    ends = np.cumsum(sizes)
    parts = np.split(x, ends)
    expected = [part @ weight for part, weight in zip(parts, w, strict=False)]
    np.testing.assert_allclose(op.reference(x, w, ends), np.concatenate([*expected, np.zeros((behind, n))]))
    assert op.flops() == 2 * op.m * n * k
    assert op.bytes() == 4 * (op.m * (k + n) + len(sizes) * (k * n + 1))


def test_ends_outside_are_moved_inside():
    op = GroupedGemmOp(4, 3, 1, 1)
    assert op.rows(np.array([-2, 3, 9])) == (range(0, 0), range(0, 3), range(3, 4))


def test_likely_rows_are_all_rows():
    assert all(sum(likely_rows(m, groups)) == m for m in (0, 7, 1000) for groups in (1, 3, 64))


def test_bad_groups():
    with pytest.raises(ShapeError):
        GroupedGemmOp(-1, 1, 2, 3)
    with pytest.raises(ShapeError, match="at least one group"):
        GroupedGemmOp(4, 0, 2, 3)

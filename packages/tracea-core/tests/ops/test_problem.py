# SPDX-License-Identifier: MIT
"""Problems: tensors must fit the op, equal meanings normalize to one form, and any op survives JSON."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.errors import AliasError, DTypeError, MalformedDataError, OptionError, ShapeError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Cast, Constant, Operand
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Options, Problem, overlaps_itself
from tracea_core.ops.rowwise import NormOp, SoftmaxOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec

RELU = Epilogue(Binary(BinaryFn.MAXIMUM, Accumulator(), Constant(0.0)), label="relu")
GLU = Epilogue(Binary(BinaryFn.MUL, Accumulator(0), Accumulator(1)), gated=True, label="glu")


def added(axes, name="added"):
    return Epilogue(Binary(BinaryFn.ADD, Accumulator(), Operand(0)), (EpilogueOperand(name, axes),), label=name)


def problem(op, epilogue=None, **changes):
    """A problem with contiguous tensors of just the right shapes."""
    epilogue = epilogue or Epilogue()
    output = TensorSpec.contiguous(epilogue.output_shape(op.output_shape()), op.output_dtype())
    fields = {
        "op": op,
        "inputs": tuple(map(TensorSpec.contiguous, op.input_shapes(), op.input_dtypes())),
        "output": output,
        "epilogue": epilogue,
        "epilogue_inputs": tuple(
            TensorSpec.contiguous(epilogue.operand_shape(slot, output.shape, op.column_axis), DType.FP32)
            for slot in range(len(epilogue.operands))
        ),
    }
    return Problem(**fields | changes)


def values(specs, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(spec.shape) for spec in specs]


OPS = [
    GemmOp(3, 4, 5, (2,), alpha=2.0, beta=0.5),
    FusedGemmOp(GemmOp(3, 4, 5), added(OperandAxes.ROW)),
    Conv2dOp(2, 4, 5, 6, 8, 3, 3),
    ConvTranspose2dOp(2, 4, 5, 6, 8, 3, 3, (2, 2)),
    AttentionOp(1, 2, 3, 4, 5, causal=True),
    SoftmaxOp((2, 3)),
    NormOp((2, 3)),
    LowRankOp(2, 3, 4, 1, middle=RELU),
    BlockSparseGemmOp.of(2, BlockPattern(2, 2, (0, 1), (0,), 2)),
    GroupedGemmOp(3, 3, 3, 4),
]


@pytest.mark.parametrize("op", OPS, ids=lambda op: type(op).__name__)
@pytest.mark.parametrize("axes", [None, OperandAxes.SCALAR, OperandAxes.COLUMN, OperandAxes.FULL])
def test_any_problem_survives_json_and_has_a_meaning(op, axes):
    stated = problem(op, added(axes) if axes else RELU, options=Options(deterministic=True))
    again = Problem.from_json(stated.to_json())
    assert again == stated
    assert hash(again) == hash(stated)
    assert again.signature() == stated.signature() != problem(op).signature()
    assert stated.bytes() >= op.bytes()
    assert stated.flops() == op.flops()
    tensors = values((*stated.inputs, *stated.epilogue_inputs))
    product = op.reference(*tensors[: len(stated.inputs)])
    if axes is None:
        expected = np.maximum(product, 0)
    else:
        extra = tensors[-1]
        if axes is OperandAxes.COLUMN and op.column_axis == 1:
            extra = extra[:, np.newaxis, np.newaxis]
        expected = product + extra
    np.testing.assert_allclose(stated.reference(*tensors), expected)


@pytest.mark.parametrize("alpha", [1.0, -2.0])
@pytest.mark.parametrize("beta", [0.0, 1.0, 0.5])
@pytest.mark.parametrize("fused", [False, True])
def test_normalized_problems_mean_the_same(alpha, beta, fused):
    gemm = GemmOp(3, 4, 5, (2,), alpha=alpha, beta=beta)
    op = FusedGemmOp(gemm, added(OperandAxes.ROW, "rows")) if fused else gemm
    stated = problem(op, added(OperandAxes.COLUMN))
    normal = stated.normalized()
    assert isinstance(normal.op, GemmOp)
    assert (normal.op.alpha, normal.op.beta, len(normal.inputs)) == (1.0, 0.0, 2)
    assert (*normal.inputs, *normal.epilogue_inputs) == (*stated.inputs, *stated.epilogue_inputs)
    tensors = values((*stated.inputs, *stated.epilogue_inputs))
    np.testing.assert_allclose(normal.reference(*tensors), stated.reference(*tensors))
    assert normal.normalized() is normal


def test_alpha_ahead_of_a_gate():
    stated = problem(GemmOp(3, 8, 5, alpha=3.0), GLU)
    tensors = values(stated.inputs)
    product = 3 * tensors[0] @ tensors[1]
    np.testing.assert_allclose(stated.reference(*tensors), product[:, :4] * product[:, 4:])
    np.testing.assert_allclose(stated.normalized().reference(*tensors), product[:, :4] * product[:, 4:])


def spec(*shape, dtype=DType.FP32):
    return TensorSpec.contiguous(shape, dtype)


GEMM = GemmOp(3, 4, 5)
QUANTIZED = Epilogue(Cast(DType.INT8, Accumulator()))


@pytest.mark.parametrize(
    ("error", "match", "build"),
    [
        (ShapeError, "takes 2 inputs, 1", lambda: problem(GEMM, inputs=(spec(3, 5),))),
        (ShapeError, r"input 1 .* must have shape \(5, 4\)", lambda: problem(GEMM, inputs=(spec(3, 5), spec(4, 5)))),
        (ShapeError, "input 0", lambda: problem(GEMM, inputs=(spec(15), spec(5, 4)))),
        (ShapeError, "input 2", lambda: problem(GemmOp(3, 4, 5, (2,), beta=1.0), inputs=(spec(3, 5), spec(5, 4), spec(3, 4)))),
        (ShapeError, "input 0", lambda: problem(OPS[2], inputs=(spec(1, 4, 5, 6), spec(8, 4, 3, 3)))),
        (DTypeError, "input 0 .* must be fp32, not bf16", lambda: problem(GEMM, inputs=(spec(3, 5, dtype=DType.BF16), spec(5, 4)))),
        (ShapeError, "output", lambda: problem(GEMM, output=spec(4, 3))),
        (DTypeError, "out_dtype", lambda: problem(GEMM, output=spec(3, 4, dtype=DType.FP16))),
        (DTypeError, "Quantize", lambda: problem(GemmOp(3, 4, 5, out_dtype=DType.INT8))),
        (DTypeError, "Quantize", lambda: problem(GemmOp(3, 4, 5, out_dtype=DType.INT32), QUANTIZED)),
        (DTypeError, "Quantize", lambda: problem(GemmOp(3, 4, 5, dtype=DType.INT8, out_dtype=DType.INT8))),
        (AliasError, "share memory", lambda: problem(GEMM, output=TensorSpec((3, 4), DType.FP32, (0, 1)))),
        (AliasError, "share memory", lambda: problem(GEMM, output=TensorSpec((3, 4), DType.FP32, (3, 1)))),
        (ShapeError, "takes 1 operands, 0", lambda: problem(GEMM, added(OperandAxes.FULL), epilogue_inputs=())),
        (ShapeError, "'added'.*one element per column", lambda: problem(GEMM, added(OperandAxes.COLUMN), epilogue_inputs=(spec(3),))),
        (ShapeError, "one element per row", lambda: problem(GEMM, added(OperandAxes.ROW), epilogue_inputs=(spec(4),))),
        (ShapeError, "one element per row", lambda: problem(GEMM, added(OperandAxes.ROW), epilogue_inputs=(spec(3, 1),))),
        (ShapeError, "single element", lambda: problem(GEMM, added(OperandAxes.SCALAR), epilogue_inputs=(spec(2),))),
        (ShapeError, "output's shape", lambda: problem(GEMM, added(OperandAxes.FULL), epilogue_inputs=(spec(4),))),
        (OptionError, "channel", lambda: problem(OPS[2], added(OperandAxes.ROW))),
        (OptionError, "gated", lambda: problem(OPS[2], GLU)),
        (OptionError, "beta", lambda: problem(GemmOp(3, 4, 5, beta=1.0), GLU)),
        (ShapeError, "even", lambda: problem(GemmOp(3, 5, 5), GLU)),
    ],
)  # fmt: skip
def test_bad_problems(error, match, build):
    with pytest.raises(error, match=match):
        build()


def test_what_is_allowed():
    problem(GEMM, added(OperandAxes.COLUMN), epilogue_inputs=(spec(1, 4),))
    problem(GEMM, added(OperandAxes.SCALAR), epilogue_inputs=(spec(1, 1),))
    problem(GemmOp(3, 4, 5, out_dtype=DType.INT8), QUANTIZED)
    problem(GemmOp(3, 4, 5, dtype=DType.INT8))
    problem(GemmOp(3, 4, 5, dtype=DType.TF32), inputs=(spec(3, 5), spec(5, 4)))
    problem(GemmOp(3, 4, 5, (2, 6)), inputs=(spec(6, 3, 5), spec(2, 1, 5, 4)))
    problem(GEMM, output=TensorSpec((3, 4), DType.FP32, (1, 3)))
    assert problem(GemmOp(0, 4, 5)).is_empty
    assert not problem(GemmOp(3, 4, 0)).is_empty


def test_reference_counts_its_tensors():
    with pytest.raises(ShapeError, match="2 inputs and 1 epilogue"):
        problem(GEMM, added(OperandAxes.COLUMN)).reference(np.ones((3, 5)), np.ones((5, 4)))


@pytest.mark.parametrize("damage", [('"GemmOp"', '"Gemm"'), ('"m":3', '"m":-3'), ('"m":3', '"m":"3"'), ("{", "")])
def test_damaged_json(damage):
    with pytest.raises(MalformedDataError):
        Problem.from_json(problem(GEMM).to_json().replace(*damage, 1))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-6, 6)), max_size=3))
def test_overlap_is_never_missed(axes):
    shape, strides = tuple(e for e, _ in axes), tuple(s for _, s in axes)
    offsets = [sum(i * s for i, s in zip(index, strides, strict=True)) for index in np.ndindex(*shape)]
    if not overlaps_itself(TensorSpec(shape, DType.FP32, strides)):
        assert len(set(offsets)) == len(offsets)


def test_a_grouped_product_may_have_a_row_of_bias_for_each_group():
    op, tail = GroupedGemmOp(4, 2, 3, 2), added(OperandAxes.COLUMN)
    x, w, ends = np.ones((4, 2)), np.stack([np.ones((2, 3)), 2 * np.ones((2, 3))]), np.array([1, 3])
    bias = np.arange(6.0).reshape(2, 3)
    stated = problem(op, tail).replace(epilogue_inputs=(TensorSpec.contiguous((2, 3), DType.FP32),))
    got = stated.reference(x, w, ends, bias)
    plain = op.reference(x, w, ends)
    by_hand = [tail.reference(plain[row : row + 1], [bias[group]]) for row, group in ((0, 0), (1, 1), (2, 1))]
    np.testing.assert_allclose(got[:3], np.concatenate(by_hand))
    with pytest.raises(ShapeError, match="a row of them per group"):
        stated.replace(epilogue_inputs=(TensorSpec.contiguous((3, 3), DType.FP32),))

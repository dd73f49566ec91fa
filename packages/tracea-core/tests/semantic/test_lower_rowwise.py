# SPDX-License-Identifier: MIT
"""Row-wise forms: leading axes are merged where one stride describes them, and define what the op defines."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.activations import Residual, Scale
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.index import Const
from tracea_core.semantic.lower_rowwise import lower_rowwise

FP32 = DType.FP32


def problem(op: SoftmaxOp | NormOp, epilogue: Epilogue = IDENTITY, *extra: TensorSpec, **places: TensorSpec) -> Problem:
    plain = [TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True)]
    x, out = places.get("x", plain[0]), places.get("out", TensorSpec.contiguous(op.output_shape(), op.output_dtype()))
    return Problem(op, (x, *plain[1:]), out, epilogue, extra)


def test_contiguous_leading_axes_are_one_list_of_rows() -> None:
    one, other = (lower_rowwise(problem(SoftmaxOp(shape))) for shape in ((2, 3, 4, 9), (24, 9)))
    assert one.form == other.form and one.symbols == other.symbols == {"m": 24, "n": 9, "x_row": 9, "out_row": 9}


def test_sizes_do_not_make_another_form() -> None:
    forms = {lower_rowwise(problem(SoftmaxOp(shape))).form.digest() for shape in ((24, 9), (7, 8), (1, 5), (33,))}
    assert len(forms) == 1


def test_axes_that_cannot_be_merged_are_decoded_from_the_row() -> None:
    permuted = TensorSpec((3, 5, 9), FP32, (9, 27, 1))
    lowered = lower_rowwise(problem(SoftmaxOp((3, 5, 9)), x=permuted))
    assert [named.name for named in lowered.form.row_names] == ["row_axis1"]
    assert lowered.symbols["x_axis0"] == 9 and lowered.symbols["x_axis1"] == 27


def test_a_value_for_each_row_repeats_over_the_batch() -> None:
    epilogue, _ = Scale(np.ones(5, np.float32), "row").bind()
    lowered = lower_rowwise(problem(SoftmaxOp((3, 5, 9)), epilogue, TensorSpec.contiguous((5,), FP32)))
    assert lowered.symbols["scale_0_axis0"] == 0 and lowered.form.operands[0].offset != Const(0)


def test_a_contraction_is_refused() -> None:
    spec = TensorSpec.contiguous((3, 3), FP32)
    with pytest.raises(UnsupportedError):
        lower_rowwise(Problem(GemmOp(3, 3, 3), (spec, spec), spec))


@pytest.mark.parametrize(
    "op",
    [
        SoftmaxOp((4, 9), scale=0.5),
        SoftmaxOp((4, 9), log=True),
        NormOp((4, 9), NormKind.LAYER, bias=True),
        NormOp((4, 9)),
    ],
)
def test_the_form_defines_what_the_op_defines(op: SoftmaxOp | NormOp) -> None:
    random = np.random.default_rng(0)
    inputs = [random.standard_normal(shape) for shape in op.input_shapes()]
    residual = random.standard_normal((4, 9))
    epilogue, _ = Residual(residual).bind()
    given = problem(op, epilogue, TensorSpec.contiguous((4, 9), FP32))
    form = lower_rowwise(given).form
    operands = [array.reshape(1, -1) for array in inputs[1:]]
    assert np.allclose(form.define(inputs[0], [*operands, residual]), given.reference(*inputs, residual), rtol=1e-12)

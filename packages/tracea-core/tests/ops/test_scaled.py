# SPDX-License-Identifier: MIT
"""Scales along k: what the op says it computes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.activations import SwiGLU
from tracea_core.ops.problem import Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.ops.spec import TensorSpec


@pytest.mark.parametrize("rows", [1, 128])
@pytest.mark.parametrize("columns", [1, 128])
def test_the_reference_scales_each_group_of_products(rows: int, columns: int) -> None:
    random = np.random.default_rng(rows + columns)
    op = ScaledGemmOp(130, 131, 300, rows, columns)
    a, b, a_scale, b_scale = (random.standard_normal(shape) for shape in op.input_shapes())
    found = op.reference(a, b, a_scale, b_scale)
    for i, j in ((0, 0), (127, 128), (129, 130), (64, 3)):
        groups = [slice(128 * g, 128 * (g + 1)) for g in range(3)]
        parts = [a[i, group] @ b[group, j] for group in groups]
        wanted = sum(a_scale[i // rows, g] * b_scale[g, j // columns] * part for g, part in enumerate(parts))
        assert found[i, j] == pytest.approx(wanted, rel=1e-12)


def test_shapes_and_types_follow() -> None:
    op = ScaledGemmOp(200, 300, 130)
    assert op.input_shapes() == ((200, 130), (130, 300), (200, 2), (2, 3))
    assert op.input_dtypes() == (DType.FP8_E4M3, DType.FP8_E4M3, DType.FP32, DType.FP32)
    assert op.output_dtype() is DType.BF16
    assert op.accumulator is DType.FP32
    assert op.flops() == 2 * 200 * 300 * 130


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(DTypeError, match="are for fp8, not bf16"):
        ScaledGemmOp(1, 1, 1, dtype=DType.BF16)
    with pytest.raises(ShapeError, match="1 or 128 rows or columns share a scale"):
        ScaledGemmOp(1, 1, 1, shared_rows=64)
    op = ScaledGemmOp(8, 8, 16)
    inputs = tuple(
        TensorSpec.contiguous(shape, dtype) for shape, dtype in zip(op.input_shapes(), op.input_dtypes(), strict=True)
    )
    with pytest.raises(OptionError, match="a gated epilogue pairs columns"):
        Problem(op, inputs, TensorSpec.contiguous((8, 4), DType.BF16), SwiGLU().epilogue)


@pytest.mark.parametrize("columns", [1, 128])
def test_each_group_of_rows_has_the_scales_of_its_own_weight(columns: int) -> None:
    random = np.random.default_rng(columns)
    op = ScaledGroupedGemmOp(40, 3, 140, 200, dtype=DType.FP8_E5M2, shared_columns=columns)
    assert op.output_dtype() is DType.BF16
    x, w, _, x_scale, w_scale = (random.standard_normal(shape) for shape in op.input_shapes())
    found = op.reference(x, w, np.array([25.0, 25.0, 38.0]), x_scale, w_scale)
    for row, group in ((0, 0), (24, 0), (25, 2), (37, 2)):
        alone = ScaledGemmOp(1, 140, 200, 1, columns, dtype=DType.FP8_E5M2)
        wanted = alone.reference(x[row : row + 1], w[group], x_scale[row : row + 1], w_scale[group])
        assert np.allclose(found[row], wanted[0], rtol=1e-12)
    assert not found[38:].any()
    with pytest.raises(DTypeError, match="are for fp8"):
        ScaledGroupedGemmOp(1, 1, 1, 1)

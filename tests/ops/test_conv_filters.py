# SPDX-License-Identifier: MIT
"""`ops.conv2d_filters` against float64 and PyTorch's autograd: both roles of the images, groups, parts, orders, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError, TraceaError
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.testing.cases import dense

import tracea
from tracea import ops

LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)
CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "padded": (LAST, dict(stride=(2, 1), padding=(1, 2), dilation=(1, 2))),
    "in place": (LAST, dict(stride=(2, 2))),
    "in place, first": (FIRST, dict()),
    "padded, grouped": (FIRST, dict(padding=(1, 1), groups=2)),
    "in place, grouped, in parts": (LAST, dict(groups=2, parts=2)),
}


def drawn(seed: int, *shape: int, order: tuple[int, ...] = FIRST) -> Any:
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_float64(name: str) -> None:
    order, settings = CASES[name]
    op = Conv2dFiltersOp(4, 6, 9, 8, 20, 3, 2, **settings)
    x, g = (drawn(i, *shape, order=order) for i, shape in enumerate(op.input_shapes()))
    before = drawn(3, *op.output_shape()[-4:], order=order)
    epilogue = tracea.Residual(before) if op.parts == 1 else None
    got = ops.conv2d_filters(x, g, (3, 2), **settings, epilogue=epilogue)
    specs = tuple(dense(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape()))
    problem = Problem(op, specs[:2], specs[2])
    wanted, bound = reference(problem, [x, g]), tolerance(problem, [x, g])
    assert got.shape == op.output_shape() and not np.isnan(got).any()
    if epilogue is not None:
        wanted, bound = wanted + before, bound + 4 * np.spacing(np.abs(wanted) + np.abs(before), dtype=np.float32)
    assert agrees(got, wanted, bound).all()
    assert got.strides[-3] == (got.itemsize if order == LAST else 6 * got.itemsize)


@pytest.mark.parametrize("groups", [1, 3])
def test_the_reference_is_pytorchs_gradient(groups: int) -> None:
    torch = pytest.importorskip("torch")
    op = Conv2dFiltersOp(2, 6, 7, 8, 9, 3, 2, (2, 1), (1, 2), (1, 2), groups)
    x, g = (torch.randn(shape, dtype=torch.float64) for shape in op.input_shapes())
    w = torch.zeros(op.output_shape(), dtype=torch.float64, requires_grad=True)
    out = torch.nn.functional.conv2d(x, w, None, op.stride, op.padding, op.dilation, groups)
    (wanted,) = torch.autograd.grad(out, w, g)
    np.testing.assert_allclose(op.reference(x.numpy(), g.numpy()), wanted.numpy(), atol=1e-12)
    halves = op.replace(parts=2)
    np.testing.assert_allclose(halves.reference(x.numpy(), g.numpy()).sum(0), wanted.numpy(), atol=1e-12)
    assert Conv2dFiltersOp.from_json(halves.to_json()) == halves
    assert op.flops() == halves.flops() and op.reduction_length() == 2 * halves.reduction_length()


def test_bad_input_is_named() -> None:
    x, g = drawn(0, 2, 6, 5, 5), drawn(1, 2, 4, 3, 3)
    with pytest.raises(ShapeError):
        ops.conv2d_filters(x, g[:, :, 1:], 3)
    with pytest.raises(ShapeError, match="takes images"):
        ops.conv2d_filters(x[0], g, 3)
    with pytest.raises(OptionError, match="parts=3"):
        ops.conv2d_filters(x, g, 3, parts=3)
    with pytest.raises(TraceaError, match="neither rows nor columns"):
        ops.conv2d_filters(x, g, 3, epilogue=tracea.BiasAdd(np.ones(3, np.float32)))

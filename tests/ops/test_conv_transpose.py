# SPDX-License-Identifier: MIT
"""`ops.conv_transpose2d` against float64: every phase of the output, images either way round, groups, epilogues, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError, UnsupportedError
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.pipeline.path import trace
from tracea_core.testing.cases import dense

import tracea
from tracea import ops

CASES: dict[str, dict[str, Any]] = {
    "gradient of a strided 3x3": dict(w=(5, 6, 3, 3), stride=2, padding=1, output_padding=1),
    "stride 1": dict(w=(5, 6, 3, 3), padding=1),
    "gaps": dict(w=(5, 6, 1, 1), stride=2, output_padding=1),
    "cropped, grouped": dict(w=(10, 3, 3, 2), stride=(1, 2), padding=(3, 1), dilation=(2, 1), groups=2),
    "depthwise": dict(w=(6, 1, 3, 3), stride=2, padding=1, groups=6),
}
CHANNELS_LAST = {"gradient of a strided 3x3": (False, True), "stride 1": (True,), "cropped, grouped": (True,)}


def drawn(*shape: int, last: bool = False) -> Any:
    rng = np.random.default_rng(sum(shape))
    values = rng.standard_normal(shape).astype(np.float32)
    return np.ascontiguousarray(values.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) if last else values


def pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


def op_of(x: Any, case: dict[str, Any]) -> ConvTranspose2dOp:
    names = ("stride", "padding", "output_padding", "dilation")
    stride, padding, extra, dilation = (pair(case.get(name, int(name in ("stride", "dilation")))) for name in names)
    groups = case.get("groups", 1)
    k, *taps = case["w"][1:]
    return ConvTranspose2dOp(*x.shape, k * groups, *taps, stride, padding, extra, dilation, groups)


def stated(op: ConvTranspose2dOp, last: bool) -> Problem:
    """The problem with a bias, a residual and ReLU, tensors in one order."""
    order = (0, 2, 3, 1) if last else (0, 1, 2, 3)
    x, w = op.input_shapes()
    fused = parse_epilogue("bias,residual,relu")
    out = dense(op.output_shape(), op.dtype, order)
    inputs = (dense(x, op.dtype, order), dense(w, op.dtype))
    return Problem(op, inputs, out, fused, (dense((op.k,), DType.FP32), out))


@pytest.mark.parametrize(
    ("name", "last"), [(name, last) for name in CASES for last in CHANNELS_LAST.get(name, (False,))]
)
def test_agrees_with_float64(name: str, last: bool) -> None:
    case = dict(CASES[name])
    x, w = drawn(2, case["w"][0], 7, 6, last=last), drawn(*case.pop("w"))
    op = op_of(x, CASES[name])
    b, residual = drawn(op.k), drawn(*op.output_shape(), last=last)
    out = np.full_like(residual, np.nan)
    epilogue = tracea.Residual(residual) | tracea.ReLU()
    assert ops.conv_transpose2d(x, w, b, **case, out=out, epilogue=epilogue) is out
    problem, given = stated(op, last), ([x, w], [b, residual])
    assert agrees(out, reference(problem, *given), tolerance(problem, *given)).all()


def test_results_lie_as_images_do() -> None:
    got = ops.conv_transpose2d(drawn(1, 5, 4, 4, last=True), drawn(5, 6, 2, 2), stride=2)
    assert got.shape == (1, 6, 8, 8) and got.strides[1] == got.itemsize
    assert ops.conv_transpose2d(np.zeros((0, 5, 4, 4), np.float32), drawn(5, 6, 2, 2)).shape == (0, 6, 5, 5)


def test_a_residual_may_be_the_output_itself() -> None:
    x, w, out = drawn(1, 5, 4, 4), drawn(5, 6, 2, 2), drawn(1, 6, 8, 8)
    wanted = out + ops.conv_transpose2d(x, w, stride=2)
    ops.conv_transpose2d(x, w, stride=2, out=out, epilogue=tracea.Residual(out))
    np.testing.assert_allclose(out, wanted, atol=1e-5)


def test_bad_input_is_named() -> None:
    x, w = drawn(1, 5, 4, 4), drawn(5, 6, 2, 2)
    with pytest.raises(OptionError, match="output_padding"):
        ops.conv_transpose2d(x, w, output_padding=1)
    with pytest.raises(OptionError, match="stride") as refused:
        ops.conv_transpose2d(x, w, stride="2")
    assert "conv_transpose2d" in str(refused.value)
    with pytest.raises(ShapeError):
        ops.conv_transpose2d(x, w[:4])
    with pytest.raises(ShapeError, match="takes x of shape"):
        ops.conv_transpose2d(x[0], w)
    with pytest.raises(UnsupportedError, match="convolutions"):
        ops.conv_transpose2d(x, w, stride=5)


def test_on_a_gpu_every_phase_is_certified() -> None:
    problem = stated(ConvTranspose2dOp(2, 32, 9, 7, 48, 3, 3, (1, 2), (1, 1), (0, 1), dtype=DType.FP16), True)
    path = trace(problem, preset="a100", backend="cuda")
    assert [phase.shifts["output"] > 0 for phase, _ in path.phases] == [False, True]
    assert all(part.certificate.kernel == part.kernel.digest() for _, part in path.phases)
    assert path.problem.flops() > path.choice.problem.flops() == max(part.problem.flops() for _, part in path.phases)

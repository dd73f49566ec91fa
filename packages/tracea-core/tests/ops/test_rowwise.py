# SPDX-License-Identifier: MIT
"""Softmax and norms against PyTorch, and their edges."""

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp


def rows(*shape):
    return 3 * np.random.default_rng(5).standard_normal(shape)


@pytest.mark.parametrize("log", [False, True])
def test_softmax_agrees_with_torch(log):
    torch = pytest.importorskip("torch")
    op = SoftmaxOp((2, 3, 7), log=log, scale=0.5)
    x = rows(2, 3, 7)
    function = torch.log_softmax if log else torch.softmax
    np.testing.assert_allclose(op.reference(x), function(torch.tensor(0.5 * x), dim=-1).numpy(), atol=1e-14)
    assert SoftmaxOp.from_json(op.to_json()) == op
    assert (op.flops(), op.bytes(), op.reduction_length()) == (5 * 42, 2 * 4 * 42, 7)


def test_softmax_of_huge_and_masked_values():
    op = SoftmaxOp((3, 2))
    x = np.array([[1000.0, 1000.0], [-np.inf, 0.0], [-np.inf, -np.inf]])
    np.testing.assert_array_equal(op.reference(x), [[0.5, 0.5], [0.0, 1.0], [np.nan, np.nan]])


@pytest.mark.parametrize("kind", NormKind)
@pytest.mark.parametrize(("weight", "bias"), [(False, False), (True, False), (False, True), (True, True)])
def test_norms_agree_with_torch(kind, weight, bias):
    torch = pytest.importorskip("torch")
    op = NormOp((4, 9), kind, eps=1e-3, weight=weight, bias=bias)
    inputs = [rows(*shape) for shape in op.input_shapes()]
    rest = [torch.tensor(array) for array in inputs[1:]]
    w = rest.pop(0) if weight else None
    b = rest.pop(0) if bias else None
    x = torch.tensor(inputs[0])
    if kind is NormKind.LAYER:
        expected = torch.nn.functional.layer_norm(x, (9,), w, b, eps=1e-3)
    else:
        expected = torch.nn.functional.rms_norm(x, (9,), w, eps=1e-3) + (b if b is not None else 0)
    np.testing.assert_allclose(op.reference(*inputs), expected.numpy(), atol=1e-12)
    assert NormOp.from_json(op.to_json()) == op
    assert op.bytes() == 4 * (72 + 9 * (weight + bias))


@pytest.mark.parametrize("eps", [1e-12, 10.0])
def test_unit_lengths_agree_with_torch(eps):
    torch = pytest.importorskip("torch")
    op = NormalizeOp((4, 9), eps)
    x = rows(4, 9)
    x[1] = 0.0
    expected = torch.nn.functional.normalize(torch.tensor(x), dim=-1, eps=eps).numpy()
    np.testing.assert_allclose(op.reference(x), expected, atol=1e-14)
    assert NormalizeOp.from_json(op.to_json()) == op
    assert (op.flops(), op.bytes(), op.reduction_length()) == (3 * 36, 2 * 4 * 36, 9)


def test_work_of_norms_grows_with_what_they_do():
    assert NormOp((2, 3), weight=False).flops() == 18
    assert NormOp((2, 3), NormKind.LAYER, bias=True).flops() == 42


@pytest.mark.parametrize(
    "op", [SoftmaxOp((0, 4)), SoftmaxOp((4, 0)), NormOp((0, 4)), NormOp((4, 0), NormKind.LAYER, bias=True)]
)
def test_empty(op):
    assert op.reference(*(np.zeros(shape) for shape in op.input_shapes())).shape == op.output_shape()
    assert op.flops() == 0


@pytest.mark.parametrize(
    ("error", "build"),
    [
        (ShapeError, lambda: SoftmaxOp(())),
        (ShapeError, lambda: SoftmaxOp([3])),
        (ShapeError, lambda: SoftmaxOp((2**62, 4))),
        (OptionError, lambda: SoftmaxOp((3,), scale=float("nan"))),
        (DTypeError, lambda: SoftmaxOp((3,), dtype=DType.INT8)),
        (OptionError, lambda: NormalizeOp((3,), eps=0.0)),
        (DTypeError, lambda: NormalizeOp((3,), dtype=DType.INT8)),
        (OptionError, lambda: NormOp((3,), eps=0.0)),
        (OptionError, lambda: NormOp((3,), eps=-1e-5)),
        (OptionError, lambda: NormOp((3,), eps=float("inf"))),
        (OptionError, lambda: NormOp((3,), "layer")),
        (DTypeError, lambda: NormOp((3,), dtype=DType.INT32)),
        (ShapeError, lambda: NormOp((3,)).reference(np.zeros(3))),
    ],
)
def test_bad_options(error, build):
    with pytest.raises(error):
        build()

# SPDX-License-Identifier: MIT
"""ops.conv2d by minimal filtering: by default, asked for and refused; within its bound where that of products would be exceeded."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.pipeline.path import ways_of
from tracea_core.plugin.select import resolve

import tracea
from tracea import ops
from tracea.dispatch import forget_plans
from tracea.ops.filtering import by_default

_OP = Conv2dOp(2, 16, 14, 13, 24, 3, 3, padding=(1, 1))


def _problem(allowed: bool) -> Problem:
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*_OP.input_shapes(), _OP.output_shape())]
    options = Options(allow_winograd=True) if allowed else Options()
    return Problem(_OP, (specs[0], specs[1]), specs[2], options=options)


def test_results_are_within_the_bound_of_what_was_allowed() -> None:
    random = np.random.default_rng(1)
    x, w = (random.standard_normal(shape).astype(np.float32) for shape in _OP.input_shapes())
    x[:, :, ::3, ::3] *= 1e6  # large pixels among small ones, which sums of pixels do not keep apart
    w[:, :, ::2, ::2] = 0.0
    exact = reference(_problem(False), [x, w])
    plain, turned = ops.conv2d(x, w, padding=1), ops.conv2d(x, w, padding=1, allow_winograd=True)
    assert agrees(plain, exact, tolerance(_problem(False), [x, w])).all()
    assert agrees(turned, exact, tolerance(_problem(True), [x, w])).all()
    assert not np.array_equal(plain, turned)  # another kernel
    assert not agrees(turned, exact, tolerance(_problem(False), [x, w])).all()  # which is why it has to be allowed


def test_a_schedule_that_was_not_allowed_is_not_taken() -> None:
    selection = resolve(None, "cpu", "avx512")
    chosen = [ways_of(_problem(allowed), selection)[1][0].choice.variant.schedule for allowed in (False, True)]
    assert chosen == ["panel", "winograd"]


def test_gradients_are_refused() -> None:
    with pytest.raises(OptionError, match="no gradients flow through allow_winograd"):
        ops.conv2d(torch.zeros(1, 16, 8, 8, requires_grad=True), torch.zeros(16, 16, 3, 3), allow_winograd=True)


_X, _W = (
    np.random.default_rng(2).standard_normal(shape).astype(np.float32) for shape in ((4, 64, 32, 32), (64, 64, 3, 3))
)
"""A layer that repays it, on up to 128 processors."""


@pytest.fixture
def windows() -> np.ndarray:
    return ops.conv2d(_X, _W, padding=1, allow_winograd=False)


def test_calls_that_say_nothing_take_it_and_are_held_to_its_bound(windows: np.ndarray) -> None:
    op = Conv2dOp(4, 64, 32, 32, 64, 3, 3, padding=(1, 1))
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    problem = by_default(Problem(op, (specs[0], specs[1]), specs[2]), "cpu")
    assert problem.options.allow_winograd is True
    result = ops.conv2d(_X, _W, padding=1)
    np.testing.assert_array_equal(result, ops.conv2d(_X, _W, padding=1, allow_winograd=True))
    assert not np.array_equal(result, windows)
    assert agrees(result, reference(problem, [_X, _W]), tolerance(problem, [_X, _W])).all()


def test_other_devices_are_never_asked() -> None:
    problem = _problem(False)
    assert by_default(problem, "cuda:0") is problem
    assert by_default(problem, preset="h200") is problem


def test_the_environment_refuses_it(monkeypatch: pytest.MonkeyPatch, windows: np.ndarray) -> None:
    monkeypatch.setenv("TRACEA_ALLOW_WINOGRAD", "0")
    forget_plans()
    try:
        np.testing.assert_array_equal(ops.conv2d(_X, _W, padding=1), windows)
        np.testing.assert_array_equal(ops.conv2d(torch.from_numpy(_X), torch.from_numpy(_W), padding=1), windows)
    finally:
        forget_plans()


def test_torch_tensors_take_it_with_gradients_too_and_refuse_it_with_them(windows: np.ndarray) -> None:
    x, w = torch.from_numpy(_X), torch.from_numpy(_W).requires_grad_()
    usual = torch.from_numpy(ops.conv2d(_X, _W, padding=1))
    result, plain = ops.conv2d(x, w, padding=1), ops.conv2d(x, w, padding=1, allow_winograd=False)
    assert torch.equal(result, usual)
    assert torch.equal(plain, torch.from_numpy(windows))
    assert torch.equal(ops.conv2d(x, w, padding=1), usual)  # a refusal is over with its call
    out = torch.empty_like(plain)
    with torch.no_grad():
        assert torch.equal(ops.conv2d(x, w, padding=1, out=out, allow_winograd=False), plain)
        assert torch.equal(ops.conv2d(x, w, padding=1, out=out), usual)
    exact = torch.autograd.grad(torch.nn.functional.conv2d(x.double(), w.double(), padding=1).square().sum(), w)[0]
    for y in (result, plain):
        got = torch.autograd.grad(y.square().sum(), w)[0]
        torch.testing.assert_close(got, exact.to(got.dtype), rtol=1e-4, atol=1e-1)


def test_modules_take_it_and_refuse_it_also_where_they_are_compiled() -> None:
    plain = torch.nn.Conv2d(64, 64, 3, padding=1)
    x = torch.from_numpy(_X)
    with torch.no_grad():
        usual, alone = (
            ops.conv2d(x, plain.weight, plain.bias, padding=1),
            ops.conv2d(x, plain.weight, plain.bias, padding=1, allow_winograd=False),
        )
        assert torch.equal(tracea.TraceaConv2d.from_module(plain)(x), usual)
        refusing = tracea.TraceaConv2d.from_module(plain, allow_winograd=False)
        assert torch.equal(refusing(x), alone)
        assert "allow_winograd=False" in repr(refusing)
        with tracea.patch_conv2d():
            assert torch.equal(plain(x), usual)
        refusing.compile(backend="eager")  # breaks the graph
        assert torch.equal(refusing(x), alone)
    torch._dynamo.reset()


def test_infinite_pixels_reach_the_results_that_see_them_and_no_others(windows: np.ndarray) -> None:
    x = _X.copy()
    x[0, 3, 7, 8] = np.inf
    seen = np.zeros(windows.shape, bool)
    seen[0, :, 6:9, 7:10] = True
    result = ops.conv2d(x, _W, padding=1)
    assert not np.isfinite(result[seen]).any()
    assert np.isnan(result[seen]).any()  # where windows have infinities
    np.testing.assert_array_equal(result[~seen], ops.conv2d(_X, _W, padding=1)[~seen])

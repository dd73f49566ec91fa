# SPDX-License-Identifier: MIT
"""ops.conv2d with allow_winograd: within its bound where that of products would be exceeded, refused with gradients, and never unasked."""

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

from tracea import ops

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

# SPDX-License-Identifier: MIT
"""Tensors without data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, ShapeError
from tracea_core.ops.spec import TensorSpec


@given(st.lists(st.integers(0, 5), max_size=4))
def test_contiguous_is_what_numpy_calls_so(shape):
    spec = TensorSpec.contiguous(tuple(shape), DType.FP32)
    array = np.zeros(shape, np.float32)
    assert (spec.rank, spec.size, spec.bytes) == (array.ndim, array.size, array.nbytes)
    assert spec.is_contiguous
    if array.size:
        assert spec.strides == tuple(stride // 4 for stride in array.strides)
    assert TensorSpec.from_json(spec.to_json()) == spec


def test_transposed_is_not_contiguous_unless_it_makes_no_difference():
    assert not TensorSpec((2, 3), DType.FP32, (1, 2)).is_contiguous
    assert TensorSpec((1, 3), DType.FP32, (77, 1)).is_contiguous
    assert not TensorSpec((2, 3), DType.FP32, (0, 1)).is_contiguous


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ShapeError, ((2, 3), DType.FP32, (1,))),
        (ShapeError, ((2, -3), DType.FP32, (3, 1))),
        (ShapeError, ((2**31, 2**31), DType.FP32, (2**31, 1))),
        (ShapeError, ((2, 2), DType.FP64, (2**60, 1))),
        (DTypeError, ((2,), "fp32", (1,))),
    ],
)
def test_bad_tensors(error, arguments):
    with pytest.raises(error):
        TensorSpec(*arguments)


def test_an_empty_tensor_may_have_any_extent():
    assert TensorSpec((0, 2**62), DType.FP32, (2**62, 1)).size == 0

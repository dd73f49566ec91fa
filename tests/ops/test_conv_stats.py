# SPDX-License-Identifier: MIT
"""`ops.conv2d_stats` on NumPy arrays: mean and variance of what it returns, whatever the mean; refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import OptionError, UnsupportedError

from tracea import Gelu, ReLU, ops

RANDOM = np.random.default_rng(0)
X, W, B = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((3, 4, 8, 7), (9, 4, 3, 3), (9,)))


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("offset", [0.0, 300.0])
def test_statistics_are_those_of_the_result(offset: float, stride: int) -> None:
    y, mean, variance = ops.conv2d_stats(X, W, B + np.float32(offset), stride, 1, epilogue=ReLU() if offset else None)
    expected = ops.conv2d(X, W, B + np.float32(offset), stride, 1, epilogue=ReLU() if offset else None)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    assert mean.dtype == variance.dtype == np.float32 and mean.shape == variance.shape == (9,)
    wide = y.astype(np.float64)
    rounding = 168 * 2.0**-24 * np.ptp(wide)  # of the sums of a block, each of which is added in single precision
    np.testing.assert_allclose(mean, wide.mean((0, 2, 3)), rtol=1e-6, atol=rounding)
    np.testing.assert_allclose(variance, wide.var((0, 2, 3)), rtol=1e-4)


def test_without_pixels_there_are_no_statistics() -> None:
    y, mean, variance = ops.conv2d_stats(X[:0], W)
    assert y.shape == (0, 9, 6, 5) and np.isnan(mean).all() and np.isnan(variance).all()


def test_what_no_kernel_sums_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="one group"):
        ops.conv2d_stats(X, W[:8, :2], groups=2)
    with pytest.raises(UnsupportedError, match="sums, products and comparisons"):
        ops.conv2d_stats(X, W, epilogue=Gelu())
    with pytest.raises(OptionError, match="unknown"):
        ops.conv2d_stats(X, W, fallback="maybe")

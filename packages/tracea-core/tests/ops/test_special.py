# SPDX-License-Identifier: MIT
"""erf against the C library's, everywhere it bends."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.ops.special import erf


def test_erf_is_within_its_bound_on_a_fine_grid() -> None:
    x = np.linspace(-7, 7, 200_001)
    expected = np.array([math.erf(value) for value in x])
    assert np.abs(erf(x) - expected).max() <= 1e-15


@given(st.floats(allow_nan=False))
def test_erf_of_any_number(x: float) -> None:
    assert abs(float(erf(x)) - math.erf(x)) <= 1e-15
    assert float(erf(-x)) == -float(erf(x))


def test_erf_of_special_values_and_shapes() -> None:
    assert np.isnan(erf([np.nan])).all()
    assert erf([np.inf, -np.inf]).tolist() == [1.0, -1.0]
    assert math.copysign(1, float(erf(-0.0))) == -1
    assert erf(np.zeros((0, 3))).shape == (0, 3)
    assert erf(np.ones((2, 3))[::-1, ::2]).shape == (2, 2)
    tiny = 2.0**-1000
    assert float(erf(tiny)) == 2 / math.sqrt(math.pi) * tiny

# SPDX-License-Identifier: MIT
"""The error function on whole arrays, because NumPy has none and calling `math.erf` per element is slow.

Around each point x₀ of a grid, erf is its Taylor series. With f = erf, f' = (2/√π)·exp(−x²) and f'' = −2x·f', so the
coefficients aₙ = f⁽ⁿ⁾(x₀)/n! follow (n + 1)·aₙ₊₁ = −2·x₀·aₙ − 2·((n − 1)/n)·aₙ₋₁: no table of magic numbers is needed.
The grid spacing is 1/32, so |x − x₀| ≤ 1/64 and the first term left out is below 2⁻⁵⁴.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

_PER_UNIT = 32  # grid points per unit
_LAST = 6.0  # 1 − erf(6) = 2.2e-17 is below half the spacing of 1.0
_TERMS = 9
_BLOCK = 1 << 14  # elements worked on at once, so that temporaries stay in cache


@functools.cache
def _coefficients() -> npt.NDArray[np.float64]:
    """Return the Taylor coefficients, one row for each power and one column for each grid point."""
    grid = np.arange(int(_LAST * _PER_UNIT) + 1) / _PER_UNIT
    rows = [np.array([math.erf(x) for x in grid]), 2 / math.sqrt(math.pi) * np.exp(-grid * grid)]
    for n in range(1, _TERMS - 1):
        rows.append((-2 * grid * rows[n] - 2 * (n - 1) / n * rows[n - 1]) / (n + 1))
    return np.array(rows)


def erf(x: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return erf of each element with an absolute error of at most 1e-15.

    Parameters
    ----------
    x : array_like
        Real numbers; infinities give ±1, NaN gives NaN.

    Returns
    -------
    ndarray of float64
        Of the shape of `x`.
    """
    array = np.asarray(x, np.float64)
    flat = array.reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        part = flat[start : start + _BLOCK]
        result[start : start + _BLOCK] = _erf_block(part)
    return result.reshape(array.shape)


def _erf_block(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    magnitude = np.fmin(np.abs(x), _LAST)  # fmin: a NaN becomes an index, too, and is put back below
    place = np.rint(magnitude * _PER_UNIT).astype(np.intp)
    offset = magnitude - place / _PER_UNIT
    table = _coefficients()
    value = table[-1].take(place)
    for row in table[-2::-1]:
        value *= offset
        value += row.take(place)
    return np.where(np.isnan(x), x, np.copysign(value, x))

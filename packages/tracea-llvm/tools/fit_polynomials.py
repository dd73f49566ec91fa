# SPDX-License-Identifier: MIT
"""Fit the polynomials of `tracea_llvm.math`: least squares on Chebyshev nodes in 50 digits, close to minimax.

Run it to print the coefficients, lowest power first (needs mpmath). Each fit is of a function that is smooth on its
interval:

- exp: (e^r - 1 - r)/r² on |r| ≤ ln 2 / 2
- log: (log(1 + f) - f + f²/2)/f³ on √½ - 1 ≤ f ≤ √2 - 1
- tanh: (tanh(x)/x - 1)/x² as a polynomial in x² on |x| ≤ 0.625
- erf: erf(x)/x as a polynomial in x² on |x| ≤ 1, and log(erfc(x)) beyond it, weighted by erfc(x), up to where erf rounds
  to 1
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp

mp.mp.dps = 50

Number = mp.mpf
Function = Callable[[Number], Number]


def nodes(low: Number, high: Number, count: int) -> tuple[list[Number], list[Number]]:
    """Return `count` Chebyshev nodes of [low, high], and the same of [-1, 1]."""
    scaled = [mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    return [(low + high) / 2 + (high - low) / 2 * s for s in scaled], scaled


def powers(series: list[Number], low: Number, high: Number) -> list[Number]:
    """Return the coefficients of 1, x, x², … of a Chebyshev series on [low, high]."""
    middle, half = (low + high) / 2, (high - low) / 2
    total = [mp.mpf(0)] * len(series)
    term, following = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for coefficient in series:
        for power, c in enumerate(term):
            total[power] += coefficient * c
        beyond = [mp.mpf(0)] + [2 * c for c in following]
        for power, c in enumerate(term):
            beyond[power] -= c
        term, following = following, beyond
    shifted = [mp.mpf(0)] * len(series)
    for power, c in enumerate(total):
        for k in range(power + 1):
            shifted[k] += c * mp.binomial(power, k) * (-middle) ** (power - k) / half**power
    return shifted


def fit(
    function: Function, low: Number, high: Number, degree: int, weight: Function = lambda x: mp.mpf(1)
) -> list[Number]:
    """Return the weighted least-squares polynomial on 8·(degree + 1) nodes."""
    x, scaled = nodes(low, high, 8 * (degree + 1))
    rows = mp.matrix([[weight(t) * mp.chebyt(j, s) for j in range(degree + 1)] for t, s in zip(x, scaled, strict=True)])
    return powers(list(mp.lu_solve(rows, mp.matrix([weight(t) * function(t) for t in x]))), low, high)


def near_zero(function: Function, series: Function) -> Function:
    """Return `function`, with `series` where its formula divides 0 by 0."""
    return lambda x: series(x) if abs(x) < mp.mpf("1e-8") else function(x)


def erf_ratio(z: Number) -> Number:
    """erf(x)/x of z = x²."""
    return mp.erf(mp.sqrt(z)) / mp.sqrt(z)


def tanh_ratio(z: Number) -> Number:
    """tanh(x)/x of z = x²."""
    return mp.tanh(mp.sqrt(z)) / mp.sqrt(z)


_LN2 = mp.log(2)
EXP = near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: mp.mpf(1) / 2 + r / 6)
LOG = near_zero(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, lambda f: mp.mpf(1) / 3 - f / 4)
TANH = near_zero(lambda z: (tanh_ratio(z) - 1) / z, lambda z: -mp.mpf(1) / 3 + 2 * z / 15)
ERF = near_zero(erf_ratio, lambda z: 2 / mp.sqrt(mp.pi) * (1 - z / 3))
FITS: dict[str, tuple[Function, dict[str, tuple[Number, Number, int]]]] = {
    "EXP": (EXP, {"float": (-_LN2 / 2, _LN2 / 2, 4), "double": (-_LN2 / 2, _LN2 / 2, 10)}),
    "LOG": (LOG, {"float": (mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 7), "double": (mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 19)}),
    "TANH": (TANH, {"float": (0, mp.mpf("0.390625"), 4), "double": (0, mp.mpf("0.390625"), 13)}),
    "ERF": (ERF, {"float": (0, 1, 6), "double": (0, 1, 12)}),
    "LOG_ERFC": (lambda x: mp.log(mp.erfc(x)), {"float": (1, mp.mpf("3.93"), 6), "double": (1, mp.mpf("5.93"), 18)}),
}
WEIGHTS: dict[str, Function] = {"LOG_ERFC": mp.erfc}


def coefficients(name: str, element: str) -> tuple[float, ...]:
    """Return one fit as `tracea_llvm.math` writes it: 10 digits for float, 19 for double."""
    function, kinds = FITS[name]
    low, high, degree = kinds[element]
    found = fit(function, mp.mpf(low), mp.mpf(high), degree, WEIGHTS.get(name, lambda x: mp.mpf(1)))
    return tuple(float(mp.nstr(c, 10 if element == "float" else 19)) for c in found)


def main() -> None:
    """Print every fit, with its largest weighted error on the interval as written."""
    for name, (function, kinds) in FITS.items():
        weight = WEIGHTS.get(name, lambda x: mp.mpf(1))
        for element, (low, high, _) in kinds.items():
            found = coefficients(name, element)
            places = [low + mp.mpf(high - low) * i / 999 for i in range(1000)]
            worst = max(abs(weight(x) * (mp.polyval(found[::-1], x) - function(x))) for x in places)
            print(f"{name}[{element}] = {found}  # error {mp.nstr(worst, 3)}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Fit the polynomials of `tracea_cpu.math`: weighted least squares on Chebyshev nodes in 60 digits, close to minimax.

Run it to print the coefficients, lowest power first (needs mpmath). Each fit is of a function that is smooth on its interval:

- exp: (e^r − 1 − r)/r² on |r| ≤ ln 2 / 2
- log: (log(1 + f) − f + f²/2)/f³ on √½ − 1 ≤ f ≤ √2 − 1
- tanh: (tanh(x)/x − 1)/x² as a polynomial in x² on |x| ≤ 0.625
- erf: (erf(x)/x) as a polynomial in x² on |x| ≤ 1, and erfc(x)·e^(x²) in t = 1/(1 + x/2) beyond it, so that
  erf(x) = 1 − e^(−x²)·P(t)
"""

import mpmath as mp

mp.mp.dps = 60


def fit(function, low, high, degree, weight=lambda x: mp.mpf(1)):
    """Return the coefficients (lowest first) of the weighted least-squares polynomial on 8·degree Chebyshev nodes."""
    count = 8 * (degree + 1)
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    scaled = [(x - middle) / half for x in nodes]
    rows = mp.matrix(count, degree + 1)
    right = mp.matrix(count, 1)
    for i, (x, s) in enumerate(zip(nodes, scaled, strict=True)):
        w = weight(x)
        for j in range(degree + 1):
            rows[i, j] = w * mp.chebyt(j, s)
        right[i] = w * function(x)
    solution = mp.lu_solve(rows, right)
    total = mp.matrix(degree + 1, 1)
    previous, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for j in range(degree + 1):
        terms = previous if j == 0 else current
        for power, c in enumerate(terms):
            total[power] += solution[j] * c
        if j:
            following = [mp.mpf(0)] + [2 * c for c in current]
            for power, c in enumerate(previous):
                following[power] -= c
            previous, current = current, following
    shifted = [mp.mpf(0)] * (degree + 1)
    for power in range(degree + 1):
        for k in range(power + 1):
            shifted[k] += total[power] * mp.binomial(power, k) * (-middle) ** (power - k) / half**power
    return shifted


def _scaled(function, series, limit=mp.mpf("1e-8")):
    return lambda x: series(x) if abs(x) < limit else function(x)


ln2 = mp.log(2)
FITS = {
    "exp": (_scaled(lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: mp.mpf(1) / 2 + r / 6), -ln2 / 2, ln2 / 2, {"fp32": 4, "fp64": 10}),
    "log": (
        _scaled(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, lambda f: mp.mpf(1) / 3 - f / 4),
        mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, {"fp32": 7, "fp64": 19},
    ),
    "tanh": (
        _scaled(lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, lambda z: -mp.mpf(1) / 3 + 2 * z / 15),
        mp.mpf(0), mp.mpf("0.390625"), {"fp32": 4, "fp64": 13},
    ),
    "erf": (
        _scaled(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z), lambda z: 2 / mp.sqrt(mp.pi) * (1 - z / 3)),
        mp.mpf(0), mp.mpf(1), {"fp32": 6, "fp64": 12},
    ),
    "erfcx": (
        lambda t: mp.erfc(2 / t - 2) * mp.exp((2 / t - 2) ** 2), 1 / (1 + mp.mpf(6) / 2), 1 / (1 + mp.mpf(1) / 2),
        {"fp32": 7, "fp64": 18},
    ),
}  # fmt: skip

if __name__ == "__main__":
    for name, (function, low, high, degrees) in FITS.items():
        for kind, degree in degrees.items():
            coefficients = fit(function, low, high, degree)
            print(f"{name} {kind} = ({', '.join(mp.nstr(c, 10 if kind == 'fp32' else 19) for c in coefficients)})")
            worst = max(
                abs(mp.polyval(coefficients[::-1], x) - function(x))
                for x in (low + (high - low) * mp.mpf(i) / 999 for i in range(1000))
            )
            print(f"    largest error {mp.nstr(worst, 3)}")

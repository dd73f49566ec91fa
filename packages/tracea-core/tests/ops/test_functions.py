# SPDX-License-Identifier: MIT
"""Each function means the same on a symbol, on arrays and on numbers."""

import math

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops import functions as fn
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.printing import text
from tracea_core.ops.trace import trace

ONE_ARGUMENT = sorted(set(fn.__all__) - {"cast", "where", "pow", "maximum", "minimum", "clamp"})


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_symbols_and_arrays_agree(name: str) -> None:
    function = getattr(fn, name)
    x = np.linspace(0.1, 4, 50) if name in ("log", "sqrt", "rsqrt") else np.linspace(-4, 4.01, 81)
    traced = trace(function)
    assert traced.epilogue.label == name
    assert np.allclose(evaluate(traced.epilogue.expr, [x]), function(x), rtol=1e-13)
    assert np.allclose(function(float(x[3])), function(x)[3], rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("sigmoid", 1.0, 1 / (1 + math.exp(-1))),
        ("silu", 1.0, 1 / (1 + math.exp(-1))),
        ("gelu", 1.0, 0.8413447460685429),
        ("softplus", 0.0, math.log(2)),
        ("softplus", 30.0, 30.0),
        ("mish", 1.0, math.tanh(math.log(1 + math.e))),
        ("elu", -1.0, math.exp(-1) - 1),
        ("leaky_relu", -2.0, -0.02),
        ("hardswish", 1.0, 2 / 3),
        ("relu6", 9.0, 6.0),
        ("sign", -3.0, -1.0),
        ("rsqrt", 4.0, 0.5),
        ("rint", 2.5, 2.0),
    ],
)
def test_known_values(name: str, x: float, expected: float) -> None:
    assert float(getattr(fn, name)(x)) == pytest.approx(expected, rel=1e-12)


def test_nan_spreads_through_every_activation() -> None:
    for name in ("relu", "relu6", "gelu", "silu", "sigmoid", "tanh", "sign", "hardswish", "elu", "leaky_relu"):
        assert np.isnan(evaluate(trace(getattr(fn, name)).epilogue.expr, [[np.nan]])).all(), name


def test_casts_choices_and_powers() -> None:
    assert text(trace(lambda x: fn.cast(x * 10, DType.INT8)).epilogue.expr) == "int8(acc * 10)"
    assert fn.cast(300.0, "int8") == 127
    assert fn.where(np.array([True, False]), 1.0, 2.0).tolist() == [1.0, 2.0]
    assert fn.pow(2.0, 3) == 8.0
    assert text(trace(lambda x: fn.pow(x, 5)).epilogue.expr) == "acc * acc * (acc * acc) * acc"
    assert text(trace(lambda x: x**0.5 + x**-0.5).epilogue.expr) == "sqrt(acc) + rsqrt(acc)"
    assert text(trace(lambda x: x**0).epilogue.expr) == "1"


def test_wrong_parameters_are_refused() -> None:
    for call in (lambda: fn.softplus(1.0, beta=0), lambda: fn.clamp(1.0), lambda: fn.gelu(1.0, "fast")):
        with pytest.raises(OptionError):
            call()

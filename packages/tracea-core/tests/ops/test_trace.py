# SPDX-License-Identifier: MIT
"""Traced functions compute what the function computes; what cannot be traced is refused with a way out."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import OptionError
from tracea_core.ops import functions as fn
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.trace import trace

X = np.linspace(-4, 4.01, 81)
B = np.cos(np.arange(81.0))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.tanh(x) * B,
        lambda x: B - x / 3,
        lambda x: np.where(x > B, x, B),
        lambda x: np.clip(x, -1, 1),
        lambda x: np.maximum(x, 0) + np.float32(2) * np.sqrt(abs(x)),
        lambda x: ((x > 0) & (x < 2) | (x < -3)) * x,
        lambda x: np.logical_or(x > 1, x < -1) * x,
        lambda x: np.where(~(x <= 1), x, 2.0),
        lambda x: x**3 - x**2 + x**-2.0,
        lambda x: np.power(x, 4),
        lambda x: np.sign(x) * np.exp(-abs(x)),
        lambda x: x // 2 + x % 3,
        lambda x: np.expm1(x / 8) + np.log1p(x * x) - np.exp2(-x),
        lambda x: +x - (-x) + np.rint(x) * np.floor(x),
        lambda x: 2 / (3 + x * x) - 1,
        lambda x: (x == B) + (x != 0) * (x >= 1),
        lambda x: np.negative(np.square(np.subtract(x, 1))),
    ],
)
def test_numpy_functions(function: Callable[[Any], Any]) -> None:
    traced = trace(function)
    assert np.allclose(evaluate(traced.epilogue.expr, [X], traced.operands), function(X), rtol=1e-12, atol=1e-13)


def torch_functions() -> dict[str, Callable[[Any], Any]]:
    torch = pytest.importorskip("torch")
    f = torch.nn.functional
    t = torch.as_tensor(B)
    return {
        "relu": lambda x: torch.relu(x) * 2,
        "gelu": f.gelu,
        "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"),
        "silu": f.silu,
        "sigmoid": torch.sigmoid,
        "softplus": lambda x: f.softplus(x, beta=2.0, threshold=3.0),
        "leaky_relu": lambda x: f.leaky_relu(x, 0.2),
        "elu": f.elu,
        "hardswish": f.hardswish,
        "hardsigmoid": f.hardsigmoid,
        "mish": f.mish,
        "relu6": f.relu6,
        "hardtanh": lambda x: f.hardtanh(x, -0.5, 2.0),
        "clamp": lambda x: torch.clamp(x, min=-1, max=2),
        "methods": lambda x: x.clamp(max=2).tanh().mul(3).add(1),
        "where": lambda x: torch.where(x > 0, x, x * 0.1),
        "tensor": lambda x: t - x * t,
        "alpha": lambda x: torch.add(x, t, alpha=2) - torch.rsub(x, t),
        "maximum": lambda x: torch.maximum(x, t),
        "div": lambda x: torch.div(x, 3, rounding_mode="floor"),
        "erf": lambda x: torch.erf(x) + torch.rsqrt(torch.exp(x)) + torch.reciprocal(x * x + 1),
    }


@pytest.mark.parametrize("name", [
    "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "softplus", "leaky_relu", "elu", "hardswish", "hardsigmoid", "mish", "relu6",
    "hardtanh", "clamp", "methods", "where", "tensor", "alpha", "maximum", "div", "erf",
])  # fmt: skip
def test_torch_functions(name: str) -> None:
    torch = pytest.importorskip("torch")
    function = torch_functions()[name]
    traced = trace(function)
    expected = np.asarray(function(torch.as_tensor(X)))
    actual = evaluate(traced.epilogue.expr, [X], [np.asarray(array) for array in traced.operands])
    assert np.allclose(actual, expected, rtol=1e-12, atol=1e-13)


def test_arrays_from_outside_become_operands_once() -> None:
    scalar, full = np.ones((1, 1)), np.ones((3, 81))
    traced = trace(lambda x: (x * B + B) * scalar + full)
    assert [operand.axes for operand in traced.epilogue.operands] == [
        OperandAxes.COLUMN,
        OperandAxes.SCALAR,
        OperandAxes.FULL,
    ]
    assert traced.operands[0] is B


def test_two_values_make_a_gate() -> None:
    traced = trace(lambda gate, up: fn.silu(gate) * up)
    assert traced.epilogue.gated
    assert np.allclose(evaluate(traced.epilogue.expr, [X, B]), X / (1 + np.exp(-X)) * B)


def test_tracing_twice_gives_one_value() -> None:
    def function(x: Any) -> Any:
        return fn.gelu(x) * 2 + 1

    assert trace(function).epilogue == trace(function).epilogue
    assert trace(function).epilogue.to_json() == trace(function).epilogue.to_json()


def endless(x: Any) -> Any:
    for _ in range(500):
        x = x * 1.5 + 1
    return x


def wide(x: Any) -> Any:
    for _ in range(13):
        x = x * x
    return x


counter = itertools.count()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: B if x > 0 else 0, "where.*elementwise"),
        (lambda x: max(x + B, 0), "maximum"),
        (lambda x: x + B and 1, "where"),
        (lambda x: math.exp(x + B), "functions"),
        (lambda x: B * int(x), "functions"),
        (lambda x: x * next(counter), "each time"),
        (lambda x: x + np.ones(3), "create arrays outside"),
        (lambda x: np.sum(x), "sum cannot be traced"),
        (lambda x: np.add.reduce(x), "across elements"),
        (lambda x: x[0], "one element at a time"),
        (lambda x: list(x), "one element at a time"),
        (lambda x: x @ B, "one element at a time"),
        (lambda x: None, "neither a real number nor an array"),
        (lambda x: "x", "neither a real number nor an array"),
        (lambda x: x + 1j, "neither a real number nor an array"),
        (lambda x: x.frobnicate(), "no frobnicate"),
        (lambda x: 1 / 0, "ZeroDivisionError"),
        (lambda x: x * math.inf, "finite"),
        (lambda x: x**2.5, "constant exponent"),
        (lambda x: 2**x, "TypeError"),
        (lambda x: fn.gelu(x, "fast"), "approximation"),
        (lambda x: np.clip(x, None, None), "bound"),
        (lambda a, b, c: a, "takes 3 values"),
        (lambda: 1, "takes 0 values"),
        (endless, "deep"),
        (wide, "nodes"),
    ],
)
def test_what_cannot_be_traced_is_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        trace(function)


def test_torch_functions_without_a_node_are_refused() -> None:
    torch = pytest.importorskip("torch")
    for function in (torch.sum, torch.nn.functional.dropout, torch.det):
        with pytest.raises(OptionError, match="cannot be traced"):
            trace(lambda x, function=function: function(x))


def test_values_of_another_trace_are_refused() -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x)
        return x

    trace(keep)
    with pytest.raises(OptionError, match="another trace"):
        trace(lambda x: x + kept[0])

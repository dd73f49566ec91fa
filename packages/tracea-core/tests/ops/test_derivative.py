# SPDX-License-Identifier: MIT
"""Derivatives against central differences and PyTorch's autograd."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tracea_core.errors import OptionError
from tracea_core.ops import functions as fn
from tracea_core.ops.derivative import derivative
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Operand, Unary, UnaryFn
from tracea_core.ops.named import activation, activation_names, parse_epilogue
from tracea_core.ops.printing import text
from tracea_core.ops.trace import trace

SMOOTH = [
    UnaryFn.NEG,
    UnaryFn.EXP,
    UnaryFn.TANH,
    UnaryFn.ERF,
    UnaryFn.LOG,
    UnaryFn.SQRT,
    UnaryFn.RSQRT,
    UnaryFn.RECIPROCAL,
]
ARITHMETIC = [BinaryFn.ADD, BinaryFn.SUB, BinaryFn.MUL, BinaryFn.DIV]
leaves = st.just(Accumulator()) | st.just(Operand(0)) | st.builds(Constant, st.floats(0.25, 2))
smooth: st.SearchStrategy[Expr] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Unary, st.sampled_from(SMOOTH), inner) | st.builds(Binary, st.sampled_from(ARITHMETIC), inner, inner)
    ),
    max_leaves=6,
)


def difference(expr: Expr, x: float, y: float, wrong_by: tuple[float, float]) -> float:
    """The five-point central difference, whose error is O(h⁴)."""
    h = 1e-3
    ends = [float(evaluate(expr, [x + k * h * wrong_by[0]], [y + k * h * wrong_by[1]])) for k in (-2, -1, 1, 2)]
    return (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)


@settings(max_examples=150)
@given(smooth, st.floats(0.5, 2), st.floats(0.5, 2), st.booleans())
def test_smooth_expressions_against_differences(expr: Expr, x: float, y: float, by_operand: bool) -> None:
    variable = Operand(0) if by_operand else Accumulator()
    slope = float(evaluate(derivative(expr, variable), [x], [y]))
    direction = (0.0, 1.0) if by_operand else (1.0, 0.0)
    expected = difference(expr, x, y, direction)
    second = [
        float(evaluate(derivative(expr, variable), [x + s * direction[0]], [y + s * direction[1]]))
        for s in (-0.01, 0.01)
    ]
    assume(np.isfinite([slope, expected, *second]).all() and max(abs(value) for value in second) < 1e3)
    assume(abs(second[0] - second[1]) < 1)  # differences are no measure where the slope itself jumps
    size = abs(float(evaluate(expr, [x], [y])))
    assert slope == pytest.approx(expected, rel=1e-3, abs=1e-4 + 1e-11 * size)


@pytest.mark.parametrize("name", activation_names())
def test_activations_against_differences(name: str) -> None:
    expr = activation(name).expr
    x = np.linspace(-7.03, 7.01, 100)  # none of them bends at these points
    h = 1e-5
    expected = (evaluate(expr, [x + h]) - evaluate(expr, [x - h])) / (2 * h)
    assert np.allclose(np.broadcast_to(evaluate(derivative(expr), [x]), x.shape), expected, atol=1e-7)


@pytest.mark.parametrize("name", ["relu", "gelu", "silu", "sigmoid", "tanh", "elu", "mish", "softplus", "leaky_relu"])
def test_activations_against_autograd_also_at_zero(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.linspace(-3, 3, 25, dtype=torch.float64, requires_grad=True)
    function = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}.get(name) or getattr(torch.nn.functional, name)
    function(x).sum().backward()
    values = x.detach().numpy()
    slope = evaluate(derivative(activation(name).expr), [values])
    keep = values != 0 if name in ("elu", "leaky_relu") else np.ones(values.shape, bool)
    assert np.allclose(slope[keep], x.grad.numpy()[keep], rtol=1e-10, atol=1e-14)


def test_operands_and_gates() -> None:
    epilogue = parse_epilogue("batch_norm")
    x, mean, var, gamma, beta = 1.5, 0.5, 2.0, 3.0, -1.0
    slopes = [
        float(evaluate(derivative(epilogue.expr, Operand(slot)), [x], [mean, var, gamma, beta])) for slot in range(4)
    ]
    root = 1 / np.sqrt(var + 1e-5)
    assert np.allclose(slopes, [-root * gamma, -0.5 * (x - mean) * gamma * root**3, (x - mean) * root, 1.0])
    gate = parse_epilogue("swiglu").expr
    assert float(evaluate(derivative(gate, Accumulator(1)), [2.0, 5.0])) == pytest.approx(2 / (1 + np.exp(-2)))


def test_results_are_simplified() -> None:
    assert text(derivative(trace(lambda x: x * 3 + 2).epilogue.expr)) == "3"
    assert text(derivative(trace(fn.relu).epilogue.expr)) == "where(acc > 0, 1, 0)"
    assert derivative(Operand(0)) == Constant(0.0)
    assert derivative(trace(np.floor).epilogue.expr) == Constant(0.0)


def test_casts() -> None:
    saturating = trace(lambda x: fn.cast(x * 2, "fp16")).epilogue.expr
    assert evaluate(derivative(saturating), [[1.0, 40000.0]]).tolist() == [2.0, 0.0]
    with pytest.raises(OptionError, match="no derivative"):
        derivative(trace(lambda x: fn.cast(x, "int8")).epilogue.expr)
    assert derivative(trace(lambda x: fn.cast(x, "int8")).epilogue.expr, Operand(0)) == Constant(0.0)

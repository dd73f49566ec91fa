# SPDX-License-Identifier: MIT
"""The stages that users write: what they compute, and what they refuse when they are made."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import DTypeError, OptionError, ShapeError, TraceaError
from tracea_core.ops.activations import (
    Activate,
    BatchNorm,
    BiasAdd,
    Clamp,
    GeGLU,
    Gelu,
    Quantize,
    ReLU,
    Residual,
    Scale,
    Sigmoid,
    SiLU,
    Stage,
    SwiGLU,
    Tanh,
)
from tracea_core.ops.epilogue import OperandAxes

X = np.linspace(-3, 3, 12).reshape(3, 4)
V = np.array([1.0, 2.0, 0.5, 4.0])
ROWS = np.array([1.0, -1.0, 2.0])
ERF = np.vectorize(math.erf)


def run(stage: Stage) -> np.ndarray:
    epilogue, operands = stage.bind()
    return epilogue.reference(X, operands)


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        (BiasAdd(V), X + V),
        (ReLU(), np.maximum(X, 0)),
        (Gelu(), X * (1 + ERF(X / math.sqrt(2))) / 2),
        (Gelu("tanh"), X * (1 + np.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X**3))) / 2),
        (SiLU(), X / (1 + np.exp(-X))),
        (Sigmoid(), 1 / (1 + np.exp(-X))),
        (Tanh(), np.tanh(X)),
        (Residual(X * 2), X * 3),
        (Scale(0.5), X / 2),
        (Scale(np.float32(0.5)), X / 2),
        (Scale(np.array([[3.0]])), X * 3),
        (Scale(V), X * V),
        (Scale(ROWS, axes="row"), X * ROWS[:, np.newaxis]),
        (Scale(X), X * X),
        (BatchNorm(V, V + 1, V + 2, V + 3, eps=0.1), (X - V) / np.sqrt(V + 1.1) * (V + 2) + V + 3),
        (BatchNorm(V, V), (X - V) / np.sqrt(V + 1e-5)),
        (BatchNorm(V, V, gamma=V), (X - V) / np.sqrt(V + 1e-5) * V),
        (BatchNorm(V, V, beta=V), (X - V) / np.sqrt(V + 1e-5) + V),
        (Clamp(-1, 2), np.clip(X, -1, 2)),
        (Clamp(lo=-1), np.maximum(X, -1)),
        (Clamp(hi=0), np.minimum(X, 0)),
        (Quantize("int8", 0.01), np.clip(np.rint(X / 0.01), -128, 127)),
        (Quantize("uint8", 0.1, zero_point=10), np.clip(np.rint(X / 0.1) + 10, 0, 255)),
        (Quantize("fp16"), X.astype(np.float16)),
        (Quantize("int8", V), np.clip(np.rint(X / V), -128, 127)),
        (Activate("square"), X * X),
    ],
    ids=lambda value: repr(value) if isinstance(value, Stage) else "",
)
def test_what_it_computes(stage: Stage, expected: np.ndarray) -> None:
    assert np.allclose(run(stage), expected, rtol=1e-14, atol=1e-15)


def test_how_operands_are_spread() -> None:
    assert [operand.axes for operand in BatchNorm(V, V, V, V).epilogue.operands] == [OperandAxes.COLUMN] * 4
    assert Residual(X).epilogue.operands[0].axes is OperandAxes.FULL
    assert Scale(np.ones(1)).epilogue.operands[0].axes is OperandAxes.SCALAR
    assert Scale(np.ones(1), axes=OperandAxes.COLUMN).epilogue.operands[0].axes is OperandAxes.COLUMN
    assert SwiGLU().epilogue.gated and GeGLU("tanh").epilogue.gated


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_half_of_the_columns_gate_the_other_half(approximate: str) -> None:
    gate, up = X[:, :2], X[:, 2:]
    inner = (
        ERF(gate / math.sqrt(2))
        if approximate == "none"
        else np.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate**3))
    )
    assert np.allclose(run(GeGLU(approximate)), gate * (1 + inner) / 2 * up, rtol=1e-14, atol=1e-15)
    assert np.allclose(run(SwiGLU()), gate / (1 + np.exp(-gate)) * up, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: BiasAdd(np.ones((2, 2))), ShapeError),
        (lambda: BiasAdd([1.0, 2.0]), OptionError),
        (lambda: BiasAdd(np.ones(3, np.complex128)), DTypeError),
        (lambda: BiasAdd(None), OptionError),
        (lambda: Residual(1.0), OptionError),
        (lambda: Scale(math.nan), OptionError),
        (lambda: GeGLU("sigmoid"), OptionError),
        (lambda: Scale(np.float64(math.inf)), OptionError),
        (lambda: Scale(True), OptionError),
        (lambda: Scale(2.0, axes="row"), OptionError),
        (lambda: Scale(V, axes="diagonal"), OptionError),
        (lambda: Scale(V, axes="scalar"), ShapeError),
        (lambda: Scale(X, axes="row"), ShapeError),
        (lambda: BatchNorm(V, V[:3]), ShapeError),
        (lambda: BatchNorm(V, V, X, V), ShapeError),
        (lambda: BatchNorm(V, V, eps=0), OptionError),
        (lambda: BatchNorm(V, V, eps=math.nan), OptionError),
        (lambda: BatchNorm(V, None), OptionError),
        (lambda: Clamp(2, 1), OptionError),
        (lambda: Clamp(), OptionError),
        (lambda: Clamp(math.nan, 1), OptionError),
        (lambda: Quantize("int3"), DTypeError),
        (lambda: Quantize("int8", 0.0), OptionError),
        (lambda: Quantize("int8", -1.0), OptionError),
        (lambda: Quantize("int8", 1.0, 300), OptionError),
        (lambda: Quantize("fp16", 1.0, 3), OptionError),
        (lambda: Quantize("int8", 1.0, 1.5), OptionError),  # type: ignore[arg-type]
        (lambda: Gelu("erf"), OptionError),
        (lambda: Activate("nope"), OptionError),
    ],
)
def test_bad_parameters_are_refused_when_it_is_made(make: Callable[[], Any], error: type[TraceaError]) -> None:
    with pytest.raises(error):
        make()

# SPDX-License-Identifier: MIT
"""Epilogues by name, as the command line gives them, and activations that plugins add."""

from collections.abc import Iterator

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, MalformedDataError, OptionError, PluginError
from tracea_core.ops import named
from tracea_core.ops.epilogue import IDENTITY, Epilogue, OperandAxes
from tracea_core.ops.expr import Accumulator, Cast, Operand, Unary, UnaryFn
from tracea_core.ops.named import Activation, activation, parse_epilogue, register_activation


def test_stages_follow_each_other_with_their_operands() -> None:
    epilogue = parse_epilogue("bias, gelu,residual")
    assert epilogue.label == "bias, gelu, residual"
    assert [(operand.name, operand.axes) for operand in epilogue.operands] == [
        ("bias", OperandAxes.COLUMN),
        ("residual", OperandAxes.FULL),
    ]
    x, b, r = np.ones((2, 3)), np.arange(3.0), np.full((2, 3), 5.0)
    assert np.allclose(epilogue.reference(x, [b, r]), named.fn.gelu(x + b) + r)


def test_parameters_follow_colons() -> None:
    epilogue = parse_epilogue("scale:0.5,clamp:0:6,quantize:int8:0.1")
    assert isinstance(epilogue.expr, Cast)
    assert epilogue.stored_dtype is DType.INT8
    assert epilogue.reference(np.array([[1.0, 100.0, -3.0]])).tolist() == [[5.0, 60.0, 0.0]]
    assert parse_epilogue("clamp::2").reference(np.array([[-9.0, 9.0]])).tolist() == [[-9.0, 2.0]]


def test_batch_norm_is_its_formula() -> None:
    epilogue = parse_epilogue("batch_norm:0.5")
    x, mean, var = np.arange(6.0).reshape(2, 3), np.array([1.0, 2, 3]), np.array([0.5, 1.5, 3.5])
    gamma, beta = np.array([1.0, -1, 2]), np.array([0.0, 1, 2])
    expected = (x - mean) / np.sqrt(var + 0.5) * gamma + beta
    assert np.allclose(epilogue.reference(x, [mean, var, gamma, beta]), expected, rtol=1e-15)


def test_a_gate_splits_what_comes_before_it() -> None:
    epilogue = parse_epilogue("row_scale,bias,swiglu,residual")
    assert epilogue.gated
    assert [operand.name for operand in epilogue.operands] == ["scale", "bias", "bias_up", "residual"]
    x = np.arange(8.0).reshape(2, 4) - 3
    s, low, high, r = np.array([1.0, 2.0]), np.array([0.5, 1]), np.array([2.0, 3]), np.ones((2, 2))
    gate, up = x[:, :2] * s[:, None] + low, x[:, 2:] * s[:, None] + high
    assert np.allclose(epilogue.reference(x, [s, low, high, r]), gate / (1 + np.exp(-gate)) * up + r)


def test_nothing_is_the_identity() -> None:
    assert parse_epilogue("") is IDENTITY
    assert parse_epilogue("identity,identity") is IDENTITY


def test_every_name_parses_and_survives_json() -> None:
    needs = {"clamp": ":0:1", "quantize": ":int8", "sums": ":48"}
    for name in named.stage_names():
        epilogue = parse_epilogue(name + needs.get(name, ""))
        assert Epilogue.from_json(epilogue.to_json()) == epilogue


@pytest.mark.parametrize(
    "text", ["nothing", "relu:3", "clamp:1", "clamp:2:1", "clamp:a:b", "bias:1", "quantize:int8:0", "scale:nan", "scale:inf",
             "swiglu,swiglu", "quantize", "batch_norm:x"],
)  # fmt: skip
def test_wrong_text_is_refused(text: str) -> None:
    with pytest.raises(OptionError):
        parse_epilogue(text)


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(DTypeError):
        parse_epilogue("quantize:int3")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(named, "_ACTIVATIONS", dict(named._ACTIVATIONS))
    yield
    parse_epilogue.cache_clear()
    named.activation_epilogue.cache_clear()


@pytest.mark.usefixtures("registry")
def test_a_plugins_activation_is_known_everywhere() -> None:
    assert "cube_root_ish" not in named.activation_names()
    added = Activation.of("cube_root_ish", lambda x: x / (1 + abs(x)))
    register_activation(added)
    register_activation(added)  # twice the same does no harm
    assert activation("cube_root_ish") == added
    assert "cube_root_ish" in named.activation_names()
    assert parse_epilogue("bias,cube_root_ish").label == "bias, cube_root_ish"
    assert Activation.from_json(added.to_json()) == added


@pytest.mark.usefixtures("registry")
def test_taken_names_are_refused() -> None:
    for name in ("relu", "bias"):
        with pytest.raises(PluginError, match="taken"):
            register_activation(Activation(name, Unary(UnaryFn.NEG, Accumulator())))


def test_an_activation_sees_only_the_accumulator() -> None:
    with pytest.raises(OptionError, match="operand"):
        Activation("mine", Operand(0))
    with pytest.raises(OptionError, match="accumulator 1"):
        Activation("mine", Accumulator(1))
    with pytest.raises(OptionError, match="cannot name"):
        Activation("My activation", Accumulator())
    with pytest.raises(MalformedDataError):
        Activation.from_json('{"name": "x", "expr": {"type": "Accumulator"}, "more": 1}')
    with pytest.raises(OptionError, match="unknown activation"):
        activation("nope")

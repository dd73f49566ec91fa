# SPDX-License-Identifier: MIT
"""Structural epilogues by name: the fixed stages, the activations, and those that plugins add.

The command line reads ``--epilogue bias,gelu`` through `parse_epilogue`; the user-level stages take their structure from here, so
that both say the same.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, PluginError
from tracea_core.ops import functions as fn
from tracea_core.ops.epilogue import IDENTITY, Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Auxiliary, Binary, BinaryFn, Constant, Expr, Operand, walk
from tracea_core.ops.proxy import Scope, Value
from tracea_core.ops.trace import trace

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Activation(Data, frozen=True):
    """A function of one element under a name.

    Attributes
    ----------
    name : str
        Lower-case letters, digits and underscores.
    expr : Expr
        Its value, over ``Accumulator()`` and constants only.
    """

    name: str
    expr: Expr

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise OptionError(f"{self.name!r} cannot name an activation", hint="Use lower-case letters, digits, _")
        if any(isinstance(node, Operand) for node in walk(self.expr)):
            raise OptionError(f"the activation {self.name} uses an operand; only the accumulator is known")
        Epilogue(self.expr)  # checks accumulators and size

    @classmethod
    def of(cls, name: str, function: Callable[..., Any]) -> Activation:
        """Return the activation that `function` computes (traced)."""
        return cls(name, trace(function, name).epilogue.expr)

    @property
    def epilogue(self) -> Epilogue:
        """The epilogue that applies it."""
        return IDENTITY if self.expr == Accumulator() else Epilogue(self.expr, label=self.name)


_BUILT_IN: dict[str, Callable[..., Any]] = {
    "identity": lambda x: x,
    "relu": fn.relu,
    "gelu": fn.gelu,
    "gelu_tanh": lambda x: fn.gelu(x, "tanh"),
    "silu": fn.silu,
    "sigmoid": fn.sigmoid,
    "tanh": fn.tanh,
    "relu6": fn.relu6,
    "hardswish": fn.hardswish,
    "hardsigmoid": fn.hardsigmoid,
    "softplus": lambda x: fn.where(x > 20.0, x, fn.log(1.0 + fn.exp(fn.minimum(x, 20.0)))),
    "mish": fn.mish,
    "elu": fn.elu,
    "leaky_relu": fn.leaky_relu,
    "square": fn.square,
    "abs": fn.abs,
}
_ACTIVATIONS: dict[str, Activation] = {}  # those that plugins registered, and built-in ones once they were asked for


def activation(name: str) -> Activation:
    """Return the activation called `name`.

    Raises
    ------
    OptionError
        If there is none.
    """
    known = _ACTIVATIONS.get(name)
    if known is None:
        if name not in _BUILT_IN:
            raise OptionError(f"unknown activation {name!r}", hint="Known: " + ", ".join(activation_names()))
        known = _ACTIVATIONS[name] = Activation.of(name, _BUILT_IN[name])
    return known


@functools.cache
def activation_epilogue(name: str) -> Epilogue:
    """Return the epilogue that applies the activation called `name`; always the same object."""
    return activation(name).epilogue


def activation_names() -> tuple[str, ...]:
    """Return the names of all activations, sorted."""
    return tuple(sorted({*_BUILT_IN, *_ACTIVATIONS}))


def register_activation(added: Activation) -> None:
    """Make an activation known by its name.

    Raises
    ------
    PluginError
        If the name belongs to another one, or to a stage.
    """
    taken = added.name in _STAGES or (added.name in activation_names() and activation(added.name) != added)
    if taken:
        raise PluginError(f"the activation name {added.name!r} is taken", hint="Choose another name")
    _ACTIVATIONS[added.name] = added


def _traced(label: str, names: Sequence[tuple[str, OperandAxes]], function: Callable[..., Any]) -> Epilogue:
    """Return the epilogue of ``function(acc, operand 0, operand 1, …)``."""
    scope = Scope()
    values = [Value(scope, Operand(slot)) for slot in range(len(names))]
    result = function(scope.value(Accumulator()), *values)
    return Epilogue(result.expr, tuple(EpilogueOperand(name, axes) for name, axes in names), label=label)


@functools.cache
def bias(axes: OperandAxes = OperandAxes.COLUMN) -> Epilogue:
    """Return x + bias."""
    return _traced("bias" if axes is OperandAxes.COLUMN else f"{axes.value}_bias", [("bias", axes)], lambda x, b: x + b)


@functools.cache
def residual() -> Epilogue:
    """Return x + residual, which has the output's shape."""
    return _traced("residual", [("residual", OperandAxes.FULL)], lambda x, r: x + r)


@functools.cache
def auxiliary() -> Epilogue:
    """Return x, which is also stored to an array of the output's shape."""
    stored = EpilogueOperand("auxiliary", OperandAxes.FULL)
    return Epilogue(Auxiliary(Accumulator(), Operand(0)), (stored,), label="auxiliary")


@functools.cache
def column_sums(rows: int) -> Epilogue:
    """Return x, whose sums over blocks of `rows` rows are stored as well (`tracea_core.ops.column_sums`)."""
    return Epilogue(operands=(EpilogueOperand("sums", OperandAxes.SUMS, rows),), label=f"sums:{rows}")


@functools.cache
def scale_by(axes: OperandAxes) -> Epilogue:
    """Return x · scale."""
    label = "scale" if axes is OperandAxes.SCALAR else f"{axes.value}_scale"
    return _traced(label, [("scale", axes)], lambda x, s: x * s)


@functools.lru_cache(maxsize=256)
def scale_constant(value: float) -> Epilogue:
    """Return x · value."""
    return Epilogue(Binary(BinaryFn.MUL, Accumulator(), Constant(value)), label=f"scale:{value:g}")


@functools.lru_cache(maxsize=256)
def batch_norm(eps: float = 1e-5, affine: bool = True, shifted: bool = True) -> Epilogue:
    """Return (x − mean)/√(var + eps)·gamma + beta per channel (Ioffe and Szegedy, arXiv:1502.03167, algorithm 1)."""
    names = ["mean", "var", *(["gamma"] if affine else []), *(["beta"] if shifted else [])]

    def normalize(x: Any, mean: Any, var: Any, *rest: Any) -> Any:
        factor = fn.rsqrt(var + eps)
        if affine:
            factor = factor * rest[0]
        y = (x - mean) * factor
        return y + rest[-1] if shifted else y

    return _traced("batch_norm", [(name, OperandAxes.COLUMN) for name in names], normalize)


@functools.lru_cache(maxsize=256)
def clamp(low: float | None, high: float | None) -> Epilogue:
    """Return x kept between two bounds."""
    words = ":".join("" if bound is None else f"{bound:g}" for bound in (low, high))
    return _traced(f"clamp:{words}", [], lambda x: fn.clamp(x, low, high))


@functools.lru_cache(maxsize=256)
def quantize(dtype: DType, scale: float | OperandAxes = 1.0, zero_point: int = 0) -> Epilogue:
    """Return x/scale + zero_point rounded to `dtype`, saturating; `scale` is a number or an operand with these axes."""

    def store(x: Any, *given: Any) -> Any:
        y = x / given[0] if given else x if scale == 1.0 else x / scale
        return fn.cast(fn.rint(y) + float(zero_point) if zero_point else y, dtype)

    names = [("scale", scale)] if isinstance(scale, OperandAxes) else []
    return _traced(f"quantize:{dtype.value}", names, store)


@functools.cache
def swiglu() -> Epilogue:
    """Return silu(gate)·up (Shazeer, arXiv:2002.05202, eq. 5)."""
    return trace(lambda gate, up: fn.silu(gate) * up, "swiglu").epilogue


@functools.cache
def geglu(approximate: str = "none") -> Epilogue:
    """Return gelu(gate)·up (Shazeer, arXiv:2002.05202, eq. 6), exactly or by the ``tanh`` formula."""
    label = "geglu" if approximate == "none" else "geglu_tanh"
    return trace(lambda gate, up: fn.gelu(gate, approximate) * up, label).epilogue


def _number(stage: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"{text!r} in the epilogue stage {stage!r} is not a number") from None


def _parse_scale(stage: str, *values: str) -> Epilogue:
    return scale_constant(_number(stage, values[0])) if values else scale_by(OperandAxes.SCALAR)


def _parse_clamp(stage: str, low: str, high: str) -> Epilogue:
    bounds = [None if text == "" else _number(stage, text) for text in (low, high)]
    if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
        raise OptionError(f"the bounds of {stage!r} are in the wrong order")
    return clamp(*bounds)


def _parse_quantize(stage: str, dtype: str, scale: str = "1") -> Epilogue:
    factor = _number(stage, scale)
    if not factor > 0:
        raise OptionError(f"the scale of {stage!r} must be positive")
    return quantize(DType.parse(dtype), factor)


_STAGES: dict[str, Callable[..., Epilogue]] = {
    "bias": lambda stage: bias(),
    "row_bias": lambda stage: bias(OperandAxes.ROW),
    "residual": lambda stage: residual(),
    "auxiliary": lambda stage: auxiliary(),
    "sums": lambda stage, rows: column_sums(int(_number(stage, rows))),
    "scale": _parse_scale,
    "row_scale": lambda stage: scale_by(OperandAxes.ROW),
    "column_scale": lambda stage: scale_by(OperandAxes.COLUMN),
    "batch_norm": lambda stage, eps="1e-5": batch_norm(_number(stage, eps)),
    "clamp": _parse_clamp,
    "quantize": _parse_quantize,
    "swiglu": lambda stage: swiglu(),
    "geglu": lambda stage: geglu(),
    "geglu_tanh": lambda stage: geglu("tanh"),
}


def stage_names() -> tuple[str, ...]:
    """Return every name that `parse_epilogue` knows, sorted."""
    return tuple(sorted({*_STAGES, *activation_names()}))


@functools.lru_cache(maxsize=256)
def parse_epilogue(text: str) -> Epilogue:
    """Return the structural epilogue that `text` lists, such as ``bias,gelu`` or ``scale:0.5,clamp:0:6,quantize:int8``.

    Parameters
    ----------
    text : str
        Stages in order, separated by commas; parameters follow their stage after colons. Empty for none.

    Raises
    ------
    OptionError
        If a stage is unknown or its parameters are wrong.
    DTypeError
        If ``quantize`` names an unknown type.
    """
    result = IDENTITY
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, *parameters = part.split(":")
        if name in _STAGES:
            try:
                stage = _STAGES[name](part, *parameters)
            except TypeError as error:
                if isinstance(error, OptionError) or "argument" not in str(error):
                    raise
                raise OptionError(f"the epilogue stage {part!r} has the wrong number of parameters") from None
        elif name in activation_names() and not parameters:
            stage = activation_epilogue(name)
        else:
            raise OptionError(f"unknown epilogue stage {part!r}", hint="Known: " + ", ".join(stage_names()))
        result = stage if result is IDENTITY else result.then(stage) if stage is not IDENTITY else result
    return result

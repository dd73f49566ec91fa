# SPDX-License-Identifier: MIT
"""One node of Dynamo's graph as a step of an epilogue: what it does to an element, by the name of the function it calls.

Names rather than function objects, since PyTorch has up to five spellings of each (``F.relu``, ``torch.relu``, ``x.relu_()``, …) and the
core already knows what each name means (`tracea_core.ops.functions`). What a node does in place it does to a value that nobody else
sees; `tracea.torch.compiler.regions` makes sure of that.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import TraceaError
from tracea_core.ops import functions as fn
from tracea_core.ops.expr import Cast
from tracea_core.ops.proxy import CALLS, Value  # `functions` fills CALLS

_IDENTITIES = ("contiguous", "clone", "detach", "positive")
_NOT_POINTWISE = ("matmul", "linear", "conv2d", "conv_transpose2d", "sum", "mean", "max", "min", "getitem")
_ACTIVATIONS = {
    "relu", "silu", "sigmoid", "tanh", "relu6", "hardswish", "hardsigmoid", "mish", "elu", "leaky_relu", "softplus",
    "square", "abs",
}  # fmt: skip
_CASTS = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16, "double": torch.float64}
_METHOD_ALIASES = {"__add__": "add", "__mul__": "mul", "__radd__": "add", "__rmul__": "mul"}


def name_of(node: torch.fx.Node) -> str:
    """Return the function's name without marks of working in place: ``relu`` for ``relu_``, ``add`` for ``iadd``."""
    if node.op == "call_method":
        name = str(node.target)
        return _METHOD_ALIASES.get(name, name.rstrip("_"))
    if node.op != "call_function":
        return ""
    name = str(getattr(node.target, "__name__", "")).rstrip("_")
    return name[1:] if node.target in _IN_PLACE else name


_IN_PLACE = {operator.iadd, operator.imul, operator.isub, operator.itruediv}


def is_in_place(node: torch.fx.Node) -> bool:
    """Whether a node may write to its first argument or to ``out=``."""
    if node.op == "call_method":
        name = str(node.target)
        return (name.endswith("_") and not name.endswith("__")) or name in ("__setitem__",)
    if node.op != "call_function":
        return False
    name = str(getattr(node.target, "__name__", ""))
    marked = name.endswith("_") and not name.endswith("__")
    changed = node.target in _IN_PLACE or node.target is operator.setitem or marked
    return changed or bool(node.kwargs.get("inplace")) or node.kwargs.get("out") is not None or _trains(node)


def _trains(node: torch.fx.Node) -> bool:
    """Whether a node is a batch norm that updates its statistics."""
    return name_of(node) == "batch_norm" and bool(argument(node, 5, "training", False))


def argument(node: torch.fx.Node, place: int, name: str, default: Any = None) -> Any:
    """Return an argument that may be given by place or by name."""
    if len(node.args) > place:
        return node.args[place]
    return node.kwargs.get(name, default)


def is_identity(node: torch.fx.Node) -> bool:
    """Whether a node changes nothing here: dropout that is off, a contiguous copy, a cast to the type it has."""
    name = name_of(node)
    if name in ("dropout", "dropout1d", "dropout2d"):
        return argument(node, 2, "training", True) is False or argument(node, 1, "p", 0.5) == 0.0
    if name in _IDENTITIES and node.op == "call_method":
        return name != "clone" and name != "contiguous"
    return False


def cast_target(node: torch.fx.Node) -> torch.dtype | None:
    """Return the type that a node casts to, None if it does something else (or moves to another device)."""
    name = name_of(node)
    if node.op == "call_method" and name in _CASTS and len(node.args) == 1:
        return _CASTS[name]
    if node.op == "call_method" and name in ("to", "type") and len(node.args) == 2 and not node.kwargs:
        target = node.args[1]
        return target if isinstance(target, torch.dtype) else None
    return None


def step(node: torch.fx.Node, value_of: Callable[[Any], Any]) -> tuple[Value, str | None] | None:
    """Return what a node computes and the stage's name where it has one; None if it is not pointwise or not known.

    Parameters
    ----------
    node : torch.fx.Node
        A node of which at least one argument has a value.
    value_of : callable
        Gives the `Value` of an argument that is a node, or the number itself; None for what cannot ride along.
    """
    name = name_of(node)
    if not name or name in _NOT_POINTWISE:
        return None
    target = cast_target(node)
    if target is not None:
        first = value_of(node.args[0])
        return None if first is None else (_cast(first, target), None)
    if name == "batch_norm" or (name not in CALLS and name != "gelu"):
        return None
    if "rounding_mode" in node.kwargs or node.kwargs.get("out") is not None:
        return None
    given = [value_of(a) for a in node.args]
    if any(value is None and a is not None for value, a in zip(given, node.args, strict=True)):
        return None
    kwargs = {key: value for key, value in node.kwargs.items() if key != "inplace"}
    if any(isinstance(value, torch.fx.Node) for value in kwargs.values()):
        return None
    given = _without_inplace(name, given)
    try:
        return CALLS[name](*given, **kwargs), _stage_name(name, given, kwargs)
    except (TraceaError, TypeError):
        return None


def _without_inplace(name: str, given: list[Any]) -> list[Any]:
    """Drop a trailing ``inplace`` flag given by place, as ``F.relu(x, True)`` has it."""
    return given[:-1] if name in _ACTIVATIONS and len(given) > 1 and isinstance(given[-1], bool) else given


def _stage_name(name: str, given: list[Any], kwargs: Mapping[str, Any]) -> str | None:
    """Return the name under which `tracea_core.ops.named` knows the step, if its parameters are the default ones."""
    rest = [*given[1:], *kwargs.values()]
    if name == "gelu":
        how = kwargs.get("approximate", given[1] if len(given) > 1 else "none")
        return "gelu" if how == "none" else "gelu_tanh"
    if name in _ACTIVATIONS and not rest:
        return name
    if name == "leaky_relu" and rest == [0.01]:
        return name
    if name == "elu" and rest == [1.0]:
        return name
    return None


def _cast(value: Value, dtype: torch.dtype) -> Value:
    # PyTorch's casts do not saturate; a kernel computes in a wider type and rounds here
    return value.scope.value(Cast(DType.parse(str(dtype)), value.expr, saturate=False))


def normalize(value: Any, mean: Any, var: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Return a batch norm with stored statistics as `tracea_core.ops.named.batch_norm` states it."""
    factor = fn.rsqrt(var + eps)
    if gamma is not None:
        factor = factor * gamma
    scaled = (value - mean) * factor
    return scaled if beta is None else scaled + beta

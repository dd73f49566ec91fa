# SPDX-License-Identifier: MIT
"""Epilogues as PyTorch's operators carry them: text in the operator's schema, and the same expression computed by PyTorch.

A schema knows strings and tensors, so the structural part of an epilogue travels as text: names where names say it all
(``bias,gelu``, which a person reads in a graph), else its JSON. Both directions are remembered; neither is on the way of a
launch that has been planned.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import IDENTITY, Epilogue, OperandAxes
from tracea_core.ops.expr import (
    Accumulator,
    Auxiliary,
    Binary,
    Call,
    Cast,
    Compare,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
    linearize,
)
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.stages import Structure, whole

from tracea.arrays import torch_dtype
from tracea.tracing import constant_while_tracing

_texts: dict[int, tuple[Epilogue, str]] = {}
_TEXT_LIMIT = 4096


@constant_while_tracing
def text_of(structure: Structure) -> str:
    """Return the text that stands for an epilogue in a graph; empty for the identity."""
    epilogue = whole(structure)
    known = _texts.get(id(epilogue))
    if known is not None:
        return known[1]
    if len(_texts) >= _TEXT_LIMIT:
        _texts.clear()
    text = _text(epilogue)
    _texts[id(epilogue)] = (epilogue, text)  # keeps the object alive, so its id stays its own
    return text


def _text(epilogue: Epilogue) -> str:
    if epilogue.is_identity:
        return ""
    named = epilogue.label.replace(" ", "")
    try:
        if named and parse_epilogue(named).replace(label=epilogue.label) == epilogue:
            return named
    except (OptionError, TypeError):
        return epilogue.to_json()
    return epilogue.to_json()


@functools.lru_cache(maxsize=_TEXT_LIMIT)
def epilogue_of(text: str) -> Epilogue:
    """Return the epilogue that `text` stands for.

    Raises
    ------
    OptionError, MalformedDataError
        If it is neither a list of known stages nor the JSON of an epilogue.
    """
    if not text:
        return IDENTITY
    if text.startswith("{"):
        return Epilogue.from_json(text)
    from tracea.ops.call import know_plugin_activations

    know_plugin_activations()
    return parse_epilogue(text)


def spread(epilogue: Epilogue, operands: Sequence[torch.Tensor], rank: int, column_axis: int) -> list[torch.Tensor]:
    """Return the operands as views that broadcast to an output of this rank, as `Epilogue.spread` does for NumPy."""
    return _spread(_axes(epilogue), operands, rank, column_axis)


def _axes(epilogue: Epilogue) -> tuple[str, ...]:
    return tuple(operand.axes.value for operand in epilogue.operands)


def _spread(axes: tuple[str, ...], operands: Sequence[torch.Tensor], rank: int, column_axis: int) -> list[torch.Tensor]:
    shaped = []
    for how, tensor in zip(axes, operands, strict=True):
        if how == _COLUMN and tensor.dim() < rank:  # one of the result's rank has been spread already
            tensor = tensor.reshape(-1, *([1] * (rank - 1 - column_axis % rank)))
        elif how == _ROW:
            tensor = tensor.reshape(-1, 1)
        elif how == _SCALAR:
            tensor = tensor.reshape(())
        shaped.append(tensor)
    return shaped


_COLUMN, _ROW, _SCALAR = OperandAxes.COLUMN.value, OperandAxes.ROW.value, OperandAxes.SCALAR.value


def halves(product: torch.Tensor, gated: bool) -> list[torch.Tensor]:
    """Return the accumulators: the product, or its gate and its up half."""
    return list(torch.chunk(product, 2, dim=-1)) if gated else [product]


def evaluate(expr: Expr, accumulators: Sequence[torch.Tensor], operands: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the value of `expr`, computed by PyTorch so that gradients flow; shared parts are computed once.

    Parameters
    ----------
    expr : Expr
        The expression.
    accumulators, operands : sequence of Tensor
        What its leaves stand for; they broadcast.
    """
    return _evaluate(_steps(expr), accumulators, operands)


Step: TypeAlias = tuple[str, Any, tuple[int, ...]]
"""What happens, with which constant, to which earlier steps: plain values, which tracers can follow where they cannot follow nodes."""


def _evaluate(
    steps: Sequence[Step], accumulators: Sequence[torch.Tensor], operands: Sequence[torch.Tensor]
) -> torch.Tensor:
    values: list[Any] = []
    for what, constant, places in steps:
        if what == "accumulator":
            values.append(accumulators[constant])
        elif what == "operand":
            values.append(operands[constant])
        elif what == "number":
            values.append(constant)
        elif what == "auxiliary":
            values[places[1]].copy_(values[places[0]])
            values.append(values[places[0]])
        else:
            parts = [values[place] for place in places]
            tensors = [part for part in parts if isinstance(part, torch.Tensor)]
            like = tensors[0] if tensors else accumulators[0] if accumulators else operands[0]
            values.append(_value(what, constant, [_as_tensor(part, like) for part in parts], like.dtype))
    result = values[-1]
    if not isinstance(result, torch.Tensor):
        like = accumulators[0] if accumulators else operands[0]
        result = torch.full_like(like, result)
    return result


def _value(what: str, constant: Any, tensors: list[torch.Tensor], dtype: torch.dtype) -> Any:
    if what == "function":
        return getattr(torch, constant)(*tensors)
    if what == "comparison":
        return getattr(torch, constant)(*tensors).to(dtype)
    if what == "choice":
        return torch.where(tensors[0] != 0, tensors[1], tensors[2])
    kind, low, high = constant
    value = tensors[0] if kind.is_floating_point else torch.round(tensors[0])
    return (value if low is None else value.clamp(low, high)).to(kind)


def _steps(expr: Expr) -> tuple[Step, ...]:
    return tuple((*_step(node), places) for node, places in linearize(expr))


def _step(node: Expr) -> tuple[str, Any]:
    if isinstance(node, Accumulator):
        return "accumulator", node.index
    if isinstance(node, Operand):
        return "operand", node.slot
    if isinstance(node, Constant):
        return "number", node.value
    if isinstance(node, Unary):
        return "function", "round" if node.fn is UnaryFn.RINT else node.fn.value
    if isinstance(node, Binary):
        return "function", node.fn.value
    if isinstance(node, Compare):
        return "comparison", node.fn.value
    if isinstance(node, Select):
        return "choice", None
    if isinstance(node, Auxiliary):
        return "auxiliary", None
    if isinstance(node, Call):
        raise OptionError(
            f"PyTorch cannot compute the Python function {node.name} for itself, which gradients and fallbacks ask of it",
            hint="Write it with where(condition, x, y), maximum and minimum, which are traced",
        )
    assert isinstance(node, Cast)
    kind = torch_dtype(node.dtype)
    if not node.dtype.is_float:
        limits = torch.iinfo(kind)
        return "conversion", (kind, limits.min, limits.max)
    bounds = (node.dtype.lowest, node.dtype.largest) if node.saturate else (None, None)
    return "conversion", (kind, *bounds)


def _as_tensor(value: Any, like: torch.Tensor) -> torch.Tensor:
    """Numbers become tensors without axes, which do not change the type that PyTorch computes in."""
    return value if isinstance(value, torch.Tensor) else torch.full((), value, dtype=like.dtype, device=like.device)


def apply(
    epilogue: Epilogue, product: torch.Tensor, operands: Sequence[torch.Tensor], column_axis: int
) -> torch.Tensor:
    """Return the epilogue of a product, computed by PyTorch: in the product's type where PyTorch has the stage itself, else wider."""
    return apply_text(text_of(epilogue), product, operands, column_axis)


def apply_text(text: str, product: torch.Tensor, operands: Sequence[torch.Tensor], column_axis: int) -> torch.Tensor:
    """Return the same for an epilogue as text; tracers follow it."""
    if not text:
        return product
    axes, gated, steps = program_of(text)
    shaped = _spread(axes, operands, product.dim(), column_axis)
    return _evaluate(steps, halves(product, gated), shaped)


@constant_while_tracing
@functools.lru_cache(maxsize=_TEXT_LIMIT)
def program_of(text: str) -> tuple[tuple[str, ...], bool, tuple[Step, ...]]:
    """Return how an epilogue's operands are spread, whether it is a gate, and its steps."""
    epilogue = epilogue_of(text)
    return _axes(epilogue), epilogue.gated, _steps(epilogue.expr)


@constant_while_tracing
@functools.lru_cache(maxsize=_TEXT_LIMIT)
def stores(text: str) -> torch.dtype | None:
    """Return the type that an epilogue quantizes to, None if it does not."""
    kind = epilogue_of(text).stored_dtype
    return None if kind is None else torch_dtype(kind)


@constant_while_tracing
@functools.lru_cache(maxsize=_TEXT_LIMIT)
def stores_more(text: str) -> bool:
    """Return whether an epilogue has second results, which are written to its operands."""
    return bool(epilogue_of(text).written)

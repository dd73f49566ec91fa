# SPDX-License-Identifier: MIT
"""Epilogues as PyTorch's operators carry them: text in the operator's schema, and the same expression computed by PyTorch.

A schema knows strings and tensors, so the structural part of an epilogue travels as text: names where names say it all
(``bias,gelu``, which a person reads in a graph), else its JSON. Both directions are remembered; neither is on the way of a
launch that has been planned.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import IDENTITY, Epilogue, OperandAxes
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
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

from tracea.arrays import torch_dtype

_texts: dict[int, tuple[Epilogue, str]] = {}
_TEXT_LIMIT = 4096


def text_of(epilogue: Epilogue) -> str:
    """Return the text that stands for `epilogue` in a graph; empty for the identity."""
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
    shaped = []
    for operand, tensor in zip(epilogue.operands, operands, strict=True):
        if operand.axes is OperandAxes.COLUMN:
            tensor = tensor.reshape(-1, *([1] * (rank - 1 - column_axis % rank)))
        elif operand.axes is OperandAxes.ROW:
            tensor = tensor.reshape(-1, 1)
        elif operand.axes is OperandAxes.SCALAR:
            tensor = tensor.reshape(())
        shaped.append(tensor)
    return shaped


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
    values: list[Any] = []
    for node, places in linearize(expr):
        parts = [values[place] for place in places]
        values.append(_value(node, parts, accumulators, operands))
    result = values[-1]
    if not isinstance(result, torch.Tensor):
        like = accumulators[0] if accumulators else operands[0]
        result = torch.full_like(like, result)
    return result


def _value(node: Expr, parts: list[Any], accumulators: Sequence[torch.Tensor], operands: Sequence[torch.Tensor]) -> Any:
    """Return a tensor, or a Python number where only constants stand below."""
    if isinstance(node, Accumulator):
        return accumulators[node.index]
    if isinstance(node, Operand):
        return operands[node.slot]
    if isinstance(node, Constant):
        return node.value
    like = next((p for p in parts if isinstance(p, torch.Tensor)), accumulators[0] if accumulators else operands[0])
    tensors = [_as_tensor(p, like) for p in parts]
    if isinstance(node, Unary):
        if node.fn is UnaryFn.RINT:
            return torch.round(tensors[0])
        return getattr(torch, node.fn.value)(tensors[0])
    if isinstance(node, Binary):
        return getattr(torch, node.fn.value)(*tensors)
    if isinstance(node, Compare):
        return getattr(torch, node.fn.value)(*tensors).to(like.dtype)
    if isinstance(node, Select):
        return torch.where(tensors[0] != 0, tensors[1], tensors[2])
    assert isinstance(node, Cast)
    dtype = torch_dtype(node.dtype)
    if not node.dtype.is_float:
        limits = torch.iinfo(dtype)
        return torch.clamp(torch.round(tensors[0]), limits.min, limits.max).to(dtype)
    value = tensors[0].clamp(node.dtype.lowest, node.dtype.largest) if node.saturate else tensors[0]
    return value.to(dtype)


def _as_tensor(value: Any, like: torch.Tensor) -> torch.Tensor:
    """Numbers become tensors without axes, which do not change the type that PyTorch computes in."""
    return value if isinstance(value, torch.Tensor) else torch.full((), value, dtype=like.dtype, device=like.device)


def apply(
    epilogue: Epilogue, product: torch.Tensor, operands: Sequence[torch.Tensor], column_axis: int
) -> torch.Tensor:
    """Return the epilogue of a product, computed by PyTorch: in the product's type where PyTorch has the stage itself, else wider."""
    if epilogue.is_identity:
        return product
    accumulators = halves(product, epilogue.gated)
    shaped = spread(epilogue, operands, product.dim(), column_axis)
    return evaluate(epilogue.expr, accumulators, shaped)

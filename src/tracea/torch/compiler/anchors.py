# SPDX-License-Identifier: MIT
"""The products of a graph: which node is a matrix product or convolution, and how tracea's operators state it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from tracea.torch import shapes
from tracea.torch.compiler.pointwise import argument, name_of


@dataclass
class Anchor:
    """A product: the operator that takes its place, its matrices, its bias, and the operator's settings.

    Attributes
    ----------
    node : torch.fx.Node
        The node of the graph.
    op : str
        ``matmul``, ``linear``, ``conv2d`` or ``conv_transpose2d``.
    first, second : torch.fx.Node
        Images or rows, and filters or columns.
    bias : torch.fx.Node or None
        One value for each column (channel).
    settings : tuple
        What the operator takes between epilogue and backend.
    """

    node: torch.fx.Node
    op: str
    first: torch.fx.Node
    second: torch.fx.Node
    bias: torch.fx.Node | None = None
    settings: tuple[Any, ...] = field(default_factory=tuple)


def value_of(node: Any) -> torch.Tensor | None:
    """Return the fake tensor that Dynamo keeps for a node."""
    found = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
    return found if isinstance(found, torch.Tensor) else None


def anchor_of(node: torch.fx.Node) -> Anchor | str | None:
    """Return the product that a node is, why it cannot be taken, or None if it is no product."""
    name = name_of(node)
    make = _PRODUCTS.get(name)
    if make is None or node.op not in ("call_function", "call_method"):
        return None
    made = make(node)
    if made is None:
        return None
    if isinstance(made, str):
        return made
    tensors = [value_of(n) for n in (made.first, made.second, node)]
    if any(tensor is None for tensor in tensors):
        return "its operands are not known while the graph is compiled"
    first, second, result = (tensor for tensor in tensors if tensor is not None)
    if not first.dtype.is_floating_point or not second.dtype.is_floating_point:
        return f"its operands are {first.dtype} and {second.dtype}, not floating-point"
    if first.device != second.device or type(first).__name__ not in ("FakeTensor", "Tensor", "Parameter"):
        return "its operands are on different devices or of a tensor subclass"
    if first.layout is not torch.strided or second.layout is not torch.strided:
        return "an operand is not strided"
    if result.dim() != (4 if made.op in shapes.CONVOLUTIONS else max(first.dim(), second.dim())):
        return "the result has another number of axes"
    return made


def _linear(node: torch.fx.Node) -> Anchor | str | None:
    x, weight, bias = argument(node, 0, "input"), argument(node, 1, "weight"), argument(node, 2, "bias")
    first, second = value_of(x), value_of(weight)
    if first is None or second is None:
        return "its operands are not known while the graph is compiled"
    if first.dim() < 2 or second.dim() != 2:
        return "a vector has no rows to share a kernel"
    return Anchor(node, "linear", x, weight, bias)


def _matmul(node: torch.fx.Node) -> Anchor | str | None:
    a, b = argument(node, 0, "input"), argument(node, 1, "other", node.kwargs.get("mat2"))
    first, second = value_of(a), value_of(b)
    if first is None or second is None:
        return "its operands are not known while the graph is compiled"
    if node.kwargs.get("out") is not None or first.dim() < 2 or second.dim() < 2:
        return "it writes to out=, or an operand is a vector"
    return Anchor(node, "matmul", a, b, settings=(None, False, False))


def _addmm(node: torch.fx.Node) -> Anchor | str | None:
    bias, a, b = argument(node, 0, "input"), argument(node, 1, "mat1"), argument(node, 2, "mat2")
    if node.kwargs.get("alpha", 1) != 1 or node.kwargs.get("beta", 1) != 1 or node.kwargs.get("out") is not None:
        return "addmm with alpha, beta or out="
    added = value_of(bias)
    if added is None or added.dim() != 1:
        return "addmm adds something else than one value for each column"
    return Anchor(node, "matmul", a, b, bias, (None, False, False))


def _conv2d(node: torch.fx.Node) -> Anchor | str | None:
    x, weight, bias = argument(node, 0, "input"), argument(node, 1, "weight"), argument(node, 2, "bias")
    first, second = value_of(x), value_of(weight)
    if first is None or second is None or first.dim() != 4:
        return "an image without a batch axis"
    stride = _pair(argument(node, 3, "stride", 1))
    dilation = _pair(argument(node, 5, "dilation", 1))
    groups = argument(node, 6, "groups", 1)
    padding = argument(node, 4, "padding", 0)
    if padding == "valid":
        padding = 0
    if stride is None or dilation is None or isinstance(padding, str) or not isinstance(groups, int):
        return "its stride, padding or dilation is not a pair of numbers"
    edge = _pair(padding)
    if edge is None:
        return "its padding is not a pair of numbers"
    return Anchor(node, "conv2d", x, weight, bias, (stride, edge, dilation, groups))


def _conv_transpose2d(node: torch.fx.Node) -> Anchor | str | None:
    x, weight, bias = argument(node, 0, "input"), argument(node, 1, "weight"), argument(node, 2, "bias")
    first, second = value_of(x), value_of(weight)
    if first is None or second is None or first.dim() != 4:
        return "an image without a batch axis"
    names = (("stride", 3, 1), ("padding", 4, 0), ("output_padding", 5, 0), ("dilation", 7, 1))
    pairs = tuple(_pair(argument(node, place, name, default)) for name, place, default in names)
    groups = argument(node, 6, "groups", 1)
    if any(pair is None for pair in pairs) or not isinstance(groups, int):
        return "its stride, padding or dilation is not a pair of numbers"
    return Anchor(node, "conv_transpose2d", x, weight, bias, (*pairs, groups))


def _pair(value: Any) -> tuple[int, int] | None:
    if isinstance(value, int):
        return value, value
    if isinstance(value, Sequence) and not isinstance(value, str):
        parts = tuple(value)
        if len(parts) == 1:
            parts *= 2
        if len(parts) == 2 and all(isinstance(part, int) for part in parts):
            return parts
    return None


_PRODUCTS = {
    "linear": _linear, "matmul": _matmul, "mm": _matmul, "bmm": _matmul, "addmm": _addmm, "conv2d": _conv2d,
    "conv_transpose2d": _conv_transpose2d,
}  # fmt: skip

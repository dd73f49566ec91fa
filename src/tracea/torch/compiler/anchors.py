# SPDX-License-Identifier: MIT
"""The products of a graph: which node is a matrix product, convolution, attention or norm, and how tracea's operators state it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from tracea.torch import shapes
from tracea.torch.compiler import heads, one_call, row_wise
from tracea.torch.compiler.pointwise import argument, name_of


@dataclass
class Anchor:
    """A product: the operator that takes its place, its matrices, its bias, and the operator's settings.

    Attributes
    ----------
    node : torch.fx.Node
        The node of the graph.
    op : str
        ``matmul``, ``linear``, ``conv2d``, ``conv_transpose2d``, ``attention``, ``softmax`` or ``norm``.
    first, second : torch.fx.Node
        Images or rows, and filters or columns; queries and keys; rows and a norm's weight, None where there is none.
    bias : torch.fx.Node or None
        One value for each column (channel).
    settings : tuple
        What the operator takes between epilogue and backend.
    more : tuple of torch.fx.Node
        Inputs behind the second: the values of attention, a norm's bias or None.
    spelled_out : bool
        Whether several nodes of the graph say together what the operator does (`tracea.torch.compiler.spelled_out`).
    dropout : float
        The share of attention's weights that are dropped; while gradients are recorded, it need not be 0.
    """

    node: torch.fx.Node
    op: str
    first: torch.fx.Node
    second: Any
    bias: torch.fx.Node | None = None
    settings: tuple[Any, ...] = field(default_factory=tuple)
    more: tuple[torch.fx.Node | None, ...] = ()
    spelled_out: bool = False
    dropout: float = 0.0

    @property
    def given(self) -> tuple[torch.fx.Node | None, ...]:
        """What the operator takes ahead of its epilogue's operands."""
        return (self.first,) if self.op == "softmax" else (self.first, self.second, *self.more)

    @property
    def inputs(self) -> tuple[torch.fx.Node, ...]:
        """The same without what is missing."""
        return tuple(node for node in self.given if node is not None)


def value_of(node: Any) -> torch.Tensor | None:
    """Return the fake tensor that Dynamo keeps for a node."""
    found = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
    return found if isinstance(found, torch.Tensor) else None


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Whether a tensor belongs to a level of ``torch.func``, which shows less of it than there is (one of a batch) or keeps more."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))


def innermost(tensor: torch.Tensor) -> torch.Tensor:
    """Return what all levels of ``torch.func`` around a tensor hold."""
    while is_wrapped(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


def anchor_of(node: torch.fx.Node) -> Anchor | str | None:
    """Return the product that a node is, why it cannot be taken, or None if it is no product."""
    name = name_of(node)
    make = _PRODUCTS.get(name)
    if make is None or node.op not in ("call_function", "call_method"):
        return None
    own = value_of(node)
    if own is not None and is_wrapped(own):
        return "it stands in a transform of torch.func, whose levels take it apart before a kernel could"
    made = make(node)
    if made is None:
        return None
    if isinstance(made, str):
        return made
    tensors = [value_of(n) for n in (node, *made.inputs)]
    result, *inputs = (tensor for tensor in tensors if tensor is not None)
    if len(inputs) != len(made.inputs):
        return "its operands are not known while the graph is compiled"
    reason = unfit(made, inputs)
    if reason is not None:
        return reason
    first, second = inputs[0], inputs[min(1, len(inputs) - 1)]
    if result.dim() != (4 if made.op in shapes.CONVOLUTIONS else max(first.dim(), second.dim())):
        return "the result has another number of axes"
    return made


def unfit(made: Anchor, inputs: Sequence[torch.Tensor]) -> str | None:
    """Return why an operator cannot be given such tensors, None if it can."""
    first, second = inputs[0], inputs[min(1, len(inputs) - 1)]
    multiplied = inputs[:-1] if made.op == heads.MASKED else inputs  # a mask may say which keys are seen
    if not all(tensor.dtype.is_floating_point for tensor in multiplied):
        return f"its operands are {first.dtype} and {second.dtype}, not floating-point"
    if any(t.device != first.device for t in inputs) or type(first).__name__ not in (
        "FakeTensor",
        "Tensor",
        "Parameter",
    ):
        return "its operands are on different devices or of a tensor subclass"
    if any(tensor.layout is not torch.strided for tensor in inputs):
        return "an operand is not strided"
    return None


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
    if padding == "same" and dilation is not None:
        reach = [step * (extent - 1) for step, extent in zip(dilation, second.shape[2:], strict=True)]
        if any(not isinstance(each, int) or each % 2 for each in reach):
            return "padding='same' with an even filter pads its two sides differently"
        padding = [each // 2 for each in reach]
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


def _attention(node: torch.fx.Node) -> Anchor | str | None:
    inputs = [argument(node, place, name) for place, name in enumerate(("query", "key", "value"))]
    tensors = [value_of(each) for each in (*inputs, node)]
    known = [tensor for tensor in tensors if tensor is not None]
    mask = argument(node, 3, "attn_mask")
    if len(known) != len(tensors) or (mask is not None and value_of(mask) is None):
        return "its operands are not known while the graph is compiled"
    recorded, dropout = known[-1].requires_grad, argument(node, 4, "dropout_p", 0.0)
    causal, scale = argument(node, 5, "is_causal", False), argument(node, 6, "scale")
    drops = recorded and heads.is_share(dropout)
    given = None if mask is None else value_of(mask)
    reason = heads.why_not(known, given, 0.0 if drops else dropout, causal, scale, same_extent)
    name, more = (heads.NAME, (inputs[2],)) if mask is None else (heads.MASKED, (inputs[2], mask))
    if recorded:
        shared = bool(node.kwargs.get("enable_gqa", False))
        if reason is not None or not one_call.has_no_kernel((*known[:3], *([] if given is None else [given])), shared):
            return None
    elif reason is not None:
        return reason
    share = dropout if drops else 0.0
    return Anchor(node, name, inputs[0], inputs[1], None, (causal, None, None, scale), more, dropout=share)


def _row_wise(node: torch.fx.Node) -> Anchor | str | None:
    x, result = value_of(argument(node, 0, "input")), value_of(node)
    if x is None or result is None:
        return "its operands are not known while the graph is compiled"
    if x.device.type not in row_wise.DEVICES or result.requires_grad:
        return None
    call = row_wise.call_of(node, x)
    if isinstance(call, str):
        return call
    rest = [value_of(each) for each in call.given[1:] if each is not None]
    if result.dtype is not x.dtype or any(tensor is None or tensor.dtype is not x.dtype for tensor in rest):
        return "its tensors are of several types"
    first, second, *more = (*call.given, None)[: max(2, len(call.given))]
    assert first is not None
    return Anchor(node, call.op, first, second, None, call.settings, tuple(more))


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
    "conv_transpose2d": _conv_transpose2d, "scaled_dot_product_attention": _attention,
    "softmax": _row_wise, "log_softmax": _row_wise, "layer_norm": _row_wise, "rms_norm": _row_wise,
}  # fmt: skip


def same(first: Any, second: Any) -> bool:
    """Whether two shapes are equal without asking (a question about a symbol would become a guard)."""
    return len(first) == len(second) and all(same_extent(a, b) for a, b in zip(first, second, strict=True))


def same_extent(a: Any, b: Any) -> bool:
    """Whether two extents are equal without asking."""
    if isinstance(a, torch.SymInt) or isinstance(b, torch.SymInt):
        return isinstance(a, torch.SymInt) and isinstance(b, torch.SymInt) and a.node.expr == b.node.expr
    return bool(a == b)

# SPDX-License-Identifier: MIT
"""Attention that a graph spells out: queries by keys, numbers added or places hidden, a softmax, and that by values.

Much of what people write predates PyTorch's one call for it, or adds biases of positions to scores. Kernels read those where they lie, so
scores need never be stored. Places that are filled with a large negative number stay as they are; a row that infinities hide as a whole
gives 0 here, as PyTorch's call does, where the spelled-out form gives NaN.

While gradients are recorded PyTorch's one call may take the place of the steps, dropout among them, if a trial says so
(`tracea.torch.compiler.one_call`). Queries and keys that are widened from 16 bits to single precision for their product are taken as they
were: a kernel's products are exact and its sums in single precision, too.

What an operator is given and a graph does not have, such as keys whose axes are turned back, `find` puts into the graph
(`tracea.torch.compiler.extra`). So it does for PyTorch's call with three or five axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from tracea.torch.compiler import heads
from tracea.torch.compiler.anchors import Anchor, is_wrapped, same, same_extent, unfit, value_of
from tracea.torch.compiler.extra import put, sweep
from tracea.torch.compiler.pointwise import argument, is_identity, is_in_place, name_of
from tracea.torch.compiler.scores import Added, back, sum_of, with_heads

_VIEWS, _TURNS = ("view", "reshape"), ("transpose", "swapaxes", "swapdims")
_CASTS = ("to", "type", "type_as", "float", "half", "bfloat16", "contiguous")
_FILLED, _HIDDEN = -1e9, -1e30
"""What people fill hidden places with, at most, and what stands for it: added to either, a score is lost in single precision."""
_NARROW = (torch.bfloat16, torch.float16)
_MOST_COLUMNS = 256
"""Columns of a head beyond which no device has a kernel; the products alone may have one."""


@dataclass
class SpelledOut:
    """What stands for attention: its operator, its nodes in graph order, and views to be applied to the operator's result."""

    anchor: Anchor
    nodes: tuple[torch.fx.Node, ...]
    views: tuple[torch.fx.Node, ...]


@dataclass
class _Scores:
    """Scores on their way to weights: the nodes so far, what they are multiplied by (`factors` head by head), what is added and dropped."""

    nodes: list[torch.fx.Node]
    scale: float = 1.0
    factors: list[torch.fx.Node] = field(default_factory=list)
    added: list[Added] = field(default_factory=list)
    dropout: float = 0.0


def find(graph: torch.fx.Graph) -> dict[torch.fx.Node, SpelledOut]:
    """Return attention that a graph spells out, by the product of queries and keys."""
    sweep(graph)  # which may be a copy of one that was searched
    order = list(graph.nodes)
    found: dict[torch.fx.Node, SpelledOut] = {}
    for node in order:
        made = _attention(node)
        if made is not None:
            inside = set(made.nodes)
            found[node] = SpelledOut(made.anchor, tuple(n for n in order if n in inside), made.views)
    return found


def _attention(node: torch.fx.Node) -> SpelledOut | None:
    """Return the attention whose scores a node is, or that it is as a whole but for axes."""
    if node.op in ("call_function", "call_method") and name_of(node) == "scaled_dot_product_attention":
        return _of_other_axes(node)
    factors = _factors(node, values=False)
    if factors is None or any(tensor is None or is_wrapped(tensor) for tensor in map(value_of, (node, *factors))):
        return None
    scores = _weights(node)
    if scores is None:
        return None
    weights = scores.nodes[-1]
    end = next(iter(weights.users))
    ends = _factors(end, values=True)
    if ends is None or ends[0] is not weights:
        return None
    query, key = factors
    before: list[torch.fx.Node] = []
    query, scale = _unscaled(query, node, scores.scale, before)
    if name_of(node) != "einsum":
        turned = _turned(key)
        key = turned if turned is not None else put(node, "transpose", key, -2, -1)
    key, scale = _unscaled(key, node, scale, before)
    end_value, start_value = value_of(end), value_of(node)
    assert end_value is not None and start_value is not None
    widened = start_value.dtype is not end_value.dtype
    if widened:
        narrow = [_unwidened(one, end_value.dtype) for one in (query, key)]
        if narrow[0] is None or narrow[1] is None or scores.factors:
            return None
        query, key = narrow  # type: ignore[assignment]
    for factor in scores.factors:
        query = put(end, torch.mul, query, factor)
    mask = sum_of(end, scores.added, start_value, end_value.dtype, narrows=not widened) if scores.added else None
    if (scores.added and mask is None) or not same(start_value.shape[:-2], end_value.shape[:-2]):
        return None
    anchor, views = _stated((query, key, ends[1]), mask, False, scale, end, scores.dropout)
    return (
        None if anchor is None else SpelledOut(replace(anchor, spelled_out=True), (*before, *scores.nodes, end), views)
    )


def _of_other_axes(node: torch.fx.Node) -> SpelledOut | None:
    """Return one call without a mask whose tensors have three or five axes, which PyTorch computes in steps."""
    given = [argument(node, place, name) for place, name in enumerate(("query", "key", "value"))]
    tensors = [value_of(one) for one in (*given, node)]
    mask, dropout = argument(node, 3, "attn_mask"), argument(node, 4, "dropout_p", 0.0)
    causal, scale = argument(node, 5, "is_causal", False), argument(node, 6, "scale")
    if any(t is None or is_wrapped(t) or t.dim() not in (3, 5) for t in tensors):
        return None
    own = value_of(node)
    recorded = own is not None and own.requires_grad
    share = dropout if recorded and heads.is_share(dropout) else 0.0
    if mask is not None or dropout != share:
        return None
    anchor, views = _stated(tuple(given), None, causal, scale, node, share)
    return None if anchor is None else SpelledOut(replace(anchor, spelled_out=recorded), (node,), views)


def _stated(
    given: tuple[torch.fx.Node, ...],
    mask: torch.fx.Node | None,
    causal: Any,
    scale: Any,
    end: torch.fx.Node,
    dropout: float = 0.0,
) -> tuple[Anchor | None, tuple[torch.fx.Node, ...]]:
    """Return the operator that computes what ends at a node, if it can, and the views that follow it."""
    result, tensors = value_of(end), [value_of(node) for node in given]
    known = [tensor for tensor in tensors if tensor is not None]
    if result is None or len(known) != len(tensors) or (dropout and not result.requires_grad):
        return None, ()
    if any(tensor.dtype not in (result.dtype, torch.float32) for tensor in known):  # the latter under autocast
        return None, ()
    widths = [tensor.shape[-1] for tensor in known]
    if any(isinstance(width, int) and width > _MOST_COLUMNS for width in widths):
        return None, ()
    if not all(same(tensor.shape[:-2], result.shape[:-2]) for tensor in known):
        return None, ()
    query, key, value, shown = [with_heads(end, node) for node in (*given, end)]
    if query is None or key is None or value is None or shown is None:
        return None, ()
    told = [t for t in map(value_of, (query, key, value, shown)) if t is not None]
    if heads.why_not(told, value_of(mask), 0.0, causal, scale, same_extent) is not None:
        return None, ()
    op, more = (heads.NAME, (value,)) if mask is None else (heads.MASKED, (value, mask))
    anchor = Anchor(end, op, query, key, None, (causal, None, None, scale), more, dropout=dropout)
    if unfit(anchor, [tensor for tensor in map(value_of, anchor.inputs) if tensor is not None]) is not None:
        return None, ()
    return anchor, back(end, shown)


# ---- what a graph says


def _factors(node: torch.fx.Node, values: bool) -> tuple[torch.fx.Node, torch.fx.Node] | None:
    """Return the factors of a product of three to five axes: queries by keys, whose columns meet, or weights by `values`.

    Of keys a plain product takes the transposed; an equation takes them as they are.
    """
    name = name_of(node)
    if node.op not in ("call_function", "call_method"):
        return None
    if name in ("matmul", "bmm") and node.kwargs.get("out") is None:
        left, right = argument(node, 0, "input"), argument(node, 1, "other", node.kwargs.get("mat2"))
    elif name == "baddbmm" and not (values or is_in_place(node)) and argument(node, 3, "beta", 1) == 0:
        left, right = argument(node, 1, "batch1"), argument(node, 2, "batch2")  # what they are added to is not read
    elif name == "einsum" and len(node.args) == 3 and isinstance(node.args[0], str) and _means(node.args[0], values):
        left, right = node.args[1:]
    else:
        return None
    own, first, second = value_of(node), value_of(left), value_of(right)
    if own is None or first is None or second is None or not first.dim() == second.dim() == own.dim() in (3, 4, 5):
        return None
    return left, right


def _means(equation: str, values: bool) -> bool:
    """Whether an equation is a product of matrices, batch by batch, of weights and values or of queries and keys."""
    terms, _, result = equation.replace(" ", "").partition("->")
    left, _, right = terms.partition(",")
    if not all(term.isalpha() and len(set(term)) == len(term) for term in (left, right, result)):
        return False
    if min(len(left), len(right)) < 3:
        return False
    batch, row, inner = left[:-2], left[-2], left[-1]
    column = right[-1] if values else right[-2]
    expected = batch + (inner + column if values else column + inner)
    return right == expected and result == batch + row + column and column not in left


def _weights(node: torch.fx.Node) -> _Scores | None:
    """Follow scores to what multiplies values, each seen by nobody but the next; None if that is no softmax of them."""
    alpha = argument(node, 4, "alpha", 1) if name_of(node) == "baddbmm" else 1
    found, normal = _Scores([node], float(alpha) if isinstance(alpha, int | float) else math.nan), False
    start = value_of(node)
    if start is None or not math.isfinite(found.scale):
        return None
    while True:
        last = found.nodes[-1]
        own = value_of(last)
        users = [user for user in last.users if not _asks_for_type(user, last)]
        narrowed = normal and own is not None and start.dtype is torch.float32 and own.dtype in _NARROW
        if len(users) != 1 or own is None or not (narrowed or own.dtype in (start.dtype, torch.float32)):
            return None
        (user,) = users
        name, after = name_of(user), value_of(user)
        if normal and name in ("matmul", "bmm", "einsum"):
            inside = {*found.nodes, user}
            whole = all(inside.issuperset(node.users) for node in found.nodes)
            return found if whole and same(own.shape, start.shape) else None
        if (
            after is None
            or user.op not in ("call_function", "call_method")
            or not same(after.shape[-2:], start.shape[-2:])
        ):
            return None
        if name == "softmax" and not normal and argument(user, 0, "input") is last:
            normal = argument(user, 1, "dim") in (-1, own.dim() - 1)
            if not normal:
                return None
        elif normal and name == "dropout" and not is_in_place(user) and not found.dropout and not is_identity(user):
            found.dropout = argument(user, 1, "p", 0.5)
            if argument(user, 2, "training", True) is not True or not heads.is_share(found.dropout):
                return None
        elif not (is_identity(user) or (name in (*_CASTS, *_VIEWS) and user.args[0] is last)) and (
            normal or not _is_step(user, name, start, found)
        ):
            return None
        found.nodes.append(user)


def _asks_for_type(user: torch.fx.Node, node: torch.fx.Node) -> bool:
    """Whether all that a node is to another is an example of a type."""
    return name_of(user) == "type_as" and user.args[0] is not node


def _is_step(user: torch.fx.Node, name: str, start: torch.Tensor, scores: _Scores) -> bool:
    """Whether a node scales scores, adds to them or hides some, which is noted."""
    last = scores.nodes[-1]
    own = value_of(last)
    if own is None or (is_in_place(user) and user.args[0] is not last):
        return False
    others: list[Any] = [a for a in (*user.args, *user.kwargs.values()) if a is not last]
    first = bool(user.args) and (user.args[0] is last or name in ("add", "mul", "where"))
    if len(others) != (2 if name in ("masked_fill", "where") else 1) or not first:
        return False
    after, other = value_of(user), others[0]
    if after is None or not same(after.shape, own.shape):
        return False
    number = _number(other)
    if name in ("mul", "div", "truediv") and number is not None and not scores.added:
        scores.scale *= number if name == "mul" else 1.0 / number if number else math.nan
        return math.isfinite(scores.scale)
    tensor = value_of(other)
    if tensor is None:
        return False
    if (
        name == "mul"
        and tensor.dtype is own.dtype is start.dtype
        and same(tensor.shape[-2:], (1, 1))
        and not scores.added
    ):
        scores.factors.append(other)
        return same(own.shape, start.shape)
    if name == "add" and tensor.dtype.is_floating_point:
        scores.added.append(Added(other, tuple(own.shape)))
        return True
    filled = _number(others[-1])
    placed = name == "masked_fill" or (name == "where" and not user.kwargs)
    if placed and filled is not None and tensor.dtype is torch.bool:
        finite = math.isfinite(filled)
        before = {one.hidden for one in scores.added} - {None}
        seen = name == "where" and user.args[-1] is not last  # also as a method, of the scores themselves
        hides = put(user, torch.logical_not, other) if seen else other
        scores.added.append(Added(hides, tuple(own.shape), _HIDDEN if finite else filled))
        again = bool(before) and (finite or _HIDDEN in before)  # the last one counts where a row sees nothing
        return filled <= _FILLED and not again and not (finite and start.dtype is torch.float16)
    return False


def _number(given: Any) -> float | None:
    """Return a number, also one that a graph makes a tensor of that has no axes; None if it is none that is known."""
    if isinstance(given, torch.fx.Node):
        made, value = name_of(given), value_of(given)
        if made not in ("full", "tensor") or value is None or value.dim() or not value.is_floating_point():
            return None
        given = argument(given, 1, "fill_value") if made == "full" else argument(given, 0, "data")
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None


def _unscaled(
    node: torch.fx.Node, user: torch.fx.Node, scale: float, inside: list[torch.fx.Node]
) -> tuple[torch.fx.Node, float]:
    """Return what queries or keys are before a number multiplies them for nobody else, and the number with it."""
    factor = node.args[1] if len(node.args) == 2 else None
    if name_of(node) not in ("mul", "div", "truediv") or is_in_place(node) or len(node.users) != 1 or node.kwargs:
        return node, scale
    source, own = value_of(node.args[0]), value_of(node)
    if (
        not isinstance(factor, int | float)
        or not factor
        or source is None
        or own is None
        or source.dtype is not own.dtype
    ):
        return node, scale
    if not (set(node.users) <= {user} or all(_turned(other) is node for other in node.users)):
        return node, scale
    inside.append(node)
    return node.args[0], scale * factor if name_of(node) == "mul" else scale / factor  # type: ignore[return-value]


def _unwidened(node: torch.fx.Node, dtype: torch.dtype) -> torch.fx.Node | None:
    """Return what of a 16-bit type a node widens to single precision; None if it does no such thing."""
    source = node.args[0] if name_of(node) in _CASTS and node.args else None
    own, before = value_of(node), value_of(source)
    if own is None or before is None or own.dtype is not torch.float32 or before.dtype is not dtype:
        return None
    return source if dtype in _NARROW else None  # type: ignore[return-value]


def _turned(node: torch.fx.Node) -> torch.fx.Node | None:
    """Return the node of which this one is the transposed, its last two axes exchanged."""
    own = value_of(node)
    if own is None or name_of(node) not in _TURNS or len(node.args) != 3 or not isinstance(node.args[0], torch.fx.Node):
        return None
    axes = {axis % own.dim() for axis in node.args[1:] if isinstance(axis, int)}
    return node.args[0] if axes == {own.dim() - 2, own.dim() - 1} else None

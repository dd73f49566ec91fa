# SPDX-License-Identifier: MIT
"""Tensors of attention with four axes, batches, heads, positions and columns, and all that is added to scores as one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from tracea.torch.compiler.anchors import same, value_of
from tracea.torch.compiler.extra import put
from tracea.torch.compiler.pointwise import name_of


class Added(NamedTuple):
    """What is added to scores that have a shape then: numbers, or `hidden` where truths are true."""

    node: torch.fx.Node
    shape: tuple[Any, ...]
    hidden: float | None = None


def with_heads(before: torch.fx.Node, node: torch.fx.Node) -> torch.fx.Node | None:
    """Return a tensor with axes of batches, heads, positions and columns: of five axes the first two as one, where no copy is made."""
    tensor = value_of(node)
    assert tensor is not None
    place = before if before is not node else before.next
    if tensor.dim() == 4:
        return node
    if tensor.dim() == 3:
        return put(place, "unsqueeze", node, 1)
    (outer, inner, *_), (step, inner_step, *_) = tensor.shape, tensor.stride()
    numbers = all(isinstance(n, int) for n in (outer, inner, step, inner_step))
    if not numbers or not (outer == 1 or step == inner * inner_step):
        return None
    return put(place, "flatten", node, 0, 1)


def back(node: torch.fx.Node, shown: torch.fx.Node) -> tuple[torch.fx.Node, ...]:
    """Return the view that makes of a result with heads what stands at `node`."""
    tensor = value_of(node)
    assert tensor is not None
    if shown is node:
        return ()
    if tensor.dim() == 3:
        return (put(shown.next, "squeeze", shown, 1),)
    return (put(shown.next, "unflatten", shown, 0, tuple(tensor.shape[:2])),)


def sum_of(
    before: torch.fx.Node, added: Sequence[Added], scores: torch.Tensor, dtype: torch.dtype, narrows: bool = True
) -> torch.fx.Node | None:
    """Return all that is added to scores, with axes that those with heads have; None where types or shapes do not allow it.

    With `narrows`, products of the steps are no more exact than `dtype`, which learned numbers in single precision are then brought to.
    """
    shapes = [one.shape for one in added if not same(one.shape, scores.shape)]
    shape = shapes[0] if shapes else tuple(scores.shape)
    kept = 3 if scores.dim() > 3 else 2
    apart = not same(shape[-3:], scores.shape[-3:])  # then what is added at one shape means something else at the other
    if not all(same(other, shape) for other in shapes) or (apart and len(shapes) < len(added)):
        return None
    total: torch.fx.Node | None = None
    for one in added:
        tensor = value_of(one.node)
        assert tensor is not None
        spread = not same(tensor.shape[:-kept], (1,) * (tensor.dim() - kept))
        narrowed = narrows and tensor.dtype is torch.float32 and dtype.itemsize == 2 and is_learned(one.node)
        if one.hidden is None and tensor.dtype is not dtype and not narrowed:
            return None
        if spread and not same(one.shape, shape):
            return None
        term = one.node
        if one.hidden is not None:
            numbers = put(before, torch.where, term, one.hidden, 0.0)
            term = put(before, "to", numbers, dtype)
        if one.hidden is None and narrowed:
            term = put(before, "to", term, dtype)
        total = term if total is None else put(before, torch.add, total, term)
    assert total is not None
    return _on_heads(before, total, shape, scores)


def is_learned(node: torch.fx.Node) -> bool:
    """Whether all numbers that a node is made of are parameters, which are about as large as the scores that they are added to.

    Numbers that come of positions, such as those of ALiBi, may be in the hundreds: rounded to 16 bits, neighbours would be one.
    """
    waiting, seen = [node], set[torch.fx.Node]()
    while waiting:
        step = waiting.pop()
        tensor = value_of(step)
        if tensor is None or not tensor.is_floating_point():
            return False
        if step in seen:
            continue
        seen.add(step)
        if step.op in ("placeholder", "get_attr"):
            if not tensor.requires_grad:
                return False
            continue
        lookup = name_of(step) in _LOOKUPS
        waiting += [s for s in step.all_input_nodes if not (lookup and _is_place(s))]
        if not step.all_input_nodes:
            return False
    return True


_LOOKUPS = ("getitem", "index_select", "gather", "embedding")


def _is_place(node: torch.fx.Node) -> bool:
    tensor = value_of(node)
    return tensor is not None and not tensor.is_floating_point()


def _on_heads(
    before: torch.fx.Node, total: torch.fx.Node, shape: tuple[Any, ...], scores: torch.Tensor
) -> torch.fx.Node | None:
    """Return what broadcasts to scores of a shape as what broadcasts to scores with heads."""
    tensor = value_of(total)
    assert tensor is not None
    kept = 3 if len(shape) > 3 and scores.dim() > 3 else 2
    if tensor.dim() <= kept or (scores.dim() == 4 and same(shape, scores.shape)):
        return total
    if scores.dim() == 3 and len(shape) == 3:
        return put(before, "unsqueeze", total, 1)
    if not all(isinstance(extent, int) for extent in (*shape, *scores.shape)):
        return None
    if all(extent == 1 for extent in tensor.shape[:-3]) and kept == 3:
        return put(before, "reshape", total, tensor.shape[-3:])
    whole = put(before, "expand", total, shape)
    rows = (-1, *scores.shape[-3:]) if scores.dim() > 3 else (-1, 1, *scores.shape[-2:])
    return put(before, "reshape", whole, rows)

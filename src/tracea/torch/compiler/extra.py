# SPDX-License-Identifier: MIT
"""Nodes that a graph does not have and an operator is given: they are put into it, and taken out again where nobody reads them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from tracea.torch.compiler.anchors import same, value_of

if TYPE_CHECKING:
    from tracea.torch.compiler.spelled_out import Added

_MARK = "tracea.extra"


def is_extra(node: torch.fx.Node) -> bool:
    """Whether a node was put into its graph here."""
    return bool(node.meta.get(_MARK))


def sweep(graph: torch.fx.Graph) -> None:
    """Take out of a graph what was put into it and nobody reads."""
    for node in reversed(list(graph.nodes)):
        if is_extra(node) and not node.users:
            graph.erase_node(node)


def _mode(values: Any) -> Any:
    """Return the mode in which tensors without memory were made, and in which numbers become such, too."""
    return next(
        (leaf.fake_mode for leaf in tree_leaves(values) if isinstance(leaf, FakeTensor)), contextlib.nullcontext()
    )


class Extra:
    """What is put into one graph."""

    def __init__(self, graph: torch.fx.Graph) -> None:
        self.graph = graph

    def call(self, before: torch.fx.Node, target: Any, *arguments: Any, **options: Any) -> torch.fx.Node:
        """Put a call ahead of a node: of a function, or of a tensor's method by its name."""
        with self.graph.inserting_before(before):
            make = self.graph.call_method if isinstance(target, str) else self.graph.call_function
            node = make(target, arguments, options)
        known: Any = torch.fx.node.map_arg((arguments, options), value_of)
        function = getattr(torch.Tensor, target) if isinstance(target, str) else target
        with _mode(known):
            node.meta = {"example_value": function(*known[0], **known[1]), _MARK: True}
        return node

    def with_heads(self, before: torch.fx.Node, node: torch.fx.Node) -> torch.fx.Node | None:
        """Return a tensor with axes of batches, heads, positions and columns: of five axes the first two as one, where no copy is made."""
        tensor = value_of(node)
        assert tensor is not None
        place = before if before is not node else before.next
        if tensor.dim() == 4:
            return node
        if tensor.dim() == 3:
            return self.call(place, "unsqueeze", node, 1)
        (outer, inner, *_), (step, inner_step, *_) = tensor.shape, tensor.stride()
        numbers = all(isinstance(n, int) for n in (outer, inner, step, inner_step))
        if not numbers or not (outer == 1 or step == inner * inner_step):
            return None
        return self.call(place, "flatten", node, 0, 1)

    def back(self, node: torch.fx.Node, shown: torch.fx.Node) -> tuple[torch.fx.Node, ...]:
        """Return the view that makes of a result with heads what stands at `node`."""
        tensor = value_of(node)
        assert tensor is not None
        if shown is node:
            return ()
        if tensor.dim() == 3:
            return (self.call(shown.next, "squeeze", shown, 1),)
        return (self.call(shown.next, "unflatten", shown, 0, tuple(tensor.shape[:2])),)

    def sum_of(
        self, before: torch.fx.Node, added: Sequence[Added], scores: torch.Tensor, dtype: torch.dtype
    ) -> torch.fx.Node | None:
        """Return all that is added to scores, with axes that those with heads have; None where types or shapes do not allow it."""
        shapes = [one.shape for one in added if not same(one.shape, scores.shape)]
        shape = shapes[0] if shapes else tuple(scores.shape)
        total: torch.fx.Node | None = None
        for one in added:
            tensor = value_of(one.node)
            assert tensor is not None
            spread = tensor.dim() > (3 if scores.dim() > 3 else 2)
            narrowed = tensor.dtype is torch.float32 and dtype.itemsize == 2  # scores of the steps are no more exact
            if one.hidden is None and tensor.dtype is not dtype and not narrowed:
                return None
            if spread and not same(one.shape, shape):
                return None
            term = one.node
            if one.hidden is not None:
                numbers = self.call(before, torch.where, term, one.hidden, 0.0)
                term = self.call(before, "to", numbers, dtype)
            if one.hidden is None and narrowed:
                term = self.call(before, "to", term, dtype)
            total = term if total is None else self.call(before, torch.add, total, term)
        assert total is not None
        return self._on_heads(before, total, shape, scores)

    def _on_heads(
        self, before: torch.fx.Node, total: torch.fx.Node, shape: tuple[Any, ...], scores: torch.Tensor
    ) -> torch.fx.Node | None:
        """Return what broadcasts to scores of a shape as what broadcasts to scores with heads."""
        tensor = value_of(total)
        assert tensor is not None
        kept = 3 if len(shape) > 3 and scores.dim() > 3 else 2
        if tensor.dim() <= kept or (scores.dim() == 4 and same(shape, scores.shape)):
            return total
        if scores.dim() == 3 and len(shape) == 3:
            return self.call(before, "unsqueeze", total, 1)
        if not all(isinstance(extent, int) for extent in (*shape, *scores.shape)):
            return None
        if all(extent == 1 for extent in tensor.shape[:-3]) and kept == 3:
            return self.call(before, "reshape", total, tensor.shape[-3:])
        whole = self.call(before, "expand", total, shape)
        rows = (-1, *scores.shape[-3:]) if scores.dim() > 3 else (-1, 1, *scores.shape[-2:])
        return self.call(before, "reshape", whole, rows)

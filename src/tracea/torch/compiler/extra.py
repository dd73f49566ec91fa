# SPDX-License-Identifier: MIT
"""Nodes that a graph does not have and an operator is given: they are put into it, and taken out again where nobody reads them."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from tracea.torch.compiler.anchors import value_of

_MARK = "tracea.extra"


def is_extra(node: torch.fx.Node) -> bool:
    """Whether a node was put into its graph here."""
    return bool(node.meta.get(_MARK))


def put(before: torch.fx.Node, target: Any, *arguments: Any, **options: Any) -> torch.fx.Node:
    """Put a call ahead of a node: of a function, or of a tensor's method by its name."""
    graph = before.graph
    with graph.inserting_before(before):
        make = graph.call_method if isinstance(target, str) else graph.call_function
        node = make(target, arguments, options)
    known: Any = torch.fx.node.map_arg((arguments, options), value_of)
    function = getattr(torch.Tensor, target) if isinstance(target, str) else target
    with _mode(known):
        node.meta = {"example_value": function(*known[0], **known[1]), _MARK: True}
    return node


def sweep(graph: torch.fx.Graph) -> None:
    """Take out of a graph what was put into it and nobody reads."""
    for node in reversed(list(graph.nodes)):
        if is_extra(node) and not node.users:
            graph.erase_node(node)


def _mode(values: Any) -> Any:
    """Return the mode in which tensors without memory were made, and in which numbers become such, too."""
    leaves = (leaf.fake_mode for leaf in tree_leaves(values) if isinstance(leaf, FakeTensor))
    return next(leaves, contextlib.nullcontext())

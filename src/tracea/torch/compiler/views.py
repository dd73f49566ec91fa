# SPDX-License-Identifier: MIT
"""Views of a result: whether all that reads it comes to the same, though it lies otherwise than PyTorch's does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.extra import is_extra
from tracea.torch.compiler.pointwise import name_of
from tracea.torch.compiler.sketch import hint

_VIEWS = ("transpose", "permute", "swapaxes", "reshape", "view", "flatten", "contiguous")


def alike(node: torch.fx.Node, steps: tuple[int, ...]) -> bool:
    """Whether every reader of a node is a view that ends in memory which lies as before, if the node's value lies at strides `steps`.

    Such as heads that are brought side by side, which is a copy of heads that lie apart and nothing at all of others. What views come to is
    asked of tensors without memory; one that would not be possible any more is not alike.
    """
    readers = [reader for reader in node.users if not is_extra(reader)]
    return bool(readers) and all(_is_alike(reader, node, steps) for reader in readers)


def through(nodes: Sequence[torch.fx.Node], steps: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides that views come to, one after the other, of what lies at strides `steps`."""
    for node in nodes:
        before = value_of(node.args[0])
        assert before is not None
        steps = _viewed(node, torch.empty_strided(tuple(hint(extent) for extent in before.shape), steps, device="meta"))
    return steps


def _is_alike(reader: torch.fx.Node, node: torch.fx.Node, steps: tuple[int, ...]) -> bool:
    value, before = value_of(node), value_of(reader)
    if value is None or before is None or name_of(reader) not in _VIEWS or reader.all_input_nodes != [node]:
        return False
    x = torch.empty_strided(tuple(hint(extent) for extent in value.shape), steps, device="meta")
    try:
        after = _viewed(reader, x)
    except (RuntimeError, TypeError):  # no such view, or an extent that is not known yet
        return False
    return after == tuple(hint(step) for step in before.stride()) or alike(reader, after)


def _viewed(node: torch.fx.Node, x: torch.Tensor) -> tuple[int, ...]:
    """Return the strides of a view of something else."""
    given: Any = torch.fx.node.map_arg((node.args, node.kwargs), lambda _: x)
    call: Any = getattr(torch.Tensor, str(node.target)) if node.op == "call_method" else node.target
    return tuple(call(*given[0], **given[1]).stride())

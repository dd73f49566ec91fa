# SPDX-License-Identifier: MIT
"""Views of a result: whether all that reads it comes to the same, though it lies otherwise than PyTorch's does."""

from __future__ import annotations

from typing import Any

import torch

from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.pointwise import name_of
from tracea.torch.compiler.sketch import hint

_VIEWS = ("transpose", "permute", "swapaxes", "reshape", "view", "flatten", "contiguous")


def alike(node: torch.fx.Node, steps: tuple[int, ...]) -> bool:
    """Whether every reader of a node is a view that ends in memory which lies as before, if the node's value lies at strides `steps`.

    Such as heads that are brought side by side, which is a copy of heads that lie apart and nothing at all of others. What views come to is
    asked of tensors without memory; one that would not be possible any more is not alike.
    """
    return bool(node.users) and all(_is_alike(reader, node, steps) for reader in node.users)


def _is_alike(reader: torch.fx.Node, node: torch.fx.Node, steps: tuple[int, ...]) -> bool:
    value, before = value_of(node), value_of(reader)
    if value is None or before is None or name_of(reader) not in _VIEWS or reader.all_input_nodes != [node]:
        return False
    x = torch.empty_strided(tuple(hint(extent) for extent in value.shape), steps, device="meta")
    given: Any = torch.fx.node.map_arg((reader.args, reader.kwargs), lambda _: x)
    call: Any = getattr(torch.Tensor, str(reader.target)) if reader.op == "call_method" else reader.target
    try:
        after = tuple(call(*given[0], **given[1]).stride())
    except (RuntimeError, TypeError):  # no such view, or an extent that is not known yet
        return False
    return after == tuple(hint(step) for step in before.stride()) or alike(reader, after)

# SPDX-License-Identifier: MIT
"""Which activations ride in a kernel while gradients are recorded: those between two products, whose argument the kernel stores as well.

The slope of GELU is a function of what it is applied to, so the backward pass wants that in memory; a kernel that stored GELU of it alone
would have to compute it again. One that stores both saves the pass that reads the one and writes the other. Where one product alone
reads the activation's result, both products become one operator (`tracea.torch.feed_forward`), whose backward pass keeps no more for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.named import parse_epilogue

from tracea.torch import auxiliary, feed_forward
from tracea.torch.compiler.anchors import Anchor, anchor_of, value_of
from tracea.torch.compiler.pointwise import name_of
from tracea.torch.compiler.regions import Feed, Region, inputs_change

DEVICES = ("cpu", "cuda")
"""Where it was measured what that gains."""


class Follower(NamedTuple):
    """The product that alone reads a region's result, and views on the way to it."""

    node: torch.fx.Node
    between: tuple[torch.fx.Node, ...]
    reads: torch.fx.Node


def parts_of(region: Region) -> tuple[str, str] | None:
    """Return a region's epilogue as what is to be stored and an activation of it; None where nothing is."""
    first, result = value_of(region.anchor.first), value_of(region.exit)
    if first is None or result is None or not result.requires_grad or first.device.type not in DEVICES:
        return None
    if not _is_plain(region.anchor) or _follower(region) is None:
        return None
    try:
        return feed_forward.parted(region.text)
    except OptionError:
        return None


def alone(node: torch.fx.Node) -> Region:
    """Return the region of a product with its bias and nothing else."""
    made = anchor_of(node)
    assert isinstance(made, Anchor)
    if made.bias is None:
        return Region(made, node, (node,), IDENTITY, ())
    return Region(made, node, (node,), parse_epilogue("bias"), (Feed(made.bias),))


def mark(regions: Sequence[Region], order: list[torch.fx.Node], cheap: Sequence[bool]) -> list[Region]:
    """Return regions with what is stored besides their results; without those that cannot be one operator with what follows.

    Parameters
    ----------
    regions : sequence of Region
        Those of one graph, found while gradients are recorded.
    order : list of torch.fx.Node
        The graph's nodes.
    cheap : sequence of bool
        Whether the backward pass of each needs no sums, so that nothing is stored for it.
    """
    by_anchor = {region.anchor.node: region for region in regions}
    found, ends = list[Region](), set[torch.fx.Node]()
    for region, free in zip(regions, cheap, strict=True):
        parts = None if free else parts_of(region)
        if parts is None:
            found.append(region)
            continue
        node, between, reads = follower_of(region)
        behind = by_anchor.get(node) or alone(node)
        nodes = (*region.nodes, *between, *behind.nodes)
        if region.anchor.first in ends or inputs_change(Region(region.anchor, behind.exit, nodes, IDENTITY, ()), order):
            continue
        ends.add(reads)
        found.append(replace(region, parts=parts))
    return found


def follower_of(region: Region) -> Follower:
    """Return what alone reads a region whose result is one of two."""
    found = _follower(region)
    assert found is not None
    return found


def _follower(region: Region) -> Follower | None:
    """Return what alone reads a region's result, unless an activation follows it that could ride in turn."""
    reads, between = region.exit, tuple[torch.fx.Node, ...]()
    if region.views:  # undone ahead of the product
        view = _only_user(reads)
        flat, product = value_of(view), value_of(region.anchor.node)
        if view is None or flat is None or product is None or name_of(view) not in _VIEWS:
            return None
        if any(type(extent) is not int for extent in (*flat.shape, *product.shape)) or flat.shape != product.shape:
            return None
        reads, between = view, (view,)
    node = _only_user(reads)
    made, result, given = (None if node is None else anchor_of(node)), value_of(node), value_of(reads)
    if node is None or not isinstance(made, Anchor) or made.first is not reads or made.second is reads:
        return None
    if result is None or given is None or result.dtype is not given.dtype or not _is_plain(made):
        return None
    bias = value_of(made.bias)
    if made.bias is not None and (bias is None or bias.dim() != 1):
        return None  # a matrix that `addmm` adds
    followed = any(name_of(user) in auxiliary.SLOPES for user in node.users)
    return None if followed else Follower(node, between, reads)


_VIEWS = ("view", "reshape", "flatten")


def _only_user(node: torch.fx.Node) -> torch.fx.Node | None:
    return next(iter(node.users)) if len(node.users) == 1 else None


def _is_plain(anchor: Anchor) -> bool:
    """Whether a product is of one matrix, and nothing else is asked of it."""
    weight = value_of(anchor.second)
    known = feed_forward.SETTINGS.get(anchor.op)
    return known is not None and anchor.settings == known and weight is not None and weight.dim() == 2

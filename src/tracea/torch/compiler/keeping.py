# SPDX-License-Identifier: MIT
"""Which activations ride in a kernel while gradients are recorded: those between two products, whose argument the kernel stores as well.

The slope of GELU is a function of what it is applied to, so the backward pass wants that in memory; a kernel that stored GELU of it alone
would have to compute it again. One that stores both saves the pass that reads the one and writes the other. Where one product alone
reads the activation's result, both products become one operator (`tracea.torch.feed_forward`), whose backward pass keeps no more for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.named import parse_epilogue

from tracea.torch import auxiliary, feed_forward
from tracea.torch.compiler.anchors import Anchor, anchor_of, value_of
from tracea.torch.compiler.pointwise import name_of
from tracea.torch.compiler.regions import Feed, Region, inputs_change
from tracea.torch.tails import cut


def tail_of(region: Region) -> str:
    """Return the activation at the end of a region whose argument is to be stored, too; empty where nothing is."""
    first, result = value_of(region.anchor.first), value_of(region.exit)
    if first is None or result is None or region.views or not result.requires_grad:
        return ""
    try:
        _, tail, _ = cut(region.text)
    except OptionError:
        return ""
    takes = _is_plain(region.anchor) and auxiliary.takes(region.anchor.op, tail, region.anchor.settings, [first])
    return tail if takes and _consumer(region) is not None else ""


def alone(node: torch.fx.Node) -> Region:
    """Return the region of a product with its bias and nothing else."""
    made = anchor_of(node)
    assert isinstance(made, Anchor)
    if made.bias is None:
        return Region(made, node, (node,), IDENTITY, ())
    return Region(made, node, (node,), parse_epilogue("bias"), (Feed(made.bias),))


def mark(regions: Sequence[Region], order: list[torch.fx.Node], cheap: Sequence[bool]) -> list[Region]:
    """Return regions with the activations whose arguments are stored; without those that cannot be one operator with what follows.

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
        if free or not tail_of(region):
            found.append(region)
            continue
        follower = consumer_of(region)
        behind = by_anchor.get(follower) or alone(follower)
        both = Region(region.anchor, behind.exit, (*region.nodes, *behind.nodes), IDENTITY, ())
        if region.anchor.first in ends or inputs_change(both, order):
            continue
        ends.add(region.exit)
        found.append(replace(region, tail=tail_of(region)))
    return found


def consumer_of(region: Region) -> torch.fx.Node:
    """Return the product that alone reads what a region returns."""
    found = _consumer(region)
    assert found is not None
    return found


def _consumer(region: Region) -> torch.fx.Node | None:
    """Return the one product that reads a region's result, unless an activation follows it that could ride in turn."""
    if len(region.exit.users) != 1:
        return None
    node = next(iter(region.exit.users))
    made, result, given = anchor_of(node), value_of(node), value_of(region.exit)
    if not isinstance(made, Anchor) or made.first is not region.exit or made.second is region.exit:
        return None
    if result is None or given is None or result.dtype is not given.dtype or not _is_plain(made):
        return None
    followed = any(name_of(user) in auxiliary.SLOPES for user in node.users)
    return None if followed else node


def _is_plain(anchor: Anchor) -> bool:
    """Whether a product is of one matrix, and nothing else is asked of it."""
    weight = value_of(anchor.second)
    known = feed_forward.SETTINGS.get(anchor.op)
    return known is not None and anchor.settings == known and weight is not None and weight.dim() == 2

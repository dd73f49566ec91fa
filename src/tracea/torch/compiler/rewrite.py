# SPDX-License-Identifier: MIT
"""Replacing a region by one operator: ``linear → gelu`` before, ``tracea.linear(…, "bias,gelu")`` after.

Convolutions may leave channels-last what PyTorch would have left in planes. Inside a graph nobody sees that but who asks for strides: views
that take no copy, operators that are not PyTorch's, and the caller. They are given what PyTorch would have given them.
"""

from __future__ import annotations

from typing import Any

import torch
from tracea_core.ops.epilogue import OperandAxes

from tracea.torch.compiler import one_call
from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.regions import Region
from tracea.torch.compiler.sketch import Sketch


def replace(
    graph: torch.fx.Graph,
    region: Region,
    now: dict[torch.fx.Node, torch.fx.Node],
    channels_last: bool = False,
    all_laid_out: bool = False,
) -> torch.fx.Node:
    """Put the operator where the region's last node is, and remove the region.

    Parameters
    ----------
    graph : torch.fx.Graph
        The graph that the region was found in; it is changed.
    now : dict
        What stands for the last nodes of regions that were replaced before; this one is added.
    channels_last : bool
        Whether images are given channels-last, which costs a copy only where they are not yet.
    all_laid_out : bool
        Whether filters and residuals are, too.

    Returns
    -------
    torch.fx.Node
        The node of the operator.
    """
    anchor = region.anchor
    operator = getattr(torch.ops.tracea, anchor.op).default
    with graph.inserting_before(region.exit):
        inputs: list[Any] = [None if node is None else now.get(node, node) for node in anchor.given]
        first, *rest = inputs
        operands = [_feed(graph, now.get(feed.node, feed.node), feed.how, region) for feed in region.feeds]
        shape = _images(region)
        if shape:
            first = _flat(graph, first)
            given = zip(operands, region.epilogue.operands, strict=True)
            operands = [_flat(graph, node) if o.axes is OperandAxes.FULL else node for node, o in given]
        if channels_last:
            first = _laid_out(graph, first)
        if all_laid_out:
            rest = [_laid_out(graph, second) for second in rest]
            given = zip(operands, region.epilogue.operands, strict=True)
            operands = [_laid_out(graph, node) if o.axes is OperandAxes.FULL else node for node, o in given]
        settings: list[Any] = [list(s) if isinstance(s, tuple) else s for s in anchor.settings]
        made = graph.call_function(operator, (first, *rest, operands, region.text, *settings, ""))
    _exchange(graph, region, now, made, shape)
    return made


def together(
    graph: torch.fx.Graph,
    ahead: Region,
    between: tuple[torch.fx.Node, ...],
    region: Region,
    now: dict[torch.fx.Node, torch.fx.Node],
    own: bool,
) -> torch.fx.Node:
    """Put one operator where two regions are, the second of which takes what the first one's activation returns.

    Parameters
    ----------
    graph, now
        As `replace` takes them.
    ahead, region : Region
        The first product, which stores what its activation is applied to, and the second one.
    between : tuple of torch.fx.Node
        Views of the first one's result that the second one reads, which are of the shape that the product has.
    own : bool
        Whether tracea computes the second product, too.

    Returns
    -------
    torch.fx.Node
        The node of the operator.
    """
    first, second = ahead.anchor, region.anchor
    with graph.inserting_before(region.exit):
        x, one, two = (now.get(node, node) for node in (first.first, first.second, second.second))
        operands = [_feed(graph, now.get(f.node, f.node), f.how, each) for each in (ahead, region) for f in each.feeds]
        shape = _images(region)
        if shape:
            x = _flat(graph, x)
            spread = [o.axes for each in (ahead, region) for o in each.epilogue.operands]
            operands = [_flat(graph, n) if a is OperandAxes.FULL else n for n, a in zip(operands, spread, strict=True)]
        assert ahead.parts is not None
        how = (*ahead.parts, region.text, [first.op, second.op], len(ahead.feeds), own)
        made = graph.call_function(torch.ops.tracea.feed_forward.default, (x, one, two, operands, *how))
    _exchange(graph, region, now, made, shape)
    for node in reversed((*ahead.nodes, *between)):
        graph.erase_node(node)
    return made


def in_one_call(
    graph: torch.fx.Graph,
    region: Region,
    now: dict[torch.fx.Node, torch.fx.Node],
    sketch: Sketch,
    noticed: bool,
) -> None:
    """Put PyTorch's call for attention where a graph spells it out, or calls it as PyTorch has no kernel for.

    Parameters
    ----------
    graph, region, now
        As `replace` takes them.
    sketch : Sketch
        The region with concrete sizes.
    noticed : bool
        Whether it is noticed how the result lies, which then lies as before.
    """
    anchor = region.anchor
    causal, _, _, scale = anchor.settings
    given = [now.get(node, node) for node in anchor.inputs]
    with graph.inserting_before(region.exit):

        def do(node: torch.fx.Node, name: str, *arguments: Any) -> torch.fx.Node:
            return graph.call_method(name, (node, *arguments))

        operands, options = one_call.arranged(do, given, sketch.tensors, sketch.device)
        options |= {"is_causal": causal, "scale": scale, "dropout_p": anchor.dropout}
        call = torch.nn.functional.scaled_dot_product_attention
        made = graph.call_function(call, tuple(operands), options)
        if noticed:
            made = graph.call_method("contiguous", (made,))
    _exchange(graph, region, now, made)


def _images(region: Region) -> tuple[int, ...]:
    """Return the extents of a product whose results a backward pass must not find with four axes; empty where it may.

    What Inductor keeps for the backward pass of a graph with convolutions it lays out as images that are channels-last: rows of 384 values
    at 56×56 places were copied with the values of a line next to each other, and read so. As matrices they stay as they are.
    """
    weight, result = value_of(region.anchor.second), value_of(region.anchor.node)
    if weight is None or result is None or weight.dim() != 2 or result.dim() != _AXES or not result.requires_grad:
        return ()
    known = region.anchor.op in ("linear", "matmul") and all(type(extent) is int for extent in result.shape)
    return tuple(result.shape) if known and not region.epilogue.gated else ()


_AXES = 4


def _flat(graph: torch.fx.Graph, node: torch.fx.Node) -> torch.fx.Node:
    """Return rows without their leading axes."""
    return graph.call_function(torch.flatten, (node, 0, -2))


def _exchange(
    graph: torch.fx.Graph,
    region: Region,
    now: dict[torch.fx.Node, torch.fx.Node],
    made: torch.fx.Node,
    shape: tuple[int, ...] = (),
) -> None:
    """Let a node, in this shape if there is one, and the region's views of it stand for a region, which is removed."""
    result = made
    with graph.inserting_before(region.exit):
        if shape:
            result = graph.call_method("reshape", (result, shape))
        for view in region.views:
            result = _again(graph, view, result)
    for new in (made, result):
        new.meta = {key: value for key, value in region.exit.meta.items() if key != "example_value" or new is result}
    region.exit.replace_all_uses_with(result)
    now[region.exit] = result
    for node in reversed(region.nodes):
        graph.erase_node(node)


def restore_planes(graph: torch.fx.Graph) -> None:
    """Give those who see strides tensors in planes where Dynamo traced them so; it costs a copy only where they lie otherwise."""
    for node in list(graph.nodes):
        if not _sees_strides(node):
            continue
        for source in node.all_input_nodes:
            if _in_planes(source):
                with graph.inserting_before(node):
                    planes = graph.call_method("contiguous", (source,))
                planes.meta = dict(source.meta)
                node.replace_input_with(source, planes)


_STRIDED_METHODS = ("view", "view_as", "as_strided", "stride", "data_ptr")


def _sees_strides(node: torch.fx.Node) -> bool:
    if node.op == "output":
        return True
    if node.op == "call_method":
        return node.target in _STRIDED_METHODS
    return node.op == "call_function" and getattr(node.target, "namespace", "aten") not in ("aten", "prims", "tracea")


def _in_planes(node: torch.fx.Node) -> bool:
    """Whether an image, or what was made of one, was traced with its last axis contiguous, and is made by this graph."""
    tensor = value_of(node)
    if tensor is None or tensor.dim() < 3 or node.op in ("placeholder", "get_attr"):
        return False
    steps = tensor.stride()
    return isinstance(steps[-1], int) and steps[-1] == 1 and not (isinstance(steps[1], int) and steps[1] == 1)


def _laid_out(graph: torch.fx.Graph, node: torch.fx.Node) -> torch.fx.Node:
    """Return the tensor channels-last: itself where it lies so, else a copy."""
    return graph.call_method("contiguous", (node,), {"memory_format": torch.channels_last})


def _again(graph: torch.fx.Graph, view: torch.fx.Node, source: torch.fx.Node) -> torch.fx.Node:
    """Return the view of something else."""
    return graph.node_copy(view, lambda node: source if node is view.args[0] else node)


def _feed(graph: torch.fx.Graph, node: torch.fx.Node, how: str, region: Region) -> torch.fx.Node:
    """Return a node whose tensor is the operand."""
    if how == "as_is":
        return node
    if how == "flat":
        return graph.call_method("reshape", (node, -1))
    start = value_of(region.anchor.node)
    assert start is not None
    columns = start.shape[-1]
    if how == "rows":
        return graph.call_method("reshape", (node, -1, columns))
    half = columns // 2
    return graph.call_function(torch.narrow, (node, 0, 0 if how == "lower" else half, half))

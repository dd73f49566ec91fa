# SPDX-License-Identifier: MIT
"""Regions: a product with everything behind it that can ride in its epilogue.

From each product the steps that are functions of one element are followed, through branches that meet again (``x * sigmoid(x)``). A
region ends at the last node such that nothing before it is seen from outside. Dynamo's graphs are not functional: what is changed in
place between a region's first and last node must be none of its inputs, since the fused kernel reads them at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import TraceaError
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.expr import Accumulator, Cast, Expr, Operand, linearize, rewrite
from tracea_core.ops.named import parse_epilogue

from tracea.torch import shapes
from tracea.torch.compiler import spelled_out
from tracea.torch.compiler.anchors import Anchor, anchor_of, innermost, value_of
from tracea.torch.compiler.growth import Growth, State
from tracea.torch.compiler.pointwise import is_in_place
from tracea.torch.epilogues import text_of
from tracea.torch.feed_forward import storing


@dataclass
class Feed:
    """An operand of a region's epilogue: a node, and how its tensor becomes the operand (`as_is`, `flat`, `rows`, a half)."""

    node: torch.fx.Node
    how: str = "as_is"


@dataclass
class Region:
    """Nodes that one kernel can replace.

    Attributes
    ----------
    anchor : Anchor
        The product.
    exit : torch.fx.Node
        The node whose value the kernel computes.
    nodes : tuple of torch.fx.Node
        All nodes that vanish, in graph order.
    epilogue : Epilogue
        What happens to each sum.
    feeds : tuple of Feed
        The epilogue's operands by slot.
    views : tuple of torch.fx.Node
        Views among the nodes, to be applied to the result.
    parts : tuple of str
        What its epilogue is for the backward pass, if that is to find what lies between: a head, which is stored, too, and a function of
        it (`tracea.torch.compiler.keeping`).
    """

    anchor: Anchor
    exit: torch.fx.Node
    nodes: tuple[torch.fx.Node, ...]
    epilogue: Epilogue
    feeds: tuple[Feed, ...]
    views: tuple[torch.fx.Node, ...] = ()
    parts: tuple[str, str] | None = None

    @property
    def text(self) -> str:
        """The epilogue as the operator takes it."""
        return text_of(self.epilogue) if self.parts is None else storing(*self.parts)

    @property
    def rides(self) -> bool:
        """Whether the kernel does more than the product and its bias, which PyTorch's own does, too."""
        return self.epilogue.label not in ("", "bias")


Allowed = Callable[[Region], bool]


@dataclass
class Found:
    """What a graph holds: regions, and products that cannot be one with the reason."""

    regions: list[Region] = field(default_factory=list)
    refused: list[tuple[torch.fx.Node, str]] = field(default_factory=list)


def find_regions(graph: torch.fx.Graph, allowed: Allowed) -> Found:
    """Return the regions of a graph.

    Parameters
    ----------
    graph : torch.fx.Graph
        As Dynamo hands it to a backend, with example values.
    allowed : callable
        Whether a region is wanted (while gradients are recorded, not every epilogue is worth it).
    """
    found, taken = Found(), set[torch.fx.Node]()
    several = spelled_out.find(graph)
    order = list(graph.nodes)
    for place, node in enumerate(order):
        whole = several.get(node)
        if whole is not None:
            region = Region(whole.anchor, whole.anchor.node, whole.nodes, IDENTITY, (), whole.views)
            if taken.isdisjoint(whole.nodes) and not inputs_change(region, order):
                found.regions.append(region)
                taken |= set(whole.nodes)
        made = anchor_of(node) if node not in taken else None
        if made is None:
            continue
        if isinstance(made, str):
            found.refused.append((node, made))
            continue
        largest = _largest(made, order, place, taken, allowed)
        if isinstance(largest, str):
            found.refused.append((node, largest))
        else:
            found.regions.append(largest)
            taken |= set(largest.nodes)
    return found


def _largest(
    anchor: Anchor, order: list[torch.fx.Node], place: int, taken: set[torch.fx.Node], allowed: Allowed
) -> Region | str:
    """Return the largest region that begins at a product."""
    growth = Growth(anchor, taken)
    if growth.problem:
        return growth.problem
    for node in order[place + 1 :]:
        growth.visit(node)
    for exit_node in reversed(growth.order):
        state = growth.states[exit_node]
        cone = _cone(exit_node, growth.states)
        if not _closed(cone, exit_node):
            continue
        region = _region(anchor, growth, exit_node, state, cone)
        if region is None or not allowed(region) or inputs_change(region, order):
            continue
        return region
    return "an input is changed in place before the value is used"


def _region(
    anchor: Anchor, growth: Growth, exit_node: torch.fx.Node, state: State, cone: set[torch.fx.Node]
) -> Region | None:
    result, start = value_of(exit_node), value_of(anchor.node)
    if state.pair or result is None or start is None or not result.dtype.is_floating_point:
        return None
    expr, label = state.expr, state.label
    if result.dtype is not start.dtype and not isinstance(expr, Cast):
        kind = DType.parse(str(result.dtype))
        expr, label = Cast(kind, expr, saturate=False), (*label, f"to {kind.value}")
    slots = sorted({n.slot for n, _ in linearize(expr) if isinstance(n, Operand)})
    numbers = {slot: place for place, slot in enumerate(slots)}
    expr = rewrite(expr, lambda leaf: _renumber(leaf, numbers))
    gated = any(isinstance(n, Accumulator) and n.index == 1 for n, _ in linearize(expr))
    if gated != state.half or (gated and anchor.op in shapes.CONVOLUTIONS):
        return None
    try:
        name = ", ".join(label)
        operands = tuple(growth.operands[slot] for slot in slots)
        epilogue = _known(Epilogue(expr, operands, gated, name))
    except TraceaError:
        return None
    nodes = tuple(node for node in growth.order if node in cone)
    feeds = tuple(Feed(*growth.feeds[slot]) for slot in slots)
    return Region(anchor, exit_node, nodes, epilogue, feeds, state.views)


_GATES = ("swiglu", "bias,swiglu", "geglu", "bias,geglu", "geglu_tanh", "bias,geglu_tanh")


def _known(epilogue: Epilogue) -> Epilogue:
    """Return the epilogue under the name of a gate that it equals, if it does."""
    named = (parse_epilogue(text) for text in _GATES if epilogue.gated)
    return next((known for known in named if known.replace(label=epilogue.label) == epilogue), epilogue)


def _renumber(leaf: Expr, numbers: dict[int, int]) -> Expr:
    return Operand(numbers[leaf.slot]) if isinstance(leaf, Operand) else leaf


def _cone(exit_node: torch.fx.Node, states: dict[torch.fx.Node, State]) -> set[torch.fx.Node]:
    """Return the nodes between the product and a node, both included."""
    cone, waiting = set[torch.fx.Node](), [exit_node]
    while waiting:
        node = waiting.pop()
        if node in cone:
            continue
        cone.add(node)
        waiting += [source for source in states[node].sources if source not in cone]
    return cone


def _closed(cone: set[torch.fx.Node], exit_node: torch.fx.Node) -> bool:
    """Whether nobody outside sees a value from inside but the last."""
    return all(user in cone for node in cone if node is not exit_node for user in node.users)


def inputs_change(region: Region, order: list[torch.fx.Node]) -> bool:
    """Whether something outside the region changes one of its inputs in place while it lasts, or the mode it runs in."""
    inside = set(region.nodes)
    first, last = order.index(region.nodes[0]), order.index(region.exit)
    inputs = {source for node in region.nodes for source in node.all_input_nodes} - inside
    memory = set(_storages(inputs))
    for node in order[first:last]:
        if _changes_mode(node):
            return True
        if node in inside or not is_in_place(node):
            continue
        changed = node.args if node.kwargs.get("out") is None else (*node.args, node.kwargs["out"])
        if memory & set(_storages(changed)):
            return True
    return False


def _changes_mode(node: torch.fx.Node) -> bool:
    """Whether a node begins or ends autocast, gradients and the like, which a kernel must not be moved across."""
    name = str(getattr(node.target, "__name__", "")) if node.op == "call_function" else ""
    return name.startswith(("_enter_", "_exit_", "_set_grad", "set_grad"))


def _storages(arguments: Iterable[Any]) -> list[int]:
    """Return identities of the storages behind the tensors among some arguments."""
    found = []
    for argument in arguments:
        tensor = value_of(argument)
        if tensor is not None:
            found.append(innermost(tensor).untyped_storage()._cdata)
    return found

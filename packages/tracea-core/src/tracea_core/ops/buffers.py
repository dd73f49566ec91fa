# SPDX-License-Identifier: MIT
"""Buffer reuse: where each value of a graph lies in one block of memory, so that values share bytes when no two are alive at once.

A value is dead for a node once everything that touches it certainly happens before that node: through the graph's edges, or through
the order of a stream. Values are placed largest first, each at the lowest offset where it meets no other that lives with it
(Pisarchyk and Lee, *Efficient memory management for deep neural net inference*, arXiv:2001.03288, §5: greedy by size).
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError, OptionError
from tracea_core.ops.graph import Graph, Node
from tracea_core.ops.schedule import Schedule
from tracea_core.ops.spec import TensorSpec

ALIGNMENT = 256
"""Bytes to which offsets are rounded up by default: what GPU allocators guarantee."""


class Allocation(Data, frozen=True):
    """Bytes ``[offset, offset + bytes)`` for a value."""

    value: str
    offset: int
    bytes: int


class BufferPlan(Data, frozen=True):
    """Where values lie.

    Attributes
    ----------
    allocations : tuple of Allocation
        One for each value that neither comes from outside nor is given back nor is a view.
    bytes : int
        Size of the block.
    unshared_bytes : int
        What it would be without reuse.
    """

    allocations: tuple[Allocation, ...]
    bytes: int
    unshared_bytes: int


def plan_buffers(graph: Graph, order: Schedule, alignment: int = ALIGNMENT) -> BufferPlan:
    """Return a plan for the values between the nodes of `graph` when they run as `order` says.

    Raises
    ------
    OptionError
        If `alignment` is not a power of two.
    """
    if type(alignment) is not int or alignment < 1 or alignment & (alignment - 1):
        raise OptionError(f"an alignment is a power of two, not {alignment!r}")
    sizes = _sizes(graph)
    together = lifetimes_overlap(graph, order)
    placed: list[Allocation] = []
    for name in sorted(sizes, key=lambda value: (-sizes[value], order.order.index(value))):
        if sizes[name] == 0:
            placed.append(Allocation(name, 0, 0))
            continue
        offset = 0
        for other in sorted(placed, key=lambda allocation: allocation.offset):
            if not other.bytes or other.value not in together[name]:
                continue
            if offset + sizes[name] <= other.offset:
                break
            offset = max(offset, _up(other.offset + other.bytes, alignment))
        placed.append(Allocation(name, offset, sizes[name]))
    placed.sort(key=lambda allocation: order.order.index(allocation.value))
    return BufferPlan(
        tuple(placed),
        max((allocation.offset + allocation.bytes for allocation in placed), default=0),
        sum(_up(size, alignment) for size in sizes.values()),
    )


def check_buffers(graph: Graph, order: Schedule, plan: BufferPlan) -> None:
    """Raise unless every value has room of its own for as long as it lives.

    Raises
    ------
    ConfigurationError
        Naming two values that meet, or one without room.
    """
    sizes = _sizes(graph)
    where = {allocation.value: allocation for allocation in plan.allocations}
    for name, size in sizes.items():
        if name not in where or where[name].bytes < size or where[name].offset < 0:
            raise ConfigurationError(f"{name!r} needs {size} bytes of memory")
        if where[name].offset + size > plan.bytes:
            raise ConfigurationError(f"{name!r} reaches beyond the block of {plan.bytes} bytes")
    together = lifetimes_overlap(graph, order)
    for name in sizes:
        for other in together[name]:
            if _meet(where[name], where[other]):
                raise ConfigurationError(f"{name!r} and {other!r} share bytes while both are alive")


def lifetimes_overlap(graph: Graph, order: Schedule) -> dict[str, set[str]]:
    """Return for each value between nodes those that may be alive at the same time."""
    names = list(_sizes(graph))
    before = _before(graph, order)
    owner = _owners(graph)
    users: dict[str, set[str]] = {name: {name} for name in names}  # the node that writes it, and all that read it
    for node in graph.nodes:
        for read in node.reads:
            value = owner.get(read, read)
            if value in users:
                users[value].add(node.name)
    return {
        name: {
            other
            for other in names
            if other != name and not users[name] <= before[other] and not users[other] <= before[name]
        }
        for name in names
    }


def _owners(graph: Graph) -> dict[str, str]:
    """Return for each view the value whose memory it shows."""
    owner: dict[str, str] = {}
    for node in graph.order():
        if node.is_view:
            owner[node.name] = owner.get(node.inputs[0], node.inputs[0])
    return owner


def _sizes(graph: Graph) -> dict[str, int]:
    """Bytes of each value that needs room: not a view, and not given back, by itself or through a view."""
    owner = _owners(graph)
    kept = {owner.get(name, name) for name in graph.outputs}
    return {node.name: _bytes(node) for node in graph.nodes if not node.is_view and node.name not in kept}


def _bytes(node: Node) -> int:
    return TensorSpec.contiguous(node.shape, node.dtype).bytes


def _before(graph: Graph, order: Schedule) -> dict[str, set[str]]:
    """Return for each node those that have certainly ended when it starts."""
    reads = {node.name: node.reads for node in graph.nodes}
    last: dict[int, str] = {}
    before: dict[str, set[str]] = {}
    for slot in order.slots:
        direct = {name for name in reads[slot.node] if name in reads}
        if slot.stream in last:
            direct.add(last[slot.stream])
        before[slot.node] = direct.union(*(before[name] for name in direct))
        last[slot.stream] = slot.node
    return before


def _meet(one: Allocation, other: Allocation) -> bool:
    return one.offset < other.offset + other.bytes and other.offset < one.offset + one.bytes


def _up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment

# SPDX-License-Identifier: MIT
"""Priority scheduling of a graph: in which order, and on which stream, its nodes run.

List scheduling with upward ranks (Topcuoglu, Hariri and Wu, *Performance-effective and low-complexity task scheduling for heterogeneous
computing*, 2002, §4): of the nodes that can run, the one with the highest priority runs first, then the one with the longest way
to the end, each node counted with its roofline time. It runs where it can start earliest.
"""

from __future__ import annotations

import math

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError, OptionError
from tracea_core.ops.graph import Graph, GraphInput, Node, node_bytes
from tracea_core.target import CapabilityProfile

_GFLOPS, _GBPS = 1000.0, 100.0  # a balance of 10 FLOP per byte where the device does not say: only ratios matter


class Slot(Data, frozen=True):
    """When and where a node runs: its stream, and the estimated start and end in seconds."""

    node: str
    stream: int
    start: float
    end: float


class Schedule(Data, frozen=True):
    """Slots by start time."""

    slots: tuple[Slot, ...]
    streams: int = 1

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the nodes in launch order."""
        return tuple(slot.node for slot in self.slots)

    @property
    def seconds(self) -> float:
        """Estimated time until the last node ends."""
        return max((slot.end for slot in self.slots), default=0.0)


def node_seconds(node: Node, graph: Graph, profile: CapabilityProfile | None = None) -> float:
    """Return the roofline time of a node: the longer of computing and moving; 0.0 for a view."""
    if node.is_view:
        return 0.0
    return _seconds(node, graph.values(), profile)


def schedule(graph: Graph, streams: int = 1, profile: CapabilityProfile | None = None) -> Schedule:
    """Return the schedule of `graph` on a number of streams.

    Parameters
    ----------
    graph : Graph
        What runs.
    streams : int
        How many nodes may run at once.
    profile : CapabilityProfile, optional
        The device whose peak and bandwidth weigh the nodes.

    Raises
    ------
    OptionError
        If there is no stream.
    """
    if type(streams) is not int or streams < 1:
        raise OptionError(f"a schedule needs at least one stream, not {streams!r}")
    makers = graph.values()
    ordered = graph.order()
    place = {node.name: index for index, node in enumerate(ordered)}
    cost = {node.name: 0.0 if node.is_view else _seconds(node, makers, profile) for node in ordered}
    readers = {name: [other for other in found if other in place] for name, found in graph.consumers().items()}
    rank: dict[str, float] = {}
    for node in reversed(ordered):
        rank[node.name] = cost[node.name] + max((rank[reader] for reader in readers[node.name]), default=0.0)
    urgency = _inherited(ordered, readers)
    missing = {node.name: {name for name in node.reads if name in place} for node in ordered}
    free = [0.0] * streams
    ends: dict[str, float] = {}
    slots: list[Slot] = []
    while missing:
        ready = [name for name, needs in missing.items() if not needs]
        chosen = min(ready, key=lambda name: (-urgency[name], -rank[name], place[name]))
        node = ordered[place[chosen]]
        available = max((ends[name] for name in node.reads if name in ends), default=0.0)
        stream = min(range(streams), key=lambda index: (max(free[index], available), index))
        start = max(free[stream], available)
        ends[chosen] = free[stream] = start + cost[chosen]
        slots.append(Slot(chosen, stream, start, ends[chosen]))
        del missing[chosen]
        for needs in missing.values():
            needs.discard(chosen)
    return Schedule(tuple(slots), streams)


def check_schedule(graph: Graph, plan: Schedule) -> None:
    """Raise unless every node runs once, after what it takes, and alone on its stream.

    Raises
    ------
    ConfigurationError
        Naming the node.
    """
    if sorted(plan.order) != sorted(node.name for node in graph.nodes):
        raise ConfigurationError("a schedule runs each node of its graph once", nodes=plan.order)
    slots = {slot.node: slot for slot in plan.slots}
    launched: set[str] = {given.name for given in graph.inputs}
    busy = [0.0] * plan.streams
    for name in plan.order:
        node, slot = next(node for node in graph.nodes if node.name == name), slots[name]
        if not 0 <= slot.stream < plan.streams:
            raise ConfigurationError(f"{name!r} runs on stream {slot.stream}, there are {plan.streams}")
        for read in node.reads:
            if read not in launched or (read in slots and slots[read].end > slot.start):
                raise ConfigurationError(f"{name!r} starts before {read!r} is there")
        if slot.start < busy[slot.stream] or slot.end < slot.start:
            raise ConfigurationError(f"{name!r} starts while stream {slot.stream} is busy")
        busy[slot.stream] = slot.end
        launched.add(name)


def _seconds(node: Node, makers: dict[str, GraphInput | Node], profile: CapabilityProfile | None) -> float:
    gflops = (profile.peak(node.op.input_dtypes()[0]) if profile else 0.0) or _GFLOPS
    gbps = (profile.memory_gbps if profile else 0.0) or _GBPS
    return max(node.op.flops() / gflops, node_bytes(node, makers) / gbps) * 1e-9


def _inherited(ordered: tuple[Node, ...], readers: dict[str, list[str]]) -> dict[str, float]:
    """Priorities, handed to everything that a node of high priority waits for."""
    found: dict[str, float] = {}
    for node in reversed(ordered):
        found[node.name] = max(
            [float(node.priority), *(found[reader] for reader in readers[node.name])], default=-math.inf
        )
    return found

# SPDX-License-Identifier: MIT
"""Schedules and buffer plans: valid on random graphs, better than nothing, and planted faults are found."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError, OptionError
from tracea_core.ops.buffers import Allocation, BufferPlan, check_buffers, plan_buffers
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.graph import Graph, GraphInput, Node
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.pointwise import PointwiseOp, TransposeOp
from tracea_core.ops.schedule import Schedule, Slot, check_schedule, node_seconds, schedule
from tracea_core.target import CapabilityProfile

RELU = parse_epilogue("relu")
X = GraphInput("x", (64, 64))


def gemm(name, one, other, **options):
    return Node(name, GemmOp(64, 64, 64), (one, other), **options)


def chain(length):
    nodes = [gemm("n0", "x", "x")]
    nodes += [gemm(f"n{i}", f"n{i - 1}", "x") for i in range(1, length)]
    return Graph((X,), tuple(nodes), (nodes[-1].name,))


def fork():
    """A long branch and a short one that meet."""
    nodes = [gemm("short", "x", "x"), gemm("long0", "x", "x"), gemm("long1", "long0", "x"), gemm("long2", "long1", "x")]
    return Graph((X,), (*nodes, gemm("join", "short", "long2")), ("join",))


def test_the_longest_way_runs_first():
    assert (
        schedule(fork()).order == ("long0", "long1", "short", "long2", "join") or schedule(fork()).order[0] == "long0"
    )
    two = schedule(fork(), streams=2)
    check_schedule(fork(), two)
    assert two.order[0] == "long0"
    assert two.seconds == pytest.approx(4 / 5 * schedule(fork()).seconds)
    assert {slot.stream for slot in two.slots} == {0, 1}
    assert Schedule.from_json(two.to_json()) == two


def test_priority_outranks_length_and_is_inherited():
    nodes = [
        gemm("a", "x", "x"),
        gemm("a1", "a", "x"),
        gemm("a2", "a1", "x"),
        gemm("b", "x", "x"),
        gemm("b1", "b", "x", priority=1),
    ]
    graph = Graph((X,), tuple(nodes), ("a2", "b1"))
    assert schedule(graph).order == ("b", "b1", "a", "a1", "a2")


def test_roofline_weights():
    graph = Graph(
        (X,),
        (
            gemm("n", "x", "x"),
            Node("view", TransposeOp((64, 64)), ("n",)),
            Node("r", PointwiseOp((64, 64), RELU), ("view",)),
        ),
        ("r",),
    )
    profile = CapabilityProfile(
        name="p", vendor="v", arch="a", backend="cpu", processors=1, lanes=8, peak_gflops_fp32=10.0, memory_gbps=1.0
    )
    product, view, pointwise = (node_seconds(node, graph, profile) for node in graph.nodes)
    assert product == pytest.approx(2 * 64**3 / 10e9)
    assert view == 0.0
    assert pointwise == pytest.approx(2 * 64 * 64 * 4 / 1e9)


def test_a_chain_needs_two_buffers():
    graph = chain(6)
    plan = plan_buffers(graph, schedule(graph))
    assert plan.bytes == 2 * 64 * 64 * 4
    assert plan.unshared_bytes == 5 * 64 * 64 * 4
    assert "n5" not in {allocation.value for allocation in plan.allocations}  # the caller's
    assert BufferPlan.from_json(plan.to_json()) == plan


def test_views_keep_their_source_alive():
    nodes = (
        gemm("a", "x", "x"),
        Node("at", TransposeOp((64, 64)), ("a",)),
        gemm("b", "x", "a"),
        gemm("c", "b", "x"),
        gemm("d", "c", "at"),
    )
    graph = Graph((X,), nodes, ("d",))
    plan = plan_buffers(graph, schedule(graph))
    check_buffers(graph, schedule(graph), plan)
    assert plan.bytes == 3 * 64 * 64 * 4
    back = Graph((X,), nodes[:2], ("at",))
    assert plan_buffers(back, schedule(back)).allocations == ()  # given back through its view


@st.composite
def graphs(draw):
    names, nodes = ["x"], []
    for index in range(draw(st.integers(1, 9))):
        name, rows = f"n{index}", 64
        one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if draw(st.booleans()):
            nodes.append(Node(name, GemmOp(rows, 64, 64), (one, other), priority=draw(st.integers(0, 2))))
        elif draw(st.booleans()):
            nodes.append(Node(name, TransposeOp((64, 64)), (one,)))
        else:
            nodes.append(Node(name, PointwiseOp((64, 64), RELU), (one,)))
        names.append(name)
    outputs = draw(st.lists(st.sampled_from(names[1:]), min_size=1, max_size=3, unique=True))
    return Graph((X,), tuple(draw(st.permutations(nodes))), tuple(outputs))


def run(graph, order, plan, rng):
    """Launch in a random order that streams and edges allow; say who reads something overwritten."""
    where = {
        allocation.value: range(allocation.offset, allocation.offset + allocation.bytes, 64)
        for allocation in plan.allocations
    }
    nodes = {node.name: node for node in graph.nodes}
    source = {name: name for name in [*nodes, "x"]}
    for node in graph.order():
        if node.is_view:
            source[node.name] = source[node.inputs[0]]
    queues = [[slot.node for slot in order.slots if slot.stream == stream] for stream in range(order.streams)]
    memory, done, spoiled = {}, {"x"}, []
    while any(queues):
        ready = [queue for queue in queues if queue and all(read in done for read in nodes[queue[0]].reads)]
        node = nodes[rng.choice(ready).pop(0)]
        for read in node.reads:
            if any(memory[byte] != source[read] for byte in where.get(source[read], ())):
                spoiled.append((node.name, read))
        for byte in where.get(node.name, ()):
            memory[byte] = node.name
        if any(memory.get(byte) != source[read] for read in node.reads for byte in where.get(source[read], ())):
            spoiled.append((node.name, "its own input"))
        done.add(node.name)
    return spoiled


@settings(max_examples=120, deadline=None)
@given(graphs(), st.integers(1, 3), st.integers(0, 2**32))
def test_random_graphs_run_correctly_in_shared_memory(graph, streams, seed):
    order = schedule(graph, streams)
    check_schedule(graph, order)
    plan = plan_buffers(graph, order)
    check_buffers(graph, order, plan)
    assert plan.bytes <= plan.unshared_bytes
    for attempt in range(5):
        assert not run(graph, order, plan, random.Random(seed + attempt))


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_plan_that_spoils_a_value_is_found(graph, streams, rng):
    order = schedule(graph, streams)
    plan = plan_buffers(graph, order)
    if not plan.allocations:
        return
    moved = tuple(a.replace(offset=rng.randrange(3) * 64 * 64 * 4) for a in plan.allocations)
    faulty = BufferPlan(moved, 3 * 64 * 64 * 4, plan.unshared_bytes)
    if any(run(graph, order, faulty, random.Random(attempt)) for attempt in range(10)):
        with pytest.raises(ConfigurationError, match="share bytes"):
            check_buffers(graph, order, faulty)


def test_planted_buffer_faults():
    graph = chain(4)
    order = schedule(graph)
    plan = plan_buffers(graph, order)
    first, second, *rest = plan.allocations
    faults = [
        plan.replace(allocations=(first, second.replace(offset=first.offset), *rest)),
        plan.replace(allocations=(second, *rest)),
        plan.replace(allocations=(first.replace(bytes=first.bytes - 4), second, *rest)),
        plan.replace(bytes=plan.bytes - 1),
        plan.replace(allocations=(Allocation("n0", -4, first.bytes), second, *rest)),
    ]
    check_buffers(graph, order, plan)
    for fault in faults:
        with pytest.raises(ConfigurationError):
            check_buffers(graph, order, fault)


def test_planted_schedule_faults():
    graph = fork()
    plan = schedule(graph, streams=2)
    check_schedule(graph, plan)
    slots = plan.slots
    faults = [
        plan.replace(slots=slots[1:]),
        plan.replace(slots=(*slots, slots[0])),
        plan.replace(slots=slots[::-1]),
        plan.replace(slots=tuple(slot.replace(stream=0) for slot in slots)),
        plan.replace(slots=tuple(slot.replace(stream=7) for slot in slots)),
        plan.replace(slots=(*slots[:-1], slots[-1].replace(start=0.0))),
    ]
    for fault in faults:
        with pytest.raises(ConfigurationError):
            check_schedule(graph, fault)


def test_starting_before_the_input_has_ended_on_another_stream_is_found():
    early = Schedule((Slot("n0", 0, 0.0, 1.0), Slot("n1", 1, 0.5, 1.5)), streams=2)
    with pytest.raises(ConfigurationError, match="'n1' starts before 'n0' is there"):
        check_schedule(chain(2), early)
    check_schedule(chain(2), Schedule((Slot("n0", 0, 0.0, 1.0), Slot("n1", 1, 1.0, 2.0)), streams=2))


@pytest.mark.parametrize("streams", [0, -1, 1.5])
def test_bad_streams(streams):
    with pytest.raises(OptionError):
        schedule(chain(2), streams)


@pytest.mark.parametrize("alignment", [0, 3, -4, 2.0])
def test_bad_alignment(alignment):
    with pytest.raises(OptionError):
        plan_buffers(chain(2), schedule(chain(2)), alignment)


def test_an_empty_graph():
    graph = Graph((X,), (), ("x",))
    assert schedule(graph).seconds == 0.0
    assert plan_buffers(graph, schedule(graph)).bytes == 0

# SPDX-License-Identifier: MIT
"""Fusion keeps the meaning, finds the patterns, and says why it leaves the rest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.fusion import Fusion, fuse
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.graph import Graph, GraphInput, Node, evaluate
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.pointwise import PointwiseOp, TransposeOp
from tracea_core.ops.rowwise import NormOp, SoftmaxOp


def values(graph, seed=0):
    rng = np.random.default_rng(seed)
    return {given.name: rng.uniform(0.5, 1.5, given.shape) for given in graph.inputs}


def fused(graph, **options):
    """Fuse, and check that the meaning is the same."""
    done = fuse(graph, **options)
    given = values(graph)
    before, after = evaluate(graph, given), evaluate(done.graph, given)
    assert before.keys() == after.keys()
    for name in before:
        np.testing.assert_allclose(after[name], before[name], rtol=1e-10, atol=1e-12)
    assert Fusion.from_json(done.to_json()) == done
    return done


def pointwise(name, stages, shape, *inputs, **options):
    return Node(name, PointwiseOp(shape, parse_epilogue(stages), **options), inputs)


def test_conv_bn_relu():
    op = Conv2dOp(2, 3, 6, 6, 4, 3, 3)
    shape = op.output_shape()
    vectors = [GraphInput(name, (4,)) for name in ("mean", "var", "gamma", "beta")]
    graph = Graph(
        (GraphInput("x", (2, 3, 6, 6)), GraphInput("w", (4, 3, 3, 3)), *vectors),
        (
            Node("conv", op, ("x", "w")),
            pointwise("bn", "batch_norm", shape, "conv", "mean", "var", "gamma", "beta", channels=True),
            pointwise("relu", "relu", shape, "bn", channels=True),
        ),
        ("relu",),
    )
    done = fused(graph)
    (node,) = done.graph.nodes
    assert (node.name, type(node.op), node.epilogue.label) == ("relu", Conv2dOp, "batch_norm, relu")
    assert done.steps[0].pattern == "conv+bn+relu"
    assert done.steps[0].nodes == ("conv", "bn", "relu")
    assert "conv+bn+relu: conv, bn, relu -> relu" in done.describe()
    done.graph.problem("relu")


GEMM_INPUTS = (GraphInput("x", (3, 5)), GraphInput("w", (5, 4)), GraphInput("b", (4,)), GraphInput("r", (3, 4)))
DOT = Node("dot", GemmOp(3, 4, 5), ("x", "w"))


def test_gemm_bias_act():
    nodes = (DOT, pointwise("bias", "bias", (3, 4), "dot", "b"), pointwise("y", "gelu", (3, 4), "bias"))
    done = fused(Graph(GEMM_INPUTS, nodes, ("y",)))
    assert [step.pattern for step in done.steps] == ["gemm+bias+gelu"]
    assert len(done.graph.nodes) == 1
    assert not done.refused


@pytest.mark.parametrize("swapped", [False, True])
def test_gemm_residual_from_either_side(swapped):
    sides = ("r", "dot") if swapped else ("dot", "r")
    done = fused(Graph(GEMM_INPUTS, (DOT, pointwise("y", "residual", (3, 4), *sides)), ("y",)))
    assert [step.pattern for step in done.steps] == ["gemm+residual"]
    assert done.graph.nodes[0].epilogue_inputs == ("r",)


def test_a_difference_is_not_exchanged():
    nodes = (DOT, Node("y", PointwiseOp((3, 4), minus()), ("r", "dot")))
    done = fused(Graph(GEMM_INPUTS, nodes, ("y",)))
    assert not done.steps
    assert len(done.graph.nodes) == 2


def minus():
    from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
    from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand

    return Epilogue(Binary(BinaryFn.SUB, Accumulator(), Operand(0)), (EpilogueOperand("y", OperandAxes.FULL),))


def test_gate():
    inputs = (GraphInput("x", (3, 5)), GraphInput("w", (5, 8)), GraphInput("s", (4,)), GraphInput("b", (8,)))
    dot = Node("dot", GemmOp(3, 8, 5), ("x", "w"))
    plain = (dot, pointwise("gate", "swiglu", (3, 8), "dot"), pointwise("y", "bias", (3, 4), "gate", "s"))
    done = fused(Graph(inputs, plain, ("y",)))
    assert [step.pattern for step in done.steps] == ["gemm+swiglu+bias"]
    assert done.graph.problem("y").output.shape == (3, 4)
    biased = (dot, pointwise("bias", "bias", (3, 8), "dot", "b"), pointwise("y", "swiglu", (3, 8), "bias"))
    done = fused(Graph(inputs, biased, ("y",)))
    assert [step.pattern for step in done.steps] == ["gemm+bias"]
    assert "split in two halves" in done.refused[0].reason


def attention_graph(scale="scale:0.5", transposed=True, extra_outputs=(), kv_heads=2, batch=(2, 2), mask=False):
    q, v = (*batch, 3, 4), (*batch[:-1], kv_heads, 5, 6)
    k = (*v[:-2], 5, 4) if transposed else (*v[:-2], 4, 5)
    scores = (*batch, 3, 5)
    nodes = [Node("kt", TransposeOp(k), ("k",))] if transposed else []
    nodes.append(Node("qk", GemmOp(3, 5, 4, batch, alpha=2.0), ("q", "kt" if transposed else "k")))
    last = "qk"
    if scale:
        nodes.append(pointwise("scaled", scale, scores, last))
        last = "scaled"
    inputs = [GraphInput("q", q), GraphInput("k", k), GraphInput("v", v)]
    if mask:
        inputs.append(GraphInput("mask", scores))
        nodes.append(pointwise("masked", "residual", scores, last, "mask"))
        last = "masked"
    nodes += [Node("p", SoftmaxOp(scores), (last,)), Node("y", GemmOp(3, 6, 5, batch), ("p", "v"))]
    return Graph(tuple(inputs), tuple(nodes), ("y", *extra_outputs))


@pytest.mark.parametrize("scale", ["scale:0.5", ""])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("kv_heads", [1, 2])
def test_qk_softmax_v(scale, transposed, kv_heads):
    done = fused(attention_graph(scale, transposed, kv_heads=kv_heads))
    node = next(node for node in done.graph.nodes if node.name == "y")
    assert isinstance(node.op, AttentionOp)
    assert node.op.factor == (1.0 if scale else 2.0)
    assert node.op.groups_of_keys == kv_heads
    assert done.steps[0].pattern == "qk-softmax-v"
    assert len(done.graph.nodes) == (1 if transposed else 2)


def test_attention_takes_an_epilogue_too():
    graph = attention_graph()
    shape = (2, 2, 3, 6)
    more = Graph(
        (*graph.inputs, GraphInput("r", shape)), (*graph.nodes, pointwise("z", "residual", shape, "r", "y")), ("z",)
    )
    assert [step.pattern for step in fused(more).steps] == ["qk-softmax-v+residual"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"extra_outputs": ("qk",)}, "also needed"),
        ({"extra_outputs": ("p",)}, "not the left factor"),
        ({"batch": (2,)}, "batch, heads"),
    ],
)
def test_what_is_not_an_attention(options, reason):
    done = fused(attention_graph(**options))
    assert not any(isinstance(node.op, AttentionOp) for node in done.graph.nodes)
    assert any(reason in refusal.reason for refusal in done.refused)


def test_a_mask_is_kept_as_part_of_the_scores():
    done = fused(attention_graph(mask=True))
    assert not any(isinstance(node.op, AttentionOp) for node in done.graph.nodes)
    assert any("residual" in step.pattern for step in done.steps)


@pytest.mark.parametrize(
    ("nodes", "outputs", "reason"),
    [
        ((DOT, pointwise("y", "relu", (3, 4), "dot")), ("y", "dot"), "also needed by the caller"),
        ((DOT, pointwise("y", "relu", (3, 4), "dot"), pointwise("z", "tanh", (3, 4), "dot")), ("y", "z"), "also needed by"),
        ((DOT, pointwise("y", "residual", (3, 4), "dot", "dot")), ("y",), "more than once"),
        ((DOT, Node("n", NormOp((3, 4), weight=False), ("dot",)), pointwise("y", "relu", (3, 4), "n")), ("y",), "takes no epilogue"),
        ((Node("c", Conv2dOp(1, 3, 3, 3, 4, 3, 3), ("i", "f")), pointwise("y", "bias", (1, 4, 1, 1), "c", "one")), ("y",), "not those of"),
    ],
)  # fmt: skip
def test_refusals_have_reasons(nodes, outputs, reason):
    more = (GraphInput("i", (1, 3, 3, 3)), GraphInput("f", (4, 3, 3, 3)), GraphInput("one", (1,)))
    done = fused(Graph((*GEMM_INPUTS, *more), nodes, outputs))
    assert any(reason in refusal.reason for refusal in done.refused), done.describe()


def test_a_backend_may_refuse():
    graph = Graph(GEMM_INPUTS, (DOT, pointwise("y", "tanh", (3, 4), "dot")), ("y",))
    done = fused(graph, accept=lambda op, epilogue: "no tanh here" if "tanh" in epilogue.label else None)
    assert not done.steps
    assert done.refused[0].reason == "no tanh here"


def test_dead_nodes_vanish_and_types_are_kept():
    nodes = (
        DOT,
        pointwise("y", "quantize:int8:0.1", (3, 4), "dot"),
        pointwise("dead", "relu", (3, 4), "dot"),
        pointwise("deader", "relu", (3, 4), "dead"),
    )
    done = fused(Graph(GEMM_INPUTS, nodes, ("y",)))
    (node,) = done.graph.nodes
    assert node.dtype is DType.INT8
    done.graph.problem("y")


@st.composite
def graphs(draw):
    """Random graphs of products and pointwise nodes, all 4x4."""
    names, nodes = ["x", "w", "v", "u"], []
    inputs = (*(GraphInput(name, (4, 4)) for name in names), GraphInput("b", (4,)))
    for index in range(draw(st.integers(1, 8))):
        one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        kind = draw(
            st.sampled_from(["gemm", "transpose", "relu", "tanh", "bias", "residual", "row_bias", "bias,residual"])
        )
        name = f"n{index}"
        if kind == "gemm":
            nodes.append(Node(name, GemmOp(4, 4, 4, alpha=0.25), (one, other)))
        elif kind == "transpose":
            nodes.append(Node(name, TransposeOp((4, 4)), (one,)))
        else:
            operands = [other if operand.axes.value == "full" else "b" for operand in parse_epilogue(kind).operands]
            nodes.append(pointwise(name, kind, (4, 4), one, *operands))
        names.append(name)
    outputs = draw(st.lists(st.sampled_from(names[4:]), min_size=1, max_size=3, unique=True))
    return Graph(inputs, tuple(draw(st.permutations(nodes))), tuple(outputs))


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_random_graphs_keep_their_meaning(graph):
    done = fused(graph)
    assert len(done.graph.nodes) <= len(graph.nodes)
    again = fuse(done.graph)
    assert len(again.graph.nodes) == len(done.graph.nodes)

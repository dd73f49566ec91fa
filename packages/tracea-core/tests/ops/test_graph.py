# SPDX-License-Identifier: MIT
"""Graphs: what is refused, what they compute, and which problems they state."""

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, MalformedDataError, OptionError, ShapeError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.graph import Graph, GraphInput, Node, evaluate
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.pointwise import PointwiseOp, TransposeOp

BIAS_RELU = parse_epilogue("bias,relu")
X, W, B = GraphInput("x", (3, 5)), GraphInput("w", (4, 5)), GraphInput("b", (4,))
WT = Node("wt", TransposeOp((4, 5)), ("w",))
DOT = Node("dot", GemmOp(3, 4, 5), ("x", "wt"))
ACT = Node("act", PointwiseOp((3, 4), BIAS_RELU), ("dot", "b"))


def view(name, source):
    return Node(name, TransposeOp((2, 2)), (source,))


def linear():
    return Graph((X, W, B), (ACT, DOT, WT), ("act",))  # any order will do


def arrays(graph, seed=0):
    rng = np.random.default_rng(seed)
    return {given.name: rng.standard_normal(given.shape) for given in graph.inputs}


def test_meaning_round_trip_and_counts():
    graph = linear()
    assert Graph.from_json(graph.to_json()) == graph
    values = arrays(graph)
    expected = np.maximum(values["x"] @ values["w"].T + values["b"], 0)
    np.testing.assert_allclose(evaluate(graph, values)["act"], expected)
    assert [node.name for node in graph.order()] == ["wt", "dot", "act"]
    assert graph.consumers()["dot"] == ("act",)
    assert graph.flops() == 2 * 3 * 4 * 5 + 2 * 12
    assert graph.bytes() == 4 * (15 + 20 + 12) + 4 * (12 + 4 + 12)


def test_a_view_becomes_strides_of_the_problem():
    problem = linear().problem("dot")
    assert problem.inputs[1].shape == (5, 4)
    assert problem.inputs[1].strides == (1, 5)
    for name in ("wt", "act", "x", "nothing"):
        with pytest.raises(OptionError, match="states a problem"):
            linear().problem(name)


def test_fused_nodes_state_problems_with_epilogues():
    node = Node("y", GemmOp(3, 4, 5), ("x", "wt"), BIAS_RELU, ("b",))
    graph = Graph((X, W, B), (WT, node), ("y",))
    problem = graph.problem("y")
    assert problem.epilogue == BIAS_RELU
    assert problem.epilogue_inputs[0].shape == (4,)
    values = arrays(graph)
    np.testing.assert_allclose(evaluate(graph, values)["y"], evaluate(linear(), values)["act"])


@pytest.mark.parametrize(
    ("error", "match", "build"),
    [
        (OptionError, "two values .* 'dot'", lambda: Graph((X, W), (WT, DOT, DOT), ())),
        (OptionError, "two values .* 'x'", lambda: Graph((X, X), (), ())),
        (OptionError, "'dot' takes 'wt', which nothing makes", lambda: Graph((X, W), (DOT,), ())),
        (OptionError, "gives back 'y'", lambda: Graph((X,), (), ("y",))),
        (OptionError, "cycle: a, c", lambda: Graph((), (view("a", "c"), view("c", "a")), ())),
        (ShapeError, r"'dot' takes 'wt' with shape \(5, 4\)", lambda: Graph((X, GraphInput("wt", (4, 5))), (DOT,), ())),
        (DTypeError, "'dot' takes 'x' as fp32", lambda: Graph((GraphInput("x", (3, 5), DType.BF16), W), (WT, DOT), ())),
        (ShapeError, "'b' with shape", lambda: Graph((X, W, GraphInput("b", (3,))), (WT, DOT, ACT), ())),
        (ShapeError, "takes 2 inputs, 1", lambda: Node("dot", GemmOp(3, 4, 5), ("x",))),
        (ShapeError, "takes 1 operands, 0", lambda: Node("dot", GemmOp(3, 4, 5), ("x", "w"), BIAS_RELU)),
        (OptionError, "epilogue of its own", lambda: ACT.replace(epilogue=parse_epilogue("relu"))),
        (OptionError, "cannot name", lambda: GraphInput("x y", (1,))),
        (OptionError, "cannot name", lambda: DOT.replace(name="")),
        (ShapeError, "missing", lambda: evaluate(linear(), {})),
        (ShapeError, "must have shape", lambda: evaluate(linear(), arrays(linear()) | {"x": np.ones((5, 3))})),
        (MalformedDataError, "Graph", lambda: Graph.from_json('{"inputs":[],"nodes":[],"outputs":["y"]}')),
        (ShapeError, "even", lambda: PointwiseOp((2, 3), parse_epilogue("swiglu"))),
        (OptionError, "one dtype", lambda: PointwiseOp((2, 3), BIAS_RELU, operand_dtypes=(DType.FP32,) * 2)),
        (OptionError, "channels, not rows", lambda: PointwiseOp((2, 3), parse_epilogue("row_bias"), channels=True)),
    ],
)  # fmt: skip
def test_bad_graphs(error, match, build):
    with pytest.raises(error, match=match):
        build()


def test_pointwise_on_channels():
    op = PointwiseOp((2, 3, 4, 4), parse_epilogue("bias"), channels=True)
    result = op.reference(np.zeros((2, 3, 4, 4)), np.arange(3.0))
    assert result[1, :, 2, 3].tolist() == [0, 1, 2]
    assert op.output_dtype() is DType.FP32
    assert PointwiseOp((2, 4), parse_epilogue("quantize:int8")).output_dtype() is DType.INT8

# SPDX-License-Identifier: MIT
"""A small graph of ops: what a captured model is before it becomes problems.

A graph is data like everything else: nodes name their inputs, and every value is named after the node that makes it. Passes take a
graph and return another one (`tracea_core.ops.fusion`) or a plan for it (`tracea_core.ops.schedule`, `tracea_core.ops.buffers`);
`evaluate` gives its meaning in float64, so a pass is checked by comparing meanings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias, Union

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.base import Array, Shape, check_shape
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.pointwise import PointwiseOp, TransposeOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormalizeOp, NormOp, SoftmaxOp
from tracea_core.ops.sparse import BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec

GraphOp: TypeAlias = Union[
    GemmOp,
    FusedGemmOp,
    Conv2dOp,
    ConvTranspose2dOp,
    AttentionOp,
    SoftmaxOp,
    NormOp,
    NormalizeOp,
    LowRankOp,
    BlockSparseGemmOp,
    GroupedGemmOp,
    PointwiseOp,
    TransposeOp,
]
"""What a node may hold: any op, something applied to each element, or a view."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,62}")


class GraphInput(Data, frozen=True):
    """A value that comes from outside."""

    name: str
    shape: tuple[int, ...]
    dtype: DType = DType.FP32

    def __post_init__(self) -> None:
        _check_name(self.name)
        check_shape("graph input", "shape", self.shape)


class Node(Data, frozen=True):
    """One op with the names of the values it takes; the value it makes has its name.

    Attributes
    ----------
    name : str
        Of the node and of its value.
    op : GraphOp
        What it does.
    inputs : tuple of str
        One value for each input of the op.
    epilogue : Epilogue
        What happens to the result before it is stored; `epilogue_inputs` names its operands.
    priority : int
        Among nodes that can run, those with a higher priority run first.
    fused : tuple of str
        The nodes that this one has taken in.
    """

    name: str
    op: GraphOp
    inputs: tuple[str, ...]
    epilogue: Epilogue = IDENTITY
    epilogue_inputs: tuple[str, ...] = ()
    priority: int = 0
    fused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_name(self.name)
        if len(self.inputs) != len(self.op.input_shapes()):
            raise ShapeError(
                f"{type(self.op).__name__} takes {len(self.op.input_shapes())} inputs, {len(self.inputs)} were named",
                node=self.name,
            )
        if len(self.epilogue_inputs) != len(self.epilogue.operands):
            raise ShapeError(
                f"the epilogue takes {len(self.epilogue.operands)} operands, {len(self.epilogue_inputs)} were named",
                node=self.name,
            )
        if isinstance(self.op, PointwiseOp | TransposeOp) and not self.epilogue.is_identity:
            raise OptionError("only an op that computes something else has an epilogue of its own", node=self.name)

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of all values that this node takes."""
        return (*self.inputs, *self.epilogue_inputs)

    @property
    def shape(self) -> Shape:
        """Shape of its value."""
        return self.epilogue.output_shape(self.op.output_shape())

    @property
    def dtype(self) -> DType:
        """Element type of its value."""
        return self.op.output_dtype()

    @property
    def is_view(self) -> bool:
        """Whether its value shares memory with its input."""
        return isinstance(self.op, TransposeOp)


class Graph(Data, frozen=True):
    """Nodes in any order, the values they take from outside, and those they give back.

    Raises
    ------
    OptionError
        If a name is taken twice or unknown, or the nodes form a cycle.
    ShapeError, DTypeError
        If a value does not fit the node that takes it.
    """

    inputs: tuple[GraphInput, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def __post_init__(self) -> None:
        makers: dict[str, GraphInput | Node] = {}
        for maker in self.makers():
            if maker.name in makers:
                raise OptionError(f"two values of the graph are called {maker.name!r}", hint="Rename one")
            makers[maker.name] = maker
        for node in self.nodes:
            for name in node.reads:
                if name not in makers:
                    raise OptionError(f"{node.name!r} takes {name!r}, which nothing makes")
            _check_node(node, makers)
        for name in self.outputs:
            if name not in makers:
                raise OptionError(f"the graph gives back {name!r}, which nothing makes")
        self.order()

    def makers(self) -> tuple[GraphInput | Node, ...]:
        """Return everything that makes a value: inputs, then nodes."""
        return (*self.inputs, *self.nodes)

    def values(self) -> dict[str, GraphInput | Node]:
        """Return what makes each value, by name."""
        return {maker.name: maker for maker in self.makers()}

    def consumers(self) -> dict[str, tuple[str, ...]]:
        """Return for each value the nodes that take it, once for each time."""
        found: dict[str, list[str]] = {name: [] for name in self.values()}
        for node in self.nodes:
            for name in node.reads:
                found[name].append(node.name)
        return {name: tuple(nodes) for name, nodes in found.items()}

    def order(self) -> tuple[Node, ...]:
        """Return the nodes so that each comes after those it takes from, otherwise as they were given.

        Raises
        ------
        OptionError
            If there is a cycle.
        """
        known = {given.name for given in self.inputs}
        waiting, ordered = list(self.nodes), list[Node]()
        while waiting:
            later: list[Node] = []
            for node in waiting:
                if all(name in known for name in node.reads):
                    ordered.append(node)
                    known.add(node.name)
                else:
                    later.append(node)
            if len(later) == len(waiting):
                raise OptionError("the nodes form a cycle: " + ", ".join(node.name for node in later))
            waiting = later
        return tuple(ordered)

    def flops(self) -> int:
        """Return the operations of all nodes, epilogues aside."""
        return sum(node.op.flops() for node in self.nodes)

    def bytes(self) -> int:
        """Return the fewest bytes that must move when every node reads and writes memory."""
        makers = self.values()
        return sum(node_bytes(node, makers) for node in self.nodes)

    def problem(self, name: str, options: Options | None = None) -> Problem:
        """Return the problem that the node `name` states, all tensors contiguous (views transposed).

        Raises
        ------
        OptionError
            If there is no such node, or it is a view or pointwise and so states none.
        """
        makers = self.values()
        node = makers.get(name)
        if not isinstance(node, Node) or isinstance(node.op, PointwiseOp | TransposeOp):
            raise OptionError(f"{name!r} is not a node that states a problem")
        return Problem(
            node.op,
            tuple(_spec(value, makers) for value in node.inputs),
            TensorSpec.contiguous(node.shape, node.dtype),
            node.epilogue,
            tuple(_spec(value, makers) for value in node.epilogue_inputs),
            options or Options(),
        )


def node_bytes(node: Node, makers: Mapping[str, GraphInput | Node]) -> int:
    """Return the bytes that a node reads and writes; 0 for a view."""
    if node.is_view:
        return 0
    read = {name: TensorSpec.contiguous(makers[name].shape, makers[name].dtype).bytes for name in node.reads}
    return sum(read.values()) + TensorSpec.contiguous(node.shape, node.dtype).bytes


def evaluate(graph: Graph, values: Mapping[str, npt.ArrayLike]) -> dict[str, Array]:
    """Return the outputs of `graph` in float64.

    Parameters
    ----------
    graph : Graph
        What to compute.
    values : mapping of str to array_like
        One array for each input.

    Raises
    ------
    ShapeError
        If an input is missing or has another shape.
    """
    known: dict[str, Array] = {}
    for given in graph.inputs:
        if given.name not in values:
            raise ShapeError(f"the graph's input {given.name!r} is missing")
        known[given.name] = np.asarray(values[given.name], np.float64)
        if known[given.name].shape != given.shape:
            raise ShapeError(
                f"the graph's input {given.name!r} must have shape {given.shape}", shape=known[given.name].shape
            )
    for node in graph.order():
        product = node.op.reference(*(known[name] for name in node.inputs))
        operands = [known[name] for name in node.epilogue_inputs]
        known[node.name] = node.epilogue.reference(product, operands, node.op.column_axis)
    return {name: known[name] for name in graph.outputs}


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise OptionError(f"{name!r} cannot name a value of a graph", hint="Use letters, digits, underscores and dots")


def _check_node(node: Node, makers: Mapping[str, GraphInput | Node]) -> None:
    wanted = list(zip(node.inputs, node.op.input_shapes(), node.op.input_dtypes(), strict=True))
    for name, shape, dtype in wanted:
        value = makers[name]
        shared = isinstance(node.op, GemmOp) and value.shape[-2:] == shape[-2:]
        if value.shape != shape and not (shared and _broadcasts(value.shape, shape)):
            raise ShapeError(f"{node.name!r} takes {name!r} with shape {shape}, but it has {value.shape}")
        if value.dtype is not dtype:
            raise DTypeError(f"{node.name!r} takes {name!r} as {dtype.value}, but it is {value.dtype.value}")
    for slot, name in enumerate(node.epilogue_inputs):
        shape = node.epilogue.operand_shape(slot, node.shape, node.op.column_axis)
        if makers[name].shape != shape:
            raise ShapeError(f"{node.name!r} takes {name!r} with shape {shape}, but it has {makers[name].shape}")


def _broadcasts(given: Shape, wanted: Shape) -> bool:
    try:
        return np.broadcast_shapes(given, wanted) == wanted
    except ValueError:
        return False


def _spec(name: str, makers: Mapping[str, GraphInput | Node]) -> TensorSpec:
    maker = makers[name]
    if isinstance(maker, Node) and maker.is_view:
        source = _spec(maker.inputs[0], makers)
        strides = (*source.strides[:-2], source.strides[-1], source.strides[-2])
        return TensorSpec(maker.shape, maker.dtype, strides)
    return TensorSpec.contiguous(maker.shape, maker.dtype)
